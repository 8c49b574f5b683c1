//! What the parts that are off by default cost in processor time: bounds, measured on the program.
//!
//! The bounds are those of an optimised program (`.ci/full`); without optimisation a tenfold is allowed.

use crate::support::memory::full;
use crate::support::{Memory, NOW, clean_command, program};

/// Arguments: a file for the output, the number of runs, the command.
const TIMED_LOOP: &str = r#"
TIMEFORMAT='%3U %3S'
rounds=$1; shift
time for n in $(seq "$rounds"); do "${@//\{n\}/$n}" >"$0" || exit 1; done
"#;

/// The processor time of a command in milliseconds, on average over `rounds` runs; `{n}` in a word is the run's number.
fn cpu_ms(memory: &Memory, words: &[&str], rounds: usize) -> f64 {
    let output = tempfile::NamedTempFile::new().unwrap();
    // Bash reports the time of its children in milliseconds; this process cannot without unsafe code.
    let mut command = clean_command("bash", &memory.dir());
    command.env("MEMDIR_NOW", NOW).env("MEMDIR_AS", "tester").env("MEMDIR_DURABILITY", "fast");
    command.args(["-c", TIMED_LOOP]).arg(output.path()).arg(rounds.to_string()).arg(program()).args(words);
    let output = command.output().unwrap();
    let printed = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(output.status.success(), "{words:?}: {printed}");
    let times = printed.lines().next_back().unwrap_or_default().split(' ').map(|s| s.parse::<f64>().expect(&printed));
    1000.0 * times.sum::<f64>() / rounds as f64
}

fn most(bound: f64) -> f64 {
    if full() { bound } else { 10.0 * bound }
}

/// A memory of 1,000 bullets of few words, so that each addition has neighbours.
fn memory_of_1000(policy: &str) -> Memory {
    const WORDS: [&str; 12] = [
        "deploy", "review", "cache", "server", "token", "index", "parser", "window", "budget", "schema", "worker",
        "region",
    ];
    let word = |n: usize| WORDS[n % WORDS.len()];
    let bullet =
        |n: usize| format!("- The {} {} needs {} and {} {n}\n", word(n), word(n / 5), word(n / 7), word(n / 11));
    (0..20).fold(Memory::new().policy(policy), |memory, file| {
        let bullets: String = (file * 50..file * 50 + 50).map(bullet).collect();
        memory.file(&format!("facts/f{file}.md"), &format!("# F{file}\n\n{bullets}"))
    })
}

#[test]
fn a_relation_costs_two_milliseconds_at_most() {
    let rounds = 12;
    let addition = ["--as", "claude", "add", "f0", "The deploy cache needs token and index, as seen {n} times"];
    let plain = cpu_ms(&memory_of_1000("version: 2\n"), &addition, rounds);
    let memory = memory_of_1000("version: 2\nlinks: {auto: 3, min: 0.6}\n");
    let related = cpu_ms(&memory, &addition, rounds);
    let edges = memory.text("facts/f0.md").unwrap().matches("related_to [[").count();
    assert!(edges >= rounds, "{edges} relations");
    let each = (related - plain) * rounds as f64 / edges as f64;
    println!("a relation among 1,000 bullets: {each:.2} ms of {related:.2} ms");
    assert!(each <= most(2.0), "{each} ms");
}

#[test]
fn a_checkpoint_of_16_mib_costs_a_tenth_of_a_second_at_most() {
    let memory = Memory::new();
    let row = r#"{"step":4711,"state":"waiting for the review of the second part","seen":[1,2,3]},"#;
    let rows = row.repeat((16 << 20) / row.len() - 1);
    memory.put("state.json", format!("[{}]", rows.trim_end_matches(',')));
    let save = cpu_ms(&memory, &["checkpoint", "save", "run", "-F", "state.json"], 3);
    let load = cpu_ms(&memory, &["checkpoint", "load", "run"], 3);
    println!("a checkpoint of 16 MiB: {save:.0} ms to save, {load:.0} ms to load");
    assert!(save <= most(100.0) && load <= most(100.0), "{save} ms, {load} ms");
}

/// Searches with so much address space, in MiB.
fn query_within(memory: &Memory, limit: usize) -> std::process::Output {
    let mut command = clean_command("bash", &memory.dir());
    command.args(["-c", "ulimit -v $0 && exec \"$@\"", &(limit << 10).to_string()]).arg(program());
    command.args(["query", "server", "-L", "3"]).output().unwrap()
}

#[test]
fn a_file_of_64_mib_is_searched_in_200_mib() {
    // Without optimisation a smaller file, because parsing it takes long.
    let size = if full() { 64 } else { 16 };
    let memory = Memory::new();
    let own = (8..400).step_by(2).find(|limit| query_within(&memory, *limit).status.code() == Some(0)).unwrap();
    let others = "- The schema of each region has an index, and its cache is read by a worker\n".repeat(5);
    let bullets = format!("{others}- The server of the team needs a review before it is deployed\n");
    memory.put("facts/large.md", format!("# Large\n\n{}", bullets.repeat(((size << 20) - 100) / bullets.len())));
    // Lists that grow reserve more addresses than memory: 224 MiB with 64 MiB of text.
    let output = query_within(&memory, own + 240 * size / 64);
    let printed = String::from_utf8_lossy(&output.stdout);
    assert!(output.status.success() && printed.contains("server of the team"), "{own} MiB and more: {output:?}");
}
