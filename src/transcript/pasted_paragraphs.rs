//! Decides on whole paragraphs of a message once its lines are read: what stands between lines of a program, above a
//! closing line that points back, or below a passage without an end.
//!
//! Never gives a line back to the author that shows itself as pasted.

use super::disguised_letters::has_disguised_letters;
use super::machine_lines::{is_field, is_machine_line, is_numbered_clause, is_page_mark};
use super::pasted::PastedLines;
use super::pasted_blocks::is_closing;
use super::pasted_requests::{is_pointer, is_request, is_request_about_text};

/// A closing paragraph of the author's has at most so many lines.
const MAX_CLOSING_LINES: usize = 4;

/// Marks what stands between two lines of a program, and the whole paragraph of a line of a page or with disguised
/// letters: only the author's requests stay.
pub(super) fn spread_in_paragraphs(lines: PastedLines<'_>, pasted: &mut [bool]) {
    let asks = lines.iter().any(|(line, _)| is_request(line));
    let mut at = 0;
    while at < lines.len() {
        let length = lines[at..].iter().take_while(|(line, _)| !line.trim().is_empty()).count();
        let paragraph = at..at + length;
        at += length.max(1);
        let is_machine = |n: &usize| is_machine_line(lines[*n].0);
        let is_disguised = paragraph.clone().any(|n| has_disguised_letters(lines[n].0));
        let (first, last) = (paragraph.clone().find(is_machine), paragraph.clone().rev().find(is_machine));
        let count = |test: fn(&str) -> bool| paragraph.clone().filter(|n| test(lines[*n].0)).count();
        let is_document = count(is_numbered_clause) >= 2;
        // A form: a list of one's own has a lead of one's own, or the message asks for nothing.
        let is_form = asks
            && count(is_field) >= 3
            && count(is_field) + 1 >= paragraph.len()
            && !lines[paragraph.start.saturating_sub(3)..=paragraph.start].iter().any(|(line, _)| is_own_lead(line));
        let reach = match (first, last) {
            _ if is_disguised || is_document || is_form || count(is_page_mark) > 0 => paragraph.clone(),
            (Some(first), Some(last)) => first..last + 1,
            _ => continue,
        };
        for n in reach {
            let is_edge = n == paragraph.start || n + 1 == paragraph.end;
            let is_foreign = is_machine(&n) || has_disguised_letters(lines[n].0);
            pasted[n] |= is_foreign || !is_edge || !is_request(lines[n].0);
        }
    }
}

/// Whether a line leads to the author's own words: `My setup:`.
fn is_own_lead(line: &str) -> bool {
    let line = line.trim();
    let low = line.to_lowercase();
    let is_mine =
        ["my ", "our ", "i ", "about me", "we "].iter().any(|word| low.starts_with(word)) || low.contains(" me:");
    line.ends_with([':', '：']) && (is_mine || line.contains('我'))
}

/// Marks the letter between a request and the name below its closing words, or below a dash.
pub(super) fn mark_signed(lines: PastedLines<'_>, pasted: &mut [bool]) {
    let has_text = |n: &usize| !lines[*n].0.trim().is_empty();
    let Some(opening) = (0..lines.len()).find(has_text).filter(|n| is_request(lines[*n].0)) else { return };
    let is_signature = |line: &str| {
        let name = line.trim().strip_prefix(['—', '–', '―']).or_else(|| line.trim().strip_prefix("-- "));
        name.is_some_and(|name| name.split_whitespace().count() <= 4 && name.trim().starts_with(char::is_uppercase))
    };
    let is_end = |n: &usize| is_closing(lines, *n) || is_signature(lines[*n].0);
    if let Some(end) = (opening + 2..lines.len()).rev().find(is_end) {
        (opening + 1..=end).for_each(|n| pasted[n] = true);
    }
}

/// Marks all that stands above a closing line that points back to it, or asks for something to be done with it.
pub(super) fn mark_before_pointer(lines: PastedLines<'_>, pasted: &mut [bool]) {
    let has_text = |n: &usize| !lines[*n].0.trim().is_empty();
    let Some(closing) = (0..lines.len()).rev().find(has_text) else { return };
    let has_pasted = (0..closing).any(|n| pasted[n] && has_text(&n));
    let line = lines[closing].0;
    if has_pasted || !(is_pointer(line) || is_request_about_text(line)) {
        return;
    }
    let is_own = |n: usize| is_first(lines, n) && is_request(lines[n].0);
    (0..closing).filter(|n| !is_own(*n)).for_each(|n| pasted[n] = true);
}

/// Whether a line closes a letter before the name on the same line: "Best, Ruth".
fn has_sign_off(line: &str) -> bool {
    let low = line.trim().to_lowercase();
    let closings =
        ["best, ", "regards, ", "cheers, ", "yours, ", "sincerely, ", "love, ", "此致", "祝好", "敬上", "顺祝"];
    closings.iter().any(|words| low.contains(words))
}

/// Returns the closing paragraph to the author, or the last line: it asks for something, below a passage without an end.
pub(super) fn return_closing(lines: PastedLines<'_>, start: usize, is_bounded: bool, pasted: &mut [bool]) {
    let is_blank = |n: usize| lines[n].0.trim().is_empty();
    let Some(last) = (0..lines.len()).rev().find(|n| !is_blank(*n)) else { return };
    let first = (start..=last).rev().take_while(|n| !is_blank(*n)).last().unwrap_or(last);
    let has_passage = |from: usize| (start + 1..from).any(|n| !is_blank(n));
    let is_signed = (first..=last).any(|n| is_closing(lines, n) || has_sign_off(lines[n].0));
    if is_bounded || is_signed || lines[last].1 {
        return;
    }
    let asks = (first..=last).any(|n| is_request(lines[n].0));
    let closing = match asks && has_passage(first) && last - first < MAX_CLOSING_LINES {
        true => first..=last,
        false if is_request(lines[last].0) && has_passage(last) => last..=last,
        false => return,
    };
    closing.for_each(|n| pasted[n] = false);
}

/// Whether no line with text stands above a line.
pub(super) fn is_first(lines: PastedLines<'_>, at: usize) -> bool {
    lines[..at].iter().all(|(line, _)| line.trim().is_empty())
}
