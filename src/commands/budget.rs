//! What models cost: tokens of the day, shared by all processes of this machine, and held while somebody is asked.
//!
//! Never refuses by itself: it says what is left. A process that dies while it asks leaves what it held as spent, for
//! nobody knows what its model was paid; the next day begins anew.

use serde::{Deserialize, Serialize};

use super::Session;
use crate::code::Rejection;
use crate::llm::Usage;
use crate::store::{Locked, Store};

/// Its name below `.memdir/`.
const NAME: &str = "usage";

/// What was spent.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Spent {
    /// The day, `YYYY-MM-DD`, by the local calendar.
    #[serde(default)]
    pub day: String,
    /// Tokens of that day, questions and replies.
    #[serde(default)]
    pub tokens: u64,
    /// How often a model was asked on that day.
    #[serde(default)]
    pub asked: u64,
    /// What is held for questions that are on their way.
    #[serde(default)]
    held: Vec<(String, u64)>,
    /// Texts that models proposed, ever, and how many kept all writing rules at once.
    #[serde(default)]
    pub first: (u64, u64),
}

/// Tokens that are held until they are settled.
#[derive(Debug)]
pub struct Hold(Option<String>);

impl Spent {
    /// What this machine has spent on a memory.
    pub fn of(store: &Store) -> Spent {
        store.note(NAME).and_then(|text| serde_json::from_str(&text).ok()).unwrap_or_default()
    }

    /// The state on a day: an earlier day's is over, a later one's (somebody else is past midnight) goes on.
    fn on(mut self, day: &str) -> Spent {
        if self.day.as_str() < day {
            (self.tokens, self.asked, self.held) = Default::default();
            self.day = day.to_owned();
        }
        self
    }

    /// What is spent or held on a day.
    pub fn taken(&self, day: &str) -> u64 {
        let now = self.clone().on(day);
        now.held.iter().fold(now.tokens, |all, (_, tokens)| all.saturating_add(*tokens))
    }

    fn keep(&self, locked: &Locked<'_>) {
        if let Ok(text) = serde_json::to_string(self) {
            // A machine that cannot count must not keep anybody from remembering.
            drop(locked.keep_note(NAME, &text));
        }
    }
}

/// Holds tokens for a question; `None` when the day's budget does not have them.
///
/// # Errors
/// `busy`, `io`.
pub fn hold(session: &Session, budget: Option<u64>, name: &str, tokens: u64) -> Result<Option<Hold>, Rejection> {
    let Some(budget) = budget else { return Ok(Some(Hold(None))) };
    let day = session.now.date().to_string();
    let bare = session.bare();
    let (locked, _) = bare.store.lock()?;
    let mut spent = Spent::of(&session.store).on(&day);
    if spent.taken(&day).saturating_add(tokens) > budget {
        return Ok(None);
    }
    let name = format!("{name}-{}", spent.held.len());
    spent.held.push((name.clone(), tokens));
    spent.keep(&locked);
    Ok(Some(Hold(Some(name))))
}

/// Counts what a question really cost, in the place of what was held for it.
pub fn settle(session: &Session, locked: &Locked<'_>, hold: Hold, usage: Usage, asked: usize, first: (u64, u64)) {
    let mut spent = Spent::of(&session.store).on(&session.now.date().to_string());
    if let Some(name) = hold.0
        && let Some(at) = spent.held.iter().position(|(n, _)| *n == name)
    {
        spent.held.remove(at);
    }
    spent.tokens = spent.tokens.saturating_add(usage.sum());
    spent.asked += asked as u64;
    spent.first = (spent.first.0 + first.0, spent.first.1 + first.1);
    spent.keep(locked);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_new_day_begins_with_nothing_and_a_later_one_goes_on() {
        let spent = Spent {
            day: "2026-02-24".into(),
            tokens: 10,
            held: vec![("a".into(), 5)],
            first: (3, 2),
            ..Spent::default()
        };
        assert_eq!((spent.taken("2026-02-24"), spent.taken("2026-02-25"), spent.taken("2026-02-23")), (15, 0, 15));
        assert_eq!(spent.on("2026-02-25").first, (3, 2));
    }
}
