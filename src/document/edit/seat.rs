//! Where new bullets sit, and what they look like there: indent, marker, padding, blank lines.
//!
//! Never decides what they say.

use super::Place;
use crate::document::items::content_on_line;
use crate::document::section::LABEL;
use crate::document::{Bullet, Document, Kind, lines};

/// A place in the text, the same for all ways to name it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Spot {
    Before(usize),
    After(usize),
    /// The end of a section's own text, where no bullet stands.
    Empty(usize),
    New(usize, String),
}

impl Spot {
    pub fn of(document: &Document, place: &Place) -> Result<Spot, String> {
        let bullets = document.bullets();
        let known = |b: usize| bullets.get(b).map(|_| b).ok_or("there is no such bullet");
        let section = |s: usize| document.sections().get(s).map(|_| s).ok_or("there is no such section");
        Ok(match place {
            Place::Before(b) => Spot::Before(known(*b)?),
            Place::After(b) => Spot::After(known(*b)?),
            Place::NewSection { under, title } => Spot::New(section(*under)?, title.trim().to_owned()),
            Place::End(s) => {
                let (from, to) = own_text(document, section(*s)?);
                let first = bullets.partition_point(|b| (b.line as usize) < from);
                let last = bullets.partition_point(|b| (b.line as usize) < to);
                let found = (first..last).rev().find(|b| bullets[*b].depth == 0);
                found.map_or(Spot::Empty(if *s == 0 { top(document) } else { *s }), Spot::After)
            }
        })
    }
}

/// The section that stands for the whole file when something is added at its top: the H1's, if the file starts with one.
fn top(document: &Document) -> usize {
    usize::from(document.sections().get(1).is_some_and(|s| s.level == 1))
}

/// A section's own text, heading left out; for the file, all text above the first heading below the H1.
fn own_text(document: &Document, section: usize) -> (usize, usize) {
    let sections = document.sections();
    match section {
        0 => (document.body_start(), sections[top(document)].own_end as usize),
        _ => (sections[section].heading.end as usize, sections[section].own_end as usize),
    }
}

/// How a list item is marked.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Marker {
    /// `-`, `*` or `+`.
    Sign(char),
    /// A number and `.` or `)`.
    Number(u32, char),
}

/// How new bullets are written, and what stands around them.
#[derive(Clone, Debug)]
pub(super) struct Seat {
    /// The offset in the text before.
    pub at: usize,
    /// What comes first: an end for an open last line, blank lines.
    pub lead: String,
    /// The heading's line, with blank lines below it.
    pub heading: Option<(u8, String)>,
    /// What stands before each marker.
    pub indent: String,
    /// The first bullet's marker.
    pub marker: Marker,
    /// What stands between marker and text.
    pub padding: String,
    /// Whether blank lines stand between the bullets.
    pub loose: bool,
    /// What comes last: a blank line or nothing.
    pub tail: String,
    /// Whether the text ends here and has no final line end, so that the new one gets none.
    pub open: bool,
    /// How many items the bullets stand in.
    pub depth: u8,
    /// Which of several insertions at one offset comes first.
    pub rank: u32,
}

/// The seat of a spot. Level 1 puts blank lines around, level 2 makes it a list of its own where that is possible.
pub(super) fn seat(document: &Document, spot: &Spot, level: u8) -> Result<Seat, String> {
    match spot {
        Spot::After(b) => beside(document, *b, level, true),
        Spot::Before(b) => beside(document, *b, level, false),
        Spot::Empty(s) => Ok(empty(document, *s)),
        Spot::New(under, title) => Ok(new_section(document, *under, title)),
    }
}

/// A sibling's seat.
fn beside(document: &Document, number: usize, level: u8, after: bool) -> Result<Seat, String> {
    let (text, bytes) = (document.text(), document.text().as_bytes());
    let bullet = document.bullets()[number];
    let lead = &text[bullet.line as usize..bullet.marker as usize];
    let own_line = lead.bytes().all(lines::blank);
    if !after && !own_line {
        return Err("the bullet shares its line with another item".to_owned());
    }
    let eol = document.eol().as_str();
    let at = (if after { bullet.end } else { bullet.line }) as usize;
    let open = at == bytes.len() && lines::without_eol(bytes, at) == at;
    let loose = is_loose(document, number) || level > 0;
    let blank_above = at == document.body_start() || lines::before_blanks(bytes, document.body_start(), at) < at;
    let gap = if after { loose } else { level > 0 && !blank_above };
    let below = lines::end(bytes, at.min(bytes.len()));
    let tight_below = at < bytes.len() && !lines::all_blank(&bytes[at..below]);
    let tail = if after { level > 0 && tight_below } else { loose };
    let fresh = level > 1 && bullet.depth == 0;
    let indent = if own_line { lead.to_owned() } else { " ".repeat(lines::columns(lead.as_bytes())) };
    let (marker, padding) = style(text, &bullet, after)?;
    Ok(Seat {
        at,
        lead: eol.repeat(usize::from(open) + usize::from(gap)),
        heading: None,
        indent: if fresh { String::new() } else { indent },
        marker: if fresh { Marker::Sign('-') } else { marker },
        padding: if fresh { " ".to_owned() } else { padding },
        loose,
        tail: eol.repeat(usize::from(tail)),
        open,
        depth: bullet.depth,
        rank: if after { 1 + (255 - u32::from(bullet.depth)) } else { 400 },
    })
}

