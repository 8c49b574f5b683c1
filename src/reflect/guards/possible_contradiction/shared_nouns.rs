//! Whether two statements that share a noun give it another number, date or name, in other words and in any order,
//! where no topic is known for it.
//!
//! Never compares statements of which each names something besides: those are about two things.

use super::attributes::{AttributeReading, is_limited};
use super::clauses::is_history;
use super::plain_words::is_plain_word;
use super::quantities::QuantityKind;
use super::subjects::{have_other_subjects, hold_under_other_conditions, measure_other_dimensions};
use super::topics::NO_TOPIC;
use super::{adds, bounds, opposite_words};
use crate::text::contradiction::{compares, has_one_value, is_multi_valued};
use crate::text::statement::{StatementToken, TokenKind};
use crate::text::word_list::{PhraseList, phrase_list};
use crate::text::words::is_unspaced;

/// Chinese pairs of characters that say nothing of what a statement is about.
const COMMON_PAIRS: PhraseList = phrase_list!("guards/contradiction/common_pairs.zh.txt");
/// The longest name, in characters.
const MAX_NAME: usize = 6;

/// Whether two statements share a noun and differ in an amount.
pub(super) fn has_another_amount_of_one_thing(a: &AttributeReading<'_>, b: &AttributeReading<'_>) -> bool {
    let compared = a.quantities.compare(&b.quantities);
    let is_date = |kind: &&QuantityKind| matches!(kind, QuantityKind::Day | QuantityKind::Year);
    let dates = compared.differing.iter().filter(is_date).count();
    let groups = compared.differing.len() - dates + usize::from(dates > 0);
    let is_event = |reading: &AttributeReading<'_>| reading.statement.is_event() && !bounds(&reading.statement);
    if is_event(a) || is_event(b) || opposite_words(a.text, b.text).is_some() {
        return false;
    }
    if groups != 1 || !may_compare(a, b) || a.denies() != b.denies() {
        return false;
    }
    let (left, right) = (a.rest_of(NO_TOPIC, b), b.rest_of(NO_TOPIC, a));
    left.is_empty() && right.is_empty() || (left.is_empty() || right.is_empty()) && left.len() + right.len() <= 2
}

/// Whether two Chinese statements share a noun, and differ in one name or word each.
pub(super) fn has_another_name_of_one_thing(a: &AttributeReading<'_>, b: &AttributeReading<'_>) -> bool {
    if !a.is_han || !may_compare(a, b) || a.denies() || b.denies() {
        return false;
    }
    let is_open = |reading: &AttributeReading<'_>| {
        is_multi_valued(&reading.statement) && !has_one_value(&reading.statement)
            || reading.statement.is_event()
            || reading.statement.label.is_some()
    };
    if [a, b].into_iter().any(|r| is_open(r) || compares(&r.statement))
        || !a.quantities.is_empty()
        || !b.quantities.is_empty()
    {
        return false;
    }
    let (left, right) = (a.rest_of(NO_TOPIC, b), b.rest_of(NO_TOPIC, a));
    let is_name = |rest: &[String]| {
        rest.len() == 1 && (2..=MAX_NAME).contains(&rest[0].chars().count()) || rest.len() == 1 && rest[0].is_ascii()
    };
    is_name(&left) && is_name(&right)
}

fn may_compare(a: &AttributeReading<'_>, b: &AttributeReading<'_>) -> bool {
    share_noun(a, b)
        && !adds(a.text)
        && !adds(b.text)
        && !is_history(a.text)
        && !is_history(b.text)
        && is_limited(a.text) == is_limited(b.text)
        && !a.is_about_another_person(NO_TOPIC, b)
        && !a.has_another_scope(NO_TOPIC, b)
        && !a.has_another_subject(NO_TOPIC, b)
        && !hold_under_other_conditions(a.text, b.text)
        && !measure_other_dimensions(a.text, b.text)
        && !have_other_subjects(&a.statement, &b.statement, &a.words, &b.words)
}

/// Whether two statements have a noun in common that says what they are about.
fn share_noun(a: &AttributeReading<'_>, b: &AttributeReading<'_>) -> bool {
    if a.is_han {
        let chars: Vec<char> = a.text.chars().collect();
        let is_noun = |pair: &[char]| {
            let text: String = pair.iter().collect();
            let is_han = pair.iter().all(|c| is_unspaced(*c));
            is_han && b.text.contains(&text) && !COMMON_PAIRS.iter().any(|one| one == text)
        };
        return chars.windows(2).any(is_noun);
    }
    let is_noun = |t: &&StatementToken<'_>| {
        t.kind == TokenKind::Word && t.surface.len() > 2 && !is_plain_word(t) && b.words.has_synonym(t)
    };
    a.statement.tokens.iter().any(|t| is_noun(&t))
}
