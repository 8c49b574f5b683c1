//! Recognises sentences that ask for something to be done with a text beside them: "translate this into French:", "is this
//! contract ok?", 帮我润色一下.
//!
//! Never takes a text that the author says is their own for another's: "proofread my cover letter", 我写的.

use super::pasted_leads::{FIRST_PERSON, has_han, words_of};
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
/// A new text that is to be written from what the author says.
static CREATED_TEXTS: PhrasePatterns = PhrasePatterns::new(phrase_list!("transcript/created_texts.en.txt"));
/// What makes a text the author's own, or the assistant's.
static OWN_STATEMENTS: PhrasePatterns = PhrasePatterns::new(phrase_list!("transcript/own_statements.en.txt"));
static HAN_OWN_STATEMENTS: PhrasePatterns = PhrasePatterns::new(phrase_list!("transcript/own_statements.zh.txt"));
/// Kinds of text whose first person does not speak of the author.
const IMPERSONAL_TEXTS: PhraseList = phrase_list!("transcript/impersonal_texts.txt");
/// Chinese words with a kind of text or a request in them that are none.
const HAN_NOT_TEXTS: PhraseList = phrase_list!("transcript/not_texts.zh.txt");
/// What precedes the verb of a request.
const OPENINGS: WordList = word_list!("transcript/request_openings.en.txt");

/// When a request is to be done.
const APPOINTMENT_WORDS: WordList = word_list!("transcript/appointment_words.en.txt");
const HAN_APPOINTMENT_WORDS: PhraseList = phrase_list!("transcript/appointment_words.zh.txt");

/// Kinds of text of a few words.
const SHORT_TEXTS: [&str; 12] = [
    "sentence",
    "sentences",
    "text",
    "quote",
    "message",
    "tweet",
    "wording",
    "joke",
    "riddle",
    "proverb",
    "note",
    "paragraph",
];
const HAN_SHORT_TEXTS: [&str; 6] = ["句", "话", "文字", "文本", "段子", "这段"];
/// A request has at most so many words, or characters.
const MAX_WORDS: usize = 32;
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
    /// Whether it names a kind of long text, which may be anywhere: "is this contract ok?"
    pub(super) names_long_text: bool,
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
    sentences.iter().enumerate().find_map(|(n, sentence)| {
        let mut request = text_request(sentence, has_colon && n == last)?;
        // "My intern wrote this. Could you polish it?": the sentence before speaks of the text.
        if n > 0 && request.place == TextPlace::Above {
            request.place = TextPlace::Beside;
        }
        Some(request)
    })
}

/// Whether the last sentence of a line is the request.
pub(super) fn ends_with_request(line: &str) -> bool {
    sentences_of(line).last().is_some_and(|sentence| text_request(sentence, false).is_some() || sentence.len() < 12)
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
    let points = |word: &String| matches!(word.as_str(), "this" | "these" | "following" | "below");
    match has_han(lead) {
        true => HAN_APPOINTMENT_WORDS.iter().any(|word| lead.contains(word)) && !lead.contains(['这', '下']),
        false => words.iter().any(|word| APPOINTMENT_WORDS.contains(word)) && !words.iter().any(points),
    }
}

/// Whether a text begins with its author: "I …", 我….
pub(super) fn opens_with_author(text: &str) -> bool {
    let text = text.trim_start();
    match has_han(text) {
        true => text.starts_with(['我', '本', '咱']),
        false => words_of(text)
            .first()
            .is_some_and(|word| FIRST_PERSON.contains(&word.as_str()) || matches!(word.as_str(), "my" | "our")),
    }
}

/// Whether a line says that a text is the author's own, or the assistant's.
pub(super) fn names_own_statement(line: &str) -> bool {
    // A poem in the first person tells nothing of its author.
    let words = words_of(line);
    let names = |kind: &str| words.iter().any(|word| word == kind) || !kind.is_ascii() && line.contains(kind);
    if IMPERSONAL_TEXTS.iter().any(names) {
        return false;
    }
    if has_han(line) {
        return HAN_OWN_STATEMENTS.find_unspaced(line).is_some();
    }
    let is_new = !words.iter().any(|word| {
        matches!(word.as_str(), "this" | "these" | "following" | "below" | "reply" | "answer" | "response")
    });
    let names = |tokens: &[WordToken<'_>]| {
        OWN_STATEMENTS.find(tokens).is_some() || is_new && CREATED_TEXTS.find(tokens).is_some()
    };
    sentences_of(line).any(|sentence| names(&word_tokens(sentence)) || names(&request_tokens(sentence)))
}

