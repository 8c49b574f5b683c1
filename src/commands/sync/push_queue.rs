//! The queue of clones that push at the same time: a clone that lost races adds an entry on the remote, and the others
//! let the first entry's clone push.
//!
//! Without a queue the clone that pushed last wins again: it has nothing to merge, so it is faster than all that lost.
//!
//! Never a lock: an entry that does not move is skipped, and a remote that refuses entries only has no queue.

use std::collections::HashSet;
use std::time::Duration;

use crate::llm::jitter::random_number;

/// How many races a clone loses before it joins the queue, less one. Two clones that meet once need no queue.
const RACES_WITHOUT_QUEUE: usize = 2;
/// How long the first entry may stay the same while others wait: its clone may have been killed.
const ENTRY_TIMEOUT: Duration = Duration::from_secs(30);
/// The same once an entry was skipped: clones are killed together, and one that lives was next all that time.
const ENTRY_TIMEOUT_AFTER_SKIP: Duration = Duration::from_secs(5);
/// How long a push is assumed to take before one was seen: a fetch, a merge and a push beside some load.
const INITIAL_PUSH_TIME: Duration = Duration::from_millis(250);
/// No push counts for more, so that a clone behind many sleeps no longer than it may need.
const MAX_PUSH_TIME: Duration = Duration::from_secs(5);
/// No wait is longer.
const MAX_WAIT: Duration = Duration::from_secs(20);
/// Maximum distance, in seconds, between the start of this sync and that of an entry's clone. Entries beyond it are
/// left over, and could not be removed.
const MAX_AGE_SECONDS: i64 = 15 * 60;

/// The queue of one branch as this clone sees it.
pub struct PushQueue {
    /// When the sync began, in seconds since 1970.
    began: i64,
    /// The number of the next entry: one more than all that were seen, so that a clone that joined earlier is first,
    /// whatever the clocks say.
    next_number: u32,
    own: Option<String>,
    /// The remote refuses entries.
    is_unsupported: bool,
    races_lost: usize,
    /// The first entry of another clone, and when it was first seen there.
    first: Option<(String, Duration)>,
    /// How many clones were before this one at the last look that saw one of them gone, and when that was.
    moved: Option<(usize, Duration)>,
    /// How long a push of another clone takes, as far as it was seen.
    push_time: Duration,
    skipped: HashSet<String>,
}

/// The position of this clone in the queue.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum PushPosition {
    /// This clone may push.
    First,
    /// The number of clones ahead in the queue, at least 1.
    Behind(usize),
    /// The first entry belongs to a clone that seems to be gone, and should be removed.
    Stuck(String),
}

impl PushQueue {
    pub fn new(began: i64) -> PushQueue {
        let skipped = HashSet::new();
        PushQueue {
            began,
            next_number: 0,
            own: None,
            is_unsupported: false,
            races_lost: 0,
            first: None,
            moved: None,
            push_time: INITIAL_PUSH_TIME,
            skipped,
        }
    }

    /// The position of this clone among these entries, sorted by name, at a time since the sync began.
    pub fn position(&mut self, entries: &[String], now: Duration) -> PushPosition {
        let numbers = entries.iter().filter(|entry| self.is_recent(entry)).filter_map(|entry| parse(entry));
        self.next_number = numbers.map(|(number, _)| number.saturating_add(1)).max().unwrap_or(0);
        let is_waiting = |entry: &&String| !self.skipped.contains(*entry) && self.is_recent(entry);
        let before_own = |entry: &&String| self.own.as_ref().is_none_or(|own| *entry < own);
        let others: Vec<&String> = entries.iter().filter(is_waiting).filter(before_own).collect();
        let Some(&first) = others.first() else {
            self.first = None;
            return PushPosition::First;
        };
        self.push_time = push_time(self.push_time, &mut self.moved, others.len(), now);
        let timeout =
            if self.skipped.is_empty() { ENTRY_TIMEOUT } else { ENTRY_TIMEOUT_AFTER_SKIP.max(self.push_time * 4) };
        match &self.first {
            Some((known, since)) if known == first && now.saturating_sub(*since) > timeout => {
                let stuck = first.clone();
                self.skipped.insert(stuck.clone());
                // Its end is not a push.
                self.moved = None;
                PushPosition::Stuck(stuck)
            }
            Some((known, _)) if known == first => PushPosition::Behind(others.len()),
            _ => {
                let count = others.len();
                self.first = Some((first.clone(), now));
                PushPosition::Behind(count)
            }
        }
    }

