//! The names, numbers, units and dates of the sources of a text, in the forms that a text may use for them.
//!
//! Never looks at other words.

use std::collections::HashSet;

use super::{GroundingSources, UNITS, english, numbers, scope};
use crate::text::statement::{Statement, StatementToken, TokenKind};
use crate::text::stem;
use crate::text::word_list::{WordList, word_list};
use crate::text::words::is_unspaced;

const COMMON_NAMES: WordList = word_list!("guards/grounding/common_names.txt");
/// Endings of names that are used with and without them.
const NAME_ENDINGS: WordList = word_list!("guards/grounding/name_endings.txt");
/// The shortest name that is found in a longer form.
const MIN_FORM_LETTERS: usize = 4;

/// The words of all sources.
pub(super) struct SourceVocabulary {
    /// All texts, in lower case.
    pub(super) low: String,
    keys: HashSet<String>,
    /// Numbers that are written otherwise: 12k, 一万二, 08:30.
    numbers: HashSet<String>,
    /// Days that a text may name though no source does.
    days: Vec<String>,
}

impl SourceVocabulary {
    pub(super) fn of(sources: &GroundingSources<'_>) -> SourceVocabulary {
        let all = sources.different_texts();
        let texts = || all.iter().copied();
        let low = texts().map(str::to_lowercase).collect::<Vec<_>>().join("\n");
        let mut keys = HashSet::new();
        for line in texts().flat_map(str::lines) {
            // Labels are part of the vocabulary, so the line is read without them, too.
            let plain = line.replace(": ", " ").replace('：', " ");
            for token in Statement::of(&plain).tokens {
                keys.insert(stem(&token.surface.to_lowercase()).into_owned());
                keys.insert(token.key);
            }
        }
        let numbers = texts().flat_map(numbers::written_numbers).collect();
        SourceVocabulary { low, keys, numbers, days: sources.days.iter().map(|day| (*day).to_owned()).collect() }
    }

    /// Whether the sources contain a name, its plural, or a form that starts alike: `Postgres` for `PostgreSQL`.
    pub(super) fn has_name(&self, token: &StatementToken<'_>, text: &str) -> bool {
        let low = token.surface.to_lowercase();
        let is_form = |word: &str| is_longer_form(word, &low) || is_longer_form(&low, word);
        let mut words = self.low.split(|c: char| !c.is_alphanumeric());
        let is_compound = || compounds(text, token.surface).iter().any(|word| has_word(&self.low, word));
        COMMON_NAMES.contains(&low)
            || self.keys.contains(&token.key)
            || self.keys.contains(&*stem(&low))
            || low.split(['.', '_', '-', '/']).filter(|part| !part.is_empty()).all(|part| has_word(&self.low, part))
            || joined_words(&self.low).any(|word| word == joined_name(&low))
            || is_compound()
            || words.any(is_form)
    }

    pub(super) fn has_number(&self, token: &StatementToken<'_>) -> bool {
        let key = token.key.as_str();
        if !key.starts_with(|c: char| c.is_ascii_digit()) {
            // A unit: the sources may abbreviate it.
            let abbreviates = |k: &String| k.len() < key.len() && key.starts_with(k.as_str());
            return self.keys.contains(key)
                || self.low.contains(token.surface)
                || self.keys.iter().any(abbreviates)
                || has_unit(&self.low, &token.surface.to_lowercase(), key);
        }
        let unpadded = key.trim_start_matches('0');
        if self.keys.contains(key) || self.keys.contains(unpadded) || self.numbers.contains(unpadded) {
            return true;
        }
        let (hour, minute) = key.split_once(':').unwrap_or((key, "00"));
        let is_whole_hour = key.contains(':') && minute == "00" && self.keys.contains(hour.trim_start_matches('0'));
        let afternoon = hour.parse::<u8>().ok().filter(|h| (13..24).contains(h)).map(|h| (h - 12).to_string());
        let says_afternoon = ["pm", "p.m", "afternoon", "evening", "下午", "晚上"].iter().any(|w| self.low.contains(w));
        let is_one = |h: &str| h == "1" && english::spaced_words(&self.low).contains(" one ");
        let in_afternoon = says_afternoon
            && afternoon
                .is_some_and(|h| is_one(&h) || self.keys.contains(&h) || self.keys.contains(&format!("{h}:{minute}")));
        let has = |part: &str| self.keys.contains(part) || self.numbers.contains(part);
        let is_half = minute == "30" && ["点半", "half past"].iter().any(|word| self.low.contains(word)) && has(hour);
        // 十二点四十五
        let is_spoken = key.contains(':') && self.low.contains('点') && has(hour) && has(minute);
        is_whole_hour || in_afternoon || is_half || is_spoken
    }

