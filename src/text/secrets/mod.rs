//! Finds keys, tokens, passwords and card numbers in texts to be stored, and redacts them in texts to be sent.
//!
//! Never reports the secret itself, and never treats a git hash, a UUID, a path or a long word as one.

mod assigned;
mod known_formats;
mod labelled;
mod pin_flags;
mod spoken;

use std::ops::Range;

use assigned::{NOT_PASSWORDS, is_whole_word, is_words};
pub use pin_flags::blank_pins;

/// The replacement for a secret.
pub const REDACTED: &str = "[redacted]";

/// A secret in a text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Secret {
    /// Where the secret is in the text, in bytes.
    pub range: Range<usize>,
    /// The kind of secret, for messages.
    pub kind: &'static str,
}

const PASSWORD_OR_KEY: &str = "a password or key";
const RECOVERY_PHRASE: &str = "a recovery phrase";
const CARD_NUMBER: &str = "a card number";

impl Secret {
    /// Whether nothing but the words around it, or a checksum, tells it from other text: by chance such text stands in
    /// every 100 KB of an image or an archive.
    pub fn may_be_chance(&self) -> bool {
        matches!(self.kind, PASSWORD_OR_KEY | RECOVERY_PHRASE | CARD_NUMBER)
    }
}

/// The secrets of a text, in order and without overlaps.
pub fn find_secrets(text: &str) -> Vec<Secret> {
    let mut all = Vec::new();
    known_formats::find_known(text, &mut all);
    assigned::find_assigned(text, &mut all);
    let low = text.to_ascii_lowercase();
    labelled::find_labelled(text, &low, &mut all);
    spoken::find_spoken(text, &low, &mut all);
    all.sort_by_key(|s| (s.range.start, std::cmp::Reverse(s.range.end)));
    let mut out: Vec<Secret> = Vec::new();
    for secret in all {
        match out.last_mut() {
            // Merge overlapping secrets, so that no part of either remains.
            Some(last) if secret.range.start < last.range.end => last.range.end = last.range.end.max(secret.range.end),
            _ => out.push(secret),
        }
    }
    out
}

/// The byte offsets of a word or prefix. Every write looks for all of some long lists in a short text, where preparing
/// a search costs more than searching.
fn occurrences<'t>(text: &'t str, word: &'t str) -> impl Iterator<Item = usize> + 't {
    let (text, word) = (text.as_bytes(), word.as_bytes());
    memchr::memchr_iter(word[0], text).filter(move |at| text[*at..].starts_with(word))
}

/// The text with every secret replaced by `[redacted]`, and the number of replacements. Idempotent. memdir's own
/// `pin=yes` in metadata is no PIN.
pub fn redact(text: &str) -> (String, usize) {
    redact_found(text, &find_secrets(&blank_pins(text)))
}

/// The same for a text whose secrets were found already.
pub fn redact_found(text: &str, secrets: &[Secret]) -> (String, usize) {
    if secrets.is_empty() {
        return (text.to_owned(), 0);
    }
    let (mut out, mut count) = (replace_secrets(text, secrets), secrets.len());
    // The text next to a replacement may now look like a secret itself; a few rounds are enough for every known case.
    for _ in 0..4 {
        let more = find_secrets(&blank_pins(&out));
        if more.is_empty() {
            break;
        }
        (out, count) = (replace_secrets(&out, &more), count + more.len());
    }
    (out, count)
}

fn replace_secrets(text: &str, secrets: &[Secret]) -> String {
    let (mut out, mut at) = (String::with_capacity(text.len()), 0);
    for secret in secrets {
        out.push_str(&text[at..secret.range.start]);
        out.push_str(REDACTED);
        at = secret.range.end;
    }
    out.push_str(&text[at..]);
    out
}

/// Whether a value is a placeholder instead of a secret: `<password>`, `${PASS}`, `****`, `[redacted]`.
fn is_placeholder(value: &str) -> bool {
    let low = value.to_lowercase();
    let framed = ["<", "$", "{", "%", "[redacted", "…", "..."].iter().any(|start| low.starts_with(start));
    let filler = low.bytes().all(|b| matches!(b, b'*' | b'x' | b'.' | b'-' | b'_' | b'#' | b'?'));
    let words = ["redacted", "password", "passwd", "pass", "secret", "changeit", "example", "your-password", "hidden"];
    framed || filler || words.contains(&low.as_str()) || low.starts_with("your_") || low.starts_with("your-")
}

/// Shannon entropy, in bits per byte.
fn entropy(text: &str) -> f64 {
    let mut counts = [0u32; 256];
    text.bytes().for_each(|b| counts[b as usize] += 1);
    let all = text.len().max(1) as f64;
    counts.iter().filter(|n| **n > 0).map(|n| f64::from(*n) / all).map(|p| -p * p.log2()).sum()
}

/// Whether a token looks random: upper and lower case letters, at least 5 % digits, and high entropy.
fn is_random(token: &str) -> bool {
    let has = |test: fn(&u8) -> bool| token.bytes().any(|b| test(&b));
    let mixed = has(u8::is_ascii_lowercase) && has(u8::is_ascii_uppercase) && has(u8::is_ascii_digit);
    let digits = token.bytes().filter(u8::is_ascii_digit).count();
    mixed && digits * 20 >= token.len() && entropy(token) >= 3.3
}

fn is_hex(token: &str) -> bool {
    token.bytes().all(|b| b.is_ascii_hexdigit())
}

/// Whether a token is a UUID: 8-4-4-4-12 hexadecimal digits.
fn is_uuid(token: &str) -> bool {
    let parts: Vec<usize> = token.split('-').map(str::len).collect();
    parts == [8, 4, 4, 4, 12] && token.bytes().all(|b| b == b'-' || b.is_ascii_hexdigit())
}

#[cfg(test)]
mod tests;
