//! From three trees to one list of parts: what stays, below what, in which order, and what it says.
//!
//! Never compares likeness: who is who is settled before. Where the answer would not be read back as what was meant, it
//! gives none.

use std::cmp::Ordering;
use std::collections::HashSet;

use super::pair::Things;
use super::part::{self, Part, Side, pick};
use super::tree::{Atom, Tree, What};
use super::{item, once, order, prose, sections};
use crate::document::summary;

const BASE: usize = 0;
const OURS: usize = 1;
const THEIRS: usize = 2;

/// Three texts and who is who in them.
pub struct Join<'a> {
    /// Base, ours, theirs.
    pub trees: [&'a Tree; 3],
    /// Their things.
    pub things: &'a Things,
    /// Whether memdir derives this summary term from one of the texts.
    pub derived: &'a dyn Fn(&str) -> bool,
}

/// What becomes of a thing.
#[derive(Clone, Debug, PartialEq)]
pub enum Fate {
    /// It is no more.
    Gone,
    /// It stays, and what belongs to it is decided by itself.
    Kept(Vec<Part>),
    /// One side took it out while the other changed it: a clash, with all that belongs to it.
    Contested(Part),
}

/// A thing of the merged text, in file order.
pub struct Placed {
    /// Its number.
    pub thing: usize,
    /// What stands there, without its indent.
    pub parts: Vec<Part>,
    /// The blanks before each of its lines.
    pub indent: String,
}

/// Decides everything; `None` where two sides moved sections into each other.
pub fn join(join: &Join) -> Option<Vec<Placed>> {
    let mut fates: Vec<Fate> = (0..join.things.atoms.len()).map(|thing| join.fate(thing)).collect();
    let parents: Vec<usize> = (0..fates.len()).map(|thing| join.parent(thing)).collect();
    join.keep_needed(&mut fates, &parents);
    let mut out = Vec::new();
    let mut seen = HashSet::new();
    join.place(0, &fates, &parents, "", &mut out, &mut seen);
    let hidden = |thing: usize| {
        let mut at = thing;
        // A chain of parents is never longer than there are things.
        for _ in 0..fates.len() {
            if at != thing && matches!(fates[at], Fate::Contested(_)) || fates[at] == Fate::Gone {
                return true;
            }
            if at == 0 {
                return false;
            }
            at = parents[at];
        }
        false
    };
    let complete = (1..fates.len()).all(|t| fates[t] == Fate::Gone || seen.contains(&t) || hidden(t));
    complete.then(|| once::same_words(join, &parents, out))
}

