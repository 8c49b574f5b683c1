//! Plans a batch of operations into a changeset. Every change goes through `plan`.
//!
//! Pure: returns the list of missing inputs instead of fetching them. Never returns a partial changeset.

use std::borrow::Cow;
use std::collections::HashMap;

use crate::change::{Changeset, EffectSign};
use crate::code::Rejection;
use crate::document::{DocumentEdit, Handle, InsertPosition, NewBullet};
use crate::path::MemoryPath;

use super::apply_to_file::apply_to_file;
use super::bullets::{BulletReplacement, SelectorArgs};
use super::file_edits::group_by_file;
use super::pending_edit::PendingEdit;
use super::planner::{IndexedOperation, PlanContext, Planner};
use super::snapshot::{MissingInput, PlanStep, PlanStop, Snapshot};
use super::{
    Action, Operation, archive, bullets, dialects, effects, field_checks, memory_index, moved_files, rejections,
    related_bullets, relations, relocate, resource_targets, restore, set_values, validation, whole_file,
};

/// The result of planning.
#[derive(Debug)]
pub enum PlanOutcome {
    /// Nothing is missing: this is what the operations change.
    Ready(Box<Changeset>),
    /// Fetch these inputs and plan again.
    NeedsInput(Vec<MissingInput>),
}

/// Plans a batch on a snapshot. Changes nothing; the same arguments give the same result.
///
/// # Errors
/// All rejections, each with the index of its operation in the batch.
pub fn plan(
    snapshot: &Snapshot,
    operations: &[Operation],
    context: &PlanContext<'_>,
) -> Result<PlanOutcome, Vec<Rejection>> {
    match plan_batch(snapshot, operations, context) {
        // Relations come with a change, and are no reason to refuse it.
        Err(_) if context.links.is_some() => plan_batch(snapshot, operations, &PlanContext { links: None, ..*context }),
        outcome => outcome,
    }
}

fn plan_batch(
    snapshot: &Snapshot,
    operations: &[Operation],
    context: &PlanContext<'_>,
) -> Result<PlanOutcome, Vec<Rejection>> {
    let mut planner = Planner::new(snapshot, context);
    let PlannedOperations { planned, mut pending, mut rejections } = plan_operations(&mut planner, operations);
    note_stop(moved_files::update_links(&planner, &planned, &mut pending), &mut planner, &mut rejections);
    if !planner.missing_inputs.is_empty() {
        // The index, where there is one, is read together with the first files: it takes no round of its own.
        planner.missing_inputs.extend(memory_index::missing_index(snapshot));
        return Ok(PlanOutcome::NeedsInput(std::mem::take(&mut planner.missing_inputs)));
    }
    let taken_texts = std::mem::take(&mut planner.taken_texts);
    let duplicates = taken_texts.iter().filter(|taken| !taken.is_free(&pending) || taken.is_shared(&taken_texts));
    rejections.extend(duplicates.map(|taken| prefer_conflict(&planner, taken.rejection.clone(), taken.operation)));
    rejections.sort_by_key(|rejection| rejection.operation);
    if !rejections.is_empty() {
        return Err(rejections);
    }
    skip_repeated_adds(operations, &mut pending);
    related_bullets::warn_contradicting_adds(&mut planner, operations, &pending);
    relations::add_relations(&mut planner, operations, &mut pending);
    if !planner.missing_inputs.is_empty() {
        return Ok(PlanOutcome::NeedsInput(planner.missing_inputs));
    }
    let applied =
        pending.iter().filter(|(n, d)| is_patch(&operations[*n]) && matches!(d, PendingEdit::Edit(..))).count();
    let mut archived = Vec::new();
    let mut edits = Vec::new();
    for (n, edit) in pending {
        match edit {
            PendingEdit::Archive(item) => archived.push(*item),
            edit => edits.push((n, edit)),
        }
    }
    let (files, unchanged) = group_by_file(edits, snapshot, operations).map_err(|r| vec![r])?;
    let mut changeset = Changeset {
        applied,
        operations: planned.iter().map(|op| dialects::to_json(op)).collect(),
        ..Changeset::default()
    };
    changeset.effects.extend(unchanged);
    for file_edits in files {
        let step = apply_to_file(&mut planner, file_edits, &mut changeset, &mut archived);
        note_stop(step, &mut planner, &mut rejections);
    }
    let step = archive::archive_items(&mut planner, &mut changeset, archived);
    note_stop(step, &mut planner, &mut rejections);
    let step = memory_index::update_index(&mut planner, &mut changeset);
    note_stop(step, &mut planner, &mut rejections);
    if !planner.missing_inputs.is_empty() {
        return Ok(PlanOutcome::NeedsInput(planner.missing_inputs));
    }
    rejections.extend(if_match_conflicts(&planner, &changeset));
    if !rejections.is_empty() {
        return Err(rejections);
    }
    changeset.effects.sort_by_key(|e| e.operation);
    changeset.warnings.extend(planner.warnings.into_iter().map(|(_, w)| w));
    changeset.forget = operations.iter().any(Operation::is_forget);
    Ok(PlanOutcome::Ready(Box::new(changeset)))
}

