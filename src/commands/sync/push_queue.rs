//! The order in which clones push that are in each other's way: who lost races takes a place on the remote, and the others
//! let the first of the places push.
//!
//! Without an order the clone that pushed last wins again: it has nothing to merge, so it is faster than all that lost.
//!
//! Never a lock: a place that does not move is passed, and a remote that refuses places only has no order.

use std::collections::HashSet;
use std::hash::{BuildHasher, Hasher};
use std::time::Duration;

/// How many races a clone loses before it takes a place. Two clones that meet once need no order.
const RACES_WITHOUT_PLACE: usize = 2;
/// How long the first place may stay the same while others wait: the clone that has it may have been killed.
const PATIENCE: Duration = Duration::from_secs(30);
/// Places whose clone began to sync so long before or after this one, in seconds, are left over, and could not be
/// removed.
const MAX_AGE_SECONDS: i64 = 15 * 60;

/// The places of one branch as this clone sees them.
pub struct PushQueue {
    /// When the sync began, in seconds since 1970: the clone that waits longest is first.
    began: i64,
    own: Option<String>,
    is_refused: bool,
    races_lost: usize,
    /// The first place of another clone, and when it was first seen there.
    first: Option<(String, Duration)>,
    passed: HashSet<String>,
}

/// Whose turn it is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum PushTurn {
    /// This clone's.
    Own,
    /// So many others are before it, one or more.
    After(usize),
    /// The first place belongs to a clone that seems to be gone, and should be removed.
    Stuck(String),
}

impl PushQueue {
    pub fn new(began: i64) -> PushQueue {
        let passed = HashSet::new();
        PushQueue { began, own: None, is_refused: false, races_lost: 0, first: None, passed }
    }

    /// Whose turn it is among these places, sorted by name, at a time since the sync began.
    pub fn turn(&mut self, places: &[String], now: Duration) -> PushTurn {
        let is_waiting = |place: &&String| !self.passed.contains(*place) && self.is_recent(place);
        let before_own = |place: &&String| self.own.as_ref().is_none_or(|own| *place < own);
        let others: Vec<&String> = places.iter().filter(is_waiting).filter(before_own).collect();
        let Some(&first) = others.first() else {
            self.first = None;
            return PushTurn::Own;
        };
        match &self.first {
            Some((known, since)) if known == first && now.saturating_sub(*since) > PATIENCE => {
                let stuck = first.clone();
                self.passed.insert(stuck.clone());
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

    fn is_recent(&self, place: &str) -> bool {
        let began = place.split('-').next().and_then(|seconds| seconds.parse::<i64>().ok());
        began.is_some_and(|began| began.abs_diff(self.began) <= MAX_AGE_SECONDS as u64)
    }

    /// Notes a lost race; returns the place to take, if it is time to.
    pub fn lose(&mut self) -> Option<String> {
        self.races_lost += 1;
        (self.races_lost > RACES_WITHOUT_PLACE).then(|| self.new_place()).flatten()
    }

    /// The place to take, unless there is one or the remote refused it.
    pub fn new_place(&self) -> Option<String> {
        let random = std::collections::hash_map::RandomState::new().build_hasher().finish();
        (self.own.is_none() && !self.is_refused).then(|| format!("{:012}-{random:016x}", self.began))
    }

    /// Notes whether the remote accepted a place.
    pub fn answer(&mut self, place: String, is_accepted: bool) {
        (self.own, self.is_refused) = (is_accepted.then_some(place), !is_accepted);
    }

    /// This clone's place.
    pub fn own(&self) -> Option<&str> {
        self.own.as_deref()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const BEGAN: i64 = 1_800_000_000;

    fn place(seconds: i64) -> String {
        format!("{:012}-0123456789abcdef", BEGAN + seconds)
    }

    #[test]
    fn whoever_waits_longest_is_first() {
        let mut queue = PushQueue::new(BEGAN);
        assert_eq!(queue.turn(&[], Duration::ZERO), PushTurn::Own);
        let others = [place(-5), place(-2), place(7)];
        assert_eq!(queue.turn(&others, Duration::ZERO), PushTurn::After(3), "without a place it is last");
        let own = queue.new_place().unwrap();
        queue.answer(own.clone(), true);
        let mut all = [&others[..], std::slice::from_ref(&own)].concat();
        all.sort();
        assert_eq!(queue.turn(&all, Duration::ZERO), PushTurn::After(2));
        assert_eq!(queue.turn(&all[1..], Duration::ZERO), PushTurn::After(1));
        assert_eq!(queue.turn(&all[2..], Duration::ZERO), PushTurn::Own);
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
        let places = [place(-5), place(-4)];
        let at = Duration::from_secs;
        assert_eq!(queue.turn(&places, at(0)), PushTurn::After(2));
        assert_eq!(queue.turn(&places, at(30)), PushTurn::After(2));
        assert_eq!(queue.turn(&places, at(31)), PushTurn::Stuck(place(-5)));
        // The next one gets its own time, also while the first cannot be removed.
        assert_eq!(queue.turn(&places, at(32)), PushTurn::After(1));
        assert_eq!(queue.turn(&places, at(60)), PushTurn::After(1));
        assert_eq!(queue.turn(&places, at(63)), PushTurn::Stuck(place(-4)));
        assert_eq!(queue.turn(&places, at(64)), PushTurn::Own);
    }

    #[test]
    fn forgotten_and_foreign_places_count_for_nothing() {
        let mut queue = PushQueue::new(BEGAN);
        let places = [place(-901), place(901), "main".to_owned(), String::new(), "-1-2".to_owned()];
        assert_eq!(queue.turn(&places, Duration::ZERO), PushTurn::Own);
    }
}
