//! A markdown text and what we understand in it: front matter, sections, bullets, metadata lines, the summary.
//!
//! Pure. Keeps the text and byte spans into it, and returns replacements; it never renders a text from a tree.
//! What it does not understand it does not touch.

use std::borrow::Cow;

pub mod edit;
pub mod handle;
pub mod meta;
pub mod summary;

pub use edit::{Edit, Edited, Item, Place, Refused, edit};
pub use handle::Handle;
pub use meta::Meta;

/// A range of bytes of a document's text. A file is at most 64 MiB, so 32 bits hold any offset.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Span {
    /// First byte.
    pub start: u32,
    /// One past the last byte.
    pub end: u32,
}

impl Span {
    /// As a range for slicing.
    pub fn range(self) -> std::ops::Range<usize> {
        self.start as usize..self.end as usize
    }
}

/// What a top-level block is. Bullets are list items whose first child is a paragraph.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// An ATX or setext heading; the number is its index in `sections()`.
    Heading(u32),
    /// A simple list item; the number is its index in `bullets()`.
    Bullet(u32),
    /// A list item that is no bullet (empty, or its first child is a block).
    OtherItem,
    /// A paragraph (also one that stands as the heading of a block; see [`Section::level`] 7).
    Paragraph,
    /// Fenced or indented code.
    Code,
    /// A block quote (the summary line among them).
    Quote,
    /// An HTML block, comments among them.
    Html,
    /// A thematic break.
    Rule,
}

/// A top-level block, or a list item at any depth (lists are flattened).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Node {
    /// What it is.
    pub kind: Kind,
    /// Its lines: from the start of its first line to the end of its last one (line end included), blank lines trimmed.
    pub span: Span,
}

/// A simple list item: marker, a paragraph, perhaps a metadata line and children.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Bullet {
    /// Start of the line that holds the marker.
    pub line: u32,
    /// The marker's first byte (`-`, `*`, `+`, or a digit).
    pub marker: u32,
    /// First byte of the text.
    pub content: u32,
    /// One past the last byte of the first paragraph, trailing blanks and line end left out.
    pub head_end: u32,
    /// One past the item's last line end; trailing blank lines left out.
    pub end: u32,
    /// 0 for an item of a top-level list.
    pub depth: u8,
    /// The innermost section, an index into `sections()`.
    pub section: u32,
    /// Its metadata line, an index into `metas()`; `None` for a normal bullet.
    pub meta: Option<u32>,
}

/// A heading and what belongs to it. Section 0 is the file itself (level 0).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Section {
    /// 0 the file, 1–6 a heading, 7 a paragraph `Title: (ID: x)` directly above a list.
    pub level: u8,
    /// The heading's lines; empty for the file.
    pub heading: Span,
    /// The heading's own text within those lines (for ATX, between the `#`s), ids left out.
    pub title: Span,
    /// GitHub's heading slug, with `-1`, `-2` where it repeats in the file. Empty for the file.
    pub slug: String,
    /// `{#id}` or `(ID: id)`.
    pub id: Option<String>,
    /// One past the last byte of the section with its subsections.
    pub end: u32,
    /// One past the last byte of its own text, before the first subsection.
    pub own_end: u32,
    /// The section around it; 0's is 0.
    pub parent: u32,
}

/// A metadata line `<!-- mem key=value … -->`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MetaLine {
    /// The whole line, its line end included.
    pub line: Span,
    /// The bullet it stands under, an index into `bullets()`; `None` for one that stands alone (an orphan).
    /// Only the first line directly below a bullet's first paragraph is that bullet's.
    pub bullet: Option<u32>,
}

/// The line that says what a file holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SummaryLine {
    /// The whole line (or the front matter's line), its line end included.
    pub line: Span,
    /// The text after `> Summary: `, or the front matter's scalar as it stands (quotes included).
    pub value: Span,
    /// Whether it is the front matter's `summary:` or `description:`.
    pub front: bool,
}

/// How lines end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Eol {
    /// `\n`
    Lf,
    /// `\r\n` (also chosen when most lines end so)
    CrLf,
}

impl Eol {
    /// The bytes of one line end.
    pub fn as_str(self) -> &'static str {
        match self {
            Eol::Lf => "\n",
            Eol::CrLf => "\r\n",
        }
    }
}

