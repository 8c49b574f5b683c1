//! `inbox`: lists proposals, and accepts or rejects them.
//!
//! Accepting plans the operation on the current files, and removes the proposal in the same change. `--branch` commits
//! proposals to git for a pull request; merging it accepts them, too.

mod accept;
mod branch;
mod merged;
mod other_work_trees;
mod preview;
mod withdrawal;

use self::accept::{
    apply_and_remove, blocked_error, is_forced, proposed_operations, unreadable_error, unreadable_reason,
};
pub use self::merged::remove_merged_proposals;
use self::merged::{merged_proposals, remove_proposals};
pub(super) use self::other_work_trees::waiting_in_other_work_trees;
pub use self::withdrawal::require_own_proposals;
use super::change::no_operations_warning;
use super::layer_names::{error_in_layer, name_layer_in_inbox};
use super::layers::AddressesInLayer;
use super::results::{InboxList, ProposalRow, WarningRow};
use super::{ChangeOptions, CommandResult, Error, Session};
use crate::change::Etag;
use crate::code::{Code, Rejection, SuggestedCommand, Warning};
use crate::host::git::Git;
use crate::operation::{Action, Operation, Target};
use crate::path::MemoryPath;
use crate::reflect::inbox_item::{self, PendingProposal};

/// What to do with proposals.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum InboxDecision {
    /// Apply their operations.
    Accept,
    /// Discard them.
    Reject,
}

/// Lists proposals (`decision` is `None`), or decides all the named ones in one change. Without ids, all proposals.
///
/// # Errors
/// `proposal_not_found`; `consent` for an agent that accepts one, or rejects that of another; for an accepted proposal,
/// the errors of reading and planning its operation. Without ids, a proposal that cannot be read stays, with a warning.
pub fn inbox(
    session: &Session,
    ids: &[String],
    decision: Option<InboxDecision>,
    options: &ChangeOptions,
) -> CommandResult<InboxList> {
    if let Some(AddressesInLayer { layer, addresses, session: inner }) = session.layer_of_addresses(ids)? {
        let listed =
            inbox(&inner, &addresses, decision, options).map_err(|rejection| error_in_layer(rejection, &layer))?;
        return Ok(if session.is_own_layer(&layer) { listed } else { name_layer_in_inbox(listed, &layer) });
    }
    // Proposals have no categories yet, so a caller with an allowlist must not see them.
    session.store.require_unfiltered()?;
    let Some(decision) = decision else { return list(session, ids, options) };
    session.may_write()?;
    if decision == InboxDecision::Accept && session.is_agent {
        return Err(agent_error(session, ids).into());
    }
    let files = read_proposals(session)?;
    require_all(ids, &files)?;
    // What was merged meanwhile is not applied twice. Without git nothing was.
    let merged = if options.dry_run { Vec::new() } else { merged_proposals(session, &files).unwrap_or_default() };
    let merged_ids: Vec<String> = merged.iter().map(|file| file.id().to_owned()).collect();
    let is_merged = |id: &str| merged_ids.iter().any(|one| one == id);
    let is_named = !ids.is_empty();
    let ids: Vec<String> = ids.iter().filter(|id| !is_merged(id)).cloned().collect();
    // Were all that are named merged, the others are not meant.
    if !merged.is_empty() && ids.is_empty() && (is_named || files.len() == merged.len()) {
        remove_proposals(session, &merged)?;
        return Ok(InboxList { changed: true, merged: merged_ids, ..InboxList::default() });
    }
    let selected = selected_ids(&ids, &files).into_iter().filter(|id| !is_merged(id));
    let (chosen, unreadable) = choose_proposals(session, selected, is_named, decision, &files)?;
    // From here on an error leaves this first revision behind.
    let removes_merged = !merged.is_empty();
    if removes_merged {
        remove_proposals(session, &merged)?;
    }
    if chosen.is_empty() {
        let listed = list(session, &[], options).map_err(|error| error.after_commit(removes_merged))?;
        return Ok(InboxList { changed: removes_merged, merged: merged_ids, ..listed });
    }
    let removals: Vec<Operation> = chosen.iter().map(|one| one.removal()).collect();
    let accepted = if decision == InboxDecision::Accept { &chosen[..] } else { &[] };
    let operations = proposed_operations(accepted, options.force)
        .map_err(|error| Error::from(error).after_commit(removes_merged))?;
    let mut notes: Vec<Warning> = unreadable.into_iter().map(left_in_inbox).collect();
    if is_forced(accepted, options.force) {
        let forced = accepted.iter().filter_map(|file| preview::forced_note(session, file));
        notes.extend(forced.map(|note| Warning::new(Code::Note, note)));
    }
    let outcome = if decision == InboxDecision::Accept { "accepted" } else { "rejected" };
    let change = apply_and_remove(session, &operations, &removals, options, outcome)
        .map_err(|error| blocked_error(session, accepted, options, error).after_commit(removes_merged))?;
    let ids: Vec<String> = chosen.iter().map(|one| one.id().to_owned()).collect();
    let (accepted, rejected) = if decision == InboxDecision::Accept { (ids, Vec::new()) } else { (Vec::new(), ids) };
    let no_operations = no_operations_warning(options.dry_run && change.changed);
    Ok(InboxList {
        changed: change.changed || removes_merged,
        dry_run: options.dry_run,
        accepted,
        rejected,
        merged: merged_ids,
        rev: change.rev,
        files: change.files,
        warnings: change.warnings.into_iter().chain(notes.iter().map(WarningRow::from)).chain(no_operations).collect(),
        ..InboxList::default()
    })
}

