//! Adds and removes the backslashes that keep a one-line text from being parsed as Markdown structure.
//!
//! Never escapes inline markup: emphasis, links and code belong to the text.
//!
//! An *escape point* is a position where a Markdown parser would see structure: the first character of a heading, list,
//! quote, fence, HTML block or link definition, the `.` of `1. `, and every `<!--` outside code. For k backslashes
//! before an escape point, `encode` writes 2k+1; `decode` reads an odd number 2k+1 as k. So every text survives a round
//! trip, and other backslashes that people typed stay as they are.

use std::borrow::Cow;
use std::collections::HashMap;
use std::ops::Range;

/// Escapes a text for writing it into a file.
pub(super) fn encode(text: &str) -> Cow<'_, str> {
    rewrite_backslashes(text, escape_points(text), |slashes| Some(2 * slashes + 1))
}

/// Escapes the first line of a bullet. A fence or a quote that the lines below it continue is written as it is, because
/// an escaped one would leave its closing fence, or its second line, on its own.
pub(super) fn encode_first_line<'a>(first: &'a str, below: &[String]) -> Cow<'a, str> {
    let is_continued = match first.get(..3) {
        Some(fence @ ("```" | "~~~")) => below.iter().any(|line| line.trim_start().starts_with(fence)),
        _ => first.starts_with('>') && below.first().is_some_and(|line| line.starts_with('>')),
    };
    if is_continued { Cow::Borrowed(first) } else { encode_above(first, below.iter().map(String::as_str)) }
}

/// Escapes the first line of a paragraph, in which code may go on in the lines below it.
pub(super) fn encode_above<'a, 'b>(first: &'a str, below: impl Iterator<Item = &'b str>) -> Cow<'a, str> {
    if !first.contains('`') || !first.contains("<!--") {
        return encode(first);
    }
    let mut paragraph = first.to_owned();
    below.take_while(|line| !line.trim().is_empty()).for_each(|line| paragraph.extend(["\n", line]));
    let points = opening_point(first).into_iter().chain(comment_points(&paragraph)).filter(|at| *at < first.len());
    rewrite_backslashes(first, points.collect(), |slashes| Some(2 * slashes + 1))
}

/// Whether a text starts like a fence or a quote, which may have several lines.
pub(super) fn spans_lines(text: &str) -> bool {
    ["```", "~~~", ">"].iter().any(|start| text.starts_with(start))
}

/// Reverses [`encode`]; text that `encode` cannot have produced is unchanged.
pub(super) fn decode(raw: Cow<'_, str>) -> Cow<'_, str> {
    if !raw.contains('\\') {
        return raw;
    }
    let read = rewrite_backslashes(&raw, escape_points(&raw), |slashes| (slashes % 2 == 1).then_some(slashes / 2));
    match read {
        Cow::Borrowed(_) => raw,
        Cow::Owned(text) => Cow::Owned(text),
    }
}

/// Escapes a heading's text: a closing run of `#` and comments.
pub(super) fn encode_title(title: &str) -> Cow<'_, str> {
    rewrite_backslashes(title, title_escape_points(title), |slashes| Some(2 * slashes + 1))
}

/// Reverses [`encode_title`]; text that it cannot have produced is unchanged.
pub(super) fn decode_title(raw: Cow<'_, str>) -> Cow<'_, str> {
    let read =
        rewrite_backslashes(&raw, title_escape_points(&raw), |slashes| (slashes % 2 == 1).then_some(slashes / 2));
    match read {
        Cow::Borrowed(_) => raw,
        Cow::Owned(text) => Cow::Owned(text),
    }
}

/// Changes the number of backslashes before each escape point.
fn rewrite_backslashes(text: &str, points: Vec<usize>, number: impl Fn(usize) -> Option<usize>) -> Cow<'_, str> {
    let mut out = String::new();
    let mut copied_to = 0;
    for point in points {
        let slashes = slashes_before(text, point);
        if let Some(wanted) = number(slashes) {
            out.push_str(&text[copied_to..point - slashes]);
            out.extend(std::iter::repeat_n('\\', wanted));
            copied_to = point;
        }
    }
    if copied_to == 0 && out.is_empty() {
        return Cow::Borrowed(text);
    }
    out.push_str(&text[copied_to..]);
    Cow::Owned(out)
}

