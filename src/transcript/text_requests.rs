//! Recognises sentences that ask for something to be done with a text beside them: "translate this into French:", "is
//! this contract ok?", 帮我润色一下.
//!
//! Never takes a text that the author says is their own for another's: "proofread my cover letter", 我写的.

use super::own_statements::{names_own_statement, opens_with_author};
use super::pasted_leads::{has_han, words_of};
use super::pasted_requests::is_request;
use crate::text::chinese_words::chinese_words;
use crate::text::phrase::{PhrasePatterns, WordToken, word_tokens};
use crate::text::prose_mask::mask_phrases;
use crate::text::stopwords::is_stopword;
use crate::text::word_list::{PhraseList, WordList, phrase_list, word_list};

static REQUESTS: PhrasePatterns = PhrasePatterns::new(phrase_list!("transcript/text_requests.en.txt"));
static HAN_REQUESTS: PhrasePatterns = PhrasePatterns::new(phrase_list!("transcript/text_requests.zh.txt"));
/// A kind of text, in a sentence that asks for something.
static KINDS: PhrasePatterns = PhrasePatterns::new(phrase_list!("transcript/kind_requests.en.txt"));
static HAN_KINDS: PhrasePatterns = PhrasePatterns::new(phrase_list!("transcript/kind_requests.zh.txt"));
/// What asks for it only with a colon behind.
static COLON_REQUESTS: PhrasePatterns = PhrasePatterns::new(phrase_list!("transcript/colon_requests.en.txt"));
static HAN_COLON_REQUESTS: PhrasePatterns = PhrasePatterns::new(phrase_list!("transcript/colon_requests.zh.txt"));
/// What may concern a text beside it, or the author's own story.
static WEAK_REQUESTS: PhrasePatterns = PhrasePatterns::new(phrase_list!("transcript/weak_requests.en.txt"));
static HAN_WEAK_REQUESTS: PhrasePatterns = PhrasePatterns::new(phrase_list!("transcript/weak_requests.zh.txt"));
/// Where the text stands: a word and its place; in Chinese words for below, then for above.
const PLACE_WORDS: WordList = word_list!("transcript/place_words.en.txt");
const HAN_PLACE_WORDS: PhraseList = phrase_list!("transcript/place_words.zh.txt");
/// A text that is no part of the message.
const ATTACHMENTS: PhraseList = phrase_list!("transcript/attachments.txt");
/// Chinese words that contain a kind of text or a request but mean neither.
const HAN_NOT_TEXTS: PhraseList = phrase_list!("transcript/not_texts.zh.txt");
/// What precedes the verb of a request.
const OPENINGS: WordList = word_list!("transcript/request_openings.en.txt");
/// When a request is to be done.
const APPOINTMENT_WORDS: WordList = word_list!("transcript/appointment_words.en.txt");
const HAN_APPOINTMENT_WORDS: PhraseList = phrase_list!("transcript/appointment_words.zh.txt");

/// Maximum length of a request, in characters.
const MAX_CHARS: usize = 200;

/// Where the text of a request stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum TextPlace {
    Above,
    Below,
    /// Above or below.
    Beside,
}

/// A request about a text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct TextRequest {
    pub(super) place: TextPlace,
    /// Whether it is one only because a colon follows.
    pub(super) needs_colon: bool,
    /// Whether it may as well concern the author's own story.
    pub(super) is_weak: bool,
}

/// The request of a line, in any of its sentences.
pub(super) fn request_in_line(line: &str) -> Option<TextRequest> {
    let line = line.trim();
    let (line, has_colon) = line.strip_suffix([':', '：']).map_or((line, false), |lead| (lead, true));
    if names_own_statement(line) {
        return None;
    }
    let sentences: Vec<&str> = sentences_of(line).collect();
    let last = sentences.len().checked_sub(1)?;
    sentences.iter().enumerate().find_map(|(n, sentence)| text_request(sentence, has_colon && n == last))
}

/// Whether the last sentence of a line is the request.
pub(super) fn ends_with_request(line: &str) -> bool {
    sentences_of(line).last().is_some_and(|sentence| text_request(sentence, false).is_some())
}

/// Whether the last sentence of a lead without its colon asks for something to be done with the text behind it.
pub(super) fn asks_about(lead: &str, text: &str) -> bool {
    let request = sentences_of(lead).last().and_then(|sentence| text_request(sentence, true));
    // "Explain this to me: why do I pay tax twice?" has a question of the author's.
    let is_question = || sentences_of(text).next().is_some_and(is_request);
    request.is_some_and(|request| !request.needs_colon || !is_question())
        && !names_own_statement(lead)
        && !(is_appointment(lead) && opens_with_author(text))
}

/// Whether a request says when it is to be done, and names no text beside it: "translate for me tomorrow".
fn is_appointment(lead: &str) -> bool {
    let words = words_of(lead);
    let points = |word: &String| PLACE_WORDS.value(word).is_some();
    if has_han(lead) {
        HAN_APPOINTMENT_WORDS.iter().any(|word| lead.contains(word)) && !lead.contains(['这', '下'])
    } else {
        words.iter().any(|word| APPOINTMENT_WORDS.contains(word)) && !words.iter().any(points)
    }
}

