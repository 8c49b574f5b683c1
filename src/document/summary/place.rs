//! Where the summary line stands in a text, what it says there, and the replacement that writes, changes or removes it.
//!
//! Never touches a byte beside the line and the blank lines around it.

use std::borrow::Cow;

use crate::document::{Document, SummaryLine};
use crate::text::Splice;

/// The value of a document's line as plain text; `None` where only a person can mean it: a list in front matter, or a
/// quote that goes on below the line.
pub fn value(document: &Document, line: SummaryLine) -> Option<Cow<'_, str>> {
    let text = document.text();
    let value = text[line.value.range()].trim();
    if line.front {
        let plain = !value.starts_with(['[', '{', '&', '*', '!']);
        return plain.then(|| document.front_text(front_key(document)).unwrap_or_default().into());
    }
    let below = text[line.line.end as usize..].lines().next().unwrap_or_default();
    below.trim().is_empty().then_some(Cow::Borrowed(value))
}

/// Whether front matter says over several lines what the file is about: then no line is due below it.
pub fn is_told_at_length(document: &Document) -> bool {
    let front = document.front_matter().map_or("", |f| &document.text()[f.range()]);
    document.summary().is_none() && front.lines().any(|l| l.starts_with("summary:") || l.starts_with("description:"))
}

fn front_key(document: &Document) -> &'static str {
    if document.front_value("summary").is_some() { "summary" } else { "description" }
}

/// The replacement that gives a document this value; an empty one takes the line away. `None` where there is no place
/// that would be read as the summary again.
pub fn write(document: &Document, value: &str) -> Option<Splice> {
    match document.summary() {
        Some(line) if line.front => document.set_front(front_key(document), value),
        Some(line) if value.is_empty() => Some(remove(document.text(), line)),
        Some(line) => Some(replace(document.text(), line, value)),
        None if value.is_empty() => None,
        None => insert(document, value),
    }
}

fn replace(text: &str, line: SummaryLine, value: &str) -> Splice {
    let (start, end) = (line.value.start as usize, line.value.end as usize);
    let blank = if text[..start].ends_with(':') { " " } else { "" };
    Splice { start, end, new: format!("{blank}{value}") }
}

fn remove(text: &str, line: SummaryLine) -> Splice {
    let (mut start, mut end) = (line.line.start as usize, line.line.end as usize);
    let above = text[..start].lines().next_back().unwrap_or_default();
    let top = above.trim_start_matches('\u{feff}').trim().is_empty();
    match blank_line(&text[end..]) {
        Some(length) if top => end += length,
        _ if end == text.len() && above.trim().is_empty() => start -= last_line(&text[..start]),
        _ => {}
    }
    Splice { start, end, new: String::new() }
}

/// The length of the first line, its end included, when it is blank.
fn blank_line(text: &str) -> Option<usize> {
    let line = text.split_inclusive('\n').next()?;
    line.trim().is_empty().then_some(line.len())
}

/// The length of the last line, its end included, when it is blank (a byte order mark is not).
fn last_line(text: &str) -> usize {
    text.split_inclusive('\n').next_back().filter(|l| l.trim().is_empty()).map_or(0, str::len)
}

/// After the H1, else at the top; wherever it would be read as the summary.
fn insert(document: &Document, value: &str) -> Option<Splice> {
    let text = document.text();
    let heading = document.sections().iter().find(|s| s.level == 1).map(|s| line_end(text, s.heading.end as usize));
    let bom = if text.starts_with('\u{feff}') { '\u{feff}'.len_utf8() } else { 0 };
    let top = document.front_matter().map_or(bom, |f| line_end(text, f.end as usize));
    heading.into_iter().chain([top]).map(|at| line_at(document, at, at > bom, value)).find(|splice| {
        let new = text[..splice.start].to_string() + &splice.new + &text[splice.start..];
        let again = Document::parse(new);
        again.summary().is_some_and(|s| !s.front && again.text()[s.value.range()].trim() == value)
    })
}

/// One past the end of the line that a block ends in.
fn line_end(text: &str, end: usize) -> usize {
    if text[..end].ends_with('\n') {
        return end;
    }
    text[end..].find('\n').map_or(text.len(), |i| end + i + 1)
}

fn line_at(document: &Document, at: usize, below: bool, value: &str) -> Splice {
    let (text, eol) = (document.text(), document.eol().as_str());
    let open = !text[..at].ends_with('\n');
    let before = match (below, open) {
        (false, _) => String::new(),
        (true, false) => eol.to_string(),
        (true, true) => eol.repeat(2),
    };
    let rest = &text[at..];
    let after = match blank_line(rest) {
        _ if rest.is_empty() && below && open => String::new(),
        Some(_) => eol.to_string(),
        None if rest.is_empty() => eol.to_string(),
        None => eol.repeat(2),
    };
    Splice { start: at, end: at, new: format!("{before}> Summary: {value}{after}") }
}
