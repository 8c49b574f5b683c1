//! What became of git branches: still open, merged into the one that is checked out, or deleted.
//!
//! Only reads.

use std::collections::{BTreeMap, BTreeSet, HashSet};

use super::git::Git;
use crate::code::Rejection;

/// What became of a branch.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BranchState {
    Open,
    /// The branch that is checked out has all of its commits.
    Merged,
    /// Neither this clone nor one of its remotes has it.
    Deleted,
}

impl Git {
    /// What became of these branches. One that never had a commit of its own is open, although it is merged for git.
    ///
    /// # Errors
    /// `git`.
    pub fn branch_states(&self, names: &BTreeSet<String>) -> Result<BTreeMap<String, BranchState>, Rejection> {
        let listed = |args: &[&str]| -> Result<HashSet<String>, Rejection> {
            let out = self.stdout_of(&[&["for-each-ref", "--format=%(refname)"], args].concat())?;
            Ok(String::from_utf8_lossy(&out).lines().map(str::to_owned).collect())
        };
        let all = listed(&["refs/heads", "refs/remotes"])?;
        let merged = match self.resolve_commit("HEAD") {
            Ok(head) => listed(&["--merged", &head, "refs/heads"])?,
            Err(_) => HashSet::new(),
        };
        let current = self.current_branch()?;
        let mut states = BTreeMap::new();
        for name in names {
            let full_name = format!("refs/heads/{name}");
            let is_elsewhere = || {
                let of_remote = |known: &String| {
                    known
                        .strip_prefix("refs/remotes/")
                        .and_then(|rest| rest.split_once('/'))
                        .is_some_and(|(_, n)| n == name)
                };
                all.iter().any(of_remote)
            };
            let state = match (all.contains(&full_name), merged.contains(&full_name)) {
                (true, true) if current.as_ref() != Some(name) && self.has_own_commits(&full_name)? => {
                    BranchState::Merged
                }
                (true, _) => BranchState::Open,
                (false, _) if is_elsewhere() => BranchState::Open,
                (false, _) => BranchState::Deleted,
            };
            states.insert(name.clone(), state);
        }
        Ok(states)
    }

    /// Whether the log of a branch has more than the commit from which it started.
    fn has_own_commits(&self, full_name: &str) -> Result<bool, Rejection> {
        let output = self.invoke(&["log", "--walk-reflogs", "--max-count=2", "--format=%H", full_name, "--"], b"")?;
        Ok(output.stdout.split(|byte| *byte == b'\n').filter(|line| !line.is_empty()).count() > 1)
    }
}
