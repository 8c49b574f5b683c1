//! Finds Chinese instructions whose topic stands before the verb, or that say in which manner or order something is done:
//! 报价单里别写折扣, 图片压缩后再上传.
//!
//! Never finds one in a sentence that names before its verb who acts.

use super::super::chinese_clause::STATES;
use super::chinese::{condition_end, names_actor};
use crate::text::chinese_words::{ChineseWord, WordClass};
use crate::text::word_list::{PhraseList, WordList, phrase_list, word_list};

/// What an agent writes, and parts of it.
const TOPICS: PhraseList = phrase_list!("guards/orders/topics.zh.txt");
/// Verbs for how such a thing is written.
const WRITING: WordList = word_list!("guards/orders/writing.zh.txt");
const PROHIBITIONS: WordList = word_list!("guards/orders/prohibitions.zh.txt");
/// Adverbs that say how something is to be done.
const MANNERS: WordList = word_list!("guards/orders/manners.zh.txt");
/// Other words of such orders, each with its roles.
const TOPIC_WORDS: WordList = word_list!("guards/orders/topic_words.zh.txt");

/// The word that makes an order of a sentence.
pub(super) fn topic_order<'t>(words: &[ChineseWord<'t>]) -> Option<&'t str> {
    // What stands in a second clause has its subject in the first one, unless that is a condition.
    let words = match words.iter().position(|word| word.class == WordClass::Mark) {
        Some(mark) if condition_end(words).is_none() => &words[..mark],
        _ => words,
    };
    let sentence = TopicSentence { words };
    let rules = [
        TopicSentence::warning,
        TopicSentence::prohibition,
        TopicSentence::second_step,
        TopicSentence::first_of_two_steps,
        TopicSentence::manner,
        TopicSentence::meeting,
        TopicSentence::advice,
        TopicSentence::measure,
        TopicSentence::kind_of_thing,
        TopicSentence::duty,
        TopicSentence::writing,
    ];
    rules.iter().find_map(|rule| rule(&sentence)).map(|i| words[i].text)
}

fn has_role(word: &ChineseWord<'_>, role: &str) -> bool {
    TOPIC_WORDS.value(word.text).is_some_and(|roles| roles.split(' ').any(|one| one == role))
}

fn names_topic(word: &ChineseWord<'_>) -> bool {
    is_topic(word.text)
}

/// Whether a word is for what an agent writes, or a part of it.
pub(super) fn is_topic(word: &str) -> bool {
    TOPICS.iter().any(|topic| topic == word)
}

/// The words of a sentence that may be such an order. Each rule finds the word that makes one of it.
struct TopicSentence<'w, 't> {
    words: &'w [ChineseWord<'t>],
}

impl TopicSentence<'_, '_> {
    /// 千万小心, 不得外传.
    fn warning(&self) -> Option<usize> {
        self.position("warning").filter(|i| self.is_free(*i) && *i + 1 < self.words.len())
    }

    /// 报价单里别写折扣.
    fn prohibition(&self) -> Option<usize> {
        let is_followed = |i: usize| {
            let next = self.words.get(i + 1);
            next.is_some_and(|word| word.class.is_verbal() || has_role(word, "object") || word.text == "再")
        };
        self.listed(PROHIBITIONS).filter(|i| self.is_free(*i) && is_followed(*i))
    }

    /// 图片压缩后再上传.
    fn second_step(&self) -> Option<usize> {
        let is_second = |i: usize| self.words[..i].iter().any(|word| has_role(word, "earlier"));
        let is_order = |i: &usize| self.is_free(*i) && self.acts(i + 1) && is_second(*i) && !self.is_of_other(*i);
        self.find("再").filter(is_order)
    }

    /// 先备份，然后升级.
    fn first_of_two_steps(&self) -> Option<usize> {
        let later = self.position("later").filter(|i| self.is_free(*i) && self.acts(i + 1))?;
        self.find("先").filter(|i| *i < later && self.acts(i + 1) && !self.is_of_other(*i))
    }

    /// 附件单独发, 每个接口都写示例.
    fn manner(&self) -> Option<usize> {
        let is_order = |i: &usize| self.is_free(*i) && self.acts(i + 1);
        let each = || self.words.first().filter(|word| has_role(word, "each")).and_then(|_| self.position("all"));
        self.listed(MANNERS).filter(is_order).or_else(|| each().filter(is_order))
    }

