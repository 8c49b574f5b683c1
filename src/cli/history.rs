//! The journal and differences as text.
//!
//! Never prints memory text raw, and never reads a clock.

use std::fmt::Write;

use super::output::Layout;
use super::text::{Ink, Page, effects, file_head};
use crate::commands::answer::{ChangedFile, Diff, Log, LogRow};

/// Entries, newest first.
pub fn log(page: &mut Page, log: &Log, err: &mut String) {
    for entry in &log.entries {
        row(page, entry);
        for file in &entry.effects {
            file_head(page, file, None);
            effects(page, &file.effects);
        }
        if let Some(diff) = &entry.diff {
            page.diff(diff);
        }
    }
    if log.more > 0 {
        let _ = writeln!(err, "memdir: {} older entries left out; raise -L", log.more);
    }
    match &log.since {
        None if log.entries.is_empty() => err.push_str("memdir: no history on this machine yet\n"),
        Some(since) if page.style.verbose => drop(writeln!(err, "memdir: history since {since}")),
        _ => {}
    }
}

/// `r41 2026-11-20 14:02Z claude: add 2, rm; facts/user.md (why)`.
fn row(page: &mut Page, entry: &LogRow) {
    page.ink(Ink::Name, entry.rev.as_deref().unwrap_or("--"));
    if let Some(at) = &entry.at {
        page.text(" ").ink(Ink::Faint, &minute(at));
    }
    page.text(" ").text(&entry.actor);
    match entry.state {
        // What they are is said by `what`.
        "done" | "outside" | "unrecorded" => {}
        state => drop(page.text(" (").text(state).text(")")),
    }
    if !entry.what.is_empty() {
        page.text(": ").text(&entry.what);
    }
    if !entry.files.is_empty() {
        page.text("; ").text(&entry.files.join(" "));
    }
    for (label, value) in [("why", &entry.reason), ("from", &entry.source)] {
        if let Some(value) = value {
            page.text(&format!(" ({label}: ")).text(value).text(")");
        }
    }
    page.end();
}

/// An RFC 3339 time in UTC, to the minute.
fn minute(at: &str) -> String {
    match (at.get(..10), at.get(10..16), at.ends_with('Z')) {
        (Some(day), Some(time), true) => format!("{day} {}Z", &time[1..]),
        _ => at.to_owned(),
    }
}

/// Differences: lines, bullets, or counts.
pub fn diff(page: &mut Page, diff: &Diff, layout: Layout) {
    match layout {
        Layout::Stat => {
            diff.files.iter().for_each(|file| counted(page, file));
        }
        Layout::Bullets => {
            for file in &diff.files {
                file_head(page, file, None);
                effects(page, &file.effects);
            }
        }
        _ => page.diff(&diff.diff),
    }
}

/// `+2 bullets, 1 updated, 1 moved in facts/user.md`.
fn counted(page: &mut Page, file: &ChangedFile) {
    let bullets = || file.effects.iter().filter(|e| e.handle.is_some());
    let of = |sign: &str, set: bool| bullets().filter(|e| e.sign == sign && e.set.is_some() == set).count();
    let plural = |n: usize| if n == 1 { "bullet" } else { "bullets" };
    let mut parts = Vec::new();
    for (sign, n) in [("+", of("+", false)), ("-", of("-", false))] {
        if n > 0 {
            parts.push(format!("{sign}{n} {}", plural(n)));
        }
    }
    for (n, word) in [(of("~", false), "updated"), (of(">", false), "moved"), (of("~", true), "with new metadata")] {
        if n > 0 {
            parts.push(format!("{n} {word}"));
        }
    }
    if parts.is_empty() {
        parts.push(if file.to.is_some() { "no bullet changed" } else { "other text" }.to_owned());
    }
    page.text(&parts.join(", ")).text(" in ").ink(Ink::Head, &file.path);
    if let Some(to) = &file.to {
        page.text(" → ").ink(Ink::Head, to);
    }
    match file.kind {
        "created" => drop(page.text(" (new file)")),
        "removed" => drop(page.text(" (removed)")),
        _ => {}
    }
    page.end();
}
