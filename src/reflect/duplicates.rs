//! Consolidates duplicates: finds pairs of bullets that may say the same, asks a model about those that code cannot
//! decide, and checks its verdicts.
//!
//! Never takes two bullets for the same whose names, numbers, dates or negations differ, and never lets a verdict lose
//! one of them.

use jiff::Span;
use jiff::civil::Date;

use crate::path::MemoryPath;

mod pairs;
mod prompt;
mod verdict;

pub use pairs::{DuplicatePair, PairBand, find_pairs};
pub use prompt::{PairVerdict, PairVerdictKind, answer_schema, build_question, parse_reply, system_prompt};
pub use verdict::{PairOutcome, absorb_order, decide_pair};

/// How many pairs a model is asked about in a day, in one memory.
pub const MAX_PAIRS_PER_DAY: usize = 50;
/// The most pairs of one request.
pub const BATCH_PAIRS: usize = 10;
/// For how many days a pair that was judged is not asked about again.
pub const JUDGED_DAYS: i32 = 14;
/// A bullet is recent if it was changed within this many days: 72 hours.
const RECENT_DAYS: i64 = 3;
/// A pair is left alone if neither bullet was changed within this many days.
const MAX_AGE_DAYS: i64 = 90;
/// Bullets of this stated importance or more are always looked at: 3 on a scale to 5 is 6 on ours to 10.
const IMPORTANT: u8 = 6;

/// A bullet that may be one of a pair.
#[derive(Clone, Debug)]
pub struct DuplicateItem {
    pub path: MemoryPath,
    /// The slug of its section; empty for the part above all headings.
    pub section: String,
    /// The titles of the sections around it, outermost first.
    pub headings: Vec<String>,
    /// How commands and the model name it within its file: `@acvh`.
    pub reference: String,
    pub text: String,
    /// The etag of the file, if the reference is a place in its section, which another change may shift.
    pub etag: Option<String>,
    /// The day of its last change, as far as it is known.
    pub changed: Option<Date>,
    /// Whether it is pinned: it stays as it is.
    pub pinned: bool,
    /// Whether it has an explicit id: links may lead to it, so it stays.
    pub has_id: bool,
    /// The importance that it states, 0 to 10.
    pub importance: Option<u8>,
    /// Whether it is among the tenth of the bullets that were used last.
    pub often_used: bool,
    /// Metadata that limits its meaning (expiry, anchor, type, …) and the agents that may not see it: bullets that differ
    /// in it are no duplicates.
    pub conditions: String,
}

impl DuplicateItem {
    /// Whether it belongs to the pool: recent, important or often used. `caught_up` is the last day on which no pair
    /// was left waiting; before the first, all bullets are recent. So is one without any known date.
    pub fn is_in_pool(&self, today: Date, caught_up: Option<Date>) -> bool {
        let since = [days_before(today, RECENT_DAYS), caught_up].into_iter().min().flatten();
        let is_recent = self.changed.is_none_or(|day| since.is_none_or(|since| day >= since));
        is_recent || self.often_used || self.importance.is_some_and(|value| value >= IMPORTANT)
    }

    /// Whether it was changed in the last 90 days, or may have been.
    pub fn is_fresh(&self, today: Date) -> bool {
        self.changed.is_none_or(|day| days_before(today, MAX_AGE_DAYS).is_none_or(|since| day >= since))
    }

    /// The address, such as `facts/user.md@acvh`.
    pub fn address(&self) -> String {
        format!("{}{}", self.path, self.reference)
    }
}

fn days_before(today: Date, days: i64) -> Option<Date> {
    today.checked_sub(Span::new().days(days)).ok()
}

/// How many bullets repeat another one, if all these pairs are duplicates: of three that say the same, two.
pub fn count_repeated(items: usize, pairs: impl Iterator<Item = (usize, usize)>) -> usize {
    let mut parents: Vec<usize> = (0..items).collect();
    let mut repeated = 0;
    for (a, b) in pairs {
        let (a, b) = (root(&mut parents, a), root(&mut parents, b));
        if a != b {
            parents[a] = b;
            repeated += 1;
        }
    }
    repeated
}

fn root(parents: &mut [usize], mut at: usize) -> usize {
    while parents[at] != at {
        parents[at] = parents[parents[at]];
        at = parents[at];
    }
    at
}

#[cfg(test)]
mod tests;
