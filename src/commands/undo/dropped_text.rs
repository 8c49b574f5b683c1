//! What edits outside memdir took out of a file of what a revision in effect had brought: the text to make it again.
//!
//! Never brings back what a later revision or a merge of `sync` removed or replaced, nor the old text of a bullet that
//! an editor rephrased.

use std::collections::HashSet;

use super::sources::InversionSources;
use crate::change::{EntryFile, EntryOutcome, Etag, FileVersion, InverseKind, JournalEntry};
use crate::code::Rejection;
use crate::commands::sync::SyncState;
use crate::document::{Document, DocumentEdit, Handle, apply_edits};
use crate::operation::conflict_regions::{self, ConflictChoice};
use crate::operation::merge::{ConflictLabels, MergeConflict, merge_file};
use crate::operation::rejections;
use crate::path::MemoryPath;
use crate::store::{FileTexts, RevisionSide};
use crate::view::diff_bullets::{BulletChange, bullet_changes};

/// The text of a file with what edits outside memdir took back of a revision in effect, given the file's present
/// version; `None` if they took back nothing.
///
/// # Errors
/// `history_gone`, `io`; `conflict` if the file changed in the same lines, or is not UTF-8.
pub(super) fn text_with_dropped_parts(
    sources: &InversionSources<'_>,
    entry: &JournalEntry,
    file: &EntryFile,
    now: Option<&FileVersion>,
) -> Result<Option<String>, Rejection> {
    let history = sources.history()?;
    let entries = history.entries();
    let path = &file.path;
    let reader = TextReader { texts: history.texts_of(path), path, rev: entry.rev };
    let revision = RevisionTexts {
        path,
        before: reader.text(entry.rev, RevisionSide::Before)?.unwrap_or_default(),
        after: reader.text(entry.rev, RevisionSide::After)?.unwrap_or_default(),
    };
    let is_application =
        |e: &JournalEntry| e.rev == entry.rev || matches!(e.inverts, Some(InverseKind::Redo(rev)) if rev == entry.rev);
    let done = entries.iter().filter(|e| e.rev >= entry.rev && e.outcome == EntryOutcome::Done);
    let steps: Vec<Step> = done
        .filter_map(|e| Some((e, e.files.iter().find(|file| file.path == *path)?)))
        .map(|(e, file)| Step { rev: e.rev, is_application: is_application(e), before: file.before, after: file.after })
        .collect();
    let Some(applied) = steps.iter().rposition(|step| step.is_application) else { return Ok(None) };
    let steps = &steps[applied..];
    let sync_state = SyncState::load(sources.store);
    // The file as it would be without those edits; `None` as long as they took back nothing.
    let mut with_parts: Option<String> = None;
    for (at, step) in steps.iter().enumerate() {
        let next = steps.get(at + 1);
        let found = next.map_or_else(|| now.map(|version| version.etag), |next| next.before);
        if found != step.after {
            let old = reader.text(step.rev, RevisionSide::After)?.unwrap_or_default();
            let new = match next {
                Some(next) => reader.text(next.rev, RevisionSide::Before)?,
                None => now.map(|version| reader.utf8(version)).transpose()?,
            };
            let new = new.unwrap_or_default();
            let is_merge = sync_state.was_merged(path, step.rev, found)
                || next.is_some_and(|next| sync_state.rev.is_some_and(|synced| next.rev <= synced));
            let kept = if is_merge {
                with_parts.map(|parts| revision.merge(&old, &parts, &new)).transpose()
            } else {
                revision.restore(with_parts.as_ref().unwrap_or(&old), &new).map(Some)
            };
            with_parts = kept.map_err(|conflicts| reader.conflict(&conflicts))?.filter(|parts| *parts != new);
        }
        if let (Some(parts), Some(next)) = (&with_parts, next) {
            let [old, new] = [RevisionSide::Before, RevisionSide::After].map(|side| reader.text(next.rev, side));
            let (old, new) = (old?.unwrap_or_default(), new?.unwrap_or_default());
            let kept = revision.merge(&old, parts, &new).map_err(|conflicts| reader.conflict(&conflicts))?;
            with_parts = Some(kept).filter(|parts| *parts != new);
        }
    }
    let (Some(parts), Some(now)) = (&with_parts, now) else { return Ok(with_parts) };
    // The present summary line stays as it is.
    let text = std::str::from_utf8(&now.bytes).map_err(|_| super::changed_since(path, entry.rev))?;
    let summary = summary_range(text).unwrap_or_default();
    match parts.strip_prefix(&text[..summary.start]) {
        Some(rest) => Ok(Some([&text[..summary.end], rest].concat())),
        None => revision.merge(&reader.utf8(now)?, text, parts).map(Some).map_err(|found| reader.conflict(&found)),
    }
}

/// Whether a file that a revision in effect removed was brought back by an edit outside memdir.
///
/// # Errors
/// `io`.
pub(super) fn came_back(sources: &InversionSources<'_>, path: &MemoryPath) -> Result<bool, Rejection> {
    let done = sources.entries()?.iter().rev().filter(|e| e.outcome == EntryOutcome::Done);
    let last = done.flat_map(|e| &e.files).find(|file| file.path == *path);
    Ok(last.is_some_and(|file| file.after.is_none()))
}

