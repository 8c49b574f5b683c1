//! The summary line as a list of terms, and the rule by which it follows a change (DESIGN 2, points 2 and 3).
//!
//! Knows no document: it takes what a text offers before and after, and answers with a value. It never drops, moves or
//! rewrites a term that a person wrote.

use std::collections::HashSet;

use super::telling::Told;
use crate::text::columns;

/// Most terms of a line that memdir writes.
pub const MOST_TERMS: usize = 10;
/// Most columns of its value.
pub const MOST_COLUMNS: usize = 100;
/// With fewer terms than these to offer, a text's telling words fill up.
pub const FEW: usize = 3;

/// What a text offers: lower-case terms in file order, each once.
#[derive(Clone, Debug, Default)]
pub struct Terms {
    list: Vec<String>,
    set: HashSet<String>,
}

impl Terms {
    /// Adds a lower-case term at the end, unless it is there.
    pub fn add(&mut self, term: String) {
        if self.set.insert(term.clone()) {
            self.list.push(term);
        }
    }

    /// Whether a term, in whatever case, is offered.
    pub fn has(&self, term: &str) -> bool {
        self.set.contains(term) || self.set.contains(&term.to_lowercase())
    }

    /// The terms in their order.
    pub fn list(&self) -> &[String] {
        &self.list
    }

    /// The same, without a copy.
    pub fn into_list(self) -> Vec<String> {
        self.list
    }
}

/// What a change did to what a text offers.
pub struct Change<'a> {
    /// All(before).
    pub before: &'a Terms,
    /// All(after).
    pub after: &'a Terms,
    /// Whether a term stands in the text after, on word boundaries.
    pub stands: &'a dyn Fn(&str) -> bool,
    /// The terms of a fresh line, where the text has outgrown its telling words; `None` otherwise.
    pub fresh: Option<&'a dyn Fn() -> Vec<String>>,
}

/// What becomes of a value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// It stays.
    Keep,
    /// It depends on who wrote it: ask again with memdir's last line.
    NeedsLast,
    /// It becomes this.
    Line {
        /// The new terms, all of them.
        terms: Vec<String>,
        /// Those that memdir wrote.
        own: Vec<String>,
    },
}

/// Lets a line follow a change. `last` holds memdir's own terms of its last line: `None` when not looked up yet.
pub fn follow(value: &str, change: &Change, last: Option<&[String]>) -> Verdict {
    if is_prose(value) {
        return Verdict::Keep;
    }
    let terms = split(value);
    let strange = terms.iter().any(|t| !change.before.has(t));
    match last {
        None if strange => {
            let either = [follow_own(&terms, change), follow_persons(&terms, change, &[])];
            if either.iter().all(|v| *v == Verdict::Keep) { Verdict::Keep } else { Verdict::NeedsLast }
        }
        _ => {
            let last = last.unwrap_or_default();
            let own = fits(&terms) && terms.iter().all(|t| change.before.has(t) || has(last, t));
            if own { follow_own(&terms, change) } else { follow_persons(&terms, change, last) }
        }
    }
}

/// Every term is memdir's: gone ones leave, new ones come, and the oldest make room.
fn follow_own(terms: &[String], change: &Change) -> Verdict {
    let mut line: Vec<String> = terms.to_vec();
    line.retain(|t| change.after.has(t) || (change.stands)(t));
    let kept = line.len();
    line.extend(new_terms(change, &line));
    if let Some(fresh) = change.fresh {
        let chosen = fresh();
        line.retain(|t| has(&chosen, t));
        for term in chosen {
            push_new(&mut line, term);
        }
    }
    if line.len() > kept {
        while !fits(&line) {
            line.remove(0);
        }
    }
    verdict(terms, line.clone(), line)
}

