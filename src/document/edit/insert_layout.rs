//! Determines the layout of inserted bullets: offset, indent, marker, padding and blank lines, copied from neighbours.
//!
//! Never decides the text of a bullet.

use super::{DocumentEdit, InsertPosition};
use crate::document::new_bullets::text_start_on_line;
use crate::document::section::LABEL_LEVEL;
use crate::document::{BlockKind, Bullet, Document, lines};

/// An insertion point. Insert positions with the same meaning resolve to the same point.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum InsertPoint {
    Before(usize),
    After(usize),
    /// Before or after a bullet of a numbered list, with this number.
    Numbered {
        beside: usize,
        after: bool,
        number: u32,
    },
    /// The end of a section's own content if it has no bullet.
    EmptySection(usize),
    NewSection(usize, Vec<String>),
}

impl InsertPoint {
    pub fn resolve(document: &Document, position: &InsertPosition) -> Result<InsertPoint, String> {
        let bullets = document.bullets();
        let check_bullet = |b: usize| bullets.get(b).map(|_| b).ok_or("no such bullet");
        let check_section = |s: usize| document.sections().get(s).map(|_| s).ok_or("no such section");
        Ok(match position {
            InsertPosition::Before(b) => InsertPoint::Before(check_bullet(*b)?),
            InsertPosition::After(b) => InsertPoint::After(check_bullet(*b)?),
            InsertPosition::NewSection { under, titles } => InsertPoint::NewSection(
                check_section(*under)?,
                titles.iter().map(|title| title.trim().to_owned()).collect(),
            ),
            InsertPosition::Numbered { section, number } => {
                match gap_of_number(document, check_section(*section)?, *number) {
                    Some((beside, after)) => InsertPoint::Numbered { beside, after, number: *number },
                    None => InsertPoint::resolve(document, &InsertPosition::EndOfSection(*section))?,
                }
            }
            InsertPosition::EndOfSection(s) => {
                let found = own_bullets(document, check_section(*s)?).next_back();
                found.map_or(
                    InsertPoint::EmptySection(if *s == 0 { top_section(document) } else { *s }),
                    InsertPoint::After,
                )
            }
        })
    }
}

/// The top-level bullets of a section's own content.
fn own_bullets(document: &Document, section: usize) -> impl DoubleEndedIterator<Item = usize> {
    let bullets = document.bullets();
    let (from, to) = own_text_range(document, section);
    let first = bullets.partition_point(|b| (b.line_start as usize) < from);
    let last = bullets.partition_point(|b| (b.line_start as usize) < to);
    (first..last).filter(|b| bullets[*b].depth == 0)
}

/// The bullet beside which a number is missing in a numbered list of a section, and whether it is the one before; `None`
/// if no list lacks it. The numbers of a list ascend, and where they do not, another list begins. Of several gaps one
/// beside the number before or after counts, else the last.
fn gap_of_number(document: &Document, section: usize, number: u32) -> Option<(usize, bool)> {
    let numbered: Vec<(usize, u32)> =
        own_bullets(document, section).filter_map(|bullet| Some((bullet, document.list_number(bullet)?))).collect();
    let gaps = (0..=numbered.len()).filter_map(|n| {
        let before = n.checked_sub(1).map(|n| numbered[n]);
        let after = numbered.get(n).copied();
        // Of the numbers around a place between two lists, each has the other one's side free.
        let is_one_list = matches!((before, after), (Some((_, before)), Some((_, after))) if before < after);
        let follows = before.filter(|(_, own)| *own < number);
        let precedes = after.filter(|(_, own)| *own > number);
        let is_beside = |own: u32| own.abs_diff(number) == 1;
        match (is_one_list, follows, precedes) {
            (true, Some((bullet, own)), Some((_, next))) => {
                Some((is_beside(own) || is_beside(next), n, (bullet, true)))
            }
            (true, ..) => None,
            (false, Some((bullet, own)), _) if is_beside(own) => Some((true, n, (bullet, true))),
            (false, _, Some((bullet, next))) if is_beside(next) => Some((true, n, (bullet, false))),
            (false, Some((bullet, _)), _) => Some((false, n, (bullet, true))),
            (false, None, Some((bullet, _))) => Some((false, n, (bullet, false))),
            (false, None, None) => None,
        }
    });
    gaps.max_by_key(|(is_beside, n, _)| (*is_beside, *n)).map(|(.., place)| place)
}

