//! Whose proposals an agent may withdraw: its own. Those of others are for a person to decide.
//!
//! Never decides who is an agent.

use super::super::Session;
use crate::change::FileChange;
use crate::code::{Code, Rejection, SuggestedCommand};
use crate::reflect::inbox_item::{self, PendingProposal};
use crate::text::one_line::one_line;

/// Whether the caller may withdraw or publish a proposal: a person any, an agent its own.
pub(super) fn is_own_proposal(session: &Session, proposal: &PendingProposal) -> bool {
    !session.is_agent || proposal.proposer() == Some(one_line(&session.actor).as_str())
}

/// Refuses that an agent withdraws the proposal of another.
///
/// # Errors
/// `consent`.
pub(super) fn require_own_proposal(session: &Session, id: &str, proposal: &PendingProposal) -> Result<(), Rejection> {
    if is_own_proposal(session, proposal) {
        return Ok(());
    }
    let proposer = proposal.proposer().unwrap_or("nobody who is known");
    let reason =
        format!("{} is an agent, and the proposal {id} is by {proposer}: only a person can reject it", session.actor);
    Err(Rejection::new(Code::Consent, reason)
        .hint("an agent withdraws its own proposals only; a person runs the command below in a terminal of their own")
        .try_command(SuggestedCommand { subcommand: vec!["inbox", "--reject"], operands: vec![id.to_owned()] })
        .detail("proposal", id))
}

/// Refuses that an agent commits the proposal of another, or one that waits for consent, on a branch that others see.
///
/// # Errors
/// `consent`.
pub(super) fn require_publishable(
    session: &Session,
    id: &str,
    proposal: &PendingProposal,
    waits_for_consent: bool,
) -> Result<(), Rejection> {
    let reason = match (session.is_agent, is_own_proposal(session, proposal)) {
        (true, _) if waits_for_consent => "waits for the user's consent",
        (_, false) => "is by another",
        _ => return Ok(()),
    };
    let message = format!(
        "{} is an agent, and the proposal {id} {reason}: only a person commits it on a branch that others see",
        session.actor
    );
    Err(Rejection::new(Code::Consent, message)
        .hint("a person runs the command in a terminal of their own, without --as or MEMDIR_AS")
        .detail("proposal", id))
}

/// [`require_own_proposal`] for the files of an `undo` or `redo`, where it would remove or rewrite proposals.
///
/// # Errors
/// `consent`.
pub fn require_own_proposals(session: &Session, files: &[FileChange]) -> Result<(), Rejection> {
    for file in files {
        let (Some(id), Some(before)) = (inbox_item::id_of(&file.path), &file.before) else { continue };
        require_own_proposal(session, id, &inbox_item::parse_item(&String::from_utf8_lossy(&before.bytes)))?;
    }
    Ok(())
}
