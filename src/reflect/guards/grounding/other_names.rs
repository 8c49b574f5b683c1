//! Tells which capitalised words are no names in a text that is neither English nor Chinese: the first of a sentence,
//! the words for the user, and German nouns.
//!
//! Never drops a number, a date, a negation, or a word with a digit or a capital letter inside.

use super::{GroundingSources, english, missing_particulars};
use crate::text::language::{DetectedLanguage, detect_language};
use crate::text::phrase::is_capitalized;
use crate::text::word_list::{WordList, word_list};
use crate::text::words::is_unspaced;

/// Articles, without apostrophe: `L'` is `l`.
const ARTICLES: WordList = word_list!("guards/grounding/articles.other.txt");
const USERS: WordList = word_list!("guards/grounding/users.other.txt");
/// A shorter capitalised word before a full stop is an abbreviation: `Dr.`
const MAX_ABBREVIATION: usize = 3;

/// What [`missing_particulars`] reports of a text about a whole conversation, without words that its language
/// capitalises though they are no names.
pub fn missing_in_paraphrase(text: &str, sources: &GroundingSources<'_>) -> Vec<String> {
    let mut missing = missing_particulars(text, sources);
    if missing.iter().any(|word| is_capitalized(word))
        && let Some(language) = other_language(text, sources)
    {
        let words = SentenceWord::all(text);
        missing.retain(|word| !is_capitalized(word) || is_name(word, &words, language));
    }
    missing
}

/// A language other than English and Chinese.
#[derive(Clone, Copy, PartialEq, Eq)]
enum OtherLanguage {
    German,
    /// One that capitalises names and the first words of sentences.
    Capitals,
}

/// The language of a text, or of its sources if it is too short to tell; `None` for English and Chinese.
fn other_language(text: &str, sources: &GroundingSources<'_>) -> Option<OtherLanguage> {
    if text.contains(is_unspaced) {
        return None;
    }
    let detected = match detect_language(text) {
        DetectedLanguage::Unknown if !english::is_english(text) => {
            detect_language(&format!("{text}\n{}", sources.different_texts().join("\n")))
        }
        known => known,
    };
    match detected {
        DetectedLanguage::Other(language) if language.code == "de" => Some(OtherLanguage::German),
        DetectedLanguage::Other(_) => Some(OtherLanguage::Capitals),
        DetectedLanguage::English => None,
        // One whose function words are not known. A name alone may have such a letter.
        DetectedLanguage::Unknown => {
            let is_foreign = |word: &str| !word.is_ascii() && word.starts_with(char::is_lowercase);
            let words = || text.split(|c: char| !c.is_alphanumeric());
            (words().any(is_foreign) && !english::is_english(text)).then_some(OtherLanguage::Capitals)
        }
    }
}

/// A word of a text, and how it stands in its sentence.
struct SentenceWord<'a> {
    surface: &'a str,
    starts_sentence: bool,
    /// Whether only a space is between it and the word before it.
    follows_word: bool,
}

impl SentenceWord<'_> {
    fn all(text: &str) -> Vec<SentenceWord<'_>> {
        let mut words: Vec<SentenceWord<'_>> = Vec::new();
        let mut end = 0;
        for surface in text.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty()) {
            // Both are slices of one text.
            let start = surface.as_ptr() as usize - text.as_ptr() as usize;
            let between = &text[end..start];
            let is_abbreviated = between.starts_with('.')
                && words.last().is_some_and(|word| {
                    is_capitalized(word.surface) && word.surface.chars().count() <= MAX_ABBREVIATION
                });
            let ends_sentence = |c: char| matches!(c, '.' | '!' | '?' | '…' | '\n');
            let starts_sentence = words.is_empty() || between.contains(ends_sentence) && !is_abbreviated;
            words.push(SentenceWord { surface, starts_sentence, follows_word: between == " " });
            end = start + surface.len();
        }
        words
    }

    /// Whether it may be a part of a name of several words.
    fn is_part_of_name(&self) -> bool {
        let low = self.surface.to_lowercase();
        is_capitalized(self.surface) && !ARTICLES.contains(&low) && !USERS.contains(&low)
    }
}