/// Brings the new sections below one section together that share their first headings, each below what stands above it.
pub(super) fn sort_new_sections(groups: &mut [(&InsertPoint, Vec<usize>)]) {
    let points: Vec<InsertPoint> = groups.iter().map(|(point, _)| (*point).clone()).collect();
    // For each heading the first point that makes it: a section's own bullets come before its subsections.
    let key = |point: &InsertPoint| match point {
        InsertPoint::NewSection(_, titles) => {
            let first = |depth: usize| points.iter().position(|other| shared_headings(other, point) >= depth);
            (1..=titles.len()).map(first).collect()
        }
        InsertPoint::Before(_)
        | InsertPoint::After(_)
        | InsertPoint::Numbered { .. }
        | InsertPoint::EmptySection(_) => Vec::new(),
    };
    groups.sort_by_cached_key(|(point, _)| key(point));
}

/// The number of first headings that two insertions have in common.
pub(super) fn shared_headings(one: &InsertPoint, other: &InsertPoint) -> usize {
    match (one, other) {
        (InsertPoint::NewSection(under, titles), InsertPoint::NewSection(other_under, others))
            if under == other_under =>
        {
            titles.iter().zip(others).take_while(|(title, other)| title == other).count()
        }
        _ => 0,
    }
}

/// The section that represents the file when something is added at its top: the H1's section if the file starts with an
/// H1.
fn top_section(document: &Document) -> usize {
    usize::from(document.sections().get(1).is_some_and(|s| s.level == 1))
}

/// Byte range of a section's own content without its heading; for the file, everything above the first heading other
/// than the H1.
fn own_text_range(document: &Document, section: usize) -> (usize, usize) {
    let sections = document.sections();
    match section {
        0 => (document.body_start(), sections[top_section(document)].own_end as usize),
        _ => (sections[section].heading.end as usize, sections[section].own_end as usize),
    }
}

/// The marker of a list item.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum ListMarker {
    Symbol(char),
    /// A number followed by `.` or `)`.
    Number(u32, char),
}

/// A heading that an insertion makes.
#[derive(Clone, Debug)]
pub(super) struct NewHeading {
    pub level: u8,
    pub title: String,
    /// Its line, with the blank lines below it.
    pub line: String,
}

/// The layout of inserted bullets and of the whitespace around them.
#[derive(Clone, Debug)]
pub(super) struct InsertLayout {
    /// Byte offset of the insertion in the old text.
    pub offset: usize,
    /// Text before the first bullet: a line ending if the last line has none, and blank lines.
    pub prefix: String,
    /// The new headings above the bullets.
    pub headings: Vec<NewHeading>,
    /// Indent before each marker.
    pub indent: String,
    /// The first bullet's marker.
    pub marker: ListMarker,
    /// Whitespace between marker and text.
    pub padding: String,
    /// Whether to separate the bullets by blank lines.
    pub blank_between: bool,
    /// Text after the last bullet: a blank line or nothing.
    pub suffix: String,
    /// Whether the insertion is at the end of a file without a final line ending; the new text then gets none either.
    pub no_final_eol: bool,
    /// Number of list items around the bullets.
    pub depth: u8,
    /// Sort order among several insertions at the same offset.
    pub order: u32,
}

/// The layout at an insertion point. Repair level 1 adds blank lines around the bullets, level 2 starts a separate list
/// where possible. `shared` counts the new headings that an insertion above this one makes.
pub(super) fn insert_layout(
    document: &Document,
    point: &InsertPoint,
    level: u8,
    shared: usize,
) -> Result<InsertLayout, String> {
    match point {
        InsertPoint::After(b) => sibling_layout(document, *b, level, true),
        InsertPoint::Before(b) => sibling_layout(document, *b, level, false),
        InsertPoint::Numbered { beside, after, number } => {
            let mut layout = sibling_layout(document, *beside, level, *after)?;
            if let ListMarker::Number(first, _) = &mut layout.marker {
                *first = *number;
            }
            Ok(layout)
        }
        InsertPoint::EmptySection(s) => Ok(empty_section_layout(document, *s, level)),
        InsertPoint::NewSection(under, titles) => Ok(new_section_layout(document, *under, titles, shared)),
    }
}

