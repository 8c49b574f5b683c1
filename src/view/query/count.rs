//! Counts a question's terms in one file.
//!
//! Never scores: what a count is worth is known only when every file has been counted.

use jiff::civil::Date;

use super::facts::Days;
use super::items::{self, Item, Sort};
use super::spot::Spotter;
use super::terms::Terms;
use crate::document::Document;
use crate::document::links::{Link, links};
use crate::path::MemoryPath;
use crate::text::dates::{Told, dates};
use crate::text::tokens::{tokens, tokens_like};

/// What a word in a label counts.
const LABEL: f32 = 3.0;
/// What a date of the heading or file counts.
const HEADING_DATE: f32 = 1.0;
/// A file that is cut into items for the sample alone is at most so large, in bytes.
const SMALL: usize = 4096;
/// What a date in the text counts.
const TEXT_DATE: f32 = 0.5;

/// The context within a file: what an item's neighbours add to it, by their distance.
pub const AROUND: [(i32, f32); 5] = [(-2, 0.2), (-1, 0.5), (0, 1.0), (1, 0.2), (2, 0.1)];

/// How closely files are to be looked at.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Look {
    /// Only where bytes are found that may hold a term.
    Spots,
    /// And items are measured in any case, as a sample.
    Sample,
    /// At every item.
    All,
}

/// One file's counts.
#[derive(Default)]
pub struct Counted {
    /// Bytes.
    pub bytes: usize,
    /// How many items it has; `None` where it was not looked at closely.
    pub items: Option<usize>,
    /// The sum over its items of their lengths with their surroundings, in bytes.
    pub lengths: f64,
    /// Where something was found, the rest.
    pub found: Option<Box<Found>>,
}

/// A file in which something was found.
pub struct Found {
    /// The file.
    pub path: MemoryPath,
    /// Its document.
    pub document: Document,
    /// Its items.
    pub items: Vec<Item>,
    /// The items that hold a term, in order, with how often they hold each.
    pub hits: Vec<(usize, Vec<f32>)>,
    /// How often each term stands in a label.
    pub labels: Vec<u32>,
    /// The links in it.
    pub links: Vec<Link>,
}

impl Found {
    /// A file as it is, without a question.
    pub fn whole(path: MemoryPath, document: Document) -> Found {
        let items = items::items(&document, path.folder() == Some("episodes"));
        let links = links(&document);
        Found { path, document, items, hits: Vec::new(), labels: Vec::new(), links }
    }
}

/// Counts a file. `None` for bytes that are no text.
pub fn count(path: &MemoryPath, bytes: &[u8], terms: &Terms, spotter: &Spotter, look: Look) -> Counted {
    let mut counted = Counted { bytes: bytes.len(), ..Counted::default() };
    let mut spots = Vec::new();
    if look != Look::All {
        spotter.find(bytes, &mut spots);
        if spots.is_empty() && (look == Look::Spots || bytes.len() > SMALL) {
            return counted;
        }
    }
    let Ok(document) = Document::read(bytes.to_vec()) else { return counted };
    let all = items::items(&document, path.folder() == Some("episodes"));
    counted.items = Some(all.len());
    counted.lengths = lengths(&document, &all);
    let near: Vec<usize> = match look {
        Look::All => (0..all.len()).collect(),
        _ => {
            spots.sort_unstable();
            let mut near: Vec<usize> = spots.iter().filter_map(|at| items::item_at(&all, *at)).collect();
            near.dedup();
            near
        }
    };
    let days = terms.dated.then(|| Days::of(&document, path));
    let mut counter = Counter { document: &document, days, terms, labels: vec![0; terms.all.len()] };
    let hits: Vec<(usize, Vec<f32>)> = near.into_iter().filter_map(|i| Some((i, counter.item(&all[i])?))).collect();
    let labels = counter.labels;
    if !hits.is_empty() || look == Look::All {
        let (path, links) = (path.clone(), links(&document));
        counted.found = Some(Box::new(Found { path, document, items: all, hits, labels, links }));
    }
    counted
}

/// The sum of all items' lengths with their surroundings, in bytes.
fn lengths(document: &Document, items: &[Item]) -> f64 {
    let own: Vec<f32> = items.iter().map(|item| items::length(document, item) as f32).collect();
    let of = |i: usize, far: i32, weight: f32| Some(weight * own.get(usize::try_from(i as i32 + far).ok()?)?);
    let around = |i: usize| AROUND.into_iter().filter_map(|(far, weight)| of(i, far, weight)).sum::<f32>();
    (0..own.len()).map(|i| f64::from(around(i))).sum()
}

/// An item's length with its surroundings, in bytes.
pub fn around(document: &Document, items: &[Item], at: usize) -> f32 {
    let of = |(far, weight): (i32, f32)| {
        let i = usize::try_from(at as i32 + far).ok()?;
        Some(weight * items::length(document, items.get(i)?) as f32)
    };
    AROUND.into_iter().filter_map(of).sum()
}

struct Counter<'a> {
    document: &'a Document,
    /// Only where the question has dates.
    days: Option<Days>,
    terms: &'a Terms,
    labels: Vec<u32>,
}

impl Counter<'_> {
    /// How often an item holds each term; `None` when it holds none.
    fn item(&mut self, item: &Item) -> Option<Vec<f32>> {
        let parts = items::parts(self.document, item);
        let mut counts = vec![0.0_f32; self.terms.all.len()];
        let mut any = false;
        let mut add = |token: &str, weight: f32| {
            if let Some(t) = self.terms.find(token) {
                counts[t] += weight;
                any = true;
            }
        };
        let label = if matches!(item.sort, Sort::Bullet(_)) { items::label(parts[0]) } else { "" };
        for part in parts {
            tokens_like(part, |word| self.terms.may_hold(word), |token| add(token, 1.0));
        }
        if !label.is_empty() {
            tokens(label, |token| {
                add(token, LABEL - 1.0);
                if let Some(t) = self.terms.find(token) {
                    self.labels[t] += 1;
                }
            });
        }
        if let Some(days) = &self.days {
            let base = days.told(item.section);
            if let Some(told) = base {
                told.terms(|term| add(&term, HEADING_DATE));
            }
            let day: Option<Date> = base.and_then(Told::first);
            for told in parts.iter().flat_map(|part| dates(part, day)) {
                told.terms(|term| add(&term, TEXT_DATE));
            }
        }
        any.then_some(counts)
    }
}
