//! Ranks every word of the page in advance, with the functions of `query`: what the reader types is looked up.
//!
//! Never scores by itself. For one word the order is that of `query --all` on the same files, but for items with only a
//! part of it that is frequent.

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet, HashSet};

use jiff::civil::Date;

use crate::path::MemoryPath;
use crate::text::language::DetectedLanguage;
use crate::text::search_terms::search_words;
use crate::text::spelling::{self, MIN_HASH_LETTERS, is_hash};
use crate::text::strip_diacritics::compose_characters;
use crate::text::words;
use crate::view::query::bullet_origins::BulletOrigins;
use crate::view::query::count::{FileCounts, ItemizedFile, MAX_SAMPLE_BYTES, for_each_date, total_length};
use crate::view::query::file_names::{add_terms_in_head, for_each_name, terms_in_path};
use crate::view::query::filter::FilterResult;
use crate::view::query::items::searched_texts;
use crate::view::query::score::rank;
use crate::view::query::term_finder::for_each_token;
use crate::view::query::terms::{QueryTerm, QueryTerms};

/// The number of files that `query` always splits into items, as a sample for the mean length.
const SAMPLE_FILES: usize = 8;
/// A part of a word (`user` of `user77`) that more items contain is not counted for the word: to count the terms of
/// thousands of items for each of thousands of such words takes minutes.
const MAX_IMPLIED_ITEMS: usize = 64;
/// The digits of [`IndexedWord::hits`].
const DIGITS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";

/// A word that can be searched for.
#[derive(Debug, PartialEq)]
pub struct IndexedWord {
    /// The words that are the same to a search, separated by blanks: `memories memory`.
    pub words: String,
    /// The score of its best item, in hundredths.
    pub best: u32,
    /// Its items, best first: for each three digits of base 64, the item's number in the page, and one, its score in
    /// sixty-thirds of the best one.
    pub hits: String,
}

/// The words of the files that can be searched for, each with its query, and the items by which of their tokens they
/// are found.
#[derive(Default)]
struct Vocabulary {
    /// All words that were added.
    known: HashSet<String>,
    /// Words of one meaning, by what `query` looks up for them.
    words: BTreeMap<String, (BTreeSet<String>, QueryTerms)>,
    /// For each token the items, as file and index in it, ascending.
    places: BTreeMap<String, Vec<(usize, usize)>>,
    /// For each token the files that have it in their name, title or tags.
    named: BTreeMap<String, BTreeSet<usize>>,
}

/// Indexes all words of some files, in path order. `first_items` has for each file the number of its first item;
/// `language` is that of the memory.
pub fn index_words(
    files: Vec<ItemizedFile>,
    first_items: &[usize],
    origins: &BulletOrigins,
    today: Date,
    language: DetectedLanguage,
) -> Vec<IndexedWord> {
    let vocabulary = Vocabulary::of(&files, today, language);
    let mut ranker = WordRanker::new(files, first_items, origins);
    let rows = vocabulary.words.values().map(|(words, query)| {
        let words = words.iter().map(String::as_str).collect::<Vec<_>>().join(" ");
        ranker.rank_words(words, query, &vocabulary)
    });
    rows.collect()
}

impl Vocabulary {
    fn of(files: &[ItemizedFile], today: Date, language: DetectedLanguage) -> Vocabulary {
        let mut vocabulary = Vocabulary::default();
        let mut spellings = BTreeSet::new();
        for (number, file) in files.iter().enumerate() {
            for_each_name(&file.path, &file.document, &mut |name| {
                search_words(name, |word, is_ngram| vocabulary.add_word(word, is_ngram, today, language));
                add_number_and_umlaut_spellings(name, &mut spellings);
                for_each_token(name, language.other(), |token| {
                    vocabulary.named.entry(token.to_owned()).or_default().insert(number);
                });
            });
            for (item, at) in file.items.iter().enumerate() {
                for text in searched_texts(&file.document, at) {
                    search_words(text, |word, is_ngram| vocabulary.add_word(word, is_ngram, today, language));
                    add_number_and_umlaut_spellings(text, &mut spellings);
                    for_each_token(text, language.other(), |token| vocabulary.add_place(token, (number, item)));
                }
                for_each_date(&file.document, file.section_dates(), at, |date, _| {
                    date.for_each_term(|term| vocabulary.add_place(&term, (number, item)));
                });
            }
        }
        vocabulary.add_spellings(spellings, today, language);
        vocabulary
    }

