//! Adds to the ranking by words how close the vector of an item is to that of the question.
//!
//! Pure: vectors are arguments. Only facts have vectors; episodes are ranked by their words alone. Mean and best are
//! taken over the items that this search may show, so that nothing else has a part in a score.
//!
//! The sum is linear. Reciprocal ranks in its place lose much of what the words know (turns of LoCoMo: recall at ten
//! 0.665), because they forget by how much an item is better than the next.

use super::bullet_origins::BulletOrigins;
use super::count::ItemizedFile;
use super::filter::FilterResult;
use super::item_facts::ItemFacts;
use super::items::{self, DocumentItem, ItemKind};
use super::score::{Ranking, ScoreAdjustments, ScoredItem};
use super::vector_table::{TextHash, VectorTable};
use crate::path::MemoryPath;

/// What the closest item gains, relative to the best score by words.
pub const VECTOR_WEIGHT: f64 = 0.8;
/// An item without a word of the question is shown from this closeness on: half as far from the mean as the closest.
const MIN_CLOSENESS: f64 = 0.5;
/// The most such items.
const MAX_WORDLESS: usize = 20;
/// What stands for the best score where no item has a word of the question, relative to one with all words.
const WORDLESS_SHARE: f64 = 0.5;
/// The most characters of a text of which a vector is made.
const MAX_TEXT_CHARS: usize = 1000;

/// The text of an item that is turned into a vector; `None` for an item that has none: episodes, archive, proposals and
/// procedures, headings and code.
pub fn vector_text(file: &ItemizedFile, item: &DocumentItem) -> Option<String> {
    vector_text_unless(file, item, |_| false)
}

/// Like [`vector_text`]; `None`, too, if `is_excluded` for the whole text of the item, before it is cut.
pub fn vector_text_unless(
    file: &ItemizedFile,
    item: &DocumentItem,
    is_excluded: impl Fn(&str) -> bool,
) -> Option<String> {
    if !has_vectors(&file.path) || !matches!(item.kind, ItemKind::Bullet(_) | ItemKind::Paragraph | ItemKind::Row) {
        return None;
    }
    let mut text = items::item_line(&file.document, item);
    if is_excluded(&text) {
        return None;
    }
    if let Some((end, _)) = text.char_indices().nth(MAX_TEXT_CHARS) {
        text.truncate(end);
    }
    Some(text).filter(|text| text.chars().any(char::is_alphanumeric))
}

/// Whether the items of a file have vectors.
pub fn has_vectors(path: &MemoryPath) -> bool {
    !path.holds_episodes() && !matches!(path.folder(), Some("archive" | "inbox" | "procedures" | "episodes"))
}

/// The question's vector, of length 1, and those of the items.
pub struct VectorQuery<'v> {
    pub question: &'v [f32],
    pub table: &'v VectorTable,
}

/// How close an item is.
struct CloseItem {
    file: usize,
    item: usize,
    /// The number of its vector.
    vector: usize,
    cosine: f64,
}

