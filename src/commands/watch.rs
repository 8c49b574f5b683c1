//! What a front end compares to learn of changes by any program: the names of the visible files, and some etags.
//!
//! Never takes the lock, never writes, and never reveals anything that the caller may not see.

use sha2::{Digest, Sha256};

use super::{CommandResult, Session, etag};

/// The state of a memory at one moment, as far as a caller watches it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WatchedState {
    /// A digest of the paths of all visible files.
    pub files: [u8; 32],
    /// The etag of each address; `None` where there is no such file or section.
    pub etags: Vec<Option<String>>,
}

/// Reads the names of all files, and the files that `addresses` name; no other file.
///
/// # Errors
/// `io`.
pub fn watched_state(session: &Session, addresses: &[String]) -> CommandResult<WatchedState> {
    let mut names = Sha256::new();
    for file in session.store.walk(None)? {
        names.update(file.path.as_str().as_bytes());
        names.update([0]);
    }
    let etags = addresses.iter().map(|address| etag(session, address).ok().map(|found| found.etag)).collect();
    Ok(WatchedState { files: names.finalize().into(), etags })
}
