//! What an address leads to: a file as it was read, and the section or bullet in it.
//!
//! Never reads: the caller does.

use crate::change::Etag;
use crate::document::Document;
use crate::path::MemoryPath;

/// The target of an address, with its document.
pub struct ResolvedAddress {
    /// The path of the file.
    pub path: MemoryPath,
    /// The document of the whole file.
    pub document: Document,
    /// The etag of the file.
    pub etag: Etag,
    /// The index of the section; 0 for the file.
    pub section: usize,
    /// The index of the bullet in the document.
    pub bullet: Option<usize>,
}

impl ResolvedAddress {
    /// A whole file, as it was read.
    pub fn of_file(path: &MemoryPath, document: &Document) -> ResolvedAddress {
        let etag = Etag::of(document.text().as_bytes());
        ResolvedAddress { path: path.clone(), document: document.clone(), etag, section: 0, bullet: None }
    }
}
