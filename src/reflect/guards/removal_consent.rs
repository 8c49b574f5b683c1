//! Decides whether the user agreed to have something taken out of the memory.
//!
//! Never takes a request to keep something for an agreement, nor a report or a question ("did you delete it?"). A yes agrees
//! only if it says nothing of its own: "yes, my city is Berlin" asks for no removal.

use std::sync::LazyLock;

use super::consent::{clauses, han_clause, is_agreement};
use super::sensitive::{SoughtField, UserSentence};
use crate::text::phrase::{PhrasePatterns, word_tokens};
use crate::text::prose_mask::mask_non_prose;
use crate::text::search_terms::search_terms;
use crate::text::word_list::{PhraseList, WordList, phrase_list, word_list};
use crate::text::words::is_unspaced;
use crate::transcript::MessageParts;

static REQUESTS: LazyLock<Vec<PhrasePatterns>> =
    LazyLock::new(|| PhrasePatterns::sections(phrase_list!("guards/consent/removal.en.txt")));
static HAN_REQUESTS: LazyLock<Vec<PhrasePatterns>> =
    LazyLock::new(|| PhrasePatterns::sections(phrase_list!("guards/consent/removal.zh.txt")));
static DENIALS: PhrasePatterns = PhrasePatterns::new(phrase_list!("guards/consent/removal_denials.en.txt"));
static HAN_DENIALS: PhrasePatterns = PhrasePatterns::new(phrase_list!("guards/consent/removal_denials.zh.txt"));
static POLITE_QUESTIONS: PhrasePatterns = PhrasePatterns::new(phrase_list!("guards/consent/polite_questions.en.txt"));
const HAN_POLITE_QUESTIONS: PhraseList = phrase_list!("guards/consent/polite_questions.zh.txt");
const KEEPING: WordList = word_list!("guards/consent/keeping.en.txt");
const HAN_KEEPING: PhraseList = phrase_list!("guards/consent/keeping.zh.txt");
const BARE_AGREEMENT: WordList = word_list!("guards/consent/bare_agreement.en.txt");
const HAN_BARE_AGREEMENT: PhraseList = phrase_list!("guards/consent/bare_agreement.zh.txt");
/// Words for whatever is kept of the user: "delete my data".
const OBJECTS: WordList = word_list!("guards/consent/removal_objects.en.txt");
const HAN_OBJECTS: PhraseList = phrase_list!("guards/consent/removal_objects.zh.txt");

/// Longest label of a field that an object of a request is compared with, in words and in Chinese characters.
const MAX_LABEL_WORDS: usize = 3;
const MAX_LABEL_CHARS: usize = 6;

/// What a part of a sentence is in favour of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Stance {
    Remove,
    /// To archive something, or to let it expire.
    Hide,
    /// To keep something; or removing is spoken of without a request.
    Keep,
}

/// Whether the user's words agree to the removal of a text that states a field.
pub fn agrees_to_removal(words: &str, field: &str, text: &str) -> bool {
    let MessageParts { own, pasted } = MessageParts::of(words);
    let keeps = |words: &str| stances(words).iter().any(|(stance, _)| *stance == Stance::Keep);
    let own_stances = stances(&own);
    if keeps(&own) || keeps(&pasted) || own_stances.iter().any(|(_, part)| names_other_object(part, field, text)) {
        return false;
    }
    !own_stances.is_empty() || is_bare_agreement(&own)
}

/// Whether the user's words ask to take something out of the memory, or not to keep it.
pub fn asks_for_removal(words: &str) -> bool {
    stances(&MessageParts::of(words).own).iter().any(|(stance, _)| *stance == Stance::Remove)
}

/// The stances in a text, each with the part of the sentence that it stands in.
fn stances(text: &str) -> Vec<(Stance, String)> {
    let prose = mask_non_prose(text);
    let parts = clauses(&prose).flat_map(|(_, clause)| clause.split([',', '，', '、', '—', ':', '：']));
    parts.filter_map(|part| Some((stance(part)?, part.to_owned()))).collect()
}

fn stance(part: &str) -> Option<Stance> {
    let (words, han) = (word_tokens(part), han_clause(part));
    let is_in = |patterns: &PhrasePatterns, han_patterns: &PhrasePatterns| {
        patterns.find(&words).is_some() || han_patterns.find_unspaced(&han).is_some()
    };
    let asks_for = |section: usize| match (REQUESTS.get(section), HAN_REQUESTS.get(section)) {
        (Some(patterns), Some(han_patterns)) => is_in(patterns, han_patterns),
        _ => false,
    };
    if is_in(&DENIALS, &HAN_DENIALS) {
        return Some(Stance::Keep);
    }
    let found = [Stance::Remove, Stance::Hide].into_iter().enumerate().find(|(section, _)| asks_for(*section));
    if let Some((_, stance)) = found {
        let is_question = part.trim_end().ends_with(['?', '？']);
        let is_polite =
            POLITE_QUESTIONS.find(&words).is_some() || HAN_POLITE_QUESTIONS.iter().any(|word| part.contains(word));
        return Some(if is_question && !is_polite { Stance::Keep } else { stance });
    }
    let keeps = words.iter().any(|word| KEEPING.contains(&word.text)) || HAN_KEEPING.iter().any(|w| han.contains(w));
    keeps.then_some(Stance::Keep)
}

/// Whether a request is about something else of the user than the field and its text: "delete my favourite colour".
fn names_other_object(part: &str, field: &str, text: &str) -> bool {
    let sought = SoughtField::new(field);
    let sentence = UserSentence::new(part);
    let words: Vec<&str> = sentence.words.iter().map(|word| word.text.as_str()).collect();
    let owned = words.windows(2).position(|pair| pair == ["user", "'s"]).map(|at| at + 2);
    let object = owned.or_else(|| words.windows(2).position(|pair| pair == ["where", "user"]));
    let han_object = ["我的", "我最"].iter().find_map(|opening| Some(part.split_once(opening)?.1));
    if object.is_none() && han_object.is_none() {
        return false;
    }
    let (object, han_object) = (&words[object.unwrap_or(words.len())..], han_object.unwrap_or_default());
    let is_label = |words: &[&str]| sought.has_label(&words.join(" "));
    let names_field = (1..=MAX_LABEL_WORDS).any(|length| object.windows(length).any(is_label));
    let chars: Vec<char> = han_object.chars().collect();
    let is_han_label = |chars: &[char]| sought.has_label(&chars.iter().collect::<String>());
    let names_han_field = (1..=MAX_LABEL_CHARS).any(|length| chars.windows(length).any(is_han_label));
    let names_all =
        object.iter().any(|word| OBJECTS.contains(word)) || HAN_OBJECTS.iter().any(|word| han_object.contains(word));
    let mut terms = std::collections::HashSet::new();
    search_terms(text, |term| _ = terms.insert(term.to_owned()));
    let mut shares_word = false;
    search_terms(&format!("{} {han_object}", object.join(" ")), |term| shares_word |= terms.contains(term));
    !(names_field || names_han_field || names_all || shares_word)
}

/// Whether a text is a yes, and nothing else.
fn is_bare_agreement(text: &str) -> bool {
    let rest = HAN_BARE_AGREEMENT.iter().fold(text.to_owned(), |rest, word| rest.replace(word, " "));
    is_agreement(text)
        && word_tokens(text).iter().all(|word| BARE_AGREEMENT.contains(&word.text))
        && !rest.chars().any(|c| c.is_alphanumeric() && is_unspaced(c))
}
