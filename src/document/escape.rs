//! Backslashes that keep a one-line text from becoming structure, and how they come off again.
//!
//! Never escapes what is only inline markup: emphasis, links and code in a text are the text's own.
//!
//! A *place* is where a reader would see structure: the first character of a heading, list, quote, fence, HTML block or
//! link definition, the `.` of `1. `, and every `<!--`. Where k backslashes stand before a place, 2k+1 are written; an
//! odd number 2k+1 before a place is read as k. So every text is read back exactly, and everything else that people
//! write by hand reads as it stands.

use std::borrow::Cow;

/// A text as it is written into a file.
pub(super) fn encode(text: &str) -> Cow<'_, str> {
    rewrite(text, places(text), |slashes| Some(2 * slashes + 1))
}

/// What [`encode`] was given; anything else as it stands.
pub(super) fn decode(raw: Cow<'_, str>) -> Cow<'_, str> {
    if !raw.contains('\\') {
        return raw;
    }
    let read = rewrite(&raw, places(&raw), |slashes| (slashes % 2 == 1).then_some(slashes / 2));
    match read {
        Cow::Borrowed(_) => raw,
        Cow::Owned(text) => Cow::Owned(text),
    }
}

/// A heading's text as it is written: a closing `#` run and comments are escaped.
pub(super) fn encode_title(title: &str) -> Cow<'_, str> {
    rewrite(title, title_places(title), |slashes| Some(2 * slashes + 1))
}

/// What [`encode_title`] was given; anything else as it stands.
pub(super) fn decode_title(raw: Cow<'_, str>) -> Cow<'_, str> {
    let read = rewrite(&raw, title_places(&raw), |slashes| (slashes % 2 == 1).then_some(slashes / 2));
    match read {
        Cow::Borrowed(_) => raw,
        Cow::Owned(text) => Cow::Owned(text),
    }
}

/// Changes the number of backslashes before each place.
fn rewrite(text: &str, places: Vec<usize>, number: impl Fn(usize) -> Option<usize>) -> Cow<'_, str> {
    let mut out = String::new();
    let mut done = 0;
    for place in places {
        let slashes = slashes_before(text, place);
        if let Some(wanted) = number(slashes) {
            out.push_str(&text[done..place - slashes]);
            out.extend(std::iter::repeat_n('\\', wanted));
            done = place;
        }
    }
    if done == 0 && out.is_empty() {
        return Cow::Borrowed(text);
    }
    out.push_str(&text[done..]);
    Cow::Owned(out)
}

fn slashes_before(text: &str, place: usize) -> usize {
    text.as_bytes()[..place].iter().rev().take_while(|b| **b == b'\\').count()
}

/// All places of a text, in order.
fn places(text: &str) -> Vec<usize> {
    opening(text).into_iter().chain(comments(text)).collect()
}

fn comments(text: &str) -> impl Iterator<Item = usize> {
    memchr::memmem::find_iter(text.as_bytes(), "<!--")
}

fn title_places(title: &str) -> Vec<usize> {
    let run = title.trim_end_matches('#').len();
    let before = run - slashes_before(title, run);
    let closes = run < title.len() && (before == 0 || title[..before].ends_with([' ', '\t']));
    comments(title).chain(closes.then_some(run)).collect()
}

/// The place at the start of a text, if it has one. It must be the same in a text and in what is written for it.
fn opening(text: &str) -> Option<usize> {
    let slashes = text.bytes().take_while(|b| *b == b'\\').count();
    if opens(&text[slashes..]) {
        return Some(slashes);
    }
    let digits = text.bytes().take_while(u8::is_ascii_digit).count();
    let dot = digits + text.bytes().skip(digits).take_while(|b| *b == b'\\').count();
    let ordered = (1..=9).contains(&digits) && text[dot..].starts_with(['.', ')']) && ends(&text[dot + 1..]);
    ordered.then_some(dot)
}

/// Whether a text is at its end or goes on with a blank.
fn ends(rest: &str) -> bool {
    rest.is_empty() || rest.starts_with([' ', '\t'])
}

fn opens(text: &str) -> bool {
    let Some(first) = text.chars().next() else { return false };
    match first {
        '#' => {
            let rest = text.trim_start_matches('#');
            text.len() - rest.len() <= 6 && ends(rest)
        }
        '-' | '+' | '*' => ends(&text[1..]) || text.chars().all(|c| c == first || c == ' ' || c == '\t'),
        '_' => text.chars().all(|c| matches!(c, '_' | ' ' | '\t')),
        '>' => true,
        '`' => text.starts_with("```") && !text.trim_start_matches('`').contains('`'),
        '~' => text.starts_with("~~~"),
        '<' => !text.starts_with("<!--") && text[1..].starts_with(tag_start) && !is_autolink(text),
        '[' => defines(text),
        _ => false,
    }
}

fn tag_start(c: char) -> bool {
    c.is_ascii_alphabetic() || matches!(c, '/' | '!' | '?')
}

/// Whether a text starts like a link reference definition (CommonMark 4.7): `[label]:`.
fn defines(text: &str) -> bool {
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
    }

    #[test]
    fn backslashes_before_a_place_are_doubled() {
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
