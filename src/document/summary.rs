//! The `> Summary:` line: what a file holds, kept current without a model (DESIGN 2).
//!
//! Pure and sticky: it never rewrites a person's words.

use std::cell::OnceCell;

use super::Document;
use crate::text::Splice;

mod line;
mod offer;
mod place;
mod telling;
mod united;

pub use line::{MOST_COLUMNS, MOST_TERMS};
pub use united::united;

use line::{Change, Verdict};
use telling::telling;

/// Whose rules a file's terms follow, from its folder.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Genre {
    /// `facts/` and adopted files: labels and headings.
    Facts,
    /// `episodes/`: entry titles.
    Episodes,
    /// Other folders: no line unless they have one.
    Other,
}

/// What is to be done with the line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Next {
    /// It stays as it is (also: there is none and none is due).
    Keep,
    /// The text needs this replacement.
    Write {
        /// On the text *after* the edits.
        splice: Splice,
        /// What the journal remembers and gives back as `last`: the terms of the new line that memdir wrote, in their
        /// order. All of them, unless some are a person's. Without those, the next change would take them for memdir's.
        line: String,
    },
    /// Rule 2 must know whether memdir wrote the present line: call again with memdir's last line for this file.
    NeedsLast,
}

/// Decides the line after a change. `last` is memdir's own last line for this file: `None` when not looked up yet,
/// `Some(None)` when the journal knows none.
///
/// The present line is read from `after`; a new file's `before` is the empty text. The caller skips this where it wrote
/// the line itself, and for undo, link rewriting and one-sided merges.
pub fn next(before: &Document, after: &Document, genre: Genre, last: Option<Option<&str>>) -> Next {
    let Some(present) = after.summary() else {
        let none_due = genre == Genre::Other || place::is_told_at_length(after);
        let line = if none_due { String::new() } else { fresh(after, genre) };
        return write(after, &line, &line);
    };
    let Some(value) = place::value(after, present) else { return Next::Keep };
    if value.is_empty() {
        let line = fresh(after, genre);
        return if line.is_empty() { Next::Keep } else { write(after, &line, &line) };
    }
    let last = last.map(|line| line::split(line.unwrap_or_default()));
    match follow(before, after, genre, &value, last.as_deref()) {
        Verdict::Keep => Next::Keep,
        Verdict::NeedsLast => Next::NeedsLast,
        Verdict::Line { terms, .. } if terms.is_empty() => {
            let line = fresh(after, genre);
            write(after, &line, &line)
        }
        Verdict::Line { terms, own } => write(after, &terms.join(", "), &own.join(", ")),
    }
}

fn follow(before: &Document, after: &Document, genre: Genre, value: &str, last: Option<&[String]>) -> Verdict {
    let (was, is) = (offer::all(before, genre), offer::all(after, genre));
    let body = OnceCell::new();
    let stands = |term: &str| offer::stands(body.get_or_init(|| offer::body(after)), term);
    let anew = || line::fresh(is.list(), || telling(&offer::prose(after)));
    let outgrown = is.list().len() < line::FEW && offer::outgrown(before, after);
    let change = Change {
        before: &was,
        after: &is,
        stands: &stands,
        fresh: outgrown.then_some(&anew as &dyn Fn() -> Vec<String>),
    };
    line::follow(value, &change, last)
}

fn write(document: &Document, value: &str, own: &str) -> Next {
    match place::write(document, value) {
        Some(splice) => Next::Write { splice, line: own.to_string() },
        None => Next::Keep,
    }
}

/// The replacement that makes `value` the document's summary line: in its place, or in a new one; `None` when it
/// stands so already. An empty value takes the line away.
pub fn placed(document: &Document, value: &str) -> Option<Splice> {
    place::write(document, value)
}

/// All(t): the terms a text offers, in file order.
pub fn terms(document: &Document, genre: Genre) -> Vec<String> {
    offer::all(document, genre).into_list()
}

/// Fresh(t): the line memdir would write where none stands; empty when there are no terms.
pub fn fresh(document: &Document, genre: Genre) -> String {
    line::fresh(&terms(document, genre), || telling(&offer::prose(document))).join(", ")
}

/// Terms of All(t) that do not stand in a person's line and wait for room (what `status` and `check` tell).
///
/// A line counts as a person's when one of its terms is neither offered by the text nor among its telling words.
/// Prose waits for nothing.
pub fn waiting(document: &Document, genre: Genre) -> Vec<String> {
    let value = document.summary().and_then(|line| place::value(document, line));
    let Some(value) = value.filter(|v| !line::is_prose(v)) else { return Vec::new() };
    let (present, offered) = (line::split(&value), offer::all(document, genre));
    let strange: Vec<_> = present.iter().filter(|t| !offered.has(t)).collect();
    if line::fits(&present) && (strange.is_empty() || strange.iter().all(|t| is_telling(document, t))) {
        return Vec::new();
    }
    line::waiting(&present, offered.list())
}

fn is_telling(document: &Document, term: &str) -> bool {
    telling(&offer::prose(document)).iter().any(|(word, _)| word == term)
}

#[cfg(test)]
mod tests;

#[cfg(test)]
mod pointer_tests;
