//! Finds list items that an edit turned into text of another block, or back: removing the first step below a line of
//! text makes a paragraph of all of them (CommonMark 5.2: only a list that starts with 1 may interrupt a paragraph).
//!
//! Never decides how such texts merge.

use std::collections::HashSet;

use super::tree::{MergeNodeKind, MergeTree};

/// Whether `side` turned an item into other text, or other text into an item, that `other` changed or removed: merged
/// as two different things, it would come back.
pub fn would_come_back(base: &MergeTree, side: &MergeTree, other: &MergeTree) -> bool {
    let (was, is) = (ListLines::new(base), ListLines::new(side));
    let absorbed = was.items.iter().filter(|line| is.inner.contains(*line) && !is.items.contains(*line));
    let released = is.items.iter().filter(|line| was.inner.contains(*line) && !was.items.contains(*line));
    let mut turned = absorbed.chain(released).peekable();
    if turned.peek().is_none() {
        return false;
    }
    let there = ListLines::new(other);
    turned.any(|line| !there.items.contains(line) && !there.inner.contains(line))
}

/// The lines of a text that look like list items.
struct ListLines<'a> {
    /// The first lines of items.
    items: HashSet<&'a str>,
    /// Lines within other blocks, and below the first line of an item.
    inner: HashSet<&'a str>,
}

impl ListLines<'_> {
    fn new(tree: &MergeTree) -> ListLines<'_> {
        let (mut items, mut inner) = (HashSet::new(), HashSet::new());
        for (number, node) in tree.nodes.iter().enumerate().skip(1) {
            let mut lines = tree.own_text(number).lines();
            if node.kind == MergeNodeKind::Item {
                items.extend(lines.next().map(str::trim));
            }
            inner.extend(lines.map(str::trim).filter(|line| looks_like_item(line)));
        }
        ListLines { items, inner }
    }
}

fn looks_like_item(line: &str) -> bool {
    let rest = line.trim_start_matches(|c: char| c.is_ascii_digit());
    let markers: &[char] = if rest.len() < line.len() { &['.', ')'] } else { &['-', '*', '+'] };
    rest.strip_prefix(markers).is_some_and(|text| text.starts_with([' ', '\t']))
}