/// Some terms are a person's: only memdir's own leave or make room, new ones that find none wait.
fn follow_persons(terms: &[String], change: &Change, last: &[String]) -> Verdict {
    let gone = |t: &String| (change.before.has(t) || has(last, t)) && !change.after.has(t) && !(change.stands)(t);
    let mut line: Vec<String> = terms.iter().filter(|t| !gone(t)).cloned().collect();
    let mut own: Vec<String> = last.to_vec();
    for term in waiting(terms, change.after.list()) {
        if change.before.has(&term) && !has(&line, &term) && fits_with(&line, &term) {
            own.push(term.clone());
            line.push(term);
        }
    }
    for term in new_terms(change, &line) {
        if let Some(roomy) = make_room(&line, &term, last) {
            line = roomy;
            own.push(term);
        }
    }
    own.retain(|t| has(&line, t));
    verdict(terms, line, own)
}

/// The line with a term at its end, memdir's leftmost terms gone as far as needed; `None` when that is not enough.
fn make_room(line: &[String], term: &str, own: &[String]) -> Option<Vec<String>> {
    let mut roomy = line.to_vec();
    while !fits_with(&roomy, term) {
        let oldest = roomy.iter().position(|t| has(own, t))?;
        roomy.remove(oldest);
    }
    roomy.push(term.to_string());
    Some(roomy)
}

fn verdict(old: &[String], terms: Vec<String>, own: Vec<String>) -> Verdict {
    if old == terms { Verdict::Keep } else { Verdict::Line { terms, own } }
}

/// The offered terms that a line lacks because it is full. Terms that would fit do not wait: somebody took them out.
pub fn waiting(line: &[String], offered: &[String]) -> Vec<String> {
    offered.iter().filter(|t| !has(line, t) && !fits_with(line, t)).cloned().collect()
}

/// The terms of a new line: the first that a text offers, filled up with telling words when they are few.
///
/// The best telling words are taken, but they stand in the text's order: a line's leftmost terms are its oldest.
pub fn fresh(offered: &[String], telling: impl FnOnce() -> Vec<Told>) -> Vec<String> {
    let mut line = Vec::new();
    for term in offered {
        if !fits_with(&line, term) {
            return line;
        }
        line.push(term.clone());
    }
    let named = line.len();
    let mut told: Vec<Told> = if named < FEW { telling() } else { Vec::new() };
    told.retain(|(word, _)| {
        let said = line.iter().any(|t| t.split(' ').any(|w| w == word));
        let fits = !said && fits_with(&line, word);
        if fits {
            line.push(word.clone());
        }
        fits
    });
    told.sort_by_key(|&(_, at)| at);
    line.truncate(named);
    line.extend(told.into_iter().map(|(word, _)| word));
    line
}

/// A line's terms as they stand.
pub fn split(value: &str) -> Vec<String> {
    value.split([',', '，', '、']).map(str::trim).filter(|t| !t.is_empty()).map(str::to_string).collect()
}

/// A person's sentence rather than terms: a final full stop, or a term of more than four words.
pub fn is_prose(value: &str) -> bool {
    let value = value.trim_end();
    value.ends_with(['.', '。', '．', '!', '?', '！', '？'])
        || split(value).iter().any(|t| t.split_whitespace().count() > 4)
}

/// Whether a short list of terms holds one, whatever its case.
pub fn has(terms: &[String], term: &str) -> bool {
    let folded = || term.chars().flat_map(char::to_lowercase);
    terms.iter().any(|t| t == term || t.chars().flat_map(char::to_lowercase).eq(folded()))
}

fn new_terms(change: &Change, line: &[String]) -> Vec<String> {
    change.after.list().iter().filter(|t| !change.before.has(t) && !has(line, t)).cloned().collect()
}

fn push_new(line: &mut Vec<String>, term: String) {
    if !has(line, &term) {
        line.push(term);
    }
}

fn fits_with(line: &[String], term: &str) -> bool {
    line.len() < MOST_TERMS && width(line) + if line.is_empty() { 0 } else { 2 } + columns(term) <= MOST_COLUMNS
}

/// Whether memdir may write such a line.
pub fn fits(line: &[String]) -> bool {
    line.len() <= MOST_TERMS && width(line) <= MOST_COLUMNS
}

fn width(line: &[String]) -> usize {
    line.iter().map(|t| columns(t) + 2).sum::<usize>().saturating_sub(2)
}

#[cfg(test)]
#[path = "line_tests.rs"]
mod tests;
