//! Matches the nodes of base, ours and theirs: by id, by equal text, by equal text in another section, by similarity,
//! then by position.
//!
//! Never decides what the merge does with a match.

use std::collections::HashMap;
use std::hash::{DefaultHasher, Hash, Hasher};

use super::tree::{MergeNodeKind, MergeTree};
use super::{position_match, section_matching, similarity_match};

/// The elements of a merge. An element is a set of matching nodes: at most one each of base, ours and theirs.
pub struct MergeElements {
    /// The nodes of each element, as indices into base, ours and theirs; element 0 is the file.
    pub nodes: Vec<[Option<usize>; 3]>,
    /// The element of each node, for base, ours and theirs.
    pub element_of: [Vec<u32>; 3],
}

/// Matches the nodes of three texts.
pub fn match_nodes(base: &MergeTree, ours: &MergeTree, theirs: &MergeTree) -> MergeElements {
    let (mut our_links, mut their_links) = (NodeLinks::new(base, ours), NodeLinks::new(base, theirs));
    section_matching::link_sections(base, ours, &mut our_links);
    section_matching::link_sections(base, theirs, &mut their_links);
    position_match::match_renamed_sections(base, [ours, theirs], [&mut our_links, &mut their_links]);
    let added_pairs = section_matching::pair_added_sections(base, ours, theirs, &our_links, &their_links);
    let sections = SectionNumbers::new(base, &our_links, &their_links, &added_pairs);
    match_contents(base, ours, &mut our_links);
    match_contents(base, theirs, &mut their_links);
    let our_side = MatchedSide { tree: ours, sections: &sections.ours };
    let their_side = MatchedSide { tree: theirs, sections: &sections.theirs };
    match_same_edit(base, &our_side, &mut our_links, &their_side, &their_links);
    match_same_edit(base, &their_side, &mut their_links, &our_side, &our_links);
    match_followed_move(base, &our_side, &mut our_links, &their_side, &their_links);
    match_followed_move(base, &their_side, &mut their_links, &our_side, &our_links);
    position_match::match_rewritten_nodes(base, [ours, theirs], [&mut our_links, &mut their_links]);
    let added_pairs = pair_added_nodes([ours, theirs], &our_links, &their_links, &sections, added_pairs);
    number_elements(base, ours, theirs, &our_links, &their_links, &added_pairs)
}

/// Links between the nodes of the base and those of one side.
pub struct NodeLinks {
    /// Indexed by the side's node.
    pub base_of: Vec<Option<usize>>,
    /// Indexed by the base's node.
    pub side_of: Vec<Option<usize>>,
}

impl NodeLinks {
    fn new(base: &MergeTree, side: &MergeTree) -> NodeLinks {
        let mut links = NodeLinks { base_of: vec![None; side.nodes.len()], side_of: vec![None; base.nodes.len()] };
        links.link(0, 0);
        links
    }

    /// Links a node of the base with one of the side, each by its index.
    pub fn link(&mut self, base: usize, side: usize) {
        self.base_of[side] = Some(base);
        self.side_of[base] = Some(side);
    }

    /// Whether neither node is linked yet.
    pub fn are_unlinked(&self, base: usize, side: usize) -> bool {
        self.side_of[base].is_none() && self.base_of[side].is_none()
    }
}

/// Section numbers that are comparable between ours and theirs.
struct SectionNumbers {
    ours: Vec<Option<usize>>,
    theirs: Vec<Option<usize>>,
}

impl SectionNumbers {
    /// Base sections keep their number; sections that both sides added get numbers above those.
    fn new(
        base: &MergeTree,
        our_links: &NodeLinks,
        their_links: &NodeLinks,
        added_pairs: &[(usize, usize)],
    ) -> SectionNumbers {
        let (mut ours, mut theirs) = (our_links.base_of.clone(), their_links.base_of.clone());
        for (i, (a, b)) in added_pairs.iter().enumerate() {
            let number = Some(base.nodes.len() + i);
            (ours[*a], theirs[*b]) = (number, number);
        }
        SectionNumbers { ours, theirs }
    }
}

/// One side of the merge, with the section number of each of its nodes' sections.
struct MatchedSide<'a> {
    tree: &'a MergeTree,
    /// Indexed by the side's node; comparable with the other side's.
    sections: &'a [Option<usize>],
}

impl MatchedSide<'_> {
    /// The number of the section that encloses a node.
    fn section_of(&self, node: usize) -> Option<usize> {
        self.sections[self.tree.nodes[node].section]
    }
}