impl<'a> Ranking<'a> {
    /// Ranks again, with vectors. `others` are the files without a word of the question.
    pub fn add_vectors(
        &mut self,
        query: &VectorQuery<'_>,
        others: &'a [ItemizedFile],
        origins: &'a BulletOrigins,
        filter: &dyn Fn(&ItemFacts<'_>, usize) -> FilterResult,
    ) {
        self.files.extend(others.iter().map(|file| ItemFacts::new(file, origins)));
        let close = self.close_items(query, filter);
        let cosines: Vec<f64> = close.iter().map(|item| item.cosine).collect();
        let (Some(closeness), Some(best)) = (closeness(&cosines), self.best_score()) else {
            self.files.truncate(self.files.len() - others.len());
            return;
        };
        let similarity = centred_cosines(query, &close);
        let mut by_item: Vec<Option<usize>> = self.hits.iter().map(|_| None).collect();
        let mut wordless: Vec<usize> = Vec::new();
        let places: std::collections::HashMap<(usize, usize), usize> =
            self.hits.iter().enumerate().map(|(n, hit)| ((hit.file, hit.item), n)).collect();
        for (n, item) in close.iter().enumerate() {
            match places.get(&(item.file, item.item)) {
                Some(place) => by_item[*place] = Some(n),
                None if closeness[n] >= MIN_CLOSENESS => wordless.push(n),
                None => {}
            }
        }
        for (hit, close) in self.hits.iter_mut().zip(&by_item) {
            // An item without a vector gets the similarity of its word score, so that it keeps its rank.
            let part = close.map_or(hit.score / best, |n| closeness[n]);
            hit.adjustments.vector = VECTOR_WEIGHT * best * part;
            hit.similarity = close.map(|n| similarity[n]);
            hit.score += hit.adjustments.vector;
        }
        wordless.sort_by(|a, b| closeness[*b].total_cmp(&closeness[*a]));
        self.hits.extend(wordless.into_iter().take(MAX_WORDLESS).map(|n| {
            let CloseItem { file, item, .. } = close[n];
            let score = VECTOR_WEIGHT * best * closeness[n];
            ScoredItem {
                file,
                item,
                score,
                adjustments: ScoreAdjustments { vector: score, ..ScoreAdjustments::default() },
                link_boost: 0.0,
                date: None,
                similarity: Some(similarity[n]),
                is_wordless: true,
            }
        }));
        self.widen_relevance(1.0 + VECTOR_WEIGHT);
        self.sort();
    }

    /// The items with a vector that pass the filter.
    fn close_items(
        &self,
        query: &VectorQuery<'_>,
        filter: &dyn Fn(&ItemFacts<'_>, usize) -> FilterResult,
    ) -> Vec<CloseItem> {
        let mut close = Vec::new();
        for (file, facts) in self.files.iter().enumerate().filter(|(_, facts)| has_vectors(&facts.file.path)) {
            for (n, item) in facts.file.items.iter().enumerate() {
                let found = vector_text(facts.file, item).and_then(|text| query.table.find(&TextHash::of(&text)));
                let Some(vector) = found.filter(|_| filter(facts, n) == FilterResult::Yes) else { continue };
                close.push(CloseItem { file, item: n, vector, cosine: query.table.dot(vector, query.question) });
            }
        }
        close
    }

    /// The best score by words, or what stands for it.
    fn best_score(&self) -> Option<f64> {
        let best = self.hits.iter().map(|hit| hit.score).fold(0.0, f64::max);
        let best = if best > 0.0 { best } else { WORDLESS_SHARE * self.full_match() };
        Some(best).filter(|best| *best > 0.0)
    }
}

/// How close items are, from their cosines: 1 for the closest, 0 for the mean and what is farther. `None` if they do
/// not differ.
fn closeness(cosines: &[f64]) -> Option<Vec<f64>> {
    let mean = cosines.iter().sum::<f64>() / cosines.len().max(1) as f64;
    let max = cosines.iter().copied().fold(f64::MIN, f64::max);
    (cosines.len() > 1 && max > mean).then(|| cosines.iter().map(|c| ((c - mean) / (max - mean)).max(0.0)).collect())
}

/// The cosines relative to the mean vector of the items. Models put all texts into one corner of their space, each
/// model into another; what is left without the mean can be compared with a bound.
fn centred_cosines(query: &VectorQuery<'_>, close: &[CloseItem]) -> Vec<f64> {
    let mut sum = vec![0.0; query.table.dimensions()];
    close.iter().for_each(|item| query.table.add_to(item.vector, &mut sum));
    let mean: Vec<f32> = sum.iter().map(|n| (n / close.len().max(1) as f64) as f32).collect();
    let product = |a: &[f32], b: &[f32]| a.iter().zip(b).map(|(a, b)| f64::from(a * b)).sum::<f64>();
    let (mean_mean, mean_question) = (product(&mean, &mean), product(&mean, query.question));
    let question_length = (product(query.question, query.question) - 2.0 * mean_question + mean_mean).max(0.0).sqrt();
    let centred = |item: &CloseItem| {
        let with_mean = query.table.dot(item.vector, &mean);
        let length = (query.table.squared_length(item.vector) - 2.0 * with_mean + mean_mean).max(0.0).sqrt();
        let lengths = length * question_length;
        if lengths > 1e-9 { (item.cosine - with_mean - mean_question + mean_mean) / lengths } else { 0.0 }
    };
    close.iter().map(centred).collect()
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::super::count::{FileCounts, ScanDepth, count_terms};
    use super::super::prefilter::TermPrefilter;
    use super::super::score::rank;
    use super::super::terms::QueryTerms;
    use super::super::vector_table::StoredVector;
    use super::*;
    use crate::document::Document;

    fn check(files: &[(&str, &str)], vectors: &[(&str, [f32; 2])], question: &str, expected: &[&str]) {
        let terms = QueryTerms::parse(question, jiff::civil::date(2026, 2, 24));
        let prefilter = TermPrefilter::new(&terms);
        let path = |path: &str| MemoryPath::from_disk_name(path).unwrap();
        let counted: Vec<FileCounts> = files
            .iter()
            .map(|(p, text)| count_terms(&path(p), text.as_bytes().into(), &terms, &prefilter, ScanDepth::Prefiltered))
            .collect();
        let others: Vec<ItemizedFile> = files
            .iter()
            .zip(&counted)
            .filter(|(_, counted)| counted.matched.is_none())
            .map(|((p, text), _)| ItemizedFile::without_counts(path(p), Document::parse(*text)))
            .collect();
        let stored: BTreeMap<TextHash, StoredVector> =
            vectors.iter().map(|(text, v)| (TextHash::of(text), StoredVector::new(v).unwrap())).collect();
        let table = VectorTable::decode(VectorTable::encode("m", "i", &stored), "i").unwrap();
        let origins = BulletOrigins::default();
        let mut ranking = rank(&counted, &terms, &origins, &|_, _| FilterResult::Yes);
        let query = VectorQuery { question: &[1.0, 0.0], table: &table };
        ranking.add_vectors(&query, &others, &origins, &|_, _| FilterResult::Yes);
        let texts: Vec<String> = ranking
            .hits
            .iter()
            .map(|hit| {
                let file = ranking.files[hit.file].file;
                items::item_line(&file.document, &file.items[hit.item])
            })
            .collect();
        assert_eq!(texts, expected);
    }

    const FACTS: (&str, &str) = ("facts/a.md", "# A\n\n- Drinks tea\n- Rides a bike\n- Sleeps long\n");

    #[test]
    fn a_close_item_without_a_word_is_found_behind_one_with_words() {
        let vectors = [("Drinks tea", [0.9, 0.4]), ("Rides a bike", [1.0, 0.0]), ("Sleeps long", [0.0, 1.0])];
        check(&[FACTS], &vectors, "tea", &["Drinks tea", "Rides a bike"]);
        check(&[FACTS], &vectors, "pedals", &["Rides a bike", "Drinks tea"]);
        check(&[FACTS], &[], "tea", &["Drinks tea"]);
        check(&[FACTS], &vectors[..1], "pedals", &[]);
    }

    #[test]
    fn a_closer_item_overtakes_one_with_more_words() {
        let file = ("facts/a.md", "# A\n\n- Rides a bike\n- Drinks tea on a bike trip\n- Sleeps long\n");
        let (ride, tea) = ("Rides a bike", "Drinks tea on a bike trip");
        check(&[file], &[], "bike trip", &[tea, ride]);
        let vectors = [(tea, [0.1, 1.0]), (ride, [1.0, 0.0]), ("Sleeps long", [0.0, 1.0])];
        check(&[file], &vectors, "bike trip", &[ride, tea]);
    }

    #[test]
    fn episodes_are_ranked_by_their_words() {
        let episode = ("episodes/2026-02.md", "# 2026-02\n\n## Trip\n- Tea with Ann in the tea house\n");
        let vectors = [
            ("Drinks tea", [0.0, 1.0]),
            ("Rides a bike", [1.0, 0.0]),
            ("Sleeps long", [0.0, 1.0]),
            ("Tea with Ann in the tea house", [0.0, 1.0]),
        ];
        check(
            &[FACTS, episode],
            &vectors,
            "tea house",
            &["Tea with Ann in the tea house", "Rides a bike", "Drinks tea"],
        );
        // Nor are those of archive and procedures found by their vectors.
        check(&[("procedures/a.md", FACTS.1), ("archive/facts/a.md", FACTS.1)], &vectors, "pedals", &[]);
    }

    #[test]
    fn closeness_is_relative_to_the_mean_and_the_best() {
        let close = |cosines: &[f64]| closeness(cosines);
        assert_eq!(
            close(&[0.8, 0.9, 1.0]).unwrap().iter().map(|c| (c * 100.0).round()).collect::<Vec<_>>(),
            [0.0, 0.0, 100.0]
        );
        assert_eq!((close(&[]), close(&[0.5]), close(&[0.5, 0.5])), (None, None, None));
    }
}
