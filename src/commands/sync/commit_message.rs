//! The commit message: what changed, by whom and from which source, according to the journal.
//!
//! Never contains memory text, only reasons, names, sources and paths, each sanitized to a single line.

use std::borrow::Cow;
use std::collections::HashSet;

use serde_json::Value;

use super::pending::{BulletCounts, PendingChange};
use super::sync_state::SyncState;
use crate::change::{EntryOutcome, InverseKind, JournalEntry};
use crate::text::counted_noun::counted_noun;
use crate::text::invisible_chars::{is_filler, is_invisible, is_joiner};
use crate::text::one_line::collapse_whitespace;
use crate::text::secrets::redact;
use crate::view::journal::{self, RevisionState};

/// Trailer key of an operation: `r12 add facts/user.md`.
pub const OPERATION_TRAILER: &str = "Memdir-Op";
/// Trailer key of a file that memdir removed, moved away or emptied: its path. The other clones need all of them.
pub const REMOVED_TRAILER: &str = "Memdir-Removed";
/// How many files a message lists.
const MAX_FILES: usize = 40;
/// How many trailers of one key a message has.
const MAX_TRAILERS: usize = 40;
/// Maximum length of a subject and of any other line, in characters.
const MAX_SUBJECT_CHARS: usize = 72;
const MAX_LINE_CHARS: usize = 200;

/// The input of a message.
pub struct CommitDetails<'a> {
    /// The files to commit.
    pub changes: &'a [PendingChange],
    /// Journal entries about these files that no commit describes yet.
    pub entries: Vec<&'a JournalEntry>,
    /// The files that memdir removed or emptied.
    pub removed: HashSet<String>,
    /// The reason that the caller gives, which replaces those of the entries.
    pub reason: Option<&'a str>,
    /// The subject of a merge commit.
    pub subject: Option<&'a str>,
    /// Whether secrets are left out of reasons and sources: the journal may have some from another policy.
    pub redacts_secrets: bool,
}

impl CommitDetails<'_> {
    fn redacted<'t>(&self, text: &'t str) -> Cow<'t, str> {
        if self.redacts_secrets { redact(text).0.into() } else { text.into() }
    }
}

/// The journal entries about the pending files that no commit describes yet. `since` is the time of the last commit, in
/// seconds since the epoch; it is used when no revision is recorded.
pub fn undescribed_entries<'e>(
    entries: &'e [JournalEntry],
    sync_state: &SyncState,
    since: Option<i64>,
    changes: &[PendingChange],
) -> Vec<&'e JournalEntry> {
    let states = journal::revision_states(entries);
    let last = entries.last().map_or(0, |e| e.rev);
    let is_new = |entry: &JournalEntry| match sync_state.rev.filter(|rev| *rev <= last) {
        Some(rev) => entry.rev > rev,
        None => {
            since.is_none_or(|since| entry.header.at.parse::<jiff::Timestamp>().is_ok_and(|at| at.as_second() >= since))
        }
    };
    let is_pending =
        |entry: &JournalEntry| entry.files.iter().any(|f| changes.iter().any(|p| p.path == f.path.as_str()));
    let is_done = |entry: &JournalEntry| {
        entry.outcome == EntryOutcome::Done && states.get(&entry.rev) == Some(&RevisionState::Done)
    };
    let candidates: Vec<&JournalEntry> = entries.iter().filter(|e| is_done(e) && is_new(e) && is_pending(e)).collect();
    // A change that was undone since the last commit is left out, together with its undo.
    let is_cancelling = |e: &&JournalEntry| match e.inverts {
        Some(InverseKind::Undo(rev)) => entries.iter().any(|undone| undone.rev == rev && is_new(undone)),
        Some(InverseKind::Redo(_)) | None => false,
    };
    candidates.into_iter().filter(|e| !is_cancelling(e)).collect()
}

