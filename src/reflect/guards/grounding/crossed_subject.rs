//! Finds what a Chinese text says of one thing and its source of the one beside it: 老邓看店，小鹿送货 does not say that 小鹿看店;
//! 大宝上三年级 before 二宝在学轮滑 does not say it of 大宝.
//!
//! Never looks for a subject that opens no clause, and never at a predicate in other words than those of the source.

use crate::text::chinese_words::{WordClass, chinese_words};
use crate::text::phrase::has_unspaced_script;
use crate::text::word_list::{PhraseList, phrase_list};
use crate::text::words::is_unspaced;

/// Words that may stand before the subject of a clause: 我们, 我家, 那.
const LEADS: PhraseList = phrase_list!("guards/grounding/subject_leads.zh.txt");
/// Words between a subject and its predicate that say little: 负责, 在.
const LINKS: PhraseList = phrase_list!("guards/grounding/subject_links.zh.txt");
/// Words with which a clause asks.
const QUESTION_WORDS: PhraseList = phrase_list!("guards/grounding/asking_words.zh.txt");
/// A subject has so many characters.
const SUBJECT_CHARS: std::ops::RangeInclusive<usize> = 2..=6;
/// The words of a predicate that are compared have at least so many characters.
const MIN_PREDICATE: usize = 2;

/// The subject of a text, if its source says what the text says of it only of another subject, beside a clause about it.
pub(super) fn crossed_subject<'a>(text: &str, said: &str, turns: impl Iterator<Item = &'a &'a str>) -> Option<String> {
    if !has_unspaced_script(text) || text.contains(['；', '不', '没']) {
        return None;
    }
    let all: Vec<String> = turns.flat_map(|turn| clauses(turn)).collect();
    let here: Vec<String> = clauses(said);
    let mut parts = text.trim_end_matches('。').split('，');
    let first = parts.next()?;
    let (subject, rest) = subject_of(first, &all)?;
    // A later part without a noun goes on with the subject of the first.
    let goes_on = parts.filter(|part| opening_noun(part).is_none());
    std::iter::once(rest)
        .chain(goes_on)
        .any(|rest| {
            predicate_of(rest, &all).is_some_and(|predicate| is_of_another(text, subject, predicate, &here, &all))
        })
        .then(|| subject.to_owned())
}

/// Whether each clause `here` with a predicate is about another than a subject that opens a clause of its own.
fn is_of_another(text: &str, subject: &str, predicate: &str, here: &[String], all: &[String]) -> bool {
    let with: Vec<usize> = (0..here.len()).filter(|&i| here[i].contains(predicate)).collect();
    let refers = |clause: &str| clause.contains(subject) || clause.starts_with(['他', '她', '它', '这', '那']);
    let is_other = |i: usize| {
        let before = here[i].split_once(predicate).map_or("", |(before, _)| before);
        let named: Vec<&str> = nouns(before).into_iter().filter(|noun| !text.contains(noun)).collect();
        if refers(&here[i]) || !named.is_empty() {
            return !refers(&here[i]);
        }
        let opening = (0..i).rev().find_map(|i| Some((i, opening_noun(&here[i])?)));
        opening.is_some_and(|(start, noun)| {
            !text.contains(noun) && nouns(before).is_empty() && !here[start..=i].iter().any(|clause| refers(clause))
        })
    };
    !with.is_empty()
        && with.into_iter().all(is_other)
        && all.iter().any(|clause| clause.starts_with(subject) && !clause.contains(predicate) && !asks(clause))
}

/// Whether a clause asks something, so that what follows it is of its subject.
fn asks(clause: &str) -> bool {
    QUESTION_WORDS.iter().any(|word| clause.contains(word))
}

/// The subject of a text that opens a clause of its sources, and what follows it.
fn subject_of<'a>(text: &'a str, clauses: &[String]) -> Option<(&'a str, &'a str)> {
    // 库房由老魏管: who acts stands behind 由.
    let text = text.split_once('由').map_or(text, |(_, rest)| rest);
    let text = LEADS.iter().find_map(|lead| text.strip_prefix(lead)).unwrap_or(text);
    let ends: Vec<usize> = text.char_indices().map(|(at, _)| at).chain([text.len()]).collect();
    let length = SUBJECT_CHARS
        .rev()
        .filter(|length| *length < ends.len())
        .find(|length| clauses.iter().any(|clause| clause.starts_with(&text[..ends[*length]])))?;
    let (subject, rest) = text.split_at(ends[length]);
    Some((subject, rest))
}

