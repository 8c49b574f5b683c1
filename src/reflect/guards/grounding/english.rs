//! The English words of content in a text that no source supports: by the same stem or its family, by a word that says
//! the same, or by the parts of a compound.
//!
//! Never judges what a sentence means: `scope` compares negations, quantifiers and persons. A text or a source in
//! another language is not judged.

use std::collections::HashSet;

use crate::text::phrase::{has_unspaced_script, word_tokens};
use crate::text::statement::{Statement, StatementToken, TokenKind};
use crate::text::word_list::{PhraseList, WordList, phrase_list, word_list};
use crate::text::{stem, stopwords, word_frequency};

/// Words that need no counterpart.
const FREE_WORDS: WordList = word_list!("guards/grounding/free.en.txt");
/// Stems, each with the stems that support it.
const SUPPORT: WordList = word_list!("guards/grounding/support.en.txt");
/// Groups of words that support each other.
const SUPPORT_CLASSES: PhraseList = phrase_list!("guards/grounding/support_classes.en.txt");
/// Verbs of which a text may have one that no source supports.
const VERBS: WordList = word_list!("guards/grounding/verbs.en.txt");
const IRREGULAR_FORMS: WordList = word_list!("guards/grounding/irregular.en.txt");
const SUFFIXES: WordList = word_list!("guards/grounding/suffixes.en.txt");

/// The shortest common start of two words of one family, in bytes: `allergic`, `allergy`.
const MIN_FAMILY_START: usize = 4;
/// The shortest word that is searched for within another: `timezone` in `time zone`.
const MIN_COMPOUND: usize = 6;

/// The shortest word that may be cut off, and the shortest rest: `retrospective`, `retro`.
const MIN_CLIPPED: usize = 9;
const MIN_CLIP: usize = 5;

/// The shortest and the longest acronym whose words are looked for, in letters.
const MIN_ACRONYM: usize = 3;
const MAX_ACRONYM: usize = 6;

/// The words of some sources.
pub struct EnglishSources {
    /// Stems of all words, of irregular forms the base form, too.
    stems: HashSet<String>,
    /// All words in lower case, between single spaces, with one at each end.
    spaced: String,
    /// All letters and digits.
    squeezed: String,
    is_english: bool,
}

