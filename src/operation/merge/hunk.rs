//! The pieces of a merged text: resolved text and conflicts.
//!
//! Never decides how a conflict is resolved.

use super::{ConflictLabels, MergeConflict, MergeOutcome, conflict_markers};

/// A piece of a merged text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum MergeHunk {
    Text(String),
    /// Both sides changed it differently.
    Conflict {
        base: String,
        ours: String,
        theirs: String,
    },
}

/// One of the three texts of a merge.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MergeSide {
    Base,
    Ours,
    Theirs,
}

impl MergeHunk {
    /// The hunk's text on one side.
    pub fn text_on(&self, side: MergeSide) -> &str {
        match (self, side) {
            (MergeHunk::Text(text), _) => text,
            (MergeHunk::Conflict { base, .. }, MergeSide::Base) => base,
            (MergeHunk::Conflict { ours, .. }, MergeSide::Ours) => ours,
            (MergeHunk::Conflict { theirs, .. }, MergeSide::Theirs) => theirs,
        }
    }
}

/// The text of all hunks on one side.
pub fn text_on(hunks: &[MergeHunk], side: MergeSide) -> String {
    hunks.iter().map(|p| p.text_on(side)).collect()
}

/// The basic rule of a three-way merge: the side that changed the value wins. `None` if both sides changed it
/// differently.
pub fn pick_changed<T: PartialEq>(base: Option<T>, ours: T, theirs: T) -> Option<T> {
    if ours == theirs || base.as_ref() == Some(&theirs) {
        Some(ours)
    } else if base.as_ref() == Some(&ours) {
        Some(theirs)
    } else {
        None
    }
}

/// The merged text, with markers around each conflict.
pub fn print_hunks(hunks: &[MergeHunk], labels: &ConflictLabels) -> MergeOutcome {
    let (mut text, mut conflicts) = (String::new(), Vec::new());
    let (mut lines, mut counted) = (0, 0);
    for hunk in hunks {
        match hunk {
            MergeHunk::Text(settled) => text.push_str(settled),
            MergeHunk::Conflict { base, ours, theirs } => {
                lines += memchr::memchr_iter(b'\n', &text.as_bytes()[counted..]).count();
                let open = usize::from(!text.is_empty() && !text.ends_with('\n'));
                counted = text.len();
                let line = lines + open + 1;
                let conflict = MergeConflict { line, base: base.clone(), ours: ours.clone(), theirs: theirs.clone() };
                conflict_markers::write_conflict(&mut text, &conflict, labels);
                conflicts.push(conflict);
            }
        }
    }
    MergeOutcome { text, conflicts }
}
