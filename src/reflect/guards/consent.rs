//! Decides whether the user agreed to have something remembered.
//!
//! Never requests consent: without it, a proposal waits in the inbox. A refusal beats every agreement, and a request to
//! remember counts for the fact that follows it only.

use std::collections::HashSet;
use std::ops::Range;

use crate::text::phrase::{PhrasePatterns, word_tokens};
use crate::text::prose_mask::{mask_non_prose, mask_phrases};
use crate::text::search_terms::search_terms as counted;
use crate::text::word_list::{PhraseList, phrase_list};
use crate::transcript::{Role, Turn};

static REMEMBER_REQUESTS: PhrasePatterns = PhrasePatterns::new(phrase_list!("guards/consent/requests.en.txt"));
static REMEMBER_DENIALS: PhrasePatterns = PhrasePatterns::new(phrase_list!("guards/consent/denials.en.txt"));
static HAN_REMEMBER_REQUESTS: PhrasePatterns = PhrasePatterns::new(phrase_list!("guards/consent/requests.zh.txt"));
static HAN_REMEMBER_DENIALS: PhrasePatterns = PhrasePatterns::new(phrase_list!("guards/consent/denials.zh.txt"));
/// Words that contain the characters of a verb of remembering, but are no refusal to remember: 不要忘记.
const HAN_NOT_REMEMBERING: PhraseList = phrase_list!("guards/consent/not_remembering.zh.txt");
/// Phrases of agreement at the start of an answer.
static AGREEMENT: PhrasePatterns = PhrasePatterns::new(phrase_list!("guards/consent/agreement.en.txt"));
static HAN_AGREEMENT: PhrasePatterns = PhrasePatterns::new(phrase_list!("guards/consent/agreement.zh.txt"));
static DISAGREEMENT: PhrasePatterns = PhrasePatterns::new(phrase_list!("guards/consent/disagreement.en.txt"));
/// Questions of the assistant whether to remember something.
static REMEMBER_QUESTIONS: PhrasePatterns = PhrasePatterns::new(phrase_list!("guards/consent/questions.en.txt"));
static HAN_REMEMBER_QUESTIONS: PhrasePatterns = PhrasePatterns::new(phrase_list!("guards/consent/questions.zh.txt"));

/// Whether the user's turn with the number `at` agrees to have something remembered: by a request, or by a yes to the
/// assistant's question just before. A refusal in the turn, or in a later one of the user, beats both.
#[cfg(test)]
pub fn has_consent(turns: &[Turn], at: usize) -> bool {
    remembered_text(turns, at).is_some()
}

/// Whether the user's turn with the number `at` agrees to have this text remembered: the request with what follows it,
/// or the question and its answer, must contain at least half of the text's terms.
pub fn has_consent_for(text: &str, turns: &[Turn], at: usize) -> bool {
    let Some(remembered) = remembered_text(turns, at) else { return false };
    let (mut terms, mut total, mut matched) = (HashSet::new(), 0, 0);
    counted(&remembered, |token| _ = terms.insert(token.to_owned()));
    counted(text.split_once([':', '：']).map_or(text, |(_, value)| value), |token| {
        if token != "user" {
            total += 1;
            matched += usize::from(terms.contains(token));
        }
    });
    matched * 2 >= total
}

/// What the user's turn with the number `at` agrees to have remembered.
fn remembered_text(turns: &[Turn], at: usize) -> Option<String> {
    let index = turns.iter().position(|t| t.number == at && t.role == Role::User && !t.injected)?;
    let text = turns[index].text.as_str();
    if turns[index..].iter().any(|t| t.role == Role::User && !t.injected && refuses(&t.text)) {
        return None;
    }
    let question =
        turns[..index].iter().rev().filter(|t| !t.injected && t.role != Role::Tool).find(|t| !t.text.trim().is_empty());
    if let Some(question) = question.filter(|t| t.role == Role::Assistant)
        && is_remember_question(&question.text)
        && is_agreement(text)
    {
        return Some(format!("{}\n{text}", question.text));
    }
    let before = question.filter(|t| t.role == Role::Assistant).map_or("", |t| t.text.as_str());
    let (start, all) = request_at(text)?;
    // "Remember that" is about what was written before, by either side.
    Some(if all { format!("{before}\n{text}") } else { text[start..].to_owned() })
}

/// The sentences of a turn, with their byte offsets.
pub(super) fn clauses(prose: &str) -> impl Iterator<Item = (usize, &str)> {
    let ends = |c: char| matches!(c, '.' | '!' | '?' | '\n' | ';' | '。' | '！' | '？' | '；');
    let mut at = 0;
    prose.split_inclusive(ends).map(move |clause| {
        at += clause.len();
        (at - clause.len(), clause)
    })
}

/// A turn as the lists read it: in Chinese, 用户 instead of 我.
pub(super) fn han_clause(clause: &str) -> String {
    clause.replace("本人", "用户").replace('我', "用户")
}

/// Whether a text refuses to have something remembered; a question for what is known refuses, too.
fn refuses(text: &str) -> bool {
    let prose = mask_non_prose(text);
    clauses(&prose).any(|(_, clause)| {
        REMEMBER_DENIALS.find(&word_tokens(clause)).is_some()
            || HAN_REMEMBER_DENIALS.find_unspaced(&mask_phrases(&han_clause(clause), HAN_NOT_REMEMBERING)).is_some()
    })
}

/// The byte offset of the sentence that requests to remember something, and whether it refers to what is before it.
fn request_at(text: &str) -> Option<(usize, bool)> {
    let prose = mask_non_prose(text);
    clauses(&prose).find_map(|(at, clause)| {
        let words = word_tokens(clause);
        let han = han_clause(clause);
        let english = REMEMBER_REQUESTS.find(&words);
        // "Save that to memory" is about the text before; in "remember that I …" the fact follows.
        let refers_back = |range: Range<usize>| {
            let next = words.get(range.end).map_or("", |w| w.text.as_str());
            words[range].iter().any(|w| matches!(w.text.as_str(), "this" | "it" | "these"))
                || words.iter().any(|w| w.text == "that") && matches!(next, "" | "for" | "to" | "in" | "about")
        };
        let back = english.clone().is_some_and(refers_back)
            || ["这", "它", "以上", "此"].iter().any(|word| han.contains(word));
        let is_request = english.is_some() || HAN_REMEMBER_REQUESTS.find_unspaced(&han).is_some();
        is_request.then_some((at, back))
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
