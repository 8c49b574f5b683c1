//! Merges and set-up as text.
//!
//! Never prints memory text raw, but for a merged text into a pipe.

use std::fmt::Write;

use super::text::{Ink, Page};
use super::{hints, sanitize};
use crate::code::Hint;
use crate::commands::answer::{ClashRow, Merged, Resolved, Setup};

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
        let n = file.conflicts.len();
        let many = if n == 1 { "1 conflict left".to_owned() } else { format!("{n} conflicts left") };
        page.ink(Ink::Head, &file.path).text(": ").text(&many).end();
        file.conflicts.iter().for_each(|conflict| clash(page, conflict));
        for verb in [["resolve", "--ours"], ["resolve", "--theirs"], ["resolve", "--both"]] {
            try_(page, hints::spell(&Hint { verb: verb.into(), address: vec![file.path.clone()] }, &page.style.before));
        }
    }
    for path in &resolved.add {
        let add = format!("git add -- {}", hints::quote(path));
        try_(page, Some(add));
    }
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
