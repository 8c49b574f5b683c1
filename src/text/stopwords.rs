//! Lists of English words that do not identify a topic: function words, and generic verbs and nouns.
//!
//! Only for English; words must be lower case and unstemmed, as produced by [`super::words`].

use super::word_list::{WordList, word_list};

/// Whether a word is an English function word (`the`, `with`, `don't`). Search and summary lines ignore these.
pub fn is_stopword(word: &str) -> bool {
    STOPWORDS.contains(word)
}

/// Whether a word is too general for a summary line (`going`, `thing`, `really`). Search still uses it.
pub fn is_generic(word: &str) -> bool {
    GENERIC.contains(word)
}

const STOPWORDS: WordList = word_list!("stopwords/en.txt");

const GENERIC: WordList = word_list!("stopwords/generic.en.txt");

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn function_words_and_generic_words_are_distinguished() {
        assert!(is_stopword("the") && is_stopword("don't") && !is_stopword("going"));
        assert!(is_generic("going") && !is_generic("the") && !is_generic("camping"));
    }
}
