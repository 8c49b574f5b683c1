//! Tells the language of a text by its function words, and reduces its words to their stems.
//!
//! Never guesses: a text with too few function words, or with as many of one language as of another, has none. English
//! is not among the languages: its words have their stems everywhere.

use rust_stemmers::{Algorithm, Stemmer};
use unicode_normalization::UnicodeNormalization;

use super::stopwords::is_stopword;
use super::strip_diacritics::strip_diacritics;
use super::word_list::{WordList, word_list};
use super::words;

/// A language with function words and stems of its own.
#[derive(Clone, Copy, Debug)]
pub struct Language {
    /// ISO 639-1.
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
        if is_stopword(&word.text) {
            english += 1;
        }
        // Most memories are in English, and look like it soon.
        if english >= ENOUGH_ENGLISH && english > 2 * counts.iter().copied().max().unwrap_or(0) {
            return DetectedLanguage::English;
        }
        for (count, language) in counts.iter_mut().zip(LANGUAGES) {
            *count += usize::from(language.is_stopword(&word.text));
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
    strip_diacritics(&Stemmer::create(algorithm).stem(&word)).into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

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
