//! Races: a process swaps files and directories for links as fast as it can while every command runs. Nothing outside
//! is read or written.
//!
//! Never as root: it starts itself again as `nobody`, in a folder of its own, with links to a neighbour of that folder.

use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use fastrand::Rng;
use rustix::fs::{CWD, RenameFlags, renameat_with};

use crate::support::memory::{full, missing};
use crate::support::test_dir::copy_program;
use crate::support::{ProgramOutput, clean_command};

const ROOT: &str = "MEMDIR_TEST_RACE";
const SWAPPED: &str = "MEMDIR_TEST_SWAPPED";
const CANARY: &str = "the canary outside sings";

/// Names below the data directory, each with the trap that replaces it: (what is there, the link's target).
const SWAPS: [(&str, &str); 9] = [
    ("facts/user.md", "secret.md"),
    ("facts", "."),
    ("facts/sub", "."),
    ("facts/sub/deep.md", "secret.md"),
    ("episodes", "."),
    ("inbox", "."),
    ("archive", "."),
    (".memdir", "."),
    (".memdir/undo", "."),
];

fn make(root: &Path) -> PathBuf {
    let (inside, outside) = (root.join("memory"), root.join("outside"));
    for folder in ["facts/sub", "episodes", "inbox", "archive/facts", ".memdir/undo"] {
        std::fs::create_dir_all(inside.join(folder)).unwrap();
    }
    std::fs::create_dir_all(outside.join("facts")).unwrap();
    std::fs::create_dir_all(outside.join("undo")).unwrap();
    for name in ["secret.md", "user.md", "deep.md", "2026-02.md", "facts/user.md", "journal"] {
        std::fs::write(outside.join(name), format!("# Secret\n\n- {CANARY}\n")).unwrap();
    }
    std::fs::write(inside.join("facts/user.md"), "# User\n\n- Lives in Austin\n").unwrap();
    std::fs::write(inside.join("facts/sub/deep.md"), "# Deep\n\n- One\n").unwrap();
    std::fs::write(inside.join("episodes/2026-02.md"), "# 2026-02 Episodes\n\n## Begin\n- Date: 2026-02-01\n").unwrap();
    std::fs::create_dir(root.join("traps")).unwrap();
    for (n, (_, to)) in SWAPS.iter().enumerate() {
        symlink(outside.join(to), root.join(format!("traps/{n}"))).unwrap();
    }
    outside
}

/// Every name below a folder with its bytes, mode and time of change.
fn tree(dir: &Path) -> Vec<(String, Vec<u8>, u32, i64, i64)> {
    use std::os::unix::fs::MetadataExt;
    let entry = |e: walkdir::DirEntry| {
        let meta = e.metadata().unwrap();
        let bytes = std::fs::read(e.path()).unwrap_or_default();
        (e.path().display().to_string(), bytes, meta.mode(), meta.ctime(), meta.ctime_nsec())
    };
    walkdir::WalkDir::new(dir).sort_by_file_name().into_iter().map(|e| entry(e.unwrap())).collect()
}

/// Swaps and swaps back until it is stopped; a child process of the race.
fn swapper(root: String) {
    let root = PathBuf::from(root);
    if root.join("outside").exists() && !root.join("go").exists() {
        return;
    }
    let (mut rng, mut swaps) = (Rng::with_seed(11), 0u64);
    let most: u64 = std::fs::read_to_string(root.join("go")).unwrap().trim().parse().unwrap();
    while !root.join("stop").exists() {
        for _ in 0..64 {
            let n = rng.usize(..SWAPS.len());
            let (real, trap) = (root.join("memory").join(SWAPS[n].0), root.join(format!("traps/{n}")));
            for _ in 0..2 {
                swaps += u64::from(renameat_with(CWD, &real, CWD, &trap, RenameFlags::EXCHANGE).is_ok());
                // The trap stays for a different time in each round.
                (0..rng.usize(..400)).for_each(|_| std::hint::spin_loop());
            }
        }
        if swaps >= most {
            std::fs::write(root.join("enough"), "").unwrap();
        }
        std::fs::write(root.join("swaps"), swaps.to_string()).unwrap();
    }
}

