//! Applies one file's edits, enforces limits, updates dates and the summary line, and adds the file to the changeset.
//!
//! Never decides which edits to make: those are in [`FileEdits`].

use std::collections::HashSet;

use crate::change::{Changeset, Effect, EffectSign};
use crate::code::{Code, Rejection};
use crate::document::{
    Document, DocumentEdit, EditedDocument, Handle, InsertPosition, LocatedBullet, apply_edits, summary,
};
use crate::path::MemoryPath;
use crate::policy::StampKey;
use crate::text::{Splice, compose, splice};

use super::archive::{self, ArchivedItem};
use super::evict::{self, EvictionCandidate, bullets_of_candidate};
use super::file_change::{file_change, file_kind, minimal_splice};
use super::file_edits::FileEdits;
use super::pending_edit::EffectKind;
use super::planner::{Planner, new_file_document};
use super::snapshot::PlanStep;
use super::{effects, limits, relocate, unique_ids, updated_dates, validation};

/// Applies one file's edits, enforces limits, updates dates and summary, and adds the file to the changeset. Bullets
/// that limits evict are added to `evicted`.
///
/// The order matters: limits are measured on the edited text, dates and summary are computed from what remains.
pub fn apply_to_file(
    planner: &mut Planner<'_>,
    file_edits: FileEdits,
    changeset: &mut Changeset,
    evicted: &mut Vec<ArchivedItem>,
) -> PlanStep<()> {
    let path = file_edits.path.clone();
    let present = planner.snapshot.file(&path)?;
    let skeleton;
    let base = match present {
        Some(file) => &file.document,
        None => {
            skeleton = new_file_document(&path);
            &skeleton
        }
    };
    if let Some((n, to)) = &file_edits.moved_to {
        return relocate::add_moved_file(present, &path, to, *n, file_edits.edits, changeset);
    }
    if let Some(n) = file_edits.removed_by {
        changeset.effects.extend(effects::diff_effects(Some(base), None, &path, n));
        changeset.files.push(file_change(&path, present, None, None, None));
        return Ok(());
    }
    let before = present.map(|f| &f.document);
    let mut after = TextAfterEdits::of(&file_edits, base, before, changeset)?;
    let over = limits::check_limits(planner, &path, before, &after.document)?;
    if !over.is_empty() {
        let eviction =
            evict::evict(&path, &after.document, file_edits.new_text.is_some(), &over, changeset, evicted, planner)?;
        after = after.replaced_by(eviction.document, &eviction.splices);
    }
    if path.is_archived() && file_edits.new_text.is_none() && present.is_some() {
        let Some(cuts) = archive::empty_section_cuts(&after.document) else {
            changeset.files.push(file_change(&path, present, None, None, None));
            return Ok(());
        };
        after = after.spliced(&cuts)?;
    }
    let mut summary_line = None;
    if !file_edits.links_only {
        if let Some(before) = before.filter(|_| planner.context.policy.stamps.contains(&StampKey::Updated)) {
            let dates = updated_dates::updated_date_splices(before, &after.document, planner.context.now);
            after = after.spliced(&dates)?;
        }
        if let Some((splice, value)) = summary_update(planner, &file_edits, before, &after.document, &path)? {
            after = after.spliced(&[splice])?;
            summary_line = value;
        }
    }
    let TextAfterEdits { document: after, splices } = after;
    validation::check_file_size(&path, &after)?;
    if before.is_some_and(|before| before.text() == after.text()) {
        return Ok(());
    }
    let edits = splices.or_else(|| before.map(|before| vec![minimal_splice(before.text(), after.text())]));
    changeset.files.push(file_change(&path, present, Some(after), edits, summary_line));
    Ok(())
}

/// A file's text while its edits are applied one after the other.
struct TextAfterEdits {
    document: Document,
    /// The replacements that lead to it from the present text; `None` if there is none, or it is replaced as a whole.
    splices: Option<Vec<Splice>>,
}

