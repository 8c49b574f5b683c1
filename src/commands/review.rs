//! The review of what agents write: where the policy says `agents.write: propose`, their changes wait in `inbox/`.
//!
//! Never decides who is an agent. What `reflect` finds is routed to the inbox by itself, piece by piece.

use super::consent::{ApprovalGate, ChangedTexts, CommitMode};
use super::forget::find_traces;
use super::inbox::require_own_proposals;
use super::{Error, Session};
use crate::change::{Changeset, FileChange};
use crate::code::{Code, Rejection};
use crate::document::memory_index::is_memory_index;
use crate::operation::Snapshot;

/// How the reason of such a proposal begins in its file.
pub(super) const REVIEW_REASON: &str = "review of ";

/// How the message of a dry run that is refused for a review or for consent ends.
pub(super) const WOULD_WAIT: &str = "; without -n the change would wait in inbox/";

impl ApprovalGate<'_> {
    /// Refuses a planned change by an agent if the policy reviews one of its files.
    ///
    /// # Errors
    /// `review`, with the proposal's id; the errors of writing the proposal.
    pub(super) fn require_review(&self, changeset: &Changeset, snapshot: &Snapshot) -> Result<(), Error> {
        let Some(what) = reviewed_files(self.session, changeset) else { return Ok(()) };
        let reason = if changeset.forget {
            format!("a person reviews what agents forget, because copies and history go with it: {what}")
        } else {
            format!("a person reviews what agents write in {what}")
        };
        self.wait_for_review(changeset, snapshot, &what, reason)
    }

    /// Refuses that an agent forgets a text where the copies that go with it are not its own to remove: proposals of
    /// others, and sensitive fields in `archive/`.
    ///
    /// # Errors
    /// `review` or `consent`, with the proposal's id; the errors of searching the copies and of writing the proposal.
    pub(super) fn require_own_copies(&self, changeset: &Changeset, snapshot: &Snapshot) -> Result<(), Error> {
        if !self.session.is_agent || !changeset.forget {
            return Ok(());
        }
        let mut with_copies = changeset.clone();
        find_traces(self.session, &mut with_copies, snapshot)?;
        let copies = with_copies.files.get(changeset.files.len()..).unwrap_or_default();
        if require_own_proposals(self.session, copies).is_err() {
            let reason = "the text to forget is also in proposals of others, which only a person removes";
            return self.wait_for_review(&with_copies, snapshot, "proposals of others", reason.to_owned());
        }
        self.require_consent(&with_copies, snapshot)
    }

    /// Refuses a change that waits for the review of `what`. Always an error.
    fn wait_for_review(
        &self,
        changeset: &Changeset,
        snapshot: &Snapshot,
        what: &str,
        reason: String,
    ) -> Result<(), Error> {
        let refusal = Rejection::new(Code::Review, reason);
        let refusal = if let CommitMode::Commit(_) = self.mode { refusal.hint(REVIEW_HINT) } else { refusal };
        let texts = ChangedTexts::of(changeset, snapshot);
        self.refuse(refusal, changeset, &texts, &format!("{REVIEW_REASON}{what}"))
    }
}

const REVIEW_HINT: &str = "it is kept, so do not repeat it; a person accepts it, here or by merging a branch";

/// The files of a change by an agent that the policy reviews, for a message; `None` if there are none. Where it reviews
/// any file, it reviews all that forgets a text: copies and history of every file go with it.
pub(super) fn reviewed_files(session: &Session, changeset: &Changeset) -> Option<String> {
    let policy = &session.policy.policy;
    if !session.is_agent || policy.agent_writes.is_empty() && policy.agent_writes_above.is_empty() {
        return None;
    }
    let reviewed: Vec<&str> = changeset
        .files
        .iter()
        .filter(|file| {
            let is_reviewed = policy.reviews_agents_at(&file.path) || changeset.forget && policy.reviews_agents();
            is_reviewed && !is_derived_index(file, changeset)
        })
        .map(|file| file.path.as_str())
        .collect();
    match reviewed[..] {
        [] => None,
        [one] => Some(one.to_owned()),
        [first, ..] => Some(format!("{first} and {} more", reviewed.len() - 1)),
    }
}

/// Whether a file is an index that follows the other files of the change, so that no operation is about it.
fn is_derived_index(file: &FileChange, changeset: &Changeset) -> bool {
    let text = file.after.as_ref().map(|bytes| String::from_utf8_lossy(bytes));
    let named = |value: &serde_json::Value| value.as_str().is_some_and(|at| at.contains("MEMORY"));
    let is_named = changeset.operations.iter().any(|operation| ["at", "to"].iter().any(|key| named(&operation[*key])));
    !is_named && changeset.files.len() > 1 && text.is_some_and(|text| is_memory_index(&file.path, &text))
}