/// The last text of a file, if it was deleted outside memdir since this revision or a later one.
///
/// # Errors
/// `history_gone`, `io`.
pub(super) fn text_before_deletion(
    sources: &InversionSources<'_>,
    path: &MemoryPath,
) -> Result<Option<FileVersion>, Rejection> {
    let is_of_file =
        |e: &&JournalEntry| e.outcome == EntryOutcome::Done && e.files.iter().any(|file| file.path == *path);
    match sources.entries()?.iter().rev().find(is_of_file) {
        Some(last) => sources.text_after(last.rev, path),
        None => Ok(None),
    }
}

/// A revision that wrote the file.
struct Step {
    rev: u64,
    /// Whether it is the revision to make again, or made it again.
    is_application: bool,
    before: Option<Etag>,
    after: Option<Etag>,
}

/// Reads the texts of one file for the revision `rev`.
struct TextReader<'a> {
    texts: FileTexts<'a>,
    path: &'a MemoryPath,
    rev: u64,
}

impl TextReader<'_> {
    fn text(&self, rev: u64, side: RevisionSide) -> Result<Option<String>, Rejection> {
        self.texts.text(rev, side)?.map(|version| self.utf8(&version)).transpose()
    }

    /// The text of a version without its summary line, which follows from the rest.
    fn utf8(&self, version: &FileVersion) -> Result<String, Rejection> {
        let text = std::str::from_utf8(&version.bytes).map_err(|_| super::changed_since(self.path, self.rev))?;
        let summary = summary_range(text).unwrap_or_default();
        Ok([&text[..summary.start], &text[summary.end..]].concat())
    }

    fn conflict(&self, conflicts: &[MergeConflict]) -> Rejection {
        if conflicts.is_empty() {
            super::changed_since(self.path, self.rev)
        } else {
            rejections::merge_conflict(self.path, conflicts).hint(super::CONFLICT_HINT)
        }
    }
}

/// The texts before and after the revision.
struct RevisionTexts<'a> {
    path: &'a MemoryPath,
    before: String,
    after: String,
}

impl RevisionTexts<'_> {
    fn merge(&self, base: &str, ours: &str, theirs: &str) -> Result<String, Vec<MergeConflict>> {
        merge_file(self.path.as_str(), base, ours, theirs, &ConflictLabels::default()).into_clean_text()
    }

    /// A later text without what the revision brought. What other revisions replaced since stays as it is.
    fn taken_out_of(&self, text: &str) -> String {
        let labels = ConflictLabels::default();
        let merged = merge_file(self.path.as_str(), &self.after, text, &self.before, &labels);
        if merged.conflicts.is_empty() {
            merged.text
        } else {
            conflict_regions::resolve_all(&merged.text, labels.size, ConflictChoice::Ours)
        }
    }

    /// The text `new`, which an edit outside memdir made of `old`, with what it took back of the revision.
    fn restore(&self, old: &str, new: &str) -> Result<String, Vec<MergeConflict>> {
        let without = Document::parse(self.taken_out_of(old));
        let [old, new] = [old, new].map(|text| Document::parse(text.to_owned()));
        let with = without_rephrased(&old, &new, &without).ok_or_else(Vec::new)?;
        let without = only_in_either(without, &old, &new).ok_or_else(Vec::new)?;
        self.merge(without.text(), new.text(), with.text())
    }
}

/// The old text, in which bullets that were rephrased have their new text. A bullet that got a text back which it had
/// without the revision was not rephrased: that is what is to be made again.
fn without_rephrased(old: &Document, new: &Document, without: &Document) -> Option<Document> {
    let before = handles_of(without);
    let updates: Vec<DocumentEdit> = bullet_changes(old, new)
        .into_iter()
        .filter_map(|change| match change {
            BulletChange::Updated(bullet, now) if !before.contains(&new.handles()[now]) => {
                Some(DocumentEdit::Update { bullet, text: new.bullet_text(now).into_owned() })
            }
            _ => None,
        })
        .collect();
    Some(apply_edits(old, &updates).ok()?.document)
}

/// The text without bullets that are in neither of two others: both took them out.
fn only_in_either(document: Document, old: &Document, new: &Document) -> Option<Document> {
    let kept: HashSet<Handle> = handles_of(old).union(&handles_of(new)).copied().collect();
    let is_gone =
        |&bullet: &usize| !kept.contains(&document.handles()[bullet]) && document.bullets()[bullet].depth == 0;
    let removals: Vec<DocumentEdit> =
        (0..document.bullets().len()).filter(is_gone).map(|bullet| DocumentEdit::Remove { bullet }).collect();
    if removals.is_empty() { Some(document) } else { Some(apply_edits(&document, &removals).ok()?.document) }
}

/// The bytes of the summary line and the blank line below it.
fn summary_range(text: &str) -> Option<std::ops::Range<usize>> {
    let mut start = 0;
    let mut lines = text.split_inclusive('\n');
    let line = lines.find(|line| {
        let is_summary = line.starts_with("> Summary:");
        start += if is_summary { 0 } else { line.len() };
        is_summary
    })?;
    let blank = lines.next().filter(|line| line.trim().is_empty()).map_or(0, str::len);
    Some(start..start + line.len() + blank)
}

fn handles_of(document: &Document) -> HashSet<Handle> {
    document.handles().iter().copied().collect()
}
