//! Decides whether an answer is longer than the terminal, so that it is shown through the user's pager, as git does.
//!
//! Never starts the pager: `host/pager.rs` does.

use crate::text::display_width;

/// Whether a text needs more rows than a terminal of this size has.
pub fn is_longer(text: &str, rows: usize, columns: usize) -> bool {
    let mut used = 0;
    for line in text.lines() {
        used += display_width(&without_escapes(line)).div_ceil(columns.max(1)).max(1);
        // One row stays free for the prompt.
        if used >= rows {
            return true;
        }
    }
    false
}

/// A line without colours and links.
fn without_escapes(line: &str) -> String {
    let mut plain = String::with_capacity(line.len());
    let mut parts = line.split('\x1b');
    plain.push_str(parts.next().unwrap_or_default());
    let mut is_link = false;
    for part in parts {
        let rest = match part.as_bytes().first() {
            Some(b'[') => part.split_once('m').map_or("", |(_, rest)| rest),
            // `ESC ] 8 ; ; URL ESC \`
            Some(b']') => {
                is_link = true;
                ""
            }
            Some(b'\\') if is_link => {
                is_link = false;
                &part[1..]
            }
            _ => part,
        };
        plain.push_str(rest);
    }
    plain
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_is_measured_as_it_is_shown() {
        let line = "\x1b[1mabc\x1b[0m \x1b]8;;file:///a/b.md\x1b\\b.md\x1b]8;;\x1b\\ end";
        assert_eq!(without_escapes(line), "abc b.md end");
        assert!(!is_longer("a\nb\n", 4, 80) && is_longer("a\nb\nc\nd\n", 4, 80));
        assert!(is_longer(&"x".repeat(300), 4, 80) && !is_longer(&"x".repeat(200), 4, 80));
        assert!(is_longer("茶茶茶茶", 2, 4), "wide characters take two columns");
    }
}
