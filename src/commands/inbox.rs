//! `inbox`: what waits for a person, and the decision.
//!
//! Accepting plans the operation on the memory as it is now, with the proposal's end as part of the same change.

use super::answer::{Answer, Changed, Inbox, Proposed};
use super::change::{commit_loop, plan_with, shown};
use super::{Failure, How, Session, Verdict};
use crate::change::{Changeset, Etag};
use crate::code::{Code, Hint, Rejection};
use crate::operation::{Action, Batch, Context, Operation, Snapshot, Target};
use crate::path::MemoryPath;
use crate::reflect::proposal::{self, Waiting};

/// What becomes of proposals.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Decision {
    /// Their operations are carried out.
    Accept,
    /// They go.
    Reject,
}

/// Shows what waits (`decision` none), or decides it: all named proposals or none. Without ids, everything that waits.
///
/// # Errors
/// `proposal_not_found`; for an accepted one whatever planning its operation refuses today.
pub fn inbox(session: &Session, ids: &[String], decision: Option<Decision>, how: &How) -> Verdict {
    // What waits has no categories yet: it is for whoever may see everything.
    session.store.unveiled()?;
    let Some(decision) = decision else { return listed(session, ids, how) };
    session.may_write()?;
    let today = session.now.date().to_string();
    let all = waiting(session)?;
    let mut chosen = Vec::new();
    for id in names(ids, &all) {
        let one = all.iter().find(|one| one.id() == id).ok_or_else(|| unknown(&id))?;
        if decision == Decision::Accept && one.waiting.is_expired(&today) {
            return Err(expired(&id, &one.waiting).into());
        }
        chosen.push(one);
    }
    if chosen.is_empty() {
        return listed(session, &[], how);
    }
    let own: Vec<Operation> = chosen.iter().map(|one| one.end()).collect();
    let wanted: Result<Vec<Operation>, Rejection> = match decision {
        Decision::Reject => Ok(Vec::new()),
        Decision::Accept => chosen.iter().map(|one| one.waiting.operation.clone()).collect(),
    };
    let change =
        changed(session, &wanted?, &own, how, if decision == Decision::Accept { "accepted" } else { "rejected" })?;
    let ids: Vec<String> = chosen.iter().map(|one| one.id().to_owned()).collect();
    let (accepted, rejected) = if decision == Decision::Accept { (ids, Vec::new()) } else { (Vec::new(), ids) };
    Ok(Answer::Inbox(Inbox {
        changed: change.changed,
        dry_run: how.dry_run,
        accepted,
        rejected,
        rev: change.rev,
        files: change.files,
        warnings: change.warnings,
        ..Inbox::default()
    }))
}

/// Removes the proposals that nobody decided in time; `None` when there are none.
///
/// # Errors
/// What the store refuses.
pub fn sweep(session: &Session) -> Result<Option<Changed>, Failure> {
    Ok(swept(session)?.map(|(_, change)| change))
}

fn swept(session: &Session) -> Result<Option<(Vec<String>, Changed)>, Failure> {
    let today = session.now.date().to_string();
    let all = waiting(session)?;
    let over: Vec<&One> = all.iter().filter(|one| one.waiting.is_expired(&today)).collect();
    if over.is_empty() || session.may_write().is_err() || session.store.unveiled().is_err() {
        return Ok(None);
    }
    let own: Vec<Operation> = over.iter().map(|one| one.end()).collect();
    let ids = over.iter().map(|one| one.id().to_owned()).collect();
    Ok(Some((ids, changed(session, &[], &own, &How::default(), "expired")?)))
}

