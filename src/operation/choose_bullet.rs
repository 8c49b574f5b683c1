//! Selects a bullet by handle or id, index and text: the eight rules of ARCHITECTURE.md, "Which bullet is meant".
//!
//! Never guesses: every combination of arguments has exactly one outcome.

use crate::code::Code;
use crate::document::Document;

use super::locate::{bullets_by_name, is_in_section};

/// The caller's selection of a bullet.
#[derive(Clone, Copy, Debug, Default)]
pub struct BulletSelector<'a> {
    /// A handle or id.
    pub name: Option<&'a str>,
    /// Which of the bullets with that name, from 1.
    pub occurrence: Option<usize>,
    /// The index in the section with its subsections, from 1; nested bullets are not counted.
    pub index: Option<i64>,
    /// The bullet's present text.
    pub text: Option<&'a str>,
    /// The section in which `index` and `text` are searched; 0 is the file.
    pub section: usize,
    /// Whether `seen` is the present etag, or `if_match` was given (a mismatch of that is a `conflict` anyway).
    pub proven: bool,
    /// Whether to skip the staleness check (`-f`).
    pub force: bool,
    /// The new text of an update; `None` for a removal, a move or a change of metadata.
    pub new_text: Option<&'a str>,
    /// Bullets whose metadata line is ignored, and with it their id. See `inert_metadata`.
    pub inert: &'a [usize],
}

/// The outcome of a selection.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum BulletChoice {
    Selected(usize),
    /// This bullet, with a warning (`index_moved`, `text_mismatch`).
    SelectedWithWarning(usize, Code),
    /// No change needed: this bullet already has the new text.
    Unchanged(usize),
    /// Rejected; the bullets that match, or that are in the searched section.
    Rejected(Code, Vec<usize>),
    /// No bullet matches: `bullet_changed` if the journal has its earlier text, else `bullet_not_found`.
    NotFound,
}

/// Applies the rules; the first that matches decides.
pub fn choose_bullet(document: &Document, s: &BulletSelector) -> BulletChoice {
    let counted = || document.top_level_bullets(s.section);
    let at_index =
        s.index.map(|n| usize::try_from(n).ok().and_then(|n| n.checked_sub(1)).and_then(|n| counted().get(n).copied()));
    match (s.name, at_index, s.text) {
        (None, None, None) => BulletChoice::Rejected(Code::Usage, Vec::new()),
        (Some(name), at, text) => choose_by_name(document, s, name, at, text),
        (None, Some(None), None) => BulletChoice::Rejected(Code::BulletNotFound, counted()),
        (None, Some(Some(at)), None) if s.proven || s.force => BulletChoice::Selected(at),
        (None, Some(Some(_)), None) => BulletChoice::Rejected(Code::NeedsProof, counted()),
        (None, at, Some(text)) => choose_by_text(document, s, at, text),
    }
}

/// Rule 2. `at` is `Some(None)` for an index out of range.
fn choose_by_name(
    document: &Document,
    s: &BulletSelector,
    name: &str,
    at: Option<Option<usize>>,
    text: Option<&str>,
) -> BulletChoice {
    let within = (s.section != 0).then_some(s.section);
    let named = bullets_by_name(document, name, within, s.inert);
    let nth = s.occurrence.map(|n| n.checked_sub(1).and_then(|n| named.get(n).copied()));
    let found = match nth {
        Some(None) if !named.is_empty() => return BulletChoice::Rejected(Code::BulletNotFound, named),
        Some(one) => one.into_iter().collect(),
        None => named,
    };
    let one = match (&found[..], at) {
        ([], _) => return BulletChoice::NotFound,
        ([one], _) => *one,
        (several, Some(Some(at))) if several.contains(&at) => at,
        _ => return BulletChoice::Rejected(Code::AmbiguousBullet, found),
    };
    let index_disagrees = at.is_some_and(|at| at != Some(one));
    let text_disagrees = text.is_some_and(|t| !document.bullets_by_text(t).contains(&one));
    if index_disagrees || text_disagrees {
        return BulletChoice::Rejected(Code::TextMismatch, vec![one]);
    }
    let by_id = !s.inert.contains(&one) && document.bullet_id(one).is_some_and(|id| id == name);
    // A number among equal texts is an index: one that goes away moves those below it.
    if (by_id || nth.is_some()) && text.is_none() && !s.proven && !s.force {
        BulletChoice::Rejected(Code::NeedsProof, vec![one])
    } else {
        BulletChoice::Selected(one)
    }
}

/// Rules 4 to 8.
fn choose_by_text(document: &Document, s: &BulletSelector, at: Option<Option<usize>>, text: &str) -> BulletChoice {
    let matching: Vec<usize> =
        document.bullets_by_text(text).into_iter().filter(|&i| is_in_section(document, i, s.section)).collect();
    match (&matching[..], at) {
        ([], at) => choose_without_match(document, s, at),
        (several, Some(Some(at))) if several.contains(&at) => BulletChoice::Selected(at),
        ([one], None) => BulletChoice::Selected(*one),
        ([one], Some(_)) if !s.proven => BulletChoice::SelectedWithWarning(*one, Code::IndexMoved),
        ([_], Some(None)) => BulletChoice::Rejected(Code::BulletNotFound, document.top_level_bullets(s.section)),
        ([_], Some(Some(at))) if s.new_text.is_some() => BulletChoice::SelectedWithWarning(at, Code::TextMismatch),
        ([_], Some(Some(at))) => BulletChoice::Rejected(Code::TextMismatch, vec![at]),
        (several, _) => BulletChoice::Rejected(Code::AmbiguousBullet, several.to_vec()),
    }
}

/// Rule 6, and rule 4 for a text that occurs nowhere.
fn choose_without_match(document: &Document, s: &BulletSelector, at: Option<Option<usize>>) -> BulletChoice {
    let at = at.flatten();
    if let Some(new) = s.new_text {
        let reads_new: Vec<usize> =
            document.bullets_by_text(new).into_iter().filter(|&i| is_in_section(document, i, s.section)).collect();
        match (at, &reads_new[..]) {
            (Some(at), several) if several.contains(&at) => return BulletChoice::Unchanged(at),
            (None, [one]) => return BulletChoice::Unchanged(*one),
            _ => {}
        }
    }
    match (at, s.proven, s.new_text) {
        (Some(at), true, Some(_)) => BulletChoice::SelectedWithWarning(at, Code::TextMismatch),
        (Some(at), true, None) => BulletChoice::Rejected(Code::TextMismatch, vec![at]),
        _ => BulletChoice::NotFound,
    }
}
