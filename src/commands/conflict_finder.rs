//! Tells whether conflict markers in a block of code are an example or a conflict: one that git lists as unmerged.
//!
//! Never asks git unless a text has such markers, and asks it once.

use std::collections::HashSet;
use std::sync::OnceLock;

use super::Session;
use crate::code::Rejection;
use crate::document::{Document, first_marker_line};
use crate::host::git::Git;
use crate::operation::Snapshot;
use crate::operation::validation::conflict_markers_rejection;
use crate::path::MemoryPath;

/// Finds the conflicts of files. What git lists as unmerged is read when it is needed.
pub(super) struct ConflictFinder<'a> {
    session: &'a Session,
    paths: OnceLock<HashSet<String>>,
}

impl<'a> ConflictFinder<'a> {
    pub(super) fn new(session: &'a Session) -> ConflictFinder<'a> {
        ConflictFinder { session, paths: OnceLock::new() }
    }

    /// Line number (1-based) of the first conflict marker of a file; `None` if it has none, or examples only.
    pub(super) fn conflict_line(&self, path: &MemoryPath, document: &Document) -> Option<usize> {
        let in_code = || document.example_marker_line().filter(|_| self.contain(path));
        document.conflict_marker_line().or_else(in_code)
    }

    /// Whether a text of a file has a conflict.
    pub(super) fn has_conflict(&self, path: &MemoryPath, text: &str) -> bool {
        first_marker_line(text).is_some() && self.conflict_line(path, &Document::parse(text)).is_some()
    }

    fn contain(&self, path: &MemoryPath) -> bool {
        let read = || {
            let entries = Git::discover(&self.session.dir).and_then(|git| git.unmerged_entries().ok());
            entries.unwrap_or_default().into_iter().map(|entry| entry.path).collect()
        };
        self.paths.get_or_init(read).contains(path.as_str())
    }
}

/// Refuses a change to a file with a conflict that the planner takes for an example, because it does not know git.
///
/// # Errors
/// `conflict_markers`.
pub(super) fn require_merged<'p>(
    session: &Session,
    snapshot: &Snapshot,
    paths: impl Iterator<Item = &'p MemoryPath>,
) -> Result<(), Rejection> {
    let unmerged = ConflictFinder::new(session);
    for path in paths {
        let line = snapshot.file(path).ok().flatten().and_then(|file| unmerged.conflict_line(path, &file.document));
        if let Some(line) = line {
            return Err(conflict_markers_rejection(path, line));
        }
    }
    Ok(())
}
