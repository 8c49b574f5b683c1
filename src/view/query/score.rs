//! Ranks what was counted: BM25 over items with their surroundings, a quarter of BM25 over files, two nudges and links.
//!
//! Never reads a text but for the nudges. The same counts give the same ranking, to the last bit.

use std::cmp::Ordering;

use super::count::{AROUND, Counted, Found, around};
use super::facts::{About, Moment};
use super::filter::Pass;
use super::items;
use super::known::Known;
use super::lift::lift;
use super::terms::Terms;
use crate::text::dates::tells_time;

/// How soon more of a term stops to matter.
const K1: f64 = 1.2;
/// How much an item's length matters.
const B_ITEM: f64 = 0.3;
/// How much a file's length matters.
const B_FILE: f64 = 0.75;
/// What the file adds.
const FILE: f64 = 0.25;
/// What a term counts that is a label of two or more bullets.
const LABELLED: f64 = 2.0;
/// Of the best score: what a time adds where the question asks when.
const TIME: f64 = 0.15;
/// Of the best score: what a question takes off.
const QUESTION: f64 = 0.10;
/// From so many words on, an item may be an answer for what stands around it alone.
const WORDS: f64 = 3.0;
/// Then it must have this share of the best score.
const NEIGHBOUR: f64 = 1.0 / 3.0;

/// One item that fits.
#[derive(Clone, Copy, Debug)]
pub struct Hit {
    /// The file, an index into [`Ranking::files`].
    pub file: usize,
    /// The item, an index into the file's.
    pub item: usize,
    /// Its score.
    pub score: f64,
    /// What time or a question mark added to it.
    pub nudge: f64,
    /// What an item that it is linked with added to it.
    pub lift: f64,
    /// When it is from.
    pub moment: Option<Moment>,
}

/// What a ranking came to.
pub struct Ranking<'a> {
    /// The files in which something was found.
    pub files: Vec<About<'a>>,
    /// Best first; of equals the newest first, then in file order.
    pub hits: Vec<Hit>,
    /// How many items would have passed, were their day known.
    pub undated: usize,
    scorer: Scorer,
}

/// What a score is made of: the question's terms, and what they are worth in this memory.
struct Scorer {
    /// By term: its weight times its rarity among items.
    items: Vec<f64>,
    /// By term: its weight times its rarity among files.
    files: Vec<f64>,
    mean_length: f64,
    mean_bytes: f64,
    /// The score of an item of ordinary length that says every word of the question once.
    best: f64,
}

/// Ranks all items that pass the gate. `terms` without any: everything that passes, newest first.
pub fn rank<'a>(
    counted: &'a [Counted],
    terms: &Terms,
    known: &'a Known,
    gate: &dyn Fn(&About<'_>, usize) -> Pass,
) -> Ranking<'a> {
    let found: Vec<(&Found, usize)> = counted.iter().filter_map(|c| Some((c.found.as_deref()?, c.bytes))).collect();
    let scorer = Scorer::new(counted, &found, terms);
    let files: Vec<About<'a>> = found.iter().map(|(f, _)| About::new(f, known)).collect();
    let mut ranking = Ranking { files, hits: Vec::new(), undated: 0, scorer };
    ranking.score(&found, terms);
    ranking.nudge(terms);
    ranking.pass(gate);
    // Only now: what did not pass lifts nothing.
    if !terms.all.is_empty() {
        lift(&ranking.files, &mut ranking.hits);
    }
    ranking.sort();
    ranking
}

impl Ranking<'_> {
    fn score(&mut self, found: &[(&Found, usize)], terms: &Terms) {
        let whole = terms.all.is_empty();
        for (file, (f, bytes)) in found.iter().enumerate() {
            let share = self.scorer.file_parts(f, *bytes).iter().sum::<f64>();
            let near: Vec<usize> = match whole {
                true => (0..f.items.len()).collect(),
                false => near(f),
            };
            for item in near {
                let score = if whole { 0.0 } else { share + self.scorer.item_parts(f, item).iter().sum::<f64>() };
                self.hits.push(Hit { file, item, score, nudge: 0.0, lift: 0.0, moment: None });
            }
        }
        if whole {
            return;
        }
        let best = self.hits.iter().map(|h| h.score).fold(0.0, f64::max);
        let wide = words(terms) >= WORDS;
        self.hits.retain(|h| {
            let own = found[h.file].0.hits.binary_search_by_key(&h.item, |(i, _)| *i).is_ok();
            own || wide && h.score >= NEIGHBOUR * best
        });
    }

    /// Answers to "when" tell a time, and answers are no questions.
    fn nudge(&mut self, terms: &Terms) {
        if terms.all.is_empty() {
            return;
        }
        let best = self.hits.iter().map(|h| h.score).fold(0.0, f64::max);
        for hit in &mut self.hits {
            let found = self.files[hit.file].found;
            let [text, more] = items::parts(&found.document, &found.items[hit.item]);
            if terms.asks_when && (tells_time(text) || tells_time(more)) {
                hit.nudge += TIME * best;
            }
            if text.trim_end().ends_with(['?', '？']) {
                hit.nudge -= QUESTION * best;
            }
            hit.score += hit.nudge;
        }
    }

    fn pass(&mut self, gate: &dyn Fn(&About<'_>, usize) -> Pass) {
        let mut undated = 0;
        let files = &self.files;
        self.hits.retain(|hit| match gate(&files[hit.file], hit.item) {
            Pass::Yes => true,
            Pass::No => false,
            Pass::Undated => {
                undated += 1;
                false
            }
        });
        self.undated = undated;
    }

    fn sort(&mut self) {
        for hit in &mut self.hits {
            hit.moment = self.files[hit.file].moment(hit.item);
        }
        // `None` is the oldest.
        self.hits.sort_by(|a, b| {
            let score = b.score.partial_cmp(&a.score).unwrap_or(Ordering::Equal);
            score.then(b.moment.cmp(&a.moment)).then(a.file.cmp(&b.file)).then(a.item.cmp(&b.item))
        });
    }

    /// How well a hit fits, 0–1: its score by that of an item that says every word of the question once.
    pub fn relevance(&self, hit: &Hit) -> f64 {
        match self.scorer.best > 0.0 {
            true => ((hit.score - hit.lift) / self.scorer.best).clamp(0.0, 1.0),
            false => 1.0,
        }
    }

    /// What each term of the question contributed to a hit, and what the file did.
    pub fn parts(&self, hit: &Hit) -> (Vec<f64>, f64) {
        let found = self.files[hit.file].found;
        let file = self.scorer.file_parts(found, found.document.text().len()).iter().sum();
        (self.scorer.item_parts(found, hit.item), file)
    }
}

