//! Compares a merged text with the items that it replaces: no name, number or content word may be missing or added.
//!
//! Never compares style: fillers and verbs such as "likes" and "prefers" may differ.

use std::collections::{BTreeSet, HashSet};

use super::pairing::{exchanges_sides, moved_values};
use crate::reflect::guards::GroundingSources;
use crate::reflect::guards::grounding::missing_particulars;
use crate::text::exact_tokens::dropped_tokens;
use crate::text::statement::{Statement, TokenKind};
use crate::text::stem;
use crate::text::word_list::{PhraseList, WordList, phrase_list, word_list};

pub(super) const PREDICATES: WordList = word_list!("compaction/predicates.en.txt");
pub(super) const HAN_PREDICATES: PhraseList = phrase_list!("compaction/predicates.zh.txt");
/// Words between two statements of one sentence: a negation on one side does not concern the other.
const CONJUNCTIONS: [&str; 7] = [" and ", " while ", " whereas ", "而且", "并且", "但", "且"];

/// What an item contains and a merged text does not: names, numbers, dates and content words, `not` for a negation that
/// only one of them has, and `order` for a comparison whose sides are swapped.
pub fn missing_words(item: &str, merged: &str) -> Vec<String> {
    let parted = CONJUNCTIONS.iter().fold(merged.to_owned(), |text, word| text.replace(word, "; "));
    let sources = GroundingSources { quote: &parted, texts: vec![merged], ..GroundingSources::default() };
    let known = word_keys(merged);
    let mut missing: Vec<String> = Vec::new();
    for line in statement_lines(item) {
        missing.extend(missing_particulars(&line, &sources));
        missing.extend(missing_content(&line, &known));
        missing.extend(dropped_tokens(&line, merged));
    }
    let mut seen = HashSet::new();
    missing.retain(|word| seen.insert(word.to_lowercase()));
    missing
}

/// The content words of an item that another text lacks. Names, numbers and dates are not among them.
pub fn missing_content_words(item: &str, other: &str) -> Vec<String> {
    let known = word_keys(other);
    statement_lines(item).flat_map(|line| missing_content(&line, &known)).collect()
}

/// What a merged text contains and none of the items does: names, numbers, dates, a negation; a number that no item
/// gives to the same thing, and `order` for two sides that are exchanged.
pub fn added_words(merged: &str, items: &[&str]) -> Vec<String> {
    let sources = GroundingSources { quote: "", texts: items.to_vec(), ..GroundingSources::default() };
    let mut added = missing_particulars(merged, &sources);
    let lines: Vec<String> = items.iter().flat_map(|item| statement_lines(item)).collect();
    added.extend(moved_values(&without_tags(merged), &lines));
    if exchanges_sides(merged, &lines) {
        added.push("order".into());
    }
    let mut seen = HashSet::new();
    added.retain(|word| seen.insert(word.to_lowercase()));
    added
}

/// The content words of a statement that are not among `known`; characters of a script without spaces in runs.
fn missing_content(line: &str, known: &HashSet<String>) -> Vec<String> {
    let plain = HAN_PREDICATES.iter().fold(line.to_owned(), |text, verb| text.replace(verb, " "));
    let mut missing: Vec<String> = Vec::new();
    let mut run_is_open = false;
    for token in Statement::of(&plain).content().filter(|t| t.kind == TokenKind::Word) {
        let is_missing = !known.contains(&token.key) && !PREDICATES.contains(&token.key);
        match missing.last_mut() {
            Some(run) if is_missing && run_is_open && token.is_han => run.push_str(token.surface),
            _ if is_missing => missing.push(token.surface.to_owned()),
            _ => {}
        }
        run_is_open = is_missing && token.is_han;
    }
    missing
}

/// The words of a text in all forms in which another text may have them.
fn word_keys(text: &str) -> HashSet<String> {
    let lines: Vec<String> = statement_lines(text).collect();
    let tokens = lines.iter().flat_map(|line| Statement::of(line).tokens);
    tokens.flat_map(|t| [stem(&t.surface.to_lowercase()).into_owned(), t.key]).collect()
}

/// The lines of an item without markers of lists and headings, without tags and without its date. A label is a part of
/// the statement. A heading that only repeats the start of a line is left out.
pub(super) fn statement_lines(text: &str) -> impl Iterator<Item = String> {
    let has_text = |line: &&str| !line.is_empty() && !line.starts_with("Date:") && !line.starts_with("<!-- mem ");
    let is_repeated = |line: &str| {
        let title = line.trim_start_matches('#').trim();
        let repeats =
            |other: &str| other.trim_start_matches(['-', ' ']).trim_start_matches("Summary: ").starts_with(title);
        line.starts_with('#') && !title.is_empty() && text.lines().any(repeats)
    };
    text.lines()
        .map(str::trim)
        .filter(move |line| !is_repeated(line))
        .map(|line| line.trim_start_matches(['-', '*', '+', '#']).trim())
        .filter(has_text)
        .map(|line| without_tags(without_id(line)).replace(": ", " ").replace('：', " "))
        .filter(|line| !line.is_empty())
}

