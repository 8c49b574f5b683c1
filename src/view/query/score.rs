//! Ranks the counted items: BM25 over items with smoothed counts, a quarter of BM25 over files, two adjustments, and
//! link boosts.
//!
//! Never reads a text except for the adjustments. Equal counts give the same ranking, to the last bit. The BM25
//! constants and the adjustments were tuned on the evidence recall of LoCoMo.

use std::cmp::Ordering;
use std::collections::BTreeMap;

use super::bullet_origins::BulletOrigins;
use super::count::{ANSWER_SHARE, FileCounts, ItemHits, ItemizedFile, SMOOTHING, smoothed_length};
use super::filter::FilterResult;
use super::item_facts::{ItemDate, ItemFacts};
use super::items::{self, ItemKind};
use super::link_boost::add_link_boosts;
use super::speakers::NamedSpeaker;
use super::terms::QueryTerms;
use crate::policy::INSIGHT_CATEGORY;
use crate::text::dates::mentions_time;

/// BM25 k1: how soon further occurrences of a term stop to matter.
const K1: f64 = 1.2;
/// BM25 b for items: how much length matters.
const B_ITEM: f64 = 0.3;
/// BM25 b for files.
const B_FILE: f64 = 0.75;
/// Weight of the file's score.
const FILE_WEIGHT: f64 = 0.25;
/// Weight of a term that is the label of two or more bullets.
const LABEL_WEIGHT: f64 = 2.0;
/// Share of the best score added to an item with a time, if the query contains "when".
const TIME_SHARE: f64 = 0.15;
/// Share of the best score added to the newest item, if the query asks for what is newest; older ones get less of it.
const LATEST_SHARE: f64 = 0.3;
/// The share of the best score that such an item needs.
const LATEST_MIN_SHARE: f64 = 0.6;
/// Share of the best score subtracted from an item that is a question.
const QUESTION_SHARE: f64 = 0.10;
/// Share of its own score subtracted from an item under a label other than the one that the query names.
const SPEAKER_SHARE: f64 = 0.2;
/// Share of its own score subtracted from an insight: it is a guess, and what was said comes first.
const INSIGHT_SHARE: f64 = 0.5;
/// How often a word of the query counts as standing in each item of a file that it names.
const NAME_FREQUENCY: f64 = 0.25;
/// The share of the counts in an entry's title that those of its items get which are too far from it for [`SMOOTHING`].
const TITLE_SHARE: f32 = 0.1;
/// How far [`SMOOTHING`] reaches, in items.
const MAX_DISTANCE: usize = 2;
/// Minimum number of query words at which an item may match by its neighbours alone.
const MIN_WORDS: f64 = 3.0;
/// The share of the best score that such an item needs.
const NEIGHBOUR_SHARE: f64 = 1.0 / 3.0;
/// Maximum relevance of an item that does not contain every term itself.
const PARTIAL_RELEVANCE: f64 = 0.999;

/// An item that matches a query, and what its score consists of.
#[derive(Clone, Copy, Debug)]
pub struct ScoredItem {
    /// The index of the file in [`Ranking::files`].
    pub file: usize,
    /// Index into the file's items.
    pub item: usize,
    pub score: f64,
    pub adjustments: ScoreAdjustments,
    /// What linked items added to the score.
    pub link_boost: f64,
    pub date: Option<ItemDate>,
    /// How close its vector is to that of the question, from -1 to 1; `None` without vectors.
    pub similarity: Option<f64>,
    /// Whether only its vector matched: its terms and its file then count nothing.
    pub is_wordless: bool,
}

/// What an item's score gained or lost by more than its terms.
#[derive(Clone, Copy, Debug, Default)]
pub struct ScoreAdjustments {
    /// It contains a time, and the query "when".
    pub time: f64,
    /// It is a question itself.
    pub question: f64,
    /// Its label is one of several in its file, and the query names another of them.
    pub speaker: f64,
    /// It is an insight.
    pub insight: f64,
    /// The query asks for what is newest.
    pub latest: f64,
    /// Its vector is close to that of the query.
    pub vector: f64,
    /// Words of the query name its file.
    pub name: f64,
}

impl ScoreAdjustments {
    fn sum(self) -> f64 {
        self.time + self.question + self.speaker + self.insight + self.latest + self.vector + self.name
    }
}

