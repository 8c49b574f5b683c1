//! Lines and columns of byte offsets, as findings name them.
//!
//! Never counts bytes as columns: a column is a character.

/// The line and column of one offset after the other in a text, each found from the one before it.
pub(super) struct PlaceCursor<'a> {
    text: &'a str,
    at: usize,
    line: usize,
    col: usize,
}

impl<'a> PlaceCursor<'a> {
    pub(super) fn new(text: &'a str) -> PlaceCursor<'a> {
        PlaceCursor { text, at: 0, line: 1, col: 1 }
    }

    /// The 1-based line and column of a byte offset.
    pub(super) fn at(&mut self, offset: usize) -> (usize, usize) {
        if offset < self.at {
            *self = PlaceCursor::new(self.text);
        }
        let passed = &self.text[self.at..offset];
        match passed.rfind('\n') {
            Some(last) => {
                self.line += passed.matches('\n').count();
                self.col = passed[last + 1..].chars().count() + 1;
            }
            None => self.col += passed.chars().count(),
        }
        self.at = offset;
        (self.line, self.col)
    }
}

/// The 1-based line and column of a byte offset.
pub(super) fn line_and_column(text: &str, at: usize) -> (usize, usize) {
    let before = &text[..at];
    let start = before.rfind('\n').map_or(0, |i| i + 1);
    (before.matches('\n').count() + 1, before[start..].chars().count() + 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_cursor_says_what_the_count_from_the_start_says() {
        let text = "ä\n\nbc\ndé\n";
        let mut cursor = PlaceCursor::new(text);
        for at in (0..=text.len()).filter(|at| text.is_char_boundary(*at)).chain([3, 0]) {
            assert_eq!(cursor.at(at), line_and_column(text, at), "{at}");
        }
    }
}