/// A parsed text.
#[derive(Clone, Debug)]
pub struct Document {
    text: String,
}

/// Why bytes are no document.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NotText {
    /// Not UTF-8; the offset of the first bad byte.
    Utf8(usize),
    /// A NUL byte, at that offset.
    Nul(usize),
}

impl Document {
    /// Parses a text. Never fails: what is not understood is a [`Node`] without bullets.
    pub fn parse(text: impl Into<String>) -> Document {
        Document { text: text.into() }
    }

    /// Parses the bytes of a file.
    pub fn read(bytes: Vec<u8>) -> Result<Document, NotText> {
        let _ = bytes;
        todo!()
    }

    /// The whole text, BOM and front matter included.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// The text's bytes, without a copy.
    pub fn into_text(self) -> String {
        self.text
    }

    /// How its lines end.
    pub fn eol(&self) -> Eol {
        todo!()
    }

    /// The front matter, fences included; `None` without one.
    pub fn front_matter(&self) -> Option<Span> {
        todo!()
    }

    /// The value of one front matter key as it stands in the text (scalar, quotes included).
    pub fn front_value(&self, key: &str) -> Option<Span> {
        let _ = key;
        todo!()
    }

    /// The replacement that sets a front matter scalar (the front matter must exist), quoted where YAML needs it;
    /// every other byte stays.
    pub fn set_front(&self, key: &str, value: &str) -> Option<crate::text::Splice> {
        let _ = (key, value);
        todo!()
    }

    /// All blocks, in file order.
    pub fn nodes(&self) -> &[Node] {
        todo!()
    }

    /// All sections, in file order; the first is the file.
    pub fn sections(&self) -> &[Section] {
        todo!()
    }

    /// All bullets at any depth, in file order.
    pub fn bullets(&self) -> &[Bullet] {
        todo!()
    }

    /// All metadata lines, in file order, orphans among them.
    pub fn metas(&self) -> &[MetaLine] {
        todo!()
    }

    /// Bullets of top-level lists in a section with its subsections, in file order: what an index counts.
    pub fn counted(&self, section: usize) -> Vec<usize> {
        let _ = section;
        todo!()
    }

    /// A bullet's text as people mean it: lines folded to one, our own structural escapes taken off.
    pub fn bullet_text(&self, bullet: usize) -> Cow<'_, str> {
        let _ = bullet;
        todo!()
    }

    /// A heading's text as people mean it, ids left out; the H1's or nothing for section 0.
    pub fn section_title(&self, section: usize) -> Cow<'_, str> {
        let _ = section;
        todo!()
    }

    /// A bullet's explicit id: `id=` of its metadata line, else `^id` at the end of its text.
    pub fn bullet_id(&self, bullet: usize) -> Option<Cow<'_, str>> {
        let _ = bullet;
        todo!()
    }

    /// A bullet's metadata.
    pub fn bullet_meta(&self, bullet: usize) -> Option<Meta> {
        let _ = bullet;
        todo!()
    }

    /// The handles of all bullets (computed once, when first asked for).
    pub fn handles(&self) -> &[Handle] {
        todo!()
    }

    /// A bullet's handle as printed: the shortest prefix unique among the file's different texts, at least 4 characters.
    pub fn handle_name(&self, bullet: usize) -> String {
        let _ = bullet;
        todo!()
    }

    /// The bullets a printed handle names (by prefix, at least 4 characters): none, one, or several.
    pub fn by_handle(&self, name: &str) -> Vec<usize> {
        let _ = name;
        todo!()
    }

    /// The bullets with that text, compared as handles compare, in file order.
    pub fn by_text(&self, text: &str) -> Vec<usize> {
        let _ = text;
        todo!()
    }

    /// The summary line: front matter's `summary:`/`description:` first, else the first `> Summary:` line
    /// that stands above the first heading below the H1 and the first bullet.
    pub fn summary(&self) -> Option<SummaryLine> {
        todo!()
    }

    /// The number (from 1) of the first line that is a merge conflict marker.
    pub fn conflict_marker(&self) -> Option<usize> {
        todo!()
    }
}
