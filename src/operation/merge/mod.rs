//! Three-way merge of Markdown texts, for the merge driver, undo, `edit` and edits made outside memdir
//! (ARCHITECTURE.md, "Merging").
//!
//! Works on texts only. Never guesses: if both sides changed the same element differently, it reports a conflict.
//!
//! In reading order: `tree` parses a text into nodes; `node_matching`, `section_matching`, `similarity_match` and
//! `position_match` match the nodes of the three texts; `list_shape` finds those that cannot be matched; `tree_merge`
//! decides what stays and where, `order` in which order, `merge_item`, `front_matter` and `line_merge` with which text;
//! `duplicates` removes a bullet that both sides added; `blank_lines` sets the spacing; `hunk` and `conflict_markers`
//! print the result.

mod blank_lines;
pub mod conflict_markers;
mod contained;
mod duplicates;
mod front_matter;
mod hunk;
mod line_endings;
mod line_merge;
mod list_shape;
mod merge_item;
mod node_matching;
mod order;
mod position_match;
mod section_matching;
mod similarity_match;
mod tree;
mod tree_merge;

use std::cell::OnceCell;
use std::collections::HashSet;

use hunk::MergeHunk;
use line_endings::NormalizedText;
use tree::MergeTree;
use tree_merge::TreeMerge;

use crate::document::memory_index;
use crate::document::summary::{self, FileKind};

/// How a conflict is printed: a label for each side, and the length of the markers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ConflictLabels<'a> {
    /// The label after `|||||||`.
    pub base: &'a str,
    /// The label after `<<<<<<<`.
    pub ours: &'a str,
    /// The label after `>>>>>>>`.
    pub theirs: &'a str,
    /// Length of a marker in characters; git's default is 7.
    pub size: usize,
}

impl Default for ConflictLabels<'_> {
    fn default() -> Self {
        ConflictLabels { base: "base", ours: "ours", theirs: "theirs", size: 7 }
    }
}

/// A conflict: both sides changed the same element differently.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MergeConflict {
    /// The line of its first marker in the merged text, 1-based.
    pub line: usize,
    /// The text in the base, with line endings; empty if the element is new.
    pub base: String,
    /// The text on our side; empty if deleted.
    pub ours: String,
    /// The text on their side; empty if deleted.
    pub theirs: String,
}

/// The result of a merge.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MergeOutcome {
    /// The merged text, with diff3 markers around each conflict.
    pub text: String,
    /// The conflicts, in file order.
    pub conflicts: Vec<MergeConflict>,
}

impl MergeOutcome {
    /// The text of a merge without conflicts.
    ///
    /// # Errors
    /// The conflicts.
    pub fn into_clean_text(self) -> Result<String, Vec<MergeConflict>> {
        if self.conflicts.is_empty() { Ok(self.text) } else { Err(self.conflicts) }
    }
}

/// Merges two descendants of a text by structure: sections, bullets, metadata and front matter keys.
///
/// Falls back to a merge by lines, as git does it, if a side contains conflict markers or the result would parse into
/// another structure.
pub fn merge(base: &str, ours: &str, theirs: &str, labels: &ConflictLabels) -> MergeOutcome {
    let whole = |text: &str| MergeOutcome { text: text.to_owned(), conflicts: Vec::new() };
    if base == theirs || ours == theirs {
        return whole(ours);
    }
    if base == ours {
        return whole(theirs);
    }
    // What contains the changes of the other side is the result: merging the result of a merge again changes nothing.
    match contained::which_contains(base, ours, theirs) {
        [true, false] => return whole(ours),
        [false, true] => return whole(theirs),
        [true, true] | [false, false] => {}
    }
    let hunks = merge_by_structure(base, ours, theirs).unwrap_or_else(|| line_merge::merge_lines(base, ours, theirs));
    hunk::print_hunks(&hunks, labels)
}

/// Merges a file of which the path is known: two edits of one line of an agent's index are no conflict, because those
/// lines are derived.
pub fn merge_file(path: &str, base: &str, ours: &str, theirs: &str, labels: &ConflictLabels) -> MergeOutcome {
    let merged = merge(base, ours, theirs, labels);
    if merged.conflicts.is_empty() || path.rsplit('/').next() != Some(memory_index::INDEX_FILE) {
        return merged;
    }
    let (our_text, their_text) = memory_index::without_line_conflicts(base, ours, theirs);
    if (our_text.as_str(), their_text.as_str()) == (ours, theirs) {
        return merged;
    }
    merge(base, &our_text, &their_text, labels)
}

