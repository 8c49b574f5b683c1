//! Branches that homes left on the remote because they could not be merged there: those that wait are named, and those
//! that are merged removed.
//!
//! Never removes a branch before the remote's own branch has all of it, nor one with a name that memdir does not give.

use super::{SyncDirection, SyncRun};
use crate::commands::Session;
use crate::host::conflict_refs::{CONFLICT_PREFIX, ConflictBranch};
use crate::host::git::Git;
use crate::host::remote::RemoteBranch;
use crate::text::shell_quote::shell_quote;

impl SyncRun<'_> {
    /// Removes merged branches from the remote, if this sync merged or pushed anything, and names the others. What fails
    /// here, the next sync does.
    pub(super) fn settle_conflict_branches(&mut self, remote: &RemoteBranch) {
        let has_news = self.result.pushed > 0 || self.result.merged.is_some();
        if has_news
            && self.options.direction != SyncDirection::Fetch
            && let Ok(Some(tip)) = self.git.known_tip(remote)
        {
            let mut merged = self.git.merged_conflict_branches(&tip).unwrap_or_default();
            merged.retain(|branch| is_named_by_memdir(&branch.name) && branch.name != remote.branch);
            if !merged.is_empty() {
                drop(self.git.remove_conflict_branches(remote, &merged, self.options.network_timeout));
            }
        }
        for note in conflict_branch_notes(self.session, &self.git) {
            self.note(&note);
        }
    }
}

/// What a person should know about each branch of the remote that was not merged when it was fetched last.
pub fn conflict_branch_notes(session: &Session, git: &Git) -> Vec<String> {
    let dir = session.dir.display().to_string();
    let note = |branch: ConflictBranch| {
        format!(
            "the remote's branch {} waits for a person to merge it: `git -C {} merge {}`, then `memdir sync`",
            branch.name,
            shell_quote(&dir),
            branch.local_name()
        )
    };
    git.unmerged_conflict_branches().unwrap_or_default().into_iter().map(note).collect()
}

/// Whether `sync --home` gives such names: `conflict/MACHINE-DAY`, perhaps with a number.
fn is_named_by_memdir(name: &str) -> bool {
    let is_day = |name: &str| {
        let day = name.len().checked_sub("-2026-11-29".len()).and_then(|at| name.get(at..));
        day.and_then(|day| day.strip_prefix('-')).is_some_and(|day| day.parse::<jiff::civil::Date>().is_ok())
    };
    let without_number = name.rsplit_once('-').filter(|(_, number)| number.len() == 1).map_or(name, |(name, _)| name);
    name.starts_with(CONFLICT_PREFIX) && is_day(without_number)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_names_with_a_machine_and_a_day_are_memdirs() {
        for name in ["conflict/vm-2026-11-29", "conflict/my-vm-2026-11-29-2", "conflict/-2026-11-29"] {
            assert!(is_named_by_memdir(name), "{name}");
        }
        for name in
            ["conflict/vm", "conflict/2026-11-29", "conflict/vm-2026-13-29", "vm-2026-11-29", "conflict/vm-20é6-11-29"]
        {
            assert!(!is_named_by_memdir(name), "{name}");
        }
    }
}