/// A neighbour's marker (a number goes on) and padding.
fn style(text: &str, bullet: &Bullet, after: bool) -> Result<(Marker, String), String> {
    let rest = &text[bullet.marker as usize..];
    let digits = rest.bytes().take_while(u8::is_ascii_digit).count();
    let sign = rest[digits..].chars().next().unwrap_or('-');
    let content = content_on_line(text.as_bytes(), bullet);
    let padding = text.get(bullet.marker as usize + digits + 1..content).filter(|p| !p.is_empty()).unwrap_or(" ");
    let marker = match rest[..digits].parse::<u32>() {
        Ok(n) => Marker::Number(n + u32::from(after), sign),
        Err(_) => Marker::Sign(sign),
    };
    let padding = if padding.bytes().all(lines::blank) { padding } else { " " };
    Ok((marker, padding.to_owned()))
}

/// Whether blank lines stand between a bullet and its next sibling, or the one before if it is the last.
fn is_loose(document: &Document, number: usize) -> bool {
    let bullet = document.bullets()[number];
    let first = document.nodes.partition_point(|n| n.span.start < bullet.line);
    let own = (first..document.nodes.len()).find(|n| document.nodes[*n].kind == Kind::Bullet(number as u32));
    let Some(own) = own else { return false };
    let sibling = |n: &usize| {
        let kind = document.nodes[*n].kind;
        matches!(kind, Kind::Bullet(_) | Kind::OtherItem) && document.inner[*n].depth == bullet.depth
    };
    let next = (own + 1..document.nodes.len()).find(|n| document.nodes[*n].span.start >= bullet.end);
    if let Some(next) = next.filter(sibling) {
        return document.nodes[next].span.start > bullet.end;
    }
    let outside = |n: &usize| document.inner[*n].depth <= bullet.depth;
    let previous = (0..own).rev().find(outside).filter(sibling);
    previous.is_some_and(|n| document.nodes[n].span.end < bullet.line)
}

/// The seat at the end of a section's own text, where no bullet stands.
fn empty(document: &Document, section: usize) -> Seat {
    let bytes = document.text().as_bytes();
    let (own, to) = own_text(document, section);
    let from = if section == 0 { own } else { document.sections()[section].heading.start as usize };
    let at = lines::block_end(bytes, from, to);
    let last = document.nodes.partition_point(|n| (n.span.start as usize) < to);
    let last = document.nodes[..last].last().filter(|n| n.span.start as usize >= own);
    let gap = match last.map(|n| n.kind) {
        Some(Kind::OtherItem) => false,
        Some(_) => true,
        None if section == 0 => document.front_matter().is_some(),
        None => !headings_are_tight(document),
    };
    fresh(document, at, gap, 256)
}

/// The seat below a new heading at the end of a section.
fn new_section(document: &Document, under: usize, title: &str) -> Seat {
    let bytes = document.text().as_bytes();
    let section = &document.sections()[under];
    let outer = if section.level == LABEL { document.sections()[section.parent as usize].level } else { section.level };
    let level = (outer + 1).clamp(2, 6);
    let at = lines::block_end(bytes, section.heading.start as usize, section.end as usize);
    let tight = headings_are_tight(document);
    let eol = document.eol().as_str();
    let mut seat = fresh(
        document,
        at,
        at > document.body_start() || document.front_matter().is_some(),
        300 + u32::from(7 - level),
    );
    let line = format!(
        "{} {}{}",
        "#".repeat(level.into()),
        crate::document::escape::encode_title(title),
        eol.repeat(if tight { 1 } else { 2 })
    );
    seat.heading = Some((level, line));
    seat
}

/// A seat for a list of its own.
fn fresh(document: &Document, at: usize, gap: bool, rank: u32) -> Seat {
    let (text, bytes) = (document.text(), document.text().as_bytes());
    let eol = document.eol().as_str();
    let open = at == bytes.len() && at > document.body_start() && lines::without_eol(bytes, at) == at;
    let tight_below = at < bytes.len() && !lines::all_blank(&bytes[at..lines::end(bytes, at)]);
    let signs = document.bullets().iter().filter(|b| b.depth == 0);
    let sign = signs.filter_map(|b| text[b.marker as usize..].chars().next()).find(|c| !c.is_ascii_digit());
    Seat {
        at,
        lead: eol.repeat(usize::from(open) + usize::from(gap)),
        heading: None,
        indent: String::new(),
        marker: Marker::Sign(sign.unwrap_or('-')),
        padding: " ".to_owned(),
        loose: false,
        tail: eol.repeat(usize::from(tight_below && gap)),
        open,
        depth: 0,
        rank,
    }
}

/// Whether most headings that have text below them have it without a blank line between.
fn headings_are_tight(document: &Document) -> bool {
    let bytes = document.text().as_bytes();
    let mut tight = 0isize;
    for section in &document.sections()[1..] {
        let below = section.heading.end as usize;
        let text = lines::after_blanks(bytes, below);
        if section.level != LABEL && text < section.own_end as usize {
            tight += if text == below { 1 } else { -1 };
        }
    }
    tight > 0
}
