//! Finds the files that differ from what a reader has seen, with the text then and now.
//!
//! Never derives events from them: `view/context/delta` does. Outside edits are gaps in the journal's chain of etags.

use std::collections::{HashMap, HashSet};

use super::reader_mark::{FileNames, MemoryMark, OutsideVersion};
use crate::change::{EntryOutcome, Etag, InverseKind, JournalEntry, replaced_texts};
use crate::document::{Document, RecordedUpdates};
use crate::path::MemoryPath;
use crate::store::{JournalHistory, RevisionSide};
use crate::view::context::delta::{UpdatedFile, original_path};
use crate::view::context::itemize;
use crate::view::context::seen_items::SeenItems;

/// The largest number of files whose earlier texts are read from history; of the others only the names are reported.
const MAX_EARLIER_TEXTS: usize = 256;

/// What the journal and the mark know of one file.
#[derive(Clone, Debug, Default)]
struct EtagChain {
    /// The etag that the reader has seen; none if the file did not exist.
    seen_etag: Option<Etag>,
    /// Revisions that have a text with that etag before or after them.
    sources: Vec<(u64, RevisionSide)>,
    /// The last revision of this file that the reader has seen.
    seen_rev: Option<u64>,
    /// The etag after the newest revision.
    newest_etag: Option<Etag>,
    /// The newest revision since the mark.
    new_rev: Option<u64>,
    /// Whether an undo or redo wrote the file since the mark.
    inverted: bool,
    /// Titles of the entries that were appended since the mark.
    new_titles: Vec<String>,
    /// The bullets whose texts revisions have replaced since the mark.
    recorded: RecordedUpdates,
}

/// A file on disk whose etag differs from what the reader has seen or from the newest revision.
pub struct DiskFile {
    path: MemoryPath,
    etag: Etag,
    /// The text, if it differs from what the reader has seen.
    document: Option<Document>,
}

/// What the journal and the mark know of every file.
pub struct FileUpdates<'a> {
    mark: &'a MemoryMark,
    /// The files that existed at the last look; none if they are the same as now.
    seen_names: Option<HashSet<&'a str>>,
    current_names: &'a FileNames,
    chains: HashMap<&'a MemoryPath, EtagChain>,
}

