//! `sync`: a memory that is a repository of its own, in step with another one: commit, fetch, merge by bullet, push.
//!
//! Never forces a push, never holds the data dir's lock while it talks to the network, never shares `inbox/`, and never
//! reads a vanished directory as "delete everything".

mod guard;
mod memo;
mod message;
mod pending;
mod unmerged;

use std::time::Duration;

pub use memo::Memo;
use message::Told;

use super::answer::{Answer, Committed, MergedIn, Sync, Undecided};
use super::change::told;
use super::setup::{self, DRIVER, Mode};
use super::{Failure, Session, Verdict};
use crate::change::Entry;
use crate::code::{Code, Hint, Rejection, Warning};
use crate::host::git::Git;
use crate::host::remote::{Fetched, Pushed, Remote};
use crate::host::repository::{Merging, State, UnderWay};
use crate::store::Locked;

/// How often a sync tries again when somebody else is faster.
const TRIES: usize = 10;

/// What `sync` is asked for.
pub struct SyncQuery<'a> {
    /// With which remote; without it, the branch's own, `origin`, or the only one.
    pub remote: Option<String>,
    /// Show what would be committed, do nothing.
    pub dry_run: bool,
    /// Also what looks like an emptied memory.
    pub force: bool,
    /// The commit's subject.
    pub reason: Option<String>,
    /// How long git may talk to the remote, each time.
    pub wait: Duration,
    /// Called with what begins, in a few words.
    pub progress: &'a dyn Fn(&str),
}

/// Brings a memory in step with a remote branch.
///
/// Conflicts are no error here: the door gives them their exit status, and git waits in the middle of its merge.
///
/// # Errors
/// `not_own_repository`, `unfinished`, `emptied`, `no_remote`, `remote`, `remote_refused`, `unrelated_histories`, `busy`,
/// `no_git`, `git`. What was committed or merged before stands; `changed` says whether there was any.
pub fn sync(session: &Session, query: &SyncQuery<'_>) -> Verdict {
    session.store.unveiled()?;
    let git = own(session)?;
    let answer = Sync { dir: session.below().trim_end_matches('/').to_owned(), ..Sync::default() };
    let mut run = Run { session, git, query, answer, wired: false, looked: Vec::new() };
    match run.all() {
        Ok(()) => {
            let Sync { committed, merged, pushed, .. } = &run.answer;
            run.answer.changed |= !committed.is_empty() || merged.is_some() || *pushed > 0;
            Ok(Answer::Sync(run.answer))
        }
        Err(why) => Err(run.failed(why)),
    }
}

/// git in a repository whose root the data dir is.
fn own(session: &Session) -> Result<Git, Rejection> {
    let git = Git::at(&session.dir);
    let refused = |why: String| Rejection::new(Code::NotOwnRepository, why);
    match git.place() {
        Ok((_, below)) if below.is_empty() => Ok(git),
        Ok((top, below)) => Err(refused(format!(
            "this memory is only a part ({below}) of the repository {}; committing and pushing that is not memdir's",
            top.display()
        ))
        .hint("use git there, its merges go by bullet after `memdir setup git`; or make the memory a repository of its own: `git init` in it")),
        Err(why) if why.code == Code::NoRepository && why.hint.is_none() => {
            Err(refused("this memory is in no git repository".to_owned())
                .hint("make it one: `git init` in it, and `git remote add origin ADDRESS` for another machine"))
        }
        Err(why) => Err(why),
    }
}

/// Whether to go on.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Step {
    /// On to the next one.
    On,
    /// Something moved meanwhile: once more.
    Again,
    /// A person must decide something first.
    Left,
}

/// One sync on its way.
struct Run<'a> {
    session: &'a Session,
    git: Git,
    query: &'a SyncQuery<'a>,
    answer: Sync,
    /// Whether it was looked whether this clone merges by bullet.
    wired: bool,
    /// What was told already.
    looked: Vec<String>,
}

