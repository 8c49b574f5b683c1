//! Handles: a bullet's name, derived from its text and never stored.
//!
//! Never looks at a bullet's place, marker or metadata, so a handle survives moves and changes with the text alone.

/// The first twelve letters of a text's handle, five bits each, most significant first.
///
/// Base-32 (Crockford's alphabet, lower case) of the sha256 of the normal form (NFC, white space folded, backslash
/// escapes taken off), leading digits skipped so that a handle never looks like a number.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Handle(pub u64);

impl Handle {
    /// The handle of a text as it stands in a file.
    pub fn of(raw: &str) -> Handle {
        let _ = raw;
        todo!()
    }

    /// The first `length` letters (1–12).
    pub fn prefix(self, length: usize) -> String {
        let _ = length;
        todo!()
    }
}
