//! A data dir for tests: used through the real program, or through the library as the command line uses it.
//!
//! Never looks at the caller's own memory or environment.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use memdir::commands::{self, Answer, ChangeOptions, CommandResult, Error, Session};
use memdir::operation::dialects;
use memdir::path::{MemoryPath, PathPrefixes};
use memdir::policy;
use memdir::store::{Durability, Store, StoreOptions};

/// A folder of one's own with a data dir `memory/` in it.
pub struct Memory {
    root: tempfile::TempDir,
}

/// What the program said.
#[derive(Debug)]
pub struct Said {
    /// Its exit status; `None` when a signal ended it.
    pub status: Option<i32>,
    /// Its answer.
    pub out: String,
    /// Its talk.
    pub err: String,
}

impl Memory {
    /// With these files.
    pub fn new(files: &[(&str, &str)]) -> Memory {
        Memory::at(tempfile::tempdir().unwrap(), files)
    }

    /// In a folder that exists.
    pub fn at(root: tempfile::TempDir, files: &[(&str, &str)]) -> Memory {
        let memory = Memory { root };
        std::fs::create_dir_all(memory.path("facts")).unwrap();
        for (name, text) in files {
            memory.write(name, text);
        }
        memory
    }

    /// The folder around the data dir.
    pub fn root(&self) -> &Path {
        self.root.path()
    }

    /// A path below the data dir (`""` is itself).
    pub fn path(&self, name: &str) -> PathBuf {
        self.root.path().join("memory").join(name)
    }

    /// Writes a file as a person would.
    pub fn write(&self, name: &str, text: &str) {
        std::fs::create_dir_all(self.path(name).parent().unwrap()).unwrap();
        std::fs::write(self.path(name), text).unwrap();
    }

    /// A file's text; empty when it is not there.
    pub fn text(&self, name: &str) -> String {
        std::fs::read_to_string(self.path(name)).unwrap_or_default()
    }

    /// The program with a line of arguments.
    pub fn command(&self, line: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_memdir"));
        command.env_clear().env("HOME", self.root()).env("PATH", "/usr/bin:/bin").env("MEMDIR_AS", "test");
        command.env("MEMDIR", self.path("")).env("MEMDIR_NOW", "2026-02-24T10:00:00Z");
        command.env("MEMDIR_DURABILITY", "fast").current_dir(self.root()).args(line).stdin(Stdio::null());
        command
    }

    /// Runs it.
    pub fn run(&self, line: &[&str]) -> Said {
        said(&mut self.command(line))
    }

    /// Runs it; it must do what it was asked.
    pub fn done(&self, line: &[&str]) -> String {
        let said = self.run(line);
        assert_eq!(said.status, Some(0), "{line:?}: {said:?}");
        said.out
    }

    /// A session of the library.
    pub fn session(&self, actor: &str) -> Session {
        session(&self.path(""), actor, StoreOptions { durability: Durability::Fast, ..StoreOptions::default() })
    }
}

/// Runs a command to its end.
pub fn said(command: &mut Command) -> Said {
    let output = command.output().unwrap();
    let text = |bytes: Vec<u8>| String::from_utf8_lossy(&bytes).into_owned();
    Said { status: output.status.code(), out: text(output.stdout), err: text(output.stderr) }
}

/// A session of the library in a data dir.
pub fn session(dir: &Path, actor: &str, options: StoreOptions) -> Session {
    Session {
        store: Store::open(dir, options).unwrap(),
        dir: dir.to_owned(),
        found_by: "flag",
        prefixes: PathPrefixes(Vec::new()),
        policy: policy::load(""),
        actor: actor.to_owned(),
        now: memdir::host::clock::now(Some("2026-02-24T10:00:00Z"), true).unwrap(),
    }
}

/// Applies operations, written as `apply` reads them.
pub fn apply(session: &Session, json: &str) -> CommandResult {
    let batch = dialects::parse_batch(json).map_err(Error::from)?;
    commands::change(session, batch, &ChangeOptions { force: true, ..ChangeOptions::default() })
}

/// The revision that an answer names; 0 when it changed nothing.
pub fn rev(answer: &Answer) -> u64 {
    let Answer::Changed(changed) = answer else { return 0 };
    changed.rev.as_deref().and_then(|rev| rev[1..].parse().ok()).unwrap_or(0)
}

/// A memory path.
pub fn path(name: &str) -> MemoryPath {
    MemoryPath::new(name).unwrap()
}

/// This program again, for one of its tests.
pub fn again(test: &str) -> Command {
    let mut command = Command::new(std::env::current_exe().unwrap());
    command.args([test, "--exact", "--nocapture"]).stdout(Stdio::null());
    command
}

/// Whether the long versions are asked for (`MEMDIR_FULL`).
pub fn full() -> bool {
    std::env::var_os("MEMDIR_FULL").is_some_and(|v| v == "1")
}

/// Something that a test needs is not to be had here. The full run may not do without; the small one says so.
///
/// # Panics
/// In the full run.
#[track_caller]
pub fn missing(what: &str) {
    assert!(!full(), "the full run may not do without: {what}");
    eprintln!("SKIPPED: {what}");
}

/// Numbers that look random and are the same every time (xorshift).
pub struct Dice(u64);

impl Dice {
    /// From a seed.
    pub fn new(seed: u64) -> Dice {
        Dice(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1)
    }

    /// Below `n`.
    pub fn roll(&mut self, n: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0.wrapping_mul(0x2545_f491_4f6c_dd1d) >> 33) as usize % n.max(1)
    }
}
