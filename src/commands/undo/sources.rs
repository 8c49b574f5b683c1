//! What an inversion reads of the history: each part once, however many files the revision has.
//!
//! Never read again during one attempt: the lock is held, or nothing is written.

use std::cell::{OnceCell, RefCell};
use std::collections::BTreeMap;
use std::path::Path;

use crate::change::{FileVersion, JournalEntry};
use crate::code::Rejection;
use crate::host::git::Git;
use crate::path::MemoryPath;
use crate::store::{JournalHistory, RevisionSide, Store, TextsAtRevision};

/// The history around the revision that is inverted.
pub(super) struct InversionSources<'s> {
    pub store: &'s Store,
    /// The data directory, if git may be asked.
    repository: Option<&'s Path>,
    rev: u64,
    texts: TextsAtRevision<'s>,
    /// The texts at later revisions, by revision.
    later: RefCell<BTreeMap<u64, TextsAtRevision<'s>>>,
    recent: OnceCell<Vec<JournalEntry>>,
    since: OnceCell<Vec<JournalEntry>>,
    history: OnceCell<JournalHistory>,
}

impl<'s> InversionSources<'s> {
    pub(super) fn new(store: &'s Store, repository: Option<&'s Path>, rev: u64) -> InversionSources<'s> {
        InversionSources {
            store,
            repository,
            rev,
            texts: store.texts_at(rev),
            later: RefCell::default(),
            recent: OnceCell::new(),
            since: OnceCell::new(),
            history: OnceCell::new(),
        }
    }

    /// The text of a file on one side of the revision.
    ///
    /// # Errors
    /// `revision_not_found`, `history_gone`, `io`.
    pub(super) fn text(&self, path: &MemoryPath, side: RevisionSide) -> Result<Option<FileVersion>, Rejection> {
        self.texts.text(path, side)
    }

    /// The text of a file after another revision.
    ///
    /// # Errors
    /// `revision_not_found`, `history_gone`, `io`.
    pub(super) fn text_after(&self, rev: u64, path: &MemoryPath) -> Result<Option<FileVersion>, Rejection> {
        let mut later = self.later.borrow_mut();
        later.entry(rev).or_insert_with(|| self.store.texts_at(rev)).text(path, RevisionSide::After)
    }

    /// The name that git's history gives to a file that is gone; `None` if git does not know, or may not be asked.
    pub(super) fn renamed_in_git(&self, path: &MemoryPath) -> Option<MemoryPath> {
        let (root, prefix) = Git::discover(self.repository?)?.work_tree().ok()?;
        let name = format!("{prefix}{path}");
        let renamed = Git::in_dir(&root).renamed_files(&[&name]).ok()?;
        MemoryPath::from_disk_name(renamed.get(&name)?.strip_prefix(&prefix)?).ok()
    }

    /// The newest entries of the journal.
    pub(super) fn recent_entries(&self) -> Result<&[JournalEntry], Rejection> {
        read_once(&self.recent, || self.store.recent_entries()).map(Vec::as_slice)
    }

    /// The entries from the revision on, at least.
    pub(super) fn entries(&self) -> Result<&[JournalEntry], Rejection> {
        let recent = self.recent_entries()?;
        if recent.iter().any(|entry| entry.rev == self.rev) {
            return Ok(recent);
        }
        let read = || self.store.entries_from(self.rev)?.map_or_else(|| self.store.journal(), Ok);
        read_once(&self.since, read).map(Vec::as_slice)
    }

    /// The history from the revision on, at least.
    pub(super) fn history(&self) -> Result<&JournalHistory, Rejection> {
        read_once(&self.history, || self.store.read_history_since(self.rev.saturating_sub(1)))
    }
}

fn read_once<T>(cell: &OnceCell<T>, read: impl FnOnce() -> Result<T, Rejection>) -> Result<&T, Rejection> {
    if let Some(value) = cell.get() {
        return Ok(value);
    }
    let value = read()?;
    Ok(cell.get_or_init(|| value))
}
