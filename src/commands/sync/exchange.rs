//! Exchanges commits with the remote: fetch, merge, push, and again if another clone was faster.
//!
//! Never counts a lock that a killed git left as a lost race: it is named.

use std::collections::HashMap;
use std::time::{Duration, Instant};

use super::push_queue::{PushPosition, PushQueue};
use super::{SyncDirection, SyncRun, SyncStep};
use crate::code::{Code, Rejection};
use crate::commands::results::{UndecidedFile, UndecidedReason};
use crate::document::Document;
use crate::host::git::GitBlob;
use crate::host::lock_files::NamedLock;
use crate::host::remote::{FetchResult, PushResult, RemoteBranch};
use crate::llm::jitter::random_share;
use crate::operation::conflict_regions;
use crate::text::counted_noun::counted_noun;

/// How many times in a row the same thing may be in the way. git itself waits 100 ms for a lock of a ref.
const MAX_BLOCKED: u32 = 5;
/// No wait between two rounds is longer, unless a round itself takes long.
const LONGEST_WAIT: Duration = Duration::from_secs(4);
/// The longest wait, if a round takes long, in durations of the last round.
const MAX_WAIT_FACTOR: u32 = 4;

/// How a round ended.
enum RoundResult {
    Done,
    /// Another clone was faster.
    Lost,
    /// So many other clones are first.
    Waiting(usize),
    /// Something was in the way that may be gone in a moment.
    Blocked(Obstacle),
}

/// What was in the way of a round.
#[derive(PartialEq)]
enum Obstacle {
    LockHere(String),
    /// A lock in the remote repository, and the commit that its branch had: if that changes, the lock is not stuck.
    LockThere {
        path: String,
        tip: Option<String>,
    },
    /// The remote could not store the objects.
    NotStored(Rejection),
}

impl Obstacle {
    fn lock(lock: NamedLock, tip: Option<&String>) -> Self {
        match lock {
            NamedLock::Here(path) => Self::LockHere(path),
            NamedLock::There(path) => Self::LockThere { path, tip: tip.cloned() },
        }
    }
}

