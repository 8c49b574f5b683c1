//! The texts that a batch expects before and after it.
//!
//! Never reads a file: it is given what was read.

use std::sync::Arc;

use crate::change::{Etag, FileVersion};

/// An expected text, known by its bytes or only by its etag.
#[derive(Clone)]
pub struct ExpectedText {
    pub bytes: Option<Arc<Vec<u8>>>,
    pub etag: Etag,
    pub mode: u32,
}

impl ExpectedText {
    /// A text whose bytes are known.
    pub fn new(bytes: Arc<Vec<u8>>, etag: Etag, mode: u32) -> ExpectedText {
        ExpectedText { bytes: Some(bytes), etag, mode }
    }

    /// The text that a plan was made on; known only by its etag if the plan did not keep the bytes.
    pub fn of_version(v: &FileVersion) -> ExpectedText {
        let has_bytes = !v.bytes.is_empty() || v.etag == Etag::of(b"");
        ExpectedText { bytes: has_bytes.then(|| v.bytes.clone()), etag: v.etag, mode: v.mode }
    }

    /// A text of which only the etag is known.
    pub fn by_etag(etag: Etag, mode: u32) -> ExpectedText {
        ExpectedText { bytes: None, etag, mode }
    }

    /// Whether a file with these bytes and this mode has the text.
    pub fn matches(&self, bytes: &[u8], mode: u32) -> bool {
        mode == self.mode
            && match &self.bytes {
                Some(known) => known[..] == *bytes,
                None => self.etag == Etag::of(bytes),
            }
    }
}
