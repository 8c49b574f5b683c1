//! Matches the sections of two texts: by id, by title below the same parent, by title, by content.
//!
//! Never matches single bullets; it only counts how many two sections share.

use std::collections::{HashMap, HashSet};
use std::hash::{DefaultHasher, Hash, Hasher};

use super::node_matching::NodeLinks;
use super::tree::{MergeNode, MergeNodeKind, MergeTree};
use crate::text::{TextFeatures, similarity};

/// Minimum score at which two sections with different titles count as one that was renamed.
const MIN_RENAMED: f64 = 0.45;
/// Minimum share of common content at which two entries of different days count as one whose date was corrected.
const MIN_SAME_ENTRY: f64 = 0.5;
/// Minimum similarity at which a bullet counts as rephrased, and how many bullets of a section are compared that way.
const MIN_REPHRASED: f64 = 0.6;
const MAX_REPHRASED: usize = 50;
/// With more unmatched sections than this, contents are not compared: the comparison is quadratic.
const MAX_SECTIONS: usize = 200;

/// Links a side's sections to those of the base.
pub fn link_sections(base: &MergeTree, side: &MergeTree, links: &mut NodeLinks) {
    match_by_id(base, side, links);
    match_title(base, side, links);
    // Subsections of a renamed section are found once their parent is matched: search twice.
    for _ in 0..2 {
        match_by_title(base, side, links, true);
        match_by_title(base, side, links, false);
        match_by_content(base, side, links);
    }
}

/// Pairs sections that both sides added with the same title below the same parent. Two episode entries are paired only
/// if all their bullets are equal.
pub fn pair_added_sections(
    base: &MergeTree,
    ours: &MergeTree,
    theirs: &MergeTree,
    our_links: &NodeLinks,
    their_links: &NodeLinks,
) -> Vec<(usize, usize)> {
    let mut out: Vec<(usize, usize)> = Vec::new();
    // Section numbers shared by both sides; new pairs get numbers above those of the base.
    let (mut a_section, mut b_section) = (our_links.base_of.clone(), their_links.base_of.clone());
    let new: Vec<usize> = section_nodes(theirs).into_iter().filter(|b| their_links.base_of[*b].is_none()).collect();
    for exact in [true, false] {
        for a in section_nodes(ours) {
            let around = a_section[ours.nodes[a].parent];
            if a_section[a].is_some() || around.is_none() {
                continue;
            }
            let same = |b: &&usize| {
                let (x, y) = (&ours.nodes[a], &theirs.nodes[**b]);
                let is_same_title =
                    b_section[**b].is_none() && x.key == y.key && heading_level(ours, a) == heading_level(theirs, **b);
                is_same_title
                    && around == b_section[y.parent]
                    && (deep_digest(ours, a) == deep_digest(theirs, **b)
                        || !exact && !is_entry(ours, a) && !is_entry(theirs, **b))
            };
            if let Some(b) = new.iter().find(same).copied() {
                let number = Some(base.nodes.len() + out.len());
                (a_section[a], b_section[b]) = (number, number);
                out.push((a, b));
            }
        }
    }
    out
}

/// Whether a node is an entry's date. The dates of two entries are two things, however similar they are.
pub fn is_entry_date(tree: &MergeTree, node: usize) -> bool {
    // Every bullet is asked, and a label costs its text.
    let own = tree.own_text(node);
    let label = own.find([':', '：']).map_or("", |colon| &own[..colon]);
    label.to_ascii_lowercase().contains("date") && tree.label(node).as_deref() == Some("date")
}

/// Whether two sections may be one: two entries of different days are, only if most of their content is the same.
pub fn may_be_one(base: &MergeTree, old: usize, side: &MergeTree, new: usize) -> bool {
    let day_of = |tree, section| entry_date(tree, section).and_then(|date| find_day(&date).map(str::to_owned));
    match (day_of(base, old), day_of(side, new)) {
        (Some(was), Some(is)) if was != is => content_similarity(base, old, side, new) >= MIN_SAME_ENTRY,
        _ => true,
    }
}

