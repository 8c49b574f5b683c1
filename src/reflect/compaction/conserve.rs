//! Conservation: what no operation names stands after a step exactly as it stood before it.
//!
//! Compares lines, not meanings: the only lines that may differ are those of named items, blank ones, and those that
//! memdir derives (the summary, `Updated:` dates).

use std::ops::Range;

use super::step::{Step, thing};
use crate::document::Document;
use crate::operation::evict::{Thing, lines_of};

/// How many places a new text is looked for in: a file may say the same elsewhere.
const PLACES: usize = 8;

/// Checks a step by the file's text before and after it.
///
/// # Errors
/// A sentence that says what went wrong.
pub fn conserved(step: &Step, before: &Document, after: &Document) -> Result<(), String> {
    let mut gone: Vec<Range<usize>> = Vec::new();
    let mut new: Vec<&str> = Vec::new();
    for one in &step.moves {
        let Some(thing) = thing(step, one, before) else { return Err("an operation names nothing".into()) };
        match &one.becomes {
            None => gone.push(lines_of(before, thing)),
            Some(text) => {
                gone.push(own_lines(before, thing));
                new.push(text);
            }
        }
    }
    let rest = kept(before, &gone);
    match stands(&rest, after, &new, &mut Vec::new()) {
        true => Ok(()),
        false => Err("it would change what no decision names".into()),
    }
}

/// Whether a text is the rest and the new items, wherever those stand.
fn stands(rest: &[&str], after: &Document, new: &[&str], taken: &mut Vec<Range<usize>>) -> bool {
    let Some((text, more)) = new.split_first() else { return kept(after, taken) == rest };
    let places: Vec<Thing> = match text.contains('\n') {
        true => {
            let title = text.lines().next().unwrap_or_default();
            let sections = (1..after.sections().len()).map(Thing::Entry);
            sections.filter(|t| after.text()[lines_of(after, *t)].starts_with(title)).collect()
        }
        false => after.by_text(text).into_iter().map(Thing::Bullet).collect(),
    };
    places.into_iter().take(PLACES).any(|thing| {
        let range = own_lines(after, thing);
        if taken.contains(&range) {
            return false;
        }
        taken.push(range);
        let found = stands(rest, after, more, taken);
        taken.pop();
        found
    })
}

/// The lines that a rewrite may change: a bullet's first paragraph and its metadata, a whole entry.
fn own_lines(document: &Document, thing: Thing) -> Range<usize> {
    match thing {
        Thing::Entry(_) => lines_of(document, thing),
        Thing::Bullet(i) => {
            let b = &document.bullets()[i];
            let end = b.meta.map_or(b.head_end, |m| document.metas()[m as usize].line.end) as usize;
            let line = document.text()[end..].find('\n').map_or(document.text().len(), |n| end + n + 1);
            let end = if b.meta.is_some() { end } else { line };
            b.line as usize..end
        }
    }
}

/// A text's lines that may not change.
fn kept<'d>(document: &'d Document, gone: &[Range<usize>]) -> Vec<&'d str> {
    let summary = document.summary().map_or(0..0, |s| s.line.range());
    let mut at = 0;
    let mut out = Vec::new();
    for line in document.text().split_inclusive('\n') {
        let start = at;
        at += line.len();
        if gone.iter().any(|range| range.contains(&start)) || summary.contains(&start) {
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
