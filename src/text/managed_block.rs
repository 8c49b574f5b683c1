//! Maintains a block of generated lines between two markers in a file that belongs to another program.
//!
//! Never changes a byte outside the block; removing the block restores the original text.

use std::ops::Range;

/// The lines around a block, in the comment syntax of its file. Part of the file format: do not change.
#[derive(Clone, Copy, Debug)]
pub struct BlockMarkers {
    begin: &'static str,
    /// Instead of `begin` if the file had no final line ending before the block was added, so that removal can restore
    /// this.
    begin_without_line_end: &'static str,
    end: &'static str,
}

/// Markers for files with `#` comments: git's, TOML.
pub const HASH: BlockMarkers = BlockMarkers {
    begin: "# memdir begin",
    begin_without_line_end: "# memdir begin; the line above had no line end",
    end: "# memdir end",
};
/// Markers for Markdown: HTML comments.
pub const MARKDOWN: BlockMarkers = BlockMarkers {
    begin: "<!-- memdir begin -->",
    begin_without_line_end: "<!-- memdir begin; the line above had no line end -->",
    end: "<!-- memdir end -->",
};

impl BlockMarkers {
    /// Replaces the lines of the block; appends a block at the end if there is none. `eol` ends its lines.
    pub fn put(&self, text: &str, lines: &[&str], eol: &str) -> String {
        let body: String = lines.iter().chain([&self.end]).map(|line| format!("{line}{eol}")).collect();
        if let Some(block) = self.find(text) {
            let first = text[block.clone()].lines().next().unwrap_or(self.begin);
            return format!("{}{first}{eol}{body}{}", &text[..block.start], &text[block.end..]);
        }
        match text.is_empty() || text.ends_with('\n') {
            true => format!("{text}{}{eol}{body}", self.begin),
            false => format!("{text}\n{}{eol}{body}", self.begin_without_line_end),
        }
    }

    /// Removes the block; `None` if there is none.
    pub fn remove(&self, text: &str) -> Option<String> {
        let block = self.find(text)?;
        let mut before = &text[..block.start];
        let rest = &text[block.end..];
        if text[block].starts_with(self.begin_without_line_end) && rest.is_empty() {
            before = before.strip_suffix('\n').unwrap_or(before);
        }
        Some(format!("{before}{rest}"))
    }

    /// Byte range of the block including its markers.
    fn find(&self, text: &str) -> Option<Range<usize>> {
        let mut at = 0;
        let mut start = None;
        for line in text.split_inclusive('\n') {
            let trimmed = line.trim_end();
            if [self.begin, self.begin_without_line_end].contains(&trimmed) {
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

/// Puts lines into the block of a file with `#` comments.
pub fn put(text: &str, lines: &[&str]) -> String {
    HASH.put(text, lines, "\n")
}

/// Removes the block of a file with `#` comments; `None` if there is none.
pub fn remove(text: &str) -> Option<String> {
    HASH.remove(text)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn adding_and_removing_a_block_keeps_every_other_byte() {
        for own in ["", "*.png binary\n", "*.png binary", "a\r\n\r\nb\r\n", "# memdir begin\n", "\n\n"] {
            let with = put(own, &["*.md merge=memdir"]);
            assert!(with.ends_with("*.md merge=memdir\n# memdir end\n"), "{with:?}");
            assert_eq!(put(&with, &["*.md merge=memdir"]), with);
            assert_eq!(remove(&with).as_deref(), Some(own));
        }
        assert_eq!(remove("a\n"), None);
    }

    #[test]
    fn a_block_in_markdown_is_hidden_and_removed() {
        for own in ["", "# Agents\r\n\r\n- a\r\n", "# Agents", "<!-- memdir begin -->\n"] {
            let with = MARKDOWN.put(own, &["x", ""], "\r\n");
            assert!(with.ends_with("-->\r\nx\r\n\r\n<!-- memdir end -->\r\n"), "{with:?}");
            assert_eq!(MARKDOWN.put(&with, &["x", ""], "\r\n"), with);
            assert_eq!(MARKDOWN.remove(&with).as_deref(), Some(own));
        }
    }

    #[test]
    fn an_existing_block_is_replaced_in_place() {
        let text = "a\n# memdir begin\nold\n# memdir end\nb\n";
        assert_eq!(put(text, &["new", "er"]), "a\n# memdir begin\nnew\ner\n# memdir end\nb\n");
        assert_eq!(remove(text).as_deref(), Some("a\nb\n"));
    }

    #[test]
    fn lines_that_were_added_below_stay_lines() {
        let text = put("a", &["x"]) + "b\n";
        assert_eq!(remove(&text).as_deref(), Some("a\nb\n"));
    }
}
