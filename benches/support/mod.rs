//! What several benchmarks share: the program under test, numbers of the environment, and memories of random bullets.

// Each benchmark is a program of its own and uses a part of this.
#![allow(dead_code)]

use std::ffi::OsString;
use std::path::Path;

use fastrand::Rng;
use fs_err as fs;

/// A word in every file but each twentieth, in one of six bullets there.
pub const COMMON: &str = "project";
/// The words of which random bullets consist.
const WORDS: [&str; 40] = [
    "user", "prefers", "uses", "file", "test", "build", "server", "config", "data", "memory", "agent", "team", "name",
    "value", "run", "fix", "key", "version", "release", "branch", "commit", "deploy", "database", "cache", "token",
    "path", "index", "search", "list", "query", "write", "read", "update", "delete", "add", "task", "plan", "review",
    "design", "note",
];
/// Bullets in a file of random bullets.
pub const BULLETS_IN_FILE: usize = 50;

/// The program under test: `MEMDIR_BIN`, or the one that was built with the benchmark.
pub fn program() -> OsString {
    std::env::var_os("MEMDIR_BIN").unwrap_or_else(|| env!("CARGO_BIN_EXE_memdir").into())
}

/// A number of the environment, or else this one.
pub fn number(name: &str, default: usize) -> usize {
    std::env::var(name).ok().and_then(|n| n.parse().ok()).unwrap_or(default)
}

/// Makes a memory of so many files of random bullets, the same on each run. The first bullet of the last file contains
/// the rare word, if there is one.
pub fn make_memory(dir: &Path, files: usize, rare: Option<&str>) {
    fs::create_dir_all(dir.join("facts")).expect("a directory");
    fs::write(dir.join("memdir.yaml"), "version: 1\n").expect("a marker");
    let mut rng = Rng::with_seed(7);
    for file in 0..files {
        let mut text = format!("# Notes {file}\n\n> Summary: notes, {file}\n\n");
        for bullet in 0..BULLETS_IN_FILE {
            let mut words: Vec<&str> = (0..6 + rng.usize(..8)).map(|_| WORDS[rng.usize(..WORDS.len())]).collect();
            let at = rng.usize(..words.len());
            match rare {
                Some(rare) if file + 1 == files && bullet == 0 => words[at] = rare,
                _ if file % 20 != 19 && rng.usize(..6) == 0 => words[at] = COMMON,
                _ => {}
            }
            text += &format!("- {}\n", words.join(" "));
        }
        fs::write(dir.join(format!("facts/f{file:05}.md")), text).expect("a file");
    }
}
