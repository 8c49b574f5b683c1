//! Every system call refused, in every way a disk refuses.
//!
//! Never trusts an answer: it is compared with the directory.

use memdir::code::Code;
use serde_json::Value;
use std::process::Output;

use super::aftermath::{Expected, verdict, wrong};
use super::cases::{Case, chosen};
use super::workspace::FaultWorkspace;
use super::{full, trace, watched};

/// Calls that have to do with files.
const FILES: [&str; 33] = [
    "open",
    "openat",
    "openat2",
    "read",
    "pread64",
    "write",
    "fsync",
    "fdatasync",
    "renameat2",
    "renameat",
    "rename",
    "linkat",
    "unlinkat",
    "unlink",
    "mkdir",
    "mkdirat",
    "rmdir",
    "newfstatat",
    "fstat",
    "stat",
    "lstat",
    "statx",
    "flock",
    "ftruncate",
    "fchmod",
    "fchown",
    "flistxattr",
    "getdents64",
    "readlink",
    "close",
    "statfs",
    "lseek",
    "fcntl",
];
/// Those by which something changes.
const CHANGES: [&str; 10] =
    ["write", "fsync", "fdatasync", "renameat2", "unlinkat", "unlink", "mkdirat", "mkdir", "ftruncate", "openat"];

#[test]
fn a_refused_call_tears_nothing_and_is_answered_truly() {
    if !watched() {
        return;
    }
    let (mut tried, mut commands, mut problems) = (0, 0, Vec::new());
    for case in chosen() {
        let before = FaultWorkspace::before(case);
        let expected = Expected::of(case, &before);
        let calls = trace::calls(&before.copy(), case, &[]);
        commands += 1;
        let first = calls.iter().position(|c| c.name == "getcwd").unwrap_or(0);
        for (n, call) in calls.iter().enumerate().skip(first) {
            let changes = CHANGES.contains(&call.name.as_str());
            let step = if changes { 3 } else { 9 };
            if !FILES.contains(&call.name.as_str()) || !full() && n % step != 0 {
                continue;
            }
            let mut errors = vec!["EIO", "ENOSPC", "EINTR", "EDQUOT", "EACCES"];
            if !full() {
                errors = vec![errors[n % 5]];
            }
            for (error, on) in errors.iter().flat_map(|e| [(e, ""), (e, "+")]) {
                // An interruption that never ends is no fault of a disk.
                if !on.is_empty() && (!changes || *error == "EINTR" || !full()) {
                    continue;
                }
                let workspace = before.copy();
                let how = format!("error={error}:when={}{on}", call.nth);
                let output = workspace.run(case, &trace::meddling(&call.name, &how), &[]);
                tried += 1;
                let mut result = untrue(&workspace, &output, &expected, &call.name, on == "+");
                result.extend(wrong(&workspace, case, &expected));
                // Where the journal cannot be synced at all, the slots stay: a power cut may bring the intent back.
                result.retain(|w| !(on == "+" && call.name == "fdatasync" && w.starts_with("litter")));
                let at = format!("{}: {error}{on} at {n} {call}", case.name);
                problems.extend(result.into_iter().map(|w| format!("{at}: {w}")));
            }
        }
    }
    verdict(&format!("refusals in {commands} commands"), tried, &problems);
}

/// What of an answer is not so.
pub fn untrue(
    workspace: &FaultWorkspace,
    output: &Output,
    expected: &Expected,
    call: &str,
    lasting: bool,
) -> Vec<String> {
    let mut wrong = Vec::new();
    let now = workspace.files();
    let answer = String::from_utf8_lossy(&output.stdout);
    let Some(code) = output.status.code() else { return vec![format!("ended by {:?}", output.status)] };
    if matches!(code, 0 | 6) {
        let Ok(json) = serde_json::from_slice::<Value>(&output.stdout) else {
            return vec![format!("the answer is invalid JSON: {answer}")];
        };
        // A check reports what it could not repair; then its report must be true.
        let mended = json["fixed"]["changed"] == true;
        let right = if code == 0 || mended { &expected.new } else { &expected.old };
        if now != *right {
            wrong.push(format!("success, and the files are not so: {answer}"));
        }
        return wrong;
    }
    let result = String::from_utf8_lossy(&output.stderr);
    // Nothing can be reported when nothing can be written.
    if lasting && call == "write" && result.is_empty() {
        return wrong;
    }
    let Ok(error) = serde_json::from_str::<Value>(&result) else {
        return vec![format!("exit {code}, and stderr is not one JSON object: {result:?}")];
    };
    let known = error["code"].as_str().and_then(|name| Code::ALL.iter().find(|c| c.name() == name));
    if known.is_none_or(|known| i32::from(known.exit()) != code) {
        wrong.push(format!("exit {code} for {}", error["code"]));
    }
    let (same, new) = (now == expected.old, now == expected.new);
    let so = match &error["changed"] {
        Value::Bool(false) => same,
        Value::Bool(true) => !same,
        Value::Null => error.get("changed").is_some(),
        _ => false,
    };
    if !so {
        wrong.push(format!("says changed: {}, and the files are old: {same}, new: {new}: {result}", error["changed"]));
    }
    wrong
}

/// A separate test so that the list of cases can be selected by name.
pub fn named(name: &str) -> &'static Case {
    super::cases::CASES.iter().find(|case| case.name == name).unwrap()
}
