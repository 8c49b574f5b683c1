//! Finds words of a memory that look like those of a query which it does not contain: what was meant by a word with a
//! typing error, or in another spelling.
//!
//! Never runs while every word of the query occurs somewhere: it reads all words of all files.

use super::count::FileCounts;
use super::terms::{QueryTerm, QueryTerms};
use crate::text::search_terms::search_term;
use crate::text::similarity::{WordTrigrams, within_edit_distance};
use crate::text::spelling::joins_parts;
use crate::text::strip_diacritics::strip_diacritics;
use crate::text::word_frequency;

/// The least similarity of a word that stands in for a missing one.
const MIN_SIMILARITY: f64 = 0.4;
/// The similarity of words that differ by one insertion, deletion, substitution or swap. Above all others: one error in
/// a word leaves few of its trigrams, and what is so close is most likely meant.
const ONE_EDIT_SIMILARITY: f64 = 1.15;
/// With fewer letters, many words differ by one edit.
const MIN_ONE_EDIT_LETTERS: usize = 5;
/// How many words stand in for a missing one.
const MAX_SUBSTITUTES: usize = 3;
/// Weight of a word that stands in for a missing one, relative to that one, times its similarity.
const SUBSTITUTE_WEIGHT: f64 = 0.7;
/// For how many missing words of a query others are searched.
const MAX_MISSING: usize = 16;
/// The least number of letters of a word that is searched for like this: shorter ones resemble too many.
const MIN_LETTERS: usize = 4;
/// How many different letters two similar words have, at most, that the other one has not.
const MAX_OTHER_LETTERS: u32 = 5;

/// How many bytes are cut into words before these are compared.
const PART_BYTES: usize = 1024;

/// Maximum length of a letter beyond ASCII in the alphabets that are compared, in bytes.
const MAX_LETTER_BYTES: usize = 3;

/// The words of a query that no item and no name of a file contains.
pub struct TypoFinder {
    missing: Vec<MissingWord>,
}

struct MissingWord {
    /// The index of its term.
    term: usize,
    /// In lower case, without diacritics.
    word: String,
    letters: usize,
    letter_set: u32,
    trigrams: WordTrigrams,
}

/// A word of the memory that resembles a missing one.
#[derive(Clone, Debug, PartialEq)]
pub struct SimilarWord {
    /// The index of the missing term.
    term: usize,
    /// Its search term: a stem.
    text: String,
    /// As it is written, in lower case, if its parts are joined by more than letters.
    pattern: Option<String>,
    similarity: f64,
}

impl TypoFinder {
    /// The words of a query that are in none of the counted files; `None` if there are none. Common English words are
    /// spelled as they should be.
    pub fn new(terms: &QueryTerms, counted: &[FileCounts]) -> Option<TypoFinder> {
        let mut is_found = vec![false; terms.all.len()];
        for file in counted.iter().filter_map(|file| file.matched.as_deref()) {
            let in_items = file.hits.iter().flat_map(|hits| &hits.counts).map(|count| count.term);
            in_items.chain(file.named.iter().copied()).for_each(|term| is_found[usize::from(term)] = true);
        }
        let missing = terms.all.iter().enumerate().filter(|(term, of)| !is_found[*term] && !of.implied);
        let missing: Vec<MissingWord> =
            missing.filter_map(|(term, of)| MissingWord::new(term, of.word.as_deref()?)).take(MAX_MISSING).collect();
        (!missing.is_empty()).then_some(TypoFinder { missing })
    }

    /// The words of a text that resemble a missing one, the best of each term.
    pub fn find(&self, bytes: &[u8]) -> Vec<SimilarWord> {
        let mut found = Vec::new();
        for_each_run(bytes, |end, letter_set| self.compare_run(bytes, end, letter_set, &mut found));
        sort_by_similarity(&mut found);
        let best = found.chunk_by(|a, b| a.term == b.term).flat_map(|same| &same[..MAX_SUBSTITUTES.min(same.len())]);
        best.cloned().collect()
    }

    /// Compares a run of letters of a text, and the name that it is the first part of.
    fn compare_run(&self, bytes: &[u8], end: usize, letter_set: u32, found: &mut Vec<SimilarWord>) {
        let is_letter = |b: &&u8| LETTER_BITS[usize::from(**b)] != 0;
        let start = || end - bytes[..end].iter().rev().take_while(is_letter).count();
        if self.missing.iter().any(|missing| missing.has_similar_letters(letter_set)) {
            self.compare(&bytes[start()..end], letter_set, found);
        }
        if bytes.get(end).is_some_and(|b| joins_parts(*b)) {
            let more = bytes[end + 1..].iter().take_while(is_letter).count();
            self.compare_joined(&bytes[start()..end + 1 + more], found);
        }
    }

