//! The terms that search compares: what of a text counts, and as what.
//!
//! Never keeps where a term stood; a query and a text go through the same hands.

use std::borrow::Cow;

use super::fold::{composed, fold};
use super::stop::is_stopword;
use super::{stem, words};

/// Gives each term of a text: English function words left out, accents folded, English forms reduced to their stem,
/// runs of scripts without spaces as single characters and pairs.
pub fn tokens(text: &str, each: impl FnMut(&str)) {
    tokens_like(text, |_| true, each);
}

/// The same of words that `may` be wanted; asked of ASCII words in lower case, before the work of stemming is done.
pub fn tokens_like(text: &str, may: impl Fn(&str) -> bool, mut each: impl FnMut(&str)) {
    let text = composed(text);
    for word in words(&text) {
        if !word.gram && word.text.is_ascii() && !may(&word.text) {
            continue;
        }
        if word.gram {
            each(&word.text);
        } else if let Some(term) = term(&word.text) {
            each(&term);
        }
    }
}

/// The term of a lower-case word; `None` for a function word.
pub fn term(word: &str) -> Option<Cow<'_, str>> {
    if word.is_ascii() {
        return (!is_stopword(word)).then(|| stem(word));
    }
    match fold(word) {
        Cow::Borrowed(same) => Some(stem(same)),
        Cow::Owned(folded) => Some(Cow::Owned(stem(&folded).into_owned())),
    }
}

/// What every word of a term starts with, in ASCII, lower case: what a search for bytes can look for. Empty for a term
/// that starts with another letter.
///
/// English stems differ from their words in the last letter at most (`memori`, `memory`), but for three words in which
/// it is two (`die`, `dying`).
pub fn prefix(term: &str) -> &str {
    let letters = term.bytes().take_while(u8::is_ascii_alphanumeric).count();
    let whole = term.bytes().any(|b| b.is_ascii_digit()) || letters < term.len();
    let length = match term {
        "die" | "lie" | "tie" => 1,
        _ if whole => letters,
        _ => letters.saturating_sub(1).max(letters.min(1)),
    };
    &term[..length]
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(text: &str, expected: &str) {
        let mut all = Vec::new();
        tokens(text, |t| all.push(t.to_owned()));
        assert_eq!(all.join(" "), expected, "{text:?}");
    }

    #[test]
    fn what_counts_is_stems_and_grams() {
        check("Who was hiking in the Alps?", "hike alp");
        check("Caroline's memories, memory", "carolin memori memori");
        check("Un CAFÉ crème, cafe", "un cafe creme cafe");
        check("thé", "the");
        check("用Rust写", "用 rust 写");
        check("ＡＰＩ한글", "api 한 한글 글");
        check("the of and", "");
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
                let Some(term) = term(&word) else { continue };
                assert!(word.starts_with(prefix(&term)), "{word}: {term}");
                seen += 1;
            }
        }
        assert!(seen > 1000);
        assert_eq!((prefix("2024"), prefix("x86s"), prefix("猫"), prefix("a")), ("2024", "x86s", "", "a"));
    }
}