fn byte_digest(text: &str) -> u64 {
    let mut state = DefaultHasher::new();
    text.hash(&mut state);
    state.finish()
}

fn is_content(tree: &MergeTree, node: usize) -> bool {
    matches!(tree.nodes[node].kind, MergeNodeKind::Item | MergeNodeKind::Block | MergeNodeKind::Summary)
}

/// The nodes of a tree that are not sections, in file order.
fn content_nodes(tree: &MergeTree) -> impl Iterator<Item = usize> + '_ {
    (1..tree.nodes.len()).filter(|a| is_content(tree, *a))
}

fn match_contents(base: &MergeTree, side: &MergeTree, links: &mut NodeLinks) {
    match_by_id(base, side, links);
    // Among nodes with equal text, those that are equal byte for byte are matched first.
    let bytes = |tree: &MergeTree, node: usize| byte_digest(tree.subtree_text(node));
    match_in_section(base, side, links, &bytes);
    match_in_section(base, side, links, &|tree, node| tree.nodes[node].key);
    match_elsewhere(base, side, links);
    similarity_match::match_in_section(base, side, links);
    similarity_match::match_elsewhere(base, side, links);
}

fn match_by_id(base: &MergeTree, side: &MergeTree, links: &mut NodeLinks) {
    let mut known: HashMap<&str, Option<usize>> = HashMap::new();
    for node in content_nodes(base) {
        if let Some(id) = &base.nodes[node].id {
            known.entry(id).and_modify(|seen| *seen = None).or_insert(Some(node));
        }
    }
    let mut taken: HashMap<&str, usize> = HashMap::new();
    for node in content_nodes(side) {
        if let Some(id) = &side.nodes[node].id {
            *taken.entry(id).or_default() += 1;
        }
    }
    for node in content_nodes(side) {
        let Some(id) = side.nodes[node].id.as_deref().filter(|id| taken[id] == 1) else { continue };
        if let Some(old) = known.get(id).copied().flatten() {
            links.link(old, node);
        }
    }
}

/// Whether the ids allow a match: two different ids do not.
pub fn ids_agree(base: &MergeTree, old: usize, side: &MergeTree, new: usize) -> bool {
    match (&base.nodes[old].id, &side.nodes[new].id) {
        (Some(a), Some(b)) => a == b,
        _ => true,
    }
}

/// Whether similarity may match this base node: a node with an id is matched by that id only.
pub fn has_no_id(base: &MergeTree, old: usize) -> bool {
    base.nodes[old].id.is_none()
}

/// Matches nodes with equal digests in the same section: in order if there are as many on both sides, else those with
/// equal neighbours first.
fn match_in_section(base: &MergeTree, side: &MergeTree, links: &mut NodeLinks, key: &dyn Fn(&MergeTree, usize) -> u64) {
    let mut known: HashMap<(usize, u64), Vec<usize>> = HashMap::new();
    for node in content_nodes(base).filter(|a| links.side_of[*a].is_none()) {
        known.entry((base.nodes[node].section, key(base, node))).or_default().push(node);
    }
    let mut new: HashMap<(usize, u64), Vec<usize>> = HashMap::new();
    for node in content_nodes(side).filter(|node| links.base_of[*node].is_none()) {
        if let Some(section) = links.base_of[side.nodes[node].section] {
            new.entry((section, key(side, node))).or_default().push(node);
        }
    }
    for (group, mut new) in new {
        let Some(mut old) = known.remove(&group) else { continue };
        if old.len() != new.len() {
            new.retain(|node| {
                let around = neighbour_keys(side, *node);
                let fits = |o: &usize| neighbour_keys(base, *o) == around && ids_agree(base, *o, side, *node);
                let found = old.iter().position(fits).map(|at| old.remove(at));
                found.inspect(|old| links.link(*old, *node)).is_none()
            });
        }
        for node in new {
            if let Some(at) = old.iter().position(|old| ids_agree(base, *old, side, node)) {
                links.link(old.remove(at), node);
            }
        }
    }
}

/// The digests of the siblings before and after a node, then of those of the items around it.
fn neighbour_keys(tree: &MergeTree, node: usize) -> Vec<Option<u64>> {
    let (mut keys, mut at) = (Vec::new(), node);
    loop {
        let siblings = similarity_match::adjacent_siblings(tree, at);
        keys.extend(siblings.map(|sibling| sibling.map(|node| tree.nodes[node].key)));
        at = tree.nodes[at].parent;
        if tree.nodes[at].kind != MergeNodeKind::Item {
            return keys;
        }
    }
}

