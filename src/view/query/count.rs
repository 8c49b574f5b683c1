//! Counts a query's terms in one file.
//!
//! Never scores: the weight of a term is known only after all files have been counted.

use std::borrow::Cow;
use std::cell::OnceCell;

use jiff::civil::Date;

use super::file_names::{add_terms_in_head, terms_in_path};
use super::item_facts::SectionDates;
use super::items::{self, DocumentItem};
use super::prefilter::TermPrefilter;
use super::terms::{FoundTerm, QueryTerms};
use crate::document::Document;
use crate::document::links::{FileLink, find_links};
use crate::path::MemoryPath;
use crate::text::dates::{PartialDate, find_dates};
use crate::text::words::is_unspaced;
use crate::view::links::FileEdges;

/// Weight of a term in a label, relative to one in the text.
const LABEL_WEIGHT: f32 = 3.0;
/// Weight of a date in the heading or file name.
const HEADING_DATE_WEIGHT: f32 = 1.0;
/// Weight of a term in a bullet's `keywords=`. They are not its text, and nothing is lent to its neighbours.
const KEYWORD_WEIGHT: f32 = 0.8;
/// How many characters of a text tell its script.
const JUDGED_CHARS: usize = 32;
/// Maximum size in bytes of a file that is parsed for the sample only.
pub const MAX_SAMPLE_BYTES: usize = 4096;
/// Weight of a date in the text.
const TEXT_DATE_WEIGHT: f32 = 0.5;

/// Smoothing within a file: the share of an item's counts that the item at this distance gets.
pub const SMOOTHING: [(i32, f32); 5] = [(-2, 0.2), (-1, 0.5), (0, 1.0), (1, 0.2), (2, 0.1)];

/// The share of a question's counts that the next item gets.
pub const ANSWER_SHARE: f32 = 0.9;

/// How thoroughly a file is scanned.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ScanDepth {
    /// Only items at byte offsets that the prefilter found.
    Prefiltered,
    /// The same, but all items are measured, as a sample for the mean length.
    Sample,
    /// All items.
    All,
}

/// The counts of one file.
#[derive(Default)]
pub struct FileCounts {
    /// Size in bytes.
    pub bytes: usize,
    /// The number of items; `None` if the file was not parsed.
    pub items: Option<usize>,
    /// The sum over its items of their smoothed lengths, in bytes.
    pub lengths: f64,
    /// The parsed file, if it contains a term.
    pub matched: Option<Box<ItemizedFile>>,
    /// Why the file was not searched.
    pub unread: Option<String>,
}

/// The terms of a query in one item.
pub struct ItemHits {
    /// The index of the item in its file.
    pub item: usize,
    /// The terms that it contains, each once.
    pub counts: Vec<TermCount>,
    /// Whether it is a question: the next item is likely its answer, and is about the same without repeating it.
    pub is_question: bool,
}

/// How often an item contains a term.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct TermCount {
    /// The index of the term.
    pub term: u16,
    /// Weighted by place: label, text, dates.
    pub own: f32,
    /// The count of which neighbours get a share: in the text, without its label and dates. Who speaks and when is
    /// said of this item only.
    pub lent: f32,
    /// Whether the term stands in the item's own text.
    pub literal: bool,
}

/// A file cut into items, with the terms found in it.
pub struct ItemizedFile {
    pub path: MemoryPath,
    pub document: Document,
    pub items: Vec<DocumentItem>,
    /// The items that contain a term, ascending.
    pub hits: Vec<ItemHits>,
    /// How often each term occurs in a label.
    pub labels: Vec<u32>,
    /// The terms in its name, its title or its tags, ascending; none of an episode.
    pub named: Vec<u16>,
    pub links: Vec<FileLink>,
    section_dates: OnceCell<SectionDates>,
    edges: OnceCell<FileEdges>,
}

impl ItemizedFile {
    /// The terms in an item; `None` if it contains none.
    pub fn hits_of(&self, item: usize) -> Option<&ItemHits> {
        self.hits.binary_search_by_key(&item, |hits| hits.item).ok().map(|at| &self.hits[at])
    }

    /// A file without counts, for uses other than a query.
    pub fn without_counts(path: MemoryPath, document: Document) -> ItemizedFile {
        let items = items::items_of(&document, &path);
        let links = find_links(&document);
        let section_dates = OnceCell::new();
        let edges = OnceCell::new();
        let (hits, labels, named) = Default::default();
        ItemizedFile { path, document, items, hits, labels, named, links, section_dates, edges }
    }