/// The sentences of a line.
fn sentences_of(line: &str) -> impl Iterator<Item = &str> {
    let parts = line.split_inclusive(['.', '!', '?', '。', '！', '？']).map(str::trim);
    parts.filter(|part| part.chars().any(char::is_alphanumeric))
}

/// Whether a sentence asks for something to be done with a text.
fn text_request(sentence: &str, has_colon: bool) -> Option<TextRequest> {
    if sentence.contains("://") || sentence.chars().count() > MAX_CHARS {
        return None;
    }
    if has_han(sentence) {
        return han_text_request(sentence, has_colon);
    }
    let tokens = request_tokens(sentence);
    let has = |words: &[&str]| tokens.iter().any(|token| words.contains(&token.text.as_str()));
    if tokens.len() > MAX_WORDS || has(&["attached", "attachment"]) && !has_colon {
        return None;
    }
    let kind = KINDS.find(&tokens).filter(|_| is_request(sentence) || is_order_about(&tokens));
    let is_strong = REQUESTS.find(&tokens).is_some() || kind.is_some();
    let needs_colon = !is_strong && has_colon && COLON_REQUESTS.find(&tokens).is_some();
    let is_weak = !is_strong && !needs_colon;
    if is_weak && WEAK_REQUESTS.find(&tokens).is_none() {
        return None;
    }
    let refers_back = has(&["it", "that", "those", "them"]) && !has(&["this", "these"]);
    let names_long_text = kind.is_some_and(|kind| !SHORT_TEXTS.contains(&tokens[kind.end - 1].text.as_str()));
    let place = match has_colon || has(&["following", "below"]) {
        true => TextPlace::Below,
        false if has(&["above"]) || refers_back => TextPlace::Above,
        false => TextPlace::Beside,
    };
    Some(TextRequest { place, names_long_text, needs_colon, is_weak })
}

fn han_text_request(sentence: &str, has_colon: bool) -> Option<TextRequest> {
    let clear = mask_phrases(sentence, HAN_NOT_TEXTS);
    if clear.contains("附件") && !has_colon || tells_of_author(&clear) {
        return None;
    }
    let asks = is_request(&clear) || chinese_words(&clear).first().is_some_and(|word| word.class.is_verbal());
    let kind = HAN_KINDS.find_unspaced(&clear).filter(|_| asks);
    let is_strong = HAN_REQUESTS.find_unspaced(&clear).is_some() || kind.is_some();
    let needs_colon = !is_strong && has_colon && HAN_COLON_REQUESTS.find_unspaced(&clear).is_some();
    let is_weak = !is_strong && !needs_colon;
    if is_weak && HAN_WEAK_REQUESTS.find_unspaced(&clear).is_none() {
        return None;
    }
    let names_long_text = kind.is_some_and(|kind| !HAN_SHORT_TEXTS.iter().any(|short| kind.contains(short)));
    let has = |words: &[&str]| words.iter().any(|word| clear.contains(word));
    let place = if has_colon || has(&["下面", "以下", "如下", "下列"]) {
        TextPlace::Below
    } else if has(&["上面", "以上", "上文", "刚才"]) {
        TextPlace::Above
    } else {
        TextPlace::Beside
    };
    Some(TextRequest { place, names_long_text, needs_colon, is_weak })
}

/// Whether a sentence begins with a verb and a text as its object: "Scale this recipe to six people".
fn is_order_about(tokens: &[WordToken<'_>]) -> bool {
    let [verb, object, ..] = tokens else { return false };
    matches!(object.text.as_str(), "this" | "these")
        && !is_stopword(&verb.text)
        && !["s", "ed", "ing"].iter().any(|end| verb.text.ends_with(end))
}

/// 我在翻译公司上班: what begins with the author asks for nothing, but for 我想请你….
pub(super) fn tells_of_author(sentence: &str) -> bool {
    let Some(rest) = ["我们", "我"].iter().find_map(|me| sentence.strip_prefix(me)) else { return false };
    !["想请", "想让", "需要", "要你", "要把", "想把", "收到", "看到"].iter().any(|word| rest.starts_with(word))
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
            "我在翻译公司上班",
            "润色一下我的求职信：",
            "这段时间怎么样？",
        ] {
            assert_eq!(request_in_line(line), None, "{line}");
        }
    }
}
