//! Read filters: every text that a restricted reader gets from a store passes through this module.
//!
//! Never parses markdown: the filter that was given to the store decides what is visible.

use std::borrow::Cow;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};

use super::consistent_read::PendingOverlay;
use super::{BufferCallback, FoundFile, Store};
use crate::change::{FileVersion, JournalEntry};
use crate::code::{Code, Rejection};
use crate::document::MAX_FILE_BYTES;
use crate::path::MemoryPath;

/// Decides what a store shows. Methods that need more files get the unfiltered store.
pub trait ReadFilter: Send + Sync {
    /// Returns the error for something that is hidden.
    fn refusal(&self) -> Rejection;

    /// Whether a file is hidden whatever its contents, and whether or not it exists.
    fn hides_file(&self, path: &MemoryPath) -> bool;

    /// Returns the visible part of a file's current text: all bytes, fewer, or `None`.
    fn filter_text<'b>(&self, path: &MemoryPath, bytes: &'b [u8]) -> Option<Cow<'b, [u8]>>;

    /// Returns the visible part of an earlier text of a file.
    fn filter_past_text<'b>(&self, bare: &Store, path: &MemoryPath, bytes: &'b [u8]) -> Option<Cow<'b, [u8]>>;

    /// Returns the visible journal entries.
    fn filter_entries(&self, bare: &Store, entries: Vec<JournalEntry>) -> Vec<JournalEntry>;
}

/// An installed read filter, and whether it has redacted anything so far.
pub(super) struct InstalledFilter {
    filter: Arc<dyn ReadFilter>,
    has_redacted: AtomicBool,
}

impl Store {
    /// Returns the same data directory for a restricted reader. It cannot be written through: hidden parts would be
    /// lost.
    pub fn filtered(&self, filter: Arc<dyn ReadFilter>) -> Store {
        Store { filter: Some(InstalledFilter { filter, has_redacted: AtomicBool::new(false) }), ..self.unfiltered() }
    }

    /// Returns the same data directory without a filter.
    pub fn unfiltered(&self) -> Store {
        let root = Mutex::new(self.root());
        let (options, overlay) = (self.options.clone(), PendingOverlay::default());
        Store { options, root, overlay, filter: None, linked_folders: Mutex::default() }
    }

    /// Whether a file that was read had hidden parts.
    pub fn has_redacted(&self) -> bool {
        self.filter.as_ref().is_some_and(|installed| installed.has_redacted.load(Ordering::Relaxed))
    }

    /// The filter, if there is one.
    pub(super) fn read_filter(&self) -> Option<&dyn ReadFilter> {
        self.filter.as_ref().map(|installed| &*installed.filter)
    }

    /// Returns the same store again if it is filtered.
    pub(super) fn clone_if_filtered(&self) -> Option<Box<Store>> {
        self.filter.as_ref().map(|installed| Box::new(self.filtered(installed.filter.clone())))
    }

    /// Refuses operations that need the whole memory.
    ///
    /// # Errors
    /// The filter's refusal, if there is a filter.
    pub fn require_unfiltered(&self) -> Result<(), Rejection> {
        self.read_filter().map_or(Ok(()), |filter| Err(filter.refusal()))
    }

    /// Filters one file. The etag stays that of the whole file, by which commands recognise that a part is hidden; what
    /// they show is `Session::shown_etag`.
    pub(super) fn filter_version(
        &self,
        path: &MemoryPath,
        read: Option<FileVersion>,
    ) -> Result<Option<FileVersion>, Rejection> {
        let Some(installed) = &self.filter else { return Ok(read) };
        if installed.filter.hides_file(path) {
            return Err(installed.filter.refusal());
        }
        let Some(version) = read else { return Ok(None) };
        let visible = match installed.filter.filter_text(path, &version.bytes) {
            None => return Err(installed.filter.refusal()),
            Some(Cow::Borrowed(all)) if all.len() == version.bytes.len() => return Ok(Some(version)),
            Some(fewer) => fewer.into_owned(),
        };
        installed.has_redacted.store(true, Ordering::Relaxed);
        Ok(Some(FileVersion { bytes: Arc::new(visible), ..version }))
    }

    /// Filters an earlier text, whatever its source; `None` if it is hidden.
    pub fn filter_past_bytes(&self, path: &MemoryPath, bytes: Vec<u8>) -> Option<Vec<u8>> {
        let Some(filter) = self.read_filter() else { return Some(bytes) };
        if filter.hides_file(path) {
            return None;
        }
        filter.filter_past_text(&self.unfiltered(), path, &bytes).map(Cow::into_owned)
    }

    /// Filters an earlier version.
    pub(super) fn filter_past_version(
        &self,
        path: &MemoryPath,
        version_at: Option<FileVersion>,
    ) -> Option<FileVersion> {
        let version = version_at?;
        let bytes = self.filter_past_bytes(path, version.bytes.to_vec())?;
        Some(FileVersion { bytes: Arc::new(bytes), ..version })
    }

    /// Keeps the files of a walk that have something visible.
    pub(super) fn visible_files(&self, found: Vec<FoundFile>) -> Vec<FoundFile> {
        let Some(filter) = self.read_filter() else { return found };
        let found: Vec<FoundFile> = found.into_iter().filter(|file| !filter.hides_file(&file.path)).collect();
        let is_visible = self.map_unfiltered(&found, MAX_FILE_BYTES, &|file, read| match read {
            Ok((bytes, _)) => filter.filter_text(&file.path, bytes).is_some(),
            // Its text may hide it, but cannot be judged.
            Err(error) => error.code != Code::TooLarge,
        });
        found.into_iter().zip(is_visible).filter_map(|(file, shows)| shows.then_some(file)).collect()
    }

    /// Maps files with their visible parts. The filter needs each whole text, whatever `limit` is.
    pub(super) fn map_filtered<T: Send>(
        &self,
        filter: &dyn ReadFilter,
        files: &[FoundFile],
        limit: usize,
        f: BufferCallback<'_, T>,
    ) -> Vec<T> {
        self.map_unfiltered(files, MAX_FILE_BYTES, &|file, read| match read {
            Err(error) => f(file, Err(error)),
            Ok((bytes, _)) => {
                match filter.filter_text(&file.path, bytes) {
                    None => return f(file, Err(filter.refusal())),
                    Some(Cow::Borrowed(all)) if all.len() == bytes.len() => {}
                    Some(visible) => *bytes = visible.into_owned(),
                }
                let file = FoundFile { size: bytes.len() as u64, ..file.clone() };
                let is_complete = bytes.len() <= limit;
                bytes.truncate(limit);
                f(&file, Ok((bytes, is_complete)))
            }
        })
    }

    /// The entries without what the read filter hides; all of them if none is installed.
    pub(super) fn filter_journal_entries(&self, entries: Vec<JournalEntry>) -> Vec<JournalEntry> {
        match self.read_filter() {
            Some(filter) => filter.filter_entries(&self.unfiltered(), entries),
            None => entries,
        }
    }
}
