//! One memory in a directory of its own, commands run on it, and what they did to it: every black-box test's builder.
//!
//! Never lets a test see this machine: environment, clock and caller are fixed, and a command that fails must leave
//! every byte of the memory as it was.

pub mod corpus;
pub mod git_repo;
pub mod memory;
#[cfg(feature = "network")]
pub mod model_server;
pub mod planning;
pub mod random_operations;
pub mod second_parser;
pub mod test_dir;

use std::collections::BTreeMap;
use std::ffi::{OsStr, OsString};
use std::fmt::Write as _;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::sync::LazyLock;

use memdir::commands::Session;
use memdir::path::PathPrefixes;
use memdir::store::{Durability, Store, StoreOptions};
use serde_json::Value;
use tempfile::TempDir;

/// The time of every command, unless a test sets another.
pub const NOW: &str = "2026-02-24T10:00:00Z";

/// Every file outside `.memdir/`: its bytes and mode.
pub type Tree = BTreeMap<String, (Vec<u8>, u32)>;

/// A data directory, `memory/` in a directory that also is the commands' working directory and home.
pub struct Memory {
    above: TempDir,
}

impl Memory {
    /// An empty memory: a marker, no files.
    pub fn new() -> Memory {
        let memory = Memory { above: tempfile::tempdir().unwrap() };
        let config = memory.above.path().join("config/memdir");
        fs_err::create_dir_all(&config).unwrap();
        fs_err::write(config.join("config.yaml"), "people: [tester]\n").unwrap();
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

    /// The data directory.
    pub fn dir(&self) -> PathBuf {
        self.above.path().join("memory")
    }

    /// A person writes a file, behind memdir's back.
    pub fn put(&self, path: &str, text: impl AsRef<[u8]>) {
        let file = self.dir().join(path);
        fs_err::create_dir_all(file.parent().unwrap()).unwrap();
        fs_err::write(file, text).unwrap();
    }

    /// Lets a program be the model that gives these answers, one to each request; [`Memory::model_requests`] has the
    /// requests.
    pub fn script_model(&self, answers: &[String]) {
        let home = self.above.path();
        for (n, answer) in answers.iter().enumerate() {
            fs_err::write(home.join(format!("answer-{}", n + 1)), answer).unwrap();
        }
        let home = home.to_str().unwrap();
        let script =
            format!("cat >> {home}/asked; echo _END_ >> {home}/asked; cat {home}/answer-$(grep -c _END_ {home}/asked)");
        self.configure(&format!("people: [tester]\nmodel: {{provider: exec, command: [sh, -c, '{script}']}}\n"));
    }

    /// Writes the user config.
    pub fn configure(&self, text: &str) {
        fs_err::write(self.config_file(), text).unwrap();
    }

    /// What the user config reads.
    pub fn config(&self) -> String {
        fs_err::read_to_string(self.config_file()).unwrap()
    }

    fn config_file(&self) -> PathBuf {
        self.above.path().join("config/memdir/config.yaml")
    }

    /// All requests to the scripted model, each with `_END_` after it.
    pub fn model_requests(&self) -> String {
        fs_err::read_to_string(self.above.path().join("asked")).unwrap_or_default()
    }

    /// What a file reads; nothing where there is none.
    pub fn text(&self, path: &str) -> Option<String> {
        fs_err::read_to_string(self.dir().join(path)).ok()
    }

    /// All files outside `.memdir/`.
    pub fn tree(&self) -> Tree {
        let mut tree = Tree::new();
        read_tree(&self.dir(), "", &mut tree);
        tree
    }

    /// A command, not yet run.
    pub fn run<S: AsRef<str>>(&self, words: impl IntoIterator<Item = S>) -> CommandRun<'_> {
        let words = words.into_iter().map(|w| w.as_ref().to_owned()).collect();
        CommandRun { memory: self, words, stdin: None, env: Vec::new(), must_not_change: true }
    }