/// The sentences of a line.
pub(super) fn sentences_of(line: &str) -> impl Iterator<Item = &str> {
    let parts = line.split_inclusive(['.', '!', '?', '。', '！', '？']).map(str::trim);
    parts.filter(|part| part.chars().any(char::is_alphanumeric))
}

/// What a sentence has of a request about a text, in any language.
struct RequestSigns {
    /// It has the words of a request, or asks for something and names a kind of text.
    is_request: bool,
    /// It has words that are a request above a text only.
    is_colon_request: bool,
    is_weak_request: bool,
    place: TextPlace,
}

/// Whether a sentence asks for something to be done with a text.
fn text_request(sentence: &str, has_colon: bool) -> Option<TextRequest> {
    let low = sentence.to_lowercase();
    let is_elsewhere = low.contains("://") || !has_colon && ATTACHMENTS.iter().any(|word| low.contains(word));
    if is_elsewhere || sentence.chars().count() > MAX_CHARS {
        return None;
    }
    let signs = if has_han(sentence) { han_signs(sentence) } else { english_signs(sentence) };
    let needs_colon = !signs.is_request && has_colon && signs.is_colon_request;
    let is_weak = !signs.is_request && !needs_colon;
    let place = if has_colon { TextPlace::Below } else { signs.place };
    (!is_weak || signs.is_weak_request).then_some(TextRequest { place, needs_colon, is_weak })
}

fn english_signs(sentence: &str) -> RequestSigns {
    let tokens = request_tokens(sentence);
    let names_kind = || KINDS.find(&tokens).is_some() && (is_request(sentence) || is_order_about(&tokens));
    // "It should still rhyme" tells of the text to come.
    let is_subject = |n: usize| tokens.get(n + 1).is_some_and(|next| MODALS.contains(&next.text.as_str()));
    let is_at = |place: &str| {
        tokens.iter().enumerate().any(|(n, token)| PLACE_WORDS.value(&token.text) == Some(place) && !is_subject(n))
    };
    RequestSigns {
        is_request: REQUESTS.find(&tokens).is_some() || names_kind(),
        is_colon_request: COLON_REQUESTS.find(&tokens).is_some(),
        is_weak_request: WEAK_REQUESTS.find(&tokens).is_some(),
        place: match is_at("below") {
            true => TextPlace::Below,
            false if is_at("above") || is_at("back") && !is_at("beside") => TextPlace::Above,
            false => TextPlace::Beside,
        },
    }
}

/// Words behind the subject of a clause.
const MODALS: [&str; 6] = ["should", "must", "has", "needs", "can", "may"];

fn han_signs(sentence: &str) -> RequestSigns {
    let clear = mask_phrases(sentence, HAN_NOT_TEXTS);
    let asks = is_request(&clear) || chinese_words(&clear).first().is_some_and(|word| word.class.is_verbal());
    let names_kind = || HAN_KINDS.find_unspaced(&clear).is_some() && asks;
    let places = HAN_PLACE_WORDS.sections().zip([TextPlace::Below, TextPlace::Above]);
    let named = places.into_iter().find(|(words, _)| words.iter().any(|word| clear.contains(word)));
    RequestSigns {
        is_request: HAN_REQUESTS.find_unspaced(&clear).is_some() || names_kind(),
        is_colon_request: HAN_COLON_REQUESTS.find_unspaced(&clear).is_some(),
        is_weak_request: HAN_WEAK_REQUESTS.find_unspaced(&clear).is_some(),
        place: named.map_or(TextPlace::Beside, |(_, place)| place),
    }
}

/// Whether a sentence begins with a verb and a text as its object: "Scale this recipe to six people".
fn is_order_about(tokens: &[WordToken<'_>]) -> bool {
    let [verb, object, ..] = tokens else { return false };
    PLACE_WORDS.value(&object.text) == Some("beside")
        && !is_stopword(&verb.text)
        && !["s", "ed", "ing"].iter().any(|end| verb.text.ends_with(end))
}

/// The words behind the polite opening of a sentence, and a last one for its end.
pub(super) fn request_tokens(sentence: &str) -> Vec<WordToken<'_>> {
    let all = word_tokens(sentence);
    let mut tokens: Vec<WordToken<'_>> = all.into_iter().skip_while(|token| OPENINGS.contains(&token.text)).collect();
    tokens.push(WordToken { text: "<end>".to_owned(), surface: "", at: sentence.len() });
    tokens
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_request_has_the_text_beside_it_as_its_object() {
        for line in [
            "Translate into Spanish.",
            "is this page safe?",
            "Can you put it in simpler words and translate it?",
            "I need this translated into Welsh:",
            "any typos?",
            "tl;dr please",
            "Write a reply to this email:",
            "Scale this recipe to six people",
            "Proofread my poem:",
            "My intern wrote this report. Please proofread it.",
            "帮我翻译成英文：",
            "这份合同有没有问题",
        ] {
            assert!(request_in_line(line).is_some(), "{line}");
        }
        for line in [
            "Translate the release notes.",
            "Fix this.",
            "proofread my cover letter:",
            "Write a letter to my landlord:",
            "I translated for a living.",
            "Correct me if I'm wrong:",
            "Shorten your last answer.",
            "Summarise this: see the attached file",
            "Summarise this page https://example.org/x",
            "我在翻译公司上班",
            "润色一下我的求职信：",
            "这段时间怎么样？",
        ] {
            assert_eq!(request_in_line(line), None, "{line}");
        }
    }
}
