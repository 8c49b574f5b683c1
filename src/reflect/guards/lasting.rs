//! Finds lasting facts in episodes, where they do not belong unless the episode is about their change.
//!
//! Never knows whether a fact will last: based on verbs and labels that describe a state rather than an event.

use super::chinese_clause::{is_chinese, read_events};
use super::{GuardFinding, GuardText, Violation};
use crate::text::phrase::{PhrasePatterns, WordToken, matched_text};
use crate::text::prose_mask::{mask_phrases, split_label};
use crate::text::verbs;
use crate::text::word_list::{PhraseList, WordList, phrase_list, word_list};

static ENGLISH_STATES: PhrasePatterns = PhrasePatterns::new(phrase_list!("guards/lasting/states.en.txt"));
/// Words for the change of a fact, which is an event.
static CHANGED: PhrasePatterns = PhrasePatterns::new(phrase_list!("guards/lasting/changed.en.txt"));
const LABELS: WordList = word_list!("guards/lasting/labels.txt");

/// States and regular activities; an event in the same clause makes them part of an episode.
static HAN_ROUTINES: PhrasePatterns = PhrasePatterns::new(phrase_list!("guards/lasting/routines.zh.txt"));
static HAN_STATES: PhrasePatterns = PhrasePatterns::new(phrase_list!("guards/lasting/states.zh.txt"));
static HAN_CHANGED: PhrasePatterns = PhrasePatterns::new(phrase_list!("guards/lasting/changed.zh.txt"));
const HAN_NOT_CHANGED: [&str; 6] = ["养了", "有了", "了解", "为了", "除了", "了不起"];

/// Words that date an event to one time.
static HAN_EVENTS: PhrasePatterns = PhrasePatterns::new(phrase_list!("guards/lasting/events.zh.txt"));
/// Words that contain the characters of an event word but are not event words.
const HAN_NOT_EVENTS: PhraseList = phrase_list!("guards/lasting/not_events.zh.txt");

/// The start of a Chinese sentence that tells of no event and no plan.
fn eventless_sentence(prose: &str) -> Option<&str> {
    let sentences = prose.split(['。', '；', '\n']).map(str::trim).filter(|sentence| is_chinese(sentence));
    let mut states = sentences.filter(|sentence| {
        let reading = read_events(sentence);
        !reading.has_event && !reading.has_plan
    });
    states.next().map(|sentence| sentence.char_indices().nth(12).map_or(sentence, |(end, _)| &sentence[..end]))
}

/// Relations between people: "陈静是用户的经理".
static HAN_RELATIONS: PhrasePatterns = PhrasePatterns::new(phrase_list!("guards/lasting/relations.zh.txt"));

/// The index of a verb in the simple present that describes a state; not "is working" or "has fixed".
fn state_verb_at(tokens: &[WordToken<'_>]) -> Option<usize> {
    let going = |i: usize| {
        let next = tokens.get(i + 1).map_or("", |t| t.text.as_str());
        matches!(tokens[i].text.as_str(), "is" | "are") && next.ends_with("ing")
            || tokens[i].text == "has" && verbs::is_past_verb(next)
    };
    verbs::present_verbs(tokens).into_iter().find(|i| !going(*i))
}

/// The first lasting fact in the text of an episode.
pub fn check_lasting(input: &GuardText<'_>) -> Option<GuardFinding> {
    let finding = |what: &str| Some(GuardFinding::new(Violation::StableFact, what));
    if let Some((label, _)) = split_label(input.text) {
        if super::tense::is_timeless(label) {
            return None;
        }
        if LABELS.contains(label.to_lowercase().as_str()) {
            return finding(label);
        }
    }
    for (sentence, tokens) in input.english_sentences() {
        if CHANGED.find(tokens).is_none() {
            let range =
                ENGLISH_STATES.find(tokens).or_else(|| state_verb_at(tokens).map(|i| i.saturating_sub(1)..i + 1));
            if let Some(range) = range {
                return finding(matched_text(sentence, tokens, range));
            }
        }
    }
    if !input.han {
        return None;
    }
    if let Some(what) = HAN_RELATIONS.find_unspaced(input.prose) {
        return finding(what);
    }
    let clauses = input.prose.split(['。', '；']);
    let mut states =
        clauses.filter(|clause| HAN_CHANGED.find_unspaced(&mask_phrases(clause, HAN_NOT_CHANGED)).is_none());
    let lasting_part = |clause| {
        let is_routine = || HAN_EVENTS.find_unspaced(&mask_phrases(clause, HAN_NOT_EVENTS)).is_none();
        HAN_STATES.find_unspaced(clause).or_else(|| HAN_ROUTINES.find_unspaced(clause).filter(|_| is_routine()))
    };
    let is_labelled = split_label(input.text).is_some();
    let eventless = || if is_labelled { None } else { eventless_sentence(input.prose) };
    states.find_map(lasting_part).or_else(eventless).and_then(finding)
}
