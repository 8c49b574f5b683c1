//! Compares the bullets of two texts: which were added, removed, rephrased, moved, or got other metadata.
//!
//! Never used to write: a rephrased bullet is matched heuristically, by similarity and neighbours.

use std::collections::HashMap;

use crate::change::{EntryOutcome, JournalEntry, replaced_texts};
use crate::document::{Document, Handle, RecordedUpdates};
use crate::path::MemoryPath;
use crate::text::TextFeatures;
use crate::text::best_pairs::{MIN_SCORE, PairScore, best_pairs, neighbour_bonus};

/// The maximum number of pairs compared by similarity.
const MAX_PAIRS: usize = 1 << 18;

/// The change of one bullet; numbers are indices into `bullets()` before or after.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BulletChange {
    Removed(usize),
    Added(usize),
    /// Text changed, possibly moved too: before, after.
    Updated(usize, usize),
    /// Moved to another section: before, after.
    Moved(usize, usize),
    /// Metadata changed: before, after.
    Set(usize, usize),
}

/// The texts of a file's bullets that some revisions of a journal replaced.
pub fn recorded_updates(
    path: &MemoryPath,
    entries: &[JournalEntry],
    is_counted: impl Fn(&JournalEntry) -> bool,
) -> RecordedUpdates {
    let counted = entries.iter().filter(|entry| entry.outcome == EntryOutcome::Done && is_counted(entry));
    counted.flat_map(|entry| replaced_texts(entries, entry, path)).collect()
}

/// All changes: removed bullets in their old order, then the others in their new order.
pub fn bullet_changes(before: &Document, after: &Document) -> Vec<BulletChange> {
    bullet_changes_since(before, after, &RecordedUpdates::default())
}

/// As [`bullet_changes`], with what the revisions between the two texts have recorded.
pub fn bullet_changes_since(before: &Document, after: &Document, updates: &RecordedUpdates) -> Vec<BulletChange> {
    let mut matcher = BulletMatcher::new(before, after);
    matcher.match_by_id();
    matcher.match_recorded(updates);
    matcher.match_by_text();
    matcher.match_by_similarity(updates);
    matcher.changes()
}

/// A bullet in an earlier text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BulletPast {
    /// Its number there; `None` if it is new.
    pub number: Option<usize>,
    /// What changed since; `None` if nothing did.
    pub change: Option<BulletChange>,
}

/// What each bullet of `after` was before. With `by_position`, a bullet without any likeness to the one in whose place
/// it stands counts as an update of it.
pub fn bullet_pasts(
    before: &Document,
    after: &Document,
    updates: &RecordedUpdates,
    by_position: bool,
) -> Vec<BulletPast> {
    let mut matcher = BulletMatcher::new(before, after);
    matcher.match_by_id();
    matcher.match_recorded(updates);
    matcher.match_by_text();
    matcher.match_by_similarity(updates);
    if by_position {
        matcher.match_by_position(updates);
    }
    let past = |new: usize| match matcher.old_of[new] {
        None => BulletPast { number: None, change: Some(BulletChange::Added(new)) },
        Some(old) => BulletPast { number: Some(old), change: matcher.change_of(old, new) },
    };
    (0..matcher.old_of.len()).map(past).collect()
}

/// Matches the bullets of two documents.
struct BulletMatcher<'d> {
    before: &'d Document,
    after: &'d Document,
    /// The new index of each old bullet.
    new_of: Vec<Option<usize>>,
    /// The old index of each new bullet.
    old_of: Vec<Option<usize>>,
    /// The new index of each old section.
    sections: Vec<Option<usize>>,
}

