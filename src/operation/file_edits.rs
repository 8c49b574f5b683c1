//! Groups pending edits by file, and rejects operations that change the same bytes.
//!
//! Never applies an edit.

use std::collections::{BTreeSet, HashMap};

use crate::change::Effect;
use crate::code::{Code, Rejection};
use crate::document::{Document, DocumentEdit, share_only_blanks};
use crate::path::MemoryPath;

use super::pending_edit::{EffectKind, PendingEdit};
use super::snapshot::Snapshot;
use super::{Action, Operation, effects};

/// All changes that a batch makes to one file.
#[derive(Debug)]
pub struct FileEdits {
    pub path: MemoryPath,
    /// Edits, each with the index of its operation in the batch and how the result reports it.
    pub edits: Vec<(usize, DocumentEdit, EffectKind)>,
    /// The new text of the whole file, and the operation.
    pub new_text: Option<(usize, String)>,
    /// The operation that removes the file.
    pub removed_by: Option<usize>,
    /// The file's new path, and the operation.
    pub moved_to: Option<(usize, MemoryPath)>,
    /// The summary line that the caller gave.
    pub summary_line: Option<String>,
    /// Whether only links change; then the summary line and dates are not recomputed.
    pub links_only: bool,
    /// The operations that change this file.
    operations: Vec<usize>,
    ranges: EditedRanges,
}

/// The byte ranges that the edits of a file change.
#[derive(Debug, Default)]
struct EditedRanges {
    ranges: BTreeSet<(usize, usize)>,
    /// The length of the longest.
    longest: usize,
}

impl EditedRanges {
    fn insert(&mut self, (start, end): (usize, usize)) {
        self.ranges.insert((start, end));
        self.longest = self.longest.max(end - start);
    }

    /// Whether one of them has a byte of this range.
    fn overlap(&self, start: usize, end: usize) -> bool {
        // One that reaches into the range begins at most its own length before it.
        let near = self.ranges.range((start.saturating_sub(self.longest), 0)..(end, 0));
        near.into_iter().any(|(_, other_end)| start < *other_end)
    }
}

impl FileEdits {
    fn new(path: MemoryPath) -> FileEdits {
        FileEdits {
            path,
            edits: Vec::new(),
            new_text: None,
            removed_by: None,
            moved_to: None,
            summary_line: None,
            links_only: true,
            operations: Vec::new(),
            ranges: EditedRanges::default(),
        }
    }

    fn push(&mut self, n: usize, edit: DocumentEdit, effect_kind: EffectKind, document: Option<&Document>) {
        if let Some(range) = document.and_then(|d| edited_range(d, &edit)) {
            self.ranges.insert(range);
        }
        self.edits.push((n, edit, effect_kind));
    }
}

/// Groups pending edits by file, in the order in which files are first named. The second value holds the effects of
/// operations that change nothing. `operations`: the batch, which the edits name by number.
///
/// # Errors
/// `overlapping_operations` when two operations change the same bytes, or one of them writes, removes or moves a file
/// that another one changes.
pub fn group_by_file(
    pending: Vec<(usize, PendingEdit)>,
    snapshot: &Snapshot,
    operations: &[Operation],
) -> Result<(Vec<FileEdits>, Vec<Effect>), Rejection> {
    let (mut files, mut unchanged): (Vec<FileEdits>, Vec<Effect>) = (Vec::new(), Vec::new());
    let mut numbers: HashMap<MemoryPath, usize> = HashMap::new();
    for (n, pending_edit) in pending {
        let path = match &pending_edit {
            PendingEdit::Unchanged(effect) => {
                unchanged.push(effect.clone());
                continue;
            }
            // It belongs to no file's edits.
            PendingEdit::Archive(_) => continue,
            PendingEdit::Edit(path, ..) | PendingEdit::ReplaceText(path, _) | PendingEdit::RemoveFile(path) => path,
            PendingEdit::MoveFile(path, _) | PendingEdit::UpdateLinks(path, _) | PendingEdit::SetSummary(path, _) => {
                path
            }
        };
        let at = *numbers.entry(path.clone()).or_insert_with(|| {
            files.push(FileEdits::new(path.clone()));
            files.len() - 1
        });
        let file_edits = &mut files[at];
        let exclusive = matches!(
            pending_edit,
            PendingEdit::ReplaceText(..) | PendingEdit::RemoveFile(_) | PendingEdit::MoveFile(..)
        );
        let has_exclusive =
            file_edits.new_text.is_some() || file_edits.removed_by.is_some() || file_edits.moved_to.is_some();
        if file_edits.operations.iter().any(|m| *m != n) && (exclusive || has_exclusive) {
            return Err(overlap_rejection(n, file_edits.operations[0], &file_edits.path));
        }
        file_edits.operations.push(n);
        add_pending_edit(file_edits, n, pending_edit, snapshot)?;
    }
    let targets: Vec<_> = files.iter().filter_map(|s| s.moved_to.clone()).collect();
    for (n, to) in targets {
        if let Some(other) =
            files.iter().find(|s| s.path == to || s.moved_to.as_ref().is_some_and(|(m, t)| *m != n && *t == to))
        {
            return Err(overlap_rejection(n, other.operations[0], &to));
        }
    }
    let needs_bullet = |action: &Action| matches!(action, Action::Add { .. } | Action::Update { .. });
    for effect in unchanged.iter().filter(|effect| needs_bullet(&operations[effect.operation].action)) {
        check_stays(effect, &files, snapshot)?;
    }
    Ok((files, unchanged))
}

