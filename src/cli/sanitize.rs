//! Escapes memory text for one line of output and for a terminal, because models write it and it may be hostile.
//!
//! Never changes what `read` prints to a pipe.

use std::fmt::Write;

use crate::text::is_invisible;

/// Appends a text as a part of one line, with control characters escaped. With `terminal`, also escapes invisible
/// characters and those that change the text direction.
pub fn escape_line(out: &mut String, text: &str, terminal: bool) {
    // A fold without early exit is vectorised by the compiler; `all` is not.
    if text.bytes().fold(true, |all, b| all & (0x20..0x7f).contains(&b)) {
        return out.push_str(text);
    }
    for c in text.chars() {
        match c {
            '\n' => out.push_str("\\n"),
            '\t' => out.push_str("\\t"),
            '\r' => out.push_str("\\r"),
            c => push_escaped(out, c, terminal),
        }
    }
}

/// Appends a text of several lines, escaped for a terminal; line ends and tabs are kept.
pub fn escape_lines(out: &mut String, text: &str, terminal: bool) {
    let mut chars = text.chars().peekable();
    while let Some(c) = chars.next() {
        match c {
            '\n' | '\t' => out.push(c),
            '\r' if chars.peek() == Some(&'\n') => {}
            c => push_escaped(out, c, terminal),
        }
    }
}

fn push_escaped(out: &mut String, c: char, terminal: bool) {
    match c {
        '\0'..='\x1f' | '\x7f' => drop(write!(out, "\\x{:02x}", c as u32)),
        '\u{80}'..='\u{9f}' => drop(write!(out, "\\u{{{:x}}}", c as u32)),
        c if terminal && is_invisible(c) => drop(write!(out, "\\u{{{:x}}}", c as u32)),
        c => out.push(c),
    }
}

/// Escapes JSON for a terminal: characters that JSON allows but a terminal must not receive become `\u` and four
/// hexadecimal digits, which parses to the same value.
pub fn escape_json(text: String) -> String {
    let harmful = |c: char| matches!(c, '\x7f'..='\u{9f}') || is_invisible(c);
    if text.is_ascii() && !text.contains('\x7f') || !text.contains(harmful) {
        return text;
    }
    let mut out = String::with_capacity(text.len() + 16);
    for c in text.chars() {
        if harmful(c) {
            out.extend(c.encode_utf16(&mut [0; 2]).iter().map(|unit| format!("\\u{unit:04x}")))
        } else {
            out.push(c)
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(text: &str, pipe: &str, terminal: &str) {
        for (on, shown) in [(false, pipe), (true, terminal)] {
            let mut out = String::new();
            escape_line(&mut out, text, on);
            assert_eq!(out, shown, "{text:?}");
        }
    }

    #[test]
    fn a_line_stays_a_line() {
        check("tee 茶 👩‍💻", "tee 茶 👩‍💻", "tee 茶 👩‍💻");
        check("a\nb\tc\r", "a\\nb\\tc\\r", "a\\nb\\tc\\r");
        check("\x1b[31mred\x07", "\\x1b[31mred\\x07", "\\x1b[31mred\\x07");
        check("\u{9b}2J", "\\u{9b}2J", "\\u{9b}2J");
        check("a\u{202e}b", "a\u{202e}b", "a\\u{202e}b");
    }

    #[test]
    fn json_keeps_its_meaning() {
        let text = "{\"a\":\"tee 茶 \u{202e}\u{9b}\u{7f}\u{e0041}\"}\n";
        let shown = escape_json(text.to_owned());
        assert_eq!(shown, "{\"a\":\"tee 茶 \\u202e\\u009b\\u007f\\udb40\\udc41\"}\n");
        let value = |t: &str| serde_json::from_str::<serde_json::Value>(t).unwrap();
        assert_eq!(value(&shown), value(text));
    }

    #[test]
    fn a_text_keeps_its_lines() {
        let mut out = String::new();
        escape_lines(&mut out, "a\r\n\tb\x1b\n", true);
        assert_eq!(out, "a\n\tb\\x1b\n");
    }
}
