//! Three texts in, one out: the merge driver, undo, `edit` and outside edits meet here (DESIGN 8).
//!
//! Pure, on texts alone. Never guesses: where both sides said something different about one thing, it says so.

mod alike;
mod envelope;
mod front;
mod gaps;
mod item;
mod join;
pub mod markers;
mod once;
mod order;
mod pair;
mod part;
mod prose;
mod sections;
mod tree;

use std::cell::OnceCell;
use std::collections::HashSet;

use envelope::Envelope;
use join::Join;
use part::Part;
use tree::Tree;

use crate::document::summary::{self, Genre};

/// How a conflict is written into a text: git's names for the sides, and the length of its markers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Labels<'a> {
    /// What stands behind `|||||||`.
    pub base: &'a str,
    /// What stands behind `<<<<<<<`.
    pub ours: &'a str,
    /// What stands behind `>>>>>>>`.
    pub theirs: &'a str,
    /// Characters a marker is long; git's default is 7.
    pub size: usize,
}

impl Default for Labels<'_> {
    fn default() -> Self {
        Labels { base: "base", ours: "ours", theirs: "theirs", size: 7 }
    }
}

/// One thing about which both sides said something different.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Clash {
    /// The line of its first marker in the merged text, from 1.
    pub line: usize,
    /// What stood there, with its line ends; empty where nothing did.
    pub base: String,
    /// What our side has instead; empty where it took it out.
    pub ours: String,
    /// What their side has instead.
    pub theirs: String,
}

/// What came of a merge.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Merged {
    /// The text; with markers (diff3) around each clash.
    pub text: String,
    /// What a person must decide, in file order.
    pub clashes: Vec<Clash>,
}

impl Merged {
    /// The text of a merge without clashes.
    ///
    /// # Errors
    /// The clashes.
    pub fn clean(self) -> Result<String, Vec<Clash>> {
        if self.clashes.is_empty() { Ok(self.text) } else { Err(self.clashes) }
    }
}

/// Merges two descendants of a text, by structure: sections, bullets, metadata and front matter by key.
///
/// What cannot be understood (a side with conflict markers, a result that would be read as something else) is merged by
/// lines, as git would.
pub fn merge(base: &str, ours: &str, theirs: &str, labels: &Labels) -> Merged {
    let whole = |text: &str| Merged { text: text.to_owned(), clashes: Vec::new() };
    if base == theirs || ours == theirs {
        return whole(ours);
    }
    if base == ours {
        return whole(theirs);
    }
    let parts = structural(base, ours, theirs).unwrap_or_else(|| prose::merge(base, ours, theirs));
    part::print(&parts, labels)
}

fn structural(base: &str, ours: &str, theirs: &str) -> Option<Vec<Part>> {
    let base = markers::without(base);
    let texts = envelope::open([&base, ours, theirs]);
    let [o, a, b] = &texts;
    let trees = [Tree::of(&o.text), Tree::of(&a.text), Tree::of(&b.text)];
    if trees[1..].iter().any(|side| side.document.conflict_marker().is_some()) {
        return None;
    }
    let things = pair::things(&trees[0], &trees[1], &trees[2]);
    let offered: OnceCell<HashSet<String>> = OnceCell::new();
    let derived = |term: &str| offered.get_or_init(|| terms(&trees)).contains(&term.to_lowercase());
    let join = Join { trees: [&trees[0], &trees[1], &trees[2]], things: &things, derived: &derived };
    let placed = join::join(&join)?;
    let fronts = trees.each_ref().map(|t| t.document.front_matter().map_or("", |f| &t.text()[f.range()]));
    let mut parts = front::merge(fronts[0], fronts[1], fronts[2], &derived);
    parts.extend(gaps::fill(&join, &placed));
    if !reads_back(&parts, &join, &placed) {
        return None;
    }
    let envelope = |of: fn(&Envelope) -> bool| part::pick(Some(of(o)), of(a), of(b)).unwrap_or(of(a));
    envelope::close(&mut parts, envelope(|e| e.mark), envelope(|e| e.crlf), envelope(|e| e.open));
    Some(parts)
}

/// All summary terms that memdir would take from any of the texts.
fn terms(trees: &[Tree; 3]) -> HashSet<String> {
    let of = |tree: &Tree| [Genre::Facts, Genre::Episodes].map(|genre| summary::terms(&tree.document, genre));
    trees.iter().flat_map(of).flatten().collect()
}

/// Whether the merged text will be read as what was meant.
fn reads_back(parts: &[Part], join: &Join, placed: &[join::Placed]) -> bool {
    let clean = !parts.iter().any(|p| matches!(p, Part::Clash { .. }));
    let sides: &[part::Side] = if clean { &[part::Side::Ours] } else { &[part::Side::Ours, part::Side::Theirs] };
    sides.iter().all(|side| reads_back_on(*side, parts, join, placed))
}

fn reads_back_on(side: part::Side, parts: &[Part], join: &Join, placed: &[join::Placed]) -> bool {
    let same = |a: &str, b: &str| a == b || a.split_whitespace().eq(b.split_whitespace());
    let tree = Tree::of(&part::on(parts, side));
    let mut at = 1;
    for placed in placed {
        let text = part::on(&placed.parts, side);
        match placed.parts[..] {
            [Part::Text(_)] => {
                let there = tree.atoms.get(at).is_some_and(|found| found.what == join.what(placed.thing));
                if !there || !same(tree.own(at), &text) {
                    return false;
                }
                at += 1;
            }
            _ => at += Tree::of(&text).atoms.len() - 1,
        }
    }
    at == tree.atoms.len()
}

#[cfg(test)]
mod tests;
