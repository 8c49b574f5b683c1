//! Derives the state of revisions from the journal: which are in effect, which were undone, what was changed outside
//! memdir.
//!
//! Never reads a file's text: journal entries only.

use std::collections::HashMap;

use crate::change::{EntryOutcome, Etag, InverseKind, JournalEntry};
use crate::path::MemoryPath;

/// The actor of changes made outside memdir.
pub const OUTSIDE: &str = "outside";

/// The state of a revision.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RevisionState {
    /// In effect.
    Done,
    /// Undone by a later revision.
    Undone { by: u64 },
    /// Rolled back before it was reported as done.
    RolledBack,
    /// Interrupted; the next writer completes it or rolls it back.
    Pending,
}

/// The states of the revisions whose entries were added, oldest first.
#[derive(Default)]
pub struct RevisionStates {
    states: HashMap<u64, RevisionState>,
    inversions: HashMap<u64, InverseKind>,
}

impl RevisionStates {
    /// Adds the next entry.
    pub fn add(&mut self, entry: &JournalEntry) {
        let own = match entry.outcome {
            EntryOutcome::Done => RevisionState::Done,
            EntryOutcome::Undone => RevisionState::RolledBack,
            EntryOutcome::Pending => RevisionState::Pending,
        };
        self.states.insert(entry.rev, own);
        self.inversions.extend(entry.inverts.map(|inverts| (entry.rev, inverts)));
        if own != RevisionState::Done {
            return;
        }
        // What is undone may itself be an undo or redo: that takes back what it did to an older revision.
        let (mut newer, mut next, mut is_in_effect) = (entry.rev, entry.inverts, true);
        while let Some(InverseKind::Undo(rev) | InverseKind::Redo(rev)) = next
            && rev < newer
        {
            is_in_effect ^= matches!(next, Some(InverseKind::Undo(_)));
            let by = entry.rev;
            self.states.insert(rev, if is_in_effect { RevisionState::Done } else { RevisionState::Undone { by } });
            (newer, next) = (rev, self.inversions.get(&rev).copied());
        }
    }

    /// The state of a revision.
    pub fn get(&self, rev: u64) -> Option<&RevisionState> {
        self.states.get(&rev)
    }
}

/// The state of every revision, by number.
pub fn revision_states(entries: &[JournalEntry]) -> HashMap<u64, RevisionState> {
    let mut states = RevisionStates::default();
    entries.iter().for_each(|entry| states.add(entry));
    states.states
}

/// The revision that `undo` reverts: the newest in effect that is neither undo nor redo, changed a file and was not
/// forgotten. `by` limits it to one actor; without it, proposals that others than the `caller` left in `inbox/` do not
/// count, because they changed nothing yet, nor do changes made outside memdir, which are revisions in an imported
/// history.
pub fn revision_to_undo<'e>(entries: &'e [JournalEntry], by: Option<&str>, caller: &str) -> Option<&'e JournalEntry> {
    let states = revision_states(entries);
    entries
        .iter()
        .rev()
        .filter(|e| {
            e.inverts.is_none()
                && states.get(&e.rev) == Some(&RevisionState::Done)
                && !e.files.is_empty()
                && !e.forgotten
        })
        .find(|e| match by {
            Some(name) => e.is_by(name),
            None => e.header.actor == caller || e.header.actor != OUTSIDE && !only_adds_proposals(e),
        })
}

fn only_adds_proposals(entry: &JournalEntry) -> bool {
    entry.files.iter().all(|file| file.path.is_in_inbox() && file.before.is_none())
}

/// The revision that `redo` restores: the one undone last and not redone yet.
pub fn revision_to_redo(entries: &[JournalEntry]) -> Option<&JournalEntry> {
    let states = revision_states(entries);
    let undone = |e: &&JournalEntry| match states.get(&e.rev) {
        Some(RevisionState::Undone { by }) => e.inverts.is_none().then_some(*by),
        Some(RevisionState::Done | RevisionState::RolledBack | RevisionState::Pending) | None => None,
    };
    entries.iter().filter(|e| undone(e).is_some()).max_by_key(undone)
}

/// For each file the etag after its last revision (`None`: deleted) and that revision's number.
pub fn last_etags(entries: &[JournalEntry]) -> HashMap<&MemoryPath, (Option<Etag>, u64)> {
    let mut last = HashMap::new();
    for entry in entries.iter().filter(|e| e.outcome == EntryOutcome::Done) {
        for file in &entry.files {
            last.insert(&file.path, (file.after, entry.rev));
        }
    }
    last
}

/// A change made outside memdir between two revisions, or before the first revision that found it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OutsideEdit {
    pub path: MemoryPath,
    /// The last revision before the change.
    pub after_rev: u64,
    /// The first revision after the change.
    pub before_rev: u64,
    /// The file after the change; `None`: it was removed.
    pub etag: Option<Etag>,
}

/// Finds changes made outside memdir: a file whose etag before a revision differs from the etag after its previous one.
/// Entries are added oldest first.
#[derive(Default)]
pub struct OutsideEditFinder {
    /// For each file the etag after its last revision (`None`: deleted) and that revision's number.
    pub last: HashMap<MemoryPath, (Option<Etag>, u64)>,
}

