//! Finds pairs of bullets that may say the same, and puts each into a band.
//!
//! Never compares every bullet with every other: an index of words selects the candidates.

use std::collections::{BTreeSet, HashMap};

use super::DuplicateItem;
use crate::document::BulletMarks;
use crate::reflect::guards::GroundingSources;
use crate::reflect::guards::grounding::missing_particulars;
use crate::text::contradiction::compare_statements;
use crate::text::near_duplicate::extra_words;
use crate::text::similarity::TextFeatures;
use crate::text::statement::Statement;

/// A word that more bullets contain selects no candidates: in a list of sensor values, every bullet would be compared
/// with every other.
const MAX_ITEMS_PER_WORD: usize = 40;
/// The least similarity of a pair, 0 to 1.
const MIN_SIMILARITY: f64 = 0.5;
/// The same for bullets of different files, whose subjects often differ.
const MIN_SIMILARITY_ACROSS: f64 = 0.7;

/// What code can say of a pair.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PairBand {
    /// Equal apart from case and punctuation, in one section.
    Certain,
    /// Only a reader can tell.
    Ask,
    /// A name, a number, a date, a negation or an order differs.
    Different,
}

/// Two bullets that are similar, by index, the first in the memory first.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct DuplicatePair {
    pub a: usize,
    pub b: usize,
    /// From 0 to 1.
    pub similarity: f64,
    pub band: PairBand,
}

/// The pairs that may be duplicates, the most similar first. `is_eligible` says whether a pair is looked at; pairs of
/// different files only if `across_files`.
pub fn find_pairs(
    items: &[DuplicateItem],
    across_files: bool,
    is_eligible: &dyn Fn(&DuplicateItem, &DuplicateItem) -> bool,
) -> Vec<DuplicatePair> {
    let statements: Vec<Statement<'_>> = items.iter().map(|item| Statement::of(&item.text)).collect();
    let features: Vec<TextFeatures> = items.iter().map(|item| TextFeatures::of(&item.text)).collect();
    let mut pairs: Vec<DuplicatePair> = Vec::new();
    // An allowlist goes by the category.
    let marks: Vec<BulletMarks> = items.iter().map(|item| BulletMarks::of(&item.text)).collect();
    for (a, b) in candidates(items, &statements, across_files) {
        let can_be_same = marks[a] == marks[b] && can_be_same(&items[a], &items[b]);
        if !can_be_same || !is_eligible(&items[a], &items[b]) {
            continue;
        }
        let is_same_file = items[a].path == items[b].path;
        let similarity = features[a].similarity(&features[b]);
        let is_beside = is_same_file && items[a].section == items[b].section;
        let least = if is_same_file { MIN_SIMILARITY } else { MIN_SIMILARITY_ACROSS };
        let band = match is_beside && is_equal(&statements[a], &statements[b]) {
            true => PairBand::Certain,
            false if similarity < least => continue,
            false if is_different(&statements[a], &statements[b]) => PairBand::Different,
            false => PairBand::Ask,
        };
        pairs.push(DuplicatePair { a, b, similarity, band });
    }
    pairs.sort_by(|x, y| y.similarity.total_cmp(&x.similarity).then((x.a, x.b).cmp(&(y.a, y.b))));
    pairs
}

/// Pairs with a rare word in common, or with all words.
fn candidates(items: &[DuplicateItem], statements: &[Statement<'_>], across_files: bool) -> BTreeSet<(usize, usize)> {
    let mut by_word: HashMap<(&str, String), Vec<usize>> = HashMap::new();
    for (i, (item, statement)) in items.iter().zip(statements).enumerate() {
        let path = if across_files { "" } else { item.path.as_str() };
        let words: BTreeSet<&str> =
            statement.label_key.as_deref().into_iter().chain(statement.content().map(|t| t.key.as_str())).collect();
        let whole = words.iter().copied().collect::<Vec<_>>().join(" ");
        for word in words {
            by_word.entry((path, word.to_owned())).or_default().push(i);
        }
        by_word.entry((path, format!(" {whole}"))).or_default().push(i);
    }
    let mut pairs = BTreeSet::new();
    for ((_, word), of_word) in by_word {
        match of_word.len() <= MAX_ITEMS_PER_WORD {
            true => {
                for (n, &a) in of_word.iter().enumerate() {
                    pairs.extend(of_word[n + 1..].iter().map(|&b| (a, b)));
                }
            }
            // Equal texts, however many: each with the first.
            false if word.starts_with(' ') => pairs.extend(of_word[1..].iter().map(|&b| (of_word[0], b))),
            false => {}
        }
    }
    pairs
}

/// Whether one of two bullets of one category could stand for both, whatever their texts say.
fn can_be_same(a: &DuplicateItem, b: &DuplicateItem) -> bool {
    a.conditions == b.conditions && !(a.pinned && b.pinned)
}

fn is_equal(a: &Statement<'_>, b: &Statement<'_>) -> bool {
    a.text.trim() == b.text.trim() || extra_words(a, b) == Some(0) && a.has_same_tokens(b)
}

/// Whether each says something that excludes the other, or that the other cannot stand for.
fn is_different(a: &Statement<'_>, b: &Statement<'_>) -> bool {
    if a.is_negated() != b.is_negated() || compare_statements(a, b).is_some() {
        return true;
    }
    // The second look costs as much as the first, and mostly the first decides.
    let lost = lost_words(a.text, b.text);
    !lost.is_empty() && (lost.iter().any(|word| word == "order") || !lost_words(b.text, a.text).is_empty())
}

/// Names, numbers and dates of a text that another one lacks; `not` and `order` as in [`missing_particulars`].
pub(super) fn lost_words(text: &str, other: &str) -> Vec<String> {
    let sources = GroundingSources { quote: other, texts: vec![other], ..GroundingSources::default() };
    // A label is a part of the statement.
    missing_particulars(&text.replace(": ", " ").replace('：', " "), &sources)
}
