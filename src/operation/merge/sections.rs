//! Which sections of two texts are the same: by id, by title in the same place, by title, by what they hold.
//!
//! Never looks at single bullets further than to count what two sections share.

use std::collections::{HashMap, HashSet};
use std::hash::{DefaultHasher, Hash, Hasher};

use super::pair::Links;
use super::tree::{Atom, Tree, What};
use crate::text::{Features, likeness};

/// From this score on, two sections with different titles are one that was renamed.
const RENAMED: f64 = 0.45;
/// From this likeness on, a bullet of a section was rephrased; of so many at most.
const REPHRASED: f64 = 0.6;
const MOST_REPHRASED: usize = 50;
/// More unknown sections than this are not compared each with each.
const MOST: usize = 200;

/// Links a side's sections with the base's.
pub fn link(base: &Tree, side: &Tree, links: &mut Links) {
    by_id(base, side, links);
    only_title(base, side, links);
    // A renamed section's subsections are found once the section is, so the search is made twice.
    for _ in 0..2 {
        by_title(base, side, links, true);
        by_title(base, side, links, false);
        by_content(base, side, links);
    }
}

/// Sections that both sides made: one title in one place. Two entries of a journal are one only where all their bullets
/// say the same.
pub fn twins(base: &Tree, ours: &Tree, theirs: &Tree, mine: &Links, yours: &Links) -> Vec<(usize, usize)> {
    let mut out: Vec<(usize, usize)> = Vec::new();
    // Where a section stands, in numbers that both sides share; twins get one above the base's.
    let (mut a_place, mut b_place) = (mine.base.clone(), yours.base.clone());
    let new: Vec<usize> = all(theirs).into_iter().filter(|b| yours.base[*b].is_none()).collect();
    for exact in [true, false] {
        for a in all(ours) {
            let around = a_place[ours.atoms[a].parent];
            if a_place[a].is_some() || around.is_none() {
                continue;
            }
            let same = |b: &&usize| {
                let (x, y) = (&ours.atoms[a], &theirs.atoms[**b]);
                let alike = b_place[**b].is_none() && x.key == y.key && level(ours, a) == level(theirs, **b);
                alike
                    && around == b_place[y.parent]
                    && (deep(ours, a) == deep(theirs, **b) || !exact && !is_entry(ours, a) && !is_entry(theirs, **b))
            };
            if let Some(b) = new.iter().find(same).copied() {
                let number = Some(base.atoms.len() + out.len());
                (a_place[a], b_place[b]) = (number, number);
                out.push((a, b));
            }
        }
    }
    out
}

/// A section that says when it happened: an entry of an episode file.
fn is_entry(tree: &Tree, section: usize) -> bool {
    date(tree, section).is_some()
}

/// An entry's date: what stands in its `- Date:` bullet.
pub fn date(tree: &Tree, section: usize) -> Option<String> {
    if tree.atoms[section].what != What::Section {
        return None;
    }
    let dated = tree.atoms[section].kids.iter().find(|k| tree.label(**k).as_deref() == Some("date"))?;
    tree.said(*dated).split_once(':').map(|(_, date)| date.trim().to_owned())
}

/// A heading's level: 1–6.
fn level(tree: &Tree, section: usize) -> usize {
    let own = tree.own(section).trim();
    match own.bytes().take_while(|b| *b == b'#').count() {
        0 => 1 + usize::from(!own.ends_with('=')),
        hashes => hashes,
    }
}

fn all(tree: &Tree) -> Vec<usize> {
    (1..tree.atoms.len()).filter(|a| tree.atoms[*a].what == What::Section).collect()
}

/// A digest of all that a section says: metadata and order do not count.
fn deep(tree: &Tree, section: usize) -> u64 {
    let Atom { key, kids, subs, .. } = &tree.atoms[section];
    let mut below: Vec<u64> = kids.iter().chain(subs).map(|atom| deep(tree, *atom)).collect();
    below.sort_unstable();
    let mut state = DefaultHasher::new();
    (key, below).hash(&mut state);
    state.finish()
}

fn by_id(base: &Tree, side: &Tree, links: &mut Links) {
    let named = |tree: &Tree| {
        let mut known: HashMap<String, Vec<usize>> = HashMap::new();
        for section in all(tree) {
            if let Some(id) = &tree.atoms[section].id {
                known.entry(id.clone()).or_default().push(section);
            }
        }
        known
    };
    let known = named(base);
    for (id, new) in named(side) {
        if let (Some([old]), [new]) = (known.get(&id).map(|k| &k[..]), &new[..]) {
            links.add(*old, *new);
        }
    }
}

/// A file has one title, whatever it says.
fn only_title(base: &Tree, side: &Tree, links: &mut Links) {
    let tops = |tree: &Tree| all(tree).into_iter().filter(|s| level(tree, *s) == 1).collect::<Vec<_>>();
    if let ([old], [new]) = (&tops(base)[..], &tops(side)[..])
        && links.free(*old, *new)
    {
        links.add(*old, *new);
    }
}

