//! Which items of farther layers are contradicted by items of nearer ones.
//!
//! Never decides what is shown of them.

use std::collections::{BTreeMap, BTreeSet};

use crate::path::SourceAddress;
use crate::text::contradiction::compare_statements;
use crate::text::statement::Statement;

/// A word that more texts contain selects no candidates: every text would be compared with every other.
const MAX_TEXTS_PER_WORD: usize = 40;

/// An item of one of several layers.
pub struct LayeredText<'a> {
    /// 0 for the nearest layer.
    distance: usize,
    /// The path of its file within the layer.
    path: &'a str,
    statement: Statement<'a>,
}

impl<'a> LayeredText<'a> {
    /// `path` names its layer, if that is not the nearest; `layers` are the names of the farther ones, in order.
    pub fn new(path: &'a str, text: &'a str, layers: &[String]) -> LayeredText<'a> {
        let named = SourceAddress::parse_shared(path).filter(|named| layers.iter().any(|name| name == named.source));
        let inner = named.map_or(path, |named| named.address);
        LayeredText { distance: distance(path, layers), path: inner, statement: Statement::of_item(text) }
    }

    /// Whether both are about the same thing as far as their places tell: a label gets its subject from its file.
    fn is_comparable(&self, other: &LayeredText<'_>) -> bool {
        let has_label = |text: &LayeredText<'_>| text.statement.label_key.is_some();
        self.path == other.path || (!has_label(self) && !has_label(other))
    }
}

/// How far the layer of a path or an address is, given the names of the farther ones.
pub fn distance(address: &str, layers: &[String]) -> usize {
    let named = SourceAddress::parse_shared(address);
    named.and_then(|named| layers.iter().position(|name| name == named.source)).map_or(0, |at| at + 1)
}

/// Maps each overruled text to the nearest text that contradicts and overrules it, by index.
pub fn overruled_pairs(texts: &[LayeredText<'_>]) -> BTreeMap<usize, usize> {
    let mut by_word: BTreeMap<&str, Vec<usize>> = BTreeMap::new();
    for (n, text) in texts.iter().enumerate() {
        let words = text.statement.content().map(|token| token.key.as_str());
        let words: BTreeSet<&str> = text.statement.label_key.as_deref().into_iter().chain(words).collect();
        words.into_iter().for_each(|word| by_word.entry(word).or_default().push(n));
    }
    let rare = by_word.into_values().filter(|texts| texts.len() <= MAX_TEXTS_PER_WORD);
    let mut candidates: BTreeSet<(usize, usize)> = BTreeSet::new();
    for found in rare {
        for (a, b) in found.iter().flat_map(|a| found.iter().map(move |b| (*a, *b))) {
            if texts[a].distance > texts[b].distance {
                candidates.insert((a, b));
            }
        }
    }
    let mut pairs: BTreeMap<usize, usize> = BTreeMap::new();
    for (far, near) in candidates {
        let (a, b) = (&texts[far], &texts[near]);
        let is_nearer = pairs.get(&far).is_none_or(|known| texts[*known].distance > b.distance);
        if is_nearer && a.is_comparable(b) && compare_statements(&b.statement, &a.statement).is_some() {
            pairs.insert(far, near);
        }
    }
    pairs
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(texts: &[(&str, &str)], expected: &[(usize, usize)]) {
        let layers = ["mine".to_owned(), "team".to_owned()];
        let texts: Vec<LayeredText<'_>> =
            texts.iter().map(|(path, text)| LayeredText::new(path, text, &layers)).collect();
        let pairs: Vec<(usize, usize)> = overruled_pairs(&texts).into_iter().collect();
        assert_eq!(pairs, expected);
    }

    #[test]
    fn the_nearer_layer_overrules_the_farther_one() {
        let tabs = ("mine:facts/style.md", "Indent with tabs");
        check(&[("facts/style.md", "Never indent with tabs"), tabs], &[(1, 0)]);
        check(&[tabs, ("facts/style.md", "Never indent with tabs")], &[(0, 1)]);
        check(&[("facts/a.md", "Never indent with tabs"), tabs], &[(1, 0)]);
        let tagged = ("mine:facts/style.md", "Indent with tabs #team");
        check(&[("facts/a.md", "Never indent with tabs #style #go"), tagged], &[(1, 0)]);
        // Within one layer nothing overrules; `check` finds such pairs.
        check(&[("facts/a.md", "Indent with tabs"), ("facts/b.md", "Never indent with tabs")], &[]);
    }

    #[test]
    fn a_label_is_compared_within_files_of_one_name_only() {
        let other = ("team:facts/db.md", "Port: 9090");
        check(&[("facts/db.md", "Port: 8080"), other], &[(1, 0)]);
        check(&[("facts/api.md", "Port: 8080"), other], &[]);
        check(&[("facts/db.md", "Port: 8080"), ("mine:facts/db.md", "Port: 7070"), other], &[(1, 0), (2, 0)]);
    }
}
