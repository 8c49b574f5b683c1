//! `.memdir/usage` where something is in its way: limits, foreign files, other processes.
//!
//! What counts as a use, and what it does for `prune`, is tested in `life.rs`.

use std::path::Path;
use std::process::{Command, Stdio};

use rustix::fs::{FlockOperation, Mode, flock};

use crate::support::{Memory, ProgramOutput, clean_command, handle, memdir_command, program};

/// A memory with one bullet and a journal.
fn with_journal() -> Memory {
    let memory = Memory::new();
    memory.done(["add", "user", "Likes tea"]);
    memory
}

fn home(memory: &Memory) -> std::path::PathBuf {
    memory.dir().parent().unwrap().to_owned()
}

/// The program, started by a shell that first runs `prelude`.
fn after(prelude: &str, home: &Path, words: &[&str]) -> ProgramOutput {
    let mut command = clean_command("sh", home);
    command.env("MEMDIR_NOW", "2026-02-24T12:00:00Z").env("MEMDIR_AS", "tester");
    command.arg("-c").arg(format!("{prelude}; exec \"$0\" \"$@\"")).arg(program()).args(words);
    ProgramOutput::of(&mut command)
}

/// The system kills a process that writes beyond a limit on the size of files.
#[test]
fn a_limit_on_the_size_of_files_stops_no_read() {
    let memory = with_journal();
    let usage = "since\t2026-01-01\t0\n";
    for (limit, old) in [(0, None), (0, Some(usage.to_owned())), (1, Some(usage.to_owned() + &"\n".repeat(500)))] {
        if let Some(old) = &old {
            memory.put(".memdir/usage", old);
        }
        for words in [&["read", "user"][..], &["read", "user", "--json"], &["query", "tea"]] {
            let output = after(&format!("ulimit -f {limit}"), &home(&memory), words).exit(0);
            assert!(output.stdout.contains("Likes tea") && output.stderr.is_empty(), "{words:?}: {output:?}");
        }
        assert_eq!(memory.text(".memdir/usage"), old, "limit {limit}");
    }
}

#[test]
fn a_fifo_in_its_place_stops_no_read() {
    let memory = with_journal();
    let usage = memory.dir().join(".memdir/usage");
    rustix::fs::mknodat(rustix::fs::CWD, &usage, rustix::fs::FileType::Fifo, Mode::RUSR | Mode::WUSR, 0).unwrap();
    memory.done(["read", "user"]).quiet();
    memory.done(["query", "tea"]).quiet();
    memory.done(["prune"]);
    std::fs::remove_file(&usage).unwrap();
}

#[test]
fn who_may_not_write_reads_all_the_same() {
    let memory = with_journal();
    let (home, machine) = (home(&memory), memory.dir().join(".memdir"));
    std::fs::copy(program(), home.join("program")).unwrap();
    let open = |path: &Path, mode| std::fs::set_permissions(path, std::os::unix::fs::PermissionsExt::from_mode(mode));
    for folder in [&home, &memory.dir(), &machine, &memory.dir().join("facts"), &home.join("program")] {
        open(folder, 0o755).unwrap();
    }
    for file in ["memdir.yaml", "facts/user.md", ".memdir/journal.jsonl", ".memdir/journal"] {
        let _ = open(&memory.dir().join(file), 0o644);
    }
    let mut command = memdir_command(&home);
    if rustix::process::geteuid().is_root() {
        command = clean_command("setpriv", &home);
        command.args(["--reuid=65534", "--regid=65534", "--clear-groups", "--no-new-privs", "./program"]);
        command.env("MEMDIR_NOW", "2026-02-24T12:00:00Z").env("MEMDIR_AS", "tester");
    } else {
        open(&machine, 0o555).unwrap();
    }
    let output = ProgramOutput::of(command.args(["read", "user"])).exit(0);
    open(&machine, 0o755).unwrap();
    assert!(output.stdout.contains("Likes tea") && output.stderr.is_empty(), "{output:?}");
    assert_eq!(memory.text(".memdir/usage"), None);
}

