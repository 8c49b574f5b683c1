//! In how much two texts differ that may exclude each other: in one value of one thing, or in the thing, too.
//!
//! Never decides whether they exclude each other; the parent module finds the pairs.

use super::super::grounding::english::{base_stem, is_generic_stem};
use super::clauses::{Clause, clauses};
use super::quantities::Quantities;
use super::subjects::english_subject;
use super::{
    EnglishSources, FRAMES, HAN_FRAMES, Remainder, SINGLE_FIELDS, denies, has_sides_exchanged_loosely, name_person,
    opposite_words, persons_of, states,
};
use crate::text::chinese_words::{WordClass, chinese_words};
use crate::text::phrase::has_unspaced_script;
use crate::text::statement::Statement;

/// What each of two texts has alone.
struct TextDifference {
    left: Remainder,
    right: Remainder,
    /// A word of each that excludes the other.
    opposites: Option<(String, String)>,
    /// Whether exactly one of them denies or ends something.
    is_denied: bool,
}

impl TextDifference {
    fn of(text: &str, known: &str) -> TextDifference {
        let (new, old) = (Statement::of(text), Statement::of(known));
        let words = |text: &str| EnglishSources::of([text].into_iter());
        let ends = |text: &str| clauses(text).iter().any(Clause::is_ended);
        TextDifference {
            left: Remainder::of(&new, &words(known), &old),
            right: Remainder::of(&old, &words(text), &new),
            opposites: opposite_words(text, known),
            is_denied: (denies(&new) || ends(text)) != (denies(&old) || ends(known)),
        }
    }

    /// The words of content of a side, without general ones and kinds of values, and without the opposites.
    fn things<'a>(&'a self, side: &'a Remainder) -> impl Iterator<Item = &'a String> {
        side.words.iter().filter(|word| {
            let low = word.to_lowercase();
            let is_opposite = self.opposites.as_ref().is_some_and(|(x, y)| low.contains(x) || low.contains(y));
            let is_frame = is_generic_stem(&low, &base_stem(&low))
                || FRAMES.contains(&low)
                || HAN_FRAMES.iter().any(|frame| frame == low);
            !is_opposite && !is_frame
        })
    }
}

/// Whether two texts say of one thing what only one of them can be true of: nothing differs but one name, amount, word
/// or state, or one denies what the other one says.
pub(super) fn differ_in_one_value(text: &str, known: &str) -> bool {
    let is_field = SINGLE_FIELDS.iter().any(|field| states(text, field) && states(known, field));
    let is_spouse =
        || name_person(text, known) && !persons_of(text).is_empty() && persons_of(text) == persons_of(known);
    if is_field || is_spouse() || has_sides_exchanged_loosely(text, known) {
        return true;
    }
    if persons_of(text) != persons_of(known) {
        return false;
    }
    let difference = TextDifference::of(text, known);
    let (left, right) = (&difference.left, &difference.right);
    let has_names = !left.names.is_empty() && left.names.len() == right.names.len();
    let has_amounts = !left.numbers.is_empty() && !right.numbers.is_empty()
        || !left.dates.is_empty() && !right.dates.is_empty()
        || !Quantities::of(text).compare(&Quantities::of(known)).differing.is_empty();
    let is_opposed = difference.opposites.is_some() || difference.is_denied;
    let things = [difference.things(left).count(), difference.things(right).count()];
    let (fewer, more) = (things[0].min(things[1]), things[0].max(things[1]));
    match [has_names, has_amounts, is_opposed].iter().filter(|differs| **differs).count() {
        0 => (fewer, more) == (1, 1) && left.shared > 0,
        // Chinese words for how and when look like things.
        1 if has_amounts && has_unspaced_script(text) => more <= 2 && fewer <= 1,
        // "Does not smoke" excludes every kind of smoking.
        1 if is_opposed => fewer == 0 && !deny_another_verb(text, known),
        1 => fewer == 0 && more <= 1,
        _ => false,
    }
}

