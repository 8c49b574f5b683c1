//! Maintains a block of generated lines between two markers in a file that belongs to another program.
//!
//! Never changes a byte outside the block; removing the block restores the original text.

use std::ops::Range;

use super::toml_table;

/// The lines around a block, in the comment syntax of its file. Part of the file format: do not change.
#[derive(Clone, Copy, Debug)]
pub struct BlockMarkers {
    begin: &'static str,
    /// Instead of `begin` if the file had no final line ending before the block was added, so that removal can restore
    /// this.
    begin_without_line_end: &'static str,
    /// Instead of `begin` if the file existed and was empty, so that removal leaves it empty.
    begin_in_empty_file: &'static str,
    end: &'static str,
    /// The byte ranges of a text in which a marker is no marker, but part of a string or of an example.
    literal: LiteralRanges,
}

/// Finds the byte ranges of a text that are literal in the syntax of its file.
pub type LiteralRanges = fn(&str) -> Vec<Range<usize>>;

fn no_literals(_: &str) -> Vec<Range<usize>> {
    Vec::new()
}

/// Markers for files with `#` comments and without strings of several lines: git's.
pub const HASH: BlockMarkers = BlockMarkers {
    begin: "# memdir begin",
    begin_without_line_end: "# memdir begin; the line above had no line end",
    begin_in_empty_file: "# memdir begin; the file was empty",
    end: "# memdir end",
    literal: no_literals,
};
/// Markers for TOML.
pub const TOML: BlockMarkers = BlockMarkers { literal: toml_table::multiline_strings, ..HASH };

/// Markers for Markdown: HTML comments.
pub const fn markdown(literal: LiteralRanges) -> BlockMarkers {
    BlockMarkers {
        begin: "<!-- memdir begin -->",
        begin_without_line_end: "<!-- memdir begin; the line above had no line end -->",
        begin_in_empty_file: "<!-- memdir begin; the file was empty -->",
        end: "<!-- memdir end -->",
        literal,
    }
}

impl BlockMarkers {
    /// Replaces the lines of the block; appends a block at the end if there is none. `before` is `None` if the file does
    /// not exist. `eol` ends the lines.
    pub fn put(&self, before: Option<&str>, lines: &[&str], eol: &str) -> String {
        let text = before.unwrap_or_default();
        let body: String = lines.iter().chain([&self.end]).map(|line| format!("{line}{eol}")).collect();
        if let Some(block) = self.find(text) {
            let first = text[block.clone()].lines().next().unwrap_or(self.begin);
            return format!("{}{first}{eol}{body}{}", &text[..block.start], &text[block.end..]);
        }
        match before {
            None => format!("{}{eol}{body}", self.begin),
            Some("") => format!("{}{eol}{body}", self.begin_in_empty_file),
            Some(_) if text.ends_with('\n') => format!("{text}{}{eol}{body}", self.begin),
            Some(_) => format!("{text}\n{}{eol}{body}", self.begin_without_line_end),
        }
    }

    /// The file without the block: as it is if it has none; `None`, no file, if it was created for the block and has
    /// nothing else.
    pub fn remove(&self, before: Option<&str>) -> Option<String> {
        let text = before?;
        let Some(block) = self.find(text) else { return Some(text.to_owned()) };
        let (mut above, rest) = (&text[..block.start], &text[block.end..]);
        let begins_with = |marker: &str| text[block.clone()].starts_with(marker);
        if begins_with(self.begin_without_line_end) && rest.is_empty() {
            above = above.strip_suffix('\n').unwrap_or(above);
        }
        let left = format!("{above}{rest}");
        (!left.is_empty() || begins_with(self.begin_in_empty_file)).then_some(left)
    }

    /// Whether a text has the block.
    pub fn is_in(&self, text: &str) -> bool {
        self.find(text).is_some()
    }

    /// Whether a text has such a block within a string or an example, where it is not maintained.
    pub fn is_in_literal(&self, text: &str) -> bool {
        !self.is_in(text) && BlockMarkers { literal: no_literals, ..*self }.is_in(text)
    }

