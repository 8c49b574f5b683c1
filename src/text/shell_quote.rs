//! Quotes words for a POSIX shell.

/// Quotes a word for a POSIX shell, if it needs that.
pub fn shell_quote(word: &str) -> String {
    if !word.is_empty() && word.chars().all(|c| c.is_ascii_alphanumeric() || "._/@%+=:,-".contains(c)) {
        word.to_owned()
    } else {
        format!("'{}'", word.replace('\'', "'\\''"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_with_a_meaning_in_a_shell_are_quoted() {
        assert_eq!(shell_quote("facts/user.md"), "facts/user.md");
        assert_eq!(shell_quote("it's"), "'it'\\''s'");
        assert_eq!(shell_quote(""), "''");
    }
}
