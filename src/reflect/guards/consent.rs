//! Decides whether the user agreed to have something remembered.
//!
//! Never requests consent: without it, a proposal waits in the inbox. A refusal beats every agreement, and a request to
//! remember counts for the fact that follows it only. What the user pasted agrees to nothing, and is nothing that the
//! user asks to remember; a refusal in it counts, since it may be the user's after all.

use std::borrow::Cow;
use std::collections::HashSet;
use std::ops::Range;

use super::memory_request::{RequestPlace, find_request};
use super::withheld::asks_to_withhold;

use crate::text::phrase::{PhrasePatterns, word_tokens};
use crate::text::prose_mask::{mask_non_prose, mask_phrases};
use crate::text::search_terms::search_terms;
use crate::text::word_list::{PhraseList, phrase_list};
use crate::transcript::{MessageParts, Role, Turn};

static REMEMBER_REQUESTS: PhrasePatterns = PhrasePatterns::new(phrase_list!("guards/consent/requests.en.txt"));
static REMEMBER_DENIALS: PhrasePatterns = PhrasePatterns::new(phrase_list!("guards/consent/denials.en.txt"));
static HAN_REMEMBER_REQUESTS: PhrasePatterns = PhrasePatterns::new(phrase_list!("guards/consent/requests.zh.txt"));
static HAN_REMEMBER_DENIALS: PhrasePatterns = PhrasePatterns::new(phrase_list!("guards/consent/denials.zh.txt"));
/// Words that contain the characters of a verb of remembering, but are no refusal to remember: 不要忘记.
const HAN_NOT_REMEMBERING: PhraseList = phrase_list!("guards/consent/not_remembering.zh.txt");
const HAN_TEXT_POINTERS: PhraseList = phrase_list!("guards/consent/text_pointers.zh.txt");
/// Words that name a text, but have the characters of a request: 聊天记录.
const HAN_RECORD_NOUNS: PhraseList = phrase_list!("guards/consent/record_nouns.zh.txt");
/// Phrases of agreement at the start of an answer.
static AGREEMENT: PhrasePatterns = PhrasePatterns::new(phrase_list!("guards/consent/agreement.en.txt"));
static HAN_AGREEMENT: PhrasePatterns = PhrasePatterns::new(phrase_list!("guards/consent/agreement.zh.txt"));
static DISAGREEMENT: PhrasePatterns = PhrasePatterns::new(phrase_list!("guards/consent/disagreement.en.txt"));
/// Questions of the assistant whether to remember something.
static REMEMBER_QUESTIONS: PhrasePatterns = PhrasePatterns::new(phrase_list!("guards/consent/questions.en.txt"));
static HAN_REMEMBER_QUESTIONS: PhrasePatterns = PhrasePatterns::new(phrase_list!("guards/consent/questions.zh.txt"));

/// Beginnings of a request that goes on with its object: "remember my …".
const OBJECT_OPENINGS: PhraseList = phrase_list!("guards/consent/object_openings.txt");

/// Words that tell of a name, a place or a language, and add nothing to it.
const HAN_TELLING: PhraseList = phrase_list!("guards/consent/telling.zh.txt");

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
    if turns.iter().any(|turn| turn.number == at && names_other_object(&turn.text, text)) {
        return false;
    }
    let (mut terms, mut total, mut matched) = (HashSet::new(), 0, 0);
    search_terms(&remembered, |token| _ = terms.insert(token.to_owned()));
    let value = text.split_once([':', '：']).map_or(text, |(_, value)| value);
    // The same fact may stand there in other words: 我搬到惠州了, 住在惠州.
    let value = HAN_TELLING.iter().fold(value.to_owned(), |text, word| text.replace(word, " "));
    search_terms(&value, |token| {
        if token != "user" {
            total += 1;
            matched += usize::from(terms.contains(token));
        }
    });
    matched * 2 >= total
}