/// Whether a word of a text counts as a name anywhere in it.
fn is_name(word: &str, words: &[SentenceWord<'_>], language: OtherLanguage) -> bool {
    let low = word.to_lowercase();
    if word.contains(|c: char| !c.is_alphabetic()) || word.chars().skip(1).any(char::is_uppercase) {
        return true;
    }
    if USERS.contains(&low) {
        return false;
    }
    let mut places = (0..words.len()).filter(|at| words[*at].surface == word).peekable();
    // It is written otherwise in the text.
    if places.peek().is_none() {
        return true;
    }
    places.any(|at| {
        let is_after = at > 0 && words[at].follows_word && words[at - 1].is_part_of_name();
        let is_before = words.get(at + 1).is_some_and(|next| next.follows_word && next.is_part_of_name());
        let is_article = ARTICLES.contains(&low);
        match language {
            _ if words[at].starts_sentence => is_before && !is_article,
            OtherLanguage::German => (is_after || is_before) && !is_article,
            OtherLanguage::Capitals => true,
        }
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(conversation: &str, text: &str, expected: &[&str]) {
        let sources = GroundingSources { texts: vec![conversation], ..GroundingSources::default() };
        assert_eq!(missing_in_paraphrase(text, &sources), expected, "{text}");
    }

    #[test]
    fn articles_users_and_first_words_are_no_names() {
        let spanish = "Hoy migré la base de datos a Postgres.";
        check(spanish, "El usuario migró la base de datos a Postgres.", &[]);
        check(spanish, "El usuario migró la base de datos a Falcon.", &["Falcon"]);
        check(spanish, "Marta Ruiz migró la base de datos a Postgres.", &["Marta", "Ruiz"]);
        let french = "J'ai migré la base de données vers Postgres.";
        check(french, "L'utilisateur a migré la base de données vers Postgres.", &[]);
        check(french, "Le développeur a migré la base de données vers Postgres.", &[]);
        check(french, "Le développeur a migré la base de données vers Falcon.", &["Falcon"]);
        check("Przeniosłem bazę danych do Postgresa.", "Użytkownik przeniósł bazę danych do Postgresa.", &[]);
        check("Przeniosłem bazę danych do Postgresa.", "Użytkownik przeniósł bazę danych do Falcona.", &["Falcona"]);
        check("Я перенёс базу данных на Postgres.", "Пользователь перенёс базу данных на Postgres.", &[]);
        check("Я перенёс базу данных на Postgres.", "Пользователь перенёс базу данных на Falcon.", &["Falcon"]);
    }

    #[test]
    fn german_nouns_are_no_names() {
        let conversation = "Ich habe die Datenbank auf Postgres umgestellt.";
        check(conversation, "Der Nutzer hat die Datenbank auf Postgres umgestellt.", &[]);
        check(conversation, "Der User hat die Datenbank auf Postgres umgestellt.", &[]);
        check(conversation, "Das Ergebnis der Prüfung ist die Umstellung der Datenbank auf Postgres.", &[]);
        check(conversation, "Der Nutzer hat die Datenbank mit Anna Weber umgestellt.", &["Anna", "Weber"]);
        check(conversation, "Der Nutzer hat die Datenbank auf MongoDB umgestellt.", &["MongoDB"]);
        check(conversation, "Der Nutzer hat drei Datenbanken auf Postgres umgestellt.", &["drei"]);
    }

    #[test]
    fn names_in_english_and_chinese_stay_names() {
        check("I moved the database to Postgres.", "Falcon is the database of the user.", &["Falcon"]);
        check("I moved the database to Postgres.", "José moved the database to Postgres.", &["José"]);
        check("我把数据库迁移到 Postgres。", "用户把数据库迁移到 Falcon。", &["Falcon"]);
    }
}