/// The last words of a part of a text that its sources have, too, if they are most of it.
fn predicate_of<'a>(rest: &'a str, clauses: &[String]) -> Option<&'a str> {
    let rest = LINKS.iter().find_map(|link| rest.strip_prefix(link)).unwrap_or(rest);
    let is_said = |predicate: &&str| clauses.iter().any(|clause| clause.contains(*predicate));
    let starts = rest.char_indices().map(|(at, _)| &rest[at..]);
    let predicate = starts.filter(|part| part.chars().count() >= MIN_PREDICATE).find(is_said)?;
    (predicate.chars().count() * 2 >= rest.chars().count()).then_some(predicate)
}

/// The noun or short name that a clause begins with.
fn opening_noun(clause: &str) -> Option<&str> {
    let noun = nouns(clause).into_iter().next()?;
    (clause.starts_with(noun) && noun.len() < clause.len()).then_some(noun)
}

/// The nouns of a text, those beside each other as one, and short names such as 老邓.
fn nouns(text: &str) -> Vec<&str> {
    let (mut found, mut from, mut end) = (Vec::new(), None, 0);
    let mut add = |from: Option<usize>, end: usize| {
        let noun = from.map_or("", |from| &text[from..end]);
        found.extend(Some(noun).filter(|noun| noun.chars().count() >= *SUBJECT_CHARS.start()));
    };
    for word in chinese_words(text) {
        let is_name = word.at >= end && word.text.chars().count() <= 2 && word.text.starts_with(NAME_LEADS);
        if is_name && let Some((at, c)) = text[word.at..].char_indices().nth(1).filter(|(_, c)| is_unspaced(*c)) {
            add(from, end);
            end = word.at + at + c.len_utf8();
            add(Some(word.at), end);
            from = None;
        } else if word.at < end {
            continue;
        } else if matches!(word.class, WordClass::Noun | WordClass::Unknown | WordClass::VerbNoun)
            // 正式库
            || word.class == WordClass::Adjective && word.text.chars().count() > 1
        {
            from = from.or(Some(word.at));
            end = word.at + word.text.len();
        } else {
            add(from, end);
            (from, end) = (None, word.at);
        }
    }
    add(from, end);
    found
}

/// First characters of short names.
const NAME_LEADS: [char; 3] = ['老', '小', '阿'];

/// The clauses of a turn, without what may stand before their subjects.
fn clauses(turn: &str) -> Vec<String> {
    let parts = super::clauses(turn).filter(|clause| clause.chars().any(is_unspaced));
    parts.map(|clause| LEADS.iter().find_map(|lead| clause.strip_prefix(lead)).unwrap_or(clause).to_owned()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_one_does_is_not_said_of_the_one_beside_it() {
        let check = |text: &str, turns: &[&str], is_crossed: bool| {
            let said = turns[turns.len() - 1];
            assert_eq!(crossed_subject(text, said, turns.iter()).is_some(), is_crossed, "{text} / {turns:?}");
        };
        check("小顾负责修车。", &["老贺修车，小顾收款，我打杂"], true);
        check("老贺负责修车。", &["老贺修车，小顾收款，我打杂"], false);
        check("门店由阿青盘点。", &["我们门店小巩盘点，阿青理货"], true);
        check("门店由小巩盘点。", &["我们门店小巩盘点，阿青理货"], false);
        check("用户的姐姐家在学击剑。", &["姐姐家搬了", "妹妹家住城西，在学击剑"], true);
        check("妹妹家在学击剑。", &["姐姐家搬了", "妹妹家住城西，在学击剑"], false);
        check("测试库在东京区。", &["测试库有两台机器", "生产库有四台机器，在东京区"], true);
        check("测试库有两台机器，在东京区。", &["测试库有两台机器", "生产库有四台机器，在东京区"], true);
        check("生产库在东京区。", &["测试库有两台机器", "生产库有四台机器，在东京区"], false);
        check("鹦鹉会唱歌。", &["鹦鹉三岁了，它会唱歌"], false);
        check("年会在双数月最后一个周五。", &["年会是哪天？", "逢双数月最后一个周五"], false);
        check("阳台夏天很热。", &["阳台朝南，夏天很热"], false);
    }
}
