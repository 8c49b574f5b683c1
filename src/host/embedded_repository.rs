//! Refuses to start git where it would find a repository without `.git`: such files may come from a clone, and git
//! would follow the config and run the hooks in them.
//!
//! Never starts git. Versions of git since 2.38 refuse it themselves (`safe.bareRepository`).

use std::path::Path;

use crate::code::{Code, Rejection};

/// Refuses a directory from which git would find an embedded repository first.
///
/// # Errors
/// `git`.
pub fn refuse(dir: &Path) -> Result<(), Rejection> {
    // git resolves links in the directory before it searches the directories above it.
    let dir = dir.canonicalize().unwrap_or_else(|_| dir.to_owned());
    let embedded = dir
        .ancestors()
        .take_while(|above| above.join(".git").symlink_metadata().is_err())
        .find(|above| has_repository_files(above));
    let Some(found) = embedded else { return Ok(()) };
    let message =
        format!("'{}' looks like a git repository inside the work tree, whose config git would use", found.display());
    Err(Rejection::new(Code::Git, message).hint("remove or rename its HEAD file, or keep the memory elsewhere"))
}

/// Whether git would use a directory as a repository: it has `HEAD`, and objects and refs of its own or elsewhere.
fn has_repository_files(dir: &Path) -> bool {
    let exists = |name: &str| dir.join(name).symlink_metadata().is_ok();
    exists("HEAD") && (exists("commondir") || exists("objects") && exists("refs"))
}
