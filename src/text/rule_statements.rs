//! Whether a text is a rule: `never push to main`, `上线前必须先跑测试`, or anything under the title `Conventions`.
//!
//! Only for an order of value: a rule in other words is missed, and a statement with `only` in it may be none.

use super::phrase::{PhrasePatterns, has_unspaced_script, word_tokens};
use super::word_list::{PhraseList, WordList, phrase_list, word_list};

static ENGLISH: PhrasePatterns = PhrasePatterns::new(phrase_list!("rules/statements.en.txt"));
static CHINESE: PhrasePatterns = PhrasePatterns::new(phrase_list!("rules/statements.zh.txt"));
const ENGLISH_TITLES: WordList = word_list!("rules/titles.en.txt");
const CHINESE_TITLES: PhraseList = phrase_list!("rules/titles.zh.txt");

/// Whether a text says what must, may or must not be done.
pub fn states_rule(text: &str) -> bool {
    ENGLISH.find(&word_tokens(text)).is_some() || has_unspaced_script(text) && CHINESE.find_unspaced(text).is_some()
}

/// Whether a title, or the name of a file, says that what is below it are rules.
pub fn names_rules(title: &str) -> bool {
    let is_listed = |word: &str| ENGLISH_TITLES.contains(&word.to_ascii_lowercase());
    title.split(|c: char| !c.is_alphanumeric()).any(is_listed) || CHINESE_TITLES.iter().any(|word| title.contains(word))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_must_or_must_not_be_done_is_a_rule() {
        for text in [
            "Never push to main",
            "Use the Money type; floats are forbidden",
            "Releases need two approvals",
            "Snapshots are not edited by hand",
            "上线前必须先跑测试",
            "合同模板改动要法务确认",
        ] {
            assert!(states_rule(text), "{text}");
        }
        for text in ["", "In week 43 Anton moved the bike", "Ana knows the neverending story", "小王上周买了一辆自行车"]
        {
            assert!(!states_rule(text), "{text}");
        }
    }

    #[test]
    fn titles_and_names_of_files_name_rules() {
        for title in ["rules-en", "Team conventions", "facts/code_rules.md", "诊所系统的规则"] {
            assert!(names_rules(title), "{title}");
        }
        for title in ["", "notes3", "Rulers of Denmark", "facts/people.md", "会议记录"] {
            assert!(!names_rules(title), "{title}");
        }
    }
}
