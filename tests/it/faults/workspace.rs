//! A workspace to run a command in: a directory with a memory in it, made once and copied for each run.
//!
//! Never reads anything of the machine's: home, editor and identity are the workspace's own.

use std::collections::BTreeMap;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

use super::cases::{Case, FILES, Start};
use crate::support::{clean_command, program};

/// The files that people see, by their path below the workspace; `None` is a folder.
pub type Tree = BTreeMap<String, Option<Vec<u8>>>;

/// A directory with a memory, a home folder and nothing else.
pub struct FaultWorkspace {
    dir: tempfile::TempDir,
}

impl FaultWorkspace {
    /// As it is before a command.
    pub fn before(case: &Case) -> FaultWorkspace {
        let workspace = FaultWorkspace { dir: tempfile::tempdir().unwrap() };
        std::fs::create_dir_all(workspace.path().join("home/tmp")).unwrap();
        if case.start == Start::Nothing {
            return workspace;
        }
        workspace.must(&["init", "memory"]);
        if !case.policy.is_empty() {
            let path = workspace.path().join("memory/memdir.yaml");
            let policy = std::fs::read_to_string(&path).unwrap().replace("version: 1", "version: 2");
            std::fs::write(path, policy + case.policy).unwrap();
        }
        std::fs::create_dir_all(workspace.path().join("memory/archive/facts")).unwrap();
        for (name, text) in FILES {
            std::fs::write(workspace.path().join("memory").join(name), text).unwrap();
        }
        if case.start == Start::Memory {
            // A revision that has nothing to do with the command.
            workspace.must(&["-C", "memory", "add", "project", "Has tests"]);
        }
        for args in case.before {
            workspace.must(&[&["-C", "memory"], *args].concat());
        }
        workspace
    }

    /// A copy of it.
    pub fn copy(&self) -> FaultWorkspace {
        let copy = FaultWorkspace { dir: tempfile::tempdir().unwrap() };
        for entry in walkdir::WalkDir::new(self.path()).min_depth(1) {
            let entry = entry.unwrap();
            let to = copy.path().join(entry.path().strip_prefix(self.path()).unwrap());
            if entry.file_type().is_dir() {
                std::fs::create_dir(&to).unwrap();
            } else {
                std::fs::copy(entry.path(), &to).unwrap();
            }
        }
        copy
    }

    /// One with nothing in it, not even its own files.
    pub fn empty() -> FaultWorkspace {
        FaultWorkspace { dir: tempfile::tempdir().unwrap() }
    }

    /// Where it is.
    pub fn path(&self) -> &Path {
        self.dir.path()
    }

    /// The data directory of a case.
    pub fn memory(&self, case: &Case) -> PathBuf {
        self.path().join(memory(case))
    }

    /// A command to be run here.
    pub fn command(&self, program: impl AsRef<Path>) -> Command {
        let mut command = clean_command(program.as_ref(), self.path());
        command.env("HOME", self.path().join("home")).env("TMPDIR", self.path().join("home/tmp"));
        command.env("GIT_AUTHOR_NAME", "t").env("EDITOR", "sed -i s/tea/mate/");
        command.stdout(Stdio::piped()).stderr(Stdio::piped());
        command
    }

    /// Runs memdir.
    pub fn memdir(&self, args: &[&str]) -> Output {
        self.command(program()).args(args).output().unwrap()
    }

    fn must(&self, args: &[&str]) {
        let output = self.memdir(args);
        assert!(output.status.success(), "{args:?}: {}", String::from_utf8_lossy(&output.stderr));
    }

    /// Runs a case, through another program (with its arguments) where one is given.
    pub fn run(&self, case: &Case, through: &[String], env: &[(&str, &str)]) -> Output {
        let mut command = match through.split_first() {
            None => self.command(program()),
            Some((first, rest)) => {
                let mut command = self.command(first);
                command.args(rest).arg(program());
                command
            }
        };
        command.args(arguments(case)).envs(env.iter().copied()).stdin(Stdio::piped());
        let mut child = command.spawn().unwrap();
        // A program that was killed reads no more.
        let _ = child.stdin.take().unwrap().write_all(case.stdin.as_bytes());
        child.wait_with_output().unwrap()
    }

    /// What people see, but its own files.
    pub fn tree(&self) -> Tree {
        let mut tree = Tree::new();
        let seen = |e: &walkdir::DirEntry| e.file_name() != ".memdir" && e.path() != self.path().join("home");
        for entry in walkdir::WalkDir::new(self.path()).min_depth(1).into_iter().filter_entry(seen) {
            let entry = entry.unwrap();
            let name = entry.path().strip_prefix(self.path()).unwrap().to_str().unwrap().to_owned();
            let text = (!entry.file_type().is_dir()).then(|| std::fs::read(entry.path()).unwrap());
            tree.insert(name, text);
        }
        tree
    }

    /// The files among them.
    pub fn files(&self) -> Tree {
        files(self.tree())
    }
}

/// The files of a tree.
pub fn files(mut tree: Tree) -> Tree {
    tree.retain(|_, text| text.is_some());
    tree
}

/// The name of the data directory in its workspace.
pub fn memory(case: &Case) -> &'static str {
    match case.args.get(1) {
        Some(dir) if case.args[0] == "init" => dir,
        _ => "memory",
    }
}

/// A case's whole argument list.
pub fn arguments(case: &Case) -> Vec<&'static str> {
    match case.args[0] {
        "init" => [&["--json"], case.args].concat(),
        _ => [&["--json", "-C", "memory"], case.args].concat(),
    }
}
