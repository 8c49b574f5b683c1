//! Makes the decided changes: each absorbed bullet moves to the archive, each rewritten one leaves a copy there, all as
//! one revision.
//!
//! Never makes a change whose bullets are not as they were when it was decided.

use std::collections::HashSet;

use super::super::super::change::{commit_loop, dry_run_result};
use super::super::super::consent::{ApprovalGate, CommitMode};
use super::super::super::{ChangeOptions, Error, Session};
use super::super::ChangeResult;
use super::super::overlay::CompactOverlay;
use super::pool::PoolBullet;
use crate::commands::results::{DuplicateDecider, RemovedDuplicate};
use crate::document::LocatedBullet;
use crate::operation::Batch;
use crate::path::MemoryPath;
use crate::reflect::compaction::{CompactionEdit, CompactionStep, bullet_removal, bullet_rewrite};

/// The reason of a run that gives none.
const DEFAULT_REASON: &str = "duplicates";

/// How the reason begins with which the journal records each bullet that goes.
pub const DUPLICATE_REASON: &str = "duplicate:";
/// What follows it for a bullet whose words the kept one takes over.
pub const MERGED_INTO: &str = "merged into";

/// One bullet that another one stands for, as indices into the pool.
#[derive(Clone, Debug)]
pub struct DuplicateChange {
    pub kept: usize,
    pub absorbed: usize,
    /// The new text of the one that stays; `None` if it stays as it is.
    pub text: Option<String>,
    /// Whether a model decided it; else the texts are equal.
    pub by_model: bool,
}

impl DuplicateChange {
    /// The rule, for the journal and the report.
    fn reason(&self, pool: &[PoolBullet]) -> String {
        let kept = pool[self.kept].item.address();
        match (self.by_model, &self.text) {
            (false, _) => format!("{DUPLICATE_REASON} the same text as {kept}"),
            (true, None) => format!("{DUPLICATE_REASON} says the same as {kept}, by the model"),
            (true, Some(_)) => format!("{DUPLICATE_REASON} {MERGED_INTO} {kept}, by the model"),
        }
    }

    pub fn to_row(&self, pool: &[PoolBullet]) -> RemovedDuplicate {
        let (kept, absorbed) = (&pool[self.kept].item, &pool[self.absorbed].item);
        RemovedDuplicate {
            address: absorbed.address(),
            text: absorbed.text.clone(),
            kept: kept.address(),
            kept_text: kept.text.clone(),
            new_text: self.text.clone(),
            by: if self.by_model { DuplicateDecider::Model } else { DuplicateDecider::Rule },
            reason: self.reason(pool),
        }
    }
}

/// Commits the changes; with `dry_run`, only plans them. Says of each whether it was made, or why not.
///
/// # Errors
/// Errors of reading and committing.
pub fn commit_changes(
    session: &Session,
    pool: &[PoolBullet],
    changes: &[DuplicateChange],
    source: &str,
    options: &ChangeOptions,
) -> Result<(ChangeResult, Vec<Result<(), String>>), Error> {
    let plan = |overlay: &mut CompactOverlay<'_>| plan_changes(overlay, pool, changes, source);
    if options.dry_run {
        require_consent(session, pool, changes, source, CommitMode::DryRun)?;
        let mut overlay = CompactOverlay::new(session);
        let applied = plan(&mut overlay)?;
        let (changeset, snapshot) = overlay.into_changeset();
        let mut change = dry_run_result(&changeset, &snapshot);
        // They depend on each other, so `apply` could not make them as one batch.
        change.operations = None;
        return Ok((change, applied));
    }
    if changes.is_empty() {
        return Ok((ChangeResult::default(), Vec::new()));
    }
    let (locked, warnings) = session.store.lock()?;
    require_consent(session, pool, changes, source, CommitMode::Commit(&locked))?;
    let batch = Batch {
        reason: options.reason.clone().or_else(|| Some(DEFAULT_REASON.to_owned())),
        source: options.source.clone(),
        ..Batch::default()
    };
    let mut applied = Vec::new();
    let change = commit_loop(session, &locked, &batch, warnings, || {
        let mut overlay = CompactOverlay::new(session);
        applied = plan(&mut overlay)?;
        Ok(overlay.into_changeset())
    })?;
    Ok((change, applied))
}

