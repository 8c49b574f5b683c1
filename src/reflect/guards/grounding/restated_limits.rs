//! Recognises a limit in other words: "can't be bigger than 5 MB" and "at most 5 MB", "no fewer than 12" and "at least
//! 12", 不能超过 and 最多.
//!
//! Never compares the numbers with each other, and never takes one dimension for another: "no older than 5 days" is not
//! "no longer than 5 days".

use std::ops::Range;
use std::sync::LazyLock;

use super::restated;
use crate::text::Splice;
use crate::text::phrase::{PhrasePatterns, is_number, word_tokens};
use crate::text::word_list::{PhraseList, WordList, phrase_list, word_list};
use crate::text::words::is_unspaced;

/// Phrases before a number: first those that name the most, then those that name the least.
static LIMITS: LazyLock<Vec<PhrasePatterns>> =
    LazyLock::new(|| PhrasePatterns::sections(phrase_list!("guards/grounding/limits.en.txt")));
/// The same in Chinese, as parts of a phrase: what denies, then more than, less than, at most, at least.
const HAN_LIMITS: PhraseList = phrase_list!("guards/grounding/limits.zh.txt");
/// Comparatives for one dimension; the others compare any.
const DIMENSIONS: WordList = word_list!("guards/grounding/limit_dimensions.en.txt");

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum LimitKind {
    Most,
    Least,
}

/// A phrase that makes the number behind it a limit.
#[derive(Clone, Debug, PartialEq, Eq)]
struct LimitPhrase {
    kind: LimitKind,
    /// The bytes of the phrase, without the number.
    range: Range<usize>,
    /// The number without group separators, in lower case.
    number: String,
    /// What is counted: the sign before the number or the word behind it, in lower case.
    unit: String,
    /// The comparative, if it is of one dimension.
    dimension: Option<String>,
}

impl LimitPhrase {
    /// Whether both have the same number of the same. A source may leave out what it counts: "no fewer than 3".
    fn is_of_same_amount(&self, other: &LimitPhrase) -> bool {
        self.number == other.number && (other.unit.is_empty() || self.unit == other.unit)
    }

    /// Whether a source that has the other phrase says as much.
    fn follows_from(&self, other: &LimitPhrase) -> bool {
        self.kind == other.kind
            && self.is_of_same_amount(other)
            && (self.dimension.is_none() || self.dimension == other.dimension)
    }
}

/// A text with each limit in the words of a source that sets the same; `None` if nothing changes.
pub(super) fn in_forms_of(text: &str, sources: &[&str]) -> Option<String> {
    let own = limits(text);
    if own.is_empty() {
        return None;
    }
    let said: Vec<(LimitPhrase, &str)> =
        sources.iter().flat_map(|source| limits(source).into_iter().map(move |limit| (limit, *source))).collect();
    let low = sources.join("\n").to_lowercase();
    let mut splices: Vec<Splice> = Vec::new();
    for limit in own {
        let surface = text[limit.range.clone()].to_lowercase();
        let Some((other, source)) = said.iter().find(|(other, _)| limit.follows_from(other)) else { continue };
        let Range { start, end } = limit.range;
        if splices.last().is_none_or(|last| last.end <= start) && !low.contains(&surface) {
            splices.push(Splice { start, end, new: source[other.range.clone()].to_owned() });
        }
    }
    restated(text, &splices)
}

/// A limit of a text whose number is the opposite limit in its sources, and no other one: "at least 5" for "at most 5".
pub(super) fn turned_limit(text: &str, sources: &[&str]) -> Option<String> {
    let own = limits(text);
    if own.is_empty() {
        return None;
    }
    let said: Vec<LimitPhrase> = sources.iter().flat_map(|source| limits(source)).collect();
    let is_turned = |limit: &&LimitPhrase| {
        let mut same = said.iter().filter(|other| limit.is_of_same_amount(other)).peekable();
        same.peek().is_some() && same.all(|other| other.kind != limit.kind)
    };
    own.iter().find(is_turned).map(|limit| text[limit.range.clone()].to_owned())
}

fn limits(text: &str) -> Vec<LimitPhrase> {
    let mut found = english_limits(text);
    if text.chars().any(is_unspaced) {
        found.extend(han_limits(text));
    }
    found.sort_by_key(|limit| limit.range.start);
    found
}

fn english_limits(text: &str) -> Vec<LimitPhrase> {
    let tokens = word_tokens(text);
    let is_numeral = |word: &str| word.starts_with(|c: char| c.is_ascii_digit()) || is_number(word);
    let mut found = Vec::new();
    for at in (1..tokens.len()).filter(|at| is_numeral(&tokens[*at].text)) {
        let before = &tokens[..at];
        for (patterns, kind) in LIMITS.iter().zip([LimitKind::Most, LimitKind::Least]) {
            let Some(words) = patterns.find_where(before, |range| range.end == at) else { continue };
            let last = &before[at - 1];
            let end = last.at + last.surface.len();
            // Only a sign of a currency stands between a limit and its number.
            let gap = text[end..tokens[at].at].trim();
            if !gap.is_empty() && !gap.chars().all(|c| "$€£¥￥₹".contains(c)) {
                continue;
            }
            let dimension = before[words.clone()].iter().map(|t| &t.text).find(|word| DIMENSIONS.contains(word));
            found.push(LimitPhrase {
                kind,
                range: before[words.start].at..end,
                number: numeral_at(text, tokens[at].at),
                unit: unit_at(text, end),
                dimension: dimension.cloned(),
            });
            break;
        }
    }
    found
}

