//! Detects sensitive fields, which change only with the user's consent, and whether the user gave it.
//!
//! Never requests consent: without it, a proposal waits in the inbox. A field is recognised by its label or by phrases
//! about the user (the name of the user's cat is not sensitive).

use std::collections::HashSet;

use super::WritingRules;
use crate::text::phrase::{PhrasePatterns, WordToken, find, is_capitalized, match_at, word_tokens};
use crate::text::prose_mask::{mask_non_prose, mask_phrases, split_label};
use crate::text::search_terms::search_terms as counted;
use crate::text::word_list::{PhraseList, WordList, phrase_list, word_list};
use crate::transcript::{Role, Turn};

/// A sensitive field, with the labels and phrases that identify it.
struct SensitiveField {
    name: &'static str,
    labels: WordList,
    english_phrases: PhrasePatterns,
    /// Phrases that count only before a capitalised name.
    place_phrases: PhraseList,
    han_phrases: PhrasePatterns,
}

static FIELDS: [SensitiveField; 4] = [
    SensitiveField {
        name: "preferred_name",
        labels: word_list!("guards/consent/preferred_name/labels.txt"),
        english_phrases: PhrasePatterns::new(phrase_list!("guards/consent/preferred_name/phrases.en.txt")),
        place_phrases: phrase_list!("guards/consent/preferred_name/place_phrases.en.txt"),
        han_phrases: PhrasePatterns::new(phrase_list!("guards/consent/preferred_name/phrases.zh.txt")),
    },
    SensitiveField {
        name: "pronouns",
        labels: word_list!("guards/consent/pronouns/labels.txt"),
        english_phrases: PhrasePatterns::new(phrase_list!("guards/consent/pronouns/phrases.en.txt")),
        place_phrases: PhraseList::EMPTY,
        han_phrases: PhrasePatterns::new(phrase_list!("guards/consent/pronouns/phrases.zh.txt")),
    },
    SensitiveField {
        name: "city",
        labels: word_list!("guards/consent/city/labels.txt"),
        english_phrases: PhrasePatterns::new(phrase_list!("guards/consent/city/phrases.en.txt")),
        place_phrases: phrase_list!("guards/consent/city/place_phrases.en.txt"),
        han_phrases: PhrasePatterns::new(phrase_list!("guards/consent/city/phrases.zh.txt")),
    },
    SensitiveField {
        name: "language",
        labels: word_list!("guards/consent/language/labels.txt"),
        english_phrases: PhrasePatterns::new(phrase_list!("guards/consent/language/phrases.en.txt")),
        place_phrases: PhraseList::EMPTY,
        han_phrases: PhrasePatterns::new(phrase_list!("guards/consent/language/phrases.zh.txt")),
    },
];
/// Words that contain the characters of a field's phrases but are unrelated.
const HAN_UNRELATED: PhraseList = phrase_list!("guards/consent/unrelated.zh.txt");

/// The sensitive field that a text states, by its label or by an English or Chinese phrase.
///
/// A field of the policy without phrases in memdir is recognised by its label (`blood_type`: "Blood type: 0") and by
/// "User's blood type is".
pub fn sensitive_field(text: &str, rules: &WritingRules) -> Option<String> {
    // Quoted pronouns and names may be the value of such a field; only code is replaced.
    let prose = mask_non_prose(text);
    let trimmed = text.trim_start_matches(['-', '*', ' ']);
    rules.sensitive.iter().find(|field| states_field(field, trimmed, &prose)).cloned()
}

