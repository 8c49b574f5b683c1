//! Splits a text into blocks, with a fast path for plain one-line bullets and headings.
//!
//! The fast path never guesses: it handles a chunk only if CommonMark allows a single reading, and a property test
//! checks that both paths agree. It parses a file of fifty thousand one-line bullets at memory speed.

use memchr::memmem;

use super::section;
use super::walk::collect_blocks;
use super::{BlockKind, Bullet, BulletMeta, DocumentBlock, MetaLine, Section, Span, front_matter, lines};
use crate::text::one_line::collapse_whitespace;

/// Internal data of a block, parallel to the list of blocks.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct BlockDetails {
    /// Number of list items around the block; saturates at 255.
    pub depth: u8,
    /// Hash of the kinds of blocks directly inside a list item, without lists and paragraphs.
    pub child_digest: u16,
    /// The kind of block that a bullet's text starts with; 0 for a paragraph.
    pub opening: u16,
}

/// A link reference definition: normalized label, destination, title.
pub(super) type LinkDefinition = (String, String, String);

/// Collects blocks before sections are known.
#[derive(Debug, Default)]
pub(super) struct BlockBuilder {
    pub blocks: Vec<DocumentBlock>,
    pub details: Vec<BlockDetails>,
    pub bullets: Vec<Bullet>,
    pub meta_lines: Vec<MetaLine>,
    pub definitions: Vec<LinkDefinition>,
}

impl BlockBuilder {
    /// Reserves memory for a number of bullets. Unused reserved memory costs nothing; too little causes copies.
    fn reserve(&mut self, bullets: usize) {
        self.blocks.reserve(bullets);
        self.details.reserve(bullets);
        self.bullets.reserve(bullets);
    }

    /// Adds a block and returns its index. A heading holds its level until `build_sections` replaces it by the section
    /// index.
    pub fn push_block(&mut self, kind: BlockKind, start: usize, end: usize, depth: usize) -> usize {
        self.blocks.push(DocumentBlock { kind, span: span(start, end) });
        self.details.push(BlockDetails { depth: depth.min(255) as u8, child_digest: 0, opening: 0 });
        self.blocks.len() - 1
    }

    /// Adds a definition unless an earlier one has the same label (CommonMark 4.7: the first one wins).
    pub fn add_definition(&mut self, label: &str, destination: &str, title: &str) {
        let label = collapse_whitespace(label).to_lowercase();
        if let Err(index) = self.definitions.binary_search_by(|(l, ..)| l.as_str().cmp(&label)) {
            self.definitions.insert(index, (label, destination.to_owned(), title.to_owned()));
        }
    }

    /// Adds a metadata line and attaches it to a bullet, unless the bullet already has one.
    pub fn add_meta_line(&mut self, line: Span, bullet: Option<usize>) {
        let bullet = bullet.filter(|b| self.bullets[*b].meta.is_none());
        if let Some(b) = bullet {
            self.bullets[b].meta = Some(self.meta_lines.len() as u32);
        }
        self.meta_lines.push(MetaLine { line, bullet: bullet.map(|b| b as u32) });
    }
}

/// The result of parsing a text.
#[derive(Debug)]
pub(super) struct ParsedText {
    pub front_matter: Option<Span>,
    pub body_start: usize,
    pub content: BlockBuilder,
    pub sections: Vec<Section>,
}

pub(super) fn span(start: usize, end: usize) -> Span {
    Span { start: start as u32, end: end as u32 }
}

/// Parses a text. `chunked` enables the fast path; without it, the Markdown parser reads the whole body.
pub(super) fn parse(text: &str, chunked: bool) -> ParsedText {
    let (front, body) = front_matter::split(text);
    let mut builder = BlockBuilder::default();
    // 64 bytes is a typical length of a bullet.
    builder.reserve((text.len() - body) / 64);
    if chunked && can_be_chunked(&text.as_bytes()[body..]) {
        parse_by_chunks(text, body, &mut builder)
    } else {
        collect_blocks(text, body..text.len(), &mut builder)
    }
    let sections = section::build_sections(text, body, &mut builder);
    ParsedText { front_matter: front, body_start: body, content: builder, sections }
}

/// Whether every line that starts with a bullet or heading marker starts a new block: the body has no fences, no HTML
/// block of several lines, and none of the control characters and line endings that Markdown parsers treat differently.
fn can_be_chunked(body: &[u8]) -> bool {
    if memchr::memchr2_iter(0x0b, 0x0c, body).next().is_some()
        || memmem::find(body, b"```").is_some()
        || memmem::find(body, b"~~~").is_some()
        || memchr::memchr_iter(b'\r', body).any(|i| body.get(i + 1) != Some(&b'\n'))
    {
        return false;
    }
    memchr::memchr_iter(b'<', body).all(|i| {
        let above = body[..i].iter().rev().find(|b| !lines::is_blank(**b));
        above.is_some_and(|b| !matches!(b, b'\n' | b'\r')) || is_closed_comment(&body[i..lines::end(body, i)])
    })
}

