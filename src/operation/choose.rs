//! Which bullet is meant, when a name, an index and a text are given: the eight rules of DESIGN 4.
//!
//! The contract of seeds/bullet-crud.md 3, made total: every combination has exactly one outcome.

use crate::code::Code;
use crate::document::Document;

use super::locate::{is_within, named};

/// What the caller gave to name a bullet.
#[derive(Clone, Copy, Debug, Default)]
pub struct Selector<'a> {
    /// A handle or id.
    pub name: Option<&'a str>,
    /// From 1, in the section with its subsections, nested bullets not counted.
    pub index: Option<i64>,
    /// The text the bullet has.
    pub text: Option<&'a str>,
    /// The section in which index and text are looked up; 0 is the file.
    pub section: usize,
    /// Whether `seen` is the present etag, or `if_match` was given (a wrong one is a conflict whatever is chosen).
    pub seen: bool,
    /// Whether the caller takes the blame (`-f`).
    pub force: bool,
    /// The new text of an update; `None` for a removal (and a move, and metadata).
    pub new: Option<&'a str>,
    /// Bullets whose metadata line is inert: its id names nothing.
    pub inert: &'a [usize],
}

/// What follows from it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Choice {
    /// This bullet.
    Act(usize),
    /// This bullet, and the reader must be told (`index_moved`, `text_mismatch`).
    Warn(usize, Code),
    /// Nothing to do: that bullet already reads so.
    Done(usize),
    /// Refused; the bullets that fit, or that stand where the caller looked.
    Refuse(Code, Vec<usize>),
    /// It stands nowhere: the journal may know what became of it (`bullet_changed`), else `bullet_not_found`.
    Gone,
}

/// Applies the rules; the first that matches wins.
pub fn choose(document: &Document, s: &Selector) -> Choice {
    let counted = document.counted(s.section);
    let at_index =
        s.index.map(|n| usize::try_from(n).ok().and_then(|n| n.checked_sub(1)).and_then(|n| counted.get(n).copied()));
    match (s.name, at_index, s.text) {
        (None, None, None) => Choice::Refuse(Code::Usage, Vec::new()),
        (Some(name), at, text) => by_name(document, s, name, at, text),
        (None, Some(None), None) => Choice::Refuse(Code::BulletNotFound, counted),
        (None, Some(Some(at)), None) if s.seen || s.force => Choice::Act(at),
        (None, Some(Some(_)), None) => Choice::Refuse(Code::NeedsProof, counted),
        (None, at, Some(text)) => by_text(document, s, at, text),
    }
}

/// Rule 2. `at` is `Some(None)` for an index that is out of range.
fn by_name(document: &Document, s: &Selector, name: &str, at: Option<Option<usize>>, text: Option<&str>) -> Choice {
    let within = (s.section != 0).then_some(s.section);
    let found = named(document, name, within, s.inert);
    let one = match (&found[..], at) {
        ([], _) => return Choice::Gone,
        ([one], _) => *one,
        (several, Some(Some(at))) if several.contains(&at) => at,
        _ => return Choice::Refuse(Code::AmbiguousBullet, found),
    };
    let index_disagrees = at.is_some_and(|at| at != Some(one));
    let text_disagrees = text.is_some_and(|t| !document.by_text(t).contains(&one));
    if index_disagrees || text_disagrees {
        return Choice::Refuse(Code::TextMismatch, vec![one]);
    }
    let by_id = !s.inert.contains(&one) && document.bullet_id(one).is_some_and(|id| id == name);
    match by_id && text.is_none() && !s.seen && !s.force {
        true => Choice::Refuse(Code::NeedsProof, vec![one]),
        false => Choice::Act(one),
    }
}

/// Rules 4 to 8.
fn by_text(document: &Document, s: &Selector, at: Option<Option<usize>>, text: &str) -> Choice {
    let standing: Vec<usize> =
        document.by_text(text).into_iter().filter(|&i| is_within(document, i, s.section)).collect();
    match (&standing[..], at) {
        ([], at) => nowhere(document, s, at),
        (several, Some(Some(at))) if several.contains(&at) => Choice::Act(at),
        ([one], None) => Choice::Act(*one),
        ([one], Some(_)) if !s.seen => Choice::Warn(*one, Code::IndexMoved),
        ([_], Some(None)) => Choice::Refuse(Code::BulletNotFound, document.counted(s.section)),
        ([_], Some(Some(at))) if s.new.is_some() => Choice::Warn(at, Code::TextMismatch),
        ([_], Some(Some(at))) => Choice::Refuse(Code::TextMismatch, vec![at]),
        (several, _) => Choice::Refuse(Code::AmbiguousBullet, several.to_vec()),
    }
}

/// Rule 6 (and rule 4's "nowhere").
fn nowhere(document: &Document, s: &Selector, at: Option<Option<usize>>) -> Choice {
    let at = at.flatten();
    if let Some(new) = s.new {
        let reads_new: Vec<usize> =
            document.by_text(new).into_iter().filter(|&i| is_within(document, i, s.section)).collect();
        match (at, &reads_new[..]) {
            (Some(at), several) if several.contains(&at) => return Choice::Done(at),
            (None, [one]) => return Choice::Done(*one),
            _ => {}
        }
    }
    match (at, s.seen, s.new) {
        (Some(at), true, Some(_)) => Choice::Warn(at, Code::TextMismatch),
        (Some(at), true, None) => Choice::Refuse(Code::TextMismatch, vec![at]),
        _ => Choice::Gone,
    }
}
