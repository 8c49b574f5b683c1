//! Branches that memdir left on the remote because they could not be merged on another machine: names those that wait.
//!
//! Never names one that memdir does not name so, because the command that it proposes has the name, and removes none.

use super::SyncRun;
use crate::commands::Session;
use crate::host::conflict_refs::{CONFLICT_PREFIX, ConflictBranch};
use crate::host::git::Git;
use crate::text::shell_quote::shell_quote;

impl SyncRun<'_> {
    /// Notes each branch that waits.
    pub(super) fn note_conflict_branches(&mut self) {
        for note in conflict_branch_notes(self.session, &self.git) {
            self.note(&note);
        }
    }
}

/// What a person should know about each branch of the remote that is not merged, as the last fetch found it.
pub fn conflict_branch_notes(session: &Session, git: &Git) -> Vec<String> {
    let dir = session.dir.display().to_string();
    let note = |branch: ConflictBranch| {
        format!(
            "the remote's branch {} waits for a person to merge it: `git -C {} merge {}`, then `memdir sync`",
            branch.name,
            shell_quote(&dir),
            shell_quote(&branch.local_name())
        )
    };
    let branches = git.unmerged_conflict_branches().unwrap_or_default().into_iter();
    branches.filter(|branch| is_named_by_memdir(&branch.name)).map(note).collect()
}

/// Whether `sync --home` gives such names: `conflict/MACHINE-DAY`, perhaps with a number from 2 on.
fn is_named_by_memdir(name: &str) -> bool {
    let is_day = |name: &str| {
        let day = name.len().checked_sub("-2026-11-29".len()).and_then(|at| name.get(at..));
        day.and_then(|day| day.strip_prefix('-')).is_some_and(|day| day.parse::<jiff::civil::Date>().is_ok())
    };
    let is_number = |number: &str| number.len() == 1 && matches!(number.as_bytes()[0], b'2'..=b'9');
    let without_number = name.rsplit_once('-').filter(|(_, number)| is_number(number)).map_or(name, |(name, _)| name);
    let is_plain = |c: char| c.is_alphanumeric() || matches!(c, '-' | '_' | '.');
    name.strip_prefix(CONFLICT_PREFIX).is_some_and(|rest| rest.chars().all(is_plain)) && is_day(without_number)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_names_with_a_machine_and_a_day_are_memdirs() {
        for name in ["conflict/vm-2026-11-29", "conflict/my-vm-2026-11-29-2", "conflict/-2026-11-29"] {
            assert!(is_named_by_memdir(name), "{name}");
        }
        for name in [
            "conflict/vm",
            "conflict/2026-11-29",
            "conflict/vm-2026-13-29",
            "vm-2026-11-29",
            "conflict/vm-20é6-11-29",
            "conflict/merge-2026-11-29-b",
            "conflict/x;touch${IFS}y-2026-11-29",
            "conflict/a/b-2026-11-29",
        ] {
            assert!(!is_named_by_memdir(name), "{name}");
        }
    }
}
