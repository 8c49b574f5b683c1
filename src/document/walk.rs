//! Turns events of the Markdown parser into blocks, and recomputes every offset from the bytes.
//!
//! Never relies on a range from pulldown-cmark beyond "something starts on this line": its item ranges include trailing
//! blank lines, and a nested item after a tab starts at the previous line ending.

use std::ops::Range;

use pulldown_cmark::{Event, Options, Parser, Tag, TagEnd};

use super::parse::{BlockBuilder, span};
use super::{BlockKind, Bullet, BulletMeta, lines};

/// Parses a range of the text that starts at a line start, and adds its blocks.
pub(super) fn collect_blocks(text: &str, range: Range<usize>, builder: &mut BlockBuilder) {
    if lines::is_all_blank(&text.as_bytes()[range.clone()]) {
        return;
    }
    let parser = Parser::new_ext(&text[range.clone()], Options::empty());
    for (label, definition) in parser.reference_definitions().iter() {
        builder.add_definition(label, &definition.dest, definition.title.as_deref().unwrap_or(""));
    }
    let mut walk = EventWalker {
        text,
        range_start: range.start,
        builder,
        items: Vec::new(),
        closed: Vec::new(),
        depth: 0,
        last_line: (range.start, range.start),
        skip_depth: 0,
        tag_line: None,
    };
    for (event, at) in parser.into_offset_iter() {
        walk.handle_event(&event, range.start + at.start..range.start + at.end);
    }
}

/// Parsing state of an item's first paragraph.
#[derive(Clone, Copy)]
enum FirstParagraph {
    /// No content of the item seen yet.
    NotStarted,
    /// The item starts the text of the item around it (`- 2024. was`); index of that bullet.
    PartOf(usize),
    /// Index of the bullet, and end offset of its text so far.
    Open(usize, usize),
    /// The first paragraph has ended; index of the bullet if the item is one.
    Done(Option<usize>),
}

/// A list item that has not ended yet.
struct OpenItem {
    block: usize,
    first_paragraph: FirstParagraph,
    /// The item is the start of another one's text: no block of its own, and no level of nesting.
    is_text: bool,
}

struct EventWalker<'a> {
    text: &'a str,
    range_start: usize,
    builder: &'a mut BlockBuilder,
    items: Vec<OpenItem>,
    /// Number of open items that are not the text of others.
    depth: usize,
    /// A byte offset, and the start of its line: items that start on one line look for it once.
    last_line: (usize, usize),
    /// Blocks that ended since the last block started. Their ends are cut at the line where the next block starts.
    closed: Vec<usize>,
    /// Number of open tags whose content is skipped.
    skip_depth: usize,
    /// A bullet whose text continues with a line that is a single HTML tag, and the offset of that line.
    tag_line: Option<(usize, usize)>,
}

