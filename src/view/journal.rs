//! The journal as people ask for it: what stands, what was undone, what was changed from outside.
//!
//! Never reads a text: entries alone.

use std::collections::HashMap;

use crate::change::{Entry, Etag, Inverts, Outcome};
use crate::path::MemoryPath;

/// What became of a revision.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum State {
    /// It stands.
    Done,
    /// A later revision undid it.
    Undone {
        /// Which.
        by: u64,
    },
    /// It was put back before it was answered.
    PutBack,
    /// Its writer stopped; the next one decides.
    Pending,
}

/// The state of every revision, by its number.
pub fn states(entries: &[Entry]) -> HashMap<u64, State> {
    let mut states = HashMap::new();
    for entry in entries {
        let own = match entry.outcome {
            Outcome::Done => State::Done,
            Outcome::Undone => State::PutBack,
            Outcome::Pending => State::Pending,
        };
        states.insert(entry.rev, own);
        if own != State::Done {
            continue;
        }
        match entry.inverts {
            Some(Inverts::Undo(rev)) => {
                states.insert(rev, State::Undone { by: entry.rev });
                // What the undone revision had itself turned back stands again.
                if let Some(Inverts::Undo(before)) = inverts_of(entries, rev) {
                    states.insert(before, State::Done);
                }
            }
            Some(Inverts::Redo(rev)) => {
                states.insert(rev, State::Done);
            }
            None => {}
        }
    }
    states
}

fn inverts_of(entries: &[Entry], rev: u64) -> Option<Inverts> {
    entries.binary_search_by_key(&rev, |e| e.rev).ok().and_then(|i| entries[i].inverts)
}

/// The revision `undo` takes back: the newest that stands and is itself neither undo nor redo, by anybody or by one
/// actor, on files that match.
pub fn to_undo<'e>(entries: &'e [Entry], by: Option<&str>) -> Option<&'e Entry> {
    let states = states(entries);
    entries
        .iter()
        .rev()
        .filter(|e| {
            e.inverts.is_none() && states.get(&e.rev) == Some(&State::Done) && !e.files.is_empty() && !e.forgotten
        })
        .find(|e| by.is_none_or(|name| e.actor == name))
}

/// The revision `redo` brings back: the one that was undone last and still is.
pub fn to_redo(entries: &[Entry]) -> Option<&Entry> {
    let states = states(entries);
    let undone = |e: &&Entry| match states.get(&e.rev) {
        Some(State::Undone { by }) if e.inverts.is_none() => Some(*by),
        _ => None,
    };
    entries.iter().filter(|e| undone(e).is_some()).max_by_key(undone)
}

/// What the journal left in each file: the etag after its last revision (`None`: the file is gone), and which.
pub fn left(entries: &[Entry]) -> HashMap<&MemoryPath, (Option<Etag>, u64)> {
    let mut left = HashMap::new();
    for entry in entries.iter().filter(|e| e.outcome == Outcome::Done) {
        for file in &entry.files {
            left.insert(&file.path, (file.after, entry.rev));
        }
    }
    left
}

/// A change made outside memdir between two revisions (or before the first one that saw it).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Gap {
    /// The file.
    pub path: MemoryPath,
    /// The last revision before it.
    pub after_rev: u64,
    /// The revision that saw it.
    pub before_rev: u64,
}

/// The gaps in the chain of etags.
pub fn gaps(entries: &[Entry]) -> Vec<Gap> {
    let mut left: HashMap<&MemoryPath, (Option<Etag>, u64)> = HashMap::new();
    let mut gaps = Vec::new();
    for entry in entries.iter().filter(|e| e.outcome == Outcome::Done) {
        for file in &entry.files {
            if let Some((etag, rev)) = left.get(&file.path)
                && *etag != file.before
            {
                gaps.push(Gap { path: file.path.clone(), after_rev: *rev, before_rev: entry.rev });
            }
            left.insert(&file.path, (file.after, entry.rev));
        }
    }
    gaps
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::change::EntryFile;

    fn entry(rev: u64, actor: &str, inverts: Option<Inverts>, before: &str, after: &str) -> Entry {
        let etag = |t: &str| (!t.is_empty()).then(|| Etag::of(t.as_bytes()));
        Entry {
            rev,
            at: String::new(),
            actor: actor.into(),
            reason: None,
            source: None,
            request: None,
            answer: None,
            operations: Vec::new(),
            inverts,
            outcome: Outcome::Done,
            files: vec![EntryFile {
                path: MemoryPath::new("facts/a.md").unwrap(),
                before: etag(before),
                after: etag(after),
                mode: 0o600,
                edits: None,
                moved: None,
                summary: None,
            }],
            forgotten: false,
        }
    }

    #[test]
    fn undo_goes_further_back_and_redo_returns_in_reverse() {
        let mut log = vec![entry(1, "a", None, "", "1"), entry(2, "b", None, "1", "2"), entry(3, "a", None, "2", "3")];
        assert_eq!(to_undo(&log, None).map(|e| e.rev), Some(3));
        assert_eq!(to_undo(&log, Some("b")).map(|e| e.rev), Some(2));
        assert!(to_redo(&log).is_none());
        log.push(entry(4, "a", Some(Inverts::Undo(3)), "3", "2"));
        assert_eq!(to_undo(&log, None).map(|e| e.rev), Some(2));
        log.push(entry(5, "a", Some(Inverts::Undo(2)), "2", "1"));
        assert_eq!(to_redo(&log).map(|e| e.rev), Some(2));
        log.push(entry(6, "a", Some(Inverts::Redo(2)), "1", "2"));
        assert_eq!(to_redo(&log).map(|e| e.rev), Some(3));
        assert_eq!(states(&log)[&3], State::Undone { by: 4 });
        assert_eq!(states(&log)[&2], State::Done);
    }

    #[test]
    fn a_gap_is_an_outside_edit() {
        let log = vec![entry(1, "a", None, "", "1"), entry(2, "a", None, "x", "2")];
        assert_eq!(gaps(&log).len(), 1);
        assert_eq!(gaps(&log)[0].before_rev, 2);
    }
}
