//! Bullets whose whole text a revision replaced, as the journal has recorded it.
//!
//! Never compares texts for likeness: the old and the new text may have no word in common.

use super::Handle;

/// Replaced texts of bullets, by their handles.
#[derive(Clone, Debug, Default)]
pub struct RecordedUpdates(Vec<(Handle, Handle)>);

impl RecordedUpdates {
    /// Adds the replacement of one text by another, the next one in time. What was not the whole text of a bullet
    /// matches none later.
    fn add(&mut self, old: &str, new: &str) {
        if old.is_empty() || new.is_empty() {
            return;
        }
        let (old, new) = (Handle::of(old), Handle::of(new));
        match self.0.iter_mut().find(|(_, latest)| *latest == old) {
            Some((_, latest)) => *latest = new,
            None => self.0.push((old, new)),
        }
    }

    /// The handles before the first and after the last replacement of each text.
    pub fn iter(&self) -> impl Iterator<Item = (Handle, Handle)> {
        self.0.iter().copied().filter(|(old, new)| old != new)
    }

    /// The handle of the text that replaced another one.
    pub fn new_handle(&self, old: Handle) -> Option<Handle> {
        self.iter().find(|(before, _)| *before == old).map(|(_, after)| after)
    }
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
}
