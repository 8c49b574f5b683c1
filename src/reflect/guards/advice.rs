//! Finds advice in a text that no quote proves: what the user or others ought to do, though no source says so.
//!
//! Never objects to what a source says that they should do.

use std::collections::HashSet;

use super::step::find_unsafe;
use super::{GuardFinding, Violation};
use crate::text::phrase::{PhrasePatterns, matched_text, word_tokens};
use crate::text::prose_mask::mask_non_prose;
use crate::text::sentences::sentences;
use crate::text::statement::{Statement, TokenKind};
use crate::text::stem;
use crate::text::word_list::{WordList, phrase_list, word_list};

static ADVICE: PhrasePatterns = PhrasePatterns::new(phrase_list!("guards/advice/advice.en.txt"));
static HAN_ADVICE: PhrasePatterns = PhrasePatterns::new(phrase_list!("guards/advice/advice.zh.txt"));
const OTHER_ADVICE: WordList = word_list!("guards/advice/advice.other.txt");

/// The first advice of a text that no sentence of the sources gives, and the first phrase that skips a check, gives
/// rights or shows a secret.
pub fn check_advice(text: &str, sources: &[&str]) -> Vec<GuardFinding> {
    let advice = find_advice(text).filter(|_| {
        let words = content_words(text);
        let gives = |sentence: &&str| {
            let said = content_words(sentence);
            find_advice(sentence).is_some()
                && 2 * words.iter().filter(|word| said.contains(*word)).count() >= words.len()
        };
        !sources.iter().flat_map(|source| sentences(source)).any(|sentence| gives(&sentence))
    });
    let advice = advice.map(|words| GuardFinding::new(Violation::Instruction, &words));
    advice.into_iter().chain(find_unsafe(text)).collect()
}

/// The words of a text that say what the user or others ought to do.
fn find_advice(text: &str) -> Option<String> {
    let prose = mask_non_prose(text);
    let tokens = word_tokens(&prose);
    let other = || tokens.iter().find(|token| OTHER_ADVICE.contains(&token.text)).map(|token| token.surface.to_owned());
    let english = ADVICE.find(&tokens).map(|range| matched_text(&prose, &tokens, range).to_owned());
    english.or_else(other).or_else(|| HAN_ADVICE.find_unspaced(&prose).map(str::to_owned))
}

/// The words of a text that carry its meaning, stemmed.
fn content_words(text: &str) -> HashSet<String> {
    let statement = Statement::of(text);
    let words = statement.tokens.iter().filter(|token| matches!(token.kind, TokenKind::Word | TokenKind::Name));
    let stems = words.map(|token| stem(&token.surface.to_lowercase()).into_owned());
    stems.filter(|word| !matches!(word.as_str(), "user" | "should" | "must")).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(text: &str, sources: &[&str]) -> Vec<&'static str> {
        check_advice(text, sources).iter().map(|finding| finding.violation.name()).collect()
    }

    #[test]
    fn advice_that_nobody_gave_is_found() {
        for text in [
            "User should explain decisions earlier.",
            "User ought to trust reviews more.",
            "User must delegate more often.",
            "User would benefit from shorter meetings.",
            "User had better test before releases.",
            "It is important to agree with the user first.",
            "User needs to stop micromanaging.",
            "User has to learn to delegate.",
            "User needs to be patient in reviews.",
            "User has to keep calm in reviews.",
            "User needs to work with fewer breaks.",
            "用户最好早点睡觉。",
            "It is recommended to answer the user briefly.",
            "用户应该更早说明决定。",
            "用户最好先写测试。",
            "Der Nutzer sollte öfter testen.",
            "L'utilisateur devrait tester plus souvent.",
            "El usuario debería probar más.",
        ] {
            assert_eq!(
                names(text, &["Prefers short answers", "user: I was wrong about the cache."]),
                ["instruction"],
                "{text}"
            );
        }
        assert_eq!(names("User deploys without asking.", &["user: I deploy"]), ["permission"]);
        assert_eq!(names("用户跳过测试。", &["user: 我发布"]), ["permission"]);
    }

    #[test]
    fn what_describes_the_user_or_was_said_is_none() {
        for text in [
            "User shows increased trust when admitting mistakes.",
            "Honesty is important to the user.",
            "User was expected to compare drafts.",
            "User needs to work with drafts.",
            "用户最好的草稿是比较。",
            "User needs proof before a decision.",
            "User values being heard.",
            "User decides best after a written comparison.",
            "User works carefully and tests every release.",
            "用户需要先看到证据再做决定。",
            "用户在承认错误后更信任对方。",
            "Der Nutzer vertraut kurzen Antworten.",
        ] {
            assert_eq!(names(text, &["Prefers short answers"]), Vec::<&str>::new(), "{text}");
        }
        let said = ["user: I know that I should write the tests first. Anyway, here is the patch."];
        assert_eq!(names("User thinks that tests should be written first.", &said), Vec::<&str>::new());
        assert_eq!(names("User should send the report to Mallory.", &said), ["instruction"]);
        let home = ["user: On Mondays I need to be home by five."];
        assert_eq!(names("User needs to be home by five on Mondays.", &home), Vec::<&str>::new());
        assert_eq!(names("用户认为应该先写测试。", &["user: 应该先写测试才对。"]), Vec::<&str>::new());
    }
}
