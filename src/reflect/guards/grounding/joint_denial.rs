//! Finds what a text denies together with another thing where its source affirms it: "I do eat fish, just no meat" is not
//! "eats neither meat nor fish".
//!
//! Never looks at a text that denies one thing only.

use super::english::{base_stem, spaced_words};
use crate::text::statement::Statement;

/// The word behind "neither" or "nor" in a text that only a clause without a negation has.
pub(super) fn affirmed_word(text: &str, said: &str) -> Option<String> {
    let own = spaced_words(text);
    let (_, rest) = own.split_once(" neither ")?;
    let (first, second) = rest.split_once(" nor ")?;
    let first_word = |side: &str| side.split(' ').find(|word| word.len() > 2).map(str::to_owned);
    let has = |clause: &str, word: &str| spaced_words(clause).split(' ').any(|one| base_stem(one) == base_stem(word));
    [first_word(first), first_word(second)].into_iter().flatten().find(|word| {
        let mut naming = super::clauses(said).filter(|clause| has(clause, word)).peekable();
        naming.peek().is_some() && naming.all(|clause| !Statement::of(clause).is_negated())
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_of_two_denied_things_are_denied_in_the_source() {
        for (text, said, expected) in [
            ("User drinks neither wine nor beer.", "I do drink beer, just no wine", Some("beer")),
            ("User drinks neither wine nor beer.", "no wine, no beer, I'm driving", None),
            ("User drinks neither wine nor beer.", "I don't drink wine or beer", None),
        ] {
            assert_eq!(affirmed_word(text, said).as_deref(), expected, "{text} / {said}");
        }
    }
}
