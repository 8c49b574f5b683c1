//! Whose proposals an agent may withdraw: its own. Those of others are for a person to decide.
//!
//! Never decides who is an agent.

use super::super::Session;
use crate::change::FileChange;
use crate::code::{Code, Rejection, SuggestedCommand};
use crate::reflect::inbox_item::{self, PendingProposal};
use crate::text::one_line::one_line;

/// Refuses that an agent withdraws the proposal of another.
///
/// # Errors
/// `consent`.
pub(super) fn require_own_proposal(session: &Session, id: &str, proposal: &PendingProposal) -> Result<(), Rejection> {
    let proposer = proposal.proposer().unwrap_or("nobody who is known");
    if !session.is_agent || proposer == one_line(&session.actor) {
        return Ok(());
    }
    let reason =
        format!("{} is an agent, and the proposal {id} is by {proposer}: only a person can reject it", session.actor);
    Err(Rejection::new(Code::Consent, reason)
        .hint("an agent withdraws its own proposals only; a person runs the command below in a terminal of their own")
        .try_command(SuggestedCommand { subcommand: vec!["inbox", "--reject"], operands: vec![id.to_owned()] })
        .detail("proposal", id))
}

/// The same for the files of an `undo` or `redo`, where it would remove or rewrite proposals.
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
