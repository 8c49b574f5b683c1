//! Treats a summary line as a list of terms, and updates it after a change (ARCHITECTURE.md, "Summary lines").
//!
//! Independent of documents: takes the candidate terms before and after a change, returns a value. Never drops, moves
//! or rewrites a term that a person wrote.

use std::collections::HashSet;

use super::keywords::Keyword;
use crate::text::display_width;

/// Maximum number of terms in a line that memdir writes.
pub const MAX_TERMS: usize = 10;
/// Maximum width of the value in columns.
pub const MAX_COLUMNS: usize = 100;
/// A document with fewer candidate terms than this gets keywords in addition.
pub const FEW_TERMS: usize = 3;

/// Candidate terms of a document: lower case, in file order, without duplicates.
#[derive(Clone, Debug, Default)]
pub struct SummaryTerms {
    list: Vec<String>,
    set: HashSet<String>,
}

impl SummaryTerms {
    /// Appends a lower-case term unless it is present.
    pub fn add(&mut self, term: String) {
        if self.set.insert(term.clone()) {
            self.list.push(term);
        }
    }

    /// Whether a term is present, ignoring case.
    pub fn contains(&self, term: &str) -> bool {
        self.set.contains(term) || self.set.contains(&term.to_lowercase())
    }

    pub fn list(&self) -> &[String] {
        &self.list
    }

    pub fn into_list(self) -> Vec<String> {
        self.list
    }
}

/// The candidate terms before and after a change.
pub struct TermChange<'a> {
    /// Candidate terms before the change.
    pub before: &'a SummaryTerms,
    /// Candidate terms after the change.
    pub after: &'a SummaryTerms,
    /// Tests whether the text before the change contains a term as whole words.
    pub in_text_before: &'a dyn Fn(&str) -> bool,
    /// Tests whether the text after the change contains a term as whole words.
    pub in_text: &'a dyn Fn(&str) -> bool,
    /// Whether a line with a person's terms stays as it is.
    pub keeps_edited: bool,
    /// The terms of a new line, if the keywords are to be chosen again; `None` otherwise.
    pub new_line: Option<&'a dyn Fn() -> Vec<String>>,
}

/// The result of updating a line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum LineUpdate {
    /// The line stays as it is.
    Keep,
    /// Depends on who wrote the line: call again with memdir's last line.
    NeedsLastLine,
    /// The line is replaced by one with these terms.
    Replace {
        /// All terms of the new line.
        terms: Vec<String>,
        /// The terms that memdir wrote.
        own: Vec<String>,
    },
}

/// Updates a line after a change. `last` holds the terms that memdir last wrote: `None` if not looked up yet.
pub fn update_line(value: &str, change: &TermChange, last: Option<&[String]>) -> LineUpdate {
    if is_prose(value) {
        return LineUpdate::Keep;
    }
    let terms = split_terms(value);
    // Words that only are labels and headings, too, may be a person's.
    let is_known = |t: &String| !change.keeps_edited && change.before.contains(t);
    let has_unknown = !terms.iter().all(is_known);
    match last {
        None if has_unknown => {
            let edited = if change.keeps_edited { LineUpdate::Keep } else { update_edited_line(&terms, change, &[]) };
            let outcomes = [update_own_line(&terms, change), edited];
            if outcomes.iter().all(|v| *v == LineUpdate::Keep) { LineUpdate::Keep } else { LineUpdate::NeedsLastLine }
        }
        _ => {
            let last = last.unwrap_or_default();
            let is_own = fits(&terms) && terms.iter().all(|t| is_known(t) || has_term(last, t));
            match (is_own, change.keeps_edited) {
                (true, _) => update_own_line(&terms, change),
                (false, true) => LineUpdate::Keep,
                (false, false) => update_edited_line(&terms, change, last),
            }
        }
    }
}

/// Updates a line written by memdir only: removes terms that are gone, appends new ones, and drops the oldest terms
/// until the line fits.
fn update_own_line(terms: &[String], change: &TermChange) -> LineUpdate {
    let mut line: Vec<String> = terms.to_vec();
    line.retain(|t| change.after.contains(t) || (change.in_text)(t));
    let kept = line.len();
    line.extend(new_terms(change, &line));
    if let Some(fresh) = change.new_line {
        let new_keywords = fresh();
        line.retain(|t| has_term(&new_keywords, t));
        for term in new_keywords {
            push_unique(&mut line, term);
        }
    }
    if line.len() > kept {
        while !fits(&line) {
            line.remove(0);
        }
    }
    line_update(terms, line.clone(), line)
}

