//! Finds of whom or under which condition a Chinese statement holds, where a text says it of all, without the condition,
//! or of the user.
//!
//! Never looks for a word of content that only one side has: `chinese_words` does.

use super::chinese_words::{PERSONS, most_alike};
use crate::text::prose_mask::mask_phrases;
use crate::text::word_list::{PhraseList, phrase_list};
use crate::text::words::is_unspaced;

/// Words that make a clause a condition, and those with which a text keeps one.
const CONDITIONS: PhraseList = phrase_list!("guards/grounding/conditions.zh.txt");
const NOT_CONDITIONS: PhraseList = phrase_list!("guards/grounding/not_conditions.zh.txt");
const KEPT_CONDITIONS: PhraseList = phrase_list!("guards/grounding/kept_conditions.zh.txt");
/// Verbs behind which 得 says how something is done, and first characters of words that end in it.
const BEFORE_COMPLEMENT: PhraseList = phrase_list!("guards/grounding/before_complement.zh.txt");
/// Words with which a clause says something of some only, and a text of all.
const ONLY_SOME: PhraseList = phrase_list!("guards/grounding/only_some.zh.txt");
const ALL: PhraseList = phrase_list!("guards/grounding/only_made_all.zh.txt");

/// 只 of a clause that says of some what a text says of all: 只对会员开, 对所有用户开放.
pub(super) fn only_made_all(text: &str, clause: &str) -> Option<String> {
    let only = ONLY_SOME.iter().find(|word| clause.contains(*word))?;
    let is_all = ALL.iter().any(|word| text.contains(word));
    (is_all && !text.contains(['只', '仅'])).then(|| only.to_owned())
}

/// 要是 of a sentence, where a text states without a condition what its clause says under one: 要是下雨，我们就改室内.
pub(super) fn lost_condition(text: &str, sentence: &str, clause: &str) -> Option<String> {
    let supposing = |clause: &str| {
        let clear = mask_phrases(clause, NOT_CONDITIONS);
        CONDITIONS.iter().find(|word| clear.contains(*word)).map(str::to_owned)
    };
    let clauses: Vec<&str> = sentence.split(['，', ',']).collect();
    let at = clauses.iter().position(|one| *one == clause)?;
    // A condition holds for what follows it, up to another subject.
    let before = at.checked_sub(1).and_then(|at| supposing(clauses[at]));
    let found = supposing(clause).or(before).or_else(|| supposing(clauses[0]).filter(|_| clause.contains('就')))?;
    // 改动表结构的 PR names what is supposed.
    let supposed = clauses.iter().find(|clause| clause.contains(&found))?.replace(&found, "");
    let mut content = supposed.chars().filter(|c| is_unspaced(*c) && !"我就了的得".contains(*c)).peekable();
    if content.peek().is_some() && text.contains('的') && content.all(|c| text.contains(c)) {
        return None;
    }
    (!KEPT_CONDITIONS.iter().any(|word| text.contains(word))).then_some(found)
}

/// Whether a text says that something must be: 得 that is no part of another word and stands behind no verb.
pub(super) fn must(text: &str) -> bool {
    text.match_indices('得').any(|(at, _)| !BEFORE_COMPLEMENT.iter().any(|verb| text[..at].ends_with(verb)))
}

/// 就 of two clauses that say what follows if something is so, and if it is not, if a text leaves out the condition:
/// 老板点头我就排，不点头就下期.
pub(super) fn two_sided_condition(text: &str, said: &str) -> Option<String> {
    let clauses: Vec<&str> = said.split(['。', '！', '？', '\n', '；', '，', ',']).map(str::trim).collect();
    let condition = |clause: &&str| {
        let (before, _) = clause.split_once('就').or_else(|| clause.split_once('才'))?;
        let denied = before.strip_prefix('不').or_else(|| before.strip_prefix('没'))?;
        (denied.chars().count() > 1).then(|| denied.to_owned())
    };
    let denied = clauses.iter().find_map(condition)?;
    let is_stated = |clause: &&str| {
        let before = clause.split_once('就').map(|(before, _)| before);
        before.is_some_and(|before| before.contains(&denied) && !before.contains(['不', '没']))
    };
    (clauses.iter().any(is_stated) && !text.contains(&denied)).then(|| "就".to_owned())
}

/// The person in a clause that says nothing but whose something is, if a text says of the user what the next clause says
/// of it: 我爸的，12年的.
pub(super) fn owner_before(text: &str, said: &str) -> Option<String> {
    let sentence = most_alike(text, said.split(['。', '！', '？', '\n', '；']))?;
    let clauses: Vec<&str> = sentence.split(['，', ',']).map(str::trim).collect();
    let owner = |clause: &&str| {
        let rest =
            clause.trim_start_matches(['是', '那']).trim_start_matches('我').trim_end_matches(['呀', '啊', '呢']);
        let noun = PERSONS
            .iter()
            .find(|noun| rest.strip_prefix(*noun).is_some_and(|rest| matches!(rest, "的" | "那台" | "的车")))?;
        Some(noun.to_owned())
    };
    let (first, rest) = clauses.split_first()?;
    let owner = owner(first).filter(|owner| !text.contains(owner.as_str()))?;
    (text.starts_with("用户") && !rest.iter().any(|clause| clause.starts_with('我'))).then_some(owner)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_holds_of_some_or_under_a_condition_is_not_said_of_all() {
        assert!(only_made_all("新页面对所有用户开放", "新页面只对会员开").is_some());
        assert!(only_made_all("新页面只对会员开放", "新页面只对会员开").is_none());
        for (text, said, is_lost) in [
            ("用户六月去内罗毕的报社上班。", "批文要是拿到了，我六月就去内罗毕的报社上班", true),
            ("批文拿到的话，用户六月去内罗毕的报社上班。", "批文要是拿到了，我六月就去内罗毕的报社上班", false),
            ("用户六月去内罗毕。", "我六月去内罗毕，要是下雨怎么办", false),
            ("用户六月去内罗毕。", "主要是批文，我六月就去内罗毕", false),
            ("碰到支付的提交要跑全套测试。", "提交要是碰到支付，得跑全套测试", false),
        ] {
            let clause = most_alike(text, said.split('，')).unwrap();
            assert_eq!(lost_condition(text, said, clause).is_some(), is_lost, "{text} / {said}");
        }
        assert!(must("我得每天吃药") && must("它得在船上跑") && !must("写得正式点"));
        assert!(two_sided_condition("用户报了名", "老婆同意我就报名，不同意就算了").is_some());
        assert!(two_sided_condition("老婆同意用户就报名", "老婆同意我就报名，不同意就算了").is_none());
        assert_eq!(owner_before("用户的车是15年的", "我哥的，15年的").as_deref(), Some("哥"));
        assert!(owner_before("用户的车是15年的", "我的，15年的").is_none());
    }
}
