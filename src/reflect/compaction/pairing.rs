//! Checks that a merged text leaves together what its items say of each other: which number or letter belongs to which
//! name, and the two sides of "from A to B" and "A is better than B".
//!
//! Never looks for words that are missing or added: `carried` does.

use std::collections::HashSet;

use crate::text::exact_tokens::named_letters;
use crate::text::statement::{Statement, TokenKind};

/// Words between two sides that must not be exchanged; `to` only after `from`.
const BETWEEN: [&str; 5] = ["than", "over", "before", "after", "to"];
/// How many words of content beside such a word belong to it.
const MAX_SIDE: usize = 3;

/// The values that a merged text gives to another thing than its items do.
pub fn moved_values(merged: &str, items: &[String]) -> Vec<String> {
    let clauses = |text: &str| -> Vec<ClauseParts> { split_clauses(text).map(ClauseParts::of).collect() };
    let sources: Vec<ClauseParts> = items.iter().flat_map(|item| clauses(item)).collect();
    if items.len() < 2 {
        return Vec::new();
    }
    let with_value: Vec<&ClauseParts> = sources.iter().filter(|s| !s.values.is_empty()).collect();
    // A word that all of them have tells them not apart.
    let is_telling = |word: &&String| {
        sources.iter().any(|s| s.words.contains(*word))
            && (with_value.len() < 2 || !with_value.iter().all(|s| s.words.contains(*word)))
    };
    let mut moved = Vec::new();
    for clause in clauses(merged) {
        let telling: Vec<&String> = clause.words.iter().filter(is_telling).collect();
        for value in &clause.values {
            let mut owners = sources.iter().filter(|s| s.values.contains(value)).peekable();
            if !telling.is_empty()
                && owners.peek().is_some()
                && !owners.any(|owner| telling.iter().any(|word| owner.words.contains(*word)))
                && !moved.contains(value)
            {
                moved.push(value.clone());
            }
        }
    }
    moved
}

/// Whether a merged text exchanges the two sides of an item.
pub fn exchanges_sides(merged: &str, items: &[String]) -> bool {
    let of_merged = all_sides(merged);
    items.iter().flat_map(|item| all_sides(item)).any(|(word, left, right)| {
        of_merged.iter().any(|(other, left_now, right_now)| {
            *other == word
                && right.difference(&left).any(|key| left_now.contains(key))
                && left.difference(&right).any(|key| right_now.contains(key))
        })
    })
}

/// What one clause names, and the values that it gives.
struct ClauseParts {
    words: HashSet<String>,
    values: Vec<String>,
}

impl ClauseParts {
    fn of(clause: &str) -> ClauseParts {
        let statement = Statement::of(clause);
        let mut values: Vec<String> = named_letters(clause);
        let mut words = HashSet::new();
        for token in statement.content() {
            match token.kind {
                TokenKind::Number if token.key.starts_with(|c: char| c.is_ascii_digit()) => {
                    values.push(token.key.clone())
                }
                TokenKind::Word | TokenKind::Name | TokenKind::Date if token.surface.len() > 1 => {
                    words.insert(token.key.clone());
                }
                _ => {}
            }
        }
        ClauseParts { words, values }
    }
}

fn split_clauses(text: &str) -> impl Iterator<Item = &str> {
    let ends = |c: char| matches!(c, ',' | ';' | '\n' | '，' | '；' | '。' | '、');
    text.split(ends).flat_map(|part| part.split(" and ")).flat_map(|part| part.split(" while ")).map(str::trim)
}

/// Each word of [`BETWEEN`] in a text with the keys on its two sides.
fn all_sides(text: &str) -> Vec<(&'static str, HashSet<String>, HashSet<String>)> {
    let plain = text.replace(':', " ");
    let statement = Statement::of(&plain);
    let tokens = &statement.tokens;
    let mut found = Vec::new();
    for (at, token) in tokens.iter().enumerate() {
        let Some(word) = BETWEEN.iter().find(|word| token.surface.eq_ignore_ascii_case(word)) else { continue };
        let start = match *word {
            "to" => match tokens[..at].iter().rposition(|t| t.surface.eq_ignore_ascii_case("from")) {
                Some(from) => from + 1,
                None => continue,
            },
            _ => 0,
        };
        let is_content = |t: &&crate::text::statement::StatementToken<'_>| {
            !matches!(t.kind, TokenKind::Filler | TokenKind::Negation)
        };
        let left = tokens[start..at].iter().rev().filter(is_content).take(MAX_SIDE).map(|t| t.key.clone()).collect();
        let right = tokens[at + 1..].iter().filter(is_content).take(1).map(|t| t.key.clone()).collect();
        found.push((*word, left, right));
    }
    found
}
