//! Finds Chinese instructions whose topic stands before the verb, or that say in which manner or order something is
//! done: 报价单里别写折扣, 图片压缩后再上传.
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

/// A form of such orders: a word that marks it, and what stands before and behind that word.
struct OrderForm {
    mark: OrderMark,
    before: WordsBefore,
    behind: WordsBehind,
}

/// The word that marks a form: the first one of its kind in a sentence.
#[derive(Clone, Copy)]
enum OrderMark {
    Word(&'static str),
    /// With a role in [`TOPIC_WORDS`].
    Role(&'static str),
    Listed(WordList),
    /// In a list, as one of the first words but the very first.
    NearListed(WordList),
}

/// What stands before the mark, beside that nothing names who acts.
#[derive(Clone, Copy)]
enum WordsBefore {
    Anything,
    /// A word of the topics.
    Topic,
    /// The same, right before it.
    TopicLast,
    /// An earlier step, of something that an agent handles.
    EarlierStep,
    /// Nothing that an agent neither writes nor handles.
    NoOtherThing,
    /// No place of something that an agent neither writes nor handles: what is done there is how it works.
    NoPlace,
    /// A word for each of some things, first.
    Each,
    /// A noun with an attribute: 没把握的知识点.
    Kind,
}

/// What stands behind the mark.
#[derive(Clone, Copy)]
enum WordsBehind {
    /// Any word.
    Something,
    /// A verb.
    Verb,
    /// What is done.
    Act,
    /// What is done, or with what.
    ActOrPreposition,
    /// What is not to be done, or with what.
    Forbidden,
    /// What is done, and a later step without a word for who does it.
    ActAndLaterStep,
    /// Something to do, further behind.
    ActFurther,
    /// At the end, that something is the measure: 为准.
    Measure,
    /// No state: 统一是.
    NoState,
    /// Something but how and where it is done: 代码合并用 squash, 日志写到文件.
    Written,
}

/// All forms; the first that fits names the word.
const ORDER_FORMS: [OrderForm; 12] = [
    // 千万小心, 不得外传
    form(OrderMark::Role("warning"), WordsBefore::Anything, WordsBehind::Something),
    // 报价单里别写折扣
    form(OrderMark::Listed(PROHIBITIONS), WordsBefore::Anything, WordsBehind::Forbidden),
    // 图片压缩后再上传
    form(OrderMark::Word("再"), WordsBefore::EarlierStep, WordsBehind::Act),
    // 先备份，然后升级
    form(OrderMark::Word("先"), WordsBefore::NoOtherThing, WordsBehind::ActAndLaterStep),
    // 附件单独发, but not 容器里统一用 UTC
    form(OrderMark::Listed(MANNERS), WordsBefore::NoPlace, WordsBehind::Act),
    // 每个接口都写示例
    form(OrderMark::Role("all"), WordsBefore::Each, WordsBehind::Act),
    // 遇到报错截图
    form(OrderMark::Role("meeting"), WordsBefore::Anything, WordsBehind::ActFurther),
    // 摘要尽量短
    form(OrderMark::Role("advice"), WordsBefore::Topic, WordsBehind::NoState),
    // 译名以词典为准
    form(OrderMark::Word("以"), WordsBefore::Topic, WordsBehind::Measure),
    // 没把握的知识点就说不知道
    form(OrderMark::Role("then"), WordsBefore::Kind, WordsBehind::Verb),
    // 表格要按日期排序
    form(OrderMark::Role("duty"), WordsBefore::TopicLast, WordsBehind::ActOrPreposition),
    // 日期写成 2026-02-24
    form(OrderMark::NearListed(WRITING), WordsBefore::Topic, WordsBehind::Written),
];

const fn form(mark: OrderMark, before: WordsBefore, behind: WordsBehind) -> OrderForm {
    OrderForm { mark, before, behind }
}

/// The word that makes an order of a sentence.
pub(super) fn topic_order<'t>(words: &[ChineseWord<'t>]) -> Option<&'t str> {
    // What stands in a second clause has its subject in the first one, unless that is a condition.
    let words = match words.iter().position(|word| word.class == WordClass::Mark) {
        Some(mark) if condition_end(words).is_none() => &words[..mark],
        _ => words,
    };
    let sentence = TopicSentence { words };
    ORDER_FORMS.iter().find_map(|form| sentence.marked_by(form)).map(|i| words[i].text)
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

