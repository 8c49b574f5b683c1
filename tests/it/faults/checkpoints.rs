//! Checkpoints killed, and refused by the disk, at every system call: the old state or the new one, and nothing else.
//!
//! Never judges by the program's report alone: the next commands read what is there.

use std::os::unix::process::ExitStatusExt;

use super::aftermath::verdict;
use super::cases::{Case, Start};
use super::workspace::FaultWorkspace;
use super::{full, trace, watched};

const OLD: &str = "{\"state\": \"old\"}";
const NEW: &str = "{\"state\": \"new, and longer than the old one\"}\n";

/// A command on a memory with or without a checkpoint before.
struct CheckpointCase {
    case: Case,
    has_old: bool,
    /// What is there afterwards.
    after: Option<&'static str>,
}

const CASE: Case = Case { name: "", before: &[], args: &[], stdin: "", start: Start::Memory, small: true, policy: "" };
const SAVE: &[&str] = &["checkpoint", "save", "ana/one", "-F", "../new.json"];

const CASES: [CheckpointCase; 4] = [
    CheckpointCase { case: Case { name: "save", args: SAVE, ..CASE }, has_old: true, after: Some(NEW) },
    CheckpointCase { case: Case { name: "first save", args: SAVE, ..CASE }, has_old: false, after: Some(NEW) },
    CheckpointCase {
        case: Case { name: "save without .memdir", args: SAVE, start: Start::Plain, ..CASE },
        has_old: false,
        after: Some(NEW),
    },
    CheckpointCase {
        case: Case { name: "rm", args: &["checkpoint", "rm", "ana/one"], ..CASE },
        has_old: true,
        after: None,
    },
];

impl CheckpointCase {
    fn before(&self) -> FaultWorkspace {
        let workspace = FaultWorkspace::before(&self.case);
        for (name, state) in [("old.json", OLD), ("new.json", NEW)] {
            std::fs::write(workspace.path().join(name), state).unwrap();
        }
        if self.has_old {
            let saved = workspace.memdir(&["-C", "memory", "checkpoint", "save", "ana/one", "-F", "../old.json"]);
            assert!(saved.status.success());
        }
        workspace
    }

    fn old(&self) -> Option<&'static str> {
        self.has_old.then_some(OLD)
    }

    /// What is wrong after the command, which was acknowledged if `done`, refused if `done` is false, and else killed.
    fn wrong(&self, workspace: &FaultWorkspace, done: Option<bool>) -> Vec<String> {
        let mut wrong = Vec::new();
        let run = |args: &[&str]| {
            let output = workspace.memdir(&[&["-C", "memory", "checkpoint"], args].concat());
            let reported = String::from_utf8_lossy(&output.stderr).into_owned();
            (output.status.code(), String::from_utf8_lossy(&output.stdout).into_owned(), reported)
        };
        let now = match run(&["load", "ana/one"]) {
            (Some(0), state, _) => Some(state),
            (Some(3), ..) => None,
            other => return vec![format!("load: {other:?}")],
        };
        let is_expected = match done {
            Some(true) => now.as_deref() == self.after,
            Some(false) => now.as_deref() == self.old(),
            None => now.as_deref() == self.after || now.as_deref() == self.old(),
        };
        if !is_expected {
            wrong.push(format!("acknowledged: {done:?}, and there is {now:?}"));
        }
        let next = run(&["save", "ana/two", "-F", "../old.json"]);
        if next.0 != Some(0) {
            wrong.push(format!("next save: {next:?}"));
        }
        let folder = workspace.path().join("memory/.memdir/checkpoints");
        let count = std::fs::read_dir(folder).unwrap().count();
        if count != 1 + usize::from(now.is_some()) || run(&["list"]).1.lines().count() != count {
            wrong.push(format!("litter: {count} files"));
        }
        wrong
    }
}

/// Calls that the small run takes: those of the store.
fn takes(name: &str) -> bool {
    let changing = ["write", "fsync", "flock", "renameat", "renameat2", "linkat", "unlinkat", "mkdirat", "ftruncate"];
    name != "execve" && (full() || changing.contains(&name))
}

#[test]
fn a_checkpoint_command_killed_at_any_call_leaves_all_or_nothing() {
    if !watched() {
        return;
    }
    let (mut tried, mut problems) = (0, Vec::new());
    for case in &CASES {
        let before = case.before();
        let calls = trace::calls(&before.copy(), &case.case, &[]);
        for call in calls.iter().filter(|call| takes(&call.name)) {
            let workspace = before.copy();
            let how = format!("signal=SIGKILL:when={}", call.nth);
            let output = workspace.run(&case.case, &trace::meddling(&call.name, &how), &[]);
            let done = (output.status.signal() != Some(9)).then(|| output.status.success());
            tried += 1;
            let wrong = case.wrong(&workspace, done);
            problems.extend(wrong.into_iter().map(|w| format!("{}: killed at {call}: {w}", case.case.name)));
        }
    }
    assert!(tried > 30, "{tried}");
    verdict("kills of checkpoints", tried, &problems);
}

#[test]
fn a_checkpoint_command_refused_by_the_disk_says_what_is_there() {
    if !watched() {
        return;
    }
    let (mut tried, mut problems) = (0, Vec::new());
    for case in &CASES {
        let before = case.before();
        let calls = trace::calls(&before.copy(), &case.case, &[]);
        for call in calls.iter().filter(|call| takes(&call.name)) {
            let workspace = before.copy();
            let how = format!("error=ENOSPC:when={}", call.nth);
            let output = workspace.run(&case.case, &trace::meddling(&call.name, &how), &[]);
            let error = String::from_utf8_lossy(&output.stderr);
            let done = match output.status.code() {
                // Its answer could not be written, and the error says so.
                Some(1) if error.contains("cannot write the answer") => Some(error.contains("\"changed\":true")),
                Some(1) if error.contains("outcome_unknown") => None,
                code => Some(code == Some(0)),
            };
            tried += 1;
            let wrong = case.wrong(&workspace, done);
            problems.extend(wrong.into_iter().map(|w| format!("{}: ENOSPC at {call}: {w} {error}", case.case.name)));
        }
    }
    assert!(tried > 30, "{tried}");
    verdict("refused calls of checkpoints", tried, &problems);
}