impl SyncRun<'_> {
    /// Fetches, merges and pushes until the remote has what is here, or a person must decide.
    pub(super) fn exchange(&mut self, remote: &RemoteBranch, set_upstream: bool) -> Result<(), Rejection> {
        let mut queue = PushQueue::new(self.session.now.timestamp().as_second());
        let result = self.exchange_in_queue(remote, set_upstream, &mut queue);
        if let Some(entry) = queue.own_entry() {
            // A push that succeeded has removed it. An entry that cannot be removed is skipped by the others.
            drop(self.git.leave_push_queue(remote, entry, self.options.network_timeout));
        }
        result
    }

    fn exchange_in_queue(
        &mut self,
        remote: &RemoteBranch,
        set_upstream: bool,
        queue: &mut PushQueue,
    ) -> Result<(), Rejection> {
        let mut last: Option<(Obstacle, u32)> = None;
        let begun = Instant::now();
        let mut round = 0;
        loop {
            let started = Instant::now();
            match self.round(remote, set_upstream, queue, begun)? {
                RoundResult::Done => return Ok(()),
                RoundResult::Lost => last = None,
                RoundResult::Waiting(others) => {
                    last = None;
                    self.wait_until_next(remote, queue, begun, others, started.elapsed())?;
                    continue;
                }
                RoundResult::Blocked(obstacle) => {
                    let times = last.filter(|(last, _)| *last == obstacle).map_or(1, |(_, times)| times + 1);
                    if times == MAX_BLOCKED {
                        return Err(self.obstacle_error(obstacle, remote));
                    }
                    last = Some((obstacle, times));
                }
            }
            // The first in the queue need not leave the processors to others.
            let wait = random_wait(started.elapsed(), if queue.own_entry().is_some() { 0 } else { round });
            round += 1;
            self.sleep(begun, wait, || format!("{} changed {round} times during this sync", remote.display_name()))?;
        }
    }

    /// Waits until this clone is next: asks the remote for the queue, and fetches nothing. A clone that is next
    /// fetches to look, so that it can merge at once when it is first.
    fn wait_until_next(
        &self,
        remote: &RemoteBranch,
        queue: &mut PushQueue,
        begun: Instant,
        mut others: usize,
        mut last_look: Duration,
    ) -> Result<(), Rejection> {
        loop {
            let wait = queue.wait(others, last_look).mul_f64(0.5 + random_share() / 2.0);
            self.sleep(begun, wait, || {
                format!("{others} other clones are before this one at {}", remote.display_name())
            })?;
            if others <= 1 {
                return Ok(());
            }
            let started = Instant::now();
            let entries = self.git.query_push_queue(remote, self.options.network_timeout)?;
            last_look = started.elapsed();
            match queue.position(&entries, begun.elapsed()) {
                PushPosition::First => return Ok(()),
                PushPosition::Behind(count) => others = count,
                PushPosition::Stuck(entry) => {
                    drop(self.git.leave_push_queue(remote, &entry, self.options.network_timeout))
                }
            }
        }
    }

    /// Sleeps between two rounds.
    ///
    /// # Errors
    /// `busy` if the sync would take longer than it may; `reason` says what it waited for.
    fn sleep(&self, begun: Instant, wait: Duration, reason: impl Fn() -> String) -> Result<(), Rejection> {
        if begun.elapsed() + wait > self.options.network_timeout {
            return Err(Rejection::new(Code::Busy, reason())
                .hint("run it again when fewer others are pushing, or allow it more time with --timeout"));
        }
        std::thread::sleep(wait);
        Ok(())
    }

    fn obstacle_error(&self, obstacle: Obstacle, remote: &RemoteBranch) -> Rejection {
        match obstacle {
            Obstacle::LockHere(path) => self.git.held_lock_error(&path),
            Obstacle::LockThere { path, .. } => {
                let reason = format!("git's lock '{path}' is in the way on {}", remote.display_remote());
                Rejection::new(Code::Busy, reason).hint("try again; if no git is running there, remove it there")
            }
            Obstacle::NotStored(error) => error,
        }
    }

    /// Fetches, merges and pushes once.
    fn round(
        &mut self,
        remote: &RemoteBranch,
        set_upstream: bool,
        queue: &mut PushQueue,
        begun: Instant,
    ) -> Result<RoundResult, Rejection> {
        self.progress(&format!("fetching from {}", remote.display_remote()));
        let known = self.git.known_tip(remote)?;
        let tip = match self.git.fetch(remote, self.options.network_timeout)? {
            FetchResult::Tip(tip) => Some(tip),
            FetchResult::NoSuchBranch => None,
            FetchResult::Raced => return Ok(RoundResult::Lost),
            FetchResult::Locked(lock) => return Ok(RoundResult::Blocked(Obstacle::lock(lock, None))),
        };
        if let (Some(known), Some(tip)) = (&known, &tip) {
            self.check_rewritten(remote, known, tip)?;
        }
        if let (Some(tip), SyncDirection::Both | SyncDirection::Push) = (&tip, self.options.direction) {
            match queue.position(&self.git.fetched_push_queue(remote)?, begun.elapsed()) {
                PushPosition::First => {}
                PushPosition::Behind(others) if self.has_commits_for(tip)? => {
                    self.join_queue(remote, queue.new_entry(), queue, tip)?;
                    self.progress(&format!("waiting for {others} other clones to push"));
                    return Ok(RoundResult::Waiting(others));
                }
                PushPosition::Behind(_) => {}
                PushPosition::Stuck(entry) => {
                    drop(self.git.leave_push_queue(remote, &entry, self.options.network_timeout))
                }
            }
        }
        if let Ok(head) = self.git.resolve_commit("HEAD") {
            self.check_before_merge(&head, tip.as_deref())?;
        }
        if let Some(tip) = &tip {
            let (step, _) = self.with_lock(|run, locked| run.merge_fetched(locked, remote, tip))?;
            match step {
                SyncStep::Continue => {}
                SyncStep::Restart => return Ok(RoundResult::Lost),
                SyncStep::NeedsUser => return Ok(RoundResult::Done),
            }
        }
        if self.options.direction == SyncDirection::Fetch {
            return Ok(RoundResult::Done);
        }
        let Ok(head) = self.git.resolve_commit("HEAD") else { return Ok(RoundResult::Done) };
        let ahead = match &tip {
            Some(tip) => self.git.ahead_behind(&head, tip)?.0,
            None => self.git.commit_count(&head)?,
        };
        if ahead == 0 {
            return Ok(RoundResult::Done);
        }
        self.progress(&format!("pushing {} to {}", counted_noun(ahead, "commit"), remote.display_name()));
        let pushed = self.push_commit(&head, tip.as_deref(), remote, set_upstream, queue.own_entry())?;
        let Some(pushed) = pushed else { return Ok(RoundResult::Done) };
        match pushed {
            PushResult::Behind => {
                self.result.lost_races += 1;
                if let Some(tip) = &tip {
                    self.join_queue(remote, queue.record_lost_race(), queue, tip)?;
                }
                Ok(RoundResult::Lost)
            }
            PushResult::Locked(lock) => Ok(RoundResult::Blocked(Obstacle::lock(lock, tip.as_ref()))),
            PushResult::NotStored(error) => Ok(RoundResult::Blocked(Obstacle::NotStored(error))),
            PushResult::Done => {
                queue.clear_entry();
                self.result.pushed += ahead;
                Ok(RoundResult::Done)
            }
        }
    }

    /// Whether this clone has commits that the remote's tip has not. Without commits, it only merges and need not wait.
    fn has_commits_for(&self, tip: &str) -> Result<bool, Rejection> {
        match self.git.resolve_commit("HEAD") {
            Ok(head) => Ok(self.git.ahead_behind(&head, tip)?.0 > 0),
            Err(_) => Ok(false),
        }
    }

    /// Adds an entry to the queue on the remote, if there is one to add.
    fn join_queue(
        &self,
        remote: &RemoteBranch,
        entry: Option<String>,
        queue: &mut PushQueue,
        tip: &str,
    ) -> Result<(), Rejection> {
        if let Some(entry) = entry {
            let is_accepted = self.git.join_push_queue(remote, &entry, tip, self.options.network_timeout)?;
            queue.record_reply(entry, is_accepted);
        }
        Ok(())
    }

    /// Whether a commit to push contains conflict markers that the remote's version of the file does not have: they were
    /// committed by mistake. They are listed as undecided.
    pub(super) fn has_committed_markers(&mut self, head: &str, tip: Option<&str>) -> Result<bool, Rejection> {
        let suspects = self.git.files_with_markers(head)?;
        if suspects.is_empty() {
            return Ok(false);
        }
        let known = tip.map_or(Ok(Vec::new()), |tip| self.git.files_at(tip))?;
        let known: HashMap<&str, &str> = known.iter().map(|file| (file.path.as_str(), file.object.as_str())).collect();
        let files = self.git.files_at(head)?;
        let known_object = |file: &GitBlob| known.get(file.path.as_str()).copied();
        let is_new = |file: &&GitBlob| suspects.contains(&file.path) && known_object(file) != Some(&file.object);
        for file in files.iter().filter(is_new) {
            let objects: Vec<&str> = [file.object.as_str()].into_iter().chain(known_object(file)).collect();
            let mut markers = self.git.read_objects(&objects)?.into_iter().map(marker_of);
            let (own, before) = (markers.next().flatten(), markers.next().flatten());
            let Some((reason, line)) = own.filter(|(reason, _)| before.is_none_or(|(known, _)| known != *reason))
            else {
                continue;
            };
            self.result.undecided.push(UndecidedFile { line: Some(line), ..UndecidedFile::new(&file.path, reason) });
        }
        if !self.result.undecided.is_empty() {
            self.note("a commit contains conflict markers, so nothing was pushed");
        }
        Ok(!self.result.undecided.is_empty())
    }
}

