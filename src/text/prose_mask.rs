//! Masks the parts of a text that are not its own prose: code, quotations, URLs, tags.
//!
//! Never changes offsets: each masked byte becomes `_`.

use std::ops::Range;

/// Opening and closing quotation marks of quotations and titles.
const QUOTE_PAIRS: [(char, char); 12] = [
    ('"', '"'),
    ('“', '”'),
    ('„', '“'),
    ('«', '»'),
    ('‘', '’'),
    ('「', '」'),
    ('『', '』'),
    ('《', '》'),
    ('〈', '〉'),
    ('＂', '＂'),
    ('”', '”'),
    ('\'', '\''),
];

/// Masks code spans, quotations and titles, URLs, wiki links, a leading `[category]` and `#tags`. An unclosed quotation
/// mark masks nothing.
pub fn mask_non_prose(text: &str) -> String {
    let mut out = text.as_bytes().to_vec();
    let mut marks = ClosingMarks::default();
    let mut at = 0;
    while at < text.len() {
        match masked_range(text, at, &mut marks) {
            Some(range) => {
                out[range.clone()].fill(b'_');
                at = range.end;
            }
            None => at += backticks(&text[at..]).max(text[at..].chars().next().map_or(1, char::len_utf8)),
        }
    }
    // Only whole characters were replaced by ASCII, so the result is valid UTF-8.
    String::from_utf8(out).unwrap_or_else(|_| text.to_owned())
}

/// Masks fixed phrases whose words have another meaning.
pub fn mask_phrases<'a>(text: &str, phrases: impl IntoIterator<Item = &'a str>) -> String {
    let mut out = text.to_owned();
    for phrase in phrases {
        if out.contains(phrase) {
            out = out.replace(phrase, &"_".repeat(phrase.len()));
        }
    }
    out
}

/// Splits a label (`Name: `, `姓名：`) of at most three words off the start of a text.
pub fn split_label(text: &str) -> Option<(&str, &str)> {
    let at = text.find([':', '：'])?;
    let (label, rest) = (text[..at].trim(), &text[at..]);
    let value = rest.strip_prefix('：').or_else(|| rest.strip_prefix(':').filter(|r| !is_inside_token(r)))?;
    let words = label.split_whitespace().count();
    let is_sentence_mark = |c: char| matches!(c, '.' | ',' | ';' | '。' | '，' | '；' | '(' | '（');
    let is_long = label.chars().count() > 30;
    ((1..=3).contains(&words) && !is_long && !label.contains(is_sentence_mark)).then_some((label, value.trim_start()))
}

/// Whether a colon is part of a token, judged by the text after it: `10:00`, `a::b`, `https://`.
fn is_inside_token(after: &str) -> bool {
    after.starts_with(|c: char| c.is_ascii_alphanumeric() || matches!(c, ':' | '/' | '\\' | ')' | '(' | '-'))
}

/// Finds the marks that close what others open. One that is missing once is missing in all that follows, so that a line
/// of nothing but opening marks is searched once.
#[derive(Default)]
struct ClosingMarks {
    missing: Vec<String>,
}

impl ClosingMarks {
    fn find(&mut self, rest: &str, mark: &str) -> Option<usize> {
        if self.missing.iter().any(|missing| missing == mark) {
            return None;
        }
        let found = rest.find(mark);
        if found.is_none() {
            self.missing.push(mark.to_owned());
        }
        found
    }
}

/// Number of backticks that a text starts with.
fn backticks(rest: &str) -> usize {
    rest.bytes().take_while(|b| *b == b'`').count()
}

fn masked_range(text: &str, at: usize, marks: &mut ClosingMarks) -> Option<Range<usize>> {
    let rest = &text[at..];
    let before = text[..at].chars().next_back();
    let first = rest.chars().next()?;
    let at_word_start = before.is_none_or(|c| c.is_whitespace() || matches!(c, '(' | '（' | '[' | '，' | ',' | '_'));
    let length = match first {
        '`' => code_span_length(rest, marks),
        '#' if at_word_start => tag_length(rest),
        '[' if rest.starts_with("[[") => marks.find(rest, "]]").map(|n| n + 2),
        '[' if at == 0 => rest.find("] ").filter(|n| *n < 40).map(|n| n + 1),
        '(' if before == Some(']') => marks.find(rest, ")").map(|n| n + 1),
        '\'' if !at_word_start => None,
        'h' | 'w' | 'f' | 's' | 'p' | 'm' | 'r' if !before.is_some_and(|c| c.is_ascii_alphanumeric()) => {
            url_length(rest)
        }
        _ => quote_length(rest, first),
    }?;
    Some(at..at + length)
}

