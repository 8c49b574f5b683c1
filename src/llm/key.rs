//! An API key that cannot be printed: its `Debug` output is an ellipsis.
//!
//! Never logs or stores keys.

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

    /// Replaces the key in a text by an ellipsis.
    pub fn redact(&self, text: &str) -> String {
        // Shorter keys are not secret, and would match parts of ordinary words.
        if self.0.len() < 4 { text.to_owned() } else { text.replace(&self.0, "…") }
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
}
