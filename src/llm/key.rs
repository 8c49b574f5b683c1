//! A key that cannot be seen: what is printed of it is an ellipsis.
//!
//! Never compares, logs or stores keys.

/// A provider's key.
#[derive(Clone, PartialEq, Eq)]
pub struct Key(String);

impl Key {
    /// A key, without the white space around it. `None` for what cannot be one: nothing, or more than one word of
    /// visible ASCII (it goes into a header).
    pub fn new(text: &str) -> Option<Key> {
        let text = text.trim();
        (!text.is_empty() && text.bytes().all(|b| b.is_ascii_graphic())).then(|| Key(text.to_owned()))
    }

    /// The key itself, for the one header that carries it.
    pub(super) fn secret(&self) -> &str {
        &self.0
    }

    /// A text in which the key, should it stand there, is blotted out.
    pub fn blot(&self, text: &str) -> String {
        // Shorter ones are no secrets, and stand in any text.
        if self.0.len() < 4 { text.to_owned() } else { text.replace(&self.0, "…") }
    }
}

impl std::fmt::Debug for Key {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("…")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_key_is_one_word() {
        assert_eq!(Key::new(" sk-1\n").map(|k| k.secret().to_owned()), Some("sk-1".into()));
        for bad in ["", " \n", "two words", "sk-1\nsk-2", "schlüssel", "a\0b"] {
            assert_eq!(Key::new(bad), None, "{bad:?}");
        }
    }

    #[test]
    fn a_key_is_not_shown() {
        let key = Key::new("sk-secret").unwrap();
        assert_eq!(format!("{key:?} {:?}", Some(&key)), "… Some(…)");
        assert_eq!(key.blot("bad key sk-secret, sk-secret!"), "bad key …, …!");
    }
}
