//! One memory in a directory of its own, commands run on it, and what they did to it: every black-box test's builder.
//!
//! Never lets a test see this machine: environment, clock and caller are fixed, and a command that fails must leave
//! every byte of the memory as it was.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::io::Write as _;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use memdir::commands::Session;
use memdir::path::PathPrefixes;
use memdir::store::{Durability, Store, StoreOptions};
use serde_json::Value;
use tempfile::TempDir;

/// The time at which everything happens, unless a test says otherwise.
pub const NOW: &str = "2026-02-24T10:00:00Z";

/// Every file outside `.memdir/`: its bytes and mode.
pub type Tree = BTreeMap<String, (Vec<u8>, u32)>;

/// A data dir, `memory/` in a directory that also is the commands' working directory and home.
pub struct Memory {
    above: TempDir,
}

impl Memory {
    /// An empty memory: a marker, no files.
    pub fn new() -> Memory {
        let memory = Memory { above: tempfile::tempdir().unwrap() };
        memory.policy("version: 1\n")
    }

    /// Writes a file, as a person would.
    pub fn file(self, path: &str, text: &str) -> Memory {
        self.put(path, text);
        self
    }

    /// Writes `memdir.yaml`.
    pub fn policy(self, yaml: &str) -> Memory {
        self.file("memdir.yaml", yaml)
    }

    /// The data dir.
    pub fn dir(&self) -> PathBuf {
        self.above.path().join("memory")
    }

    /// A person writes a file, behind memdir's back.
    pub fn put(&self, path: &str, text: impl AsRef<[u8]>) {
        let file = self.dir().join(path);
        fs_err::create_dir_all(file.parent().unwrap()).unwrap();
        fs_err::write(file, text).unwrap();
    }

    /// What a file reads; nothing where there is none.
    pub fn text(&self, path: &str) -> Option<String> {
        fs_err::read_to_string(self.dir().join(path)).ok()
    }

    /// All files outside `.memdir/`.
    pub fn tree(&self) -> Tree {
        let mut tree = Tree::new();
        gather(&self.dir(), "", &mut tree);
        tree
    }

    /// A command, not yet run.
    pub fn run<S: AsRef<str>>(&self, words: impl IntoIterator<Item = S>) -> Run<'_> {
        let words = words.into_iter().map(|w| w.as_ref().to_owned()).collect();
        Run { memory: self, words, stdin: None, env: Vec::new(), stays: true }
    }

    /// Runs a command that must succeed, for what it leaves behind.
    #[track_caller]
    pub fn done<S: AsRef<str>>(&self, words: impl IntoIterator<Item = S>) -> Ran {
        self.run(words).exit(0)
    }

    /// The same memory without a process: for tests that call verbs by the thousand.
    pub fn session(&self) -> Session {
        let dir = self.dir();
        let options = StoreOptions { durability: Durability::Fast, ..StoreOptions::default() };
        Session {
            store: Store::open(&dir, options).unwrap(),
            found_by: "flag",
            prefixes: PathPrefixes::default(),
            policy: memdir::policy::load(&self.text("memdir.yaml").unwrap_or_default()),
            actor: "tester".into(),
            now: NOW.parse::<jiff::Timestamp>().unwrap().to_zoned(jiff::tz::TimeZone::UTC),
            dir,
        }
    }
}

fn gather(dir: &Path, prefix: &str, tree: &mut Tree) {
    let Ok(entries) = fs_err::read_dir(dir) else { return };
    for entry in entries {
        let entry = entry.unwrap();
        let name = format!("{prefix}{}", entry.file_name().to_string_lossy());
        let kind = entry.file_type().unwrap();
        if kind.is_dir() && name != ".memdir" {
            gather(&entry.path(), &format!("{name}/"), tree);
        } else if kind.is_file() {
            let mode = entry.metadata().unwrap().permissions().mode() & 0o7777;
            tree.insert(name, (fs_err::read(entry.path()).unwrap(), mode));
        }
    }
}

/// What differs between two trees, line by line: `M path` (`A` new, `D` gone), then the lines that went and came.
pub fn difference(before: &Tree, after: &Tree) -> String {
    let mut out = String::new();
    let text = |entry: Option<&(Vec<u8>, u32)>| String::from_utf8_lossy(entry.map_or(&[], |e| &e.0)).into_owned();
    let names: std::collections::BTreeSet<&String> = before.keys().chain(after.keys()).collect();
    for name in names {
        let (was, is) = (before.get(name), after.get(name));
        let sign = match (was, is) {
            (None, _) => "A",
            (_, None) => "D",
            (Some(was), Some(is)) if was == is => continue,
            _ => "M",
        };
        writeln!(out, "{sign} {name}").unwrap();
        if let (Some((_, was)), Some((_, is))) = (was, is)
            && was != is
        {
            writeln!(out, "mode {was:o} -> {is:o}").unwrap();
        }
        let (was, is) = (text(was), text(is));
        for change in similar::TextDiff::from_lines(was.as_str(), is.as_str()).iter_all_changes() {
            let sign = match change.tag() {
                similar::ChangeTag::Equal => continue,
                similar::ChangeTag::Delete => '-',
                similar::ChangeTag::Insert => '+',
            };
            writeln!(out, "{sign}{}", change.value().trim_end_matches('\n')).unwrap();
        }
    }
    out
}

/// A command on its way.
pub struct Run<'m> {
    memory: &'m Memory,
    words: Vec<String>,
    stdin: Option<Vec<u8>>,
    env: Vec<(String, String)>,
    stays: bool,
}