    fn compare(&self, run: &[u8], letter_set: u32, found: &mut Vec<SimilarWord>) {
        for missing in self.missing.iter().filter(|missing| missing.may_resemble(run.len(), letter_set)) {
            let Ok(run) = std::str::from_utf8(run) else { return };
            let word = run.to_lowercase();
            let similarity = missing.similarity(&strip_diacritics(&word));
            if similarity < MIN_SIMILARITY {
                continue;
            }
            let Some(text) = search_term(&word) else { continue };
            let similar = SimilarWord { term: missing.term, text: text.into_owned(), pattern: None, similarity };
            keep_best(found, similar);
        }
    }

    /// Compares a name of two parts without what joins them.
    fn compare_joined(&self, name: &[u8], found: &mut Vec<SimilarWord>) {
        for missing in self.missing.iter().filter(|missing| name.len() == missing.word.len() + 1) {
            let letters = name.iter().filter(|b| !joins_parts(**b)).map(u8::to_ascii_lowercase);
            if letters.eq(missing.word.bytes()) {
                let text = search_term(&missing.word).unwrap_or_default().into_owned();
                let pattern = Some(String::from_utf8_lossy(name).to_ascii_lowercase());
                keep_best(found, SimilarWord { term: missing.term, text, pattern, similarity: 1.0 });
            }
        }
    }
}

/// Calls `each` for every run of letters, with its end and the set of its letters.
fn for_each_run(bytes: &[u8], mut each: impl FnMut(usize, u32)) {
    let (mut ends, mut letter_sets) = ([0_u32; PART_BYTES], [0_u32; PART_BYTES]);
    let mut letter_set = 0;
    for (number, part) in bytes.chunks(PART_BYTES).enumerate() {
        let mut count = 0;
        for (at, byte) in part.iter().enumerate() {
            // No branch: where words end cannot be predicted, and each wrong guess costs as much as five letters.
            let bits = LETTER_BITS[usize::from(*byte)];
            (ends[count], letter_sets[count]) = (at as u32, letter_set);
            let is_between = u32::from(bits == 0);
            count += usize::from((is_between == 1) & (letter_set != 0));
            letter_set = (letter_set | bits) & is_between.wrapping_sub(1);
        }
        let runs = ends[..count].iter().zip(&letter_sets);
        runs.for_each(|(end, letter_set)| each(number * PART_BYTES + *end as usize, *letter_set));
    }
    if letter_set != 0 {
        each(bytes.len(), letter_set);
    }
}

impl MissingWord {
    fn new(term: usize, word: &str) -> Option<MissingWord> {
        let is_common = || search_term(word).is_none_or(|stem| word_frequency::per_mille(&stem) > 0);
        let letters = word.chars().count();
        if letters < MIN_LETTERS || !word.chars().all(char::is_alphabetic) || is_common() {
            return None;
        }
        let word = strip_diacritics(word).into_owned();
        let letter_set = word.bytes().fold(0, |set, b| set | LETTER_BITS[usize::from(b)]);
        Some(MissingWord { term, letters, letter_set, trigrams: WordTrigrams::of(&word), word })
    }

    /// Whether a word with these letters may be similar: most are excluded without a look at their order.
    fn has_similar_letters(&self, letter_set: u32) -> bool {
        (letter_set ^ self.letter_set).count_ones() <= MAX_OTHER_LETTERS
    }

    /// The same for a word of this length in bytes.
    fn may_resemble(&self, length: usize, letter_set: u32) -> bool {
        self.has_similar_letters(letter_set)
            && 2 * (letter_set & self.letter_set).count_ones() >= self.letter_set.count_ones()
            && 2 * length >= self.letters
            && length <= MAX_LETTER_BYTES * 2 * self.letters
    }

    fn similarity(&self, word: &str) -> f64 {
        let is_as_long = self.letters >= MIN_ONE_EDIT_LETTERS && self.letters.abs_diff(word.chars().count()) <= 1;
        if is_as_long && within_edit_distance(&self.word, word, 1) {
            ONE_EDIT_SIMILARITY
        } else {
            self.trigrams.dice(&WordTrigrams::of(word))
        }
    }
}

