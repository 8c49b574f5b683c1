//! A markdown text and what we understand in it: front matter, sections, bullets, metadata lines, the summary.
//!
//! Pure. Keeps the text and byte spans into it, and returns replacements; it never renders a text from a tree.
//! What it does not understand it does not touch.

use std::borrow::Cow;

use std::sync::OnceLock;

use crate::text::Splice;

pub mod edit;
mod escape;
mod excerpt;
mod front;
pub mod handle;
mod items;
mod lines;
pub mod links;
pub mod meta;
mod parse;
mod section;
mod sight;
pub mod summary;
mod walk;

pub use edit::{Edit, Edited, Item, Place, Refused, edit};
pub use excerpt::{item_of, section_range};
pub use handle::Handle;
pub use items::items_source;
pub use meta::Meta;
pub use section::slug;
pub use sight::{Shown, Sight, category, summaries, tags};

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
    body: usize,
    front: Option<Span>,
    nodes: Vec<Node>,
    inner: Vec<parse::Inner>,
    sections: Vec<Section>,
    bullets: Vec<Bullet>,
    metas: Vec<MetaLine>,
    definitions: Vec<parse::Definition>,
    handles: OnceLock<Vec<Handle>>,
    /// The handles in order, made when a second name is asked for: one name is found faster without.
    sorted: OnceLock<Vec<Handle>>,
    named: OnceLock<()>,
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
        Document::made(text.into(), true)
    }

    /// Parses; `chunked` allows reading plain lines without the parser.
    fn made(text: String, chunked: bool) -> Document {
        let parse::Parsed { front, body, draft, sections } = parse::parse(&text, chunked);
        Document {
            text,
            body,
            front,
            nodes: draft.nodes,
            inner: draft.inner,
            sections,
            bullets: draft.bullets,
            metas: draft.metas,
            definitions: draft.definitions,
            handles: OnceLock::new(),
            sorted: OnceLock::new(),
            named: OnceLock::new(),
        }
    }

    /// Parses the bytes of a file.
    ///
    /// # Errors
    /// [`NotText`] for bytes that are not UTF-8 or hold a NUL.
    pub fn read(bytes: Vec<u8>) -> Result<Document, NotText> {
        if let Some(at) = memchr::memchr(0, &bytes) {
            return Err(NotText::Nul(at));
        }
        let text = String::from_utf8(bytes).map_err(|e| NotText::Utf8(e.utf8_error().valid_up_to()))?;
        Ok(Document::parse(text))
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
        let bytes = self.text.as_bytes();
        if memchr::memchr(b'\r', bytes).is_none() {
            return Eol::Lf;
        }
        let all = memchr::memchr_iter(b'\n', bytes).count();
        let crlf = memchr::memmem::find_iter(bytes, "\r\n").count();
        if 2 * crlf > all { Eol::CrLf } else { Eol::Lf }
    }

    /// The front matter, fences included; `None` without one.
    pub fn front_matter(&self) -> Option<Span> {
        self.front
    }

    /// Where the body starts: behind the front matter, or behind the byte order mark. In bytes.
    pub fn body_start(&self) -> usize {
        self.body
    }

    /// The value of one front matter key as it stands in the text (scalar, quotes included); `None` for a key that is
    /// not there or whose value goes over several lines. An empty value is an empty span.
    pub fn front_value(&self, key: &str) -> Option<Span> {
        front::value(self, front::line(self, key)?)
    }

    /// The value of one front matter key as it is meant: quotes and their escapes taken off.
    pub fn front_text(&self, key: &str) -> Option<String> {
        self.front_value(key).map(|value| front::unquoted(&self.text[value.range()]))
    }

    /// The replacement that sets a front matter scalar (the front matter must exist), quoted where YAML needs it;
    /// every other byte stays. An empty value takes the line out. `None` where the key's value goes over several lines.
    pub fn set_front(&self, key: &str, value: &str) -> Option<Splice> {
        front::set(self, key, value)
    }

    /// All blocks, in file order.
    pub fn nodes(&self) -> &[Node] {
        &self.nodes
    }

    /// All sections, in file order; the first is the file.
    pub fn sections(&self) -> &[Section] {
        &self.sections
    }

    /// All bullets at any depth, in file order.
    pub fn bullets(&self) -> &[Bullet] {
        &self.bullets
    }

    /// All metadata lines, in file order, orphans among them.
    pub fn metas(&self) -> &[MetaLine] {
        &self.metas
    }

    /// Bullets of top-level lists in a section with its subsections, in file order: what an index counts.
    pub fn counted(&self, section: usize) -> Vec<usize> {
        let Section { heading, end, .. } = &self.sections[section];
        let first = self.bullets.partition_point(|b| b.line < heading.start);
        let last = self.bullets.partition_point(|b| b.line < *end);
        (first..last).filter(|b| self.bullets[*b].depth == 0).collect()
    }

    /// A bullet's text as it stands in the file, lines and escapes included.
    pub fn bullet_raw(&self, bullet: usize) -> &str {
        let Bullet { content, head_end, .. } = self.bullets[bullet];
        &self.text[content as usize..head_end as usize]
    }

    /// A bullet's text as people mean it: lines folded to one, our own structural escapes taken off.
    pub fn bullet_text(&self, bullet: usize) -> Cow<'_, str> {
        escape::decode(one_line(self.bullet_raw(bullet)))
    }

    /// A heading's text as people mean it, ids left out; the H1's or nothing for section 0.
    pub fn section_title(&self, section: usize) -> Cow<'_, str> {
        let section = match section {
            0 => self.sections.iter().find(|s| s.level == 1).unwrap_or(&self.sections[0]),
            _ => &self.sections[section],
        };
        escape::decode_title(one_line(&self.text[section.title.range()]))
    }

    /// A bullet's explicit id: `id=` of its metadata line, else `^id` at the end of its text.
    pub fn bullet_id(&self, bullet: usize) -> Option<Cow<'_, str>> {
        let from_meta = self.bullet_meta(bullet).and_then(|m| m.get("id").map(str::to_owned));
        if let Some(id) = from_meta.filter(|id| crate::path::is_id(id)) {
            return Some(Cow::Owned(id));
        }
        let last = self.bullet_raw(bullet).rsplit(char::is_whitespace).next()?;
        last.strip_prefix('^').filter(|id| crate::path::is_id(id)).map(Cow::Borrowed)
    }

    /// A bullet's metadata.
    pub fn bullet_meta(&self, bullet: usize) -> Option<Meta> {
        let line = self.metas[self.bullets[bullet].meta? as usize].line;
        Meta::parse(&self.text[line.range()])
    }

    /// The handles of all bullets (computed once, when first asked for).
    pub fn handles(&self) -> &[Handle] {
        self.handles.get_or_init(|| (0..self.bullets.len()).map(|b| Handle::of(self.bullet_raw(b))).collect())
    }

    /// Takes over the handles of bullets that came from another document; `origin` says from where each came.
    fn take_handles(&self, before: &Document, origin: &[Option<usize>]) {
        let Some(known) = before.handles.get() else { return };
        let of = |(bullet, from): (usize, &Option<usize>)| match from {
            Some(old) => known[*old],
            None => Handle::of(self.bullet_raw(bullet)),
        };
        let _ = self.handles.set(origin.iter().enumerate().map(of).collect());
    }

    /// A bullet's handle as printed: the shortest prefix unique among the file's different texts, at least 4 characters.
    pub fn handle_name(&self, bullet: usize) -> String {
        let handle = self.handles()[bullet];
        let nearest = match self.named.set(()) {
            Ok(()) => handle.nearest(self.handles()),
            Err(()) => {
                let sorted = self.sorted.get_or_init(|| {
                    let mut all = self.handles().to_vec();
                    all.sort_unstable();
                    all.dedup();
                    all
                });
                let at = sorted.partition_point(|h| *h < handle);
                handle.nearest(&sorted[at.saturating_sub(1)..(at + 2).min(sorted.len())])
            }
        };
        handle.prefix(handle.apart(nearest))
    }

    /// The bullets a printed handle names (by prefix, at least 4 characters): none, one, or several.
    pub fn by_handle(&self, name: &str) -> Vec<usize> {
        let Some((low, high)) = Handle::range(name) else { return Vec::new() };
        let named = self.handles().iter().enumerate().filter(|(_, h)| (low..=high).contains(*h));
        named.map(|(bullet, _)| bullet).collect()
    }

    /// The bullets with that text, compared as handles compare, in file order. The text may be given as people mean it
    /// or as it stands in the file.
    pub fn by_text(&self, text: &str) -> Vec<usize> {
        let text = text.trim();
        let written = escape::encode(text);
        let (meant, stands) = (Handle::of(text), Handle::of(&written));
        let same = |b: &usize| {
            let normal = handle::normal(self.bullet_raw(*b));
            normal == handle::normal(text) || normal == handle::normal(&written)
        };
        let hits = self.handles().iter().enumerate().filter(|(_, h)| **h == meant || **h == stands);
        hits.map(|(bullet, _)| bullet).filter(same).collect()
    }

    /// The summary line: front matter's `summary:`/`description:` first, else the first `> Summary:` line
    /// that stands above the first heading below the H1 and the first bullet.
    pub fn summary(&self) -> Option<SummaryLine> {
        for key in ["summary", "description"] {
            if let Some(line) = front::line(self, key) {
                return Some(SummaryLine { line, value: front::value(self, line)?, front: true });
            }
        }
        let mut first_heading = true;
        for node in &self.nodes {
            match node.kind {
                Kind::Heading(s) if first_heading && self.sections[s as usize].level == 1 => first_heading = false,
                Kind::Heading(_) | Kind::Bullet(_) | Kind::OtherItem => return None,
                Kind::Quote => {
                    if let Some(found) = self.summary_in(node.span) {
                        return Some(found);
                    }
                }
                _ => {}
            }
        }
        None
    }

    /// The first `> Summary:` line of a quote.
    fn summary_in(&self, quote: Span) -> Option<SummaryLine> {
        let bytes = self.text.as_bytes();
        let mut line = quote.start as usize;
        while line < quote.end as usize {
            let end = lines::end(bytes, line);
            let text = self.text[line..end].trim_start_matches(' ');
            let inner = text.strip_prefix('>').map(|t| t.trim_start_matches([' ', '\t']));
            if let Some(value) = inner.and_then(|t| t.strip_prefix("Summary:")) {
                let to = lines::trimmed(bytes, end - value.len(), end);
                let from = lines::skip_blanks(bytes, end - value.len()).min(to);
                let (line, value) = (parse::span(line, end), parse::span(from, to));
                return Some(SummaryLine { line, value, front: false });
            }
            line = end;
        }
        None
    }

    /// The number (from 1) of the first line that is a merge conflict marker, where a whole set of them stands:
    /// `<<<<<<< `, later `=======`, later `>>>>>>> `.
    pub fn conflict_marker(&self) -> Option<usize> {
        let bytes = self.text.as_bytes();
        memchr::memmem::find(bytes, b"<<<<<<< ")?;
        let mut seen: Option<(usize, bool)> = None;
        for (number, line) in self.text.trim_start_matches('\u{feff}').lines().enumerate() {
            seen = match seen {
                _ if line.starts_with("<<<<<<< ") => seen.filter(|(_, middle)| *middle).or(Some((number + 1, false))),
                Some((first, _)) if line == "=======" => Some((first, true)),
                Some((first, true)) if line.starts_with(">>>>>>> ") || line == ">>>>>>>" => return Some(first),
                other => other,
            };
        }
        None
    }
}

/// Lines folded to one: each line end with the blanks around it becomes one space.
fn one_line(raw: &str) -> Cow<'_, str> {
    if !raw.contains(['\n', '\r']) {
        return Cow::Borrowed(raw);
    }
    let blanks = [' ', '\t'];
    let parts = raw.split(['\n', '\r']).map(|line| line.trim_matches(blanks)).filter(|line| !line.is_empty());
    Cow::Owned(parts.collect::<Vec<_>>().join(" "))
}

#[cfg(test)]
mod tests;