impl EventWalker<'_> {
    fn handle_event(&mut self, event: &Event<'_>, at: Range<usize>) {
        match event {
            Event::Start(_) if self.skip_depth > 0 => self.skip_depth += 1,
            Event::End(_) if self.skip_depth > 0 => self.skip_depth -= 1,
            _ if self.skip_depth > 0 => {}
            Event::Start(tag) => self.start_tag(tag, at),
            Event::End(TagEnd::Item) => self.end_item(at.end),
            Event::End(TagEnd::Paragraph) => self.close_first_paragraph(),
            Event::End(_) | Event::SoftBreak | Event::HardBreak => {}
            Event::Rule => self.add_block(BlockKind::ThematicBreak, at),
            _ => self.handle_inline(at),
        }
    }

    fn start_tag(&mut self, tag: &Tag<'_>, at: Range<usize>) {
        let kind = match tag {
            // A list that starts an item is the start of its text.
            Tag::List(_) => return self.close_open_paragraph(),
            Tag::Item => return self.start_item(at.start),
            Tag::Paragraph
                if matches!(self.items.last(), Some(OpenItem { first_paragraph: FirstParagraph::NotStarted, .. })) =>
            {
                return;
            }
            Tag::Paragraph => BlockKind::Paragraph,
            Tag::Heading { level, .. } => BlockKind::Heading(*level as u32),
            Tag::BlockQuote(_) => BlockKind::Quote,
            Tag::CodeBlock(_) => BlockKind::Code,
            Tag::HtmlBlock => BlockKind::Html,
            _ => return self.handle_inline(at),
        };
        self.add_block(kind, at);
        self.skip_depth = 1;
    }

    /// Adds a block that is not a list item: a block of its own at top level, part of the item's digest inside an item.
    fn add_block(&mut self, kind: BlockKind, at: Range<usize>) {
        if self.open_with_block(kind, &at) {
            return;
        }
        self.close_first_paragraph();
        let bytes = self.text.as_bytes();
        let start = lines::start(bytes, at.start).max(self.range_start);
        let meta = kind == BlockKind::Html && self.add_meta_lines(start, at.end);
        let Some(item) = self.items.last() else {
            self.cut_closed_blocks(start);
            let node = self.builder.push_block(kind, start, lines::block_end(bytes, start, at.end), 0);
            return self.closed.push(node);
        };
        let part = block_number(kind);
        if !meta && part > 0 {
            let shape = &mut self.builder.details[item.block].child_digest;
            *shape = shape.wrapping_mul(31).wrapping_add(part);
        }
    }

    /// Takes a block that is no paragraph as the text of the item that it starts: `- # x` and a fence after a
    /// bullet's marker are bullets. A comment alone is not a text.
    fn open_with_block(&mut self, kind: BlockKind, at: &Range<usize>) -> bool {
        let bytes = self.text.as_bytes();
        let first = lines::skip_blanks(bytes, at.start);
        if block_number(kind) == 0 || bytes[first..].starts_with(b"<!--") {
            return false;
        }
        let Some(bullet) = self.open_bullet(first) else { return false };
        let end = match kind {
            BlockKind::Html => self.first_meta_line(first, at.end),
            _ => at.end,
        };
        self.end_text(bullet, end);
        if let Some(item) = self.items.last_mut() {
            item.first_paragraph = FirstParagraph::Done(Some(bullet));
            self.builder.details[item.block].opening = block_number(kind);
        }
        if end < at.end {
            self.add_meta_lines(end, at.end);
        }
        true
    }

    /// The offset of the first metadata line of an HTML block, else its end.
    fn first_meta_line(&self, start: usize, end: usize) -> usize {
        let bytes = self.text.as_bytes();
        let mut line = lines::end(bytes, start);
        while line < end && !BulletMeta::is_meta_line(&self.text[line..lines::end(bytes, line)]) {
            line = lines::end(bytes, line);
        }
        line.min(end)
    }

    /// The bullet whose text starts at `first`: that of the innermost item, or the one whose text that item starts.
    fn open_bullet(&mut self, first: usize) -> Option<usize> {
        let depth = self.depth.saturating_sub(1);
        let item = self.items.last()?;
        match item.first_paragraph {
            FirstParagraph::PartOf(bullet) => Some(bullet),
            FirstParagraph::NotStarted => {
                let bullet = bullet_at(self.text.as_bytes(), &self.builder.blocks[item.block], first, depth)?;
                let number = self.builder.bullets.len();
                self.builder.blocks[item.block].kind = BlockKind::Bullet(number as u32);
                self.builder.bullets.push(bullet);
                Some(number)
            }
            FirstParagraph::Open(..) | FirstParagraph::Done(_) => None,
        }
    }

    /// Ends the text of a bullet before an offset.
    fn end_text(&mut self, bullet: usize, end: usize) {
        let content = self.builder.bullets[bullet].text_start as usize;
        let end = lines::trim_end(self.text.as_bytes(), content, end.max(content));
        self.builder.bullets[bullet].text_end = end as u32;
    }

    /// Adds the metadata lines of an HTML block. Returns whether it contains any.
    fn add_meta_lines(&mut self, start: usize, end: usize) -> bool {
        let bytes = self.text.as_bytes();
        let below = match self.items.last() {
            Some(OpenItem { first_paragraph: FirstParagraph::Done(Some(b)), .. }) => {
                Some((*b, lines::end(bytes, self.builder.bullets[*b].text_end as usize)))
            }
            _ => None,
        };
        let mut any_found = false;
        let mut line = start;
        while line < end {
            let next = lines::end(bytes, line);
            if BulletMeta::is_meta_line(&self.text[line..next]) {
                let bullet = below.filter(|(_, at)| *at == line).map(|(b, _)| b);
                self.builder.add_meta_line(span(line, next), bullet);
                any_found = true;
            }
            line = next;
        }
        any_found
    }

    /// Cuts the blocks that ended at the line where a new block starts.
    fn cut_closed_blocks(&mut self, line: usize) {
        for node in self.closed.drain(..) {
            let old = self.builder.blocks[node];
            if old.span.end as usize > line && (old.span.start as usize) < line {
                set_block_end(
                    self.builder,
                    node,
                    lines::block_end(self.text.as_bytes(), old.span.start as usize, line),
                );
            }
        }
    }

    fn start_item(&mut self, start: usize) {
        let bytes = self.text.as_bytes();
        let blanks = bytes[start..].iter().take_while(|b| matches!(b, b' ' | b'\t' | b'\n' | b'\r')).count();
        let marker = start + blanks;
        let line = self.line_start(marker).max(self.range_start);
        if let Some(bullet) = self.open_bullet(marker) {
            self.end_text(bullet, marker_end(bytes, marker));
            if let Some(around) = self.items.last_mut() {
                around.first_paragraph = FirstParagraph::Done(Some(bullet));
                let block = around.block;
                self.builder.details[block].opening = LIST_NUMBER;
                let first_paragraph = FirstParagraph::PartOf(bullet);
                return self.items.push(OpenItem { block, first_paragraph, is_text: true });
            }
        }
        self.cut_closed_blocks(line);
        let node = self.builder.push_block(BlockKind::OtherListItem, line, marker, self.depth);
        if let Some(OpenItem { first_paragraph: head @ FirstParagraph::NotStarted, .. }) = self.items.last_mut() {
            *head = FirstParagraph::Done(None);
        }
        self.items.push(OpenItem { block: node, first_paragraph: FirstParagraph::NotStarted, is_text: false });
        self.depth += 1;
    }

    /// The start of the line of a byte offset.
    fn line_start(&mut self, at: usize) -> usize {
        let (before, line) = self.last_line;
        let bytes = self.text.as_bytes();
        let is_same = before <= at && memchr::memchr2(b'\n', b'\r', &bytes[before..at]).is_none();
        self.last_line = (at, if is_same { line } else { lines::start(bytes, at) });
        self.last_line.1
    }

    fn end_item(&mut self, end: usize) {
        self.close_first_paragraph();
        let Some(item) = self.items.pop().filter(|item| !item.is_text) else { return };
        self.depth -= 1;
        let start = self.builder.blocks[item.block].span.start as usize;
        set_block_end(self.builder, item.block, lines::block_end(self.text.as_bytes(), start, end));
        self.closed.push(item.block);
        if self.items.is_empty() {
            self.end_before_tag(item.block);
        }
    }

    /// Ends a top-level item before an HTML tag that closes an element opened above the list (`</notes>`).
    ///
    /// By CommonMark 4.6, start condition 7, the line is lazy continuation text of the last bullet. cmark, GitHub and
    /// human readers treat it as a separate block, and an update of the bullet must not replace it.
    fn end_before_tag(&mut self, item: usize) {
        let Some((bullet, line)) = self.tag_line.take() else { return };
        let end = self.builder.blocks[item].span.end;
        if self.builder.blocks[item].span.start as usize >= line || self.builder.bullets[bullet].end != end {
            return;
        }
        for node in item..self.builder.blocks.len() {
            if self.builder.blocks[node].span.end == end {
                set_block_end(self.builder, node, line);
            }
        }
        let text = self.builder.bullets[bullet].text_start as usize;
        self.builder.bullets[bullet].text_end = lines::trim_end(self.text.as_bytes(), text, line) as u32;
        let node = self.builder.push_block(BlockKind::Html, line, end as usize, 0);
        self.closed.push(node);
    }

    /// Handles inline content: extends the first paragraph of the innermost item, or is ignored.
    fn handle_inline(&mut self, at: Range<usize>) {
        let opened = self.open_bullet(at.start);
        let Some(item) = self.items.last_mut() else { return };
        item.first_paragraph = match item.first_paragraph {
            FirstParagraph::NotStarted | FirstParagraph::PartOf(_) => match opened {
                None => FirstParagraph::Done(None),
                Some(bullet) => FirstParagraph::Open(bullet, at.end),
            },
            FirstParagraph::Open(bullet, end) => FirstParagraph::Open(bullet, end.max(at.end)),
            done => done,
        };
    }

    /// Ends the first paragraph of the innermost item, if it has started.
    fn close_open_paragraph(&mut self) {
        if let Some(OpenItem { first_paragraph: FirstParagraph::Open(..), .. }) = self.items.last() {
            self.close_first_paragraph();
        }
    }

    fn close_first_paragraph(&mut self) {
        let Some(item) = self.items.last_mut() else { return };
        item.first_paragraph = match item.first_paragraph {
            FirstParagraph::NotStarted => FirstParagraph::Done(None),
            FirstParagraph::PartOf(bullet) => FirstParagraph::Done(Some(bullet)),
            FirstParagraph::Open(bullet, end) => {
                let bytes = self.text.as_bytes();
                let content = self.builder.bullets[bullet].text_start as usize;
                let line = lines::end(bytes, end.max(content + 1) - 1);
                self.builder.bullets[bullet].text_end = lines::trim_end(bytes, content, line) as u32;
                self.tag_line = find_tag_line(bytes, content, line).map(|at| (bullet, at));
                FirstParagraph::Done(Some(bullet))
            }
            done => done,
        };
    }
}

