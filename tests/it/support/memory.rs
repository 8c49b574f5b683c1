//! A data directory for tests: used through the real program, or through the library as the command line uses it.
//!
//! Never reads the caller's own memory or environment.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use memdir::commands::results::ChangeOutcome;
use memdir::commands::{self, ChangeOptions, CommandResult, Error, Session};
use memdir::operation::dialects;
use memdir::path::MemoryPath;

use crate::support::{ProgramOutput, fast_store, memdir_command, open_session};

/// A folder of one's own with a data directory `memory/` in it.
pub struct DataDirectory {
    root: tempfile::TempDir,
}

impl DataDirectory {
    /// With these files.
    pub fn new(files: &[(&str, &str)]) -> DataDirectory {
        let memory = DataDirectory { root: tempfile::tempdir().unwrap() };
        std::fs::create_dir_all(memory.path("facts")).unwrap();
        for (name, text) in files {
            memory.write(name, text);
        }
        memory
    }

    /// The folder around the data directory.
    pub fn root(&self) -> &Path {
        self.root.path()
    }

    /// A path below the data directory (`""` is itself).
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
        let mut command = memdir_command(self.root());
        command.env("MEMDIR_AS", "").env("GIT_AUTHOR_NAME", "test").env("MEMDIR", self.path("")).args(line);
        command
    }

    /// Runs it.
    pub fn run(&self, line: &[&str]) -> ProgramOutput {
        ProgramOutput::of(&mut self.command(line))
    }

    /// Runs it; it must succeed.
    pub fn done(&self, line: &[&str]) -> String {
        let output = self.run(line);
        assert_eq!(output.status, 0, "{line:?}: {output:?}");
        output.stdout
    }

    /// A session of the library.
    pub fn session(&self, actor: &str) -> Session {
        open_session(&self.path(""), actor, "", fast_store())
    }
}

/// Applies operations, written as `apply` reads them.
pub fn apply(session: &Session, json: &str) -> CommandResult<ChangeOutcome> {
    let batch = dialects::parse_batch(json).map_err(Error::from)?;
    commands::change(session, batch, &ChangeOptions { force: true, ..ChangeOptions::default() })
}

/// The revision that an outcome names; 0 when it changed nothing.
pub fn rev(outcome: &ChangeOutcome) -> u64 {
    let ChangeOutcome::Changed(changed) = outcome else { return 0 };
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

/// Whether the long versions are requested (`MEMDIR_FULL`).
pub fn full() -> bool {
    std::env::var_os("MEMDIR_FULL").is_some_and(|v| v == "1")
}

/// Whether the long versions are requested; if not, reports what is skipped without them.
pub fn full_or_skipped(what: &str) -> bool {
    if !full() {
        eprintln!("SKIPPED without MEMDIR_FULL=1: {what}");
    }
    full()
}

/// Reports a missing requirement of a test: a failure in the full run, a skip in the small one.
///
/// # Panics
/// In the full run.
#[track_caller]
pub fn missing(what: &str) {
    assert!(!full(), "the full run may not do without: {what}");
    eprintln!("SKIPPED: {what}");
}