fn listed(session: &Session, ids: &[String], how: &How) -> Verdict {
    // A memory that cannot be written can still be looked at.
    let swept = if how.dry_run { None } else { swept(session).ok().flatten() };
    let all = waiting(session)?;
    for id in ids {
        all.iter().find(|one| one.id() == id).ok_or_else(|| unknown(id))?;
    }
    let wanted = |one: &One| ids.is_empty() || ids.iter().any(|id| id == one.id());
    let proposals = all.into_iter().filter(wanted).map(|one| Proposed {
        id: one.id().to_owned(),
        path: one.path.to_string(),
        title: one.waiting.title,
        said: one.waiting.said,
        until: one.waiting.until,
        diff: one.waiting.diff,
        readable: one.waiting.operation.is_ok(),
    });
    let proposals = proposals.collect();
    let rescued = session.store.walk(Some("inbox"))?.into_iter();
    let rescued = rescued.filter(|f| f.path.as_str().starts_with("inbox/rescued-")).map(|f| f.path.to_string());
    let (expired, change) = swept.unwrap_or_default();
    Ok(Answer::Inbox(Inbox {
        changed: change.changed,
        dry_run: how.dry_run,
        proposals,
        expired,
        rescued: rescued.collect(),
        rev: change.rev,
        files: change.files,
        warnings: change.warnings,
        ..Inbox::default()
    }))
}

/// One proposal as it was read.
struct One {
    path: MemoryPath,
    waiting: Waiting,
    etag: Etag,
}

impl One {
    fn id(&self) -> &str {
        proposal::id_of(&self.path).unwrap_or_default()
    }

    /// The end of its file, if it still says what was decided on: a person may be editing it.
    fn end(&self) -> Operation {
        let at = Target::Address(self.path.to_string());
        let action = Action::Remove { at, index: None, text: None, archive: false, forget: false };
        Operation { action, seen: None, if_match: Some(self.etag.hex()), reason: None, source: None }
    }
}

/// All proposals with what stands in them, by name.
fn waiting(session: &Session) -> Result<Vec<One>, Rejection> {
    let mut all = Vec::new();
    for found in session.store.walk(Some("inbox"))? {
        if proposal::id_of(&found.path).is_none() {
            continue;
        }
        let Some(version) = session.store.read(&found.path)? else { continue };
        let waiting = proposal::read(&String::from_utf8_lossy(&version.bytes));
        all.push(One { path: found.path, waiting, etag: version.etag });
    }
    Ok(all)
}

fn names(ids: &[String], all: &[One]) -> Vec<String> {
    match ids.is_empty() {
        true => all.iter().map(|one| one.id().to_owned()).collect(),
        false => {
            let mut seen = std::collections::HashSet::new();
            ids.iter().filter(|id| seen.insert(*id)).cloned().collect()
        }
    }
}

fn unknown(id: &str) -> Rejection {
    let shown: String = id.chars().filter(|c| !c.is_control()).take(40).collect();
    Rejection::new(Code::ProposalNotFound, format!("no proposal '{shown}' waits"))
        .hint("it may have been decided, or have expired")
        .try_(Hint { verb: vec!["inbox"], address: Vec::new() })
}

fn expired(id: &str, waiting: &Waiting) -> Rejection {
    let until = waiting.until.clone().unwrap_or_default();
    Rejection::new(Code::ProposalNotFound, format!("the proposal {id} expired on {until}"))
        .hint("what it says must be said again")
}

/// Carries out operations and the end of proposals as one change.
fn changed(
    session: &Session,
    wanted: &[Operation],
    own: &[Operation],
    how: &How,
    what: &str,
) -> Result<Changed, Failure> {
    let planned = || -> Result<(Changeset, Snapshot), Failure> {
        let mut snapshot = Snapshot::new();
        let cx = |own: bool, force: bool| Context {
            policy: &session.policy.policy,
            prefixes: &session.prefixes,
            now: &session.now,
            actor: &session.actor,
            force,
            create: how.create || own,
            own,
        };
        let mut all = plan_with(session, &mut snapshot, wanted, &cx(false, how.force))?;
        let ends = plan_with(session, &mut snapshot, own, &cx(true, true))?;
        all.files.extend(ends.files);
        all.operations.extend(ends.operations);
        all.warnings.extend(ends.warnings);
        Ok((all, snapshot))
    };
    if how.dry_run {
        let (changeset, snapshot) = planned()?;
        return Ok(shown(&changeset, &snapshot));
    }
    let reason = how.reason.clone().or_else(|| Some(format!("inbox: {what}")));
    let batch = Batch { reason, source: how.source.clone(), ..Batch::default() };
    let bare = session.bare();
    let (locked, warnings) = bare.store.lock()?;
    match commit_loop(session, &locked, &batch, warnings, planned)? {
        Answer::Changed(change) => Ok(change),
        _ => Ok(Changed::default()),
    }
}
