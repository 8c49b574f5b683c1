//! What became of each bullet between two texts: which came, went, were rephrased, moved, or got other metadata.
//!
//! Pure, and a guess where it must be one: a rephrased bullet is known by its likeness and its neighbours. Nothing is
//! ever written because of it.

use std::collections::HashMap;

use crate::document::{Document, Handle};
use crate::text::Features;

/// From this score on, a bullet that came is one that went, rephrased.
const ALIKE: f64 = 0.6;
/// What a common neighbour above or below adds to the likeness.
const NEIGHBOUR: f64 = 0.15;
/// The most pairs whose likeness is looked at.
const MOST: usize = 1 << 18;

/// What became of one bullet; numbers are those of `bullets()` on its side.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fate {
    /// It is gone.
    Removed(usize),
    /// It is new.
    Added(usize),
    /// It says something else now (and may stand elsewhere): before, after.
    Updated(usize, usize),
    /// It stands in another section: before, after.
    Moved(usize, usize),
    /// Its metadata differs: before, after.
    Set(usize, usize),
}

/// What became of the bullets: those that are gone in their old order, then the others in their new one.
pub fn fates(before: &Document, after: &Document) -> Vec<Fate> {
    let mut pairs = Pairs::new(before, after);
    pairs.by_id();
    pairs.by_text();
    pairs.by_likeness();
    pairs.told()
}

/// Which bullets are the same, from each side.
struct Pairs<'d> {
    before: &'d Document,
    after: &'d Document,
    /// For each old bullet, the new one.
    to: Vec<Option<usize>>,
    /// For each new bullet, the old one.
    from: Vec<Option<usize>>,
    /// For each old section, the new one.
    sections: Vec<Option<usize>>,
}

impl<'d> Pairs<'d> {
    fn new(before: &'d Document, after: &'d Document) -> Pairs<'d> {
        let (to, from) = (vec![None; before.bullets().len()], vec![None; after.bullets().len()]);
        Pairs { before, after, to, from, sections: sections(before, after) }
    }

    fn pair(&mut self, old: usize, new: usize) {
        if self.to[old].is_none() && self.from[new].is_none() {
            (self.to[old], self.from[new]) = (Some(new), Some(old));
        }
    }

    fn same_section(&self, old: usize, new: usize) -> bool {
        let section = self.before.bullets()[old].section as usize;
        self.sections[section] == Some(self.after.bullets()[new].section as usize)
    }

    fn by_id(&mut self) {
        let ids: HashMap<String, usize> =
            (0..self.from.len()).filter_map(|new| Some((self.after.bullet_id(new)?.into_owned(), new))).collect();
        for old in 0..self.to.len() {
            if let Some(new) = self.before.bullet_id(old).and_then(|id| ids.get(id.as_ref()).copied()) {
                self.pair(old, new);
            }
        }
    }

    /// The same text: first where it stood, then anywhere.
    fn by_text(&mut self) {
        for near in [true, false] {
            let mut free: HashMap<Handle, Vec<usize>> = HashMap::new();
            for new in (0..self.from.len()).rev().filter(|new| self.from[*new].is_none()) {
                free.entry(self.after.handles()[new]).or_default().push(new);
            }
            for old in 0..self.to.len() {
                let Some(all) = free.get_mut(&self.before.handles()[old]).filter(|_| self.to[old].is_none()) else {
                    continue;
                };
                let at = all.iter().rposition(|new| !near || self.same_section(old, *new));
                if let Some(new) = at.map(|at| all.remove(at)) {
                    self.pair(old, new);
                }
            }
        }
    }

    /// The best likeness first.
    fn by_likeness(&mut self) {
        let open = |side: &[Option<usize>]| (0..side.len()).filter(|i| side[*i].is_none()).collect::<Vec<_>>();
        let (gone, come) = (open(&self.to), open(&self.from));
        if gone.len() * come.len() > MOST {
            return;
        }
        let mut scored = Vec::new();
        let is: Vec<Features> = come.iter().map(|new| Features::of(&self.after.bullet_text(*new))).collect();
        for &old in &gone {
            let was = Features::of(&self.before.bullet_text(old));
            for (&new, is) in come.iter().zip(&is) {
                let score = was.likeness(is) + self.neighbours(old, new);
                if score >= ALIKE {
                    scored.push((score, old, new));
                }
            }
        }
        scored.sort_by(|a, b| b.0.total_cmp(&a.0).then((a.1, a.2).cmp(&(b.1, b.2))));
        scored.into_iter().for_each(|(_, old, new)| self.pair(old, new));
    }

    /// What the bullets around two bullets say about their being one.
    fn neighbours(&self, old: usize, new: usize) -> f64 {
        if !self.same_section(old, new) {
            return 0.0;
        }
        let edge = |document: &Document, at: usize, next: Option<usize>| {
            next.filter(|n| document.bullets().get(*n).is_some_and(|b| b.section == document.bullets()[at].section))
        };
        let common = |a: Option<usize>, b: Option<usize>| match (a, b) {
            (None, None) => true,
            (Some(a), Some(b)) => self.to[a] == Some(b),
            _ => false,
        };
        let above = common(edge(self.before, old, old.checked_sub(1)), edge(self.after, new, new.checked_sub(1)));
        let below = common(edge(self.before, old, Some(old + 1)), edge(self.after, new, Some(new + 1)));
        NEIGHBOUR * (f64::from(above) + f64::from(below))
    }

    fn told(&self) -> Vec<Fate> {
        let gone = (0..self.to.len()).filter(|old| self.to[*old].is_none()).map(Fate::Removed);
        let now = (0..self.from.len()).filter_map(|new| match self.from[new] {
            None => Some(Fate::Added(new)),
            Some(old) => self.fate(old, new),
        });
        gone.chain(now).collect()
    }

    fn fate(&self, old: usize, new: usize) -> Option<Fate> {
        if self.before.handles()[old] != self.after.handles()[new] {
            return Some(Fate::Updated(old, new));
        }
        if !self.same_section(old, new) {
            return Some(Fate::Moved(old, new));
        }
        (self.before.bullet_meta(old) != self.after.bullet_meta(new)).then_some(Fate::Set(old, new))
    }
}

