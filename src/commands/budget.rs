//! The daily token budget of model calls, shared by all memdir processes on this machine. Tokens are reserved before a
//! request and settled after it.
//!
//! Refuses nothing by itself: the callers decide what to do when the budget does not suffice. A process that dies
//! during a request leaves its reservation in place until the next day, because the cost of the request is unknown.

use std::sync::{Arc, Mutex, PoisonError};

use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::Session;
use super::reflect::ProposalTotals;
use crate::change::Changeset;
use crate::code::{Code, Rejection, Warning};
use crate::llm::TokenUsage;
use crate::store::{LockedStore, Store};

/// File name under `.memdir/`. `usage` is another file there: the days on which items were used.
const FILE_NAME: &str = "tokens";
/// How the names of requests start that read a part of a conversation, which else waits in the queue.
pub const CONVERSATION_REQUEST: &str = "reflect:";

/// The budget file: tokens used and reserved on one day, and counters that span all days.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct TokenLedger {
    /// The day, `YYYY-MM-DD`, in the session's time zone.
    #[serde(default)]
    pub day: String,
    /// Tokens used on that day, requests and replies together.
    #[serde(default)]
    pub tokens: u64,
    /// Number of requests sent on that day.
    #[serde(default, rename = "asked")]
    pub requests: u64,
    /// Number of memories that `reflect` wrote on that day.
    #[serde(default)]
    pub writes: u64,
    /// Reservations of requests that have not ended, by name.
    #[serde(default, rename = "held")]
    reservations: Vec<(String, u64)>,
    /// The largest daily budget that a conversation of the queue needs, of those which no day's budget is enough for; 0
    /// if there is none.
    #[serde(default, skip_serializing_if = "is_zero")]
    needed: u64,
    /// What models proposed over all days, and what was decided.
    #[serde(flatten)]
    pub proposals: ProposalTotals,
}

/// The tokens of model calls since the last revision, shared by all sessions made from one.
#[derive(Clone, Debug, Default)]
pub struct SpentTokens(Arc<Mutex<TokenUsage>>);

impl SpentTokens {
    pub fn add(&self, usage: TokenUsage) {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) += usage;
    }

    /// Moves the tokens to the first operation of a change, unless that has tokens of its own.
    pub fn move_to(&self, changeset: &mut Changeset) {
        let mut spent = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let Some(Value::Object(operation)) = changeset.operations.first_mut() else { return };
        if spent.sum() == 0 || operation.contains_key("input_tokens") {
            return;
        }
        let spent = std::mem::take(&mut *spent);
        operation.insert("input_tokens".into(), spent.input.into());
        operation.insert("output_tokens".into(), spent.output.into());
    }
}

/// Reserved tokens. `None` if there is no budget, so that nothing was reserved.
#[derive(Debug)]
pub struct TokenReservation(Option<String>);

impl TokenLedger {
    /// Reads the budget file; an unreadable one counts as empty.
    pub fn load(store: &Store) -> TokenLedger {
        store.read_json_note(FILE_NAME).unwrap_or_default()
    }

    /// The state on the given day. Earlier days are reset. A later day stays: another process may be past midnight
    /// already.
    fn on_day(mut self, day: &str) -> TokenLedger {
        if self.day.as_str() < day {
            (self.tokens, self.requests, self.writes, self.reservations) = Default::default();
            self.day = day.to_owned();
        }
        self
    }

    /// Tokens used or reserved on a day.
    pub fn used_on(&self, day: &str) -> u64 {
        let now = self.clone().on_day(day);
        now.reservations.iter().fold(now.tokens, |all, (_, tokens)| all.saturating_add(*tokens))
    }

    /// Memories that `reflect` wrote on a day.
    pub fn written_on(&self, day: &str) -> u64 {
        if self.day == day { self.writes } else { 0 }
    }