/// The ranked items of a query.
pub struct Ranking<'a> {
    /// The files that contain a term.
    pub files: Vec<ItemFacts<'a>>,
    /// Best first; equal scores newest first, then in file order.
    pub hits: Vec<ScoredItem>,
    /// How many items were left out only because their date is unknown.
    pub undated: usize,
    scorer: Bm25Scorer,
}

/// BM25 with the statistics of this memory.
struct Bm25Scorer {
    /// For each term its weight times its inverse document frequency among items.
    items: Vec<f64>,
    /// For each term its weight times its inverse document frequency among files.
    files: Vec<f64>,
    mean_length: f64,
    mean_bytes: f64,
    /// The score of an item of mean length that contains every query term once; relevance is relative to it.
    full_match: f64,
    /// For each term whether relevance expects an item to contain it.
    is_expected: Vec<bool>,
    /// How many such terms there are; one more if words were left out, so that no item has all.
    expected: usize,
    /// How much larger a score may be with vectors.
    vector_factor: f64,
}

/// Ranks all items that pass `filter`. Without terms: everything that passes, newest first.
pub fn rank<'a>(
    counted: &'a [FileCounts],
    terms: &QueryTerms,
    origins: &'a BulletOrigins,
    filter: &dyn Fn(&ItemFacts<'_>, usize) -> FilterResult,
) -> Ranking<'a> {
    let found: Vec<(&ItemizedFile, usize)> =
        counted.iter().filter_map(|c| Some((c.matched.as_deref()?, c.bytes))).collect();
    let scorer = Bm25Scorer::new(counted, &found, terms);
    let files: Vec<ItemFacts<'a>> = found.iter().map(|(f, _)| ItemFacts::new(f, origins)).collect();
    let mut ranking = Ranking { files, hits: Vec::new(), undated: 0, scorer };
    ranking.score_items(&found, terms);
    ranking.add_named_items(&found, terms);
    ranking.adjust_scores(terms);
    ranking.apply_filter(filter);
    ranking.prefer_latest(terms);
    // Only now: an item that was filtered out must not boost others.
    if !terms.all.is_empty() {
        add_link_boosts(&ranking.files, &mut ranking.hits);
    }
    ranking.sort();
    ranking
}

