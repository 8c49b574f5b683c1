//! The message of a commit: what changed, by whom, from where, told from the journal.
//!
//! Never holds memory text: reasons, names, sources and paths alone, each on a line that cannot break out of its place.

use serde_json::Value;

use super::memo::Memo;
use super::pending::{Counts, Piece};
use crate::change::{Entry, Inverts, Outcome};
use crate::view::journal::{self, State};

/// The trailer that names an operation: `r12 add facts/user.md`.
pub const OPERATION: &str = "Memdir-Op";
/// The most files that a message lists.
const FILES: usize = 40;
/// The most trailers of a kind.
const TRAILERS: usize = 40;
/// The most characters of a subject, and of any other line.
const SUBJECT: usize = 72;
const LINE: usize = 200;

/// What a message is made of.
pub struct Told<'a> {
    /// The files that are committed.
    pub pieces: &'a [Piece],
    /// The journal's entries about them that no commit tells of yet.
    pub entries: Vec<&'a Entry>,
    /// Files of scopes that memdir removed, and by which revision of their own journal.
    pub removed: Vec<(String, u64)>,
    /// What the caller gave as the reason.
    pub reason: Option<&'a str>,
    /// What a merge's own subject is, where one is concluded.
    pub subject: Option<&'a str>,
}

/// The entries that no commit tells of yet, about files that wait; `since` is when the commit was made.
pub fn untold<'e>(entries: &'e [Entry], memo: &Memo, since: Option<i64>, pieces: &[Piece]) -> Vec<&'e Entry> {
    let states = journal::states(entries);
    let last = entries.last().map_or(0, |e| e.rev);
    let fresh = |entry: &Entry| match memo.rev.filter(|rev| *rev <= last) {
        Some(rev) => entry.rev > rev,
        None => since.is_none_or(|since| entry.at.parse::<jiff::Timestamp>().is_ok_and(|at| at.as_second() >= since)),
    };
    let waits = |entry: &Entry| entry.files.iter().any(|f| pieces.iter().any(|p| p.path == f.path.as_str()));
    let stands = |entry: &Entry| entry.outcome == Outcome::Done && states.get(&entry.rev) == Some(&State::Done);
    let fits: Vec<&Entry> = entries.iter().filter(|e| stands(e) && fresh(e) && waits(e)).collect();
    // What was done and undone since is not told at all.
    let cancels = |e: &&Entry| match e.inverts {
        Some(Inverts::Undo(rev)) => entries.iter().any(|undone| undone.rev == rev && fresh(undone)),
        _ => false,
    };
    fits.into_iter().filter(|e| !cancels(e)).collect()
}

/// The whole message.
pub fn message(told: &Told<'_>) -> String {
    let mut out = subject(told);
    out.push_str("\n\n");
    for piece in told.pieces.iter().take(FILES) {
        out.push_str(&line(&file(piece), LINE));
        out.push('\n');
    }
    if told.pieces.len() > FILES {
        out.push_str(&format!("and {} more files\n", told.pieces.len() - FILES));
    }
    let trailers = trailers(&told.entries, &told.removed);
    if !trailers.is_empty() {
        out.push('\n');
        trailers.iter().for_each(|(key, value)| out.push_str(&format!("{key}: {value}\n")));
    }
    out
}

/// One reason when there is one, else what became of the bullets.
fn subject(told: &Told<'_>) -> String {
    let mut reasons: Vec<&str> = match told.reason {
        Some(reason) => vec![reason],
        None => told.entries.iter().filter_map(|e| e.reason.as_deref()).collect(),
    };
    reasons.dedup();
    let subject = match (told.subject, &reasons[..]) {
        (Some(subject), _) => line(subject, SUBJECT),
        (None, [one]) => line(one, SUBJECT),
        _ => String::new(),
    };
    if subject.is_empty() { counted(told.pieces) } else { subject }
}

/// `memory: 3 bullets added, 1 updated in 2 files`.
fn counted(pieces: &[Piece]) -> String {
    let sum = pieces.iter().fold(Counts::default(), |sum, piece| Counts {
        added: sum.added + piece.counts.added,
        updated: sum.updated + piece.counts.updated,
        moved: sum.moved + piece.counts.moved,
        set: sum.set + piece.counts.set,
        removed: sum.removed + piece.counts.removed,
    });
    let files = if pieces.len() == 1 { "1 file".to_owned() } else { format!("{} files", pieces.len()) };
    let parts = parts(&sum);
    match parts.split_once(' ') {
        None => format!("memory: {files} changed"),
        Some(("1", rest)) => format!("memory: 1 bullet {rest} in {files}"),
        Some((n, rest)) => format!("memory: {n} bullets {rest} in {files}"),
    }
}

/// `3 added, 1 updated`; empty where no bullet changed.
fn parts(counts: &Counts) -> String {
    let Counts { added, updated, moved, set, removed } = *counts;
    let all = [(added, "added"), (updated, "updated"), (moved, "moved"), (set, "set"), (removed, "removed")];
    let shown = all.iter().filter(|(n, _)| *n > 0).map(|(n, what)| format!("{n} {what}"));
    shown.collect::<Vec<_>>().join(", ")
}

