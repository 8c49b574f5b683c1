//! Finds what a user took back and what he said in its place: "at 3, no wait, 4", "sorry, it's 14", "moved from Monday
//! to Friday"; and puts it there, so that what was taken back is no evidence.
//!
//! Never decides whether a text agrees with what was said: `grounding` does.

mod pairs;
mod values;

use pairs::{changed_value, denied_value};
use values::{TextValue, TextValueKind, values};

use crate::text::phrase::has_unspaced_script;
use crate::text::stopwords;
use crate::text::word_list::{PhraseList, WordList, phrase_list, word_list};
use crate::text::words::is_unspaced;

const STRONG: PhraseList = phrase_list!("guards/corrections/strong.en.txt");
const HAN_STRONG: PhraseList = phrase_list!("guards/corrections/strong.zh.txt");
const WEAK: PhraseList = phrase_list!("guards/corrections/weak.en.txt");
const HAN_WEAK: PhraseList = phrase_list!("guards/corrections/weak.zh.txt");
const RETRACTING: PhraseList = phrase_list!("guards/corrections/retracting.en.txt");
const HAN_RETRACTING: PhraseList = phrase_list!("guards/corrections/retracting.zh.txt");
/// Words that may stand between such a phrase and the new value, besides those of what is corrected.
const BETWEEN: WordList = word_list!("guards/corrections/between.en.txt");

/// Words with which a user says where he looked a value up.
const LOOKING_UP: PhraseList = phrase_list!("guards/corrections/looking_up.txt");

/// So many words may stand between the phrase and the value.
const MAX_WORDS_BETWEEN: usize = 6;
/// So many Chinese characters may.
const MAX_HAN_BETWEEN: usize = 7;
/// So many bytes may stand before a phrase that opens a later turn: "oh", "hm, ".
const MAX_BEFORE_PHRASE: usize = 8;
/// A word that takes the place of another is at most so long, in words and in Chinese characters.
const MAX_REPLACED_WORDS: usize = 2;
const MAX_REPLACED_HAN: usize = 4;

/// A passage of a turn that another takes the place of.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Correction {
    /// What was taken back.
    old: String,
    /// What was said instead.
    new: String,
    /// The words with which the same turn corrects it; empty if a later turn does.
    tail: String,
    /// The old value alone, if it was right before.
    former: Option<String>,
}

impl Correction {
    /// A text with the new value in the place of the old one.
    pub fn apply(&self, text: &str) -> String {
        let (mut text, mut until) = (text.to_owned(), text.len());
        if !self.tail.is_empty()
            && let Some(at) = text.rfind(&self.tail)
        {
            text.replace_range(at..at + self.tail.len(), "");
            until = at;
        }
        if self.tail.is_empty() && self.former.is_none() {
            let mut end = text.len();
            while let Some(at) = find_word(&text[..end], &self.old) {
                text.replace_range(at..at + self.old.len(), &self.new);
                end = at;
            }
        } else if let Some(at) = find_word(&text[..until], &self.old) {
            text.replace_range(at..at + self.old.len(), &self.new);
        }
        text
    }

    /// Whether a text needs no correction: it has both values, or of a change the new one, or it tells of the change.
    pub fn is_told_by(&self, text: &str) -> bool {
        let has = |value: &str| !value.is_empty() && find_word(text, value).is_some();
        match &self.former {
            Some(former) => !has(former) || pairs::tells_change(text),
            None => has(&self.old) && has(&self.new),
        }
    }

    /// Whether a text has the new value.
    pub fn is_stated_by(&self, text: &str) -> bool {
        !self.new.is_empty() && find_word(text, &self.new).is_some()
    }

    /// The sentence of a corrected turn that states the new value.
    pub fn new_sentence<'a>(&self, turn: &'a str) -> Option<&'a str> {
        let at = find_word(turn, &self.new).filter(|_| !self.new.is_empty())?;
        let from = sentence_start(&turn[..at]);
        let is_end = |c: char| matches!(c, '!' | '?' | '\n' | '。' | '！' | '？');
        let end = turn[at..].find(is_end).map_or(turn.len(), |end| at + end);
        Some(turn[from..end].trim())
    }
}

