//! Reads the value of a summary line, and returns the replacement that adds, changes or removes the line.
//!
//! Never touches bytes other than the line and the blank lines around it.

use std::borrow::Cow;

use crate::document::{Document, SummaryLine, lines};
use crate::text::Splice;

/// The value of a summary line as plain text. `None` for forms that memdir does not write: a list in the front matter,
/// or a quote with more lines below.
pub fn plain_value(document: &Document, line: SummaryLine) -> Option<Cow<'_, str>> {
    let text = document.text();
    let value = text[line.value.range()].trim();
    if line.in_front_matter {
        let plain = !value.starts_with(['[', '{', '&', '*', '!']);
        return plain.then(|| document.front_text(front_key(document)).unwrap_or_default().into());
    }
    let below = first_line(&text[line.line.end as usize..]);
    below.trim().is_empty().then_some(Cow::Borrowed(value))
}

/// Whether the front matter has a summary over several lines; then the body gets no summary line.
pub fn has_multiline_summary(document: &Document) -> bool {
    let front = document.front_matter().map_or("", |f| &document.text()[f.range()]);
    document.summary_line().is_none()
        && front.lines().any(|l| l.starts_with("summary:") || l.starts_with("description:"))
}

/// Whether a summary line is the `description:` of the front matter.
pub fn is_description(document: &Document, line: SummaryLine) -> bool {
    line.in_front_matter && front_key(document) == "description"
}

fn front_key(document: &Document) -> &'static str {
    if document.front_value("summary").is_some() { "summary" } else { "description" }
}

/// Returns the replacement that sets the summary to `value`; an empty value removes the line. `None` if there is no
/// line to remove, or no position where a new line would be recognised as the summary.
pub fn write_value(document: &Document, value: &str) -> Option<Splice> {
    match document.summary_line() {
        Some(line) if line.in_front_matter => document.set_front_value(front_key(document), value),
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
    let above = last_line(&text[..start]);
    let top = above.trim_start_matches('\u{feff}').trim().is_empty();
    match leading_blank_line(&text[end..]) {
        Some(length) if top => end += length,
        _ if end == text.len() && above.trim().is_empty() => start -= trailing_blank_line(&text[..start]),
        _ => {}
    }
    Splice { start, end, new: String::new() }
}

/// The first line, including its line ending.
fn first_line(text: &str) -> &str {
    &text[..lines::end(text.as_bytes(), 0)]
}

/// The last line, including its line ending.
fn last_line(text: &str) -> &str {
    &text[text.len().checked_sub(1).map_or(0, |last| lines::start(text.as_bytes(), last))..]
}

/// Length of the first line including its line ending, if it is blank.
fn leading_blank_line(text: &str) -> Option<usize> {
    let line = Some(first_line(text)).filter(|line| !line.is_empty())?;
    line.trim().is_empty().then_some(line.len())
}

/// Length of the last line including its line ending, if it is blank; 0 otherwise. A byte order mark is not blank.
fn trailing_blank_line(text: &str) -> usize {
    let line = last_line(text);
    if line.trim().is_empty() { line.len() } else { 0 }
}

/// Inserts a line after the H1, else at the top: at the first position where parsing recognises it as the summary.
fn insert(document: &Document, value: &str) -> Option<Splice> {
    let text = document.text();
    let heading = document.sections().iter().find(|s| s.level == 1).map(|s| line_end(text, s.heading.end as usize));
    let bom = if text.starts_with('\u{feff}') { '\u{feff}'.len_utf8() } else { 0 };
    let top = document.front_matter().map_or(bom, |f| line_end(text, f.end as usize));
    heading.into_iter().chain([top]).map(|at| insertion_at(document, at, at > bom, value)).find(|splice| {
        let new = text[..splice.start].to_string() + &splice.new + &text[splice.start..];
        let again = Document::parse(new);
        again.summary_line().is_some_and(|s| !s.in_front_matter && again.text()[s.value.range()].trim() == value)
    })
}

/// End of the line in which a block ends.
fn line_end(text: &str, end: usize) -> usize {
    let inside_crlf = text[..end].ends_with('\r') && text[end..].starts_with('\n');
    if text[..end].ends_with(['\n', '\r']) && !inside_crlf {
        return end;
    }
    lines::end(text.as_bytes(), end)
}

fn insertion_at(document: &Document, at: usize, below: bool, value: &str) -> Splice {
    let (text, eol) = (document.text(), document.eol().as_str());
    let no_final_eol = !text[..at].ends_with(['\n', '\r']);
    let before = match (below, no_final_eol) {
        (false, _) => String::new(),
        // Behind a line that ends with `\r`, `\n` would be part of that line's ending.
        (true, false) if text[..at].ends_with('\r') => "\r".to_owned(),
        (true, false) => eol.to_string(),
        (true, true) => eol.repeat(2),
    };
    let rest = &text[at..];
    let after = match leading_blank_line(rest) {
        _ if rest.is_empty() && below && no_final_eol => String::new(),
        Some(_) => eol.to_string(),
        None if rest.is_empty() => eol.to_string(),
        None => eol.repeat(2),
    };
    Splice { start: at, end: at, new: format!("{before}> Summary: {value}{after}") }
}