impl QueryTerms {
    /// Adds the words that stand in for missing ones; `false` if there are none.
    pub fn add_substitutes(&mut self, mut found: Vec<SimilarWord>) -> bool {
        let mut best = Vec::new();
        found.drain(..).for_each(|similar| keep_best(&mut best, similar));
        sort_by_similarity(&mut best);
        let mut is_changed = false;
        for similar in best.chunk_by(|a, b| a.term == b.term) {
            let term = similar[0].term;
            // The same word, with a hyphen or a dot: nothing stands in for it.
            if let Some(pattern) = similar.iter().find_map(|similar| similar.pattern.clone()) {
                self.all[term].patterns.push(pattern);
                is_changed = true;
                continue;
            }
            for SimilarWord { text, similarity, .. } in similar.iter().take(MAX_SUBSTITUTES) {
                if self.all.iter().any(|term| term.has(text)) {
                    continue;
                }
                let weight = SUBSTITUTE_WEIGHT * similarity * self.all[term].weight;
                let substitute_for = self.all[term].word.clone();
                self.all.push(QueryTerm { weight, implied: true, substitute_for, ..QueryTerm::new(text) });
                is_changed = true;
            }
        }
        self.index_tokens();
        is_changed
    }
}

/// Sorts by term, the most similar first.
fn sort_by_similarity(found: &mut [SimilarWord]) {
    found.sort_by(|a, b| {
        a.term.cmp(&b.term).then(b.similarity.total_cmp(&a.similarity)).then_with(|| a.text.cmp(&b.text))
    });
}

/// Keeps the best of the forms of one word.
fn keep_best(found: &mut Vec<SimilarWord>, similar: SimilarWord) {
    match found.iter_mut().find(|known| known.term == similar.term && known.text == similar.text) {
        Some(known) if known.similarity >= similar.similarity => {}
        Some(known) => *known = similar,
        None => found.push(similar),
    }
}

/// For each byte of a word a bit: one for each ASCII letter, whatever its case, one for digits and one for all letters
/// beyond ASCII. 0 for bytes between words.
const LETTER_BITS: [u32; 256] = {
    let mut bits = [0; 256];
    let mut byte = 0;
    while byte < 256 {
        bits[byte] = match byte as u8 {
            letter @ (b'a'..=b'z' | b'A'..=b'Z') => 1 << ((letter | 0x20) - b'a'),
            b'0'..=b'9' => 1 << 26,
            0x80.. => 1 << 27,
            _ => 0,
        };
        byte += 1;
    }
    bits
};

#[cfg(test)]
mod tests {
    use jiff::civil::Date;

    use super::*;

    /// The terms that stand in for the words of a question, none of which is in the text.
    fn check(question: &str, text: &str, expected: &str) {
        let mut terms = QueryTerms::parse(question, Date::constant(2026, 2, 24));
        let finder = TypoFinder::new(&terms, &[]);
        terms.add_substitutes(finder.map(|finder| finder.find(text.as_bytes())).unwrap_or_default());
        let added = terms.all.iter().filter(|term| term.substitute_for.is_some());
        let added: Vec<String> = added.map(|term| format!("{} {:.2}", term.text, term.weight)).collect();
        assert_eq!(added.join(", "), expected, "{question}");
    }

    #[test]
    fn a_word_with_an_error_is_found_by_what_is_left_of_it() {
        check("kyaak", "The kayak is in the barn, the kayaks too", "kayak 0.80");
        check("migrashion", "Migrations run at night", "migrat 0.38");
        check("Schlusel", "Die Schlüssel hängen im Flur", "schlussel 0.80");
        check("черпица", "Крышу покрыли черепицей", "черепиц 0.31");
        check("kayak", "table, chair; 好的", "");
        // Short words, common words, numbers and what is not a word resemble too much or are as they should be.
        check("cat family 1234 x86s 猫", "cart famly 1235 x86 狗", "");
    }

    #[test]
    fn runs_of_letters_end_where_they_end() {
        for text in ["", "a", "a b", "--ab12, c\n", &"abc ".repeat(700), &format!("{}ab c", ".".repeat(PART_BYTES - 1))]
        {
            let mut runs = Vec::new();
            for_each_run(text.as_bytes(), |end, letter_set| runs.push((end, letter_set)));
            let words = text.split(|c: char| !c.is_ascii_alphanumeric()).filter(|word| !word.is_empty());
            let expected = words.map(|word| {
                let end = word.as_ptr() as usize - text.as_ptr() as usize + word.len();
                (end, word.bytes().fold(0, |set, b| set | LETTER_BITS[usize::from(b)]))
            });
            assert_eq!(runs, expected.collect::<Vec<_>>(), "{text:?}");
        }
    }

    #[test]
    fn the_same_word_with_a_hyphen_is_the_word() {
        let mut terms = QueryTerms::parse("snakecase", Date::constant(2026, 2, 24));
        let found = TypoFinder::new(&terms, &[]).unwrap().find(b"names in Snake-case, snakes");
        assert!(terms.add_substitutes(found));
        assert_eq!((terms.all.len(), terms.all[0].patterns.as_slice()), (1, ["snake-case".to_owned()].as_slice()));
    }
}
