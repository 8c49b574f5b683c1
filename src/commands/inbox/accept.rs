//! Plans the operations of proposals on the memory as it is, and commits them with the removal of the proposals.
//!
//! Never decides which proposals are accepted, nor who may accept them.

use serde_json::Value;

use super::InboxFile;
use super::preview::FORGET_NOTE;
use crate::change::{Changeset, PROPOSER_FIELD};
use crate::code::{Code, Rejection, SuggestedCommand, Warning};
use crate::commands::change::{commit_approved, dry_run_result, plan_in_context};
use crate::commands::forget::find_traces;
use crate::commands::results::ChangeResult;
use crate::commands::secrets_check::check_secrets;
use crate::commands::superseded::record_superseded;
use crate::commands::{ChangeOptions, Error, Session};
use crate::operation::{Action, Batch, Operation, PlanContext, Snapshot, Target};
use crate::reflect::inbox_item::PendingProposal;

/// An operation, and the proposal that it is from.
pub(super) type ProposedOperation<'a> = (Operation, &'a PendingProposal);

/// Adds to the operations of a planned change who proposed them, which turns they are based on, and what they supersede.
fn add_origins(changeset: &mut Changeset, operations: &[ProposedOperation<'_>]) {
    for (recorded, (_, proposal)) in changeset.operations.iter_mut().zip(operations) {
        let Value::Object(recorded) = recorded else { continue };
        if let Some(proposer) = proposal.proposer() {
            recorded.insert(PROPOSER_FIELD.into(), proposer.into());
        }
        if let Some(origin) = proposal.origin() {
            recorded.insert("conversation".into(), origin.conversation.into());
            recorded.insert("turn".into(), origin.turn.into());
            recorded.insert("quote".into(), origin.quote.into());
        }
    }
    record_superseded(changeset);
}

/// The operations of proposals, each with its proposal. If [`is_forced`] says so, without the etags of the files that the
/// proposers saw.
pub(super) fn proposed_operations<'a>(
    files: &[&'a InboxFile],
    force: bool,
) -> Result<Vec<ProposedOperation<'a>>, Rejection> {
    let force = is_forced(files, force);
    let mut operations = Vec::new();
    for file in files {
        let each = operations_to_plan(file, force)?.into_iter();
        operations.extend(each.map(|operation| (operation, &file.proposal)));
    }
    Ok(operations)
}

/// The operations of one proposal, as [`proposed_operations`] has them.
pub(super) fn operations_to_plan(file: &InboxFile, force: bool) -> Result<Vec<Operation>, Rejection> {
    let mut operations = file.proposal.operations.clone().map_err(|error| unreadable_error(file, &error))?;
    if is_forced(&[file], force) {
        operations.iter_mut().for_each(|operation| operation.if_match = None);
    }
    Ok(operations)
}

/// The error of a proposal whose operation cannot be read, with its id, its file and a command to try.
pub(super) fn unreadable_error(file: &InboxFile, error: &Rejection) -> Rejection {
    let message = format!("the proposal {} cannot be read: {}", file.id(), unreadable_reason(file, error));
    let named = Rejection::new(error.code, message).detail("proposal", file.id()).detail("path", file.path.as_str());
    match file.etag {
        Some(_) => named
            .hint(format!("mend the ```json block of {}, or reject the proposal", file.path))
            .try_command(reject_command(file.id())),
        None => named
            .hint("make the file readable, or remove it")
            .try_command(SuggestedCommand { subcommand: vec!["inbox"], operands: Vec::new() }),
    }
}

/// Why the operation of a proposal cannot be read, with the number of the operation if there are several.
pub(super) fn unreadable_reason(file: &InboxFile, error: &Rejection) -> String {
    let at = error.operation.filter(|n| *n > 0).map_or(String::new(), |n| format!("operation {}: ", n + 1));
    let prefix = format!("'{}' ", file.path);
    format!("{}: {at}{}", file.path, error.message.strip_prefix(&prefix).unwrap_or(&error.message))
}

/// Whether an operation cannot be planned because its file is another than its proposer saw.
pub(super) fn is_stale(code: Code) -> bool {
    matches!(code, Code::Conflict | Code::NeedsProof)
}

fn reject_command(id: &str) -> SuggestedCommand {
    SuggestedCommand { subcommand: vec!["inbox", "--reject"], operands: vec![id.to_owned()] }
}

/// The error of accepting proposals, with the first one that cannot be accepted with those before it, and the ways out.
pub(super) fn blocked_error(session: &Session, files: &[&InboxFile], options: &ChangeOptions, error: Error) -> Error {
    if files.is_empty() || error.rejections.iter().any(|rejection| rejection.changed != Some(false)) {
        return error;
    }
    let is_planned = |files: &[&InboxFile], force: bool| -> Result<(), Error> {
        let preview = ChangeOptions { dry_run: true, force, ..options.clone() };
        let operations = proposed_operations(files, force)?;
        apply_and_remove(session, &operations, &[], &preview, "accepted").map(drop)
    };
    let force = is_forced(files, options.force);
    let counts: Vec<usize> = (1..=files.len()).collect();
    let blocking = counts.partition_point(|count| is_planned(&files[..*count], force).is_ok());
    let Some(&blocking_file) = files.get(blocking) else { return error };
    let id = blocking_file.id();
    let before: Vec<String> = files[..blocking].iter().map(|file| file.id().to_owned()).collect();
    let none = if files.len() > 1 { ", so none was" } else { "" };
    let named = |rejection: Rejection| {
        let message = format!("the proposal {id} cannot be accepted{none}: {}", rejection.message);
        let mut named = Rejection { message, operation: None, ..rejection.detail("proposal", id) };
        // Those before it can, and it may be possible after them.
        if named.code == Code::OverlappingOperations {
            named = named.hint("proposals about one place are accepted one after the other");
            named
                .suggestions
                .insert(0, SuggestedCommand { subcommand: vec!["inbox", "--accept"], operands: before.clone() });
        }
        if is_stale(named.code) && !options.force && is_planned(&[blocking_file], true).is_ok() {
            named = named.hint("the first command shows what it would change now, the second accepts that");
            named.suggestions = vec![
                SuggestedCommand::new("inbox", id),
                SuggestedCommand { subcommand: vec!["inbox", "--accept", "-f"], operands: vec![id.to_owned()] },
            ];
        }
        if is_stale(named.code) && options.force && !force {
            named = named.hint(unforced_hint(files));
        }
        named.try_command(reject_command(id))
    };
    let Error { rejections, warnings } = is_planned(&[blocking_file], force).err().unwrap_or(error);
    Error { rejections: rejections.into_iter().take(1).map(named).collect(), warnings }
}