    /// Runs a command that must succeed, for what it leaves behind.
    #[track_caller]
    pub fn done<S: AsRef<str>>(&self, words: impl IntoIterator<Item = S>) -> CommandOutcome {
        self.run(words).exit(0)
    }

    /// The same memory without a process: for tests that call verbs by the thousand.
    pub fn session(&self) -> Session {
        let policy = self.text("memdir.yaml").unwrap_or_default();
        open_session(&self.dir(), "tester", &policy, fast_store())
    }
}

/// Options of a store that never waits for the disk.
pub fn fast_store() -> StoreOptions {
    StoreOptions { durability: Durability::Fast, ..StoreOptions::default() }
}

/// A session of the library in a data directory, by an actor that is no agent, under this policy, at [`NOW`].
pub fn open_session(dir: &Path, actor: &str, policy: &str, options: StoreOptions) -> Session {
    Session {
        progress: memdir::commands::ProgressNotes::default(),
        spent: Default::default(),
        store: Store::open(dir, options).unwrap(),
        dir: dir.to_owned(),
        found_by: memdir::host::find::FoundBy::Flag,
        prefixes: PathPrefixes::default(),
        policy: memdir::policy::load(policy),
        scope: None,
        layers: None,
        layer_name: None,
        embeddings: None,
        // Where programs that the tests start have it.
        key_file: dir.parent().map(|above| above.join("state/memdir/key")),
        user_tokens_per_day: None,
        actor: actor.to_owned(),
        is_agent: false,
        now: NOW.parse::<jiff::Timestamp>().unwrap().to_zoned(jiff::tz::TimeZone::UTC),
    }
}

/// The program: beside a copied test program, else what `MEMDIR_BIN` names, else a copy of what was built.
pub fn program() -> PathBuf {
    static COPY: LazyLock<PathBuf> = LazyLock::new(copied_program);
    let named = std::env::var_os("MEMDIR_TEST_PROGRAM").or_else(|| std::env::var_os("MEMDIR_BIN"));
    named.map_or_else(|| COPY.clone(), PathBuf::from)
}

/// The page cache has small pages of what the linker wrote and large ones of a copy, which starts in two thirds of the
/// processor time. `cp` does it, because a program that this process has open for writing cannot be run.
fn copied_program() -> PathBuf {
    let built = Path::new(env!("CARGO_BIN_EXE_memdir"));
    let copy = Path::new(env!("CARGO_TARGET_TMPDIR")).join("memdir");
    let written = |path: &Path| path.metadata().and_then(|m| m.modified()).ok();
    if written(&copy) < written(built) {
        let part = copy.with_extension(std::process::id().to_string());
        let copied = Command::new("cp").args([built, &part]).status().unwrap();
        assert!(copied.success(), "{copied}");
        fs_err::rename(part, &copy).unwrap();
    }
    copy
}

/// Writes a program, in another process: while this one has the file open for writing, a test beside it may fork, and
/// the program could not be started until that child runs its own ("Text file busy").
pub fn write_program(path: &Path, text: &str) {
    let mut writer = Command::new("sh");
    writer.args(["-c", "cat > \"$0\" && chmod 755 \"$0\""]).arg(path).stdin(Stdio::piped());
    let mut writer = writer.spawn().unwrap();
    std::io::Write::write_all(&mut writer.stdin.take().unwrap(), text.as_bytes()).unwrap();
    assert!(writer.wait().unwrap().success(), "{}", path.display());
}

/// A program in a directory that also is its home: nothing of this machine's environment but `PATH`, no stdin.
pub fn clean_command(program: impl AsRef<OsStr>, home: &Path) -> Command {
    let mut command = Command::new(program);
    command.current_dir(home).env_clear().env("HOME", home).env("LC_ALL", "C.UTF-8").stdin(Stdio::null());
    command.env("PATH", std::env::var_os("PATH").unwrap_or_else(|| "/usr/bin:/bin".into()));
    command
}