/// The conflict markers of a text: why it is undecided, and the line of the first one.
fn marker_of(text: Vec<u8>) -> Option<(UndecidedReason, usize)> {
    let text = String::from_utf8_lossy(&text).into_owned();
    let is_conflict = conflict_regions::marker_length(&text).is_some();
    let document = Document::parse(text);
    if is_conflict {
        Some((UndecidedReason::Markers, document.conflict_marker_line().unwrap_or(1)))
    } else {
        document.leftover_marker_line().map(|line| (UndecidedReason::LeftoverMarker, line))
    }
}

/// A random wait, so that clones that lost the same race do not meet again.
fn random_wait(last_round: Duration, round: u32) -> Duration {
    longest_wait(last_round, round).mul_f64(random_share())
}

/// The longest wait after a round: twice as long after each.
fn longest_wait(last_round: Duration, round: u32) -> Duration {
    let limit = LONGEST_WAIT.max(last_round * MAX_WAIT_FACTOR);
    last_round.saturating_mul(1 << round.min(16)).min(limit)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn waits_double_up_to_a_limit() {
        let waits = |ms| [0, 1, 2, 5, 6, 400].map(|round| longest_wait(Duration::from_millis(ms), round).as_millis());
        assert_eq!(waits(100), [100, 200, 400, 3_200, 4_000, 4_000]);
        assert_eq!(waits(3_000), [3_000, 6_000, 12_000, 12_000, 12_000, 12_000]);
    }
}
