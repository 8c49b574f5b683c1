//! The branches `conflict/…` of a remote: what homes pushed beside the branch because it could not be merged there.
//!
//! Never removes a branch that has moved since it was seen.

use std::time::Duration;

use super::git::Git;
use super::remote::RemoteBranch;
use crate::code::Rejection;

/// How their names begin, on the remote.
pub const CONFLICT_PREFIX: &str = "conflict/";
/// Where their copies are here.
const LOCAL_REFS: &str = "refs/memdir/conflict/";

/// The refspec that fetches them.
pub(super) const CONFLICT_REFSPEC: &str = "+refs/heads/conflict/*:refs/memdir/conflict/*";

/// A branch as the last fetch found it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ConflictBranch {
    /// Its name on the remote, `conflict/laptop-2026-11-29`.
    pub name: String,
    /// The full hash of its newest commit.
    commit: String,
}

impl ConflictBranch {
    /// The name that git knows it by here.
    pub fn local_name(&self) -> String {
        format!("memdir/{}", self.name)
    }
}

impl Git {
    /// The branches that a commit has all commits of.
    ///
    /// # Errors
    /// `git`.
    pub fn merged_conflict_branches(&self, commit: &str) -> Result<Vec<ConflictBranch>, Rejection> {
        self.conflict_branches(&["--merged", commit])
    }

    /// The branches with commits that HEAD lacks.
    ///
    /// # Errors
    /// `git`, also before the first commit.
    pub fn unmerged_conflict_branches(&self) -> Result<Vec<ConflictBranch>, Rejection> {
        self.conflict_branches(&["--no-merged", "HEAD"])
    }

    fn conflict_branches(&self, which: &[&str]) -> Result<Vec<ConflictBranch>, Rejection> {
        let args = [&["for-each-ref", "--format=%(objectname) %(refname)"], which, &[LOCAL_REFS]].concat();
        let listed = self.stdout_line(&args)?;
        let branches = listed.lines().filter_map(|line| {
            let (commit, name) = line.split_once(' ')?;
            let name = format!("{CONFLICT_PREFIX}{}", name.strip_prefix(LOCAL_REFS)?);
            Some(ConflictBranch { name, commit: commit.to_owned() })
        });
        Ok(branches.collect())
    }

    /// Removes branches from the remote, as far as they are there as they were fetched.
    ///
    /// # Errors
    /// `remote` if it cannot be reached, `no_git`.
    pub fn remove_conflict_branches(
        &self,
        remote: &RemoteBranch,
        branches: &[ConflictBranch],
        wait: Duration,
    ) -> Result<(), Rejection> {
        let leases: Vec<String> = branches
            .iter()
            .map(|branch| format!("--force-with-lease=refs/heads/{}:{}", branch.name, branch.commit))
            .collect();
        let removals: Vec<String> = branches.iter().map(|branch| format!(":refs/heads/{}", branch.name)).collect();
        let mut args = vec!["push", "--quiet", "--no-follow-tags", "--recurse-submodules=no"];
        args.extend(leases.iter().map(String::as_str));
        args.extend(["--", &remote.name]);
        args.extend(removals.iter().map(String::as_str));
        self.invoke_over_network(&args, remote, wait).map(drop)
    }
}
