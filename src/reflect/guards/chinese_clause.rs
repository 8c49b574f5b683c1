//! Reads Chinese sentences for the guards: whether something happened in one, how often it happens, and whether it
//! begins with a verb of doing.
//!
//! Never parses grammar: words with their classes, and what stands beside them. Chinese verbs have no tense, so what
//! shows an event is a particle (了, 过), a result (修好, 搬到), a word for a past time, or a verb that is over at once
//! (决定); a plan before it in the same clause makes none of it.

use crate::text::chinese_words::{ChineseWord, WordClass, chinese_words};
use crate::text::word_list::{PhraseList, WordList, phrase_list, word_list};
use crate::text::words::is_unspaced;

/// Words before a verb that has not happened: 打算, 即将.
const PLANS: PhraseList = phrase_list!("guards/chinese_clause/plans.zh.txt");
/// Times that may lie ahead, of which only a particle or a result makes the past: 周五, 月底.
const OPEN_TIMES: PhraseList = phrase_list!("guards/chinese_clause/open_times.zh.txt");
/// Words for a time that is over: 昨天, 随后, 已.
const PAST_TIMES: PhraseList = phrase_list!("guards/chinese_clause/past_times.zh.txt");
/// Words for what is so in general: 每天, 通常.
const HABITS: PhraseList = phrase_list!("guards/chinese_clause/habits.zh.txt");
/// Verbs that name what is over at once, also without a particle: 决定, 发现.
const MOMENTS: WordList = word_list!("guards/chinese_clause/moments.zh.txt");
/// The same, for what happens without a plan.
const UNPLANNED: WordList = word_list!("guards/chinese_clause/unplanned.zh.txt");
/// Verbs of states and habits.
pub(super) const STATES: WordList = word_list!("guards/chinese_clause/states.zh.txt");
/// Ends of verbs and words behind them that name a result.
const RESULTS: &str = "完好到成出掉开起回住中错清满定给走断坏死醒赢输破光见进入上下遍妥齐懂";
/// Words that end with such a character and name no result.
const NOT_RESULTS: WordList = word_list!("guards/chinese_clause/not_results.zh.txt");
/// Words that end a phrase of place or time.
const PLACE_ENDS: [&str; 12] = ["前", "后", "时", "中", "上", "里", "下", "内", "期间", "之前", "之后", "途中"];

/// What a sentence says about time.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct EventReading {
    /// Whether the clause says that something happened (了, 过).
    pub(super) has_event: bool,
    /// Something is to happen, or is going on.
    pub(super) has_plan: bool,
}

/// Whether a sentence is in Chinese, and not one in another language with a Chinese name.
pub(super) fn is_chinese(sentence: &str) -> bool {
    let han = sentence.chars().filter(|c| is_unspaced(*c)).count();
    let latin = sentence.chars().filter(char::is_ascii_alphabetic).count();
    han >= 3 && han * 2 >= latin
}

/// Whether a text says how often, or that it is so in general.
pub(super) fn is_habitual(text: &str) -> bool {
    HABITS.iter().any(|word| text.contains(word))
}

/// Reads the events and plans of a sentence.
pub(super) fn read_events(sentence: &str) -> EventReading {
    let words = chinese_words(sentence);
    let mut reading = EventReading::default();
    let (mut is_planned, mut is_open, mut is_habit) = (false, false, false);
    for (i, word) in words.iter().enumerate() {
        let starts = |list: PhraseList| {
            // A longer word that begins like an entry is another word: 会议.
            let is_whole = |entry: &&str| entry.len() >= word.text.len() && sentence[word.at..].starts_with(*entry);
            list.iter().any(|entry| is_whole(&entry))
        };
        if word.class == WordClass::Mark && word.text != "、" {
            (is_planned, is_open, is_habit) = (false, false, false);
            continue;
        }
        if is_plan(&words, i) && (starts(PLANS) || word.text == "将") {
            (is_planned, reading.has_plan) = (true, true);
        }
        if starts(OPEN_TIMES) {
            is_open = true;
        }
        is_habit |= starts(HABITS);
        let is_event = is_particle(&words, i)
            || starts(PAST_TIMES)
            || is_date(&words, i)
            || !is_open && is_result(&words, i)
            || UNPLANNED.contains(word.text)
            || !is_open && is_moment(&words, i);
        reading.has_event |= is_event && !is_planned && !is_habit;
    }
    let opens_ahead = OPEN_TIMES.iter().any(|entry| sentence.contains(entry));
    reading.has_plan |= !reading.has_event && opens_ahead;
    reading
}

