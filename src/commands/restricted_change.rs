//! Changes by a restricted agent: planned twice, on what the agent sees and on the unfiltered files; the second plan is
//! committed (ARCHITECTURE.md, "Visibility").
//!
//! Never changes or reveals what is hidden from the agent: if the two plans differ, the change is refused.

use super::allowlist_filter::{allowlist_rejection, mask_difference};
use super::change::{change_result, commit_loop, dry_run_result, earlier_answer, plan_batch};
use super::{Answer, ChangeOptions, CommandResult, Error, Session};
use crate::change::{Changeset, Effect, EffectSign, FileChange, JournalEntry};
use crate::code::{Rejection, Warning};
use crate::document::{Document, Visibility};
use crate::operation::{Action, Batch, Snapshot};
use crate::path::MemoryPath;
use crate::store::RevisionSide;

/// Like [`super::change`], for an agent with this visibility.
///
/// # Errors
/// `category_not_allowed` if the change affects anything hidden; else the errors of planning on what the agent sees.
pub(super) fn change(
    session: &Session,
    visibility: &Visibility,
    batch: &Batch,
    options: &ChangeOptions,
) -> CommandResult {
    // Forgetting scans every file and the whole history, which would reveal where hidden text occurs.
    let forgets = |action: &Action| matches!(action, Action::Remove { forget: true, .. });
    if batch.operations.iter().any(|op| forgets(&op.action)) {
        return Err(allowlist_rejection().into());
    }
    let unfiltered = session.unfiltered();
    if options.dry_run {
        let plans = plan_both(session, &unfiltered, visibility, batch, options)?;
        let etags = change_result(&plans.full_plan, &plans.full_snapshot, true).files;
        let mut answer = dry_run_result(&plans.visible_plan, &plans.visible_snapshot);
        for file in &mut answer.files {
            file.etag = etags.iter().find(|f| f.path == file.path).and_then(|f| f.etag.clone());
        }
        return Ok(Answer::Changed(answer));
    }
    let (locked, warnings) = unfiltered.store.lock()?;
    if let Some(request) = batch.request.as_deref()
        && let Some((first, actor)) = earlier_answer(&unfiltered, request)?
    {
        return if actor == session.actor { Ok(first) } else { Err(allowlist_rejection().into()) };
    }
    commit_loop(&unfiltered, &locked, batch, redact_warnings(&warnings), || {
        let both = plan_both(session, &unfiltered, visibility, batch, options)?;
        Ok((both.full_plan, both.full_snapshot))
    })
}

/// One batch planned on two snapshots.
struct DualPlan {
    /// The plan on what the agent sees.
    visible_plan: Changeset,
    visible_snapshot: Snapshot,
    /// The plan on the unfiltered files, with the effects and warnings of the other plan.
    full_plan: Changeset,
    full_snapshot: Snapshot,
}

fn plan_both(
    session: &Session,
    unfiltered: &Session,
    visibility: &Visibility,
    batch: &Batch,
    options: &ChangeOptions,
) -> Result<DualPlan, Error> {
    let (mut visible_snapshot, mut full_snapshot) = (Snapshot::new(), Snapshot::new());
    let visible_result = plan_batch(session, &mut visible_snapshot, &batch.operations, options);
    let full_result = plan_batch(unfiltered, &mut full_snapshot, &batch.operations, options);
    let (visible_plan, full_plan) = require_same_effects(visibility, visible_result, full_result, &full_snapshot)?;
    Ok(DualPlan { visible_plan, visible_snapshot, full_plan, full_snapshot })
}

