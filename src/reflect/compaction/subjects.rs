//! Tells whether a statement names its subject, "Anna drives", or leaves it to the reader, "Allergic to nuts".
//!
//! Never decides for a language whose verbs it does not know: such a statement neither names a subject nor lacks one.

use crate::text::chinese_words::{ChineseWord, WordClass, chinese_words};
use crate::text::phrase::{is_capitalized, named_group};
use crate::text::verbs::{is_past_verb, is_third_person};
use crate::text::word_list::{PhraseList, WordList, phrase_list, word_list};
use crate::text::words::is_unspaced;

const GERMAN_VERBS: WordList = word_list!("compaction/finite_verbs.de.txt");
const AUXILIARIES: WordList = word_list!("compaction/auxiliaries.en.txt");
/// Words that may precede a subject, or stand where one is left out: "never eats pork".
const ADVERBS: WordList = word_list!("compaction/opening_adverbs.txt");
const HAN_ADVERBS: PhraseList = phrase_list!("compaction/opening_adverbs.zh.txt");
/// Words of a phrase of two words that may do so: "on Fridays".
const PHRASE_OPENINGS: WordList = word_list!("compaction/opening_phrases.txt");
/// Words with which a subject of several people or things starts, and plurals without an ending.
const SUBJECT_STARTS: WordList = word_list!("compaction/subject_starts.txt");
const HAN_SUBJECTS: PhraseList = phrase_list!("compaction/subject_starts.zh.txt");
/// How far from the start of a Japanese statement its topic ends, in characters.
const MAX_TOPIC_CHARS: usize = 12;

/// Whether a statement starts with its own subject, other than the user.
pub fn states_subject(text: &str) -> bool {
    if names_user(text) {
        return false;
    }
    if let Some(topic) = japanese_topic(text) {
        return topic;
    }
    // "小王", "老李"
    let names = [text, text.strip_prefix(['小', '老', '阿']).unwrap_or(text)];
    if named_group("surnames").iter().any(|name| names.iter().any(|text| text.starts_with(name)))
        || HAN_SUBJECTS.iter().any(|subject| text.starts_with(subject))
        || starts_with_han_noun(text)
        || names_several(text)
    {
        return true;
    }
    let words = first_words(text);
    // "night trains" is no statement.
    let is_noun_phrase = words.len() == 2 && text.starts_with(char::is_lowercase);
    let is_finite = |word: &String| is_third_person(word) || is_past_verb(word) || is_auxiliary(word);
    // "Kids love tea"
    let has_plural_verb =
        matches!(&words[..], [noun, verb, ..] if noun.ends_with('s') && is_third_person(&format!("{verb}s")));
    !is_noun_phrase && !is_without_subject(text) && (has_plural_verb || words.iter().skip(1).any(is_finite))
}

/// Whether a text starts with people or things: "our children", "they", "Tom and Ana", "Tom, Ana and Eva".
fn names_several(text: &str) -> bool {
    let mut words = text.split_whitespace();
    let (first, second, third) = (words.next().unwrap_or(""), words.next().unwrap_or(""), words.next().unwrap_or(""));
    let is_pair = matches!(second, "and" | "und" | "&") && is_capitalized(third);
    let is_list = first.ends_with(',') && is_capitalized(second);
    SUBJECT_STARTS.contains(&first.to_lowercase()) || is_capitalized(first) && (is_pair || is_list)
}

/// Whether a Chinese text starts with a noun and what is said of it: 客户喜欢电话.
fn starts_with_han_noun(text: &str) -> bool {
    let words = chinese_words(text);
    let is_noun = |word: &ChineseWord<'_>| word.class == WordClass::Noun;
    let is_said =
        |word: &ChineseWord<'_>| word.class.is_verbal() || matches!(word.text, "不" | "没" | "会" | "能" | "prefer");
    text.starts_with(is_unspaced) && words.first().is_some_and(is_noun) && words.get(1).is_some_and(is_said)
}

/// Whether a statement has no subject of its own.
pub fn is_without_subject(text: &str) -> bool {
    if names_user(text) {
        return false;
    }
    if let Some(topic) = japanese_topic(text) {
        return !topic;
    }
    if text.starts_with(is_unspaced) {
        let opens = |word: &str| ["对", "不", "没", "有", "会", "能", "想"].contains(&word);
        let is_verbal = |text: &str| {
            chinese_words(text).first().is_some_and(|word| word.class.is_verbal() || opens(word.text))
                || text.starts_with(['不', '没'])
        };
        return is_verbal(text) || HAN_ADVERBS.iter().any(|adverb| text.strip_prefix(adverb).is_some_and(&is_verbal));
    }
    let words = first_words(text);
    let phrase = if words.first().is_some_and(|word| PHRASE_OPENINGS.contains(word)) { 2 } else { 0 };
    let Some(first) = words.get(phrase) else { return false };
    let second = words.get(phrase + 1).map_or("", |word| word.as_str());
    // "Will drives", "May lives in Rome", "Alfred can swim"
    let is_verb_first = is_auxiliary(first) || is_past_verb(first);
    first == "prefer"
        || matches!(second, "to" | "with" | "from" | "gegen")
        || is_verb_first && !is_third_person(second) && !is_auxiliary(second)
        || is_third_person(first) && !matches!(second, "run" | "are" | "is" | "must" | "may" | "have" | "need")
}

/// Whether a word in lower case is an auxiliary verb, or a verb that German conjugates.
fn is_auxiliary(word: &str) -> bool {
    AUXILIARIES.contains(word) || GERMAN_VERBS.contains(word)
}

/// Whether a text names the user.
pub fn names_user(text: &str) -> bool {
    let words = first_words(text);
    words.iter().any(|word| matches!(word.as_str(), "user" | "nutzer" | "benutzer"))
        || text.contains("用户")
        || text.contains("ユーザー")
}

/// Whether a Japanese text starts with a topic or a subject that は or が marks; `None` for other languages.
fn japanese_topic(text: &str) -> Option<bool> {
    text.contains(|c: char| ('\u{3041}'..='\u{309f}').contains(&c)).then(|| {
        let start: String = text.chars().take(MAX_TOPIC_CHARS).collect();
        start.contains('は')
    })
}

/// The first five words in lower case, without articles and the adverbs before them.
fn first_words(text: &str) -> Vec<String> {
    let words = text.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty()).map(str::to_lowercase);
    let is_adverb = |word: &String| {
        ADVERBS.contains(word) || matches!(word.as_str(), "no" | "longer") || word.len() > 5 && word.ends_with("ly")
    };
    let words = words.skip_while(is_adverb);
    words.filter(|word| !matches!(word.as_str(), "the" | "a" | "an" | "der" | "die" | "das")).take(5).collect()
}
