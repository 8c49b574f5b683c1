//! Bullets whose whole text a revision replaced, inserted or removed, as the journal has recorded it.
//!
//! Never compares texts for likeness: the old and the new text may have no word in common.

use std::collections::HashSet;

use super::{Document, Handle};

/// Replaced, inserted and removed texts of bullets, by their handles.
#[derive(Clone, Debug, Default)]
pub struct RecordedUpdates {
    replaced: Vec<(Handle, Handle)>,
    inserted: HashSet<Handle>,
    removed: HashSet<Handle>,
}

impl RecordedUpdates {
    /// Adds the replacement of one text by another, the next one in time; without an old text an insertion, without a
    /// new one a removal. What was not the whole text of a bullet matches none later.
    fn add(&mut self, old: &str, new: &str) {
        match (old.is_empty(), new.is_empty()) {
            (true, _) => self.inserted.extend(bullets_in(new)),
            (false, true) => bullets_in(old).into_iter().for_each(|handle| self.remove(handle)),
            (false, false) => self.replace(text_handle(old), text_handle(new)),
        }
    }

    fn replace(&mut self, old: Handle, new: Handle) {
        if self.inserted.contains(&old) {
            self.inserted.insert(new);
        }
        match self.replaced.iter_mut().find(|(_, latest)| *latest == old) {
            Some((_, latest)) => *latest = new,
            None => self.replaced.push((old, new)),
        }
    }

    /// A removed text is gone under the names that it had before, too.
    fn remove(&mut self, handle: Handle) {
        let earlier = self.replaced.iter().filter(|(_, latest)| *latest == handle).map(|(old, _)| *old);
        self.removed.extend(earlier.chain([handle]));
    }

    /// The handles before the first and after the last replacement of each text.
    pub fn iter(&self) -> impl Iterator<Item = (Handle, Handle)> {
        self.replaced.iter().copied().filter(|(old, new)| old != new)
    }

    /// The handle of the text that replaced another one.
    pub fn new_handle(&self, old: Handle) -> Option<Handle> {
        self.iter().find(|(before, _)| *before == old).map(|(_, after)| after)
    }

    /// Whether a text was inserted as a bullet, so that it took the place of no other one. A moved bullet is neither
    /// inserted nor removed.
    pub fn is_inserted(&self, text: Handle) -> bool {
        self.inserted.contains(&text) && !self.removed.contains(&text)
    }

    /// Whether the bullet with this text was removed, so that no other text took its place.
    pub fn is_removed(&self, text: Handle) -> bool {
        self.removed.contains(&text) && !self.inserted.contains(&text)
    }
}

/// The handles of the bullets in a part of a file.
fn bullets_in(part: &str) -> Vec<Handle> {
    if part.trim().is_empty() { Vec::new() } else { Document::parse(part).handles().to_vec() }
}

/// The handle of a bullet's text, with or without its marker and what is below it.
fn text_handle(text: &str) -> Handle {
    let item = text.starts_with(['-', '*', '+']).then(|| Document::parse(text));
    let is_one = |item: &Document| item.bullets().iter().filter(|bullet| bullet.depth == 0).count() == 1;
    item.filter(is_one).map_or_else(|| Handle::of(text), |item| item.handles()[0])
}

impl<'t> Extend<(&'t str, &'t str)> for RecordedUpdates {
    fn extend<I: IntoIterator<Item = (&'t str, &'t str)>>(&mut self, replaced: I) {
        replaced.into_iter().for_each(|(old, new)| self.add(old, new));
    }
}

impl<'t> FromIterator<(&'t str, &'t str)> for RecordedUpdates {
    fn from_iter<I: IntoIterator<Item = (&'t str, &'t str)>>(replaced: I) -> RecordedUpdates {
        let mut updates = RecordedUpdates::default();
        updates.extend(replaced);
        updates
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn replacements_of_one_text_after_the_other_are_one() {
        let replaced =
            [("Likes tea", "Drinks milk"), ("", "Added"), ("Drinks milk", "Eats fish"), ("a", "b"), ("b", "a")];
        let updates: RecordedUpdates = replaced.into_iter().collect();
        assert_eq!(updates.iter().collect::<Vec<_>>(), [(Handle::of("Likes tea"), Handle::of("Eats fish"))]);
        assert_eq!(updates.new_handle(Handle::of("Drinks milk")), None, "no text before all of them");
    }

    #[test]
    fn inserted_and_removed_bullets_are_known_also_by_texts_before_and_after() {
        let recorded = [
            ("", "- Moved\n"),
            ("- Moved\n", ""),
            ("", "\n## Work\n\n- New\n  - below\n"),
            ("New", "Newer"),
            ("Old", "Older"),
            ("- Older\n", ""),
            ("- Tea\n", "- Green tea\n  - hot\n"),
            ("tea, milk", ""),
        ];
        let updates: RecordedUpdates = recorded.into_iter().collect();
        assert!(["New", "below", "Newer"].iter().all(|text| updates.is_inserted(Handle::of(text))));
        assert!(["Old", "Older"].iter().all(|text| updates.is_removed(Handle::of(text))));
        assert_eq!(updates.new_handle(Handle::of("Tea")), Some(Handle::of("Green tea")), "a whole item");
        assert!(!updates.is_inserted(Handle::of("Moved")) && !updates.is_removed(Handle::of("Moved")));
        assert!(!updates.is_inserted(Handle::of("Green tea")) && !updates.is_removed(Handle::of("tea, milk")));
    }
}
