//! Decides whether a new text repeats an older one, for the warning that `add` gives.
//!
//! Never calls two texts the same that differ in a name, a number, a negation or the order of their words: those are
//! news, however similar the texts look. It rather misses a repetition than reports one that is none.

use memchr::memmem::Finder;

use super::similarity::within_edit_distance;
use super::word_list::{WordList, word_list};
use super::words::TextWord;
use super::{stem, words};

/// Words whose presence does not change the meaning of a text.
const FILLERS: [WordList; 2] =
    [word_list!("near_duplicate/fillers.en.txt"), word_list!("near_duplicate/fillers.zh.txt")];
/// Words that turn a text into another one when they are added.
const REVERSALS: [WordList; 2] =
    [word_list!("near_duplicate/reversals.en.txt"), word_list!("near_duplicate/reversals.zh.txt")];

/// One more word is allowed for each so many words of the shorter text.
const WORDS_PER_EXTRA: usize = 3;
/// Minimum length of a word, in characters, at which one different character may be a typing error.
const MIN_TYPO_LENGTH: usize = 5;

/// A new text, prepared for the comparison with many others.
pub struct DuplicateFinder<'a> {
    text: &'a str,
    words: TextSignature,
    probes: Vec<Finder<'static>>,
}

impl<'a> DuplicateFinder<'a> {
    pub fn new(text: &'a str) -> DuplicateFinder<'a> {
        let words = TextSignature::of(text);
        // Without the first letter, which may be upper case, and without the end, which inflection changes.
        let probe = |word: &SignificantWord| match word.lower.char_indices().nth(1) {
            Some((second, _)) => word.lower.chars().count().ge(&3).then(|| {
                let end = word.lower.char_indices().nth(5).map_or(word.lower.len(), |(at, _)| at);
                Finder::new(&word.lower[second..end]).into_owned()
            }),
            None => (!word.lower.is_ascii()).then(|| Finder::new(&word.lower).into_owned()),
        };
        let probes = words.words.iter().filter_map(probe).collect();
        DuplicateFinder { text, words, probes }
    }

    /// A cheap test that excludes most texts: similar length, and most words occur.
    pub fn may_repeat(&self, other: &str) -> bool {
        let (shorter, longer) = (self.text.len().min(other.len()), self.text.len().max(other.len()));
        if longer > 2 * shorter + 16 {
            return false;
        }
        let mut misses = self.probes.len() * 2 / 5;
        self.probes.iter().all(|probe| {
            let found = probe.find(other.as_bytes()).is_some();
            found || misses.checked_sub(1).map(|rest| misses = rest).is_some()
        })
    }

    /// How many words one of the texts has in addition, if they otherwise have the same meaning; `None` if they differ.
    pub fn extra_words(&self, other: &str) -> Option<usize> {
        self.words.extra_words(&TextSignature::of(other))
    }
}

/// The words of a text that matter, in order.
struct TextSignature {
    words: Vec<SignificantWord>,
    /// Signs that [`words`] drops although they distinguish texts: `C++`, `50%`, `-5`, `>`.
    signs: String,
}

struct SignificantWord {
    /// In lower case.
    lower: String,
    stem: String,
    /// Capitalised where a sentence does not start, or with a digit.
    is_name: bool,
}

impl SignificantWord {
    fn is_typo_of(&self, other: &SignificantWord) -> bool {
        let is_word = |word: &SignificantWord| !word.is_name && word.lower.chars().count() >= MIN_TYPO_LENGTH;
        is_word(self) && is_word(other) && within_edit_distance(&self.lower, &other.lower, 1)
    }

    /// Whether a text that has this word in addition still has the same meaning.
    fn is_harmless(&self) -> bool {
        let is_sign = self.lower.is_ascii() && self.lower.len() <= 2;
        !self.is_name && !is_sign && !in_lists(&REVERSALS, &self.lower) && !self.lower.ends_with("n't")
    }
}

fn in_lists(lists: &[WordList; 2], word: &str) -> bool {
    lists.iter().any(|list| list.contains(word))
}

impl TextSignature {
    fn of(text: &str) -> TextSignature {
        let is_single = |word: &TextWord<'_>| !word.is_ngram || word.surface.chars().nth(1).is_none();
        let significant = |word: TextWord<'_>| {
            let before = text[..word.at].chars().next_back();
            let after = text[word.at + word.surface.len()..].chars().next();
            let stands_alone = before.is_none_or(char::is_whitespace)
                && after.is_none_or(|c| c.is_whitespace() || matches!(c, ',' | '.' | ';' | '!' | '?'));
            if (word.is_ngram || stands_alone) && in_lists(&FILLERS, &word.text) {
                return None;
            }
            let starts_sentence = text[..word.at].trim_end().chars().next_back().is_none_or(|c| !c.is_alphanumeric());
            let is_capital = word.surface.starts_with(char::is_uppercase);
            let is_name = is_capital && !starts_sentence || word.surface.contains(|c: char| c.is_numeric());
            let lower = word.text.into_owned();
            Some(SignificantWord { stem: stem(&lower).into_owned(), lower, is_name })
        };
        TextSignature { words: words(text).filter(is_single).filter_map(significant).collect(), signs: signs(text) }
    }

