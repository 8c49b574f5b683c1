//! A repository with a memory in it, and clones of it: what tests with a real git build on.
//!
//! Never reads this machine's git settings: names, dates and branches are fixed, and settings are the clone's own.

use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use crate::support::{NOW, ProgramOutput, clean_command, program};
use tempfile::TempDir;

/// A work tree with a memory below it (or as its root), in a directory of its own.
pub struct Repo {
    above: std::sync::Arc<TempDir>,
    root: PathBuf,
    memory: PathBuf,
}

impl Repo {
    /// A work tree `app/` with an empty memory `app/memory/`, nothing committed.
    pub fn new() -> Repo {
        Repo::at("memory")
    }

    /// A memory that is the work tree's root.
    pub fn whole() -> Repo {
        Repo::at("")
    }

    fn at(memory: &str) -> Repo {
        let above = std::sync::Arc::new(tempfile::tempdir().unwrap());
        let root = fs_err::canonicalize(above.path()).unwrap().join("an app");
        let repo = Repo { above, memory: root.join(memory), root };
        fs_err::create_dir_all(&repo.memory).unwrap();
        repo.put("memdir.yaml", "version: 1\n");
        repo.git(["init", "--quiet", "."]);
        repo.git(["symbolic-ref", "HEAD", "refs/heads/main"]);
        repo
    }

    /// The same with the driver wired.
    pub fn wired() -> Repo {
        let repo = Repo::new();
        repo.memdir(["setup", "git"]).exit(0);
        repo
    }

    /// A clone of it, with the same memory, not wired.
    pub fn clone_to(&self, name: &str) -> Repo {
        let root = self.root.with_file_name(name);
        self.git(["clone", "--quiet", ".", root.to_str().unwrap()]);
        let memory = root.join(self.memory.strip_prefix(&self.root).unwrap());
        Repo { above: self.above.clone(), memory, root }
    }

    /// A bare repository beside it, its `origin` from now on, that refuses non-fast-forward pushes.
    pub fn hub(&self) -> PathBuf {
        let hub = self.root.with_file_name("hub.git");
        self.git(["init", "--quiet", "--bare", "--initial-branch=main", hub.to_str().unwrap()]);
        self.git(["-C", hub.to_str().unwrap(), "config", "receive.denyNonFastForwards", "true"]);
        self.git(["remote", "add", "origin", hub.to_str().unwrap()]);
        hub
    }

    /// A clone of its [`Repo::hub`], with the same memory, not wired.
    pub fn hub_clone(&self, name: &str) -> Repo {
        let (hub, root) = (self.root.with_file_name("hub.git"), self.root.with_file_name(name));
        self.git(["clone", "--quiet", hub.to_str().unwrap(), root.to_str().unwrap()]);
        let memory = root.join(self.memory.strip_prefix(&self.root).unwrap());
        Repo { above: self.above.clone(), memory, root }
    }

    /// The work tree.
    pub fn root(&self) -> &Path {
        &self.root
    }

    /// The data directory.
    pub fn memory(&self) -> &Path {
        &self.memory
    }

    /// A program of this machine, in the work tree, under a clean environment; `memdir` is on its PATH.
    pub fn program(&self, program: impl AsRef<OsStr>, dir: &Path) -> Command {
        let own = crate::support::program();
        let own = own.parent().unwrap();
        let path = format!("{}:{}", own.display(), std::env::var("PATH").unwrap_or_default());
        let mut command = clean_command(program, self.above.path());
        command
            .current_dir(dir)
            .env("PATH", path)
            .env("TMPDIR", self.above.path())
            .env("XDG_CONFIG_HOME", self.above.path().join("config"));
        command.env("GIT_CONFIG_GLOBAL", "/dev/null").env("GIT_CONFIG_NOSYSTEM", "1");
        command.env("GIT_CEILING_DIRECTORIES", self.above.path());
        for who in ["AUTHOR", "COMMITTER"] {
            command.env(format!("GIT_{who}_NAME"), "tester").env(format!("GIT_{who}_EMAIL"), "tester@localhost");
            command.env(format!("GIT_{who}_DATE"), NOW);
        }
        command.env("GIT_MERGE_AUTOEDIT", "no").env("GIT_EDITOR", "true").env("GIT_SEQUENCE_EDITOR", "true");
        command.env("MEMDIR_NOW", NOW).env("MEMDIR_DURABILITY", "fast");
        command
    }

    /// git, however it ends.
    pub fn try_git<S: AsRef<OsStr>>(&self, args: impl IntoIterator<Item = S>) -> ProgramOutput {
        finished(self.program("git", &self.root).args(args).output().unwrap())
    }

    /// git, which must succeed; its answer.
    #[track_caller]
    pub fn git<S: AsRef<OsStr>>(&self, args: impl IntoIterator<Item = S>) -> String {
        self.try_git(args).exit(0).stdout
    }

    /// memdir in the work tree, on this memory.
    pub fn memdir<S: AsRef<OsStr>>(&self, args: impl IntoIterator<Item = S>) -> ProgramOutput {
        let mut command = self.program(program(), &self.root);
        finished(command.arg("--dir").arg(&self.memory).args(args).output().unwrap())
    }

    /// [`Repo::memdir`] at another time.
    pub fn memdir_at(&self, now: &str, args: &[&str]) -> ProgramOutput {
        let mut command = self.program(program(), &self.root);
        finished(command.env("MEMDIR_NOW", now).arg("--dir").arg(&self.memory).args(args).output().unwrap())
    }

    /// memdir in the work tree, which finds the memory by itself.
    pub fn memdir_in_work_tree<S: AsRef<OsStr>>(&self, args: impl IntoIterator<Item = S>) -> ProgramOutput {
        finished(self.program(program(), &self.root).args(args).output().unwrap())
    }

    /// A person writes a file of the memory.
    pub fn put(&self, path: &str, text: impl AsRef<[u8]>) {
        let file = self.memory.join(path);
        fs_err::create_dir_all(file.parent().unwrap()).unwrap();
        fs_err::write(file, text).unwrap();
    }

    /// What a file of the memory reads.
    #[track_caller]
    pub fn text(&self, path: &str) -> String {
        fs_err::read_to_string(self.memory.join(path)).unwrap()
    }

    /// Writes a file and commits everything.
    #[track_caller]
    pub fn commit(&self, path: &str, text: &str) {
        self.put(path, text);
        self.save(path);
    }

    /// Commits everything.
    #[track_caller]
    pub fn save(&self, message: &str) {
        self.git(["add", "--all"]);
        self.git(["commit", "--quiet", "--allow-empty", "-m", message]);
    }

    /// Base, ours on `main`, theirs on `other`: three versions of one file; `main` is checked out.
    #[track_caller]
    pub fn parted(&self, path: &str, base: &str, ours: &str, theirs: &str) {
        self.commit(path, base);
        self.git(["checkout", "--quiet", "-b", "other"]);
        self.commit(path, theirs);
        self.git(["checkout", "--quiet", "main"]);
        self.commit(path, ours);
    }
}

/// The output of a program that must not be ended by a signal.
#[track_caller]
pub fn finished(output: Output) -> ProgramOutput {
    let output = ProgramOutput::from(output);
    assert!(output.status >= 0, "a signal ended it: {output:#?}");
    output
}
