//! What a comparison needs of a statement, found once: most are compared with hundreds of others.
//!
//! Never compares in detail: `contradiction` does.

use std::hash::{DefaultHasher, Hash, Hasher};
use std::sync::OnceLock;

use super::exact_tokens::placed_words;
use super::statement::Statement;

/// Parts of a statement that comparisons look at first.
#[derive(Clone, Debug)]
pub struct ComparedParts {
    /// Whether its text is that of a task: `[ ] Call Ann`, `[x] Ship it`.
    pub is_task: bool,
    pub is_negated: bool,
    /// The words of its text, see [`placed_words`].
    pub words: Vec<(usize, usize)>,
    /// The words that limit when or where it holds, once they were looked for.
    pub conditions: OnceLock<Vec<String>>,
    /// The hashes of its content tokens, ascending.
    content_hashes: Vec<u64>,
}

impl Statement<'_> {
    /// What comparisons need of it, found once.
    pub(super) fn parts(&self) -> &ComparedParts {
        self.parts.get_or_init(|| ComparedParts::of(self))
    }
}

impl ComparedParts {
    fn of(statement: &Statement<'_>) -> ComparedParts {
        let hash = |key: &str| {
            let mut hasher = DefaultHasher::new();
            key.hash(&mut hasher);
            hasher.finish()
        };
        let mut content_hashes: Vec<u64> = statement.content().map(|token| hash(&token.key)).collect();
        content_hashes.sort_unstable();
        ComparedParts {
            is_task: ["[ ] ", "[x] ", "[X] "].iter().any(|mark| statement.text.trim_start().starts_with(mark)),
            is_negated: statement.is_negated(),
            words: placed_words(statement.text),
            conditions: OnceLock::new(),
            content_hashes,
        }
    }

    /// How many content tokens one of two statements has that the other lacks, at least; of the two numbers the greater.
    pub fn least_difference(&self, other: &ComparedParts) -> usize {
        let (ours, theirs) = (&self.content_hashes, &other.content_hashes);
        let (mut i, mut j, mut shared) = (0, 0, 0);
        while i < ours.len() && j < theirs.len() {
            let (one, other) = (ours[i], theirs[j]);
            shared += usize::from(one == other);
            i += usize::from(one <= other);
            j += usize::from(other <= one);
        }
        ours.len().max(theirs.len()) - shared
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_difference_counts_each_token() {
        let difference = |a: &str, b: &str| {
            let [one, other] = [a, b].map(Statement::of);
            one.parts().least_difference(other.parts())
        };
        assert_eq!(difference("Lives in Austin", "Lives in Lisbon"), 1);
        assert_eq!(difference("Lisbon Lisbon Austin", "Austin Lisbon"), 1);
        assert_eq!(difference("Reads books", "Reads books"), 0);
        assert_eq!(difference("Reads books", "Sails boats, swims and climbs"), 4);
    }
}
