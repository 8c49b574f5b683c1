//! Reads from the history what commits say that they remove, and which files they remove or empty.
//!
//! Only reads.

use std::collections::HashSet;

use super::git::Git;
use super::repository::split_nul;
use crate::code::Rejection;

/// The object id of an empty file, in SHA-1 and SHA-256 repositories.
pub const EMPTY_OBJECTS: [&str; 2] =
    ["e69de29bb2d1d6434b8b29ae775ad8c2e48c5391", "473a0f4c3be8a93681a267e3b1e9a7dcda1185436fe141f7749120a303721813"];

impl Git {
    /// Returns the trailers of each commit that `to` has and `from` lacks, as `KEY: VALUE`, with the commit's hash.
    ///
    /// # Errors
    /// `git`.
    pub fn commit_trailers(&self, from: &str, to: &str) -> Result<Vec<(String, Vec<String>)>, Rejection> {
        let format = "--format=%x00%H%n%(trailers:only,unfold)";
        let out = self.stdout_of(&["log", "--no-show-signature", format, &format!("{from}..{to}"), "--"])?;
        let commit = |text: String| {
            let mut lines = text.lines().filter(|line| !line.is_empty()).map(str::to_owned);
            Some((lines.next()?, lines.collect()))
        };
        Ok(split_nul(&out).into_iter().filter_map(commit).collect())
    }

    /// Lists the files that a commit removes or empties, compared with any of its parents; a renamed one is gone.
    ///
    /// # Errors
    /// `git`.
    pub fn files_lost_in(&self, commit: &str) -> Result<HashSet<String>, Rejection> {
        let args = ["diff-tree", "-r", "-m", "--root", "--no-renames", "--no-commit-id", "--no-abbrev", "-z", commit];
        let records = split_nul(&self.stdout_of(&args)?);
        // `:100644 100644 OLD NEW M`, then the path.
        let is_lost = |change: &str| {
            let new_object = change.split(' ').nth(3).unwrap_or_default();
            change.ends_with('D') || EMPTY_OBJECTS.contains(&new_object)
        };
        let pairs = records.chunks_exact(2).filter(|pair| is_lost(&pair[0]));
        Ok(pairs.map(|pair| pair[1].clone()).collect())
    }
}
