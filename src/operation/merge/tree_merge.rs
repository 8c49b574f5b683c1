//! Merges three trees into one list of hunks: which elements stay, below which parent, in which order, with which text.
//!
//! Never compares texts for similarity: the nodes are already matched. Returns `None` if the result would not parse
//! back into the merged tree.

use std::cmp::Ordering;
use std::collections::HashSet;

use super::hunk::{self, MergeHunk, MergeSide, pick_changed};
use super::node_matching::MergeElements;
use super::tree::{MergeNode, MergeNodeKind, MergeTree};
use super::{duplicates, line_merge, merge_item, order, section_matching};
use crate::document::{BlockKind, summary};

const BASE: usize = 0;
const OURS: usize = 1;
const THEIRS: usize = 2;

/// Three trees and the elements that match their nodes.
pub struct TreeMerge<'a> {
    /// The trees of the base, our side and their side, in this order.
    pub trees: [&'a MergeTree; 3],
    pub elements: &'a MergeElements,
    /// Whether memdir derives this summary term from one of the texts.
    pub is_derived_term: &'a dyn Fn(&str) -> bool,
}

/// What the merge does with an element.
#[derive(Clone, Debug, PartialEq)]
pub enum ElementOutcome {
    /// Not in the result: a side deleted it, and the other one did not change it.
    Deleted,
    /// Kept; its children are decided separately.
    Kept(Vec<MergeHunk>),
    /// One side deleted it and the other changed it: a conflict that includes its children.
    Conflict(MergeHunk),
}

/// An element of the merged text, in file order.
pub struct PlacedElement {
    pub element: usize,
    /// Its own lines, without indent.
    pub hunks: Vec<MergeHunk>,
    /// The indent of each of its lines.
    pub indent: String,
}

/// Merges the trees; `None` if an element of both sides has no place: they moved sections into each other (a cycle), or
/// each deleted the other one's parent.
pub fn merge_trees(tree_merge: &TreeMerge) -> Option<Vec<PlacedElement>> {
    let mut outcomes: Vec<ElementOutcome> =
        (0..tree_merge.elements.nodes.len()).map(|element| tree_merge.outcome(element)).collect();
    let mut parents: Vec<usize> = (0..outcomes.len()).map(|thing| tree_merge.merged_parent(thing)).collect();
    tree_merge.leave_deleted_items(&outcomes, &mut parents);
    tree_merge.keep_needed_headings(&mut outcomes, &parents);
    let mut out = Vec::new();
    let mut seen = HashSet::new();
    tree_merge.place(0, &outcomes, &parents, "", &mut out, &mut seen);
    tree_merge.omit_placed_nodes(&outcomes, &mut out);
    let hidden = |thing: usize| {
        // What both sides have is nowhere in a text that one of them deleted.
        if tree_merge.is_on_both_sides(thing) {
            return false;
        }
        let mut at = thing;
        // A chain of parents is never longer than the number of elements: this ends even in a cycle.
        for _ in 0..outcomes.len() {
            if at != thing && matches!(outcomes[at], ElementOutcome::Conflict(_))
                || outcomes[at] == ElementOutcome::Deleted
            {
                return true;
            }
            if at == 0 {
                return false;
            }
            at = parents[at];
        }
        false
    };
    let complete =
        (1..outcomes.len()).all(|t| outcomes[t] == ElementOutcome::Deleted || seen.contains(&t) || hidden(t));
    complete.then(|| duplicates::remove_duplicates(tree_merge, &parents, out))
}

