//! Which folders of `check --rot` the caller may not read: memories whose policy restricts it, the scopes of a memory,
//! and in a scope the parent memory and its other scopes.
//!
//! Never restricts who reads folders that are no memories.

use std::path::Path;

use crate::code::Rejection;
use crate::commands::Session;
use crate::commands::allowlist_filter::allowlist_rejection;
use crate::document::Visibility;
use crate::host::find::scope_not_allowed;
use crate::host::outside_files;
use crate::path::SCOPES_FOLDER;
use crate::policy;
use crate::store::init::POLICY_FILE;

/// The largest policy, in bytes.
const MAX_POLICY_BYTES: u64 = 64 << 10;

/// The caller who reads a folder or a file that `check` compares with.
#[derive(Clone, Copy, Debug)]
pub struct FolderReader<'a> {
    pub actor: &'a str,
    pub is_agent: bool,
}

/// Refuses a folder that is a memory, or a part of one, which the caller may not read whole.
///
/// # Errors
/// `category_not_allowed`; `scope_not_allowed` in a scope, for a folder that holds more than that scope.
pub(super) fn require_readable(
    dir: &Path,
    reader: FolderReader<'_>,
    session: Option<&Session>,
) -> Result<(), Rejection> {
    // Reading reports one that does not exist.
    let Ok(real) = dir.canonicalize() else { return Ok(()) };
    if let Some((session, scope)) = session.and_then(|session| Some((session, session.scope.as_ref()?))) {
        session.require_outside(std::slice::from_ref(&real))?;
        let above = session.governing_dir().canonicalize();
        if above.is_ok_and(|above| above.starts_with(&real)) {
            return Err(scope_not_allowed(&scope.name));
        }
    }
    if real.ancestors().any(|folder| is_restricted_memory(folder, reader)) {
        Err(allowlist_rejection())
    } else {
        Ok(())
    }
}

/// Whether a folder is a memory whose policy restricts the caller, or cannot be read.
pub(super) fn is_restricted_memory(folder: &Path, reader: FolderReader<'_>) -> bool {
    let policy = folder.join(POLICY_FILE);
    if policy.symlink_metadata().is_err() {
        return false;
    }
    outside_files::read_up_to(&policy, MAX_POLICY_BYTES, "64 KiB").map_or(true, |bytes| {
        let loaded = policy::load(&String::from_utf8_lossy(&bytes));
        loaded.read_refusal(reader.is_agent).is_some() || Visibility::for_agent(&loaded.policy, reader.actor).is_some()
    })
}

/// Whether a folder holds the scopes of a memory, which are memories of their own.
pub(super) fn holds_scopes(folder: &Path) -> bool {
    let above = folder.parent().map(|above| above.join(POLICY_FILE));
    folder.ends_with(SCOPES_FOLDER) && above.is_some_and(|policy| policy.symlink_metadata().is_ok())
}
