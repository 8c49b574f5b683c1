//! Splits text into words for search and summary lines.
//!
//! Never stems and never drops words; callers do that.

use std::borrow::Cow;

use unicode_normalization::char::is_combining_mark;

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TextWord<'a> {
    /// Lower case, with `’` as `'`, without a final `'s`.
    pub text: Cow<'a, str>,
    /// As written, without a final `'s`.
    pub surface: &'a str,
    /// Byte offset in the text.
    pub at: usize,
    /// Whether it is an n-gram: one or two characters of a script without spaces between words (Chinese, Japanese,
    /// Korean, Thai …).
    pub is_ngram: bool,
}

/// The words of a text, in order.
///
/// A word is a run of letters and digits. An apostrophe between letters belongs to it (`don't`); any other character
/// ends it. In scripts without spaces, each character and each pair of adjacent characters is a word: 你好吗 gives 你 你好 好
/// 好吗 吗.
pub fn words(text: &str) -> WordIter<'_> {
    WordIter { text, at: 0, pair: None }
}

/// Iterator returned by [`words`].
#[derive(Clone, Debug)]
pub struct WordIter<'a> {
    text: &'a str,
    at: usize,
    /// The pair to return after the single character just returned.
    pair: Option<TextWord<'a>>,
}

impl<'a> Iterator for WordIter<'a> {
    type Item = TextWord<'a>;

    fn next(&mut self) -> Option<TextWord<'a>> {
        if let Some(pair) = self.pair.take() {
            return Some(pair);
        }
        let rest = &self.text[self.at..];
        let (skip, first) = rest.char_indices().find(|&(_, c)| c.is_alphanumeric())?;
        let start = self.at + skip;
        if is_unspaced(first) { Some(self.next_ngram(start, first)) } else { Some(self.next_word(start)) }
    }
}

impl<'a> WordIter<'a> {
    fn next_ngram(&mut self, start: usize, first: char) -> TextWord<'a> {
        let end = start + first.len_utf8();
        self.at = end;
        if let Some(second) = self.text[end..].chars().next().filter(|&c| is_unspaced(c) && c.is_alphanumeric()) {
            self.pair = Some(ngram(self.text, start, end + second.len_utf8()));
        }
        ngram(self.text, start, end)
    }

    fn next_word(&mut self, start: usize) -> TextWord<'a> {
        let run = &self.text[start..];
        let length = run_length(run);
        self.at = start + length;
        let surface = strip_possessive(&run[..length]);
        TextWord { text: to_lower(surface), surface, at: start, is_ngram: false }
    }
}

/// Whether this character's script has no spaces between words.
pub fn is_unspaced(c: char) -> bool {
    c as u32 >= 0x0E00
        && matches!(c as u32,
        0x0E00..=0x0EFF | 0x1000..=0x109F | 0x1780..=0x17FF // Thai, Lao, Myanmar, Khmer
        | 0x1100..=0x11FF | 0x3130..=0x318F | 0xAC00..=0xD7FF // Hangul
        | 0x3005..=0x3007 | 0x3040..=0x30FF | 0x31F0..=0x31FF | 0xFF66..=0xFF9F // kana
        | 0x3400..=0x4DBF | 0x4E00..=0x9FFF | 0xF900..=0xFAFF | 0x20000..=0x3FFFF) // Han
}

/// Whether a character can be inside a word. A word boundary is a position where this is false on either side.
pub fn is_word_char(c: char) -> bool {
    c.is_alphanumeric() || is_combining_mark(c)
}

fn ngram(text: &str, start: usize, end: usize) -> TextWord<'_> {
    let surface = &text[start..end];
    TextWord { text: Cow::Borrowed(surface), surface, at: start, is_ngram: true }
}

fn run_length(run: &str) -> usize {
    // Most words are ASCII: their letters and digits need no look at tables.
    let plain = run.bytes().take_while(u8::is_ascii_alphanumeric).count();
    if run.as_bytes().get(plain).is_none_or(|b| b.is_ascii() && *b != b'\'') {
        return plain;
    }
    let mut chars = run[plain..].char_indices().map(|(i, c)| (plain + i, c)).peekable();
    while let Some((i, c)) = chars.next() {
        let joins =
            is_apostrophe(c) && chars.peek().is_some_and(|&(_, next)| next.is_alphabetic() && !is_unspaced(next));
        if is_unspaced(c) || !(is_word_char(c) || joins) {
            return i;
        }
    }
    run.len()
}

fn is_apostrophe(c: char) -> bool {
    matches!(c, '\'' | '\u{2019}')
}

fn strip_possessive(word: &str) -> &str {
    let short = word.strip_suffix(['s', 'S']).and_then(|w| w.strip_suffix(is_apostrophe));
    short.unwrap_or(word)
}

fn to_lower(word: &str) -> Cow<'_, str> {
    if word.bytes().all(|b| b.is_ascii_lowercase() || b.is_ascii_digit()) {
        return Cow::Borrowed(word);
    }
    Cow::Owned(word.to_lowercase().replace('\u{2019}', "'"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(text: &str, expected: &str) {
        let got: Vec<_> = words(text).map(|w| w.text.into_owned()).collect();
        assert_eq!(got.join(" "), expected, "{text:?}");
    }

    #[test]
    fn words_are_lower_case_runs_of_letters_and_digits() {
        check("Prefers spaces, not TABS (since 2024)!", "prefers spaces not tabs since 2024");
        check("snake_case, kebab-case; a/b.md", "snake case kebab case a b md");
        check("Ünïcode Straße e\u{301}te\u{301}", "ünïcode straße e\u{301}te\u{301}");
        check("", "");
        check(" -- ' ", "");
    }

    #[test]
    fn an_apostrophe_joins_and_its_s_is_dropped() {
        check("Caroline's dog doesn't bite O’Brien’s cats'", "caroline dog doesn't bite o'brien cats");
        check("'quoted' James'", "quoted james");
    }

    #[test]
    fn scripts_without_spaces_give_characters_and_pairs() {
        check("你好吗", "你 你好 好 好吗 吗");
        check("用Rust写,好", "用 rust 写 好");
        check("กา", "ก กา า");
    }

    #[test]
    fn a_word_has_its_offset() {
        let text = "a Zoë's 猫";
        let all: Vec<_> = words(text).collect();
        assert_eq!((all[1].surface, all[1].at, all[1].is_ngram), ("Zoë", 2, false));
        assert_eq!(&text[all[2].at..], "猫");
        assert!(all[2].is_ngram);
    }
}
