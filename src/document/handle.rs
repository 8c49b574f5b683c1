//! Handles: a bullet's name, derived from its text and never stored.
//!
//! Never looks at a bullet's place, marker or metadata, so a handle survives moves and changes with the text alone.

use std::borrow::Cow;

use sha2::{Digest, Sha256};
use unicode_normalization::{UnicodeNormalization, is_nfc};

/// Crockford's base-32 alphabet, lower case.
const LETTERS: &[u8; 32] = b"0123456789abcdefghjkmnpqrstvwxyz";
/// Letters that a handle holds.
const LENGTH: usize = 12;
/// The fewest letters that are printed.
const SHORTEST: usize = 4;

/// The first twelve letters of a text's handle, five bits each, most significant first.
///
/// Base-32 (Crockford's alphabet, lower case) of the sha256 of the normal form (NFC, white space folded, backslash
/// escapes taken off), leading digits skipped so that a handle never looks like a number.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Handle(pub u64);

impl Handle {
    /// The handle of a text as it stands in a file.
    pub fn of(raw: &str) -> Handle {
        let digest: [u8; 32] = Sha256::digest(normal(raw).as_bytes()).into();
        let (high, low) = digest.split_at(16);
        let mut high = u128::from_be_bytes(high.try_into().unwrap_or_default());
        let mut low = u128::from_be_bytes(low.try_into().unwrap_or_default());
        // After 36 digits in a row (never seen) the digest is used up, and zeros follow.
        for _ in 0..51 - LENGTH {
            if high >> 123 >= 10 {
                break;
            }
            high = high << 5 | low >> 123;
            low <<= 5;
        }
        Handle((high >> (128 - 5 * LENGTH)) as u64)
    }

    /// The first `length` letters (1–12).
    pub fn prefix(self, length: usize) -> String {
        (0..length.min(LENGTH)).map(|i| LETTERS[(self.0 >> (5 * (LENGTH - 1 - i)) & 31) as usize] as char).collect()
    }

    /// The handles that a printed prefix stands for, as the lowest and the highest; `None` when it is no prefix
    /// (other letters, or fewer than 4 or more than 12).
    pub(super) fn range(name: &str) -> Option<(Handle, Handle)> {
        if !(SHORTEST..=LENGTH).contains(&name.len()) {
            return None;
        }
        let mut low = 0;
        for byte in name.bytes() {
            let letter = LETTERS.iter().position(|l| *l == byte.to_ascii_lowercase())?;
            low = low << 5 | letter as u64;
        }
        let open = 5 * (LENGTH - name.len());
        Some((Handle(low << open), Handle(((low + 1) << open) - 1)))
    }

    /// How many letters tell two different handles apart, at least 4.
    pub(super) fn apart(self, nearest: Option<Handle>) -> usize {
        let Some(other) = nearest else { return SHORTEST };
        let common = ((self.0 ^ other.0).leading_zeros() as usize - 4) / 5;
        (common + 1).clamp(SHORTEST, LENGTH)
    }

    /// The handle among others, different from this one, that shares the longest prefix with it.
    pub(super) fn nearest(self, others: &[Handle]) -> Option<Handle> {
        others.iter().map(|o| o.0 ^ self.0).filter(|x| *x != 0).min().map(|x| Handle(x ^ self.0))
    }
}

/// What a text is compared by: one line, white space folded, backslash escapes taken off, NFC.
pub(super) fn normal(raw: &str) -> Cow<'_, str> {
    let raw = raw.trim();
    let bytes = raw.as_bytes();
    let odd = bytes.iter().fold(false, |odd, b| odd | (*b < b' ') | (*b > b'~') | (*b == b'\\'));
    let pairs = bytes.iter().zip(bytes.iter().skip(1));
    let wide = pairs.fold(false, |wide, (a, b)| wide | ((*a == b' ') & (*b == b' ')));
    if !odd && !wide {
        return Cow::Borrowed(raw);
    }
    let folded = unescaped(raw).split_whitespace().collect::<Vec<_>>().join(" ");
    Cow::Owned(if is_nfc(&folded) { folded } else { folded.nfc().collect() })
}

/// A text without the backslashes before ASCII punctuation (CommonMark 2.4).
pub(super) fn unescaped(raw: &str) -> Cow<'_, str> {
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
    fn a_handle_begins_with_a_letter_and_is_known() {
        // sha256("Name: Zhang San"), independently encoded.
        let handle = Handle::of("Name: Zhang San");
        let hex: String = Sha256::digest(b"Name: Zhang San").iter().map(|b| format!("{b:08b}")).collect();
        let letters: String = hex
            .as_bytes()
            .chunks(5)
            .map(|c| LETTERS[c.iter().fold(0, |n, b| n * 2 + usize::from(b - b'0'))] as char)
            .skip_while(char::is_ascii_digit)
            .take(12)
            .collect();
        assert_eq!(handle.prefix(12), letters);
        for i in 0..200 {
            assert!(Handle::of(&format!("text {i}")).prefix(1).chars().all(|c| c.is_ascii_alphabetic()));
        }
    }

    #[test]
    fn texts_that_mean_the_same_have_one_handle() {
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
    fn the_shortest_prefix_that_tells_apart() {
        let h = |n: u64| Handle(n);
        let a = h(0x0aaa_aaaa_aaaa_aaaa);
        assert_eq!(a.apart(None), 4);
        assert_eq!(a.apart(Some(h(a.0 ^ 1))), 12);
        assert_eq!(a.apart(Some(h(a.0 ^ 1 << 59))), 4);
        assert_eq!(a.apart(Some(h(a.0 ^ 1 << 39))), 5);
        assert_eq!(a.apart(Some(h(a.0 ^ 1 << 34))), 6);
        assert_eq!(a.nearest(&[a, h(1), h(a.0 ^ 2), h(3)]), Some(h(a.0 ^ 2)));
        assert_eq!(a.nearest(&[a]), None);
        let (low, high) = Handle::range(&a.prefix(5)).unwrap();
        assert!(low <= a && a <= high && low.prefix(5) == high.prefix(5));
        assert_eq!(Handle::range("abc"), None);
        assert_eq!(Handle::range("abcu"), None);
    }
}
