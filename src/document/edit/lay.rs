//! From edits to replacements: checks what is asked for, then writes it at a given level of repair.
//!
//! Never proves anything: the result is parsed and compared in `verify`.

use std::collections::BTreeMap;

use super::seat::{Marker, Seat, Spot, seat};
use super::{Edit, Item, Refused};
use crate::document::items::content_on_line;
use crate::document::{Bullet, Document, Meta, escape, lines};
use crate::text::Splice;

/// Edits that do not contradict each other, by what they touch.
pub(super) struct Claims<'a> {
    pub edits: &'a [Edit],
    /// Which edit gives a bullet a new text.
    pub texts: BTreeMap<usize, usize>,
    /// Which edit gives a bullet new metadata.
    pub metas: BTreeMap<usize, usize>,
    /// Removed bullets and their edits, in file order.
    removed: Vec<(usize, usize)>,
    /// Where each inserting edit's items go.
    spots: Vec<Option<Spot>>,
}

impl Claims<'_> {
    /// The byte ranges of bullets that some edits remove, in file order, without those inside others.
    pub fn gone(&self, document: &Document, some: &[usize]) -> Vec<(usize, Bullet)> {
        let mut out: Vec<(usize, Bullet)> = Vec::new();
        for (bullet, edit) in self.removed.iter().filter(|(_, e)| some.binary_search(e).is_ok()) {
            let bullet = document.bullets()[*bullet];
            if out.last().is_none_or(|(_, b)| b.end <= bullet.line) {
                out.push((*edit, bullet));
            }
        }
        out
    }

    /// The new text of a bullet, if one of some edits gives it one.
    pub fn text(&self, bullet: usize, some: &[usize]) -> Option<(usize, &str)> {
        let edit = *self.texts.get(&bullet).filter(|e| some.binary_search(e).is_ok())?;
        match &self.edits[edit] {
            Edit::Update { text, .. } => Some((edit, trimmed(text))),
            _ => None,
        }
    }

    /// The new metadata of a bullet, if one of some edits gives it one.
    pub fn meta(&self, bullet: usize, some: &[usize]) -> Option<(usize, &Meta)> {
        let edit = *self.metas.get(&bullet).filter(|e| some.binary_search(e).is_ok())?;
        match &self.edits[edit] {
            Edit::SetMeta { meta, .. } => Some((edit, meta)),
            _ => None,
        }
    }
}

/// A text without the blanks around it, which no list item could keep.
pub(super) fn trimmed(text: &str) -> &str {
    text.trim_matches([' ', '\t'])
}

/// A replacement and what it should read as.
pub(super) struct Piece {
    pub splice: Splice,
    /// How many items an insertion stands in.
    pub depth: u8,
    /// What it writes, by offsets in its new text.
    pub blocks: Vec<Block>,
    rank: u32,
}

/// A new block within a replacement.
pub(super) struct Block {
    pub start: usize,
    pub end: usize,
    pub what: What,
}

/// What a new block should read as.
pub(super) enum What {
    Heading { level: u8, title: String },
    Bullet { edit: usize, text: String, meta: Option<Meta> },
}

/// Sorts edits by what they touch.
///
/// # Errors
/// Every edit that names nothing, holds a text that is not one line, or meets another one.
pub(super) fn claims<'a>(document: &Document, edits: &'a [Edit]) -> Result<Claims<'a>, Vec<Refused>> {
    let mut claims = Claims {
        edits,
        texts: BTreeMap::new(),
        metas: BTreeMap::new(),
        removed: Vec::new(),
        spots: Vec::with_capacity(edits.len()),
    };
    let mut refused = Vec::new();
    for (number, edit) in edits.iter().enumerate() {
        claims.spots.push(None);
        if let Err(why) = claim(document, &mut claims, number, edit) {
            refused.push(Refused { edit: number, why });
        }
    }
    claims.removed.sort_unstable();
    inside_removed(document, &claims, &mut refused);
    refused.sort_by_key(|r| r.edit);
    if refused.is_empty() { Ok(claims) } else { Err(refused) }
}

