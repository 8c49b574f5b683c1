//! The git repository and the branch that a session is about.
//!
//! Never runs git: both are read from its files.

use std::path::PathBuf;

use super::Session;
use crate::host::git_dir::GitDirectory;

/// The directory in the repository that the memory is about: its own, or the working directory for a private memory,
/// which is outside of the repository.
pub fn repository_at_work(session: &Session) -> PathBuf {
    if GitDirectory::find(&session.dir).is_some() { session.dir.clone() } else { ".".into() }
}

/// The branch that is checked out there; `None` without a repository, or if no branch is checked out.
pub fn branch_at_work(session: &Session) -> Option<String> {
    GitDirectory::find(&repository_at_work(session))?.branch()
}