/// Builds the whole message.
pub fn format_message(details: &CommitDetails<'_>) -> String {
    let mut out = subject(details);
    out.push_str("\n\n");
    for change in details.changes.iter().take(MAX_FILES) {
        out.push_str(&single_line(&file_line(change), MAX_LINE_CHARS));
        out.push('\n');
    }
    if details.changes.len() > MAX_FILES {
        out.push_str(&format!("and {} more files\n", details.changes.len() - MAX_FILES));
    }
    let trailers = trailers(details);
    if !trailers.is_empty() {
        out.push('\n');
        trailers.iter().for_each(|(key, value)| out.push_str(&format!("{key}: {value}\n")));
    }
    out
}

/// The reason if there is exactly one, else the number of changed bullets.
fn subject(details: &CommitDetails<'_>) -> String {
    let mut reasons: Vec<&str> = match details.reason {
        Some(reason) => vec![reason],
        None => details.entries.iter().filter_map(|e| e.header.reason.as_deref()).collect(),
    };
    reasons.dedup();
    let subject = match (details.subject, &reasons[..]) {
        (Some(subject), _) => single_line(&details.redacted(subject), MAX_SUBJECT_CHARS),
        (None, [reason]) => single_line(&details.redacted(reason), MAX_SUBJECT_CHARS),
        _ => String::new(),
    };
    if subject.is_empty() { count_summary(details.changes) } else { subject }
}

/// `memory: 3 bullets added, 1 updated in 2 files`.
fn count_summary(changes: &[PendingChange]) -> String {
    let sum = changes.iter().fold(BulletCounts::default(), |sum, change| BulletCounts {
        added: sum.added + change.counts.added,
        updated: sum.updated + change.counts.updated,
        moved: sum.moved + change.counts.moved,
        set: sum.set + change.counts.set,
        removed: sum.removed + change.counts.removed,
    });
    let files = counted_noun(changes.len(), "file");
    let counts = count_list(&sum);
    match counts.split_once(' ') {
        None => format!("memory: {files} changed"),
        Some(("1", rest)) => format!("memory: 1 bullet {rest} in {files}"),
        Some((n, rest)) => format!("memory: {n} bullets {rest} in {files}"),
    }
}

/// `3 added, 1 updated`; empty if no bullet changed.
fn count_list(counts: &BulletCounts) -> String {
    let BulletCounts { added, updated, moved, set, removed } = *counts;
    let all = [(added, "added"), (updated, "updated"), (moved, "moved"), (set, "set"), (removed, "removed")];
    let shown = all.iter().filter(|(n, _)| *n > 0).map(|(n, what)| format!("{n} {what}"));
    shown.collect::<Vec<_>>().join(", ")
}

/// `facts/user.md: new, 3 added (edited outside memdir)`.
fn file_line(change: &PendingChange) -> String {
    let state = match (change.new, change.gone) {
        (true, _) => Some("new".to_owned()),
        (_, true) => Some("gone".to_owned()),
        _ => None,
    };
    let mut parts: Vec<String> = state.into_iter().chain(Some(count_list(&change.counts))).collect();
    parts.retain(|part| !part.is_empty());
    let what = if parts.is_empty() { "changed".to_owned() } else { parts.join(", ") };
    let suffix = if change.edited_outside { " (edited outside memdir)" } else { "" };
    format!("{}: {what}{suffix}", change.path)
}

fn trailers(details: &CommitDetails<'_>) -> Vec<(&'static str, String)> {
    let entries = &details.entries;
    let by = entries.iter().map(|e| e.header.actor.clone()).collect();
    let source = entries.iter().flat_map(|e| sources(e)).map(|source| details.redacted(&source).into_owned()).collect();
    let mut removed: Vec<&String> = details.removed.iter().filter(|path| !path.contains(char::is_control)).collect();
    removed.sort_unstable();
    // The journals of scopes are not read. Older versions of memdir look for all removals among the operations.
    let in_scopes = removed.iter().filter(|path| path.starts_with("scopes/")).map(|path| format!("r0 rm {path}"));
    let operations = entries.iter().flat_map(|e| operation_lines(e)).chain(in_scopes).collect();
    let kinds = [("Memdir-By", by), ("Memdir-Source", source), (OPERATION_TRAILER, operations)];
    let lines = kinds.into_iter().flat_map(|(key, values)| limited(values).into_iter().map(move |value| (key, value)));
    lines.chain(removed.into_iter().map(|path| (REMOVED_TRAILER, path.clone()))).collect()
}

