//! Slots that a power cut tore or took: what is left of them is recognised, and what is needed is rebuilt from the
//! journal's edits.
//!
//! Never takes a text for torn that anything else than this batch may have written.

use super::{Code, CommitExecutor, Etag, FileChangeKind, Rejection, TextLocation, platform, read_contents, slot};

impl CommitExecutor<'_> {
    /// Rebuilds a lost slot from the journal's edits, with the text that the target does not have.
    pub(super) fn rebuild_slot(&mut self, i: usize) -> Result<(), Rejection> {
        let slot_missing = || Rejection::new(Code::HistoryGone, "an undo slot is missing and cannot be rebuilt");
        let Some(plain) = self.open_text(TextLocation::Target, i)? else { return Err(slot_missing()) };
        let (file, entry) = (&self.files[i], &self.intent.files[i]);
        let now = read_contents(&plain, "a file of this change")?;
        let forward = file.base.as_ref().is_some_and(|k| k.etag == Etag::of(&now));
        let wanted = if forward { &file.ours } else { &file.base };
        let Some(wanted) = wanted else { return Err(slot_missing()) };
        let text = entry.apply(&now, forward).filter(|text| Etag::of(text) == wanted.etag).ok_or_else(slot_missing)?;
        slot::sync(slot::write(self.undo()?, &file.slot, &text, wanted.mode, Some(&plain))?.file)
    }

    /// Whether a slot is what a power cut left of a new text that was not synced: nothing, or parts of it.
    pub(super) fn is_torn_slot(&mut self, i: usize) -> bool {
        if !self.recovering || self.files[i].kind != FileChangeKind::Update {
            return false;
        }
        let Ok(Some(plain)) = self.open_text(TextLocation::Slot, i) else { return false };
        if platform::has_writer(&plain.fd) {
            return false;
        }
        let Ok(left) = read_contents(&plain, "a file of this change") else { return false };
        self.new_text(i).is_some_and(|whole| is_part(&left, &whole))
    }

    /// The new text of a file that still has the old one.
    fn new_text(&mut self, i: usize) -> Option<Vec<u8>> {
        let plain = self.open_text(TextLocation::Target, i).ok()??;
        let text = self.intent.files[i].apply(&read_contents(&plain, "a file of this change").ok()?, true)?;
        (self.files[i].ours.as_ref()?.etag == Etag::of(&text)).then_some(text)
    }
}

/// Whether this is a text without its end, or with zeros in place of some of it.
fn is_part(left: &[u8], whole: &[u8]) -> bool {
    left.len() <= whole.len() && left.iter().zip(whole).all(|(left, whole)| *left == 0 || left == whole)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_part_has_holes_or_no_end_but_no_other_text() {
        for left in ["", "# U", "# User\n", "\0\0User\n", "# U\0\0\0"] {
            assert!(is_part(left.as_bytes(), b"# User\n"), "{left:?}");
        }
        for left in ["# User\n\n", "# Us3r", "User\n"] {
            assert!(!is_part(left.as_bytes(), b"# User\n"), "{left:?}");
        }
    }
}