    /// Adds the words by which `query` finds a text that is spelled otherwise: `config` of `parseConfigFile`, `buy` of
    /// `bought`, `1250` of `1,250`, `mueller` of `Müller`. A word that begins another one of its meaning is found as the
    /// start of that one.
    fn add_spellings(&mut self, mut spellings: BTreeSet<String>, today: Date, language: DetectedLanguage) {
        let tokens = self.places.keys().chain(self.named.keys()).map(String::as_str);
        let forms = self.words.values().flat_map(|(_, query)| &query.all).flat_map(QueryTerm::texts);
        // Digits alone may be those of a date.
        let is_word = |text: &&str| {
            text.chars().all(char::is_alphanumeric) && text.chars().any(char::is_alphabetic) && text.chars().count() > 1
        };
        spellings.extend(tokens.chain(forms).filter(is_word).map(str::to_owned));
        spellings.extend(self.known.iter().filter_map(|word| spelling::ise_or_ize(word)));
        for word in spellings {
            if self.known.contains(&word) {
                continue;
            }
            let query = QueryTerms::parse_with(&word, today, || language);
            let key = meaning_of(&query);
            let is_start = |words: &BTreeSet<String>| words.iter().any(|known| known.starts_with(&word));
            let is_found = || self.places_of(&query).values().any(|items| !items.is_empty());
            if self.words.get(&key).map_or_else(is_found, |(words, _)| !is_start(words)) {
                self.words.entry(key).or_insert_with(|| (BTreeSet::new(), query)).0.insert(word);
            }
        }
    }

    /// Adds a word, unless it was added before; a pair of characters is a term of its own.
    fn add_word(&mut self, word: &str, is_ngram: bool, today: Date, language: DetectedLanguage) {
        // Most words are known: no copy of them is made.
        if self.known.contains(word) {
            return;
        }
        self.known.insert(word.to_owned());
        let query = if is_ngram {
            QueryTerms::of_token(word, language.other())
        } else {
            QueryTerms::parse_with(word, today, || language)
        };
        self.words.entry(meaning_of(&query)).or_insert_with(|| (BTreeSet::new(), query)).0.insert(word.to_owned());
    }

    fn add_place(&mut self, token: &str, place: (usize, usize)) {
        // Most tokens are known: no copy of them is made.
        match self.places.get_mut(token) {
            Some(places) if places.last() == Some(&place) => {}
            Some(places) => places.push(place),
            None => drop(self.places.insert(token.to_owned(), vec![place])),
        }
    }

    /// The files whose names may contain a term of a query.
    fn named_by(&self, query: &QueryTerms) -> BTreeSet<usize> {
        let texts = query.all.iter().flat_map(QueryTerm::texts);
        texts.filter_map(|text| self.named.get(text)).flatten().copied().collect()
    }

    /// The items that may contain a term of a query, by file.
    fn places_of(&self, query: &QueryTerms) -> BTreeMap<usize, BTreeSet<usize>> {
        let mut found: BTreeMap<usize, BTreeSet<usize>> = BTreeMap::new();
        let mut add = |places: &[(usize, usize)]| {
            for (file, item) in places {
                found.entry(*file).or_default().insert(*item);
            }
        };
        let is_rare = |term: &&QueryTerm| {
            let places = |text| self.places.get(text).map_or(0, Vec::len);
            !term.implied || term.texts().map(places).sum::<usize>() <= MAX_IMPLIED_ITEMS
        };
        for text in query.all.iter().filter(is_rare).flat_map(QueryTerm::texts) {
            self.places.get(text).into_iter().for_each(|places| add(places));
            if is_hash(text) {
                let longer = self.places.range(text.to_owned()..).take_while(|(token, _)| token.starts_with(text));
                longer.for_each(|(_, places)| add(places));
                let shorter = (MIN_HASH_LETTERS..text.len()).filter_map(|length| self.places.get(&text[..length]));
                shorter.for_each(|places| add(places));
            }
        }
        found
    }
}

/// What `query` looks up for a word, as a key.
fn meaning_of(query: &QueryTerms) -> String {
    let terms = query.all.iter().map(|term| (&term.text, term.weight, term.implied, &term.alternatives));
    format!("{:?}", (terms.collect::<Vec<_>>(), query.contains_when, query.asks_for_latest))
}

/// Adds what the tokens of a text do not tell: its numbers without separators, and its words without umlauts.
fn add_number_and_umlaut_spellings(text: &str, spellings: &mut BTreeSet<String>) {
    if text.is_ascii() && !text.bytes().any(|b| b.is_ascii_digit()) {
        return;
    }
    let text = compose_characters(text);
    for word in words(&text) {
        spellings.extend(spelling::umlaut_spelling(&word.text).filter(|_| !word.text.is_ascii()).map(Cow::into_owned));
        let number = spelling::separated_number(&text[word.at..]);
        let plain = number.into_iter().flat_map(|number| number.meanings).filter(|meaning| !meaning.contains('.'));
        spellings.extend(plain);
    }
}