impl TreeMerge<'_> {
    fn nodes(&self, element: usize) -> [Option<usize>; 3] {
        self.elements.nodes[element]
    }

    pub fn kind(&self, element: usize) -> MergeNodeKind {
        let (tree, node) = self.any_node(element);
        tree.nodes[node].kind
    }

    /// A tree and node that has the element: ours, else theirs, else base.
    fn any_node(&self, element: usize) -> (&MergeTree, usize) {
        let nodes = self.nodes(element);
        let side = [OURS, THEIRS, BASE].into_iter().find(|s| nodes[*s].is_some()).unwrap_or(BASE);
        (self.trees[side], nodes[side].unwrap_or(0))
    }

    fn outcome(&self, element: usize) -> ElementOutcome {
        let lines = |side: usize, node: usize| merge_item::own_lines(self.trees[side], node);
        match self.nodes(element) {
            [_, None, None] => ElementOutcome::Deleted,
            [None, Some(a), None] => ElementOutcome::Kept(vec![MergeHunk::Text(lines(OURS, a))]),
            [None, None, Some(b)] => ElementOutcome::Kept(vec![MergeHunk::Text(lines(THEIRS, b))]),
            [base, Some(a), Some(b)] => ElementOutcome::Kept(self.merge_both(base, a, b)),
            [Some(o), Some(a), None] => self.outcome_if_deleted(o, OURS, a),
            [Some(o), None, Some(b)] => self.outcome_if_deleted(o, THEIRS, b),
        }
    }

    /// Merges the own lines of an element that both sides kept.
    fn merge_both(&self, base: Option<usize>, ours: usize, theirs: usize) -> Vec<MergeHunk> {
        let [o, a, b] = self.trees;
        let our_lines = merge_item::own_lines(a, ours);
        let their_lines = merge_item::own_lines(b, theirs);
        let was = base.map(|node| merge_item::own_lines(o, node));
        if let Some(text) = pick_changed(was.as_ref(), &our_lines, &their_lines) {
            return vec![MergeHunk::Text(text.clone())];
        }
        match a.nodes[ours].kind {
            MergeNodeKind::Item => merge_item::merge(base.map(|node| (o, node)), (a, ours), (b, theirs)),
            MergeNodeKind::Section => vec![merge_heading(was.as_deref(), &our_lines, &their_lines)],
            MergeNodeKind::Summary => vec![self.merge_summary(was.as_deref().unwrap_or(""), &our_lines, &their_lines)],
            _ if base.is_none() && may_differ_in_blanks(a, ours, &our_lines, &their_lines) => {
                vec![MergeHunk::Text(our_lines.min(their_lines))]
            }
            _ => line_merge::merge_lines(was.as_deref().unwrap_or(""), &our_lines, &their_lines),
        }
    }

    fn merge_summary(&self, base: &str, ours: &str, theirs: &str) -> MergeHunk {
        let value = |line: &str| line.split_once("Summary:").map_or("", |(_, v)| v).trim().to_owned();
        match summary::merge_summaries(&value(base), &value(ours), &value(theirs), self.is_derived_term) {
            Some(value) => MergeHunk::Text(format!("> Summary: {value}\n")),
            None => MergeHunk::Conflict { base: base.to_owned(), ours: ours.to_owned(), theirs: theirs.to_owned() },
        }
    }

    /// Decides on an element that one side deleted and the other still has.
    fn outcome_if_deleted(&self, base: usize, side: usize, node: usize) -> ElementOutcome {
        let (o, x) = (self.trees[BASE], self.trees[side]);
        let kind = x.nodes[node].kind;
        let changed = match kind {
            MergeNodeKind::Section => o.own_text(base).trim() != x.own_text(node).trim(),
            _ => self.is_touched(side, node),
        };
        if kind == MergeNodeKind::Summary && changed {
            return ElementOutcome::Kept(vec![MergeHunk::Text(merge_item::own_lines(x, node))]);
        }
        if !changed {
            return ElementOutcome::Deleted;
        }
        let text = |tree: &MergeTree, node: usize| match kind {
            MergeNodeKind::Section => merge_item::own_lines(tree, node),
            _ => merge_item::subtree_lines(tree, node, &|_| false),
        };
        let (base, kept) = (text(o, base), text(x, node));
        let (ours, theirs) = if side == OURS { (kept, String::new()) } else { (String::new(), kept) };
        let conflict = MergeHunk::Conflict { base, ours, theirs };
        if kind == MergeNodeKind::Section {
            ElementOutcome::Kept(vec![conflict])
        } else {
            ElementOutcome::Conflict(conflict)
        }
    }

    /// Whether a side changed an element, moved it to another section, or changed its children.
    fn is_touched(&self, side: usize, node: usize) -> bool {
        let (o, x) = (self.trees[BASE], self.trees[side]);
        let element = self.elements.element_of[side][node] as usize;
        let Some(base) = self.nodes(element)[BASE] else { return true };
        let around = |side: usize, tree: &MergeTree, node: usize| {
            let MergeNode { section, parent, .. } = &tree.nodes[node];
            [self.elements.element_of[side][*section], self.elements.element_of[side][*parent]]
        };
        let (was, is) = (around(BASE, o, base), around(side, x, node));
        // A node that moved together with its parent was not moved itself.
        merge_item::is_changed((o, base), (x, node))
            || (was[0] != is[0] && was[1] != is[1])
            || x.nodes[node].children.iter().any(|kid| self.is_touched(side, *kid))
    }

    /// The parent of an element: the one chosen by the side that moved it.
    fn merged_parent(&self, element: usize) -> usize {
        let nodes = self.nodes(element);
        let of = |side: usize| {
            let node = nodes[side]?;
            Some(self.elements.element_of[side][self.trees[side].nodes[node].parent] as usize)
        };
        match (of(BASE), of(OURS), of(THEIRS)) {
            (base, Some(a), Some(b)) => pick_changed(base, a, b).unwrap_or_else(|| {
                let title = |thing: usize| self.any_node(thing).0.plain_text(self.any_node(thing).1);
                if (title(a), a) <= (title(b), b) { a } else { b }
            }),
            (base, ours, theirs) => ours.or(theirs).or(base).unwrap_or(0),
        }
    }

    /// Leaves out of the conflicts about deleted elements what the other side took out of them and is placed elsewhere:
    /// else it would stand twice once the conflict is resolved to the side that kept the element.
    fn omit_placed_nodes(&self, outcomes: &[ElementOutcome], out: &mut [PlacedElement]) {
        if !outcomes.iter().any(|outcome| matches!(outcome, ElementOutcome::Conflict(_))) {
            return;
        }
        let placed: HashSet<usize> = out.iter().map(|placed| placed.element).collect();
        let lines = |element: usize, side: usize| {
            let Some(node) = self.nodes(element)[side] else { return String::new() };
            let element_of = |node: usize| self.elements.element_of[side][node] as usize;
            let is_elsewhere = |below: usize| {
                let subtree = self.trees[side].subtree(below);
                // A conflict that is placed elsewhere shows what is below it, too.
                let in_conflict: HashSet<usize> = subtree
                    .iter()
                    .filter(|at| matches!(outcomes[element_of(**at)], ElementOutcome::Conflict(_)))
                    .filter(|at| placed.contains(&element_of(**at)))
                    .flat_map(|at| self.trees[side].subtree(*at))
                    .collect();
                let is_needless = |at: &usize| {
                    let element = element_of(*at);
                    in_conflict.contains(at)
                        || placed.contains(&element)
                        || outcomes[element] == ElementOutcome::Deleted
                };
                placed.contains(&element_of(below)) && subtree.iter().all(is_needless)
            };
            merge_item::subtree_lines(self.trees[side], node, &is_elsewhere)
        };
        for PlacedElement { element, hunks, .. } in out {
            if matches!(outcomes[*element], ElementOutcome::Conflict(_)) {
                let [base, ours, theirs] = [BASE, OURS, THEIRS].map(|side| lines(*element, side));
                *hunks = vec![MergeHunk::Conflict { base, ours, theirs }];
            }
        }
    }

    fn is_on_both_sides(&self, element: usize) -> bool {
        let [_, ours, theirs] = self.nodes(element);
        ours.is_some() && theirs.is_some()
    }

    /// Gives an element that one side put below an item, which the other side deleted, the parent that it has on that
    /// other side: neither side deleted the element.
    fn leave_deleted_items(&self, outcomes: &[ElementOutcome], parents: &mut [usize]) {
        let is_gone = |at: usize| {
            let is_kept = matches!(outcomes[at], ElementOutcome::Kept(_));
            at != 0 && self.kind(at) == MergeNodeKind::Item && !is_kept
        };
        if !(1..outcomes.len()).any(is_gone) {
            return;
        }
        // The items around an element, itself first. A chain of parents is never longer than the number of elements.
        let chain = |at: usize, parents: &[usize]| {
            let mut at = Some(at).filter(|at| *at != 0);
            let mut around = Vec::new();
            while let Some(item) = at.filter(|_| around.len() < outcomes.len()) {
                around.push(item);
                at = Some(parents[item]).filter(|at| *at != 0);
            }
            around
        };
        let is_below_gone = |at: usize, parents: &[usize]| chain(at, parents).into_iter().any(is_gone);
        // From the top down: what stands below an element that stays needs no other parent.
        let mut elements: Vec<usize> = (1..outcomes.len()).filter(|element| self.is_on_both_sides(*element)).collect();
        elements.sort_by_key(|element| chain(*element, parents).len());
        for element in elements {
            if !is_below_gone(parents[element], parents) {
                continue;
            }
            let parent_on = |side: usize| {
                let node = self.nodes(element)[side]?;
                Some(self.elements.element_of[side][self.trees[side].nodes[node].parent] as usize)
            };
            let mut others = [THEIRS, OURS].into_iter().filter_map(parent_on);
            if let Some(other) = others.find(|at| !is_below_gone(*at, parents)) {
                parents[element] = other;
            }
        }
    }

    /// Keeps a deleted heading as long as something below it is kept.
    fn keep_needed_headings(&self, outcomes: &mut [ElementOutcome], parents: &[usize]) {
        for element in 1..outcomes.len() {
            if outcomes[element] == ElementOutcome::Deleted {
                continue;
            }
            let mut at = parents[element];
            for _ in 0..outcomes.len() {
                if at == 0 || self.kind(at) != MergeNodeKind::Section || outcomes[at] != ElementOutcome::Deleted {
                    break;
                }
                let (tree, node) = self.any_node(at);
                outcomes[at] = ElementOutcome::Kept(vec![MergeHunk::Text(merge_item::own_lines(tree, node))]);
                at = parents[at];
            }
        }
    }

    /// Adds an element and its children to `out`; `content_indent` is the indent of the enclosing item's text.
    fn place(
        &self,
        element: usize,
        outcomes: &[ElementOutcome],
        parents: &[usize],
        content_indent: &str,
        out: &mut Vec<PlacedElement>,
        seen: &mut HashSet<usize>,
    ) {
        if !seen.insert(element) {
            return;
        }
        let indent = if element == 0 { String::new() } else { self.indent(element, parents[element], content_indent) };
        let below_it = match &outcomes[element] {
            ElementOutcome::Kept(parts) if self.kind(element) == MergeNodeKind::Item => {
                indent.clone() + &" ".repeat(merge_item::marker_width(&hunk::text_on(parts, MergeSide::Ours)))
            }
            _ => String::new(),
        };
        match &outcomes[element] {
            ElementOutcome::Deleted if element != 0 => return,
            ElementOutcome::Conflict(part) => {
                return out.push(PlacedElement { element, hunks: vec![part.clone()], indent });
            }
            ElementOutcome::Kept(parts) if element != 0 => {
                out.push(PlacedElement { element, hunks: parts.clone(), indent })
            }
            _ => {}
        }
        for subsections in [false, true] {
            for below in self.merged_children(element, subsections) {
                if parents[below] == element && (self.kind(below) == MergeNodeKind::Section) == subsections {
                    self.place(below, outcomes, parents, &below_it, out, seen);
                }
            }
        }
    }

    /// The children of an element in all three texts, in merged order: its subsections, or its items and blocks.
    fn merged_children(&self, element: usize, subsections: bool) -> Vec<usize> {
        let [o, a, b] = [BASE, OURS, THEIRS].map(|side| {
            let Some(node) = self.nodes(element)[side] else { return Vec::new() };
            let node = &self.trees[side].nodes[node];
            let row = if subsections { &node.subsections } else { &node.children };
            row.iter().map(|below| self.elements.element_of[side][*below]).collect::<Vec<u32>>()
        });
        if o.is_empty() && a.is_empty() && b.is_empty() {
            return Vec::new();
        }
        let descending = subsections && self.is_newest_first(&o, &a, &b);
        let compare = |x: u32, y: u32| self.compare(x as usize, y as usize, descending);
        let mut order: Vec<usize> = order::merge_orders(&o, &a, &b, &compare).into_iter().map(|t| t as usize).collect();
        // Below an item the line would be no summary line any more.
        let is_kind = |kind: MergeNodeKind| move |element: &usize| self.kind(*element) == kind;
        if let Some(line) = order.iter().position(is_kind(MergeNodeKind::Summary))
            && let Some(item) = order[..line].iter().position(is_kind(MergeNodeKind::Item))
        {
            order[item..=line].rotate_right(1);
        }
        order
    }

    /// Whether the entries of an episode file are sorted newest first.
    fn is_newest_first(&self, rows: &[u32], ours: &[u32], theirs: &[u32]) -> bool {
        let dates = |row: &[u32]| -> Vec<String> { row.iter().filter_map(|t| self.entry_date(*t as usize)).collect() };
        let all = [dates(rows), dates(ours), dates(theirs)];
        all.iter().any(|d| d.len() > 1 && d.first() > d.last())
    }

    /// An entry's date: the earliest in any of the texts, so that the result does not depend on the side.
    fn entry_date(&self, element: usize) -> Option<String> {
        self.versions(element).filter_map(|(tree, node)| section_matching::entry_date(tree, node)).min()
    }

    fn versions(&self, element: usize) -> impl Iterator<Item = (&MergeTree, usize)> {
        let nodes = self.nodes(element);
        self.trees.into_iter().zip(nodes).filter_map(|(tree, node)| Some((tree, node?)))
    }

    /// Order of two elements that both sides added at the same position: the summary line, which is none below another
    /// element, then by date, then by text.
    fn compare(&self, x: usize, y: usize, descending: bool) -> Ordering {
        let is_below_summary = |element: usize| self.kind(element) != MergeNodeKind::Summary;
        let summaries = is_below_summary(x).cmp(&is_below_summary(y));
        let dates = self.entry_date(x).cmp(&self.entry_date(y));
        let dates = if descending { dates.reverse() } else { dates };
        let words = |element: usize| self.versions(element).map(|(tree, node)| tree.subtree_text(node).trim()).min();
        summaries.then(dates).then_with(|| words(x).cmp(&words(y)))
    }

    /// The indent of an element: as in the text that has it at this place. If all texts have it directly below its
    /// item's text, and that text moves to another column, it moves along.
    fn indent(&self, element: usize, parent: usize, content_indent: &str) -> String {
        let nodes = self.nodes(element);
        let there = |side: usize| {
            let (tree, node) = (self.trees[side], nodes[side]?);
            let above = tree.nodes[node].parent;
            (self.elements.element_of[side][above] as usize == parent).then_some((tree, node, above))
        };
        let column = |tree: &MergeTree, above: usize| {
            tree.indent(above).len() + merge_item::marker_width(tree.own_text(above).trim_start())
        };
        let sides = || [OURS, THEIRS].into_iter().filter_map(there);
        if self.kind(parent) == MergeNodeKind::Item
            && sides().all(|(tree, node, above)| tree.indent(node).len() == column(tree, above))
            && !sides().all(|(tree, _, above)| content_indent.len() == column(tree, above))
        {
            return content_indent.to_owned();
        }
        let blanks = |side: usize| there(side).map(|(tree, node, _)| tree.indent(node).to_owned());
        match (blanks(BASE), blanks(OURS), blanks(THEIRS)) {
            (base, Some(a), Some(b)) => pick_changed(base, a.clone(), b.clone()).unwrap_or_else(|| a.min(b)),
            (base, ours, theirs) => ours.or(theirs).or(base).unwrap_or_default(),
        }
    }
}

