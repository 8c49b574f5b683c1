//! The order in which clones push that are in each other's way: who lost races takes a place on the remote, and the
//! others let the first of the places push.
//!
//! Without an order the clone that pushed last wins again: it has nothing to merge, so it is faster than all that lost.
//!
//! Never a lock: a place that does not move is passed, and a remote that refuses places only has no order.

use std::collections::HashSet;
use std::time::Duration;

use crate::llm::jitter::random_number;

/// How many races a clone loses before it takes a place. Two clones that meet once need no order.
const RACES_WITHOUT_PLACE: usize = 2;
/// How long the first place may stay the same while others wait: the clone that has it may have been killed.
const PATIENCE: Duration = Duration::from_secs(30);
/// The same once a place was passed: clones are killed together, and one that lives was next all that time.
const PATIENCE_AFTER_PASSED: Duration = Duration::from_secs(5);
/// How long a turn takes as long as none was seen: a fetch, a merge and a push beside some load.
const FIRST_TURN: Duration = Duration::from_millis(250);
/// No turn counts for more, so that a clone behind many sleeps no longer than it may need.
const LONGEST_TURN: Duration = Duration::from_secs(5);
/// No wait is longer.
const LONGEST_WAIT: Duration = Duration::from_secs(20);
/// Places whose clone began to sync so long before or after this one, in seconds, are left over, and could not be
/// removed.
const MAX_AGE_SECONDS: i64 = 15 * 60;

/// The places of one branch as this clone sees them.
pub struct PushQueue {
    /// When the sync began, in seconds since 1970.
    began: i64,
    /// The number of the next place: one more than all that were seen, so that a clone that took one earlier is first,
    /// whatever the clocks say.
    next_number: u32,
    own: Option<String>,
    is_refused: bool,
    races_lost: usize,
    /// The first place of another clone, and when it was first seen there.
    first: Option<(String, Duration)>,
    /// How many were before this clone at the last look that saw one of them gone, and when that was.
    moved: Option<(usize, Duration)>,
    /// How long a turn of another clone takes, as far as it was seen.
    turn: Duration,
    passed: HashSet<String>,
}

/// Whose turn it is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum PushTurn {
    /// This clone may push.
    Own,
    /// The number of clones ahead in the queue, at least 1.
    After(usize),
    /// The first place belongs to a clone that seems to be gone, and should be removed.
    Stuck(String),
}

impl PushQueue {
    pub fn new(began: i64) -> PushQueue {
        let passed = HashSet::new();
        PushQueue {
            began,
            next_number: 0,
            own: None,
            is_refused: false,
            races_lost: 0,
            first: None,
            moved: None,
            turn: FIRST_TURN,
            passed,
        }
    }

    /// Whose turn it is among these places, sorted by name, at a time since the sync began.
    pub fn turn(&mut self, places: &[String], now: Duration) -> PushTurn {
        let numbers = places.iter().filter(|place| self.is_recent(place)).filter_map(|place| parse(place));
        self.next_number = numbers.map(|(number, _)| number.saturating_add(1)).max().unwrap_or(0);
        let is_waiting = |place: &&String| !self.passed.contains(*place) && self.is_recent(place);
        let before_own = |place: &&String| self.own.as_ref().is_none_or(|own| *place < own);
        let others: Vec<&String> = places.iter().filter(is_waiting).filter(before_own).collect();
        let Some(&first) = others.first() else {
            self.first = None;
            return PushTurn::Own;
        };
        self.turn = turn_duration(self.turn, &mut self.moved, others.len(), now);
        let patience = match self.passed.is_empty() {
            true => PATIENCE,
            false => PATIENCE_AFTER_PASSED.max(self.turn * 4),
        };
        match &self.first {
            Some((known, since)) if known == first && now.saturating_sub(*since) > patience => {
                let stuck = first.clone();
                self.passed.insert(stuck.clone());
                // Its end is no turn.
                self.moved = None;
                PushTurn::Stuck(stuck)
            }
            Some((known, _)) if known == first => PushTurn::After(others.len()),
            _ => {
                let count = others.len();
                self.first = Some((first.clone(), now));
                PushTurn::After(count)
            }
        }
    }

    /// How long to wait at most before the next look, if `others` clones are first and the last look took `last_look`.
    /// The clone that is next looks often; the others sleep for most of the turns before the one that precedes theirs.
    pub fn wait(&self, others: usize, last_look: Duration) -> Duration {
        match others {
            0 | 1 => (self.turn / 4).min(last_look),
            _ => (self.turn * (others - 1).min(1 << 16) as u32).max(last_look * 2).min(LONGEST_WAIT),
        }
    }

    fn is_recent(&self, place: &str) -> bool {
        parse(place).is_some_and(|(_, began)| began.abs_diff(self.began) <= MAX_AGE_SECONDS as u64)
    }

    /// Notes a lost race; returns the place to take, if it is time to. The push has removed the one it had.
    pub fn lose(&mut self) -> Option<String> {
        self.races_lost += 1;
        if let Some(own) = self.own.take() {
            return Some(own);
        }
        (self.races_lost > RACES_WITHOUT_PLACE).then(|| self.new_place()).flatten()
    }

    /// The place to take, unless there is one or the remote refused it.
    pub fn new_place(&self) -> Option<String> {
        let random = random_number();
        (self.own.is_none() && !self.is_refused)
            .then(|| format!("{:010}-{:012}-{random:016x}", self.next_number, self.began))
    }

    /// Notes whether the remote accepted a place.
    pub fn answer(&mut self, place: String, is_accepted: bool) {
        (self.own, self.is_refused) = (is_accepted.then_some(place), !is_accepted);
    }

    /// Notes that this clone's place is removed from the remote.
    pub fn leave(&mut self) {
        self.own = None;
    }

