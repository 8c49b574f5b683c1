//! Waiting for the lock, seen from outside: who waits too long is told, who waits is served in order, and somebody who
//! was stopped in the line holds up nobody.
//!
//! Never measures time: that a bound on the waits holds is `crowds.rs`.

use std::fs::File;
use std::os::unix::fs::MetadataExt;
use std::process::Child;

use rustix::process::{Pid, Signal, WaitOptions, kill_process, waitpid};

use crate::memory::Memory;

const USER: &str = "# User\n\n- Lives in Austin\n";

/// A memory that was written to, and its lock in our hands.
fn held() -> (Memory, File) {
    let memory = Memory::new(&[("facts/user.md", USER)]);
    memory.done(&["add", "user", "Keeps bees"]);
    let dir = File::open(memory.path("")).unwrap();
    dir.lock().unwrap();
    (memory, dir)
}

/// A command that waits for the lock; it has its place in the line when this returns.
fn waiter(memory: &Memory, text: &str) -> Child {
    let before = places(memory);
    let child = memory.command(&["add", "user", text, "--lock-timeout", "600"]).spawn().unwrap();
    while places(memory) == before {
        std::thread::yield_now();
    }
    child
}

/// What was added, in the file's order.
fn added(memory: &Memory) -> Vec<String> {
    let text = memory.text("facts/user.md");
    text.lines().filter_map(|line| line.strip_prefix("- ")).skip(2).map(str::to_owned).collect()
}

/// How many stand in the line, by the kernel's own list.
fn places(memory: &Memory) -> usize {
    let inode = format!(":{} ", std::fs::metadata(memory.path(".memdir/.gitignore")).unwrap().ino());
    let locks = std::fs::read_to_string("/proc/locks").unwrap();
    locks.lines().filter(|line| line.contains("OFDLCK") && !line.contains("->") && line.contains(&inode)).count()
}

#[test]
fn who_waits_longer_than_they_want_to_is_told_that_somebody_is_busy() {
    let (memory, dir) = held();
    let mut others = [waiter(&memory, "First"), waiter(&memory, "Second")];
    for patience in ["0", "0.05", "1"] {
        let said = memory.run(&["add", "user", "Third", "--lock-timeout", patience]);
        assert_eq!(said.status, Some(7), "{patience}: {said:?}");
        assert!(said.err.starts_with("memdir: busy: ") && said.err.contains("nothing was changed"), "{said:?}");
    }
    assert_eq!(places(&memory), 2, "who gave up has no place any more");
    drop(dir);
    assert!(others.iter_mut().all(|child| child.wait().unwrap().success()));
    assert_eq!(added(&memory), ["First", "Second"]);
}

#[test]
fn who_waits_is_served_in_order_and_the_killed_leave_no_gap() {
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
fn somebody_who_was_stopped_in_the_line_holds_up_nobody() {
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
fn a_line_that_is_taken_away_takes_nothing_with_it() {
    let (memory, dir) = held();
    let mut line: Vec<Child> = (0..4).map(|n| waiter(&memory, &format!("Number {n}."))).collect();
    std::fs::remove_dir_all(memory.path(".memdir")).unwrap();
    drop(dir);
    assert!(line.iter_mut().all(|child| child.wait().unwrap().success()));
    assert_eq!(added(&memory).len(), 4);
}