impl<'d> BulletMatcher<'d> {
    fn new(before: &'d Document, after: &'d Document) -> BulletMatcher<'d> {
        let (new_of, old_of) = (vec![None; before.bullets().len()], vec![None; after.bullets().len()]);
        BulletMatcher { before, after, new_of, old_of, sections: match_sections(before, after) }
    }

    fn pair(&mut self, old: usize, new: usize) {
        if self.new_of[old].is_none() && self.old_of[new].is_none() {
            (self.new_of[old], self.old_of[new]) = (Some(new), Some(old));
        }
    }

    fn same_section(&self, old: usize, new: usize) -> bool {
        let section = self.before.bullets()[old].section as usize;
        self.sections[section] == Some(self.after.bullets()[new].section as usize)
    }

    fn match_by_id(&mut self) {
        let ids: HashMap<String, usize> =
            (0..self.old_of.len()).filter_map(|new| Some((self.after.bullet_id(new)?.into_owned(), new))).collect();
        for old in 0..self.new_of.len() {
            if let Some(new) = self.before.bullet_id(old).and_then(|id| ids.get(id.as_ref()).copied()) {
                self.pair(old, new);
            }
        }
    }

    fn match_recorded(&mut self, updates: &RecordedUpdates) {
        let position = |handles: &[Handle], open: &[Option<usize>], handle: Handle| {
            (0..handles.len()).find(|i| handles[*i] == handle && open[*i].is_none())
        };
        for (was, is) in updates.iter() {
            let old = position(self.before.handles(), &self.new_of, was);
            if let Some((old, new)) = old.zip(position(self.after.handles(), &self.old_of, is)) {
                self.pair(old, new);
            }
        }
    }

    /// Matches equal texts: first in the same section, then anywhere.
    fn match_by_text(&mut self) {
        for near in [true, false] {
            let mut free: HashMap<Handle, Vec<usize>> = HashMap::new();
            for new in (0..self.old_of.len()).rev().filter(|new| self.old_of[*new].is_none()) {
                free.entry(self.after.handles()[new]).or_default().push(new);
            }
            for old in 0..self.new_of.len() {
                let Some(all) = free.get_mut(&self.before.handles()[old]).filter(|_| self.new_of[old].is_none()) else {
                    continue;
                };
                let at = all.iter().rposition(|new| !near || self.same_section(old, *new));
                if let Some(new) = at.map(|at| all.remove(at)) {
                    self.pair(old, new);
                }
            }
        }
    }

    /// Whether the journal does not know that a bullet was removed, or another one inserted.
    fn may_be_rephrased(&self, updates: &RecordedUpdates, old: usize, new: usize) -> bool {
        !updates.is_removed(self.before.handles()[old]) && !updates.is_inserted(self.after.handles()[new])
    }

    /// Matches by similarity, the best pairs first.
    fn match_by_similarity(&mut self, updates: &RecordedUpdates) {
        let open = |side: &[Option<usize>], handles: &[Handle], is_known: &dyn Fn(Handle) -> bool| {
            let is_open = |i: &usize| side[*i].is_none() && !is_known(handles[*i]);
            (0..side.len()).filter(is_open).collect::<Vec<_>>()
        };
        let removed = open(&self.new_of, self.before.handles(), &|handle| updates.is_removed(handle));
        let added = open(&self.old_of, self.after.handles(), &|handle| updates.is_inserted(handle));
        if removed.len() * added.len() > MAX_PAIRS {
            return;
        }
        let was: Vec<TextFeatures> = removed.iter().map(|i| TextFeatures::of(&self.before.bullet_text(*i))).collect();
        let is: Vec<TextFeatures> = added.iter().map(|i| TextFeatures::of(&self.after.bullet_text(*i))).collect();
        let pairs = best_pairs(removed.len(), added.len(), usize::MAX, |i, j| {
            let score = was[i].similarity(&is[j]) + self.neighbour_bonus(removed[i], added[j]);
            (score >= MIN_SCORE).then_some(PairScore { score, distance: 0 })
        });
        pairs.into_iter().for_each(|(i, j)| self.pair(removed[i], added[j]));
    }

    /// Matches what is left between the same neighbours, if both texts have the same number there.
    fn match_by_position(&mut self, updates: &RecordedUpdates) {
        let mut new = 0;
        while new < self.old_of.len() {
            let section = self.after.bullets()[new].section;
            let in_section = |n: &usize| self.after.bullets().get(*n).is_some_and(|b| b.section == section);
            if self.old_of[new].is_some() {
                new += 1;
                continue;
            }
            let end = (new..).find(|n| !in_section(n) || self.old_of[*n].is_some()).unwrap_or(new);
            let first = match new.checked_sub(1).filter(in_section) {
                Some(neighbour) => self.old_of[neighbour].map(|old| old + 1),
                None => (0..self.new_of.len()).find(|old| self.same_section(*old, new)),
            };
            if let Some(first) = first {
                let is_left = |old: &usize| self.new_of.get(*old) == Some(&None) && self.same_section(*old, new);
                let count = (first..).take_while(is_left).count();
                if count == end - new && (0..count).all(|n| self.may_be_rephrased(updates, first + n, new + n)) {
                    (0..count).for_each(|n| self.pair(first + n, new + n));
                }
            }
            new = end;
        }
    }

    /// The bonus for matching neighbours of two bullets, 0 to 0.3.
    fn neighbour_bonus(&self, old: usize, new: usize) -> f64 {
        if !self.same_section(old, new) {
            return 0.0;
        }
        let adjacent = |document: &Document, at: usize| {
            let section = document.bullets()[at].section;
            [at.checked_sub(1), Some(at + 1)]
                .map(|next| next.filter(|n| document.bullets().get(*n).is_some_and(|b| b.section == section)))
        };
        let are_paired = |old: usize, new: usize| self.new_of[old] == Some(new);
        neighbour_bonus(adjacent(self.before, old), adjacent(self.after, new), are_paired)
    }

    fn changes(&self) -> Vec<BulletChange> {
        let removed = (0..self.new_of.len()).filter(|old| self.new_of[*old].is_none()).map(BulletChange::Removed);
        let now = (0..self.old_of.len()).filter_map(|new| match self.old_of[new] {
            None => Some(BulletChange::Added(new)),
            Some(old) => self.change_of(old, new),
        });
        removed.chain(now).collect()
    }

    fn change_of(&self, old: usize, new: usize) -> Option<BulletChange> {
        if self.before.handles()[old] != self.after.handles()[new] {
            return Some(BulletChange::Updated(old, new));
        }
        if !self.same_section(old, new) {
            return Some(BulletChange::Moved(old, new));
        }
        (self.before.bullet_meta(old) != self.after.bullet_meta(new)).then_some(BulletChange::Set(old, new))
    }
}

