//! Quotes foreign texts in messages: escaped, and cut to a length.
//!
//! Never lets a control, direction or format character through: it could mislead in a terminal.

/// The length, in characters, to which [`quote_short`] cuts a text, its quotes included.
const SHORT: usize = 60;

/// Quotes and escapes a foreign text for a message, at most 60 characters long.
pub fn quote_short(text: &str) -> String {
    quote(text, SHORT)
}

/// Quotes and escapes a foreign text, at most `most` characters long; what is cut is marked with an ellipsis.
pub fn quote(text: &str, most: usize) -> String {
    format!("'{}'", escape(text, most.saturating_sub(2)))
}

/// Escapes a foreign text without quoting it, as [`quote`].
pub fn escape(text: &str, most: usize) -> String {
    let (mut out, mut remaining) = (String::new(), most);
    let mut chars = text.chars().peekable();
    while let Some(c) = chars.next() {
        let piece: String = match c {
            '\'' | '"' => c.into(),
            _ => c.escape_debug().collect(),
        };
        let length = piece.chars().count();
        // The last character needs no room for an ellipsis behind it.
        if length + usize::from(chars.peek().is_some()) > remaining {
            out.push('…');
            break;
        }
        remaining -= length;
        out.push_str(&piece);
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_foreign_text_is_quoted_short_and_escaped() {
        assert_eq!(quote_short("a'b\"c"), "'a'b\"c'");
        assert_eq!(quote_short("a\u{1b}[31m\n\u{202e}\u{200b}"), "'a\\u{1b}[31m\\n\\u{202e}\\u{200b}'");
        assert_eq!(quote("abcdef", 6), "'abc…'");
        assert_eq!(quote("abcd", 6), "'abcd'");
        assert_eq!(escape("ab\n", 3), "ab…");
        assert_eq!(escape("can't open ref 'x'", 40), "can't open ref 'x'");
        for text in ["x".repeat(500), "\u{1b}".repeat(500), "é".repeat(58)] {
            assert!(quote_short(&text).chars().count() <= 60, "{}", quote_short(&text));
        }
    }
}