fn claim(document: &Document, claims: &mut Claims<'_>, number: usize, edit: &Edit) -> Result<(), String> {
    let known = |b: usize| document.bullets().get(b).map(|_| b).ok_or("there is no such bullet");
    let twice = || Err("another change of the batch changes the same bullet".to_owned());
    match edit {
        Edit::Update { bullet, text } => {
            check(text)?;
            if claims.texts.insert(known(*bullet)?, number).is_some() {
                return twice();
            }
        }
        Edit::SetMeta { bullet, meta } => {
            if !meta.0.is_empty() && Meta::parse(&meta.print()).as_ref() != Some(meta) {
                return Err("the metadata cannot be written so that it reads back".to_owned());
            }
            if claims.metas.insert(known(*bullet)?, number).is_some() {
                return twice();
            }
        }
        Edit::Remove { bullet } => {
            if claims.removed.iter().any(|(b, _)| b == bullet) {
                return twice();
            }
            claims.removed.push((known(*bullet)?, number));
        }
        Edit::Insert { at, items } => {
            items.iter().try_for_each(|item| check(&item.text))?;
            let spot = Spot::of(document, at)?;
            if let Spot::New(_, title) = &spot {
                check(title).map_err(|why| why.replace("text", "title"))?;
            }
            claims.spots[number] = Some(spot);
        }
        Edit::Raw(_) => {}
    }
    Ok(())
}

/// Refuses edits of what another edit removes.
fn inside_removed(document: &Document, claims: &Claims<'_>, refused: &mut Vec<Refused>) {
    let all: Vec<usize> = (0..claims.edits.len()).collect();
    let gone = claims.gone(document, &all);
    let lost = |bullet: usize, itself: bool| {
        let line = document.bullets()[bullet].line;
        let place = gone.partition_point(|(_, g)| g.line <= line);
        let around = place.checked_sub(1).map(|i| gone[i].1);
        around.is_some_and(|g| line < g.end && (itself || document.bullets()[bullet].marker != g.marker))
    };
    for (number, edit) in claims.edits.iter().enumerate() {
        let meets = match (edit, &claims.spots[number]) {
            (Edit::Update { bullet, .. } | Edit::SetMeta { bullet, .. }, _) => {
                document.bullets().len() > *bullet && lost(*bullet, true)
            }
            (_, Some(Spot::After(bullet) | Spot::Before(bullet))) => lost(*bullet, false),
            _ => false,
        };
        if meets {
            refused.push(Refused { edit: number, why: "another change of the batch removes its place".to_owned() });
        }
    }
}

fn check(text: &str) -> Result<(), String> {
    match text {
        _ if trimmed(text).is_empty() => Err("the text is empty".to_owned()),
        _ if text.contains(['\n', '\r']) => Err("the text holds a line break".to_owned()),
        _ if text.contains(|c: char| c.is_control() && c != '\t') => {
            Err("the text holds a control character".to_owned())
        }
        _ => Ok(()),
    }
}

/// The replacements of some edits, sorted.
pub(super) fn pieces(
    document: &Document,
    claims: &Claims<'_>,
    some: &[usize],
    levels: &[u8],
) -> Result<Vec<Piece>, Vec<Refused>> {
    let mut out = Vec::new();
    let mut refused = Vec::new();
    for (spot, edits) in by_spot(claims, some) {
        let level = edits.iter().map(|e| levels[*e]).max().unwrap_or(0);
        let writes = |e: &usize| matches!(&claims.edits[*e], Edit::Insert { items, .. } if !items.is_empty());
        if !matches!(spot, Spot::New(..)) && !edits.iter().any(writes) {
            continue;
        }
        match seat(document, spot, level) {
            Ok(seat) => out.push(insertion(document, claims, &edits, seat)),
            Err(why) => refused.extend(edits.iter().map(|edit| Refused { edit: *edit, why: why.clone() })),
        }
    }
    let seats: Vec<usize> = out.iter().map(|p| p.splice.start).collect();
    removals(document, &claims.gone(document, some), &seats, levels, &mut out, &mut refused);
    for edit in some {
        match &claims.edits[*edit] {
            Edit::Update { bullet, text } => out.extend(update(document, *bullet, trimmed(text))),
            Edit::SetMeta { bullet, meta } => out.extend(set_meta(document, *bullet, meta)),
            _ => {}
        }
    }
    out.sort_by_key(|p| (p.splice.start, p.splice.end, p.rank));
    if refused.is_empty() { Ok(out) } else { Err(refused) }
}

