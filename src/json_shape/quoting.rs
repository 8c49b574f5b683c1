//! Formats names for error messages: suggestions, lists.
//!
//! Never quotes a foreign text: [`crate::code::quote_short`] does.

use crate::text::similarity::edit_distance;

/// What other tools call a field, and its name here.
const NAMES_ELSEWHERE: [(&str, &str); 8] = [
    ("content", "text"),
    ("body", "text"),
    ("value", "text"),
    ("content", "entry"),
    ("body", "entry"),
    ("text", "entry"),
    ("path", "at"),
    ("address", "at"),
];

/// Returns the known name of what other tools call so, else the closest one: at most two characters away, or three for a
/// long name.
pub fn nearest_name<'a>(name: &str, known: impl Iterator<Item = &'a str>) -> Option<&'a str> {
    if name.len() > 64 {
        return None;
    }
    let normalize = |s: &str| s.to_lowercase().replace(['-', ' '], "_");
    let name = normalize(name);
    let known: Vec<&str> = known.collect();
    let of_others = NAMES_ELSEWHERE.iter().find(|(other, own)| *other == name && known.contains(own));
    if let Some((_, own)) = of_others {
        return Some(own);
    }
    let max_distance = (name.chars().count() / 3).clamp(1, 3);
    known
        .into_iter()
        .filter_map(|k| Some((edit_distance(&name, &normalize(k), max_distance)?, k)))
        .min()
        .map(|(_, k)| k)
}

/// Formats a list: `'a', 'b' or 'c'`.
pub fn quote_list(words: &[&str], last: &str) -> String {
    match words {
        [] => String::new(),
        [word] => format!("'{word}'"),
        [head @ .., tail] => {
            let head = head.iter().map(|w| format!("'{w}'")).collect::<Vec<_>>().join(", ");
            format!("{head} {last} '{tail}'")
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_a_similar_name_is_suggested() {
        let known = ["text", "title", "old_sub_memory", "at"];
        let check = |name, want| assert_eq!(nearest_name(name, known.into_iter()), want, "{name}");
        check("txet", Some("text"));
        check("Old-Sub-Memory", Some("old_sub_memory"));
        check("old_submemory", Some("old_sub_memory"));
        check("content", Some("text"));
        check("address", Some("at"));
        assert_eq!(nearest_name("content", ["consent", "title"].into_iter()), Some("consent"));
        check("colour", None);
        check("", None);
    }
}
