//! The branches `conflict/…` of a remote: what machines pushed beside the branch because it could not be merged there.
//!
//! Only reads.

use super::git::Git;
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
}

impl ConflictBranch {
    /// The name that git knows it by here.
    pub fn local_name(&self) -> String {
        format!("memdir/{}", self.name)
    }
}

impl Git {
    /// The branches with commits that HEAD lacks.
    ///
    /// # Errors
    /// `git`, also before the first commit.
    pub fn unmerged_conflict_branches(&self) -> Result<Vec<ConflictBranch>, Rejection> {
        let listed = self.stdout_line(&["for-each-ref", "--format=%(refname)", "--no-merged", "HEAD", LOCAL_REFS])?;
        let names = listed.lines().filter_map(|name| name.strip_prefix(LOCAL_REFS));
        Ok(names.map(|name| ConflictBranch { name: format!("{CONFLICT_PREFIX}{name}") }).collect())
    }
}
