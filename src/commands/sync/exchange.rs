//! Exchanges commits with the remote: fetch, merge, push, and again if another clone was faster.
//!
//! Never counts a lock that a killed git left as a lost race: it is named.

use std::hash::{BuildHasher, Hasher};
use std::time::{Duration, Instant};

use super::{SyncRun, SyncStep, commit_count};
use crate::code::{Code, Rejection};
use crate::commands::answer::UndecidedFile;
use crate::host::lock_files::NamedLock;
use crate::host::remote::{FetchResult, PushResult, RemoteBranch};
use crate::operation::conflict_regions;

/// How many times a sync starts over when the remote moves in the meantime.
const MAX_ROUNDS: u32 = 60;
/// How many times in a row the same lock may be in the way. git itself waits 100 ms for a lock of a ref.
const MAX_LOCKED: u32 = 5;
/// The longest wait before another round, in durations of the last one: with 8 clones that sync all the time, one in
/// five rounds is lost then; without a wait, one sync in twenty lost 10 in a row. On an overloaded machine, where most
/// rounds are lost, 30 of 800 syncs lost 20 in a row.
const MAX_WAIT_FACTOR: u32 = 4;

/// How a round ended.
enum RoundResult {
    Done,
    /// Another clone was faster.
    Lost,
    /// A lock file was in the way.
    Locked(NamedLock),
}

impl SyncRun<'_> {
    /// Fetches, merges and pushes until the remote has what is here.
    pub(super) fn exchange(&mut self, remote: &RemoteBranch, set_upstream: bool) -> Result<(), Rejection> {
        let mut last_lock: Option<(NamedLock, u32)> = None;
        for round in 0..MAX_ROUNDS {
            let started = Instant::now();
            match self.round(remote, set_upstream)? {
                RoundResult::Done => return Ok(()),
                RoundResult::Lost => last_lock = None,
                RoundResult::Locked(lock) => {
                    let times = last_lock.filter(|(last, _)| *last == lock).map_or(1, |(_, times)| times + 1);
                    if times == MAX_LOCKED {
                        return Err(self.lock_error(&lock, remote));
                    }
                    last_lock = Some((lock, times));
                }
            }
            std::thread::sleep(random_wait(started.elapsed(), round));
        }
        Err(Rejection::new(
            Code::Busy,
            format!("{} changed {MAX_ROUNDS} times during this sync", remote.display_name()),
        )
        .hint("run it again when no one else is pushing"))
    }

    fn lock_error(&self, lock: &NamedLock, remote: &RemoteBranch) -> Rejection {
        match lock {
            NamedLock::Here(path) => self.git.held_lock_error(path),
            NamedLock::There(path) => {
                let why = format!("git's lock '{path}' is in the way on {}", remote.name);
                Rejection::new(Code::Busy, why).hint("try again; if no git is running there, remove it there")
            }
        }
    }

    /// Fetches, merges and pushes once.
    fn round(&mut self, remote: &RemoteBranch, set_upstream: bool) -> Result<RoundResult, Rejection> {
        self.progress(&format!("fetching from {}", remote.name));
        let tip = match self.git.fetch(remote, self.options.network_timeout)? {
            FetchResult::Tip(tip) => Some(tip),
            FetchResult::NoSuchBranch => None,
            FetchResult::Raced => return Ok(RoundResult::Lost),
            FetchResult::Locked(lock) => return Ok(RoundResult::Locked(lock)),
        };
        if let Some(tip) = &tip {
            let (step, _) = self.with_lock(|run, locked| run.merge_fetched(locked, remote, tip))?;
            match step {
                SyncStep::Continue => {}
                SyncStep::Restart => return Ok(RoundResult::Lost),
                SyncStep::NeedsUser => return Ok(RoundResult::Done),
            }
        }
        let Ok(head) = self.git.resolve_commit("HEAD") else { return Ok(RoundResult::Done) };
        let ahead = match &tip {
            Some(tip) => self.git.ahead_behind(&head, tip)?.0,
            None => self.git.commit_count(&head)?,
        };
        if ahead == 0 || self.has_committed_markers(&head, tip.as_deref())? {
            return Ok(RoundResult::Done);
        }
        self.progress(&format!("pushing {} to {}", commit_count(ahead), remote.display_name()));
        match self.git.push(&self.answer.branch, remote, set_upstream, self.options.network_timeout)? {
            PushResult::Behind => Ok(RoundResult::Lost),
            PushResult::Locked(lock) => Ok(RoundResult::Locked(lock)),
            PushResult::Done => {
                self.answer.pushed += ahead;
                Ok(RoundResult::Done)
            }
        }
    }

    /// Whether a commit to push contains conflict markers that the remote does not have: they were committed by
    /// mistake. They are listed as undecided.
    fn has_committed_markers(&mut self, head: &str, tip: Option<&str>) -> Result<bool, Rejection> {
        let suspects = self.git.files_with_markers(head)?;
        if suspects.is_empty() {
            return Ok(false);
        }
        let known = tip.map_or(Ok(Vec::new()), |tip| self.git.files_with_markers(tip))?;
        let files = self.git.files_at(head)?;
        let new: Vec<_> = files.iter().filter(|f| suspects.contains(&f.path) && !known.contains(&f.path)).collect();
        let texts = self.git.read_objects(&new.iter().map(|file| file.object.as_str()).collect::<Vec<_>>())?;
        for (file, text) in new.iter().zip(texts) {
            if conflict_regions::marker_length(&String::from_utf8_lossy(&text)).is_some() {
                self.answer.undecided.push(UndecidedFile { path: file.path.clone(), why: "markers" });
            }
        }
        if !self.answer.undecided.is_empty() {
            self.note("a commit contains conflict markers, so nothing was pushed");
        }
        Ok(!self.answer.undecided.is_empty())
    }
}

/// A random wait, so that clones that lost the same race do not meet again; longer after each round.
fn random_wait(last_round: Duration, round: u32) -> Duration {
    let longest = last_round * MAX_WAIT_FACTOR.min(1 << round.min(8));
    let random = std::collections::hash_map::RandomState::new().build_hasher().finish();
    longest.mul_f64(random as f64 / u64::MAX as f64)
}