/// Every command, as often as the swaps take; runs as user `nobody`.
fn race(root: &Path, program: &Path, most: u64) -> (u64, usize, usize) {
    let outside = make(root);
    let before = tree(&outside);
    std::fs::write(root.join("go"), most.to_string()).unwrap();
    let mut swapper = Command::new(std::env::current_exe().unwrap());
    swapper
        .args(["races::nothing_outside_is_read_or_written_while_everything_is_swapped_for_links", "--exact"])
        .env_remove(ROOT)
        .env(SWAPPED, root)
        .stdout(Stdio::null());
    let mut swapper = swapper.spawn().unwrap();
    let (mut runs, mut done) = (0, 0);
    let user = root.join("user.md");
    std::fs::write(&user, "# User\n\n- Written whole\n").unwrap();
    let user = user.to_str().unwrap();
    let rounds = if full() { 25 } else { 6 };
    for round in 0.. {
        if round >= rounds && root.join("enough").exists() {
            break;
        }
        let n = runs.to_string();
        let lines: [&[&str]; 26] = [
            &["add", "user", &n],
            &["add", "sub/deep", &n],
            &["read", "user"],
            &["read", "sub/deep"],
            &["list"],
            &["list", "user"],
            &["update", "user", "Lives in Austin", "Lives in Boston"],
            &["append", "2026-02", "-t", &n, "-F", user],
            &["write", "user", "-f", "-F", user],
            &["patch", "user", "--old", "Lives", "--new", "Dwells"],
            &["set", "user", "title=Someone"],
            &["bullet", "del", "user", "--index", "1", "-f"],
            &["bullet", "list", "user"],
            &["rm", "sub/deep", "--archive", "-f"],
            &["write", "sub/deep", "-f", "--create", "-F", user],
            &["mv", "sub/deep", "sub/deeper"],
            &["mv", "sub/deeper", "sub/deep"],
            &["rm", "sub/deep", "--forget", "-f"],
            &["write", "facts/new/deep/n.md", "--create", "-F", user],
            &["undo"],
            &["redo"],
            &["log", "-p"],
            &["show", "r3"],
            &["diff", "r1"],
            &["status"],
            &["check", "--fix"],
        ];
        for line in lines {
            let mut command = clean_command(program, root);
            command.env("MEMDIR", root.join("memory")).env("MEMDIR_DURABILITY", "fast");
            let result = ProgramOutput::of(command.args(line));
            assert!((0..100).contains(&result.status), "{line:?}: {result:?}");
            assert!(!result.stdout.contains(CANARY) && !result.stderr.contains(CANARY), "a leak: {line:?}: {result:?}");
            runs += 1;
            done += usize::from(result.status == 0);
        }
    }
    std::fs::write(root.join("stop"), "").unwrap();
    swapper.wait().unwrap();
    assert_eq!(tree(&outside), before, "an escape: something outside was changed");
    for entry in walkdir::WalkDir::new(root.join("memory")).into_iter().flatten() {
        let text = std::fs::read(entry.path()).unwrap_or_default();
        assert!(
            entry.path_is_symlink() || memchr::memmem::find(&text, CANARY.as_bytes()).is_none(),
            "a leak: {entry:?}"
        );
    }
    let swaps = std::fs::read_to_string(root.join("swaps")).unwrap().parse().unwrap();
    (swaps, runs, done)
}

/// The race itself; as root it is started by the test below.
fn unprivileged(root: String) {
    assert!(!rustix::process::geteuid().is_root());
    let root = PathBuf::from(root);
    let most = if full() { 1_000_000 } else { 20_000 };
    let (swaps, runs, done) = race(&root.join("race"), &root.join("memdir"), most);
    println!("races: {swaps} swaps, {runs} commands, {done} of them done, no escape, no leak");
}

#[test]
fn nothing_outside_is_read_or_written_while_everything_is_swapped_for_links() {
    if let Ok(root) = std::env::var(SWAPPED) {
        return swapper(root);
    }
    if let Ok(root) = std::env::var(ROOT) {
        return unprivileged(root);
    }
    let dir = tempfile::tempdir().unwrap();
    std::fs::create_dir(dir.path().join("race")).unwrap();
    copy_program(Path::new(env!("CARGO_BIN_EXE_memdir")), &dir.path().join("memdir"));
    copy_program(&std::env::current_exe().unwrap(), &dir.path().join("it"));
    let program = dir.path().join("it");
    let mut command = Command::new(&program);
    if rustix::process::geteuid().is_root() {
        for name in ["", "race"] {
            std::os::unix::fs::chown(dir.path().join(name), Some(65534), Some(65534)).unwrap();
        }
        command = Command::new("setpriv");
        command.args(["--reuid=65534", "--regid=65534", "--clear-groups", "--no-new-privs"]).arg(&program);
    }
    command
        .args([
            "races::nothing_outside_is_read_or_written_while_everything_is_swapped_for_links",
            "--exact",
            "--nocapture",
        ])
        .env(ROOT, dir.path())
        .env("TMPDIR", dir.path());
    match command.current_dir(dir.path()).output() {
        Ok(output) => {
            let result =
                String::from_utf8_lossy(&output.stdout).into_owned() + &String::from_utf8_lossy(&output.stderr);
            assert!(output.status.success() && result.contains("1 passed"), "{result}");
            println!("{}", result.lines().find(|line| line.contains("races:")).unwrap_or_default());
        }
        Err(why) => missing(&format!("setpriv cannot be started: {why}")),
    }
}
