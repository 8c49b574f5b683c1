//! Whether an agent may remove a scope, or bring one back: as little as it may remove or restore what is in it.
//!
//! Never lets a removal wait in `inbox/`: a scope is no item, so a person removes it.

use super::allowlist_filter::allowlist_rejection;
use super::consent::{ChangedTexts, removed_fields};
use super::review::reviewed_files;
use super::{Error, Session};
use crate::change::{Changeset, FileChange};
use crate::code::{Code, Rejection};
use crate::operation::Snapshot;
use crate::path::ScopeName;
use crate::store::Store;
use crate::store::scopes::ScopeState;

const PERSON_HINT: &str = "a person does it in a terminal of their own, without --as or MEMDIR_AS; what the scope holds \
                           is changed with -S, piece by piece";

/// Refuses that an agent removes or restores a scope in whose files its changes are reviewed or need consent, in which
/// proposals wait, or of which it may not see everything.
///
/// # Errors
/// `category_not_allowed`, `review`, `consent`; `invalid_policy` if the scope's policy cannot be read; `io`.
pub(super) fn require_person_for_scope(session: &Session, name: &ScopeName, state: ScopeState) -> Result<(), Error> {
    if !session.is_agent {
        return Ok(());
    }
    let Some(scope) = session.session_of_scope(name.as_str(), state)? else { return Ok(()) };
    if let Some(reason) = scope.policy.read_refusal(true) {
        return Err(reason.clone().into());
    }
    if scope.visibility().is_some() {
        return Err(allowlist_rejection().into());
    }
    let refused = |code, reason: String| {
        let rejection = Rejection::new(code, reason).hint(PERSON_HINT);
        Err(Error::from(rejection.detail("scope", name.as_str())))
    };
    let store = scope.store.unfiltered();
    let (proposals, changeset) = removal_of_all(&store)?;
    if let Some(what) = reviewed_files(&scope, &changeset) {
        return refused(Code::Review, format!("a person reviews what agents write in {what} of the scope '{name}'"));
    }
    if proposals > 0 {
        return refused(Code::Review, format!("proposals wait for a person in the scope '{name}'"));
    }
    let fields = removed_fields(&scope, &changeset, &ChangedTexts::of(&changeset, &Snapshot::new()));
    if !fields.is_empty() {
        let what = fields.join(", ");
        return refused(Code::Consent, format!("the scope '{name}' holds {what}, which a person removes or restores"));
    }
    Ok(())
}

/// Refuses an agent that would delete what is left of a scope: no policy says any more what it may remove.
///
/// # Errors
/// `review`.
pub(super) fn require_person_for_leftovers(session: &Session, name: &ScopeName) -> Result<(), Rejection> {
    if !session.is_agent {
        Ok(())
    } else {
        Err(Rejection::new(Code::Review, format!("a person deletes what is left of the scope '{name}'"))
            .hint(PERSON_HINT)
            .detail("scope", name.as_str()))
    }
}

/// How many proposals wait in a scope, and the removal of all its other files.
fn removal_of_all(scope: &Store) -> Result<(usize, Changeset), Rejection> {
    let (mut proposals, mut changeset) = (0, Changeset::default());
    for file in scope.walk(None)? {
        if file.path.is_in_inbox() {
            proposals += 1;
            continue;
        }
        // Removed meanwhile.
        let Some(before) = scope.read(&file.path)? else { continue };
        changeset.files.push(FileChange {
            path: file.path,
            before: Some(before),
            after: None,
            mode: None,
            edits: None,
            moved: None,
            summary: None,
        });
    }
    Ok((proposals, changeset))
}