/// The operations of a batch, each planned by itself.
struct PlannedOperations<'a> {
    /// The operations; of one on a field of a resource, the one on the bullet.
    planned: Vec<Cow<'a, Operation>>,
    /// The edits, each with the number of its operation.
    pending: Vec<(usize, PendingEdit)>,
    rejections: Vec<Rejection>,
}

fn plan_operations<'a>(planner: &mut Planner<'_>, operations: &'a [Operation]) -> PlannedOperations<'a> {
    let (mut pending, mut rejections) = (Vec::new(), Vec::new());
    let mut planned: Vec<Cow<'_, Operation>> = Vec::with_capacity(operations.len());
    for (n, op) in operations.iter().enumerate() {
        let on_field = resource_targets::on_field(op, planner.snapshot, planner.context);
        let step = on_field.and_then(|changed| {
            planned.push(changed.map_or(Cow::Borrowed(op), Cow::Owned));
            plan_operation(planner, n, &planned[n])
        });
        planned.resize(n + 1, Cow::Borrowed(op));
        match step {
            Ok(edits) => pending.extend(edits.into_iter().map(|d| (n, d))),
            Err(PlanStop::NeedsInput(missing_input)) => planner.missing_inputs.push(missing_input),
            Err(PlanStop::Rejected(rejection)) => rejections.push(prefer_conflict(planner, *rejection, n)),
        }
    }
    PlannedOperations { planned, pending, rejections }
}

/// Notes why a step of the plan stopped, if it did: what it needs to read, or its rejection.
fn note_stop(step: PlanStep<()>, planner: &mut Planner<'_>, rejections: &mut Vec<Rejection>) {
    match step {
        Ok(()) => {}
        Err(PlanStop::NeedsInput(missing_input)) => planner.missing_inputs.push(missing_input),
        Err(PlanStop::Rejected(rejection)) => rejections.push(*rejection),
    }
}

/// Makes an `add` of what an earlier one of the batch adds at the same place change nothing, as it would in a batch of
/// its own: equal bullets share a handle, so that neither could be named by it.
fn skip_repeated_adds(operations: &[Operation], pending: &mut [(usize, PendingEdit)]) {
    if operations.len() < 2 {
        return;
    }
    let mut added: HashMap<Handle, Vec<(MemoryPath, InsertPosition, Vec<String>)>> = HashMap::new();
    for (n, edit) in pending {
        let PendingEdit::Edit(path, DocumentEdit::Insert { at, items }, _) = &*edit else { continue };
        let ([item], Action::Add { .. }) = (&items[..], &operations[*n].action) else { continue };
        let places = added.entry(Handle::of(&item.paragraph())).or_default();
        let place = (path.clone(), at.clone(), item.children.clone());
        if places.contains(&place) {
            let effect = effects::line_effect(path, EffectSign::Unchanged, item.paragraph(), None, *n);
            *edit = PendingEdit::Unchanged(effect);
        } else {
            places.push(place);
        }
    }
}