/// The selected proposals that can be decided, and those that cannot be read. With `is_named`, the caller named them.
///
/// # Errors
/// As [`inbox`], of proposals that are not there, not the caller's own, expired, or cannot be read.
fn choose_proposals<'a>(
    session: &Session,
    selected: impl Iterator<Item = String>,
    is_named: bool,
    decision: InboxDecision,
    files: &'a [InboxFile],
) -> Result<(Vec<&'a InboxFile>, Vec<Rejection>), Error> {
    let today = session.now.date().to_string();
    let (mut chosen, mut unreadable) = (Vec::new(), Vec::new());
    for id in selected {
        let file = files.iter().find(|one| one.id() == id).ok_or_else(|| not_found_error(&id))?;
        if decision == InboxDecision::Accept && file.proposal.is_expired(&today) {
            if !is_named {
                continue;
            }
            return Err(expired_error(&id, &file.proposal).into());
        }
        if let (InboxDecision::Accept, Err(error)) = (decision, &file.proposal.operations) {
            unreadable.push(unreadable_error(file, error));
            continue;
        }
        withdrawal::require_own_proposal(session, &id, &file.proposal)?;
        chosen.push(file);
    }
    // Without ids, all that can be read are accepted.
    if (is_named || chosen.is_empty()) && !unreadable.is_empty() {
        return Err(Error { rejections: unreadable, warnings: Vec::new() });
    }
    Ok((chosen, unreadable))
}

/// Commits proposals on a new git branch, of the repository of their layer, for a pull request, one proposal a commit;
/// without ids, those that do not wait for consent and are on no branch. They wait in the inbox until the branch is
/// merged.
///
/// # Errors
/// `proposal_not_found`, `no_repository`, `usage`, `exists`, `git`; `consent` for an agent that names a proposal of
/// another, or one that waits for consent; the reason of the first proposal if none can be committed.
pub fn inbox_branch(
    session: &Session,
    ids: &[String],
    name: &str,
    options: &ChangeOptions,
) -> CommandResult<InboxList> {
    if let Some(AddressesInLayer { layer, addresses, session: inner }) = session.layer_of_addresses(ids)? {
        let made =
            inbox_branch(&inner, &addresses, name, options).map_err(|rejection| error_in_layer(rejection, &layer))?;
        return Ok(if session.is_own_layer(&layer) { made } else { name_layer_in_inbox(made, &layer) });
    }
    session.store.require_unfiltered()?;
    session.may_write()?;
    require_all(ids, &read_proposals(session)?)?;
    let merged = if options.dry_run { None } else { remove_merged_proposals(session)? };
    let merged = merged.map_or(Vec::new(), |(ids, _)| ids);
    let is_committed = !merged.is_empty();
    commit_on_branch(session, ids, name, options, merged).map_err(|error| error.after_commit(is_committed))
}