/// The first `YYYY-MM-DD` of a date as written: `2026-02-03 (evening)`. Any other value tells no two entries apart.
fn find_day(date: &str) -> Option<&str> {
    let is_day = |day: &&str| {
        day.bytes().enumerate().all(|(i, b)| if matches!(i, 4 | 7) { b == b'-' } else { b.is_ascii_digit() })
    };
    (0..date.len()).filter_map(|at| date.get(at..at + 10)).find(is_day)
}

/// Whether a section is an entry of an episode file: it has a date.
fn is_entry(tree: &MergeTree, section: usize) -> bool {
    entry_date(tree, section).is_some()
}

/// An entry's date: the value of its `- Date:` bullet.
pub fn entry_date(tree: &MergeTree, section: usize) -> Option<String> {
    if tree.nodes[section].kind != MergeNodeKind::Section {
        return None;
    }
    let dated = tree.nodes[section].children.iter().find(|k| is_entry_date(tree, **k))?;
    tree.plain_text(*dated).split_once(':').map(|(_, date)| date.trim().to_owned())
}

/// A heading's level, 1 to 6.
fn heading_level(tree: &MergeTree, section: usize) -> usize {
    let own = tree.own_text(section).trim();
    match own.bytes().take_while(|b| *b == b'#').count() {
        0 => 1 + usize::from(!own.ends_with('=')),
        hashes => hashes,
    }
}

fn section_nodes(tree: &MergeTree) -> Vec<usize> {
    (1..tree.nodes.len()).filter(|a| tree.nodes[*a].kind == MergeNodeKind::Section).collect()
}

/// A digest of a section's whole content; metadata and order do not count.
fn deep_digest(tree: &MergeTree, section: usize) -> u64 {
    let MergeNode { key, children, subsections, .. } = &tree.nodes[section];
    let mut below: Vec<u64> = children.iter().chain(subsections).map(|node| deep_digest(tree, *node)).collect();
    below.sort_unstable();
    let mut state = DefaultHasher::new();
    (key, below).hash(&mut state);
    state.finish()
}

fn match_by_id(base: &MergeTree, side: &MergeTree, links: &mut NodeLinks) {
    let named = |tree: &MergeTree| {
        let mut known: HashMap<String, Vec<usize>> = HashMap::new();
        for section in section_nodes(tree) {
            if let Some(id) = &tree.nodes[section].id {
                known.entry(id.clone()).or_default().push(section);
            }
        }
        known
    };
    let known = named(base);
    for (id, new) in named(side) {
        if let (Some([old]), [new]) = (known.get(&id).map(|k| &k[..]), &new[..]) {
            links.link(*old, *new);
        }
    }
}

/// Matches the title: a file has only one level-1 heading, whatever its text.
fn match_title(base: &MergeTree, side: &MergeTree, links: &mut NodeLinks) {
    let tops =
        |tree: &MergeTree| section_nodes(tree).into_iter().filter(|s| heading_level(tree, *s) == 1).collect::<Vec<_>>();
    if let ([old], [new]) = (&tops(base)[..], &tops(side)[..])
        && links.are_unlinked(*old, *new)
    {
        links.link(*old, *new);
    }
}

/// Matches sections by title; with `here` only below the same parent.
fn match_by_title(base: &MergeTree, side: &MergeTree, links: &mut NodeLinks, here: bool) {
    let group = |tree: &MergeTree, taken: &[Option<usize>]| {
        let mut known: HashMap<u64, Vec<usize>> = HashMap::new();
        for section in section_nodes(tree).into_iter().filter(|s| taken[*s].is_none()) {
            known.entry(tree.nodes[section].key).or_default().push(section);
        }
        known
    };
    let (known, new) = (group(base, &links.side_of), group(side, &links.base_of));
    for section in section_nodes(side) {
        let key = side.nodes[section].key;
        let (Some(old), true) = (known.get(&key), links.base_of[section].is_none()) else { continue };
        let parent = side.nodes[section].parent;
        let together = |o: &usize| links.base_of[parent] == Some(base.nodes[*o].parent);
        let old: Vec<usize> =
            old.iter().copied().filter(|o| links.side_of[*o].is_none() && (!here || together(o))).collect();
        let beside = |s: &usize| links.base_of[*s].is_none() && (!here || side.nodes[*s].parent == parent);
        let rivals: Vec<usize> = new[&key].iter().copied().filter(beside).collect();
        match (&old[..], &rivals[..]) {
            ([], _) => {}
            ([old], [_]) if may_be_one(base, *old, side, section) => links.link(*old, section),
            ([_], [_]) => {}
            _ => match_equal_titles(base, side, links, &old, &rivals),
        }
    }
}