/// The same title; `here`: below the same section.
fn by_title(base: &Tree, side: &Tree, links: &mut Links, here: bool) {
    let group = |tree: &Tree, taken: &[Option<usize>]| {
        let mut known: HashMap<u64, Vec<usize>> = HashMap::new();
        for section in all(tree).into_iter().filter(|s| taken[*s].is_none()) {
            known.entry(tree.atoms[section].key).or_default().push(section);
        }
        known
    };
    let (known, new) = (group(base, &links.side), group(side, &links.base));
    for section in all(side) {
        let key = side.atoms[section].key;
        let (Some(old), true) = (known.get(&key), links.base[section].is_none()) else { continue };
        let parent = side.atoms[section].parent;
        let together = |o: &usize| links.base[parent] == Some(base.atoms[*o].parent);
        let old: Vec<usize> =
            old.iter().copied().filter(|o| links.side[*o].is_none() && (!here || together(o))).collect();
        let beside = |s: &usize| links.base[*s].is_none() && (!here || side.atoms[*s].parent == parent);
        let rivals: Vec<usize> = new[&key].iter().copied().filter(beside).collect();
        match (&old[..], &rivals[..]) {
            ([], _) => {}
            ([old], [_]) => links.add(*old, section),
            _ => among_twins(base, side, links, &old, &rivals),
        }
    }
}

/// Several sections of one title: those that share most belong together.
fn among_twins(base: &Tree, side: &Tree, links: &mut Links, old: &[usize], new: &[usize]) {
    let mut scores: Vec<(f64, usize, usize)> = Vec::new();
    for (i, o) in old.iter().enumerate() {
        for (j, n) in new.iter().enumerate() {
            let same = if deep(base, *o) == deep(side, *n) { 2.0 } else { shared(base, *o, side, *n) };
            scores.push((same, i, j));
        }
    }
    scores.sort_by(|x, y| y.0.total_cmp(&x.0).then((x.1.abs_diff(x.2), x.1).cmp(&(y.1.abs_diff(y.2), y.1))));
    for (score, i, j) in scores {
        if links.free(old[i], new[j]) && (score > 0.0 || old.len() == new.len()) {
            links.add(old[i], new[j]);
        }
    }
}

/// How much of what two sections hold is the same (Dice); what was rephrased counts by its likeness.
fn shared(base: &Tree, old: usize, side: &Tree, new: usize) -> f64 {
    let held = |tree: &Tree, section: usize| -> Vec<usize> {
        let atom = &tree.atoms[section];
        let dated = |k: &usize| tree.label(*k).as_deref() != Some("date") && tree.atoms[*k].what != What::Summary;
        atom.kids.iter().chain(&atom.subs).copied().filter(dated).collect()
    };
    let (a, b) = (held(base, old), held(side, new));
    if a.is_empty() || b.is_empty() {
        return 0.0;
    }
    let keys = |tree: &Tree, held: &[usize]| -> HashSet<u64> { held.iter().map(|k| tree.atoms[*k].key).collect() };
    let (ours, theirs) = (keys(base, &a), keys(side, &b));
    let mut same = ours.intersection(&theirs).count() as f64;
    let rest = |tree: &Tree, held: &[usize], other: &HashSet<u64>| -> Vec<Features> {
        let open = held.iter().filter(|k| !other.contains(&tree.atoms[**k].key));
        open.take(MOST_REPHRASED).map(|k| Features::of(&tree.said(*k))).collect()
    };
    let mut open = rest(side, &b, &ours);
    for features in rest(base, &a, &theirs) {
        let likeness = open.iter().map(|f| features.likeness(f)).enumerate().max_by(|x, y| x.1.total_cmp(&y.1));
        if let Some((at, likeness)) = likeness.filter(|(_, l)| *l >= REPHRASED) {
            open.remove(at);
            same += likeness;
        }
    }
    2.0 * same / (a.len() + b.len()) as f64
}

fn by_content(base: &Tree, side: &Tree, links: &mut Links) {
    let old: Vec<usize> = all(base).into_iter().filter(|s| links.side[*s].is_none()).collect();
    let new: Vec<usize> = all(side).into_iter().filter(|s| links.base[*s].is_none()).collect();
    if old.len() > MOST || new.len() > MOST {
        return;
    }
    let mut scores = Vec::new();
    for o in &old {
        for n in &new {
            let together = links.base[side.atoms[*n].parent] == Some(base.atoms[*o].parent);
            let title = likeness(&base.said(*o), &side.said(*n));
            let score = 0.7 * shared(base, *o, side, *n) + 0.3 * title + if together { 0.1 } else { 0.0 };
            if score >= RENAMED {
                scores.push((score, *o, *n));
            }
        }
    }
    scores.sort_by(|x, y| y.0.total_cmp(&x.0).then((x.1, x.2).cmp(&(y.1, y.2))));
    for (_, o, n) in scores {
        if links.free(o, n) {
            links.add(o, n);
        }
    }
}
