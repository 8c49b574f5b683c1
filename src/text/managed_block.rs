//! Maintains a block of generated lines between two markers in a file that belongs to another program.
//!
//! Never changes a byte outside the block; removing the block restores the original text.

use std::ops::Range;

pub const BEGIN: &str = "# memdir begin";
pub const END: &str = "# memdir end";
/// Suffix of the first marker if the file had no final line ending before the block was added, so that removal can
/// restore this. Part of the file format: do not change.
const NO_EOL_SUFFIX: &str = "; the line above had no line end";

/// Replaces the lines of the block; appends a block at the end if there is none.
pub fn put(text: &str, lines: &[&str]) -> String {
    let body: String = lines.iter().map(|line| format!("{line}\n")).collect();
    if let Some(block) = find(text) {
        let first = text[block.clone()].lines().next().unwrap_or(BEGIN);
        let rest = &text[block.end..];
        return format!("{}{first}\n{body}{END}\n{rest}", &text[..block.start]);
    }
    match text.is_empty() || text.ends_with('\n') {
        true => format!("{text}{BEGIN}\n{body}{END}\n"),
        false => format!("{text}\n{BEGIN}{NO_EOL_SUFFIX}\n{body}{END}\n"),
    }
}

/// Removes the block; `None` if there is none.
pub fn remove(text: &str) -> Option<String> {
    let block = find(text)?;
    let mut before = &text[..block.start];
    let rest = &text[block.end..];
    if text[block].starts_with(&format!("{BEGIN}{NO_EOL_SUFFIX}")) && rest.is_empty() {
        before = before.strip_suffix('\n').unwrap_or(before);
    }
    Some(format!("{before}{rest}"))
}

/// Byte range of the block including its markers.
fn find(text: &str) -> Option<Range<usize>> {
    let mut at = 0;
    let mut start = None;
    for line in text.split_inclusive('\n') {
        let trimmed = line.trim_end();
        if trimmed == BEGIN || trimmed.strip_prefix(BEGIN) == Some(NO_EOL_SUFFIX) {
            start = Some(at);
        }
        at += line.len();
        if trimmed == END
            && let Some(start) = start
        {
            return Some(start..at);
        }
    }
    None
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
