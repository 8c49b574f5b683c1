//! Lists of words that do not identify a topic: function words, and generic verbs and nouns.
//!
//! Never stems: words must be lower case and unstemmed, as produced by [`super::words()`].

use super::word_list::{WordList, word_list};

/// Whether a word is an English function word (`the`, `with`, `don't`). Search and summary lines ignore these.
pub fn is_stopword(word: &str) -> bool {
    STOPWORDS.contains(word)
}

/// Whether a word is too general for a summary line (`going`, `thing`, `really`). Search still uses it.
pub fn is_generic(word: &str) -> bool {
    GENERIC.contains(word)
}

/// Whether a character or a pair of characters consists of Chinese or Japanese function words (的, 什么). Only for
/// questions: in a text they may be parts of names.
pub fn is_stop_ngram(ngram: &str) -> bool {
    let is_stop = |char: &str| STOP_CHARACTERS.iter().any(|list| list.contains(char));
    ngram.char_indices().all(|(at, c)| is_stop(&ngram[at..at + c.len_utf8()]))
}

const STOP_CHARACTERS: [WordList; 2] = [word_list!("stopwords/zh.txt"), word_list!("stopwords/ja.txt")];

/// The English function words.
pub const STOPWORDS: WordList = word_list!("stopwords/en.txt");

const GENERIC: WordList = word_list!("stopwords/generic.en.txt");

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn function_words_and_generic_words_are_distinguished() {
        assert!(is_stopword("the") && is_stopword("don't") && !is_stopword("going"));
        assert!(is_stop_ngram("的") && is_stop_ngram("什么") && is_stop_ngram("は"));
        assert!(!is_stop_ngram("目") && !is_stop_ngram("目的") && !is_stop_ngram("한"));
        assert!(is_generic("going") && !is_generic("the") && !is_generic("camping"));
    }
}