fn slashes_before(text: &str, point: usize) -> usize {
    text.as_bytes()[..point].iter().rev().take_while(|b| **b == b'\\').count()
}

/// All escape points of a text, in order.
fn escape_points(text: &str) -> Vec<usize> {
    opening_point(text).into_iter().chain(comment_points(text)).collect()
}

/// Where comments would start: every `<!--` outside code.
fn comment_points(text: &str) -> impl Iterator<Item = usize> {
    let code = if text.contains("<!--") { code_spans(text) } else { Vec::new() };
    let mut code = code.into_iter().peekable();
    memchr::memmem::find_iter(text.as_bytes(), "<!--").filter(move |at| {
        while code.next_if(|span| span.end <= *at).is_some() {}
        !code.peek().is_some_and(|span| span.contains(at))
    })
}

/// The code spans of a text, with their backticks, ascending (CommonMark 6.1).
fn code_spans(text: &str) -> Vec<Range<usize>> {
    let bytes = text.as_bytes();
    let run = |at: usize| bytes[at..].iter().take_while(|b| **b == b'`').count();
    // Where the last run of each length starts: one without a later run of its length opens nothing.
    let mut last_runs: HashMap<usize, usize> = HashMap::new();
    let mut at = 0;
    while let Some(next) = memchr::memchr(b'`', &bytes[at..]) {
        let length = run(at + next);
        last_runs.insert(length, at + next);
        at += next + length;
    }
    let closing = |from: usize, length: usize| {
        let mut at = from;
        while last_runs.get(&length).is_some_and(|last| *last >= at) {
            at += memchr::memchr(b'`', &bytes[at..])?;
            let found = run(at);
            at += found;
            if found == length {
                return Some(at);
            }
        }
        None
    };
    let (mut spans, mut at) = (Vec::new(), 0);
    while at < bytes.len() {
        match bytes[at] {
            b'\\' => at += 2,
            b'`' => {
                let length = run(at);
                let end = closing(at + length, length);
                spans.extend(end.map(|end| at..end));
                at = end.unwrap_or(at + length);
            }
            _ => at += 1,
        }
    }
    spans
}

fn title_escape_points(title: &str) -> Vec<usize> {
    let run = title.trim_end_matches('#').len();
    let before = run - slashes_before(title, run);
    let closes = run < title.len() && (before == 0 || title[..before].ends_with([' ', '\t']));
    comment_points(title).chain(closes.then_some(run)).collect()
}

/// The escape point at the start of a text, if any. A text and its escaped form must have the same one.
fn opening_point(text: &str) -> Option<usize> {
    let slashes = text.bytes().take_while(|b| *b == b'\\').count();
    if opens_block(&text[slashes..]) {
        return Some(slashes);
    }
    let digits = text.bytes().take_while(u8::is_ascii_digit).count();
    let dot = digits + text.bytes().skip(digits).take_while(|b| *b == b'\\').count();
    let ordered = (1..=9).contains(&digits) && text[dot..].starts_with(['.', ')']) && is_end_or_blank(&text[dot + 1..]);
    ordered.then_some(dot)
}

/// Whether a text is empty or starts with a space or tab.
fn is_end_or_blank(rest: &str) -> bool {
    rest.is_empty() || rest.starts_with([' ', '\t'])
}

fn opens_block(text: &str) -> bool {
    let Some(first) = text.chars().next() else { return false };
    match first {
        '#' => {
            let rest = text.trim_start_matches('#');
            text.len() - rest.len() <= 6 && is_end_or_blank(rest)
        }
        '-' | '+' | '*' => is_end_or_blank(&text[1..]) || text.chars().all(|c| c == first || c == ' ' || c == '\t'),
        '_' => text.chars().all(|c| matches!(c, '_' | ' ' | '\t')),
        '>' => true,
        '`' => text.starts_with("```") && !text.trim_start_matches('`').contains('`'),
        '~' => text.starts_with("~~~"),
        '<' => !text.starts_with("<!--") && text[1..].starts_with(is_tag_start) && !is_autolink(text),
        '[' => starts_definition(text),
        _ => false,
    }
}

fn is_tag_start(c: char) -> bool {
    c.is_ascii_alphabetic() || matches!(c, '/' | '!' | '?')
}

