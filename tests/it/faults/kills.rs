//! Killed before and after every system call.
//!
//! A kill on entry of a call is before that call and after the one before it; the last call is the process's end.

use std::os::unix::process::ExitStatusExt;

use super::aftermath::{Expected, verdict, wrong};
use super::cases::{Start, chosen};
use super::workspace::FaultWorkspace;
use super::{full, trace, watched};

#[test]
fn a_command_killed_at_any_call_leaves_all_or_nothing() {
    if !watched() {
        return;
    }
    let (mut tried, mut commands, mut problems) = (0, 0, Vec::new());
    for case in chosen() {
        let before = FaultWorkspace::before(case);
        let expected = Expected::of(case, &before);
        if case.args[0] != "edit" {
            assert_eq!(trace::others(&before.copy(), case), 0, "{} has another thread", case.name);
        }
        let calls = trace::calls(&before.copy(), case, &[]);
        let store = |name: &str| {
            ["write", "fsync", "fdatasync", "renameat2", "unlinkat", "mkdirat", "mkdir", "ftruncate"].contains(&name)
        };
        commands += 1;
        for (n, call) in calls.iter().enumerate() {
            let first = calls.iter().position(|c| c.name == "getcwd").unwrap_or(0);
            if !full()
                && (!store(&call.name) || n % 2 == 0 && case.start == Start::Nothing)
                && (n < first || n % 6 != 0)
            {
                continue;
            }
            if call.name == "execve" {
                continue;
            }
            let workspace = before.copy();
            let how = format!("signal=SIGKILL:when={}", call.nth);
            let output = workspace.run(case, &trace::meddling(&call.name, &how), &[]);
            let killed = output.status.signal() == Some(9);
            tried += 1;
            let result = wrong(&workspace, case, &expected);
            problems.extend(result.into_iter().map(|w| {
                let at = if killed { "killed at" } else { "not killed at" };
                format!("{}: {at} {n} {call}: {w}", case.name)
            }));
        }
    }
    verdict(&format!("kills of {commands} commands"), tried, &problems);
}
