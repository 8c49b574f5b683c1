//! `.memdir/usage` where something is in its way: limits, foreign files, other processes.
//!
//! What counts as a use, and what it does for `prune`, is tested in `life.rs`.

use std::path::Path;
use std::process::{Command, Stdio};

use rustix::fs::{FlockOperation, Mode, flock};

use crate::support::memory::missing;
use crate::support::test_dir::copy_program;
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
    copy_program(&program(), &home.join("program"));
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

const INSIDE: &str = "MEMDIR_TEST_INSIDE";

/// Runs inside a mount namespace of its own: reads a memory that is mounted read-only, and one on a full file system.
fn in_a_namespace(root: String) {
    let dir = Path::new(&root).join("mounted");
    std::fs::create_dir(&dir).unwrap();
    let mount =
        |words: &[&str]| Command::new("mount").args(words).arg(&dir).status().is_ok_and(|status| status.success());
    if !mount(&["-t", "tmpfs", "-o", "size=256k", "none"]) {
        println!("no mount");
        return;
    }
    let run = |line: &[&str]| {
        let mut command = clean_command(program(), Path::new(&root));
        ProgramOutput::of(command.env("MEMDIR", dir.join("memory")).args(line))
    };
    let reads: [&[&str]; 4] = [&["read", "user"], &["query", "tea"], &["context"], &["read", "user", "--json"]];
    let read_all = |when: &str| {
        for line in reads {
            let output = run(line);
            assert!(output.status == 0 && output.stderr.is_empty(), "{when}: {line:?}: {output:?}");
            assert!(output.stdout.contains("Likes tea"), "{when}: {line:?}: {output:?}");
        }
    };
    run(&["init", dir.join("memory").to_str().unwrap()]).exit(0);
    run(&["add", "user", "Likes tea"]).exit(0);
    read_all("with room");
    let usage = dir.join("memory/.memdir/usage");
    let before = std::fs::read(&usage).unwrap();
    // A record more does not fit into what is left of its last block.
    let mut filler = before.clone();
    filler.resize(before.len().next_multiple_of(4096), b'\n');
    std::fs::write(&usage, &filler).unwrap();
    let mut fill = std::fs::File::create(dir.join("fill")).unwrap();
    while std::io::Write::write(&mut fill, &[0; 512]).is_ok_and(|written| written > 0) {}
    read_all("on a full file system");
    assert!(std::fs::read(&usage).unwrap() == filler);
    drop(fill);
    std::fs::remove_file(dir.join("fill")).unwrap();
    std::fs::write(&usage, &before).unwrap();
    assert!(mount(&["-o", "remount,ro"]));
    read_all("mounted read-only");
    assert!(std::fs::read(&usage).unwrap() == before);
    println!("MOUNTED");
}

#[test]
fn a_full_file_system_and_a_read_only_mount_stop_no_read() {
    if let Ok(root) = std::env::var(INSIDE) {
        return in_a_namespace(root);
    }
    let memory = Memory::new();
    let mut command = Command::new("unshare");
    command.args(["-rm", "--propagation", "private"]).arg(std::env::current_exe().unwrap());
    command
        .args(["usage::a_full_file_system_and_a_read_only_mount_stop_no_read", "--exact", "--nocapture"])
        .env(INSIDE, home(&memory));
    match command.output() {
        Ok(output) if String::from_utf8_lossy(&output.stdout).contains("MOUNTED") => {}
        Ok(output) if output.status.success() || !String::from_utf8_lossy(&output.stdout).contains("running") => {
            missing(&format!("no namespace to mount in: {}", String::from_utf8_lossy(&output.stderr)));
        }
        Ok(output) => panic!("{}{}", String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr)),
        Err(why) => missing(&format!("unshare cannot be started: {why}")),
    }
}

#[test]
fn a_line_break_in_a_name_records_no_other_use() {
    let memory = Memory::new().file("facts/plain.md", "- Release the plain note\n");
    memory.done(["add", "user", "Release now"]);
    memory.put("facts/x\n2026-02-24\tread\tana\tfacts/plain.md", "- Release it\n");
    memory.done(["query", "release"]);
    let usage = memory.text(".memdir/usage").unwrap();
    assert!(usage.contains("facts/user.md@") && !usage.lines().any(|line| line.contains("\tana\t")), "{usage}");
}