/// The bullet of an item whose text starts at `first`. `None` if other content, such as a link definition, precedes the
/// text. The block's span still ends at the marker here.
fn bullet_at(bytes: &[u8], block: &super::DocumentBlock, first: usize, depth: usize) -> Option<Bullet> {
    let (line, marker) = (block.span.start as usize, block.span.end as usize);
    let after = marker_end(bytes, marker);
    if !matches!(bytes.get(after - 1)?, b'-' | b'+' | b'*' | b'.' | b')') {
        return None;
    }
    let content = after + bytes[after..].iter().take_while(|b| matches!(b, b' ' | b'\t' | b'\n' | b'\r')).count();
    let text = first == content || first == content + 1 && bytes[content] == b'\\';
    text.then_some(Bullet {
        line_start: line as u32,
        marker: marker as u32,
        text_start: content as u32,
        text_end: content as u32,
        end: content as u32,
        depth: depth.min(255) as u8,
        section: 0,
        meta: None,
    })
}

/// One past the last byte of an item's marker, if there is one.
fn marker_end(bytes: &[u8], marker: usize) -> usize {
    marker + bytes[marker..].iter().take_while(|b| b.is_ascii_digit()).count() + 1
}

/// The number of a list in [`BlockDetails::opening`](super::parse::BlockDetails).
const LIST_NUMBER: u16 = 5;

