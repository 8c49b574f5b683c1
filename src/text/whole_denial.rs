//! Whether one statement denies an activity altogether that another one describes: "Does not smoke", "Smokes a pipe in
//! the evening"; 不抽烟, 晚上抽烟斗.
//!
//! Never reads a denial with an object: "does not smoke indoors" leaves the rest open. Only verbs of a list, because
//! other ones mean less when they stand alone: who "does not drink" still drinks tea.

use super::chinese_words::{WordClass, chinese_words};
use super::statement::{Statement, TokenKind};
use super::stem;
use super::verbs::is_third_person;
use super::word_list::{PhraseList, WordList, phrase_list, word_list};

/// Verbs whose denial leaves nothing of the kind, as stems.
const VERBS: WordList = word_list!("statements/whole_denials.en.txt");
/// The same in Chinese: what is denied, then, behind `/`, other words for doing it.
const HAN_VERBS: PhraseList = phrase_list!("statements/whole_denials.zh.txt");
/// Words that deny a habit, not an event.
const DENYING: [&str; 5] = ["does", "doesn't", "do", "don't", "never"];

/// Words before a Chinese verb that say when and how often.
const HAN_BEFORE_VERB: [&str; 7] = ["会", "每", "天", "每天", "饭后", "睡前", "周"];

/// Whether one of two statements denies an activity altogether that the other one describes.
pub fn is_whole_denial(a: &Statement<'_>, b: &Statement<'_>) -> bool {
    a.parts().is_negated != b.parts().is_negated && (denies_whole_activity(a, b) || denies_whole_activity(b, a))
}

/// Whether `denied` denies an activity altogether, and `stated` says that the same subject does it.
fn denies_whole_activity(denied: &Statement<'_>, stated: &Statement<'_>) -> bool {
    if denied.label.is_some() || stated.label.is_some() {
        return false;
    }
    denies_english(denied, stated) || !denied.text.is_ascii() && denies_han(denied.text, stated.text)
}

fn denies_english(denied: &Statement<'_>, stated: &Statement<'_>) -> bool {
    let mut content = denied.content();
    let (Some(verb), None) = (content.next(), content.next()) else { return false };
    let is_habit = denied.tokens.iter().any(|t| DENYING.contains(&&*t.surface.to_lowercase()));
    let key = stem(&verb.surface.to_lowercase()).into_owned();
    if verb.is_han || !is_habit || !VERBS.contains(&key) {
        return false;
    }
    // One word more or less is a plain negation, which needs no list.
    let mut said = stated.content().filter(|t| t.kind != TokenKind::Number);
    let (Some(first), Some(_)) = (said.next(), said.next()) else { return false };
    let low = first.surface.to_lowercase();
    is_third_person(&low) && stem(&low) == key
}

fn denies_han(denied: &str, stated: &str) -> bool {
    let bare = |text: &str| text.trim().trim_end_matches(['。', '.']).trim_start_matches("用户").to_owned();
    let (denied, stated) = (bare(denied), bare(stated));
    let Some(verb) = ["从来不", "从不", "不再", "不"].iter().find_map(|not| denied.strip_prefix(not)) else {
        return false;
    };
    let others = HAN_VERBS.iter().find_map(|line| {
        let (verbs, doing) = line.split_once(" / ").unwrap_or((line, ""));
        verbs.split('|').any(|one| one == verb).then(|| verbs.split('|').chain(doing.split('|')))
    });
    // Only words for when and how may stand before the verb: others may name another person.
    let is_stated = |word: &str| {
        !word.is_empty()
            && word != stated
            && stated.find(word).is_some_and(|at| {
                chinese_words(&stated[..at]).iter().all(|w| {
                    matches!(w.class, WordClass::Time | WordClass::Adverb | WordClass::Mark)
                        || HAN_BEFORE_VERB.contains(&w.text)
                })
            })
    };
    others.is_some_and(|mut words| words.any(is_stated))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_bare_denial_excludes_every_kind() {
        let denies = |a: &str, b: &str| denies_whole_activity(&Statement::of(a), &Statement::of(b));
        for (denied, stated) in [
            ("Does not smoke", "Smokes a pipe in the evening"),
            ("Doesn't smoke", "The user smokes at parties."),
            ("The user never swims.", "Swims every Sunday"),
            ("不抽烟", "晚上抽烟斗"),
            ("用户不吸烟。", "用户每天抽一支雪茄。"),
        ] {
            assert!(denies(denied, stated), "{denied} / {stated}");
        }
        for (denied, stated) in [
            ("Does not smoke indoors", "Smokes a pipe in the evening"),
            ("Does not drink", "Drinks green tea"),
            ("Does not smoke", "The user's brother smokes"),
            ("Does not smoke", "Smoked until 2019"),
            ("Did not smoke", "Smokes a pipe"),
            ("Does not smoke", "Smokes"),
            ("不抽烟", "用户的哥哥抽烟斗"),
            ("不抽烟", "哥哥抽烟"),
            ("不喝酒", "晚上喝绿茶"),
        ] {
            assert!(!denies(denied, stated), "{denied} / {stated}");
        }
    }
}
