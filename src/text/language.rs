//! Tells the language of a text by its function words, and reduces its words to their stems.
//!
//! Never guesses: a text with too few function words, or with as many of one language as of another, has none. English
//! is not among the languages: its words have their stems everywhere.

use rust_stemmers::{Algorithm, Stemmer};
use unicode_normalization::UnicodeNormalization;

use super::stem::MAX_STEMMED_BYTES;
use super::stopwords::{STOPWORDS, is_stopword};
use super::strip_diacritics::strip_diacritics;
use super::word_list::{WordList, word_list};
use super::words;

/// A language with function words and stems of its own.
#[derive(Clone, Copy, Debug)]
pub struct Language {
    /// The two letters of ISO 639-1, e.g. `de`.
    pub code: &'static str,
    algorithm: Algorithm,
    stopwords: WordList,
}

impl PartialEq for Language {
    fn eq(&self, other: &Language) -> bool {
        self.code == other.code
    }
}

const fn language(code: &'static str, algorithm: Algorithm, stopwords: WordList) -> Language {
    Language { code, algorithm, stopwords }
}

const LANGUAGES: [Language; 9] = [
    language("de", Algorithm::German, word_list!("stopwords/de.txt")),
    language("es", Algorithm::Spanish, word_list!("stopwords/es.txt")),
    language("fr", Algorithm::French, word_list!("stopwords/fr.txt")),
    language("it", Algorithm::Italian, word_list!("stopwords/it.txt")),
    language("pt", Algorithm::Portuguese, word_list!("stopwords/pt.txt")),
    language("nl", Algorithm::Dutch, word_list!("stopwords/nl.txt")),
    language("sv", Algorithm::Swedish, word_list!("stopwords/sv.txt")),
    language("tr", Algorithm::Turkish, word_list!("stopwords/tr.txt")),
    language("ru", Algorithm::Russian, word_list!("stopwords/ru.txt")),
];

/// A slot of [`STOPWORD_SLOTS`] for each hash of a word.
const STOPWORD_SLOT_COUNT: usize = 4096;

/// The bit of English, after those of [`LANGUAGES`].
const ENGLISH_BIT: u16 = 1 << LANGUAGES.len();

/// For the hash of each function word a bit: the lowest for the first of [`LANGUAGES`], and so on. Most words of a text
/// are in none of the lists, so they need not be searched for in each.
static STOPWORD_SLOTS: [u16; STOPWORD_SLOT_COUNT] = {
    let mut slots = [0; STOPWORD_SLOT_COUNT];
    let mut language = 0;
    while language <= LANGUAGES.len() {
        let list = if language < LANGUAGES.len() { LANGUAGES[language].stopwords } else { STOPWORDS };
        let list = list.as_bytes();
        let (mut at, mut hash) = (0, 0);
        while at < list.len() {
            if list[at] == b'\n' {
                slots[hash % STOPWORD_SLOT_COUNT] |= 1 << language;
                hash = 0;
            } else {
                hash = add_to_hash(hash, list[at]);
            }
            at += 1;
        }
        language += 1;
    }
    slots
};

const fn add_to_hash(hash: usize, byte: u8) -> usize {
    // Times 31, and the bits above the slots back among them, so that the beginning of a word counts as well.
    let hash = (hash as u32).wrapping_mul(31).wrapping_add(byte as u32);
    (hash ^ (hash >> 15)) as usize
}

/// The languages whose function words may include this one, as in [`STOPWORD_SLOTS`]; never too few.
fn languages_with_stopword(word: &str) -> u16 {
    let hash = word.bytes().fold(0, add_to_hash);
    STOPWORD_SLOTS[hash % STOPWORD_SLOT_COUNT]
}

/// What the function words of a text tell.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum DetectedLanguage {
    /// Most are English.
    English,
    Other(Language),
    /// There are none, or as many of two languages.
    Unknown,
}

impl DetectedLanguage {
    /// A language other than English.
    pub fn other(self) -> Option<Language> {
        match self {
            DetectedLanguage::Other(language) => Some(language),
            DetectedLanguage::English | DetectedLanguage::Unknown => None,
        }
    }
}

/// Longer words are no function words, but for a few.
const MAX_STOPWORD_BYTES: usize = 8;
/// So many words tell a language.
const MAX_JUDGED_WORDS: usize = 48;
/// So many English function words tell English.
const ENOUGH_ENGLISH: usize = 3;

