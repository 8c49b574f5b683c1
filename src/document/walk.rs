//! From parser events to blocks, with every offset computed anew from the bytes (FINDINGS 1).
//!
//! Never trusts a range further than "something starts on this line".

use std::ops::Range;

use pulldown_cmark::{Event, Options, Parser, Tag, TagEnd};

use super::parse::{Draft, span};
use super::{Bullet, Kind, Meta, lines};

/// Parses a part of a text that starts at a line's start, and adds its blocks.
pub(super) fn walk(text: &str, range: Range<usize>, draft: &mut Draft) {
    if lines::all_blank(&text.as_bytes()[range.clone()]) {
        return;
    }
    let parser = Parser::new_ext(&text[range.clone()], Options::empty());
    for (label, definition) in parser.reference_definitions().iter() {
        draft.define(label, &definition.dest, definition.title.as_deref().unwrap_or(""));
    }
    let mut walk = Walk { text, floor: range.start, draft, items: Vec::new(), closed: Vec::new(), skip: 0, tag: None };
    for (event, at) in parser.into_offset_iter() {
        walk.event(&event, range.start + at.start..range.start + at.end);
    }
}

/// How far an item's first paragraph is read.
#[derive(Clone, Copy)]
enum Head {
    /// Nothing of the item has come yet.
    Awaited,
    /// The bullet, and where the last piece of its text ends.
    Open(usize, usize),
    /// The item's text is over; the bullet, if it is one.
    Done(Option<usize>),
}

/// An item whose end has not come.
struct Item {
    node: usize,
    head: Head,
}

struct Walk<'a> {
    text: &'a str,
    floor: usize,
    draft: &'a mut Draft,
    items: Vec<Item>,
    /// Nodes that ended since the last one started: their ends are cut at the next one's line.
    closed: Vec<usize>,
    /// How many open tags hide what stands inside them.
    skip: usize,
    /// The bullet whose text ran into a tag that stands alone at the start of a line, and that line.
    tag: Option<(usize, usize)>,
}

impl Walk<'_> {
    fn event(&mut self, event: &Event<'_>, at: Range<usize>) {
        match event {
            Event::Start(_) if self.skip > 0 => self.skip += 1,
            Event::End(_) if self.skip > 0 => self.skip -= 1,
            _ if self.skip > 0 => {}
            Event::Start(tag) => self.start(tag, at),
            Event::End(TagEnd::Item) => self.end_item(at.end),
            Event::End(TagEnd::Paragraph) => self.close_head(),
            Event::End(_) | Event::SoftBreak | Event::HardBreak => {}
            Event::Rule => self.block(Kind::Rule, at),
            _ => self.inline(at),
        }
    }

    fn start(&mut self, tag: &Tag<'_>, at: Range<usize>) {
        let kind = match tag {
            Tag::List(_) => return self.close_head(),
            Tag::Item => return self.start_item(at.start),
            Tag::Paragraph if matches!(self.items.last(), Some(Item { head: Head::Awaited, .. })) => return,
            Tag::Paragraph => Kind::Paragraph,
            Tag::Heading { level, .. } => Kind::Heading(*level as u32),
            Tag::BlockQuote(_) => Kind::Quote,
            Tag::CodeBlock(_) => Kind::Code,
            Tag::HtmlBlock => Kind::Html,
            _ => return self.inline(at),
        };
        self.block(kind, at);
        self.skip = 1;
    }

    /// A block that is no item: a node at the top, a part of its item's shape inside one.
    fn block(&mut self, kind: Kind, at: Range<usize>) {
        self.close_head();
        let bytes = self.text.as_bytes();
        let start = lines::start(bytes, at.start).max(self.floor);
        let meta = kind == Kind::Html && self.metas(start, at.end);
        let Some(item) = self.items.last() else {
            self.begin(start);
            let node = self.draft.push(kind, start, lines::block_end(bytes, start, at.end), 0);
            return self.closed.push(node);
        };
        let part = match kind {
            Kind::Heading(level) => 10 + level as u16,
            Kind::Code => 1,
            Kind::Quote => 2,
            Kind::Html => 3,
            Kind::Rule => 4,
            _ => return,
        };
        if !meta {
            let shape = &mut self.draft.inner[item.node].shape;
            *shape = shape.wrapping_mul(31).wrapping_add(part);
        }
    }

    /// Notes the metadata lines of an HTML block; whether it holds one.
    fn metas(&mut self, start: usize, end: usize) -> bool {
        let bytes = self.text.as_bytes();
        let below = match self.items.last() {
            Some(Item { head: Head::Done(Some(b)), .. }) => {
                Some((*b, lines::end(bytes, self.draft.bullets[*b].head_end as usize)))
            }
            _ => None,
        };
        let mut found = false;
        let mut line = start;
        while line < end {
            let next = lines::end(bytes, line);
            if Meta::is_line(&self.text[line..next]) {
                let bullet = below.filter(|(_, at)| *at == line).map(|(b, _)| b);
                self.draft.meta(span(line, next), bullet);
                found = true;
            }
            line = next;
        }
        found
    }

    /// Cuts what ended before at the line where something new starts.
    fn begin(&mut self, line: usize) {
        for node in self.closed.drain(..) {
            let old = self.draft.nodes[node];
            if old.span.end as usize > line && (old.span.start as usize) < line {
                set_end(self.draft, node, lines::block_end(self.text.as_bytes(), old.span.start as usize, line));
            }
        }
    }

    fn start_item(&mut self, start: usize) {
        let bytes = self.text.as_bytes();
        let blanks = bytes[start..].iter().take_while(|b| matches!(b, b' ' | b'\t' | b'\n' | b'\r')).count();
        let line = lines::start(bytes, start + blanks).max(self.floor);
        self.begin(line);
        let node = self.draft.push(Kind::OtherItem, line, start + blanks, self.items.len());
        if let Some(Item { head: head @ Head::Awaited, .. }) = self.items.last_mut() {
            *head = Head::Done(None);
        }
        self.items.push(Item { node, head: Head::Awaited });
    }

    fn end_item(&mut self, end: usize) {
        self.close_head();
        let Some(item) = self.items.pop() else { return };
        let start = self.draft.nodes[item.node].span.start as usize;
        set_end(self.draft, item.node, lines::block_end(self.text.as_bytes(), start, end));
        self.closed.push(item.node);
        if self.items.is_empty() {
            self.end_at_tag(item.node);
        }
    }

    /// Ends a top-level item before a tag that closes what was opened around the list (`</notes>`).
    ///
    /// By the letter (CommonMark 4.6, start condition 7) the line is lazy text of the last bullet; cmark, GitHub and
    /// people read it as a block of its own, and an update of the bullet must not swallow it.
    fn end_at_tag(&mut self, item: usize) {
        let Some((bullet, line)) = self.tag.take() else { return };
        let end = self.draft.nodes[item].span.end;
        if self.draft.nodes[item].span.start as usize >= line || self.draft.bullets[bullet].end != end {
            return;
        }
        for node in item..self.draft.nodes.len() {
            if self.draft.nodes[node].span.end == end {
                set_end(self.draft, node, line);
            }
        }
        let text = self.draft.bullets[bullet].content as usize;
        self.draft.bullets[bullet].head_end = lines::trimmed(self.text.as_bytes(), text, line) as u32;
        let node = self.draft.push(Kind::Html, line, end as usize, 0);
        self.closed.push(node);
    }

    /// A piece of text, in the first paragraph of the innermost item or in one that does not matter.
    fn inline(&mut self, at: Range<usize>) {
        let depth = self.items.len().saturating_sub(1);
        let Some(item) = self.items.last_mut() else { return };
        item.head = match item.head {
            Head::Awaited => match bullet_at(self.text.as_bytes(), &self.draft.nodes[item.node], at.start, depth) {
                None => Head::Done(None),
                Some(bullet) => {
                    let number = self.draft.bullets.len();
                    self.draft.nodes[item.node].kind = Kind::Bullet(number as u32);
                    self.draft.bullets.push(bullet);
                    Head::Open(number, at.end)
                }
            },
            Head::Open(bullet, end) => Head::Open(bullet, end.max(at.end)),
            done => done,
        };
    }

    fn close_head(&mut self) {
        let Some(item) = self.items.last_mut() else { return };
        item.head = match item.head {
            Head::Awaited => Head::Done(None),
            Head::Open(bullet, end) => {
                let bytes = self.text.as_bytes();
                let content = self.draft.bullets[bullet].content as usize;
                let line = lines::end(bytes, end.max(content + 1) - 1);
                self.draft.bullets[bullet].head_end = lines::trimmed(bytes, content, line) as u32;
                self.tag = tag_line(bytes, content, line).map(|at| (bullet, at));
                Head::Done(Some(bullet))
            }
            done => done,
        };
    }
}

