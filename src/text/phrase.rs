//! Finds phrases by small patterns: over words for English, over characters for Chinese.
//!
//! Never stems: a pattern lists the forms that it means.
//!
//! A pattern is a row of groups with blanks between them. A group is `a|b|c` (one of these), `#` (a number in digits or
//! words), `*` (any one word), `..3` (up to three words or characters, whatever they are; `~3`: no 的, no 's among them); `?` behind a group makes it
//! optional; `-ing` is any word with that end. `^` in front: only at the start of the text (of a clause, in Chinese);
//! `$`: the end of a clause, in Chinese.

use std::collections::HashMap;
use std::hash::Hash;
use std::ops::Range;
use std::sync::OnceLock;

use super::words::{is_unspaced, words};

/// A word of a sentence; the `'s` of "user's" is one of its own.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Token<'a> {
    /// Lower case.
    pub text: String,
    /// As it stands.
    pub surface: &'a str,
    /// Offset of its first byte.
    pub at: usize,
}

/// The words of a text that is written with spaces between them.
pub fn tokens(text: &str) -> Vec<Token<'_>> {
    let mut out = Vec::new();
    for word in words(text).filter(|w| !w.gram) {
        let end = word.at + word.surface.len();
        out.push(Token { text: word.text.into_owned(), surface: word.surface, at: word.at });
        let rest = &text[end..];
        let length = ["'s", "\u{2019}s", "'S"].iter().find(|s| rest.starts_with(**s)).map(|s| s.len());
        if let Some(length) = length.filter(|n| !rest[*n..].starts_with(char::is_alphanumeric)) {
            out.push(Token { text: "'s".into(), surface: &rest[..length], at: end });
        }
    }
    out
}

/// Whether a letter's word begins with a capital.
pub fn is_capital(word: &str) -> bool {
    word.starts_with(char::is_uppercase)
}

/// A list of patterns, with an index by what each begins with: most begin nowhere in a text.
#[derive(Debug)]
pub struct Phrases {
    list: &'static [&'static str],
    words: OnceLock<Index<&'static str>>,
    chars: OnceLock<Index<char>>,
}

/// Which patterns begin with what; and those that may begin with anything.
#[derive(Debug, Default)]
struct Index<K> {
    by_first: HashMap<K, Vec<&'static str>>,
    any: Vec<&'static str>,
}

impl Phrases {
    /// The patterns; the index is made when it is first asked for.
    pub const fn new(list: &'static [&'static str]) -> Phrases {
        Phrases { list, words: OnceLock::new(), chars: OnceLock::new() }
    }

    /// [`find`].
    pub fn find(&self, tokens: &[Token<'_>]) -> Option<Range<usize>> {
        (0..tokens.len()).find_map(|at| self.here(tokens, at).map(|n| at..at + n))
    }

    /// [`here`].
    pub fn here(&self, tokens: &[Token<'_>], at: usize) -> Option<usize> {
        let index = self.words.get_or_init(|| self.index(|one| (one != "*" && !one.starts_with('-')).then_some(one)));
        let listed = index.by_first.get(tokens[at].text.as_str());
        listed.and_then(|list| here(tokens, at, list)).or_else(|| here(tokens, at, &index.any))
    }

    /// [`find_han`].
    pub fn find_han<'a>(&self, text: &'a str) -> Option<&'a str> {
        let index = self.chars.get_or_init(|| self.index(|one| one.chars().next()));
        text.char_indices().find_map(|(at, c)| {
            let listed = index.by_first.get(&c).and_then(|list| here_han(text, at, list));
            listed.or_else(|| here_han(text, at, &index.any)).map(|n| &text[at..at + n])
        })
    }

    fn index<K: Eq + Hash>(&self, first: impl Fn(&'static str) -> Option<K>) -> Index<K> {
        let mut index = Index { by_first: HashMap::new(), any: Vec::new() };
        for pattern in self.list {
            let plain = pattern.strip_prefix('^').unwrap_or(pattern);
            let group = plain.split(' ').next().unwrap_or_default();
            let open = group.is_empty() || group.ends_with('?') || group.starts_with("..") || group.starts_with('~');
            let keys: Option<Vec<K>> = group.split('|').map(|one| if one == "#" { None } else { first(one) }).collect();
            match keys.filter(|_| !open) {
                Some(keys) => keys.into_iter().for_each(|key| index.by_first.entry(key).or_default().push(pattern)),
                None => index.any.push(pattern),
            }
        }
        index
    }
}

