//! Copies of a forgotten text in `archive/` and `inbox/`, and how they read without it.

use std::collections::HashSet;
use std::sync::Arc;

use super::strip_marker;
use crate::change::{FileChange, FileVersion};
use crate::code::Rejection;
use crate::commands::Session;
use crate::document::{Document, DocumentEdit, apply_edits, summary};
use crate::path::MemoryPath;
use crate::reflect::inbox_item;

/// How a summary line starts in the diff of a proposal, after the sign.
const SUMMARY_START: &str = "> Summary:";

/// The text of a copy without the lines and bullets to forget; `None` if nothing else remains.
pub(super) fn without_texts(text: &str, texts: &[String]) -> Option<String> {
    let forgotten = |line: &str| texts.iter().any(|t| *t == strip_marker(line) || t == line.trim());
    let document = Document::parse(text);
    let is_forgotten = |i: &usize| forgotten(&document.bullet_text(*i)) || forgotten(document.bullet_raw(*i));
    let top: Vec<DocumentEdit> =
        (0..document.bullets().len()).filter(is_forgotten).map(|bullet| DocumentEdit::Remove { bullet }).collect();
    let text = apply_edits(&document, &top).map(|e| e.document.into_text()).unwrap_or_else(|_| text.to_owned());
    let mut remaining: String = text.split_inclusive('\n').filter(|line| !forgotten(line)).collect();
    if let Some(line) = Document::parse(&*remaining).summary_line().map(|s| s.line.range())
        && texts.iter().any(|t| remaining[line.clone()].contains(t.as_str()))
    {
        remaining.replace_range(line, "");
    }
    let has_content = |line: &str| !line.trim().is_empty() && !line.starts_with(['#', '>']);
    remaining.lines().any(has_content).then_some(remaining)
}

/// The lines and bullets of a text, with and without the marker of a list: what is one of them as a whole stays in the
/// history, too.
pub(super) fn whole_texts(text: &str) -> HashSet<String> {
    let document = Document::parse(text);
    let bullets = (0..document.bullets().len()).map(|bullet| document.bullet_text(bullet).to_string());
    let lines = text.lines().flat_map(|line| [line.trim(), strip_marker(line)]).map(str::to_owned);
    bullets.chain(lines).collect()
}

/// Whether a line is one of the texts, with or without the marker of a list.
fn is_one_of(line: &str, texts: &[String]) -> bool {
    texts.iter().any(|text| *text == strip_marker(line) || text == line.trim())
}

/// Whether a proposal adds or removes one of the texts, or has it in its quote.
pub(super) fn proposes_text(text: &str, texts: &[String]) -> bool {
    let proposal = inbox_item::parse_item(text);
    let quote = |line: &&String| line.starts_with("Said: ") && texts.iter().any(|t| line.contains(t.as_str()));
    let changed = |line: &str| line.strip_prefix(['+', '-']).is_some_and(|line| is_one_of(line, texts));
    proposal.diff.lines().any(changed)
        || proposal.added_texts().any(|added| is_one_of(added, texts))
        || proposal.details.iter().any(|line| quote(&line))
}

/// A proposal without the texts among the unchanged lines of its diff, which say nothing of the change.
pub(super) fn without_diff_context(text: &str, texts: &[String]) -> String {
    let mut in_diff = false;
    let kept = text.split_inclusive('\n').filter(|line| {
        let line = line.trim_end();
        in_diff = line == "```diff" || in_diff && line != "```";
        !(in_diff && line.strip_prefix(' ').is_some_and(|line| is_one_of(line, texts)))
    });
    kept.collect()
}

pub(super) fn scrubbed_copy(
    session: &Session,
    path: &MemoryPath,
    text: &str,
    after: Option<&str>,
) -> Result<Option<FileChange>, Rejection> {
    let before: Option<FileVersion> = session.store.read(path)?;
    if after == Some(text) || before.is_none() {
        return Ok(None);
    }
    let after = after.map(|text| Arc::new(text.as_bytes().to_vec()));
    Ok(Some(FileChange { path: path.clone(), before, after, mode: None, edits: None, moved: None, summary: None }))
}

/// Whether a summary line in the diff of a proposal has a word of the texts that nothing else in the proposal has.
pub(super) fn has_summary_words(proposal: &str, texts: &[String]) -> bool {
    proposal.contains(SUMMARY_START) && without_summary_words(proposal, texts) != proposal
}

/// A proposal without those summary lines of its diff that have a word of the texts: they are derived from the whole
/// file, and what is accepted is the operation.
pub(super) fn without_summary_words(proposal: &str, texts: &[String]) -> String {
    let summary_line = |line: &str| {
        let rest = line.strip_prefix([' ', '+', '-']).filter(|rest| rest.starts_with(SUMMARY_START));
        rest.map(|rest| rest.trim_end().to_owned())
    };
    let body: String = proposal
        .lines()
        .filter(|line| summary_line(line).is_none())
        .map(|line| format!("{}\n", line.strip_prefix([' ', '+', '-']).unwrap_or(line)))
        .collect();
    let has_words = |line: &str| {
        let document = Document::parse(format!("# T\n\n{line}\n\n{body}"));
        texts.iter().any(|text| summary::is_only_place_of_words(&document, text))
    };
    proposal.split_inclusive('\n').filter(|line| !summary_line(line).is_some_and(|line| has_words(&line))).collect()
}
