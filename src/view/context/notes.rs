//! The items that belong into every context: pinned ones, categories of which all belongs there, important ones.
//!
//! Never guesses an importance: what nobody weighed is found by the index and by `query`.

use std::cmp::Ordering;
use std::collections::HashMap;

use super::gate::Gate;
use super::{address, frame, text};
use crate::policy::{Context, Policy};
use crate::view::query::count::Found;
use crate::view::query::facts::{About, Moment};
use crate::view::query::items::Sort;
use crate::view::query::known::Known;

/// From this importance on, an item is always there.
pub const IMPORTANT: f64 = 7.0;

/// Why an item is here; the first outweighs the others.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Why {
    /// Somebody pinned it.
    Pinned,
    /// Its category is always there: the policy's number of it.
    Whole(usize),
    /// Its importance says so.
    Important,
    /// It has some importance.
    Noted,
}

impl Why {
    /// Its name in an answer.
    pub fn name(self) -> &'static str {
        match self {
            Why::Pinned => "pinned",
            Why::Whole(_) => "all",
            Why::Important => "important",
            Why::Noted => "noted",
        }
    }

    fn rank(self) -> u8 {
        match self {
            Why::Pinned => 0,
            Why::Whole(_) => 1,
            Why::Important => 2,
            Why::Noted => 3,
        }
    }
}

/// One item of a context.
#[derive(Clone, Debug)]
pub struct Note {
    /// Why it is here.
    pub why: Why,
    /// When it is from.
    pub moment: Option<Moment>,
    /// Its address.
    pub address: String,
    /// Its text, on one line and harmless.
    pub text: String,
    imp: f64,
    /// Its categories that the policy bounds.
    bounded: Vec<usize>,
}

impl Note {
    /// Its line, its text cut to so many tokens.
    pub fn line(&self, most: usize) -> String {
        format!("- {} ({})", frame::cut(&self.text, most), self.address)
    }
}

/// The items of these files that belong into every context, most valuable first. Of a category with a `rag_length`
/// there are at most so many, but for pinned ones and those of a category that is always there.
pub fn notes(files: &[Found], known: &Known, policy: &Policy, gate: &Gate) -> Vec<Note> {
    let mut all: Vec<(Note, usize, usize)> = Vec::new();
    for (f, found) in files.iter().enumerate() {
        let about = About::new(found, known);
        for item in 0..found.items.len() {
            let Some((why, bounded)) = why(&about, item, policy) else { continue };
            if !gate.item(&about, item) {
                continue;
            }
            let note = Note {
                why,
                moment: about.moment(item),
                address: String::new(),
                text: String::new(),
                imp: about.importance(item).unwrap_or(0.0),
                bounded,
            };
            all.push((note, f, item));
        }
    }
    all.sort_by(|(a, fa, ia), (b, fb, ib)| value(a, b).then_with(|| (fa, ia).cmp(&(fb, ib))));
    let mut lengths = Lengths::new(policy);
    all.retain(|(note, ..)| lengths.takes(&note.bounded, note.why.rank() < 2));
    let told = |(note, f, item): (Note, usize, usize)| Note {
        address: frame::line(&address(&files[f], item)),
        text: frame::line(&text(&files[f], item)),
        ..note
    };
    all.into_iter().map(told).filter(|note| !note.text.is_empty()).collect()
}

/// The more valuable one first: why it is here, its importance, its day.
fn value(a: &Note, b: &Note) -> Ordering {
    let by_imp = || b.imp.total_cmp(&a.imp);
    a.why.rank().cmp(&b.why.rank()).then_with(by_imp).then_with(|| b.moment.cmp(&a.moment))
}

/// Why an item is here, and its categories that the policy bounds.
fn why(about: &About<'_>, item: usize, policy: &Policy) -> Option<(Why, Vec<usize>)> {
    if about.found.items[item].sort == Sort::Heading {
        return None;
    }
    let own = if policy.categories.is_empty() { Vec::new() } else { about.categories(item) };
    let of = |n: &usize| own.contains(&policy.categories[*n].name.to_lowercase());
    let mine: Vec<usize> = (0..policy.categories.len()).filter(of).collect();
    let whole = mine.iter().copied().find(|n| policy.categories[*n].context == Context::All);
    let why = match (about.pinned(item), whole, about.importance(item)) {
        (true, ..) => Why::Pinned,
        (_, Some(category), _) => Why::Whole(category),
        (.., Some(imp)) if imp >= IMPORTANT => Why::Important,
        (.., Some(imp)) if imp > 0.0 => Why::Noted,
        _ => return None,
    };
    Some((why, mine.into_iter().filter(|n| policy.categories[*n].rag_length.is_some()).collect()))
}

/// How many items of each category a context may still take.
pub struct Lengths<'a> {
    policy: &'a Policy,
    taken: HashMap<usize, usize>,
}

impl<'a> Lengths<'a> {
    /// Nothing is taken yet.
    pub fn new(policy: &'a Policy) -> Lengths<'a> {
        Lengths { policy, taken: HashMap::new() }
    }

    /// Takes an item of these categories if each has room, or in any case.
    pub fn takes(&mut self, categories: &[usize], anyway: bool) -> bool {
        let most = |n: &usize| self.policy.categories[*n].rag_length.unwrap_or(usize::MAX);
        let room = categories.iter().all(|n| self.taken.get(n).copied().unwrap_or(0) < most(n));
        if room || anyway {
            categories.iter().for_each(|n| *self.taken.entry(*n).or_default() += 1);
        }
        room || anyway
    }
}

/// What is said of items that are left out.
pub fn told(notes: &[&Note], policy: &Policy) -> Vec<String> {
    let count = |why: u8| notes.iter().filter(|n| n.why.rank() == why).count();
    let mut lines = Vec::new();
    let mut tell = |n: usize, what: &str, command: &str| {
        if n > 0 {
            lines.push(format!("… and {n} more {what}: memdir query {command}"));
        }
    };
    tell(count(0), "pinned", "--pinned");
    let mut names: Vec<&str> = notes
        .iter()
        .filter_map(|n| if let Why::Whole(c) = n.why { Some(policy.categories[c].name.as_str()) } else { None })
        .collect();
    names.sort_unstable();
    names.dedup();
    // One name that needs no quoting is spelled; the policy may be a stranger's.
    match names[..] {
        [name] if frame::is_plain(name) => tell(count(1), "always there", &format!("--category {name}")),
        _ => tell(count(1), "always there", "--category NAME"),
    }
    match (count(2), count(3)) {
        (important, 0) => tell(important, "important", "--imp 7.."),
        (0, noted) => tell(noted, "of some importance", "--imp 1.."),
        (important, noted) => tell(important + noted, "of some importance", "--imp 1.."),
    }
    lines
}
