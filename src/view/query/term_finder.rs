//! Finds the terms of a query in a text.
//!
//! Never counts: callers decide what an occurrence is worth.

use super::terms::{FoundTerm, QueryTerms};
use crate::text::function_word_names::may_be_name;
use crate::text::language::Language;
use crate::text::search_terms::search_term;
use crate::text::spelling;
use crate::text::strip_diacritics::compose_characters;
use crate::text::words;
use crate::text::words::TextWord;

impl QueryTerms {
    /// Calls `each` for every occurrence of a term in a text.
    pub fn find_in(&self, text: &str, mut each: impl FnMut(FoundTerm)) {
        let text = compose_characters(text);
        for word in words(&text) {
            if word.is_ngram {
                self.find(&word.text).into_iter().for_each(&mut each);
                continue;
            }
            self.find_word(&word.text).into_iter().for_each(&mut each);
            if self.has_function_word_names && may_be_name(&word) {
                self.find(&word.text).into_iter().for_each(&mut each);
            }
            if may_be_spelled_otherwise(&text, &word) {
                self.find_spellings(&text, &word, &mut each);
            }
        }
        if self.has_emoji && !text.is_ascii() {
            let found = |c: char| self.find(c.encode_utf8(&mut [0; 4]));
            text.chars().filter(|c| spelling::is_emoji(*c)).filter_map(found).for_each(&mut each);
        }
    }

    /// What a lower-case word is in the query.
    fn find_word(&self, word: &str) -> Option<FoundTerm> {
        // Most words need no stem to see that they do not match.
        if word.is_ascii() && !self.may_match(word) {
            return None;
        }
        let in_language = || self.find(&self.language?.search_term(word));
        search_term(word).and_then(|term| self.find(&term)).or_else(in_language)
    }

    /// Calls `each` for the terms that a word is in another spelling: the parts of `parseFile`, the whole of `node.js`,
    /// the number `1,250`.
    fn find_spellings(&self, text: &str, word: &TextWord<'_>, each: &mut impl FnMut(FoundTerm)) {
        // `OAuth2` implies `OAuth`, but is not `OAuth1`.
        let has_digits = word.surface.bytes().any(|b| b.is_ascii_digit());
        let may_be = |found: &FoundTerm| !has_digits || !self.all[found.term].implied;
        if let Some((acronym, _)) = spelling::function_word_acronym(text, word) {
            self.find(&acronym).into_iter().for_each(&mut *each);
        }
        for part in spelling::word_parts(word.surface) {
            self.find_word(&part.to_ascii_lowercase()).into_iter().filter(may_be).for_each(&mut *each);
        }
        for name in spelling::joined_names(text, word) {
            self.find_word(&name.text).into_iter().for_each(&mut *each);
            if let Some((name, number)) = spelling::named_version(&text[word.at..name.end]) {
                self.find_word(&name).into_iter().chain(self.find(&number)).for_each(&mut *each);
            }
        }
        let number = spelling::separated_number(&text[word.at..]);
        for meaning in number.iter().flat_map(|number| &number.meanings) {
            // A version is found by its beginning, too: `2.14` in `2.14.0`.
            let shorter = meaning.match_indices('.').map(|(at, _)| &meaning[..at]).filter(|text| text.contains('.'));
            if let Some(found) = shorter.chain([meaning.as_str()]).find_map(|text| self.find(text)) {
                each(found);
            }
        }
    }
}

/// Calls `each` for everything by which some query in a language may find a text: a superset of what
/// [`QueryTerms::find_in`] looks up.
pub fn for_each_token(text: &str, language: Option<Language>, mut each: impl FnMut(&str)) {
    let text = compose_characters(text);
    for word in words(&text) {
        if word.is_ngram {
            each(&word.text);
            continue;
        }
        for_each_form(&word.text, language, &mut each);
        if may_be_name(&word) {
            each(&word.text);
        }
        spelling::function_word_acronym(&text, &word).iter().for_each(|(acronym, _)| each(acronym));
        for part in spelling::word_parts(word.surface) {
            for_each_form(&part.to_ascii_lowercase(), language, &mut each);
        }
        for name in spelling::joined_names(&text, &word) {
            for_each_form(&name.text, language, &mut each);
            if let Some((name, number)) = spelling::named_version(&text[word.at..name.end]) {
                for_each_form(&name, language, &mut each);
                each(&number);
            }
        }
        let number = spelling::separated_number(&text[word.at..]);
        for meaning in number.iter().flat_map(|number| &number.meanings) {
            meaning.match_indices('.').for_each(|(at, _)| each(&meaning[..at]));
            each(meaning);
        }
    }
    text.chars().filter(|c| spelling::is_emoji(*c)).for_each(|c| each(c.encode_utf8(&mut [0; 4])));
}

/// Calls `each` for the search terms of a lower-case word: that of English, and that of another language.
fn for_each_form(word: &str, language: Option<Language>, each: &mut impl FnMut(&str)) {
    search_term(word).iter().for_each(|term| each(term));
    language.iter().for_each(|language| each(&language.search_term(word)));
}

