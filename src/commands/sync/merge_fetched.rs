//! Merges a fetched commit into the branch that is checked out.
//!
//! Never merges what is not committed, and never decides a conflict.

use super::sync_state::{SyncMerge, SyncState};
use super::synced_scopes::SyncedScopes;
use super::{SyncRun, SyncStep};
use crate::code::{Code, Rejection};
use crate::commands::inbox::remove_merged_proposals;
use crate::commands::setup::{self, DRIVER_KEY};
use crate::host::remote::RemoteBranch;
use crate::host::repository::{GitMergeResult, RepositoryState};
use crate::store::LockedStore;
use crate::text::counted_noun::counted_noun;

/// How often git may refuse a merge before its reason counts, whatever an editor does meanwhile.
const MAX_REFUSED_MERGES: u32 = 4;

impl SyncRun<'_> {
    /// Merges the fetched commit.
    pub(super) fn merge_fetched(
        &mut self,
        locked: &LockedStore<'_>,
        remote: &RemoteBranch,
        tip: &str,
    ) -> Result<(SyncStep, RepositoryState), Rejection> {
        // First commit what other memdir processes wrote since; after that, only an editor can interfere with the
        // merge.
        let (step, state) = self.prepare(locked)?;
        if step != SyncStep::Continue {
            return Ok((step, state));
        }
        let head = state.head.clone();
        let behind = match &head {
            Some(head) => self.git.ahead_behind(head, tip)?.1,
            None => self.git.commit_count(tip)?,
        };
        if behind == 0 {
            return Ok((SyncStep::Continue, state));
        }
        let unrelated = self.check_incoming(head.as_deref(), remote, tip)?;
        self.progress(&format!("merging {} from {}", counted_noun(behind, "commit"), remote.display_name()));
        let message = format!("memory: {} from {} merged", counted_noun(behind, "commit"), remote.display_name());
        let driver = format!("{DRIVER_KEY}={}", setup::driver_command()?);
        let merge_result = self.git.merge_commit(tip, &message, &[driver], unrelated)?;
        let step = match merge_result {
            GitMergeResult::Committed => {
                let to = self.git.resolve_commit("HEAD")?;
                let files = match &head {
                    Some(head) => self.git.changed_paths(head, &to, false)?,
                    None => self.git.files_at(&to)?.into_iter().map(|b| b.path).collect(),
                };
                self.record_merged(locked, &files, head.as_deref(), Some(to))?;
                self.add_merged(behind, files);
                // Into an empty repository, the merge may have brought `.gitattributes` or none. Start over, so that
                // the merge driver is configured.
                if head.is_some() { SyncStep::Continue } else { SyncStep::Restart }
            }
            GitMergeResult::Conflicted if self.options.conflict_branch.is_some() => {
                self.git.abort_merge()?;
                self.conflicts_with_remote = true;
                SyncStep::NeedsUser
            }
            GitMergeResult::Conflicted => self.end_with_conflicts(locked, behind)?,
            GitMergeResult::Refused(error) => self.retry_or_fail(&error)?,
        };
        Ok((step, state))
    }

    /// git did not start the merge. If there are pending changes, an editor was faster: start over, unless that was so
    /// before.
    fn retry_or_fail(&mut self, reason: &str) -> Result<SyncStep, Rejection> {
        self.refused_merges += 1;
        if self.refused_merges < MAX_REFUSED_MERGES && !self.git.repository_state()?.pending.is_empty() {
            Ok(SyncStep::Restart)
        } else {
            Err(Rejection::new(Code::Git, format!("git did not merge: {reason}"))
                .hint("see `git status` for the cause; pending changes are committed"))
        }
    }

    /// Removes the proposals that the merge accepted. What fails here, `inbox` does.
    pub(super) fn note_merged_proposals(&mut self) {
        if let Ok(Some((ids, _))) = remove_merged_proposals(self.session) {
            self.note(&format!("merged, so no longer in the inbox: {}", ids.join(", ")));
        }
    }

    /// Records a merge, and which files it replaced, so that they do not count as edited outside memdir. `to` is its
    /// commit, if it has no conflicts.
    pub(super) fn record_merged(
        &self,
        locked: &LockedStore<'_>,
        files: &[String],
        from: Option<&str>,
        to: Option<String>,
    ) -> Result<(), Rejection> {
        let (store, entries) = (&self.session.store, self.session.store.journal()?);
        let mut sync_state = SyncState::load(store);
        sync_state.record_merge(store, &entries, files);
        // Nothing was here before the first commit.
        let merge = from.map(|from| SyncMerge { to, ..SyncMerge::new(self.session, &entries, from) });
        merge.iter().cloned().for_each(|merge| sync_state.add_merge(merge));
        sync_state.save(locked);
        self.record_in_scopes(files, files, merge.as_ref());
        Ok(())
    }

    /// Records the commit of a merge that had conflicts, also one made with git; forgets a merge that was given up.
    pub(super) fn record_end_of_merge(&self, locked: &LockedStore<'_>) -> Result<(), Rejection> {
        let mut sync_state = SyncState::load(&self.session.store);
        let Some(mut merge) = sync_state.merges.pop_if(|merge| merge.to.is_none()) else { return Ok(()) };
        merge.to = self.git.first_merge_after(&merge.from)?;
        if let Some(to) = &merge.to {
            let changed = self.git.changed_paths(&merge.from, to, false)?;
            self.record_in_scopes(&changed, &[], Some(&merge));
            sync_state.add_merge(merge);
        }
        sync_state.save(locked);
        Ok(())
    }

    /// Records a merge in the scopes of which it changed files.
    fn record_in_scopes(&self, changed: &[String], replaced: &[String], merge: Option<&SyncMerge>) {
        let store = &self.session.store;
        // Before the note of the merge makes a `.memdir/` of its own where git moved a scope to.
        drop(store.adopt_leftovers());
        SyncedScopes::of(store, changed.iter().map(String::as_str)).record_merge(replaced, merge);
    }
}
