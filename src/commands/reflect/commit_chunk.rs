//! Commits the accepted operations of one chunk: plans them again on the current files and commits them together.
//!
//! Never calls a model. Operations that no longer apply are dropped and reported; the others are committed all or none.

use serde_json::{Value, json};

use super::chunk::{AcceptedOperation, is_obstacle};
use super::overlay::first_rejection;
use crate::change::{Changeset, EffectSign};
use crate::code::Rejection;
use crate::commands::change::{change_result, commit_approved, plan_in_context};
use crate::commands::inbox::{WaitingField, waiting_fields};
use crate::commands::results::ChangeResult;
use crate::commands::superseded::record_superseded;
use crate::commands::{ChangeOptions, Error, Session};
use crate::llm::{ModelId, TokenUsage};
use crate::operation::overlay::Overlay;
use crate::operation::planner::PlanContext;
use crate::operation::{Action, Batch, Operation, Snapshot, Target, dialects};
use crate::path::MemoryPath;
use crate::reflect::guards;
use crate::reflect::inbox_item::{self, InboxItem};
use crate::store::LockedStore;
use crate::view::diff::unified_diff;

/// The origin of a chunk.
pub struct ChunkOrigin<'a> {
    pub model: &'a ModelId,
    /// Id of the conversation.
    pub conversation: &'a str,
    /// Request id of the chunk: it is committed only once.
    pub request: String,
    /// Token counts of the chunk.
    pub usage: TokenUsage,
}

/// The result of committing a chunk.
#[derive(Debug, Default)]
pub struct CommittedChunk {
    /// The change; `None` if there was nothing to commit.
    pub change: Option<ChangeResult>,
    /// Ids of the proposals, each with the index of its decision.
    pub proposals: Vec<(usize, String)>,
    /// Operations that no longer apply, each with the index of its decision.
    pub dropped: Vec<(usize, Rejection)>,
    /// Whether another process committed the chunk in the meantime.
    pub by_other_process: bool,
}

/// Whether the chunk was committed before.
///
/// # Errors
/// `io`.
pub fn is_committed(session: &Session, request: &str) -> Result<bool, Error> {
    Ok(session.unfiltered().store.find_request(request)?.is_some())
}

/// Commits a chunk. The caller holds the lock.
///
/// # Errors
/// Errors of the store; then nothing of the chunk was written.
pub fn commit(
    session: &Session,
    locked: &LockedStore<'_>,
    accepted: &[AcceptedOperation],
    origin: &ChunkOrigin<'_>,
    options: &ChangeOptions,
) -> Result<CommittedChunk, Error> {
    let by_other_process = !accepted.is_empty() && is_committed(session, &origin.request)?;
    let mut committed = CommittedChunk { by_other_process, ..CommittedChunk::default() };
    if accepted.is_empty() || by_other_process {
        return Ok(committed);
    }
    let batch = Batch {
        reason: options.reason.clone().or_else(|| Some("reflect".into())),
        source: options.source.clone().or_else(|| Some(origin.conversation.to_owned())),
        request: Some(origin.request.clone()),
        ..Batch::default()
    };
    let unfiltered = session.unfiltered();
    let change = commit_approved(&unfiltered, locked, &batch, Vec::new(), || {
        let overlay = plan(session, accepted, origin, &mut committed)?;
        Ok((overlay.changeset, overlay.current))
    })?;
    committed.change = Some(change);
    Ok(committed)
}

/// A dry run of [`commit`].
///
/// # Errors
/// `io`.
pub fn dry_run(
    session: &Session,
    accepted: &[AcceptedOperation],
    origin: &ChunkOrigin<'_>,
) -> Result<CommittedChunk, Error> {
    let mut committed = CommittedChunk::default();
    let overlay = plan(session, accepted, origin, &mut committed)?;
    let diff = overlay.changeset.files.iter().map(|file| {
        let after = file.after.as_ref().map(|bytes| String::from_utf8_lossy(bytes).into_owned());
        unified_diff(file.path.as_str(), overlay.text_before(&file.path), after.as_deref())
    });
    let diff = Some(diff.collect());
    let change = change_result(&overlay.changeset, &overlay.current, true);
    let is_dropped = |a: &AcceptedOperation| committed.dropped.iter().any(|(n, _)| *n == a.decision_index);
    let applied = accepted.iter().filter(|a| a.as_proposal.is_none() && !is_dropped(a));
    let operations = applied.map(|a| {
        let source = Some(origin.conversation.to_owned());
        dialects::to_json(&Operation { source, ..a.operation.clone() })
    });
    let operations = Some(operations.collect());
    committed.change = Some(ChangeResult { dry_run: true, diff, operations, ..change });
    Ok(committed)
}