/// Rejects an `add` or `update` that changes nothing because its bullet is there already, if another operation of the
/// batch removes, rewrites or moves that bullet.
fn check_stays(effect: &Effect, files: &[FileEdits], snapshot: &Snapshot) -> Result<(), Rejection> {
    let Some(file_edits) = files.iter().find(|file| file.path == effect.path) else { return Ok(()) };
    let is_other = |m: &usize| *m != effect.operation;
    let whole = [file_edits.removed_by, file_edits.new_text.as_ref().map(|(m, _)| *m)];
    if let Some(other) = whole.into_iter().flatten().find(is_other) {
        return Err(overlap_rejection(effect.operation, other, &effect.path));
    }
    let document = snapshot.file(&effect.path).ok().flatten().map(|file| &file.document);
    let (Some(handle), Some(document), false) = (&effect.handle, document, file_edits.edits.is_empty()) else {
        return Ok(());
    };
    let is_meant = |bullet: &usize| {
        let section = document.bullets()[*bullet].section as usize;
        effects::section_slug(document, section) == effect.section && document.handle_name(*bullet) == *handle
    };
    // Of equal bullets one may stay.
    let mut taken_by = None;
    for bullet in document.bullets_by_text(&effect.text).into_iter().filter(is_meant) {
        let own = document.bullets()[bullet];
        let takes = |(m, edit, kind): &(usize, DocumentEdit, EffectKind)| {
            // A link in it that follows a moved file, and its metadata, leave the bullet where it is.
            let is_change = match edit {
                DocumentEdit::SetMeta { .. } => false,
                DocumentEdit::Raw(_) => *kind != EffectKind::NoEffect,
                _ => true,
            };
            let range = edited_range(document, edit).filter(|_| is_change && is_other(m));
            range.is_some_and(|(start, end)| start < own.text_end as usize && (own.line_start as usize) < end)
        };
        match file_edits.edits.iter().find(|edit| takes(edit)) {
            Some((m, ..)) => taken_by = Some(*m),
            None => return Ok(()),
        }
    }
    match taken_by {
        Some(other) => Err(overlap_rejection(effect.operation, other, &effect.path)),
        None => Ok(()),
    }
}

fn add_pending_edit(
    file_edits: &mut FileEdits,
    n: usize,
    pending_edit: PendingEdit,
    snapshot: &Snapshot,
) -> Result<(), Rejection> {
    match pending_edit {
        PendingEdit::Unchanged(_) | PendingEdit::Archive(_) => {}
        PendingEdit::UpdateLinks(path, edits) => {
            let document = snapshot.file(&path).ok().flatten().map(|f| &f.document);
            for edit in edits {
                check_overlap(file_edits, n, &edit, document)?;
                file_edits.push(n, edit, EffectKind::NoEffect, document);
            }
        }
        PendingEdit::Edit(path, edit, effect_kind) => {
            let document = snapshot.file(&path).ok().flatten().map(|f| &f.document);
            check_overlap(file_edits, n, &edit, document)?;
            file_edits.links_only = false;
            file_edits.push(n, edit, effect_kind, document);
        }
        PendingEdit::ReplaceText(_, text) => (file_edits.new_text, file_edits.links_only) = (Some((n, text)), false),
        PendingEdit::RemoveFile(_) => (file_edits.removed_by, file_edits.links_only) = (Some(n), false),
        PendingEdit::MoveFile(_, to) => file_edits.moved_to = Some((n, to)),
        PendingEdit::SetSummary(_, line) => (file_edits.summary_line, file_edits.links_only) = (Some(line), false),
    }
    Ok(())
}

