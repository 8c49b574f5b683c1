//! Recognises a Chinese verb of a text for which its quote has another one: 教 for 带, 卖 for 出.
//!
//! Never compares verbs by what they mean, but for pairs that exclude each other: people say one thing with many verbs,
//! and what a text may not change are names, numbers, dates, units, negations and comparisons.

use crate::text::chinese_words::{ChineseWord, WordClass, chinese_words};
use crate::text::word_list::{PhraseList, phrase_list};
use crate::text::words::is_unspaced;

/// Characters of verbs that exclude each other.
const OPPOSITE_VERBS: PhraseList = phrase_list!("guards/grounding/opposite_verbs.zh.txt");

/// Whether a run without a counterpart is a verb for which its quote has another one: 教 for 带, 卖 for 出. Not a verb
/// that is added beside those of the quote.
pub(super) fn is_verb_for_another(run: &str, text: &str, quote: &str) -> bool {
    let Some(at) = text.find(run) else { return false };
    let words = chinese_words(text);
    let covered = words.iter().filter(|word| word.at < at + run.len() && at < word.at + word.text.len());
    let is_verb = |word: &ChineseWord<'_>| word.class.is_verbal();
    let replaces = |word: &ChineseWord<'_>| {
        let is_other = |c: char| is_unspaced(c) && !text.contains(c) && !"了着过的得".contains(c);
        (word.class.is_verbal() || word.class == WordClass::Unknown) && word.text.chars().any(is_other)
    };
    // 教 says the opposite of 学, and what has ended is not so: 吃糖, 戒了糖.
    let is_opposed = OPPOSITE_VERBS.iter().filter_map(|line| line.split_once(' ')).any(|(a, b)| {
        let stands = |one: &str, other: &str| run.contains(one) && quote.contains(other) && !quote.contains(one);
        stands(a, b) || stands(b, a)
    });
    let is_free = !is_opposed && !super::polarity::tells_an_end(quote);
    let mut said = chinese_words(quote).into_iter();
    is_free && covered.clone().next().is_some() && covered.into_iter().all(is_verb) && said.any(|word| replaces(&word))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_verb_may_stand_for_another_but_not_for_its_opposite() {
        for (run, text, quote, is_free) in [
            ("教", "用户教高一的地理", "我带高一的地理", true),
            ("卖", "用户卖镜头", "我主要出镜头", true),
            ("卖掉", "用户卖掉了货车", "我买了货车", false),
            ("教", "用户教画画", "我学画画", false),
            ("主持", "用户负责抽奖和主持", "我负责抽奖", false),
            ("京东", "用户在京东买音响", "我下单了音响", false),
        ] {
            assert_eq!(is_verb_for_another(run, text, quote), is_free, "{text} / {quote}");
        }
    }
}
