//! Reads a question: its terms, their weights, and whether it asks for a time.
//!
//! Never looks at a memory: which terms are labels there is found while counting.

use jiff::civil::Date;

use crate::text::dates::dates;
use crate::text::tokens;

/// Most terms of a question; the rest is passed over.
const MOST: usize = 128;

/// One term of a question.
#[derive(Clone, Debug, PartialEq)]
pub struct Term {
    /// As [`tokens`] gives it, or a date's (`@y2026`).
    pub text: String,
    /// How often the question has it.
    pub times: f64,
}

impl Term {
    /// Whether it is a date's.
    pub fn is_date(&self) -> bool {
        self.text.starts_with('@')
    }
}

/// A question.
#[derive(Clone, Debug, PartialEq)]
pub struct Terms {
    /// Its terms, each once, in its order; dates last.
    pub all: Vec<Term>,
    /// Whether it asks when something was.
    pub asks_when: bool,
    /// Whether it has dates, which no search for bytes finds.
    pub dated: bool,
}

impl Terms {
    /// Reads a question; `today` is what "yesterday" in it counts from.
    pub fn read(question: &str, today: Date) -> Terms {
        let mut terms = Terms { all: Vec::new(), asks_when: false, dated: false };
        tokens(question, |token| terms.add(token));
        terms.asks_when = crate::text::words(question).any(|w| w.text == "when");
        for told in dates(question, Some(today)) {
            told.terms(|term| {
                terms.dated = true;
                terms.add(&term);
            });
        }
        terms
    }

    /// The number of a term.
    pub fn find(&self, token: &str) -> Option<usize> {
        let first = token.as_bytes().first();
        self.all.iter().position(|t| t.text.as_bytes().first() == first && t.text == token)
    }

    fn add(&mut self, token: &str) {
        match self.find(token) {
            Some(i) => self.all[i].times += 1.0,
            None if self.all.len() < MOST => self.all.push(Term { text: token.to_owned(), times: 1.0 }),
            None => {}
        }
    }
}
