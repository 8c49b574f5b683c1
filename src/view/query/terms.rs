//! Reads a query: its terms, their weights, its dates, and whether it contains "when" or asks for what is newest.
//!
//! Never reads a memory: which terms are labels is found while counting.

use jiff::civil::Date;

use crate::text::dates::find_dates;
use crate::text::search_terms::{search_terms, term_prefix};

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

/// Maximum number of terms of a query; further ones are ignored.
const MAX_TERMS: usize = 128;

/// A term of a query.
#[derive(Clone, Debug, PartialEq)]
pub struct QueryTerm {
    /// A search term (a stem), or a date's term (`@y2026`).
    pub text: String,
    /// Its weight: how often it occurs in the query.
    pub weight: f64,
    /// Not in the query, but a label that it implies. Relevance does not expect an item to contain it.
    pub implied: bool,
}

impl QueryTerm {
    pub fn is_date(&self) -> bool {
        self.text.starts_with('@')
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
    /// Whether it contains dates, which a byte search cannot find.
    pub has_dates: bool,
}

impl QueryTerms {
    /// Reads a query; `today` resolves words such as "yesterday".
    pub fn parse(question: &str, today: Date) -> QueryTerms {
        let mut terms = QueryTerms { all: Vec::new(), contains_when: false, asks_for_latest: false, has_dates: false };
        search_terms(question, |token| terms.add(token));
        terms.add_implied();
        terms.contains_when = crate::text::words(question).any(|w| w.text == "when");
        terms.asks_for_latest = asks_for_latest(question);
        for date in find_dates(question, Some(today)) {
            date.for_each_term(|term| {
                terms.has_dates = true;
                terms.add(&term);
            });
        }
        terms
    }

    /// Whether a lower-case ASCII word may be a form of one of the terms.
    pub fn may_match(&self, word: &str) -> bool {
        self.all.iter().any(|term| {
            let start = term_prefix(&term.text);
            !start.is_empty() && word.starts_with(start)
        })
    }

    /// The index of a term.
    pub fn find(&self, token: &str) -> Option<usize> {
        let first = token.as_bytes().first();
        self.all.iter().position(|t| t.text.as_bytes().first() == first && t.text == token)
    }

    fn add_implied(&mut self) {
        for (words, label) in IMPLIED_LABELS {
            let is_implied = words.iter().any(|word| self.find(word).is_some());
            if is_implied && self.find(label).is_none() && self.all.len() < MAX_TERMS {
                self.all.push(QueryTerm { text: label.to_owned(), weight: IMPLIED_WEIGHT, implied: true });
            }
        }
    }

    fn add(&mut self, token: &str) {
        match self.find(token) {
            Some(i) => self.all[i].weight += 1.0,
            None if self.all.len() < MAX_TERMS => {
                self.all.push(QueryTerm { text: token.to_owned(), weight: 1.0, implied: false })
            }
            None => {}
        }
    }
}

fn asks_for_latest(question: &str) -> bool {
    let lower = question.to_lowercase();
    let words: Vec<_> = crate::text::words(&lower).map(|word| word.text).collect();
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