/// Inserting edits that share a spot, together.
fn by_spot<'c>(claims: &'c Claims<'_>, some: &[usize]) -> Vec<(&'c Spot, Vec<usize>)> {
    let mut out: Vec<(&Spot, Vec<usize>)> = Vec::new();
    for edit in some {
        let Some(spot) = &claims.spots[*edit] else { continue };
        match out.iter_mut().find(|(s, _)| *s == spot) {
            Some((_, edits)) => edits.push(*edit),
            None => out.push((spot, vec![*edit])),
        }
    }
    out
}

fn insertion(document: &Document, claims: &Claims<'_>, edits: &[usize], seat: Seat) -> Piece {
    let eol = document.eol().as_str();
    let mut new = seat.lead.clone();
    let mut blocks = Vec::new();
    if let Some((level, line)) = &seat.heading {
        let title = edits.iter().find_map(|e| match &claims.spots[*e] {
            Some(Spot::New(_, title)) => Some(title.clone()),
            _ => None,
        });
        let start = new.len();
        new.push_str(line);
        blocks.push(Block {
            start,
            end: start + line.trim_end().len(),
            what: What::Heading { level: *level, title: title.unwrap_or_default() },
        });
    }
    let mut count = 0;
    for edit in edits {
        let Edit::Insert { items, .. } = &claims.edits[*edit] else { continue };
        for item in items {
            if seat.loose && count > 0 {
                new.push_str(eol);
            }
            let start = new.len();
            write_item(&mut new, item, &seat, count, eol);
            let what = What::Bullet {
                edit: *edit,
                text: trimmed(&item.text).to_owned(),
                meta: item.meta.clone().filter(|m| !m.0.is_empty()),
            };
            blocks.push(Block { start, end: new.len(), what });
            count += 1;
        }
    }
    if count == 0 {
        new.truncate(lines::trimmed(new.as_bytes(), 0, new.len()));
        new.push_str(eol);
    }
    new.push_str(&seat.tail);
    if seat.open {
        new.truncate(lines::trimmed(new.as_bytes(), 0, new.len()));
    }
    for block in &mut blocks {
        block.end = block.end.min(new.len());
    }
    let splice = Splice { start: seat.at, end: seat.at, new };
    Piece { splice, depth: seat.depth, blocks, rank: seat.rank }
}

/// Writes one item: its line, its metadata line, what stands below it.
fn write_item(out: &mut String, item: &Item, seat: &Seat, number: u32, eol: &str) {
    let line = out.len();
    out.push_str(&seat.indent);
    match seat.marker {
        Marker::Sign(sign) => out.push(sign),
        Marker::Number(first, sign) => {
            out.push_str(&format!("{}{sign}", first.saturating_add(number).min(999_999_999)))
        }
    }
    out.push_str(&seat.padding);
    let indent = " ".repeat(lines::columns(&out.as_bytes()[line..]));
    out.push_str(&escape::encode(trimmed(&item.text)));
    out.push_str(eol);
    let meta = item.meta.as_ref().filter(|m| !m.0.is_empty());
    if let Some(meta) = meta {
        out.push_str(&format!("{indent}{}{eol}", meta.print()));
    }
    let children: Vec<&str> =
        item.children.iter().flat_map(|c| c.split('\n')).map(|c| c.trim_end_matches('\r')).collect();
    let last = children.iter().rposition(|c| !c.trim().is_empty()).map_or(0, |i| i + 1);
    let first = children.iter().position(|c| !c.trim().is_empty()).unwrap_or(last);
    if meta.is_none() && children.get(first).is_some_and(|c| continues(c)) {
        out.push_str(eol);
    }
    for child in &children[first..last] {
        if !child.trim().is_empty() {
            out.push_str(&indent);
            out.push_str(child);
        }
        out.push_str(eol);
    }
}

/// Whether a line directly below a paragraph would be read as a part of it.
fn continues(line: &str) -> bool {
    let line = line.trim_start();
    let ordered = line.starts_with(|c: char| c.is_ascii_digit()) && !line.starts_with("1.") && !line.starts_with("1)");
    ordered || !line.starts_with(['-', '+', '*', '>', '<', '#', '`', '~', '1'])
}