/// Ranks one word after the other, without parsing the files again.
struct WordRanker<'a> {
    origins: &'a BulletOrigins,
    paths: Vec<MemoryPath>,
    first_items: &'a [usize],
    /// The files, but for those that are in `counted` at the moment.
    files: Vec<Option<Box<ItemizedFile>>>,
    /// What `query` knows of the files without a hit.
    counted: Vec<FileCounts>,
    /// For each file the number and the summed lengths of its items.
    measures: Vec<(usize, f64)>,
}

impl<'a> WordRanker<'a> {
    fn new(files: Vec<ItemizedFile>, first_items: &'a [usize], origins: &'a BulletOrigins) -> WordRanker<'a> {
        let measures: Vec<(usize, f64)> =
            files.iter().map(|file| (file.items.len(), total_length(&file.document, &file.items))).collect();
        let counted = files.iter().map(|file| file.document.text().len());
        let counted = counted.map(|bytes| FileCounts { bytes, ..FileCounts::default() }).collect();
        let paths = files.iter().map(|file| file.path.clone()).collect();
        let files = files.into_iter().map(|file| Some(Box::new(file))).collect();
        let mut ranker = WordRanker { origins, paths, first_items, files, counted, measures };
        ranker.measure_files(false);
        ranker
    }

    /// A query with a date splits all files.
    fn measure_files(&mut self, has_dates: bool) {
        (0..self.files.len()).for_each(|file| self.measure(file, has_dates));
    }

    /// Sets what the ranking knows of a file's items: `query` splits only files with a hit, and small ones of the
    /// sample.
    fn measure(&mut self, file: usize, has_hits: bool) {
        let (items, lengths) = self.measures[file];
        let counts = &mut self.counted[file];
        let is_split = has_hits || file < SAMPLE_FILES && counts.bytes <= MAX_SAMPLE_BYTES;
        counts.items = is_split.then_some(items);
        counts.lengths = if is_split { lengths } else { 0.0 };
    }

    /// Ranks the items that contain the terms of a query.
    fn rank_words(&mut self, words: String, query: &QueryTerms, vocabulary: &Vocabulary) -> IndexedWord {
        let mut places = vocabulary.places_of(query);
        for number in vocabulary.named_by(query) {
            places.entry(number).or_default();
        }
        if query.has_dates {
            self.measure_files(true);
        }
        for (number, items) in &places {
            self.measure(*number, query.has_dates || !items.is_empty());
            let items: Vec<usize> = items.iter().copied().collect();
            self.counted[*number].matched = self.files[*number].take().map(|mut file| {
                file.count_items(&items, query);
                file.named = terms_in_path(&file.path, query);
                add_terms_in_head(&file.path, &file.document, query, &mut file.named);
                file
            });
        }
        let row = self.indexed_word(words, query);
        for number in places.into_keys() {
            self.files[number] = self.counted[number].matched.take();
            self.measure(number, false);
        }
        if query.has_dates {
            self.measure_files(false);
        }
        row
    }

    fn indexed_word(&self, words: String, query: &QueryTerms) -> IndexedWord {
        let ranking = rank(&self.counted, query, self.origins, &|_, _| FilterResult::Yes);
        let best = ranking.hits.first().map_or(0.0, |hit| hit.score);
        let mut hits = String::with_capacity(4 * ranking.hits.len());
        for hit in &ranking.hits {
            let Ok(file) = self.paths.binary_search(&ranking.files[hit.file].file.path) else { continue };
            let number = self.first_items[file] + hit.item;
            let share = if best > 0.0 { (hit.score / best).clamp(0.0, 1.0) } else { 1.0 };
            for digit in [number >> 12, number >> 6, number, (share * 63.0).round() as usize] {
                hits.push(DIGITS[digit & 63] as char);
            }
        }
        IndexedWord { words, best: (best * 100.0).round().max(0.0) as u32, hits }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::document::Document;
    use crate::view::context::itemize;

    #[test]
    fn a_frequent_part_of_a_word_adds_no_items_to_it() {
        let counted = |bullets: usize, word: &str| {
            let text: String = (0..bullets).map(|n| format!("- Ticket of user{n}\n")).collect();
            let path = MemoryPath::from_disk_name("facts/a.md").unwrap();
            let files = [itemize(&path, Document::parse(&text))];
            let (today, language) = (Date::constant(2026, 2, 24), DetectedLanguage::English);
            let query = QueryTerms::parse_with(word, today, || language);
            Vocabulary::of(&files, today, language).places_of(&query).values().map(BTreeSet::len).sum::<usize>()
        };
        assert_eq!((counted(60, "user7"), counted(60, "ticket")), (60, 60));
        assert_eq!((counted(70, "user7"), counted(70, "ticket")), (1, 70));
    }
}