/// Whether a turn asks to remember something that shares no word with a text: "yes, remember my favourite colour" agrees
/// to no city.
fn names_other_object(turn: &str, text: &str) -> bool {
    let mut terms = HashSet::new();
    search_terms(text, |token| _ = terms.insert(token.to_owned()));
    let prose = mask_non_prose(turn).to_lowercase();
    let objects = clauses(&prose)
        .flat_map(|(_, clause)| OBJECT_OPENINGS.iter().filter_map(move |opening| Some(clause.split_once(opening)?.1)));
    objects.into_iter().any(|object| {
        let (mut total, mut shared) = (0, 0);
        search_terms(object, |token| {
            total += 1;
            shared += usize::from(terms.contains(token));
        });
        total > 0 && shared == 0
    })
}

/// What the user's turn with the number `at` agrees to have remembered.
fn remembered_text(turns: &[Turn], at: usize) -> Option<String> {
    let index = turns.iter().position(|t| t.number == at && t.role == Role::User && !t.injected)?;
    let MessageParts { own, pasted } = MessageParts::of(&turns[index].text);
    let text = &*without_contrasted_refusal(&own);
    let mut later = turns[index + 1..].iter().filter(|t| t.role == Role::User && !t.injected);
    let refuses_in = |own: &str, pasted: &str| refuses(own) || asks_to_withhold(pasted);
    let refuses_later = |turn: &Turn| {
        // Most turns have no such words at all: only others are taken apart.
        refuses_in(&turn.text, &turn.text) && {
            let message = MessageParts::of(&turn.text);
            refuses_in(&message.own, &message.pasted)
        }
    };
    if refuses_in(text, &pasted) || later.any(refuses_later) {
        return None;
    }
    let question =
        turns[..index].iter().rev().filter(|t| !t.injected && t.role != Role::Tool).find(|t| !t.text.trim().is_empty());
    let requested: String = requested_ranges(text).into_iter().map(|range| format!("{}\n", &text[range])).collect();
    // "Sure, remember that I drink tea" agrees to something else than what was asked.
    let names_its_own = !requested.is_empty() && names_own_fact(text);
    if let Some(question) = question.filter(|t| t.role == Role::Assistant)
        && is_remember_question(&question.text)
        && is_agreement(text)
        && !names_its_own
    {
        return Some(format!("{}\n{text}", question.text));
    }
    // "Remember that" is about what was written before, by either side; beside a pasted text it may be about that.
    let before = question.filter(|t| t.role == Role::Assistant && pasted.trim().is_empty());
    let before = before.map_or("", |t| t.text.as_str());
    if requested.is_empty() {
        return requested_next(turns, index).then(|| text.to_owned());
    }
    Some(if refers_back(text) { format!("{before}\n{requested}") } else { requested })
}

/// Whether a request is followed by its fact: "remember that I …".
fn names_own_fact(text: &str) -> bool {
    let is_start = |word: &str| matches!(word, "i" | "i'm" | "my" | "our" | "we");
    clauses(text)
        .any(|(_, clause)| word_tokens(clause).windows(2).any(|pair| pair[0].text == "that" && is_start(&pair[1].text)))
}

/// Whether the user's next turn is nothing but a request to keep what was just said, "yes please save that", or agrees
/// to the question whether to keep it.
fn requested_next(turns: &[Turn], index: usize) -> bool {
    let later = || turns[index + 1..].iter().enumerate().filter(|(_, t)| !t.injected && t.role != Role::Tool);
    let next = later().find(|(_, t)| t.role == Role::User);
    next.is_some_and(|(n, turn)| {
        let asked = later().take_while(|(at, _)| *at < n).last();
        let own = MessageParts::of(&turn.text).own;
        if asked.is_some_and(|(_, t)| is_remember_question(&t.text)) && is_agreement(&own) {
            return !names_own_fact(&own);
        }
        // A text that is pasted there is what the request is about.
        let prose = mask_non_prose(&turn.text);
        let mut parts =
            clauses(&prose).map(|(_, clause)| clause).filter(|c| c.chars().any(char::is_alphanumeric)).peekable();
        parts.peek().is_some() && parts.all(|clause| find_request(clause) == Some(RequestPlace::Alone))
    })
}

