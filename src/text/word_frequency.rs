//! Frequencies of English words, so that summary lines can prefer specific words.
//!
//! Never reads a file at run time: the table is compiled in and searched in place.
//!
//! `data/word_frequency/en.txt` holds stems and the share of texts that contain them (per mille).

use super::word_list::{WordList, word_list};

const SHARES: WordList = word_list!("word_frequency/en.txt");

/// Number of texts in a thousand that contain a stem; 0 for an unknown stem.
pub fn per_mille(stem: &str) -> u32 {
    SHARES.value(stem).and_then(|share| share.parse().ok()).unwrap_or(0)
}

/// The inverse document frequency of a stem, from about 0.1 (in nearly every text) to 7.6 (unknown).
pub fn rarity(stem: &str) -> f64 {
    (1000.0 / (f64::from(per_mille(stem)) + 0.5)).ln().max(0.1)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::text::stem;

    #[test]
    fn every_stem_is_found_with_its_share() {
        for line in SHARES.iter() {
            let (word, share) = line.split_once(' ').unwrap();
            assert_eq!(per_mille(word).to_string(), share, "{word}");
            assert!(!stem(word).is_empty());
        }
        assert!((2_000..4_000).contains(&SHARES.iter().count()));
    }

    #[test]
    fn unknown_words_are_the_rarest() {
        for unknown in ["", "zyzzyva", "zzzz", "0", "你好"] {
            assert_eq!(per_mille(unknown), 0, "{unknown}");
        }
        assert!(rarity("zyzzyva") > rarity(&stem("family")));
        assert!(rarity(&stem("family")) > rarity(&stem("file")));
    }
}