impl TextAfterEdits {
    /// The text after the edits that the operations ask for; their effects are added to the changeset. `base` is the
    /// text that they are edits of, `before` the present one.
    fn of(
        file_edits: &FileEdits,
        base: &Document,
        before: Option<&Document>,
        changeset: &mut Changeset,
    ) -> Result<TextAfterEdits, Rejection> {
        let path = &file_edits.path;
        if let Some((n, text)) = &file_edits.new_text {
            let document = Document::parse(text.clone());
            changeset.effects.extend(effects::diff_effects(before, Some(&document), path, *n));
            return Ok(TextAfterEdits { document, splices: None });
        }
        let edited = edited_document(base, file_edits, path)?;
        unique_ids::check_new_ids(base, &edited, file_edits)?;
        match file_edits.edits.first() {
            Some((n, ..)) if file_edits.links_only => {
                changeset.effects.extend(effects::diff_effects(Some(base), Some(&edited.document), path, *n));
            }
            _ => changeset.effects.extend(edit_effects(base, &edited, file_edits, path)),
        }
        Ok(TextAfterEdits { splices: before.is_some().then_some(edited.splices), document: edited.document })
    }

    /// The text after further replacements.
    fn spliced(self, splices: &[Splice]) -> Result<TextAfterEdits, Rejection> {
        if splices.is_empty() {
            return Ok(self);
        }
        let text = splice(self.document.text(), splices).map_err(|_| splice_out_of_bounds())?;
        Ok(self.replaced_by(Document::parse(text), splices))
    }

    /// A document that further replacements made of this text.
    fn replaced_by(self, document: Document, splices: &[Splice]) -> TextAfterEdits {
        TextAfterEdits { document, splices: self.splices.map(|first| compose(&first, splices)) }
    }
}

fn edited_document(base: &Document, file_edits: &FileEdits, path: &MemoryPath) -> Result<EditedDocument, Rejection> {
    let edits: Vec<DocumentEdit> = file_edits.edits.iter().map(|(_, e, _)| e.clone()).collect();
    apply_edits(base, &edits).map_err(|refused| {
        let first = &refused[0];
        let n = file_edits.edits.get(first.edit).map_or(0, |(n, _, _)| *n);
        Rejection::new(Code::WouldBreakStructure, format!("in {path}: {}", first.reason))
            .hint("rephrase the text, or write it to a separate file")
            .at_operation(n)
    })
}

