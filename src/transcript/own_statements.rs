//! Decides whether a line speaks of its author: it begins with "I", or names a text as the author's own.
//!
//! Never takes a poem or a contract for the story of its author.

use super::pasted_leads::{has_han, is_first_word_own, words_of};
use super::text_requests::{request_tokens, sentences_of};
use crate::text::phrase::{PhrasePatterns, WordToken, word_tokens};
use crate::text::word_list::{PhraseList, WordList, phrase_list, word_list};

/// What makes a text the author's own, or the assistant's.
static OWN_STATEMENTS: PhrasePatterns = PhrasePatterns::new(phrase_list!("transcript/own_statements.en.txt"));
static HAN_OWN_STATEMENTS: PhrasePatterns = PhrasePatterns::new(phrase_list!("transcript/own_statements.zh.txt"));
/// A new text that is to be written from what the author says.
static CREATED_TEXTS: PhrasePatterns = PhrasePatterns::new(phrase_list!("transcript/created_texts.en.txt"));
/// Words for a text that there is already.
const GIVEN_TEXTS: WordList = word_list!("transcript/given_texts.en.txt");
/// Kinds of text whose first person does not speak of the author.
const IMPERSONAL_TEXTS: PhraseList = phrase_list!("transcript/impersonal_texts.txt");
/// Words behind the name in a chat whose lines are the author's.
const OWN_LINES: PhraseList = phrase_list!("transcript/own_lines.txt");
/// Maximum length of a name in a chat, in characters.
const MAX_SPEAKER_CHARS: usize = 24;
const HAN_AUTHOR_OPENINGS: PhraseList = phrase_list!("transcript/author_openings.zh.txt");

/// Whether a line says that a text is the author's own, or the assistant's.
pub(super) fn names_own_statement(line: &str) -> bool {
    let words = words_of(line);
    let names = |kind: &str| words.iter().any(|word| word == kind) || !kind.is_ascii() && line.contains(kind);
    if IMPERSONAL_TEXTS.iter().any(names) {
        return false;
    }
    if has_han(line) {
        return HAN_OWN_STATEMENTS.find_unspaced(line).is_some();
    }
    let is_new = !words.iter().any(|word| GIVEN_TEXTS.contains(word));
    let names = |tokens: &[WordToken<'_>]| {
        OWN_STATEMENTS.find(tokens).is_some() || is_new && CREATED_TEXTS.find(tokens).is_some()
    };
    sentences_of(line).any(|sentence| names(&word_tokens(sentence)) || names(&request_tokens(sentence)))
}

/// The name in a chat whose lines the author says are theirs: `the lines with "me" are mine`, "Jo is me", "我"那几行是我发的.
pub(super) fn own_speaker(line: &str) -> Option<String> {
    let low = line.to_lowercase();
    let place = |words: &str| if words.is_ascii() { low.find(&format!(" {words}")) } else { low.find(words) };
    let at = OWN_LINES.iter().filter_map(place).min()?;
    let before = low.get(..at)?;
    let marks = |c: char| matches!(c, '"' | '“' | '”' | '「' | '」' | '\'' | '‘' | '’');
    let quoted = before.split_once(marks).and_then(|(_, rest)| rest.split_once(marks)).map(|(name, _)| name);
    let plain = if has_han(before) {
        before.rsplit(['，', '。', ',', ' ']).next()
    } else {
        before.split_whitespace().next_back()
    };
    let name = quoted.or(plain)?.trim();
    (!name.is_empty() && name.chars().count() <= MAX_SPEAKER_CHARS).then(|| name.to_owned())
}

/// Whether a line of a chat is of a speaker, in lower case, behind the time that it may begin with.
pub(super) fn is_said_by(line: &str, speaker: &str) -> bool {
    let low = line.trim().to_lowercase();
    let behind_time = low.split_once("] ").map_or(low.as_str(), |(_, rest)| rest);
    [low.as_str(), behind_time]
        .iter()
        .any(|text| text.strip_prefix(speaker).is_some_and(|rest| rest.trim_start().starts_with([':', '：'])))
}

/// Whether a text begins with its author: "I …", "my …", 我….
pub(super) fn opens_with_author(text: &str) -> bool {
    let text = text.trim_start();
    if has_han(text) {
        HAN_AUTHOR_OPENINGS.iter().any(|word| text.starts_with(word))
    } else {
        is_first_word_own(&words_of(text))
    }
}
