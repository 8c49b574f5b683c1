//! What an inversion leaves as it is: a text in which nothing is left to invert, and bullets that other changes wrote.
//!
//! Never compares wording: two bullets are the same if their handles are.

use super::changed_again::{HandleCounts, count, difference, document_counts};
use super::text_without_summary;
use crate::document::{Document, DocumentEdit, apply_edits};

/// Whether an inversion from `base` to `wanted` only takes bullets out, and none of them is there any more.
pub(super) fn is_taken_out_already(base: &Document, now: &Document, wanted: &Document) -> bool {
    let [in_base, in_now, in_wanted] = [base, now, wanted].map(document_counts);
    let taken = difference(&in_base, &in_wanted);
    let is_gone = taken.keys().all(|handle| count(&in_now, *handle) + count(&in_wanted, *handle) == 0);
    if taken.is_empty() || !is_gone {
        return false;
    }
    let bullets = (0..base.bullets().len()).filter(|bullet| taken.contains_key(&base.handles()[*bullet]));
    let edits: Vec<DocumentEdit> = bullets.map(|bullet| DocumentEdit::Remove { bullet }).collect();
    apply_edits(base, &edits)
        .is_ok_and(|removed| own_lines(removed.document.text().as_bytes()) == own_lines(wanted.text().as_bytes()))
}

/// The lines of a text but its summary line, which follows from the rest, and blank ones.
pub(super) fn own_lines(text: &[u8]) -> Vec<String> {
    let text = text_without_summary(text);
    text.lines().filter(|line| !line.trim().is_empty()).map(str::to_owned).collect()
}

/// A bullet (0-based, of `now`) that a merged inversion from `base` to `wanted` takes out although the revision has
/// nothing to do with it: another change wrote it.
pub(super) fn lost_bullet(base: &Document, now: &Document, wanted: &Document, merged: &Document) -> Option<usize> {
    let [base, in_now, wanted, merged] = [base, now, wanted, merged].map(document_counts);
    let taken: HandleCounts = difference(&base, &wanted);
    let lost = difference(&in_now, &merged);
    let is_lost = |bullet: &usize| {
        let handle = now.handles()[*bullet];
        count(&lost, handle) > count(&taken, handle)
    };
    (0..now.bullets().len()).find(is_lost)
}
