//! Finds the terms of a query in a text.
//!
//! Never counts: callers decide what an occurrence is worth.

use super::terms::{FoundTerm, QueryTerms};
use crate::text::search_terms::search_term;
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
            } else {
                self.find_word(&word).into_iter().for_each(&mut each);
            }
        }
    }

    /// What a word is in the query.
    fn find_word(&self, word: &TextWord<'_>) -> Option<FoundTerm> {
        let word = &*word.text;
        // Most words need no stem to see that they do not match.
        if word.is_ascii() && !self.may_match(word) {
            return None;
        }
        let in_language = || self.find(&self.language?.search_term(word));
        search_term(word).and_then(|term| self.find(&term)).or_else(in_language)
    }
}