/// Whether two blocks with the same words say the same: anywhere else than in a paragraph (in code, above all), only
/// blanks at the ends of lines mean nothing.
fn may_differ_in_blanks(tree: &MergeTree, node: usize, ours: &str, theirs: &str) -> bool {
    let start = tree.nodes[node].own.start;
    let blocks = tree.document.blocks();
    let block = blocks.binary_search_by_key(&start, |block| block.span.range().start);
    block.is_ok_and(|at| blocks[at].kind == BlockKind::Paragraph)
        || ours.lines().map(str::trim_end).eq(theirs.lines().map(str::trim_end))
}

/// Merges a heading; level and title are merged separately.
fn merge_heading(base: Option<&str>, ours: &str, theirs: &str) -> MergeHunk {
    let split = |line: &str| {
        let hashes = line.bytes().take_while(|b| *b == b'#').count();
        (line[..hashes].to_owned(), line[hashes..].to_owned())
    };
    if ours.split_whitespace().eq(theirs.split_whitespace()) {
        return MergeHunk::Text(ours.min(theirs).to_owned());
    }
    let atx = [ours, theirs].into_iter().chain(base).all(|l| l.starts_with('#'));
    let (a, b) = (split(ours), split(theirs));
    if atx
        && let Some((level, title)) = base.map(split)
        && let (Some(level), Some(title)) = (pick_changed(Some(level), a.0, b.0), pick_changed(Some(title), a.1, b.1))
    {
        return MergeHunk::Text(format!("{level}{title}"));
    }
    MergeHunk::Conflict { base: base.unwrap_or_default().to_owned(), ours: ours.to_owned(), theirs: theirs.to_owned() }
}
