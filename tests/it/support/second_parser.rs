//! A second reader of markdown: what comrak sees of a text, block by block, so that edits are not judged by us alone.
//!
//! Independent of how an edit was made. The byte order mark, the front matter and the derived summary line are ignored.

use comrak::nodes::{AstNode, NodeValue};
use comrak::{Arena, Options, parse_document};
use memdir::document::Document;

/// One block: how deep it lies, what it is, its own text; for list items the line of the file it starts on (from 1).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Block {
    pub depth: usize,
    pub what: &'static str,
    pub text: String,
}

/// A text as comrak reads it, with the line of each block. Lists are left out: only their items count.
pub struct Seen {
    pub blocks: Vec<Block>,
    lines: Vec<usize>,
}

/// Reads a text.
pub fn seen(document: &Document) -> Seen {
    let body = &document.text()[document.body_start()..];
    let above = document.text()[..document.body_start()].matches('\n').count();
    let arena = Arena::new();
    let mut seen = Seen { blocks: Vec::new(), lines: Vec::new() };
    walk(parse_document(&arena, body, &Options::default()), 0, above, &mut seen);
    seen
}

fn walk<'a>(node: &'a AstNode<'a>, depth: usize, above: usize, seen: &mut Seen) {
    let (what, text) = {
        let data = node.data();
        match &data.value {
            NodeValue::Document | NodeValue::List(_) => ("", String::new()),
            NodeValue::Item(_) => ("item", String::new()),
            NodeValue::BlockQuote => ("quote", String::new()),
            NodeValue::CodeBlock(code) => ("code", format!("{}|{}", code.info, code.literal)),
            NodeValue::HtmlBlock(html) => ("html", html.literal.clone()),
            NodeValue::ThematicBreak => ("rule", String::new()),
            NodeValue::Heading(_) => ("heading", inline(node)),
            NodeValue::Paragraph => ("paragraph", inline(node)),
            _ => return,
        }
    };
    if what == "quote" && is_summary(node) {
        return;
    }
    if !what.is_empty() {
        seen.lines.push(above + node.data().sourcepos.start.line);
        seen.blocks.push(Block { depth, what, text: text.trim_end().replace("\r\n", "\n") });
    }
    let deeper = depth + usize::from(matches!(what, "item" | "quote"));
    for child in node.children() {
        walk(child, deeper, above, seen);
    }
}

fn is_summary<'a>(quote: &'a AstNode<'a>) -> bool {
    quote.children().next().is_some_and(|first| inline(first).starts_with("Summary:"))
}

/// The inline content, with what it is made of.
fn inline<'a>(node: &'a AstNode<'a>) -> String {
    let mut out = String::new();
    for child in node.children() {
        let data = child.data();
        match &data.value {
            NodeValue::Text(text) => out.push_str(text),
            NodeValue::Code(code) => out.push_str(&format!("`{}`", code.literal)),
            NodeValue::HtmlInline(html) => out.push_str(html),
            NodeValue::Link(link) | NodeValue::Image(link) => {
                out.push_str(&format!("[{}]({} {})", inline(child), link.url, link.title));
            }
            NodeValue::SoftBreak => out.push('\n'),
            NodeValue::LineBreak => out.push_str("\\\n"),
            NodeValue::Strong => out.push_str(&format!("**{}**", inline(child))),
            _ => out.push_str(&format!("*{}*", inline(child))),
        }
    }
    out
}

impl Seen {
    /// The block that is the item with its marker on that line (from 1); the innermost one of several.
    pub fn item(&self, line: usize) -> Option<usize> {
        (0..self.blocks.len()).rev().find(|i| self.lines[*i] == line && self.blocks[*i].what == "item")
    }

    /// All blocks but an item and what is in it.
    pub fn without(&self, item: usize) -> Vec<Block> {
        let inside = self.blocks[item + 1..].iter().take_while(|b| b.depth > self.blocks[item].depth).count();
        [&self.blocks[..item], &self.blocks[item + 1 + inside..]].concat()
    }

    /// All blocks, the first of an item with what is in it replaced by a paragraph. `None` where the item has none.
    pub fn with(&self, item: usize, text: &str) -> Option<Vec<Block>> {
        let first = self.blocks.get(item + 1).filter(|b| b.depth > self.blocks[item].depth && b.what != "item")?;
        let inside = self.blocks[item + 2..].iter().take_while(|b| b.depth > first.depth).count();
        let paragraph = Block { depth: first.depth, what: "paragraph", text: text.to_owned() };
        Some([&self.blocks[..=item], &[paragraph], &self.blocks[item + 2 + inside..]].concat())
    }
}

/// The line (from 1) of a byte of a text.
pub fn line_of(document: &Document, at: u32) -> usize {
    let bytes = &document.text().as_bytes()[..at as usize];
    1 + memchr::memchr_iter(b'\n', bytes).count()
}

/// Whether `longer` is `shorter` with one item (and what is in it) more, of that text if one is given.
pub fn one_item_more(shorter: &[Block], longer: &[Block], text: Option<&str>) -> bool {
    let same = shorter.iter().zip(longer).take_while(|(a, b)| a == b).count();
    // The new item may begin with the same blocks as what follows it: look back for a start that fits.
    (0..=same).rev().any(|start| {
        let Some(item) = longer.get(start).filter(|b| b.what == "item") else { return false };
        let inside = longer[start + 1..].iter().take_while(|b| b.depth > item.depth).count();
        let text_fits =
            text.is_none_or(|t| longer.get(start + 1).is_some_and(|b| b.what == "paragraph" && b.text == t));
        text_fits && longer[start + 1 + inside..] == shorter[start..]
    })
}

#[test]
fn the_second_reader_sees_items_their_lines_and_what_an_edit_did() {
    let of = |text: &str| seen(&Document::parse(text));
    let before = of("\u{feff}---\na: b\n---\n# T\n\n> Summary: x\n\n- a\n  - b\n\n- c *d*\n");
    assert_eq!(before.item(9), Some(3));
    let after = of("# T\n\n- a\n\n- c *d*\n");
    assert_eq!(before.without(3), after.blocks);
    assert_eq!(before.with(5, "e").unwrap(), of("# T\n- a\n  - b\n- e\n").blocks);
    assert_eq!(of("- > b\n  > c\n- d\n").with(0, "e").unwrap(), of("- e\n- d\n").blocks);
    assert!(one_item_more(&after.blocks, &of("# T\n- a\n- a\n- c *d*\n").blocks, Some("a")));
    assert!(!one_item_more(&after.blocks, &of("# T\n- a\n- x\n- c *e*\n").blocks, Some("x")));
    assert!(!one_item_more(&after.blocks, &of("# T\n- a\n- c *d*\n\npara\n").blocks, None));
}
