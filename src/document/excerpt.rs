//! Extracts parts of a document: the byte range of a section, a bullet in a form that can be inserted elsewhere.
//!
//! Never changes the document.

use super::{Document, NewBullet};

/// Byte range of a section including heading and subsections; the whole text for section 0.
pub fn section_range(document: &Document, section: usize) -> std::ops::Range<usize> {
    match section {
        0 => 0..document.text().len(),
        n => document.sections()[n].heading.start as usize..document.sections()[n].end as usize,
    }
}

/// Copies a bullet with text, metadata and children, ready to be inserted elsewhere.
pub fn to_new_bullet(document: &Document, bullet: usize) -> NewBullet {
    let b = &document.bullets()[bullet];
    let below = b.meta.map_or(b.text_end, |m| document.meta_lines()[m as usize].line.end.saturating_sub(1)) as usize;
    let rest = document.text().get(below..b.end as usize).unwrap_or("");
    let indent = (b.text_start - b.line_start) as usize;
    let children = rest.lines().skip(1).map(|l| outdent(l, indent)).collect::<Vec<_>>();
    let children = match children.iter().position(|l| !l.trim().is_empty()) {
        Some(_) => children,
        None => Vec::new(),
    };
    NewBullet { text: document.bullet_text(bullet).into_owned(), meta: document.bullet_meta(bullet), children }
}

/// Removes up to `indent` leading spaces.
fn outdent(line: &str, indent: usize) -> String {
    let blanks = line.bytes().take(indent).take_while(|b| *b == b' ').count();
    line[blanks..].to_owned()
}
