//! Raw replacements: applied before all other edits, whose places are then looked up again.
//!
//! Never judges what a raw replacement writes: its caller vouches for it.

use super::{Edit, Place, Refused};
use crate::document::{Bullet, Document};
use crate::text::{Splice, splice};

/// The raw edits with their numbers, in the order of the text.
pub(super) fn collect(document: &Document, edits: &[Edit]) -> Result<Vec<(usize, Splice)>, Vec<Refused>> {
    let raw = |(i, e): (usize, &Edit)| if let Edit::Raw(s) = e { Some((i, s.clone())) } else { None };
    let mut raws: Vec<(usize, Splice)> = edits.iter().enumerate().filter_map(raw).collect();
    raws.sort_by_key(|(_, s)| (s.start, s.end));
    let text = document.text();
    let bad = |s: &Splice| s.start > s.end || !text.is_char_boundary(s.start) || !text.is_char_boundary(s.end);
    let mut refused: Vec<Refused> = raws
        .iter()
        .filter(|(_, s)| bad(s))
        .map(|(i, _)| refuse(*i, "the replaced bytes are not in the text"))
        .collect();
    for pair in raws.windows(2) {
        if pair[1].1.start < pair[0].1.end {
            refused.push(refuse(pair[1].0, "another change of the batch replaces the same bytes"));
        }
    }
    if refused.is_empty() { Ok(raws) } else { Err(refused) }
}

fn refuse(edit: usize, why: &str) -> Refused {
    Refused { edit, why: why.to_owned() }
}

/// The document after the raw edits.
pub(super) fn apply(document: &Document, raws: &[(usize, Splice)]) -> Result<Document, Vec<Refused>> {
    let splices: Vec<Splice> = raws.iter().map(|(_, s)| s.clone()).collect();
    let text = splice(document.text(), &splices);
    let overlap = |_| raws.iter().map(|(i, _)| refuse(*i, "the replaced bytes overlap")).collect::<Vec<_>>();
    Ok(Document::parse(text.map_err(overlap)?))
}

/// The other edits, with their numbers, as edits of the document after the raw ones.
pub(super) fn translate(
    before: &Document,
    after: &Document,
    raws: &[(usize, Splice)],
    edits: &[Edit],
) -> Result<Vec<(usize, Edit)>, Vec<Refused>> {
    let map = Move { before, after, raws };
    let mut out = Vec::new();
    let mut refused = Vec::new();
    for (number, edit) in edits.iter().enumerate() {
        if matches!(edit, Edit::Raw(_)) {
            continue;
        }
        match map.edit(edit) {
            Some(edit) => out.push((number, edit)),
            None => refused.push(refuse(number, "another change of the batch replaces its place")),
        }
    }
    if refused.is_empty() { Ok(out) } else { Err(refused) }
}

struct Move<'a> {
    before: &'a Document,
    after: &'a Document,
    raws: &'a [(usize, Splice)],
}

impl Move<'_> {
    fn edit(&self, edit: &Edit) -> Option<Edit> {
        let mut edit = edit.clone();
        match &mut edit {
            Edit::Update { bullet, .. } | Edit::SetMeta { bullet, .. } | Edit::Remove { bullet } => {
                *bullet = self.bullet(*bullet, true)?;
            }
            Edit::Insert { at: Place::Before(bullet) | Place::After(bullet), .. } => {
                *bullet = self.bullet(*bullet, false)?;
            }
            Edit::Insert { at: Place::End(section) | Place::NewSection { under: section, .. }, .. } => {
                *section = self.section(*section)?;
            }
            Edit::Raw(_) => {}
        }
        Some(edit)
    }

    /// Where an offset lies after the raw edits; `None` inside replaced bytes.
    fn offset(&self, at: u32) -> Option<u32> {
        let at = at as usize;
        let mut grown = 0isize;
        for (_, s) in self.raws.iter().take_while(|(_, s)| s.start <= at) {
            if s.end > at {
                return (s.start == at).then_some((at as isize + grown) as u32);
            }
            grown += s.new.len() as isize - (s.end - s.start) as isize;
        }
        Some((at as isize + grown) as u32)
    }

    fn bullet(&self, bullet: usize, own: bool) -> Option<usize> {
        let Bullet { line, marker, end, .. } = *self.before.bullets().get(bullet)?;
        let meets = |s: &Splice| {
            s.start < end as usize && (s.end > line as usize && s.start != s.end || s.start > line as usize)
        };
        if own && self.raws.iter().any(|(_, s)| meets(s)) {
            return None;
        }
        let marker = self.offset(marker)?;
        self.after.bullets().binary_search_by_key(&marker, |b| b.marker).ok()
    }

    fn section(&self, section: usize) -> Option<usize> {
        if section == 0 {
            return Some(0);
        }
        let start = self.offset(self.before.sections().get(section)?.heading.start)?;
        self.after.sections().iter().skip(1).position(|s| s.heading.start == start).map(|i| i + 1)
    }
}