/// What a turn corrects of itself.
pub fn corrections_within(turn: &str) -> Vec<Correction> {
    let low = turn.to_ascii_lowercase();
    let mut found: Vec<Correction> = Vec::new();
    for phrase in phrases(&low) {
        found.extend(correction_at(turn, &phrase));
    }
    found.extend(changed_value(turn).map(|(old, former)| Correction {
        old,
        former: Some(former),
        ..Correction::default()
    }));
    found
}

/// What a later turn of the user corrects of the turns before it, of which `earlier` is the user's last.
pub fn correction_of(earlier: &str, later: &str) -> Option<Correction> {
    let of_turn = |(old, new): (String, String)| Correction { old, new, tail: String::new(), former: None };
    if let Some(pair) = denied_value(later) {
        return Some(of_turn(pair));
    }
    let low = later.to_ascii_lowercase();
    let phrase = phrases(&low).into_iter().find(|phrase| phrase.start <= MAX_BEFORE_PHRASE)?;
    let behind = value_behind(later, &phrase, earlier).map(|(value, _)| value);
    let new = behind.or_else(|| looked_up_value(later, &phrase, earlier))?;
    let candidates: Vec<TextValue> = values(earlier).into_iter().filter(|old| new.may_replace(old)).collect();
    let old = match &candidates[..] {
        [only] => only,
        several => {
            let of_unit = |old: &&TextValue| !new.unit.is_empty() && old.unit == new.unit;
            let mut alike = several.iter().filter(|old| new.is_like(later, old, earlier));
            several.iter().rfind(of_unit).or_else(|| alike.next().filter(|_| alike.next().is_none()))?
        }
    };
    let pair = (old.surface(earlier).to_owned(), new.surface(later).to_owned());
    (!pair.0.eq_ignore_ascii_case(&pair.1)).then(|| of_turn(pair))
}

/// The last place of a value that is no part of a longer word or number.
fn find_word(text: &str, value: &str) -> Option<usize> {
    let (low, value) = (text.to_ascii_lowercase(), value.to_ascii_lowercase());
    let is_part = |c: Option<char>| c.is_some_and(|c| c.is_alphanumeric() && !is_unspaced(c));
    let mut places: Vec<usize> = low.match_indices(&*value).map(|(at, _)| at).collect();
    places.retain(|at| {
        let (before, after) = (&low[..*at], &low[at + value.len()..]);
        let is_digit = |c: Option<char>| c.is_some_and(|c| c.is_ascii_digit());
        let is_decimal = after.starts_with(['.', ':']) && is_digit(after[1..].chars().next())
            || before.ends_with(['.', ':']) && is_digit(before[..before.len() - 1].chars().next_back());
        !(is_part(before.chars().next_back()) && is_part(value.chars().next())
            || is_part(after.chars().next()) && is_part(value.chars().next_back())
            || is_decimal)
    });
    places.pop()
}

/// A phrase of correction in a turn.
struct CorrectionPhrase {
    start: usize,
    end: usize,
    is_strong: bool,
    /// Whether it takes back a whole statement.
    is_retracting: bool,
}

/// The phrases of correction in a text, in order; of several in a row, the last with the start of the first.
fn phrases(low: &str) -> Vec<CorrectionPhrase> {
    let mut found: Vec<CorrectionPhrase> = Vec::new();
    let mut at = 0;
    while at < low.len() {
        let Some(phrase) = low.is_char_boundary(at).then(|| phrase_at(low, at)).flatten() else {
            at += 1;
            continue;
        };
        at = phrase.end;
        match found.last_mut() {
            Some(last) if low[last.end..phrase.start].chars().all(|c| !c.is_alphanumeric()) => {
                last.end = phrase.end;
                last.is_strong |= phrase.is_strong;
                last.is_retracting |= phrase.is_retracting;
            }
            _ => found.push(phrase),
        }
    }
    found
}