fn is_patch(op: &Operation) -> bool {
    matches!(op.action, Action::Patch { .. })
}

/// The rejection of an operation. A failed `if_match` takes precedence: the other error may only be a result of it.
fn prefer_conflict(planner: &Planner<'_>, rejection: Rejection, n: usize) -> Rejection {
    match planner.etag_mismatches.iter().find(|(m, _, _)| *m == n) {
        Some((_, path, etag)) => rejections::if_match_conflict(path, *etag).at_operation(n),
        None => rejection.at_operation(n),
    }
}

/// `conflict` for every file that would change although its `if_match` failed.
fn if_match_conflicts(planner: &Planner<'_>, changeset: &Changeset) -> Vec<Rejection> {
    let changes = |path: &MemoryPath| changeset.files.iter().any(|f| f.path == *path);
    let failed = planner.etag_mismatches.iter().filter(|(_, path, _)| changes(path));
    failed.map(|(n, path, etag)| rejections::if_match_conflict(path, *etag).at_operation(*n)).collect()
}

fn plan_operation(planner: &mut Planner<'_>, n: usize, op: &Operation) -> PlanStep<Vec<PendingEdit>> {
    planner.may_change_archive = match &op.action {
        Action::Remove { archive, .. } => !archive,
        Action::Restore { .. } => true,
        Action::Add { .. }
        | Action::Update { .. }
        | Action::Move { .. }
        | Action::Set { .. }
        | Action::Write { .. }
        | Action::Patch { .. }
        | Action::Append { .. }
        | Action::Nothing { .. } => false,
    };
    let request = |at| IndexedOperation { index: n, operation: op, at };
    match &op.action {
        Action::Add { at, text, children, meta, create } => {
            validation::check_bullet_size(text, children)?;
            let item = NewBullet {
                text: text.clone(),
                meta: field_checks::meta_from_pairs(meta, &planner.today())?,
                children: children.clone(),
                raw_first_line: None,
            };
            bullets::add(planner, request(at), item, *create)
        }
        Action::Update { at, index, old, text, children, meta, archive } => {
            validation::check_bullet_size(text, children)?;
            let item = NewBullet { text: text.clone(), children: children.clone(), ..NewBullet::default() };
            let selector = SelectorArgs { index: *index, text: old.as_deref() };
            bullets::update(planner, request(at), selector, BulletReplacement { item, meta }, *archive)
        }
        Action::Remove { at, index, text, archive, purge, if_exists, .. } => {
            let archive = archive.then_some(archive::ArchiveCopy { purge_on: purge.as_deref() });
            let selector = SelectorArgs { index: *index, text: text.as_deref() };
            let removed = bullets::remove(planner, request(at), selector, archive);
            match (removed, text) {
                (Err(PlanStop::Rejected(error)), Some(text)) if *if_exists && rejections::is_removed_bullet(&error) => {
                    let what = format!("{text} ({})", rejections::absence(&error));
                    bullets::already_removed(planner, request(at), what)
                }
                (removed, _) => removed,
            }
        }
        Action::Restore { at } => restore::restore(planner, request(at)),
        Action::Move { at, to, create } => relocate::relocate(planner, request(at), to, *create),
        Action::Set { at, pairs } => set_values::set(planner, request(at), pairs),
        Action::Write { at, text, create } => whole_file::write(planner, request(at), text, *create),
        Action::Patch { at, pairs, archive } => whole_file::patch(planner, request(at), pairs, *archive),
        Action::Append { .. } => whole_file::append(planner, n, op),
        Action::Nothing { .. } => Ok(Vec::new()),
    }
}
