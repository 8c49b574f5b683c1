//! What grows with a memory, and what does not: long journals, many bullets, many edits outside memdir; beside a C
//! program that does the least there is to do (`floor.c`).
//!
//! `cargo bench --bench scale` prints tab-separated rows: processor and wall time in ms and peak memory in MiB, each the
//! best of several runs in turns, and ratios. `MEMDIR_BIN=PROGRAM` measures another memdir, `ONLY=journal,outside,bullets,large` some
//! of the rows, `BULLETS=100000` fewer bullets, `REVISIONS=5000` shorter journals. It fails at nothing: machines differ. It needs `cc`.

#[path = "support/mod.rs"]
mod support;

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use fs_err as fs;
use support::{BULLETS_IN_FILE, COMMON, number};

/// Files and bullets in each, of the memories with a long journal.
const FILES: usize = 20;
const BULLETS: usize = 25;
/// A word in no file but the last.
const RARE: &str = "quokkafin";
/// A word like that: other words are compared with it.
const NOWHERE: &str = "xyzzyplugh";

/// The least of several runs: wall and processor time in ms, memory in MiB.
#[derive(Clone, Copy)]
struct Cost {
    wall: f64,
    processor: f64,
    memory: f64,
}

struct Bench {
    dir: tempfile::TempDir,
    memdir: PathBuf,
    floor: PathBuf,
}

impl Bench {
    fn new() -> Bench {
        let dir = tempfile::tempdir().expect("a directory");
        let floor = dir.path().join("floor");
        let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("benches/floor.c");
        let compiled = Command::new("cc").args(["-O2", "-static", "-pthread", "-o"]).args([&floor, &source]).status();
        assert!(compiled.expect("cc").success(), "the floor is compiled");
        let memdir = PathBuf::from(support::program());
        Bench { dir, memdir, floor }
    }

    fn words(&self, program: &Path, words: &[&str]) -> Vec<String> {
        std::iter::once(program.display().to_string()).chain(words.iter().map(|w| (*w).to_owned())).collect()
    }

    /// Runs each command once and then in turns.
    fn measure(&self, commands: &[Vec<String>], rounds: usize, durability: &str) -> Vec<Cost> {
        let out = self.dir.path().join("out");
        let mut best: Vec<Option<Cost>> = vec![None; commands.len()];
        for round in 0..=rounds {
            for (command, best) in commands.iter().zip(&mut best) {
                let mut timed = Command::new(&self.floor);
                timed.arg("time").arg(&out).args(command).env("MEMDIR_DURABILITY", durability);
                let answer = timed.env("MEMDIR_AS", "bench").stderr(Stdio::null()).output().expect("it runs");
                assert!(answer.status.success(), "{command:?}");
                let answer = String::from_utf8_lossy(&answer.stdout).into_owned();
                let numbers: Vec<f64> = answer.split_whitespace().filter_map(|n| n.parse().ok()).collect();
                let cost = Cost { wall: numbers[0] / 1e3, processor: numbers[1] / 1e3, memory: numbers[2] / 1024.0 };
                // The first run fills caches.
                if round > 0 || rounds == 0 {
                    let old = best.unwrap_or(cost);
                    *best = Some(Cost {
                        wall: old.wall.min(cost.wall),
                        processor: old.processor.min(cost.processor),
                        memory: old.memory.max(cost.memory),
                    });
                }
            }
        }
        best.into_iter().flatten().collect()
    }

    /// A memory with so many revisions, before some of which somebody edits a file with another program.
    fn with_journal(&self, revisions: usize, outside_edits: usize) -> PathBuf {
        let dir = self.dir.path().join(format!("journal-{revisions}-{outside_edits}"));
        fs::create_dir_all(dir.join("facts")).expect("a directory");
        fs::write(dir.join("memdir.yaml"), "version: 1\n").expect("a marker");
        let run = |words: &[&str]| {
            let mut command = Command::new(&self.memdir);
            command.arg("--dir").arg(&dir).args(words).env("MEMDIR_DURABILITY", "fast").env("MEMDIR_AS", "bench");
            command.stdout(Stdio::null()).stderr(Stdio::null()).stdin(Stdio::null());
            assert!(command.status().expect("it runs").success(), "{words:?}");
        };
        let fact = |n: usize| format!("Version {n} of a fact that is about as long as such facts are");
        let every = revisions.checked_div(outside_edits).unwrap_or(usize::MAX);
        for n in 0..revisions {
            let file = format!("f{:02}", n % FILES);
            if n >= FILES && n % every == every - 1 {
                let path = dir.join(format!("facts/{file}.md"));
                let text = fs::read_to_string(&path).expect("a file");
                let by_hand = format!("- By hand {n}\n");
                let kept: String = text.lines().filter(|l| !l.contains("By hand")).map(|l| format!("{l}\n")).collect();
                fs::write(&path, kept + &by_hand).expect("a file");
            }
            match n / FILES {
                round if round < BULLETS => run(&["add", &file, &fact(n)]),
                round => {
                    let index = (1 + round % BULLETS).to_string();
                    run(&["bullet", "update", &file, "-f", "--index", &index, &fact(n)]);
                }
            }
        }
        dir
    }

    fn with_bullets(&self, bullets: usize) -> PathBuf {
        let dir = self.dir.path().join(format!("bullets-{bullets}"));
        support::make_memory(&dir, bullets / BULLETS_IN_FILE, Some(RARE));
        dir
    }

