//! Numbers with their nouns, as sentences have them.
//!
//! Never knows an irregular plural: a noun gets an s.

/// A number with its noun: `1 pair`, `2 pairs`.
pub fn counted_noun(n: usize, noun: &str) -> String {
    format!("{n} {noun}{}", if n == 1 { "" } else { "s" })
}

#[cfg(test)]
mod tests {
    use super::counted_noun;

    #[test]
    fn only_one_is_singular() {
        assert_eq!([0, 1, 2].map(|n| counted_noun(n, "old file")), ["0 old files", "1 old file", "2 old files"]);
    }
}
