//! Removes duplicates: a bullet that both sides added to one section independently is kept once.
//!
//! Never touches duplicates that one side has itself, nor a bullet with children; nor removes one with lines (further
//! paragraphs, code) that the other lacks.

use std::collections::{HashMap, HashSet};

use super::hunk::MergeHunk;
use super::merge_item::is_automatic;
use super::tree::{MergeNodeKind, MergeTree};
use super::tree_merge::{PlacedElement, TreeMerge};
use super::{blank_lines, merge_item};
use crate::document::{BulletMeta, MetaKey};

/// Removes the second of two bullets with the same text and parent, unless one side has both; its metadata is merged
/// into the first.
pub fn remove_duplicates(tree_merge: &TreeMerge, parents: &[usize], mut out: Vec<PlacedElement>) -> Vec<PlacedElement> {
    let mut first: HashMap<(usize, u64), usize> = HashMap::new();
    let mut gone: HashSet<usize> = HashSet::new();
    for at in 0..out.len() {
        let Some(key) = text_digest(tree_merge, &out[at]).map(|key| (parents[out[at].element], key)) else { continue };
        let Some(before) = first.get(&key).copied() else {
            first.insert(key, at);
            continue;
        };
        if one_side_has_both(tree_merge, [out[before].element, out[at].element]) {
            continue;
        }
        let Some((drop, keep)) = choose_duplicate(tree_merge, &out, before, at) else { continue };
        if !blank_lines::is_leaf(tree_merge, out[drop].element) {
            continue;
        }
        // The id of a bullet that the base has may be linked to; one that is new need not be kept.
        let is_new = |at: usize| tree_merge.elements.nodes[out[at].element][0].is_none();
        let needs_id = is_new(keep) && !is_new(drop);
        let united = split_metadata(&out[drop])
            .zip(split_metadata(&out[keep]))
            .and_then(|(d, k)| merge_duplicates(&d, &k, needs_id));
        if let Some(text) = united {
            out[keep].hunks = vec![MergeHunk::Text(text)];
            gone.insert(drop);
            first.insert(key, keep);
        }
    }
    out.into_iter().enumerate().filter(|(at, _)| !gone.contains(at)).map(|(_, placed)| placed).collect()
}

/// Which of two bullets is removed, and which is kept: the one with lines below its text, else the one that the base
/// has, else the first. `None` if those lines differ.
fn choose_duplicate(tree_merge: &TreeMerge, out: &[PlacedElement], before: usize, at: usize) -> Option<(usize, usize)> {
    let is_new = |at: usize| tree_merge.elements.nodes[out[at].element][0].is_none();
    let (drop, keep) = if is_new(before) && !is_new(at) { (before, at) } else { (at, before) };
    let lines = |at: usize| match &out[at].hunks[..] {
        [MergeHunk::Text(text)] => merge_item::lines_below_text(text),
        _ => None,
    };
    let (of_drop, of_keep) = (lines(drop)?, lines(keep)?);
    if of_drop.trim().is_empty() || of_drop.trim_end() == of_keep.trim_end() {
        Some((drop, keep))
    } else {
        of_keep.trim().is_empty().then_some((keep, drop))
    }
}

/// A digest of the text of a bullet without conflict.
fn text_digest(tree_merge: &TreeMerge, placed: &PlacedElement) -> Option<u64> {
    let [MergeHunk::Text(text)] = &placed.hunks[..] else { return None };
    if tree_merge.kind(placed.element) != MergeNodeKind::Item {
        return None;
    }
    // If no side changed the text, its digest is known and need not be computed again.
    let known =
        [0, 1, 2].map(|side| Some(tree_merge.trees[side].nodes[tree_merge.elements.nodes[placed.element][side]?].key));
    match known {
        [Some(base), Some(ours), Some(theirs)] if base == ours && base == theirs => Some(base),
        _ => Some(MergeTree::parse(&merge_item::without_indent(text)).nodes.get(1)?.key),
    }
}

/// The lines of a bullet without conflict.
struct DuplicateLines {
    lines: String,
    /// The metadata line: its 0-based line number, its indent, and the parsed metadata.
    meta: Option<(usize, String, BulletMeta)>,
}

fn split_metadata(placed: &PlacedElement) -> Option<DuplicateLines> {
    let [MergeHunk::Text(text)] = &placed.hunks[..] else { return None };
    let meta = text.lines().enumerate().skip(1).find_map(|(at, line)| {
        let blank = line[..line.len() - line.trim_start().len()].to_owned();
        Some((at, blank, BulletMeta::parse(line)?))
    });
    Some(DuplicateLines { lines: text.clone(), meta })
}

/// Whether a side has two bullets of the same text below the same parent.
fn one_side_has_both(tree_merge: &TreeMerge, elements: [usize; 2]) -> bool {
    [1, 2].into_iter().any(|side| {
        let tree = tree_merge.trees[side];
        let [one, other] = elements.map(|element| {
            let node = &tree.nodes[tree_merge.elements.nodes[element][side]?];
            Some((node.key, node.parent))
        });
        one.is_some() && one == other
    })
}

/// The kept bullet's lines with the metadata of both; `None` if a key has two values. Of two ids the kept bullet's is
/// enough, unless the other one is needed.
fn merge_duplicates(drop: &DuplicateLines, keep: &DuplicateLines, needs_id: bool) -> Option<String> {
    let Some((_, blank, more)) = &drop.meta else { return Some(keep.lines.clone()) };
    let mut meta = keep.meta.as_ref().map(|(.., meta)| meta.clone()).unwrap_or_default();
    for (key, value) in &more.0 {
        match meta.raw(key) {
            None if value.is_empty() => meta.0.push((key.clone(), String::new())),
            None => meta.set(key, value),
            Some(known) if known == value => {}
            // The kept bullet's automatic metadata are enough.
            Some(_) if key == MetaKey::Id.name() && !needs_id || is_automatic(key) => {}
            Some(_) => return None,
        }
    }
    let line = format!("{blank}{}\n", meta.to_comment());
    let lines: Vec<&str> = keep.lines.split_inclusive('\n').collect();
    match keep.meta.as_ref().map(|(at, ..)| *at) {
        Some(at) => Some([&lines[..at], &[&line], &lines[at + 1..]].concat().concat()),
        // Below a second paragraph, a code fence or HTML the line would no longer belong to the bullet.
        None if lines[1..].iter().any(|l| l.trim().is_empty() || l.trim_start().starts_with(['`', '~', '<'])) => None,
        None => Some(format!("{}{line}", keep.lines)),
    }
}
