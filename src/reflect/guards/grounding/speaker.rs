//! Finds a name, a number or a date that only another turn has, where the quoted one has another in its place: "The
//! term starts in May." "My exam is in July." does not say that the exam is in May.
//!
//! Never looks at a value that stands in the quoted turn: `binding` and `chinese_slots` do.

use super::binding::{self, BoundValueKind, value_kind};
use crate::text::statement::{Statement, StatementToken, TokenKind};

/// A value of a text that stands in no turn but others, if a part of the quoted sentences that speaks of the same has
/// another value of its kind, which the text does not have.
pub(super) fn value_of_another_turn(text: &str, said: &str, quoted: &str, others: &[&str]) -> Option<String> {
    let written = text;
    let [text, said, quoted] = [text, said, quoted].map(binding::with_whole_values);
    let others: Vec<String> = others.iter().map(|text| binding::with_whole_values(text)).collect();
    let (own, quoted) = (Statement::of(&text), Statement::of(&quoted));
    let parts = binding::parts_with_pronouns(&said);
    let is_rival = |value: &StatementToken<'_>, kind: BoundValueKind, part: &Statement<'_>, at: usize| {
        let token = &part.tokens[at];
        value_kind(token) == Some(kind)
            && !binding::has_value(&own, token)
            && (token.kind != TokenKind::Word || lead(part, token) == lead(&own, value))
    };
    own.tokens.iter().find_map(|value| {
        let kind = value_kind(value)?;
        let is_other = !binding::has_value(&quoted, value)
            && others.iter().any(|text| binding::has_value(&Statement::of(text), value));
        let is_replaced = |part: &String| {
            let part = Statement::of(part);
            binding::shares_word(&own, &part) && (0..part.tokens.len()).any(|at| is_rival(value, kind, &part, at))
        };
        (is_other && parts.iter().any(is_replaced)).then(|| binding::as_written(value.surface, written))
    })
}

/// The function word before a value: "in" of "in Capture One".
fn lead<'a>(statement: &'a Statement<'_>, value: &StatementToken<'_>) -> Option<&'a str> {
    let at = statement.tokens.iter().position(|token| token.key == value.key)?;
    let before = statement.tokens[..at].iter().rev().find(|token| value_kind(token).is_none())?;
    (before.kind == TokenKind::Filler).then_some(before.key.as_str())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_value_of_another_turn_has_no_rival_in_the_quoted_one() {
        let check = |text: &str, said: &str, other: &str, expected: Option<&str>| {
            assert_eq!(value_of_another_turn(text, said, said, &[other]).as_deref(), expected, "{text} / {said}");
        };
        check("User's exam is in May", "my exam is in July", "The term starts in May.", Some("May"));
        check("User's exam is in July", "my exam is in July", "The term starts in May.", None);
        check("The owner is Ingrid", "write to Mrs Falk, she's the owner", "Ingrid called.", Some("Ingrid"));
        check("The team uses Jenkins", "yes, since forever", "So the team uses Jenkins?", None);
        check("房东是宋姐", "发给陈叔，他才是房东", "宋姐来过。", Some("宋姐"));
        check("一个月跑200公里", "一个月也就八十来公里", "按200公里算。", Some("200"));
        check("User edits in Premiere", "I edit in kdenlive", "Premiere or Final Cut?", Some("Premiere"));
    }
}