/// The sources of an entry and of its operations.
fn sources(entry: &JournalEntry) -> Vec<String> {
    let parts = entry.operations.iter().filter_map(|op| Some(op.get("source")?.as_str()?.to_owned()));
    entry.header.source.clone().into_iter().chain(parts).collect()
}

/// `r12 add facts/user.md`, one line for each file.
fn operation_lines(entry: &JournalEntry) -> Vec<String> {
    let files = entry.files.iter().map(|f| f.path.as_str());
    let verb = match entry.inverts {
        Some(InverseKind::Undo(_)) => Some("undo"),
        Some(InverseKind::Redo(_)) => Some("redo"),
        None => None,
    };
    if let Some(verb) = verb {
        return files.map(|file| format!("r{} {verb} {file}", entry.rev)).collect();
    }
    let verbs: Vec<&str> = entry.operations.iter().filter_map(|op| op.get("op").and_then(Value::as_str)).collect();
    let line_for = |file: &str| match &verbs[..] {
        [] => format!("r{} write {file}", entry.rev),
        [verb] => format!("r{} {verb} {file}", entry.rev),
        [first, rest @ ..] if rest.iter().all(|verb| verb == first) => format!("r{} {first} {file}", entry.rev),
        _ => format!("r{} apply {file}", entry.rev),
    };
    files.map(line_for).collect()
}

/// Removes duplicates, keeps the order, and limits the number of values.
fn limited(values: Vec<String>) -> Vec<String> {
    let mut out: Vec<String> = Vec::new();
    let mut more = 0;
    for value in values.iter().map(|value| single_line(value, MAX_LINE_CHARS)).filter(|value| !value.is_empty()) {
        match out.contains(&value) {
            true => {}
            false if out.len() < MAX_TRAILERS => out.push(value),
            false => more += 1,
        }
    }
    if more > 0 {
        out.push(format!("and {more} more"));
    }
    out
}

/// The text as one line of at most `most` characters, without control, bidirectional and zero-width characters.
pub fn single_line(text: &str, max_chars: usize) -> String {
    let hidden = |c: char| is_invisible(c) || is_filler(c) || is_joiner(c);
    let sanitized: String =
        text.chars().map(|c| if c.is_control() { ' ' } else { c }).filter(|c| !hidden(*c)).collect();
    let collapsed = collapse_whitespace(&sanitized);
    if collapsed.chars().count() > max_chars {
        collapsed.chars().take(max_chars - 1).chain(['…']).collect()
    } else {
        collapsed
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn piece(path: &str, added: usize, updated: usize) -> PendingChange {
        PendingChange {
            path: path.into(),
            counts: BulletCounts { added, updated, ..BulletCounts::default() },
            ..PendingChange::default()
        }
    }

    #[test]
    fn bullets_are_counted() {
        assert_eq!(count_summary(&[piece("a.md", 1, 0)]), "memory: 1 bullet added in 1 file");
        assert_eq!(
            count_summary(&[piece("a.md", 2, 1), piece("b.md", 1, 0)]),
            "memory: 3 bullets added, 1 updated in 2 files"
        );
        assert_eq!(count_summary(&[piece("a.txt", 0, 0)]), "memory: 1 file changed");
        assert_eq!(
            file_line(&PendingChange { new: true, edited_outside: true, ..piece("a.md", 2, 0) }),
            "a.md: new, 2 added (edited outside memdir)"
        );
    }

    #[test]
    fn nothing_breaks_out_of_its_line() {
        assert_eq!(single_line("a\nMemdir-By: root\u{1b}[2J\u{202e}", 72), "a Memdir-By: root [2J");
        assert_eq!(single_line(&"x".repeat(80), 72).chars().count(), 72);
        let many = limited((0..50).map(|n| n.to_string()).chain(["1".to_owned()]).collect());
        assert_eq!((many.len(), many.last().map(String::as_str)), (MAX_TRAILERS + 1, Some("and 10 more")));
    }
}