/// Whether a word has capitals inside or digits, or is joined to the next one: few are, and only they are looked at
/// closely.
fn may_be_spelled_otherwise(text: &str, word: &TextWord<'_>) -> bool {
    let surface = word.surface.as_bytes();
    let next = text.as_bytes().get(word.at + surface.len());
    surface[0].is_ascii_digit()
        || surface[1..].iter().any(|b| b.is_ascii_uppercase() || b.is_ascii_digit())
        || next.is_some_and(|b| spelling::joins_parts(*b))
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use jiff::civil::Date;
    use proptest::prelude::*;

    use super::*;
    use crate::text::language::{DetectedLanguage, detect_language};
    use crate::text::spelling::{MIN_HASH_LETTERS, is_hash};

    const GERMAN: &str = "Der Hund und die Katze sind nicht in dem Haus";

    /// Checks that every term which a query finds in a text is among the text's tokens, and returns how many there are.
    fn check(query: &str, text: &str, language: DetectedLanguage) -> usize {
        let terms = QueryTerms::parse_with(query, Date::constant(2026, 2, 24), || language);
        let mut tokens = HashSet::new();
        for_each_token(text, terms.language, |token| {
            tokens.insert(token.to_owned());
        });
        let mut found = 0;
        terms.find_in(text, |FoundTerm { term, .. }| {
            let is_token = |of: &str| {
                let is_same = |token: &String| token.starts_with(of) || of.starts_with(token.as_str());
                let by_hash = |token: &String| token.len() >= MIN_HASH_LETTERS && is_same(token);
                tokens.contains(of) || is_hash(of) && tokens.iter().any(by_hash)
            };
            assert!(terms.all[term].texts().any(is_token), "{query:?} in {text:?}: {:?}", terms.all[term]);
            found += 1;
        });
        found
    }

    #[test]
    fn what_a_query_finds_is_a_token_of_the_text() {
        let german = detect_language(GERMAN);
        assert!(german.other().is_some());
        for (query, text, language) in [
            ("parseFile", "calls parse_file twice", DetectedLanguage::English),
            ("config file", "reads parseConfigFile", DetectedLanguage::English),
            ("nodejs", "runs on node.js 20", DetectedLanguage::English),
            ("version 2.14", "needs v2.14.0", DetectedLanguage::English),
            ("1250", "1,250 people", DetectedLanguage::English),
            ("US", "the U.S. office", DetectedLanguage::English),
            ("Will", "a card of Will's", DetectedLanguage::English),
            ("The Who", "songs by The Who", DetectedLanguage::English),
            ("U.S. office", "US law", DetectedLanguage::English),
            ("USA", "moved to the U.S.A. in May", DetectedLanguage::English),
            ("H2O", "drinks H₂O", DetectedLanguage::English),
            ("m²", "25 m2", DetectedLanguage::English),
            ("file", "opens the ﬁle", DetectedLanguage::English),
            ("ABC123", "code ＡＢＣ１２３", DetectedLanguage::English),
            ("9f3c2a7", "fixed in 9f3c2a7be41d8056", DetectedLanguage::English),
            ("bought", "buys milk", DetectedLanguage::English),
            ("favorite", "her favourite tea", DetectedLanguage::English),
            ("Häuser", "zwei alte Häusern", german),
            ("黑猫", "有一只黑猫", DetectedLanguage::Unknown),
            ("🎉", "done 🎉", DetectedLanguage::Unknown),
        ] {
            assert!(check(query, text, language) > 0, "{query:?} finds nothing in {text:?}");
        }
    }

    proptest! {
        #[test]
        fn no_term_is_found_that_is_no_token(
            words in proptest::collection::vec(
                proptest::sample::select(vec![
                    "parseFile", "parse_file", "node.js", "v2.14.0", "2.14", "1,250", "e-mail", "OAuth2", "9f3c2a7b",
                    "9f3c2a7be4", "Müller", "Mueller", "children", "child", "黑猫", "猫", "кошки", "🎉", "the", "a/b", "TLS 1.3",
                    "US", "U.S.", "us", "USA", "H2O", "H₂O", "ﬁle", "Will", "will",
                ]),
                1..6,
            ),
            text in proptest::collection::vec(
                proptest::sample::select(vec![
                    "parsefile", "parse-file", "nodejs", "2.14.1", "1250", "email", "OAuth", "9f3c2a7be41d", "muller",
                    "kids", "children's", "白猫", "кошка", "🎉", "tls1.3", ", ", "v2", "parse", "File.js",
                    "US", "U.S.", "us", "U.S.A.", "H2O", "H₂O", "file", "Will", "will",
                ]),
                1..8,
            ),
            is_german in any::<bool>(),
        ) {
            let language = if is_german { detect_language(GERMAN) } else { DetectedLanguage::Unknown };
            check(&words.join(" "), &text.join(" "), language);
            check(&words.join(" "), &words.join(" "), language);
        }
    }
}