    /// How long to wait at most before the next look, if `others` clones are first and the last look took `last_look`.
    /// The clone that is next looks often; the others sleep for most of the pushes before the one that precedes theirs.
    pub fn wait(&self, others: usize, last_look: Duration) -> Duration {
        match others {
            0 | 1 => (self.push_time / 4).min(last_look),
            _ => (self.push_time * (others - 1).min(1 << 16) as u32).max(last_look * 2).min(MAX_WAIT),
        }
    }

    fn is_recent(&self, entry: &str) -> bool {
        parse(entry).is_some_and(|(_, began)| began.abs_diff(self.began) <= MAX_AGE_SECONDS as u64)
    }

    /// Records a lost race; returns the entry to add, if it is time to. The push has removed the one it had.
    pub fn record_lost_race(&mut self) -> Option<String> {
        self.races_lost += 1;
        if let Some(own) = self.own.take() {
            return Some(own);
        }
        (self.races_lost > RACES_WITHOUT_QUEUE).then(|| self.new_entry()).flatten()
    }

    /// The entry to add, unless there is one or the remote refused it.
    pub fn new_entry(&self) -> Option<String> {
        let random = random_number();
        (self.own.is_none() && !self.is_unsupported)
            .then(|| format!("{:010}-{:012}-{random:016x}", self.next_number, self.began))
    }

    /// Records whether the remote accepted an entry.
    pub fn record_reply(&mut self, entry: String, is_accepted: bool) {
        (self.own, self.is_unsupported) = (is_accepted.then_some(entry), !is_accepted);
    }

    /// Records that this clone's entry is removed from the remote.
    pub fn clear_entry(&mut self) {
        self.own = None;
    }

    /// The name of this clone's entry on the remote; `None` while it has none.
    pub fn own_entry(&self) -> Option<&str> {
        self.own.as_deref()
    }
}

/// How long a push takes at least, if `others` clones are before this one now. A clone that slept through more than
/// half of a push must not take its own sleep for the push: then all would sleep longer and longer. Only pushes that
/// ended count: a clone that was killed says nothing about the others.
fn push_time(known: Duration, moved: &mut Option<(usize, Duration)>, others: usize, now: Duration) -> Duration {
    match *moved {
        Some((before, _)) if before == others => known,
        Some((before, since)) if before > others => {
            *moved = Some((others, now));
            (now.saturating_sub(since) / (before - others + 1) as u32).min(MAX_PUSH_TIME)
        }
        _ => {
            *moved = Some((others, now));
            known
        }
    }
}

/// The number of an entry, and when its clone began to sync.
fn parse(entry: &str) -> Option<(u32, i64)> {
    let mut parts = entry.split('-');
    Some((parts.next()?.parse().ok()?, parts.next()?.parse().ok()?))
}

#[cfg(test)]
mod tests {
    use super::*;

    const BEGAN: i64 = 1_800_000_000;

    fn entry(number: u32, seconds: i64) -> String {
        format!("{number:010}-{:012}-0123456789abcdef", BEGAN + seconds)
    }