    /// The dates of its sections, computed once.
    pub fn section_dates(&self) -> &SectionDates {
        self.section_dates.get_or_init(|| SectionDates::of(&self.document, &self.path))
    }

    /// Its links that start in an item, found once.
    pub fn edges(&self) -> &FileEdges {
        self.edges.get_or_init(|| FileEdges::of(self))
    }

    /// Replaces its hits by those of another query in some of its items, in order.
    pub fn count_items(&mut self, near: &[usize], terms: &QueryTerms) {
        let days = terms.has_dates.then(|| self.section_dates());
        (self.hits, self.labels) = count_items(&self.document, &self.items, near, terms, days);
    }
}

/// Counts the terms in a file. Bytes that are not UTF-8 text give no counts, and the reason.
pub fn count_terms(
    path: &MemoryPath,
    bytes: Cow<'_, [u8]>,
    terms: &QueryTerms,
    prefilter: &TermPrefilter,
    depth: ScanDepth,
) -> FileCounts {
    let mut counted = FileCounts { bytes: bytes.len(), ..FileCounts::default() };
    let mut offsets = Vec::new();
    let mut is_measured = true;
    if depth != ScanDepth::All {
        prefilter.find(path.stem().as_bytes(), &mut offsets);
    }
    let mut named =
        if depth == ScanDepth::All || !offsets.is_empty() { terms_in_path(path, terms) } else { Vec::new() };
    if depth != ScanDepth::All {
        offsets.clear();
        prefilter.find(&bytes, &mut offsets);
        is_measured = !offsets.is_empty() || depth == ScanDepth::Sample && bytes.len() <= MAX_SAMPLE_BYTES;
        if !is_measured && named.is_empty() {
            return counted;
        }
    }
    let Ok(document) = Document::from_bytes(bytes.into_owned()) else {
        counted.unread = Some(format!("'{path}' is not UTF-8 text"));
        return counted;
    };
    let all = items::items_of(&document, path);
    // A file that is parsed for its name only is no part of the sample.
    if is_measured {
        counted.items = Some(all.len());
        counted.lengths = total_length(&document, &all);
    }
    // Only where a term may stand above the first item.
    if depth == ScanDepth::All || offsets.iter().any(|at| all.first().is_none_or(|first| *at < first.start)) {
        add_terms_in_head(path, &document, terms, &mut named);
    }
    let near: Vec<usize> = match depth {
        ScanDepth::All => (0..all.len()).collect(),
        ScanDepth::Prefiltered | ScanDepth::Sample => {
            offsets.sort_unstable();
            let mut near: Vec<usize> = offsets.iter().filter_map(|at| items::item_at(&all, *at)).collect();
            near.dedup();
            near
        }
    };
    let days = terms.has_dates.then(|| SectionDates::of(&document, path));
    let (hits, labels) = count_items(&document, &all, &near, terms, days.as_ref());
    if !hits.is_empty() || !named.is_empty() || depth == ScanDepth::All {
        let (path, links) = (path.clone(), find_links(&document));
        let section_dates = days.map_or_else(OnceCell::new, OnceCell::from);
        let edges = OnceCell::new();
        let file = ItemizedFile { path, document, items: all, hits, labels, named, links, section_dates, edges };
        counted.matched = Some(Box::new(file));
    }
    counted
}

/// Counts the terms in the given items of a file, and how often each occurs in their labels. `days`: the dates of its
/// sections, for a query with dates.
fn count_items(
    document: &Document,
    items: &[DocumentItem],
    near: &[usize],
    terms: &QueryTerms,
    days: Option<&SectionDates>,
) -> (Vec<ItemHits>, Vec<u32>) {
    let mut counter = TermCounter {
        document,
        section_dates: days,
        terms,
        labels: vec![0; terms.all.len()],
        tally: TermTally::new(terms.all.len()),
    };
    let hits = near.iter().filter_map(|&item| {
        counter.count_item(&items[item]);
        let counts = counter.tally.take()?;
        Some(ItemHits { item, counts, is_question: items::is_question(document, &items[item]) })
    });
    let hits = hits.collect();
    (hits, counter.labels)
}

/// Calls `each` for all dates of an item: that of its heading or file with `false`, those in its text with `true`.
pub fn for_each_date(
    document: &Document,
    dates: &SectionDates,
    item: &DocumentItem,
    mut each: impl FnMut(PartialDate, bool),
) {
    let parts = items::searched_texts(document, item);
    let base = dates.date_of(item.section);
    base.into_iter().for_each(|date| each(date, false));
    // The line that dates its section repeats the section's date: it is no better an answer than what it dates.
    if parts[0].starts_with("Date:") {
        return;
    }
    let day: Option<Date> = base.and_then(PartialDate::first_day);
    parts.iter().flat_map(|part| find_dates(part, day)).for_each(|date| each(date, true));
}

