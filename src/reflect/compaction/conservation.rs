//! Checks that a compaction step changes only the items that its operations name.
//!
//! Compares lines, never meanings. Lines may differ only if they belong to a named item, are blank, or are derived by
//! memdir (the summary, `Updated:` dates).

use std::ops::Range;

use anyhow::{anyhow, bail};

use super::step::{CompactionStep, find_candidate};
use crate::document::Document;
use crate::operation::evict::{EvictionCandidate, byte_range};

/// How many matches of a new text are tried: the file may contain the same text elsewhere.
const MAX_MATCHES: usize = 8;

/// Checks a step by the document before and after it.
///
/// # Errors
/// A sentence about the violation.
pub fn check_conservation(step: &CompactionStep, before: &Document, after: &Document) -> anyhow::Result<()> {
    let mut changed: Vec<Range<usize>> = Vec::new();
    let mut new_texts: Vec<&str> = Vec::new();
    for edit in &step.edits {
        let Some(candidate) = find_candidate(step, edit, before) else {
            bail!("an operation matches no item");
        };
        match &edit.new_text {
            None => changed.push(byte_range(before, candidate)),
            Some(text) => {
                changed.push(own_lines(before, candidate));
                new_texts.push(text);
            }
        }
    }
    let unchanged = unchanged_lines(before, &changed);
    if matches_after(&unchanged, after, &new_texts, &mut Vec::new()) {
        Ok(())
    } else {
        Err(anyhow!("it would change an item that no decision names"))
    }
}

/// Whether `after` consists of the lines in `rest` and the new items, at any position. Backtracks over the matches.
fn matches_after(rest: &[&str], after: &Document, new: &[&str], taken: &mut Vec<Range<usize>>) -> bool {
    let Some((text, more)) = new.split_first() else { return unchanged_lines(after, taken) == rest };
    let matches: Vec<EvictionCandidate> = if text.contains('\n') {
        let title = text.lines().next().unwrap_or_default();
        let sections = (1..after.sections().len()).map(EvictionCandidate::Entry);
        sections.filter(|t| after.text()[byte_range(after, *t)].starts_with(title)).collect()
    } else {
        after.bullets_by_text(text).into_iter().map(EvictionCandidate::Bullet).collect()
    };
    matches.into_iter().take(MAX_MATCHES).any(|candidate| {
        let range = own_lines(after, candidate);
        if taken.contains(&range) {
            return false;
        }
        taken.push(range);
        let fits = matches_after(rest, after, more, taken);
        taken.pop();
        fits
    })
}

/// The byte range that a rewrite may change: a bullet's first paragraph with its metadata, or a whole entry.
fn own_lines(document: &Document, candidate: EvictionCandidate) -> Range<usize> {
    match candidate {
        EvictionCandidate::Entry(_) => byte_range(document, candidate),
        EvictionCandidate::Bullet(i) => {
            let b = &document.bullets()[i];
            let end = b.meta.map_or(b.text_end, |m| document.meta_lines()[m as usize].line.end) as usize;
            let line = document.text()[end..].find('\n').map_or(document.text().len(), |n| end + n + 1);
            let end = if b.meta.is_some() { end } else { line };
            b.line_start as usize..end
        }
    }
}

/// The lines of a document that must not change, without line endings.
fn unchanged_lines<'d>(document: &'d Document, changed: &[Range<usize>]) -> Vec<&'d str> {
    let summary = document.summary_line().map_or(0..0, |s| s.line.range());
    let mut changed: Vec<&Range<usize>> = changed.iter().collect();
    changed.sort_by_key(|range| range.start);
    let mut changed = changed.into_iter().peekable();
    let mut changed_until = 0;
    let mut at = 0;
    let mut out = Vec::new();
    for line in document.text().split_inclusive('\n') {
        let start = at;
        at += line.len();
        while let Some(range) = changed.next_if(|range| range.start <= start) {
            changed_until = changed_until.max(range.end);
        }
        if start < changed_until || summary.contains(&start) {
            continue;
        }
        let line = line.trim_end_matches(['\n', '\r']);
        let label = line.trim_start_matches(['-', '*', '+', ' ']);
        let dated = ["Updated:", "**Updated:**", "updated:", "last_updated:"].iter().any(|l| label.starts_with(l));
        if !line.trim().is_empty() && !dated {
            out.push(line);
        }
    }
    out
}
