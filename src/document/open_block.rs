//! Finds a code block, comment or other HTML at the end of a file that was never closed: whatever is appended would become
//! part of it.

use std::fmt;

use super::{BlockKind, Document};

/// A block that reaches to the end of its file because nothing closes it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OpenBlock {
    /// The line of its start, 1-based.
    line: usize,
    /// What it is, for a sentence.
    name: &'static str,
    /// What would close it.
    closing: String,
}

/// How to mend it.
impl fmt::Display for OpenBlock {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let OpenBlock { line, name, closing } = self;
        write!(f, "the {name} that starts in line {line} is not closed; close it with '{closing}'")
    }
}

impl OpenBlock {
    /// The line of its start, 1-based.
    pub fn line(&self) -> usize {
        self.line
    }
}

impl Document {
    /// The unclosed block at the end, if there is one.
    pub fn open_block(&self) -> Option<OpenBlock> {
        let last = self.blocks.iter().max_by_key(|block| block.span.end)?;
        let text = &self.text[last.span.range()];
        let (name, closing) = match last.kind {
            BlockKind::Code => ("code block", missing_fence(text)?.to_owned()),
            BlockKind::Html => missing_html_end(text)?,
            _ => return None,
        };
        Some(OpenBlock { line: self.line_number(last.span.start), name, closing })
    }
}

/// HTML that only its own end closes (CommonMark 4.6, conditions 1 to 5): how it starts, what it is, what ends it.
const CLOSED_HTML: [(&str, &str, &str); 8] = [
    ("<!--", "comment", "-->"),
    ("<![cdata[", "HTML block", "]]>"),
    ("<?", "HTML block", "?>"),
    ("<!", "HTML block", ">"),
    ("<script", "HTML block", "</script>"),
    ("<pre", "HTML block", "</pre>"),
    ("<style", "HTML block", "</style>"),
    ("<textarea", "HTML block", "</textarea>"),
];

/// What a block of HTML is and what would close it; `None` if it is closed, or ends at a blank line.
fn missing_html_end(text: &str) -> Option<(&'static str, String)> {
    let text = text.trim_start().to_ascii_lowercase();
    let is_tag = |start: &str| text[start.len()..].starts_with(|c: char| c.is_whitespace() || c == '>');
    let begins =
        |start: &str| text.starts_with(start) && (!start.ends_with(|c: char| c.is_alphabetic()) || is_tag(start));
    let (_, name, end) = CLOSED_HTML.into_iter().find(|(start, ..)| begins(start))?;
    let is_closed = if end.starts_with("</") {
        CLOSED_HTML.iter().any(|(.., end)| end.starts_with("</") && text.contains(end))
    } else {
        text.contains(end)
    };
    (!is_closed).then(|| (name, end.to_owned()))
}

/// Lines with as many spaces before them are code without a fence.
const MIN_CODE_INDENT: usize = 4;

/// The fence that a code block starts with and does not end with; `None` if it is closed, or has none because it is
/// indented.
fn missing_fence(text: &str) -> Option<&str> {
    let first = text.trim_start_matches(' ');
    let is_indented = text.len() - first.len() >= MIN_CODE_INDENT;
    let mark = first.chars().next().filter(|c| !is_indented && matches!(c, '`' | '~'))?;
    let length = |line: &str| line.chars().take_while(|c| *c == mark).count();
    let fence = &first[..length(first)];
    let is_closing = |line: &str| length(line) >= fence.len() && line.chars().all(|c| c == mark);
    let is_closed = text.lines().skip(1).last().is_some_and(|line| is_closing(line.trim()));
    (!is_closed).then_some(fence)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_block_that_nothing_closes_is_found() {
        let open = |text: &str| Document::parse(text).open_block().map(|block| (block.line, block.closing));
        assert_eq!(open("# A\n\n```sh\nls\n"), Some((3, "```".into())));
        assert_eq!(open("- a\n\n~~~~\n```\n~~~\n"), Some((3, "~~~~".into())));
        assert_eq!(open("- a\n\n<!-- b\n- c\n"), Some((3, "-->".into())));
        assert_eq!(open("- a\n\n<SCRIPT>\n\nb\n"), Some((3, "</script>".into())));
        assert_eq!(open("<?php\n\nb\n"), Some((1, "?>".into())));
        for text in [
            "",
            "- a\n",
            "```\nls\n```\n",
            "```\nls\n````  \n",
            "a\n\n    ```\n",
            "<!-- a -->\n",
            "<script>\n\na</script>\n",
            "<preface>\na\n",
            "<div>\na\n",
            "```\nls\n```\n\n- a\n",
        ] {
            assert_eq!(open(text), None, "{text:?}");
        }
    }
}
