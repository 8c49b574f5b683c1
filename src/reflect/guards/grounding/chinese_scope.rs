//! Finds of whom or under which condition a Chinese statement holds, where a text says it of all, without the condition,
//! or of the user.
//!
//! Never looks for a word of content that only one side has: `chinese_words` does.

use super::chinese_words::{PERSONS, most_alike};

/// 只 of a clause that says of some what a text says of all: 只对会员开, 对所有用户开放.
pub(super) fn only_made_all(text: &str, clause: &str) -> Option<String> {
    let only = ["只对", "只给", "只在", "只有", "只让", "仅对", "仅限", "只限", "只跟"]
        .into_iter()
        .find(|word| clause.contains(*word))?;
    let is_all = ["所有", "全部", "全体", "每个", "任何", "全都", "一律"].iter().any(|word| text.contains(word));
    (is_all && !text.contains(['只', '仅'])).then(|| only.to_owned())
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
        assert!(two_sided_condition("用户报了名", "老婆同意我就报名，不同意就算了").is_some());
        assert!(two_sided_condition("老婆同意用户就报名", "老婆同意我就报名，不同意就算了").is_none());
        assert_eq!(owner_before("用户的车是15年的", "我哥的，15年的").as_deref(), Some("哥"));
        assert!(owner_before("用户的车是15年的", "我的，15年的").is_none());
    }
}
