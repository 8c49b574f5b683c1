//! Computes the similarity of two short texts, to match what a merge or a diff pairs, and for "did you mean" hints.
//!
//! Never decides whether two texts are the same: similar texts can have opposite meanings.

use std::cmp::Ordering;

use super::{stem, words};

/// The similarity of two short texts, from 0 (nothing in common) to 1 (the same sequence of stems).
///
/// The mean of two Dice coefficients: over stemmed words, which ignores order and inflection, and over letter pairs,
/// which tolerates typing errors and compound words.
pub fn similarity(a: &str, b: &str) -> f64 {
    TextFeatures::of(a).similarity(&TextFeatures::of(b))
}

/// The precomputed features of a text, for comparing one text with many.
#[derive(Clone, Debug)]
pub struct TextFeatures {
    stems: Vec<String>,
    sorted: Vec<String>,
    pairs: Vec<[char; 2]>,
    trimmed: String,
}

impl TextFeatures {
    /// Computes the features of a text.
    pub fn of(text: &str) -> TextFeatures {
        let stems: Vec<String> = words(text).map(|w| stem(&w.text).into_owned()).collect();
        let (mut sorted, mut pairs) = (stems.clone(), letter_pairs(&stems));
        sorted.sort_unstable();
        pairs.sort_unstable();
        let trimmed = if stems.is_empty() { text.trim().to_owned() } else { String::new() };
        TextFeatures { stems, sorted, pairs, trimmed }
    }

    /// Returns [`similarity`] of the two texts.
    pub fn similarity(&self, other: &TextFeatures) -> f64 {
        if self.stems == other.stems {
            return if self.trimmed == other.trimmed { 1.0 } else { 0.0 };
        }
        (dice_coefficient(&self.sorted, &other.sorted) + dice_coefficient(&self.pairs, &other.pairs)) / 2.0
    }
}

/// Whether the edit distance of two words is at most `most`.
pub fn within_edit_distance(a: &str, b: &str, most: usize) -> bool {
    edit_distance(a, b, most).is_some()
}

/// The edit distance of two words: insertions, deletions, substitutions and swaps of adjacent letters (optimal string
/// alignment distance). Letters are Unicode scalar values. `None` if it is more than `most`.
pub fn edit_distance(a: &str, b: &str, most: usize) -> Option<usize> {
    let (a, b): (Vec<char>, Vec<char>) = (a.chars().collect(), b.chars().collect());
    if a.len().abs_diff(b.len()) > most {
        return None;
    }
    let (mut older, mut old): (Vec<usize>, Vec<usize>) = (Vec::new(), (0..=b.len()).collect());
    for i in 1..=a.len() {
        let mut row = vec![i; b.len() + 1];
        for j in 1..=b.len() {
            let same = a[i - 1] == b[j - 1];
            row[j] = (old[j - 1] + usize::from(!same)).min(old[j] + 1).min(row[j - 1] + 1);
            if i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1] {
                row[j] = row[j].min(older[j - 2] + 1);
            }
        }
        if row.iter().all(|&d| d > most) {
            return None;
        }
        (older, old) = (old, row);
    }
    Some(old[b.len()]).filter(|distance| *distance <= most)
}

/// The trigrams of a word, with a mark for its beginning and end, to compare it with many others.
#[derive(Clone, Debug)]
pub struct WordTrigrams(Vec<[char; 3]>);

impl WordTrigrams {
    pub fn of(word: &str) -> WordTrigrams {
        let padded: Vec<char> = "  ".chars().chain(word.chars()).chain([' ']).collect();
        let mut trigrams: Vec<[char; 3]> = padded.windows(3).map(|w| [w[0], w[1], w[2]]).collect();
        trigrams.sort_unstable();
        WordTrigrams(trigrams)
    }

    /// Dice's coefficient of two words, 0 to 1: the share of their trigrams that both have.
    pub fn dice(&self, other: &WordTrigrams) -> f64 {
        dice_coefficient(&self.0, &other.0)
    }
}

fn letter_pairs(words: &[String]) -> Vec<[char; 2]> {
    let letters: Vec<char> = words.iter().flat_map(|w| w.chars()).collect();
    letters.windows(2).map(|w| [w[0], w[1]]).collect()
}

/// Dice's coefficient of two sorted slices with repeated elements.
fn dice_coefficient<T: Ord>(a: &[T], b: &[T]) -> f64 {
    let (mut i, mut j, mut common) = (0, 0, 0);
    while let (Some(x), Some(y)) = (a.get(i), b.get(j)) {
        match x.cmp(y) {
            Ordering::Less => i += 1,
            Ordering::Greater => j += 1,
            Ordering::Equal => (i, j, common) = (i + 1, j + 1, common + 1),
        }
    }
    if a.len() + b.len() == 0 { 0.0 } else { 2.0 * f64::from(common) / (a.len() + b.len()) as f64 }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_same_words_are_the_same_text() {
        assert_eq!(similarity("Prefers tabs", "prefers  tabs."), 1.0);
        assert_eq!(similarity("", ""), 1.0);
        assert_eq!(similarity("!", "?"), 0.0);
    }

    #[test]
    fn texts_that_look_alike_are_more_similar_than_others() {
        for (a, b) in [
            ("Prefers window seats", "prefers a window seat"),
            ("Standup is at 10:00 every Monday", "Standup is at 10:30 every Monday"),
            ("用户喜欢喝绿茶", "用户很喜欢喝绿茶"),
        ] {
            assert!(similarity(a, b) >= 0.75, "{a} / {b}: {}", similarity(a, b));
        }
        for (a, b) in [
            ("Prefers tabs", "Prefers spaces"),
            ("Lives in Austin", "Works at a bakery in Lyon"),
            ("Vegan since 2024", "Allergic to peanuts"),
            ("用户喜欢喝绿茶", "项目使用英文代码"),
        ] {
            assert!(similarity(a, b) < 0.75, "{a} / {b}: {}", similarity(a, b));
        }
    }

    #[test]
    fn edit_distance_counts_typing_errors() {
        for (a, b, distance) in [
            ("user", "user", 0),
            ("usr", "user", 1),
            ("uesr", "user", 1),
            ("projcets", "projects", 1),
            ("wrok", "works", 2),
            ("", "ab", 2),
            ("猫犬", "猫", 1),
            ("abc", "xyz", 3),
            ("ca", "abc", 3),
        ] {
            for most in 0..5 {
                let expected = Some(distance).filter(|distance| *distance <= most);
                assert_eq!(edit_distance(a, b, most), expected, "{a} {b} {most}");
                assert_eq!(edit_distance(b, a, most), expected, "{b} {a} {most}");
            }
        }
    }
}
