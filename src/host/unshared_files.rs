//! Finds the files of a memory that no commit of its repository will have: ignored ones, those of a repository in it,
//! and proposals.
//!
//! Never changes the repository.

use super::git::Git;
use super::remote::RemoteBranch;
use super::repository::split_nul;
use crate::code::Rejection;

/// Pathspecs of what may be a part of the memory: all but machine state and what a killed merge leaves.
const MEMORY_PATHSPECS: [&str; 4] =
    [".", ":(exclude,top,glob)**/.memdir/**", ":(exclude,top,glob)**/.merge_file_*", ":(exclude,top,glob)**/.*.tmp"];
/// How `ls-files --stage` starts the line of a repository inside the work tree.
const REPOSITORY_MODE: &str = "160000 ";

/// What only this machine has.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct UnsharedFiles {
    /// Files that git does not commit, and folders that are repositories of their own, with `/` at the end.
    pub left_out: Vec<String>,
    /// The number of proposals in `inbox/`.
    pub proposals: usize,
}

impl Git {
    /// The files of the memory that are not committed here, and would not be by a sync.
    ///
    /// # Errors
    /// `git`.
    pub fn unshared_files(&self) -> Result<UnsharedFiles, Rejection> {
        let others =
            split_nul(&self.stdout_of(&[&["ls-files", "--others", "-z", "--"], &MEMORY_PATHSPECS[..]].concat())?);
        let staged = split_nul(&self.stdout_of(&["ls-files", "--stage", "-z"])?);
        let repository = |line: String| Some(format!("{}/", line.strip_prefix(REPOSITORY_MODE)?.split_once('\t')?.1));
        let mut unshared = UnsharedFiles::default();
        for path in others.into_iter().chain(staged.into_iter().filter_map(repository)) {
            let is_proposal = path.starts_with("inbox/") || path.contains("/inbox/") && path.starts_with("scopes/");
            match path.ends_with(".md") || path.ends_with("memdir.yaml") || path.ends_with('/') {
                true if is_proposal => unshared.proposals += 1,
                true => unshared.left_out.push(path),
                false => {}
            }
        }
        Ok(unshared)
    }

    /// Whether something was changed or committed here that the remote lacks, as far as this clone knows. Does not use
    /// the network.
    ///
    /// # Errors
    /// `git`.
    pub fn has_unpushed_changes(&self, remote: &str) -> Result<bool, Rejection> {
        let state = self.repository_state()?;
        let (Some(head), Some(branch)) = (&state.head, &state.branch) else { return Ok(true) };
        let remote = self.find_remote(Some(remote), branch)?;
        let is_known = |remote: RemoteBranch| self.is_known_there(&remote, head);
        Ok(!state.pending.is_empty() || !remote.map(is_known).transpose()?.unwrap_or(false))
    }
}
