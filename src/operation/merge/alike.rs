//! The last resort of the pairing: texts that are alike, with a bonus where their neighbours belong together.
//!
//! Never pairs what another rule has paired.

use std::collections::HashMap;

use super::pair::{Links, ids_agree};
use super::tree::{Tree, What};
use crate::text::Features;

/// From this score on, two texts are one that was rephrased (FINDINGS 3).
const SAME: f64 = 0.6;
/// What each neighbour that belongs together adds.
const NEIGHBOUR: f64 = 0.15;
/// What the same label adds: a value was replaced.
const LABEL: f64 = 0.25;
/// From this likeness on, a text in another section was moved and rephrased.
const ELSEWHERE: f64 = 0.8;
/// From this likeness on, a text where the other side moved one to is that one, rephrased.
pub const FOLLOWED: f64 = 0.5;
/// More pairs than this are not compared each with each.
const MOST: usize = 40_000;
/// Longer blocks are compared by lines.
const LONG: usize = 2_000;

/// Pairs what is left within each section.
pub fn in_scope(base: &Tree, side: &Tree, links: &mut Links) {
    let mut scopes: HashMap<usize, Vec<usize>> = HashMap::new();
    for old in left(base, &links.side) {
        scopes.entry(base.atoms[old].scope).or_default().push(old);
    }
    let mut new: HashMap<usize, Vec<usize>> = HashMap::new();
    for atom in left(side, &links.base) {
        if let Some(scope) = links.base[side.atoms[atom].scope] {
            new.entry(scope).or_default().push(atom);
        }
    }
    let mut order: Vec<usize> = new.keys().copied().collect();
    order.sort_unstable();
    for scope in order {
        if let Some(old) = scopes.get(&scope) {
            best(base, side, links, old, &new[&scope], &|links, alike, o, n| {
                // Below this no bonus helps.
                if alike + LABEL + 2.0 * NEIGHBOUR < SAME {
                    return None;
                }
                let label = base.label(o).filter(|l| side.label(n).as_ref() == Some(l)).map_or(0.0, |_| LABEL);
                let score = alike + label + neighbours(base, side, links, o, n);
                (score >= SAME).then_some(score)
            });
        }
    }
}

/// Pairs what was moved to another section and rephrased.
pub fn elsewhere(base: &Tree, side: &Tree, links: &mut Links) {
    let (old, new) = (left(base, &links.side), left(side, &links.base));
    best(base, side, links, &old, &new, &|_, alike, _, _| (alike >= ELSEWHERE).then_some(alike));
}

fn left(tree: &Tree, taken: &[Option<usize>]) -> Vec<usize> {
    let open = |a: &usize| taken[*a].is_none() && matches!(tree.atoms[*a].what, What::Item | What::Block);
    (1..tree.atoms.len()).filter(open).collect()
}

type Score<'a> = &'a dyn Fn(&Links, f64, usize, usize) -> Option<f64>;

/// Links the best pairs first. The score is made of two atoms' likeness and of what stands around them.
fn best(base: &Tree, side: &Tree, links: &mut Links, old: &[usize], new: &[usize], score: Score<'_>) {
    let reach = if old.len() * new.len() > MOST { MOST / new.len().max(1) + 4 } else { usize::MAX };
    let was: Vec<Look> = old.iter().map(|o| Look::of(base, *o)).collect();
    let is: Vec<Look> = new.iter().map(|n| Look::of(side, *n)).collect();
    let mut found = Vec::new();
    for (i, o) in old.iter().enumerate() {
        for (j, n) in new.iter().enumerate() {
            let fits = i.abs_diff(j) < reach && base.atoms[*o].what == side.atoms[*n].what;
            if fits && ids_agree(base, *o, side, *n) {
                found.extend(score(links, was[i].alike(&is[j]), *o, *n).map(|s| (s, i.abs_diff(j), *o, *n)));
            }
        }
    }
    found.sort_by(|x, y| y.0.total_cmp(&x.0).then((x.1, x.2, x.3).cmp(&(y.1, y.2, y.3))));
    for (_, _, o, n) in found {
        if links.free(o, n) {
            links.add(o, n);
        }
    }
}

/// How alike two atoms are, from 0 to 1.
pub fn alike(base: &Tree, old: usize, side: &Tree, new: usize) -> f64 {
    Look::of(base, old).alike(&Look::of(side, new))
}

/// An atom as it is compared: its words when it is a bullet or short, its lines when it is none.
struct Look<'a> {
    words: Option<Features>,
    lines: Option<&'a str>,
}

impl Look<'_> {
    fn of(tree: &Tree, atom: usize) -> Look<'_> {
        let own = tree.own(atom);
        let (item, long) = (tree.atoms[atom].what == What::Item, own.len() > LONG);
        let said = || if item { tree.said(atom) } else { own.to_owned() };
        Look { words: (!long).then(|| Features::of(&said())), lines: (long || !item).then_some(own) }
    }

    fn alike(&self, other: &Look) -> f64 {
        let words = self.words.as_ref().zip(other.words.as_ref()).map_or(0.0, |(a, b)| a.likeness(b));
        let lines = self.lines.zip(other.lines).map_or(0.0, |(a, b)| by_lines(a, b));
        words.max(lines)
    }
}

/// How many lines two texts share (Dice).
fn by_lines(a: &str, b: &str) -> f64 {
    let mut counts: HashMap<&str, usize> = HashMap::new();
    a.lines().for_each(|l| *counts.entry(l.trim()).or_default() += 1);
    let mut common = 0;
    for line in b.lines() {
        if let Some(n) = counts.get_mut(line.trim()).filter(|n| **n > 0) {
            *n -= 1;
            common += 1;
        }
    }
    2.0 * f64::from(common) / (a.lines().count() + b.lines().count()).max(1) as f64
}

fn neighbours(base: &Tree, side: &Tree, links: &Links, old: usize, new: usize) -> f64 {
    let (o, n) = (around(base, old), around(side, new));
    let together = |o: Option<usize>, n: Option<usize>| match (o, n) {
        (Some(o), Some(n)) => links.base[n] == Some(o),
        (None, None) => true,
        _ => false,
    };
    NEIGHBOUR * (f64::from(together(o.0, n.0)) + f64::from(together(o.1, n.1)))
}

/// The siblings before and after.
fn around(tree: &Tree, atom: usize) -> (Option<usize>, Option<usize>) {
    let kids = &tree.atoms[tree.atoms[atom].parent].kids;
    let at = kids.partition_point(|k| *k < atom);
    (at.checked_sub(1).map(|i| kids[i]), kids.get(at + 1).copied())
}
