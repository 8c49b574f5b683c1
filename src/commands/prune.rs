//! The command `prune`: archives what is expired or unused, purges what has been archived long enough, and drops
//! overdue proposals, as one change.
//!
//! Never acts without a rule of the policy, and never on a clock that cannot be right.

mod due;
mod due_hints;

use std::cell::OnceCell;
use std::collections::HashSet;

use jiff::civil::Date;
use schemars::JsonSchema;
use serde::Serialize;

pub use due::{DueAction, DueItems, clock_problem, due_items};

use super::change::{commit_approved, dry_run_result, plan_in_context};
use super::checkpoint::prune_checkpoints;
use super::embed::drop_gone_vectors;
use super::inbox::{ProposalRemoval, merged_removals};
use super::memory_tool::MAX_TRIES;
use super::results::{AttentionKind, AttentionRow, ChangeResult, WarningRow};
use super::unread_files::unread_sentences;
use super::{ChangeOptions, CommandResult, Error, Session};
use crate::change::Changeset;
use crate::code::{Code, Rejection, Warning};
use crate::operation::{Batch, Operation, PlanContext, Snapshot};

/// The result of `prune`.
#[derive(Clone, Debug, Default, Serialize, JsonSchema)]
#[non_exhaustive]
pub struct PruneResult {
    /// The fields of a change (`changed`, `rev`, `files`, …), beside the others of this object.
    #[serde(flatten)]
    pub change: ChangeResult,
    /// The items that were moved to `archive/`.
    pub archived: Vec<PrunedItem>,
    /// The items that were removed from `archive/`.
    pub purged: Vec<PrunedItem>,
    /// The proposals that were not decided in time.
    pub dropped: Vec<PrunedItem>,
    /// The checkpoints that the policy does not keep; `undo` does not take them back.
    pub checkpoints: Vec<PrunedItem>,
}

/// An item, and the rule by which it was archived, purged or dropped.
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[non_exhaustive]
pub struct PrunedItem {
    /// The address that it had; the key of a checkpoint.
    pub address: String,
    /// The text of a bullet, the title of an entry or section, the path of a file, or the id of a proposal; empty for a
    /// checkpoint.
    pub text: String,
    /// The rule of the policy, with the dates.
    pub reason: String,
}

/// Archives, purges and drops everything whose time has come, as one revision, and removes the checkpoints that the
/// policy does not keep.
///
/// # Errors
/// `category_not_allowed` for a caller that does not see everything, `clock_jumped`, and those of a change.
pub fn prune(session: &Session, options: &ChangeOptions) -> CommandResult<PruneResult> {
    session.store.require_unfiltered()?;
    session.may_write()?;
    let (mut due, is_clock_right) = checked_due_items(session, options)?;
    // Found without the lock, because git is asked. Without git nothing was merged.
    let merged = merged_removals(session).unwrap_or_default();
    due.add_merged(&merged);
    let left_out = unread_sentences(session, std::mem::take(&mut due.left_out).into_iter());
    let mut result = prune_items(session, options, due, is_clock_right, &merged)?;
    result.checkpoints = prune_checkpoints(session, options.dry_run)?;
    result.change.warnings.extend(left_out.into_iter().map(|text| WarningRow::from(&Warning::new(Code::Note, text))));
    Ok(result)
}

fn prune_items(
    session: &Session,
    options: &ChangeOptions,
    due: DueItems,
    is_clock_right: bool,
    merged: &[ProposalRemoval],
) -> CommandResult<PruneResult> {
    if is_clock_right && !options.dry_run {
        // From today on what is not used is known to be unused.
        session.store.begin_usage(session.now.date());
        let files: OnceCell<HashSet<String>> = OnceCell::new();
        let existing = || {
            let found = session.store.walk(None).unwrap_or_default();
            found.into_iter().map(|file| file.path.to_string()).collect()
        };
        // A memory that cannot be listed keeps all.
        session.store.fold_usage(&|path| {
            let files = files.get_or_init(existing);
            files.is_empty() || files.contains(path)
        });
    }
    if due.items.is_empty() || options.dry_run {
        let mut snapshot = Snapshot::new();
        let changeset = plan(session, &mut snapshot, &due)?;
        let change = if options.dry_run { dry_run_result(&changeset, &snapshot) } else { ChangeResult::default() };
        return Ok(result_of(due, change));
    }
    let mut tries = 1;
    loop {
        let mut done = DueItems::default();
        let (locked, warnings) = session.store.lock()?;
        let batch = Batch {
            reason: options.reason.clone().or_else(|| Some("prune".to_owned())),
            source: options.source.clone(),
            ..Batch::default()
        };
        // Looked up again under the lock: another `prune` may have been faster.
        let change = commit_approved(session, &locked, &batch, warnings, || {
            let mut snapshot = Snapshot::new();
            done = checked_due_items(session, options)?.0;
            done.add_merged(&still_waiting(session, merged)?);
            let changeset = plan(session, &mut snapshot, &done)?;
            Ok((changeset, snapshot))
        });
        match change {
            Ok(mut change) => {
                if done.items.iter().any(|item| item.action == DueAction::Purge)
                    && let Err(error) = drop_gone_vectors(session, &locked)
                {
                    let message = format!("vectors of purged texts may be left in .memdir/cache: {}", error.message);
                    change.warnings.push(WarningRow::from(&Warning::new(Code::Note, message)));
                }
                return Ok(result_of(done, change));
            }
            // An editor saved a file in between.
            Err(error) if error.code() == Code::Conflict && tries < MAX_TRIES => tries += 1,
            Err(error) => return Err(error),
        }
    }
}

