//! Whether a statement tells of the end of what another one says still holds: "maintains a Jenkins server", "the
//! Jenkins server was shut down"; 家里有果园, 果园转给了表叔.
//!
//! Never needs a topic: the two share a name or a thing, and the end tells of hardly anything else.

use std::collections::HashSet;

use super::super::grounding::chinese_words::{self, unsupported_runs};
use super::super::grounding::english::EnglishSources;
use super::super::grounding::scope;
use super::attributes::{AttributeReading, range_of};
use super::clauses::{Clause, is_history};
use super::plain_words::{is_plain_run, is_plain_word};
use crate::text::phrase::word_tokens;
use crate::text::statement::{StatementToken, TokenKind};
use crate::text::stem;
use crate::text::words::is_unspaced;

impl AttributeReading<'_> {
    /// Whether it tells of the end of what another statement says: the same things, and hardly more.
    pub(super) fn ends_what(&self, other: &AttributeReading<'_>) -> bool {
        if other.tells_an_end() || is_history(other.text) {
            return false;
        }
        let persons = |reading: &AttributeReading<'_>| -> HashSet<String> {
            let english = scope::persons(reading.text).into_iter();
            english.chain(chinese_words::persons(reading.text).map(str::to_owned)).collect()
        };
        let (own, its) = (persons(self), persons(other));
        if !own.is_empty() && !its.is_empty() && own.is_disjoint(&its) {
            return false;
        }
        self.clauses.iter().filter(|clause| clause.is_ended()).any(|clause| {
            if self.is_han { self.ends_in_han(clause, other) } else { self.ends_in_english(clause, other) }
        })
    }

    fn ends_in_english(&self, clause: &Clause, other: &AttributeReading<'_>) -> bool {
        let is_content = |t: &&StatementToken<'_>| {
            let range = range_of(self.text, t.surface);
            matches!(t.kind, TokenKind::Word | TokenKind::Name)
                && range.start >= clause.range.start
                && range.end <= clause.range.end
                && !clause.marks(&range)
                && !is_plain_word(t)
        };
        let content: Vec<&StatementToken<'_>> = self.statement.tokens.iter().filter(is_content).collect();
        // "Pickle, the cat, died": the thing stands in another clause.
        if content.is_empty() && clause.range.len() < self.text.len() {
            return self.ends_in_english(&clause.of_whole(self.text), other);
        }
        let has = |t: &StatementToken<'_>| match t.kind {
            TokenKind::Name => other.words.has_word(&t.key) || other.words.has_word(&stem(&t.key)),
            _ => t.surface.len() > 2 && other.words.has_counterpart(t),
        };
        let (shared, apart): (Vec<_>, Vec<_>) = content.into_iter().partition(|t| has(t));
        let is_name = |t: &&StatementToken<'_>| t.kind == TokenKind::Name;
        let things = apart.iter().filter(|t| !EnglishSources::may_paraphrase(t.surface)).count();
        let names = apart.iter().copied().filter(|t| is_name(t)).count();
        !shared.is_empty() && names == 0 && (shared.iter().any(is_name) || things <= 1 && shared.len() >= things)
    }

    fn ends_in_han(&self, clause: &Clause, other: &AttributeReading<'_>) -> bool {
        let text: String = self.text[clause.range.clone()]
            .char_indices()
            .map(|(at, c)| {
                let at = clause.range.start + at;
                if clause.marks(&(at..at + c.len_utf8())) { ' ' } else { c }
            })
            .collect();
        let text = text.replace("用户", " ").to_lowercase();
        let low = other.text.replace("用户", " ").to_lowercase();
        let runs: Vec<String> = unsupported_runs(&text, &low).into_iter().filter(|run| !is_plain_run(run)).collect();
        let chars: Vec<char> = text.chars().collect();
        let shares_pair = chars
            .windows(2)
            .any(|pair| pair.iter().all(|c| is_unspaced(*c)) && low.contains(&pair.iter().collect::<String>()));
        let latin = |text: &str| -> HashSet<String> {
            let words = word_tokens(text).into_iter();
            words.map(|w| w.text).filter(|w| w.len() > 1 && w.bytes().any(|b| b.is_ascii_alphabetic())).collect()
        };
        let (own, its) = (latin(&text), latin(&low));
        let shares_name = !own.is_disjoint(&its);
        let shares_class = chinese_words::related_words(&text).any(|word| low.contains(word) && !text.contains(word));
        let left: usize = runs.iter().map(|run| run.chars().count()).sum();
        own.is_subset(&its) && (shares_name || shares_pair || shares_class) && (left <= 2 || shares_name && left <= 4)
    }
}
