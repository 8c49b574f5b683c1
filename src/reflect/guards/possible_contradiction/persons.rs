//! The persons that a text is about: relatives, and what they are called.
//!
//! Never tells two persons of one kind apart.

use std::collections::HashSet;

use super::super::grounding::chinese_words;
use super::super::grounding::scope;
use crate::text::phrase::{has_unspaced_script, named_group};
use crate::text::word_list::{PhraseList, phrase_list};

/// Nouns for persons of which another one may be a kind: a brother is a sibling.
const GENERAL_PERSONS: PhraseList = phrase_list!("guards/contradiction/general_persons.txt");
/// Words before a person's name.
const HAN_NAMING: PhraseList = phrase_list!("guards/contradiction/naming.zh.txt");
/// Words that say whom a person is married to.
pub(super) const SPOUSES: PhraseList = phrase_list!("guards/contradiction/spouses.txt");
pub(super) const MARRIAGE: PhraseList = phrase_list!("guards/contradiction/marriage.txt");

/// The persons other than the user that a text names.
pub(super) fn persons_of(text: &str) -> HashSet<String> {
    let all = scope::persons(text).into_iter().chain(chinese_words::persons(text).map(str::to_owned));
    let all = all.filter(|person| !GENERAL_PERSONS.iter().any(|general| general == person));
    // A husband is whom one is married to.
    let low = text.to_lowercase();
    let marries = MARRIAGE.iter().any(|word| low.contains(word));
    let spouse = || SPOUSES.iter().next().unwrap_or_default().to_owned();
    let one = |person: String| if SPOUSES.iter().any(|spouse| spouse == person) { spouse() } else { person };
    all.map(one).chain(marries.then(spouse)).collect()
}

/// Whether both of two Chinese texts say what a person is called.
pub(super) fn name_person(a: &str, b: &str) -> bool {
    let names = |text: &str| {
        let after = HAN_NAMING.iter().find_map(|word| Some(text.split_once(word)?.1));
        let is_person = |rest: &str| named_group("surnames").iter().any(|name| rest.starts_with(name));
        after.is_some() || text.split_once('是').is_some_and(|(_, rest)| is_person(rest))
    };
    has_unspaced_script(a) && names(a) && names(b)
}
