//! Lines in bytes: where one starts and ends, whether it is blank, how wide its indent is.
//!
//! Never allocates and knows no markdown. A line ends with `\n`, `\r\n` or a lone `\r`, as in CommonMark 2.1.

use memchr::{memchr2, memrchr2};

/// Whether a byte is a space or a tab.
pub(super) fn blank(byte: u8) -> bool {
    byte == b' ' || byte == b'\t'
}

/// Whether all bytes are blanks or line ends.
pub(super) fn all_blank(bytes: &[u8]) -> bool {
    bytes.iter().all(|b| matches!(b, b' ' | b'\t' | b'\n' | b'\r'))
}

/// Where the line that holds the byte `at` starts.
pub(super) fn start(bytes: &[u8], at: usize) -> usize {
    let inside_crlf = at > 0 && bytes[at - 1] == b'\r' && bytes.get(at) == Some(&b'\n');
    let before = if inside_crlf { at - 1 } else { at };
    memrchr2(b'\n', b'\r', &bytes[..before]).map_or(0, |i| i + 1)
}

/// One past the line end of the line that holds the byte `at`.
pub(super) fn end(bytes: &[u8], at: usize) -> usize {
    match memchr2(b'\n', b'\r', &bytes[at..]) {
        None => bytes.len(),
        Some(i) if bytes[at + i] == b'\r' && bytes.get(at + i + 1) == Some(&b'\n') => at + i + 2,
        Some(i) => at + i + 1,
    }
}

/// The same place without the line end before it.
pub(super) fn without_eol(bytes: &[u8], end: usize) -> usize {
    match bytes[..end] {
        [.., b'\r', b'\n'] => end - 2,
        [.., b'\n' | b'\r'] => end - 1,
        _ => end,
    }
}

/// The same place without blanks and line ends before it, not below `start`.
pub(super) fn trimmed(bytes: &[u8], start: usize, end: usize) -> usize {
    let keep = bytes[start..end].iter().rposition(|b| !matches!(b, b' ' | b'\t' | b'\n' | b'\r'));
    keep.map_or(start, |i| start + i + 1)
}

/// The first byte from `at` on that is no blank.
pub(super) fn skip_blanks(bytes: &[u8], at: usize) -> usize {
    bytes[at..].iter().position(|b| !blank(*b)).map_or(bytes.len(), |i| at + i)
}

/// Where a block that reaches up to `end` really ends: at a line's end, blank lines left out.
pub(super) fn block_end(bytes: &[u8], start: usize, end: usize) -> usize {
    let last = trimmed(bytes, start, end.min(bytes.len()));
    if last == start { start } else { self::end(bytes, last) }
}

/// Where the run of blank lines that starts at the line start `at` ends.
pub(super) fn after_blanks(bytes: &[u8], at: usize) -> usize {
    let mut at = at;
    while at < bytes.len() && matches!(bytes[at], b' ' | b'\t' | b'\n' | b'\r') {
        let end = end(bytes, at);
        if !all_blank(&bytes[at..end]) {
            break;
        }
        at = end;
    }
    at
}

/// Where the run of blank lines that ends at the line start `at` starts, not below `floor`.
pub(super) fn before_blanks(bytes: &[u8], floor: usize, at: usize) -> usize {
    let mut at = at;
    while at > floor {
        let line = start(bytes, without_eol(bytes, at)).max(floor);
        if line == at || !all_blank(&bytes[line..at]) {
            break;
        }
        at = line;
    }
    at
}

/// How many columns a line's beginning takes, tabs going to the next multiple of four.
pub(super) fn columns(prefix: &[u8]) -> usize {
    prefix.iter().fold(0, |column, b| if *b == b'\t' { column / 4 * 4 + 4 } else { column + 1 })
}
