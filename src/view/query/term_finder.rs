//! Finds the terms of a query in a text.
//!
//! Never counts: callers decide what an occurrence is worth.

use super::terms::{FoundTerm, QueryTerms};
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
        for part in spelling::word_parts(word.surface) {
            self.find_word(&part.to_ascii_lowercase()).into_iter().filter(may_be).for_each(&mut *each);
        }
        for name in spelling::joined_names(text, word) {
            self.find_word(&name.text).into_iter().for_each(&mut *each);
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
    let mut each_word = |word: &str| {
        search_term(word).iter().for_each(|term| each(term));
        language.iter().for_each(|language| each(&language.search_term(word)));
    };
    for word in words(&text) {
        each_word(&word.text);
        if !word.is_ngram {
            spelling::word_parts(word.surface).for_each(|part| each_word(&part.to_ascii_lowercase()));
            spelling::joined_names(&text, &word).for_each(|name| each_word(&name.text));
        }
    }
    for word in words(&text) {
        if word.is_ngram {
            each(&word.text);
        } else if let Some(number) = spelling::separated_number(&text[word.at..]) {
            for meaning in &number.meanings {
                meaning.match_indices('.').for_each(|(at, _)| each(&meaning[..at]));
                each(meaning);
            }
        }
    }
    text.chars().filter(|c| spelling::is_emoji(*c)).for_each(|c| each(c.encode_utf8(&mut [0; 4])));
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
