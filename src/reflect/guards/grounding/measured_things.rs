//! Finds a number that a text gives another unit or thing than its sources do: "25 MB per file and 200 MB per ticket" does
//! not say "200 MB per file".
//!
//! Never looks before a number: what stands behind it, up to the next number or mark, is what it counts.

use std::collections::HashSet;

use super::UNITS;
use super::english::base_stem;
use crate::text::phrase::has_unspaced_script;
use crate::text::statement::{Statement, TokenKind};
use crate::text::stopwords::is_stopword;

/// A number, as written, and the stems of the words behind it.
struct Counted {
    number: String,
    surface: String,
    words: HashSet<String>,
}

/// A number of a text behind which stands a word that the sources have only behind another number.
pub(super) fn moved_measure(text: &str, sources: &[&str]) -> Option<String> {
    if has_unspaced_script(text) {
        return None;
    }
    let own = counted(text);
    let said: Vec<Counted> = sources.iter().flat_map(|source| counted(source)).collect();
    let is_own = |number: &str| own.iter().any(|one| one.number == number);
    own.iter().find_map(|one| {
        let homes: Vec<&Counted> = said.iter().filter(|other| other.number == one.number).collect();
        let names_things = !homes.is_empty() && homes.iter().all(|home| !home.words.is_empty());
        let is_elsewhere = |word: &String| {
            homes.iter().all(|home| !home.words.contains(word))
                && said.iter().any(|other| !is_own(&other.number) && other.words.contains(word))
        };
        (names_things && one.words.iter().any(is_elsewhere)).then(|| one.surface.clone())
    })
}

fn counted(text: &str) -> Vec<Counted> {
    let mut found: Vec<Counted> = Vec::new();
    let ends = |c: char| matches!(c, ',' | ';' | ':' | '!' | '?' | '\n' | '(' | ')');
    for part in text.split(ends).flat_map(|part| part.split(". ")).flat_map(|part| part.split(" but ")) {
        let statement = Statement::of(part);
        let mut open = false;
        for token in &statement.tokens {
            let is_digit = token.key.starts_with(|c: char| c.is_ascii_digit());
            match token.kind {
                TokenKind::Number if is_digit => {
                    open = true;
                    let (number, surface) = (token.key.clone(), token.surface.to_owned());
                    found.push(Counted { number, surface, words: HashSet::new() });
                }
                TokenKind::Date | TokenKind::Negation | TokenKind::Name => open = false,
                TokenKind::Number | TokenKind::Word | TokenKind::Filler => {
                    let low = token.surface.to_lowercase();
                    let stem = base_stem(&low);
                    let unit = UNITS.iter().find(|line| line.split('|').any(|one| one == low));
                    let word = unit.and_then(|line| line.split('|').next()).map_or(stem.clone(), str::to_owned);
                    // 2s
                    let is_unit = unit.is_some() && found.last().is_some_and(|last| last.words.is_empty());
                    if let Some(last) = found.last_mut().filter(|_| open)
                        && last.words.len() < MAX_WORDS
                        && (is_unit || token.kind != TokenKind::Filler && !is_stopword(&low))
                    {
                        last.words.insert(word);
                    }
                }
            }
        }
    }
    found
}

/// So many words behind a number say what it counts.
const MAX_WORDS: usize = 3;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_number_stays_with_what_stands_behind_it() {
        for (text, source, expected) in [
            ("The limit is 200 MB per file.", "our limit is 25 MB per file and 200 MB per ticket", Some("200")),
            ("The limit is 25 MB per file.", "our limit is 25 MB per file and 200 MB per ticket", None),
            ("The retry comes after 5 seconds.", "first retry after 2s, then doubling, max 5 tries", Some("5")),
            ("The retry comes after 2 seconds.", "first retry after 2s, then doubling, max 5 tries", None),
            ("Has 2 cats and 3 dogs.", "I have 2 cats and 3 dogs", None),
            ("The plan has 31 seats.", "40 but only 31 are used", None),
        ] {
            assert_eq!(moved_measure(text, &[source]).as_deref(), expected, "{text}");
        }
    }
}