/// Rejects an edit of bytes that another operation changes too.
fn check_overlap(
    file_edits: &FileEdits,
    n: usize,
    edit: &DocumentEdit,
    document: Option<&Document>,
) -> Result<(), Rejection> {
    let makes_front = |edit: &DocumentEdit| document.is_some_and(|d| adds_front_matter(d, edit));
    if makes_front(edit)
        && let Some((m, ..)) = file_edits.edits.iter().find(|(m, other, _)| *m != n && makes_front(other))
    {
        return Err(overlap_rejection(n, *m, &file_edits.path));
    }
    let Some((start, end)) = document.and_then(|d| edited_range(d, edit)) else { return Ok(()) };
    if !file_edits.ranges.overlap(start, end) {
        return Ok(());
    }
    for (m, other, _) in &file_edits.edits {
        let Some((s, e)) = document.and_then(|d| edited_range(d, other)) else { continue };
        let shares_only_blanks = || match (edit, other, document) {
            (DocumentEdit::Raw(one), DocumentEdit::Raw(other), Some(document)) => {
                share_only_blanks(document.text(), one, other)
            }
            _ => false,
        };
        if *m != n && start < e && s < end && !shares_only_blanks() {
            return Err(overlap_rejection(n, *m, &file_edits.path));
        }
    }
    Ok(())
}

/// Whether an edit adds a front matter to a file that has none.
fn adds_front_matter(document: &Document, edit: &DocumentEdit) -> bool {
    let DocumentEdit::Raw(splice) = edit else { return false };
    let is_at_top = splice.start == splice.end && splice.start == document.body_start();
    is_at_top && splice.new.starts_with("---") && document.front_matter().is_none()
}

/// The byte range that an edit changes; `None` for insertions, which never overlap.
fn edited_range(document: &Document, edit: &DocumentEdit) -> Option<(usize, usize)> {
    match edit {
        DocumentEdit::Update { bullet, .. } | DocumentEdit::SetMeta { bullet, .. } => {
            let b = document.bullets().get(*bullet)?;
            Some((b.text_start as usize, (b.text_end as usize).max(b.text_start as usize + 1)))
        }
        DocumentEdit::Remove { bullet } | DocumentEdit::Replace { bullet, .. } => {
            let b = document.bullets().get(*bullet)?;
            Some((b.line_start as usize, b.end as usize))
        }
        DocumentEdit::Raw(s) => (s.start < s.end).then_some((s.start, s.end)),
        DocumentEdit::Insert { .. } => None,
    }
}

fn overlap_rejection(n: usize, m: usize, path: &MemoryPath) -> Rejection {
    Rejection::new(
        Code::OverlappingOperations,
        format!("operations {} and {} of the batch overlap in {path}", m.min(n) + 1, n.max(m) + 1),
    )
    .hint("indexes and handles of a batch refer to the state before it; send the second operation in a separate batch")
    .at_operation(n)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranges_overlap_as_a_comparison_with_each_says() {
        let ranges: Vec<(usize, usize)> = (0..40).map(|n| (n * 37 % 101, n * 37 % 101 + 1 + n * n % 17)).collect();
        let mut edited = EditedRanges::default();
        for (count, range) in ranges.iter().enumerate() {
            for (start, end) in (0..120).flat_map(|start| [1, 3, 20].map(|length| (start, start + length))) {
                let expected = ranges[..count].iter().any(|(s, e)| start < *e && *s < end);
                assert_eq!(edited.overlap(start, end), expected, "{start}..{end} and {:?}", &ranges[..count]);
            }
            edited.insert(*range);
        }
    }
}
