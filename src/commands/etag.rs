//! `etag`: the etag of a file or section.
//!
//! Never takes the lock and never writes.

use schemars::JsonSchema;
use serde::Serialize;

use super::{CommandResult, Session, read};

/// The etag of a file or section.
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[non_exhaustive]
pub struct EtagResult {
    /// The path of the file.
    pub path: String,
    /// The slug of the section.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub section: Option<String>,
    /// The etag, to pass as `seen` or `--if-match`: the first 16 hex digits of the SHA-256 of the exact bytes.
    pub etag: String,
}

/// The etag of a file or section; for a bullet, that of its file.
///
/// # Errors
/// As [`read`].
pub fn etag(session: &Session, address: &str) -> CommandResult<EtagResult> {
    let text = read(session, address)?;
    Ok(EtagResult { path: text.path, section: text.section.filter(|_| text.handle.is_none()), etag: text.etag })
}
