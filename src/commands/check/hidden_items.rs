//! Finds list items with a text that are no bullets: they start with a comment or a link definition, so no command shows
//! them as bullets.
//!
//! Never names an item that consists of a comment alone: its author hid it.

use super::finding;
use super::places::LineIndex;
use crate::code::Code;
use crate::commands::results::{CheckFinding, FindingLevel};
use crate::document::{BlockKind, Document};
use crate::path::MemoryPath;

/// The findings about the items of a file.
pub fn hidden_items(path: &MemoryPath, document: &Document) -> Vec<CheckFinding> {
    let (lines, blocks) = (LineIndex::of(document.text()), document.blocks());
    let of = |(at, block): (usize, &crate::document::DocumentBlock)| {
        // What is nested in it is shown.
        let end = blocks.get(at + 1).map_or(block.span.end, |next| next.span.start.min(block.span.end));
        let own = &document.text()[block.span.start as usize..end.max(block.span.start) as usize];
        let message = message(own)?;
        Some(finding(
            path,
            lines.line(block.span.start as usize),
            1,
            Code::HiddenItem,
            FindingLevel::Warning,
            message.to_owned(),
        ))
    };
    let items = blocks.iter().enumerate().filter(|(_, block)| block.kind == BlockKind::OtherListItem);
    items.filter_map(of).collect()
}

/// What is wrong with an item that is no bullet, and how to mend it; `None` if it has no text.
fn message(item: &str) -> Option<&'static str> {
    let item = item.trim_start();
    let item = item.trim_start_matches(|c: char| c.is_ascii_digit());
    let mut text = item.get(1..).unwrap_or_default().trim();
    let is_definition = text.starts_with('[');
    while let Some((_, after)) = text.strip_prefix("<!--").and_then(|inner| inner.split_once("-->")) {
        text = after.trim();
    }
    match (text.is_empty() || text.starts_with("<!--"), is_definition) {
        (true, _) => None,
        (false, true) => Some(
            "the list item starts with a link definition and is no bullet; move the definition to a line of its own",
        ),
        (false, false) => {
            Some("the list item starts with a comment and is no bullet; move the comment behind the text")
        }
    }
}
