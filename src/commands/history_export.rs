//! The whole history of a memory with its texts, for `log --all -p --json`, and what `import` makes of it.
//!
//! Never guesses a text: what this machine's history no longer has is left out, and the next known text stands whole.

use std::collections::BTreeMap;
use std::sync::Arc;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::Session;
use crate::change::{EntryFile, EntryOutcome, Etag, InverseKind, JournalEntry};
use crate::code::Rejection;
use crate::operation::file_change::minimal_splice;
use crate::path::MemoryPath;
use crate::store::{JournalHistory, RevisionSide};
use crate::text::{Splice, splice};
use crate::view::journal::OUTSIDE;

/// The version of the format.
pub const HISTORY_VERSION: u32 = 1;

/// Every change of a memory, oldest first, with the texts that make each file.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[non_exhaustive]
pub struct ExportedHistory {
    /// The version of this format: 1.
    pub memdir_history: u32,
    pub revisions: Vec<ExportedRevision>,
}

/// One revision, or what was changed outside memdir before it.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[non_exhaustive]
pub struct ExportedRevision {
    /// Its number; absent for a change outside memdir.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rev: Option<u64>,
    /// RFC 3339; of a change outside memdir, when it was noticed.
    pub at: String,
    /// The actor; `outside` for a change outside memdir.
    pub actor: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub source: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub consent: Option<String>,
    /// The operations as the journal records them.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub operations: Vec<Value>,
    /// The revision that this one undoes.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub undoes: Option<u64>,
    /// The revision that this one applies again.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub redoes: Option<u64>,
    pub files: Vec<ExportedFile>,
}

/// What a revision did to one file.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[non_exhaustive]
pub struct ExportedFile {
    pub path: String,
    /// The other path of a move.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub moved: Option<String>,
    /// SHA-256 of its text afterwards; absent if the file was removed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sha256: Option<String>,
    /// Its text afterwards; absent if `edits` produce it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub text: Option<String>,
    /// Offset in bytes, replaced text and new text of each replacement, in ascending order.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub edits: Vec<(usize, String, String)>,
}

impl ExportedFile {
    /// The text after the change, from the one before it; `None` for a removed file.
    ///
    /// # Errors
    /// What does not fit, in words.
    pub fn text_after(&self, before: Option<&str>) -> Result<Option<String>, &'static str> {
        let Some(sha256) = &self.sha256 else { return Ok(None) };
        let after = match &self.text {
            Some(text) => text.clone(),
            None => {
                let before = before.ok_or("it has edits of a file that does not exist")?;
                let mut splices = Vec::new();
                for (start, old, new) in &self.edits {
                    let end = start.saturating_add(old.len());
                    if before.get(*start..end) != Some(old) {
                        return Err("its edits do not fit the text before them");
                    }
                    splices.push(Splice { start: *start, end, new: new.clone() });
                }
                splice(before, &splices).map_err(|_| "its edits overlap")?
            }
        };
        if Etag::of(after.as_bytes()).hex() == *sha256 {
            Ok(Some(after))
        } else {
            Err("its text does not have the SHA-256 that it names")
        }
    }
}

/// A text as it was last exported; `None` if it could not be.
type KnownText = Option<(Etag, Arc<Vec<u8>>)>;

/// Collects the history and, at the end, what differs from it on disk.
///
/// # Errors
/// `category_not_allowed` for a caller who may not see everything; `io`.
pub fn export_history(session: &Session) -> Result<ExportedHistory, Rejection> {
    session.store.require_unfiltered()?;
    let history = session.store.read_whole_history()?;
    let mut export = HistoryExport { history: &history, texts: BTreeMap::new(), revisions: Vec::new() };
    for entry in history.entries().iter().filter(|entry| entry.outcome == EntryOutcome::Done) {
        export.add_entry(entry);
    }
    let mut present = BTreeMap::new();
    for found in session.store.walk(None)? {
        if let Some(version) = session.store.read(&found.path)? {
            present.insert(found.path, (version.etag, version.bytes));
        }
    }
    let removed: Vec<MemoryPath> = export.texts.keys().filter(|path| !present.contains_key(*path)).cloned().collect();
    let mut files: Vec<ExportedFile> = removed.into_iter().filter_map(|path| export.file(&path, None, None)).collect();
    files.extend(present.into_iter().filter_map(|(path, text)| export.file(&path, Some(text), None)));
    let at = session.now.timestamp().round(jiff::Unit::Second).unwrap_or(session.now.timestamp());
    export.add_outside(&at.to_string(), files);
    Ok(ExportedHistory { memdir_history: HISTORY_VERSION, revisions: export.revisions })
}