    /// The name of this clone's place on the remote; `None` while it has none.
    pub fn own(&self) -> Option<&str> {
        self.own.as_deref()
    }
}

/// How long a turn takes at least, if `others` clones are before this one now. A clone that slept through more than half of a
/// turn must not take its own sleep for the turn: then all would sleep longer and longer. Only turns that ended count:
/// a clone that was killed says nothing about the others.
fn turn_duration(known: Duration, moved: &mut Option<(usize, Duration)>, others: usize, now: Duration) -> Duration {
    match *moved {
        Some((before, _)) if before == others => known,
        Some((before, since)) if before > others => {
            *moved = Some((others, now));
            (now.saturating_sub(since) / (before - others + 1) as u32).min(LONGEST_TURN)
        }
        _ => {
            *moved = Some((others, now));
            known
        }
    }
}

/// The number of a place, and when its clone began to sync.
fn parse(place: &str) -> Option<(u32, i64)> {
    let mut parts = place.split('-');
    Some((parts.next()?.parse().ok()?, parts.next()?.parse().ok()?))
}

#[cfg(test)]
mod tests {
    use super::*;

    const BEGAN: i64 = 1_800_000_000;

    fn place(number: u32, seconds: i64) -> String {
        format!("{number:010}-{:012}-0123456789abcdef", BEGAN + seconds)
    }

    #[test]
    fn whoever_waits_longest_is_first() {
        let mut queue = PushQueue::new(BEGAN);
        assert_eq!(queue.turn(&[], Duration::ZERO), PushTurn::Own);
        let others = [place(3, 7), place(4, -5), place(4, -2)];
        assert_eq!(queue.turn(&others, Duration::ZERO), PushTurn::After(3), "without a place it is last");
        let own = queue.new_place().unwrap();
        queue.answer(own.clone(), true);
        let mut all = [&others[..], &[own.clone(), place(5, -9), place(6, 0)]].concat();
        all.sort();
        assert!(own.starts_with("0000000005-") && all[3] == place(5, -9), "{all:?}");
        assert_eq!(queue.turn(&all, Duration::ZERO), PushTurn::After(4));
        assert_eq!(queue.turn(&all[2..], Duration::ZERO), PushTurn::After(2));
        assert_eq!(queue.turn(&all[4..], Duration::ZERO), PushTurn::Own);
        assert_eq!((queue.own(), queue.new_place()), (Some(own.as_str()), None));
    }

    #[test]
    fn a_place_is_taken_after_lost_races_unless_it_is_refused() {
        let mut queue = PushQueue::new(BEGAN);
        assert_eq!((queue.lose(), queue.lose()), (None, None));
        let place = queue.lose().unwrap();
        queue.answer(place, false);
        assert_eq!((queue.lose(), queue.own()), (None, None));
    }

    #[test]
    fn a_place_that_does_not_move_is_passed() {
        let mut queue = PushQueue::new(BEGAN);
        let places = [place(0, -5), place(1, -4)];
        let at = Duration::from_secs;
        assert_eq!(queue.turn(&places, at(0)), PushTurn::After(2));
        assert_eq!(queue.turn(&places, at(30)), PushTurn::After(2));
        assert_eq!(queue.turn(&places, at(31)), PushTurn::Stuck(place(0, -5)));
        // The next one gets a time of its own, also while the first cannot be removed; a shorter one, because clones
        // are killed together.
        assert_eq!(queue.turn(&places, at(32)), PushTurn::After(1));
        assert_eq!(queue.turn(&places, at(37)), PushTurn::After(1));
        assert_eq!(queue.turn(&places, at(38)), PushTurn::Stuck(place(1, -4)));
        assert_eq!(queue.turn(&places, at(39)), PushTurn::Own);
    }

    #[test]
    fn waits_follow_the_turns_that_were_seen_and_never_outgrow_them() {
        let mut queue = PushQueue::new(BEGAN);
        let (at, look) = (Duration::from_millis, Duration::from_millis(20));
        let places: Vec<String> = (0..9).map(|n| place(n, 0)).collect();
        queue.turn(&places, at(0));
        assert_eq!((queue.wait(1, look), queue.wait(9, look)), (look, FIRST_TURN * 8));
        // Four of them in two seconds, perhaps nearly five: no turn took less than 400 ms.
        queue.turn(&places[4..], at(2_000));
        assert_eq!((queue.wait(1, look), queue.wait(5, look)), (look, at(1_600)));
        // A look that finds nothing new says nothing: the first may have been killed.
        queue.turn(&places[4..], at(20_000));
        assert_eq!(queue.wait(5, look), at(1_600));
        queue.turn(&places[5..], at(60_000));
        assert_eq!(queue.wait(2, look), LONGEST_TURN, "however long it took");
        assert_eq!(queue.wait(1 << 30, look), LONGEST_WAIT);
        assert_eq!(queue.wait(2, at(30_000)), LONGEST_WAIT, "however slow the remote is");
    }

    #[test]
    fn a_lost_push_took_its_place_along() {
        let mut queue = PushQueue::new(BEGAN);
        queue.answer(place(3, 0), true);
        assert_eq!((queue.lose(), queue.own()), (Some(place(3, 0)), None), "the same again: its turn stays");
        queue.answer(place(3, 0), true);
        queue.leave();
        assert_eq!(queue.own(), None);
    }

    #[test]
    fn forgotten_and_foreign_places_count_for_nothing() {
        let mut queue = PushQueue::new(BEGAN);
        let places = [place(0, -901), place(1, 901), "main".to_owned(), String::new(), "-1-2".to_owned()];
        assert_eq!(queue.turn(&places, Duration::ZERO), PushTurn::Own);
    }
}
