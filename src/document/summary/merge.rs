//! Merges two summary lines with a common base: terms that both kept, then terms that either added.
//!
//! Never combines a person's sentence with other text.

use super::line::{fits, has_term, is_prose, split_terms};

/// The merged value of two lines; `base` is the common ancestor, empty if there was none. `None` if both sides have
/// different sentences. `derived` tests whether memdir wrote a term; such terms are removed first if the line is too
/// long.
pub fn merge_summaries(base: &str, ours: &str, theirs: &str, derived: &dyn Fn(&str) -> bool) -> Option<String> {
    if ours == theirs || theirs == base {
        return Some(ours.to_owned());
    }
    if ours == base {
        return Some(theirs.to_owned());
    }
    match (is_prose(ours), is_prose(theirs)) {
        (true, true) => return None,
        (true, false) if !is_prose(base) => return Some(ours.to_owned()),
        (false, true) if !is_prose(base) => return Some(theirs.to_owned()),
        (false, false) => {}
        _ => return None,
    }
    let (o, a, b) = (split_terms(base), split_terms(ours), split_terms(theirs));
    let mut line: Vec<String> = o.iter().filter(|t| has_term(&a, t) && has_term(&b, t)).cloned().collect();
    let mut added: Vec<String> = Vec::new();
    for term in a.iter().chain(&b).filter(|t| !has_term(&o, t)) {
        if !has_term(&added, term) {
            added.push(term.clone());
        }
    }
    // Sorted, so that swapping ours and theirs gives the same result.
    added.sort();
    line.extend(added);
    while !fits(&line) {
        let oldest = line.iter().position(|t| derived(t)).unwrap_or(line.len() - 1);
        line.remove(oldest);
    }
    // If one side already has exactly these terms, keep its order.
    let mut full = [(&a, ours), (&b, theirs)]
        .into_iter()
        .filter(|(t, _)| t.len() == line.len() && t.iter().all(|t| has_term(&line, t)));
    let unchanged = full.next().map(|(_, first)| full.next().map_or(first, |(_, second)| first.min(second)));
    Some(unchanged.map_or_else(|| line.join(", "), str::to_owned))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(base: &str, ours: &str, theirs: &str, expected: Option<&str>) {
        for (a, b) in [(ours, theirs), (theirs, ours)] {
            assert_eq!(merge_summaries(base, a, b, &|_| true).as_deref(), expected, "{base} | {a} | {b}");
        }
    }

    #[test]
    fn terms_are_added_and_removed_on_both_sides() {
        check("name, work", "name, work, tea", "name, work, cats", Some("name, work, cats, tea"));
        check("name, work", "work", "name, work, cats", Some("work, cats"));
        check("", "a, b", "c", Some("a, b, c"));
        check("a", "a, b", "a, c, b", Some("a, c, b"));
        check(
            "1, 2, 3, 4, 5, 6, 7, 8, 9",
            "1, 2, 3, 4, 5, 6, 7, 8, 9, a",
            "1, 2, 3, 4, 5, 6, 7, 8, 9, b",
            Some("2, 3, 4, 5, 6, 7, 8, 9, a, b"),
        );
    }

    #[test]
    fn a_persons_sentence_is_kept_and_two_of_them_conflict() {
        check("a, b", "What Ada likes.", "a, b, c", Some("What Ada likes."));
        check("a, b", "What Ada likes.", "What Ada does.", None);
        check("What Ada likes.", "a, b", "What Ada does.", None);
    }
}
