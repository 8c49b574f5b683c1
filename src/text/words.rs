//! Cuts a text into the words that search and summaries count.
//!
//! Never stems and never drops a word: that is for those who count.

use std::borrow::Cow;

use unicode_normalization::char::is_combining_mark;

/// One word of a text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Word<'a> {
    /// Lower case, `’` as `'`, a final `'s` left out.
    pub text: Cow<'a, str>,
    /// As it stands, a final `'s` left out.
    pub surface: &'a str,
    /// Offset of its first byte in the text.
    pub at: usize,
    /// Cut from a run without spaces between words (Chinese, Japanese, Korean, Thai …): one or two characters of it.
    pub gram: bool,
}

/// The words of a text, in its order.
///
/// A word is a run of letters and digits; an apostrophe between letters belongs to it (`don't`), any other character
/// ends it. A run of a script that sets no spaces gives each character and each pair of neighbours: 你好吗 is
/// 你 你好 好 好吗 吗.
pub fn words(text: &str) -> Words<'_> {
    Words { text, at: 0, pair: None }
}

/// Iterator of [`words`].
#[derive(Clone, Debug)]
pub struct Words<'a> {
    text: &'a str,
    at: usize,
    /// A pair that follows the single character just given.
    pair: Option<Word<'a>>,
}

impl<'a> Iterator for Words<'a> {
    type Item = Word<'a>;

    fn next(&mut self) -> Option<Word<'a>> {
        if let Some(pair) = self.pair.take() {
            return Some(pair);
        }
        let rest = &self.text[self.at..];
        let (skip, first) = rest.char_indices().find(|&(_, c)| c.is_alphanumeric())?;
        let start = self.at + skip;
        if is_unspaced(first) { Some(self.gram(start, first)) } else { Some(self.word(start)) }
    }
}

impl<'a> Words<'a> {
    fn gram(&mut self, start: usize, first: char) -> Word<'a> {
        let end = start + first.len_utf8();
        self.at = end;
        if let Some(second) = self.text[end..].chars().next().filter(|&c| is_unspaced(c) && c.is_alphanumeric()) {
            self.pair = Some(gram(self.text, start, end + second.len_utf8()));
        }
        gram(self.text, start, end)
    }

    fn word(&mut self, start: usize) -> Word<'a> {
        let run = &self.text[start..];
        let length = run_length(run);
        self.at = start + length;
        let surface = without_s(&run[..length]);
        Word { text: lower(surface), surface, at: start, gram: false }
    }
}

/// Whether words of this character's script stand without spaces between them.
pub fn is_unspaced(c: char) -> bool {
    matches!(c as u32,
        0x0E00..=0x0EFF | 0x1000..=0x109F | 0x1780..=0x17FF // Thai, Lao, Myanmar, Khmer
        | 0x1100..=0x11FF | 0x3130..=0x318F | 0xAC00..=0xD7FF // Hangul
        | 0x3005..=0x3007 | 0x3040..=0x30FF | 0x31F0..=0x31FF | 0xFF66..=0xFF9F // kana
        | 0x3400..=0x4DBF | 0x4E00..=0x9FFF | 0xF900..=0xFAFF | 0x20000..=0x3FFFF) // Han
}

/// Whether a word could go on over this character: a boundary lies where this is false on either side.
pub fn is_word(c: char) -> bool {
    c.is_alphanumeric() || is_combining_mark(c)
}

fn gram(text: &str, start: usize, end: usize) -> Word<'_> {
    let surface = &text[start..end];
    Word { text: Cow::Borrowed(surface), surface, at: start, gram: true }
}

fn run_length(run: &str) -> usize {
    let mut chars = run.char_indices().peekable();
    while let Some((i, c)) = chars.next() {
        let joins =
            is_apostrophe(c) && chars.peek().is_some_and(|&(_, next)| next.is_alphabetic() && !is_unspaced(next));
        if is_unspaced(c) || !(is_word(c) || joins) {
            return i;
        }
    }
    run.len()
}

fn is_apostrophe(c: char) -> bool {
    matches!(c, '\'' | '\u{2019}')
}

fn without_s(word: &str) -> &str {
    let short = word.strip_suffix(['s', 'S']).and_then(|w| w.strip_suffix(is_apostrophe));
    short.unwrap_or(word)
}

fn lower(word: &str) -> Cow<'_, str> {
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
    fn a_word_says_where_it_stands() {
        let text = "a Zoë's 猫";
        let all: Vec<_> = words(text).collect();
        assert_eq!((all[1].surface, all[1].at, all[1].gram), ("Zoë", 2, false));
        assert_eq!(&text[all[2].at..], "猫");
        assert!(all[2].gram);
    }
}
