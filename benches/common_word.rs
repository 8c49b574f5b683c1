//! A word that occurs in nearly every file: `memdir query` beside `rg`, whole processes, the same data, run in turns.
//!
//! `cargo bench --bench common_word` prints the median times and their ratio at 10, 1,000 and 10,000 files. Without `rg`
//! (looked for on the `PATH`, or named by `RG`) it prints memdir's times alone. It fails at nothing: machines differ.

use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use fastrand::Rng;
use fs_err as fs;

/// The word searched for: in every file but each twentieth, in one of six bullets there.
const WORD: &str = "project";
const WORDS: [&str; 40] = [
    "user", "prefers", "uses", "file", "test", "build", "server", "config", "data", "memory", "agent", "team", "name",
    "value", "run", "fix", "key", "version", "release", "branch", "commit", "deploy", "database", "cache", "token",
    "path", "index", "search", "list", "query", "write", "read", "update", "delete", "add", "task", "plan", "review",
    "design", "note",
];
/// Bullets in a file.
const BULLETS: usize = 50;
/// Files, and how often each command is run on them.
const SIZES: [(usize, usize); 3] = [(10, 41), (1_000, 21), (10_000, 9)];

fn text(rng: &mut Rng, file: usize) -> String {
    let mut text = format!("# Notes {file}\n\n> Summary: notes, {file}\n\n");
    for _ in 0..BULLETS {
        let mut words: Vec<&str> = (0..6 + rng.usize(..8)).map(|_| WORDS[rng.usize(..WORDS.len())]).collect();
        if file % 20 != 19 && rng.usize(..6) == 0 {
            let at = rng.usize(..words.len());
            words[at] = WORD;
        }
        text += &format!("- {}\n", words.join(" "));
    }
    text
}

fn once(mut command: Command, out: &Path) -> Duration {
    command.stdout(fs::File::create(out).expect("a file for the answer").into_file()).stderr(Stdio::null());
    let start = Instant::now();
    assert!(command.status().expect("it runs").success());
    start.elapsed()
}

fn median(mut times: Vec<Duration>) -> f64 {
    times.sort_unstable();
    times[times.len() / 2].as_secs_f64() * 1e3
}

fn main() {
    let rg = std::env::var("RG").unwrap_or_else(|_| "rg".to_owned());
    let found = Command::new(&rg).arg("--version").stdout(Stdio::null()).status().is_ok();
    for (files, rounds) in SIZES {
        let above = tempfile::tempdir().expect("a directory");
        let (dir, out) = (above.path().join("memory"), above.path().join("out"));
        fs::create_dir_all(dir.join("facts")).expect("a directory");
        fs::write(dir.join("memdir.yaml"), "version: 1\n").expect("a marker");
        let mut rng = Rng::with_seed(7);
        for file in 0..files {
            fs::write(dir.join(format!("facts/f{file:05}.md")), text(&mut rng, file)).expect("a file");
        }
        let ours = || {
            let mut command = Command::new(env!("CARGO_BIN_EXE_memdir"));
            command.arg("--dir").arg(&dir).args(["query", WORD]);
            command
        };
        let theirs = || {
            let mut command = Command::new(&rg);
            command.args(["-N", "--no-heading", "-F", WORD]).arg(&dir);
            command
        };
        let (mut us, mut them) = (Vec::new(), Vec::new());
        for round in 0..=rounds {
            let (a, b) = (once(ours(), &out), found.then(|| once(theirs(), &out)));
            if round > 0 {
                us.push(a);
                them.extend(b);
            }
        }
        let us = median(us);
        match found {
            true => {
                let them = median(them);
                println!("{files} files: memdir {us:.2} ms, rg {them:.2} ms, ratio {:.2}", us / them);
            }
            false => println!("{files} files: memdir {us:.2} ms"),
        }
    }
}
