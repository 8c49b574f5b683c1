//! Finds the lines of merge conflict markers, of git and of jj, so that they are no part of a bullet's text.
//!
//! Never resolves a conflict: the bullets of both sides are read. The lines of the base are found, too, because neither
//! side says them any more.

use std::borrow::Cow;
use std::ops::Range;

/// Length of a marker in characters.
const MARKER_LENGTH: usize = 7;

/// Line number (1-based) of the first conflict marker; `None` unless all markers are present in order: `<<<<<<< `, then
/// `=======` (git) or `%%%%%%% ` or `+++++++ ` (jj), then `>>>>>>> `.
pub fn first_marker_line(text: &str) -> Option<usize> {
    memchr::memmem::find(text.as_bytes(), b"<<<<<<< ")?;
    let mut seen: Option<(usize, bool)> = None;
    for (number, line) in text.trim_start_matches('\u{feff}').lines().enumerate() {
        seen = match (seen, marker_sign(line)) {
            (_, Some('<')) => seen.filter(|(_, middle)| *middle).or(Some((number + 1, false))),
            (Some((first, _)), Some('=' | '%' | '+')) => Some((first, true)),
            (Some((first, true)), Some('>')) => return Some(first),
            (other, _) => other,
        };
    }
    None
}

/// The offsets of lines that are a conflict marker of git and stand without the others of their set: `|||||||` with or
/// without a label, `<<<<<<< ` and `>>>>>>> ` with one. None if the set is whole.
pub fn leftover_markers(text: &str) -> impl Iterator<Item = usize> {
    let signs: [&[u8]; 3] = [b"<<<<<<< ", b"|||||||", b">>>>>>> "];
    let any = signs.iter().any(|sign| memchr::memmem::find(text.as_bytes(), sign).is_some());
    let text = if any && first_marker_line(text).is_none() { text } else { "" };
    let mut at = 0;
    text.split_inclusive('\n').filter_map(move |line| {
        let start = at;
        at += line.len();
        let content = line.trim_end_matches(['\r', '\n']);
        let is_labelled = |sign: char| sign == '|' || content.len() > MARKER_LENGTH + 1;
        marker_sign(content).filter(|sign| "<|>".contains(*sign) && is_labelled(*sign)).map(|_| start)
    })
}

/// Whether all conflict markers of a text are examples: every one stands in a block of fenced code that is closed, and
/// each block has whole sets of git's markers only. `code` has the byte ranges of the text's blocks of code, ascending.
///
/// A conflict inside such a block, with the same fence on both sides, looks the same: only git knows the difference.
pub fn are_examples(text: &str, code: impl Iterator<Item = Range<usize>>) -> bool {
    let mut code = code.filter(|block| is_closed_fence(&text[block.clone()])).peekable();
    let mut at = 0;
    // The block of the set that is open, and whether its middle marker was found.
    let mut open: Option<(Range<usize>, bool)> = None;
    for line in text.split_inclusive('\n') {
        let start = at;
        at += line.len();
        let content = line.trim_end_matches(['\r', '\n']);
        let Some(sign) = marker_sign(content).filter(|sign| "<|=>%+".contains(*sign)) else { continue };
        while code.next_if(|block| block.end <= start).is_some() {}
        let block = code.peek().filter(|block| block.contains(&start));
        open = match (sign, block, open) {
            ('<', Some(block), None) if !is_label_of_jj(content) => Some((block.clone(), false)),
            ('|', Some(block), Some((of, false))) if of == *block => Some((of, false)),
            ('=', Some(block), Some((of, false))) if of == *block => Some((of, true)),
            ('>', Some(block), Some((of, true))) if of == *block => None,
            // A heading, a list or a diff.
            ('=' | '+' | '%', _, None) => None,
            _ => return false,
        };
    }
    open.is_none()
}

/// Whether a block of code has an opening and a closing fence.
fn is_closed_fence(block: &str) -> bool {
    let mut lines = block.lines();
    let (Some(first), Some(last)) = (lines.next(), lines.next_back()) else { return false };
    let fence = |line: &str| {
        let line = line.trim_start_matches(' ');
        let sign = line.chars().next().filter(|sign| ['`', '~'].contains(sign))?;
        let rest = line.trim_start_matches(sign);
        (line.len() - rest.len() >= 3).then(|| (sign, line.len() - rest.len(), rest.trim().is_empty()))
    };
    match (fence(first), fence(last)) {
        (Some((sign, length, _)), Some((closing, closing_length, true))) => sign == closing && closing_length >= length,
        _ => false,
    }
}