    /// A common word in one file of nearly 64 MiB, the largest that there can be.
    fn large_file_rows(&self) {
        let dir = self.dir.path().join("large");
        fs::create_dir_all(dir.join("facts")).expect("a directory");
        let others = "- The schema of each region has an index, and its cache is read by a worker\n".repeat(5);
        let bullets = format!("{others}- The server of the {COMMON} needs a review before it is deployed\n");
        let text = format!("# Large\n\n{}", bullets.repeat(((64 << 20) - 100) / bullets.len()));
        fs::write(dir.join("facts/large.md"), text).expect("a file");
        let folder = dir.display().to_string();
        let query = ["--dir", &folder, "query", COMMON, "-L", "10"];
        let commands = [self.words(&self.memdir, &query), self.words(&self.floor, &["search", &folder, COMMON])];
        println!("a file of 64 MiB\tmemdir, ms\tfloor, ms\tMiB");
        let costs = self.measure(&commands, 3, "full");
        println!("query, a common word\t{:.0}\t{:.0}\t{:.0}", costs[0].wall, costs[1].wall, costs[0].memory);
        drop(fs::remove_dir_all(dir));
    }

    fn journal_rows(&self) {
        let revisions = number("REVISIONS", 50_000);
        println!("command\t1,000 lines, ms\t{} lines, ms\tratio", 2 * revisions);
        let dirs = [self.with_journal(500, 0), self.with_journal(revisions, 0)];
        let rows: [(&str, &[&str]); 10] = [
            ("list", &["list"]),
            ("query", &["query", "version", "fact", "-L", "5"]),
            ("context --as", &["context", "--as", "reader"]),
            ("status", &["status"]),
            ("log", &["log"]),
            ("log --oneline -L 1", &["log", "--oneline", "-L", "1"]),
            ("show, the oldest", &["show", "r2"]),
            ("add -n", &["add", "f01", "One more fact", "-n"]),
            ("add, update, undo", &[]),
            ("undo -n", &["undo", "-n"]),
        ];
        for (name, words) in rows {
            let cost = |dir: &PathBuf| {
                let dir = dir.display().to_string();
                let line = |words: &[&str]| self.words(&self.memdir, &[&["--dir", &dir][..], words].concat());
                match words {
                    // 520 changes: among them is one that collects what is old.
                    [] => {
                        let round = [
                            line(&["add", "f01", "One more fact"]),
                            line(&["bullet", "update", "f01", "-f", "--index", "3", "Another text"]),
                            line(&["undo"]),
                            line(&["undo"]),
                        ];
                        let total = (0..130).flat_map(|_| self.measure(&round, 0, "fast")).map(|c| c.processor).sum();
                        Cost { wall: 0.0, processor: total, memory: 0.0 }
                    }
                    words => self.measure(&[line(words)], 15, "fast")[0],
                }
            };
            let (short, long) = (cost(&dirs[0]).processor, cost(&dirs[1]).processor);
            println!("{name}\t{short:.2}\t{long:.2}\t{:.2}", long / short);
        }
    }

    fn outside_rows(&self) {
        let revisions = number("REVISIONS", 20_000);
        println!("outside edits in {revisions} revisions\tlog --all, ms\tMiB");
        for edits in [revisions / 20, revisions / 2] {
            let dir = self.with_journal(revisions, edits).display().to_string();
            let cost = self.measure(&[self.words(&self.memdir, &["--dir", &dir, "log", "--all"])], 3, "fast")[0];
            println!("{edits}\t{:.1}\t{:.0}", cost.processor, cost.memory);
        }
    }

    fn bullets_rows(&self) {
        println!("bullets\tcommand\tmemdir, ms\tfloor, ms\tratio\tprocessor ratio\tMiB");
        let most = number("BULLETS", 1_000_000);
        for (bullets, rounds) in [(1_000, 31), (100_000, 11), (1_000_000, 5)].into_iter().filter(|(n, _)| *n <= most) {
            let folder = self.with_bullets(bullets);
            let dir = folder.display().to_string();
            let file = folder.join("facts/f00001.md").display().to_string();
            let rows: [(&str, &[&str], &[&str]); 7] = [
                ("start", &["--version"], &["start"]),
                ("list", &["--dir", &dir, "list"], &["list", &dir]),
                ("read", &["--dir", &dir, "read", "f00001"], &["read", &file]),
                ("query, a rare word", &["--dir", &dir, "query", RARE], &["search", &dir, RARE]),
                ("query, a common word", &["--dir", &dir, "query", COMMON], &["search", &dir, COMMON]),
                ("query, a word that occurs nowhere", &["--dir", &dir, "query", NOWHERE], &["search", &dir, NOWHERE]),
                ("add, durable", &["--dir", &dir, "add", "f00001", "One more"], &["add", &file, "One more"]),
            ];
            for (name, ours, least) in rows {
                let commands = [self.words(&self.memdir, ours), self.words(&self.floor, least)];
                let costs = self.measure(&commands, rounds, "full");
                let (us, least) = (costs[0], costs[1]);
                println!(
                    "{bullets}\t{name}\t{:.2}\t{:.2}\t{:.2}\t{:.2}\t{:.0}",
                    us.wall,
                    least.wall,
                    us.wall / least.wall,
                    us.processor / least.processor,
                    us.memory
                );
            }
            drop(fs::remove_dir_all(folder));
        }
    }
}

fn main() {
    let bench = Bench::new();
    let only = std::env::var("ONLY").unwrap_or_default();
    let is_wanted = |rows: &str| only.is_empty() || only.split(',').any(|name| name == rows);
    if is_wanted("bullets") {
        bench.bullets_rows();
    }
    if is_wanted("large") {
        bench.large_file_rows();
    }
    if is_wanted("journal") {
        bench.journal_rows();
    }
    if is_wanted("outside") {
        bench.outside_rows();
    }
}