impl<'a> FileUpdates<'a> {
    /// Builds the etag chains from the journal, in one pass.
    pub fn new(mark: &'a MemoryMark, revisions: &'a [JournalEntry], current_names: &'a FileNames) -> FileUpdates<'a> {
        let seen_names = (mark.files() != current_names).then(|| mark.files().to_set());
        let was_there = |path: &MemoryPath| seen_names.as_ref().is_none_or(|names| names.contains(path.as_str()));
        let mut chains: HashMap<&MemoryPath, EtagChain> = HashMap::new();
        for entry in revisions.iter().filter(|r| r.outcome == EntryOutcome::Done) {
            for file in &entry.files {
                let first = !chains.contains_key(&file.path);
                let chain = chains.entry(&file.path).or_default();
                chain.newest_etag = file.after;
                if entry.rev <= mark.rev() {
                    (chain.seen_etag, chain.seen_rev) = (file.after, Some(entry.rev));
                    continue;
                }
                if first {
                    // A file that did not exist at the last look but has a text before memdir's first revision was
                    // created outside memdir in between: the reader has not seen it.
                    chain.seen_etag = file.before.filter(|_| was_there(&file.path));
                }
                chain.new_rev = Some(entry.rev);
                chain.recorded.extend(replaced_texts(revisions, entry, &file.path));
                match entry.inverts {
                    Some(InverseKind::Undo(_) | InverseKind::Redo(_)) => chain.inverted = true,
                    None => chain.new_titles.extend(appended_titles(entry)),
                }
            }
        }
        for (path, chain) in &mut chains {
            if let Some(etag) = mark.outside(path) {
                chain.seen_etag = etag;
            }
        }
        let mut updates = FileUpdates { mark, seen_names, current_names, chains };
        updates.find_sources(revisions);
        updates
    }

    fn find_sources(&mut self, revisions: &[JournalEntry]) {
        for entry in revisions.iter().filter(|r| r.outcome == EntryOutcome::Done) {
            for file in &entry.files {
                let Some(chain) = self.chains.get_mut(&file.path) else { continue };
                for (etag, side) in [(file.before, RevisionSide::Before), (file.after, RevisionSide::After)] {
                    if etag.is_some() && etag == chain.seen_etag {
                        chain.sources.push((entry.rev, side));
                    }
                }
            }
        }
    }

    /// Whether the journal contains a file.
    pub fn contains(&self, path: &MemoryPath) -> bool {
        self.chains.contains_key(path)
    }

    /// Compares a file on disk with the journal and the mark; `None` if it differs from neither, or is no text, so that
    /// what it has lost is unknown. A file that the journal does not contain only counts if it did not exist at the
    /// last look.
    pub fn compare(&self, path: &MemoryPath, bytes: &[u8]) -> Option<DiskFile> {
        if path.is_in_inbox() {
            return None;
        }
        let Some(chain) = self.chains.get(path) else {
            let unknown_file = || DiskFile {
                path: path.clone(),
                etag: Etag::of(bytes),
                document: Document::from_bytes(bytes.to_vec()).ok(),
            };
            let was_there = self.seen_names.as_ref().is_none_or(|names| names.contains(path.as_str()));
            return (!was_there).then(unknown_file);
        };
        let etag = Etag::of(bytes);
        let is_seen = chain.seen_etag == Some(etag);
        if is_seen && chain.newest_etag == Some(etag) {
            return None;
        }
        let document = if is_seen { None } else { Some(Document::from_bytes(bytes.to_vec()).ok()?) };
        Some(DiskFile { path: path.clone(), etag, document })
    }

    /// The files that differ from what the reader has seen, in path order, and the etags of those that differ from the
    /// newest revision, with what the reader is shown of them. Without `report_changes`, only the latter.
    pub fn updated_files(
        &self,
        past: &JournalHistory,
        disk_files: Vec<DiskFile>,
        report_changes: bool,
    ) -> (Vec<UpdatedFile>, HashMap<MemoryPath, Option<OutsideVersion>>) {
        let no_files = self.chains.is_empty() && self.seen_names.is_none();
        let current_names = if no_files { HashSet::new() } else { self.current_names.to_set() };
        let mut outside: HashMap<MemoryPath, Option<OutsideVersion>> = HashMap::new();
        let mut changed: Vec<(MemoryPath, Option<Document>, bool)> = Vec::new();
        for base in disk_files {
            let chain = self.chains.get(&base.path);
            if chain.is_some_and(|chain| chain.newest_etag != Some(base.etag)) {
                let items = match &base.document {
                    Some(document) => SeenItems::of(&itemize(&original_path(&base.path), document.clone())),
                    None => self.mark.items(&base.path),
                };
                outside.insert(base.path.clone(), Some(OutsideVersion { etag: base.etag, items }));
            }
            if chain.is_none_or(|chain| chain.seen_etag != Some(base.etag)) {
                changed.push((base.path, base.document, true));
            }
        }
        for (path, chain) in self.chains.iter().filter(|(p, _)| !current_names.contains(p.as_str()) && !p.is_in_inbox())
        {
            if chain.newest_etag.is_some() {
                outside.insert((*path).clone(), None);
            }
            if chain.seen_etag.is_some() {
                changed.push(((*path).clone(), None, false));
            }
        }
        if !report_changes {
            return (Vec::new(), outside);
        }
        changed.sort_by(|a, b| a.0.cmp(&b.0));
        let updated = changed.into_iter().enumerate().map(|(n, (path, after, exists))| {
            let no_chain = EtagChain::default();
            let chain = self.chains.get(&path).unwrap_or(&no_chain);
            let before = if n < MAX_EARLIER_TEXTS { self.seen_text(past, &path, chain) } else { None };
            let outside = outside.contains_key(&path);
            updated_file(path, chain, before.unwrap_or_default(), after, exists, outside)
        });
        (updated.chain(self.removed_files(&current_names)).collect(), outside)
    }

    /// Removed files that the journal does not contain but the reader has seen.
    fn removed_files(&self, current_names: &HashSet<&str>) -> Vec<UpdatedFile> {
        let mut removed: Vec<MemoryPath> = self
            .seen_names
            .iter()
            .flat_map(|names| names.difference(current_names))
            .filter_map(|name| MemoryPath::from_disk_name(name).ok())
            .filter(|path| !self.chains.contains_key(path))
            .collect();
        removed.sort();
        removed
            .into_iter()
            .map(|path| UpdatedFile { path: Some(path), existed: true, ..UpdatedFile::default() })
            .collect()
    }

    /// The text that the reader has seen; if no history has it, the text after the last revision it has seen, and what
    /// its mark knows.
    fn seen_text(&self, past: &JournalHistory, path: &MemoryPath, chain: &EtagChain) -> Option<SeenText> {
        let text = |(rev, side): (u64, RevisionSide)| {
            let version = past.text(rev, path, side).ok().flatten()?;
            Document::from_bytes(version.bytes.to_vec()).ok()
        };
        if let Some(exact) = chain.sources.iter().rev().find_map(|source| text(*source)) {
            return Some(SeenText { document: Some(exact), items: None });
        }
        let older = text((chain.seen_rev.filter(|_| chain.seen_etag.is_some())?, RevisionSide::After))?;
        Some(SeenText { document: Some(older), items: self.mark.items(path) })
    }
}

/// What a reader has seen of a file.
#[derive(Default)]
struct SeenText {
    document: Option<Document>,
    /// What it has seen, if the document is older than that.
    items: Option<SeenItems>,
}

fn updated_file(
    path: MemoryPath,
    chain: &EtagChain,
    before: SeenText,
    after: Option<Document>,
    exists: bool,
    outside: bool,
) -> UpdatedFile {
    let home = original_path(&path);
    UpdatedFile {
        before: before.document.map(|document| itemize(&home, document)),
        seen: before.items,
        after: match (after, exists) {
            (Some(document), _) => Some(itemize(&home, document)),
            // The file exists but is not UTF-8 text: treated as empty.
            (None, true) => Some(itemize(&home, Document::parse(""))),
            (None, false) => None,
        },
        existed: chain.seen_etag.is_some(),
        rev: chain.new_rev.filter(|_| !outside),
        inverted: chain.inverted,
        titles: chain.new_titles.clone(),
        recorded: chain.recorded.clone(),
        path: Some(path),
    }
}

/// The titles of entries that a revision appended.
fn appended_titles(entry: &JournalEntry) -> Vec<String> {
    let title = |op: &serde_json::Value| op.get("title").and_then(|t| t.as_str()).map(str::to_owned);
    entry.operations.iter().filter_map(title).collect()
}