fn plan(
    session: &Session,
    accepted: &[AcceptedOperation],
    origin: &ChunkOrigin<'_>,
    committed: &mut CommittedChunk,
) -> Result<Overlay, Error> {
    let mut overlay = Overlay::default();
    let (unfiltered, mut inbox) = (session.unfiltered(), Snapshot::new());
    let own_context = PlanContext { force: true, allow_reserved: true, ..unfiltered.plan_context() };
    let mut waiting = waiting_fields(session)?;
    (committed.proposals, committed.dropped) = Default::default();
    for accepted_operation in accepted {
        let result = match &accepted_operation.as_proposal {
            None => {
                let operations = std::slice::from_ref(&accepted_operation.operation);
                let context = PlanContext { links: session.policy.policy.links, ..session.plan_context() };
                plan_in_context(session, &mut overlay.current, operations, &context)
            }
            Some((reason, diff)) => {
                let proposal = new_inbox_item(session, accepted_operation, origin, reason, diff);
                let id = inbox_item::proposal_id(&proposal.operation);
                committed.proposals.push((accepted_operation.decision_index, id.clone()));
                let Some(path) = inbox_item::item_path(&id) else { continue };
                let is_planned = overlay.changed_files().any(|changed| *changed == path);
                if is_planned || !is_free(&unfiltered, &path) {
                    continue;
                }
                // Planned without the filter, which hides the inbox, and on a snapshot of its own: errors of the
                // caller's operations must not show what it contains.
                let operations = [create_operation(&proposal)];
                plan_in_context(&unfiltered, &mut inbox, &operations, &own_context)
            }
        };
        match result {
            Ok(mut changeset) => {
                add_evidence(&mut changeset, accepted_operation, origin);
                let is_applied = accepted_operation.as_proposal.is_none();
                let added: Vec<String> = added_texts(&changeset).filter(|_| is_applied).collect();
                overlay.push(changeset);
                // What waited for a second conversation is decided by it.
                let decided = |field: &mut WaitingField| {
                    let is_added = |text: &String| guards::is_repeated(text, added.iter().map(String::as_str));
                    !field.texts.is_empty() && field.texts.iter().all(is_added)
                };
                for field in waiting.extract_if(.., decided) {
                    let operations = [field.removal()];
                    let removal = plan_in_context(&unfiltered, &mut inbox, &operations, &own_context);
                    // A person may have decided in the meantime.
                    removal.into_iter().for_each(|removal| overlay.push(removal));
                }
            }
            // The chunk is read again once the obstacle is gone.
            Err(error) if error.rejections.first().is_some_and(is_obstacle) => return Err(error),
            Err(error) => committed.dropped.push((accepted_operation.decision_index, first_rejection(error))),
        }
    }
    if let Some(Value::Object(operation)) = overlay.changeset.operations.first_mut() {
        operation.insert("input_tokens".into(), json!(origin.usage.input));
        operation.insert("output_tokens".into(), json!(origin.usage.output));
    }
    Ok(overlay)
}

/// Whether a proposal may be written to a path: no proposal is there, or only an expired one.
fn is_free(session: &Session, path: &MemoryPath) -> bool {
    let today = session.now.date().to_string();
    match session.store.read(path) {
        Ok(None) => true,
        Ok(Some(waiting)) => inbox_item::parse_item(&String::from_utf8_lossy(&waiting.bytes)).is_expired(&today),
        Err(_) => false,
    }
}

fn added_texts(changeset: &Changeset) -> impl Iterator<Item = String> + '_ {
    changeset.effects.iter().filter(|e| e.sign == EffectSign::Added && e.handle.is_some()).map(|e| e.text.clone())
}

/// Adds to the journal entry which model proposed the operation, and which words of the conversation prove it.
fn add_evidence(changeset: &mut Changeset, accepted: &AcceptedOperation, origin: &ChunkOrigin<'_>) {
    for operation in &mut changeset.operations {
        let Value::Object(operation) = operation else { continue };
        let evidence = [
            ("provider", json!(origin.model.provider)),
            ("model", json!(origin.model.model)),
            ("conversation", json!(origin.conversation)),
            ("turn", json!(accepted.evidence.turn)),
            ("role", json!(accepted.evidence.role.name())),
            ("quote", json!(accepted.quote)),
        ];
        operation.extend(evidence.map(|(key, value)| (key.to_owned(), value)));
    }
    record_superseded(changeset);
}

fn new_inbox_item(
    session: &Session,
    accepted: &AcceptedOperation,
    origin: &ChunkOrigin<'_>,
    reason: &str,
    diff: &str,
) -> InboxItem {
    let operation = dialects::to_json(&accepted.operation);
    let string_field =
        |key: &str| operation.get(key).and_then(Value::as_str).filter(|s| !s.is_empty()).map(str::to_owned);
    let title = string_field("title")
        .or_else(|| string_field("text"))
        .or_else(|| string_field("at"))
        .unwrap_or_else(|| "a change".into());
    let today = session.now.date();
    let days = i64::from(session.policy.policy.consent_days);
    let until = today.checked_add(jiff::Span::new().days(days)).unwrap_or(today);
    InboxItem {
        title: format!("{} {title}", string_field("op").unwrap_or_default()),
        operation,
        reason: reason.to_owned(),
        by: format!("{} {}", origin.model.provider, origin.model.model),
        at: today.to_string(),
        until: until.to_string(),
        conversation: Some(origin.conversation.to_owned()),
        turn: Some(accepted.evidence.turn),
        quote: Some(accepted.quote.clone()),
        diff: diff.to_owned(),
        scope: session.scope.as_ref().map(|scope| scope.name.clone()),
        layer: session.layer_name.clone(),
    }
}

/// The operation that creates the proposal's file in the inbox.
fn create_operation(proposal: &InboxItem) -> Operation {
    let at = Target::Address(format!("inbox/{}.md", inbox_item::proposal_id(&proposal.operation)));
    let action = Action::Write { at, text: proposal.to_markdown(), create: true };
    Operation::from(action)
}
