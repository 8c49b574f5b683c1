//! From bytes to blocks: cuts a text into chunks that need no parser and chunks that do.
//!
//! Never guesses: a chunk is read by hand only where CommonMark leaves no other reading, and a property test holds both
//! ways against each other. A file of fifty thousand one-line bullets is read at memory speed that way.

use memchr::memmem;

use super::section;
use super::walk::walk;
use super::{Bullet, Kind, Meta, MetaLine, Node, Section, Span, front, lines};

/// What the public types leave out of a node.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Inner {
    /// How many items it stands in.
    pub depth: u8,
    /// A digest of the kinds of blocks (no lists, no paragraphs) directly inside an item.
    pub shape: u16,
}

/// A link reference definition: folded label, destination, title.
pub(super) type Definition = (String, String, String);

/// Blocks as they are found, before sections are known.
#[derive(Debug, Default)]
pub(super) struct Draft {
    pub nodes: Vec<Node>,
    pub inner: Vec<Inner>,
    pub bullets: Vec<Bullet>,
    pub metas: Vec<MetaLine>,
    pub definitions: Vec<Definition>,
}

impl Draft {
    /// Makes room for that many bullets: too much costs nothing until it is used, too little costs copies.
    fn reserve(&mut self, bullets: usize) {
        self.nodes.reserve(bullets);
        self.inner.reserve(bullets);
        self.bullets.reserve(bullets);
    }

    /// Adds a block; a heading's number is its level until sections are made.
    pub fn push(&mut self, kind: Kind, start: usize, end: usize, depth: usize) -> usize {
        self.nodes.push(Node { kind, span: span(start, end) });
        self.inner.push(Inner { depth: depth.min(255) as u8, shape: 0 });
        self.nodes.len() - 1
    }

    /// Adds a definition unless an earlier one has that label (CommonMark 4.7).
    pub fn define(&mut self, label: &str, destination: &str, title: &str) {
        let label = label.split_whitespace().collect::<Vec<_>>().join(" ").to_lowercase();
        if let Err(place) = self.definitions.binary_search_by(|(l, ..)| l.as_str().cmp(&label)) {
            self.definitions.insert(place, (label, destination.to_owned(), title.to_owned()));
        }
    }

    /// Notes a metadata line below the text of a bullet (or of none).
    pub fn meta(&mut self, line: Span, bullet: Option<usize>) {
        let bullet = bullet.filter(|b| self.bullets[*b].meta.is_none());
        if let Some(b) = bullet {
            self.bullets[b].meta = Some(self.metas.len() as u32);
        }
        self.metas.push(MetaLine { line, bullet: bullet.map(|b| b as u32) });
    }
}

/// A text's parts.
#[derive(Debug)]
pub(super) struct Parsed {
    pub front: Option<Span>,
    pub body: usize,
    pub draft: Draft,
    pub sections: Vec<Section>,
}

/// A span of two offsets.
pub(super) fn span(start: usize, end: usize) -> Span {
    Span { start: start as u32, end: end as u32 }
}

/// Reads a text. `chunked` allows reading by hand; without it the parser gets all of the body.
pub(super) fn parse(text: &str, chunked: bool) -> Parsed {
    let (front, body) = front::split(text);
    let mut draft = Draft::default();
    draft.reserve((text.len() - body) / 64);
    match chunked && can_be_cut(&text.as_bytes()[body..]) {
        true => by_chunks(text, body, &mut draft),
        false => walk(text, body..text.len(), &mut draft),
    }
    let sections = section::sections(text, body, &mut draft);
    Parsed { front, body, draft, sections }
}

/// Whether nothing in a body can reach over a bullet or heading at the start of a line: no fence, no HTML block of
/// several lines, and no line end or blank that only some readers know.
fn can_be_cut(body: &[u8]) -> bool {
    if memchr::memchr2_iter(0x0b, 0x0c, body).next().is_some()
        || memmem::find(body, b"```").is_some()
        || memmem::find(body, b"~~~").is_some()
        || memchr::memchr_iter(b'\r', body).any(|i| body.get(i + 1) != Some(&b'\n'))
    {
        return false;
    }
    memchr::memchr_iter(b'<', body).all(|i| {
        let line = lines::start(body, i);
        !body[line..i].iter().all(|b| lines::blank(*b)) || is_closed_comment(&body[i..lines::end(body, i)])
    })
}

fn is_closed_comment(rest: &[u8]) -> bool {
    rest.strip_prefix(b"<!--").is_some_and(|inside| memmem::find(inside, b"-->").is_some())
}

/// A line that starts a block whatever stands above it.
#[derive(Clone, Copy)]
enum Opening {
    Bullet,
    Heading(u32),
}

/// Cuts a body at lines that surely open a block; runs of chunks that hold more than one plain line go to the parser.
fn by_chunks(text: &str, body: usize, draft: &mut Draft) {
    let bytes = text.as_bytes();
    let mut unusual = None;
    let mut at = body;
    let mut here = opening(&bytes[at..]);
    while at < bytes.len() {
        let end = lines::end(bytes, at);
        let (meta, next) = match here {
            Some(Opening::Bullet) => meta_line(text, end),
            _ => (None, end),
        };
        let next = if here.is_some() { lines::after_blanks(bytes, next) } else { end };
        let following = opening(&bytes[next..]);
        let alone = next == bytes.len() || following.is_some();
        match here.filter(|_| alone) {
            None => {
                unusual.get_or_insert(at);
                here = if next == end { following } else { None };
                at = end;
                continue;
            }
            Some(found) => {
                if let Some(start) = unusual.take() {
                    walk(text, start..at, draft);
                }
                match found {
                    Opening::Heading(level) => drop(draft.push(Kind::Heading(level), at, end, 0)),
                    Opening::Bullet => plain_bullet(bytes, at, end, meta, draft),
                }
            }
        }
        here = following;
        at = next;
    }
    if let Some(start) = unusual {
        walk(text, start..bytes.len(), draft);
    }
}

fn plain_bullet(bytes: &[u8], at: usize, head: usize, meta: Option<Span>, draft: &mut Draft) {
    let number = draft.bullets.len();
    let end = meta.map_or(head, |m| m.end as usize);
    draft.push(Kind::Bullet(number as u32), at, end, 0);
    draft.bullets.push(Bullet {
        line: at as u32,
        marker: at as u32,
        content: at as u32 + 2,
        head_end: lines::trimmed(bytes, at, head) as u32,
        end: end as u32,
        depth: 0,
        section: 0,
        meta: None,
    });
    if let Some(line) = meta {
        draft.meta(line, Some(number));
    }
}

/// The metadata line at `at`, if one stands there at a plain bullet's indent, and where what follows starts.
fn meta_line(text: &str, at: usize) -> (Option<Span>, usize) {
    let found = text[at..].starts_with("  <!-- mem ").then(|| lines::end(text.as_bytes(), at));
    match found.filter(|end| Meta::is_line(&text[at..*end])) {
        Some(end) => (Some(span(at, end)), end),
        None => (None, at),
    }
}

/// What the line that starts here surely opens.
fn opening(text: &[u8]) -> Option<Opening> {
    match text {
        [b'-' | b'*' | b'+', b' ', rest @ ..] => is_plain(rest).then_some(Opening::Bullet),
        [b'#', ..] => {
            let level = text.iter().take_while(|b| **b == b'#').count();
            (level <= 6 && text.get(level) == Some(&b' ')).then_some(Opening::Heading(level as u32))
        }
        _ => None,
    }
}

/// Whether an item whose text starts here can start with nothing but a paragraph (given that the body holds no fence).
fn is_plain(rest: &[u8]) -> bool {
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