/// The first place where one of the patterns fits: a range of tokens.
pub fn find(tokens: &[Token<'_>], patterns: &[&str]) -> Option<Range<usize>> {
    (0..tokens.len()).find_map(|at| here(tokens, at, patterns).map(|n| at..at + n))
}

/// How many tokens one of the patterns takes here.
pub fn here(tokens: &[Token<'_>], at: usize, patterns: &[&str]) -> Option<usize> {
    patterns.iter().find_map(|pattern| match pattern.strip_prefix('^') {
        Some(_) if at > 0 => None,
        Some(rest) => row(rest, &tokens[at..]),
        None => row(pattern, &tokens[at..]),
    })
}

/// The words of a range of tokens, as they stand.
pub fn said<'a>(text: &'a str, tokens: &[Token<'_>], range: Range<usize>) -> &'a str {
    match (tokens.get(range.start), tokens[range.clone()].last()) {
        (Some(first), Some(last)) => &text[first.at..last.at + last.surface.len()],
        _ => "",
    }
}

fn row(pattern: &str, tokens: &[Token<'_>]) -> Option<usize> {
    if pattern.is_empty() {
        return Some(0);
    }
    let (group, rest) = pattern.split_once(' ').unwrap_or((pattern, ""));
    if let Some(most) = group.strip_prefix("..").or_else(|| group.strip_prefix('~')) {
        let most: usize = most.parse().ok()?;
        let own = group.starts_with('~');
        let stop = tokens.iter().position(|t| own && t.text == "'s").unwrap_or(tokens.len());
        return (0..=most.min(stop)).find_map(|n| row(rest, &tokens[n..]).map(|m| n + m));
    }
    let (group, optional) = group.strip_suffix('?').map_or((group, false), |g| (g, true));
    let taken = tokens.first().filter(|t| group.split('|').any(|one| fits(one, &t.text)));
    let taken = taken.and_then(|_| row(rest, &tokens[1..])).map(|n| n + 1);
    taken.or_else(|| if optional { row(rest, tokens) } else { None })
}

fn fits(one: &str, word: &str) -> bool {
    match one {
        "*" => true,
        "#" => is_number(word),
        _ => match one.strip_prefix('-') {
            Some(end) => word.len() > end.len() + 2 && word.ends_with(end),
            None => one == word,
        },
    }
}

#[rustfmt::skip]
const NUMBERS: &[&str] = &[
    "a", "an", "couple", "eight", "eleven", "few", "five", "four", "half", "nine", "one", "seven", "several", "six",
    "some", "ten", "three", "twelve", "two",
];

fn is_number(word: &str) -> bool {
    !word.is_empty() && word.bytes().all(|b| b.is_ascii_digit()) || NUMBERS.contains(&word)
}

/// The first place where one of the patterns fits a text without spaces between words.
pub fn find_han<'a>(text: &'a str, patterns: &[&str]) -> Option<&'a str> {
    let places = text.char_indices().map(|(at, _)| at);
    places.into_iter().find_map(|at| here_han(text, at, patterns).map(|n| &text[at..at + n]))
}

/// How many bytes one of the patterns takes here.
pub fn here_han(text: &str, at: usize, patterns: &[&str]) -> Option<usize> {
    let rest = &text[at..];
    patterns.iter().find_map(|pattern| match pattern.strip_prefix('^') {
        Some(_) if !begins(text, at) => None,
        Some(pattern) => row_han(pattern, rest),
        None => row_han(pattern, rest),
    })
}

/// Whether a clause begins here.
fn begins(text: &str, at: usize) -> bool {
    text[..at].trim_end().chars().next_back().is_none_or(|c| !c.is_alphanumeric() && c != '_')
}

fn row_han(pattern: &str, text: &str) -> Option<usize> {
    if pattern.is_empty() {
        return Some(0);
    }
    let (group, rest) = pattern.split_once(' ').unwrap_or((pattern, ""));
    if let Some(most) = group.strip_prefix("..").or_else(|| group.strip_prefix('~')) {
        let most: usize = most.parse().ok()?;
        let own = group.starts_with('~');
        let ends = |c: char| matches!(c, '，' | '。' | '；' | '！' | '？') || own && c == '的';
        let stop = text.find(ends).unwrap_or(text.len());
        let mut places =
            text.char_indices().map(|(n, _)| n).chain([text.len()]).take_while(|n| *n <= stop).take(most + 1);
        return places.find_map(|n| row_han(rest, &text[n..]).map(|m| n + m));
    }
    if group == "$" {
        let ends = text.chars().next().is_none_or(|c| !c.is_alphanumeric() && !matches!(c, '_' | '、'));
        return if ends { row_han(rest, text) } else { None };
    }
    let (group, optional) = group.strip_suffix('?').map_or((group, false), |g| (g, true));
    let taken = group.split('|').find_map(|one| {
        let length = if one == "#" { number_han(text)? } else { text.starts_with(one).then_some(one.len())? };
        row_han(rest, &text[length..]).map(|n| length + n)
    });
    taken.or_else(|| if optional { row_han(rest, text) } else { None })
}

fn number_han(text: &str) -> Option<usize> {
    let digits = text.bytes().take_while(u8::is_ascii_digit).count();
    if digits > 0 {
        let blank = usize::from(text[digits..].starts_with(' '));
        return Some(digits + blank);
    }
    let part = |c: &char| "一二两三四五六七八九十百几数半多".contains(*c);
    let length = text.chars().take_while(part).map(char::len_utf8).sum();
    (length > 0).then_some(length)
}

/// Whether a text holds characters of a script that sets no spaces.
pub fn has_han(text: &str) -> bool {
    text.chars().any(is_unspaced)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn english(text: &str, pattern: &str) -> Option<String> {
        let all = tokens(text);
        find(&all, &[pattern]).map(|r| said(text, &all, r).to_owned())
    }

    #[test]
    fn words_fit_groups() {
        assert_eq!(english("met 3 days ago", "# day|days ago").as_deref(), Some("3 days ago"));
        assert_eq!(english("met days ago", "#? days ago").as_deref(), Some("days ago"));
        assert_eq!(english("User's own cat is old", "user 's ..2 is").as_deref(), Some("User's own cat is"));
        assert_eq!(english("User's server moved", "user ~3 moved"), None);
        assert_eq!(english("is working", "is -ing").as_deref(), Some("is working"));
        assert_eq!(english("now run", "^run"), None);
        assert_eq!(english("", "a"), None);
    }

    #[test]
    fn characters_fit_groups() {
        assert_eq!(find_han("用户上个星期来过", &["上|下 个? 周|星期"]), Some("上个星期"));
        assert_eq!(find_han("他3 天前走了", &["# 天 前"]), Some("3 天前"));
        assert_eq!(find_han("好，请运行", &["^请 运行"]), Some("请运行"));
        assert_eq!(find_han("邀请运行", &["^请 运行"]), None);
        assert_eq!(find_han("用户在家说粤语", &["用户 ..3 说"]), Some("用户在家说"));
        assert_eq!(find_han("用户", &["用户 ..3 说"]), None);
        assert_eq!(find_han("用户是成都人。", &["是 成都 人 $"]), Some("是成都人"));
        assert_eq!(find_han("用户是成都人大代表", &["是 成都 人 $"]), None);
    }
}
