//! Text output of `merge`, `setup`, `resolve` and `sync`.
//!
//! Never prints memory text unescaped, except a merged text to a pipe.

use std::fmt::Write;

use super::text::{Printer, TextStyle};
use super::{hints, sanitize};
use crate::code::Hint;
use crate::commands::answer::{
    ConflictRow, ConflictedFile, MergeResult, ResolveResult, SetupResult, SyncResult, UndecidedFile, WarningRow,
};

/// Prints only the merged text to stdout, and the number of conflicts to stderr.
pub fn merge_result(printer: &mut Printer, merged: &MergeResult, err: &mut String) {
    match (&merged.out, printer.format.terminal) {
        (Some(_), _) => {}
        (None, true) => sanitize::escape_lines(&mut printer.out, &merged.text, true),
        (None, false) => printer.out.push_str(&merged.text),
    }
    if !merged.clean {
        let lines: Vec<String> = merged.clashes.iter().take(20).map(|clash| clash.line.to_string()).collect();
        let many = if merged.clashes.len() == 1 { "conflict is" } else { "conflicts are" };
        let n = merged.clashes.len();
        let _ = writeln!(err, "memdir: merge_conflict: {n} {many} left, in line {}", lines.join(", "));
    }
}

/// Prints the lines added and removed in each file.
pub fn setup(printer: &mut Printer, setup: &SetupResult, err: &mut String) {
    if setup.dry_run {
        printer.styled(TextStyle::Dim, "dry run, nothing written").end_line();
    }
    for file in &setup.files {
        printer.styled(TextStyle::Heading, &file.path).end_line();
        for line in &file.lines {
            let style = if line.sign == "+" { TextStyle::Added } else { TextStyle::Removed };
            printer.styled(style, line.sign).text(" ").text(&line.text).end_line();
        }
    }
    if setup.wired && setup.changed && !setup.dry_run {
        err.push_str("memdir: commit these changes, and run `memdir setup git` once in every other clone\n");
    }
    for finding in &setup.findings {
        printer.text(finding).end_line();
    }
    if setup.findings.is_empty() && !setup.changed {
        err.push_str(if setup.wired { "memdir: git merges by bullet here\n" } else { "memdir: nothing to do\n" });
    }
}

/// Prints the unresolved conflicts with the bullets of both sides, and the commands to continue.
pub fn unresolved(printer: &mut Printer, resolved: &ResolveResult) {
    for file in &resolved.left {
        unresolved_file(printer, file);
        for verb in [["resolve", "--ours"], ["resolve", "--theirs"], ["resolve", "--both"]] {
            try_line(
                printer,
                hints::to_command(
                    &Hint { verb: verb.into(), operands: vec![file.path.clone()] },
                    &printer.format.dir_option,
                ),
            );
        }
    }
    for path in &resolved.add {
        let add = format!("git add -- {}", hints::shell_quote(path));
        try_line(printer, Some(add));
    }
}

fn unresolved_file(printer: &mut Printer, file: &ConflictedFile) {
    let n = file.conflicts.len();
    let count = if n == 1 { "1 conflict left".to_owned() } else { format!("{n} conflicts left") };
    printer.styled(TextStyle::Heading, &file.path).text(": ").text(&count).end_line();
    file.conflicts.iter().for_each(|conflict| conflict_sides(printer, conflict));
}

/// The most file names in one line.
const MAX_NAMED_FILES: usize = 5;