/// For each old section the new one: the same slug, else (its heading was rephrased) where most of its bullets went.
fn sections(before: &Document, after: &Document) -> Vec<Option<usize>> {
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

/// How much of two texts is the same, from 0 to 1: bullets with the same text, of the longer side's.
pub fn shared(a: &Document, b: &Document) -> f64 {
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
        let told: Vec<String> = fates(&old, &new)
            .into_iter()
            .map(|fate| match fate {
                Fate::Removed(i) => format!("- {}", old.bullet_text(i)),
                Fate::Added(i) => format!("+ {}", new.bullet_text(i)),
                Fate::Updated(i, j) => format!("~ {} / {}", old.bullet_text(i), new.bullet_text(j)),
                Fate::Moved(_, j) => format!("> {}", new.bullet_text(j)),
                Fate::Set(_, j) => format!("= {}", new.bullet_text(j)),
            })
            .collect();
        assert_eq!(told, expected, "{after}");
    }

    #[test]
    fn what_came_and_went_is_told_from_what_was_rephrased() {
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
    fn an_id_is_the_bullet_whatever_it_says() {
        let named = "- Prefers tabs ^mem7\n- b\n";
        check(named, "- b\n- Writes his own editor ^mem7\n", &["~ Prefers tabs ^mem7 / Writes his own editor ^mem7"]);
    }

    #[test]
    fn twins_are_counted_and_metadata_is_seen() {
        check("- a\n- a\n", "- a\n", &["- a"]);
        check("- a\n", "- a\n  <!-- mem imp=7 -->\n", &["= a"]);
    }

    #[test]
    fn a_renamed_file_is_known_by_its_bullets() {
        let of = |text: &str| Document::parse(text);
        assert_eq!(shared(&of("- a\n- b\n"), &of("- b\n- a\n- c\n- d\n")), 0.5);
        assert_eq!(shared(&of("# x\n"), &of("# x\n")), 1.0);
    }
}
