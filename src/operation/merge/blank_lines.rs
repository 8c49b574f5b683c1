//! Chooses the blank lines between the elements of the merged text: as the sides have them, else as between similar
//! neighbours.
//!
//! Never changes a line that is not blank.

use super::hunk::{MergeHunk, pick_changed};
use super::tree::{MergeNodeKind, MergeTree};
use super::tree_merge::{PlacedElement, TreeMerge};

/// The kind of neighbour that decides the usual spacing.
#[derive(Clone, Copy, PartialEq, Eq)]
enum NeighbourKind {
    Edge,
    Heading,
    Item,
    Block,
}

/// Returns the merged hunks with blank lines between the elements and each element's indent before its lines.
pub fn insert_blank_lines(tree_merge: &TreeMerge, placed: &[PlacedElement]) -> Vec<MergeHunk> {
    let mut out = Vec::new();
    let mut before = 0;
    for PlacedElement { element, hunks, indent } in placed {
        out.push(MergeHunk::Text(gap_before(tree_merge, before, Some(*element))));
        let with = |text: &String| super::merge_item::indent_lines(text, indent);
        out.extend(hunks.iter().map(|hunk| match hunk {
            MergeHunk::Text(text) => MergeHunk::Text(with(text)),
            MergeHunk::Conflict { base, ours, theirs } => {
                MergeHunk::Conflict { base: with(base), ours: with(ours), theirs: with(theirs) }
            }
        }));
        before = *element;
    }
    out.push(MergeHunk::Text(gap_before(tree_merge, before, None)));
    out
}

/// Whether an element has no children in any of the texts.
pub fn is_leaf(tree_merge: &TreeMerge, element: usize) -> bool {
    (0..3).all(|side| {
        tree_merge.elements.nodes[element][side].is_none_or(|number| {
            let node = &tree_merge.trees[side].nodes[number];
            node.children.is_empty() && node.subsections.is_empty()
        })
    })
}

/// The blank lines between element `before` and `element`; `None` is the end of the text, element 0 its start.
fn gap_before(tree_merge: &TreeMerge, before: usize, element: Option<usize>) -> String {
    let here = |side: usize| {
        let (at, gap) = node_and_gap(tree_merge, side, element)?;
        (tree_merge.elements.element_of[side][at - 1] as usize == before).then_some(gap)
    };
    match (here(0), here(1), here(2)) {
        (base, Some(a), Some(b)) => pick_changed(base, a, b).unwrap_or_else(|| longer(a, b)).to_owned(),
        (_, Some(a), None) => a.to_owned(),
        (_, None, Some(b)) => b.to_owned(),
        (Some(o), None, None) => o.to_owned(),
        (None, None, None) => usual_gap(tree_merge, before, element),
    }
}

fn longer<'a>(a: &'a str, b: &'a str) -> &'a str {
    if (a.len(), a) >= (b.len(), b) { a } else { b }
}

/// The node of an element on a side (one past the last node for the end of the text) and the blank lines before it.
fn node_and_gap<'a>(tree_merge: &'a TreeMerge, side: usize, element: Option<usize>) -> Option<(usize, &'a str)> {
    let tree = tree_merge.trees[side];
    match element {
        None => Some((tree.nodes.len(), &tree.text()[tree.tail.clone()])),
        Some(thing) => {
            let node = tree_merge.elements.nodes[thing][side]?;
            Some((node, &tree.text()[tree.nodes[node].gap.clone()]))
        }
    }
}

/// The spacing for two elements that are neighbours in none of the texts: as after a similar element, else as before a
/// similar one, else the usual one.
fn usual_gap(tree_merge: &TreeMerge, before: usize, element: Option<usize>) -> String {
    let (above, below) =
        (element_kind(tree_merge, before), element.map_or(NeighbourKind::Edge, |t| element_kind(tree_merge, t)));
    let leads = [1, 2].into_iter().filter_map(|side| {
        let (at, gap) = node_and_gap(tree_merge, side, element)?;
        (node_kind(tree_merge.trees[side], at - 1) == above).then_some(gap)
    });
    if let Some(gap) = leads.reduce(longer) {
        return gap.to_owned();
    }
    let trails = [1, 2].into_iter().filter_map(|side| {
        let (tree, node) = (tree_merge.trees[side], tree_merge.elements.nodes[before][side]?);
        let next = tree.nodes.get(node + 1)?;
        (node_kind(tree, node + 1) == below).then(|| &tree.text()[next.gap.clone()])
    });
    if let Some(gap) = trails.reduce(longer) {
        return gap.to_owned();
    }
    match (above, below) {
        (NeighbourKind::Edge, _) | (_, NeighbourKind::Edge) | (NeighbourKind::Item, NeighbourKind::Item) => {
            String::new()
        }
        _ => "\n".to_owned(),
    }
}

fn element_kind(tree_merge: &TreeMerge, element: usize) -> NeighbourKind {
    let side = (1..3).chain([0]).find(|s| tree_merge.elements.nodes[element][*s].is_some()).unwrap_or(0);
    node_kind(tree_merge.trees[side], tree_merge.elements.nodes[element][side].unwrap_or(0))
}

fn node_kind(tree: &MergeTree, node: usize) -> NeighbourKind {
    match tree.nodes[node].kind {
        MergeNodeKind::Root => NeighbourKind::Edge,
        MergeNodeKind::Section => NeighbourKind::Heading,
        MergeNodeKind::Item => NeighbourKind::Item,
        MergeNodeKind::Summary | MergeNodeKind::Block => NeighbourKind::Block,
    }
}