/// Among several sections with the same title, those with the most common content match.
fn match_equal_titles(base: &MergeTree, side: &MergeTree, links: &mut NodeLinks, old: &[usize], new: &[usize]) {
    let mut scores: Vec<(f64, usize, usize)> = Vec::new();
    for (i, o) in old.iter().enumerate() {
        for (j, n) in new.iter().enumerate() {
            let same = if deep_digest(base, *o) == deep_digest(side, *n) {
                2.0
            } else {
                content_similarity(base, *o, side, *n)
            };
            scores.push((same, i, j));
        }
    }
    scores.sort_by(|x, y| y.0.total_cmp(&x.0).then((x.1.abs_diff(x.2), x.1).cmp(&(y.1.abs_diff(y.2), y.1))));
    for (score, i, j) in scores {
        if links.are_unlinked(old[i], new[j])
            && (score > 0.0 || old.len() == new.len())
            && may_be_one(base, old[i], side, new[j])
        {
            links.link(old[i], new[j]);
        }
    }
}

/// Share of common content of two sections (Dice coefficient); a rephrased bullet counts by its similarity.
fn content_similarity(base: &MergeTree, old: usize, side: &MergeTree, new: usize) -> f64 {
    let held = |tree: &MergeTree, section: usize| -> Vec<usize> {
        let node = &tree.nodes[section];
        let dated = |k: &usize| !is_entry_date(tree, *k) && tree.nodes[*k].kind != MergeNodeKind::Summary;
        node.children.iter().chain(&node.subsections).copied().filter(dated).collect()
    };
    let (a, b) = (held(base, old), held(side, new));
    if a.is_empty() || b.is_empty() {
        return 0.0;
    }
    let keys = |tree: &MergeTree, held: &[usize]| -> HashSet<u64> { held.iter().map(|k| tree.nodes[*k].key).collect() };
    let (ours, theirs) = (keys(base, &a), keys(side, &b));
    let mut same = ours.intersection(&theirs).count() as f64;
    let rest = |tree: &MergeTree, held: &[usize], other: &HashSet<u64>| -> Vec<TextFeatures> {
        let open = held.iter().filter(|k| !other.contains(&tree.nodes[**k].key));
        open.take(MAX_REPHRASED).map(|k| TextFeatures::of(&tree.plain_text(*k))).collect()
    };
    let mut open = rest(side, &b, &ours);
    for features in rest(base, &a, &theirs) {
        let similarity = open.iter().map(|f| features.similarity(f)).enumerate().max_by(|x, y| x.1.total_cmp(&y.1));
        if let Some((at, likeness)) = similarity.filter(|(_, l)| *l >= MIN_REPHRASED) {
            open.remove(at);
            same += likeness;
        }
    }
    2.0 * same / (a.len() + b.len()) as f64
}

fn match_by_content(base: &MergeTree, side: &MergeTree, links: &mut NodeLinks) {
    let old: Vec<usize> = section_nodes(base).into_iter().filter(|s| links.side_of[*s].is_none()).collect();
    let new: Vec<usize> = section_nodes(side).into_iter().filter(|s| links.base_of[*s].is_none()).collect();
    if old.len() > MAX_SECTIONS || new.len() > MAX_SECTIONS {
        return;
    }
    let mut scores = Vec::new();
    for o in &old {
        for n in &new {
            let together = links.base_of[side.nodes[*n].parent] == Some(base.nodes[*o].parent);
            let title = similarity(&base.plain_text(*o), &side.plain_text(*n));
            let score = 0.7 * content_similarity(base, *o, side, *n) + 0.3 * title + if together { 0.1 } else { 0.0 };
            if score >= MIN_RENAMED && may_be_one(base, *o, side, *n) {
                scores.push((score, *o, *n));
            }
        }
    }
    scores.sort_by(|x, y| y.0.total_cmp(&x.0).then((x.1, x.2).cmp(&(y.1, y.2))));
    for (_, o, n) in scores {
        if links.are_unlinked(o, n) {
            links.link(o, n);
        }
    }
}