impl Run<'_> {
    fn all(&mut self) -> Result<(), Rejection> {
        if self.query.dry_run {
            return self.rehearse();
        }
        let state = match self.locked(|run, locked| run.settle(locked))? {
            (Step::Left, _) => return Ok(()),
            (_, state) => state,
        };
        let branch = self.answer.branch.clone();
        let Some(remote) = self.git.remote(self.query.remote.as_deref(), &branch)? else {
            self.note(
                "there is no remote; what was pending is committed here (`git remote add origin ADDRESS` names one)",
            );
            return Ok(());
        };
        self.answer.remote = Some(remote.shown());
        for _ in 0..TRIES {
            match self.round(&remote, !state.follows)? {
                Step::Again => {}
                Step::On | Step::Left => return Ok(()),
            }
        }
        Err(Rejection::new(Code::Busy, format!("{} moved on {TRIES} times under this sync", remote.shown()))
            .hint("run it again when it rests"))
    }

    /// Fetches, merges and pushes once.
    fn round(&mut self, remote: &Remote, follow: bool) -> Result<Step, Rejection> {
        self.say(&format!("fetching from {}", remote.name));
        let tip = match self.git.fetch(remote, self.query.wait)? {
            Fetched::Tip(tip) => Some(tip),
            Fetched::Nothing => None,
            Fetched::Again => return Ok(Step::Again),
        };
        if let Some(tip) = &tip {
            let (step, _) = self.locked(|run, locked| run.bring_in(locked, remote, tip))?;
            if step != Step::On {
                return Ok(step);
            }
        }
        let Ok(head) = self.git.commit("HEAD") else { return Ok(Step::On) };
        let ahead = match &tip {
            Some(tip) => self.git.apart(&head, tip)?.0,
            None => self.git.count(&head)?,
        };
        if ahead == 0 {
            return Ok(Step::On);
        }
        self.say(&format!("pushing {} to {}", commits(ahead), remote.shown()));
        match self.git.push(&self.answer.branch, remote, follow, self.query.wait)? {
            Pushed::Behind => Ok(Step::Again),
            Pushed::Done => {
                self.answer.pushed += ahead;
                Ok(Step::On)
            }
        }
    }

    /// Does something while no other memdir writes.
    fn locked<T>(&mut self, work: impl FnOnce(&mut Self, &Locked<'_>) -> Result<T, Rejection>) -> Result<T, Rejection> {
        let session = self.session;
        let (locked, warnings) = session.store.lock()?;
        self.answer.warnings.extend(warnings.iter().map(told));
        work(self, &locked)
    }

    /// A repository in which a sync makes sense, and what it is in the middle of.
    fn state(&mut self) -> Result<(State, Option<UnderWay>), Rejection> {
        let under_way = self.git.under_way()?;
        let unfinished = |why: String| Rejection::new(Code::Unfinished, why);
        if let Some(UnderWay::Other(what)) = under_way {
            return Err(unfinished(format!("a {what} is under way here"))
                .hint("end it with git first (`git status` says how), then sync again"));
        }
        let state = self.git.state()?;
        let Some(branch) = &state.branch else {
            return Err(unfinished("no branch is checked out (a detached HEAD)".to_owned())
                .hint("`git switch BRANCH` goes to one, `git switch -c NAME` makes one of this commit"));
        };
        self.answer.branch = branch.clone();
        Ok((state, under_way))
    }

    /// Ends what was begun and commits what is pending.
    fn settle(&mut self, locked: &Locked<'_>) -> Result<(Step, State), Rejection> {
        let (mut state, under_way) = self.state()?;
        let entries = self.session.store.journal()?;
        let begun = !state.unmerged.is_empty() || under_way.is_some();
        if begun && self.conclude(locked, &state, &entries, under_way.is_some())? == Step::Left {
            return Ok((Step::Left, state));
        }
        if state.head.is_none() && state.pending.is_empty() {
            // A commit of our own would have no ancestor in common with what the remote may have.
            return Ok((Step::On, state));
        }
        if self.wire()? || begun {
            (state, _) = self.state()?;
        }
        let step = self.commit(locked, &state, &entries, None)?;
        if !state.pending.is_empty() {
            state.head = self.git.commit("HEAD").ok();
        }
        Ok((step, state))
    }

    /// Ends a merge that was left for a person, where all is decided.
    fn conclude(
        &mut self,
        locked: &Locked<'_>,
        state: &State,
        entries: &[Entry],
        merging: bool,
    ) -> Result<Step, Rejection> {
        let rest = unmerged::rest(self.session, &self.git, &state.unmerged, entries)?;
        if rest.any() {
            (self.answer.conflicts, self.answer.undecided) = (rest.conflicts, rest.undecided);
            return Ok(Step::Left);
        }
        if let (true, Some(head), false) = (merging, &state.head, self.query.force) {
            let theirs = self.git.commit("MERGE_HEAD")?;
            if let Some(base) = self.git.fork(head, &theirs)? {
                guard::incoming(&self.git, &base, head, &theirs)?;
            }
        }
        self.git.add(&rest.decided)?;
        if merging {
            let subject = self.git.waiting_message()?.unwrap_or_else(|| "memory: merged".to_owned());
            let (state, _) = self.state()?;
            return self.commit(locked, &state, entries, Some(&subject));
        }
        Ok(Step::On)
    }

    /// Commits what is pending; with a subject, the end of a merge.
    fn commit(
        &mut self,
        locked: &Locked<'_>,
        state: &State,
        entries: &[Entry],
        merge: Option<&str>,
    ) -> Result<Step, Rejection> {
        self.tell_of_inbox()?;
        let mut memo = Memo::of(&self.session.store);
        if !state.pending.is_empty() || merge.is_some() {
            let Some(message) = self.message(state, entries, &memo, merge)? else { return Ok(Step::Left) };
            self.git.stage(&state.pending, state.head.is_some())?;
            if merge.is_some() || self.git.staged(state.head.is_some())? {
                self.git.commit_index(&message)?;
                self.committed(message, state)?;
            }
        }
        let last = entries.last().map(|e| e.rev);
        if memo.rev != last && last.is_some() {
            memo.rev = last;
            memo.keep(locked);
        }
        Ok(Step::On)
    }

    /// The message for what is pending, once it is known that it may go; `None` where a person must decide first.
    fn message(
        &mut self,
        state: &State,
        entries: &[Entry],
        memo: &Memo,
        merge: Option<&str>,
    ) -> Result<Option<String>, Rejection> {
        let pieces = pending::pieces(self.session, &self.git, &state.pending, entries)?;
        if let (Some(head), false, None) = (&state.head, self.query.force, merge) {
            guard::outgoing(self.session, &self.git, (head, &state.pending), &pieces, entries)?;
        }
        let marked = pieces.iter().filter(|piece| piece.marked);
        self.answer.undecided = marked.map(|p| Undecided { path: p.path.clone(), why: "markers" }).collect();
        if !self.answer.undecided.is_empty() {
            return Ok(None);
        }
        let since = match (&state.head, memo.rev) {
            (Some(head), None) => Some(self.git.made_at(head)?),
            _ => None,
        };
        let untold = message::untold(entries, memo, since, &pieces);
        let reason = self.query.reason.as_deref();
        let gone = pieces.iter().filter(|piece| piece.gone).map(|piece| piece.path.as_str());
        let removed = guard::removed_in_scopes(self.session, gone);
        Ok(Some(message::message(&Told { pieces: &pieces, entries: untold, removed, reason, subject: merge })))
    }

    fn committed(&mut self, message: String, state: &State) -> Result<(), Rejection> {
        let head = self.git.commit("HEAD")?;
        let files = state.pending.iter().map(|p| p.path.clone()).collect();
        self.answer.committed.push(Committed { commit: Some(head.chars().take(10).collect()), message, files });
        Ok(())
    }

    /// Merges what was fetched.
    fn bring_in(&mut self, locked: &Locked<'_>, remote: &Remote, tip: &str) -> Result<(Step, State), Rejection> {
        // Whatever memdir wrote meanwhile is committed first: from here on only an editor can be in the way.
        let (step, state) = self.settle(locked)?;
        if step != Step::On {
            return Ok((step, state));
        }
        let head = state.head.clone();
        let behind = match &head {
            Some(head) => self.git.apart(head, tip)?.1,
            None => self.git.count(tip)?,
        };
        if behind == 0 {
            return Ok((Step::On, state));
        }
        self.may_come(head.as_deref(), remote, tip)?;
        self.say(&format!("merging {} from {}", commits(behind), remote.shown()));
        let message = format!("memory: {} from {} merged", commits(behind), remote.shown());
        let driver = format!("{DRIVER}={}", setup::driver()?);
        let merging = self.git.merge(tip, &message, &[driver])?;
        let step = match merging {
            Merging::Done => {
                let files = match (&head, self.git.commit("HEAD")?) {
                    (Some(head), now) => self.git.changed(head, &now, false)?,
                    (None, now) => self.git.files(&now)?.into_iter().map(|b| b.path).collect(),
                };
                self.remember(locked, &files)?;
                let before = self.answer.merged.take().map_or(0, |merged| merged.commits);
                self.answer.merged = Some(MergedIn { commits: before + behind, files });
                // What an empty repository got may not say yet how it is merged.
                if head.is_some() { Step::On } else { Step::Again }
            }
            Merging::Left => {
                let (state, _) = self.state()?;
                let merged: Vec<String> = state.pending.iter().map(|p| p.path.clone()).collect();
                self.remember(locked, &merged)?;
                let entries = self.session.store.journal()?;
                let rest = unmerged::rest(self.session, &self.git, &state.unmerged, &entries)?;
                (self.answer.conflicts, self.answer.undecided) = (rest.conflicts, rest.undecided);
                Step::Left
            }
            Merging::Refused(why) => self.refused(&why)?,
        };
        Ok((step, state))
    }

    /// git did not begin: an editor was faster, or something stands in the way.
    fn refused(&mut self, why: &str) -> Result<Step, Rejection> {
        match self.git.state()?.pending.is_empty() {
            false => Ok(Step::Again),
            true => Err(Rejection::new(Code::Git, format!("git did not merge: {why}"))
                .hint("`git status` shows what stands in its way; what was pending is committed")),
        }
    }

    /// Refuses what must not come in.
    fn may_come(&self, head: Option<&str>, remote: &Remote, tip: &str) -> Result<(), Rejection> {
        let added = match head {
            None => self.git.files(tip)?.into_iter().map(|b| b.path).collect(),
            Some(head) => {
                let Some(base) = self.git.fork(head, tip)? else { return Err(unrelated(remote)) };
                if !self.query.force {
                    guard::incoming(&self.git, &base, head, tip)?;
                }
                self.git.changed(head, tip, false)?
            }
        };
        match self.git.in_the_way(&added)?.first() {
            None => Ok(()),
            Some(first) => Err(Rejection::new(
                Code::Exists,
                format!("'{first}' comes from {}, and stands here as a file that git leaves out", remote.shown()),
            )
            .hint("move it aside, or have it taken out of git on the other side")),
        }
    }

    /// Remembers which files a merge replaced: they were not edited by hand.
    fn remember(&self, locked: &Locked<'_>, files: &[String]) -> Result<(), Rejection> {
        let mut memo = Memo::of(&self.session.store);
        memo.learn(&self.session.store, &self.session.store.journal()?, files);
        memo.keep(locked);
        Ok(())
    }

    /// Joins this clone to git's merges, where it is not; says whether there was anything to do.
    fn wire(&mut self) -> Result<bool, Rejection> {
        if std::mem::replace(&mut self.wired, true) || setup::findings(&self.git)?.is_empty() {
            return Ok(false);
        }
        let findings = match setup::git(self.session, Mode::Make, false) {
            Ok(Answer::Setup(set)) => set.findings,
            Ok(_) => Vec::new(),
            Err(why) => vec![why.rejections.first().map(|r| r.message.clone()).unwrap_or_default()],
        };
        match &findings[..] {
            [] => self.note("this clone merges by bullet from now on (.gitattributes, .gitignore, git config)"),
            [first, ..] => self.note(&format!("git merges line by line here: {first}")),
        }
        Ok(true)
    }

    fn tell_of_inbox(&mut self) -> Result<(), Rejection> {
        let home = self.git.home()?;
        if let Some(first) = home.first() {
            self.note(&format!(
                "{} of inbox/ ({first} …) are in git although proposals stay at home; they were left as they are \
                 (`git rm --cached` takes them out)",
                if home.len() == 1 { "1 file".to_owned() } else { format!("{} files", home.len()) },
            ));
        }
        Ok(())
    }

    /// What would be committed.
    fn rehearse(&mut self) -> Result<(), Rejection> {
        self.answer.dry_run = true;
        let (state, under_way) = self.state()?;
        let entries = self.session.store.journal()?;
        let rest = unmerged::rest(self.session, &self.git, &state.unmerged, &entries)?;
        if rest.any() {
            (self.answer.conflicts, self.answer.undecided) = (rest.conflicts, rest.undecided);
            return Ok(());
        }
        self.tell_of_inbox()?;
        self.answer.remote =
            self.git.remote(self.query.remote.as_deref(), &self.answer.branch)?.map(|remote| remote.shown());
        let subject = if under_way.is_some() { self.git.waiting_message()? } else { None };
        if state.pending.is_empty() && subject.is_none() {
            return Ok(());
        }
        let memo = Memo::of(&self.session.store);
        if let Some(message) = self.message(&state, &entries, &memo, subject.as_deref())? {
            let files = state.pending.iter().map(|p| p.path.clone()).collect();
            self.answer.committed.push(Committed { commit: None, message, files });
        }
        Ok(())
    }

    fn say(&self, what: &str) {
        (self.query.progress)(what);
    }

    /// Something the reader should know, told once.
    fn note(&mut self, what: &str) {
        if !self.looked.iter().any(|told| told == what) {
            self.looked.push(what.to_owned());
            self.answer.warnings.push(told(&Warning::new(Code::Note, what)));
        }
    }

    /// A refusal, with what was done before it.
    fn failed(&self, mut why: Rejection) -> Failure {
        let Sync { committed, merged, pushed, .. } = &self.answer;
        if let Some(last) = committed.last().and_then(|c| c.commit.clone()) {
            why = why.detail("committed", last);
        }
        if !committed.is_empty() || merged.is_some() || *pushed > 0 {
            why.changed = Some(true);
            why.hint = Some(match why.hint.take() {
                Some(hint) => format!("{hint}; what was pending is committed here, and goes out with the next sync"),
                None => "what was pending is committed here, and goes out with the next sync".to_owned(),
            });
        }
        if why.code == Code::Remote {
            why = why.try_(Hint { verb: vec!["sync"], address: Vec::new() });
        }
        let warnings = self.answer.warnings.iter().map(|w| Warning::new(Code::Note, w.message.clone())).collect();
        Failure { rejections: vec![why], warnings }
    }
}

fn commits(n: usize) -> String {
    if n == 1 { "1 commit".to_owned() } else { format!("{n} commits") }
}

fn unrelated(remote: &Remote) -> Rejection {
    let why = format!("this memory and {} have no commit in common", remote.shown());
    Rejection::new(Code::UnrelatedHistories, why).hint(format!(
        "if both are meant to be one: `git pull --no-rebase --allow-unrelated-histories {} {}` once (it merges by bullet); \
         a shallow clone needs `git fetch --unshallow`",
        remote.name, remote.branch
    ))
}