/// The tags of a text, as written: `#work`.
pub fn tags(text: &str) -> BTreeSet<&str> {
    text.split_whitespace().filter(|word| is_tag(word)).collect()
}

fn is_tag(word: &str) -> bool {
    word.strip_prefix('#').is_some_and(|name| {
        name.starts_with(char::is_alphabetic)
            && name.chars().all(|c| c.is_alphanumeric() || matches!(c, '_' | '-' | '/'))
    })
}

fn without_tags(line: &str) -> String {
    if line.contains('#') {
        line.split(' ').filter(|word| !is_tag(word)).collect::<Vec<_>>().join(" ")
    } else {
        line.to_owned()
    }
}

/// A line without the id at its end: `^id` or `{#id}`.
fn without_id(line: &str) -> &str {
    match line.rsplit_once(' ') {
        Some((rest, last)) if last.starts_with('^') || last.starts_with("{#") => rest,
        _ => line,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(item: &str, merged: &str, expected: &str) {
        assert_eq!(missing_words(item, merged).join(", "), expected, "{item} / {merged}");
    }

    #[test]
    fn names_numbers_and_content_words_are_carried() {
        let merged = "Likes window blinds, tabs over spaces, and dark mode in Zed 0.9";
        check("Prefers window blinds", merged, "");
        check("User usually prefers a window blind", merged, "");
        check("Uses dark mode in Zed", merged, "");
        check("Uses dark mode in Vim", merged, "Vim");
        check("Zed: version 0.9", merged, "version");
        check("Zed 0.8", merged, "0.8");
        check("Prefers spaces over tabs", "Prefers tabs over spaces; lives in Rome", "order");
        check("Allergic to peanuts, shrimp and milk", "Allergic to peanuts and shrimp", "milk");
        check("City: Paris ^home2", "Paris is the city", "");
        for item in ["Prefers window blinds", "Lives in Austin", "Fact number 3"] {
            assert!(!missing_words(item, "Zebra").is_empty(), "{item}");
        }
    }

    #[test]
    fn a_negation_is_carried_and_concerns_its_own_statement() {
        check("Never deploys on Fridays", "Deploys on Fridays from Berlin", "not");
        check("Never deploys on Fridays", "Never deploys on Fridays, likes Rust", "");
        check("Writes Rust daily", "Writes Rust daily and never deploys on Fridays", "");
        check("Deploys on Fridays", "Never deploys on Fridays", "not");
    }

    #[test]
    fn chinese_is_compared_by_characters() {
        check("用户喜欢喝绿茶", "爱喝绿茶和咖啡", "");
        check("用户喜欢喝咖啡", "爱喝绿茶", "咖啡");
        check("用户不吃花生", "吃花生和虾", "not");
        check("住在汉堡", "住在柏林", "汉堡");
    }

    #[test]
    fn an_entry_is_compared_line_by_line_without_its_date() {
        let entry = "## Logger fix\n- Date: 2026-02-03\n- Redis 7 dropped the connection";
        check(entry, "## Logger fix\n- Redis 7 dropped the connection", "");
        check(entry, "## Logger fix\n- the connection dropped", "Redis, 7");
    }

    /// The merged texts of a file that pass.
    fn accepted(file: &'static str) -> Vec<&'static str> {
        let passes = |line: &&str| {
            let [a, b, merged] = line.split(" | ").collect::<Vec<_>>()[..] else { panic!("{line}") };
            added_words(merged, &[a, b]).is_empty() && [a, b].iter().all(|item| missing_words(item, merged).is_empty())
        };
        file.lines().filter(passes).collect()
    }

    #[test]
    fn a_merged_text_says_what_its_items_say() {
        let wrong = accepted(include_str!("../../../fixtures/exact_tokens/merged_wrong.txt"));
        assert!(wrong.is_empty(), "{wrong:#?}");
        let held_out = accepted(include_str!("../../../fixtures/exact_tokens/held_out_merged_wrong.txt"));
        assert!(held_out.is_empty(), "{held_out:#?}");
        let all = include_str!("../../../fixtures/exact_tokens/held_out_merged_right.txt");
        let right = accepted(all);
        let refused: Vec<&str> = all.lines().filter(|line| !right.contains(line)).collect();
        assert!(refused.len() <= 1, "{refused:#?}");
    }

    #[test]
    fn a_merged_text_adds_nothing() {
        let items = ["Lives in Austin", "Likes tea"];
        assert_eq!(added_words("Lives in Austin and likes tea", &items), [""; 0]);
        assert_eq!(added_words("Lives in Austin since 2019, likes tea and Rust", &items), ["2019", "Rust"]);
    }
}
