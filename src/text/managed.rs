//! A block of lines that a program keeps in somebody else's file, between two marks.
//!
//! Never touches a byte outside its block, and takes out exactly what it put in.

use std::ops::Range;

/// The line above a block.
pub const BEGIN: &str = "# memdir begin";
/// The line below a block.
pub const END: &str = "# memdir end";
/// Stands behind [`BEGIN`] where the file's own last line had no line end before the block came.
const OPEN: &str = "; the line above had no line end";

/// The text with these lines in the block; an existing block is replaced where it stands, else one is added at the end.
pub fn put(text: &str, lines: &[&str]) -> String {
    let body: String = lines.iter().map(|line| format!("{line}\n")).collect();
    if let Some(block) = find(text) {
        let first = text[block.clone()].lines().next().unwrap_or(BEGIN);
        let rest = &text[block.end..];
        return format!("{}{first}\n{body}{END}\n{rest}", &text[..block.start]);
    }
    match text.is_empty() || text.ends_with('\n') {
        true => format!("{text}{BEGIN}\n{body}{END}\n"),
        false => format!("{text}\n{BEGIN}{OPEN}\n{body}{END}\n"),
    }
}

/// The text without the block; `None` where there is none.
pub fn without(text: &str) -> Option<String> {
    let block = find(text)?;
    let mut before = &text[..block.start];
    let rest = &text[block.end..];
    if text[block].starts_with(&format!("{BEGIN}{OPEN}")) && rest.is_empty() {
        before = before.strip_suffix('\n').unwrap_or(before);
    }
    Some(format!("{before}{rest}"))
}

/// Where the block stands, its marks included.
fn find(text: &str) -> Option<Range<usize>> {
    let mut at = 0;
    let mut start = None;
    for line in text.split_inclusive('\n') {
        let bare = line.trim_end();
        if bare == BEGIN || bare.strip_prefix(BEGIN) == Some(OPEN) {
            start = Some(at);
        }
        at += line.len();
        if bare == END
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
    fn a_block_comes_and_goes_and_leaves_every_other_byte() {
        for own in ["", "*.png binary\n", "*.png binary", "a\r\n\r\nb\r\n", "# memdir begin\n", "\n\n"] {
            let with = put(own, &["*.md merge=memdir"]);
            assert!(with.ends_with("*.md merge=memdir\n# memdir end\n"), "{with:?}");
            assert_eq!(put(&with, &["*.md merge=memdir"]), with);
            assert_eq!(without(&with).as_deref(), Some(own));
        }
        assert_eq!(without("a\n"), None);
    }

    #[test]
    fn a_block_is_renewed_where_it_stands() {
        let text = "a\n# memdir begin\nold\n# memdir end\nb\n";
        assert_eq!(put(text, &["new", "er"]), "a\n# memdir begin\nnew\ner\n# memdir end\nb\n");
        assert_eq!(without(text).as_deref(), Some("a\nb\n"));
    }

    #[test]
    fn lines_that_were_added_below_stay_lines() {
        let text = put("a", &["x"]) + "b\n";
        assert_eq!(without(&text).as_deref(), Some("a\nb\n"));
    }
}