/// The sentences of a turn, with their byte offsets.
pub(super) fn clauses(prose: &str) -> impl Iterator<Item = (usize, &str)> {
    let ends = |c: char| matches!(c, '.' | '!' | '?' | '\n' | ';' | '。' | '！' | '？' | '；');
    let mut at = 0;
    prose.split_inclusive(ends).flat_map(split_contrast).map(move |clause| {
        at += clause.len();
        (at - clause.len(), clause)
    })
}

/// A sentence, split before a comma with "but" or 但.
fn split_contrast(sentence: &str) -> Vec<&str> {
    let at = [", but ", "，但", ",但"].iter().find_map(|contrast| sentence.find(contrast));
    match at {
        Some(at) => vec![&sentence[..at], &sentence[at..]],
        None => vec![sentence],
    }
}

/// A turn without a refusal that only concerns its own half of a sentence, of which the other half is a request: "don't
/// remember my age, but do remember that I live in Cork".
fn without_contrasted_refusal(text: &str) -> Cow<'_, str> {
    let prose = mask_non_prose(text);
    let all: Vec<(usize, &str)> = clauses(&prose).collect();
    let is_half = |n: usize| all.get(n).is_some_and(|(_, clause)| clause.starts_with([',', '，']));
    let requests = |clause: &str| find_request(clause).is_some() || pattern_request(clause).is_some();
    let refuses_alone = |clause: &str| {
        let denies = clause.trim_start_matches([',', '，', ' ']).to_lowercase();
        (refuses(clause) || denies.starts_with("but not ") || denies.starts_with("not ")) && !refers_back(clause)
    };
    for n in 1..all.len() {
        if !is_half(n) {
            continue;
        }
        let ((start, first), (at, second)) = (all[n - 1], all[n]);
        let end = at + second.len();
        match (refuses_alone(first), refuses_alone(second)) {
            (true, false) if requests(second) => {
                return Cow::Owned(format!("{}{}", &text[..start], text[at..].trim_start_matches([',', '，', ' '])));
            }
            (false, true) if requests(first) => return Cow::Owned(format!("{}{}", &text[..at], &text[end..])),
            _ => {}
        }
    }
    Cow::Borrowed(text)
}

/// A turn as the lists read it: in Chinese, 用户 instead of 我.
pub(super) fn han_clause(clause: &str) -> String {
    clause.replace("本人", "用户").replace('我', "用户")
}

/// Whether a text refuses to have something remembered; a question for what is known refuses, too.
fn refuses(text: &str) -> bool {
    let prose = mask_non_prose(text);
    clauses(&prose).any(|(_, clause)| {
        let clear = mask_phrases(&han_clause(clause), HAN_NOT_REMEMBERING);
        // 不用客气，你也记住: what is refused stands in the same part of the sentence.
        let denies = |part: &str| HAN_REMEMBER_DENIALS.find_unspaced(part).is_some();
        REMEMBER_DENIALS.find(&word_tokens(clause)).is_some() || clear.split('，').any(denies)
    })
}