impl Join<'_> {
    fn atoms(&self, thing: usize) -> [Option<usize>; 3] {
        self.things.atoms[thing]
    }

    /// What a thing is.
    pub fn what(&self, thing: usize) -> What {
        let (tree, atom) = self.any(thing);
        tree.atoms[atom].what
    }

    /// A version of a thing: ours, else theirs, else the base's.
    fn any(&self, thing: usize) -> (&Tree, usize) {
        let atoms = self.atoms(thing);
        let side = [OURS, THEIRS, BASE].into_iter().find(|s| atoms[*s].is_some()).unwrap_or(BASE);
        (self.trees[side], atoms[side].unwrap_or(0))
    }

    fn fate(&self, thing: usize) -> Fate {
        let lines = |side: usize, atom: usize| item::lines(self.trees[side], atom);
        match self.atoms(thing) {
            [_, None, None] => Fate::Gone,
            [None, Some(a), None] => Fate::Kept(vec![Part::Text(lines(OURS, a))]),
            [None, None, Some(b)] => Fate::Kept(vec![Part::Text(lines(THEIRS, b))]),
            [base, Some(a), Some(b)] => Fate::Kept(self.both(base, a, b)),
            [Some(o), Some(a), None] => self.deleted(o, OURS, a),
            [Some(o), None, Some(b)] => self.deleted(o, THEIRS, b),
        }
    }

    /// What both sides kept.
    fn both(&self, base: Option<usize>, ours: usize, theirs: usize) -> Vec<Part> {
        let [o, a, b] = self.trees;
        let mine = item::lines(a, ours);
        let yours = item::lines(b, theirs);
        let was = base.map(|atom| item::lines(o, atom));
        if let Some(text) = pick(was.as_ref(), &mine, &yours) {
            return vec![Part::Text(text.clone())];
        }
        match a.atoms[ours].what {
            What::Item => item::merge(base.map(|atom| (o, atom)), (a, ours), (b, theirs)),
            What::Section => vec![heading(was.as_deref(), &mine, &yours)],
            What::Summary => vec![self.summary(was.as_deref().unwrap_or(""), &mine, &yours)],
            _ if base.is_none() => vec![Part::Text(mine.min(yours))],
            _ => prose::merge(was.as_deref().unwrap_or(""), &mine, &yours),
        }
    }

    fn summary(&self, base: &str, ours: &str, theirs: &str) -> Part {
        let value = |line: &str| line.split_once("Summary:").map_or("", |(_, v)| v).trim().to_owned();
        match summary::united(&value(base), &value(ours), &value(theirs), self.derived) {
            Some(value) => Part::Text(format!("> Summary: {value}\n")),
            None => Part::Clash { base: base.to_owned(), ours: ours.to_owned(), theirs: theirs.to_owned() },
        }
    }

    /// What one side took out and the other still has.
    fn deleted(&self, base: usize, side: usize, atom: usize) -> Fate {
        let (o, x) = (self.trees[BASE], self.trees[side]);
        let what = x.atoms[atom].what;
        let changed = match what {
            What::Section => o.own(base).trim() != x.own(atom).trim(),
            _ => self.touched(side, atom),
        };
        if what == What::Summary && changed {
            return Fate::Kept(vec![Part::Text(item::lines(x, atom))]);
        }
        if !changed {
            return Fate::Gone;
        }
        let text = |tree: &Tree, atom: usize| match what {
            What::Section => item::lines(tree, atom),
            _ => item::whole(tree, atom),
        };
        let (base, kept) = (text(o, base), text(x, atom));
        let (ours, theirs) = if side == OURS { (kept, String::new()) } else { (String::new(), kept) };
        let clash = Part::Clash { base, ours, theirs };
        if what == What::Section { Fate::Kept(vec![clash]) } else { Fate::Contested(clash) }
    }

    /// Whether a side changed a thing, moved it to another section, or changed what belongs to it.
    fn touched(&self, side: usize, atom: usize) -> bool {
        let (o, x) = (self.trees[BASE], self.trees[side]);
        let thing = self.things.of[side][atom] as usize;
        let Some(base) = self.atoms(thing)[BASE] else { return true };
        let around = |side: usize, tree: &Tree, atom: usize| {
            let Atom { scope, parent, .. } = &tree.atoms[atom];
            [self.things.of[side][*scope], self.things.of[side][*parent]]
        };
        let (was, is) = (around(BASE, o, base), around(side, x, atom));
        // What went with the thing it belongs to was not moved itself.
        item::changed((o, base), (x, atom))
            || (was[0] != is[0] && was[1] != is[1])
            || x.atoms[atom].kids.iter().any(|kid| self.touched(side, *kid))
    }

    /// Below what a thing stands: where the side that moved it put it.
    fn parent(&self, thing: usize) -> usize {
        let atoms = self.atoms(thing);
        let of = |side: usize| {
            let atom = atoms[side]?;
            Some(self.things.of[side][self.trees[side].atoms[atom].parent] as usize)
        };
        match (of(BASE), of(OURS), of(THEIRS)) {
            (base, Some(a), Some(b)) => pick(base, a, b).unwrap_or_else(|| {
                let title = |thing: usize| self.any(thing).0.said(self.any(thing).1);
                if (title(a), a) <= (title(b), b) { a } else { b }
            }),
            (base, ours, theirs) => ours.or(theirs).or(base).unwrap_or(0),
        }
    }

    /// A heading stays while something stays below it.
    fn keep_needed(&self, fates: &mut [Fate], parents: &[usize]) {
        for thing in 1..fates.len() {
            if fates[thing] == Fate::Gone {
                continue;
            }
            let mut at = parents[thing];
            for _ in 0..fates.len() {
                if at == 0 || self.what(at) != What::Section || fates[at] != Fate::Gone {
                    break;
                }
                let (tree, atom) = self.any(at);
                fates[at] = Fate::Kept(vec![Part::Text(item::lines(tree, atom))]);
                at = parents[at];
            }
        }
    }

    /// Places a thing and what belongs to it; `seat` is where the text of the item around it starts.
    fn place(
        &self,
        thing: usize,
        fates: &[Fate],
        parents: &[usize],
        seat: &str,
        out: &mut Vec<Placed>,
        seen: &mut HashSet<usize>,
    ) {
        if !seen.insert(thing) {
            return;
        }
        let indent = if thing == 0 { String::new() } else { self.indent(thing, parents[thing], seat) };
        let below_it = match &fates[thing] {
            Fate::Kept(parts) if self.what(thing) == What::Item => {
                indent.clone() + &" ".repeat(item::seat(&part::on(parts, Side::Ours)))
            }
            _ => String::new(),
        };
        match &fates[thing] {
            Fate::Gone if thing != 0 => return,
            Fate::Contested(part) => return out.push(Placed { thing, parts: vec![part.clone()], indent }),
            Fate::Kept(parts) if thing != 0 => out.push(Placed { thing, parts: parts.clone(), indent }),
            _ => {}
        }
        for subs in [false, true] {
            for below in self.below(thing, subs) {
                if parents[below] == thing && (self.what(below) == What::Section) == subs {
                    self.place(below, fates, parents, &below_it, out, seen);
                }
            }
        }
    }

    /// What belongs to a thing in any of the three texts, in the merged order.
    fn below(&self, thing: usize, subs: bool) -> Vec<usize> {
        let [o, a, b] = [BASE, OURS, THEIRS].map(|side| {
            let Some(atom) = self.atoms(thing)[side] else { return Vec::new() };
            let atom = &self.trees[side].atoms[atom];
            let row = if subs { &atom.subs } else { &atom.kids };
            row.iter().map(|below| self.things.of[side][*below]).collect::<Vec<u32>>()
        });
        if o.is_empty() && a.is_empty() && b.is_empty() {
            return Vec::new();
        }
        let falling = subs && self.newest_first(&o, &a, &b);
        let compare = |x: u32, y: u32| self.compare(x as usize, y as usize, falling);
        order::merge(&o, &a, &b, &compare).into_iter().map(|t| t as usize).collect()
    }

    /// Whether the entries of a journal stand newest first.
    fn newest_first(&self, rows: &[u32], ours: &[u32], theirs: &[u32]) -> bool {
        let dates = |row: &[u32]| -> Vec<String> { row.iter().filter_map(|t| self.date(*t as usize)).collect() };
        let all = [dates(rows), dates(ours), dates(theirs)];
        all.iter().any(|d| d.len() > 1 && d.first() > d.last())
    }

    /// When an entry happened: the earliest that any text says, so that sides are alike.
    fn date(&self, thing: usize) -> Option<String> {
        self.versions(thing).filter_map(|(tree, atom)| sections::date(tree, atom)).min()
    }

    fn versions(&self, thing: usize) -> impl Iterator<Item = (&Tree, usize)> {
        let atoms = self.atoms(thing);
        self.trees.into_iter().zip(atoms).filter_map(|(tree, atom)| Some((tree, atom?)))
    }

    /// Which of two things that two sides put into one gap comes first: by date, then by what they say.
    fn compare(&self, x: usize, y: usize, falling: bool) -> Ordering {
        let dates = self.date(x).cmp(&self.date(y));
        let dates = if falling { dates.reverse() } else { dates };
        let words = |thing: usize| self.versions(thing).map(|(tree, atom)| tree.whole(atom).trim()).min();
        dates.then_with(|| words(x).cmp(&words(y)))
    }

    /// The blanks before a thing's lines: as the text that has it there has them, or, where all of them put it right
    /// below its item's text, there again, whatever marker the item has now.
    fn indent(&self, thing: usize, parent: usize, seat: &str) -> String {
        let atoms = self.atoms(thing);
        let there = |side: usize| {
            let (tree, atom) = (self.trees[side], atoms[side]?);
            let above = tree.atoms[atom].parent;
            (self.things.of[side][above] as usize == parent).then_some((tree, atom, above))
        };
        let seated = |(tree, atom, above): (&Tree, usize, usize)| {
            tree.indent(atom).len() == tree.indent(above).len() + item::seat(tree.own(above).trim_start())
        };
        if self.what(parent) == What::Item && [OURS, THEIRS].into_iter().filter_map(there).all(seated) {
            return seat.to_owned();
        }
        let blanks = |side: usize| there(side).map(|(tree, atom, _)| tree.indent(atom).to_owned());
        match (blanks(BASE), blanks(OURS), blanks(THEIRS)) {
            (base, Some(a), Some(b)) => pick(base, a.clone(), b.clone()).unwrap_or_else(|| a.min(b)),
            (base, ours, theirs) => ours.or(theirs).or(base).unwrap_or_default(),
        }
    }
}

/// A heading: its level and its title are two things.
fn heading(base: Option<&str>, ours: &str, theirs: &str) -> Part {
    let split = |line: &str| {
        let hashes = line.bytes().take_while(|b| *b == b'#').count();
        (line[..hashes].to_owned(), line[hashes..].to_owned())
    };
    if ours.split_whitespace().eq(theirs.split_whitespace()) {
        return Part::Text(ours.min(theirs).to_owned());
    }
    let atx = [ours, theirs].into_iter().chain(base).all(|l| l.starts_with('#'));
    let (a, b) = (split(ours), split(theirs));
    if atx
        && let Some((level, title)) = base.map(split)
        && let (Some(level), Some(title)) = (pick(Some(level), a.0, b.0), pick(Some(title), a.1, b.1))
    {
        return Part::Text(format!("{level}{title}"));
    }
    Part::Clash { base: base.unwrap_or_default().to_owned(), ours: ours.to_owned(), theirs: theirs.to_owned() }
}
