//! Merges, set-up and syncs as text.
//!
//! Never prints memory text raw, but for a merged text into a pipe.

use std::fmt::Write;

use super::text::{Ink, Page};
use super::{hints, sanitize};
use crate::code::Hint;
use crate::commands::answer::{ClashRow, LeftFile, Merged, Resolved, Setup, Sync, Told, Undecided};

/// The text alone on stdout; what is left to decide on stderr.
pub fn merged(page: &mut Page, merged: &Merged, err: &mut String) {
    match (&merged.out, page.style.terminal) {
        (Some(_), _) => {}
        (None, true) => sanitize::lines(&mut page.out, &merged.text, true),
        (None, false) => page.out.push_str(&merged.text),
    }
    if !merged.clean {
        let lines: Vec<String> = merged.clashes.iter().take(20).map(|clash| clash.line.to_string()).collect();
        let many = if merged.clashes.len() == 1 { "conflict is" } else { "conflicts are" };
        let n = merged.clashes.len();
        let _ = writeln!(err, "memdir: merge_conflict: {n} {many} left, in line {}", lines.join(", "));
    }
}

/// Lines that came and went, file by file.
pub fn setup(page: &mut Page, setup: &Setup, err: &mut String) {
    if setup.dry_run {
        page.ink(Ink::Faint, "dry run, nothing written").end();
    }
    for file in &setup.files {
        page.ink(Ink::Head, &file.path).end();
        for line in &file.lines {
            let ink = if line.sign == "+" { Ink::Added } else { Ink::Removed };
            page.ink(ink, line.sign).text(" ").text(&line.text).end();
        }
    }
    if setup.wired && setup.changed && !setup.dry_run {
        err.push_str("memdir: commit what changed here; every other clone needs `memdir setup git` once\n");
    }
    for finding in &setup.findings {
        page.text(finding).end();
    }
    if setup.findings.is_empty() && !setup.changed {
        err.push_str(if setup.wired { "memdir: git merges by bullet here\n" } else { "memdir: nothing to do\n" });
    }
}

/// What is left to decide, each with the bullets of both sides, and how to go on.
pub fn left(page: &mut Page, resolved: &Resolved) {
    for file in &resolved.left {
        left_file(page, file);
        for verb in [["resolve", "--ours"], ["resolve", "--theirs"], ["resolve", "--both"]] {
            try_(page, hints::spell(&Hint { verb: verb.into(), address: vec![file.path.clone()] }, &page.style.before));
        }
    }
    for path in &resolved.add {
        let add = format!("git add -- {}", hints::quote(path));
        try_(page, Some(add));
    }
}

fn left_file(page: &mut Page, file: &LeftFile) {
    let n = file.conflicts.len();
    let many = if n == 1 { "1 conflict left".to_owned() } else { format!("{n} conflicts left") };
    page.ink(Ink::Head, &file.path).text(": ").text(&many).end();
    file.conflicts.iter().for_each(|conflict| clash(page, conflict));
}

/// The most files that a line names.
const NAMED: usize = 5;

/// What was committed, merged and pushed, a line each; then what is left to decide, and how to go on.
pub fn synced(page: &mut Page, sync: &Sync, err: &mut String) -> Vec<Told> {
    if sync.dry_run {
        page.ink(Ink::Faint, "dry run, nothing committed; the remote was not asked").end();
    }
    for commit in &sync.committed {
        match &commit.commit {
            Some(name) => {
                let subject = commit.message.lines().next().unwrap_or_default();
                page.text("committed ").ink(Ink::Name, name).text(" ").text(subject).end();
            }
            None => commit.message.trim_end().lines().for_each(|line| page.text(line).end()),
        }
    }
    let remote = sync.remote.as_deref().unwrap_or_default();
    if let Some(merged) = &sync.merged {
        let named = merged.files.iter().take(NAMED).map(String::as_str).collect::<Vec<_>>().join(" ");
        let more = merged.files.len().saturating_sub(NAMED);
        page.text("merged ").text(&commits(merged.commits)).text(" from ").text(remote);
        page.text(if named.is_empty() { "" } else { ": " }).text(&named);
        page.text(&if more > 0 { format!(" and {more} more") } else { String::new() }).end();
    }
    if sync.pushed > 0 {
        page.text("pushed ").text(&commits(sync.pushed)).text(" to ").text(remote).end();
    }
    sync.conflicts.iter().for_each(|file| left_file(page, file));
    for file in &sync.conflicts {
        try_(page, hints::spell(&Hint::new("resolve", file.path.clone()), &page.style.before));
    }
    sync.undecided.iter().for_each(|file| undecided(page, file, &sync.dir));
    if sync.left() {
        err.push_str("memdir: merge_conflict: git waits for a decision; decide, then sync again (or `git commit`; `git merge --abort` takes the merge back)\n");
    } else if !sync.changed && sync.committed.is_empty() {
        let remote = if remote.is_empty() || sync.dry_run { String::new() } else { format!(", in step with {remote}") };
        err.push_str("memdir: nothing to do");
        sanitize::line(err, &remote, page.style.terminal);
        err.push('\n');
    }
    sync.warnings.clone()
}

/// A file that a merge left as a whole, and the commands that decide about it.
fn undecided(page: &mut Page, file: &Undecided, dir: &str) {
    let what = match file.why {
        "removed_here" => "removed here, changed there",
        "removed_there" => "changed here, removed there",
        "both_moved" => "moved or removed on both sides",
        "decided" => "holds no markers, and git was not told that it is decided",
        "markers" => "holds conflict markers",
        "no_memory" => "is no file of this memory; decide in an editor",
        _ => "is no text that merges by bullet",
    };
    page.ink(Ink::Head, &file.path).text(": ").text(what).end();
    if file.why == "markers" {
        return try_(page, hints::spell(&Hint::new("resolve", file.path.clone()), &page.style.before));
    }
    let git = if dir.is_empty() { "git".to_owned() } else { format!("git -C {}", hints::quote(dir)) };
    let path = hints::quote(&file.path);
    try_(page, Some(format!("{git} add -- {path}")));
    if file.why.starts_with("removed") || file.why == "both_moved" {
        try_(page, Some(format!("{git} rm -- {path}")));
    }
}

fn commits(n: usize) -> String {
    if n == 1 { "1 commit".to_owned() } else { format!("{n} commits") }
}

fn try_(page: &mut Page, command: Option<String>) {
    if let Some(command) = command {
        page.text("try: ").text(&command).end();
    }
}

/// `line 9`, then what each side says there: bullets with their handles, else the first line of its text.
fn clash(page: &mut Page, conflict: &ClashRow) {
    page.ink(Ink::Faint, &format!("line {}", conflict.line)).end();
    let sides =
        [("base", conflict.base.as_deref()), ("ours", Some(&conflict.ours)), ("theirs", Some(&conflict.theirs))];
    for (side, text) in sides {
        let Some(text) = text else { continue };
        let mut bullets = conflict.bullets.iter().filter(|b| b.side == side).peekable();
        if bullets.peek().is_none() {
            let first = text.lines().find(|line| !line.trim().is_empty()).unwrap_or("(nothing)");
            page.text(&format!("  {side:<6} ")).text(&sanitize::cut(first, 100)).end();
        }
        for bullet in bullets {
            page.text(&format!("  {side:<6} ")).name(&bullet.handle, None).text(&bullet.text).end();
        }
    }
}
