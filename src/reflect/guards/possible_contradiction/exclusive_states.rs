//! Which statement of the memory gives an attribute another state, or another value where each text says that it is the
//! only one, in whatever words: "is vegetarian", "eats chicken most days"; "editor of choice", "does all the coding in".
//!
//! Never compares numbers and plain words: `differences` does, where the texts share words.

use super::super::grounding::english::spaced_words;
use super::MAX_ALIKE;
use super::attributes::AttributeReading;
use super::differences::are_about_other_things;
use super::prefilter::TopicStarts;
use super::subjects::english_subject;
use super::topics::{TopicKind, kind_of, speaks_of};
use crate::text::word_list::{PhraseList, phrase_list};

/// Words that say that a value is the only one, or that it holds of all: favourite, all, 首选, 都.
const ONLY_VALUE: PhraseList = phrase_list!("guards/contradiction/only_values.txt");

/// The first of some texts that excludes a new one in this way.
pub(super) fn find_exclusive_state<'a>(text: &str, others: impl Iterator<Item = &'a str>) -> Option<&'a str> {
    let new = AttributeReading::new(text);
    let topics = new.topics();
    if topics.is_empty() {
        return None;
    }
    let starts = TopicStarts::of(&topics);
    let mut of_topic = others.filter(|known| starts.are_in(known) && speaks_of(known, &topics)).take(MAX_ALIKE);
    of_topic.find(|known| excludes(&new, &AttributeReading::new(known)) && !are_about_other_things(text, known))
}

fn excludes(new: &AttributeReading<'_>, known: &AttributeReading<'_>) -> bool {
    let shared = new.topics();
    let mut shared = shared.intersection(&known.topics()).copied().collect::<Vec<_>>().into_iter();
    shared.any(|topic| {
        let is_exclusive = match kind_of(topic) {
            TopicKind::State | TopicKind::PartState => is_of_user(new.text) && is_of_user(known.text),
            TopicKind::Name | TopicKind::NamedName | TopicKind::TypicalName => {
                is_only_value(new, topic, known) && is_only_value(known, topic, new)
            }
            TopicKind::AnyWord | TopicKind::RoleName | TopicKind::Amount | TopicKind::EventAmount => false,
        };
        is_exclusive && new.excludes_in(topic, known)
    })
}

/// Words behind which stands for whom or as what something is done: who cooks chicken for the dog may be vegetarian.
const PURPOSES: [&str; 4] = ["for", "as a", "as an", "as the"];
const HAN_PURPOSES: [char; 3] = ['给', '替', '帮'];

/// Whether a statement is about the user's own state.
fn is_of_user(text: &str) -> bool {
    let (spaced, subject) = (spaced_words(text), english_subject(text).0.to_lowercase());
    matches!(&*subject, "" | "the user" | "user" | "i")
        && !PURPOSES.iter().any(|word| spaced.contains(&format!(" {word} ")))
        && !text.contains(HAN_PURPOSES)
}

/// Whether a statement says of a value that it is the only one, or names nothing besides that could limit it.
fn is_only_value(reading: &AttributeReading<'_>, topic: usize, other: &AttributeReading<'_>) -> bool {
    let spaced = spaced_words(reading.text);
    let has = |word: &str| {
        if word.is_ascii() { spaced.contains(&format!(" {word} ")) } else { reading.text.contains(word) }
    };
    // "The main database of the shop" is the only one of the shop.
    let is_of_part = spaced.contains(" of ") && !spaced.contains(" of choice ");
    ONLY_VALUE.iter().any(has) && !is_of_part || reading.rest_of(topic, other).is_empty()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_order_of_two_texts_does_not_matter() {
        let excludes = |a: &str, b: &str| {
            let one_way = |a: &str, b: &str| find_exclusive_state(a, [b].into_iter()).is_some();
            assert_eq!(one_way(a, b), one_way(b, a), "{a} / {b}");
            one_way(a, b)
        };
        for (a, b) in [
            ("Eats chicken most days", "The user is vegetarian"),
            ("Does all the coding in Zed", "The editor of choice is Helix"),
            ("Does not smoke", "Smokes a pipe in the evening"),
            ("用户吃素。", "用户每周吃三次牛肉。"),
        ] {
            assert!(excludes(a, b), "{a} / {b}");
        }
        for (a, b) in [
            ("Shoots weddings with the Fuji X-T5", "Shoots portraits with a Mamiya RB67"),
            ("The main database of the blog is SQLite", "The main database of the shop is Postgres."),
            ("Is teetotal", "The build server is called Stout."),
            ("Is vegetarian", "Cooks chicken for the dog."),
            ("用户吃素", "给狗做鸡肉。"),
            ("The user is vegetarian", "The user's brother eats chicken most days"),
            ("The editor of choice is Helix", "Edits long SQL scripts in Zed"),
            ("Is vegetarian", "Eats tofu most days"),
        ] {
            assert!(!excludes(a, b), "{a} / {b}");
        }
    }
}
