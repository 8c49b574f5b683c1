//! Whether two texts are about different things, or about different times and places, so that both can be true.
//!
//! Never compares what they say of these things.

use super::super::grounding::chinese_words::unsupported_runs_and;
use super::super::grounding::english::EnglishSources;
use super::{FRAMES, HAN_FRAMES, HAN_SUBJECTS, SUBJECTS};
use crate::text::phrase::{has_unspaced_script, word_tokens};
use crate::text::prose_mask::split_label;
use crate::text::statement::{Statement, StatementToken, TokenKind};
use crate::text::stopwords::is_stopword;
use crate::text::verbs::{is_past_verb, is_third_person};
use crate::text::word_list::{PhraseList, WordList, phrase_list, word_list};

/// Words that end the subject of a sentence, besides verbs in the third person and in the past.
const SUBJECT_ENDS: WordList = word_list!("guards/contradiction/subject_ends.en.txt");
const HAN_SUBJECT_ENDS: PhraseList = phrase_list!("guards/contradiction/subject_ends.zh.txt");
/// Nouns for several people, of which one does not stand for another.
const GROUPS: PhraseList = phrase_list!("guards/contradiction/groups.txt");
/// Chinese words for a place or a time at which something holds.
const HAN_CONDITIONS: PhraseList = phrase_list!("guards/contradiction/conditions.zh.txt");
/// Prepositions before a time, a place or an occasion.
const CONDITIONS: [&str; 7] = ["at", "in", "on", "for", "during", "within", "while"];

/// Whether the subject of each text has a word that the other text lacks. A name is no such word where the predicate
/// is a role of which there is one: "Ana is the treasurer".
pub(super) fn have_other_subjects(
    a: &Statement<'_>,
    b: &Statement<'_>,
    a_words: &EnglishSources,
    b_words: &EnglishSources,
) -> bool {
    if has_unspaced_script(a.text) {
        let own = |text: &str, other: &str| {
            let subject = han_subject(text).to_lowercase();
            let is_frame = |run: &str| is_number(run) || HAN_FRAMES.iter().any(|frame| frame == run);
            let runs = unsupported_runs_and(&subject, &other.to_lowercase(), HAN_SUBJECTS);
            let has_group = GROUPS.iter().any(|group| subject.ends_with(group) && !other.contains(group));
            runs.iter().any(|run| !is_frame(run) && *run != "项目")
                || is_apart(&subject, other)
                || has_group
                || has_other_latin(&subject, other)
        };
        return own(a.text, b.text) && own(b.text, a.text);
    }
    let own = |statement: &Statement<'_>, other: &EnglishSources| {
        let (subject, predicate) = english_subject(statement.text);
        let is_role = predicate.starts_with("is the ") || predicate.starts_with("are the ");
        let read = Statement::of(subject);
        let differs = |t: &&StatementToken<'_>| match t.kind {
            TokenKind::Name => !is_role && !other.has_word(&t.key),
            TokenKind::Word => {
                let low = t.surface.to_lowercase();
                let counts = SUBJECTS.contains(&low) || !other.is_supported_by_form(t);
                counts && !other.has_synonym(t) && !FRAMES.contains(&low)
                    || GROUPS.iter().any(|group| group == low) && !other.has_word(&t.key)
            }
            // "The invoice 1043 is paid": which one.
            TokenKind::Number => {
                let at = read.tokens.iter().position(|o| std::ptr::eq(o, *t)).unwrap_or(0);
                read.tokens[..at].iter().any(|o| o.kind == TokenKind::Word) && !other.has_word(&t.key)
            }
            TokenKind::Date | TokenKind::Filler | TokenKind::Negation => false,
        };
        // The label of a statement is no token of it.
        let label = split_label(statement.text).map(|(label, _)| Statement::of(label));
        let label_differs = label.is_some_and(|label| label.tokens.iter().any(|t| differs(&t)));
        read.tokens.iter().any(|t| differs(&t)) || label_differs
    };
    own(a, b_words) && own(b, a_words)
}

/// Whether a Chinese subject of at least two characters shares none with another text: 房租, 车位费.
fn is_apart(subject: &str, other: &str) -> bool {
    let is_general = subject.ends_with("项目") || HAN_SUBJECTS.iter().any(|word| word == subject);
    let chars: Vec<char> = subject.chars().filter(|c| *c as u32 >= 0x2e80).collect();
    chars.len() >= 2 && !is_general && chars.iter().all(|c| !other.contains(*c))
}

fn is_number(run: &str) -> bool {
    run.chars().all(|c| "一二三四五六七八九十两百千万半".contains(c))
}

/// Whether a text has a Latin word that another text lacks.
fn has_other_latin(text: &str, other: &str) -> bool {
    let low = other.to_lowercase();
    word_tokens(text).iter().any(|w| {
        let is_latin = w.text.is_ascii() && w.text.bytes().any(|b| b.is_ascii_alphabetic());
        w.text.len() > 1 && is_latin && !low.contains(&w.text)
    })
}

