//! Conservation where levels change: a bullet that neither side removed or rewrote is in the merged text, whatever was
//! indented below what, and so is what a side wrote.

use std::collections::BTreeSet;

use memdir::operation::conflict_regions::{ConflictChoice, resolve_all};
use memdir::operation::merge::{ConflictLabels, merge};

use super::random::Chance;
use crate::support::memory::full;

const TEXTS: [&str; 10] = [
    "red fox",
    "blue river",
    "old stone",
    "new lamp",
    "calm cloud",
    "wild fox",
    "red lamp",
    "blue cloud",
    "old river",
    "new stone",
];

/// Bullets with their levels, in the order of the file.
type Tree = Vec<(usize, String)>;

fn text_of(tree: &Tree) -> String {
    tree.iter().map(|(level, text)| format!("{}- {text}\n", "  ".repeat(*level))).collect()
}

/// Lowers each level to one below that of the bullet above it.
fn repair(tree: &mut Tree) {
    let mut most = 0;
    for (level, _) in tree {
        *level = (*level).min(most);
        most = *level + 1;
    }
}

fn random_tree(chance: &mut Chance) -> Tree {
    let first = chance.below(TEXTS.len());
    let count = chance.between(3, 7);
    let texts = (0..count).map(|n| TEXTS[(first + n * 3) % TEXTS.len()].to_owned());
    let mut tree: Tree = texts.map(|text| (chance.below(3), text)).collect();
    repair(&mut tree);
    tree
}

/// A tree after one to three changes. `gone`: the texts that were removed or rewritten.
fn changed(tree: &Tree, side: &str, chance: &mut Chance, gone: &mut BTreeSet<String>) -> Tree {
    let mut tree = tree.clone();
    for n in 0..chance.between(1, 3) {
        let at = chance.below(tree.len());
        match chance.below(20) {
            0..7 => tree[at].0 += 1,
            7..12 => tree[at].0 = tree[at].0.saturating_sub(1),
            12..16 => {
                gone.insert(std::mem::replace(&mut tree[at].1, format!("entirely different words {side} {n}")));
            }
            _ => {
                gone.insert(tree.remove(at).1);
            }
        }
        repair(&mut tree);
        if tree.is_empty() {
            break;
        }
    }
    tree
}

/// How often a text stands in a tree.
fn count_in(tree: &Tree, text: &str) -> usize {
    tree.iter().filter(|(_, other)| other == text).count()
}

/// How often a bullet with this text stands in a merged text.
fn count_lines(merged: &str, text: &str) -> usize {
    merged.lines().filter(|line| line.trim_start() == format!("- {text}")).count()
}

#[test]
fn a_conflict_that_is_resolved_to_one_side_leaves_no_text_more_often_than_a_side_has_it() {
    let mut conflicts = 0;
    // The last has a conflict within a conflict.
    for seed in (0..if full() { 50_000 } else { 1500 }).chain([27_124]) {
        let (mut chance, mut gone) = (Chance::new(seed + 1_000_000), BTreeSet::new());
        let base = random_tree(&mut chance);
        let [ours, theirs] = ["here", "there"].map(|side| changed(&base, side, &mut chance, &mut gone));
        let texts = [&base, &ours, &theirs].map(text_of);
        let merged = merge(&texts[0], &texts[1], &texts[2], &ConflictLabels::default());
        conflicts += usize::from(!merged.conflicts.is_empty());
        let all: BTreeSet<&str> = [&base, &ours, &theirs].into_iter().flatten().map(|(_, text)| &**text).collect();
        for side in [ConflictChoice::Ours, ConflictChoice::Theirs] {
            let resolved = resolve_all(&merged.text, 7, side);
            for text in &all {
                let (count, most) = (count_lines(&resolved, text), count_in(&ours, text).max(count_in(&theirs, text)));
                let shown = || [&*texts.join("---\n"), "---\n", &merged.text, "---\n", &resolved].concat();
                assert!(count <= most, "{seed}: {count} × {text:?} to {side:?}\n{}", shown());
                let is_kept = gone.contains(*text) || count_in(&base, text) == 0 || count > 0;
                assert!(is_kept, "{seed}: no {text:?} to {side:?}\n{}", shown());
            }
        }
    }
    assert!(conflicts > 100, "{conflicts}");
}

#[test]
fn what_neither_side_removed_stays_when_levels_change() {
    for seed in 0..if full() { 50_000 } else { 1500 } {
        let (mut chance, mut gone) = (Chance::new(seed), BTreeSet::new());
        let base = random_tree(&mut chance);
        let [ours, theirs] = ["here", "there"].map(|side| changed(&base, side, &mut chance, &mut gone));
        let texts = [&base, &ours, &theirs].map(text_of);
        let merged = merge(&texts[0], &texts[1], &texts[2], &ConflictLabels::default());
        let all: BTreeSet<&str> = [&base, &ours, &theirs].into_iter().flatten().map(|(_, text)| &**text).collect();
        for text in all.into_iter().filter(|text| !gone.contains(*text)) {
            let count = count_lines(&merged.text, text);
            let is_kept = if merged.conflicts.is_empty() { count == 1 } else { count > 0 };
            assert!(is_kept, "{seed}: {count} × {text:?}\n{}", [&*texts.join("---\n"), "---\n", &merged.text].concat());
        }
    }
}
