//! What files contained right after a revision of this machine: by its journal, and by git for what a sync merged in.
//!
//! Only reads.

use std::collections::{BTreeSet, HashMap};

use super::Session;
use super::history::unrecorded_files;
use super::sync::MergeCommits;
use super::sync_merges::{MergedObjects, SyncMerges};
use crate::change::{EntryOutcome, JournalEntry};
use crate::code::Rejection;
use crate::document::Document;
use crate::path::MemoryPath;
use crate::store::{RevisionSide, Store};

/// The journal, and the merges of syncs between its revisions.
pub struct PastTexts<'s> {
    store: &'s Store,
    entries: &'s [JournalEntry],
    merges: SyncMerges,
}

/// What may have changed a file before and after a point in time.
struct Neighbours<'p> {
    path: &'p MemoryPath,
    /// The last revision up to the point that changed it, and the merges between the two.
    last: Option<u64>,
    merged_since: Option<MergeCommits>,
    /// The next revision that changed it, and the merges until then.
    next: Option<u64>,
    merged_until: Option<MergeCommits>,
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
    pub fn changed_since(&self, rev: u64) -> BTreeSet<MemoryPath> {
        let mut paths = self.unrecorded();
        for entry in self.entries.iter().filter(|entry| entry.rev > rev && entry.outcome == EntryOutcome::Done) {
            paths.extend(entry.files.iter().map(|file| file.path.clone()));
        }
        paths.extend(self.merges.changed_since(rev));
        paths
    }

    /// The files that were changed outside memdir since their last revision.
    pub fn unrecorded(&self) -> BTreeSet<MemoryPath> {
        unrecorded_files(self.store, self.entries).into_iter().map(|(path, _)| path).collect()
    }

    /// The texts of files right after revisions, in the order given, as far as the caller may see them.
    ///
    /// # Errors
    /// `git`; for a single text `history_gone`.
    pub fn texts_at(
        &self,
        points: &[(&MemoryPath, u64)],
    ) -> Result<Vec<Result<Option<Document>, Rejection>>, Rejection> {
        let points: Vec<Neighbours<'_>> = points.iter().map(|(path, rev)| self.neighbours(path, *rev)).collect();
        let merges = points.iter().flat_map(|point| {
            [&point.merged_since, &point.merged_until].into_iter().flatten().map(|commits| (point.path, commits))
        });
        let merged = self.merges.changes(&merges.collect::<Vec<_>>())?;
        let sources: Vec<TextSource> = points.iter().map(|point| point.source(&merged)).collect();
        let objects = sources.iter().filter_map(TextSource::object).collect::<Vec<_>>();
        let mut contents = self.merges.read(&objects)?.into_iter();
        let text = |(Neighbours { path, .. }, source): (&Neighbours<'_>, &TextSource)| match source {
            TextSource::Revision(rev, side) => {
                let version = self.store.text_at(*rev, path, *side)?;
                Ok(version.and_then(|version| Document::from_bytes(version.bytes.to_vec()).ok()))
            }
            TextSource::Object(_) => {
                Ok(contents.next().and_then(|bytes| visible_text(self.store, path, document_of(&bytes))))
            }
            TextSource::Current => Ok(current_text(self.store, path)),
            TextSource::Missing => Ok(None),
        };
        Ok(points.iter().zip(&sources).map(text).collect())
    }

    fn neighbours<'p>(&self, path: &'p MemoryPath, rev: u64) -> Neighbours<'p> {
        let is_touched =
            |e: &&JournalEntry| e.outcome == EntryOutcome::Done && e.files.iter().any(|file| file.path == *path);
        let last = self.entries.iter().rev().filter(is_touched).find(|e| e.rev <= rev).map(|e| e.rev);
        let next = || self.entries.iter().filter(is_touched).find(|e| e.rev > rev).map(|e| e.rev);
        let next = if last.is_none() { next() } else { None };
        let merged_since = self.merges.around(last.unwrap_or(0), Some(rev));
        let merged_until = if last.is_none() { self.merges.around(rev, next) } else { None };
        Neighbours { path, last, merged_since, next, merged_until }
    }
}

impl Neighbours<'_> {
    /// A text is the one after the last change. If that is unknown, it is the one before the next change.
    fn source(&self, merged: &MergedObjects) -> TextSource {
        let change = |commits: &Option<MergeCommits>| merged.change(self.path, commits.as_ref()?);
        let object = |name: Option<&str>| name.map_or(TextSource::Missing, |name| TextSource::Object(name.to_owned()));
        match (change(&self.merged_since), self.last, change(&self.merged_until), self.next) {
            (Some((_, after)), ..) => object(after),
            (None, Some(last), ..) => TextSource::Revision(last, RevisionSide::After),
            (None, None, Some((before, _)), _) => object(before),
            (None, None, None, Some(next)) => TextSource::Revision(next, RevisionSide::Before),
            (None, None, None, None) => TextSource::Current,
        }
    }
}

/// The text of a file as it is, as far as the caller may see it.
pub fn current_text(store: &Store, path: &MemoryPath) -> Option<Document> {
    store.read(path).ok().flatten().and_then(|version| Document::from_bytes(version.bytes.to_vec()).ok())
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
    store.filter_past_bytes(path, document.into_text().into_bytes()).map(|bytes| document_of(&bytes))
}

/// A text from git; bytes that are not UTF-8 are replaced.
fn document_of(bytes: &[u8]) -> Document {
    Document::parse(String::from_utf8_lossy(bytes).into_owned())
}
