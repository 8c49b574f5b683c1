//! Reads a question: its terms, their weights, and whether it asks for a time.
//!
//! Never looks at a memory: which terms are labels there is found while counting.

use jiff::civil::Date;

use crate::text::dates::dates;
use crate::text::tokens::{prefix, tokens};

/// What people ask for, as terms, and the labels under which episodes tell it (seeds/m2-markdown-memory.md 3): whoever
/// asks for a bug means a `- Problem:`, whoever says so or not.
const LABELS: [(&[&str], &str); 3] = [
    (&["bug", "issu", "error", "defect", "glitch"], "problem"),
    (&["fix", "solv", "resolv", "repair", "mend"], "solut"),
    (&["learn"], "lesson"),
];
/// What such a label counts beside a word of the question.
const IMPLIED: f64 = 0.5;

/// Most terms of a question; the rest is passed over.
const MOST: usize = 128;

/// One term of a question.
#[derive(Clone, Debug, PartialEq)]
pub struct Term {
    /// As [`tokens`] gives it, or a date's (`@y2026`).
    pub text: String,
    /// How often the question has it.
    pub times: f64,
    /// It is not in the question, but the label under which such things are told: no item is expected to say it.
    pub implied: bool,
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
        terms.imply();
        terms.asks_when = crate::text::words(question).any(|w| w.text == "when");
        for told in dates(question, Some(today)) {
            told.terms(|term| {
                terms.dated = true;
                terms.add(&term);
            });
        }
        terms
    }

    /// Whether an ASCII word in lower case may be a form of one of the terms.
    pub fn may_hold(&self, word: &str) -> bool {
        self.all.iter().any(|term| {
            let start = prefix(&term.text);
            !start.is_empty() && word.starts_with(start)
        })
    }

    /// The number of a term.
    pub fn find(&self, token: &str) -> Option<usize> {
        let first = token.as_bytes().first();
        self.all.iter().position(|t| t.text.as_bytes().first() == first && t.text == token)
    }

    fn imply(&mut self) {
        for (asked, label) in LABELS {
            let asks = asked.iter().any(|word| self.find(word).is_some());
            if asks && self.find(label).is_none() && self.all.len() < MOST {
                self.all.push(Term { text: label.to_owned(), times: IMPLIED, implied: true });
            }
        }
    }

    fn add(&mut self, token: &str) {
        match self.find(token) {
            Some(i) => self.all[i].times += 1.0,
            None if self.all.len() < MOST => self.all.push(Term { text: token.to_owned(), times: 1.0, implied: false }),
            None => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(question: &str, expected: &str) {
        let terms = Terms::read(question, Date::constant(2026, 2, 24));
        let told = |t: &Term| if t.implied { format!("({})", t.text) } else { t.text.clone() };
        assert_eq!(terms.all.iter().map(told).collect::<Vec<_>>().join(" "), expected, "{question}");
    }

    #[test]
    fn whoever_asks_for_a_bug_means_a_problem_too() {
        check("what bug did we fix", "bug fix (problem) (solut)");
        check("solved issues and problems", "solv issu problem (solut)");
        check("Zhang San", "zhang san");
    }
}
