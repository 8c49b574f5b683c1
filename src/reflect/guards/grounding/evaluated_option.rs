//! Finds an option of a question that its answer only talks about: "PagerDuty is overkill for three people" does not
//! choose PagerDuty.
//!
//! Never decides that an answer takes the other option: `choice` does.

use super::choice::{self, OptionWords};
use super::clauses;
use super::english::spaced_words;
use crate::text::phrase::has_unspaced_script;
use crate::text::word_list::{PhraseList, phrase_list};
use crate::text::words::is_unspaced;

/// Words of praise and agreement, English and Chinese: an option of which they are said is taken.
const PRAISE: PhraseList = phrase_list!("guards/grounding/praise.txt");
/// Verbs that follow an option of which something is said.
const PREDICATES: PhraseList = phrase_list!("guards/grounding/predicates.en.txt");

/// The first word of a text that is of an option, if each clause of the answer that names the option says something of
/// it which is no praise, and which the text does not say.
pub(super) fn evaluated_option(text: &str, question: &str, answer: &str) -> Option<String> {
    if !question.contains(['?', '？']) {
        return None;
    }
    let (asked, answered) = (choice::words(question), choice::words(answer));
    let stated = choice::stated_words(text);
    let own: OptionWords = stated.iter().map(|(key, _)| key.clone()).collect();
    // What a text has of the answer must stand in the question, too.
    if own.iter().any(|key| answered.contains(key) && !asked.contains(key)) {
        return None;
    }
    let is_option = |key: &String| asked.contains(key) && answered.contains(key);
    let (key, surface) = stated.iter().find(|(key, _)| is_option(key))?;
    let of_option: Vec<&str> = clauses(answer).filter(|clause| choice::words(clause).contains(key)).collect();
    // "按日期" only repeats the question.
    let repeats = |clause: &str| {
        let plain = clause.trim().trim_start_matches(['就', '是']).trim_end_matches(['了', '的', '吧', '呗', '啊']);
        question.contains(plain)
    };
    (!of_option.is_empty() && of_option.iter().all(|clause| !repeats(clause) && is_evaluated(clause, surface, text)))
        .then(|| surface.to_owned())
}

/// Whether a clause begins with an option and goes on with what is said of it.
fn is_evaluated(clause: &str, option: &str, text: &str) -> bool {
    if has_unspaced_script(clause) {
        let plain = clause.trim();
        let Some(at) = plain.find(option).filter(|at| plain[..*at].chars().count() <= MAX_OPENING) else {
            return false;
        };
        let rest: String = plain[at + option.len()..].chars().filter(|c| is_unspaced(*c)).collect();
        // 不好看 is no praise.
        let praises =
            |word: &str| plain.match_indices(word).any(|(at, _)| !plain[..at].ends_with(['不', '没', '太', '够']));
        let is_praised = PRAISE.iter().any(|word| !word.is_ascii() && praises(word));
        let opens = ["用", "选", "要", "走", "改", "换"].iter().any(|verb| plain[..at].contains(verb));
        let is_stated = text.contains(rest.as_str());
        return rest.chars().count() >= MIN_PREDICATE && !is_stated && !is_praised && !opens && !rest.starts_with('的');
    }
    let spaced = spaced_words(clause);
    let words: Vec<&str> = spaced.trim().split(' ').collect();
    let option = option.to_lowercase();
    let Some(at) = words.iter().position(|word| word.starts_with(option.as_str())) else { return false };
    let is_subject = words[..at].iter().all(|word| matches!(*word, "a" | "an" | "the" | "but" | "and" | "so" | "well"));
    let verb = words.iter().skip(at + 1).take(2).position(|word| PREDICATES.iter().any(|one| one == *word));
    let is_denied = words.iter().any(|word| *word == "not" || word.ends_with("n't"));
    let is_praised = !is_denied && PRAISE.iter().any(|phrase| spaced.contains(&format!(" {phrase} ")));
    is_subject && verb.is_some() && !is_praised
}

/// So many characters may stand before an option: 这个.
const MAX_OPENING: usize = 2;
/// The shortest predicate in characters: 太挤.
const MIN_PREDICATE: usize = 2;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_option_is_taken_or_judged() {
        let check = |text: &str, question: &str, answer: &str, expected: Option<&str>| {
            assert_eq!(evaluated_option(text, question, answer).as_deref(), expected, "{text} / {question} {answer}");
        };
        check("Uses icons", "Icons or labels?", "icons are confusing", Some("icons"));
        check("Uses icons", "Icons or labels?", "icons are fine", None);
        check("Uses icons", "Icons or labels?", "icons, labels are confusing", None);
        check("User finds icons confusing", "Icons or labels?", "icons are confusing", None);
        check("签名放页眉", "签名放页眉还是页脚？", "页眉太挤", Some("页眉"));
        check("签名放页眉", "签名放页眉还是页脚？", "页眉就行", None);
        check("签名放页眉", "签名放页眉还是页脚？", "页眉不好看", Some("页眉"));
        check("小宋盘点", "您盘点还是小宋盘点？", "小宋盘点，我对账", None);
        check("签名放页脚", "签名放页眉还是页脚？", "页脚，页眉太挤", None);
    }
}
