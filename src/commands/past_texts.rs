//! What files contained at a point in this machine's history: by its journal, and by git for what a sync merged in.
//!
//! Only reads.

use std::collections::{BTreeSet, HashMap};

use super::Session;
use super::history::unrecorded_files;
use super::sync_merges::{HistoryPoint, SyncMerges};
use crate::change::{EntryOutcome, JournalEntry};
use crate::code::Rejection;
use crate::document::Document;
use crate::operation::snapshot::not_text_rejection;
use crate::path::MemoryPath;
use crate::store::{RevisionSide, Store};

/// The journal, and the merges of syncs between its revisions.
pub struct PastTexts<'s> {
    pub store: &'s Store,
    pub entries: &'s [JournalEntry],
    pub merges: SyncMerges,
}

/// Where the text of a file at a point in time is.
enum TextSource {
    Revision(u64, RevisionSide),
    /// A git object.
    Object(String),
    /// In the file: nothing has changed it since.
    Current,
    /// The file did not exist.
    Missing,
}

impl TextSource {
    fn of_object(object: &Option<String>) -> TextSource {
        object.clone().map_or(TextSource::Missing, TextSource::Object)
    }

    fn object(&self) -> Option<&str> {
        match self {
            TextSource::Object(name) => Some(name),
            TextSource::Revision(..) | TextSource::Current | TextSource::Missing => None,
        }
    }
}

impl<'s> PastTexts<'s> {
    pub fn new(session: &'s Session, entries: &'s [JournalEntry]) -> PastTexts<'s> {
        PastTexts { store: &session.store, entries, merges: SyncMerges::of(session) }
    }

    /// The files that a later revision or a later merge changed, and those that were changed outside memdir.
    pub fn changed_since(&self, point: HistoryPoint) -> BTreeSet<MemoryPath> {
        let mut paths = self.unrecorded();
        for entry in self.entries.iter().filter(|entry| entry.rev > point.rev && entry.outcome == EntryOutcome::Done) {
            paths.extend(entry.files.iter().map(|file| file.path.clone()));
        }
        paths.extend(self.merges.changed_since(point).cloned());
        paths
    }

    /// The files that were changed outside memdir since their last revision.
    pub fn unrecorded(&self) -> BTreeSet<MemoryPath> {
        unrecorded_files(self.store, self.entries).into_iter().map(|(path, _)| path).collect()
    }

    /// The texts of files at points, in the order given, as far as the caller may see them.
    ///
    /// # Errors
    /// `git`; for a single text `history_gone`, or `io` or `not_text` if it cannot be read.
    pub fn texts_at(
        &self,
        points: &[(&MemoryPath, HistoryPoint)],
    ) -> Result<Vec<Result<Option<Document>, Rejection>>, Rejection> {
        let sources: Vec<TextSource> = points.iter().map(|(path, point)| self.source_at(path, *point)).collect();
        let objects = sources.iter().filter_map(TextSource::object).collect::<Vec<_>>();
        let mut contents = self.merges.read(&objects)?.into_iter();
        let mut revisions = HashMap::new();
        let text = |((path, _), source): (&(&MemoryPath, HistoryPoint), &TextSource)| match source {
            TextSource::Revision(rev, side) => {
                let revision = revisions.entry(*rev).or_insert_with(|| self.store.texts_at(*rev));
                let version = revision.text(path, *side)?;
                version.map(|version| parse_text(path, version.bytes.to_vec())).transpose()
            }
            TextSource::Object(_) => {
                let document = contents.next().and_then(|bytes| Document::from_bytes(bytes).ok());
                Ok(document.and_then(|document| visible_text(self.store, path, document)))
            }
            TextSource::Current => current_text(self.store, path),
            TextSource::Missing => Ok(None),
        };
        Ok(points.iter().zip(&sources).map(text).collect())
    }

    /// A text is the one after the last change before a point. If that is unknown, it is the one before the next
    /// change.
    fn source_at(&self, path: &MemoryPath, point: HistoryPoint) -> TextSource {
        let is_touched =
            |e: &&JournalEntry| e.outcome == EntryOutcome::Done && e.files.iter().any(|file| file.path == *path);
        let touched = || self.entries.iter().filter(is_touched);
        // What was forgotten is not shown, although git may have it.
        let is_forgotten = touched().any(|entry| entry.forgotten);
        let last = touched().rev().find(|entry| entry.rev <= point.rev).map(|entry| entry.rev);
        let merged_in = self.merges.last_change(path, last.unwrap_or(0), point).filter(|_| !is_forgotten);
        if let Some(change) = merged_in {
            return TextSource::of_object(&change.after);
        }
        if let Some(last) = last {
            return TextSource::Revision(last, RevisionSide::After);
        }
        let next = touched().find(|entry| entry.rev > point.rev).map(|entry| entry.rev);
        match (self.merges.next_change(path, point, next).filter(|_| !is_forgotten), next) {
            (Some(change), _) => TextSource::of_object(&change.before),
            (None, Some(next)) => TextSource::Revision(next, RevisionSide::Before),
            (None, None) => TextSource::Current,
        }
    }
}

/// The text of a file as it is, as far as the caller may see it.
///
/// # Errors
/// `io` or `not_text` if there is a file whose text cannot be read.
pub fn current_text(store: &Store, path: &MemoryPath) -> Result<Option<Document>, Rejection> {
    store.read(path)?.map(|version| parse_text(path, version.bytes.to_vec())).transpose()
}

fn parse_text(path: &MemoryPath, bytes: Vec<u8>) -> Result<Document, Rejection> {
    Document::from_bytes(bytes).map_err(|error| not_text_rejection(path, error))
}

/// The parts of texts from git that the caller may see.
pub fn visible_texts(store: &Store, texts: HashMap<MemoryPath, Document>) -> HashMap<MemoryPath, Document> {
    let visible = |(path, document)| visible_text(store, &path, document).map(|document| (path, document));
    texts.into_iter().filter_map(visible).collect()
}

fn visible_text(store: &Store, path: &MemoryPath, document: Document) -> Option<Document> {
    if store.require_unfiltered().is_ok() {
        return Some(document);
    }
    let bytes = store.filter_past_bytes(path, document.into_text().into_bytes())?;
    Some(Document::parse(String::from_utf8_lossy(&bytes).into_owned()))
}
