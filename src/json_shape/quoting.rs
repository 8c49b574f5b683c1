//! Formats names for error messages: suggestions, lists.
//!
//! Never quotes a foreign text: [`crate::code::quote_short`] does.

use crate::text::similarity::edit_distance;

/// Returns the closest known name: at most two characters away, or three for a long name.
pub fn nearest_name<'a>(name: &str, known: impl Iterator<Item = &'a str>) -> Option<&'a str> {
    if name.len() > 64 {
        return None;
    }
    let normalize = |s: &str| s.to_lowercase().replace(['-', ' '], "_");
    let name = normalize(name);
    let max_distance = (name.chars().count() / 3).clamp(1, 3);
    known.filter_map(|k| Some((edit_distance(&name, &normalize(k), max_distance)?, k))).min().map(|(_, k)| k)
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
        check("colour", None);
        check("", None);
    }
}
