//! An API key that cannot be printed: its `Debug` output is an ellipsis.
//!
//! Never logs or stores keys.

use std::collections::HashSet;

use serde_json::Value;

use crate::text::json_strings::map_strings;

/// The length of a part of a key that must not be shown, in bytes.
const MIN_PART_LEN: usize = 8;

/// The least length of a key of plain words that is looked for in an answer, in bytes.
const MIN_WORDS_LEN: usize = 12;

/// A provider's API key.
#[derive(Clone, PartialEq, Eq)]
pub struct ApiKey(String);

impl ApiKey {
    /// Trims white space. `None` for text that cannot be a key: empty, or anything but one word of visible ASCII (the
    /// key becomes an HTTP header value).
    pub fn new(text: &str) -> Option<ApiKey> {
        let text = text.trim();
        (!text.is_empty() && text.bytes().all(|b| b.is_ascii_graphic())).then(|| ApiKey(text.to_owned()))
    }

    /// The key itself, for the header that carries it.
    pub(super) fn secret(&self) -> &str {
        &self.0
    }

    /// Replaces the key in an answer of a model. What local servers are given for a key (`test`, `ollama`, `none`) is a
    /// word that an answer may contain: such a key is replaced only if it is long, and only as a whole.
    pub fn redact_in_answer(&self, text: &str) -> String {
        let is_words = self.is_plain_words();
        match self.0.len() {
            MIN_PART_LEN.. if !is_words => self.redact(text),
            MIN_WORDS_LEN.. if is_words => text.replace(&self.0, "…"),
            MIN_PART_LEN.. if self.0.starts_with("sk-") => text.replace(&self.0, "…"),
            _ => text.to_owned(),
        }
    }

    /// Whether the key has no digits and does not mix upper and lower case.
    fn is_plain_words(&self) -> bool {
        let has = |test: fn(&u8) -> bool| self.0.bytes().any(|b| test(&b));
        !(has(u8::is_ascii_digit) || has(u8::is_ascii_lowercase) && has(u8::is_ascii_uppercase))
    }

    /// Replaces the key in a message of a host by an ellipsis, and every part of it of 8 characters or more: hosts
    /// shorten keys in their messages.
    pub fn redact(&self, text: &str) -> String {
        // Shorter keys are not secret, and would match parts of ordinary words.
        if self.0.len() < 4 {
            return text.to_owned();
        }
        let part_len = self.0.len().min(MIN_PART_LEN);
        let parts: HashSet<&[u8]> = self.0.as_bytes().windows(part_len).collect();
        let mut out = String::with_capacity(text.len());
        // `hidden_to` is the end of the last part that was found, `copied_to` of the text that is done.
        let (mut hidden_to, mut copied_to) = (0, 0);
        for (at, window) in text.as_bytes().windows(part_len).enumerate().filter(|(_, window)| parts.contains(window)) {
            // A key is ASCII, so a part starts and ends at character boundaries.
            debug_assert!(window.is_ascii());
            if at >= hidden_to {
                out.push_str(&text[copied_to..at]);
                out.push('…');
            }
            hidden_to = at + part_len;
            copied_to = hidden_to;
        }
        out.push_str(&text[copied_to..]);
        out
    }

    /// As [`ApiKey::redact_in_answer`] in every string of a JSON value.
    pub fn redact_in_arguments(&self, value: &mut Value) {
        map_strings(value, &|text| self.redact_in_answer(text));
    }
}

impl std::fmt::Debug for ApiKey {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("…")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_key_is_one_word() {
        assert_eq!(ApiKey::new(" sk-1\n").map(|k| k.secret().to_owned()), Some("sk-1".into()));
        for bad in ["", " \n", "two words", "sk-1\nsk-2", "schlüssel", "a\0b"] {
            assert_eq!(ApiKey::new(bad), None, "{bad:?}");
        }
    }

    #[test]
    fn a_key_is_not_shown() {
        let key = ApiKey::new("sk-secret").unwrap();
        assert_eq!(format!("{key:?} {:?}", Some(&key)), "… Some(…)");
        assert_eq!(key.redact("bad key sk-secret, sk-secret!"), "bad key …, …!");
    }

    #[test]
    fn no_part_of_a_key_is_shown() {
        let key = ApiKey::new("sk-a1b2c3d4e5f6g7h8").unwrap();
        assert_eq!(key.redact("provided: sk-a1b2c***f6g7h8; ends in e5f6g7h8"), "provided: …***f6g7h8; ends in …");
        assert_eq!(key.redact("键sk-a1b2c3d4e5f6g7h8sk-a1b2c3d4e5f6g7h8键"), "键……键");
        assert_eq!(key.redact("sk-a1b2 and h8"), "sk-a1b2 and h8");
        let mut value = serde_json::json!({"a": ["x sk-a1b2c3d4 y", 1], "c3d4e5f6": null});
        key.redact_in_arguments(&mut value);
        assert_eq!(value, serde_json::json!({"a": ["x … y", 1], "…": null}));
    }

    #[test]
    fn a_word_that_stands_for_a_key_stays_in_answers() {
        let text = "Writes the tests for EMPTY tester boards; the ollama server is required, lm-studio is local.";
        for word in ["test", "EMPTY", "ollama", "lm-studio", "local", "sk-no-key-required", "none"] {
            assert_eq!(ApiKey::new(word).unwrap().redact_in_answer(text), text, "{word}");
        }
        assert_eq!(
            ApiKey::new("correct-horse-battery").unwrap().redact_in_answer("a correct-horse-battery b"),
            "a … b"
        );
        assert_eq!(ApiKey::new("sk-a1b2c3d4e5").unwrap().redact_in_answer("half: sk-a1b2c3"), "half: …");
    }
}
