//! Finds the parts of a Markdown text that are shown as they are or not at all: code blocks, and comments of several
//! lines.
//!
//! Never changes a text.

use std::ops::Range;

use pulldown_cmark::{Event, Options, Parser, Tag};

/// The byte ranges of code blocks (CommonMark, sections 4.4 and 4.5), and of comments without their first lines. Markup
/// in them has no effect: it is part of an example.
pub fn literal_blocks(text: &str) -> Vec<Range<usize>> {
    let events = Parser::new_ext(text, Options::empty()).into_offset_iter();
    let literal = |(event, at): (Event<'_>, Range<usize>)| match event {
        Event::Start(Tag::CodeBlock(_)) => Some(at),
        Event::Start(Tag::HtmlBlock) if text[at.clone()].trim_start().starts_with("<!--") => {
            let first_line = text[at.clone()].find('\n').map_or(at.end, |end| at.start + end + 1);
            Some(first_line..at.end).filter(|rest| !rest.is_empty())
        }
        _ => None,
    };
    events.filter_map(literal).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn code_and_long_comments_are_literal() {
        let check = |text: &str, expected: &[&str]| {
            let found: Vec<&str> = literal_blocks(text).into_iter().map(|at| &text[at]).collect();
            assert_eq!(found, expected, "{text:?}");
        };
        check("a\n\n```\n<!-- x -->\n```\nb\n", &["```\n<!-- x -->\n```"]);
        check("a\n\n~~~~ md\n```\nb\n", &["~~~~ md\n```\nb\n"]);
        check("- a\n  ```\n  x\n  ```\n", &["```\n  x\n  ```"]);
        check("<!-- x -->\ntext\n<!-- y -->\n", &[]);
        check("<!-- x\ny -->\ntext\n", &["y -->\n"]);
        check("<div>\n<!-- x -->\n</div>\n", &[]);
        check("", &[]);
    }
}