impl Ranking<'_> {
    fn score_items(&mut self, found: &[(&ItemizedFile, usize)], terms: &QueryTerms) {
        let whole = terms.all.is_empty();
        // An item may match by its neighbours alone.
        let wide = word_count(terms) >= MIN_WORDS;
        for (file, (f, bytes)) in found.iter().enumerate() {
            let share = self.scorer.file_parts(f, *bytes).iter().sum::<f64>();
            let mut frequencies = vec![0.0; terms.all.len()];
            let near: Vec<usize> = match (whole, wide) {
                (true, _) => (0..f.items.len()).collect(),
                (false, true) => items_near_hits(f),
                (false, false) => f.hits.iter().map(|hits| hits.item).collect(),
            };
            for item in near {
                let score =
                    if whole { 0.0 } else { share + self.scorer.item_parts(f, item, &mut frequencies).sum::<f64>() };
                let adjustments = ScoreAdjustments::default();
                let (link_boost, date, similarity, is_wordless) = (0.0, None, None, false);
                let hit = ScoredItem { file, item, score, adjustments, link_boost, date, similarity, is_wordless };
                self.hits.push(hit);
            }
        }
        if whole || !wide {
            return;
        }
        let best = self.hits.iter().map(|h| h.score).fold(0.0, f64::max);
        self.hits.retain(|h| found[h.file].0.hits_of(h.item).is_some() || h.score >= NEIGHBOUR_SHARE * best);
    }

    /// Lets the name, the title and the tags of a file count for its items: a word that no item contains, and what an
    /// item lacks if it and the name together have every word of the query. So names change little where texts match.
    fn add_named_items(&mut self, found: &[(&ItemizedFile, usize)], terms: &QueryTerms) {
        if found.iter().all(|(file, _)| file.named.is_empty()) {
            return;
        }
        let mut is_in_item = vec![false; terms.all.len()];
        for count in found.iter().flat_map(|(file, _)| &file.hits).flat_map(|hits| &hits.counts) {
            is_in_item[usize::from(count.term)] = true;
        }
        let (worth, is_expected) = (&self.scorer.items, &self.scorer.is_expected);
        let name_score = |term: usize| worth[term] * term_frequency_factor(NAME_FREQUENCY, B_ITEM, 1.0);
        let mut added: BTreeMap<(usize, usize), f64> = BTreeMap::new();
        for (number, (file, _)) in found.iter().enumerate().filter(|(_, (file, _))| !file.named.is_empty()) {
            let is_named = |term: usize| file.named.binary_search(&(term as u16)).is_ok();
            let named: Vec<usize> =
                file.named.iter().map(|term| usize::from(*term)).filter(|term| is_expected[*term]).collect();
            for item in (0..file.items.len()).filter(|item| file.items[*item].kind != ItemKind::Heading) {
                let counts = file.hits_of(item).map_or(&[][..], |hits| &hits.counts);
                let is_here = |term: usize| counts.iter().any(|count| usize::from(count.term) == term);
                let expected = (0..is_expected.len()).filter(|term| is_expected[*term]);
                let has_all = terms.left_out == 0 && expected.clone().all(|term| is_here(term) || is_named(term));
                let counts_here = |term: &usize| {
                    !is_here(*term) && (has_all || !is_in_item[*term] && terms.all[*term].word.is_some())
                };
                let score: f64 = named.iter().copied().filter(counts_here).map(name_score).sum();
                if score > 0.0 {
                    added.insert((number, item), score);
                }
            }
        }
        for hit in &mut self.hits {
            hit.adjustments.name = added.remove(&(hit.file, hit.item)).unwrap_or_default();
        }
        for ((file, item), name) in added {
            let adjustments = ScoreAdjustments { name, ..ScoreAdjustments::default() };
            let score = self.scorer.file_parts(found[file].0, found[file].1).iter().sum();
            let (link_boost, date, similarity, is_wordless) = (0.0, None, None, false);
            self.hits.push(ScoredItem { file, item, score, adjustments, link_boost, date, similarity, is_wordless });
        }
        self.hits.sort_unstable_by_key(|hit| (hit.file, hit.item));
    }

    /// Adjusts scores: an answer to "when" contains a time, and a question is rarely an answer.
    fn adjust_scores(&mut self, terms: &QueryTerms) {
        if terms.all.is_empty() {
            return;
        }
        let best = self.hits.iter().map(|h| h.score).fold(0.0, f64::max);
        let speakers: Vec<Option<NamedSpeaker<'_>>> =
            self.files.iter().map(|facts| NamedSpeaker::find(facts.file, terms)).collect();
        for hit in &mut self.hits {
            let file = self.files[hit.file].file;
            let item = &file.items[hit.item];
            let [text, more] = items::searched_texts(&file.document, item);
            if terms.contains_when && (mentions_time(text) || mentions_time(more)) {
                hit.adjustments.time = TIME_SHARE * best;
            }
            if items::is_question(&file.document, item) {
                hit.adjustments.question = -QUESTION_SHARE * best;
            }
            if speakers[hit.file].as_ref().is_some_and(|speakers| speakers.is_another(items::label_of(text, item.kind)))
            {
                hit.adjustments.speaker = -SPEAKER_SHARE * hit.score;
            }
            if is_insight(text) {
                hit.adjustments.insight = -INSIGHT_SHARE * hit.score;
            }
            hit.score += hit.adjustments.sum();
        }
    }

    /// "What did we fix last time?": of items that match about equally, the newest; every older day gets less.
    fn prefer_latest(&mut self, terms: &QueryTerms) {
        if !terms.asks_for_latest || terms.all.is_empty() {
            return;
        }
        let best = self.hits.iter().map(|h| h.score).fold(0.0, f64::max);
        let dates: Vec<Option<ItemDate>> = self.hits.iter().map(|hit| self.files[hit.file].date(hit.item)).collect();
        let mut days: Vec<jiff::civil::Date> = dates.iter().flatten().map(|date| date.day).collect();
        days.sort_unstable();
        days.dedup();
        for (hit, date) in self.hits.iter_mut().zip(&dates).filter(|(hit, _)| hit.score >= LATEST_MIN_SHARE * best) {
            let place = date.as_ref().and_then(|date| days.binary_search(&date.day).ok()).map_or(0, |at| at + 1);
            let added = LATEST_SHARE * best * place as f64 / days.len().max(1) as f64;
            hit.adjustments.latest = added;
            hit.score += added;
        }
    }

    fn apply_filter(&mut self, filter: &dyn Fn(&ItemFacts<'_>, usize) -> FilterResult) {
        let mut undated = 0;
        let files = &self.files;
        self.hits.retain(|hit| match filter(&files[hit.file], hit.item) {
            FilterResult::Yes => true,
            FilterResult::No => false,
            FilterResult::Undated => {
                undated += 1;
                false
            }
        });
        self.undated = undated;
    }

    /// The score of an item that contains every term once.
    pub(super) fn full_match(&self) -> f64 {
        self.scorer.full_match
    }

    /// Relates the relevance of scores with a part for vectors to one that is larger by a factor.
    pub(super) fn widen_relevance(&mut self, factor: f64) {
        self.scorer.vector_factor = factor;
    }

    pub(super) fn sort(&mut self) {
        for hit in &mut self.hits {
            hit.date = self.files[hit.file].date(hit.item);
        }
        // `None` sorts as the oldest.
        self.hits.sort_by(|a, b| {
            let score = b.score.partial_cmp(&a.score).unwrap_or(Ordering::Equal);
            score.then(b.date.cmp(&a.date)).then(a.file.cmp(&b.file)).then(a.item.cmp(&b.item))
        });
    }

    /// Relevance, 0–1: 1 for an item that contains every query term itself, and for no other; else the score relative
    /// to that of an item which contains each once. A vector can only add to what the words give.
    pub fn relevance(&self, hit: &ScoredItem) -> f64 {
        if self.scorer.full_match <= 0.0 {
            return 1.0;
        }
        let own = self.files[hit.file].file.hits_of(hit.item);
        let has_all = own.is_some_and(|hits| {
            let literal =
                hits.counts.iter().filter(|count| count.literal && self.scorer.is_expected[usize::from(count.term)]);
            literal.count() == self.scorer.expected
        });
        if has_all {
            return 1.0;
        }
        let score = hit.score - hit.link_boost;
        let by_words = (score - hit.adjustments.vector) / self.scorer.full_match;
        let with_vector = score / (self.scorer.full_match * self.scorer.vector_factor);
        by_words.max(with_vector).clamp(0.0, PARTIAL_RELEVANCE)
    }

    /// What each query term, and the file, contributed to a score.
    pub fn contributions(&self, hit: &ScoredItem) -> (Vec<f64>, f64) {
        if hit.is_wordless {
            return (vec![0.0; self.scorer.items.len()], 0.0);
        }
        let found = self.files[hit.file].file;
        let file = self.scorer.file_parts(found, found.document.text().len()).iter().sum();
        let mut frequencies = vec![0.0; self.scorer.items.len()];
        (self.scorer.item_parts(found, hit.item, &mut frequencies).collect(), file)
    }
}