    fn extra_words(&self, other: &TextSignature) -> Option<usize> {
        let (few, many) = if self.words.len() <= other.words.len() { (self, other) } else { (other, self) };
        if few.words.is_empty() || few.signs != many.signs {
            return None;
        }
        // Each word of the shorter text must have its own in the longer one.
        let mut free: Vec<Option<&SignificantWord>> = many.words.iter().map(Some).collect();
        let mut partners = Vec::with_capacity(few.words.len());
        for word in &few.words {
            let same = |other: &Option<&SignificantWord>| other.is_some_and(|other| other.stem == word.stem);
            let typo = |other: &Option<&SignificantWord>| other.is_some_and(|other| other.is_typo_of(word));
            let at = free.iter().position(same).or_else(|| free.iter().position(typo))?;
            free[at] = None;
            partners.push(at);
        }
        let extras: Vec<&SignificantWord> = free.into_iter().flatten().collect();
        let few_enough = extras.len() <= few.words.len() / WORDS_PER_EXTRA;
        (few_enough && extras.iter().all(|word| word.is_harmless()) && is_same_order(&partners)).then_some(extras.len())
    }
}

/// Whether positions ascend, or one part of at least three has moved to the other end ("every day she …").
fn is_same_order(positions: &[usize]) -> bool {
    let descents = positions.windows(2).filter(|pair| pair[0] > pair[1]).count();
    let is_rotated = || descents == 1 && positions.len() >= 3 && positions.last() < positions.first();
    descents == 0 || is_rotated()
}

fn signs(text: &str) -> String {
    let mut signs = String::new();
    let mut before = ' ';
    for (at, c) in text.char_indices() {
        let after = text[at + c.len_utf8()..].chars().next();
        let counts = match c {
            '+' | '#' | '%' => before.is_alphanumeric() || before == '+',
            '-' | '−' => !before.is_alphanumeric() && after.is_some_and(|c| c.is_ascii_digit()),
            '<' | '>' | '=' | '≤' | '≥' | '≠' | '→' | '←' => true,
            _ => false,
        };
        if counts {
            signs.push(c);
        }
        before = c;
    }
    signs
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Whether `add` warns about one text if the other is there, tried in both directions.
    fn repeats(a: &str, b: &str) -> bool {
        let warns = |new: &str, old: &str| {
            let finder = DuplicateFinder::new(new);
            finder.may_repeat(old) && finder.extra_words(old).is_some()
        };
        assert_eq!(warns(a, b), warns(b, a), "{a} / {b}");
        warns(a, b)
    }

    fn pairs(file: &'static str) -> impl Iterator<Item = (&'static str, &'static str)> {
        let lines = file.lines().filter(|line| !line.is_empty() && !line.starts_with('#'));
        lines.map(|line| line.split_once(" | ").expect("two texts"))
    }

    #[test]
    fn what_says_the_same_is_a_repetition() {
        let missed: Vec<_> =
            pairs(include_str!("../../fixtures/near_duplicates/same.txt")).filter(|(a, b)| !repeats(a, b)).collect();
        assert!(missed.is_empty(), "{missed:#?}");
    }

    #[test]
    fn held_out_pairs_give_no_false_alarm_and_few_misses() {
        let all = || pairs(include_str!("../../fixtures/near_duplicates/held_out_same.txt"));
        let missed: Vec<_> = all().filter(|(a, b)| !repeats(a, b)).collect();
        assert!(missed.len() * 5 <= all().count(), "{missed:#?}");
        let news = pairs(include_str!("../../fixtures/near_duplicates/held_out_news.txt"));
        let wrong: Vec<_> = news.filter(|(a, b)| repeats(a, b)).collect();
        assert!(wrong.is_empty(), "{wrong:#?}");
    }

    #[test]
    fn a_name_a_number_a_negation_and_an_order_are_news() {
        let wrong: Vec<_> =
            pairs(include_str!("../../fixtures/near_duplicates/news.txt")).filter(|(a, b)| repeats(a, b)).collect();
        assert!(wrong.is_empty(), "{wrong:#?}");
    }
}
