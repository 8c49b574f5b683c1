//! Finds phrases with small patterns: over words for English, over characters for Chinese.
//!
//! Never stems: a pattern lists all word forms it matches.
//!
//! A pattern is a sequence of groups separated by spaces. A group is one of:
//! * `a|b|c`: one of these words
//! * `#`: a number in digits or words
//! * `*`: any one word
//! * `-ing`: any word with this ending
//! * `..3`: up to three arbitrary words or characters; `~3`: the same, but without 的 and 's
//! * `@name`: one of the words of a file in `data/pattern_groups/`; a group of that name for each language
//! * a group followed by `?`: optional
//!
//! `^` at the start of a pattern matches only at the start of the text (in Chinese: of a clause). `$` matches the end
//! of a clause, in Chinese only.

use std::collections::{HashMap, HashSet};
use std::hash::Hash;
use std::ops::Range;

use std::sync::OnceLock;

use super::word_list::{Entries, PhraseList, WordList, phrase_list, word_list};
use super::words::{is_unspaced, words};

/// A word of a sentence. The `'s` of "user's" is a token of its own.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WordToken<'a> {
    /// The word in lower case.
    pub text: String,
    /// The word as written.
    pub surface: &'a str,
    /// Byte offset in the text.
    pub at: usize,
}

/// The words of a text; scripts without spaces are skipped.
pub fn word_tokens(text: &str) -> Vec<WordToken<'_>> {
    let mut out = Vec::new();
    for word in words(text).filter(|w| !w.is_ngram) {
        let end = word.at + word.surface.len();
        out.push(WordToken { text: word.text.into_owned(), surface: word.surface, at: word.at });
        let rest = &text[end..];
        let length = ["'s", "\u{2019}s", "'S"].iter().find(|s| rest.starts_with(**s)).map(|s| s.len());
        if let Some(length) = length.filter(|n| !rest[*n..].starts_with(char::is_alphanumeric)) {
            out.push(WordToken { text: "'s".into(), surface: &rest[..length], at: end });
        }
    }
    out
}

/// Whether a word starts with a capital letter.
pub fn is_capitalized(word: &str) -> bool {
    word.starts_with(char::is_uppercase)
}

/// A list of patterns, indexed by first word or character, since most patterns match nowhere in a text.
#[derive(Debug)]
pub struct PhrasePatterns {
    patterns: PhraseList,
    word_index: OnceLock<PhraseIndex<&'static str>>,
    char_index: OnceLock<PhraseIndex<char>>,
}

/// Patterns by first word or character, and patterns that can start with anything.
#[derive(Debug, Default)]
struct PhraseIndex<K> {
    by_first: HashMap<K, Vec<&'static str>>,
    any: Vec<&'static str>,
}

impl PhrasePatterns {
    /// Creates the list; the index is built on first use.
    pub const fn new(patterns: PhraseList) -> PhrasePatterns {
        PhrasePatterns { patterns, word_index: OnceLock::new(), char_index: OnceLock::new() }
    }

    /// One list of patterns for each section of a file.
    pub fn sections(patterns: PhraseList) -> Vec<PhrasePatterns> {
        patterns.sections().map(PhrasePatterns::new).collect()
    }

    /// Like the function [`find`], with the index.
    pub fn find(&self, tokens: &[WordToken<'_>]) -> Option<Range<usize>> {
        (0..tokens.len()).find_map(|at| self.match_at(tokens, at).map(|n| at..at + n))
    }

    /// The first match of a pattern that a caller accepts, as a range of token indexes: at each token, each pattern
    /// once.
    pub fn find_where(&self, tokens: &[WordToken<'_>], accept: impl Fn(&Range<usize>) -> bool) -> Option<Range<usize>> {
        let index = self.word_index();
        let starts = (0..tokens.len()).flat_map(|at| {
            let listed = index.by_first.get(tokens[at].text.as_str()).into_iter().flatten();
            listed.chain(&index.any).map(move |pattern| (at, *pattern))
        });
        let matches = starts.filter_map(|(at, pattern)| match_at(tokens, at, &[pattern]).map(|n| at..at + n));
        matches.into_iter().find(accept)
    }

    /// The first match of a pattern that a caller accepts, as a byte range of a text without spaces between words.
    pub fn find_unspaced_where(&self, text: &str, accept: impl Fn(&Range<usize>) -> bool) -> Option<Range<usize>> {
        let index = self.char_index();
        let starts = text.char_indices().flat_map(|(at, c)| {
            let listed = index.by_first.get(&c).into_iter().flatten();
            listed.chain(&index.any).map(move |pattern| (at, *pattern))
        });
        let matches = starts.filter_map(|(at, pattern)| match_unspaced_at(text, at, &[pattern]).map(|n| at..at + n));
        matches.into_iter().find(accept)
    }

    /// Like the function [`match_at`], with the index.
    pub fn match_at(&self, tokens: &[WordToken<'_>], at: usize) -> Option<usize> {
        let index = self.word_index();
        let listed = index.by_first.get(tokens[at].text.as_str());
        listed.and_then(|list| match_at(tokens, at, list)).or_else(|| match_at(tokens, at, &index.any))
    }

    /// The first match of any pattern in a text without spaces between words, as it is written.
    pub fn find_unspaced<'a>(&self, text: &'a str) -> Option<&'a str> {
        let index = self.char_index();
        text.char_indices().find_map(|(at, c)| {
            let listed = index.by_first.get(&c).and_then(|list| match_unspaced_at(text, at, list));
            listed.or_else(|| match_unspaced_at(text, at, &index.any)).map(|n| &text[at..at + n])
        })
    }

    fn word_index(&self) -> &PhraseIndex<&'static str> {
        let first = |one: &'static str| (one != "*" && !one.starts_with('-')).then_some(one);
        self.word_index.get_or_init(|| self.build_index(first, |name| named_words(name).iter()))
    }

