//! Restates a text with the misspelt words of its sources that it puts right: pytest for pyetst, least for leats.
//!
//! Never takes one name for another: of a word that no list knows, only two letters may have changed places.

use super::english;
use crate::text::phrase::named_group;
use crate::text::similarity::within_edit_distance;
use crate::text::words::is_unspaced;

/// A shorter word differs from too many others by one letter.
const MIN_LETTERS: usize = 5;
/// The shortest word that may be a misspelt one.
const MIN_MISSPELT: usize = 4;

/// A text with each word in the spelling that its sources have. `None` if it has none in another one.
pub(super) fn in_forms_of(text: &str, sources: &[&str]) -> Option<String> {
    let said: Vec<String> = sources.iter().flat_map(|source| words(source)).map(str::to_owned).collect();
    let is_said = |word: &str| said.iter().any(|one| one.eq_ignore_ascii_case(word));
    let mut restated = text.to_owned();
    let mut is_changed = false;
    for word in words(text).filter(|word| word.len() >= MIN_LETTERS && !is_said(word)) {
        if let Some(misspelt) = said.iter().find(|one| is_misspelt(one, word)) {
            restated = restated.replacen(word, misspelt, 1);
            is_changed = true;
        }
    }
    is_changed.then_some(restated)
}

/// Whether a word of a source, as it is written there, is a misspelling of a word.
fn is_misspelt(said: &str, word: &str) -> bool {
    let low = word.to_ascii_lowercase();
    let is_unknown = said.len() >= MIN_MISSPELT && said.chars().all(|c| c.is_ascii_lowercase()) && !is_known(said);
    is_unknown
        && low != *said
        && within_edit_distance(said, &low, 1)
        && said.as_bytes()[0] == low.as_bytes()[0]
        && (is_known(&low) || has_letters_exchanged(said, &low))
}

/// Whether a word in lower case is in a list, in any form.
fn is_known(low: &str) -> bool {
    english::is_known_spelling(low) || named_group("languages").iter().any(|name| name == low)
}

/// Whether two words differ only in the order of two letters beside each other.
fn has_letters_exchanged(a: &str, b: &str) -> bool {
    let (mut a, mut b): (Vec<u8>, Vec<u8>) = (a.bytes().collect(), b.bytes().collect());
    a.sort_unstable();
    b.sort_unstable();
    a == b
}

fn words(text: &str) -> impl Iterator<Item = &str> {
    let is_word = |word: &&str| !word.is_empty() && word.bytes().all(|b| b.is_ascii_alphabetic());
    text.split(|c: char| !(c.is_alphanumeric() || c == '_') || is_unspaced(c)).filter(is_word)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_misspelt_may_be_put_right_and_no_name_becomes_another() {
        for (text, source, expected) in [
            (
                "The team provisions with Terraform.",
                "we provision with terrafrom",
                Some("The team provisions with terrafrom."),
            ),
            ("User is learning Norwegian.", "im lerning norwegain", Some("User is lerning norwegain.")),
            ("At least 60% is covered.", "60% covered at leats", Some("At leats 60% is covered.")),
            ("User met Lucas.", "I met lukas", None),
            ("User met Martha.", "I met marta", None),
            ("User met Brian.", "met with the brain surgeon", None),
            ("User sells trains.", "I sell brains", None),
            ("User bakes bread.", "I bake beard shaped bread", None),
            ("The form has a field.", "the from has a field", None),
        ] {
            assert_eq!(in_forms_of(text, &[source]).as_deref(), expected, "{text}");
        }
    }
}
