//! What a front end compares to learn of changes by any program: the names of the visible files, and some etags.
//!
//! Never takes the lock, never writes, and never reveals anything that the caller may not see.

use sha2::{Digest, Sha256};

use super::list_and_read::read;
use super::{CommandResult, Session};
use crate::change::Etag;
use crate::document::MAX_FILE_BYTES;
use crate::store::FoundFile;

/// The state of a memory at one moment, as far as a caller watches it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WatchedState {
    /// A digest of the paths of all visible files.
    pub files: [u8; 32],
    /// The etag of each address; `None` where there is no such file or section.
    pub etags: Vec<Option<String>>,
}

/// The address whose etag changes with any file.
pub const WHOLE_MEMORY: &str = "";

/// Reads the names of all files, and the files that `addresses` name; no other file, unless one is
/// [`WHOLE_MEMORY`].
///
/// # Errors
/// `io`.
pub fn watched_state(session: &Session, addresses: &[String]) -> CommandResult<WatchedState> {
    let mut names = Sha256::new();
    let files = session.store.walk(None)?;
    for file in &files {
        names.update(file.path.as_str().as_bytes());
        names.update([0]);
    }
    let etag_of = |address: &String| match address.as_str() {
        WHOLE_MEMORY => Some(whole_etag(session, &files)),
        address => visible_etag(session, address),
    };
    let etags = addresses.iter().map(etag_of).collect();
    Ok(WatchedState { files: names.finalize().into(), etags })
}

/// The etag of what the caller sees at an address: that of a file would tell it of changes in hidden parts.
fn visible_etag(session: &Session, address: &str) -> Option<String> {
    let text = read(session, address).ok()?;
    Some(if session.visibility().is_some() { Etag::of(text.text.as_bytes()).short() } else { text.etag })
}

/// The etag of the names and texts of all these files.
fn whole_etag(session: &Session, files: &[FoundFile]) -> String {
    let etags = session.store.map_files(files, MAX_FILE_BYTES, &|file, read| {
        let etag = read.map(|(bytes, _)| Etag::of(bytes).short()).unwrap_or_default();
        format!("{etag} {}\n", file.path)
    });
    Etag::of(etags.concat().as_bytes()).short()
}