impl Run<'_> {
    /// What it finds on stdin; without it, nothing.
    pub fn stdin(mut self, text: impl Into<Vec<u8>>) -> Self {
        self.stdin = Some(text.into());
        self
    }

    /// A variable of its environment.
    pub fn env(mut self, name: &str, value: &str) -> Self {
        self.env.push((name.into(), value.into()));
        self
    }

    /// Who runs it.
    pub fn by(self, actor: &str) -> Self {
        self.env("MEMDIR_AS", actor)
    }

    /// It may change the memory although it fails.
    pub fn may_change(mut self) -> Self {
        self.stays = false;
        self
    }

    /// Runs it; the exit status must be this one.
    #[track_caller]
    pub fn exit(self, status: i32) -> Ran {
        let stays = self.stays;
        let ran = self.ends();
        assert_eq!(ran.status, status, "{ran}");
        if status != 0 && stays {
            assert_eq!(ran.difference, "", "it failed, and it changed the memory\n{ran}");
            assert_eq!(ran.stdout, "", "it failed, and it answered\n{ran}");
        }
        ran
    }

    /// Runs it, however it ends; a death by signal is a failure of the test.
    #[track_caller]
    pub fn ends(self) -> Ran {
        let before = self.memory.tree();
        let home = self.memory.above.path();
        let mut command = Command::new(env!("CARGO_BIN_EXE_memdir"));
        command.args(&self.words).current_dir(home).env_clear();
        command.env("PATH", std::env::var_os("PATH").unwrap_or_default());
        command.env("HOME", home).env("XDG_CONFIG_HOME", home.join("config")).env("XDG_STATE_HOME", home.join("state"));
        command.env("TMPDIR", home).env("MEMDIR", self.memory.dir()).env("MEMDIR_NOW", NOW).env("MEMDIR_AS", "tester");
        command.env("MEMDIR_DURABILITY", "fast").env("MEMDIR_STDIN_WAIT", "10000");
        command.env("GIT_CONFIG_NOSYSTEM", "1").env("GIT_CEILING_DIRECTORIES", home).env("LC_ALL", "C.UTF-8");
        command.envs(self.env.iter().map(|(k, v)| (k, v)));
        command.stdout(Stdio::piped()).stderr(Stdio::piped());
        command.stdin(if self.stdin.is_some() { Stdio::piped() } else { Stdio::null() });
        let mut child = command.spawn().unwrap();
        if let (Some(text), Some(mut pipe)) = (&self.stdin, child.stdin.take()) {
            // A command that needs no input may be gone before it is written.
            let _ = pipe.write_all(text);
        }
        let output = child.wait_with_output().unwrap();
        Ran {
            what: self.words.join(" "),
            status: output.status.code().expect("it ends by itself"),
            stdout: String::from_utf8(output.stdout).unwrap(),
            stderr: String::from_utf8(output.stderr).unwrap(),
            difference: difference(&before, &self.memory.tree()),
        }
    }
}

/// A command that ran.
pub struct Ran {
    what: String,
    /// Its exit status.
    pub status: i32,
    /// Its answer.
    pub stdout: String,
    /// Its talk.
    pub stderr: String,
    /// What it did to the directory.
    pub difference: String,
}

impl std::fmt::Display for Ran {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(
            f,
            "memdir {}\n--- stdout\n{}--- stderr\n{}--- files\n{}",
            self.what, self.stdout, self.stderr, self.difference
        )
    }
}

impl Ran {
    /// The whole answer.
    #[track_caller]
    pub fn stdout(self, expected: &str) -> Ran {
        assert_eq!(self.stdout, expected, "{self}");
        self
    }

    /// The answer holds a text.
    #[track_caller]
    pub fn says(self, part: &str) -> Ran {
        assert!(self.stdout.contains(part), "no {part:?} in the answer of\n{self}");
        self
    }

    /// The talk holds a text.
    #[track_caller]
    pub fn tells(self, part: &str) -> Ran {
        assert!(self.stderr.contains(part), "no {part:?} in the talk of\n{self}");
        self
    }

    /// No talk at all.
    #[track_caller]
    pub fn quiet(self) -> Ran {
        assert_eq!(self.stderr, "", "{self}");
        self
    }

    /// What it did to the directory, whole: lines that went and came below `M path`.
    #[track_caller]
    pub fn diff(self, expected: &str) -> Ran {
        assert_eq!(self.difference, expected, "{self}");
        self
    }

    /// It left every byte.
    #[track_caller]
    pub fn unchanged(self) -> Ran {
        self.diff("")
    }

    /// The answer as one JSON object.
    #[track_caller]
    pub fn json(&self) -> Value {
        one_object(&self.stdout, self)
    }

    /// The error as one JSON object.
    #[track_caller]
    pub fn error(&self) -> Value {
        assert_eq!(self.stdout, "", "{self}");
        one_object(&self.stderr, self)
    }
}

#[track_caller]
fn one_object(text: &str, ran: &Ran) -> Value {
    let value: Value = serde_json::from_str(text).unwrap_or_else(|e| panic!("{e}\n{ran}"));
    assert_eq!(text.lines().count(), 1, "{ran}");
    assert_eq!(value["v"], 1, "{ran}");
    value
}

/// The handle of a text in a file that holds nothing like it.
pub fn handle(text: &str) -> String {
    memdir::document::Document::parse(format!("- {text}\n")).handle_name(0)
}
