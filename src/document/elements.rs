//! What a parsed document consists of: blocks, bullets, sections, metadata lines and the summary line, as positions in
//! its text.

/// A byte range in a document's text. A file is at most [`MAX_FILE_BYTES`] long, so 32 bits hold any offset.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Span {
    pub start: u32,
    /// One past the last byte.
    pub end: u32,
}

impl Span {
    /// Converts to a range for slicing the text.
    pub fn range(self) -> std::ops::Range<usize> {
        self.start as usize..self.end as usize
    }
}

/// The kind of a block. A bullet is a list item with a text; the text is its first block, usually a paragraph.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BlockKind {
    /// An ATX or setext heading; the number is its index in `sections()`.
    Heading(u32),
    /// A list item that is a bullet; the number is its index in `bullets()`.
    Bullet(u32),
    /// A list item that is not a bullet: empty, or it starts with a comment or a link definition.
    OtherListItem,
    /// A paragraph, including one that acts as the heading of a list (see [`Section::level`] 7).
    Paragraph,
    /// Fenced or indented code.
    Code,
    /// A block quote. The summary line may be part of one.
    Quote,
    /// An HTML block; comments count as HTML blocks.
    Html,
    ThematicBreak,
}

/// A top-level block, or a list item at any depth. Lists themselves are not blocks: their items are listed directly.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DocumentBlock {
    pub kind: BlockKind,
    /// The block's lines: from the start of its first line to the end of its last line, including the line ending and
    /// excluding trailing blank lines.
    pub span: Span,
}

/// A list item with its text, an optional metadata line and children. The text is the source of the first block: a
/// paragraph, or a heading, quote, code, or the first item of a list (`- 2024. was`). All positions are byte offsets.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Bullet {
    /// Start of the line that holds the marker.
    pub line_start: u32,
    /// First byte of the marker (`-`, `*`, `+`, or a digit).
    pub marker: u32,
    /// First byte of the bullet's text.
    pub text_start: u32,
    /// One past the last byte of the text, excluding trailing blanks and the line ending.
    pub text_end: u32,
    /// End of the item including children: one past its last line ending, excluding trailing blank lines.
    pub end: u32,
    /// Nesting depth; 0 for an item of a top-level list.
    pub depth: u8,
    /// Index in `sections()` of the innermost section that contains the bullet.
    pub section: u32,
    /// Index of its metadata line in `meta_lines()`; `None` if it has no metadata line.
    pub meta: Option<u32>,
}

/// A heading and the content below it. Section 0 is the whole file (level 0).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Section {
    /// 0 for the file, 1–6 for a heading, 7 for a paragraph `Title: (ID: x)` directly above a list.
    pub level: u8,
    /// The heading's lines; empty for the file.
    pub heading: Span,
    /// The heading's text within those lines, without `#` marks and id.
    pub title: Span,
    /// GitHub's heading slug; repeated slugs in a file get the suffix `-1`, `-2` and so on. Empty for the file.
    pub slug: String,
    /// The explicit id, written `{#id}` or `(ID: id)`.
    pub id: Option<String>,
    /// End of the section including its subsections, exclusive.
    pub end: u32,
    /// End of the section's own content, before its first subsection, exclusive.
    pub own_end: u32,
    /// Index of the enclosing section; section 0 is its own parent.
    pub parent: u32,
}

/// A metadata line `<!-- mem key=value … -->`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MetaLine {
    /// The whole line, including its line ending.
    pub line: Span,
    /// Index in `bullets()` of the bullet it belongs to; `None` for an orphan. A metadata line belongs to a bullet only
    /// if it is the line directly below the bullet's first paragraph.
    pub bullet: Option<u32>,
}

/// The summary line of a file (ARCHITECTURE.md, "Summary lines").
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SummaryLine {
    /// The whole line, in the body or in the front matter, including its line ending.
    pub line: Span,
    /// The text after `> Summary: `, or the raw front matter scalar including quotes.
    pub value: Span,
    /// Whether it is the `summary:` or `description:` key of the front matter.
    pub in_front_matter: bool,
}

/// The line ending used for new lines.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LineEnding {
    Lf,
    /// `\r\n`; chosen if most lines end this way.
    Crlf,
}

impl LineEnding {
    pub fn as_str(self) -> &'static str {
        match self {
            LineEnding::Lf => "\n",
            LineEnding::Crlf => "\r\n",
        }
    }
}