/// The language of most function words at the beginning of a text.
pub fn detect_language(text: &str) -> DetectedLanguage {
    let mut english = 0;
    let mut counts = [0_usize; LANGUAGES.len()];
    let judged = words(text).filter(|word| !word.is_ngram && word.text.len() <= MAX_STOPWORD_BYTES);
    for word in judged.take(MAX_JUDGED_WORDS) {
        let mut candidates = languages_with_stopword(&word.text);
        if candidates == 0 {
            continue;
        }
        if candidates & ENGLISH_BIT != 0 && is_stopword(&word.text) {
            english += 1;
        }
        // Most memories are in English, and look like it soon.
        if english >= ENOUGH_ENGLISH && english > 2 * counts.iter().copied().max().unwrap_or(0) {
            return DetectedLanguage::English;
        }
        candidates &= !ENGLISH_BIT;
        while candidates != 0 {
            let at = candidates.trailing_zeros() as usize;
            counts[at] += usize::from(LANGUAGES[at].is_stopword(&word.text));
            candidates &= candidates - 1;
        }
    }
    let most = counts.iter().copied().max().unwrap_or(0);
    let mut best = LANGUAGES.iter().zip(counts).filter(|(_, count)| *count == most);
    match (best.next(), best.next()) {
        _ if english > most => DetectedLanguage::English,
        // One may be a name: Ben is "I" in Turkish.
        (Some((language, _)), None) if most > english.max(1) => DetectedLanguage::Other(*language),
        _ => DetectedLanguage::Unknown,
    }
}

impl Language {
    /// Whether a lower-case word is a function word.
    pub fn is_stopword(&self, word: &str) -> bool {
        self.stopwords.contains(word)
    }

    /// The search term of a lower-case word: its stem without diacritics.
    pub fn search_term(&self, word: &str) -> String {
        snowball_term(self.algorithm, word)
    }
}

/// The search term of a lower-case word in a script that tells which stems apply; `None` for any other script.
pub fn script_term(word: &str) -> Option<String> {
    let algorithm = match word.chars().next()? as u32 {
        0x370..=0x3ff | 0x1f00..=0x1fff => Algorithm::Greek,
        0x400..=0x52f => Algorithm::Russian,
        0x620..=0x64a | 0x671..=0x6d3 => Algorithm::Arabic,
        _ => return None,
    };
    Some(snowball_term(algorithm, word))
}

fn snowball_term(algorithm: Algorithm, word: &str) -> String {
    // Snowball knows the letters with their marks, each as one character; Russian texts have е for ё.
    let word: String = word.nfc().map(|c| if c == 'ё' { 'е' } else { c }).collect();
    if word.len() > MAX_STEMMED_BYTES {
        return word;
    }
    strip_diacritics(&Stemmer::create(algorithm).stem(&word)).into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_function_word_has_its_slot() {
        let lists = LANGUAGES.iter().map(|language| language.stopwords).chain([STOPWORDS]);
        for (at, list) in lists.enumerate() {
            for word in list.iter() {
                assert!(languages_with_stopword(word) & 1 << at != 0, "{word}");
            }
        }
        let filled = STOPWORD_SLOTS.iter().filter(|slot| **slot != 0).count();
        assert!(filled < STOPWORD_SLOT_COUNT / 4, "{filled} slots: other words are searched for too often");
    }

    #[test]
    fn function_words_tell_the_language() {
        for (text, code) in [
            ("Wo hängt der Schlüssel für den Keller?", "de"),
            ("¿Dónde está la llave del sótano?", "es"),
            ("Où est la clé de la cave ?", "fr"),
            ("Dove sono le chiavi della cantina?", "it"),
            ("Onde está a chave do porão?", "pt"),
            ("Waar hangt de sleutel van de kelder?", "nl"),
            ("Var är nyckeln till källaren?", "sv"),
            ("Bodrumun anahtarı nerede ve kimin?", "tr"),
            ("Где лежит ключ от подвала?", "ru"),
        ] {
            let DetectedLanguage::Other(found) = detect_language(text) else { panic!("{text}") };
            assert_eq!(found.code, code, "{text}");
        }
        for text in ["Where is the key of the cellar?", "What did Ana say in June?"] {
            assert_eq!(detect_language(text), DetectedLanguage::English, "{text}");
        }
        for text in ["", "kayak", "Kellerschlüssel", "de", "Ben kayak", "地下室的钥匙"] {
            assert_eq!(detect_language(text), DetectedLanguage::Unknown, "{text}");
        }
    }

    #[test]
    fn forms_of_a_word_share_their_term() {
        let by_code = |code: &str| LANGUAGES.into_iter().find(|language| language.code == code).unwrap();
        for (code, a, b) in [
            ("de", "häuser", "haus"),
            ("de", "rechnungen", "rechnung"),
            ("es", "casas", "casa"),
            ("fr", "journaux", "journal"),
            ("tr", "kitaplar", "kitap"),
        ] {
            let language = by_code(code);
            assert_eq!(language.search_term(a), language.search_term(b), "{a} {b}");
        }
        for (a, b) in
            [("ключи", "ключ"), ("соседки", "соседка"), ("ёлки", "елка"), ("μαθητές", "μαθητής"), ("كتابان", "كتاب")]
        {
            assert_eq!(script_term(a), script_term(b), "{a} {b}");
        }
        assert_eq!((script_term("haus"), script_term("猫"), script_term("")), (None, None, None));
    }
}