/// The new index of each old section: the section with the same slug, else (a renamed heading) the one with most of its
/// bullets.
fn match_sections(before: &Document, after: &Document) -> Vec<Option<usize>> {
    let find = |slug: &str| after.sections().iter().position(|s| s.slug == slug);
    let mut to: Vec<Option<usize>> = before.sections().iter().map(|s| find(&s.slug)).collect();
    let mut places: HashMap<Handle, usize> = HashMap::new();
    for (new, handle) in after.handles().iter().enumerate() {
        places.insert(*handle, after.bullets()[new].section as usize);
    }
    for old in 0..to.len() {
        if to[old].is_some() {
            continue;
        }
        let mut votes: HashMap<usize, usize> = HashMap::new();
        for (i, handle) in before.handles().iter().enumerate() {
            if before.bullets()[i].section as usize == old
                && let Some(place) = places.get(handle)
            {
                *votes.entry(*place).or_default() += 1;
            }
        }
        let free = votes.into_iter().filter(|(new, _)| !to.contains(&Some(*new)));
        to[old] = free.max_by_key(|(new, n)| (*n, usize::MAX - *new)).map(|(new, _)| new);
    }
    to
}

/// Share of equal bullets in two texts, 0 to 1, relative to the text with more bullets.
pub fn bullet_overlap(a: &Document, b: &Document) -> f64 {
    let most = a.handles().len().max(b.handles().len());
    if most == 0 {
        return f64::from(a.text() == b.text());
    }
    let mut counts: HashMap<Handle, usize> = HashMap::new();
    a.handles().iter().for_each(|h| *counts.entry(*h).or_default() += 1);
    let mut same = 0u32;
    for handle in b.handles() {
        if let Some(n) = counts.get_mut(handle).filter(|n| **n > 0) {
            *n -= 1;
            same += 1;
        }
    }
    f64::from(same) / most as f64
}

#[cfg(test)]
mod tests {
    use super::*;

    const BASE: &str = "# User\n\n- Prefers tabs\n- Lives in Austin\n\n## Travel\n\n- Window seats\n";

    fn check(before: &str, after: &str, expected: &[&str]) {
        let (old, new) = (Document::parse(before), Document::parse(after));
        let changes: Vec<String> = bullet_changes(&old, &new)
            .into_iter()
            .map(|change| match change {
                BulletChange::Removed(i) => format!("- {}", old.bullet_text(i)),
                BulletChange::Added(i) => format!("+ {}", new.bullet_text(i)),
                BulletChange::Updated(i, j) => format!("~ {} / {}", old.bullet_text(i), new.bullet_text(j)),
                BulletChange::Moved(_, j) => format!("> {}", new.bullet_text(j)),
                BulletChange::Set(_, j) => format!("= {}", new.bullet_text(j)),
            })
            .collect();
        assert_eq!(changes, expected, "{after}");
    }