/// Commits proposals on a new branch, as [`inbox_branch`], once those that were merged (`merged`) are removed.
fn commit_on_branch(
    session: &Session,
    ids: &[String],
    name: &str,
    options: &ChangeOptions,
    merged: Vec<String>,
) -> CommandResult<InboxList> {
    let (files, for_consent) = branch::proposals_for_branch(session, ids)?;
    let left_for_consent = (for_consent > 0).then(|| {
        let (waiting, it) = match for_consent {
            1 => ("1 proposal waits for consent, and is".to_owned(), "it"),
            n => (format!("{n} proposals wait for consent, and are"), "them"),
        };
        let way =
            if session.is_agent { format!("a person may commit {it}") } else { format!("name {it} to commit {it}") };
        format!("{waiting} left out of a branch that others may see; {way}")
    });
    if files.is_empty() {
        let mut listed = list(session, &[], options)?;
        if !listed.proposals.is_empty() {
            let is_there = if session.is_agent {
                "each of your proposals is on a branch already, or you have none".to_owned()
            } else {
                "every proposal is on a branch already; name one to commit it again".to_owned()
            };
            let reason = format!("no branch was made: {}", left_for_consent.unwrap_or(is_there));
            listed.warnings.push(WarningRow::from(&Warning::new(Code::Note, reason)));
        }
        return Ok(InboxList { changed: !merged.is_empty(), merged, ..listed });
    }
    let made = branch::make_branch(session, &files, name, options)?;
    let mut warnings = made.warnings.clone();
    warnings.extend(left_for_consent.map(|reason| Warning::new(Code::Note, reason)));
    let mut list = InboxList {
        dry_run: options.dry_run,
        merged,
        branch: Some(made.branch.clone()),
        warnings: warnings.iter().map(WarningRow::from).collect(),
        ..InboxList::default()
    };
    if options.dry_run {
        return Ok(list);
    }
    made.require_creatable()?;
    // First the proposals: once a branch that they do not name is merged, they would still wait. One that they name and
    // that does not exist is reported by the next list.
    let marks: Vec<Operation> = made.marked.iter().map(|(file, text)| file.rewrite(text.clone())).collect();
    let change = apply_and_remove(session, &[], &marks, options, &format!("on branch {name}"))?;
    if let Err(error) = made.create() {
        let files = read_proposals(session)?;
        let unmarked = files.iter().filter(|file| made.marked.iter().any(|(one, _)| one.id() == file.id()));
        let unmarked: Vec<Operation> =
            unmarked.map(|file| file.rewrite(inbox_item::with_branch(&file.text, None))).collect();
        apply_and_remove(session, &[], &unmarked, options, "on no branch")
            .map_err(|error| error.after_commit(change.changed))?;
        return Err(Error::from(error).after_commit(change.changed));
    }
    (list.changed, list.rev, list.files) = (true, change.rev, change.files);
    list.warnings.extend(change.warnings);
    Ok(list)
}

/// A proposal that waits for another conversation that states the same.
pub struct WaitingField {
    /// The conversation that it is from.
    pub conversation: String,
    /// The bullets that it adds.
    pub texts: Vec<String>,
    file: InboxFile,
}

impl WaitingField {
    /// The removal of its file.
    pub fn removal(&self) -> Operation {
        self.file.removal()
    }
}

/// The proposals that wait for another conversation; none if the policy names no benign fields.
///
/// # Errors
/// `io`.
pub fn waiting_fields(session: &Session) -> Result<Vec<WaitingField>, Rejection> {
    if session.policy.policy.benign.is_empty() {
        return Ok(Vec::new());
    }
    let today = session.now.date().to_string();
    // Without the allowlist filter, which hides the inbox.
    let files = read_proposals(&session.unfiltered())?;
    let waiting = files.into_iter().filter(|file| !file.proposal.is_expired(&today)).filter_map(|file| {
        let conversation = file.proposal.lone_conversation()?.to_owned();
        let texts = file.proposal.added_texts().map(str::to_owned).collect();
        Some(WaitingField { conversation, texts, file })
    });
    Ok(waiting.collect())
}

