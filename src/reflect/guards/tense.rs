//! Checks that episodes are in the past tense: finds finite verbs in the present or future.
//!
//! Never parses sentences: based on lists of verbs and of the words before them. Chinese verbs have no tense, so only
//! markers (正在, 将, 打算) count there.

use super::chinese_clause::{is_chinese, read_events};
use super::{GuardFinding, GuardText, Violation};
use crate::text::phrase::{PhrasePatterns, WordToken, find, is_capitalized, matched_text};
use crate::text::prose_mask::{mask_phrases, split_label};
use crate::text::verbs;
use crate::text::word_list::{PhraseList, WordList, phrase_list, word_list};

/// Labels whose value is about the general case or the future.
const TIMELESS: WordList = word_list!("guards/tense/timeless_labels.txt");

static AUXILIARIES: PhrasePatterns = PhrasePatterns::new(phrase_list!("guards/tense/auxiliaries.en.txt"));
/// Contractions of "is": "There's a leak".
static CONTRACTIONS: PhrasePatterns = PhrasePatterns::new(phrase_list!("guards/tense/contractions.en.txt"));
/// Words before an auxiliary verb that make it a noun or not a present tense.
const BEFORE_AUXILIARY: WordList = word_list!("guards/tense/before_auxiliary.en.txt");

/// Base forms of verbs: present tense after a plural, imperative at the start.
const BASE_FORMS: WordList = word_list!("guards/tense/base_forms.en.txt");
/// Verbs in the third person that may also be plural nouns, at the start of a sentence.
const THIRD_PERSON: WordList = word_list!("guards/tense/third_person.en.txt");
const PLURALS: WordList = word_list!("guards/tense/plurals.en.txt");
const DETERMINERS: WordList = word_list!("guards/tense/determiners.en.txt");
static HAN_PRESENT: PhrasePatterns = PhrasePatterns::new(phrase_list!("guards/tense/present.zh.txt"));
const HAN_NOT_PRESENT: PhraseList = phrase_list!("guards/tense/not_present.zh.txt");

/// Whether the value of a label may be in any tense: `Lesson: `, `Next: `.
pub fn is_timeless(label: &str) -> bool {
    TIMELESS.contains(label.to_lowercase().as_str())
}

/// The first words that are not in the past.
pub fn check_tense(input: &GuardText<'_>) -> Option<GuardFinding> {
    if split_label(input.text).is_some_and(|(l, _)| is_timeless(l)) {
        return None;
    }
    let english = input.english_sentences().find_map(|(sentence, tokens)| english_present(sentence, tokens));
    let han = || {
        let clear = mask_phrases(input.prose, HAN_NOT_PRESENT);
        HAN_PRESENT.find_unspaced(&clear).or_else(|| planned_sentence(input.prose)).map(str::to_owned)
    };
    let what = english.or_else(|| if input.han { han() } else { None })?;
    Some(GuardFinding::new(Violation::NotPastTense, &what))
}

/// The start of a Chinese sentence that tells of a plan, or of what is going on, and of no event.
fn planned_sentence(prose: &str) -> Option<&str> {
    if split_label(prose).is_some() {
        return None;
    }
    let mut sentences = prose.split(['。', '；', '\n']).map(str::trim).filter(|sentence| is_chinese(sentence));
    let planned = |sentence: &&str| {
        let reading = read_events(sentence);
        reading.has_plan && !reading.has_event
    };
    sentences
        .find(planned)
        .map(|sentence| sentence.char_indices().nth(12).map_or(sentence, |(end, _)| &sentence[..end]))
}

