//! Lines and columns of byte offsets, as findings name them.
//!
//! Never counts bytes as columns: a column is a character.

use std::cell::OnceCell;

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

/// The lines of a text, for offsets in any order: they are counted once, when the first is asked for.
pub(super) struct LineIndex<'a> {
    text: &'a str,
    starts: OnceCell<Vec<usize>>,
}

impl<'a> LineIndex<'a> {
    pub(super) fn of(text: &'a str) -> LineIndex<'a> {
        LineIndex { text, starts: OnceCell::new() }
    }

    /// The 1-based line of a byte offset.
    pub(super) fn line(&self, offset: usize) -> usize {
        let after_breaks = || self.text.match_indices('\n').map(|(at, _)| at + 1).collect();
        self.starts.get_or_init(after_breaks).partition_point(|start| *start <= offset) + 1
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cursor_and_index_say_what_the_count_from_the_start_says() {
        let text = "ä\n\nbc\ndé\n";
        let (mut cursor, lines) = (PlaceCursor::new(text), LineIndex::of(text));
        for at in (0..=text.len()).filter(|at| text.is_char_boundary(*at)).chain([3, 0]) {
            let start = text[..at].rfind('\n').map_or(0, |i| i + 1);
            let expected = (text[..at].matches('\n').count() + 1, text[start..at].chars().count() + 1);
            assert_eq!((cursor.at(at), lines.line(at)), (expected, expected.0), "{at}");
        }
    }
}
