//! The consent gate of `compact`: its batch, and what an agent lets it archive.
//!
//! Never concerns what a limit of the policy moves to the archive: a person decided that.

use super::super::consent::{ApprovalGate, CommitMode};
use super::targets::CompactionTarget;
use super::{CompactionRun, Error};
use crate::change::Changeset;
use crate::operation::{Batch, Snapshot};

impl CompactionRun<'_> {
    /// Refuses a batch that needs consent.
    pub(super) fn require_consent(&self, batch: &Batch) -> Result<(), Error> {
        if batch.operations.is_empty() || !self.session.is_agent {
            return Ok(());
        }
        let (changeset, snapshot) = self.plan_batch(&batch.operations)?.into_changeset();
        let locked = (!self.options.dry_run).then(|| self.session.store.lock()).transpose()?;
        let mode = locked.as_ref().map_or(CommitMode::DryRun, |(locked, _)| CommitMode::Commit(locked));
        ApprovalGate { session: self.session, batch, mode }.require_consent(&changeset, &snapshot)
    }

    /// Refuses to archive sensitive fields for a size that an agent chose: that is `rm --archive` by another name.
    pub(super) fn require_consent_to_archive(
        &self,
        mode: CommitMode<'_>,
        batch: &Batch,
        (changeset, snapshot): &(Changeset, Snapshot),
    ) -> Result<(), Error> {
        match (&self.target, self.session.is_agent) {
            (CompactionTarget::ToSize(_), true) => {
                ApprovalGate { session: self.session, batch, mode }.require_consent_to_archive(changeset, snapshot)
            }
            _ => Ok(()),
        }
    }
}
