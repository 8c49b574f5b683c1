//! What became of git branches: still open, merged into the one that is checked out, or deleted.
//!
//! Only reads.

use std::collections::{BTreeMap, BTreeSet, HashSet};

use super::git::Git;
use crate::code::Rejection;

/// Options of each comparison: no program of a config or of attributes.
const PATCH_ARGS: [&str; 3] = ["--no-ext-diff", "--no-textconv", "--ignore-submodules=all"];
/// The newest commits that are compared with a branch.
const MAX_SQUASHES: &str = "--max-count=200";

/// What became of a branch.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BranchState {
    Open,
    /// The branch that is checked out has all of its commits, or one with the same changes, as a squash makes it.
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
            let is_other = current.as_ref() != Some(name);
            let state = match (all.contains(&full_name), merged.contains(&full_name)) {
                (true, true) if is_other && self.has_own_commits(&full_name)? => BranchState::Merged,
                // What cannot be compared counts as open.
                (true, false) if is_other && self.is_squashed(&full_name).unwrap_or(false) => BranchState::Merged,
                (true, _) => BranchState::Open,
                (false, _) if is_elsewhere() => BranchState::Open,
                (false, _) => BranchState::Deleted,
            };
            states.insert(name.clone(), state);
        }
        Ok(states)
    }

    /// Whether one of the newest commits of HEAD that a branch lacks changes what the branch changes, as a whole.
    fn is_squashed(&self, full_name: &str) -> Result<bool, Rejection> {
        let Some(base) = self.merge_base("HEAD", full_name)? else { return Ok(false) };
        let diff = self.stdout_of(&[&["diff"], &PATCH_ARGS[..], &[&base, full_name, "--"]].concat())?;
        let range = format!("{base}..HEAD");
        let log =
            [&["log", "-p", "--no-show-signature", "--no-merges", MAX_SQUASHES], &PATCH_ARGS[..], &[&range, "--"]];
        let of_branch = self.patch_ids(&diff)?;
        Ok(!of_branch.is_empty() && self.patch_ids(&self.stdout_of(&log.concat())?)?.is_superset(&of_branch))
    }

    /// The ids of patches, which do not depend on line numbers or blanks.
    fn patch_ids(&self, patches: &[u8]) -> Result<HashSet<String>, Rejection> {
        let out = self.invoke(&["patch-id", "--stable"], patches)?.stdout;
        let first_words = String::from_utf8_lossy(&out)
            .lines()
            .filter_map(|line| line.split(' ').next())
            .map(str::to_owned)
            .collect();
        Ok(first_words)
    }

    /// Whether the log of a branch has more than the commit from which it started.
    fn has_own_commits(&self, full_name: &str) -> Result<bool, Rejection> {
        let output = self.invoke(&["log", "--walk-reflogs", "--max-count=2", "--format=%H", full_name, "--"], b"")?;
        Ok(output.stdout.split(|byte| *byte == b'\n').filter(|line| !line.is_empty()).count() > 1)
    }
}