    /// Whether the sources contain this part of a date, or the whole date of the statement is a day that it may name.
    pub(super) fn has_date(&self, token: &StatementToken<'_>, statement: &Statement<'_>) -> bool {
        let key = token.key.as_str();
        let written = |day: &String| {
            let parts: Vec<&str> = day.get(..10).unwrap_or_default().split('-').collect();
            let [year, month, day] = parts[..] else { return false };
            let is_part = |key: &str| {
                key == year
                    || key.strip_prefix("month-").is_some_and(|m| m == month.trim_start_matches('0'))
                    || key == day.trim_start_matches('0')
            };
            statement.tokens.iter().filter(|t| t.kind == TokenKind::Date).all(|t| is_part(&t.key))
        };
        let is_han_month = || {
            let month = key.strip_prefix("month-");
            self.low.contains('月') && month.is_some_and(|month| self.numbers.contains(month))
        };
        self.keys.contains(key)
            || key.len() == 4 && self.numbers.contains(key)
            || is_han_month()
            || key == "month-5" && scope::names_may(&self.low)
            || self.days.iter().any(written)
    }
}

/// Whether a text has a word, not as a part of a longer one. Letters of scripts without spaces end a word of others.
fn has_word(low: &str, word: &str) -> bool {
    let is_part = |c: char| c.is_alphanumeric() && !is_unspaced(c);
    low.match_indices(word).any(|(at, _)| {
        !low[..at].ends_with(is_part) && !low[at + word.len()..].starts_with(is_part) || word.chars().all(is_unspaced)
    })
}

/// A name as one word with what follows or precedes it: `vscode` for each part of "VS Code", `wifi` of "Wi-Fi".
fn compounds(text: &str, name: &str) -> Vec<String> {
    let pieces: Vec<&str> =
        text.split(|c: char| !c.is_ascii_alphanumeric()).filter(|piece| !piece.is_empty()).collect();
    let pairs = pieces.windows(2).filter(|pair| pair.contains(&name));
    pairs.map(|pair| pair.concat().to_lowercase()).collect()
}

/// The words of a text, and each two of them as one, without hyphens and the like: `macbook` in "mac-book" and
/// "mac book".
fn joined_words(low: &str) -> impl Iterator<Item = String> {
    let words = || low.split_whitespace().map(joined_name);
    words().zip(words().skip(1)).map(|(one, next)| one + &next).chain(words())
}

fn joined_name(word: &str) -> String {
    word.chars().filter(|c| c.is_alphanumeric()).collect()
}

/// Whether a name is another with an ending that names the same thing: `postgresql` for `postgres`.
fn is_longer_form(long: &str, short: &str) -> bool {
    let ending = long.strip_prefix(short).filter(|_| short.len() >= MIN_FORM_LETTERS);
    ending.is_some_and(|ending| NAME_ENDINGS.contains(ending))
}

/// Whether the sources, in lower case, have a unit in another spelling.
fn has_unit(low: &str, surface: &str, key: &str) -> bool {
    let spaced = english::spaced_words(low);
    let has = |word: &str| {
        if word.is_ascii() {
            // A unit may stand right behind its number: 200ms.
            spaced.contains(&format!(" {word} ")) || ends_number(low, word)
        } else {
            low.contains(word)
        }
    };
    UNITS.iter().any(|unit| unit.split('|').any(|one| one == surface || one == key) && unit.split('|').any(has))
}

/// Whether a word follows a digit without a space.
fn ends_number(low: &str, word: &str) -> bool {
    low.match_indices(word).any(|(at, _)| {
        low[..at].ends_with(|c: char| c.is_ascii_digit())
            && !low[at + word.len()..].starts_with(|c: char| c.is_ascii_alphanumeric())
    })
}