/// The bullet of an item whose text starts at `first`; `None` when something else stands before it (a definition).
/// The node's span still reaches from the line's start to the marker only.
fn bullet_at(bytes: &[u8], node: &super::Node, first: usize, depth: usize) -> Option<Bullet> {
    let (line, marker) = (node.span.start as usize, node.span.end as usize);
    let digits = bytes[marker..].iter().take_while(|b| b.is_ascii_digit()).count();
    if !matches!(bytes.get(marker + digits)?, b'-' | b'+' | b'*' | b'.' | b')') {
        return None;
    }
    let after = marker + digits + 1;
    let content = after + bytes[after..].iter().take_while(|b| matches!(b, b' ' | b'\t' | b'\n' | b'\r')).count();
    let text = first == content || first == content + 1 && bytes[content] == b'\\';
    text.then_some(Bullet {
        line: line as u32,
        marker: marker as u32,
        content: content as u32,
        head_end: content as u32,
        end: content as u32,
        depth: depth.min(255) as u8,
        section: 0,
        meta: None,
    })
}

/// The first line after `content` that is one whole tag, not indented.
fn tag_line(bytes: &[u8], content: usize, end: usize) -> Option<usize> {
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

/// Whether a text that starts with `<` is one tag: `</name>`, `<name attributes>`.
fn is_tag(text: &[u8]) -> bool {
    let name = text[1..].strip_prefix(b"/").unwrap_or(&text[1..]);
    let letters = name.iter().take_while(|b| b.is_ascii_alphanumeric() || **b == b'-').count();
    let rest = &name[letters..];
    name.first().is_some_and(u8::is_ascii_alphabetic)
        && matches!(rest.first(), Some(b' ' | b'\t' | b'/' | b'>'))
        && memchr::memchr(b'>', rest) == Some(rest.len() - 1)
}

fn set_end(draft: &mut Draft, node: usize, end: usize) {
    draft.nodes[node].span.end = end as u32;
    if let Kind::Bullet(b) = draft.nodes[node].kind {
        draft.bullets[b as usize].end = end as u32;
    }
}