fn is_insight(text: &str) -> bool {
    text.strip_prefix('[')
        .is_some_and(|text| text.strip_prefix(INSIGHT_CATEGORY).is_some_and(|rest| rest.starts_with(']')))
}

/// The items that contain a term, and those close enough to get a share of its counts.
fn items_near_hits(file: &ItemizedFile) -> Vec<usize> {
    let mut near: Vec<usize> = Vec::with_capacity(file.hits.len() * SMOOTHING.len());
    for hits in &file.hits {
        let around = SMOOTHING.iter().filter_map(|(far, _)| usize::try_from(hits.item as i32 - far).ok());
        near.extend(around.filter(|i| *i < file.items.len()));
    }
    near.sort_unstable();
    near.dedup();
    near
}

/// The terms in the title of the entry that an item is in.
fn title_hits(file: &ItemizedFile, item: usize) -> Option<&ItemHits> {
    let sections = file.document.sections();
    let mut section = file.items[item].section;
    loop {
        // A section's items stand together, its title first.
        let first = file.items.partition_point(|other| other.section < section);
        let title = &file.items[first];
        if first < item && title.section == section && title.kind == ItemKind::Entry {
            return file.hits_of(first);
        }
        if section == 0 {
            return None;
        }
        section = sections[section as usize].parent;
    }
}