/// The items that hold a term, and those around them.
fn near(found: &Found) -> Vec<usize> {
    let mut near: Vec<usize> = Vec::with_capacity(found.hits.len() * AROUND.len());
    for (hit, _) in &found.hits {
        let around = AROUND.iter().filter_map(|(far, _)| usize::try_from(*hit as i32 - far).ok());
        near.extend(around.filter(|i| *i < found.items.len()));
    }
    near.sort_unstable();
    near.dedup();
    near
}

/// How many words a question has; two characters of a script without spaces are one.
fn words(terms: &Terms) -> f64 {
    let of = |text: &str| match text.chars().next() {
        Some('@') => 0.0,
        Some(c) if crate::text::words::is_unspaced(c) => {
            if text.chars().nth(1).is_none() {
                0.5
            } else {
                0.0
            }
        }
        _ => 1.0,
    };
    terms.all.iter().map(|t| of(&t.text)).sum()
}

impl Scorer {
    fn new(counted: &[Counted], found: &[(&Found, usize)], terms: &Terms) -> Scorer {
        let seen: Vec<(&Counted, usize)> = counted.iter().filter_map(|c| Some((c, c.items?))).collect();
        let items: usize = seen.iter().map(|(_, items)| items).sum();
        let bytes: usize = seen.iter().map(|(c, _)| c.bytes).sum();
        let lengths: f64 = seen.iter().map(|(c, _)| c.lengths).sum();
        let all_bytes: usize = counted.iter().map(|c| c.bytes).sum();
        // Files without a hit are not cut into items: as many as their bytes would give elsewhere.
        let unseen = (all_bytes - bytes) as f64 * items as f64 / bytes.max(1) as f64;
        let (n, files) = (items as f64 + unseen, counted.len() as f64);
        let weight = |t: usize| {
            let labels: u32 = found.iter().map(|(f, _)| f.labels[t]).sum();
            terms.all[t].times * if labels >= 2 { LABELLED } else { 1.0 }
        };
        let holding = |t: usize| found.iter().map(move |(f, _)| f.hits.iter().filter(|(_, c)| c[t] > 0.0).count());
        let rarity = |n: f64, df: usize| (1.0 + (n - df as f64 + 0.5).max(0.5) / (df as f64 + 0.5)).ln();
        let of = 0..terms.all.len();
        let item_worth: Vec<f64> = of.clone().map(|t| weight(t) * rarity(n, holding(t).sum())).collect();
        let file_worth: Vec<f64> =
            of.map(|t| weight(t) * rarity(files, holding(t).filter(|df| *df > 0).count())).collect();
        let asked =
            |worth: &[f64]| -> f64 { (0..worth.len()).filter(|t| !terms.all[*t].implied).map(|t| worth[t]).sum() };
        let best = asked(&item_worth) + FILE * asked(&file_worth);
        Scorer {
            items: item_worth,
            files: file_worth,
            mean_length: (lengths / items.max(1) as f64).max(1.0),
            mean_bytes: (all_bytes as f64 / files.max(1.0)).max(1.0),
            best,
        }
    }

    fn item_parts(&self, found: &Found, item: usize) -> Vec<f64> {
        let mut held = vec![0.0_f32; self.items.len()];
        for (far, weight) in AROUND {
            let Ok(i) = usize::try_from(item as i32 + far) else { continue };
            if let Ok(at) = found.hits.binary_search_by_key(&i, |(i, _)| *i) {
                held.iter_mut().zip(&found.hits[at].1).for_each(|(h, c)| *h += weight * c);
            }
        }
        let length = f64::from(around(&found.document, &found.items, item)) / self.mean_length;
        self.items.iter().zip(held).map(|(worth, tf)| worth * saturated(f64::from(tf), B_ITEM, length)).collect()
    }

    fn file_parts(&self, found: &Found, bytes: usize) -> Vec<f64> {
        let length = bytes as f64 / self.mean_bytes;
        let held = |t: usize| found.hits.iter().map(|(_, c)| f64::from(c[t])).sum::<f64>();
        self.files.iter().enumerate().map(|(t, worth)| FILE * worth * saturated(held(t), B_FILE, length)).collect()
    }
}

/// BM25's share of a term that stands `tf` times in a text that is `length` times as long as the mean.
fn saturated(tf: f64, b: f64, length: f64) -> f64 {
    if tf <= 0.0 { 0.0 } else { tf * (K1 + 1.0) / (tf + K1 * (1.0 - b + b * length)) }
}
