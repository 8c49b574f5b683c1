//! How wide a text is on a terminal or in an editor.
//!
//! Never counts bytes or characters: a Chinese character takes two columns, a combining accent none.

use unicode_width::UnicodeWidthStr;

/// The number of columns a line takes (East Asian wide characters and emoji take two).
pub fn columns(line: &str) -> usize {
    if line.is_ascii() { line.len() } else { line.width() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn wide_characters_take_two_columns() {
        assert_eq!((columns("abc"), columns("猫a"), columns("e\u{301}"), columns("🦀")), (3, 3, 1, 2));
    }
}