/// The effects of a file's edits, in the order of the edits.
fn edit_effects(base: &Document, edited: &EditedDocument, file_edits: &FileEdits, path: &MemoryPath) -> Vec<Effect> {
    let after = &edited.document;
    let old_bullet = |index: &usize| LocatedBullet { path, document: base, index: *index };
    let new_bullet = |index: &usize| LocatedBullet { path, document: after, index: *index };
    let removed = |index: &usize, n| effects::bullet_effect(old_bullet(index), EffectSign::Removed, n);
    let added = |index: &usize, n| effects::bullet_effect(new_bullet(index), EffectSign::Added, n);
    let (mut out, mut listed_headings) = (Vec::new(), HashSet::new());
    for (k, (n, edit, effect_kind)) in file_edits.edits.iter().enumerate() {
        let wrote = edited.written_bullets.get(k).map(Vec::as_slice).unwrap_or_default();
        match effect_kind {
            EffectKind::Updated(old) => {
                out.push(removed(old, *n));
                let replaces = matches!(edit, DocumentEdit::Replace { .. });
                let below_new = || wrote.iter().filter(|_| replaces).flat_map(|new| nested_bullets(after, *new));
                let below_old = || nested_bullets(base, *old).filter(|_| replaces);
                let new_handles: HashSet<Handle> = below_new().map(|new| after.handles()[new]).collect();
                let old_handles: HashSet<Handle> = below_old().map(|old| base.handles()[old]).collect();
                let is_kept = |at: &usize| new_handles.contains(&base.handles()[*at]);
                let is_old = |at: &usize| old_handles.contains(&after.handles()[*at]);
                out.extend(below_old().filter(|at| !is_kept(at)).map(|at| removed(&at, *n)));
                out.extend(wrote.iter().map(|new| added(new, *n)));
                out.extend(below_new().filter(|at| !is_old(at)).map(|at| added(&at, *n)));
            }
            EffectKind::Added => {
                if let DocumentEdit::Insert { at: InsertPosition::NewSection { titles, .. }, .. } = edit
                    && let Some(&first) = wrote.first()
                {
                    let innermost = after.bullets()[first].section as usize;
                    let mut headings = new_headings(after, innermost, titles.len());
                    // Several edits may share a new section.
                    headings.retain(|section| listed_headings.insert(*section));
                    out.extend(headings.into_iter().map(|section| {
                        let (text, slug) =
                            (effects::heading_text(after, section), effects::section_slug(after, section));
                        effects::line_effect(path, EffectSign::Added, text, slug, *n)
                    }));
                }
                out.extend(wrote.iter().map(|new| added(new, *n)));
            }
            EffectKind::Removed(old) => {
                out.push(removed(old, *n));
                out.extend(nested_bullets(base, *old).map(|at| removed(&at, *n)));
            }
            EffectKind::MetaSet(old, pairs) => {
                let mut effect = effects::bullet_effect(old_bullet(old), EffectSign::Set, *n);
                effect.text = pairs.clone();
                out.push(effect);
            }
            EffectKind::MovedAway(old, to) => {
                let mut effect = effects::bullet_effect(old_bullet(old), EffectSign::Moved, *n);
                effect.to = Some(to.clone());
                out.push(effect);
            }
            EffectKind::Prepared(effects) => out.extend(effects.iter().cloned()),
            EffectKind::NoEffect => {}
        }
    }
    out
}

/// The bullets below a bullet: they go with it.
fn nested_bullets(document: &Document, bullet: usize) -> impl Iterator<Item = usize> + use<> {
    bullets_of_candidate(document, EvictionCandidate::Bullet(bullet)).skip(1)
}

/// A section and its parents, `count` in all, outermost first.
fn new_headings(document: &Document, innermost: usize, count: usize) -> Vec<usize> {
    let parent = |section: &usize| Some(document.sections()[*section].parent as usize).filter(|parent| *parent > 0);
    let mut sections: Vec<usize> = std::iter::successors(Some(innermost), parent).take(count).collect();
    sections.reverse();
    sections
}

/// The replacement of the summary line, if it has to change. The second value is the line that memdir generated; it is
/// `None` for a line that the caller gave.
fn summary_update(
    planner: &Planner<'_>,
    file_edits: &FileEdits,
    before: Option<&Document>,
    after: &Document,
    path: &MemoryPath,
) -> PlanStep<Option<(Splice, Option<String>)>> {
    if let Some(line) = &file_edits.summary_line {
        // The journal records only lines that memdir generated, so that it can recognize its own lines later.
        return Ok(summary::set_summary_line(after, line).map(|s| (s, None)));
    }
    let value = |d: &Document| d.summary_line().map(|s| d.text()[s.value.range()].to_owned());
    // A text without the line did not touch it: it gets a fresh one.
    let touched = value(after).is_some()
        && match before {
            Some(before) => value(before) != value(after),
            None => file_edits.new_text.is_some(),
        };
    if touched {
        return Ok(None);
    }
    let kind = file_kind(path);
    let empty = Document::parse("");
    let mut next = summary::update_summary(before.unwrap_or(&empty), after, kind, None);
    if next == summary::SummaryUpdate::NeedsLastLine {
        let last = planner.snapshot.last_summary(path)?;
        next = summary::update_summary(before.unwrap_or(&empty), after, kind, Some(last));
    }
    Ok(match next {
        summary::SummaryUpdate::Write { splice, own_terms: line } => Some((splice, Some(line))),
        _ => None,
    })
}

fn splice_out_of_bounds() -> Rejection {
    Rejection::new(Code::Internal, "a derived value is outside the text")
}
