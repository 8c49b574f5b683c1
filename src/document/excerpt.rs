//! Parts of a document taken out: a section's bytes, a bullet as an item that can be put elsewhere.
//!
//! Never changes the document.

use super::{Document, Item};

/// A section's bytes, heading and subsections included; the whole text for the file.
pub fn section_range(document: &Document, section: usize) -> std::ops::Range<usize> {
    match section {
        0 => 0..document.text().len(),
        n => document.sections()[n].heading.start as usize..document.sections()[n].end as usize,
    }
}

/// A bullet as an item that can be put elsewhere: text, metadata, children.
pub fn item_of(document: &Document, bullet: usize) -> Item {
    let b = &document.bullets()[bullet];
    let below = b.meta.map_or(b.head_end, |m| document.metas()[m as usize].line.end.saturating_sub(1)) as usize;
    let rest = document.text().get(below..b.end as usize).unwrap_or("");
    let indent = (b.content - b.line) as usize;
    let children = rest.lines().skip(1).map(|l| outdent(l, indent)).collect::<Vec<_>>();
    let children = match children.iter().position(|l| !l.trim().is_empty()) {
        Some(_) => children,
        None => Vec::new(),
    };
    Item { text: document.bullet_text(bullet).into_owned(), meta: document.bullet_meta(bullet), children }
}

/// Takes up to `indent` leading blanks off.
fn outdent(line: &str, indent: usize) -> String {
    let blanks = line.bytes().take(indent).take_while(|b| *b == b' ').count();
    line[blanks..].to_owned()
}