    #[test]
    fn added_and_removed_bullets_are_distinguished_from_rephrased_ones() {
        check(BASE, BASE, &[]);
        check(BASE, &BASE.replace("tabs", "spaces"), &["~ Prefers tabs / Prefers spaces"]);
        let other = BASE.replace("Prefers tabs", "Allergic to peanuts");
        check(BASE, &other, &["- Prefers tabs", "+ Allergic to peanuts"]);
        check(BASE, &BASE.replace("- Prefers tabs\n", ""), &["- Prefers tabs"]);
        check(BASE, &(BASE.to_owned() + "- Aisle seats\n"), &["+ Aisle seats"]);
    }

    #[test]
    fn a_bullet_moves_to_another_section_and_order_is_no_move() {
        let moved = BASE.replace("- Prefers tabs\n", "") + "- Prefers tabs\n";
        check(BASE, &moved, &["> Prefers tabs"]);
        check(BASE, &BASE.replace("- Prefers tabs\n- Lives in Austin", "- Lives in Austin\n- Prefers tabs"), &[]);
        check(BASE, &BASE.replace("## Travel", "## Journeys"), &[]);
    }

    #[test]
    fn an_id_identifies_the_bullet_for_any_text() {
        let named = "- Prefers tabs ^mem7\n- b\n";
        check(named, "- b\n- Writes his own editor ^mem7\n", &["~ Prefers tabs ^mem7 / Writes his own editor ^mem7"]);
    }

    #[test]
    fn duplicates_are_counted_and_metadata_is_compared() {
        check("- a\n- a\n", "- a\n", &["- a"]);
        check("- a\n", "- a\n  <!-- mem imp=7 -->\n", &["= a"]);
    }

    #[test]
    fn a_text_in_the_place_of_another_is_an_update_only_where_texts_are_replaced() {
        let (before, after) =
            (Document::parse("- a\n- Prefers tabs\n- c\n"), Document::parse("- a\n- Two cats\n- c\n"));
        let past = |by_position: bool| bullet_pasts(&before, &after, &RecordedUpdates::default(), by_position)[1];
        assert_eq!(past(false), BulletPast { number: None, change: Some(BulletChange::Added(1)) });
        assert_eq!(past(true), BulletPast { number: Some(1), change: Some(BulletChange::Updated(1, 1)) });
        let longer = Document::parse("- a\n- Two cats\n- And a dog\n- c\n");
        assert_eq!(
            bullet_pasts(&before, &longer, &RecordedUpdates::default(), true)[1].number,
            None,
            "which of the two is not known"
        );
    }

    #[test]
    fn a_recorded_update_counts_more_than_likeness() {
        let (before, after) = (
            Document::parse("- Deploys happen on Fridays\n- b\n"),
            Document::parse("- We release every Tuesday\n- b\n- Backups happen on Fridays\n"),
        );
        let updates = [("Deploys happen on Fridays", "We release every Tuesday")].into_iter().collect();
        let changes = bullet_changes_since(&before, &after, &updates);
        assert_eq!(changes, [BulletChange::Updated(0, 0), BulletChange::Added(2)]);
        assert_eq!(bullet_changes(&before, &after), [BulletChange::Added(0), BulletChange::Updated(0, 2)]);
    }

    #[test]
    fn what_was_inserted_or_removed_is_no_update_however_alike() {
        let (before, after) = (Document::parse("- Build 41 passed\n"), Document::parse("- Build 43 passed\n"));
        assert_eq!(bullet_changes(&before, &after), [BulletChange::Updated(0, 0)]);
        for recorded in [("", "- Build 43 passed\n"), ("- Build 41 passed\n", "")] {
            let updates = [recorded].into_iter().collect();
            let changes = bullet_changes_since(&before, &after, &updates);
            assert_eq!(changes, [BulletChange::Removed(0), BulletChange::Added(0)], "{recorded:?}");
            assert_eq!(bullet_pasts(&before, &after, &updates, true)[0].number, None, "{recorded:?}");
        }
    }

    #[test]
    fn a_renamed_file_is_known_by_its_bullets() {
        let of = |text: &str| Document::parse(text);
        assert_eq!(bullet_overlap(&of("- a\n- b\n"), &of("- b\n- a\n- c\n- d\n")), 0.5);
        assert_eq!(bullet_overlap(&of("# x\n"), &of("# x\n")), 1.0);
    }
}
