//! The `> Summary:` line: what a file holds, kept current without a model (DESIGN 2).
//!
//! Pure and sticky: it never rewrites a person's words.

use super::Document;
use crate::text::Splice;

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
    /// The text needs this replacement; `line` is the new value (empty: the line goes).
    Write {
        /// On the text *after* the edits.
        splice: Splice,
        /// The value, as the journal remembers it.
        line: String,
    },
    /// Rule 2 must know whether memdir wrote the present line: call again with memdir's last line for this file.
    NeedsLast,
}

/// Decides the line after a change. `last` is memdir's own last line for this file: `None` when not looked up yet,
/// `Some(None)` when the journal knows none.
pub fn next(before: &Document, after: &Document, genre: Genre, last: Option<Option<&str>>) -> Next {
    let _ = (before, after, genre, last);
    todo!()
}

/// All(t): the terms a text offers, in file order.
pub fn terms(document: &Document, genre: Genre) -> Vec<String> {
    let _ = (document, genre);
    todo!()
}

/// Fresh(t): the line memdir would write where none stands; empty when there are no terms.
pub fn fresh(document: &Document, genre: Genre) -> String {
    let _ = (document, genre);
    todo!()
}

/// Terms of All(t) that do not stand in a person's line and wait for room (what `status` and `check` tell).
pub fn waiting(document: &Document, genre: Genre) -> Vec<String> {
    let _ = (document, genre);
    todo!()
}