impl OutsideEditFinder {
    /// Adds the next entry, and calls `found` with each change between it and those before.
    pub fn add(&mut self, entry: &JournalEntry, mut found: impl FnMut(OutsideEdit)) {
        for file in entry.files.iter().filter(|_| entry.outcome == EntryOutcome::Done) {
            let Some(last) = self.last.get_mut(&file.path) else {
                self.last.insert(file.path.clone(), (file.after, entry.rev));
                continue;
            };
            let (etag, rev) = std::mem::replace(last, (file.after, entry.rev));
            if etag != file.before {
                let path = file.path.clone();
                found(OutsideEdit { path, after_rev: rev, before_rev: entry.rev, etag: file.before });
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::change::{EntryFile, EntryHeader};

    fn entry(rev: u64, actor: &str, inverts: Option<InverseKind>, before: &str, after: &str) -> JournalEntry {
        let etag = |t: &str| (!t.is_empty()).then(|| Etag::of(t.as_bytes()));
        JournalEntry {
            rev,
            header: EntryHeader { actor: actor.into(), ..EntryHeader::default() },
            answer: None,
            operations: Vec::new(),
            inverts,
            outcome: EntryOutcome::Done,
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
    fn undo_passes_over_proposals_of_others_unless_it_names_them() {
        let mut proposal = entry(2, "bot", None, "", "2");
        proposal.files[0].path = MemoryPath::new("inbox/p20d2c8.md").unwrap();
        let mut rejected = entry(3, "ana", None, "2", "");
        rejected.files[0].path = MemoryPath::new("inbox/p20d2c8.md").unwrap();
        let mut log = vec![entry(1, "ana", None, "", "1"), proposal];
        let undone = |log: &[_], by, caller| revision_to_undo(log, by, caller).map(|e| e.rev);
        assert_eq!(undone(&log, None, "ana"), Some(1));
        assert_eq!(undone(&log, None, "bot"), Some(2));
        assert_eq!(undone(&log, Some("bot"), "ana"), Some(2));
        log.push(rejected);
        assert_eq!(undone(&log, None, "bot"), Some(3));
    }

    #[test]
    fn undo_passes_over_changes_of_other_programs_unless_it_names_them() {
        let log =
            [entry(1, OUTSIDE, None, "", "1"), entry(2, "ana", None, "1", "2"), entry(3, OUTSIDE, None, "2", "3")];
        let undone = |log: &[_], by| revision_to_undo(log, by, "bot").map(|e| e.rev);
        assert_eq!((undone(&log, None), undone(&log, Some(OUTSIDE))), (Some(2), Some(3)));
        assert_eq!(undone(&log[..1], None), None);
    }

    #[test]
    fn undo_goes_further_back_and_redo_returns_in_reverse() {
        let mut log = vec![entry(1, "a", None, "", "1"), entry(2, "b", None, "1", "2"), entry(3, "a", None, "2", "3")];
        assert_eq!(revision_to_undo(&log, None, "a").map(|e| e.rev), Some(3));
        assert_eq!(revision_to_undo(&log, Some("b"), "a").map(|e| e.rev), Some(2));
        assert!(revision_to_redo(&log).is_none());
        log.push(entry(4, "a", Some(InverseKind::Undo(3)), "3", "2"));
        assert_eq!(revision_to_undo(&log, None, "a").map(|e| e.rev), Some(2));
        log.push(entry(5, "a", Some(InverseKind::Undo(2)), "2", "1"));
        assert_eq!(revision_to_redo(&log).map(|e| e.rev), Some(2));
        log.push(entry(6, "a", Some(InverseKind::Redo(2)), "1", "2"));
        assert_eq!(revision_to_redo(&log).map(|e| e.rev), Some(3));
        assert_eq!(revision_states(&log)[&3], RevisionState::Undone { by: 4 });
        assert_eq!(revision_states(&log)[&2], RevisionState::Done);
    }

    #[test]
    fn an_undone_redo_or_undo_takes_back_what_it_did() {
        let undo = |rev, of, from, to| entry(rev, "a", Some(InverseKind::Undo(of)), from, to);
        let redo = entry(3, "a", Some(InverseKind::Redo(1)), "", "1");
        for third in [redo, undo(3, 2, "", "1")] {
            let mut log = vec![entry(1, "a", None, "", "1"), undo(2, 1, "1", ""), third, undo(4, 3, "1", "")];
            assert_eq!(revision_states(&log)[&1], RevisionState::Undone { by: 4 });
            assert_eq!(revision_to_redo(&log).map(|e| e.rev), Some(1));
            log.push(undo(5, 4, "", "1"));
            assert_eq!(revision_states(&log)[&1], RevisionState::Done);
            assert_eq!(revision_states(&log)[&4], RevisionState::Undone { by: 5 });
            assert_eq!(revision_states(&log)[&3], RevisionState::Done);
        }
    }

    #[test]
    fn a_gap_is_an_outside_edit() {
        let log = [entry(1, "a", None, "", "1"), entry(2, "a", None, "x", "2")];
        let (mut finder, mut edits) = (OutsideEditFinder::default(), Vec::new());
        log.iter().for_each(|entry| finder.add(entry, |edit| edits.push((edit.after_rev, edit.before_rev))));
        assert_eq!(edits, [(1, 2)]);
        assert_eq!(finder.last[&MemoryPath::new("facts/a.md").unwrap()].1, 2);
    }
}