/// `facts/user.md: new, 3 added (edited outside memdir)`.
fn file(piece: &Piece) -> String {
    let state = match (piece.new, piece.gone) {
        (true, _) => Some("new".to_owned()),
        (_, true) => Some("gone".to_owned()),
        _ => None,
    };
    let mut what: Vec<String> = state.into_iter().chain(Some(parts(&piece.counts))).collect();
    what.retain(|part| !part.is_empty());
    let what = if what.is_empty() { "changed".to_owned() } else { what.join(", ") };
    let outside = if piece.outside { " (edited outside memdir)" } else { "" };
    format!("{}: {what}{outside}", piece.path)
}

fn trailers(entries: &[&Entry], removed: &[(String, u64)]) -> Vec<(&'static str, String)> {
    let by = entries.iter().map(|e| e.actor.clone()).collect();
    let source = entries.iter().flat_map(|e| sources(e)).collect();
    let removed = removed.iter().map(|(path, rev)| format!("r{rev} rm {path}"));
    let operations = entries.iter().flat_map(|e| done(e)).chain(removed).collect();
    let kinds = [("Memdir-By", by), ("Memdir-Source", source), (OPERATION, operations)];
    kinds.into_iter().flat_map(|(key, values)| bounded(values).into_iter().map(move |value| (key, value))).collect()
}

/// Where an entry came from, as a whole and in its operations.
fn sources(entry: &Entry) -> Vec<String> {
    let parts = entry.operations.iter().filter_map(|op| Some(op.get("source")?.as_str()?.to_owned()));
    entry.source.clone().into_iter().chain(parts).collect()
}

/// `r12 add facts/user.md`, one for each verb and file.
fn done(entry: &Entry) -> Vec<String> {
    let files = entry.files.iter().map(|f| f.path.as_str());
    let verb = match entry.inverts {
        Some(Inverts::Undo(_)) => Some("undo"),
        Some(Inverts::Redo(_)) => Some("redo"),
        None => None,
    };
    if let Some(verb) = verb {
        return files.map(|file| format!("r{} {verb} {file}", entry.rev)).collect();
    }
    let verbs: Vec<&str> = entry.operations.iter().filter_map(|op| op.get("op").and_then(Value::as_str)).collect();
    let one = |file: &str| match &verbs[..] {
        [] => format!("r{} write {file}", entry.rev),
        [verb] => format!("r{} {verb} {file}", entry.rev),
        [first, rest @ ..] if rest.iter().all(|verb| verb == first) => format!("r{} {first} {file}", entry.rev),
        _ => format!("r{} apply {file}", entry.rev),
    };
    files.map(one).collect()
}

/// Each once, in order, so many and no more.
fn bounded(values: Vec<String>) -> Vec<String> {
    let mut out: Vec<String> = Vec::new();
    let mut more = 0;
    for value in values.iter().map(|value| line(value, LINE)).filter(|value| !value.is_empty()) {
        match out.contains(&value) {
            true => {}
            false if out.len() < TRAILERS => out.push(value),
            false => more += 1,
        }
    }
    if more > 0 {
        out.push(format!("and {more} more"));
    }
    out
}

/// A text as one line without anything that a terminal would act on, cut to so many characters.
pub fn line(text: &str, most: usize) -> String {
    let hidden =
        |c: char| matches!(c, '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2060}'..='\u{2069}' | '\u{feff}');
    let plain: String = text.chars().map(|c| if c.is_control() { ' ' } else { c }).filter(|c| !hidden(*c)).collect();
    let folded = plain.split_whitespace().collect::<Vec<_>>().join(" ");
    match folded.chars().count() > most {
        true => folded.chars().take(most - 1).chain(['…']).collect(),
        false => folded,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn piece(path: &str, added: usize, updated: usize) -> Piece {
        Piece { path: path.into(), counts: Counts { added, updated, ..Counts::default() }, ..Piece::default() }
    }

    #[test]
    fn bullets_are_counted() {
        assert_eq!(counted(&[piece("a.md", 1, 0)]), "memory: 1 bullet added in 1 file");
        assert_eq!(
            counted(&[piece("a.md", 2, 1), piece("b.md", 1, 0)]),
            "memory: 3 bullets added, 1 updated in 2 files"
        );
        assert_eq!(counted(&[piece("a.txt", 0, 0)]), "memory: 1 file changed");
        assert_eq!(
            file(&Piece { new: true, outside: true, ..piece("a.md", 2, 0) }),
            "a.md: new, 2 added (edited outside memdir)"
        );
    }

    #[test]
    fn nothing_breaks_out_of_its_line() {
        assert_eq!(line("a\nMemdir-By: root\u{1b}[2J\u{202e}", 72), "a Memdir-By: root [2J");
        assert_eq!(line(&"x".repeat(80), 72).chars().count(), 72);
        let many = bounded((0..50).map(|n| n.to_string()).chain(["1".to_owned()]).collect());
        assert_eq!((many.len(), many.last().map(String::as_str)), (TRAILERS + 1, Some("and 10 more")));
    }
}
