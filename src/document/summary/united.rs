//! Two summary lines that grew from one: what both kept, then what each added.
//!
//! Never mixes a person's sentence with anything.

use super::line::{fits, has, is_prose, split};

/// The value that says what both lines say, given the one they grew from (empty where there was none); `None` where
/// two people wrote two sentences. `derived` tells memdir's own terms, which make room where the line is too long.
pub fn united(base: &str, ours: &str, theirs: &str, derived: &dyn Fn(&str) -> bool) -> Option<String> {
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
    let (o, a, b) = (split(base), split(ours), split(theirs));
    let mut line: Vec<String> = o.iter().filter(|t| has(&a, t) && has(&b, t)).cloned().collect();
    let mut new: Vec<String> = Vec::new();
    for term in a.iter().chain(&b).filter(|t| !has(&o, t)) {
        if !has(&new, term) {
            new.push(term.clone());
        }
    }
    // Which side is called ours must not show.
    new.sort();
    line.extend(new);
    while !fits(&line) {
        let oldest = line.iter().position(|t| derived(t)).unwrap_or(line.len() - 1);
        line.remove(oldest);
    }
    // A side that says all that already keeps its own order.
    let mut full = [(&a, ours), (&b, theirs)]
        .into_iter()
        .filter(|(t, _)| t.len() == line.len() && t.iter().all(|t| has(&line, t)));
    let kept = full.next().map(|(_, first)| full.next().map_or(first, |(_, second)| first.min(second)));
    Some(kept.map_or_else(|| line.join(", "), str::to_owned))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(base: &str, ours: &str, theirs: &str, expected: Option<&str>) {
        for (a, b) in [(ours, theirs), (theirs, ours)] {
            assert_eq!(united(base, a, b, &|_| true).as_deref(), expected, "{base} | {a} | {b}");
        }
    }

    #[test]
    fn terms_come_and_go_on_both_sides() {
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
    fn a_persons_sentence_stays_and_two_of_them_clash() {
        check("a, b", "What Ada likes.", "a, b, c", Some("What Ada likes."));
        check("a, b", "What Ada likes.", "What Ada does.", None);
        check("What Ada likes.", "a, b", "What Ada does.", None);
    }
}