/// The number of words in a query; two characters of a script without spaces count as one.
fn word_count(terms: &QueryTerms) -> f64 {
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

impl Bm25Scorer {
    fn new(counted: &[FileCounts], found: &[(&ItemizedFile, usize)], terms: &QueryTerms) -> Bm25Scorer {
        let seen: Vec<(&FileCounts, usize)> = counted.iter().filter_map(|c| Some((c, c.items?))).collect();
        let items: usize = seen.iter().map(|(_, items)| items).sum();
        let bytes: usize = seen.iter().map(|(c, _)| c.bytes).sum();
        let lengths: f64 = seen.iter().map(|(c, _)| c.lengths).sum();
        let all_bytes: usize = counted.iter().map(|c| c.bytes).sum();
        // Files without a match are not parsed: estimate their items from their size.
        let unseen = (all_bytes - bytes) as f64 * items as f64 / bytes.max(1) as f64;
        let (n, files) = (items as f64 + unseen, counted.len() as f64);
        let weight = |t: usize| {
            let labels: u32 = found.iter().map(|(f, _)| f.labels[t]).sum();
            terms.all[t].weight * if labels >= 2 { LABEL_WEIGHT } else { 1.0 }
        };
        let rarity = |n: f64, df: usize| (1.0 + (n - df as f64 + 0.5).max(0.5) / (df as f64 + 0.5)).ln();
        let of = terms.all.len();
        let (mut item_df, mut file_df, mut last_file) = (vec![0; of], vec![0; of], vec![usize::MAX; of]);
        for (i, (file, _)) in found.iter().enumerate() {
            for term in file.hits.iter().flat_map(|hits| &hits.counts).map(|count| usize::from(count.term)) {
                item_df[term] += 1;
                file_df[term] += usize::from(std::mem::replace(&mut last_file[term], i) != i);
            }
        }
        let item_worth: Vec<f64> = (0..of).map(|t| weight(t) * rarity(n, item_df[t])).collect();
        let file_worth: Vec<f64> = (0..of).map(|t| weight(t) * rarity(files, file_df[t])).collect();
        let is_expected: Vec<bool> = terms.all.iter().map(|term| !term.implied).collect();
        let sum =
            |worth: &[f64]| -> f64 { worth.iter().zip(&is_expected).filter(|(_, is)| **is).map(|(w, _)| w).sum() };
        let full_match = sum(&item_worth) + FILE_WEIGHT * sum(&file_worth);
        Bm25Scorer {
            items: item_worth,
            files: file_worth,
            mean_length: (lengths / items.max(1) as f64).max(1.0),
            mean_bytes: (all_bytes as f64 / files.max(1.0)).max(1.0),
            full_match,
            expected: is_expected.iter().filter(|is| **is).count() + usize::from(terms.left_out > 0),
            vector_factor: 1.0,
            is_expected,
        }
    }

    /// What each term contributes to the score of an item. `frequencies` is scratch space, one place for each term.
    fn item_parts<'s>(
        &'s self,
        file: &ItemizedFile,
        item: usize,
        frequencies: &'s mut [f32],
    ) -> impl Iterator<Item = f64> + 's {
        frequencies.fill(0.0);
        for (far, weight) in SMOOTHING {
            let Some(hits) = usize::try_from(item as i32 + far).ok().and_then(|i| file.hits_of(i)) else { continue };
            let weight = if far == -1 && hits.is_question { ANSWER_SHARE } else { weight };
            for count in &hits.counts {
                let more = if far == 0 { count.own } else { weight * count.lent };
                frequencies[usize::from(count.term)] += more;
            }
        }
        let title = title_hits(file, item).filter(|hits| item - hits.item > MAX_DISTANCE);
        for count in title.iter().flat_map(|hits| &hits.counts) {
            frequencies[usize::from(count.term)] += TITLE_SHARE * count.lent;
        }
        let length = f64::from(smoothed_length(&file.document, &file.items, item)) / self.mean_length;
        let parts = self.items.iter().zip(&*frequencies);
        parts.map(move |(worth, tf)| worth * term_frequency_factor(f64::from(*tf), B_ITEM, length))
    }

    fn file_parts(&self, file: &ItemizedFile, bytes: usize) -> Vec<f64> {
        let length = bytes as f64 / self.mean_bytes;
        let mut held = vec![0.0; self.files.len()];
        for count in file.hits.iter().flat_map(|hits| &hits.counts) {
            held[usize::from(count.term)] += f64::from(count.own);
        }
        self.files
            .iter()
            .zip(held)
            .map(|(worth, held)| FILE_WEIGHT * worth * term_frequency_factor(held, B_FILE, length))
            .collect()
    }
}

/// BM25's term frequency factor; `length` is relative to the mean.
fn term_frequency_factor(tf: f64, b: f64, length: f64) -> f64 {
    if tf <= 0.0 { 0.0 } else { tf * (K1 + 1.0) / (tf + K1 * (1.0 - b + b * length)) }
}