/// Whether `-f` forces proposals. It forces none of a revision that forgets a text, because that cannot be undone.
pub(super) fn is_forced(files: &[&InboxFile], force: bool) -> bool {
    force && !files.iter().any(|file| file.proposal.forgets())
}

/// Why `-f` did not force proposals of which some forget a text.
fn unforced_hint(files: &[&InboxFile]) -> String {
    let reason = "-f forces nothing in a revision that forgets a text, because that cannot be undone";
    if files.len() == 1 {
        return reason.to_owned();
    }
    let forgetting: Vec<&str> = files.iter().filter(|file| file.proposal.forgets()).map(|file| file.id()).collect();
    format!("{reason}; accept {} by itself", forgetting.join(", "))
}

/// Whether operations write files of the archive as wholes, as `compact` and `undo` do: no other operation may.
fn writes_archive(operations: &[Operation]) -> bool {
    operations.iter().any(|operation| match &operation.action {
        Action::Write { at: Target::Address(at), .. } => at.starts_with("archive/"),
        _ => false,
    })
}

/// Plans accepted operations on the memory as it is.
///
/// # Errors
/// The rejections of the planner.
pub(super) fn plan_accepted(
    session: &Session,
    snapshot: &mut Snapshot,
    accepted: &[Operation],
    options: &ChangeOptions,
) -> Result<Changeset, Error> {
    let context = PlanContext {
        // As `is_forced` says of proposals.
        force: options.force && !accepted.iter().any(Operation::is_forget),
        create: options.create,
        allow_reserved: writes_archive(accepted),
        ..session.plan_context()
    };
    plan_in_context(session, snapshot, accepted, &context)
}

/// The words with which the user agreed: to what was proposed, then to the decision.
fn words_of_consent(operations: &[ProposedOperation<'_>], options: &ChangeOptions) -> Vec<String> {
    let proposed = operations.iter().filter_map(|(_, proposal)| proposal.consent().map(str::to_owned));
    let mut words: Vec<String> = proposed.chain(options.consent.clone()).collect();
    words.dedup();
    words
}

/// The source of all operations; `None` if they have several. Each keeps its own in the history.
fn shared_source(operations: &[Operation]) -> Option<String> {
    let first = operations.first()?.source.as_ref()?;
    operations.iter().all(|operation| operation.source.as_ref() == Some(first)).then(|| first.clone())
}

/// Applies operations and removes proposals in one change.
pub(super) fn apply_and_remove(
    session: &Session,
    operations: &[ProposedOperation<'_>],
    removals: &[Operation],
    options: &ChangeOptions,
    outcome: &str,
) -> Result<ChangeResult, Error> {
    let accepted: Vec<Operation> = operations.iter().map(|(operation, _)| operation.clone()).collect();
    let planned = || -> Result<(Changeset, Snapshot), Error> {
        let mut snapshot = Snapshot::new();
        let mut changeset = plan_accepted(session, &mut snapshot, &accepted, options)?;
        check_secrets(session, &mut changeset, &snapshot)?;
        add_origins(&mut changeset, operations);
        let own = PlanContext { force: true, create: true, allow_reserved: true, ..session.plan_context() };
        let removal_changeset = plan_in_context(session, &mut snapshot, removals, &own)?;
        changeset.files.extend(removal_changeset.files);
        changeset.operations.extend(removal_changeset.operations);
        changeset.warnings.extend(removal_changeset.warnings);
        Ok((changeset, snapshot))
    };
    if options.dry_run {
        let (mut changeset, snapshot) = planned()?;
        if changeset.forget {
            let traces = find_traces(session, &mut changeset.clone(), &snapshot)?;
            changeset.warnings.extend(traces.warnings);
            changeset.warnings.push(Warning::new(Code::Note, FORGET_NOTE));
        }
        return Ok(dry_run_result(&changeset, &snapshot));
    }
    // The decision is part of the audit trail, whatever reason a person adds.
    let reason = options.reason.iter().fold(format!("inbox: {outcome}"), |decision, why| format!("{decision}: {why}"));
    let batch = Batch {
        reason: Some(reason),
        source: options.source.clone().or_else(|| shared_source(&accepted)),
        consent: words_of_consent(operations, options),
        ..Batch::default()
    };
    let unfiltered = session.unfiltered();
    let (locked, warnings) = unfiltered.store.lock()?;
    commit_approved(session, &locked, &batch, warnings, planned)
}