/// memdir in a directory that also is its home, with a fixed clock and caller, and without waiting for the disk.
pub fn memdir_command(home: &Path) -> Command {
    let mut command = clean_command(program(), home);
    command.env("MEMDIR_NOW", NOW).env("MEMDIR_AS", "tester").env("MEMDIR_DURABILITY", "fast");
    command
}

/// The output of a finished program.
#[derive(Debug)]
pub struct ProgramOutput {
    /// Its exit status; -1 when a signal ended it.
    pub status: i32,
    pub stdout: String,
    pub stderr: String,
}

impl From<Output> for ProgramOutput {
    fn from(output: Output) -> ProgramOutput {
        let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
        let status = output.status.code().unwrap_or(-1);
        ProgramOutput { status, stdout: text(&output.stdout), stderr: text(&output.stderr) }
    }
}

impl ProgramOutput {
    /// Runs a command to its end.
    pub fn of(command: &mut Command) -> ProgramOutput {
        command.output().unwrap().into()
    }

    /// The exit status must be this one.
    #[track_caller]
    pub fn exit(self, status: i32) -> ProgramOutput {
        assert_eq!(self.status, status, "{self:#?}");
        self
    }

    /// stdout must contain this.
    #[track_caller]
    pub fn stdout_contains(self, text: &str) -> ProgramOutput {
        assert!(self.stdout.contains(text), "no {text:?} in {self:#?}");
        self
    }

    /// stderr must contain this.
    #[track_caller]
    pub fn stderr_contains(self, text: &str) -> ProgramOutput {
        assert!(self.stderr.contains(text), "no {text:?} in {self:#?}");
        self
    }

    /// The answer as JSON.
    #[track_caller]
    pub fn json(&self) -> Value {
        serde_json::from_str(&self.stdout).unwrap_or_else(|e| panic!("{e}: {self:#?}"))
    }

    /// The error's code, from text or JSON.
    pub fn error_code(&self) -> String {
        if let Ok(Value::Object(object)) = serde_json::from_str(&self.stderr) {
            return object.get("code").and_then(Value::as_str).unwrap_or("").to_owned();
        }
        let rest = self.stderr.lines().find_map(|l| l.strip_prefix("memdir: ")).unwrap_or("");
        rest.split(':').next().unwrap_or("").to_owned()
    }
}

fn read_tree(dir: &Path, prefix: &str, tree: &mut Tree) {
    let Ok(entries) = fs_err::read_dir(dir) else { return };
    for entry in entries {
        let entry = entry.unwrap();
        let name = format!("{prefix}{}", entry.file_name().to_string_lossy());
        let kind = entry.file_type().unwrap();
        if kind.is_dir() && entry.file_name() != ".memdir" {
            read_tree(&entry.path(), &format!("{name}/"), tree);
        } else if kind.is_file() {
            let mode = entry.metadata().unwrap().permissions().mode() & 0o7777;
            tree.insert(name, (fs_err::read(entry.path()).unwrap(), mode));
        }
    }
}

/// The difference of two trees, line by line: `M path` (`A` new, `D` deleted), then removed and added lines.
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

/// A command to run.
pub struct CommandRun<'m> {
    memory: &'m Memory,
    words: Vec<String>,
    stdin: Option<Vec<u8>>,
    env: Vec<(String, OsString)>,
    must_not_change: bool,
}

