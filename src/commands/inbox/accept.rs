//! Plans the operations of proposals on the memory as it is, and commits them with the removal of the proposals.
//!
//! Never decides which proposals are accepted, nor who may accept them.

use serde_json::Value;

use super::InboxFile;
use crate::change::Changeset;
use crate::code::{Code, Rejection, SuggestedCommand};
use crate::commands::change::{commit_approved, dry_run_result, plan_in_context};
use crate::commands::results::ChangeResult;
use crate::commands::superseded::record_superseded;
use crate::commands::{ChangeOptions, Error, Session};
use crate::operation::{Action, Batch, Operation, PlanContext, Snapshot, Target};
use crate::reflect::inbox_item::TurnOrigin;

/// An operation, and the turn that its proposal is based on.
pub(super) type OperationWithOrigin<'a> = (Operation, Option<TurnOrigin<'a>>);

/// Adds to the operations of a planned change which turns they are based on, and what they supersede.
fn add_origins(changeset: &mut Changeset, operations: &[OperationWithOrigin<'_>]) {
    for (recorded, (_, origin)) in changeset.operations.iter_mut().zip(operations) {
        if let (Value::Object(recorded), Some(origin)) = (recorded, origin) {
            recorded.insert("conversation".into(), origin.conversation.into());
            recorded.insert("turn".into(), origin.turn.into());
            recorded.insert("quote".into(), origin.quote.into());
        }
    }
    record_superseded(changeset);
}

/// The operations of proposals, each with its origin.
pub(super) fn proposed_operations<'a>(files: &[&'a InboxFile]) -> Result<Vec<OperationWithOrigin<'a>>, Rejection> {
    let mut operations = Vec::new();
    for file in files {
        let each = file.proposal.operations.clone()?.into_iter();
        operations.extend(each.map(|operation| (operation, file.proposal.origin())));
    }
    Ok(operations)
}

/// An error of several proposals, with the first one that cannot be accepted with those before it.
pub(super) fn blocked_error(session: &Session, files: &[&InboxFile], options: &ChangeOptions, error: Error) -> Error {
    if files.len() < 2 || error.rejections.iter().any(|rejection| rejection.changed != Some(false)) {
        return error;
    }
    let preview = ChangeOptions { dry_run: true, ..options.clone() };
    let is_blocked = |count: &usize| {
        let operations = proposed_operations(&files[..*count]);
        operations.is_ok_and(|operations| apply_and_remove(session, &operations, &[], &preview, "accepted").is_err())
    };
    let counts: Vec<usize> = (1..=files.len()).collect();
    let Some(blocking) = files.get(counts.partition_point(|count| !is_blocked(count))) else { return error };
    let id = blocking.id();
    let before: Vec<String> =
        files.iter().take_while(|file| file.id() != id).map(|file| file.id().to_owned()).collect();
    let named = |rejection: Rejection| {
        let message = format!("the proposal {id} cannot be accepted, so none was: {}", rejection.message);
        let mut named = Rejection { message, operation: None, ..rejection.detail("proposal", id) };
        // Those before it can, and it may be possible after them.
        if named.code == Code::OverlappingOperations {
            named = named.hint("proposals about one place are accepted one after the other");
            named
                .suggestions
                .insert(0, SuggestedCommand { subcommand: vec!["inbox", "--accept"], operands: before.clone() });
        }
        named.try_command(SuggestedCommand { subcommand: vec!["inbox", "--reject"], operands: vec![id.to_owned()] })
    };
    let operations = proposed_operations(&[*blocking]).unwrap_or_default();
    let own = apply_and_remove(session, &operations, &[], &preview, "accepted").err();
    let Error { rejections, warnings } = own.unwrap_or(error);
    Error { rejections: rejections.into_iter().take(1).map(named).collect(), warnings }
}

/// Whether operations write files of the archive as wholes, as `compact` and `undo` do: no other operation may.
fn writes_archive(operations: &[Operation]) -> bool {
    operations.iter().any(|operation| match &operation.action {
        Action::Write { at: Target::Address(at), .. } => at.starts_with("archive/"),
        _ => false,
    })
}

/// Applies operations and removes proposals in one change.
pub(super) fn apply_and_remove(
    session: &Session,
    operations: &[OperationWithOrigin<'_>],
    removals: &[Operation],
    options: &ChangeOptions,
    outcome: &str,
) -> Result<ChangeResult, Error> {
    let accepted: Vec<Operation> = operations.iter().map(|(operation, _)| operation.clone()).collect();
    let planned = || -> Result<(Changeset, Snapshot), Error> {
        let mut snapshot = Snapshot::new();
        let context = |own: bool, force: bool| PlanContext {
            force,
            create: options.create || own,
            allow_reserved: own,
            ..session.plan_context()
        };
        let allow_reserved = writes_archive(&accepted);
        let accept_context = PlanContext { allow_reserved, ..context(false, options.force) };
        let mut changeset = plan_in_context(session, &mut snapshot, &accepted, &accept_context)?;
        add_origins(&mut changeset, operations);
        let removal_changeset = plan_in_context(session, &mut snapshot, removals, &context(true, true))?;
        changeset.files.extend(removal_changeset.files);
        changeset.operations.extend(removal_changeset.operations);
        changeset.warnings.extend(removal_changeset.warnings);
        Ok((changeset, snapshot))
    };
    if options.dry_run {
        let (changeset, snapshot) = planned()?;
        return Ok(dry_run_result(&changeset, &snapshot));
    }
    let reason = options.reason.clone().or_else(|| Some(format!("inbox: {outcome}")));
    let batch = Batch {
        reason,
        source: options.source.clone(),
        consent: options.consent.iter().cloned().collect(),
        ..Batch::default()
    };
    let unfiltered = session.unfiltered();
    let (locked, warnings) = unfiltered.store.lock()?;
    commit_approved(session, &locked, &batch, warnings, planned)
}