/// Whether jj wrote a first marker: it numbers its conflicts, and lists them nowhere in git.
fn is_label_of_jj(line: &str) -> bool {
    line.split_once("onflict ").is_some_and(|(_, rest)| rest.starts_with(|c: char| c.is_ascii_digit()))
}

/// The sign of a marker line.
fn marker_sign(line: &str) -> Option<char> {
    let sign = line.chars().next().filter(|sign| "<|=>%+-\\".contains(*sign))?;
    let rest = line.trim_start_matches(sign);
    let ends = rest.is_empty() && sign != '<' || rest.starts_with(' ') && sign != '=';
    (line.len() - rest.len() == MARKER_LENGTH && ends).then_some(sign)
}

/// The text for the Markdown parser: every marker line is blank, and in jj's diffs the sign before each line. No byte
/// changes its place. Also the byte ranges of the lines that only the base has.
pub fn blank_out_markers(text: &str) -> (Cow<'_, str>, Vec<Range<usize>>) {
    let mut bases = Vec::new();
    if first_marker_line(text).is_none() {
        return (Cow::Borrowed(text), bases);
    }
    let mut out = String::with_capacity(text.len());
    let (mut inside, mut in_diff, mut in_base) = (false, false, false);
    for line in text.split_inclusive('\n') {
        let content = line.trim_end_matches(['\r', '\n']);
        let sign = marker_sign(content).filter(|sign| inside || *sign == '<');
        match sign {
            Some(sign) => {
                (inside, in_diff) = (sign != '>', sign == '%' || sign == '\\' && in_diff);
                in_base = matches!(sign, '|' | '-');
                out.extend(std::iter::repeat_n(' ', content.len()));
            }
            None if in_diff && content.starts_with(['+', '-']) => {
                if content.starts_with('-') {
                    add_line(&mut bases, out.len()..out.len() + line.len());
                }
                out.push(' ');
                out.push_str(&content[1..]);
            }
            None => {
                if in_base {
                    add_line(&mut bases, out.len()..out.len() + line.len());
                }
                out.push_str(content);
            }
        }
        out.push_str(&line[content.len()..]);
    }
    (Cow::Owned(out), bases)
}

/// Adds a line to ascending ranges of lines.
fn add_line(ranges: &mut Vec<Range<usize>>, line: Range<usize>) {
    match ranges.last_mut() {
        Some(last) if last.end == line.start => last.end = line.end,
        _ => ranges.push(line),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn marker_lines_are_blank_for_the_parser() {
        let blank = |text: &str| {
            let out = blank_out_markers(text).0.into_owned();
            assert_eq!(out.len(), text.len());
            out.lines().map(str::trim_end).filter(|line| !line.is_empty()).collect::<Vec<_>>().join("\n")
        };
        assert_eq!(blank("- a\n<<<<<<< x\n- b\n||||||| o\n- c\n=======\n- d\n>>>>>>> y\n"), "- a\n- b\n- c\n- d");
        assert_eq!(
            blank(
                "- a\n<<<<<<< conflict 1 of 1\n%%%%%%% diff from: b\n\\\\\\\\\\\\\\ to: c\n - k\n-- c\n+- d\n+++++++ two\n- e\n>>>>>>> conflict 1 of 1 ends\n- f\n"
            ),
            "- a\n - k\n - c\n - d\n- e\n- f"
        );
        let plain = "a\n=======\n\n+++++++ x\n- b\n";
        assert_eq!(blank_out_markers(plain), (plain.into(), Vec::new()));
    }

    #[test]
    fn the_lines_of_the_base_are_found() {
        let bases = |text: &str| {
            let ranges = blank_out_markers(text).1;
            ranges.into_iter().map(|range| text[range].to_owned()).collect::<String>()
        };
        assert_eq!(bases("- a\n<<<<<<< x\n- b\n||||||| o\n- c\n- d\n=======\n- e\n>>>>>>> y\n- f\n"), "- c\n- d\n");
        assert_eq!(bases("<<<<<<< x\n- b\n=======\n- e\n>>>>>>> y\n- f\n"), "");
        assert_eq!(
            bases("<<<<<<< x\n%%%%%%% diff from: b\n - k\n-- c\n+- d\n+++++++ two\n- e\n>>>>>>> ends\n- f\n"),
            "-- c\n"
        );
    }
}