/// The words of a sentence that may be such an order.
struct TopicSentence<'w, 't> {
    words: &'w [ChineseWord<'t>],
}

/// So many words stand at most before the end of a [`OrderMark::NearListed`].
const MAX_NEAR: usize = 7;

impl TopicSentence<'_, '_> {
    /// The word that marks a form, if the sentence has that form.
    fn marked_by(&self, form: &OrderForm) -> Option<usize> {
        let is_mark = |word: &ChineseWord<'_>| match form.mark {
            OrderMark::Word(text) => word.text == text,
            OrderMark::Role(role) => has_role(word, role),
            OrderMark::Listed(list) | OrderMark::NearListed(list) => list.contains(word.text),
        };
        let range = match form.mark {
            OrderMark::NearListed(_) => 1..self.words.len().min(MAX_NEAR),
            _ => 0..self.words.len(),
        };
        let at = range.into_iter().find(|i| is_mark(&self.words[*i]))?;
        (self.is_free(at) && self.fits_before(form.before, at) && self.fits_behind(form.behind, at)).then_some(at)
    }

    fn fits_before(&self, form: WordsBefore, at: usize) -> bool {
        let before = &self.words[..at];
        match form {
            WordsBefore::Anything => true,
            WordsBefore::Topic => before.iter().any(names_topic),
            WordsBefore::TopicLast => before.last().is_some_and(names_topic),
            WordsBefore::EarlierStep => before.iter().any(|word| has_role(word, "earlier")) && !self.is_of_other(at),
            WordsBefore::NoOtherThing => !self.is_of_other(at),
            WordsBefore::NoPlace => {
                !(self.is_of_other(at)
                    && before.last().is_some_and(|word| {
                        word.class == WordClass::Place || matches!(word.text, "里" | "上" | "中" | "内")
                    }))
            }
            WordsBefore::Each => self.words.first().is_some_and(|word| has_role(word, "each")),
            WordsBefore::Kind => {
                before.iter().any(|word| word.text == "的") && before.last().is_some_and(|w| w.class == WordClass::Noun)
            }
        }
    }

    fn fits_behind(&self, form: WordsBehind, at: usize) -> bool {
        let next = self.words.get(at + 1);
        let is_verb = |word: &ChineseWord<'_>| word.class.is_verbal();
        match form {
            WordsBehind::Something => next.is_some(),
            WordsBehind::Verb => next.is_some_and(is_verb),
            WordsBehind::Act => self.acts(at + 1),
            WordsBehind::ActOrPreposition => {
                self.acts(at + 1) || next.is_some_and(|word| word.class == WordClass::Preposition)
            }
            WordsBehind::Forbidden => {
                next.is_some_and(|word| is_verb(word) || has_role(word, "object") || word.text == "再")
            }
            WordsBehind::ActAndLaterStep => {
                let later = self.words.iter().position(|word| has_role(word, "later"));
                let is_step = |later: usize| at < later && self.is_free(later) && self.acts(later + 1);
                self.acts(at + 1) && later.is_some_and(is_step)
            }
            WordsBehind::ActFurther => at == 0 && (2..self.words.len()).any(|i| self.is_free(i) && self.acts(i)),
            WordsBehind::Measure => self.ends_in_measure(),
            WordsBehind::NoState => next.is_none_or(|word| word.text != "是"),
            WordsBehind::Written => {
                next.is_some_and(|word| !matches!(word.text, "在" | "到" | "用" | "由" | "走" | "按"))
            }
        }
    }

    /// Whether the last words say what is the measure of something: 为准.
    fn ends_in_measure(&self) -> bool {
        let [.., before, last] = self.words else { return false };
        has_role(last, "measure") || matches!(last.text, "准" | "主" | "限") && before.text == "为"
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
}
