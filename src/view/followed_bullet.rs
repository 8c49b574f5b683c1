//! A bullet that is followed back through the edits of revisions, by its bytes.
//!
//! Never parses a text: edits that do not touch a bullet only shift it.

use std::ops::Range;

use crate::change::JournalEdit;
use crate::document::{Document, Handle};

/// A bullet that is followed.
#[derive(Clone, Debug)]
pub struct FollowedBullet {
    /// The index of its life.
    pub life: usize,
    pub handle: Handle,
    /// The bytes of its own text and metadata, without its children.
    pub span: Range<usize>,
}

impl FollowedBullet {
    /// The bullet with this number in a document.
    pub fn new(document: &Document, number: usize, life: usize) -> FollowedBullet {
        let bullet = &document.bullets()[number];
        let next = document.bullets().get(number + 1);
        let child = next.filter(|next| next.depth > bullet.depth && next.marker < bullet.end);
        let start = bullet.marker as usize;
        let end = child.map_or(bullet.end, |child| child.line_start.max(bullet.text_end)) as usize;
        let end = start + document.text()[start..end].trim_end().len();
        FollowedBullet { life, handle: document.handles()[number], span: start..end }
    }

    /// Whether edits may have changed it, given its bytes after them. Where they removed something, its ends and its
    /// line ending count too.
    pub fn is_touched(&self, edits: &[JournalEdit]) -> bool {
        let Range { start, end } = self.span;
        ranges_after(edits).any(|(edit, range)| {
            if edit.old.is_empty() {
                range.start < end && range.end > start
            } else {
                range.start <= end + "\r\n".len() && range.end >= start
            }
        })
    }

    /// Sets its bytes to those before edits that do not touch it.
    pub fn shift_back(&mut self, edits: &[JournalEdit]) {
        let before = ranges_after(edits).take_while(|(_, range)| range.end <= self.span.start);
        let shift: isize = before.map(|(edit, _)| edit.old.len() as isize - edit.new.len() as isize).sum();
        let at = |offset: usize| offset.saturating_add_signed(shift);
        self.span = at(self.span.start)..at(self.span.end);
    }
}

/// Takes out the bullets that edits inserted, if they removed no line: then no other bullet can have become one of
/// them.
pub fn take_inserted(edits: &[JournalEdit], bullets: &mut Vec<FollowedBullet>) -> Vec<FollowedBullet> {
    if edits.iter().any(|edit| edit.old.contains('\n')) {
        return Vec::new();
    }
    let is_inserted = |bullet: &mut FollowedBullet| {
        let holds = |range: &Range<usize>| range.start <= bullet.span.start && bullet.span.end <= range.end;
        ranges_after(edits).any(|(edit, range)| edit.old.is_empty() && holds(&range))
    };
    bullets.extract_if(.., is_inserted).collect()
}

/// The edits with the range of each in the text after them.
fn ranges_after(edits: &[JournalEdit]) -> impl Iterator<Item = (&JournalEdit, Range<usize>)> {
    edits.iter().scan(0isize, |shift, edit| {
        let start = edit.start.checked_add_signed(*shift)?;
        *shift += edit.new.len() as isize - edit.old.len() as isize;
        Some((edit, start..start + edit.new.len()))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str = "# T\n\n- one\n- two\n  - below\n- three\n";

    fn bullets() -> Vec<FollowedBullet> {
        let document = Document::parse(TEXT);
        (0..4).map(|number| FollowedBullet::new(&document, number, number)).collect()
    }

    fn edit(start: usize, old: &str, new: &str) -> JournalEdit {
        JournalEdit { start, old: old.into(), new: new.into() }
    }

    fn touched(edits: &[JournalEdit]) -> Vec<&'static str> {
        bullets().iter().filter(|b| b.is_touched(edits)).map(|b| &TEXT[b.span.clone()]).collect()
    }

    #[test]
    fn an_edit_touches_only_the_bullets_that_it_may_have_changed() {
        assert_eq!(touched(&[edit(13, "2", "two")]), ["- two"]);
        assert_eq!(touched(&[edit(11, "", "- two\n")]), ["- two"]);
        assert_eq!(touched(&[edit(2, "t", "T")]), [""; 0]);
        assert_eq!(touched(&[edit(5, "- zero\n", "")]), ["- one"], "what was removed above");
        assert_eq!(touched(&[edit(11, "  <!-- mem imp=7 -->\n", "")]), ["- one", "- two"]);
    }

    #[test]
    fn edits_above_shift_a_bullet_and_those_below_do_not() {
        let mut two = bullets().swap_remove(1);
        two.shift_back(&[edit(2, "Title", "T"), edit(24, "", "three")]);
        assert_eq!(two.span, 15..20);
    }

    #[test]
    fn an_inserted_bullet_is_new_unless_a_line_was_removed() {
        let taken = |edits: &[JournalEdit]| take_inserted(edits, &mut bullets()).len();
        assert_eq!(taken(&[edit(2, "t", "T"), edit(11, "", "- two\n")]), 1);
        assert_eq!(taken(&[edit(11, "", "- two\n"), edit(20, "- two\n", "")]), 0);
    }
}
