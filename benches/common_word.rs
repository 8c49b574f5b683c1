//! A word that occurs in nearly every file: `memdir query` beside `rg`, whole processes, the same data, run in turns.
//!
//! `cargo bench --bench common_word` prints the median times and their ratio at 10, 1,000 and 10,000 files. Without `rg`
//! (looked for on the `PATH`, or named by `RG`) it prints memdir's times alone. `MEMDIR_BIN` measures another memdir. It fails at nothing: machines differ.

#[path = "support/mod.rs"]
mod support;

use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use fs_err as fs;

/// Files, and how often each command is run on them.
const SIZES: [(usize, usize); 3] = [(10, 41), (1_000, 21), (10_000, 9)];

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
        support::make_memory(&dir, files, None);
        let ours = || {
            let mut command = Command::new(support::program());
            command.arg("--dir").arg(&dir).args(["query", support::COMMON]);
            command
        };
        let theirs = || {
            let mut command = Command::new(&rg);
            command.args(["-N", "--no-heading", "-F", support::COMMON]).arg(&dir);
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
        if found {
            let them = median(them);
            println!("{files} files: memdir {us:.2} ms, rg {them:.2} ms, ratio {:.2}", us / them);
        } else {
            println!("{files} files: memdir {us:.2} ms")
        }
    }
}
