//! A data directory in a folder of its own, and the program run on it: exit status, both streams, and a time limit.
//!
//! Never depends on the environment of the user who runs the tests.

use std::collections::BTreeMap;
use std::io::{Read, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc;
use std::time::Duration;

use fs_err as fs;
use serde_json::Value;

use crate::support::{ProgramOutput, memdir_command, program};

/// A folder with `memory/` in it.
pub struct TestDirectory {
    root: tempfile::TempDir,
}

impl TestDirectory {
    /// A data directory with a policy and these files (paths below it, texts).
    pub fn new(files: &[(&str, &str)]) -> TestDirectory {
        let directory = TestDirectory { root: tempfile::tempdir().expect("a folder") };
        fs::create_dir_all(directory.dir().join("facts")).expect("facts/");
        directory.put("memdir.yaml", b"version: 1\n");
        for (path, text) in files {
            directory.put(path, text.as_bytes());
        }
        directory
    }

    /// The folder around the data directory.
    pub fn root(&self) -> &Path {
        self.root.path()
    }

    /// The data directory.
    pub fn dir(&self) -> PathBuf {
        self.root.path().join("memory")
    }

    /// Writes a file of the data directory from outside.
    pub fn put(&self, path: &str, bytes: &[u8]) {
        let file = self.dir().join(path);
        fs::create_dir_all(file.parent().expect("a folder")).expect("its folder");
        fs::write(file, bytes).expect("written");
    }

    /// A file of the data directory.
    pub fn text(&self, path: &str) -> String {
        fs::read_to_string(self.dir().join(path)).expect("a text")
    }

    /// The program with a clean environment, stdin closed.
    pub fn command(&self, line: &[&str]) -> Command {
        let mut command = memdir_command(self.root());
        command
            .env("EDITOR", "true")
            .env("MEMDIR_AS", "")
            .env("GIT_AUTHOR_NAME", "test")
            .env("MEMDIR_STDIN_WAIT", "20")
            .args(line);
        command.stdout(Stdio::piped()).stderr(Stdio::piped());
        command
    }

    /// Runs a command line.
    pub fn run(&self, line: &[&str]) -> ProgramOutput {
        ended(self.command(line), b"", line)
    }

    /// Runs a command line with something on stdin.
    pub fn run_with_stdin(&self, line: &[&str], content: &[u8]) -> ProgramOutput {
        let mut command = self.command(line);
        command.stdin(Stdio::piped()).env("MEMDIR_STDIN_WAIT", "9000");
        ended(command, content, line)
    }

    /// The texts of a file's bullets from `bullet list --json`.
    #[track_caller]
    pub fn bullets(&self, file: &str) -> Vec<String> {
        let result = self.run(&["--json", "bullet", "list", file]);
        let json: Value = serde_json::from_str(&result.stdout).unwrap_or_else(|e| panic!("{e}: {result:?}"));
        let text = |row: &Value| row["text"].as_str().expect("a text").to_owned();
        json["bullets"].as_array().map(|rows| rows.iter().map(text).collect()).unwrap_or_default()
    }

    /// Every file of the data directory (machine state left out): path and bytes; links and folders by what they are.
    pub fn files(&self) -> BTreeMap<String, Vec<u8>> {
        below(&self.dir(), |path| path != ".memdir")
    }
}

/// Copies a program that is started afterwards. Another process does it: a program that this one, or a child that another
/// test forks meanwhile, holds open for writing cannot be started.
pub fn copy_program(from: &Path, to: &Path) {
    let copied = Command::new("cp").arg(from).arg(to).status();
    assert!(copied.expect("cp starts").success(), "{} is copied to {}", from.display(), to.display());
}

/// Sets a flag when it goes, also when a test fails: another thread of the test ends then.
pub struct SetOnDrop<'a>(pub &'a AtomicBool);

impl Drop for SetOnDrop<'_> {
    fn drop(&mut self) {
        self.0.store(true, Ordering::Relaxed);
    }
}

/// Everything below a folder.
pub fn below(dir: &Path, wanted: impl Fn(&str) -> bool) -> BTreeMap<String, Vec<u8>> {
    let name =
        |entry: &walkdir::DirEntry| entry.path().strip_prefix(dir).expect("below").to_string_lossy().into_owned();
    let walk = walkdir::WalkDir::new(dir).min_depth(1).into_iter().filter_entry(|e| e.depth() == 0 || wanted(&name(e)));
    let content = |entry: &walkdir::DirEntry| match entry.file_type() {
        kind if kind.is_file() => fs::read(entry.path()).unwrap_or_else(|e| e.kind().to_string().into_bytes()),
        kind if kind.is_symlink() => fs::read_link(entry.path()).expect("a link").to_string_lossy().into_owned().into(),
        kind => format!("{kind:?}").into_bytes(),
    };
    walk.filter_map(Result::ok).map(|e| (name(&e), content(&e))).collect()
}

