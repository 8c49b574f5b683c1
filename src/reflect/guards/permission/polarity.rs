//! Decides what negations make of a frame: "may push without review" widens a right, "may not push without review" does
//! not.
//!
//! Never looks beyond the clause of a frame. What counts is whether the number of negations is odd: of "not", "without"
//! and the like, and, where a check is named, of the verbs that do without it.

use std::ops::Range;

use crate::text::phrase::{WordToken, named_group, named_words};
use crate::text::prose_mask::mask_phrases;
use crate::text::verbs::is_past_verb;
use crate::text::word_list::{PhraseList, WordList, phrase_list, word_list};

/// Words that negate: "not", "nobody", "without", "forbids".
const NEGATIONS: WordList = word_list!("guards/permission/negations.en.txt");
const HAN_NEGATIONS: PhraseList = phrase_list!("guards/permission/negations.zh.txt");
/// Words that contain the characters of a negation but are not negations.
const HAN_NOT_NEGATIONS: PhraseList = phrase_list!("guards/permission/not_negations.zh.txt");
/// Words that end a clause, so that a negation before them does not count behind them.
const CLAUSE_WORDS: [&str; 10] =
    ["but", "because", "so", "although", "whereas", "while", "and", "then", "therefore", "instead"];
/// Words between a right and the approval that it waits for.
const CONDITIONS: [&str; 10] = ["after", "once", "if", "only", "with", "upon", "unless", "when", "until", "first"];
const HAN_CONDITIONS: [&str; 12] =
    ["只能", "后才", "后方可", "才能", "才可", "才会", "方可", "才得", "必须先", "需先", "前提", "需要先"];
/// Words that forbid, also behind a frame and in the clause after it: "未经评审，代理不得推送".
const HAN_PROHIBITIONS: [&str; 10] =
    ["不得", "不准", "不许", "不能", "不可", "禁止", "严禁", "谁也", "一律不", "不允许"];
/// How many words before a frame, and behind it, belong to it.
const BEFORE: usize = 5;
const BEHIND: usize = 6;

/// The negations of a frame, and whether a check or an approval is named in or behind it.
struct Reading {
    negations: usize,
    names_check: bool,
    is_conditional: bool,
}

