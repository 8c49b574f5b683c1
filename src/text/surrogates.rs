//! Halves of characters in JSON, as JavaScript leaves them where it cuts an emoji in two: `"\ud83d"`.
//!
//! Never changes the length of a text: such an escape becomes that of U+FFFD.

use std::borrow::Cow;

use serde_json::Value;

/// Replaces escapes of surrogates without their other half by `\ufffd`. Returns their number.
pub fn mend_surrogates(json: &mut [u8]) -> usize {
    let (mut mended, mut at) = (0, 0);
    while let Some(start) = next_half(json, at) {
        json[start + 2..start + 6].copy_from_slice(b"fffd");
        mended += 1;
        at = start + 6;
    }
    mended
}

/// The JSON with such escapes replaced; itself if there is none.
pub fn mended(json: &[u8]) -> Cow<'_, [u8]> {
    if next_half(json, 0).is_none() {
        return Cow::Borrowed(json);
    }
    let mut bytes = json.to_vec();
    mend_surrogates(&mut bytes);
    Cow::Owned(bytes)
}

/// Where the next escape of a surrogate without its other half starts.
fn next_half(json: &[u8], mut at: usize) -> Option<usize> {
    while let Some(found) = memchr::memchr(b'\\', &json[at..]) {
        let start = at + found;
        let is_escape = |from: usize, signs: &[u8]| {
            let digits = json.get(from + 2..from + 6);
            json.get(from..from + 2) == Some(b"\\u")
                && digits.is_some_and(|digits| {
                    digits[0].eq_ignore_ascii_case(&b'd')
                        && signs.contains(&digits[1].to_ascii_lowercase())
                        && digits.iter().all(u8::is_ascii_hexdigit)
                })
        };
        let (is_high, is_low) = (is_escape(start, b"89ab"), is_escape(start, b"cdef"));
        let is_pair = is_high && is_escape(start + 6, b"cdef");
        match (is_pair, is_high || is_low) {
            (true, _) => at = start + 12,
            (false, true) => return Some(start),
            (false, false) => at = (start + 2).min(json.len()),
        }
    }
    None
}

/// Parses JSON; what of its strings is no text becomes U+FFFD: invalid UTF-8, and halves of characters.
pub fn parse_lossy(json: &[u8]) -> Option<Value> {
    if let Ok(value) = serde_json::from_slice(json) {
        return Some(value);
    }
    let mut text = match String::from_utf8_lossy(json) {
        Cow::Borrowed(text) => text.as_bytes().to_vec(),
        Cow::Owned(text) => text.into_bytes(),
    };
    mend_surrogates(&mut text);
    serde_json::from_slice(&text).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_halves_of_characters_are_replaced() {
        let check = |before: &str, after: &str, count: usize| {
            let mut bytes = before.as_bytes().to_vec();
            assert_eq!(mend_surrogates(&mut bytes), count, "{before}");
            assert_eq!(std::str::from_utf8(&bytes), Ok(after));
        };
        check(r#""\ud83d\ude00""#, r#""\ud83d\ude00""#, 0);
        check(r#""a\ud83d""#, r#""a\ufffd""#, 1);
        check(r#""\uDE00b\uD83D\n""#, r#""\ufffdb\ufffd\n""#, 2);
        check(r#""\ud83d\ud83d\ude00""#, r#""\ufffd\ud83d\ude00""#, 1);
        check(r#""\\ud83d\u00e9\"#, r#""\\ud83d\u00e9\"#, 0);
    }

    #[test]
    fn a_string_that_is_no_text_is_read() {
        assert_eq!(parse_lossy(b"{\"a\":\"x\\ud83d y\xff\"}"), Some(serde_json::json!({"a": "x\u{fffd} y\u{fffd}"})));
        assert_eq!(parse_lossy(b"{\"a\":"), None);
        assert_eq!(parse_lossy(b"\xff\xfe{}"), None);
    }
}
