//! Frequencies of English words, so that summary lines can prefer specific words.
//!
//! Never reads a file at run time: the table is compiled in and searched in place.
//!
//! `common.txt` holds stems and the share of texts that contain them (per mille), sorted by bytes. It was counted over
//! passages of a few hundred words of public documentation; everyday words missing there were added by judgement.

const TABLE: &str = include_str!("common.txt");

/// Number of texts in a thousand that contain a stem; 0 for an unknown stem.
pub fn per_mille(stem: &str) -> u32 {
    let table = TABLE.as_bytes();
    let (mut low, mut high) = (0, table.len());
    while low < high {
        let middle = line_start(table, low + (high - low) / 2);
        let line = &TABLE[middle..line_end(table, middle)];
        let Some((word, share)) = line.split_once(' ') else { return 0 };
        match word.cmp(stem) {
            std::cmp::Ordering::Equal => return share.parse().unwrap_or(0),
            std::cmp::Ordering::Less => low = middle + line.len() + 1,
            std::cmp::Ordering::Greater => high = middle,
        }
    }
    0
}

/// The inverse document frequency of a stem, from about 0.1 (in nearly every text) to 7.6 (unknown).
pub fn rarity(stem: &str) -> f64 {
    (1000.0 / (f64::from(per_mille(stem)) + 0.5)).ln().max(0.1)
}

fn line_start(table: &[u8], at: usize) -> usize {
    memchr::memrchr(b'\n', &table[..at]).map_or(0, |i| i + 1)
}

fn line_end(table: &[u8], at: usize) -> usize {
    memchr::memchr(b'\n', &table[at..]).map_or(table.len(), |i| at + i)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::text::stem;

    #[test]
    fn every_line_is_found_again_and_the_table_is_sorted() {
        let mut last = "";
        for line in TABLE.lines() {
            let (word, share) = line.split_once(' ').unwrap();
            assert!(last < word, "{word} must sort after {last}");
            assert_eq!(per_mille(word).to_string(), share, "{word}");
            assert!(!stem(word).is_empty());
            last = word;
        }
        assert!((2_000..4_000).contains(&TABLE.lines().count()));
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