fn phrase_at(low: &str, at: usize) -> Option<CorrectionPhrase> {
    let rest = &low[at..];
    let before = low[..at].trim_end();
    let is_word = |c: Option<char>| c.is_some_and(|c| c.is_alphanumeric() && !is_unspaced(c));
    let begins = !is_word(low[..at].chars().next_back());
    let is_clause = before.is_empty() || before.ends_with(|c: char| !c.is_alphanumeric() && c != '\'');
    let longest = |list: PhraseList| {
        let is_here = |phrase: &&str| {
            let ends = is_unspaced(phrase.chars().next_back().unwrap_or(' '))
                || !is_word(rest.get(phrase.len()..).and_then(|rest| rest.chars().next()));
            rest.starts_with(*phrase) && ends
        };
        list.iter().filter(is_here).map(str::len).max()
    };
    let first = rest.chars().next()?;
    let phrase =
        |length, is_strong, is_retracting| CorrectionPhrase { start: at, end: at + length, is_strong, is_retracting };
    if is_unspaced(first) {
        let weak = || longest(HAN_WEAK).filter(|_| is_clause).map(|length| phrase(length, false, false));
        return longest(HAN_RETRACTING)
            .map(|length| phrase(length, true, true))
            .or_else(|| longest(HAN_STRONG).filter(|_| is_clause).map(|length| phrase(length, true, false)))
            .or_else(weak);
    }
    if !begins || !first.is_alphabetic() {
        return None;
    }
    longest(RETRACTING)
        .filter(|_| is_clause)
        .map(|length| phrase(length, true, true))
        .or_else(|| longest(STRONG).map(|length| phrase(length, true, false)))
        .or_else(|| longest(WEAK).filter(|_| is_clause).map(|length| phrase(length, false, false)))
}

/// The first value behind a phrase, if the words between say nothing that the text before does not, and where the
/// passage with it ends.
fn value_behind(turn: &str, phrase: &CorrectionPhrase, before: &str) -> Option<(TextValue, usize)> {
    let rest = &turn[phrase.end..];
    let is_end = |(at, c): &(usize, char)| {
        matches!(c, '!' | '?' | '\n' | '。' | '！' | '？')
            || *c == '.' && *at > 1 && rest[at + 1..].starts_with([' ', '\n'])
    };
    let end =
        rest.char_indices().skip_while(|(_, c)| !c.is_alphanumeric()).find(is_end).map_or(rest.len(), |(at, _)| at);
    let known = before.to_lowercase();
    let found = values(&turn[..phrase.end + end]).into_iter().filter(|value| value.start >= phrase.end);
    for value in found {
        let gap = turn[phrase.end..value.start].to_lowercase();
        let is_known = |word: &str| BETWEEN.contains(word) || known.contains(word);
        let words: Vec<&str> = gap
            .split(|c: char| !(c.is_alphanumeric() || c == '\'') || is_unspaced(c))
            .filter(|word| !word.is_empty())
            .collect();
        let han = gap.chars().filter(|c| is_unspaced(*c)).count();
        if han > MAX_HAN_BETWEEN || words.len() > MAX_WORDS_BETWEEN {
            return None;
        }
        // "We use npm. Sorry, the frontend is on pnpm": of another thing.
        let is_of_kind = values(before).iter().any(|old| value.may_replace(old));
        if is_of_kind {
            return words.iter().all(|word| is_known(word)).then(|| {
                let end = value.unit_end;
                (value, end)
            });
        }
    }
    None
}

/// The value that a user found where he looked it up: "just found the receipt: 5,400", 刚问了房东，说是三千. It stands at
/// the end of its clause, alone of its kind.
fn looked_up_value(turn: &str, phrase: &CorrectionPhrase, before: &str) -> Option<TextValue> {
    let words = turn[phrase.start..].to_lowercase();
    if !LOOKING_UP.iter().any(|word| words.contains(word)) {
        return None;
    }
    let is_end = |c: char| matches!(c, '.' | ',' | ';' | '!' | '?' | '\n' | '，' | '。' | '；' | '！' | '？' | '了');
    let of_kind = |value: &TextValue| values(before).iter().any(|old| value.may_replace(old));
    let mut found = values(turn).into_iter().filter(|value| value.start >= phrase.start && of_kind(value));
    let value = found.next().filter(|_| found.next().is_none())?;
    let rest = turn[value.unit_end..].trim_start();
    (rest.is_empty() || rest.starts_with(is_end)).then_some(value)
}