/// Reads a frame; in one of a waiver, the verbs that do without something count whether a check is named or not.
fn read(sentence: &str, tokens: &[WordToken<'_>], range: &Range<usize>, is_waiver: bool) -> Reading {
    let ends_clause = |at: usize| {
        let gap = &sentence[tokens[at - 1].at + tokens[at - 1].surface.len()..tokens[at].at];
        gap.contains([',', ';', ':', '—', '(']) || CLAUSE_WORDS.contains(&tokens[at].text.as_str())
    };
    let from = (range.start.saturating_sub(BEFORE) + 1..=range.start).rev().find(|at| ends_clause(*at));
    let from = from.unwrap_or(range.start.saturating_sub(BEFORE));
    let to = (range.end..tokens.len().min(range.end + BEHIND)).find(|at| ends_clause(*at));
    let to = to.unwrap_or(tokens.len().min(range.end + BEHIND));
    let is_in = |name: &str, at: usize| named_words(name).contains(&tokens[at].text);
    let is_check = |at: &usize| is_in("checks", *at) || is_in("approvals", *at);
    let first_behind = (range.end..to).find(is_check);
    let names_check = range.clone().any(|at| is_check(&at)) || first_behind.is_some();
    let end = first_behind.map_or(range.end, |at| at + 1);
    let word = |at: usize| tokens[at].text.as_str();
    let is_sign_off = |at: usize| word(at) == "off" && at > 0 && word(at - 1).starts_with("sign");
    let negates = |at: &usize| {
        NEGATIONS.contains(word(*at)) && !is_sign_off(*at) || (names_check || is_waiver) && is_in("waives", *at)
    };
    Reading {
        negations: (from..end).filter(negates).count(),
        names_check,
        is_conditional: (range.start..end)
            .any(|at| CONDITIONS.contains(&word(at)) && (at == 0 || word(at - 1) != "even")),
    }
}

/// Whether a frame of a right gives one.
pub(super) fn grants(sentence: &str, tokens: &[WordToken<'_>], range: &Range<usize>) -> bool {
    let reading = read(sentence, tokens, range, false);
    match reading.names_check {
        // "May push after a review", "may run the tests".
        true if reading.negations == 0 => !reading.is_conditional && !is_check_run(tokens, range),
        true => reading.negations % 2 == 1,
        false => reading.negations.is_multiple_of(2),
    }
}

/// Whether a frame of a waiver does without a check.
pub(super) fn waives(sentence: &str, tokens: &[WordToken<'_>], range: &Range<usize>) -> bool {
    let reading = read(sentence, tokens, range, true);
    reading.negations % 2 == 1
}

/// Whether a phrase is turned into its opposite: "may not push", "never without review".
pub(super) fn is_restriction(sentence: &str, tokens: &[WordToken<'_>], range: &Range<usize>) -> bool {
    let reading = read(sentence, tokens, range, false);
    match reading.names_check {
        true if reading.negations == 0 => reading.is_conditional || is_check_run(tokens, range),
        true => reading.negations.is_multiple_of(2),
        false => reading.negations % 2 == 1,
    }
}

/// Fields where an approval in advance, or an exemption, is no right of a program: a claim, a loan, generated code.
const OTHER_FIELDS: WordList = word_list!("guards/permission/other_fields.en.txt");
const HAN_OTHER_FIELDS: PhraseList = phrase_list!("guards/permission/other_fields.zh.txt");

/// Whether a sentence is of a field where approvals are no rights of programs, and names none.
pub(super) fn is_of_other_field(tokens: &[WordToken<'_>]) -> bool {
    tokens.iter().any(|token| OTHER_FIELDS.contains(&token.text))
        && !tokens.iter().any(|token| named_words("agents").contains(&token.text))
}

/// The same for a Chinese text.
pub(super) fn is_of_other_field_han(text: &str) -> bool {
    HAN_OTHER_FIELDS.iter().any(|word| text.contains(word))
        && !named_group("agents").iter().any(|agent| text.contains(agent))
}

/// Words that make a statement about the past one about what follows, too.
const QUANTIFIERS: [&str; 14] = [
    "any", "all", "every", "each", "future", "always", "whenever", "whatever", "no", "up", "below", "under", "has",
    "have",
];

/// Whether a sentence tells of one thing that happened: "The release of 0.4.0 went out without review". It has a number
/// and a verb in the past, and neither an agent nor a word that makes it general.
pub(super) fn is_past_event(tokens: &[WordToken<'_>]) -> bool {
    let has = |test: &dyn Fn(&str) -> bool| tokens.iter().any(|token| test(&token.text));
    has(&|word| word.starts_with(|c: char| c.is_ascii_digit()))
        && has(&|word| matches!(word, "was" | "were" | "went" | "had") || is_past_verb(word))
        && !has(&|word| QUANTIFIERS.contains(&word) || named_words("agents").contains(word))
}

/// Whether what is run is a check: "wants agents to run the tests".
fn is_check_run(tokens: &[WordToken<'_>], range: &Range<usize>) -> bool {
    let runs = |at: &usize| named_words("runs").contains(&tokens[*at].text);
    let Some(at) = range.clone().rev().find(runs) else { return false };
    let end = tokens.len().min(at + BEHIND);
    (at + 1..end).any(|at| named_words("checks").contains(&tokens[at].text))
        && !(range.start..end).any(|at| NEGATIONS.contains(&tokens[at].text))
}

/// The negations in the clause of a match, up to its end, and whether a check or an approval is named.
fn read_han(text: &str, range: &Range<usize>) -> Reading {
    let is_end = |c: char| matches!(c, '，' | '。' | '；' | '！' | '？' | '：' | ',' | ';');
    let from =
        text[..range.start].rfind(is_end).map_or(0, |at| at + text[at..].chars().next().map_or(1, char::len_utf8));
    let end = text[range.end..].find(is_end).map_or(text.len(), |n| range.end + n);
    let names = |group: &str, part: &str| named_group(group).iter().any(|word| part.contains(word));
    let (matched, clause) = (&text[range.clone()], &text[range.start..end]);
    let names_check = names("approvals", clause) || names("checks", clause);
    // Behind the match, "才能推送" and "不得推送" still restrict it.
    let mut part = mask_phrases(&text[from..range.end], HAN_NOT_NEGATIONS);
    let mut negations = 0;
    let mut count = |words: PhraseList| {
        for word in words {
            let found = part.matches(word).count();
            negations += found;
            if found > 0 {
                part = part.replace(word, "_");
            }
        }
    };
    if names_check {
        count(named_group("waives"));
    }
    count(HAN_NEGATIONS);
    let next = text.get(end..).unwrap_or_default();
    let next = next.get(next.chars().next().map_or(0, char::len_utf8)..).unwrap_or_default();
    let next = next.split(is_end).next().unwrap_or_default();
    let is_open = ["未经", "不经", "没有", "若无", "除非", "未"].iter().any(|word| text[from..end].contains(word));
    let forbids = |part: &str| HAN_PROHIBITIONS.iter().any(|word| part.contains(word));
    negations += usize::from(forbids(&text[range.end..end]) || is_open && forbids(next));
    Reading {
        negations,
        names_check,
        is_conditional: HAN_CONDITIONS.iter().any(|word| matched.contains(word) || clause.contains(word)),
    }
}

pub(super) fn han_grants(text: &str, range: &Range<usize>) -> bool {
    let reading = read_han(text, range);
    match (reading.names_check, reading.negations) {
        (_, 0) => !reading.is_conditional,
        (true, n) => n % 2 == 1,
        (false, n) => n % 2 == 0,
    }
}

pub(super) fn han_waives(text: &str, range: &Range<usize>) -> bool {
    read_han(text, range).negations % 2 == 1
}

pub(super) fn han_restricts(text: &str, range: &Range<usize>) -> bool {
    let reading = read_han(text, range);
    match reading.names_check {
        _ if reading.negations == 0 => reading.is_conditional,
        true => reading.negations.is_multiple_of(2),
        false => reading.negations % 2 == 1,
    }
}
