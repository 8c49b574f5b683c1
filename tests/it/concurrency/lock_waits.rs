//! Waiting for the lock, seen from outside: waiters get the lock in order, one past its time limit reports busy, and a
//! stopped waiter blocks no other process.
//!
//! Never measures time: the bound on the waits is tested in `concurrency.rs`.

use std::fs::File;
use std::os::unix::fs::MetadataExt;
use std::process::Child;

use rustix::process::{Pid, Signal, WaitOptions, kill_process, waitpid};

use crate::support::memory::DataDirectory;

const USER: &str = "# User\n\n- Lives in Austin\n";

/// A memory that was written to, and its lock in our hands.
fn held() -> (DataDirectory, File) {
    let memory = DataDirectory::new(&[("facts/user.md", USER)]);
    memory.done(&["add", "user", "Keeps bees"]);
    let dir = File::open(memory.path("")).unwrap();
    dir.lock().unwrap();
    (memory, dir)
}

/// A command that waits for the lock; it has its place in the line when this returns.
fn waiter(memory: &DataDirectory, text: &str) -> Child {
    let before = places(memory);
    let child = memory.command(&["add", "user", text, "--lock-timeout", "600"]).spawn().unwrap();
    while places(memory) == before {
        std::thread::yield_now();
    }
    child
}

/// What was added, in the file's order.
fn added(memory: &DataDirectory) -> Vec<String> {
    let text = memory.text("facts/user.md");
    text.lines().filter_map(|line| line.strip_prefix("- ")).skip(2).map(str::to_owned).collect()
}

/// The number of waiting processes, by the kernel's own list.
fn places(memory: &DataDirectory) -> usize {
    let inode = format!(":{} ", std::fs::metadata(memory.path(".memdir/.gitignore")).unwrap().ino());
    let locks = std::fs::read_to_string("/proc/locks").unwrap();
    locks.lines().filter(|line| line.contains("OFDLCK") && !line.contains("->") && line.contains(&inode)).count()
}

#[test]
fn a_waiter_past_its_time_limit_reports_busy() {
    let (memory, dir) = held();
    let mut others = [waiter(&memory, "First"), waiter(&memory, "Second")];
    for patience in ["0", "0.05", "1"] {
        let run_output = memory.run(&["add", "user", "Third", "--lock-timeout", patience]);
        assert_eq!(run_output.status, 7, "{patience}: {run_output:?}");
        assert!(
            run_output.stderr.starts_with("memdir: busy: ") && run_output.stderr.contains("nothing was changed"),
            "{run_output:?}"
        );
    }
    assert_eq!(places(&memory), 2, "who gave up has no place any more");
    drop(dir);
    assert!(others.iter_mut().all(|child| child.wait().unwrap().success()));
    assert_eq!(added(&memory), ["First", "Second"]);
}

#[test]
fn waiters_get_the_lock_in_order_and_killed_ones_are_skipped() {
    let (memory, dir) = held();
    let mut line: Vec<Child> = (0..8).map(|n| waiter(&memory, &format!("Number {n}."))).collect();
    for n in [0, 3, 4, 7] {
        line[n].kill().unwrap();
        line[n].wait().unwrap();
    }
    drop(dir);
    for n in [1, 2, 5, 6] {
        assert!(line[n].wait().unwrap().success());
    }
    assert_eq!(added(&memory), [1, 2, 5, 6].map(|n| format!("Number {n}.")));
    assert_eq!(places(&memory), 0);
}

#[test]
fn a_stopped_waiter_blocks_no_other_process() {
    let (memory, dir) = held();
    let mut stopped = waiter(&memory, "Stopped");
    let pid = Pid::from_child(&stopped);
    kill_process(pid, Signal::STOP).unwrap();
    // All of it must have come to a stop before the lock is free, or it may stop with the lock in its hands.
    assert!(waitpid(Some(pid), WaitOptions::UNTRACED).unwrap().unwrap().1.stopped());
    drop(dir);
    memory.done(&["add", "user", "Passes by"]);
    memory.done(&["add", "user", "Passes by too"]);
    kill_process(pid, Signal::CONT).unwrap();
    assert!(stopped.wait().unwrap().success());
    assert_eq!(added(&memory), ["Passes by", "Passes by too", "Stopped"]);
}

#[test]
fn removing_a_stray_line_removes_nothing_else() {
    let (memory, dir) = held();
    let mut line: Vec<Child> = (0..4).map(|n| waiter(&memory, &format!("Number {n}."))).collect();
    std::fs::remove_dir_all(memory.path(".memdir")).unwrap();
    drop(dir);
    assert!(line.iter_mut().all(|child| child.wait().unwrap().success()));
    assert_eq!(added(&memory).len(), 4);
}
