//! Removes diacritics and normalizes letters, so that `cafe` matches `café`.
//!
//! Only for search terms; never applied to text that is stored or displayed.

use std::borrow::Cow;

use unicode_normalization::UnicodeNormalization;

/// Removes diacritics from a lower-case word (`café` → `cafe`, `straße` → `strasse`). Marks that other scripts need,
/// such as vowel signs, stay.
pub fn strip_diacritics(word: &str) -> Cow<'_, str> {
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

/// Normalizes Hangul, kana, fullwidth letters, ligatures, superscripts and subscripts (NFKC), so that each character
/// has a single representation: `H₂O` and `H2O`. Returns other texts unchanged.
pub fn compose_characters(text: &str) -> Cow<'_, str> {
    if text.is_ascii() || !text.chars().any(needs_composition) {
        return Cow::Borrowed(text);
    }
    Cow::Owned(text.nfkc().collect())
}

/// Composes letters with the marks that follow them (NFC), as texts of macOS and of PDF files have them. Returns other
/// texts unchanged.
pub fn compose_marks(text: &str) -> Cow<'_, str> {
    if text.is_ascii() || !text.chars().any(|c| matches!(c, '\u{300}'..='\u{36f}')) {
        return Cow::Borrowed(text);
    }
    Cow::Owned(text.nfc().collect())
}

fn needs_composition(c: char) -> bool {
    matches!(c,
        '²' | '³' | '¹' | '\u{1100}'..='\u{11ff}' | '\u{2070}'..='\u{209c}' | '\u{3099}' | '\u{309a}' | '\u{ff10}'..='\u{ff19}' | '\u{ff21}'..='\u{ff3a}'
        | '\u{fb00}'..='\u{fb06}' | '\u{ff41}'..='\u{ff5a}' | '\u{ff66}'..='\u{ff9f}')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn diacritics_are_removed_and_other_letters_stay() {
        for (accented, plain) in [
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
            assert_eq!(strip_diacritics(accented), plain);
        }
    }

    #[test]
    fn one_character_is_one_character() {
        assert_eq!(compose_marks("Cafe\u{301} Mu\u{308}ller x²"), "Café Müller x²");
        assert_eq!(compose_characters("\u{1112}\u{1161}\u{11ab}"), "한");
        assert_eq!(compose_characters("か\u{3099}"), "が");
        assert_eq!(compose_characters("ＡＢＣ１２ ｶﾞ"), "ABC12 ガ");
        assert_eq!(compose_characters("H₂O ﬁle m² oﬀice"), "H2O file m2 office");
        assert!(matches!(compose_characters("项目，café"), Cow::Borrowed(_)));
    }
}