/// The longest that any command may take.
const LIMIT: Duration = Duration::from_secs(10);

fn ended(mut command: Command, content: &[u8], line: &[&str]) -> ProgramOutput {
    let mut child = command.spawn().expect("the program starts");
    if let Some(mut stdin) = child.stdin.take() {
        let content = content.to_owned();
        std::thread::spawn(move || drop(stdin.write_all(&content)));
    }
    let stdout = reader(child.stdout.take());
    let stderr = reader(child.stderr.take());
    let read = |from: mpsc::Receiver<Vec<u8>>, child: &mut Child| match from.recv_timeout(LIMIT) {
        Ok(bytes) => String::from_utf8_lossy(&bytes).into_owned(),
        Err(_) => {
            drop(child.kill());
            panic!("memdir {line:?} hangs");
        }
    };
    let (stdout, stderr) = (read(stdout, &mut child), read(stderr, &mut child));
    let status = child.wait().expect("it ended");
    ProgramOutput { status: status.code().unwrap_or(-1), stdout, stderr }
}

fn reader(stream: Option<impl Read + Send + 'static>) -> mpsc::Receiver<Vec<u8>> {
    let (sender, receiver) = mpsc::channel();
    std::thread::spawn(move || {
        let mut bytes = Vec::new();
        if let Some(mut stream) = stream {
            drop(stream.read_to_end(&mut bytes));
        }
        drop(sender.send(bytes));
    });
    receiver
}

const NOBODY: u32 = 65534;

/// A device that everybody may open (the null device), where making one is allowed.
fn make_device(dir: &Path) {
    use rustix::fs::{CWD, FileType, Mode, makedev, mknodat};
    let device = dir.join("device.md");
    let mode = Mode::from_raw_mode(0o666);
    if mknodat(CWD, &device, FileType::CharacterDevice, mode, makedev(1, 3)).is_ok() {
        fs::set_permissions(&device, std::os::unix::fs::PermissionsExt::from_mode(0o666)).expect("its mode");
    }
}

/// As root, starts the calling test, which must not run as root, again as `nobody` in a folder of that user. Returns
/// whether it passed there, so that nothing is left to do here; `false` for other users, who run it themselves.
///
/// # Panics
/// Where that is not possible: such a test is never skipped in silence, and never run as root.
pub fn passed_as_nobody() -> bool {
    if !rustix::process::geteuid().is_root() {
        return false;
    }
    // The thread of a test has its name, with `--test-threads 1` too.
    let thread = std::thread::current();
    let test = thread.name().expect("a name");
    let dir = tempfile::tempdir().expect("a folder");
    // The build's own folder may be closed to user `nobody`; the folder it gets is not.
    copy_program(&std::env::current_exe().expect("a program"), &dir.path().join("it"));
    copy_program(&program(), &dir.path().join("memdir"));
    for (name, mode) in [("theirs.md", 0o644), ("closed.md", 0o600)] {
        let file = dir.path().join(name);
        fs::write(&file, "# Theirs\n\n- another user's\n").expect("written");
        fs::set_permissions(&file, std::os::unix::fs::PermissionsExt::from_mode(mode)).expect("its mode");
    }
    make_device(dir.path());
    std::os::unix::fs::chown(dir.path(), Some(NOBODY), Some(NOBODY)).expect("given away");
    let output = Command::new("setpriv")
        .args(["--reuid=65534", "--regid=65534", "--clear-groups", "--no-new-privs"])
        .arg(dir.path().join("it"))
        .args([test, "--exact", "--nocapture"])
        .env("TMPDIR", dir.path())
        .env("MEMDIR_TEST_PROGRAM", dir.path().join("memdir"))
        .env("MEMDIR_TEST_THEIRS", dir.path())
        .current_dir(dir.path())
        .output()
        .unwrap_or_else(|e| panic!("{test} never runs as root, and setpriv (util-linux) cannot be started: {e}"));
    let result = String::from_utf8_lossy(&output.stdout).into_owned() + &String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success() && result.contains("1 passed"), "as nobody: {result}");
    print!("{result}");
    true
}
