//! Finds sensitive fields that a merged text states and no item states in the same words: "Lives in Bonn alone" of
//! "Visited Bonn" and "Lives alone".
//!
//! Never decides whether the user agreed: `compact` has no conversation in which they could.

use crate::reflect::guards::{WritingRules, sensitive_field};
use crate::text::sentences::sentences;

/// The first sensitive field that a merged text states. What an item states may stand there word for word, as a part of
/// another sentence too.
pub fn added_field(merged: &str, items: &[&str], sensitive: &[String]) -> Option<String> {
    if sensitive.is_empty() {
        return None;
    }
    let rules = WritingRules { sensitive: sensitive.to_vec(), ..WritingRules::default() };
    let mut rest = merged.to_owned();
    for statement in items.iter().flat_map(|item| statements(item)) {
        if sensitive_field(&statement, &rules).is_some() {
            rest = without_statement(&rest, &statement);
        }
    }
    statements(&rest).into_iter().find_map(|statement| sensitive_field(&statement, &rules))
}

/// The sentences of a text, and their parts between semicolons, without list markers and final stops.
fn statements(text: &str) -> Vec<String> {
    let plain = |part: &str| {
        let part = part.trim_start_matches(['-', '*', '+', '#', '>', ' ']);
        part.trim_end_matches(['.', '!', '。', '！', ' ']).to_owned()
    };
    let of_line = |line: &str| sentences(line).into_iter().map(str::to_owned).collect::<Vec<_>>();
    let parts = text.lines().flat_map(of_line).flat_map(|s| s.split([';', '；']).map(plain).collect::<Vec<_>>());
    parts.filter(|part| !part.is_empty()).collect()
}

/// A text with a semicolon wherever it contains a statement as whole words, in whatever case.
fn without_statement(text: &str, statement: &str) -> String {
    // Only ASCII letters change, so that offsets stay.
    let (lower, sought) = (text.to_ascii_lowercase(), statement.to_ascii_lowercase());
    let (mut rest, mut from) = (String::new(), 0);
    for (at, _) in lower.match_indices(&sought) {
        let end = at + sought.len();
        let is_part = lower[..at].ends_with(char::is_alphanumeric) || lower[end..].starts_with(char::is_alphanumeric);
        if at >= from && !is_part {
            rest.push_str(&text[from..at]);
            rest.push(';');
            from = end;
        }
    }
    rest + &text[from..]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_field_that_no_item_states_is_added() {
        let sensitive = WritingRules::default().sensitive;
        for (merged, items, field) in [
            ("Lives in Bonn alone", ["Visited Bonn", "Lives alone"], Some("city")),
            ("City: Austin, visited Bonn", ["City: Bonn", "Visited Austin"], Some("city")),
            ("User lives in Bonnville, a part of Bonn", ["User lives in Bonn", "Bonnville is nice"], Some("city")),
            ("住在海口，喜欢茶", ["去过海口", "喜欢茶"], Some("city")),
            ("City: Bonn; likes jazz", ["City: Bonn", "Likes jazz"], None),
            ("Likes jazz and lives in Bonn.", ["Lives in Bonn.", "Likes jazz"], None),
            ("- Lives in Bonn\n- Likes jazz", ["Lives in Bonn", "Likes jazz"], None),
            ("住在海口，喜欢茶", ["住在海口", "喜欢茶"], None),
            ("Likes jazz and blues", ["Likes jazz", "Likes blues"], None),
        ] {
            assert_eq!(added_field(merged, &items, &sensitive).as_deref(), field, "{merged}");
        }
        assert_eq!(added_field("City: Bonn", &["Bonn"], &[]), None);
    }
}
