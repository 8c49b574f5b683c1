//! Numbers with their nouns, as sentences have them.
//!
//! Knows no irregular plurals: a noun gets an s, and one that ends in y becomes one in ies.

/// A number with its noun: `1 pair`, `2 pairs`, `2 entries`.
pub fn counted_noun(n: usize, noun: &str) -> String {
    match (n, noun.strip_suffix('y')) {
        (1, _) => format!("1 {noun}"),
        (_, Some(stem)) => format!("{n} {stem}ies"),
        (_, None) => format!("{n} {noun}s"),
    }
}

#[cfg(test)]
mod tests {
    use super::counted_noun;

    #[test]
    fn only_one_is_singular() {
        assert_eq!([0, 1, 2].map(|n| counted_noun(n, "old file")), ["0 old files", "1 old file", "2 old files"]);
        assert_eq!([1, 2].map(|n| counted_noun(n, "entry")), ["1 entry", "2 entries"]);
    }
}
