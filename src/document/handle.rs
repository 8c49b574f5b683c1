//! Handles: identifiers of bullets, computed from their text and never stored.
//!
//! Never depends on a bullet's position, marker or metadata, so a handle survives moves and changes only with the text.

use std::borrow::Cow;

use crate::text::one_line::collapse_whitespace;
use sha2::{Digest, Sha256};
use unicode_normalization::{UnicodeNormalization, is_nfc};

/// Crockford's base-32 alphabet, lower case.
const ALPHABET: &[u8; 32] = b"0123456789abcdefghjkmnpqrstvwxyz";
/// Number of characters of a full handle.
const HANDLE_LENGTH: usize = 12;
/// Minimum number of characters of a displayed handle.
const MIN_LENGTH: usize = 4;

/// The first twelve characters of a text's handle, five bits each, most significant first.
///
/// Computed as SHA-256 of the normal form (NFC, whitespace collapsed, backslash escapes removed), encoded in
/// Crockford's base 32 in lower case. Leading digits are skipped, so that a handle never looks like a number.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Handle(pub u64);

impl Handle {
    /// The handle of a text as written in the file.
    pub fn of(raw: &str) -> Handle {
        let digest: [u8; 32] = Sha256::digest(normalize(raw).as_bytes()).into();
        let (high, low) = digest.split_at(16);
        let mut high = u128::from_be_bytes(high.try_into().unwrap_or_default());
        let mut low = u128::from_be_bytes(low.try_into().unwrap_or_default());
        // A digest has 51 base-32 digits, so at most 39 are skipped. A longer run of leading digits has a probability
        // of about 2e-20; such a handle would start with a digit.
        for _ in 0..51 - HANDLE_LENGTH {
            if high >> 123 >= 10 {
                break;
            }
            high = high << 5 | low >> 123;
            low <<= 5;
        }
        Handle((high >> (128 - 5 * HANDLE_LENGTH)) as u64)
    }

    /// The first `length` characters (1–12).
    pub fn prefix(self, length: usize) -> String {
        (0..length.min(HANDLE_LENGTH))
            .map(|i| ALPHABET[(self.0 >> (5 * (HANDLE_LENGTH - 1 - i)) & 31) as usize] as char)
            .collect()
    }

    /// The lowest and highest handle with this prefix; `None` if it is not a valid prefix: other characters, or fewer
    /// than 4 or more than 12.
    pub(super) fn prefix_range(name: &str) -> Option<(Handle, Handle)> {
        if !(MIN_LENGTH..=HANDLE_LENGTH).contains(&name.len()) {
            return None;
        }
        let mut low = 0;
        for byte in name.bytes() {
            let letter = ALPHABET.iter().position(|l| *l == byte.to_ascii_lowercase())?;
            low = low << 5 | letter as u64;
        }
        let open = 5 * (HANDLE_LENGTH - name.len());
        Some((Handle(low << open), Handle(((low + 1) << open) - 1)))
    }

    /// Number of characters needed to distinguish this handle from the nearest other one, at least 4.
    pub(super) fn unique_length(self, nearest: Option<Handle>) -> usize {
        let Some(other) = nearest else { return MIN_LENGTH };
        let common = ((self.0 ^ other.0).leading_zeros() as usize - 4) / 5;
        (common + 1).clamp(MIN_LENGTH, HANDLE_LENGTH)
    }

    /// The handle among `others` that differs from this one and shares the longest prefix with it.
    pub(super) fn nearest(self, others: &[Handle]) -> Option<Handle> {
        others.iter().map(|o| o.0 ^ self.0).filter(|x| *x != 0).min().map(|x| Handle(x ^ self.0))
    }
}

/// The normal form used for comparison: one line, whitespace collapsed, backslash escapes removed, NFC.
pub(super) fn normalize(raw: &str) -> Cow<'_, str> {
    let raw = raw.trim();
    let bytes = raw.as_bytes();
    // Fast path without branches: most texts are plain ASCII and already in normal form.
    let needs_work = bytes.iter().fold(false, |odd, b| odd | (*b < b' ') | (*b > b'~') | (*b == b'\\'));
    let pairs = bytes.iter().zip(bytes.iter().skip(1));
    let has_double_space = pairs.fold(false, |wide, (a, b)| wide | ((*a == b' ') & (*b == b' ')));
    if !needs_work && !has_double_space {
        return Cow::Borrowed(raw);
    }
    let folded = collapse_whitespace(&remove_escapes(raw));
    Cow::Owned(if is_nfc(&folded) { folded } else { folded.nfc().collect() })
}

/// Removes backslashes before ASCII punctuation (CommonMark 2.4).
pub(super) fn remove_escapes(raw: &str) -> Cow<'_, str> {
    if !raw.contains('\\') {
        return Cow::Borrowed(raw);
    }
    let mut out = String::with_capacity(raw.len());
    let mut chars = raw.chars().peekable();
    while let Some(c) = chars.next() {
        match chars.peek() {
            Some(next) if c == '\\' && next.is_ascii_punctuation() => out.extend(chars.next()),
            _ => out.push(c),
        }
    }
    Cow::Owned(out)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_handle_begins_with_a_letter_and_matches_sha256() {
        // sha256("Name: Zhang San"), independently encoded.
        let handle = Handle::of("Name: Zhang San");
        let hex: String = Sha256::digest(b"Name: Zhang San").iter().map(|b| format!("{b:08b}")).collect();
        let letters: String = hex
            .as_bytes()
            .chunks(5)
            .map(|c| ALPHABET[c.iter().fold(0, |n, b| n * 2 + usize::from(b - b'0'))] as char)
            .skip_while(char::is_ascii_digit)
            .take(12)
            .collect();
        assert_eq!(handle.prefix(12), letters);
        for i in 0..200 {
            assert!(Handle::of(&format!("text {i}")).prefix(1).chars().all(|c| c.is_ascii_alphabetic()));
        }
    }

    #[test]
    fn equivalent_texts_have_one_handle() {
        let same = |a: &str, b: &str| assert_eq!(Handle::of(a), Handle::of(b), "{a:?} {b:?}");
        same("a b", "a\n   b");
        same("a\u{a0} b", " a b ");
        same("\\# no heading", "# no heading");
        same("cafe\u{301}", "café");
        same("a_b", "a\\_b");
        assert_ne!(Handle::of("a b"), Handle::of("ab"));
        assert_ne!(Handle::of("a"), Handle::of("A"));
        assert_ne!(Handle::of("a\\b"), Handle::of("ab"));
    }

    #[test]
    fn the_shortest_unique_prefix() {
        let h = |n: u64| Handle(n);
        let a = h(0x0aaa_aaaa_aaaa_aaaa);
        assert_eq!(a.unique_length(None), 4);
        assert_eq!(a.unique_length(Some(h(a.0 ^ 1))), 12);
        assert_eq!(a.unique_length(Some(h(a.0 ^ 1 << 59))), 4);
        assert_eq!(a.unique_length(Some(h(a.0 ^ 1 << 39))), 5);
        assert_eq!(a.unique_length(Some(h(a.0 ^ 1 << 34))), 6);
        assert_eq!(a.nearest(&[a, h(1), h(a.0 ^ 2), h(3)]), Some(h(a.0 ^ 2)));
        assert_eq!(a.nearest(&[a]), None);
        let (low, high) = Handle::prefix_range(&a.prefix(5)).unwrap();
        assert!(low <= a && a <= high && low.prefix(5) == high.prefix(5));
        assert_eq!(Handle::prefix_range("abc"), None);
        assert_eq!(Handle::prefix_range("abcu"), None);
    }
}
