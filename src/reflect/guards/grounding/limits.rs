//! Finds what a text says of all where its source leaves something out.
//!
//! Never looks for an exception whose words an unrelated sentence has: only the quoted ones are read.

use crate::text::phrase::has_unspaced_script;
use crate::text::word_list::{PhraseList, phrase_list};

use super::english::spaced_words;

/// Words with which a text counts in what its source leaves out, and those with which a source does.
const INCLUDING: PhraseList = phrase_list!("guards/grounding/including.en.txt");
const HAN_INCLUDING: PhraseList = phrase_list!("guards/grounding/including.zh.txt");
const EXCEPTING: PhraseList = phrase_list!("guards/grounding/excepting.en.txt");
const HAN_EXCEPTING: PhraseList = phrase_list!("guards/grounding/excepting.zh.txt");
/// Words of a clause that say that what opens it is left out: 就多肉要等到周日.
const HAN_EXCEPTED_ENDS: PhraseList = phrase_list!("guards/grounding/excepted_ends.zh.txt");
const HAN_ALL: PhraseList = phrase_list!("guards/grounding/all.zh.txt");
const HAN_NOT_ALL: PhraseList = phrase_list!("guards/grounding/not_all.zh.txt");
/// Words for all of some things, those with which a text keeps an exception, and those that open one behind them.
const ALL: PhraseList = phrase_list!("guards/grounding/all.en.txt");
const KEEPING: PhraseList = phrase_list!("guards/grounding/keeping_exceptions.en.txt");
const EXCEPTED: PhraseList = phrase_list!("guards/grounding/excepted.en.txt");
/// Words for what is left when something is excepted, and words for every one of some times: 周一闭馆，别的日子都开.
const HAN_REST: PhraseList = phrase_list!("guards/grounding/rest.zh.txt");
const HAN_EVERY: PhraseList = phrase_list!("guards/grounding/every.zh.txt");
/// Words behind 除了 with which it adds something: 除了猫还养狗.
const HAN_ADDING: PhraseList = phrase_list!("guards/grounding/adding.zh.txt");

/// The word with which a text counts in what its source leaves out, or the exception that it drops.
pub(super) fn lost_exception(text: &str, said: &str) -> Option<String> {
    if !has_unspaced_script(text) {
        let (own, source) = (spaced_words(text), spaced_words(said));
        let has = |text: &str, word: &str| text.contains(&format!(" {word} "));
        let excepts = EXCEPTING.iter().any(|word| has(&source, word));
        let is_all = ALL.iter().find(|word| has(&own, word)).filter(|_| !KEEPING.iter().any(|word| has(&own, word)));
        // "Every bus may be climbed into, not the tram though": an exception behind what holds of all.
        let after_all = ALL.iter().filter_map(|word| source.split_once(&format!(" {word} "))).map(|(_, rest)| rest);
        let excepts_behind =
            after_all.into_iter().any(|rest| EXCEPTED.iter().any(|word| rest.contains(&format!(" {word} "))));
        if let Some(word) = is_all.filter(|_| excepts_behind) {
            return Some(word.to_owned());
        }
        let includes = INCLUDING.iter().find(|word| has(&own, word) && !INCLUDING.iter().any(|w| has(&source, w)));
        return includes.filter(|_| excepts).map(str::to_owned);
    }
    if let Some(rest) = HAN_REST.iter().find(|word| said.contains(*word) && !said.contains('除'))
        && HAN_ALL.iter().chain(HAN_EVERY).any(|word| text.contains(word))
        && !HAN_NOT_ALL.iter().any(|word| text.contains(word))
    {
        return Some(rest.to_owned());
    }
    let excepted = super::clauses(said).find_map(|clause| {
        let mark = HAN_EXCEPTING.iter().find(|mark| clause.starts_with(*mark) && clause.len() > mark.len())?;
        let is_plain = mark.starts_with('除') || HAN_EXCEPTED_ENDS.iter().any(|end| clause.contains(end));
        is_plain.then_some(mark)
    });
    let mark = excepted.or_else(|| HAN_EXCEPTING.iter().find(|mark| mark.starts_with('除') && said.contains(*mark)))?;
    if let Some(word) = HAN_INCLUDING.iter().find(|word| text.contains(*word) && !said.contains(*word)) {
        return Some(word.to_owned());
    }
    let adds = mark.starts_with('除')
        && said.split_once(mark).is_some_and(|(_, rest)| HAN_ADDING.iter().any(|word| rest.contains(word)));
    let says_all =
        HAN_ALL.iter().any(|word| text.contains(word)) && !HAN_NOT_ALL.iter().any(|word| text.contains(word));
    (says_all && !adds).then(|| mark.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_exception_is_not_dropped() {
        for (text, said, expected) in [
            (
                "User feeds all cats daily, including Momo.",
                "I feed all cats daily, only Momo eats at night",
                Some("including"),
            ),
            ("User feeds all cats daily except Momo.", "I feed all cats daily, only Momo eats at night", None),
            ("The tour covers all halls, including the attic.", "the tour covers all halls, including the attic", None),
            ("所有房间都装了空调。", "除了阁楼，其他房间都装了空调", Some("除了")),
            ("除阁楼外所有房间都装了空调。", "除了阁楼，其他房间都装了空调", None),
            ("用户天天遛所有的狗，包括小黑。", "狗我天天遛，就小黑要等周末", Some("包括")),
            ("用户会弹所有的曲子。", "除了钢琴我还会吉他，所有曲子都会弹", None),
        ] {
            assert_eq!(lost_exception(text, said).as_deref(), expected, "{text} / {said}");
        }
    }

    #[test]
    fn what_holds_of_all_but_one_is_not_said_of_all() {
        for (text, said, expected) in [
            ("Every boat may be rented.", "every boat may be rented, not the red canoe though", Some("every")),
            ("Every boat but the red canoe may be rented.", "every boat may be rented, not the red canoe though", None),
            ("Every boat may be rented.", "every boat may be rented in summer", None),
            ("泳池每天都开。", "泳池周二换水，其他日子都开", Some("其他")),
            ("泳池除周二外都开。", "泳池周二换水，其他日子都开", None),
        ] {
            assert_eq!(lost_exception(text, said).as_deref(), expected, "{text} / {said}");
        }
    }
}