fn is_closed_comment(rest: &[u8]) -> bool {
    rest.strip_prefix(b"<!--").is_some_and(|inside| memmem::find(inside, b"-->").is_some())
}

/// A line that starts a block, whatever the line above it is.
#[derive(Clone, Copy)]
enum LineOpening {
    Bullet,
    Heading(u32),
}

/// Splits a body at lines that start a block. Chunks with more than one plain line go to the Markdown parser.
fn parse_by_chunks(text: &str, body: usize, builder: &mut BlockBuilder) {
    let bytes = text.as_bytes();
    let mut unparsed_start = None;
    let mut at = body;
    let mut current = line_opening(&bytes[at..]);
    while at < bytes.len() {
        let end = lines::end(bytes, at);
        let (meta, next) = match current {
            Some(LineOpening::Bullet) => meta_line_at(text, end),
            _ => (None, end),
        };
        let next = if current.is_some() { lines::after_blank_lines(bytes, next) } else { end };
        let following = line_opening(&bytes[next..]);
        let alone = next == bytes.len() || following.is_some();
        match current.filter(|_| alone) {
            None => {
                unparsed_start.get_or_insert(at);
                current = if next == end { following } else { None };
                at = end;
                continue;
            }
            Some(found) => {
                if let Some(start) = unparsed_start.take() {
                    collect_blocks(text, start..at, builder);
                }
                match found {
                    LineOpening::Heading(level) => drop(builder.push_block(BlockKind::Heading(level), at, end, 0)),
                    LineOpening::Bullet => push_plain_bullet(bytes, at, end, meta, builder),
                }
            }
        }
        current = following;
        at = next;
    }
    if let Some(start) = unparsed_start {
        collect_blocks(text, start..bytes.len(), builder);
    }
}

fn push_plain_bullet(bytes: &[u8], at: usize, head: usize, meta: Option<Span>, builder: &mut BlockBuilder) {
    let number = builder.bullets.len();
    let end = meta.map_or(head, |m| m.end as usize);
    builder.push_block(BlockKind::Bullet(number as u32), at, end, 0);
    builder.bullets.push(Bullet {
        line_start: at as u32,
        marker: at as u32,
        text_start: at as u32 + 2,
        text_end: lines::trim_end(bytes, at, head) as u32,
        end: end as u32,
        depth: 0,
        section: 0,
        meta: None,
    });
    if let Some(line) = meta {
        builder.add_meta_line(line, Some(number));
    }
}

/// The metadata line at offset `at`, if there is one indented for a plain bullet, and the offset of the next line.
fn meta_line_at(text: &str, at: usize) -> (Option<Span>, usize) {
    let found = text[at..].starts_with("  <!-- mem ").then(|| lines::end(text.as_bytes(), at));
    match found.filter(|end| BulletMeta::is_meta_line(&text[at..*end])) {
        Some(end) => (Some(span(at, end)), end),
        None => (None, at),
    }
}

/// The kind of block that this line starts, if that is certain.
fn line_opening(text: &[u8]) -> Option<LineOpening> {
    match text {
        [b'-' | b'*' | b'+', b' ', rest @ ..] => starts_plain_paragraph(rest).then_some(LineOpening::Bullet),
        [b'#', ..] => {
            let level = text.iter().take_while(|b| **b == b'#').count();
            (level <= 6 && text.get(level) == Some(&b' ')).then_some(LineOpening::Heading(level as u32))
        }
        _ => None,
    }
}

/// Whether a list item with this text can only start with a paragraph, given that the body has no fences.
fn starts_plain_paragraph(rest: &[u8]) -> bool {
    let second = rest.get(1).copied().unwrap_or(b'\n');
    match rest.first().copied().unwrap_or(b'\n') {
        b'a'..=b'z' | b'A'..=b'Z' | 0x80.. | b'"' | b'\'' | b'(' | b'@' | b'/' | b'`' => true,
        b'*' | b'_' | b'#' => {
            second.is_ascii_alphanumeric() || second == b'*' && rest.get(2).is_some_and(|b| b.is_ascii_alphanumeric())
        }
        b'0'..=b'9' => rest.iter().find(|b| !b.is_ascii_digit()).is_some_and(|b| !matches!(b, b'.' | b')')),
        b'[' => memmem::find(&rest[..lines::end(rest, 0)], b"]:").is_none(),
        _ => false,
    }
}
