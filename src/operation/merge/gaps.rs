//! The blank lines between the things of a merged text: as the sides have them, and where no side knows, as near by.
//!
//! Never changes a line that is not blank.

use super::join::{Join, Placed};
use super::part::{Part, pick};
use super::tree::{Tree, What};

/// How two neighbours lie next to each other.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Shape {
    Edge,
    Head,
    Item,
    Block,
}

/// Puts the blank lines between things, and the indents before their lines. The last blank lines come after all.
pub fn fill(join: &Join, placed: &[Placed]) -> Vec<Part> {
    let mut out = Vec::new();
    let mut before = 0;
    for Placed { thing, parts, indent } in placed {
        out.push(Part::Text(gap(join, before, Some(*thing))));
        let with = |text: &String| super::item::indented(text, indent);
        out.extend(parts.iter().map(|part| match part {
            Part::Text(text) => Part::Text(with(text)),
            Part::Clash { base, ours, theirs } => {
                Part::Clash { base: with(base), ours: with(ours), theirs: with(theirs) }
            }
        }));
        before = *thing;
    }
    out.push(Part::Text(gap(join, before, None)));
    out
}

/// Whether nothing belongs to a thing in any of the texts.
pub fn is_leaf(join: &Join, thing: usize) -> bool {
    (0..3).all(|side| {
        join.things.atoms[thing][side].is_none_or(|atom| {
            let atom = &join.trees[side].atoms[atom];
            atom.kids.is_empty() && atom.subs.is_empty()
        })
    })
}

/// The gap before a thing that follows another; `None` is the end of the text, thing 0 its start.
fn gap(join: &Join, before: usize, thing: Option<usize>) -> String {
    let here = |side: usize| {
        let (at, gap) = known(join, side, thing)?;
        (join.things.of[side][at - 1] as usize == before).then_some(gap)
    };
    match (here(0), here(1), here(2)) {
        (base, Some(a), Some(b)) => pick(base, a, b).unwrap_or_else(|| longer(a, b)).to_owned(),
        (_, Some(a), None) => a.to_owned(),
        (_, None, Some(b)) => b.to_owned(),
        (Some(o), None, None) => o.to_owned(),
        (None, None, None) => near_by(join, before, thing),
    }
}

fn longer<'a>(a: &'a str, b: &'a str) -> &'a str {
    if (a.len(), a) >= (b.len(), b) { a } else { b }
}

/// Where a thing stands on a side (the end behind the last atom), and the blank lines before it.
fn known<'a>(join: &'a Join, side: usize, thing: Option<usize>) -> Option<(usize, &'a str)> {
    let tree = join.trees[side];
    match thing {
        None => Some((tree.atoms.len(), &tree.text()[tree.tail.clone()])),
        Some(thing) => {
            let atom = join.things.atoms[thing][side]?;
            Some((atom, &tree.text()[tree.atoms[atom].gap.clone()]))
        }
    }
}

/// No text has these neighbours: as the thing lies below something alike, as something alike follows, or as is usual.
fn near_by(join: &Join, before: usize, thing: Option<usize>) -> String {
    let (above, below) = (shape_of(join, before), thing.map_or(Shape::Edge, |t| shape_of(join, t)));
    let leads = [1, 2].into_iter().filter_map(|side| {
        let (at, gap) = known(join, side, thing)?;
        (shape(join.trees[side], at - 1) == above).then_some(gap)
    });
    if let Some(gap) = leads.reduce(longer) {
        return gap.to_owned();
    }
    let trails = [1, 2].into_iter().filter_map(|side| {
        let (tree, atom) = (join.trees[side], join.things.atoms[before][side]?);
        let next = tree.atoms.get(atom + 1)?;
        (shape(tree, atom + 1) == below).then(|| &tree.text()[next.gap.clone()])
    });
    if let Some(gap) = trails.reduce(longer) {
        return gap.to_owned();
    }
    match (above, below) {
        (Shape::Edge, _) | (_, Shape::Edge) | (Shape::Item, Shape::Item) => String::new(),
        _ => "\n".to_owned(),
    }
}

fn shape_of(join: &Join, thing: usize) -> Shape {
    let side = (1..3).chain([0]).find(|s| join.things.atoms[thing][*s].is_some()).unwrap_or(0);
    shape(join.trees[side], join.things.atoms[thing][side].unwrap_or(0))
}

fn shape(tree: &Tree, atom: usize) -> Shape {
    match tree.atoms[atom].what {
        What::Root => Shape::Edge,
        What::Section => Shape::Head,
        What::Item => Shape::Item,
        What::Summary | What::Block => Shape::Block,
    }
}
