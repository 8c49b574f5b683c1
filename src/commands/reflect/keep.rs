//! What was accepted of one piece becomes one commit: planned anew on the memory as it stands now.
//!
//! Never asks a model. What no longer fits is dropped and told; the rest of the piece stands or falls as one.

use serde_json::{Value, json};

use super::chunk::Accepted;
use super::desk::{context, first};
use crate::change::{Changeset, Version};
use crate::code::Rejection;
use crate::commands::answer::{Answer, Changed};
use crate::commands::change::{answered, commit_loop, plan_with, repeated};
use crate::commands::fetch::fetch;
use crate::commands::guarded::alike;
use crate::commands::{Failure, How, Session};
use crate::document::Sight;
use crate::llm::{Usage, Who};
use crate::operation::sequence::Sequence;
use crate::operation::{Action, Batch, Operation, Snapshot, Target, Want, read};
use crate::reflect::proposal::{self, Proposal};
use crate::store::Locked;
use crate::view::diff::unified;

/// Where a piece is from.
pub struct Origin<'a> {
    /// Who was asked.
    pub who: &'a Who,
    /// The conversation's id.
    pub conversation: &'a str,
    /// The id of this piece: it is committed once.
    pub request: String,
    /// What it cost.
    pub usage: Usage,
}

/// What became of what was accepted.
#[derive(Debug, Default)]
pub struct Kept {
    /// The change; none where nothing was left to do.
    pub change: Option<Changed>,
    /// Proposals, with the decisions they belong to.
    pub proposals: Vec<(usize, String)>,
    /// What no longer fits, with the decisions.
    pub dropped: Vec<(usize, Rejection)>,
    /// Another process has committed this piece meanwhile.
    pub elsewhere: bool,
}

/// Whether this piece was committed before.
///
/// # Errors
/// `io`.
pub fn is_done(session: &Session, request: &str) -> Result<bool, Failure> {
    Ok(repeated(&session.bare(), request)?.is_some())
}

/// Commits a piece, under a lock that is held already.
///
/// # Errors
/// Whatever the store refuses; then nothing of the piece was written.
pub fn keep(
    session: &Session,
    locked: &Locked<'_>,
    accepted: &[Accepted],
    origin: &Origin<'_>,
    how: &How,
) -> Result<Kept, Failure> {
    let elsewhere = !accepted.is_empty() && is_done(session, &origin.request)?;
    let mut kept = Kept { elsewhere, ..Kept::default() };
    if accepted.is_empty() || elsewhere {
        return Ok(kept);
    }
    let batch = Batch {
        reason: how.reason.clone().or_else(|| Some("reflect".into())),
        source: how.source.clone().or_else(|| Some(origin.conversation.to_owned())),
        request: Some(origin.request.clone()),
        ..Batch::default()
    };
    let bare = session.bare();
    let answer = commit_loop(&bare, locked, &batch, Vec::new(), || {
        let planned = planned(session, accepted, origin, &mut kept)?;
        Ok((planned.changeset, planned.now))
    })?;
    if let Answer::Changed(change) = answer {
        kept.change = Some(change);
    }
    Ok(kept)
}

/// What a commit would do now, without doing it.
///
/// # Errors
/// `io`.
pub fn would(session: &Session, accepted: &[Accepted], origin: &Origin<'_>) -> Result<Kept, Failure> {
    let mut kept = Kept::default();
    let planned = planned(session, accepted, origin, &mut kept)?;
    let diff = planned.changeset.files.iter().map(|file| {
        let after = file.after.as_ref().map(|bytes| String::from_utf8_lossy(bytes).into_owned());
        unified(file.path.as_str(), planned.text_before(&file.path), after.as_deref())
    });
    let diff = Some(diff.collect());
    let change = answered(&planned.changeset, &planned.now, true);
    kept.change = Some(Changed { dry_run: true, diff, ..change });
    Ok(kept)
}