fn english_present(sentence: &str, tokens: &[WordToken<'_>]) -> Option<String> {
    let start = split_label(sentence).map_or(0, |(_, value)| sentence.len() - value.len());
    let first = tokens.iter().position(|t| t.at >= start).unwrap_or(tokens.len());
    let tokens = &tokens[first..];
    let excerpt = |range| Some(matched_text(sentence, tokens, range).to_owned());
    if let Some(i) = verbs::present_verbs(tokens).first() {
        return excerpt(i.saturating_sub(1)..i + 1);
    }
    for i in 0..tokens.len() {
        let previous = i.checked_sub(1).map_or("", |p| tokens[p].text.as_str());
        if is_present(tokens, i, previous) {
            return excerpt(i.saturating_sub(1)..i + 1);
        }
    }
    if let Some(range) = CONTRACTIONS.find(tokens) {
        return excerpt(range);
    }
    let opening = tokens.first()?;
    if opens_in_present(tokens) {
        return excerpt(0..1);
    }
    if let Some(range) = present_without_past(tokens, start > 0) {
        return excerpt(range);
    }
    let next = tokens.get(1).map_or("", |t| t.text.as_str());
    let past = tokens.iter().any(|t| verbs::is_past_verb(&t.text));
    let is_imperative = BASE_FORMS.contains(&opening.text) && DETERMINERS.contains(next);
    let going = opening.text.len() > 4 && opening.text.ends_with("ing") && tokens.len() > 2;
    if !past && (is_imperative || going) { excerpt(0..1) } else { None }
}

/// Whether a sentence without its subject begins with a verb in the third person: "Considers switching", but not "Talks
/// with the bank ended".
fn opens_in_present(tokens: &[WordToken<'_>]) -> bool {
    let [first, second, rest @ ..] = tokens else { return false };
    let is_verb = verbs::is_third_person(&first.text) || THIRD_PERSON.contains(&first.text);
    let is_noun = matches!(second.text.as_str(), "of" | "and" | "were" | "was" | "had" | "about" | "between" | "or")
        || verbs::is_past_verb(&second.text);
    // A participle behind an article is none of the sentence's verbs: "a used bike".
    let words: Vec<&str> = std::iter::once(second).chain(rest).map(|t| t.text.as_str()).collect();
    let is_past = words.windows(2).any(|pair| {
        (verbs::is_past_verb(pair[1]) || matches!(pair[1], "were" | "was"))
            && !verbs::is_noun_marker(pair[0])
            && !matches!(pair[0], "a" | "an" | "the")
    });
    is_verb && !is_noun && !is_past
}

/// A probable present tense verb in a sentence without a past tense verb: a third person ("the contract ends on"), a
/// base form after a pair ("User and Bo apply for"), or an imperative ("Rotate the keys"). Returns token indices.
fn present_without_past(tokens: &[WordToken<'_>], labelled: bool) -> Option<std::ops::Range<usize>> {
    let word = |i: usize| tokens.get(i).map_or("", |t| t.text.as_str());
    if labelled || tokens.len() < 3 || tokens.iter().any(|t| verbs::is_past_verb(&t.text)) {
        return None;
    }
    let pair =
        word(1) == "and" && is_capitalized(tokens[0].surface) && is_capitalized(tokens[2].surface) && tokens.len() > 4;
    let plain = pair && tokens.len() > 3 && !is_capitalized(tokens[3].surface) && !VERBLESS_OPENINGS.contains(word(3));
    if plain {
        return Some(2..4);
    }
    let object = DETERMINERS.contains(word(1)) || matches!(word(1), "user" | "new" | "every" | "each");
    if object && !VERBLESS_OPENINGS.contains(word(0)) && word(0) != "user" && !word(0).ends_with('s') {
        return Some(0..2);
    }
    let opens = matches!(word(0), "the" | "a" | "an" | "user" | "this" | "every" | "each")
        || is_capitalized(tokens[0].surface) && !VERBLESS_OPENINGS.contains(word(0));
    let ends = |i: &usize| {
        let one = word(*i);
        let next = tokens.get(i + 1);
        one.len() > 3
            && one.ends_with('s')
            && !["ss", "us", "is", "ous", "ics"].iter().any(|e| one.ends_with(e))
            && next.is_some_and(|t| !is_capitalized(t.surface) || VERBLESS_OPENINGS.contains(&t.text) || i > &0)
            && !is_capitalized(tokens[*i].surface)
            && !verbs::is_noun_marker(word(i - 1))
    };
    (1..tokens.len() - 1).filter(|_| opens).find(ends).map(|i| i - 1..i + 1)
}

/// Words of place, time and number at the start of sentences without a verb.
const VERBLESS_OPENINGS: WordList = word_list!("guards/tense/verbless_openings.en.txt");

fn is_present(tokens: &[WordToken<'_>], i: usize, previous: &str) -> bool {
    let token = &tokens[i];
    let word = token.text.as_str();
    let next = tokens.get(i + 1);
    if AUXILIARIES.match_at(tokens, i).is_some() {
        let name = is_capitalized(token.surface) && next.is_some_and(|t| is_capitalized(t.surface));
        return !(BEFORE_AUXILIARY.contains(previous) || name);
    }
    if is_capitalized(token.surface) && i > 0 {
        return false;
    }
    let pair = i > 1 && tokens[i - 2].text == "and" && is_capitalized(tokens[i - 1].surface);
    BASE_FORMS.contains(word)
        && i > 0
        && (pair || PLURALS.contains(previous))
        && find(&tokens[..i], &["did|to|would"]).is_none()
        && !matches!(word, "cut" | "put" | "set" | "read" | "test" | "build" | "run" | "release" | "review")
}