    #[test]
    fn whoever_waits_longest_is_first() {
        let mut queue = PushQueue::new(BEGAN);
        assert_eq!(queue.position(&[], Duration::ZERO), PushPosition::First);
        let others = [entry(3, 7), entry(4, -5), entry(4, -2)];
        assert_eq!(queue.position(&others, Duration::ZERO), PushPosition::Behind(3), "without an entry it is last");
        let own = queue.new_entry().unwrap();
        queue.record_reply(own.clone(), true);
        let mut all = [&others[..], &[own.clone(), entry(5, -9), entry(6, 0)]].concat();
        all.sort();
        assert!(own.starts_with("0000000005-") && all[3] == entry(5, -9), "{all:?}");
        assert_eq!(queue.position(&all, Duration::ZERO), PushPosition::Behind(4));
        assert_eq!(queue.position(&all[2..], Duration::ZERO), PushPosition::Behind(2));
        assert_eq!(queue.position(&all[4..], Duration::ZERO), PushPosition::First);
        assert_eq!((queue.own_entry(), queue.new_entry()), (Some(own.as_str()), None));
    }

    #[test]
    fn a_clone_joins_the_queue_after_lost_races_unless_it_is_refused() {
        let mut queue = PushQueue::new(BEGAN);
        assert_eq!((queue.record_lost_race(), queue.record_lost_race()), (None, None));
        let entry = queue.record_lost_race().unwrap();
        queue.record_reply(entry, false);
        assert_eq!((queue.record_lost_race(), queue.own_entry()), (None, None));
    }

    #[test]
    fn an_entry_that_does_not_move_is_skipped() {
        let mut queue = PushQueue::new(BEGAN);
        let entries = [entry(0, -5), entry(1, -4)];
        let at = Duration::from_secs;
        assert_eq!(queue.position(&entries, at(0)), PushPosition::Behind(2));
        assert_eq!(queue.position(&entries, at(30)), PushPosition::Behind(2));
        assert_eq!(queue.position(&entries, at(31)), PushPosition::Stuck(entry(0, -5)));
        // The next one gets a time of its own, also while the first cannot be removed; a shorter one, because clones
        // are killed together.
        assert_eq!(queue.position(&entries, at(32)), PushPosition::Behind(1));
        assert_eq!(queue.position(&entries, at(37)), PushPosition::Behind(1));
        assert_eq!(queue.position(&entries, at(38)), PushPosition::Stuck(entry(1, -4)));
        assert_eq!(queue.position(&entries, at(39)), PushPosition::First);
    }

    #[test]
    fn waits_follow_the_pushes_that_were_seen_and_never_outgrow_them() {
        let mut queue = PushQueue::new(BEGAN);
        let (at, look) = (Duration::from_millis, Duration::from_millis(20));
        let entries: Vec<String> = (0..9).map(|n| entry(n, 0)).collect();
        queue.position(&entries, at(0));
        assert_eq!((queue.wait(1, look), queue.wait(9, look)), (look, INITIAL_PUSH_TIME * 8));
        // Four of them in two seconds, perhaps nearly five: no push took less than 400 ms.
        queue.position(&entries[4..], at(2_000));
        assert_eq!((queue.wait(1, look), queue.wait(5, look)), (look, at(1_600)));
        // A look that finds nothing new says nothing: the first may have been killed.
        queue.position(&entries[4..], at(20_000));
        assert_eq!(queue.wait(5, look), at(1_600));
        queue.position(&entries[5..], at(60_000));
        assert_eq!(queue.wait(2, look), MAX_PUSH_TIME, "however long it took");
        assert_eq!(queue.wait(1 << 30, look), MAX_WAIT);
        assert_eq!(queue.wait(2, at(30_000)), MAX_WAIT, "however slow the remote is");
    }

    #[test]
    fn a_lost_push_removes_its_entry() {
        let mut queue = PushQueue::new(BEGAN);
        queue.record_reply(entry(3, 0), true);
        assert_eq!(
            (queue.record_lost_race(), queue.own_entry()),
            (Some(entry(3, 0)), None),
            "the same again: its position stays"
        );
        queue.record_reply(entry(3, 0), true);
        queue.clear_entry();
        assert_eq!(queue.own_entry(), None);
    }

    #[test]
    fn forgotten_and_foreign_entries_count_for_nothing() {
        let mut queue = PushQueue::new(BEGAN);
        let entries = [entry(0, -901), entry(1, 901), "main".to_owned(), String::new(), "-1-2".to_owned()];
        assert_eq!(queue.position(&entries, Duration::ZERO), PushPosition::First);
    }
}
