//! Splits Chinese text into words with their classes, by the longest word of a list at each place.
//!
//! Never guesses: a character that starts no listed word is a word of its own, and a word has one class whatever stands
//! around it.

use super::word_list::{WordList, word_list};
use super::words::is_unspaced;

const CLASSES: WordList = word_list!("chinese_words/classes.zh.txt");
/// The longest word of the list, in characters.
const MAX_CHARS: usize = 4;

/// The class of a word.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WordClass {
    Verb,
    /// A verb that is as often a noun: 测试, 部署.
    VerbNoun,
    Modal,
    Noun,
    Adjective,
    Adverb,
    Time,
    Place,
    Pronoun,
    Preposition,
    Conjunction,
    Particle,
    Number,
    /// A Latin word, or a masked one.
    Foreign,
    /// A punctuation mark.
    Mark,
    /// A character that starts no listed word.
    Unknown,
}

impl WordClass {
    pub fn is_verbal(self) -> bool {
        matches!(self, WordClass::Verb | WordClass::VerbNoun)
    }

    /// Whether such a word may be a subject or an object, or a part of one.
    pub fn is_nominal(self) -> bool {
        use WordClass::*;
        matches!(self, Noun | VerbNoun | Foreign | Number | Place | Pronoun | Unknown)
    }
}

/// A word of a Chinese text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ChineseWord<'a> {
    pub text: &'a str,
    pub class: WordClass,
    /// Byte offset in the text.
    pub at: usize,
}

/// The words and marks of a text, in order; white space is left out.
pub fn chinese_words(text: &str) -> Vec<ChineseWord<'_>> {
    let (mut out, mut at) = (Vec::new(), 0);
    while let Some(first) = text[at..].chars().next() {
        let rest = &text[at..];
        let (length, class) = if is_unspaced(first) {
            listed_word(rest).unwrap_or((first.len_utf8(), WordClass::Unknown))
        } else if first.is_ascii_digit() {
            number_length(rest)
        } else if first.is_alphanumeric() || first == '_' {
            let end = rest.find(|c: char| is_unspaced(c) || !(c.is_alphanumeric() || "_.-/+#".contains(c)));
            (end.unwrap_or(rest.len()), WordClass::Foreign)
        } else {
            (first.len_utf8(), WordClass::Mark)
        };
        if !first.is_whitespace() {
            out.push(ChineseWord { text: &rest[..length], class, at });
        }
        at += length;
    }
    out
}

/// The longest listed word at the start of a text: its length in bytes, and its class.
fn listed_word(text: &str) -> Option<(usize, WordClass)> {
    let mut ends = [0; MAX_CHARS];
    let mut count = 0;
    for (at, c) in text.char_indices().take(MAX_CHARS).take_while(|(_, c)| is_unspaced(*c)) {
        ends[count] = at + c.len_utf8();
        count += 1;
    }
    ends[..count].iter().rev().find_map(|end| Some((*end, class_of(&text[..*end])?)))
}

/// Whether a word of two characters is a verb.
pub fn is_two_character_verb(word: &str) -> bool {
    word.chars().count() == 2 && class_of(word).is_some_and(WordClass::is_verbal)
}

/// Whether a word of two characters is an adjective.
pub fn is_two_character_adjective(word: &str) -> bool {
    word.chars().count() == 2 && class_of(word) == Some(WordClass::Adjective)
}

fn class_of(word: &str) -> Option<WordClass> {
    use WordClass::*;
    Some(match CLASSES.value(word)? {
        "v" => Verb,
        "w" => VerbNoun,
        "m" => Modal,
        "n" => Noun,
        "a" => Adjective,
        "d" => Adverb,
        "t" => Time,
        "s" => Place,
        "r" => Pronoun,
        "p" => Preposition,
        "c" => Conjunction,
        _ => Particle,
    })
}

/// The length of a number in bytes with what makes a date or a time of it, and its class: 5, 2025年, 8点.
fn number_length(text: &str) -> (usize, WordClass) {
    let end =
        text.find(|c: char| !(c.is_ascii_digit() || matches!(c, '.' | ':' | '-' | '/' | '%'))).unwrap_or(text.len());
    let after = text[end..].trim_start();
    let start = text.len() - after.len();
    let is_date = text[..end].matches(['-', ':']).count() > 0;
    match ["年", "月", "日", "号", "点", "时"].iter().find(|unit| after.starts_with(**unit)) {
        Some(unit) if !after.starts_with("时间") && !after.starts_with("年级") && !after.starts_with("号线") => {
            (start + unit.len(), WordClass::Time)
        }
        _ if is_date => (end, WordClass::Time),
        _ => (end, WordClass::Number),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(text: &str, expected: &str) {
        let words: Vec<&str> = chinese_words(text).iter().map(|word| word.text).collect();
        assert_eq!(words.join(" "), expected);
    }

    #[test]
    fn the_longest_word_counts() {
        check("用户把账单表迁移到 PostgreSQL。", "用户 把 账单表 迁移 到 PostgreSQL 。");
        check("2025年5月8日修复了3个缺陷", "2025年 5月 8日 修复 了 3 个 缺陷");
        check("", "");
    }

    #[test]
    fn words_have_classes() {
        let class = |text| chinese_words(text)[0].class;
        assert_eq!(class("部署"), WordClass::VerbNoun);
        assert_eq!(class("删除"), WordClass::Verb);
        assert_eq!(class("仓库"), WordClass::Noun);
        assert_eq!(class("每次"), WordClass::Adverb);
        assert_eq!(class("10:30"), WordClass::Time);
        assert_eq!(class("Rust"), WordClass::Foreign);
    }
}