impl EnglishSources {
    pub fn of<'a>(texts: impl Iterator<Item = &'a str> + Clone) -> EnglishSources {
        let mut stems = HashSet::new();
        let mut spaced = String::from(" ");
        for text in texts.clone() {
            for word in word_tokens(text) {
                stems.insert(stem(&word.text).into_owned());
                stems.extend(IRREGULAR_FORMS.value(&word.text).map(|base| stem(base).into_owned()));
            }
            spaced.push_str(spaced_words(text).trim_start());
        }
        let squeezed = spaced.replace(' ', "");
        EnglishSources { stems, spaced, squeezed, is_english: texts.clone().any(is_english) }
    }

    /// Whether a word stands in the sources as it is.
    pub fn has_word(&self, key: &str) -> bool {
        self.stems.contains(key)
    }

    /// The words of a text that nothing supports, as written.
    pub fn unsupported<'a>(&self, statement: &Statement<'a>) -> Vec<&'a str> {
        if !self.is_english || !is_english(statement.text) {
            return Vec::new();
        }
        let spelled = self.spelled_out(statement.text);
        let words = statement.tokens.iter().filter(|t| t.kind == TokenKind::Word && !t.is_han);
        words.filter(|t| !self.supports(t) && !spelled.contains(&t.surface.to_lowercase())).map(|t| t.surface).collect()
    }

    /// Whether a single word without a counterpart may be another way to say what the sources say: a verb, whose objects
    /// are supported, or an adverb of manner.
    pub fn may_paraphrase(word: &str) -> bool {
        let low = word.to_lowercase();
        let base = IRREGULAR_FORMS.value(&low).unwrap_or(&low);
        VERBS.contains(&stem(base)) || low.ends_with("ly")
    }

    /// The words of a text that an acronym of the sources stands for: MSRV, minimum supported Rust version.
    fn spelled_out(&self, text: &str) -> HashSet<String> {
        let words: Vec<String> = word_tokens(text).into_iter().map(|w| w.text).collect();
        let mut found = HashSet::new();
        for start in 0..words.len() {
            for end in start + MIN_ACRONYM..=words.len().min(start + MAX_ACRONYM) {
                let initials: String = words[start..end].iter().filter_map(|w| w.chars().next()).collect();
                let letters: HashSet<char> = initials.chars().collect();
                if letters.len() > 1 && self.spaced.contains(&format!(" {initials} ")) {
                    found.extend(words[start..end].iter().cloned());
                }
            }
        }
        found
    }

    /// Whether the sources have a word, or one that says the same.
    pub fn supports(&self, token: &StatementToken<'_>) -> bool {
        let low = token.surface.to_lowercase();
        is_free(&low, &token.key) || self.has_counterpart(token)
    }

    /// Like [`EnglishSources::supports`], also of words that need no counterpart.
    pub fn has_counterpart(&self, token: &StatementToken<'_>) -> bool {
        let low = token.surface.to_lowercase();
        if low.len() < 3 || self.has_stem(&token.key) {
            return true;
        }
        let base = IRREGULAR_FORMS.value(&low).or_else(|| IRREGULAR_FORMS.value(low.strip_prefix("re")?));
        let base = base.map(|base| stem(base).into_owned());
        if base.as_ref().is_some_and(|base| is_free(base, base) || self.has_stem(base)) {
            return true;
        }
        let key = base.unwrap_or_else(|| token.key.clone());
        let is_supported_by = |list: &str| list.split(' ').any(|one| self.stems.contains(one));
        let is_prefixed = || {
            ["un", "in", "non", "dis", "ir", "im", "re", "pre"]
                .iter()
                .filter_map(|prefix| key.strip_prefix(prefix))
                .any(|rest| rest.len() >= 4 && self.has_stem(rest))
        };
        SUPPORT.value(&key).is_some_and(is_supported_by)
            || self.supports_by_class(&key, &low)
            || low.len() >= MIN_COMPOUND && self.squeezed.contains(&low)
            || low.len() >= MIN_CLIPPED && self.stems.iter().any(|s| s.len() >= MIN_CLIP && low.starts_with(s.as_str()))
            || self.is_compound(&low)
            || is_prefixed()
    }

    /// Whether the sources have a word in some form, or it needs none.
    pub fn is_supported_by_form(&self, token: &StatementToken<'_>) -> bool {
        let low = token.surface.to_lowercase();
        is_free(&low, &token.key) || self.has_synonym(token)
    }

    /// Whether the sources have a word in some form, or one of its class; not one that is merely related to it.
    pub fn has_synonym(&self, token: &StatementToken<'_>) -> bool {
        let low = token.surface.to_lowercase();
        self.has_stem(&token.key) || self.supports_by_class(&token.key, &low) || self.is_compound(&low)
    }

    /// Whether the sources have a stem, another spelling of it, or a word of its family.
    fn has_stem(&self, key: &str) -> bool {
        let spelling = unify_spelling(key);
        self.stems.contains(key)
            || key.len() >= MIN_FAMILY_START
                && self.stems.iter().any(|other| is_family(&spelling, &unify_spelling(other)))
    }

    fn supports_by_class(&self, key: &str, low: &str) -> bool {
        let has = |one: &str| match one.contains([' ', '-']) {
            true => self.spaced.contains(&format!(" {} ", one.replace('-', " "))),
            false => self.stems.contains(one),
        };
        SUPPORT_CLASSES
            .iter()
            .any(|class| class.split('|').any(|one| one == key || one == low) && class.split('|').any(has))
    }

    /// Whether a word consists of two words of the sources: `weekday`, `database`.
    fn is_compound(&self, low: &str) -> bool {
        low.is_ascii()
            && (3..low.len().saturating_sub(2)).any(|at| {
                let (first, second) = low.split_at(at);
                self.stems.contains(&*stem(first)) && self.stems.contains(&*stem(second))
            })
    }
}

/// The words, as stems or phrases, that say the same as a word or support it.
pub fn related_words(word: &str) -> Vec<&'static str> {
    let base = IRREGULAR_FORMS.value(word).unwrap_or(word);
    let key = stem(base);
    let classes = SUPPORT_CLASSES.iter().filter(|class| class.split('|').any(|one| one == key || one == word));
    classes
        .flat_map(|class| class.split('|'))
        .chain(SUPPORT.value(&key).into_iter().flat_map(|list| list.split(' ')))
        .collect()
}

