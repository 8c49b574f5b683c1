//! Splits a statement into clauses, and tells what each of them denies: a negation, an ending ("sold the car"), or what
//! was given up for something else ("cycles instead of driving", "moved from Heroku to Fly.io", 从…换到…).
//!
//! Never parses grammar: a clause ends at punctuation, at a conjunction, and where a replacement begins.

use std::ops::Range;

use super::super::grounding::english::{EnglishSources, spaced_words};
use crate::text::phrase::{WordToken, has_unspaced_script, word_tokens};
use crate::text::statement::{HAN_NEGATIONS, HAN_NOT_NEGATIONS, NEGATIONS};
use crate::text::stem;
use crate::text::verbs::{is_past_verb, is_third_person};
use crate::text::word_list::{PhraseList, phrase_list};

const ENDINGS: PhraseList = phrase_list!("guards/contradiction/endings.en.txt");
const HAN_ENDINGS: PhraseList = phrase_list!("guards/contradiction/endings.zh.txt");
/// Verbs whose object is given up for what follows "with", "by" or "for".
const REPLACING: [&str; 5] = ["replac", "swap", "trade", "exchang", "substitut"];
/// Verbs for a change from one thing to another.
const HAN_CHANGES: PhraseList = phrase_list!("guards/contradiction/changes.zh.txt");

/// A mark that denies, as a byte range.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct DenialMark {
    range: Range<usize>,
    is_ending: bool,
}

/// A part of a statement within which a denial holds.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Clause {
    /// The bytes of the text.
    pub(super) range: Range<usize>,
    marks: Vec<DenialMark>,
    /// Whether it names what something else stands in for.
    is_replaced: bool,
}

impl Clause {
    /// The same denial, of a whole text.
    pub(super) fn of_whole(&self, text: &str) -> Clause {
        Clause { range: 0..text.len(), ..self.clone() }
    }

    /// Whether what stands at some bytes is denied; marks within them do not count.
    pub(super) fn denies(&self, range: &Range<usize>) -> bool {
        let is_outside = |mark: &&DenialMark| mark.range.end <= range.start || mark.range.start >= range.end;
        (self.marks.iter().filter(is_outside).count() + usize::from(self.is_replaced)) % 2 == 1
    }

    /// Whether it tells of something that has ended.
    pub(super) fn is_ended(&self) -> bool {
        self.is_replaced || self.marks.iter().any(|mark| mark.is_ending)
    }

    /// Whether it denies anything.
    pub(super) fn is_denied(&self) -> bool {
        self.is_replaced || !self.marks.is_empty()
    }

    /// Whether some bytes are part of a mark.
    pub(super) fn marks(&self, range: &Range<usize>) -> bool {
        self.marks.iter().any(|mark| mark.range.start < range.end && range.start < mark.range.end)
    }
}

/// The clauses of a text, in order; they cover it.
pub(super) fn clauses(text: &str) -> Vec<Clause> {
    let cuts = if has_unspaced_script(text) { han_cuts(text) } else { english_cuts(text) };
    let marks = if has_unspaced_script(text) { han_marks(text) } else { english_marks(text) };
    let ends = cuts.iter().skip(1).map(|(at, _)| *at).chain([text.len()]);
    let all = cuts.iter().zip(ends).map(|(&(start, is_replaced), end)| {
        let own = marks.iter().filter(|mark| mark.range.start >= start && mark.range.start < end).cloned();
        Clause { range: start..end, marks: own.collect(), is_replaced }
    });
    all.collect()
}

/// Where clauses begin, and whether each names what is replaced.
fn english_cuts(text: &str) -> Vec<(usize, bool)> {
    let tokens = word_tokens(text);
    let mut cuts = vec![(0, false)];
    let word = |i: usize| tokens.get(i).map_or("", |t| t.text.as_str());
    let mut i = 0;
    while i < tokens.len() {
        let before = i.checked_sub(1).map_or(0, |p| tokens[p].at + tokens[p].surface.len());
        let gap = &text[before..tokens[i].at];
        let is_joined = word(i) == "and" && (is_verb(word(i + 1)) || matches!(word(i + 1), "now" | "not" | "then"));
        let is_conjunction =
            matches!(word(i), "but" | "though" | "although" | "whereas" | "while" | "because" | "so" | "until");
        if i > 0 && (gap.contains([',', ';', '(', ')', '.', '!', '?', '—', '–']) || is_conjunction || is_joined) {
            cuts.push((tokens[i].at, false));
        }
        if matches!((word(i), word(i + 1)), ("instead" | "place", "of") | ("rather", "than") | ("opposed", "to")) {
            cuts.push((tokens[i].at, true));
        }
        i += 1;
    }
    for (start, end) in spans(&cuts, text.len()) {
        let own: Vec<&WordToken<'_>> = tokens.iter().filter(|t| (start..end).contains(&t.at)).collect();
        cut_replacement(&own, start, &mut cuts);
    }
    cuts.sort_unstable();
    cuts.dedup_by_key(|(at, _)| *at);
    cuts
}