/// A proposal that is to be removed from the inbox.
#[derive(Clone, Debug)]
pub struct ProposalRemoval {
    pub id: String,
    pub path: MemoryPath,
    /// Why, as a phrase.
    pub reason: String,
    pub operation: Operation,
}

impl ProposalRemoval {
    fn of(file: &InboxFile, reason: String) -> ProposalRemoval {
        let operation = Operation { reason: Some(reason.clone()), ..file.removal() };
        ProposalRemoval { id: file.id().to_owned(), path: file.path.clone(), reason, operation }
    }
}

/// The removals of expired proposals.
///
/// # Errors
/// `io`.
pub fn expired_removals(session: &Session) -> Result<Vec<ProposalRemoval>, Rejection> {
    let today = session.now.date().to_string();
    let until = |file: &InboxFile| file.proposal.until.clone().unwrap_or_default();
    let removal = |file: &InboxFile| ProposalRemoval::of(file, format!("a proposal that waited until {}", until(file)));
    Ok(read_proposals(session)?.iter().filter(|file| file.proposal.is_expired(&today)).map(removal).collect())
}

/// The removals of proposals whose branch was merged.
///
/// # Errors
/// `io`, `git`.
pub fn merged_removals(session: &Session) -> Result<Vec<ProposalRemoval>, Rejection> {
    let files = read_proposals(session)?;
    let merged = merged_proposals(session, &files)?.into_iter();
    Ok(merged.map(|file| ProposalRemoval::of(file, "a proposal whose branch was merged".to_owned())).collect())
}

/// Lists proposals. Changes nothing: `prune` drops those that expired or were merged.
fn list(session: &Session, ids: &[String], options: &ChangeOptions) -> CommandResult<InboxList> {
    let today = session.now.date().to_string();
    let files = read_proposals(session)?;
    // Without git there is still a list.
    let merged = merged_proposals(session, &files).unwrap_or_default();
    let merged: Vec<String> = merged.into_iter().map(|file| file.id().to_owned()).collect();
    require_all(ids, &files)?;
    let is_named = |id: &str| ids.is_empty() || ids.iter().any(|one| one == id);
    let is_selected = |one: &InboxFile| is_named(one.id()) && !merged.iter().any(|id| id == one.id());
    let proposals = files.into_iter().filter(is_selected).map(|one| {
        let preview = preview::preview(session, &one);
        ProposalRow {
            id: one.id().to_owned(),
            path: one.path.to_string(),
            said: with_branch_state(session, &one.proposal),
            expired: one.proposal.is_expired(&today),
            readable: one.proposal.operations.is_ok(),
            forgets: one.proposal.forgets(),
            problem: one.proposal.operations.as_ref().err().map(|error| unreadable_reason(&one, error)),
            title: one.proposal.title,
            until: one.proposal.until,
            diff: preview.diff,
            notes: preview.notes,
        }
    });
    let proposals = proposals.collect();
    let merged = merged.into_iter().filter(|id| is_named(id)).collect();
    let rescued = session.store.walk(Some("inbox"))?.into_iter();
    let rescued = rescued.filter(|f| f.path.as_str().starts_with("inbox/rescued-")).map(|f| f.path.to_string());
    let dry_run = options.dry_run;
    let elsewhere = if ids.is_empty() { waiting_in_other_work_trees(session) } else { Vec::new() };
    let warnings = elsewhere.iter().map(WarningRow::from).collect();
    Ok(InboxList { dry_run, proposals, merged, rescued: rescued.collect(), warnings, ..InboxList::default() })
}

/// The lines above a proposal's diff, and what became of its branch if that is gone.
fn with_branch_state(session: &Session, proposal: &PendingProposal) -> Vec<String> {
    let mut lines = proposal.details.clone();
    let is_gone = |branch: &inbox_item::ReviewBranch| Git::in_dir(&session.dir).has_branch(&branch.name) == Ok(false);
    if proposal.branch().is_some_and(|branch| is_gone(&branch)) {
        lines.push(
            "The branch is gone and was not merged: reject the proposal, accept it, or use --branch again".to_owned(),
        );
    }
    lines
}

