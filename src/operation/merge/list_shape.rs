//! Finds list items that an edit turned into text of another block, or back: removing the first step below a line of
//! text makes a paragraph of all of them (CommonMark 5.2: only a list that starts with 1 may interrupt a paragraph).
//!
//! Never decides how such texts merge.

use std::collections::HashSet;

use super::tree::{MergeNodeKind, MergeTree};

/// Whether one side turned an item into other text, or other text into an item, that the other side changed or removed:
/// merged as two different things, it would come back.
pub fn would_come_back(trees: &[MergeTree; 3]) -> bool {
    let inner = trees.each_ref().map(inner_lines);
    if inner.iter().all(HashSet::is_empty) {
        return false;
    }
    let items = trees.each_ref().map(item_lines);
    let [base, ours, theirs] = [0, 1, 2].map(|text| ListLines { items: &items[text], inner: &inner[text] });
    base.loses_track(&ours, &theirs) || base.loses_track(&theirs, &ours)
}

/// The lines of a text that look like list items.
struct ListLines<'a> {
    /// The first lines of items.
    items: &'a HashSet<&'a str>,
    /// Lines within other blocks, and below the first line of an item.
    inner: &'a HashSet<&'a str>,
}

impl ListLines<'_> {
    /// Whether `other` has no longer what `side` turned into another kind of line.
    fn loses_track(&self, side: &ListLines, other: &ListLines) -> bool {
        let absorbed = side.inner.iter().filter(|line| self.items.contains(*line) && !side.items.contains(*line));
        let released = self.inner.iter().filter(|line| side.items.contains(*line) && !self.items.contains(*line));
        absorbed.chain(released).any(|line| !other.items.contains(line) && !other.inner.contains(line))
    }
}

fn item_lines(tree: &MergeTree) -> HashSet<&str> {
    let items = (1..tree.nodes.len()).filter(|node| tree.nodes[*node].kind == MergeNodeKind::Item);
    items.filter_map(|node| tree.own_text(node).lines().next()).map(str::trim).collect()
}

fn inner_lines(tree: &MergeTree) -> HashSet<&str> {
    let of_node = |node: usize| {
        let first = usize::from(tree.nodes[node].kind == MergeNodeKind::Item);
        tree.own_text(node).lines().skip(first).map(str::trim).filter(|line| looks_like_item(line))
    };
    (1..tree.nodes.len()).flat_map(of_node).collect()
}

fn looks_like_item(line: &str) -> bool {
    let rest = line.trim_start_matches(|c: char| c.is_ascii_digit());
    let markers: &[char] = if rest.len() < line.len() { &['.', ')'] } else { &['-', '*', '+'] };
    rest.strip_prefix(markers).is_some_and(|text| text.starts_with([' ', '\t']))
}