/// Whether a word of a plan is one here: 计划 is a noun before 的 and 书, 将 takes an object as 把 does.
fn is_plan(words: &[ChineseWord<'_>], i: usize) -> bool {
    let next = words.get(i + 1);
    let previous = i.checked_sub(1).map(|at| words[at]);
    match words[i].text {
        "将" => {
            let is_object =
                next.is_some_and(|w| matches!(w.class, WordClass::Noun | WordClass::Foreign | WordClass::Pronoun));
            // 将超时设为30秒: the verb behind the object has a result.
            let is_done = |w: &ChineseWord<'_>| w.text == "了" || w.text.ends_with(['为', '成', '到', '进', '入']);
            !is_object && !clause_rest(words, i).any(is_done)
        }
        "得" => {
            let is_modal = previous.is_none_or(|w| w.class.is_nominal() && !w.class.is_verbal());
            is_modal && next.is_some_and(|w| w.class.is_verbal() || w.class == WordClass::Preposition)
        }
        "计划" | "准备" | "需要" | "安排" | "考虑" => {
            let is_noun = previous.is_some_and(|w| w.text == "的" || w.text == "该");
            let goes_on = next.is_some_and(|w| !matches!(w.text, "的" | "了" | "过" | "好" | "完" | "被" | "，"));
            !is_noun && goes_on
        }
        // 在评审中, 在截止日期前: a place or a time.
        "在" => {
            let is_place = |w: &ChineseWord<'_>| PLACE_ENDS.contains(&w.text);
            next.is_some_and(|w| w.class.is_verbal()) && !clause_rest(words, i).any(is_place)
        }
        _ => true,
    }
}

/// The words behind an index up to the end of its clause.
fn clause_rest<'a, 'w>(words: &'a [ChineseWord<'w>], i: usize) -> impl Iterator<Item = &'a ChineseWord<'w>> {
    words[i + 1..].iter().take_while(|w| w.class != WordClass::Mark)
}

/// Whether a word is 了 or 过 behind a verb that tells of an event.
fn is_particle(words: &[ChineseWord<'_>], i: usize) -> bool {
    let is_state = |w: &ChineseWord<'_>| matches!(w.text, "养" | "有" | "习惯" | "熟悉" | "为" | "除" | "罢");
    let previous = i.checked_sub(1).map(|at| &words[at]);
    match words[i].text {
        "了" => previous.is_some_and(|w| !is_state(w)),
        "过" => previous.is_some_and(|w| w.class.is_verbal() || w.class == WordClass::Unknown),
        _ => false,
    }
}

/// Whether a word is a verb with its result, or the result behind a verb.
fn is_result(words: &[ChineseWord<'_>], i: usize) -> bool {
    let word = &words[i];
    let ends = |text: &str| text.chars().next_back().is_some_and(|c| RESULTS.contains(c));
    if !ends(word.text) || NOT_RESULTS.contains(word.text) {
        return false;
    }
    if word.text.chars().count() > 1 {
        return word.class.is_verbal();
    }
    let previous = i.checked_sub(1).map(|at| &words[at]);
    previous.is_some_and(|w| w.class.is_verbal())
}

/// Whether a word ends a date with its month, which no limit follows: 2026年1月6日, but not 1月6日前.
fn is_date(words: &[ChineseWord<'_>], i: usize) -> bool {
    let month = i.checked_sub(1).is_some_and(|at| words[at].class == WordClass::Time && words[at].text.ends_with('月'));
    let limit =
        words.get(i + 1).is_some_and(|w| matches!(w.text, "前" | "之前" | "以前" | "起" | "截止" | "开始" | "到期"));
    words[i].class == WordClass::Time && words[i].text.ends_with(['日', '号']) && month && !limit
}

/// Whether a word is a verb that is over at once, or a form that needs no particle: 被, 把.
fn is_moment(words: &[ChineseWord<'_>], i: usize) -> bool {
    let next = words.get(i + 1);
    let is_attribute = next.is_some_and(|w| matches!(w.text, "的" | "着"));
    match words[i].text {
        "把" | "将" => next.is_some_and(|w| w.class.is_nominal()),
        "被" | "遭" => next.is_some_and(|w| !STATES.contains(w.text)),
        "没有" | "没" | "未" => next.is_some_and(|w| w.class.is_verbal() || w.class == WordClass::Unknown),
        "通过" => next.is_none_or(|w| w.class == WordClass::Mark),
        "说" => next.is_some_and(|w| matches!(w.class, WordClass::Mark | WordClass::Pronoun) || w.class.is_verbal()),
        text => MOMENTS.contains(text) && !is_attribute && next.is_none_or(|w| !matches!(w.text, "在" | "于" | "自")),
    }
}
