//! Merges and set-up as text.
//!
//! Never prints memory text raw, but for a merged text into a pipe.

use std::fmt::Write;

use super::sanitize;
use super::text::{Ink, Page};
use crate::commands::answer::{Merged, Setup};

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
    for finding in &setup.findings {
        page.text(finding).end();
    }
    if setup.findings.is_empty() && !setup.changed {
        err.push_str(if setup.wired { "memdir: git merges by bullet here\n" } else { "memdir: nothing to do\n" });
    }
}