    fn save(&self, locked: &LockedStore<'_>) {
        if let Ok(text) = serde_json::to_string(self) {
            // A failure to write the counters must not make the command fail.
            drop(locked.write_note(FILE_NAME, &text));
        }
    }
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde passes a reference")]
fn is_zero(number: &u64) -> bool {
    *number == 0
}

/// What the caller may spend of a day's budget: a fifth is left for what a person asks for.
pub fn spendable(session: &Session, budget: u64) -> u64 {
    if session.is_agent { budget - budget.div_ceil(5).min(budget) } else { budget }
}

/// The daily budget that a caller needs for a request of `tokens` tokens.
pub fn needed_budget(session: &Session, tokens: u64) -> u64 {
    if session.is_agent { tokens.saturating_add(tokens.div_ceil(4)) } else { tokens }
}

/// Why no day's budget is enough for a request, in a sentence with the budget that is needed; `None` if one is.
pub fn shortfall(session: &Session, tokens: u64) -> Option<String> {
    let budget = session.daily_budget().filter(|budget| tokens > spendable(session, *budget))?;
    let needed = needed_budget(session, tokens);
    let share = if session.is_agent { ", of which an agent may spend four fifths" } else { "" };
    Some(format!(
        "one request needs up to {tokens} tokens, more than the budget of any day ({budget} tokens{share}): \
         raise budget.tokens_per_day to {needed} or more"
    ))
}

/// The warning that conversations wait for a larger daily budget than the present one.
pub fn shortfall_warning(session: &Session) -> Option<Warning> {
    let budget = session.daily_budget()?;
    let needed = TokenLedger::load(&session.store).needed;
    (needed > budget).then(|| {
        let message = format!(
            "the queue waits for a larger budget: one request needs {needed} tokens a day, and \
             budget.tokens_per_day is {budget}"
        );
        Warning::new(Code::Note, message)
    })
}

/// Reserves tokens for a request; `None` if the rest of the day's budget is smaller.
///
/// # Errors
/// `busy`, `io`.
pub fn reserve(session: &Session, name: &str, tokens: u64) -> Result<Option<TokenReservation>, Rejection> {
    let Some(budget) = session.daily_budget().map(|budget| spendable(session, budget)) else {
        return Ok(Some(TokenReservation(None)));
    };
    let day = session.now.date().to_string();
    let unfiltered = session.unfiltered();
    let (locked, _) = unfiltered.store.lock()?;
    let mut ledger = TokenLedger::load(&session.store).on_day(&day);
    if ledger.used_on(&day).saturating_add(tokens) > budget {
        return Ok(None);
    }
    let name = format!("{name}-{}", ledger.reservations.len());
    ledger.reservations.push((name.clone(), tokens));
    ledger.save(&locked);
    Ok(Some(TokenReservation(Some(name))))
}

/// Replaces a reservation by the actual cost of the request.
pub fn settle(
    session: &Session,
    locked: &LockedStore<'_>,
    reservation: TokenReservation,
    usage: TokenUsage,
    requests: usize,
    proposals: &ProposalTotals,
) {
    let mut ledger = TokenLedger::load(&session.store).on_day(&session.now.date().to_string());
    if let Some(name) = reservation.0
        && let Some(at) = ledger.reservations.iter().position(|(n, _)| *n == name)
    {
        ledger.reservations.remove(at);
    }
    ledger.tokens = ledger.tokens.saturating_add(usage.sum());
    ledger.requests += requests as u64;
    ledger.proposals += proposals;
    ledger.save(locked);
}

/// As [`record_call`], for a change that is not committed yet: its revision records the tokens.
pub fn settle_call(session: &Session, reservation: TokenReservation, usage: TokenUsage, requests: usize) {
    session.spent.add(usage);
    record_call(session, reservation, usage, requests);
}

/// As [`settle`], for a caller without the lock. What cannot be recorded stays reserved until midnight.
pub fn record_call(session: &Session, reservation: TokenReservation, usage: TokenUsage, requests: usize) {
    let unfiltered = session.unfiltered();
    if let Ok((locked, _)) = unfiltered.store.lock() {
        settle(session, &locked, reservation, usage, requests, &ProposalTotals::default());
    }
}

/// Records the largest daily budget that a conversation of the queue needs, once all of the queue was looked at; 0 if the
/// present budget is enough.
pub fn set_needed(session: &Session, needed: u64) {
    if TokenLedger::load(&session.store).needed == needed {
        return;
    }
    let unfiltered = session.unfiltered();
    // A note that could not be updated is only out of date.
    if let Ok((locked, _)) = unfiltered.store.lock() {
        TokenLedger { needed, ..TokenLedger::load(&session.store) }.save(&locked);
    }
}

/// Records the daily budget that a conversation of the queue needs, if no other of them needs more.
pub fn raise_needed(session: &Session, needed: u64) {
    set_needed(session, needed.max(TokenLedger::load(&session.store).needed));
}

/// Counts what `reflect` writes today.
pub fn add_writes(session: &Session, locked: &LockedStore<'_>, writes: usize) {
    change_writes(session, locked, writes, u64::saturating_add);
}

/// Takes back what was counted and then not written.
pub fn remove_writes(session: &Session, locked: &LockedStore<'_>, writes: usize) {
    change_writes(session, locked, writes, u64::saturating_sub);
}

fn change_writes(session: &Session, locked: &LockedStore<'_>, writes: usize, change: fn(u64, u64) -> u64) {
    if writes == 0 {
        return;
    }
    let mut ledger = TokenLedger::load(&session.store).on_day(&session.now.date().to_string());
    ledger.writes = change(ledger.writes, writes as u64);
    ledger.save(locked);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_new_day_begins_with_nothing_and_a_later_one_goes_on() {
        let spent = TokenLedger {
            day: "2026-02-24".into(),
            tokens: 10,
            reservations: vec![("a".into(), 5)],
            proposals: ProposalTotals { first_attempts: (3, 2), ..ProposalTotals::default() },
            ..TokenLedger::default()
        };
        assert_eq!(
            (spent.used_on("2026-02-24"), spent.used_on("2026-02-25"), spent.used_on("2026-02-23")),
            (15, 0, 15)
        );
        assert_eq!(spent.on_day("2026-02-25").proposals.first_attempts, (3, 2));
    }

    #[test]
    fn the_counts_and_the_days_of_use_are_kept_apart() {
        let dir = tempfile::tempdir().unwrap();
        let store = Store::open(dir.path(), crate::store::StoreOptions::default()).unwrap();
        let ledger = TokenLedger { day: "2026-02-24".into(), tokens: 10, ..TokenLedger::default() };
        let (locked, _) = store.lock().unwrap();
        ledger.save(&locked);
        let day = "2026-02-24".parse().unwrap();
        store.record_use(day, "read", "ana", &["facts/user.md".to_owned()]);
        assert_eq!(TokenLedger::load(&store), ledger);
        ledger.save(&locked);
        assert_eq!(store.usage().since, Some(day));
    }

    #[test]
    fn a_file_without_the_later_counts_is_read() {
        let old = r#"{"day":"2026-02-24","tokens":10,"asked":1,"held":[["a",5]],"first":[3,2]}"#;
        let read: TokenLedger = serde_json::from_str(old).unwrap();
        assert_eq!(
            (read.used_on("2026-02-24"), read.proposals.first_attempts, read.proposals.grounded),
            (15, (3, 2), (0, 0))
        );
        let written = serde_json::to_string(&read).unwrap();
        assert_eq!(serde_json::from_str::<TokenLedger>(&written).unwrap(), read);
    }
}
