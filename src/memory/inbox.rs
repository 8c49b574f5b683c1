//! Methods of `Memory` that list, accept and reject proposals, or commit them on a git branch.
//!
//! Never has rules of its own: the command decides.

use super::Memory;
use crate::commands::inbox::InboxDecision;
use crate::commands::results::InboxList;
use crate::commands::{self, ChangeOptions, Error};

impl Memory {
    /// Lists the proposals that wait for a person; with a decision, applies or discards those named.
    ///
    /// # Errors
    /// `proposal_not_found`, `category_not_allowed`; as [`Memory::change`] for an accepted proposal.
    pub fn inbox(
        &self,
        ids: &[String],
        decision: Option<InboxDecision>,
        options: &ChangeOptions,
    ) -> Result<InboxList, Error> {
        commands::inbox::inbox(&self.session()?, ids, decision, options)
    }

    /// Commits proposals on a new git branch for a pull request, one proposal a commit. Merging the branch
    /// accepts them.
    ///
    /// # Errors
    /// `proposal_not_found`, `category_not_allowed`, `no_repository`, `usage`, `exists`, `git`.
    pub fn inbox_branch(&self, ids: &[String], name: &str, options: &ChangeOptions) -> Result<InboxList, Error> {
        commands::inbox::inbox_branch(&self.session()?, ids, name, options)
    }
}