/// Matches equal texts in different sections, if the text occurs once on each side.
fn match_elsewhere(base: &MergeTree, side: &MergeTree, links: &mut NodeLinks) {
    let mut known: HashMap<u64, (Vec<usize>, Vec<usize>)> = HashMap::new();
    // Entries of the same day have equal `Date:` bullets: such a bullet may move between entries that both texts have,
    // but never from an old entry to a new one.
    let free = |tree: &MergeTree, taken: &[Option<usize>]| -> Vec<usize> {
        let stays = |a: &usize| !section_matching::is_entry_date(tree, *a) || taken[tree.nodes[*a].section].is_some();
        content_nodes(tree).filter(|a| taken[*a].is_none() && stays(a)).collect()
    };
    for node in free(base, &links.side_of) {
        known.entry(base.nodes[node].key).or_default().0.push(node);
    }
    for node in free(side, &links.base_of) {
        known.entry(side.nodes[node].key).or_default().1.push(node);
    }
    for node in free(side, &links.base_of) {
        if let Some((old, new)) = known.get(&side.nodes[node].key)
            && let ([old], [new]) = (&old[..], &new[..])
            && ids_agree(base, *old, side, *new)
        {
            links.link(*old, *new);
        }
    }
}

/// Matches a bullet that both sides changed to the same text, if only the other side's matching found it: first in the
/// same section, then in any.
fn match_same_edit(
    base: &MergeTree,
    side: &MatchedSide<'_>,
    links: &mut NodeLinks,
    other: &MatchedSide<'_>,
    other_links: &NodeLinks,
) {
    let mut edited: HashMap<u64, Vec<(Option<usize>, usize)>> = HashMap::new();
    // A match by similarity alone gives way to equal text.
    let guessed = |links: &NodeLinks, old: usize| {
        let key = links.side_of[old].map(|node| side.tree.nodes[node].key);
        key.is_none_or(|key| key != base.nodes[old].key && has_no_id(base, old))
    };
    for node in content_nodes(other.tree) {
        let Some(old) = other_links.base_of[node].filter(|old| guessed(links, *old)) else { continue };
        if base.nodes[old].key != other.tree.nodes[node].key {
            let section = other.section_of(node);
            edited.entry(other.tree.nodes[node].key).or_default().push((section, old));
        }
    }
    if edited.is_empty() {
        return;
    }
    for here in [true, false] {
        for node in content_nodes(side.tree).filter(|a| links.base_of[*a].is_none()).collect::<Vec<_>>() {
            let section = side.section_of(node);
            let Some(found) = edited.get_mut(&side.tree.nodes[node].key) else { continue };
            let fits = |(there, old): &(Option<usize>, usize)| {
                let place = if here {
                    section.is_some() && section == *there
                } else {
                    links.side_of[*old].is_none() && !section_matching::is_entry_date(side.tree, node)
                };
                place && guessed(links, *old) && ids_agree(base, *old, side.tree, node)
            };
            if let Some(at) = found.iter().position(fits).filter(|_| here || found.len() == 1) {
                let (_, old) = found.remove(at);
                if let Some(guess) = links.side_of[old] {
                    links.base_of[guess] = None;
                }
                links.link(old, node);
            }
        }
    }
}

/// Matches a bullet that one side moved to another section and the other side moved there and rephrased.
fn match_followed_move(
    base: &MergeTree,
    side: &MatchedSide<'_>,
    links: &mut NodeLinks,
    other: &MatchedSide<'_>,
    other_links: &NodeLinks,
) {
    let mut moved: HashMap<usize, Vec<usize>> = HashMap::new();
    for old in content_nodes(base).filter(|o| links.side_of[*o].is_none()) {
        let Some(there) = other_links.side_of[old] else { continue };
        let section = other.section_of(there);
        if let Some(section) = section.filter(|s| *s != base.nodes[old].section) {
            moved.entry(section).or_default().push(old);
        }
    }
    if moved.is_empty() {
        return;
    }
    for node in content_nodes(side.tree).filter(|a| links.base_of[*a].is_none()).collect::<Vec<_>>() {
        let found = side.section_of(node).and_then(|section| moved.get(&section));
        let Some(found) = found else { continue };
        let score = |old: &usize| similarity_match::node_similarity(base, *old, side.tree, node);
        let is_date = section_matching::is_entry_date(side.tree, node);
        let best = found.iter().filter(|o| !is_date && links.are_unlinked(**o, node) && has_no_id(base, **o));
        if let Some(old) =
            best.max_by(|x, y| score(x).total_cmp(&score(y))).filter(|o| score(o) >= similarity_match::MIN_FOLLOWED)
        {
            links.link(*old, node);
        }
    }
}