/// What a phrase within a turn corrects.
fn correction_at(turn: &str, phrase: &CorrectionPhrase) -> Option<Correction> {
    let before =
        turn[..phrase.start].trim_end_matches(|c: char| !c.is_alphanumeric() && !matches!(c, '%' | '`' | '"' | '”'));
    let from = sentence_start(before);
    if before.is_empty() {
        return None;
    }
    let scope = &before[from..];
    if let Some((new, end)) = value_behind(turn, phrase, scope) {
        let old = values(scope).into_iter().rfind(|old| new.may_replace(old))?;
        let surface = if old.unit.is_empty() && new.kind == TextValueKind::Number {
            &turn[new.start..new.unit_end]
        } else {
            new.surface(turn)
        };
        let correction = Correction {
            old: old.surface(scope).to_owned(),
            new: surface.to_owned(),
            tail: turn[before.len()..end].to_owned(),
            former: None,
        };
        return (correction.old != correction.new).then_some(correction);
    }
    if !phrase.is_strong {
        return None;
    }
    replaced_words(turn, phrase, before, scope).or_else(|| {
        let old = scope.trim().to_owned();
        phrase.is_retracting.then(|| Correction {
            old,
            new: String::new(),
            tail: turn[before.len()..phrase.end].to_owned(),
            former: None,
        })
    })
}

/// Where the last sentence of a text starts, with the one before it if the last is a word or two.
fn sentence_start(text: &str) -> usize {
    let is_end = |c: char| matches!(c, '!' | '?' | '\n' | '。' | '！' | '？');
    let full_stop = text.match_indices(". ").last().map(|(at, _)| at + 1);
    text.rfind(is_end).map(|at| at + text[at..].chars().next().map_or(1, char::len_utf8)).max(full_stop).unwrap_or(0)
}

/// The last words before a phrase, for which the words behind it stand: "the theme is dark, no wait, light".
fn replaced_words(turn: &str, phrase: &CorrectionPhrase, before: &str, scope: &str) -> Option<Correction> {
    let rest = turn[phrase.end..].trim_start_matches(|c: char| !c.is_alphanumeric());
    let start = turn.len() - rest.len();
    let end = rest.find([',', '.', ';', '!', '?', '\n', '(', ')', '，', '。', '；', '！', '？']);
    let said = &rest[..end.unwrap_or(rest.len())];
    let tail = turn[before.len()..start + said.len()].to_owned();
    let (old, new) =
        if has_unspaced_script(said) { replaced_han(scope, said)? } else { replaced_english(scope, said)? };
    Some(Correction { old, new, tail, former: None })
}

fn replaced_han(scope: &str, said: &str) -> Option<(String, String)> {
    let new = ["应该是", "应该", "其实是", "是", "在"].iter().find_map(|lead| said.strip_prefix(lead)).unwrap_or(said);
    let new = new.trim_end_matches(['了', '吧', '啦', '哈', ' ']);
    let scope = scope.trim_end_matches(['了', '吧', '啦', '的', ' ']);
    let length = new.chars().count();
    if length == 0 || length > MAX_REPLACED_HAN {
        return None;
    }
    let at = scope.char_indices().rev().nth(length - 1)?.0;
    let old = &scope[at..];
    (old.chars().all(is_unspaced) && old != new).then(|| (old.to_owned(), new.to_owned()))
}

fn replaced_english(scope: &str, said: &str) -> Option<(String, String)> {
    let words: Vec<&str> = said.split_whitespace().collect();
    let first = words.iter().position(|word| !BETWEEN.contains(&word.to_lowercase()))?;
    let new = &words[first..];
    if new.len() > MAX_REPLACED_WORDS {
        return None;
    }
    let old: Vec<&str> = scope.split_whitespace().rev().take(new.len()).collect();
    let is_content = |word: &&str| !stopwords::is_stopword(&word.to_lowercase());
    if old.len() < new.len() || !new.iter().all(is_content) || !old.iter().all(is_content) {
        return None;
    }
    let at = scope.rfind(old[old.len() - 1])?;
    Some((scope[at..].to_owned(), new.join(" ")))
}

#[cfg(test)]
mod tests;