fn is_free(low: &str, key: &str) -> bool {
    FREE_WORDS.contains(low) || FREE_WORDS.contains(key)
}

/// Whether two stems start alike and end in suffixes.
fn is_family(a: &str, b: &str) -> bool {
    let common = a.bytes().zip(b.bytes()).take_while(|(x, y)| x == y).count();
    if common < MIN_FAMILY_START || !a.is_char_boundary(common) || !b.is_char_boundary(common) {
        return false;
    }
    let ends = |rest: &str| rest.is_empty() || SUFFIXES.contains(rest);
    (0..=2).map(|back| common - back).any(|at| at >= MIN_FAMILY_START && ends(&a[at..]) && ends(&b[at..]))
}

/// A stem in American spelling.
fn unify_spelling(key: &str) -> String {
    let key = key.replace("our", "or").replace("ll", "l").replace("ogu", "og");
    let key = match key.strip_suffix("is").filter(|rest| rest.len() > 3) {
        Some(rest) => format!("{rest}iz"),
        None => key,
    };
    match key.strip_suffix("tre") {
        Some(rest) => format!("{rest}ter"),
        None => key,
    }
}

/// The words of a text in lower case, between single spaces, with one at each end.
pub fn spaced_words(text: &str) -> String {
    let plain: String = text
        .to_lowercase()
        .chars()
        .map(|c| match c {
            '\u{2019}' => '\'',
            c if c.is_alphanumeric() || c == '\'' => c,
            _ => ' ',
        })
        .collect();
    format!(" {} ", plain.split(' ').filter(|word| !word.is_empty()).collect::<Vec<_>>().join(" "))
}

/// In a text of so many words, half of them may be unknown.
const MAX_FRAGMENT: usize = 3;

/// Whether a text is in English: most of its words that are no names are common ones.
pub fn is_english(text: &str) -> bool {
    let (mut known, mut all) = (0, 0);
    for word in word_tokens(text) {
        if word.text.len() < 2
            || word.surface.chars().skip(1).any(char::is_uppercase)
            || word.text.bytes().any(|b| b.is_ascii_digit())
        {
            continue;
        }
        let stemmed = stem(&word.text);
        let is_known = stopwords::is_stopword(&word.text)
            || word_frequency::per_mille(&stemmed) > 0
            || SUPPORT.value(&stemmed).is_some()
            || is_free(&word.text, &stemmed);
        // A capitalised word may be a name.
        if is_known || !word.surface.starts_with(char::is_uppercase) {
            all += 1;
            known += usize::from(is_known);
        }
    }
    let has_han = has_unspaced_script(text);
    let is_mostly_known = known * 5 >= all * 3 || all <= MAX_FRAGMENT && known * 2 >= all;
    known > 0 && is_mostly_known && !has_han
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(text: &str, source: &str, expected: &[&str]) {
        let found = EnglishSources::of([source].into_iter());
        assert_eq!(found.unsupported(&Statement::of(text)), expected, "{text} / {source}");
    }

    #[test]
    fn words_of_content_need_a_counterpart() {
        check("User keeps three goats in the garden", "we have three goats", &["garden"]);
        check("User's bicycle is green", "my bike is green", &[]);
        check("User is allergic to pollen", "I have a pollen allergy", &[]);
        check("User purchased a telescope", "I bought a telescope last year", &[]);
        check("User purchased a telescope", "I sold a telescope last year", &["purchased"]);
        check("The colour of the theme is grey", "the theme color is gray", &[]);
        check("Timezone: UTC", "my time zone is UTC", &[]);
        check("The deployment is automated", "we deploy automatically", &[]);
        check("User travels by train", "I usually take the train", &[]);
    }

    #[test]
    fn other_languages_are_not_judged() {
        check("Der Nutzer bevorzugt Leerzeichen", "ich mag Leerzeichen lieber", &[]);
        check("User prefers spaces", "我喜欢空格", &[]);
        assert!(is_english("User lives in Cork") && is_english("Editor: Helix"));
        assert!(!is_english("L'utilisateur habite Lyon depuis longtemps"));
    }
}
