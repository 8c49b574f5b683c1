//! A cheap test whether two texts have anything in common, so that a new text is compared in full with few bullets of a
//! large memory.
//!
//! Never decides: what passes is compared by the parent module. What shares no start of a word, no word of one class,
//! no group of states and no pair of Chinese characters cannot be about the same thing there.

use std::collections::HashSet;

use super::super::grounding::chinese_words;
use super::super::grounding::english::related_words;
use super::STATES;
use super::persons::{MARRIAGE, SPOUSES};
use super::topics::{irregular_forms, words_of};
use crate::text::phrase::word_tokens;
use crate::text::stopwords::is_stopword;
use crate::text::words::is_unspaced;

/// Words that start alike are of one family, in characters.
const START: usize = 4;

/// What a text that may contradict a new one has some of.
pub(super) struct SharedParts {
    /// Starts of words in lower case.
    starts: HashSet<String>,
    /// Number of words of the text, without stop words.
    words: usize,
    /// Parts of texts: Chinese pairs, numbers, phrases for a state.
    parts: Vec<String>,
    /// Whether every text may be about the same: a field of a person, a spouse.
    is_open: bool,
}

impl SharedParts {
    pub(super) fn of(text: &str, has_field: bool) -> SharedParts {
        let low = text.to_lowercase();
        let mut starts = HashSet::new();
        let mut words = 0;
        for word in word_tokens(text).iter().filter(|w| !is_stopword(&w.text)) {
            words += 1;
            starts.insert(start(&word.text).to_owned());
            starts.extend(related_words(&word.text).iter().map(|one| start(one).to_owned()));
        }
        let chars: Vec<char> = low.chars().collect();
        let pairs = chars.windows(2).filter(|pair| pair.iter().all(|c| is_unspaced(*c)));
        let mut parts: Vec<String> =
            pairs.map(|pair| pair.iter().collect()).filter(|pair: &String| pair != "用户").collect();
        parts.extend(chinese_words::related_words(&low).map(str::to_owned));
        for group in
            STATES.iter().filter(|group| group.split(" / ").flat_map(|s| s.split('|')).any(|w| low.contains(w)))
        {
            parts.extend(group.split(" / ").flat_map(|state| state.split('|')).map(str::to_owned));
        }
        let is_open = has_field || SPOUSES.iter().chain(MARRIAGE).any(|word| low.contains(word));
        SharedParts { starts, words, parts, is_open }
    }

    /// Whether a text of the memory has one of them.
    pub(super) fn are_in(&self, known: &str) -> bool {
        if self.is_open {
            return true;
        }
        let low = known.to_lowercase();
        let words = low.split(|c: char| !c.is_alphanumeric() || is_unspaced(c)).filter(|word| !word.is_empty());
        words.into_iter().any(|word| self.starts.contains(start(word)) && !is_stopword(word))
            || self.parts.iter().any(|part| low.contains(part.as_str()))
    }

    /// Whether a text of the memory has two of them, or half of its words are among them, or the only word of the new one.
    pub(super) fn are_mostly_in(&self, known: &str) -> bool {
        let low = known.to_lowercase();
        let words = low.split(|c: char| !c.is_alphanumeric() || is_unspaced(c));
        let words = words.filter(|word| !word.is_empty() && !is_stopword(word));
        let (shared, all) = words
            .fold((0, 0), |(shared, all), word| (shared + usize::from(self.starts.contains(start(word))), all + 1));
        self.is_open
            || shared > 1
            || shared > 0 && (shared * 2 >= all || self.words == 1)
            || self.parts.iter().any(|part| low.contains(part.as_str()))
    }
}

/// The starts of words with which a text may speak of some topics.
pub(super) struct TopicStarts {
    /// The first characters of words in lower case.
    starts: HashSet<String>,
    /// The first two characters of Chinese phrases.
    pairs: HashSet<[char; 2]>,
    singles: HashSet<char>,
}

/// Words that start alike may be forms of one, in characters.
const FORM_START: usize = 3;

impl TopicStarts {
    pub(super) fn of(topics: &HashSet<usize>) -> TopicStarts {
        let (mut starts, mut pairs, mut singles) = (HashSet::new(), HashSet::new(), HashSet::new());
        for word in words_of(topics) {
            let mut chars = word.chars();
            match (chars.next(), chars.next()) {
                (Some(a), Some(b)) if is_unspaced(a) => _ = pairs.insert([a, b]),
                (Some(a), None) if is_unspaced(a) => _ = singles.insert(a),
                _ => {
                    starts.insert(word.chars().take(FORM_START).collect::<String>());
                    let forms = irregular_forms(word).map(|form| form.chars().take(FORM_START).collect::<String>());
                    starts.extend(forms);
                }
            }
        }
        TopicStarts { starts, pairs, singles }
    }

    /// Whether a text of the memory may have such a word.
    pub(super) fn are_in(&self, known: &str) -> bool {
        let low = known.to_lowercase();
        let mut previous = None;
        for c in low.chars() {
            let is_pair = previous.is_some_and(|p| self.pairs.contains(&[p, c]));
            if is_pair || self.singles.contains(&c) {
                return true;
            }
            previous = Some(c);
        }
        let mut words = low.split(|c: char| !c.is_alphanumeric() || is_unspaced(c)).filter(|word| !word.is_empty());
        words.any(|word| {
            let end = word.char_indices().nth(FORM_START).map_or(word.len(), |(at, _)| at);
            self.starts.contains(&word[..end])
        })
    }
}

/// The first characters of a word.
fn start(word: &str) -> &str {
    word.char_indices().nth(START).map_or(word, |(at, _)| &word[..at])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_may_be_about_the_same_passes() {
        let passes = |text: &str, known: &str| SharedParts::of(text, false).are_in(known);
        assert!(passes("The user's account is at Santander.", "Banks with ING."));
        assert!(passes("The user still works full-time.", "Retired in 2022."));
        assert!(passes("用户用右手写字。", "用户是左撇子。"));
        assert!(passes("The user's husband is Erik.", "Married to Tom."));
        assert!(!passes("The barn is 9 metres wide.", "Prefers tea to coffee."));
        assert!(!passes("谷仓宽9米。", "用户喜欢喝茶。"));
    }

    #[test]
    fn a_text_of_one_word_is_like_each_that_has_it() {
        let is_alike = |text: &str, known: &str| SharedParts::of(text, false).are_mostly_in(known);
        let (short, long) = ("Does not smoke", "Smokes a pipe in the evening");
        assert!(is_alike(short, long) && is_alike(long, short));
        assert!(!is_alike("Owns a green boat on the Elbe", "Plays the green piano of an aunt"));
    }
}
