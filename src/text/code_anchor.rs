//! Anchors: references of a memory to lines of code, with a hash by which changed and moved lines are recognised.
//!
//! Never opens a file, and knows no text of one (see `code_text`).

use std::fmt;

use sha2::{Digest, Sha256};

use super::code_path::CodePath;

/// Hexadecimal digits of a hash.
const HASH_DIGITS: usize = 12;

/// `PATH`, `PATH:LINE` or `PATH:FIRST-LAST`, each with `#HASH` or without. The path is relative to the root of a
/// repository.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CodeAnchor {
    pub path: CodePath,
    /// `None` for the whole file.
    pub lines: Option<LineRange>,
    pub hash: Option<LinesHash>,
}

/// Lines, 1-based, both inclusive.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LineRange {
    pub first: u32,
    pub last: u32,
}

/// The first 48 bits of the SHA-256 of lines. Each line ends in `\n`, also the last one of a file, and also where the
/// file has `\r\n`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LinesHash(pub(super) u64);

/// Why a text is not an anchor.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AnchorError {
    /// The path may not be opened: the reason.
    Path(&'static str),
    /// The lines have no order.
    Lines,
}

impl CodeAnchor {
    /// Parses an anchor.
    ///
    /// # Errors
    /// The part that is not valid.
    pub fn parse(text: &str) -> Result<CodeAnchor, AnchorError> {
        let hashed = text.rsplit_once('#').and_then(|(before, hash)| Some((before, LinesHash::parse(hash)?)));
        let (place, hash) = hashed.map_or((text, None), |(before, hash)| (before, Some(hash)));
        let (path, lines) = match place.rsplit_once(':').filter(|(_, lines)| is_line_range(lines)) {
            Some((path, lines)) => (path, Some(LineRange::parse(lines).ok_or(AnchorError::Lines)?)),
            None => (place, None),
        };
        Ok(CodeAnchor { path: CodePath::new(path).map_err(AnchorError::Path)?, lines, hash })
    }

    /// The anchor without its hash, for messages.
    pub fn place(&self) -> String {
        CodeAnchor { hash: None, ..self.clone() }.to_string()
    }
}

impl fmt::Display for CodeAnchor {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.path.as_str())?;
        if let Some(lines) = self.lines {
            write!(f, ":{lines}")?;
        }
        self.hash.map_or(Ok(()), |hash| write!(f, "#{hash}"))
    }
}

/// Whether a text is `10` or `10-24`.
fn is_line_range(text: &str) -> bool {
    let is_number = |n: &str| !n.is_empty() && n.bytes().all(|b| b.is_ascii_digit());
    text.split_once('-').map_or_else(|| is_number(text), |(first, last)| is_number(first) && is_number(last))
}

impl LineRange {
    fn parse(text: &str) -> Option<LineRange> {
        let (first, last) = text.split_once('-').unwrap_or((text, text));
        let (first, last) = (first.parse().ok()?, last.parse().ok()?);
        (1 <= first && first <= last).then_some(LineRange { first, last })
    }

    /// The number of lines.
    pub fn count(self) -> usize {
        (self.last - self.first) as usize + 1
    }
}

impl fmt::Display for LineRange {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.first == self.last { write!(f, "{}", self.first) } else { write!(f, "{}-{}", self.first, self.last) }
    }
}

impl LinesHash {
    fn parse(text: &str) -> Option<LinesHash> {
        let is_hash = text.len() == HASH_DIGITS && text.bytes().all(|b| matches!(b, b'0'..=b'9' | b'a'..=b'f'));
        is_hash.then(|| u64::from_str_radix(text, 16).ok()).flatten().map(LinesHash)
    }

    /// The hash of lines that are followed when they move.
    pub fn of(block: &[u8]) -> LinesHash {
        LinesHash::truncated(Sha256::digest(block).into())
    }

    /// The hash of lines that are not followed: it includes where they are, so it is found nowhere else.
    pub fn in_place(block: &[u8], lines: LineRange) -> LinesHash {
        let hash = Sha256::new_with_prefix(block).chain_update(format!("lines {lines}\n"));
        LinesHash::truncated(hash.finalize().into())
    }

    fn truncated(digest: [u8; 32]) -> LinesHash {
        LinesHash(digest[..HASH_DIGITS / 2].iter().fold(0, |hash, byte| hash << 8 | u64::from(*byte)))
    }
}

impl fmt::Display for LinesHash {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:012x}", self.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_anchor_is_a_path_with_lines_and_a_hash() {
        for text in ["src/lib.rs", "a b/ü.rs:10", "src/lib.rs:10-24#0123456789ab", "C#/x.cs#00ff00ff00ff", "a:b:3"] {
            assert_eq!(CodeAnchor::parse(text).unwrap().to_string(), text);
        }
        let anchor = CodeAnchor::parse("src/lib.rs:7-7#0123456789ab").unwrap();
        assert_eq!(
            (anchor.to_string().as_str(), anchor.place().as_str()),
            ("src/lib.rs:7#0123456789ab", "src/lib.rs:7")
        );
        // Not a hash, so part of the name.
        assert_eq!(CodeAnchor::parse("a#0123456789AB").unwrap().path.as_str(), "a#0123456789AB");
        for text in ["a:0", "a:2-1", "a:0-3", "a:99999999999"] {
            assert_eq!(CodeAnchor::parse(text), Err(AnchorError::Lines), "{text}");
        }
    }
}