/// Refuses an agent's run in which the model takes sensitive fields out of the memory. Of equal texts one stays.
fn require_consent(
    session: &Session,
    pool: &[PoolBullet],
    changes: &[DuplicateChange],
    source: &str,
    mode: CommitMode<'_>,
) -> Result<(), Error> {
    let by_model: Vec<DuplicateChange> = changes.iter().filter(|change| change.by_model).cloned().collect();
    if by_model.is_empty() || !session.is_agent {
        return Ok(());
    }
    let mut overlay = CompactOverlay::new(session);
    plan_changes(&mut overlay, pool, &by_model, source)?;
    let (changeset, snapshot) = overlay.into_changeset();
    ApprovalGate { session, batch: &Batch::default(), mode }.require_consent_to_archive(&changeset, &snapshot)
}

/// Plans the changes on the files as they are: those of equal texts as one step for each file, because there may be
/// many, the others one after the other.
fn plan_changes(
    overlay: &mut CompactOverlay<'_>,
    pool: &[PoolBullet],
    changes: &[DuplicateChange],
    source: &str,
) -> Result<Vec<Result<(), String>>, Error> {
    let mut applied: Vec<Result<(), String>> = vec![Ok(()); changes.len()];
    let mut groups: Vec<Vec<usize>> = Vec::new();
    for (i, change) in changes.iter().enumerate() {
        let path = |at: &usize| &pool[changes[*at].absorbed].item.path;
        let group = groups.iter_mut().find(|group| {
            let first = group[0];
            !change.by_model && !changes[first].by_model && path(&first) == path(&i)
        });
        match group {
            Some(group) => group.push(i),
            None => groups.push(vec![i]),
        }
    }
    for group in groups {
        let step = match build_step(overlay, pool, changes, &group, source, &mut applied)? {
            Some(step) => step,
            None => continue,
        };
        if let Err(error) = overlay.apply_step(&step) {
            let message = error.message();
            group.iter().filter(|at| applied[**at].is_ok()).copied().collect::<Vec<_>>().into_iter().for_each(|at| {
                applied[at] = Err(message.clone());
            });
        }
    }
    Ok(applied)
}

/// The step of a group of changes to one file; `None` if none of them applies any more.
fn build_step(
    overlay: &mut CompactOverlay<'_>,
    pool: &[PoolBullet],
    changes: &[DuplicateChange],
    group: &[usize],
    source: &str,
    applied: &mut [Result<(), String>],
) -> Result<Option<CompactionStep>, Error> {
    let path: &MemoryPath = &pool[changes[group[0]].absorbed].item.path;
    let document = overlay.document(path)?;
    let mut edits: Vec<CompactionEdit> = Vec::new();
    let mut taken: HashSet<usize> = HashSet::new();
    for &at in group {
        let change = &changes[at];
        let (kept, absorbed) = (&pool[change.kept], &pool[change.absorbed]);
        let kept_document =
            if kept.item.path == *path { document.clone() } else { overlay.document(&kept.item.path)? };
        let found = document.as_ref().zip(kept_document).and_then(|(document, kept_document)| {
            let is_same_file = kept.item.path == *path;
            let free = |i: &usize| !is_same_file || !taken.contains(i);
            // Of bullets that are equal in everything, the last one goes.
            let goes = absorbed.key.find(document).into_iter().rfind(|i| !taken.contains(i))?;
            let stays = kept.key.find(&kept_document).into_iter().find(|i| free(i) && !(is_same_file && *i == goes))?;
            Some((goes, stays))
        });
        let (Some((goes, stays)), Some(document)) = (found, &document) else {
            applied[at] = Err("one of the two was changed meanwhile".into());
            continue;
        };
        taken.insert(goes);
        let source = if change.by_model { source } else { "" };
        if let Some(text) = &change.text {
            let reason = format!("{DUPLICATE_REASON} merged with {}, by the model", absorbed.item.address());
            edits.push(bullet_rewrite(LocatedBullet { path, document, index: stays }, text, &reason, source));
        }
        edits.push(bullet_removal(LocatedBullet { path, document, index: goes }, &change.reason(pool), source));
    }
    Ok((!edits.is_empty()).then(|| CompactionStep { path: path.clone(), edits }))
}