struct HistoryExport<'a> {
    history: &'a JournalHistory,
    /// The files that exist after the revisions so far.
    texts: BTreeMap<MemoryPath, KnownText>,
    revisions: Vec<ExportedRevision>,
}

impl HistoryExport<'_> {
    fn add_entry(&mut self, entry: &JournalEntry) {
        let outside: Vec<ExportedFile> = entry.files.iter().filter_map(|file| self.outside_file(entry, file)).collect();
        self.add_outside(&entry.header.at, outside);
        let files = entry.files.iter().filter_map(|file| {
            let after = file.after.and_then(|etag| Some((etag, self.after(entry, file, etag)?)));
            if file.after.is_some() && after.is_none() {
                self.texts.insert(file.path.clone(), None);
                return None;
            }
            self.file(&file.path, after, file.moved.as_ref())
        });
        let files = files.collect();
        let inverse = |wanted: fn(InverseKind) -> Option<u64>| entry.inverts.and_then(wanted);
        self.revisions.push(ExportedRevision {
            rev: Some(entry.rev),
            at: entry.header.at.clone(),
            actor: entry.header.actor.clone(),
            reason: entry.header.reason.clone(),
            source: entry.header.source.clone(),
            consent: entry.header.consent.clone(),
            operations: entry.operations.clone(),
            undoes: inverse(|kind| if let InverseKind::Undo(rev) = kind { Some(rev) } else { None }),
            redoes: inverse(|kind| if let InverseKind::Redo(rev) = kind { Some(rev) } else { None }),
            files,
        });
    }

    fn add_outside(&mut self, at: &str, files: Vec<ExportedFile>) {
        if !files.is_empty() {
            let (at, actor) = (at.to_owned(), OUTSIDE.to_owned());
            self.revisions.push(ExportedRevision { at, actor, files, ..ExportedRevision::default() });
        }
    }

    /// What another program did to a file before a revision.
    fn outside_file(&mut self, entry: &JournalEntry, file: &EntryFile) -> Option<ExportedFile> {
        let known = self.texts.get(&file.path);
        let known_etag = known.map(|text| text.as_ref().map(|(etag, _)| *etag));
        match file.before {
            None => known.is_some().then(|| self.file(&file.path, None, None))?,
            Some(etag) if known_etag == Some(Some(etag)) => None,
            Some(etag) => {
                let before = self.history.text(entry.rev, &file.path, RevisionSide::Before).ok()??;
                self.file(&file.path, Some((etag, before.bytes)), None)
            }
        }
    }

    /// The text of a file after a revision, by the journal's edits where there are some.
    fn after(&self, entry: &JournalEntry, file: &EntryFile, etag: Etag) -> Option<Arc<Vec<u8>>> {
        let edited = || {
            let (_, before) = self.texts.get(&file.path)?.as_ref()?;
            let before = std::str::from_utf8(before).ok()?;
            let edits = file.edits.as_ref()?.iter();
            let edits = edits.map(|edit| (edit.start, edit.old.clone(), edit.new.clone())).collect();
            let file = ExportedFile { sha256: Some(etag.hex()), edits, ..ExportedFile::default() };
            Some(Arc::new(file.text_after(Some(before)).ok()??.into_bytes()))
        };
        edited().or_else(|| Some(self.history.text(entry.rev, &file.path, RevisionSide::After).ok()??.bytes))
    }

    /// Notes the new text of a file; `None` if it is the one that is known, or no text.
    fn file(
        &mut self,
        path: &MemoryPath,
        after: Option<(Etag, Arc<Vec<u8>>)>,
        moved: Option<&MemoryPath>,
    ) -> Option<ExportedFile> {
        let mut file =
            ExportedFile { path: path.to_string(), moved: moved.map(ToString::to_string), ..ExportedFile::default() };
        let Some((etag, bytes)) = after else {
            self.texts.remove(path)?;
            return Some(file);
        };
        let known = self.texts.insert(path.clone(), Some((etag, bytes.clone()))).flatten();
        if known.as_ref().is_some_and(|(known, _)| *known == etag) {
            return None;
        }
        let text = std::str::from_utf8(&bytes).ok()?;
        file.sha256 = Some(etag.hex());
        match known.as_ref().and_then(|(_, before)| std::str::from_utf8(before).ok()) {
            Some(before) => {
                let change = minimal_splice(before, text);
                file.edits = vec![(change.start, before[change.start..change.end].to_owned(), change.new)];
            }
            None => file.text = Some(text.to_owned()),
        }
        Some(file)
    }
}
