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

    /// A comparison with the text of a file of this mode that is read in pieces; `None` if only its etag is known.
    pub fn compare_pieces(&self, mode: u32) -> Option<PieceComparison<'_>> {
        let rest = self.bytes.as_deref()?;
        Some(PieceComparison { rest, is_equal: mode == self.mode })
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

/// Compares a known text with one that is read piece by piece, so that a large file is not in memory a second time.
pub struct PieceComparison<'a> {
    /// What is still expected.
    rest: &'a [u8],
    is_equal: bool,
}

impl PieceComparison<'_> {
    /// Compares the next piece.
    pub fn push(&mut self, piece: &[u8]) {
        match self.rest.strip_prefix(piece) {
            Some(rest) => self.rest = rest,
            None => self.is_equal = false,
        }
    }

    /// Whether the pieces were the text, mode included.
    pub fn is_equal(&self) -> bool {
        self.is_equal && self.rest.is_empty()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pieces_are_the_text_only_as_a_whole_and_with_its_mode() {
        let text = ExpectedText::new(Arc::new(b"# User\n".to_vec()), Etag::of(b"# User\n"), 0o600);
        for (pieces, mode, expected) in [
            (vec!["# Us", "er\n"], 0o600, true),
            (vec!["# User\n"], 0o644, false),
            (vec!["# User"], 0o600, false),
            (vec!["# User\n", "x"], 0o600, false),
            (vec!["# Us", "ee\n"], 0o600, false),
            // After a difference, a piece that would fit.
            (vec!["x", "# User\n"], 0o600, false),
            (vec![], 0o600, false),
        ] {
            let mut comparison = text.compare_pieces(mode).unwrap();
            pieces.iter().for_each(|piece| comparison.push(piece.as_bytes()));
            assert_eq!(comparison.is_equal(), expected, "{pieces:?} {mode:o}");
        }
        assert!(ExpectedText::by_etag(text.etag, 0o600).compare_pieces(0o600).is_none());
    }
}
