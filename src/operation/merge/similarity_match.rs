//! Matches nodes by similarity, with a bonus for matching neighbours. Runs last, after matching by id and by equal
//! text.
//!
//! Never matches a node that an earlier rule has matched.

use std::collections::HashMap;

use super::node_matching::{NodeLinks, has_no_id};
use super::section_matching::is_entry_date;
use super::tree::{MergeNodeKind, MergeTree};
use crate::text::TextFeatures;
use crate::text::best_pairs::{self, MIN_SCORE, NEIGHBOUR_BONUS, PairScore, best_pairs};

/// Bonus for an equal label: `Editor: vim` and `Editor: emacs` are one bullet whose value was replaced.
const LABEL_BONUS: f64 = 0.25;
/// Minimum similarity for a text in another section. Higher than `MIN_SCORE`: no neighbour supports such a match.
const MIN_MOVED: f64 = 0.8;
/// Minimum similarity for a text in the section to which the other side moved the base node.
pub const MIN_FOLLOWED: f64 = 0.5;
/// Above this number of pairs only nodes at a similar position are compared: the comparison is quadratic.
const MAX_PAIRS: usize = 40_000;
/// Texts longer than this, in bytes, are compared by lines: comparing word features would be slow.
const LONG_TEXT: usize = 2_000;

/// How often the nodes of a section are compared: a match supports its neighbours in the next pass.
const MAX_PASSES: usize = 3;

/// Matches the remaining nodes within each section.
pub fn match_in_section(base: &MergeTree, side: &MergeTree, links: &mut NodeLinks) {
    for _ in 0..MAX_PASSES {
        if !match_once_in_scope(base, side, links) {
            return;
        }
    }
}

/// One pass; returns whether it matched anything.
fn match_once_in_scope(base: &MergeTree, side: &MergeTree, links: &mut NodeLinks) -> bool {
    let mut found = false;
    let mut old_by_section: HashMap<usize, Vec<usize>> = HashMap::new();
    for old in unmatched_nodes(base, &links.side_of) {
        old_by_section.entry(base.nodes[old].section).or_default().push(old);
    }
    let mut new: HashMap<usize, Vec<usize>> = HashMap::new();
    for node in unmatched_nodes(side, &links.base_of) {
        if let Some(section) = links.base_of[side.nodes[node].section] {
            new.entry(section).or_default().push(node);
        }
    }
    let mut order: Vec<usize> = new.keys().copied().collect();
    order.sort_unstable();
    for section in order {
        if let Some(old) = old_by_section.get(&section) {
            found |= link_best_pairs(base, side, links, old, &new[&section], &|links, similarity, o, n| {
                // All bonuses together could not raise this pair to the minimum.
                if similarity + LABEL_BONUS + 2.0 * NEIGHBOUR_BONUS < MIN_SCORE {
                    return None;
                }
                let label = base.label(o).filter(|l| side.label(n).as_ref() == Some(l)).map_or(0.0, |_| LABEL_BONUS);
                let score = similarity + label + neighbour_bonus(base, side, links, o, n);
                (score >= MIN_SCORE).then_some(score)
            });
        }
    }
    found
}

/// Matches nodes that were both moved to another section and rephrased.
pub fn match_elsewhere(base: &MergeTree, side: &MergeTree, links: &mut NodeLinks) {
    let movable = |tree: &MergeTree, taken: &[Option<usize>]| -> Vec<usize> {
        unmatched_nodes(tree, taken).into_iter().filter(|node| !is_entry_date(tree, *node)).collect()
    };
    let (old, new) = (movable(base, &links.side_of), movable(side, &links.base_of));
    link_best_pairs(base, side, links, &old, &new, &|_, similarity, _, _| {
        (similarity >= MIN_MOVED).then_some(similarity)
    });
}

fn unmatched_nodes(tree: &MergeTree, taken: &[Option<usize>]) -> Vec<usize> {
    let open =
        |a: &usize| taken[*a].is_none() && matches!(tree.nodes[*a].kind, MergeNodeKind::Item | MergeNodeKind::Block);
    (1..tree.nodes.len()).filter(open).collect()
}

type NodePairScore<'a> = &'a dyn Fn(&NodeLinks, f64, usize, usize) -> Option<f64>;

/// Links the pairs with the highest scores first. `score` gets the links so far, the similarity and the two nodes, and
/// returns `None` for a pair that must not be linked. Returns whether any was linked.
fn link_best_pairs(
    base: &MergeTree,
    side: &MergeTree,
    links: &mut NodeLinks,
    old: &[usize],
    new: &[usize],
    score: NodePairScore<'_>,
) -> bool {
    let reach = if old.len() * new.len() > MAX_PAIRS { MAX_PAIRS / new.len().max(1) + 4 } else { usize::MAX };
    let was: Vec<NodeFeatures> = old.iter().map(|o| NodeFeatures::new(base, *o)).collect();
    let is: Vec<NodeFeatures> = new.iter().map(|n| NodeFeatures::new(side, *n)).collect();
    let pairs = best_pairs(old.len(), new.len(), reach, |i, j| {
        let (o, n) = (old[i], new[j]);
        let may_pair = base.nodes[o].kind == side.nodes[n].kind && has_no_id(base, o);
        let score = may_pair.then(|| score(links, was[i].similarity(&is[j]), o, n))??;
        Some(PairScore { score, distance: i.abs_diff(j) })
    });
    for (i, j) in &pairs {
        links.link(old[*i], new[*j]);
    }
    !pairs.is_empty()
}

/// Similarity of two nodes, 0 to 1.
pub fn node_similarity(base: &MergeTree, old: usize, side: &MergeTree, new: usize) -> f64 {
    NodeFeatures::new(base, old).similarity(&NodeFeatures::new(side, new))
}

/// What is compared of a node: the words of a bullet or a short block, the lines of a block.
struct NodeFeatures<'a> {
    words: Option<TextFeatures>,
    lines: Option<&'a str>,
}

impl NodeFeatures<'_> {
    fn new(tree: &MergeTree, node: usize) -> NodeFeatures<'_> {
        let own = tree.own_text(node);
        let (item, long) = (tree.nodes[node].kind == MergeNodeKind::Item, own.len() > LONG_TEXT);
        let text = || if item { tree.plain_text(node) } else { own.to_owned() };
        NodeFeatures { words: (!long).then(|| TextFeatures::of(&text())), lines: (long || !item).then_some(own) }
    }

    fn similarity(&self, other: &NodeFeatures) -> f64 {
        let words = self.words.as_ref().zip(other.words.as_ref()).map_or(0.0, |(a, b)| a.similarity(b));
        let lines = self.lines.zip(other.lines).map_or(0.0, |(a, b)| line_similarity(a, b));
        words.max(lines)
    }
}

/// Share of common lines in two texts, 0 to 1 (Dice coefficient).
fn line_similarity(a: &str, b: &str) -> f64 {
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

fn neighbour_bonus(base: &MergeTree, side: &MergeTree, links: &NodeLinks, old: usize, new: usize) -> f64 {
    let are_paired = |old: usize, new: usize| links.base_of[new] == Some(old);
    best_pairs::neighbour_bonus(adjacent_siblings(base, old), adjacent_siblings(side, new), are_paired)
}

/// The siblings directly before and after a node.
pub fn adjacent_siblings(tree: &MergeTree, node: usize) -> [Option<usize>; 2] {
    let children = &tree.nodes[tree.nodes[node].parent].children;
    let at = children.partition_point(|k| *k < node);
    [at.checked_sub(1).map(|i| children[i]), children.get(at + 1).copied()]
}