fn spans(cuts: &[(usize, bool)], length: usize) -> Vec<(usize, usize)> {
    let ends = cuts.iter().skip(1).map(|(at, _)| *at).chain([length]);
    cuts.iter().map(|(at, _)| *at).zip(ends).collect()
}

fn is_verb(word: &str) -> bool {
    is_third_person(word) || is_past_verb(word) || word.ends_with('s') && EnglishSources::may_paraphrase(word)
}

/// Splits a clause at the thing that takes the place of another one.
fn cut_replacement(words: &[&WordToken<'_>], start: usize, cuts: &mut Vec<(usize, bool)>) {
    let find = |from: usize, wanted: &[&str]| {
        words.iter().skip(from).position(|t| wanted.contains(&t.text.as_str())).map(|at| at + from)
    };
    let verb = words.iter().position(|t| REPLACING.contains(&&*stem(&t.text)));
    if let Some(verb) = verb {
        // "Jenkins was replaced by Drone", but "replaced Jenkins with Drone".
        let is_passive = find(0, &["was", "were", "been", "is", "are", "got"]).is_some_and(|at| at < verb);
        cuts.iter_mut().filter(|(at, _)| *at == start).for_each(|cut| cut.1 |= is_passive);
        cuts.push((words[verb].at, true));
        cuts.extend(find(verb, &["with", "by", "for"]).map(|new| (words[new].at, false)));
        return;
    }
    if let Some(from) = find(0, &["from"]) {
        let changes = |t: &&&WordToken<'_>| {
            matches!(&*stem(&t.text), "switch" | "move" | "migrat" | "chang" | "convert" | "went" | "transit" | "jump")
        };
        if words.iter().take(from).any(|t| changes(&t)) {
            cuts.push((words[from].at, true));
            if let Some(to) = find(from, &["to", "over", "onto"]) {
                cuts.push((words[to].at, false));
            }
        }
        return;
    }
    let leaves =
        |t: &&WordToken<'_>| matches!(&*stem(&t.text), "left" | "drop" | "ditch" | "abandon" | "quit" | "gave");
    if let Some(verb) = words.iter().position(leaves)
        && let Some(new) = find(verb, &["for", "favour", "favor"])
        && words.get(new + 1).is_some_and(|next| next.text != "good" && next.text != "health")
    {
        cuts.push((words[new].at, false));
    }
}

fn english_marks(text: &str) -> Vec<DenialMark> {
    let tokens = word_tokens(text);
    let stems: Vec<String> = tokens.iter().map(|t| stem(&t.text).into_owned()).collect();
    let mut marks: Vec<DenialMark> = Vec::new();
    let mut i = 0;
    while i < tokens.len() {
        let length = ENDINGS.iter().filter_map(|phrase| matched_words(phrase, &tokens[i..], &stems[i..])).max();
        let is_negation = NEGATIONS.contains(&tokens[i].text) || tokens[i].text.ends_with("n't");
        // "Left" may be a side, and "not only" denies nothing.
        let next = tokens.get(i + 1).map_or("", |t| t.text.as_str());
        let is_side = tokens[i].text == "left" && matches!(next, "hand" | "handed" | "side" | "foot" | "wing" | "");
        let is_bound = matches!(next, "only" | "later" | "more" | "less" | "matter");
        let ends = length.filter(|_| !(is_side || is_negation && is_bound && length == Some(1)));
        if let Some(length) = ends.or((is_negation && !is_bound && !is_side).then_some(1)) {
            let last = &tokens[i + length - 1];
            marks.push(DenialMark { range: tokens[i].at..last.at + last.surface.len(), is_ending: ends.is_some() });
            i += length;
        } else {
            i += 1;
        }
    }
    marks
}