/// A proposal as read from its file.
struct InboxFile {
    path: MemoryPath,
    text: String,
    proposal: PendingProposal,
    /// `None` if the file cannot be read.
    etag: Option<Etag>,
}

impl InboxFile {
    fn id(&self) -> &str {
        inbox_item::id_of(&self.path).unwrap_or_default()
    }

    /// The replacement of its text, which fails as [`InboxFile::removal`] does.
    fn rewrite(&self, text: String) -> Operation {
        let action = Action::Write { at: Target::Address(self.path.to_string()), text, create: false };
        Operation { if_match: self.etag.map(|etag| etag.hex()), ..action.into() }
    }

    /// The removal of its file. It fails if the file has changed since it was read: a person may be editing it.
    fn removal(&self) -> Operation {
        let at = Target::Address(self.path.to_string());
        let action = Action::remove(at);
        Operation { if_match: self.etag.map(|etag| etag.hex()), ..action.into() }
    }
}

/// All proposals, sorted by file name.
fn read_proposals(session: &Session) -> Result<Vec<InboxFile>, Rejection> {
    let mut files = Vec::new();
    for entry in session.store.walk(Some("inbox"))? {
        if inbox_item::id_of(&entry.path).is_none() {
            continue;
        }
        let version = match session.store.read(&entry.path) {
            Ok(Some(version)) => version,
            Ok(None) => continue,
            // The others can be decided without it.
            Err(error) => {
                let proposal = PendingProposal { operations: Err(error), ..inbox_item::parse_item("") };
                files.push(InboxFile { path: entry.path, text: String::new(), proposal, etag: None });
                continue;
            }
        };
        let text = String::from_utf8_lossy(&version.bytes).into_owned();
        let proposal = inbox_item::parse_item(&text);
        files.push(InboxFile { path: entry.path, text, proposal, etag: Some(version.etag) });
    }
    Ok(files)
}

fn selected_ids(ids: &[String], files: &[InboxFile]) -> Vec<String> {
    if ids.is_empty() {
        files.iter().map(|file| file.id().to_owned()).collect()
    } else {
        let mut seen = std::collections::HashSet::new();
        ids.iter().filter(|id| seen.insert(*id)).cloned().collect()
    }
}

/// # Errors
/// `proposal_not_found` for the first id without a proposal.
fn require_all(ids: &[String], files: &[InboxFile]) -> Result<(), Rejection> {
    match ids.iter().find(|id| files.iter().all(|file| file.id() != *id)) {
        Some(id) => Err(not_found_error(id)),
        None => Ok(()),
    }
}

fn not_found_error(id: &str) -> Rejection {
    let shown: String = id.chars().filter(|c| !c.is_control()).take(40).collect();
    Rejection::new(Code::ProposalNotFound, format!("no proposal '{shown}'"))
        .hint("it may have been accepted or rejected, or have expired")
        .try_command(SuggestedCommand { subcommand: vec!["inbox"], operands: Vec::new() })
}

/// The rejection of an agent that accepts a proposal.
fn agent_error(session: &Session, ids: &[String]) -> Rejection {
    let message = format!("{} is an agent, and only a person can accept a proposal", session.actor);
    Rejection::new(Code::Consent, message)
        .hint(
            "a person runs the command below in a terminal of their own, without --as or MEMDIR_AS; the user config lists \
             under people: the names with --as that are people",
        )
        .try_command(SuggestedCommand { subcommand: vec!["inbox", "--accept"], operands: ids.to_vec() })
}

/// The warning about a proposal that is not accepted with the others because its operation cannot be read.
fn left_in_inbox(error: Rejection) -> Warning {
    let hint = error.hint.map_or(String::new(), |hint| format!("; {hint}"));
    let warning = Warning::new(error.code, format!("{}; it stays in the inbox{hint}", error.message));
    Warning { details: error.details, ..warning }
}

fn expired_error(id: &str, proposal: &PendingProposal) -> Rejection {
    let until = proposal.until.clone().unwrap_or_default();
    Rejection::new(Code::ProposalNotFound, format!("the proposal {id} expired on {until}"))
        .hint("it must be proposed again")
}
