//! Reads a query: its terms, their weights, its dates, and whether it contains "when" or asks for what is newest.
//!
//! Never reads a memory: which terms are labels is found while counting.

use std::borrow::Cow;
use std::collections::HashSet;

use jiff::civil::Date;

use crate::text::dates::find_dates;
use crate::text::language::{DetectedLanguage, Language, detect_language};
use crate::text::search_terms::{search_term, term_prefix};
use crate::text::stopwords::is_stop_ngram;
use crate::text::strip_diacritics::compose_characters;
use crate::text::word_forms::{FormKind, other_forms};
use crate::text::words;

/// Search terms (stems) that imply a label of episode entries: a query for "bug" also searches for `- Problem:`.
const IMPLIED_LABELS: [(&[&str], &str); 3] = [
    (&["bug", "issu", "error", "defect", "glitch"], "problem"),
    (&["fix", "solv", "resolv", "repair", "mend"], "solut"),
    (&["learn"], "lesson"),
];
/// Weight of an implied label, relative to a term of the query.
const IMPLIED_WEIGHT: f64 = 0.5;

/// Words that ask for what is newest, in lower case.
const LATEST_PHRASES: [&str; 9] =
    ["last time", "most recent", "most recently", "latest", "newest", "recently", "上次", "最近", "最新"];

/// Maximum number of terms of a query: some 500 Chinese characters, or 1,000 different words. What is beyond is left
/// out, and the result says so.
const MAX_TERMS: usize = 1024;

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
    /// Not in the query, but a label that it implies. Relevance does not expect an item to contain it.
    pub implied: bool,
    /// Other terms that count as this one.
    pub alternatives: Vec<TermAlternative>,
}

/// Another form of a query's term: their counts are one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TermAlternative {
    /// As [`QueryTerm::text`].
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
    fn new(text: &str) -> QueryTerm {
        let mut alternatives = Vec::new();
        other_forms(text, |form, kind| {
            alternatives.push(TermAlternative { text: form.to_owned(), is_same_word: kind == FormKind::Inflected });
        });
        QueryTerm { text: text.to_owned(), weight: 1.0, implied: false, alternatives }
    }

    pub fn is_date(&self) -> bool {
        self.text.starts_with('@')
    }

    /// Its text and those of its alternatives.
    pub fn texts(&self) -> impl Iterator<Item = &str> {
        std::iter::once(self.text.as_str()).chain(self.alternatives.iter().map(|other| other.text.as_str()))
    }

    fn has(&self, token: &str) -> bool {
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
    /// What each token is, sorted by token.
    tokens: Vec<(String, FoundTerm)>,
    /// How the words of all terms start, in lower-case ASCII; none is the start of another.
    pub prefixes: Vec<String>,
    /// The first bytes of all prefixes: most words of a text differ in it.
    first_bytes: Vec<bool>,
}

impl QueryTerms {
    /// Reads a query; `today` resolves words such as "yesterday".
    pub fn parse(question: &str, today: Date) -> QueryTerms {
        QueryTerms::parse_with(question, today, || DetectedLanguage::Unknown)
    }

    /// Like [`QueryTerms::parse`]; `language` tells the language of the memory, and is asked only if the query does not.
    pub fn parse_with(question: &str, today: Date, language: impl FnOnce() -> DetectedLanguage) -> QueryTerms {
        let language = match detect_language(question) {
            DetectedLanguage::Unknown => language(),
            known => known,
        };
        let mut terms = QueryTerms {
            all: Vec::new(),
            contains_when: false,
            asks_for_latest: false,
            has_dates: false,
            language: match language {
                DetectedLanguage::Other(language) => Some(language),
                DetectedLanguage::English | DetectedLanguage::Unknown => None,
            },
            left_out: 0,
            tokens: Vec::new(),
            prefixes: Vec::new(),
            first_bytes: vec![false; 256],
        };
        terms.add_words(question, true);
        if terms.all.is_empty() {
            terms.add_words(question, false);
        }
        terms.add_implied();
        terms.contains_when = words(question).any(|w| w.text == "when");
        terms.asks_for_latest = asks_for_latest(question);
        for date in find_dates(question, Some(today)) {
            date.for_each_term(|term| {
                terms.has_dates = true;
                terms.add(&term);
            });
        }
        terms.index_tokens();
        terms
    }

    /// Whether a lower-case ASCII word may be a form of one of the terms.
    pub fn may_match(&self, word: &str) -> bool {
        let first = word.as_bytes().first();
        first.is_some_and(|b| self.first_bytes[usize::from(*b)])
            && self.prefixes.iter().any(|prefix| word.starts_with(prefix.as_str()))
    }

    /// What a token of a text is in the query.
    pub fn find(&self, token: &str) -> Option<FoundTerm> {
        let at = self.tokens.binary_search_by(|(known, _)| known.as_str().cmp(token)).ok()?;
        Some(self.tokens[at].1)
    }

