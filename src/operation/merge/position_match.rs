//! Matches nodes by position: what both sides wrote anew in one place, between the same neighbours.
//!
//! Never matches a node that only one side changed: where the other side left it alone, a removal and an addition merge
//! as well as a rewritten node. Where the other side edited it, they do not: the addition would stand beside a conflict
//! between the edit and a removal that neither side meant.

use super::node_matching::{NodeLinks, has_no_id};
use super::tree::{MergeNodeKind, MergeTree};
use super::{section_matching, similarity_match};

/// Minimum similarity of a bullet that one side edited and the other one rewrote in its place. Below it the new bullet is
/// a new fact.
const MIN_IN_PLACE: f64 = 0.25;
/// Maximum length, in words, of a text that is too short to compare by similarity: `milk` and `soy` are two values of
/// one bullet.
const MAX_SHORT_WORDS: usize = 3;

/// Matches a section that one side renamed with the one section that the other side has in its place.
pub fn match_renamed_sections(base: &MergeTree, sides: [&MergeTree; 2], links: [&mut NodeLinks; 2]) {
    let found = [0, 1].map(|i| {
        let is_renamed = |old: usize| {
            let there = links[1 - i].side_of[old];
            there.is_some_and(|node| sides[1 - i].nodes[node].key != base.nodes[old].key)
        };
        let mut pairs = nodes_in_place(base, sides[i], links[i], MergeNodeKind::Section);
        pairs.retain(|(old, new)| {
            is_renamed(*old) && has_no_id(base, *old) && section_matching::may_be_one(base, *old, sides[i], *new)
        });
        pairs
    });
    for (links, pairs) in links.into_iter().zip(found) {
        pairs.into_iter().for_each(|(old, new)| links.link(old, new));
    }
}

/// Matches paragraphs and bullets that both sides rewrote beyond recognition in one place, and a bullet that one side
/// rewrote above its children with the one in which the other side changed children.
pub fn match_rewritten_nodes(base: &MergeTree, sides: [&MergeTree; 2], links: [&mut NodeLinks; 2]) {
    for kind in [MergeNodeKind::Block, MergeNodeKind::Item] {
        let found = [0, 1].map(|i| nodes_in_place(base, sides[i], links[i], kind));
        for (old, a) in &found[0] {
            let Some((_, b)) = found[1].iter().find(|(other, _)| other == old) else { continue };
            if has_no_id(base, *old) {
                links[0].link(*old, *a);
                links[1].link(*old, *b);
            }
        }
        for (i, pairs) in found.iter().enumerate() {
            for (old, new) in pairs {
                let is_changed_below = || is_changed_below(base, *old, sides[1 - i], links[1 - i]);
                if links[i].are_unlinked(*old, *new)
                    && has_no_id(base, *old)
                    && keeps_children(base, *old, sides[i], *new, links[i])
                    && is_changed_below()
                {
                    links[i].link(*old, *new);
                }
                if links[i].are_unlinked(*old, *new) && is_edited_in_place(base, *old, sides[1 - i], links[1 - i]) {
                    let other = links[1 - i].side_of[*old].is_some_and(|node| is_short(sides[1 - i], node));
                    let are_short = other && is_short(base, *old) && is_short(sides[i], *new);
                    let is_near = similarity_match::node_similarity(base, *old, sides[i], *new) >= MIN_IN_PLACE;
                    if kind == MergeNodeKind::Block || are_short || is_near {
                        links[i].link(*old, *new);
                    }
                }
            }
        }
    }
}

/// Whether a side edited a node of the base and left it below its parent, so that a removal by the other one conflicts.
fn is_edited_in_place(base: &MergeTree, old: usize, side: &MergeTree, links: &NodeLinks) -> bool {
    let stays = |node: usize| links.side_of[base.nodes[old].parent] == Some(side.nodes[node].parent);
    let edited = links.side_of[old].filter(|node| side.nodes[*node].key != base.nodes[old].key);
    has_no_id(base, old) && edited.is_some_and(stays)
}

/// Whether most children of a node are below another one on a side: it has a new text there.
fn keeps_children(base: &MergeTree, old: usize, side: &MergeTree, new: usize, links: &NodeLinks) -> bool {
    let children = &base.nodes[old].children;
    let is_there = |child: &&usize| links.side_of[**child].is_some_and(|node| side.nodes[node].parent == new);
    let kept = children.iter().filter(is_there).count();
    kept > 0 && 2 * kept >= children.len()
}

/// Whether a side has a node with the text of the base, and something else below it.
fn is_changed_below(base: &MergeTree, old: usize, side: &MergeTree, links: &NodeLinks) -> bool {
    let there = links.side_of[old].filter(|node| side.nodes[*node].key == base.nodes[old].key);
    there.is_some_and(|node| side.subtree_text(node) != base.subtree_text(old))
}

fn is_short(tree: &MergeTree, node: usize) -> bool {
    tree.nodes[node].children.is_empty() && tree.plain_text(node).split_whitespace().count() <= MAX_SHORT_WORDS
}

/// Pairs of unmatched nodes of one kind: as many between two neighbours in the base as between the same two on the
/// side. Blocks and sections are paired only if there is one: two rewritten ones may have changed places.
fn nodes_in_place(base: &MergeTree, side: &MergeTree, links: &NodeLinks, kind: MergeNodeKind) -> Vec<(usize, usize)> {
    let row = |tree: &MergeTree, node: usize| match kind {
        MergeNodeKind::Section => tree.nodes[node].subsections.clone(),
        _ => tree.nodes[node].children.clone(),
    };
    let mut pairs = Vec::new();
    for (parent, new_parent) in links.side_of.iter().enumerate().filter_map(|(old, new)| Some((old, (*new)?))) {
        let (old, new) = (row(base, parent), row(side, new_parent));
        if !old.iter().any(|node| links.side_of[*node].is_none()) {
            continue;
        }
        // Split both rows at the nodes that match, and compare the parts in between.
        let mut from = 0;
        let mut run: Vec<usize> = Vec::new();
        for at in old.iter().copied().map(Some).chain([None]) {
            let to = match at {
                Some(node) if links.side_of[node].is_none() => {
                    run.push(node);
                    continue;
                }
                Some(node) => links.side_of[node].and_then(|there| new.iter().position(|n| *n == there)),
                None => Some(new.len()),
            };
            // A neighbour that moved to another parent, or before the one above, delimits nothing.
            let Some(to) = to.filter(|to| *to >= from) else { continue };
            let added: Vec<usize> = new[from..to].iter().copied().filter(|n| links.base_of[*n].is_none()).collect();
            let of_kind = |tree: &MergeTree, nodes: &[usize]| -> Vec<usize> {
                nodes.iter().copied().filter(|node| tree.nodes[*node].kind == kind).collect()
            };
            let (removed, added) = (of_kind(base, &run), of_kind(side, &added));
            if removed.len() == added.len() && (removed.len() == 1 || kind == MergeNodeKind::Item) {
                pairs.extend(removed.into_iter().zip(added));
            }
            run.clear();
            from = to;
        }
    }
    pairs
}