/// Makes a new list a numbered one, if each of the bullets inserted there has its number. `group` are their edits.
pub(super) fn number_new_list(layout: &mut InsertLayout, point: &InsertPoint, edits: &[DocumentEdit], group: &[usize]) {
    let number = |edit: &usize| match &edits[*edit] {
        DocumentEdit::Insert { at: InsertPosition::Numbered { number, .. }, items } if items.len() == 1 => {
            Some(*number)
        }
        _ => None,
    };
    let numbers: Option<Vec<u32>> = group.iter().map(number).collect();
    if let (InsertPoint::EmptySection(_), Some([first, rest @ ..])) = (point, numbers.as_deref())
        && (1u32..).zip(rest).all(|(nth, number)| first.checked_add(nth) == Some(*number))
    {
        layout.marker = ListMarker::Number(*first, '.');
    }
}

/// The layout of a sibling of an existing bullet.
fn sibling_layout(document: &Document, number: usize, level: u8, after: bool) -> Result<InsertLayout, String> {
    let (text, bytes) = (document.text(), document.text().as_bytes());
    let bullet = document.bullets()[number];
    let lead = &text[bullet.line_start as usize..bullet.marker as usize];
    let own_line = lead.bytes().all(lines::is_blank);
    if !after && !own_line {
        return Err("the bullet shares its line with another item".to_owned());
    }
    let eol = document.eol().as_str();
    let at = (if after { bullet.end } else { bullet.line_start }) as usize;
    let no_final_eol = at == bytes.len() && lines::end_without_eol(bytes, at) == at;
    let blank_between = has_blank_between_siblings(document, number) || level > 0;
    let blank_above = at == document.body_start() || lines::before_blank_lines(bytes, document.body_start(), at) < at;
    let needs_gap = if after { blank_between } else { level > 0 && !blank_above };
    let below = lines::end(bytes, at.min(bytes.len()));
    let tight_below = at < bytes.len() && !lines::is_all_blank(&bytes[at..below]);
    let needs_suffix = if after { level > 0 && tight_below } else { blank_between };
    let new_list = level > 1 && bullet.depth == 0;
    let indent = if own_line { lead.to_owned() } else { " ".repeat(lines::indent_columns(lead.as_bytes())) };
    let (marker, padding) = marker_style(text, &bullet, after);
    Ok(InsertLayout {
        offset: at,
        prefix: eol.repeat(usize::from(no_final_eol) + usize::from(needs_gap)),
        headings: Vec::new(),
        indent: if new_list { String::new() } else { indent },
        marker: if new_list { ListMarker::Symbol('-') } else { marker },
        padding: if new_list { " ".to_owned() } else { padding },
        blank_between,
        suffix: eol.repeat(usize::from(needs_suffix)),
        no_final_eol,
        depth: bullet.depth,
        // Order at one offset: insertions after a bullet (deeper nested ones first), into an empty section (256), of a
        // new section (300 and more), before a bullet (400).
        order: if after { 1 + (255 - u32::from(bullet.depth)) } else { 400 },
    })
}

/// Copies marker and padding of a neighbour; a number is incremented after it.
fn marker_style(text: &str, bullet: &Bullet, after: bool) -> (ListMarker, String) {
    let rest = &text[bullet.marker as usize..];
    let digits = rest.bytes().take_while(u8::is_ascii_digit).count();
    let sign = rest[digits..].chars().next().unwrap_or('-');
    let content = text_start_on_line(text.as_bytes(), bullet);
    let padding = text.get(bullet.marker as usize + digits + 1..content).filter(|p| !p.is_empty()).unwrap_or(" ");
    let marker = match rest[..digits].parse::<u32>() {
        Ok(n) => ListMarker::Number(n + u32::from(after), sign),
        Err(_) => ListMarker::Symbol(sign),
    };
    let padding = if padding.bytes().all(lines::is_blank) { padding } else { " " };
    (marker, padding.to_owned())
}

