//! Line positions in bytes: line start and end, blank lines, indent width.
//!
//! Never allocates and is independent of Markdown. A line ends with `\n`, `\r\n` or a single `\r`, as in CommonMark
//! 2.1.

use memchr::{memchr2, memrchr2};

use super::Document;

impl Document {
    /// The number of the line that has the byte `at`, from 1.
    pub(super) fn line_number(&self, at: u32) -> usize {
        1 + memchr::memchr_iter(b'\n', &self.text.as_bytes()[..at as usize]).count()
    }
}

pub(super) fn is_blank(byte: u8) -> bool {
    byte == b' ' || byte == b'\t'
}

/// Whether all bytes are spaces, tabs or line endings.
pub(super) fn is_all_blank(bytes: &[u8]) -> bool {
    bytes.iter().all(|b| matches!(b, b' ' | b'\t' | b'\n' | b'\r'))
}

/// Start of the line that contains the byte `at`.
pub(super) fn start(bytes: &[u8], at: usize) -> usize {
    let inside_crlf = at > 0 && bytes[at - 1] == b'\r' && bytes.get(at) == Some(&b'\n');
    let before = if inside_crlf { at - 1 } else { at };
    memrchr2(b'\n', b'\r', &bytes[..before]).map_or(0, |i| i + 1)
}

/// End of the line that contains the byte `at`, including its line ending.
pub(super) fn end(bytes: &[u8], at: usize) -> usize {
    match memchr2(b'\n', b'\r', &bytes[at..]) {
        None => bytes.len(),
        Some(i) if bytes[at + i] == b'\r' && bytes.get(at + i + 1) == Some(&b'\n') => at + i + 2,
        Some(i) => at + i + 1,
    }
}

/// `end` without the line ending directly before it.
pub(super) fn end_without_eol(bytes: &[u8], end: usize) -> usize {
    match bytes[..end] {
        [.., b'\r', b'\n'] => end - 2,
        [.., b'\n' | b'\r'] => end - 1,
        _ => end,
    }
}

/// `end` without the blanks and line endings before it, but not below `start`.
pub(super) fn trim_end(bytes: &[u8], start: usize, end: usize) -> usize {
    let keep = bytes[start..end].iter().rposition(|b| !matches!(b, b' ' | b'\t' | b'\n' | b'\r'));
    keep.map_or(start, |i| start + i + 1)
}

/// Offset of the first byte from `at` on that is not a space or tab.
pub(super) fn skip_blanks(bytes: &[u8], at: usize) -> usize {
    bytes[at..].iter().position(|b| !is_blank(*b)).map_or(bytes.len(), |i| at + i)
}

/// End of a block that ends before `end`: the end of its last line that is not blank.
pub(super) fn block_end(bytes: &[u8], start: usize, end: usize) -> usize {
    let last = trim_end(bytes, start, end.min(bytes.len()));
    if last == start { start } else { self::end(bytes, last) }
}

/// End of the run of blank lines that starts at the line start `at`.
pub(super) fn after_blank_lines(bytes: &[u8], at: usize) -> usize {
    let mut at = at;
    while at < bytes.len() && matches!(bytes[at], b' ' | b'\t' | b'\n' | b'\r') {
        let end = end(bytes, at);
        if !is_all_blank(&bytes[at..end]) {
            break;
        }
        at = end;
    }
    at
}

/// Start of the run of blank lines that ends at the line start `at`, but not below `floor`.
pub(super) fn before_blank_lines(bytes: &[u8], floor: usize, at: usize) -> usize {
    let mut at = at;
    while at > floor {
        let line = start(bytes, end_without_eol(bytes, at)).max(floor);
        if line == at || !is_all_blank(&bytes[line..at]) {
            break;
        }
        at = line;
    }
    at
}

/// Width of a line prefix in columns; a tab advances to the next multiple of four (CommonMark 2.2).
pub(super) fn indent_columns(prefix: &[u8]) -> usize {
    prefix.iter().fold(0, |column, b| if *b == b'\t' { column / 4 * 4 + 4 } else { column + 1 })
}
