//! Computes the display width of text on a terminal.
//!
//! Never counts bytes or characters: a Chinese character takes two columns, a combining accent takes none.

use unicode_width::UnicodeWidthStr;

/// The width of a line in columns. East Asian wide characters and emoji take two.
pub fn display_width(line: &str) -> usize {
    if line.is_ascii() { line.len() } else { line.width() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn wide_characters_take_two_columns() {
        assert_eq!(
            (display_width("abc"), display_width("猫a"), display_width("e\u{301}"), display_width("🦀")),
            (3, 3, 1, 2)
        );
    }
}
