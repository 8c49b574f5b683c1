//! Reduces English words to their stem: `running`, `runs` → `run`.
//!
//! Never changes words in other scripts, numbers, or words with letters other than ASCII.

use std::borrow::Cow;

use rust_stemmers::{Algorithm, Stemmer};

/// Longer words, in bytes, are no words of a language: the stemmer moves the rest of a word for each `y` in it.
pub(super) const MAX_STEMMED_BYTES: usize = 64;

/// The Snowball (English) stem of a lower-case word.
pub fn stem(word: &str) -> Cow<'_, str> {
    if word.len() > MAX_STEMMED_BYTES || !word.bytes().all(|b| b.is_ascii_lowercase() || b == b'\'') {
        return Cow::Borrowed(word);
    }
    // `Stemmer` is only a function pointer, so creating it on each call costs nothing.
    Stemmer::create(Algorithm::English).stem(word)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn forms_of_a_word_share_their_stem() {
        for (a, b) in [("running", "runs"), ("memories", "memory"), ("hiked", "hiking"), ("camping", "camps")] {
            assert_eq!(stem(a), stem(b));
        }
        assert_ne!(stem("tabs"), stem("tables"));
    }

    #[test]
    fn what_is_not_english_stays() {
        for word in ["2024", "x86s", "cafés", "你好", "", &"ys".repeat(40)] {
            assert_eq!(stem(word), word);
        }
    }
}
