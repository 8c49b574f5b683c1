//! JSON Lines: one record a line, some of them broken.

use serde::de::DeserializeOwned;

/// The lines that are not blank, without their ends.
pub(super) fn lines(bytes: &[u8]) -> impl Iterator<Item = &[u8]> {
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

/// A line's record. `None`: half a line, no UTF-8, no object.
pub(super) fn record<T: DeserializeOwned>(line: &[u8]) -> Option<T> {
    if !line.starts_with(b"{") {
        return None;
    }
    serde_json::from_str(simdutf8::basic::from_utf8(line).ok()?).ok()
}

/// Hands every record on; answers how many lines hold none.
pub(super) fn each<T: DeserializeOwned>(bytes: &[u8], mut take: impl FnMut(T)) -> usize {
    let mut skipped = 0;
    for line in lines(bytes) {
        match record(line) {
            Some(record) => take(record),
            None => skipped += 1,
        }
    }
    skipped
}