impl CommandRun<'_> {
    /// Its stdin; without it, nothing.
    pub fn stdin(mut self, text: impl Into<Vec<u8>>) -> Self {
        self.stdin = Some(text.into());
        self
    }

    /// A variable of its environment.
    pub fn env(mut self, name: &str, value: &(impl AsRef<OsStr> + ?Sized)) -> Self {
        self.env.push((name.into(), value.into()));
        self
    }

    /// The actor of the command.
    pub fn by(self, actor: &str) -> Self {
        self.env("MEMDIR_AS", actor)
    }

    /// It may change the memory although it fails.
    pub fn may_change(mut self) -> Self {
        self.must_not_change = false;
        self
    }

    /// Runs it; the exit status must be this one.
    #[track_caller]
    pub fn exit(self, status: i32) -> CommandOutcome {
        let must_not_change = self.must_not_change;
        let ran = self.ends();
        assert_eq!(ran.status, status, "{ran}");
        if status != 0 && must_not_change {
            assert_eq!(ran.difference, "", "it failed and changed the memory\n{ran}");
            assert_eq!(ran.stdout, "", "it failed and printed an answer\n{ran}");
        }
        ran
    }

    /// Runs it, however it ends; a death by signal is a failure of the test.
    #[track_caller]
    pub fn ends(self) -> CommandOutcome {
        let before = self.memory.tree();
        let home = self.memory.above.path();
        let mut command = memdir_command(home);
        command.args(&self.words);
        command.env("XDG_CONFIG_HOME", home.join("config")).env("XDG_STATE_HOME", home.join("state"));
        command.env("TMPDIR", home).env("MEMDIR", self.memory.dir()).env("MEMDIR_STDIN_WAIT", "10000");
        command.env("GIT_CONFIG_NOSYSTEM", "1").env("GIT_CEILING_DIRECTORIES", home);
        command.envs(self.env.iter().map(|(k, v)| (k, v)));
        let output = match self.stdin {
            // It writes while it reads: a long input and a long answer would block each other.
            Some(text) => assert_cmd::Command::from_std(command).write_stdin(text).output(),
            None => command.output(),
        }
        .unwrap();
        CommandOutcome {
            what: self.words.join(" "),
            status: output.status.code().expect("it ends by itself"),
            stdout: String::from_utf8(output.stdout).unwrap(),
            stderr: String::from_utf8(output.stderr).unwrap(),
            difference: difference(&before, &self.memory.tree()),
        }
    }
}

/// A finished command, with the change of the directory.
pub struct CommandOutcome {
    what: String,
    /// Its exit status.
    pub status: i32,
    /// Its answer.
    pub stdout: String,
    /// Its messages.
    pub stderr: String,
    /// What it did to the directory.
    pub difference: String,
}

impl std::fmt::Display for CommandOutcome {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(
            f,
            "memdir {}\n--- stdout\n{}--- stderr\n{}--- files\n{}",
            self.what, self.stdout, self.stderr, self.difference
        )
    }
}

impl CommandOutcome {
    /// The whole answer.
    #[track_caller]
    pub fn stdout(self, expected: &str) -> CommandOutcome {
        assert_eq!(self.stdout, expected, "{self}");
        self
    }

    /// Stdout contains a text.
    #[track_caller]
    pub fn stdout_contains(self, part: &str) -> CommandOutcome {
        assert!(self.stdout.contains(part), "no {part:?} on stdout of\n{self}");
        self
    }

    /// Stderr contains a text.
    #[track_caller]
    pub fn stderr_contains(self, part: &str) -> CommandOutcome {
        assert!(self.stderr.contains(part), "no {part:?} on stderr of\n{self}");
        self
    }

    /// Stderr is empty.
    #[track_caller]
    pub fn quiet(self) -> CommandOutcome {
        assert_eq!(self.stderr, "", "{self}");
        self
    }

    /// The whole difference of the directory: removed and added lines below `M path`.
    #[track_caller]
    pub fn diff(self, expected: &str) -> CommandOutcome {
        assert_eq!(self.difference, expected, "{self}");
        self
    }

    /// It left every byte.
    #[track_caller]
    pub fn unchanged(self) -> CommandOutcome {
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
fn one_object(text: &str, ran: &CommandOutcome) -> Value {
    let value: Value = serde_json::from_str(text).unwrap_or_else(|e| panic!("{e}\n{ran}"));
    assert_eq!(text.lines().count(), 1, "{ran}");
    assert_eq!(value["v"], 1, "{ran}");
    value
}

/// The handle of a text in a file that holds nothing like it.
pub fn handle(text: &str) -> String {
    memdir::document::Document::parse(format!("- {text}\n")).handle_name(0)
}