/// Whether one text does nothing but deny a verb, and the other one has another verb: "does not smoke", "works in a
/// smoke-free office".
fn deny_another_verb(text: &str, known: &str) -> bool {
    let denies_alone = |denied: &str, other: &str| {
        let statement = Statement::of(denied);
        let mut content = statement.content();
        let (Some(verb), None) = (content.next(), content.next()) else { return false };
        let predicate = english_subject(other).1;
        let first = predicate.split(' ').next().unwrap_or_default();
        statement.is_negated() && !verb.is_han && !first.is_empty() && base_stem(first) != base_stem(&verb.key)
    };
    denies_alone(text, known) || denies_alone(known, text)
}

/// Whether two texts are about different things: numbered ones, or named ones of which one text denies its own.
pub(super) fn are_about_other_things(text: &str, known: &str) -> bool {
    if have_other_numbers(text, known) {
        return true;
    }
    let difference = TextDifference::of(text, known);
    let has_name = |side: &Remainder| !side.names.is_empty();
    difference.is_denied && difference.opposites.is_none() && has_name(&difference.left) && has_name(&difference.right)
}

/// Whether the subjects of two Chinese texts are the same kind of thing with another number: 一楼, 二楼; 第一卷, 第二卷.
fn have_other_numbers(a: &str, b: &str) -> bool {
    let numbered = |text: &str| -> Option<(String, String)> {
        let start = text.trim_start_matches("用户").trim_start_matches('的').trim_start_matches('第');
        let is_digit = |c: char| c.is_ascii_digit() || "一二三四五六七八九十百两".contains(c);
        let rest = start.trim_start_matches(is_digit);
        let number = &start[..start.len() - rest.len()];
        let kind = rest.chars().next()?;
        let is_thing =
            !"年月日点时分秒周天个号岁".contains(kind) || rest.starts_with("号") && !rest.starts_with("号是");
        (!number.is_empty() && is_thing && has_predicate(rest)).then(|| (number.to_owned(), kind.to_string()))
    };
    match (numbered(a), numbered(b)) {
        (Some((x, kind)), Some((y, other))) => x != y && kind == other,
        _ => false,
    }
}

/// Whether a Chinese text has a verb or another word that says something of what is before it.
fn has_predicate(text: &str) -> bool {
    has_unspaced_script(text)
        && chinese_words(text).iter().skip(1).any(|word| {
            word.class.is_verbal()
                || matches!(word.class, WordClass::Preposition | WordClass::Adverb | WordClass::Modal)
                || matches!(word.text, "是" | "有" | "在")
        })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_value_differs() {
        for (a, b, expected) in [
            ("The rent is 940 euros.", "The parking space costs 60 euros.", false),
            ("The rent is 940 euros.", "The rent costs 980 euros.", true),
            ("Writes with the left hand.", "Throws with the right hand.", false),
            ("用户最喜欢的编辑器是 Helix。", "用户最喜欢的 shell 是 fish。", false),
            ("孩子每周上两节钢琴课。", "孩子每周上四节钢琴课。", true),
            ("Shoots weddings with the Fuji X-T5.", "Shoots portraits with a Mamiya RB67.", false),
            ("Does not smoke.", "Smokes a pipe in the evening.", true),
            ("Does not smoke.", "Works in a smoke-free office.", false),
            ("用户不吃辣。", "用户的女儿爱吃辣。", false),
            ("Works for Lufthansa as a technician.", "The user's employer is Airbus.", true),
            ("Took a pottery class in 2019.", "Took a welding class in 2023.", false),
            ("橙子发顺丰。", "柚子发京东。", false),
        ] {
            assert_eq!(differ_in_one_value(a, b), expected, "{a} / {b}");
        }
    }

    #[test]
    fn other_things_exclude_nothing() {
        for (a, b) in [
            ("一楼有4间客房。", "二楼有5间客房。"),
            ("第一卷译稿2023年出版。", "第二卷译稿2026年出版。"),
            ("1043号发票已付。", "1044号发票已付。"),
            ("Stopped using Confluence for the team's docs.", "Uses Notion for the team's docs."),
        ] {
            assert!(are_about_other_things(a, b) && are_about_other_things(b, a), "{a} / {b}");
        }
        for (a, b) in [("办公室在三楼。", "办公室在五楼。"), ("Does not smoke.", "Smokes a pipe in the evening.")]
        {
            assert!(!are_about_other_things(a, b), "{a} / {b}");
        }
    }
}