    /// 遇到报错截图.
    fn meeting(&self) -> Option<usize> {
        self.words.first().filter(|word| has_role(word, "meeting"))?;
        (2..self.words.len()).any(|i| self.is_free(i) && self.acts(i)).then_some(0)
    }

    /// 摘要尽量短.
    fn advice(&self) -> Option<usize> {
        // 时间字段统一是毫秒: a state.
        let is_state = |i: usize| self.words.get(i + 1).is_some_and(|word| word.text == "是");
        self.position("advice").filter(|i| self.has_topic_before(*i) && !is_state(*i))
    }

    /// 译名以词典为准.
    fn measure(&self) -> Option<usize> {
        let last = self.words.last()?.text;
        let is_measured = has_role(self.words.last()?, "measure")
            || matches!(last, "准" | "主" | "限")
                && self.words.iter().nth_back(1).is_some_and(|word| word.text == "为");
        self.find("以").filter(|i| is_measured && self.has_topic_before(*i))
    }

    /// 没把握的知识点就说不知道: what to do with a kind of thing.
    fn kind_of_thing(&self) -> Option<usize> {
        let is_kind = |before: &[ChineseWord<'_>]| {
            before.iter().any(|word| word.text == "的") && before.last().is_some_and(|w| w.class == WordClass::Noun)
        };
        let is_verb = |i: usize| self.words.get(i).is_some_and(|word| word.class.is_verbal());
        self.position("then").filter(|i| is_kind(&self.words[..*i]) && self.is_free(*i) && is_verb(i + 1))
    }

    /// 表格要按日期排序.
    fn duty(&self) -> Option<usize> {
        let is_topic = |i: usize| self.words[..i].last().is_some_and(names_topic);
        let is_act = |i: usize| self.acts(i) || self.words.get(i).is_some_and(|w| w.class == WordClass::Preposition);
        self.position("duty").filter(|i| is_topic(*i) && self.is_free(*i) && is_act(i + 1))
    }

    /// 日期写成 2026-02-24.
    fn writing(&self) -> Option<usize> {
        let near = (1..self.words.len().min(7)).find(|i| WRITING.contains(self.words[*i].text))?;
        // 代码合并用 squash, 日志写到文件: how and where a thing is done.
        let is_stated = |word: &ChineseWord<'_>| matches!(word.text, "在" | "到" | "用" | "由" | "走" | "按");
        let has_object = self.words.get(near + 1).is_some_and(|word| !is_stated(word));
        (self.has_topic_before(near) && has_object).then_some(near)
    }

    fn find(&self, text: &str) -> Option<usize> {
        self.words.iter().position(|word| word.text == text)
    }

    fn position(&self, role: &str) -> Option<usize> {
        self.words.iter().position(|word| has_role(word, role))
    }

    fn listed(&self, list: WordList) -> Option<usize> {
        self.words.iter().position(|word| list.contains(word.text))
    }

    /// Whether a word says what is done.
    fn acts(&self, i: usize) -> bool {
        let is_action = |w: &ChineseWord<'_>| w.class.is_verbal() && !STATES.contains(w.text) || has_role(w, "object");
        self.words.get(i).is_some_and(is_action)
    }

    /// Whether nothing before a word names who acts, or makes a statement.
    fn is_free(&self, i: usize) -> bool {
        !self.words[..i].iter().any(|word| names_actor(word) || has_role(word, "state"))
    }

    /// Whether a sentence begins with something that an agent neither writes nor handles: 样本先离心再分装 tells what is
    /// done with samples.
    fn is_of_other(&self, i: usize) -> bool {
        let begins = self.words.first().is_some_and(|word| {
            word.class == WordClass::Noun || word.class == WordClass::Unknown || word.class == WordClass::Foreign
        });
        i > 0 && begins && !self.words[..i].iter().any(names_topic) && condition_end(self.words).is_none()
    }

    fn has_topic_before(&self, i: usize) -> bool {
        self.words[..i].iter().any(names_topic) && self.is_free(i)
    }
}