/// The number at an offset, without group separators, up to a space or another sign.
fn numeral_at(text: &str, at: usize) -> String {
    let is_part = |c: char| c.is_alphanumeric() && !is_unspaced(c) || matches!(c, ',' | '.');
    let word: String = text[at..].chars().take_while(|c| is_part(*c)).collect();
    let digits: String = word.chars().take_while(|c| c.is_ascii_digit() || matches!(c, ',' | '.')).collect();
    let numeral = if digits.is_empty() { word } else { digits };
    numeral.replace(',', "").trim_end_matches('.').to_lowercase()
}

/// What an amount is of, as [`LimitPhrase::unit`]; `at` is the offset before it. Empty if the text ends with the number.
fn unit_at(text: &str, at: usize) -> String {
    let is_sign = |c: &char| "$€£¥￥₹%".contains(*c);
    let is_numeral = |c: char| c.is_ascii_digit() || matches!(c, ',' | '.') || HAN_NUMERALS.contains(c);
    let amount = text[at..].trim_start();
    if let Some(sign) = amount.chars().next().filter(is_sign) {
        return sign.to_string();
    }
    let behind = if amount.starts_with(is_numeral) {
        amount.trim_start_matches(is_numeral)
    } else {
        // A number in words.
        amount.split_once(' ').map_or("", |(_, behind)| behind)
    };
    let behind = behind.trim_start();
    match behind.chars().next() {
        Some(c) if is_sign(&c) || is_unspaced(c) => c.to_string(),
        _ => {
            let word: String = behind.chars().take_while(|c| c.is_alphanumeric() && !is_unspaced(*c)).collect();
            let word = word.to_lowercase();
            word.strip_suffix('s').map_or(word.clone(), str::to_owned)
        }
    }
}

fn han_limits(text: &str) -> Vec<LimitPhrase> {
    let mut lists = HAN_LIMITS.sections();
    let mut next = || lists.next().into_iter().flatten().collect::<Vec<&'static str>>();
    let (denying, more, less, most, least) = (next(), next(), next(), next(), next());
    let mut found = Vec::new();
    for (at, c) in text.char_indices() {
        let is_start = c.is_ascii_digit() || HAN_NUMERALS.contains(c);
        let before = text[..at].trim_end_matches([' ', '$', '€', '£', '¥', '￥']);
        let is_within = text[..at].ends_with(|c: char| c.is_ascii_digit() || c == '.' || HAN_NUMERALS.contains(c));
        if !is_start || is_within {
            continue;
        }
        let longest = |words: &[&'static str], before: &str| {
            words.iter().filter(|word| before.ends_with(**word)).map(|word| word.len()).max()
        };
        let denied = |words: &[&'static str]| {
            let length = longest(words, before)?;
            Some(length + longest(&denying, &before[..before.len() - length])?)
        };
        let most = longest(&most, before).or_else(|| denied(&more)).map(|length| (LimitKind::Most, length));
        let least = || longest(&least, before).or_else(|| denied(&less)).map(|length| (LimitKind::Least, length));
        let Some((kind, length)) = most.or_else(least) else { continue };
        let is_numeral = |c: char| c.is_ascii_digit() || matches!(c, ',' | '.') || HAN_NUMERALS.contains(c);
        let number: String = text[at..].chars().take_while(|c| is_numeral(*c)).filter(|c| *c != ',').collect();
        found.push(LimitPhrase {
            kind,
            range: before.len() - length..before.len(),
            number,
            unit: unit_at(text, before.len()),
            dimension: None,
        });
    }
    found
}

const HAN_NUMERALS: &str = "一二三四五六七八九十百千万两半";

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_limit_is_not_turned_round() {
        for (text, source, expected) in [
            ("Orders are at most 20 euros.", "an order must not be lower than 20 euros", Some("are at most")),
            ("用户名至少20字。", "用户名不能超过20字", Some("至少")),
            ("Orders are at most 20 euros.", "an order must not be higher than 20 euros", None),
            ("Orders are at most 20 euros.", "orders cost 20 euros", None),
        ] {
            assert_eq!(turned_limit(text, &[source]).as_deref(), expected, "{text} / {source}");
        }
    }

    #[test]
    fn limits_in_other_words_are_recognised() {
        for (text, source, expected) in [
            (
                "Uploads are at most 5 MB.",
                "Uploads can't be bigger than 5 MB",
                Some("Uploads can't be bigger than 5 MB."),
            ),
            ("Uploads can't be larger than 5 MB.", "uploads are at most 5 MB", Some("Uploads are at most 5 MB.")),
            (
                "Names have at least 3 letters.",
                "names must not have fewer than 3",
                Some("Names must not have fewer than 3 letters."),
            ),
            ("Rent is at most $900.", "rent may never exceed $900", Some("Rent may never exceed $900.")),
            ("上传最多5MB。", "上传不能超过5MB", Some("上传不能超过5MB。")),
            ("密码至少12位。", "密码不得少于12位", Some("密码不得少于12位。")),
            ("密码不能超过十二位。", "密码最多十二位", Some("密码最多十二位。")),
        ] {
            assert_eq!(in_forms_of(text, &[source]).as_deref(), expected, "{text} / {source}");
        }
        for (text, source) in [
            ("Uploads are at least 5 MB.", "Uploads can't be bigger than 5 MB"),
            ("Thumbnails are at most 5 MB.", "backups can't be larger than 5 GB"),
            ("Uploads are at most 50 MB.", "Uploads can't be bigger than 5 MB"),
            ("Uploads are at most 5 MB.", "Uploads can be bigger than 5 MB"),
            ("Keys can't be older than 5 days.", "keys can't be longer than 5 days"),
            ("Keys can't be older than 5 days.", "keys are at most 5 days"),
            ("上传至少5MB。", "上传不能超过5MB"),
            ("上传最多5MB。", "上传能超过5MB"),
        ] {
            assert_eq!(in_forms_of(text, &[source]), None, "{text} / {source}");
        }
    }
}