#[test]
fn no_answer_no_use() {
    let memory = with_journal();
    memory.done(["read", "user"]);
    let before = memory.text(".memdir/usage");
    // A full disk behind stdout, and a reader that has gone.
    for words in ["read user", "read user --json", "query tea"] {
        let script = format!("exec \"$0\" {words} >/dev/full");
        let output = ProgramOutput::of(clean_command("sh", &home(&memory)).arg("-c").arg(script).arg(program()));
        assert_ne!(output.status, 0, "{words}");
    }
    assert_eq!(memory.text(".memdir/usage"), before);
}

#[test]
fn every_process_leaves_its_record_while_the_file_is_folded() {
    let memory = with_journal();
    let filler = format!("2026-01-02\tread\ta\tfacts/{}.md\n", "x".repeat(100));
    memory.put(".memdir/usage", format!("since\t2026-01-01\t0\n{}", filler.repeat((1 << 20) / filler.len() - 2)));
    let home = home(&memory);
    let read = |n: usize| -> std::process::Child {
        let mut command = memdir_command(&home);
        command.args(["read", &format!("f{n}")]).stdout(Stdio::null()).stderr(Stdio::piped()).spawn().unwrap()
    };
    for n in 0..24 {
        memory.put(&format!("facts/f{n}.md"), "- x\n");
    }
    let running: Vec<_> = (0..24).map(read).collect();
    for child in running {
        let output = child.wait_with_output().unwrap();
        assert!(output.status.success() && output.stderr.is_empty(), "{output:?}");
    }
    let left = memory.text(".memdir/usage").unwrap();
    assert!(left.len() < 1 << 16 && left.starts_with("since\t2026-01-01\t"), "{} bytes", left.len());
    let missing: Vec<usize> = (0..24).filter(|n| !left.contains(&format!("facts/f{n}.md"))).collect();
    assert!(missing.is_empty(), "{missing:?}");
}

/// What a process that was killed while it folded left behind is replaced, and goes with `--forget`.
#[test]
fn what_a_killed_fold_left_is_forgotten_too() {
    let memory = with_journal();
    let address = format!("facts/user.md@{}", handle("Likes tea"));
    memory.done(["read", &address]);
    memory.put(".memdir/usage.new", format!("since\t2026-01-01\t0\n2026-01-02\tfold\t-\t{address}"));
    memory.done(["rm", "--forget", &address]);
    assert_eq!(memory.text(".memdir/usage.new"), None);
    assert!(!memory.text(".memdir/usage").unwrap().contains(&handle("Likes tea")));
}

#[test]
fn forgetting_waits_for_who_folds_the_file() {
    let memory = with_journal();
    let address = format!("facts/user.md@{}", handle("Likes tea"));
    memory.done(["read", &address]);
    let held = std::fs::File::open(memory.dir().join(".memdir/usage")).unwrap();
    flock(&held, FlockOperation::LockExclusive).unwrap();
    let mut command: Command = memdir_command(&home(&memory));
    let mut forgetting = command.args(["rm", "--forget", &address]).stdout(Stdio::null()).spawn().unwrap();
    while memory.text("facts/user.md").is_some_and(|text| text.contains("Likes tea"))
        && forgetting.try_wait().unwrap().is_none()
    {
        std::thread::yield_now();
    }
    drop(held);
    assert!(forgetting.wait().unwrap().success());
    assert!(!memory.text(".memdir/usage").unwrap().contains(&handle("Likes tea")));
}

#[test]
fn a_file_that_cannot_be_folded_stops_growing() {
    let memory = with_journal();
    let held = {
        memory.put(".memdir/usage", format!("since\t2026-01-01\t0\n{}", "\n".repeat((16 << 20) - 30)));
        std::fs::File::open(memory.dir().join(".memdir/usage")).unwrap()
    };
    flock(&held, FlockOperation::LockExclusive).unwrap();
    let before = held.metadata().unwrap().len();
    memory.done(["read", "user"]).quiet();
    memory.done(["query", "tea"]).quiet();
    assert_eq!(held.metadata().unwrap().len(), before);
    drop(held);
}