/// Whether a text starts like a link reference definition (CommonMark 4.7): `[label]:`.
fn starts_definition(text: &str) -> bool {
    let mut bytes = text.bytes().skip(1);
    while let Some(byte) = bytes.next() {
        match byte {
            b'\\' => drop(bytes.next()),
            b'[' => return false,
            b']' => return bytes.next() == Some(b':'),
            _ => {}
        }
    }
    false
}

/// Whether a text starts with `<scheme:…>` or `<a@b>` (CommonMark 6.5).
fn is_autolink(text: &str) -> bool {
    let Some((inner, _)) = text[1..].split_once('>') else { return false };
    if inner.contains(|c: char| c == '<' || c.is_whitespace() || c.is_control()) {
        return false;
    }
    let scheme = inner.split_once(':').map_or("", |(scheme, _)| scheme);
    let plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '+' | '.' | '-');
    (2..=32).contains(&scheme.len()) && scheme.chars().all(plain) || inner.contains('@') && !inner.contains(['\\', '/'])
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn check(text: &str, written: &str) {
        assert_eq!(encode(text), written);
        assert_eq!(decode(Cow::Borrowed(written)), text);
    }

    #[test]
    fn only_what_would_be_structure_is_escaped() {
        for plain in [
            "plain",
            "#tag first",
            "-1 degree",
            "*emphasis* here",
            "**Bold**: x",
            "1.5 litres",
            "2026-02-24",
            "<https://a.b/c> is it",
            "<a@b.c>",
            "[preference] likes [x]: y",
            "[[Target]]",
            "[a](b): c",
            "```code``` inline",
            "_x_",
            "\\o/",
            "a\\",
            "a < b",
            "[ ] task",
            "`<!-- a -->`",
            "a ``b ` <!-- c`` d",
        ] {
            check(plain, plain);
        }
        check("# heading", "\\# heading");
        check("#", "\\#");
        check("- nested", "\\- nested");
        check("--", "\\--");
        check("* * *", "\\* * *");
        check("___", "\\___");
        check("> quote", "\\> quote");
        check("2019. was a year", "2019\\. was a year");
        check("1)", "1\\)");
        check("```rust", "\\```rust");
        check("~~~", "\\~~~");
        check("<div>", "\\<div>");
        check("[x]: /url", "\\[x]: /url");
        check("a <!-- b", "a \\<!-- b");
        check("<!-- b", "\\<!-- b");
        check("`a` <!-- `b`", "`a` \\<!-- `b`");
        check("` <!-- b", "` \\<!-- b");
        check("\\` <!-- `", "\\` \\<!-- `");
        assert_eq!(encode_above("`a <!-- b", ["c -->` d"].into_iter()), "`a <!-- b");
        assert_eq!(encode_above("`a <!-- b", ["", "c`"].into_iter()), "`a \\<!-- b");
    }

    #[test]
    fn backslashes_before_an_escape_point_are_doubled() {
        check("\\# x", "\\\\\\# x");
        check("\\\\# x", "\\\\\\\\\\# x");
        check("1\\. x", "1\\\\\\. x");
        check("a \\<!-- b", "a \\\\\\<!-- b");
    }

    #[test]
    fn what_people_escaped_needlessly_stays() {
        for raw in ["a\\_b", "\\*x\\*", "\\\\# x", "1\\.5", "\\#tag"] {
            assert_eq!(decode(Cow::Borrowed(raw)), raw);
        }
    }

    #[test]
    fn titles_keep_their_closing_hashes() {
        for (title, written) in [("C #", "C \\#"), ("C#", "C#"), ("#", "\\#"), ("a \\##", "a \\\\\\##")] {
            assert_eq!(encode_title(title), written);
            assert_eq!(decode_title(Cow::Borrowed(written)), title);
        }
    }

    proptest! {
        #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(512) })]
        #[test]
        fn every_text_is_read_back(text in r"([-+*_#>`~<!\[\]:.)\\ a1]|<!--|-->|1\.|https://){0,8}") {
            prop_assert_eq!(decode(encode(&text)), text.as_str());
            prop_assert_eq!(decode_title(encode_title(&text)), text.as_str());
        }
    }
}
