//! How alike two short texts are: for warnings about near duplicates, and for "did you mean".
//!
//! Never decides what is the same: two texts can be alike and say the opposite.

use std::cmp::Ordering;

use super::{stem, words};

/// From this likeness on, two bullets are near duplicates: worth a warning, never a refusal.
pub const NEAR: f64 = 0.75;

/// How alike two short texts are, from 0 (nothing in common) to 1 (the same words in the same letters).
///
/// The mean of two Dice coefficients: over stemmed words, which forgives order and forms, and over pairs of letters,
/// which forgives typing errors and words written together.
pub fn likeness(a: &str, b: &str) -> f64 {
    Features::of(a).likeness(&Features::of(b))
}

/// What of a text is compared: for one that is compared with many.
#[derive(Clone, Debug)]
pub struct Features {
    stems: Vec<String>,
    sorted: Vec<String>,
    pairs: Vec<[char; 2]>,
    trimmed: String,
}

impl Features {
    /// Takes a text apart.
    pub fn of(text: &str) -> Features {
        let stems: Vec<String> = words(text).map(|w| stem(&w.text).into_owned()).collect();
        let (mut sorted, mut pairs) = (stems.clone(), pairs(&stems));
        sorted.sort_unstable();
        pairs.sort_unstable();
        let trimmed = if stems.is_empty() { text.trim().to_owned() } else { String::new() };
        Features { stems, sorted, pairs, trimmed }
    }

    /// [`likeness`] of the two texts.
    pub fn likeness(&self, other: &Features) -> f64 {
        if self.stems == other.stems {
            return if self.trimmed == other.trimmed { 1.0 } else { 0.0 };
        }
        (dice(&self.sorted, &other.sorted) + dice(&self.pairs, &other.pairs)) / 2.0
    }
}

/// Whether at most `most` letters must be added, left out, changed or swapped with their neighbour to get from one
/// word to the other (Damerau and Levenshtein's distance, no letter touched twice). Letters are Unicode scalar values.
pub fn within(a: &str, b: &str, most: usize) -> bool {
    let (a, b): (Vec<char>, Vec<char>) = (a.chars().collect(), b.chars().collect());
    if a.len().abs_diff(b.len()) > most {
        return false;
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
            return false;
        }
        (older, old) = (old, row);
    }
    old[b.len()] <= most
}

fn pairs(words: &[String]) -> Vec<[char; 2]> {
    let letters: Vec<char> = words.iter().flat_map(|w| w.chars()).collect();
    letters.windows(2).map(|w| [w[0], w[1]]).collect()
}

/// Dice's coefficient of two sorted rows, each thing counted as often as it stands.
fn dice<T: Ord>(a: &[T], b: &[T]) -> f64 {
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
        assert_eq!(likeness("Prefers tabs", "prefers  tabs."), 1.0);
        assert_eq!(likeness("", ""), 1.0);
        assert_eq!(likeness("!", "?"), 0.0);
    }

    #[test]
    fn near_duplicates_stand_above_three_quarters_and_others_below() {
        for (a, b) in [
            ("Prefers window seats", "prefers a window seat"),
            ("Standup is at 10:00 every Monday", "Standup is at 10:30 every Monday"),
            ("用户喜欢喝绿茶", "用户很喜欢喝绿茶"),
        ] {
            assert!(likeness(a, b) >= NEAR, "{a} / {b}: {}", likeness(a, b));
        }
        for (a, b) in [
            ("Prefers tabs", "Prefers spaces"),
            ("Lives in Austin", "Works at a bakery in Lyon"),
            ("Vegan since 2024", "Allergic to peanuts"),
            ("用户喜欢喝绿茶", "项目使用英文代码"),
        ] {
            assert!(likeness(a, b) < NEAR, "{a} / {b}: {}", likeness(a, b));
        }
    }

    #[test]
    fn a_word_lies_within_two_typing_errors() {
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
                assert_eq!(within(a, b, most), distance <= most, "{a} {b} {most}");
                assert_eq!(within(b, a, most), distance <= most, "{b} {a} {most}");
            }
        }
    }
}
