//! Takes accents and other dress off letters, so that `cafe` finds `café`.
//!
//! Never changes a text that is stored or shown: only what search compares.

use std::borrow::Cow;

use unicode_normalization::UnicodeNormalization;

/// A lower-case word without accents (`café` → `cafe`, `straße` → `strasse`). Marks of scripts that cannot do without
/// them (vowel signs, for one) stay.
pub fn fold(word: &str) -> Cow<'_, str> {
    if word.is_ascii() {
        return Cow::Borrowed(word);
    }
    let mut out = String::with_capacity(word.len());
    for c in word.nfkd() {
        match c {
            '\u{300}'..='\u{36f}' => {}
            'ß' => out.push_str("ss"),
            'æ' => out.push_str("ae"),
            'œ' => out.push_str("oe"),
            'ø' => out.push('o'),
            'đ' | 'ð' => out.push('d'),
            'ł' => out.push('l'),
            'ı' => out.push('i'),
            'þ' => out.push_str("th"),
            'ς' => out.push('σ'),
            c => out.push(c),
        }
    }
    Cow::Owned(out)
}

/// A text with its Hangul and kana composed and its fullwidth letters narrowed, so that one character is one character
/// however the text was typed. Most texts come back as they are.
pub fn composed(text: &str) -> Cow<'_, str> {
    if text.is_ascii() || !text.chars().any(is_apart) {
        return Cow::Borrowed(text);
    }
    Cow::Owned(text.nfkc().collect())
}

fn is_apart(c: char) -> bool {
    matches!(c,
        '\u{1100}'..='\u{11ff}' | '\u{3099}' | '\u{309a}' | '\u{ff10}'..='\u{ff19}' | '\u{ff21}'..='\u{ff3a}'
        | '\u{ff41}'..='\u{ff5a}' | '\u{ff66}'..='\u{ff9f}')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn accents_come_off_and_other_letters_stay() {
        for (dressed, plain) in [
            ("café", "cafe"),
            ("cafe\u{301}", "cafe"),
            ("größe", "grosse"),
            ("łódź", "lodz"),
            ("søren", "soren"),
            ("naïve", "naive"),
            ("ёлка", "елка"),
            ("हिन्दी", "हिन्दी"),
            ("plain", "plain"),
        ] {
            assert_eq!(fold(dressed), plain);
        }
    }

    #[test]
    fn one_character_is_one_character() {
        assert_eq!(composed("\u{1112}\u{1161}\u{11ab}"), "한");
        assert_eq!(composed("か\u{3099}"), "が");
        assert_eq!(composed("ＡＢＣ１２ ｶﾞ"), "ABC12 ガ");
        assert!(matches!(composed("项目，café"), Cow::Borrowed(_)));
    }
}
