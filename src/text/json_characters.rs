//! Finds characters that JSON forbids: lenient parsers take them, and the programs that read the file do not.
//!
//! Never parses: it knows strings and comments, and nothing else of a text.

/// The offset of a character that JSON forbids (RFC 8259, sections 2 and 7): a control
/// character in a string, or another blank than space, tab and line end outside one.
pub fn first_forbidden(text: &str) -> Option<usize> {
    let bytes = text.as_bytes();
    let (mut at, mut in_string) = (0, false);
    while at < bytes.len() {
        match bytes[at] {
            b'\\' if in_string => at += 1,
            b'"' => in_string = !in_string,
            b'/' if !in_string => at += comment_length(&text[at..]).saturating_sub(1),
            byte if in_string && byte < b' ' => return Some(at),
            b' ' | b'\t' | b'\n' | b'\r' => {}
            byte if !in_string && !byte.is_ascii_graphic() => return Some(at),
            _ => {}
        }
        at += 1;
    }
    None
}

/// The bytes of a comment, with its end.
fn comment_length(text: &str) -> usize {
    if text.starts_with("/*") {
        text.find("*/").map_or(text.len(), |end| end + 2)
    } else {
        text.find('\n').unwrap_or(text.len())
    }
}

#[cfg(test)]
mod tests {
    use super::first_forbidden;

    #[test]
    fn control_characters_and_odd_blanks_are_forbidden_outside_comments() {
        for (text, expected) in [
            ("{\"a\": \"x\ty\"}", Some(8)),
            ("{\"a\":\u{a0}1}", Some(5)),
            ("{\"a\": \"\\\"\u{a0}\"}\r\n", None),
            ("{ // \u{c}\n \"a\": 1 /* \u{c} */ }", None),
        ] {
            assert_eq!(first_forbidden(text), expected, "{text:?}");
        }
    }
}