fn states_field(field: &str, text: &str, prose: &str) -> bool {
    let spoken = field.to_lowercase().replace(['_', '-'], " ");
    let label = split_label(text).map(|(label, _)| label.trim_matches('*').to_lowercase());
    let known = FIELDS.iter().find(|f| f.name == field.to_lowercase());
    if label.as_deref() == Some(spoken.as_str()) {
        return true;
    }
    let words = word_tokens(prose);
    let Some(known) = known else {
        let named: Vec<&str> = spoken.split(' ').collect();
        return find(&words, &[&format!("user 's {} is|are|was", named.join(" "))]).is_some();
    };
    label.is_some_and(|l| known.labels.contains(&l))
        || known.english_phrases.find(&words).is_some_and(|r| known.name != "preferred_name" || is_named(&words, r.end))
        || phrase_ends(&words, known.place_phrases).any(|end| is_place(&words, end))
        || known.name == "language" && phrase_ends(&words, LANGUAGE_VERBS).any(|end| is_language(prose, &words, end))
        || known.han_phrases.find_unspaced(&mask_phrases(prose, HAN_UNRELATED)).is_some()
}

/// The token index after each match of a phrase.
fn phrase_ends<'a>(words: &'a [WordToken<'_>], patterns: PhraseList) -> impl Iterator<Item = usize> + 'a {
    let fit = move |at: usize| patterns.iter().filter_map(move |one| Some(at + match_at(words, at, &[one])?));
    (0..words.len()).flat_map(fit)
}

/// Phrases before a language that is spoken: "speaks", "replies in".
const LANGUAGE_VERBS: PhraseList = phrase_list!("guards/consent/language_verbs.en.txt");
const LANGUAGES: WordList = word_list!("guards/consent/languages.en.txt");
/// Words that may occur between the verb and the language.
const LANGUAGE_MODIFIERS: WordList = word_list!("guards/consent/language_modifiers.en.txt");

/// Whether a language follows, and not an adjective of nationality: "a French novel".
fn is_language(prose: &str, words: &[WordToken<'_>], from: usize) -> bool {
    let skipped = words[from..]
        .iter()
        .take_while(|w| LANGUAGE_MODIFIERS.contains(&w.text) && !LANGUAGES.contains(&w.text))
        .count();
    let Some(word) = words.get(from + skipped.min(4)) else { return false };
    if !LANGUAGES.contains(&word.text) || !is_capitalized(word.surface) {
        return false;
    }
    let after = &prose[word.at + word.surface.len()..];
    let next = words.get(from + skipped.min(4) + 1);
    !after.starts_with(' ') || next.is_none_or(|w| is_capitalized(w.surface) || AFTER_LANGUAGE.contains(&w.text))
}

/// Words that may follow a spoken language.
const AFTER_LANGUAGE: WordList = word_list!("guards/consent/after_language.en.txt");
/// Capitalised words after "moved to" and the like that are not places: tools, months.
const NOT_PLACES: WordList = word_list!("guards/consent/not_places.en.txt");

/// "User is called Nan"; not "User is called before each release".
fn is_named(words: &[WordToken<'_>], at: usize) -> bool {
    let at =
        at + usize::from(words.get(at).is_some_and(|w| matches!(w.text.as_str(), "to" | "simply" | "just" | "only")));
    words.get(at).is_none_or(|w| is_capitalized(w.surface) || w.surface.starts_with(|c: char| !c.is_ascii()))
        || words.get(at).is_some_and(|w| matches!(w.text.as_str(), "by" | "as" | "dr"))
}

/// "lives in Cork", "moved to the Hague"; not "lives in a van", "moved to a four-day week".
fn is_place(words: &[WordToken<'_>], at: usize) -> bool {
    let at = at
        + usize::from(words.get(at).is_some_and(|w| {
            matches!(w.text.as_str(), "the" | "central" | "downtown" | "north" | "south" | "east" | "west")
        }));
    words.get(at).is_some_and(|w| is_capitalized(w.surface) && !NOT_PLACES.contains(&w.text))
}

static REMEMBER_REQUESTS: PhrasePatterns = PhrasePatterns::new(phrase_list!("guards/consent/requests.en.txt"));
static REMEMBER_DENIALS: PhrasePatterns = PhrasePatterns::new(phrase_list!("guards/consent/denials.en.txt"));
static HAN_REMEMBER_REQUESTS: PhrasePatterns = PhrasePatterns::new(phrase_list!("guards/consent/requests.zh.txt"));
static HAN_REMEMBER_DENIALS: PhrasePatterns = PhrasePatterns::new(phrase_list!("guards/consent/denials.zh.txt"));
/// Phrases of agreement at the start of an answer.
static AGREEMENT: PhrasePatterns = PhrasePatterns::new(phrase_list!("guards/consent/agreement.en.txt"));
static HAN_AGREEMENT: PhrasePatterns = PhrasePatterns::new(phrase_list!("guards/consent/agreement.zh.txt"));
static DISAGREEMENT: PhrasePatterns = PhrasePatterns::new(phrase_list!("guards/consent/disagreement.en.txt"));
/// Questions of the assistant whether to remember something.
static REMEMBER_QUESTIONS: PhrasePatterns = PhrasePatterns::new(phrase_list!("guards/consent/questions.en.txt"));
static HAN_REMEMBER_QUESTIONS: PhrasePatterns = PhrasePatterns::new(phrase_list!("guards/consent/questions.zh.txt"));

/// Whether the user's turn with the number `at` agrees to have something remembered: by a request, or by a yes to the
/// assistant's question just before.
pub fn has_consent(turns: &[Turn], at: usize) -> bool {
    let Some(index) = turns.iter().position(|t| t.number == at && t.role == Role::User && !t.injected) else {
        return false;
    };
    let text = turns[index].text.as_str();
    let question =
        turns[..index].iter().rev().filter(|t| !t.injected && t.role != Role::Tool).find(|t| !t.text.trim().is_empty());
    is_remember_request(text)
        || question.is_some_and(|t| t.role == Role::Assistant && is_remember_question(&t.text)) && is_agreement(text)
}

/// Whether the user's turn with the number `at` agrees to have this text remembered: the turn and the question that it
/// answers must contain at least half of the text's terms.
pub fn has_consent_for(text: &str, turns: &[Turn], at: usize) -> bool {
    if !has_consent(turns, at) {
        return false;
    }
    let (mut turn_terms, mut total, mut matched) = (HashSet::new(), 0, 0);
    let before = turns.iter().rposition(|t| t.number < at && t.role == Role::Assistant && !t.injected);
    for turn in turns.iter().filter(|t| t.number == at).chain(before.map(|b| &turns[b])) {
        counted(&turn.text, |token| _ = turn_terms.insert(token.to_owned()));
    }
    counted(text.split_once([':', '：']).map_or(text, |(_, value)| value), |token| {
        if token != "user" {
            total += 1;
            matched += usize::from(turn_terms.contains(token));
        }
    });
    matched * 2 >= total
}

fn is_remember_request(text: &str) -> bool {
    let prose = mask_non_prose(text);
    let clauses = prose.split(['.', '!', '?', '\n', ';', '。', '！', '？', '；']);
    clauses.into_iter().any(|clause| {
        let words = word_tokens(clause);
        REMEMBER_REQUESTS.find(&words).is_some() && REMEMBER_DENIALS.find(&words).is_none()
            || HAN_REMEMBER_REQUESTS.find_unspaced(clause).is_some()
                && HAN_REMEMBER_DENIALS.find_unspaced(clause).is_none()
    })
}

fn is_remember_question(text: &str) -> bool {
    let question = text.contains(['?', '？']);
    question
        && (REMEMBER_QUESTIONS.find(&word_tokens(text)).is_some()
            || HAN_REMEMBER_QUESTIONS.find_unspaced(text).is_some())
}

fn is_agreement(text: &str) -> bool {
    let words = word_tokens(text);
    let opening = &words[..words.len().min(6)];
    let yes = AGREEMENT.find(opening).is_some() && DISAGREEMENT.find(opening).is_none();
    let first = text.split(['，', '。', '！', ',', '\n']).next().unwrap_or_default();
    yes || HAN_AGREEMENT.find_unspaced(first).is_some()
        && !first.contains('不')
        && !first.contains('吗')
        && !first.contains('别')
}