/// Number of tokens that a phrase takes at the start of some, if they match it as they are or by their stems.
fn matched_words(phrase: &str, tokens: &[WordToken<'_>], stems: &[String]) -> Option<usize> {
    let mut count = 0;
    for word in phrase.split(' ') {
        let token = tokens.get(count)?;
        if token.text != word && stems[count] != stem(word) {
            return None;
        }
        count += 1;
    }
    Some(count)
}

fn han_cuts(text: &str) -> Vec<(usize, bool)> {
    let mut cuts = vec![(0, false)];
    let mut at = 0;
    while let Some(c) = text[at..].chars().next() {
        let rest = &text[at..];
        if matches!(c, '，' | '。' | '；' | '！' | '？' | ',' | ';' | '（' | '）') {
            cuts.push((at + c.len_utf8(), false));
        } else if at > 0
            && ["而不是", "而非", "而是", "但", "不过", "改", "现在", "如今"].iter().any(|w| rest.starts_with(w))
        {
            cuts.push((at, false));
        } else if ["代替", "取代", "替代", "替换"].iter().any(|w| rest.starts_with(w)) && !text[..at].contains('被')
        {
            cuts.push((at, true));
        }
        at += c.len_utf8();
    }
    for (start, end) in spans(&cuts, text.len()) {
        let clause = &text[start..end];
        let change = HAN_CHANGES.iter().filter_map(|w| Some((clause.find(w)?, w))).min();
        if let Some((change, _)) = change.filter(|(change, _)| *change > 0) {
            let from = ["从", "由", "把", "将"].iter().filter_map(|w| clause.find(w)).min();
            match from.filter(|from| *from < change) {
                Some(from) => cuts.push((start + from, true)),
                None => cuts.iter_mut().filter(|(at, _)| *at == start).for_each(|cut| cut.1 = true),
            }
            cuts.push((start + change, false));
        }
        if let Some(by) = clause.find('被')
            && ["取代", "代替", "替代", "替换"].iter().any(|w| clause[by..].contains(w))
        {
            cuts.iter_mut().filter(|(at, _)| *at == start).for_each(|cut| cut.1 = true);
            cuts.push((start + by, false));
        }
    }
    // Of two cuts at one place, the one that tells of a replacement counts.
    cuts.sort_unstable_by_key(|&(at, is_replaced)| (at, !is_replaced));
    cuts.dedup_by_key(|(at, _)| *at);
    cuts
}

fn han_marks(text: &str) -> Vec<DenialMark> {
    let mut marks = Vec::new();
    let mut at = 0;
    while let Some(c) = text[at..].chars().next() {
        let rest = &text[at..];
        let longest = |list: PhraseList| list.iter().filter(|w| rest.starts_with(w)).map(str::len).max();
        if let Some(length) = longest(HAN_ENDINGS) {
            marks.push(DenialMark { range: at..at + length, is_ending: true });
            at += length;
        } else if let Some(length) = longest(HAN_NOT_NEGATIONS) {
            at += length;
        } else if let Some(length) = longest(HAN_NEGATIONS) {
            marks.push(DenialMark { range: at..at + length, is_ending: false });
            at += length;
        } else {
            at += c.len_utf8();
        }
    }
    marks
}

/// Whether a text tells of what was, and does not say that it has ended since.
pub(super) fn is_history(text: &str) -> bool {
    let spaced = spaced_words(text);
    HISTORY.iter().any(|word| if word.is_ascii() { spaced.contains(&format!(" {word} ")) } else { text.contains(word) })
}

/// Words for what was.
const HISTORY: PhraseList = phrase_list!("guards/contradiction/history.txt");

#[cfg(test)]
mod tests {
    use super::*;

    /// The denied words of a text.
    fn denied(text: &str) -> Vec<String> {
        let all = clauses(text).into_iter().filter(|clause| clause.is_denied());
        all.map(|clause| text[clause.range].trim().to_owned()).collect()
    }

    #[test]
    fn a_denial_holds_for_its_clause() {
        assert_eq!(denied("Sold the car and works from home"), ["Sold the car"]);
        assert_eq!(denied("Eats fish, but no pork"), ["but no pork"]);
        assert_eq!(denied("Cycles to work instead of driving"), ["instead of driving"]);
        assert_eq!(denied("Moved the site from Heroku to Fly"), ["from Heroku"]);
        assert_eq!(denied("Left Siemens for Bosch"), ["Left Siemens"]);
        assert_eq!(denied("The old queue was replaced by NATS"), ["The old queue was", "replaced"]);
        assert!(denied("Is left handed").is_empty());
        assert_eq!(denied("用户从 Vim 换到了 Helix"), ["从 Vim"]);
        assert_eq!(denied("用户不再喝咖啡，改喝茶"), ["用户不再喝咖啡，"]);
    }
}
