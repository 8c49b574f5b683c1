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

/// A file whose changes git does not look at.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UnwatchedFile {
    pub path: String,
    /// `skip-worktree` or `assume-unchanged`; the option of `git update-index` that ends it has `--no-` before it.
    pub flag: &'static str,
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

    /// Files that git is set not to look at although they differ from the index here: a sync does not share their
    /// changes.
    ///
    /// # Errors
    /// `git`.
    pub fn unwatched_changes(&self) -> Result<Vec<UnwatchedFile>, Rejection> {
        let listed = split_nul(&self.stdout_of(&["ls-files", "--stage", "-v", "-z"])?);
        let mut changed = Vec::new();
        for line in &listed {
            let flag = match line.as_bytes() {
                [b'S' | b's', ..] => "skip-worktree",
                [tag, ..] if tag.is_ascii_lowercase() => "assume-unchanged",
                _ => continue,
            };
            let Some((entry, path)) = line.split_once('\t') else { continue };
            let Some(object) = entry.split(' ').nth(2).filter(|_| self.dir.join(path).is_file()) else { continue };
            let present = self.stdout_of(&["hash-object", "--", path])?;
            if String::from_utf8_lossy(&present).trim_end() != object {
                changed.push(UnwatchedFile { path: path.to_owned(), flag });
            }
        }
        Ok(changed)
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