fn code_span_length(rest: &str, marks: &mut ClosingMarks) -> Option<usize> {
    let ticks = backticks(rest);
    marks.find(&rest[ticks..], &rest[..ticks]).map(|n| ticks + n + ticks)
}

/// Length of a `#tag`; `#42` and `# heading` are not tags.
fn tag_length(rest: &str) -> Option<usize> {
    let length =
        rest[1..].find(|c: char| !(c.is_alphanumeric() || matches!(c, '-' | '_' | '/'))).unwrap_or(rest.len() - 1);
    rest[1..].starts_with(char::is_alphabetic).then_some(1 + length)
}

fn url_length(rest: &str) -> Option<usize> {
    let end =
        rest.find(|c: char| !c.is_ascii_graphic() || matches!(c, '"' | '<' | '>' | ')' | '`')).unwrap_or(rest.len());
    let run = rest[..end].trim_end_matches(['.', ',', ';', ':', '!', '?', '\'']);
    let scheme =
        run.find("://").is_some_and(|n| n > 0 && run[..n].bytes().all(|b| b.is_ascii_alphanumeric() || b == b'+'));
    (scheme || run.starts_with("www.")).then_some(run.len())
}

/// Maximum number of characters between two quotation marks.
const MAX_QUOTE_CHARS: usize = 400;

fn quote_length(rest: &str, first: char) -> Option<usize> {
    let (open, close) = QUOTE_PAIRS.iter().find(|(open, _)| *open == first)?;
    let inner = &rest[open.len_utf8()..];
    let straight = *close == '\'';
    if straight && inner.starts_with(char::is_whitespace) {
        return None;
    }
    // An apostrophe between letters is not a closing quotation mark.
    let closes = |n: usize| !straight || !inner[n + 1..].starts_with(char::is_alphanumeric);
    let near = inner.char_indices().take(MAX_QUOTE_CHARS).filter(|(_, c)| c == close);
    let end = near.map(|(n, _)| n).find(|n| closes(*n))?;
    Some(open.len_utf8() + end + close.len_utf8())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(text: &str, expected: &str) {
        let got = mask_non_prose(text);
        assert_eq!(got.len(), text.len(), "{text}");
        let mut short = String::new();
        for c in got.chars() {
            if c != '_' || !short.ends_with('_') {
                short.push(c);
            }
        }
        assert_eq!(short, expected, "{text}");
    }

    #[test]
    fn other_text_than_prose_is_masked() {
        check("uses `cargo fmt` and ``a`b`` here", "uses _ and _ here");
        check("said \"I will\" and ‘we do’ or 'you can' now", "said _ and _ or _ now");
        check("引用了“我思故我在”和《你的名字》。", "引用了_和_。");
        check("see https://a.b/c?d=1. Then", "see _. Then");
        check("[preference] early returns #style", "_ early returns _");
        check("depends_on [[facts/project]]", "depends_on _");
        check("[the guide](https://x.org/you) helps", "[the guide]_ helps");
    }

    #[test]
    fn unclosed_marks_mask_nothing() {
        for text in ["User's boat isn't O'Brien's", "7.5\" panel", "a ` b", "issue #42, C# and F#", "don't 'till"] {
            check(text, text);
        }
    }

    #[test]
    fn a_label_has_at_most_three_words_and_a_value() {
        assert_eq!(split_label("Name: Zhang San"), Some(("Name", "Zhang San")));
        assert_eq!(split_label("姓名：张三"), Some(("姓名", "张三")));
        assert_eq!(split_label("Standup is at 10:00"), None);
        assert_eq!(split_label("see https://a.b"), None);
        assert_eq!(split_label("one two three four: five"), None);
        assert_eq!(split_label(": x"), None);
    }
}
