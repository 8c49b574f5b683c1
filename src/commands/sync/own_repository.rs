//! The repository that `sync` works on: the one whose root is the data directory.
//!
//! Never syncs a memory that is a subdirectory of another repository.

use crate::code::{Code, Rejection};
use crate::commands::Session;
use crate::host::git::Git;

/// git in the repository whose root is the data directory.
pub fn own_repository(session: &Session) -> Result<Git, Rejection> {
    let git = Git::in_dir(&session.dir);
    let not_own = |reason: String| Rejection::new(Code::NotOwnRepository, reason);
    match git.work_tree() {
        Ok((_, subdirectory)) if subdirectory.is_empty() => Ok(git),
        Ok((top, below)) => Err(not_own(format!(
            "this memory is a subdirectory ({below}) of the repository {}; sync needs a repository of its own",
            top.display()
        ))
        .hint("use git there (after `memdir setup git`, it merges by bullet), or run `git init` in the memory")),
        Err(error) if error.code == Code::NoRepository && error.hint.is_none() => {
            Err(not_own("this memory is not in a git repository".to_owned())
                .hint("run `git init` in it, and `git remote add origin URL` to sync with another machine"))
        }
        Err(error) => Err(error),
    }
}
