//! Formats names and values for error messages: quoting, suggestions, lists.
//!
//! Never repeats more than 60 characters of a foreign text.

use crate::text::similarity::edit_distance;

/// Quotes and escapes a foreign text for a message, at most 60 characters long.
pub fn quote_short(text: &str) -> String {
    let mut out = String::from("'");
    let mut remaining: usize = 58;
    for c in text.chars() {
        let piece: String = match c {
            // `escape_debug` prints direction and format characters unchanged, and they can mislead in a terminal.
            '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2060}'..='\u{206f}' | '\u{feff}' => {
                c.escape_unicode().collect()
            }
            '\'' | '"' => c.into(),
            _ => c.escape_debug().collect(),
        };
        let length = piece.chars().count();
        if length > remaining.saturating_sub(1) {
            out.push('…');
            break;
        }
        remaining -= length;
        out.push_str(&piece);
    }
    out.push('\'');
    out
}

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
    fn a_foreign_text_is_quoted_short_and_escaped() {
        assert_eq!(quote_short("a'b"), "'a'b'");
        assert_eq!(quote_short("a\u{1b}[31m\n\u{202e}"), "'a\\u{1b}[31m\\n\\u{202e}'");
        for text in ["x".repeat(500), "\u{1b}".repeat(500), "é".repeat(58)] {
            assert!(quote_short(&text).chars().count() <= 60, "{}", quote_short(&text));
        }
    }

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
