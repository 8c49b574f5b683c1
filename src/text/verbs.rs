//! Classifies English verbs as present or past, by form and neighbouring words.
//!
//! Never parses a sentence: it may mistake a plural noun for a verb, or miss a rare verb.

use super::phrase::{WordToken, is_capitalized};
use super::word_list::{WordList, word_list};

/// Third-person forms that are rarely plural nouns.
const CLEAR_VERBS: WordList = word_list!("verbs/third_person.en.txt");
/// Third-person forms that may be plural nouns; they count as verbs only next to a subject or an object.
const AMBIGUOUS_VERBS: WordList = word_list!("verbs/third_person_or_plural.en.txt");
const SUBJECTS: WordList = word_list!("verbs/subjects.en.txt");
/// Words after which a third-person form is a plural noun.
const NOUN_MARKERS: WordList = word_list!("verbs/noun_markers.en.txt");
/// Words that follow a verb, but not a noun.
const AFTER_VERB: WordList = word_list!("verbs/after_verb.en.txt");
const IRREGULAR_PAST: WordList = word_list!("verbs/irregular_past.en.txt");

/// Whether a word has the form of a past-tense verb.
pub fn is_past_verb(word: &str) -> bool {
    word.len() > 3
        && word.ends_with("ed")
        && !matches!(word, "need" | "feed" | "seed" | "speed" | "indeed" | "embed" | "exceed" | "succeed" | "proceed")
        || IRREGULAR_PAST.contains(word)
}

/// Whether a word in lower case may be a verb in the third person.
pub fn is_third_person(word: &str) -> bool {
    CLEAR_VERBS.contains(word) || AMBIGUOUS_VERBS.contains(word)
}

/// Whether the word after this one is a noun even if it looks like a verb: "the tests", "of tests".
pub fn is_noun_marker(previous: &str) -> bool {
    NOUN_MARKERS.contains(previous) || previous.bytes().all(|b| b.is_ascii_digit())
}

/// Indexes of verbs in the simple present: `is`, `has`, third-person forms.
pub fn present_verbs(tokens: &[WordToken<'_>]) -> Vec<usize> {
    (0..tokens.len()).filter(|i| is_present_verb(tokens, *i)).collect()
}

fn is_present_verb(tokens: &[WordToken<'_>], i: usize) -> bool {
    let word = tokens[i].text.as_str();
    let previous = i.checked_sub(1).map_or("", |p| tokens[p].text.as_str());
    let next = tokens.get(i + 1);
    let next_word = next.map_or("", |t| t.text.as_str());
    if is_capitalized(tokens[i].surface) {
        return false;
    }
    if matches!(word, "is" | "are" | "has" | "does") {
        return !(matches!(previous, "as" | "a" | "the") || word == "has" && next_word == "been");
    }
    if i == 0 || matches!(next_word, "were" | "was" | "had" | "of") {
        return false;
    }
    let named = is_capitalized(tokens[i - 1].surface) && (i > 1 || next_word != "and");
    if CLEAR_VERBS.contains(word) {
        return previous == "and" || !NOUN_MARKERS.contains(previous);
    }
    if previous == "and" && AFTER_VERB.contains(next_word) {
        return (1..i - 1).any(|at| is_present_verb(tokens, at));
    }
    if previous == "and"
        && AMBIGUOUS_VERBS.contains(word)
        && next.is_some()
        && !matches!(next_word, "and" | "or" | "in" | "on" | "at")
    {
        return (1..i - 1).any(|at| is_present_verb(tokens, at));
    }
    if NOUN_MARKERS.contains(previous) || previous.bytes().all(|b| b.is_ascii_digit()) {
        return false;
    }
    if AMBIGUOUS_VERBS.contains(word) {
        return SUBJECTS.contains(previous) || named || AFTER_VERB.contains(next_word);
    }
    // Unknown word: a third-person form if it has the object of a verb.
    let form = word.len() > 3
        && word.ends_with('s')
        && !["ss", "us", "is", "ous", "ics"].iter().any(|end| word.ends_with(end));
    let object = AFTER_VERB.contains(next_word) || previous == "user" && next.is_some();
    form && object && !tokens[..i].iter().any(|t| is_past_verb(&t.text))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::text::phrase::word_tokens;

    #[test]
    fn verbs_in_the_present_are_distinguished_from_plurals() {
        for (text, verbs) in [
            ("Chidi sells the van", "sells"),
            ("The parser reads the file and returns a tree", "reads returns"),
            ("User knits socks", "knits"),
            ("User paints boats and repairs the sails", "paints repairs"),
            ("The fixes for three crashes were merged", ""),
            ("User's boats were sold", ""),
            ("Panel digits on page two", ""),
            ("User is tired", "is"),
            ("Uses of the API", ""),
        ] {
            let all = word_tokens(text);
            let got: Vec<&str> = present_verbs(&all).into_iter().map(|i| all[i].surface).collect();
            assert_eq!(got.join(" "), verbs, "{text}");
        }
    }
}