/// The parts of a turn that the user asks to remember: the sentence of a request, and what is beside it if the request
/// is about "this", or is a sentence of its own.
fn requested_ranges(text: &str) -> Vec<Range<usize>> {
    let prose = mask_phrases(&mask_non_prose(text), HAN_RECORD_NOUNS);
    let all: Vec<(usize, &str)> = clauses(&prose).filter(|(_, c)| c.chars().any(char::is_alphanumeric)).collect();
    let end = |n: usize| all.get(n).map_or(0, |(at, clause)| at + clause.len());
    let mut ranges = Vec::new();
    for (n, (at, clause)) in all.iter().enumerate() {
        let place = find_request(clause);
        let Some(is_back) = place.map(|_| refers_back(clause)).or_else(|| pattern_request(clause)) else { continue };
        let is_alone = place == Some(RequestPlace::Alone);
        let start = if is_back || is_alone { 0 } else { *at };
        let is_item = |n: &usize| all.get(*n).is_some_and(|(_, line)| is_list_item(line));
        let items = (n + 1..).take_while(is_item).count();
        let last = if is_alone { (n + items.max(1)).min(all.len() - 1) } else { n };
        ranges.push(start..end(last));
    }
    ranges
}

/// `- text`, `1. text`
fn is_list_item(line: &str) -> bool {
    let line = line.trim_start();
    let text = line.trim_start_matches(|c: char| c.is_ascii_digit());
    if text.len() < line.len() {
        text.starts_with(['.', ')', '、'])
    } else {
        ["- ", "* ", "+ ", "• "].iter().any(|marker| line.starts_with(marker))
    }
}

/// Whether a sentence requests to remember something by a pattern, and whether it refers to what is before it.
fn pattern_request(clause: &str) -> Option<bool> {
    let words = word_tokens(clause);
    let english = REMEMBER_REQUESTS.find(&words).is_some();
    (english || HAN_REMEMBER_REQUESTS.find_unspaced(&han_clause(clause)).is_some()).then(|| refers_back(clause))
}

/// Whether a sentence is about what is before it. "Save that to memory" is; in "remember that I …" the fact follows.
fn refers_back(clause: &str) -> bool {
    let words = word_tokens(clause);
    let is_object = |(n, word): (usize, &crate::text::phrase::WordToken<'_>)| {
        let next = words.get(n + 1).map_or("", |w| w.text.as_str());
        match word.text.as_str() {
            "this" | "it" | "these" => true,
            "that" => matches!(next, "" | "for" | "to" | "in" | "about" | "down" | "please" | "too" | "somewhere"),
            _ => false,
        }
    };
    let clear = mask_phrases(clause, HAN_TEXT_POINTERS);
    words.iter().enumerate().any(is_object) || ["这", "它", "以上", "此"].iter().any(|word| clear.contains(word))
}

fn is_remember_question(text: &str) -> bool {
    let question = text.contains(['?', '？']);
    question
        && (REMEMBER_QUESTIONS.find(&word_tokens(text)).is_some()
            || HAN_REMEMBER_QUESTIONS.find_unspaced(text).is_some())
}

pub(super) fn is_agreement(text: &str) -> bool {
    if text.trim_end().ends_with(['?', '？']) {
        return false;
    }
    let words = word_tokens(text);
    let opening = &words[..words.len().min(6)];
    let yes = AGREEMENT.find(opening).is_some() && DISAGREEMENT.find(opening).is_none();
    let first = text.split(['，', '。', '！', ',', '\n']).next().unwrap_or_default();
    yes || HAN_AGREEMENT.find_unspaced(first).is_some()
        && !first.contains('不')
        && !first.contains('吗')
        && !first.contains('别')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_yes_that_names_something_else_agrees_to_nothing_else() {
        let agrees = |text: &str, answer: &str| {
            let turn = |number, role, text: String| Turn { number, role, at: None, text, injected: false };
            let question = format!("Should I remember this? {text}");
            let turns = [turn(1, Role::Assistant, question), turn(2, Role::User, answer.to_owned())];
            has_consent_for(text, &turns, 2)
        };
        assert!(agrees("City: Graz", "Yes, please remember that"));
        assert!(agrees("City: Graz", "Yes, remember my city"));
        assert!(!agrees("City: Graz", "Yes, remember my favourite colour"));
        assert!(!agrees("用户住在汉堡", "好的，记住我最喜欢的颜色"));
    }
}