/// Updates a line that may contain a person's terms. A term leaves when the change removes its last occurrence from the
/// text, even one that a person wrote: the records that tell them apart are not in a clone, or are old. Only terms that
/// memdir is known to have written are dropped for want of room; new terms that do not fit stay pending.
fn update_edited_line(terms: &[String], change: &TermChange, last: &[String]) -> LineUpdate {
    let is_gone = |t: &String| {
        let was_there = || change.before.contains(t) || has_term(last, t) || (change.in_text_before)(t);
        !change.after.contains(t) && !(change.in_text)(t) && was_there()
    };
    let mut line: Vec<String> = terms.iter().filter(|t| !is_gone(t)).cloned().collect();
    let mut own: Vec<String> = last.to_vec();
    for term in pending_terms(terms, change.after.list()) {
        if change.before.contains(&term) && !has_term(&line, &term) && fits_with(&line, &term) {
            own.push(term.clone());
            line.push(term);
        }
    }
    for term in new_terms(change, &line) {
        if let Some(shortened) = push_dropping_oldest(&line, &term, last) {
            line = shortened;
            own.push(term);
        }
    }
    own.retain(|t| has_term(&line, t));
    line_update(terms, line, own)
}

/// Appends a term and drops memdir's leftmost terms until the line fits; `None` if that does not suffice.
fn push_dropping_oldest(line: &[String], term: &str, own: &[String]) -> Option<Vec<String>> {
    let mut shortened = line.to_vec();
    while !fits_with(&shortened, term) {
        let oldest = shortened.iter().position(|t| has_term(own, t))?;
        shortened.remove(oldest);
    }
    shortened.push(term.to_string());
    Some(shortened)
}

fn line_update(old: &[String], terms: Vec<String>, own: Vec<String>) -> LineUpdate {
    if old == terms { LineUpdate::Keep } else { LineUpdate::Replace { terms, own } }
}

/// Candidate terms missing from a full line. A missing term that would fit is not pending: a person removed it.
pub fn pending_terms(line: &[String], candidates: &[String]) -> Vec<String> {
    candidates.iter().filter(|t| !has_term(line, t) && !fits_with(line, t)).cloned().collect()
}

/// The terms of a new line: the first candidate terms that fit, plus keywords if there are few.
///
/// The best keywords are selected, but listed in text order, because the leftmost terms of a line count as its oldest.
pub fn new_line(candidates: &[String], keywords: impl FnOnce() -> Vec<Keyword>) -> Vec<String> {
    let mut line = Vec::new();
    for term in candidates {
        if !fits_with(&line, term) {
            return line;
        }
        line.push(term.clone());
    }
    let candidate_count = line.len();
    let mut selected: Vec<Keyword> = if candidate_count < FEW_TERMS { keywords() } else { Vec::new() };
    selected.retain(|(word, _)| {
        let is_covered = line.iter().any(|t| t.split(' ').any(|w| w == word));
        let fits = !is_covered && fits_with(&line, word);
        if fits {
            line.push(word.clone());
        }
        fits
    });
    selected.sort_by_key(|&(_, at)| at);
    line.truncate(candidate_count);
    line.extend(selected.into_iter().map(|(word, _)| word));
    line
}

/// Splits a line into terms.
pub fn split_terms(value: &str) -> Vec<String> {
    value.split([',', '，', '、']).map(str::trim).filter(|t| !t.is_empty()).map(str::to_string).collect()
}

/// Whether a line is a sentence rather than a list of terms: it ends with a full stop, or a term has more than four
/// words.
pub fn is_prose(value: &str) -> bool {
    let value = value.trim_end();
    value.ends_with(['.', '。', '．', '!', '?', '！', '？'])
        || split_terms(value).iter().any(|t| t.split_whitespace().count() > 4)
}

/// Whether a list contains a term, ignoring case.
pub fn has_term(terms: &[String], term: &str) -> bool {
    let folded = || term.chars().flat_map(char::to_lowercase);
    terms.iter().any(|t| t == term || t.chars().flat_map(char::to_lowercase).eq(folded()))
}

fn new_terms(change: &TermChange, line: &[String]) -> Vec<String> {
    change.after.list().iter().filter(|t| !change.before.contains(t) && !has_term(line, t)).cloned().collect()
}

fn push_unique(line: &mut Vec<String>, term: String) {
    if !has_term(line, &term) {
        line.push(term);
    }
}

fn fits_with(line: &[String], term: &str) -> bool {
    line.len() < MAX_TERMS
        && line_width(line) + if line.is_empty() { 0 } else { 2 } + display_width(term) <= MAX_COLUMNS
}

/// Whether a line is within the limits for lines that memdir writes.
pub fn fits(line: &[String]) -> bool {
    line.len() <= MAX_TERMS && line_width(line) <= MAX_COLUMNS
}

fn line_width(line: &[String]) -> usize {
    line.iter().map(|t| display_width(t) + 2).sum::<usize>().saturating_sub(2)
}

#[cfg(test)]
#[path = "line_tests.rs"]
mod tests;