/// The words before the first verb of a sentence, without "the user", and the rest in lower case. Empty for a sentence
/// that starts with its verb.
pub(super) fn english_subject(text: &str) -> (&str, String) {
    let words = word_tokens(text);
    let is_end = |word: &str| SUBJECT_ENDS.contains(word) || is_third_person(word) || is_past_verb(word);
    // A noun in the plural looks like a verb, if another verb follows: "Logs are kept".
    let end = words.iter().position(|w| is_end(&w.text)).filter(|end| {
        let is_verb = |w: &crate::text::phrase::WordToken<'_>| SUBJECT_ENDS.contains(&w.text);
        !(words.get(end + 1).is_some_and(is_verb))
    });
    let end = end.or_else(|| words.iter().position(|w| SUBJECT_ENDS.contains(&w.text)));
    match end.and_then(|end| words.get(end)) {
        Some(verb) => (text[..verb.at].trim(), text[verb.at..].to_lowercase()),
        None => ("", String::new()),
    }
}

/// The characters before the first verb of a Chinese sentence, without 用户.
pub(super) fn han_subject(text: &str) -> &str {
    let text = text.trim_start_matches("用户").trim_start_matches('的');
    let end = HAN_SUBJECT_ENDS.iter().filter_map(|verb| text.find(verb)).min();
    &text[..end.unwrap_or(0)]
}

/// Whether each text names another time, place or occasion after the same preposition: "at home", "at work".
pub(super) fn hold_under_other_conditions(a: &str, b: &str) -> bool {
    if has_unspaced_script(a) {
        let all = |text: &str| HAN_CONDITIONS.iter().filter(|word| text.contains(word)).collect::<Vec<_>>();
        let (left, right) = (all(a), all(b));
        return !left.is_empty() && !right.is_empty() && !left.iter().any(|word| right.contains(word));
    }
    let conditions = |text: &str, preposition: &str| -> Vec<String> {
        let words = word_tokens(text);
        let after = words.iter().enumerate().filter(|(_, w)| w.text == preposition);
        let next = after.filter_map(|(i, _)| words[i + 1..].iter().find(|w| !is_stopword(&w.text)));
        next.map(|w| w.text.clone()).collect()
    };
    // What stands alone behind its preposition may be the value; a value differs besides.
    let rest_differs = |preposition: &str| {
        let strip = |text: &str| {
            let low = super::spaced_words(text);
            low.split_once(&format!(" {preposition} ")).map_or(low.clone(), |(before, _)| before.to_owned())
        };
        strip(a) != strip(b)
    };
    let is_word = |word: &String| !word.starts_with(|c: char| c.is_ascii_digit()) && !super::ORDINALS.contains(word);
    CONDITIONS.iter().any(|preposition| {
        let (left, right) = (conditions(a, preposition), conditions(b, preposition));
        let [Some(x), Some(y)] = [left.first(), right.first()] else { return false };
        x != y && is_word(x) && is_word(y) && is_common(a, x) && is_common(b, y) && rest_differs(preposition)
    })
}

/// Whether two texts measure other dimensions: 20 metres long, 9 metres wide.
pub(super) fn measure_other_dimensions(a: &str, b: &str) -> bool {
    let all = |text: &str| {
        let spaced = super::spaced_words(text);
        let chars: Vec<char> = text.chars().collect();
        let has = |word: &str| match (word.is_ascii(), word.chars().count()) {
            (true, _) => spaced.contains(&format!(" {word} ")),
            // 长20米, but not 班长.
            (false, 1) => chars.windows(2).any(|pair| word.starts_with(pair[0]) && pair[1].is_ascii_digit()),
            _ => text.contains(word),
        };
        let found = DIMENSIONS.iter().enumerate().filter(|(_, group)| group.split('|').any(has));
        found.map(|(at, _)| at).collect::<Vec<_>>()
    };
    let (left, right) = (all(a), all(b));
    !left.is_empty() && !right.is_empty() && !left.iter().any(|one| right.contains(one))
}

/// Words for one dimension a line.
const DIMENSIONS: PhraseList = phrase_list!("guards/contradiction/dimensions.txt");

/// Whether a word is written without a capital letter in a text: no name and no weekday.
fn is_common(text: &str, word: &str) -> bool {
    word_tokens(text).iter().any(|w| w.text == word && w.surface.starts_with(char::is_lowercase))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn subjects_are_what_stands_before_the_verb() {
        let check = |a: &str, b: &str| {
            let words = |text: &str| EnglishSources::of([text].into_iter());
            have_other_subjects(&Statement::of(a), &Statement::of(b), &words(a), &words(b))
        };
        for (a, b) in [
            ("The steering group has 4 members.", "The team has 9 members."),
            ("Production runs on Debian 11.", "Staging runs on Debian 12."),
            ("The south gate is unlocked at night.", "The north gate is locked at night."),
            ("备份保留30天。", "日志保留14天。"),
            ("集成测试需要数据库。", "单元测试不需要数据库。"),
        ] {
            assert!(check(a, b), "{a} / {b}");
        }
        for (a, b) in [
            ("GitHub Actions is the CI of the project.", "The CI runs on Jenkins."),
            ("The user lives in a flat of four rooms.", "The flat has 3 rooms."),
            ("The office is on the second floor.", "The office is on the fifth floor."),
        ] {
            assert!(!check(a, b), "{a} / {b}");
        }
        assert!(hold_under_other_conditions("Uses Chromium at work.", "Uses Firefox at home."));
        assert!(!hold_under_other_conditions("Keeps the car in the garage.", "Keeps the car in the street."));
    }
}