/// The proposals whose files are still there: another command may have dropped some.
fn still_waiting(session: &Session, removals: &[ProposalRemoval]) -> Result<Vec<ProposalRemoval>, Rejection> {
    let mut waiting = Vec::new();
    for removal in removals {
        if session.store.read(&removal.path)?.is_some() {
            waiting.push(removal.clone());
        }
    }
    Ok(waiting)
}

fn plan(session: &Session, snapshot: &mut Snapshot, due: &DueItems) -> Result<Changeset, Error> {
    let operations: Vec<Operation> = due.items.iter().map(|item| item.operation.clone()).collect();
    let context = PlanContext { create: true, allow_reserved: true, ..session.plan_context() };
    plan_in_context(session, snapshot, &operations, &context)
}

/// The due items, and whether the clock may be right. If it cannot be, nothing may be due.
fn checked_due_items(session: &Session, options: &ChangeOptions) -> Result<(DueItems, bool), Error> {
    let mut due = due_now(session)?;
    // A run is whole or absent, and the dates of all files are compared with the clock.
    if let Some(reason) = due.unread.take() {
        return Err(reason.into());
    }
    let problem = due::clock_problem(due.newest.max(last_recorded_day(session)?), session.now.date());
    match problem.filter(|_| !options.force) {
        None => Ok((due, true)),
        Some(_) if due.items.is_empty() => Ok((due, false)),
        Some(problem) => Err(Rejection::new(Code::ClockJumped, problem)
            .hint("nothing was archived or purged; if the date is right, confirm it with -f")
            .into()),
    }
}

/// The due items at the session's time, by what is known of uses.
///
/// # Errors
/// `io`.
pub fn due_now(session: &Session) -> Result<DueItems, Error> {
    due_items(session, &session.store.unfiltered().usage())
}

/// What `status` says of items that the rules of the policy would archive as unused, or purge.
///
/// # Errors
/// `io`.
pub fn attention_rows(session: &Session) -> Result<Vec<AttentionRow>, Error> {
    // Without rules no file is read for it.
    if session.policy.policy.lifetimes.is_empty() {
        return Ok(Vec::new());
    }
    let due = due_now(session)?;
    let count = |action: DueAction| due.items.iter().filter(|item| item.action == action).count();
    let rows = [(AttentionKind::Unused, count(DueAction::Retire)), (AttentionKind::ToPurge, count(DueAction::Purge))];
    let rows = rows.into_iter().filter(|(_, count)| *count > 0);
    Ok(rows.map(|(what, count)| AttentionRow { what, count, layer: None, command: "memdir prune".into() }).collect())
}

/// The day of the newest revision.
fn last_recorded_day(session: &Session) -> Result<Option<Date>, Rejection> {
    let days = session.store.recent_entries()?.into_iter().filter_map(|entry| {
        let at: jiff::Timestamp = entry.header.at.parse().ok()?;
        Some(at.to_zoned(session.now.time_zone().clone()).date())
    });
    Ok(days.max())
}

fn result_of(due: DueItems, change: ChangeResult) -> PruneResult {
    let mut result = PruneResult { change, ..PruneResult::default() };
    for item in due.items {
        let list = match item.action {
            DueAction::Expire | DueAction::Retire => &mut result.archived,
            DueAction::Purge => &mut result.purged,
            DueAction::Drop => &mut result.dropped,
        };
        list.push(PrunedItem { address: item.address, text: item.text, reason: item.reason });
    }
    result
}