/// Prints what was committed, merged and pushed, then the unresolved conflicts and the commands to continue.
pub fn sync_result(printer: &mut Printer, sync: &SyncResult, err: &mut String) -> Vec<WarningRow> {
    if sync.dry_run {
        printer.styled(TextStyle::Dim, "dry run, nothing committed; the remote was not contacted").end_line();
    }
    for commit in &sync.committed {
        match &commit.commit {
            Some(name) => {
                let subject = commit.message.lines().next().unwrap_or_default();
                printer.text("committed ").styled(TextStyle::Handle, name).text(" ").text(subject).end_line();
            }
            None => commit.message.trim_end().lines().for_each(|line| printer.text(line).end_line()),
        }
    }
    let remote = sync.remote.as_deref().unwrap_or_default();
    if let Some(merged) = &sync.merged {
        let names = merged.files.iter().take(MAX_NAMED_FILES).map(String::as_str).collect::<Vec<_>>().join(" ");
        let more = merged.files.len().saturating_sub(MAX_NAMED_FILES);
        printer.text("merged ").text(&commit_count(merged.commits)).text(" from ").text(remote);
        printer.text(if names.is_empty() { "" } else { ": " }).text(&names);
        printer.text(&if more > 0 { format!(" and {more} more") } else { String::new() }).end_line();
    }
    if sync.pushed > 0 {
        printer.text("pushed ").text(&commit_count(sync.pushed)).text(" to ").text(remote).end_line();
    }
    sync.conflicts.iter().for_each(|file| unresolved_file(printer, file));
    for file in &sync.conflicts {
        try_line(printer, hints::to_command(&Hint::new("resolve", file.path.clone()), &printer.format.dir_option));
    }
    sync.undecided.iter().for_each(|file| undecided_file(printer, file, &sync.dir));
    if sync.needs_decision() {
        err.push_str("memdir: merge_conflict: the merge is not finished; resolve the conflicts, then sync again (or `git commit`; `git merge --abort` cancels the merge)\n");
    } else if !sync.changed && sync.committed.is_empty() {
        let remote =
            if remote.is_empty() || sync.dry_run { String::new() } else { format!(", up to date with {remote}") };
        err.push_str("memdir: nothing to do");
        sanitize::escape_line(err, &remote, printer.format.terminal);
        err.push('\n');
    }
    sync.warnings.clone()
}

/// Prints a file that could not be merged by bullet, and the commands that resolve it.
fn undecided_file(printer: &mut Printer, file: &UndecidedFile, dir: &str) {
    let description = match file.why {
        "removed_here" => "removed here, changed there",
        "removed_there" => "changed here, removed there",
        "both_moved" => "moved or removed on both sides",
        "decided" => "has no conflict markers, but is not marked as resolved in git",
        "markers" => "contains conflict markers",
        "no_memory" => "is not a file of this memory; resolve it in an editor",
        _ => "cannot be merged by bullet",
    };
    printer.styled(TextStyle::Heading, &file.path).text(": ").text(description).end_line();
    if file.why == "markers" {
        return try_line(
            printer,
            hints::to_command(&Hint::new("resolve", file.path.clone()), &printer.format.dir_option),
        );
    }
    let git = if dir.is_empty() { "git".to_owned() } else { format!("git -C {}", hints::shell_quote(dir)) };
    let path = hints::shell_quote(&file.path);
    try_line(printer, Some(format!("{git} add -- {path}")));
    if file.why.starts_with("removed") || file.why == "both_moved" {
        try_line(printer, Some(format!("{git} rm -- {path}")));
    }
}

fn commit_count(n: usize) -> String {
    if n == 1 { "1 commit".to_owned() } else { format!("{n} commits") }
}

fn try_line(printer: &mut Printer, command: Option<String>) {
    if let Some(command) = command {
        printer.text("try: ").text(&command).end_line();
    }
}

/// Prints `line 9`, then each side's bullets with their handles, or the first line of its text.
fn conflict_sides(printer: &mut Printer, conflict: &ConflictRow) {
    printer.styled(TextStyle::Dim, &format!("line {}", conflict.line)).end_line();
    let sides =
        [("base", conflict.base.as_deref()), ("ours", Some(&conflict.ours)), ("theirs", Some(&conflict.theirs))];
    for (side, text) in sides {
        let Some(text) = text else { continue };
        let mut bullets = conflict.bullets.iter().filter(|b| b.side == side).peekable();
        if bullets.peek().is_none() {
            let first = text.lines().find(|line| !line.trim().is_empty()).unwrap_or("(nothing)");
            printer.text(&format!("  {side:<6} ")).text(&sanitize::truncate(first, 100)).end_line();
        }
        for bullet in bullets {
            printer.text(&format!("  {side:<6} ")).handle(&bullet.handle, None).text(&bullet.text).end_line();
        }
    }
}