/// A number for each kind of block that is neither a paragraph nor a list item; 0 for these.
fn block_number(kind: BlockKind) -> u16 {
    match kind {
        BlockKind::Heading(level) => 10 + level as u16,
        BlockKind::Code => 1,
        BlockKind::Quote => 2,
        BlockKind::Html => 3,
        BlockKind::ThematicBreak => 4,
        BlockKind::Paragraph | BlockKind::Bullet(_) | BlockKind::OtherListItem => 0,
    }
}

/// Offset of the first line after `content` that consists of a single, unindented HTML tag.
fn find_tag_line(bytes: &[u8], content: usize, end: usize) -> Option<usize> {
    let mut line = lines::end(bytes, content);
    while line < end {
        let next = lines::end(bytes, line);
        if bytes[line] == b'<' && is_tag(bytes[line..next].trim_ascii_end()) {
            return Some(line);
        }
        line = next;
    }
    None
}

/// Whether a text that starts with `<` is a single tag: `</name>` or `<name attributes>`.
fn is_tag(text: &[u8]) -> bool {
    let name = text[1..].strip_prefix(b"/").unwrap_or(&text[1..]);
    let letters = name.iter().take_while(|b| b.is_ascii_alphanumeric() || **b == b'-').count();
    let rest = &name[letters..];
    name.first().is_some_and(u8::is_ascii_alphabetic)
        && matches!(rest.first(), Some(b' ' | b'\t' | b'/' | b'>'))
        && memchr::memchr(b'>', rest) == Some(rest.len() - 1)
}

fn set_block_end(builder: &mut BlockBuilder, block: usize, end: usize) {
    builder.blocks[block].span.end = end as u32;
    if let BlockKind::Bullet(b) = builder.blocks[block].kind {
        builder.bullets[b as usize].end = end as u32;
    }
}
