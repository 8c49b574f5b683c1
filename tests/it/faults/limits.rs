//! Writes that stop in the middle: the kernel takes part of the bytes and refuses the rest.
//!
//! A limit on the size of files (`RLIMIT_FSIZE`) does it without privileges: up to the limit a write is short, beyond
//! it the process is killed (SIGXFSZ) or, where that signal is ignored, refused with EFBIG. Nothing is pretended: the
//! bytes that were taken are in the file.

use std::os::unix::process::ExitStatusExt;
use std::process::Command;

use super::aftermath::{Expected, verdict, wrong};
use super::cases::chosen;
use super::errors::untrue;
use super::full;
use super::workspace::FaultWorkspace;
use crate::support::memory::missing;

#[test]
fn a_write_that_stops_in_the_middle_tears_nothing() {
    let there = Command::new("prlimit").arg("--version").output().is_ok_and(|o| o.status.success());
    if !there {
        return missing("prlimit");
    }
    let (mut tried, mut stopped, mut problems) = (0, 0, Vec::new());
    for case in chosen().filter(|case| case.args[0] != "edit") {
        let before = FaultWorkspace::before(case);
        let expected = Expected::of(case, &before);
        // The largest file that the command can write: the journal with two more lines, or a text.
        let workspace = before.copy();
        workspace.run(case, &[], &[]);
        let files = walkdir::WalkDir::new(workspace.path()).into_iter().flatten().filter(|e| e.file_type().is_file());
        let largest = files.filter_map(|e| e.metadata().ok()).map(|m| m.len()).max().unwrap_or(0) as usize;
        let step = if full() { 1 + largest / 60 } else { 1 + largest / 8 };
        for (limit, ignored) in (0..=largest).step_by(step).flat_map(|l| [(l, false), (l, true)]) {
            let trap = if ignored { "trap '' XFSZ; " } else { "" };
            let script = format!("{trap}exec prlimit --fsize={limit} -- \"$@\"");
            let through = ["sh", "-c", &script, "sh"].map(str::to_owned);
            let workspace = before.copy();
            let output = workspace.run(case, &through, &[]);
            tried += 1;
            let killed = output.status.signal().is_some();
            stopped += usize::from(!output.status.success());
            let mut result = if killed { Vec::new() } else { untrue(&workspace, &output, &expected, "", false) };
            result.extend(wrong(&workspace, case, &expected));
            let how = if ignored { "refused" } else { "killed" };
            problems.extend(result.into_iter().map(|w| format!("{}: {how} beyond {limit} bytes: {w}", case.name)));
        }
    }
    assert!(stopped > 0);
    verdict(&format!("writes that stop in the middle ({stopped} did)"), tried, &problems);
}
