//! Finds negations of other languages than English and Chinese that a text has and its source has not, or the other way
//! round.
//!
//! Never parses these languages: a clause is compared with the clauses that share the most words with it.

use crate::text::statement::Statement;
use crate::text::word_list::{WordList, word_list};

const CONJUNCTIONS: WordList = word_list!("guards/grounding/conjunctions.other.txt");

/// Whether a clause of a text is denied and all clauses of the sources that share the most words with it are not, or
/// the other way round. Clauses that share no word with any are not judged.
pub(super) fn differ(text: &str, sources: &[&str]) -> bool {
    let sources: Vec<Statement<'_>> = sources.iter().flat_map(|source| clauses(source)).collect();
    if sources.iter().chain(&clauses(text)).all(|clause| !clause.has_other_negation()) {
        return false;
    }
    clauses(text).iter().any(|clause| {
        let shared = |source: &Statement<'_>| {
            clause.content().filter(|own| source.content().any(|other| other.key == own.key)).count()
        };
        let most = sources.iter().map(shared).max().unwrap_or_default();
        let nearest = || sources.iter().filter(|source| shared(source) == most);
        most > 0 && nearest().all(|source| source.has_other_negation() != clause.has_other_negation())
    })
}

/// The clauses of a text: what punctuation and conjunctions part.
fn clauses(text: &str) -> Vec<Statement<'_>> {
    let mut clauses = Vec::new();
    for part in super::clauses(text) {
        let mut start = 0;
        for word in part.split_whitespace() {
            let at = word.as_ptr() as usize - part.as_ptr() as usize;
            if CONJUNCTIONS.contains(&word.to_lowercase()) {
                clauses.push(Statement::of(&part[start..at]));
                start = at + word.len();
            }
        }
        clauses.push(Statement::of(&part[start..]));
    }
    clauses
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(text: &str, sources: &[&str], expected: bool) {
        assert_eq!(differ(text, sources), expected, "{text} / {sources:?}");
    }

    #[test]
    fn a_negation_stands_in_both_or_in_neither() {
        check("Кот Барсик не весит 5 кг.", &["Мой кот Барсик весит 5 кг"], true);
        check("Кот Барсик весит 5 кг.", &["Мой кот Барсик не весит 5 кг"], true);
        check("Кот Барсик весит 5 кг.", &["Мой кот Барсик весит 5 кг"], false);
        check("Ne mange jamais de viande", &["Je ne mange pas de viande"], false);
        check("No come carne nunca", &["Nunca come carne"], false);
        check("Arbeitet am Freitag nicht", &["Ich arbeite am Freitag"], true);
        check("Usa il treno", &["Non uso il treno ogni giorno"], true);
    }

    #[test]
    fn a_clause_is_compared_with_its_own() {
        let merged = "Mag keinen Kaffee und wohnt bei Basel";
        check(merged, &["Mag keinen Kaffee", "Wohnt bei Basel"], false);
        check(merged, &["Mag Kaffee", "Wohnt bei Basel"], true);
        check("Wohnt bei Basel", &[merged], false);
        check("Mag Kaffee", &[merged], true);
        check("Hat drei Katzen", &["Ich habe kein Auto"], false);
        check("Works for a non-profit", &["I work for a charity"], false);
    }
}