fn planned(
    session: &Session,
    accepted: &[Accepted],
    origin: &Origin<'_>,
    kept: &mut Kept,
) -> Result<Sequence, Failure> {
    let mut sequence = Sequence::default();
    let mut sight = session.sight().map(|sight| (sight, Snapshot::new()));
    let bare = session.bare();
    (kept.proposals, kept.dropped) = Default::default();
    for one in accepted {
        let planned = match &one.waits {
            None => carried(session, &bare, sight.as_mut(), &mut sequence, &one.operation),
            Some((why, diff)) => {
                let proposal = proposal(session, one, origin, why, diff);
                let id = proposal::id(&proposal.operation);
                kept.proposals.push((one.decision, id.clone()));
                if waits(&bare, &mut sequence.now, &id)? {
                    continue;
                }
                plan_with(&bare, &mut sequence.now, &[written(&proposal)], &context(&bare, true))
            }
        };
        match planned {
            Ok(mut changeset) => {
                tell(&mut changeset, one, origin);
                sequence.take(changeset);
            }
            Err(failure) => kept.dropped.push((one.decision, first(failure))),
        }
    }
    if let Some(Value::Object(operation)) = sequence.changeset.operations.first_mut() {
        operation.insert("input_tokens".into(), json!(origin.usage.input));
        operation.insert("output_tokens".into(), json!(origin.usage.output));
    }
    Ok(sequence)
}

/// Plans one operation as whoever asked for it may make it.
fn carried(
    session: &Session,
    bare: &Session,
    sight: Option<&mut (Sight, Snapshot)>,
    sequence: &mut Sequence,
    operation: &Operation,
) -> Result<Changeset, Failure> {
    let one = std::slice::from_ref(operation);
    let whole = plan_with(bare, &mut sequence.now, one, &context(bare, false));
    let Some((sight, seen)) = sight else { return whole };
    let (planned, made) = alike(sight, plan_with(session, seen, one, &context(session, false)), whole, &sequence.now)?;
    for file in planned.files {
        let mode = file.mode.or(file.before.as_ref().map(|b| b.mode)).unwrap_or(0o600);
        seen.learn(file.path, Ok(file.after.map(|bytes| Version::new(bytes.to_vec(), mode))));
    }
    Ok(made)
}

/// Whether the same proposal waits already, on the disk or by this very piece.
fn waits(session: &Session, now: &mut Snapshot, id: &str) -> Result<bool, Failure> {
    let Some(path) = proposal::path(id) else { return Ok(false) };
    if now.exists(&path).is_err() {
        fetch(&session.store, Want::File(path.clone()), now)?;
    }
    Ok(now.exists(&path).unwrap_or(false))
}

/// What the journal says of an operation beside itself: who proposed it, and whose words prove it.
fn tell(changeset: &mut Changeset, one: &Accepted, origin: &Origin<'_>) {
    for operation in &mut changeset.operations {
        let Value::Object(operation) = operation else { continue };
        let told = [
            ("provider", json!(origin.who.provider)),
            ("model", json!(origin.who.model)),
            ("conversation", json!(origin.conversation)),
            ("turn", json!(one.proof.turn)),
            ("role", json!(one.proof.role.name())),
            ("quote", json!(one.quote)),
        ];
        operation.extend(told.map(|(key, value)| (key.to_owned(), value)));
    }
}

fn proposal(session: &Session, one: &Accepted, origin: &Origin<'_>, why: &str, diff: &str) -> Proposal {
    let operation = read::print(&one.operation);
    let said = |key: &str| operation.get(key).and_then(Value::as_str).filter(|s| !s.is_empty()).map(str::to_owned);
    let title = said("title").or_else(|| said("text")).or_else(|| said("at")).unwrap_or_else(|| "a change".into());
    let today = session.now.date();
    let days = i64::from(session.policy.policy.consent_days);
    let until = today.checked_add(jiff::Span::new().days(days)).unwrap_or(today);
    Proposal {
        title: format!("{} {title}", said("op").unwrap_or_default()),
        operation,
        why: why.to_owned(),
        by: format!("{} {}", origin.who.provider, origin.who.model),
        at: today.to_string(),
        until: until.to_string(),
        conversation: Some(origin.conversation.to_owned()),
        turn: Some(one.proof.turn),
        quote: Some(one.quote.clone()),
        diff: diff.to_owned(),
    }
}

/// The operation that puts a proposal into the inbox.
fn written(proposal: &Proposal) -> Operation {
    let at = Target::Address(format!("inbox/{}.md", proposal::id(&proposal.operation)));
    let action = Action::Write { at, text: proposal.text(), create: true };
    Operation { action, seen: None, if_match: None, reason: None, source: None }
}
