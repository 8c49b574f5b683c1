//! Two sides that brought the same words to one section by different ways: they stand there once.
//!
//! Never touches what one side alone has twice, and nothing that something belongs to.

use std::collections::{HashMap, HashSet};

use super::gaps;
use super::item::STAMPS;
use super::join::{Join, Placed};
use super::part::Part;
use super::tree::{Tree, What};
use crate::document::Meta;

/// Leaves out the second of two bullets with the same words in one place, where no side has both; its metadata goes to
/// the first.
pub fn same_words(join: &Join, parents: &[usize], mut out: Vec<Placed>) -> Vec<Placed> {
    let mut first: HashMap<(usize, u64), usize> = HashMap::new();
    let mut gone: HashSet<usize> = HashSet::new();
    for at in 0..out.len() {
        let Some(key) = key(join, &out[at]).map(|key| (parents[out[at].thing], key)) else { continue };
        let Some(before) = first.get(&key).copied() else {
            first.insert(key, at);
            continue;
        };
        if one_side_has_both(join, out[before].thing, out[at].thing) {
            continue;
        }
        let new = |at: usize| join.things.atoms[out[at].thing][0].is_none();
        let (drop, keep) = if new(before) && !new(at) { (before, at) } else { (at, before) };
        if !gaps::is_leaf(join, out[drop].thing) {
            continue;
        }
        let united = own(&out[drop]).zip(own(&out[keep])).and_then(|(d, k)| unite(&d, &k));
        if let Some(text) = united {
            out[keep].parts = vec![Part::Text(text)];
            gone.insert(drop);
            first.insert(key, keep);
        }
    }
    out.into_iter().enumerate().filter(|(at, _)| !gone.contains(at)).map(|(_, placed)| placed).collect()
}

/// A digest of what a settled bullet says.
fn key(join: &Join, placed: &Placed) -> Option<u64> {
    let [Part::Text(text)] = &placed.parts[..] else { return None };
    if join.what(placed.thing) != What::Item {
        return None;
    }
    // Where no side changed its words, they need not be read again.
    let known = [0, 1, 2].map(|side| Some(join.trees[side].atoms[join.things.atoms[placed.thing][side]?].key));
    match known {
        [Some(base), Some(ours), Some(theirs)] if base == ours && base == theirs => Some(base),
        _ => Some(Tree::of(text).atoms.get(1)?.key),
    }
}

/// A settled bullet's lines.
struct Own {
    lines: String,
    /// The number of the metadata line among its lines, its indent, and what it says.
    meta: Option<(usize, String, Meta)>,
}

fn own(placed: &Placed) -> Option<Own> {
    let [Part::Text(text)] = &placed.parts[..] else { return None };
    let meta = text.lines().enumerate().skip(1).find_map(|(at, line)| {
        let blank = line[..line.len() - line.trim_start().len()].to_owned();
        Some((at, blank, Meta::parse(line)?))
    });
    Some(Own { lines: text.clone(), meta })
}

fn one_side_has_both(join: &Join, x: usize, y: usize) -> bool {
    [1, 2].into_iter().any(|side| {
        let key = |thing: usize| Some(join.trees[side].atoms[join.things.atoms[thing][side]?].key);
        matches!((key(x), key(y)), (Some(a), Some(b)) if a == b)
    })
}

/// The kept bullet's lines with the metadata of both; `None` where a key says two things.
fn unite(drop: &Own, keep: &Own) -> Option<String> {
    let Some((_, blank, more)) = &drop.meta else { return Some(keep.lines.clone()) };
    let mut meta = keep.meta.as_ref().map(|(.., meta)| meta.clone()).unwrap_or_default();
    for (key, value) in &more.0 {
        match meta.get(key) {
            None if value.is_empty() => meta.0.push((key.clone(), String::new())),
            None => meta.set(key, value),
            Some(known) if known == value => {}
            // Ids and stamps of the one that stays are enough.
            Some(_) if key == "id" || STAMPS.contains(&key.as_str()) => {}
            Some(_) => return None,
        }
    }
    let line = format!("{blank}{}\n", meta.print());
    let lines: Vec<&str> = keep.lines.split_inclusive('\n').collect();
    match keep.meta.as_ref().map(|(at, ..)| *at) {
        Some(at) => Some([&lines[..at], &[&line], &lines[at + 1..]].concat().concat()),
        // Below more than one paragraph the line would be nobody's.
        None if lines[1..].iter().any(|l| l.trim().is_empty() || l.trim_start().starts_with(['`', '~', '<'])) => None,
        None => Some(format!("{}{line}", keep.lines)),
    }
}
