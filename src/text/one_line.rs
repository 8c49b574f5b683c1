//! Texts on one line, and cut to a number of characters.
//!
//! Never decides which characters may be shown: `invisible_chars` knows those that hide something.

use std::borrow::Cow;

/// The words of a text with one space between them.
pub fn collapse_whitespace(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// The words of an untrusted text with one space between them: control characters separate words, too.
pub fn one_line(text: &str) -> String {
    let words = text.split(|c: char| c.is_whitespace() || c.is_control()).filter(|word| !word.is_empty());
    words.collect::<Vec<_>>().join(" ")
}

/// The first characters of a text, with an ellipsis behind them if it has more.
pub fn cut_with_ellipsis(text: &str, characters: usize) -> Cow<'_, str> {
    match text.char_indices().nth(characters) {
        None => text.into(),
        Some((end, _)) => format!("{}…", &text[..end]).into(),
    }
}

/// A text of at most `most` characters: a longer one is cut, between words where there are some, and ends with an
/// ellipsis.
pub fn cut_at_word(text: &str, most: usize) -> String {
    if text.chars().count() <= most {
        return text.to_owned();
    }
    let head: String = text.chars().take(most.saturating_sub(1)).collect();
    let end = head.rfind(' ').filter(|at| *at > head.len() / 2).unwrap_or(head.len());
    format!("{}…", head[..end].trim_end())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_joined_and_long_texts_cut() {
        assert_eq!(collapse_whitespace(" a\t b\r\n\u{1b}c\n"), "a b \u{1b}c");
        assert_eq!(one_line(" a\t b\r\n\u{1b}c\n"), "a b c");
        assert_eq!(cut_with_ellipsis("äbc", 2), "äb…");
        assert_eq!(cut_with_ellipsis("äb", 2), "äb");
        assert_eq!(cut_at_word("one two three", 10), "one two…");
        assert_eq!(cut_at_word("one two", 7), "one two");
    }
}
