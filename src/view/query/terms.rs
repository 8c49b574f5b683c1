//! The terms of a query: their weights, their other forms, and what each token of a text is among them.
//!
//! Never reads a memory: which terms are labels is found while counting.

use crate::text::language::Language;
use crate::text::search_terms::term_prefix;
use crate::text::spelling::{MIN_HASH_LETTERS, is_hash};
use crate::text::word_forms::{FormKind, other_forms};

/// By how many letters more than an English stem one of another language may differ from its words (`constamment`,
/// `constant`).
const LANGUAGE_SPARE_LETTERS: usize = 1;

/// A term of a query.
#[derive(Clone, Debug, PartialEq)]
pub struct QueryTerm {
    /// A search term (a stem), or a date's term (`@y2026`).
    pub text: String,
    /// Its weight: how often it occurs in the query.
    pub weight: f64,
    /// Not a word of the query, but one that it implies. Relevance does not expect an item to contain it.
    pub implied: bool,
    /// Other terms that count as this one.
    pub alternatives: Vec<TermAlternative>,
    /// The word as it stands in the query, in lower case; `None` for numbers, dates and characters.
    pub word: Option<String>,
    /// The word of the query that this one replaces: a typing error, which the memory does not contain.
    pub substitute_for: Option<String>,
    /// What the words of this term may start with besides their stems, in lower case: `1,250`, `e-mail`.
    pub patterns: Vec<String>,
}

/// Another form of a query's term: their counts are one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TermAlternative {
    /// The term in the form of [`QueryTerm::text`].
    pub text: String,
    /// Whether it is the same word. An item with a synonym only does not contain the word itself.
    pub is_same_word: bool,
}

/// What a token of a text is in the query.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FoundTerm {
    /// The index of the term.
    pub term: usize,
    /// Whether it is the query's own word, in any form.
    pub is_same_word: bool,
}

impl QueryTerm {
    /// A term of the query with its irregular forms, its other spellings and its synonyms.
    pub fn new(text: &str) -> QueryTerm {
        let mut alternatives = Vec::new();
        other_forms(text, |form, kind| {
            alternatives.push(TermAlternative { text: form.to_owned(), is_same_word: kind == FormKind::Inflected });
        });
        QueryTerm {
            text: text.to_owned(),
            weight: 1.0,
            implied: false,
            alternatives,
            word: None,
            substitute_for: None,
            patterns: Vec::new(),
        }
    }

    pub fn is_date(&self) -> bool {
        self.text.starts_with('@')
    }

    /// Its text and those of its alternatives.
    pub fn texts(&self) -> impl Iterator<Item = &str> {
        std::iter::once(self.text.as_str()).chain(self.alternatives.iter().map(|other| other.text.as_str()))
    }

    pub fn has(&self, token: &str) -> bool {
        self.texts().any(|text| text == token)
    }
}

/// The terms of a query.
#[derive(Clone, Debug, PartialEq)]
pub struct QueryTerms {
    /// Each term once, in query order; dates last.
    pub all: Vec<QueryTerm>,
    /// Whether the query contains "when".
    pub contains_when: bool,
    /// Whether it asks for what is newest, as in "last time".
    pub asks_for_latest: bool,
    /// The language of the query or, if its words do not tell it, of the memory; `None` for English.
    pub language: Option<Language>,
    /// How many different words were left out because there are too many; for scripts without spaces, characters and
    /// pairs of characters.
    pub left_out: usize,
    /// Whether it contains dates, which a byte search cannot find.
    pub has_dates: bool,
    /// Whether a term is a picture, which is no word.
    pub has_emoji: bool,
    /// Whether a term is a name that is a function word in lower case (`Will`): only words with a capital are it.
    pub has_function_word_names: bool,
    /// How the words of all terms start, in lower-case ASCII; none is the start of another.
    pub prefixes: Vec<String>,
    /// What each token is, sorted by token.
    tokens: Vec<(String, FoundTerm)>,
    /// The terms that may be hashes, with their index.
    hashes: Vec<(String, usize)>,
    /// The first bytes of all prefixes: most words of a text differ in it.
    first_bytes: Vec<bool>,
}

impl QueryTerms {
    /// Terms without an index of their tokens.
    pub fn unindexed(language: Option<Language>) -> QueryTerms {
        QueryTerms {
            all: Vec::new(),
            contains_when: false,
            asks_for_latest: false,
            language,
            left_out: 0,
            has_dates: false,
            has_emoji: false,
            has_function_word_names: false,
            prefixes: Vec::new(),
            tokens: Vec::new(),
            hashes: Vec::new(),
            first_bytes: vec![false; 256],
        }
    }

    /// Whether a lower-case ASCII word may be a form of one of the terms.
    pub fn may_match(&self, word: &str) -> bool {
        let first = word.as_bytes().first();
        first.is_some_and(|b| self.first_bytes[usize::from(*b)])
            && self.prefixes.iter().any(|prefix| word.starts_with(prefix.as_str()))
    }

    /// What a token of a text is in the query.
    pub fn find(&self, token: &str) -> Option<FoundTerm> {
        match self.tokens.binary_search_by(|(known, _)| known.as_str().cmp(token)) {
            Ok(at) => Some(self.tokens[at].1),
            Err(_) => self.find_hash(token),
        }
    }

    /// A hash and its beginning are the same.
    fn find_hash(&self, token: &str) -> Option<FoundTerm> {
        let is_same = |hash: &str| hash.starts_with(token) || token.starts_with(hash);
        let found = self.hashes.iter().find(|(hash, _)| token.len() >= MIN_HASH_LETTERS && is_same(hash));
        found.map(|(_, term)| FoundTerm { term: *term, is_same_word: true })
    }

    /// Fills the tables in which the tokens of a text are looked up. Must follow every change of the terms.
    pub fn index_tokens(&mut self) {
        (self.tokens, self.hashes, self.prefixes) = Default::default();
        let spare = self.language.map_or(0, |_| LANGUAGE_SPARE_LETTERS);
        for (term, of) in self.all.iter().enumerate() {
            self.tokens.push((of.text.clone(), FoundTerm { term, is_same_word: true }));
            for TermAlternative { text, is_same_word } in &of.alternatives {
                self.tokens.push((text.clone(), FoundTerm { term, is_same_word: *is_same_word }));
            }
            let is_hash = is_hash(&of.text);
            if is_hash {
                self.hashes.push((of.text.clone(), term));
            }
            let start = |text: &str| match term_prefix(text) {
                _ if is_hash => text[..MIN_HASH_LETTERS].to_owned(),
                prefix => prefix[..prefix.len().saturating_sub(spare).max(prefix.len().min(3))].to_owned(),
            };
            self.prefixes.extend(of.texts().map(start).filter(|prefix| !prefix.is_empty()));
            self.prefixes.extend(of.patterns.iter().cloned());
        }
        // A prefix that starts with another finds nothing more.
        self.prefixes.sort();
        self.prefixes.dedup_by(|longer, shorter| longer.starts_with(shorter.as_str()));
        for prefix in &self.prefixes {
            self.first_bytes[usize::from(prefix.as_bytes()[0])] = true;
        }
        // Stable: of two terms with one token, the first in the query has it.
        self.tokens.sort_by(|a, b| a.0.cmp(&b.0));
        self.tokens.dedup_by(|later, first| later.0 == first.0);
    }
}