/// Compares two plans of one batch, on what an agent sees and on the unfiltered files (`full_snapshot`). If they have
/// the same effects and change nothing hidden, returns both, the second with the effects and warnings of the first.
///
/// # Errors
/// `category_not_allowed`; else the errors of planning on what the agent sees.
pub(super) fn require_same_effects(
    visibility: &Visibility,
    visible_result: Result<Changeset, Error>,
    full_result: Result<Changeset, Error>,
    full_snapshot: &Snapshot,
) -> Result<(Changeset, Changeset), Error> {
    let (visible_plan, mut full_plan) = match (visible_result, full_result) {
        (Ok(planned), Ok(made)) => (planned, made),
        (Err(refused), Ok(_)) => return Err(mask_difference(refused, true)),
        (Err(refused), Err(full)) => {
            let codes = |f: &Error| f.rejections.iter().map(|r| r.code).collect::<Vec<_>>();
            let differ = codes(&refused) != codes(&full);
            return Err(mask_difference(refused, differ));
        }
        (Ok(_), Err(_)) => return Err(allowlist_rejection().into()),
    };
    let is_same = paths(&visible_plan) == paths(&full_plan) && same_effects(&visible_plan.effects, &full_plan.effects);
    if !is_same || full_plan.files.iter().any(|file| touches_hidden(visibility, file, full_snapshot)) {
        return Err(allowlist_rejection().into());
    }
    full_plan.effects.clone_from(&visible_plan.effects);
    full_plan.warnings.clone_from(&visible_plan.warnings);
    Ok((visible_plan, full_plan))
}

fn paths(changeset: &Changeset) -> Vec<&MemoryPath> {
    let mut paths: Vec<&MemoryPath> = changeset.files.iter().map(|file| &file.path).collect();
    paths.sort();
    paths
}

/// Whether two plans have the same effects. Handles and ids are ignored: their shortest unique prefixes can differ.
fn same_effects(one: &[Effect], other: &[Effect]) -> bool {
    type EffectFields<'e> = (&'e MemoryPath, EffectSign, &'e str, Option<&'e str>, Option<&'e str>, usize);
    fn effect_fields(e: &Effect) -> EffectFields<'_> {
        (&e.path, e.sign, &e.text, e.section.as_deref(), e.to.as_deref(), e.operation)
    }
    one.iter().map(effect_fields).eq(other.iter().map(effect_fields))
}

/// Whether a file change modifies, adds or removes anything that is hidden from the agent.
fn touches_hidden(visibility: &Visibility, file: &FileChange, full_snapshot: &Snapshot) -> bool {
    let after = match &file.after {
        Some(bytes) => match Document::from_bytes(bytes.to_vec()) {
            Ok(document) => Some(document),
            Err(_) => return true,
        },
        None => None,
    };
    let before = full_snapshot.file(&file.path).ok().flatten().map(|loaded| &loaded.document);
    let hidden_parts = |document: Option<&Document>| -> Vec<String> {
        document
            .map_or(Vec::new(), |d| visibility.protected_texts(d, &file.path).into_iter().map(str::to_owned).collect())
    };
    hidden_parts(before) != hidden_parts(after.as_ref())
}

/// Warnings about other commands, reduced to the meaning of their code: their messages may name hidden files.
pub(super) fn redact_warnings(warnings: &[Warning]) -> Vec<Warning> {
    warnings.iter().map(|w| Warning::new(w.code, w.code.meaning().trim_end_matches('.').to_lowercase())).collect()
}

/// Checks that an agent may undo or redo a revision: it must see every file of the revision whole, before it, after it
/// and now.
///
/// # Errors
/// `category_not_allowed`.
pub(super) fn require_fully_visible(
    session: &Session,
    unfiltered: &Session,
    entry: &JournalEntry,
) -> Result<(), Rejection> {
    for file in &entry.files {
        let same_now = session.store.read(&file.path)? == unfiltered.store.read(&file.path)?;
        let same_then =
            [(RevisionSide::Before, file.before), (RevisionSide::After, file.after)].into_iter().all(|(side, etag)| {
                let text = |s: &Session| s.store.text_at(entry.rev, &file.path, side).ok().flatten();
                etag.is_none() || text(session).is_some_and(|visible| Some(visible) == text(unfiltered))
            });
        if !same_now || !same_then {
            return Err(allowlist_rejection());
        }
    }
    Ok(())
}
