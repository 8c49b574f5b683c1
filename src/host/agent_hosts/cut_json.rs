//! Closes a JSON text of which only the beginning was read.
//!
//! Never reads a value: only strings, escapes and brackets count.

/// The deepest value that is closed: what a host sends has fewer levels.
const MAX_DEPTH: usize = 32;

/// The beginning of a JSON object as a whole one, with its last string and its brackets closed; `None` unless it ends
/// within a string that is a value. A character may be cut in half.
pub fn close_cut_json(bytes: &[u8]) -> Option<Vec<u8>> {
    let mut open = Vec::new();
    // Of a string that is read: where its last whole character ends, and how many bytes of an escape are missing.
    let (mut string_end, mut missing) = (None, 0);
    // Whether a string is a value: behind a colon, or in a list.
    let mut is_value = false;
    for (at, byte) in bytes.iter().enumerate() {
        if string_end.is_some() {
            match byte {
                b'u' if missing == 1 && bytes[at - 1] == b'\\' => missing = 4,
                _ if missing > 0 => missing -= 1,
                b'\\' => missing = 1,
                b'"' => string_end = None,
                _ => {}
            }
            if let Some(end) = string_end.as_mut().filter(|_| missing == 0) {
                *end = at + 1;
            }
            continue;
        }
        match byte {
            b'"' => string_end = Some(at + 1),
            b'{' => {
                open.push(b'}');
                is_value = false;
            }
            b'[' => {
                open.push(b']');
                is_value = true;
            }
            b'}' | b']' => drop(open.pop()),
            b':' => is_value = true,
            b',' => is_value = open.last() == Some(&b']'),
            _ => {}
        }
        if open.len() > MAX_DEPTH {
            return None;
        }
    }
    let end = string_end.filter(|_| is_value && !open.is_empty())?;
    let mut closed = bytes[..end].to_vec();
    closed.push(b'"');
    closed.extend(open.iter().rev());
    Some(closed)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::text::surrogates::parse_lossy;

    #[test]
    fn a_string_is_closed_wherever_it_is_cut() {
        let whole = r#"{"a":{"path":"x","list":["y"],"text":"line\n \\ \" \u00e9 \ud83d\ude00 é😀 \\\\ u end"}}"#;
        for end in whole.find("line").unwrap()..whole.len() - 3 {
            let closed = close_cut_json(&whole.as_bytes()[..end]).unwrap();
            let value = parse_lossy(&closed).unwrap_or_else(|| panic!("{end}: {}", String::from_utf8_lossy(&closed)));
            assert_eq!((value["a"]["path"].as_str(), value["a"]["text"].is_string()), (Some("x"), true), "{end}");
        }
    }

    #[test]
    fn another_beginning_is_not_closed() {
        let deep = "[".repeat(100) + "\"";
        for text in ["", "{", "{\"a", "{\"a\":1", "{\"a\":\"b\"}", "{\"a\":\"b\",\"c", "\"a", deep.as_str()] {
            assert_eq!(close_cut_json(text.as_bytes()), None, "{text}");
        }
        assert_eq!(close_cut_json(b"{\"a\":[\"b").as_deref(), Some(&b"{\"a\":[\"b\"]}"[..]));
    }
}