fn merge_by_structure(base: &str, ours: &str, theirs: &str) -> Option<Vec<MergeHunk>> {
    let base = conflict_markers::without_conflicts(base);
    let texts = line_endings::normalize([&base, ours, theirs]);
    let [base, ours, theirs] = &texts;
    if texts.iter().any(|t| merge_item::has_placeholder(&t.text)) {
        return None;
    }
    let trees = [MergeTree::parse(&base.text), MergeTree::parse(&ours.text), MergeTree::parse(&theirs.text)];
    if trees[1..].iter().any(|side| side.document.conflict_marker_line().is_some()) {
        return None;
    }
    if list_shape::would_come_back(&trees) {
        return None;
    }
    let elements = node_matching::match_nodes(&trees[0], &trees[1], &trees[2]);
    let derived_terms: OnceCell<HashSet<String>> = OnceCell::new();
    let is_derived_term =
        |term: &str| derived_terms.get_or_init(|| summary_terms(&trees)).contains(&term.to_lowercase());
    let tree_merge =
        TreeMerge { trees: [&trees[0], &trees[1], &trees[2]], elements: &elements, is_derived_term: &is_derived_term };
    let placed = tree_merge::merge_trees(&tree_merge)?;
    let fronts = trees.each_ref().map(|t| t.document.front_matter().map_or("", |f| &t.text()[f.range()]));
    let mut hunks = front_matter::merge(fronts[0], fronts[1], fronts[2], &is_derived_term);
    hunks.extend(blank_lines::insert_blank_lines(&tree_merge, &placed));
    if !parses_back(&hunks, &tree_merge, &placed) {
        return None;
    }
    let merged_flag =
        |of: fn(&NormalizedText) -> bool| hunk::pick_changed(Some(of(base)), of(ours), of(theirs)).unwrap_or(of(ours));
    line_endings::restore(
        &mut hunks,
        merged_flag(|e| e.has_bom),
        merged_flag(|e| e.crlf),
        merged_flag(|e| e.no_final_newline),
    );
    Some(hunks)
}

/// All summary terms that memdir derives from any of the texts.
fn summary_terms(trees: &[MergeTree; 3]) -> HashSet<String> {
    let of = |tree: &MergeTree| {
        [FileKind::Facts, FileKind::Episodes].map(|kind| summary::summary_terms(&tree.document, kind))
    };
    trees.iter().flat_map(of).flatten().collect()
}

/// Whether the merged text parses back into the merged elements.
fn parses_back(hunks: &[MergeHunk], tree_merge: &TreeMerge, placed: &[tree_merge::PlacedElement]) -> bool {
    let clean = !hunks.iter().any(|p| matches!(p, MergeHunk::Conflict { .. }));
    let sides: &[hunk::MergeSide] =
        if clean { &[hunk::MergeSide::Ours] } else { &[hunk::MergeSide::Ours, hunk::MergeSide::Theirs] };
    sides.iter().all(|side| parses_back_on(*side, hunks, tree_merge, placed))
}

fn parses_back_on(
    side: hunk::MergeSide,
    hunks: &[MergeHunk],
    tree_merge: &TreeMerge,
    placed: &[tree_merge::PlacedElement],
) -> bool {
    let same = |a: &str, b: &str| a == b || a.split_whitespace().eq(b.split_whitespace());
    let tree = MergeTree::parse(&hunk::text_on(hunks, side));
    let mut at = 1;
    for placed in placed {
        let text = merge_item::without_indent(&hunk::text_on(&placed.hunks, side));
        match placed.hunks[..] {
            [MergeHunk::Text(_)] => {
                let there = tree.nodes.get(at).is_some_and(|found| found.kind == tree_merge.kind(placed.element));
                if !there || !same(tree.own_text(at), &text) {
                    return false;
                }
                at += 1;
            }
            _ => at += MergeTree::parse(&text).nodes.len() - 1,
        }
    }
    at == tree.nodes.len()
}

#[cfg(test)]
mod regression_tests;
#[cfg(test)]
mod tests;
