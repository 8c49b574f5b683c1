//! Keeps the `> Summary:` line of a file up to date without a model (ARCHITECTURE.md, "Summary lines").
//!
//! Pure. Never rewrites words that a person wrote.

use std::cell::OnceCell;

use super::Document;
use crate::text::words::TextWord;
use crate::text::{Splice, stopwords, words};

mod keywords;
mod line;
mod merge;
mod placement;
mod terms;

pub use merge::merge_summaries;

use keywords::keywords;
use line::{LineUpdate, TermChange};

/// The kind of a file by its folder; it determines which terms the summary line uses.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FileKind {
    /// `facts/` and adopted files: labels and headings.
    Facts,
    /// `episodes/`: titles of entries.
    Episodes,
    /// Other folders: memdir adds no summary line, but updates an existing one.
    Other,
}

/// The result of updating the summary line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum SummaryUpdate {
    /// No change; also if there is no line and none is needed.
    Keep,
    /// Apply this replacement.
    Write {
        /// Replacement of the text *after* the edits.
        splice: Splice,
        /// The terms of the new line that memdir wrote, in order. The journal stores them, and the caller passes them
        /// back as `last`. A person's terms are left out; otherwise the next update would treat them as memdir's own.
        own_terms: String,
    },
    /// The result depends on whether memdir wrote the current line: call again with the terms memdir last wrote for
    /// this file.
    NeedsLastLine,
}

/// Computes the summary line after a change. `last` holds the terms that memdir last wrote for this file: `None` if not
/// looked up yet, `Some(None)` if the journal has none.
///
/// A `description:` in the front matter, which other programs read, is changed only where memdir wrote all of it.
///
/// The current line is read from `after`; for a new file, `before` is an empty document. The caller skips this function
/// if it wrote the line itself, and for an undo that restores a text, link rewriting and merges that only one side
/// changed.
pub fn update_summary(
    before: &Document,
    after: &Document,
    kind: FileKind,
    last: Option<Option<&str>>,
) -> SummaryUpdate {
    let Some(present) = after.summary_line() else {
        let no_line_needed = kind == FileKind::Other || placement::has_multiline_summary(after);
        let line = if no_line_needed { String::new() } else { new_summary(after, kind) };
        return write_value(after, &line, &line);
    };
    let Some(value) = placement::plain_value(after, present) else { return SummaryUpdate::Keep };
    if value.is_empty() {
        if placement::is_description(after, present) {
            return SummaryUpdate::Keep;
        }
        let line = new_summary(after, kind);
        return if line.is_empty() { SummaryUpdate::Keep } else { write_value(after, &line, &line) };
    }
    let last = last.map(|line| line::split_terms(line.unwrap_or_default()));
    match update_value(before, after, kind, &value, last.as_deref()) {
        LineUpdate::Keep => SummaryUpdate::Keep,
        LineUpdate::NeedsLastLine => SummaryUpdate::NeedsLastLine,
        LineUpdate::Replace { terms, .. } if terms.is_empty() => {
            let line = new_summary(after, kind);
            write_value(after, &line, &line)
        }
        LineUpdate::Replace { terms, own } => write_value(after, &terms.join(", "), &own.join(", ")),
    }
}

fn update_value(
    before: &Document,
    after: &Document,
    kind: FileKind,
    value: &str,
    last: Option<&[String]>,
) -> LineUpdate {
    let (terms_before, terms_after) = terms::candidate_terms_of_both(before, after, kind);
    let (body_before, body) = (OnceCell::new(), OnceCell::new());
    // Keywords come from the texts without their markup.
    let both_forms = || terms::lower_body(before) + "\n" + &terms::keyword_source(before).to_lowercase();
    let in_text_before = |term: &str| terms::contains_term(body_before.get_or_init(both_forms), term);
    let in_text = |term: &str| terms::contains_term(body.get_or_init(|| terms::lower_body(after)), term);
    let new_line = || line::new_line(terms_after.list(), || keywords(&terms::keyword_source(after)));
    let choose_keywords_again = terms_after.list().len() < line::FEW_TERMS && terms::size_class_grew(before, after);
    let change = TermChange {
        before: &terms_before,
        after: &terms_after,
        in_text_before: &in_text_before,
        in_text: &in_text,
        keeps_edited: after.summary_line().is_some_and(|line| placement::is_description(after, line)),
        new_line: choose_keywords_again.then_some(&new_line as &dyn Fn() -> Vec<String>),
    };
    line::update_line(value, &change, last)
}