    fn char_index(&self) -> &PhraseIndex<char> {
        self.char_index.get_or_init(|| self.build_index(|one| one.chars().next(), |name| named_group(name).iter()))
    }

    fn build_index<K: Eq + Hash>(
        &self,
        first: impl Fn(&'static str) -> Option<K>,
        named: impl Fn(&str) -> Entries,
    ) -> PhraseIndex<K> {
        let mut index = PhraseIndex { by_first: HashMap::new(), any: Vec::new() };
        for pattern in self.patterns {
            let plain = pattern.strip_prefix('^').unwrap_or(pattern);
            let group = plain.split(' ').next().unwrap_or_default();
            let is_wildcard =
                group.is_empty() || group.ends_with('?') || group.starts_with("..") || group.starts_with('~');
            let words = group.split('|').flat_map(|one| match one.strip_prefix('@').filter(|_| !is_wildcard) {
                Some(name) => named(name).collect(),
                None => vec![one],
            });
            let keys: Option<HashSet<K>> = words.map(|one| if one == "#" { None } else { first(one) }).collect();
            match keys.filter(|_| !is_wildcard) {
                Some(keys) => keys.into_iter().for_each(|key| index.by_first.entry(key).or_default().push(pattern)),
                None => index.any.push(pattern),
            }
        }
        index
    }
}

/// The first match of any pattern, as a range of token indexes.
pub fn find(tokens: &[WordToken<'_>], patterns: &[&str]) -> Option<Range<usize>> {
    (0..tokens.len()).find_map(|at| match_at(tokens, at, patterns).map(|n| at..at + n))
}

/// Number of tokens that the first matching pattern takes at index `at`.
pub fn match_at(tokens: &[WordToken<'_>], at: usize, patterns: &[&str]) -> Option<usize> {
    patterns.iter().find_map(|pattern| match pattern.strip_prefix('^') {
        Some(_) if at > 0 => None,
        Some(rest) => match_groups(rest, &tokens[at..]),
        None => match_groups(pattern, &tokens[at..]),
    })
}

/// The source text of a range of tokens.
pub fn matched_text<'a>(text: &'a str, tokens: &[WordToken<'_>], range: Range<usize>) -> &'a str {
    match (tokens.get(range.start), tokens[range.clone()].last()) {
        (Some(first), Some(last)) => &text[first.at..last.at + last.surface.len()],
        _ => "",
    }
}

fn match_groups(pattern: &str, tokens: &[WordToken<'_>]) -> Option<usize> {
    if pattern.is_empty() {
        return Some(0);
    }
    let (group, rest) = pattern.split_once(' ').unwrap_or((pattern, ""));
    if let Some(most) = group.strip_prefix("..").or_else(|| group.strip_prefix('~')) {
        let most: usize = most.parse().ok()?;
        let stop_at_possessive = group.starts_with('~');
        let stop = tokens.iter().position(|t| stop_at_possessive && t.text == "'s").unwrap_or(tokens.len());
        return (0..=most.min(stop)).find_map(|n| match_groups(rest, &tokens[n..]).map(|m| n + m));
    }
    let (group, optional) = group.strip_suffix('?').map_or((group, false), |g| (g, true));
    let taken = tokens.first().filter(|t| group.split('|').any(|one| word_matches(one, &t.text)));
    let taken = taken.and_then(|_| match_groups(rest, &tokens[1..])).map(|n| n + 1);
    taken.or_else(|| if optional { match_groups(rest, tokens) } else { None })
}

fn word_matches(one: &str, word: &str) -> bool {
    match one {
        "*" => true,
        "#" => is_number(word),
        _ => match (one.strip_prefix('-'), one.strip_prefix('@')) {
            (Some(end), _) => word.len() > end.len() + 2 && word.ends_with(end),
            (_, Some(name)) => named_words(name).contains(word),
            _ => one == word,
        },
    }
}

/// The English words that a pattern names as `@name`; see [`named_group`].
pub fn named_words(name: &str) -> WordList {
    match name {
        "agents" => word_list!("pattern_groups/agents.en.txt"),
        "acts" => word_list!("pattern_groups/acts.en.txt"),
        "approvals" => word_list!("pattern_groups/approvals.en.txt"),
        "checks" => word_list!("pattern_groups/checks.en.txt"),
        "disclosures" => word_list!("pattern_groups/disclosures.en.txt"),
        "grants" => word_list!("pattern_groups/grants.en.txt"),
        "languages" => word_list!("pattern_groups/languages.en.txt"),
        "modals" => word_list!("pattern_groups/modals.en.txt"),
        "own_texts" => word_list!("pattern_groups/own_texts.en.txt"),
        "permitted" => word_list!("pattern_groups/permitted.en.txt"),
        "powers" => word_list!("pattern_groups/powers.en.txt"),
        "risks" => word_list!("pattern_groups/risks.en.txt"),
        "runs" => word_list!("pattern_groups/runs.en.txt"),
        "secrets" => word_list!("pattern_groups/secrets.en.txt"),
        "sources" => word_list!("pattern_groups/sources.en.txt"),
        "text_tasks" => word_list!("pattern_groups/text_tasks.en.txt"),
        "texts" => word_list!("pattern_groups/texts.en.txt"),
        "waives" => word_list!("pattern_groups/waives.en.txt"),
        _ => unreachable!("no group of words is named {name}"),
    }
}

const NUMBER_WORDS: WordList = word_list!("numbers/words.en.txt");

/// Whether a word is a number, in digits or in English words.
pub fn is_number(word: &str) -> bool {
    !word.is_empty() && word.bytes().all(|b| b.is_ascii_digit()) || NUMBER_WORDS.contains(word)
}

/// The first match of any pattern in a text without spaces between words.
#[cfg(test)]
pub fn find_unspaced<'a>(text: &'a str, patterns: &[&str]) -> Option<&'a str> {
    let places = text.char_indices().map(|(at, _)| at);
    places.into_iter().find_map(|at| match_unspaced_at(text, at, patterns).map(|n| &text[at..at + n]))
}

/// Number of bytes that the first matching pattern takes at offset `at`.
pub fn match_unspaced_at(text: &str, at: usize, patterns: &[&str]) -> Option<usize> {
    let rest = &text[at..];
    patterns.iter().find_map(|pattern| match pattern.strip_prefix('^') {
        Some(_) if !is_clause_start(text, at) => None,
        Some(pattern) => match_unspaced_groups(pattern, rest),
        None => match_unspaced_groups(pattern, rest),
    })
}

/// Whether a clause starts at offset `at`.
fn is_clause_start(text: &str, at: usize) -> bool {
    text[..at].trim_end().chars().next_back().is_none_or(|c| !c.is_alphanumeric() && c != '_')
}

fn match_unspaced_groups(pattern: &str, text: &str) -> Option<usize> {
    if pattern.is_empty() {
        return Some(0);
    }
    let (group, rest) = pattern.split_once(' ').unwrap_or((pattern, ""));
    if let Some(most) = group.strip_prefix("..").or_else(|| group.strip_prefix('~')) {
        let most: usize = most.parse().ok()?;
        let stop_at_de = group.starts_with('~');
        let ends = |c: char| matches!(c, '，' | '。' | '；' | '！' | '？') || stop_at_de && c == '的';
        let stop = text.find(ends).unwrap_or(text.len());
        let mut offsets =
            text.char_indices().map(|(n, _)| n).chain([text.len()]).take_while(|n| *n <= stop).take(most + 1);
        return offsets.find_map(|n| match_unspaced_groups(rest, &text[n..]).map(|m| n + m));
    }
    if group == "$" {
        let ends = text.chars().next().is_none_or(|c| !c.is_alphanumeric() && !matches!(c, '_' | '、'));
        return if ends { match_unspaced_groups(rest, text) } else { None };
    }
    let (group, optional) = group.strip_suffix('?').map_or((group, false), |g| (g, true));
    let match_one = |one: &str| {
        let length =
            if one == "#" { chinese_number_length(text)? } else { text.starts_with(one).then_some(one.len())? };
        match_unspaced_groups(rest, &text[length..]).map(|n| length + n)
    };
    let taken = group.split('|').find_map(|one| match one.strip_prefix('@') {
        Some(name) => named_group(name).iter().find_map(match_one),
        None => match_one(one),
    });
    taken.or_else(|| if optional { match_unspaced_groups(rest, text) } else { None })
}

/// The words that a pattern names as `@name`. A pattern is compiled in, so an unknown name is an error in memdir.
pub fn named_group(name: &str) -> PhraseList {
    match name {
        "acts" => phrase_list!("pattern_groups/acts.zh.txt"),
        "agents" => phrase_list!("pattern_groups/agents.zh.txt"),
        "approvals" => phrase_list!("pattern_groups/approvals.zh.txt"),
        "checks" => phrase_list!("pattern_groups/checks.zh.txt"),
        "assets" => phrase_list!("pattern_groups/assets.zh.txt"),
        "disclosures" => phrase_list!("pattern_groups/disclosures.zh.txt"),
        "grants" => phrase_list!("pattern_groups/grants.zh.txt"),
        "judged" => phrase_list!("pattern_groups/judged.zh.txt"),
        "languages" => phrase_list!("pattern_groups/languages.zh.txt"),
        "modals" => phrase_list!("pattern_groups/modals.zh.txt"),
        "needless" => phrase_list!("pattern_groups/needless.zh.txt"),
        "own_texts" => phrase_list!("pattern_groups/own_texts.zh.txt"),
        "places" => phrase_list!("pattern_groups/places.zh.txt"),
        "powers" => phrase_list!("pattern_groups/powers.zh.txt"),
        "runs" => phrase_list!("pattern_groups/runs.zh.txt"),
        "secrets" => phrase_list!("pattern_groups/secrets.zh.txt"),
        "sources" => phrase_list!("pattern_groups/sources.zh.txt"),
        "surnames" => phrase_list!("pattern_groups/surnames.zh.txt"),
        "texts" => phrase_list!("pattern_groups/texts.zh.txt"),
        "waives" => phrase_list!("pattern_groups/waives.zh.txt"),
        _ => unreachable!("no group of words is named {name}"),
    }
}

fn chinese_number_length(text: &str) -> Option<usize> {
    let digits = text.bytes().take_while(u8::is_ascii_digit).count();
    if digits > 0 {
        let blank = usize::from(text[digits..].starts_with(' '));
        return Some(digits + blank);
    }
    let part = |c: &char| "一二两三四五六七八九十百几数半多".contains(*c);
    let length = text.chars().take_while(part).map(char::len_utf8).sum();
    (length > 0).then_some(length)
}

/// Whether a text contains characters of a script without spaces between words.
pub fn has_unspaced_script(text: &str) -> bool {
    text.chars().any(is_unspaced)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn english(text: &str, pattern: &str) -> Option<String> {
        let all = word_tokens(text);
        find(&all, &[pattern]).map(|r| matched_text(text, &all, r).to_owned())
    }

    #[test]
    fn words_match_groups() {
        assert_eq!(english("met 3 days ago", "# day|days ago").as_deref(), Some("3 days ago"));
        assert_eq!(english("met days ago", "#? days ago").as_deref(), Some("days ago"));
        assert_eq!(english("User's own cat is old", "user 's ..2 is").as_deref(), Some("User's own cat is"));
        assert_eq!(english("User's server moved", "user ~3 moved"), None);
        assert_eq!(english("is working", "is -ing").as_deref(), Some("is working"));
        assert_eq!(english("now run", "^run"), None);
        assert_eq!(english("", "a"), None);
    }

    #[test]
    fn each_named_group_is_found() {
        for name in ["judged", "languages", "places", "surnames"] {
            assert!(named_group(name).iter().count() > 20, "{name}");
        }
        assert_eq!(find_unspaced("用户说粤语了", &["说 @languages"]), Some("说粤语"));
    }

    #[test]
    fn characters_match_groups() {
        assert_eq!(find_unspaced("用户上个星期来过", &["上|下 个? 周|星期"]), Some("上个星期"));
        assert_eq!(find_unspaced("他3 天前走了", &["# 天 前"]), Some("3 天前"));
        assert_eq!(find_unspaced("好，请运行", &["^请 运行"]), Some("请运行"));
        assert_eq!(find_unspaced("邀请运行", &["^请 运行"]), None);
        assert_eq!(find_unspaced("用户在家说粤语", &["用户 ..3 说"]), Some("用户在家说"));
        assert_eq!(find_unspaced("用户", &["用户 ..3 说"]), None);
        assert_eq!(find_unspaced("用户是成都人。", &["是 成都 人 $"]), Some("是成都人"));
        assert_eq!(find_unspaced("用户是成都人大代表", &["是 成都 人 $"]), None);
    }
}
