//! Removes duplicates: a bullet that both sides added to one section independently is kept once.
//!
//! Never touches duplicates that one side has itself, nor a bullet with children.

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
        if one_side_has_both(tree_merge, out[before].element, out[at].element) {
            continue;
        }
        let new = |at: usize| tree_merge.elements.nodes[out[at].element][0].is_none();
        let (drop, keep) = if new(before) && !new(at) { (before, at) } else { (at, before) };
        if !blank_lines::is_leaf(tree_merge, out[drop].element) {
            continue;
        }
        let united =
            split_metadata(&out[drop]).zip(split_metadata(&out[keep])).and_then(|(d, k)| merge_duplicates(&d, &k));
        if let Some(text) = united {
            out[keep].hunks = vec![MergeHunk::Text(text)];
            gone.insert(drop);
            first.insert(key, keep);
        }
    }
    out.into_iter().enumerate().filter(|(at, _)| !gone.contains(at)).map(|(_, placed)| placed).collect()
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

fn one_side_has_both(tree_merge: &TreeMerge, x: usize, y: usize) -> bool {
    [1, 2].into_iter().any(|side| {
        let key = |element: usize| Some(tree_merge.trees[side].nodes[tree_merge.elements.nodes[element][side]?].key);
        matches!((key(x), key(y)), (Some(a), Some(b)) if a == b)
    })
}

/// The kept bullet's lines with the metadata of both; `None` if a key has two values.
fn merge_duplicates(drop: &DuplicateLines, keep: &DuplicateLines) -> Option<String> {
    let Some((_, blank, more)) = &drop.meta else { return Some(keep.lines.clone()) };
    let mut meta = keep.meta.as_ref().map(|(.., meta)| meta.clone()).unwrap_or_default();
    for (key, value) in &more.0 {
        match meta.raw(key) {
            None if value.is_empty() => meta.0.push((key.clone(), String::new())),
            None => meta.set(key, value),
            Some(known) if known == value => {}
            // The kept bullet's id and automatic metadata are enough.
            Some(_) if key == MetaKey::Id.name() || is_automatic(key) => {}
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