/// Whether blank lines separate a bullet from its next sibling, or from the previous one if it is the last.
fn has_blank_between_siblings(document: &Document, number: usize) -> bool {
    let bullet = document.bullets()[number];
    let first = document.blocks.partition_point(|n| n.span.start < bullet.line_start);
    let own = (first..document.blocks.len()).find(|n| document.blocks[*n].kind == BlockKind::Bullet(number as u32));
    let Some(own) = own else { return false };
    let sibling = |n: &usize| {
        let kind = document.blocks[*n].kind;
        matches!(kind, BlockKind::Bullet(_) | BlockKind::OtherListItem)
            && document.block_details[*n].depth == bullet.depth
    };
    let next = (own + 1..document.blocks.len()).find(|n| document.blocks[*n].span.start >= bullet.end);
    if let Some(next) = next.filter(sibling) {
        return document.blocks[next].span.start > bullet.end;
    }
    let outside = |n: &usize| document.block_details[*n].depth <= bullet.depth;
    let previous = (0..own).rev().find(outside).filter(sibling);
    previous.is_some_and(|n| document.blocks[n].span.end < bullet.line_start)
}

/// The layout at the end of a section's own content that has no bullet.
fn empty_section_layout(document: &Document, section: usize, level: u8) -> InsertLayout {
    let bytes = document.text().as_bytes();
    let (own_start, to) = own_text_range(document, section);
    let from = if section == 0 { own_start } else { document.sections()[section].heading.start as usize };
    let at = lines::block_end(bytes, from, to);
    let last = document.blocks.partition_point(|n| (n.span.start as usize) < to);
    let last = document.blocks[..last].last().filter(|n| n.span.start as usize >= own_start);
    let gap = match last.map(|n| n.kind) {
        Some(BlockKind::OtherListItem) => false,
        Some(_) => true,
        None if section == 0 => document.front_matter().is_some(),
        None if document.sections()[section].level == LABEL_LEVEL => false,
        None => !headings_are_tight(document),
    };
    new_list_layout(document, at, gap, gap || level > 0, 256)
}

/// The layout below new headings at the end of a section.
fn new_section_layout(document: &Document, under: usize, titles: &[String], shared: usize) -> InsertLayout {
    let bytes = document.text().as_bytes();
    let section = &document.sections()[under];
    let outer =
        if section.level == LABEL_LEVEL { document.sections()[section.parent as usize].level } else { section.level };
    let level = (outer + 1).clamp(2, 6);
    let at = lines::block_end(bytes, section.heading.start as usize, section.end as usize);
    let tight = headings_are_tight(document);
    let eol = document.eol().as_str();
    let gap = at > document.body_start() || document.front_matter().is_some();
    let mut layout = new_list_layout(document, at, gap, gap, 300 + u32::from(7 - level));
    let new_heading = |(depth, title): (usize, &String)| {
        let level = (level as usize + depth).min(6);
        let blank_lines = if tight { 1 } else { 2 };
        let encoded = crate::document::escape::encode_title(title);
        let line = format!("{} {encoded}{}", "#".repeat(level), eol.repeat(blank_lines));
        NewHeading { level: level as u8, title: title.clone(), line }
    };
    layout.headings = titles.iter().enumerate().skip(shared).map(new_heading).collect();
    layout
}

/// The layout of a separate list, with a blank line above it or below it where asked for.
fn new_list_layout(document: &Document, at: usize, above: bool, below: bool, rank: u32) -> InsertLayout {
    let (text, bytes) = (document.text(), document.text().as_bytes());
    let eol = document.eol().as_str();
    let no_final_eol = at == bytes.len() && at > document.body_start() && lines::end_without_eol(bytes, at) == at;
    let tight_below = at < bytes.len() && !lines::is_all_blank(&bytes[at..lines::end(bytes, at)]);
    let signs = document.bullets().iter().filter(|b| b.depth == 0);
    let sign = signs.filter_map(|b| text[b.marker as usize..].chars().next()).find(|c| !c.is_ascii_digit());
    InsertLayout {
        offset: at,
        prefix: eol.repeat(usize::from(no_final_eol) + usize::from(above)),
        headings: Vec::new(),
        indent: String::new(),
        marker: ListMarker::Symbol(sign.unwrap_or('-')),
        padding: " ".to_owned(),
        blank_between: false,
        suffix: eol.repeat(usize::from(tight_below && below)),
        no_final_eol,
        depth: 0,
        order: rank,
    }
}

/// Whether most headings with content below them have no blank line in between.
fn headings_are_tight(document: &Document) -> bool {
    let bytes = document.text().as_bytes();
    let mut tight = 0isize;
    for section in &document.sections()[1..] {
        let below = section.heading.end as usize;
        let text = lines::after_blank_lines(bytes, below);
        if section.level != LABEL_LEVEL && text < section.own_end as usize {
            tight += if text == below { 1 } else { -1 };
        }
    }
    tight > 0
}
