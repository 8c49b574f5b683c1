//! A text with what is not its own prose covered up: code, quoted words, addresses, tags.
//!
//! Never moves a byte: what is covered becomes as many `_`, so that offsets stay.

use std::ops::Range;

/// Marks that open and close quoted words or titles.
const QUOTES: [(char, char); 12] = [
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

/// The text with code spans, quoted words and titles, addresses (URLs), wiki links, a leading `[category]` and `#tags`
/// covered. A quotation mark that nothing closes covers nothing.
pub fn prose(text: &str) -> String {
    let mut out = text.as_bytes().to_vec();
    let mut at = 0;
    while at < text.len() {
        match covered(text, at) {
            Some(range) => {
                out[range.clone()].fill(b'_');
                at = range.end;
            }
            None => at += text[at..].chars().next().map_or(1, char::len_utf8),
        }
    }
    // Whole characters were replaced by ASCII, so this is UTF-8 still.
    String::from_utf8(out).unwrap_or_else(|_| text.to_owned())
}

/// A text with some phrases covered, where the words in them mean something else.
pub fn without(text: &str, phrases: &[&str]) -> String {
    let mut out = text.to_owned();
    for phrase in phrases {
        if out.contains(phrase) {
            out = out.replace(phrase, &"_".repeat(phrase.len()));
        }
    }
    out
}

/// A label (`Name: `, `姓名：`) at the start of a text, at most three words, and what follows it.
pub fn label(text: &str) -> Option<(&str, &str)> {
    let at = text.find([':', '：'])?;
    let (label, rest) = (text[..at].trim(), &text[at..]);
    let value = rest.strip_prefix('：').or_else(|| rest.strip_prefix(':').filter(|r| !is_tight(r)))?;
    let words = label.split_whitespace().count();
    let odd = |c: char| matches!(c, '.' | ',' | ';' | '。' | '，' | '；' | '(' | '（');
    let long = label.chars().count() > 30;
    ((1..=3).contains(&words) && !long && !label.contains(odd)).then_some((label, value.trim_start()))
}

/// Whether a colon stands within something: `10:00`, `a::b`, `https://`.
fn is_tight(after: &str) -> bool {
    after.starts_with(|c: char| c.is_ascii_alphanumeric() || matches!(c, ':' | '/' | '\\' | ')' | '(' | '-'))
}

fn covered(text: &str, at: usize) -> Option<Range<usize>> {
    let rest = &text[at..];
    let before = text[..at].chars().next_back();
    let first = rest.chars().next()?;
    let fresh = before.is_none_or(|c| c.is_whitespace() || matches!(c, '(' | '（' | '[' | '，' | ',' | '_'));
    let length = match first {
        '`' => code(rest),
        '#' if fresh => tag(rest),
        '[' if rest.starts_with("[[") => rest.find("]]").map(|n| n + 2),
        '[' if at == 0 => rest.find("] ").filter(|n| *n < 40).map(|n| n + 1),
        '(' if before == Some(']') => rest.find(')').map(|n| n + 1),
        '\'' if !fresh => None,
        'h' | 'w' | 'f' | 's' | 'p' | 'm' | 'r' if !before.is_some_and(|c| c.is_ascii_alphanumeric()) => url(rest),
        _ => quoted(rest, first),
    }?;
    Some(at..at + length)
}

fn code(rest: &str) -> Option<usize> {
    let ticks = rest.bytes().take_while(|b| *b == b'`').count();
    let mark = &rest[..ticks];
    rest[ticks..].find(mark).map(|n| ticks + n + ticks)
}

/// `#tag`; not `#42`, `# heading`.
fn tag(rest: &str) -> Option<usize> {
    let length =
        rest[1..].find(|c: char| !(c.is_alphanumeric() || matches!(c, '-' | '_' | '/'))).unwrap_or(rest.len() - 1);
    rest[1..].starts_with(char::is_alphabetic).then_some(1 + length)
}

fn url(rest: &str) -> Option<usize> {
    let end =
        rest.find(|c: char| !c.is_ascii_graphic() || matches!(c, '"' | '<' | '>' | ')' | '`')).unwrap_or(rest.len());
    let run = rest[..end].trim_end_matches(['.', ',', ';', ':', '!', '?', '\'']);
    let scheme =
        run.find("://").is_some_and(|n| n > 0 && run[..n].bytes().all(|b| b.is_ascii_alphanumeric() || b == b'+'));
    (scheme || run.starts_with("www.")).then_some(run.len())
}

/// The most characters between two quotation marks.
const LONGEST: usize = 400;

fn quoted(rest: &str, first: char) -> Option<usize> {
    let (open, close) = QUOTES.iter().find(|(open, _)| *open == first)?;
    let inner = &rest[open.len_utf8()..];
    let straight = *close == '\'';
    if straight && inner.starts_with(char::is_whitespace) {
        return None;
    }
    // An apostrophe between letters closes nothing.
    let closes = |n: usize| !straight || !inner[n + 1..].starts_with(char::is_alphanumeric);
    let near = inner.char_indices().take(LONGEST).filter(|(_, c)| c == close);
    let end = near.map(|(n, _)| n).find(|n| closes(*n))?;
    Some(open.len_utf8() + end + close.len_utf8())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(text: &str, expected: &str) {
        let got = prose(text);
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
    fn what_is_not_prose_is_covered() {
        check("uses `cargo fmt` and ``a`b`` here", "uses _ and _ here");
        check("said \"I will\" and ‘we do’ or 'you can' now", "said _ and _ or _ now");
        check("引用了“我思故我在”和《你的名字》。", "引用了_和_。");
        check("see https://a.b/c?d=1. Then", "see _. Then");
        check("[preference] early returns #style", "_ early returns _");
        check("depends_on [[facts/project]]", "depends_on _");
        check("[the guide](https://x.org/you) helps", "[the guide]_ helps");
    }

    #[test]
    fn what_opens_and_never_closes_stays() {
        for text in ["User's boat isn't O'Brien's", "7.5\" panel", "a ` b", "issue #42, C# and F#", "don't 'till"] {
            check(text, text);
        }
    }

    #[test]
    fn a_label_has_at_most_three_words_and_a_value() {
        assert_eq!(label("Name: Zhang San"), Some(("Name", "Zhang San")));
        assert_eq!(label("姓名：张三"), Some(("姓名", "张三")));
        assert_eq!(label("Standup is at 10:00"), None);
        assert_eq!(label("see https://a.b"), None);
        assert_eq!(label("one two three four: five"), None);
        assert_eq!(label(": x"), None);
    }
}