fn update(document: &Document, number: usize, text: &str) -> Option<Piece> {
    if document.bullet_text(number) == text {
        return None;
    }
    let Bullet { content, head_end, .. } = document.bullets()[number];
    let splice = Splice { start: content as usize, end: head_end as usize, new: escape::encode(text).into_owned() };
    Some(Piece { splice, depth: 0, blocks: Vec::new(), rank: 0 })
}

fn set_meta(document: &Document, number: usize, meta: &Meta) -> Option<Piece> {
    let bytes = document.text().as_bytes();
    let bullet = document.bullets()[number];
    let piece = |start, end, new| {
        Some(Piece { splice: Splice { start, end, new }, depth: bullet.depth + 1, blocks: Vec::new(), rank: 0 })
    };
    if let Some(line) = bullet.meta {
        let line = document.metas()[line as usize].line.range();
        let text = lines::trimmed(bytes, line.start, line.end);
        let open = lines::without_eol(bytes, line.end) == line.end;
        return match (meta.0.is_empty(), open) {
            (false, _) => piece(lines::skip_blanks(bytes, line.start), text, meta.print()),
            (true, false) => piece(line.start, line.end, String::new()),
            (true, true) => piece(lines::without_eol(bytes, line.start), line.end, String::new()),
        };
    }
    if meta.0.is_empty() {
        return None;
    }
    let at = lines::end(bytes, bullet.head_end as usize);
    let prefix = &bytes[bullet.line as usize..content_on_line(bytes, &bullet).min(bytes.len())];
    let line = format!("{}{}", " ".repeat(lines::columns(prefix)), meta.print());
    let eol = document.eol().as_str();
    let open = lines::without_eol(bytes, at) == at;
    piece(at, at, if open { format!("{eol}{line}") } else { format!("{line}{eol}") })
}

/// Removals, neighbours together, so that one blank run goes where two would meet.
fn removals(
    document: &Document,
    gone: &[(usize, Bullet)],
    seats: &[usize],
    levels: &[u8],
    out: &mut Vec<Piece>,
    refused: &mut Vec<Refused>,
) {
    let bytes = document.text().as_bytes();
    let mut run: Option<(usize, usize, u8)> = None;
    for (edit, bullet) in gone {
        let (line, end) = (bullet.line as usize, bullet.end as usize);
        if !bytes[line..bullet.marker as usize].iter().all(|b| lines::blank(*b)) {
            refused.push(Refused { edit: *edit, why: "the bullet shares its line with another item".to_owned() });
            continue;
        }
        let joins =
            |last: usize| lines::after_blanks(bytes, last) == line && !seats.iter().any(|s| (last..=line).contains(s));
        run = match run {
            Some((start, last, level)) if joins(last) => Some((start, end, level.max(levels[*edit]))),
            other => {
                out.extend(other.map(|run| removal(document, run, seats)));
                Some((line, end, levels[*edit]))
            }
        };
    }
    out.extend(run.map(|run| removal(document, run, seats)));
}

/// Takes whole lines, and one blank run if there is one on both sides.
fn removal(document: &Document, (line, end, level): (usize, usize, u8), seats: &[usize]) -> Piece {
    let bytes = document.text().as_bytes();
    let body = document.body_start();
    let above = lines::before_blanks(bytes, body, line);
    let below = lines::after_blanks(bytes, end);
    let used = |from: usize, to: usize| seats.iter().any(|s| (from..=to).contains(s));
    let (start, end) = match () {
        () if end == bytes.len() => {
            let start = if used(end, end) { line } else { above };
            let open = lines::without_eol(bytes, end) == end && start > body && !used(start, start);
            (if open { lines::without_eol(bytes, start) } else { start }, end)
        }
        () if (above < line || line == body) && below > end && level == 0 && !used(end, end) => (line, below),
        () => (line, end),
    };
    let alone = above == line && below == end && end < bytes.len();
    let new = if level > 0 && alone { document.eol().as_str().to_owned() } else { String::new() };
    Piece { splice: Splice { start, end, new }, depth: 0, blocks: Vec::new(), rank: 0 }
}