    /// The lines of the block, without its markers.
    pub fn lines_in(&self, text: &str) -> Option<String> {
        let block = &text[self.find(text)?];
        let mut lines: Vec<&str> = block.split_inclusive('\n').skip(1).collect();
        lines.pop();
        Some(lines.concat())
    }

    /// Byte range of the block including its markers.
    fn find(&self, text: &str) -> Option<Range<usize>> {
        if !text.contains(self.end) {
            return None;
        }
        let literal = (self.literal)(text);
        let mut at = 0;
        let mut start = None;
        for line in text.split_inclusive('\n') {
            let trimmed = line.trim_end();
            if literal.iter().any(|range| range.contains(&at)) {
                at += line.len();
                continue;
            }
            if [self.begin, self.begin_without_line_end, self.begin_in_empty_file].contains(&trimmed) {
                start = Some(at);
            }
            at += line.len();
            if trimmed == self.end
                && let Some(start) = start
            {
                return Some(start..at);
            }
        }
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const MARKDOWN: BlockMarkers = markdown(no_literals);

    #[test]
    fn markers_in_a_string_are_none() {
        let own = "x = \"\"\"\n# memdir begin\nmine\n# memdir end\n\"\"\"\n";
        let with = TOML.put(Some(own), &["y = 1"], "\n");
        assert_eq!(with, format!("{own}# memdir begin\ny = 1\n# memdir end\n"));
        assert_eq!(TOML.lines_in(&with).as_deref(), Some("y = 1\n"));
        assert_eq!(TOML.remove(Some(&with)).as_deref(), Some(own));
        assert_eq!(TOML.remove(Some(own)).as_deref(), Some(own));
        // A block of which only an end is in a string.
        let text = format!("# memdir begin\n{own}");
        assert!(!TOML.is_in(&text) && HASH.is_in(&text));
    }

    #[test]
    fn adding_and_removing_a_block_keeps_every_other_byte() {
        let own = ["", "*.png binary\n", "*.png binary", "a\r\n\r\nb\r\n", "# memdir begin\n", "\n\n"];
        for own in own.map(Some).into_iter().chain([None]) {
            let with = HASH.put(own, &["*.md merge=memdir"], "\n");
            assert!(with.ends_with("*.md merge=memdir\n# memdir end\n"), "{with:?}");
            assert!(HASH.is_in(&with), "{with:?}");
            assert_eq!(HASH.put(Some(&with), &["*.md merge=memdir"], "\n"), with);
            assert_eq!(HASH.remove(Some(&with)).as_deref(), own);
        }
        assert_eq!(HASH.remove(Some("a\n")).as_deref(), Some("a\n"));
        assert_eq!(HASH.remove(None), None);
    }

    #[test]
    fn a_block_in_markdown_is_hidden_and_removed() {
        let own = ["", "# Agents\r\n\r\n- a\r\n", "# Agents", "<!-- memdir begin -->\n"];
        for own in own.map(Some).into_iter().chain([None]) {
            let with = MARKDOWN.put(own, &["x", ""], "\r\n");
            assert!(with.ends_with("-->\r\nx\r\n\r\n<!-- memdir end -->\r\n"), "{with:?}");
            assert_eq!(MARKDOWN.put(Some(&with), &["x", ""], "\r\n"), with);
            assert_eq!(MARKDOWN.remove(Some(&with)).as_deref(), own);
        }
    }

    #[test]
    fn an_existing_block_is_replaced_in_place() {
        let text = "a\n# memdir begin\nold\n# memdir end\nb\n";
        let with = HASH.put(Some(text), &["new", "er"], "\n");
        assert_eq!(with, "a\n# memdir begin\nnew\ner\n# memdir end\nb\n");
        assert_eq!(HASH.remove(Some(text)).as_deref(), Some("a\nb\n"));
    }

    #[test]
    fn lines_that_were_added_below_stay_lines() {
        let text = HASH.put(Some("a"), &["x"], "\n") + "b\n";
        assert_eq!(HASH.remove(Some(&text)).as_deref(), Some("a\nb\n"));
    }
}