fn write_value(document: &Document, value: &str, own: &str) -> SummaryUpdate {
    match placement::write_value(document, value) {
        Some(splice) => SummaryUpdate::Write { splice, own_terms: own.to_string() },
        None => SummaryUpdate::Keep,
    }
}

/// Returns the replacement that sets the summary line to `value`, adding a line if there is none. An empty value
/// removes the line. `None` if there is no line to remove, or no position where a new line would be recognised.
pub fn set_summary_line(document: &Document, value: &str) -> Option<Splice> {
    placement::write_value(document, value)
}

/// The candidate terms of a document, in file order.
pub fn summary_terms(document: &Document, kind: FileKind) -> Vec<String> {
    terms::candidate_terms(document, kind).into_list()
}

/// The line that memdir would write for a document without one; empty if it has no terms.
pub fn new_summary(document: &Document, kind: FileKind) -> String {
    line::new_line(&summary_terms(document, kind), || keywords(&terms::keyword_source(document))).join(", ")
}

/// Candidate terms missing from a line that a person edited, because the line is full. `status` and `check` report
/// them.
///
/// A line counts as edited by a person if one of its terms is neither a candidate term nor a keyword of the document.
/// Prose lines have no pending terms.
pub fn pending_terms(document: &Document, kind: FileKind) -> Vec<String> {
    let own = document.summary_line().filter(|line| !placement::is_description(document, *line));
    let value = own.and_then(|line| placement::plain_value(document, line));
    let Some(value) = value.filter(|v| !line::is_prose(v)) else { return Vec::new() };
    let (present, candidates) = (line::split_terms(&value), terms::candidate_terms(document, kind));
    let unknown: Vec<_> = present.iter().filter(|t| !candidates.contains(t)).collect();
    if line::fits(&present) && (unknown.is_empty() || unknown.iter().all(|t| is_keyword(document, t))) {
        return Vec::new();
    }
    line::pending_terms(&present, candidates.list())
}

/// Whether a document still has every term of an earlier summary line, outside of its own.
pub fn has_every_term(document: &Document, earlier: &str) -> bool {
    let body = terms::lower_body(document);
    line::split_terms(earlier).iter().all(|term| terms::contains_term(&body, term))
}

/// Whether the summary line has a telling word of a text that nothing else in the document has.
pub fn is_only_place_of_words(document: &Document, text: &str) -> bool {
    let Some(line) = document.summary_line() else { return false };
    let value = document.text()[line.value.range()].to_lowercase();
    let body = OnceCell::new();
    let is_telling = |word: &TextWord<'_>| {
        if word.is_ngram {
            word.text.chars().nth(1).is_some() && !stopwords::is_stop_ngram(&word.text)
        } else {
            word.text.chars().nth(2).is_some() && !stopwords::is_stopword(&word.text)
        }
    };
    words(text).filter(is_telling).any(|word| {
        terms::contains_term(&value, &word.text)
            && !terms::contains_term(body.get_or_init(|| terms::lower_body(document)), &word.text)
    })
}

fn is_keyword(document: &Document, term: &str) -> bool {
    keywords(&terms::keyword_source(document)).iter().any(|(word, _)| word == term)
}

#[cfg(test)]
mod tests;

#[cfg(test)]
mod pointer_tests;
