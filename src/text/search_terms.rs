//! Extracts the terms that search compares.
//!
//! Never records positions; queries and texts use the same functions.

use std::borrow::Cow;

use super::language::script_term;
use super::stopwords::is_stopword;
use super::strip_diacritics::{compose_characters, strip_diacritics};
use super::{stem, words};

/// Calls `each` for every search term of a text. English function words are dropped, diacritics removed; English words
/// and those in Cyrillic, Greek and Arabic are stemmed; scripts without spaces give single characters and pairs of
/// characters.
pub fn search_terms(text: &str, mut each: impl FnMut(&str)) {
    for word in words(&compose_characters(text)) {
        if word.is_ngram {
            each(&word.text);
        } else if let Some(term) = search_term(&word.text) {
            each(&term);
        }
    }
}

/// Calls `each` for every word of a text that can be searched for, in lower case and without diacritics, as a reader
/// may type it; the flag says whether it is a character or a pair of characters of a script without spaces.
pub fn search_words(text: &str, mut each: impl FnMut(&str, bool)) {
    for word in words(&compose_characters(text)) {
        if word.is_ngram {
            each(&word.text, true);
        } else if search_term(&word.text).is_some() {
            each(&strip_diacritics(&word.text), false);
        }
    }
}

/// The search term of a lower-case word; `None` for an English function word.
pub fn search_term(word: &str) -> Option<Cow<'_, str>> {
    if word.is_ascii() {
        return (!is_stopword(word)).then(|| stem(word));
    }
    if let Some(term) = script_term(word) {
        return Some(Cow::Owned(term));
    }
    match strip_diacritics(word) {
        Cow::Borrowed(same) => Some(stem(same)),
        Cow::Owned(folded) => Some(Cow::Owned(stem(&folded).into_owned())),
    }
}

/// The common prefix of all words with this term, in lower-case ASCII, for a byte search. Empty if the term starts with
/// a character that is not an ASCII letter or digit.
///
/// A Snowball stem differs from its words in at most the last letter (`memori`, `memory`), except for three words where
/// it differs in two (`die`, `dying`).
pub fn term_prefix(term: &str) -> &str {
    let letters = term.bytes().take_while(u8::is_ascii_alphanumeric).count();
    let is_exact = term.bytes().any(|b| b.is_ascii_digit()) || letters < term.len();
    let length = match term {
        "die" | "lie" | "tie" => 1,
        _ if is_exact => letters,
        _ => letters.saturating_sub(1).max(letters.min(1)),
    };
    &term[..length]
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(text: &str, expected: &str) {
        let mut all = Vec::new();
        search_terms(text, |t| all.push(t.to_owned()));
        assert_eq!(all.join(" "), expected, "{text:?}");
    }

    #[test]
    fn terms_are_stems_and_ngrams() {
        check("Who was hiking in the Alps?", "hike alp");
        check("Caroline's memories, memory", "carolin memori memori");
        check("Un CAFÉ crème, cafe", "un cafe creme cafe");
        check("thé", "the");
        check("用Rust写", "用 rust 写");
        check("ＡＰＩ한글", "api 한 한글 글");
        check("the of and", "");
        check("Соседка поливает цветы", "соседк полива цвет");
    }

    #[test]
    fn a_word_starts_with_its_terms_prefix() {
        let roots = "die lie tie sky happy memory possible able relate create nation sense condition hope run use city \
                     general early idle single gentle ugly apply cry try carry argue dance argue hop plan agree free \
                     logic ration digit operate radical real feud decision analog formal active";
        let ends = ["", "s", "es", "ed", "ing", "ly", "ies", "ied", "y", "e", "ation", "ization", "ability", "iveness"];
        let mut seen = 0;
        for root in roots.split_whitespace() {
            let bases = [root, root.trim_end_matches('e'), root.trim_end_matches('y'), root.trim_end_matches("ie")];
            let special = ["dying", "lying", "tying", "skies", "singly", "early", "only", "gently"].map(str::to_owned);
            let words = bases.iter().flat_map(|b| ends.map(|e| format!("{b}{e}"))).chain(special);
            for word in words.filter(|w| !w.is_empty()) {
                let Some(term) = search_term(&word) else { continue };
                assert!(word.starts_with(term_prefix(&term)), "{word}: {term}");
                seen += 1;
            }
        }
        assert!(seen > 1000);
        assert_eq!(
            (term_prefix("2024"), term_prefix("x86s"), term_prefix("猫"), term_prefix("a")),
            ("2024", "x86s", "", "a")
        );
    }
}
