//! Reads JSON Lines: one record per line.
//!
//! Never fails on a broken line: it is counted and skipped.

use serde::de::DeserializeOwned;

/// The non-blank lines, without surrounding white space and line endings.
pub(super) fn non_blank_lines(bytes: &[u8]) -> impl Iterator<Item = &[u8]> {
    let mut rest = bytes;
    let split = std::iter::from_fn(move || {
        if rest.is_empty() {
            return None;
        }
        let end = memchr::memchr(b'\n', rest).map_or(rest.len(), |at| at + 1);
        let (line, after) = rest.split_at(end);
        rest = after;
        Some(line.trim_ascii())
    });
    split.filter(|line| !line.is_empty())
}

/// Parses a line. `None` if it is cut off, not UTF-8 or not an object.
pub(super) fn parse_record<T: DeserializeOwned>(line: &[u8]) -> Option<T> {
    if !line.starts_with(b"{") {
        return None;
    }
    serde_json::from_str(simdutf8::basic::from_utf8(line).ok()?).ok()
}

/// Calls `take` with every record; returns the number of lines that are not one.
pub(super) fn for_each_record<T: DeserializeOwned>(bytes: &[u8], mut take: impl FnMut(T)) -> usize {
    let mut skipped = 0;
    for line in non_blank_lines(bytes) {
        match parse_record(line) {
            Some(record) => take(record),
            None => skipped += 1,
        }
    }
    skipped
}