    fn index_tokens(&mut self) {
        for (term, of) in self.all.iter().enumerate() {
            self.tokens.push((of.text.clone(), FoundTerm { term, is_same_word: true }));
            for TermAlternative { text, is_same_word } in &of.alternatives {
                self.tokens.push((text.clone(), FoundTerm { term, is_same_word: *is_same_word }));
            }
            let spare = self.language.map_or(0, |_| LANGUAGE_SPARE_LETTERS);
            let shorter =
                |prefix: &str| prefix[..prefix.len().saturating_sub(spare).max(prefix.len().min(3))].to_owned();
            for prefix in of.texts().map(term_prefix).map(shorter).filter(|prefix| !prefix.is_empty()) {
                self.first_bytes[usize::from(prefix.as_bytes()[0])] = true;
                self.prefixes.push(prefix);
            }
        }
        // A prefix that starts with another finds nothing more.
        self.prefixes.sort();
        self.prefixes.dedup_by(|longer, shorter| longer.starts_with(shorter.as_str()));
        // Stable: of two terms with one token, the first in the query has it.
        self.tokens.sort_by(|a, b| a.0.cmp(&b.0));
        self.tokens.dedup_by(|later, first| later.0 == first.0);
    }

    /// Adds the words of a question. Without function words, unless there is nothing else.
    fn add_words(&mut self, question: &str, content_only: bool) {
        let mut left_out = HashSet::new();
        let question = compose_characters(question);
        for word in words(&question) {
            let text = &*word.text;
            let language = self.language.filter(|_| !word.is_ngram);
            let is_stopword = match language {
                _ if word.is_ngram => is_stop_ngram(text),
                Some(language) => language.is_stopword(text),
                None => false,
            };
            if is_stopword && content_only {
                continue;
            }
            let term = if word.is_ngram { Some(Cow::Borrowed(text)) } else { search_term(text) };
            let Some(term) = term else { continue };
            match (self.add(&term), language) {
                (Some(term), Some(language)) => self.add_alternative(term, language.search_term(text)),
                (Some(_), None) => {}
                (None, _) => {
                    left_out.insert(term.into_owned());
                }
            }
        }
        self.left_out = left_out.len();
    }

    /// Adds another form of the same word to a term.
    fn add_alternative(&mut self, term: usize, text: String) {
        if !self.all[term].has(&text) {
            self.all[term].alternatives.push(TermAlternative { text, is_same_word: true });
        }
    }

    fn add_implied(&mut self) {
        for (words, label) in IMPLIED_LABELS {
            let has = |word: &str| self.all.iter().any(|term| term.has(word));
            if words.iter().any(|word| has(word)) && !has(label) && self.all.len() < MAX_TERMS {
                self.all.push(QueryTerm { weight: IMPLIED_WEIGHT, implied: true, ..QueryTerm::new(label) });
            }
        }
    }

    /// Adds an occurrence of a token, and returns its term; `None` if there are too many.
    fn add(&mut self, token: &str) -> Option<usize> {
        let known = self.all.iter().position(|term| term.has(token));
        match known {
            Some(known) => self.all[known].weight += 1.0,
            None if self.all.len() < MAX_TERMS => self.all.push(QueryTerm::new(token)),
            None => return None,
        }
        Some(known.unwrap_or(self.all.len() - 1))
    }
}

fn asks_for_latest(question: &str) -> bool {
    let lower = question.to_lowercase();
    let words: Vec<_> = words(&lower).map(|word| word.text).collect();
    let spaced = format!(" {} ", words.join(" "));
    LATEST_PHRASES.iter().any(|phrase| match phrase.is_ascii() {
        true => spaced.contains(&format!(" {phrase} ")),
        false => lower.contains(phrase),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn some_words_ask_for_what_is_newest() {
        for asking in ["What bug did we fix last time?", "the LATEST decision", "most  recent trip", "上次修了什么错误"]
        {
            assert!(asks_for_latest(asking), "{asking}");
        }
        for other in ["How long does it last?", "time zone", "recent bugs", "translatest", "The last timer"] {
            assert!(!asks_for_latest(other), "{other}");
        }
    }

    fn check(question: &str, expected: &str) {
        let terms = QueryTerms::parse(question, Date::constant(2026, 2, 24));
        let to_text = |t: &QueryTerm| if t.implied { format!("({})", t.text) } else { t.text.clone() };
        assert_eq!(terms.all.iter().map(to_text).collect::<Vec<_>>().join(" "), expected, "{question}");
    }

    #[test]
    fn a_query_for_a_bug_implies_a_problem() {
        check("what bug did we fix", "bug fix (problem) (solut)");
        check("solved issues and problems", "solv issu problem (solut)");
        check("Zhang San", "zhang san");
    }
}