/// The sum of all items' smoothed lengths, in bytes.
pub fn total_length(document: &Document, items: &[DocumentItem]) -> f64 {
    let own: Vec<f32> = items.iter().map(|item| items::searched_length(document, item) as f32).collect();
    let of = |i: usize, far: i32, weight: f32| Some(weight * own.get(usize::try_from(i as i32 + far).ok()?)?);
    let around = |i: usize| SMOOTHING.into_iter().filter_map(|(far, weight)| of(i, far, weight)).sum::<f32>();
    (0..own.len()).map(|i| f64::from(around(i))).sum()
}

/// An item's smoothed length, in bytes.
pub fn smoothed_length(document: &Document, items: &[DocumentItem], at: usize) -> f32 {
    let of = |(far, weight): (i32, f32)| {
        let i = usize::try_from(at as i32 + far).ok()?;
        Some(weight * items::searched_length(document, items.get(i)?) as f32)
    };
    SMOOTHING.into_iter().filter_map(of).sum()
}

struct TermCounter<'a> {
    document: &'a Document,
    /// Only for a query with dates: section dates are costly to compute.
    section_dates: Option<&'a SectionDates>,
    terms: &'a QueryTerms,
    labels: Vec<u32>,
    /// The counts of the current item.
    tally: TermTally,
}

impl TermCounter<'_> {
    /// Adds the terms of an item to the tally.
    fn count_item(&mut self, item: &DocumentItem) {
        let TermCounter { document, section_dates, terms, labels, tally } = self;
        let parts = items::searched_texts(document, item);
        let label = items::label_of(parts[0], item.kind);
        // A Chinese or Japanese list without labels has one fact a line, and lines share characters by chance.
        let lent = if label.is_empty() && is_unspaced_text(parts[0]) { 0.0 } else { 1.0 };
        for part in parts {
            terms.find_in(part, |FoundTerm { term, is_same_word: literal }| {
                tally.add(term, TermCount { own: 1.0, lent, literal, ..TermCount::default() });
            });
        }
        if let Some(meta) = items::metadata_of(document, item)
            && let Some(keywords) = meta.keywords()
        {
            terms.find_in(keywords, |FoundTerm { term, .. }| {
                tally.add(term, TermCount { own: KEYWORD_WEIGHT, ..TermCount::default() });
            });
        }
        if !label.is_empty() {
            terms.find_in(label, |FoundTerm { term, .. }| {
                tally.add(term, TermCount { own: LABEL_WEIGHT - 1.0, lent: -lent, ..TermCount::default() });
                labels[term] += 1;
            });
        }
        if let Some(days) = section_dates {
            for_each_date(document, days, item, |date, literal| {
                let own = if literal { TEXT_DATE_WEIGHT } else { HEADING_DATE_WEIGHT };
                date.for_each_term(|term| {
                    if let Some(FoundTerm { term: t, .. }) = terms.find(&term) {
                        tally.add(t, TermCount { own, literal, ..TermCount::default() });
                    }
                });
            });
        }
    }
}

/// Whether most letters of a text are of a script without spaces, judged by its beginning.
fn is_unspaced_text(text: &str) -> bool {
    let letters = || text.chars().take(JUDGED_CHARS).filter(|c| c.is_alphabetic());
    !text.is_ascii() && 2 * letters().filter(|c| is_unspaced(*c)).count() > letters().count()
}

/// The counts of one item, by term.
struct TermTally {
    counts: Vec<TermCount>,
    /// The terms whose count is not empty.
    touched: Vec<u16>,
}

impl TermTally {
    fn new(terms: usize) -> TermTally {
        TermTally { counts: vec![TermCount::default(); terms], touched: Vec::new() }
    }

    fn add(&mut self, term: usize, more: TermCount) {
        let count = &mut self.counts[term];
        if count.own == 0.0 {
            self.touched.push(term as u16);
        }
        *count = TermCount {
            term: term as u16,
            own: count.own + more.own,
            lent: count.lent + more.lent,
            literal: count.literal || more.literal,
        };
    }

    /// The counts, which are reset; `None` if there are none.
    fn take(&mut self) -> Option<Vec<TermCount>> {
        let taken = self.touched.iter().map(|t| std::mem::take(&mut self.counts[usize::from(*t)])).collect();
        (!std::mem::take(&mut self.touched).is_empty()).then_some(taken)
    }
}