/// Pairs nodes that both sides added to the same section, below the same item, with the same text: what stands below
/// two different items says something about each.
fn pair_added_nodes(
    sides: [&MergeTree; 2],
    our_links: &NodeLinks,
    their_links: &NodeLinks,
    sections: &SectionNumbers,
    mut added_pairs: Vec<(usize, usize)>,
) -> Vec<(usize, usize)> {
    let [ours, theirs] = sides;
    let bytes = |tree: &MergeTree, node: usize| byte_digest(tree.subtree_text(node));
    let text_digest = |tree: &MergeTree, node: usize| tree.nodes[node].key;
    let mut pair_of: HashMap<usize, usize> = added_pairs.iter().copied().collect();
    let have_same_parent = |a: usize, b: usize, pair_of: &HashMap<usize, usize>| {
        let (a, b) = (&ours.nodes[a], &theirs.nodes[b]);
        match (a.parent == a.section, b.parent == b.section) {
            (true, true) => true,
            (false, false) => match (our_links.base_of[a.parent], their_links.base_of[b.parent]) {
                (None, None) => pair_of.get(&a.parent) == Some(&b.parent),
                (of_ours, of_theirs) => of_ours == of_theirs,
            },
            _ => false,
        }
    };
    let mut taken: (Vec<bool>, Vec<bool>) = (vec![false; ours.nodes.len()], vec![false; theirs.nodes.len()]);
    for key in [&bytes as &dyn Fn(&MergeTree, usize) -> u64, &text_digest] {
        let mut known: HashMap<(usize, u64), Vec<usize>> = HashMap::new();
        for b in content_nodes(theirs).filter(|b| their_links.base_of[*b].is_none() && !taken.1[*b]) {
            if let Some(section) = sections.theirs[theirs.nodes[b].section] {
                known.entry((section, key(theirs, b))).or_default().push(b);
            }
        }
        known.values_mut().for_each(|found| found.reverse());
        for a in content_nodes(ours).filter(|a| our_links.base_of[*a].is_none()).collect::<Vec<_>>() {
            let section = sections.ours[ours.nodes[a].section].filter(|_| !taken.0[a]);
            let Some(found) = section.and_then(|section| known.get_mut(&(section, key(ours, a)))) else { continue };
            // A parent comes before what is below it, so its own pair is known.
            if let Some(at) = found.iter().rposition(|b| have_same_parent(a, *b, &pair_of)) {
                let b = found.remove(at);
                (taken.0[a], taken.1[b]) = (true, true);
                pair_of.insert(a, b);
                added_pairs.push((a, b));
            }
        }
    }
    added_pairs
}

fn number_elements(
    base: &MergeTree,
    ours: &MergeTree,
    theirs: &MergeTree,
    our_links: &NodeLinks,
    their_links: &NodeLinks,
    added_pairs: &[(usize, usize)],
) -> MergeElements {
    let mut nodes: Vec<[Option<usize>; 3]> =
        (0..base.nodes.len()).map(|o| [Some(o), our_links.side_of[o], their_links.side_of[o]]).collect();
    let pair_of: HashMap<usize, usize> = added_pairs.iter().copied().collect();
    let paired_theirs: std::collections::HashSet<usize> = added_pairs.iter().map(|(_, b)| *b).collect();
    for a in (0..ours.nodes.len()).filter(|a| our_links.base_of[*a].is_none()) {
        nodes.push([None, Some(a), pair_of.get(&a).copied()]);
    }
    for b in (0..theirs.nodes.len()).filter(|b| their_links.base_of[*b].is_none() && !paired_theirs.contains(b)) {
        nodes.push([None, None, Some(b)]);
    }
    let mut of = [vec![0; base.nodes.len()], vec![0; ours.nodes.len()], vec![0; theirs.nodes.len()]];
    for (element, found) in nodes.iter().enumerate() {
        for (side, node) in found.iter().enumerate() {
            if let Some(node) = node {
                of[side][*node] = element as u32;
            }
        }
    }
    MergeElements { nodes, element_of: of }
}
