//! Applies raw replacements before all other edits, and translates the other edits to the resulting document.
//!
//! Never verifies the content of a raw replacement: the caller is responsible for it.

use super::{DocumentEdit, EditRefusal, InsertPosition};
use crate::document::{Bullet, Document, lines};
use crate::text::{Splice, splice};

/// The raw edits with their indexes, in text order.
pub(super) fn collect(document: &Document, edits: &[DocumentEdit]) -> Result<Vec<(usize, Splice)>, Vec<EditRefusal>> {
    let raw = |(i, e): (usize, &DocumentEdit)| if let DocumentEdit::Raw(s) = e { Some((i, s.clone())) } else { None };
    let mut raws: Vec<(usize, Splice)> = edits.iter().enumerate().filter_map(raw).collect();
    raws.sort_by_key(|(_, s)| (s.start, s.end));
    let text = document.text();
    let is_invalid = |s: &Splice| s.start > s.end || !text.is_char_boundary(s.start) || !text.is_char_boundary(s.end);
    let mut refused: Vec<EditRefusal> = raws
        .iter()
        .filter(|(_, s)| is_invalid(s))
        .map(|(i, _)| refusal(*i, "the byte range is outside the text or splits a character"))
        .collect();
    // All bytes from here on are removed.
    let mut removed_from = text.len();
    for later in (1..raws.len()).rev() {
        let (above, below) = raws.split_at_mut(later);
        let (above, (number, below)) = (&mut above[later - 1].1, &mut below[0]);
        if below.start < above.end {
            if !share_only_blanks(text, above, below) {
                refused.push(refusal(*number, "another change in the batch replaces the same bytes"));
                continue;
            }
            below.start = above.end;
            if below.end == removed_from {
                // The blank lines above are at the end of the text now.
                removed_from = above.end;
                above.start = lines::before_blank_lines(text.as_bytes(), 0, above.start);
            }
        }
    }
    refused.sort_by_key(|r| r.edit);
    if refused.is_empty() { Ok(raws) } else { Err(refused) }
}

/// Whether two edits only remove bytes, and both remove no more than blank lines.
pub fn share_only_blanks(text: &str, one: &Splice, other: &Splice) -> bool {
    let shared = text.get(one.start.max(other.start)..one.end.min(other.end));
    one.new.is_empty()
        && other.new.is_empty()
        && shared.is_some_and(|shared| shared.ends_with('\n') && shared.trim().is_empty())
}

fn refusal(edit: usize, reason: &str) -> EditRefusal {
    EditRefusal { edit, reason: reason.to_owned() }
}

/// The document after the raw edits.
pub(super) fn apply(document: &Document, raws: &[(usize, Splice)]) -> Result<Document, Vec<EditRefusal>> {
    let splices: Vec<Splice> = raws.iter().map(|(_, s)| s.clone()).collect();
    let text = splice(document.text(), &splices);
    let overlap = |_| raws.iter().map(|(i, _)| refusal(*i, "the byte ranges overlap")).collect::<Vec<_>>();
    Ok(Document::parse(text.map_err(overlap)?))
}

/// The other edits with their indexes, translated to the document after the raw edits.
pub(super) fn translate_edits(
    before: &Document,
    after: &Document,
    raws: &[(usize, Splice)],
    edits: &[DocumentEdit],
) -> Result<Vec<(usize, DocumentEdit)>, Vec<EditRefusal>> {
    let map = EditTranslator { before, after, raws };
    let mut out = Vec::new();
    let mut refused = Vec::new();
    for (number, edit) in edits.iter().enumerate() {
        if matches!(edit, DocumentEdit::Raw(_)) {
            continue;
        }
        match map.translate_edit(edit) {
            Some(edit) => out.push((number, edit)),
            None => refused.push(refusal(number, "another change in the batch replaces its target")),
        }
    }
    if refused.is_empty() { Ok(out) } else { Err(refused) }
}

struct EditTranslator<'a> {
    before: &'a Document,
    after: &'a Document,
    raws: &'a [(usize, Splice)],
}

impl EditTranslator<'_> {
    fn translate_edit(&self, edit: &DocumentEdit) -> Option<DocumentEdit> {
        let mut edit = edit.clone();
        match &mut edit {
            DocumentEdit::Update { bullet, .. }
            | DocumentEdit::SetMeta { bullet, .. }
            | DocumentEdit::Replace { bullet, .. }
            | DocumentEdit::Remove { bullet } => {
                *bullet = self.translate_bullet(*bullet, true)?;
            }
            DocumentEdit::Insert { at: InsertPosition::Before(bullet) | InsertPosition::After(bullet), .. } => {
                *bullet = self.translate_bullet(*bullet, false)?;
            }
            DocumentEdit::Insert {
                at:
                    InsertPosition::EndOfSection(section)
                    | InsertPosition::Numbered { section, .. }
                    | InsertPosition::NewSection { under: section, .. },
                ..
            } => {
                *section = self.translate_section(*section)?;
            }
            DocumentEdit::Raw(_) => {}
        }
        Some(edit)
    }

    /// Translates an offset; `None` inside replaced bytes.
    fn translate_offset(&self, at: u32) -> Option<u32> {
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

    fn translate_bullet(&self, bullet: usize, replaces_text: bool) -> Option<usize> {
        let Bullet { line_start: line, marker, end, .. } = *self.before.bullets().get(bullet)?;
        let overlaps = |s: &Splice| {
            s.start < end as usize && (s.end > line as usize && s.start != s.end || s.start > line as usize)
        };
        if replaces_text && self.raws.iter().any(|(_, s)| overlaps(s)) {
            return None;
        }
        let marker = self.translate_offset(marker)?;
        self.after.bullets().binary_search_by_key(&marker, |b| b.marker).ok()
    }

    fn translate_section(&self, section: usize) -> Option<usize> {
        if section == 0 {
            return Some(0);
        }
        let start = self.translate_offset(self.before.sections().get(section)?.heading.start)?;
        self.after.sections().iter().skip(1).position(|s| s.heading.start == start).map(|i| i + 1)
    }
}
