//! `sync`: synchronizes a memory that is a git repository of its own with a remote: commit, fetch, merge bullet by
//! bullet, push.
//!
//! Never forces a push, never holds the lock of the data directory during network access, never shares `inbox/`, and
//! never commits the loss of most files as a deletion (see `guard`).

mod commit_message;
pub mod conflict_branches;
mod exchange;
mod guard;
pub mod home;
mod join;
mod killed_sync;
mod merge_fetched;
mod outgoing;
mod own_repository;
mod pending;
mod push_queue;
mod retry;
mod sync_state;
mod synced_scopes;
mod unmerged;

use std::collections::HashSet;
use std::time::Duration;

use commit_message::CommitDetails;
use own_repository::own_repository;
pub use sync_state::{SyncMerge, SyncState};

use super::results::{CommitRow, SyncResult, UndecidedFile, UndecidedReason, WarningRow};
use super::scope::{forget_purged, purged_scopes};
use super::setup::{self, SetupMode};
use super::{CommandResult, Session};
use crate::change::JournalEntry;
use crate::code::{Code, Rejection, Warning};
use crate::host::git::Git;
use crate::host::repository::{OngoingOperation, RepositoryState};
use crate::policy::SecretRule;
use crate::store::LockedStore;

/// Which way commits go.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum SyncDirection {
    /// Fetch, merge and push.
    #[default]
    Both,
    /// Fetch and merge only.
    Fetch,
    /// The same as both, but the remote is left alone if it is known to have everything.
    Push,
}

/// With which remote to synchronize, in which direction, and what to do about conflicts.
pub struct SyncOptions<'a> {
    /// Name of the remote. `None`: the branch's upstream, `origin`, or the only remote.
    pub remote: Option<String>,
    /// Which way commits go.
    pub direction: SyncDirection,
    /// The remote's branch to push to if both conflict. `None`: a merge with conflicts stays in progress, for a person.
    pub conflict_branch: Option<String>,
    /// Show what would be committed; change nothing.
    pub dry_run: bool,
    /// Skip the checks for an emptied memory and for a remote whose history was rewritten.
    pub force: bool,
    /// The subject of the commit. `None`: the reason in the journal if there is exactly one, else the number of changed
    /// bullets.
    pub reason: Option<String>,
    /// Time limit of each git command that accesses the network, and of starting over after lost races.
    pub network_timeout: Duration,
    /// Receives a short message at the start of each step.
    pub progress: &'a dyn Fn(&str),
}

impl Default for SyncOptions<'_> {
    /// Both ways, with 600 seconds for what accesses the network.
    fn default() -> Self {
        SyncOptions {
            remote: None,
            direction: SyncDirection::Both,
            conflict_branch: None,
            dry_run: false,
            force: false,
            reason: None,
            network_timeout: Duration::from_secs(600),
            progress: &|_| {},
        }
    }
}

/// Synchronizes a memory with a remote branch.
///
/// Conflicts are not an error; the front end maps them to an exit status, and git's merge stays in progress.
///
/// # Errors
/// `not_own_repository`, `unfinished`, `emptied`, `secret`, `invalid_policy`, `conflict`, `merge_conflict` if only
/// fetching would end in one with a conflict branch, `no_remote`, `remote`, `remote_refused`, `rewritten`,
/// `unrelated_histories`, `busy`, `no_git`, `git`. Commits and merges made before stay; `changed` reports them.
pub fn sync(session: &Session, options: &SyncOptions<'_>) -> CommandResult<SyncResult> {
    session.store.require_unfiltered()?;
    let git = own_repository(session).map_err(|error| retry::with_remote(error, session, options))?;
    let result = SyncResult {
        dir: session.path_prefix().trim_end_matches('/').to_owned(),
        requested: retry::printable_remote(options),
        ..SyncResult::default()
    };
    let mut run = SyncRun {
        session,
        git,
        options,
        result,
        driver_checked: false,
        conflicts_with_remote: false,
        noted: Vec::new(),
        refused_merges: 0,
        searched: None,
        reported: HashSet::new(),
    };
    let is_recorded = !options.dry_run && run.remove_stale_locks()?;
    let result = run.run();
    if !options.dry_run && run.result.merged.is_some() {
        run.note_merged_proposals();
    }
    if is_recorded {
        killed_sync::record_end(session);
    }
    if result.is_ok() {
        run.note_unwatched_changes();
    }
    // With a remote of the user, the hook names them.
    let is_committed = run.options.conflict_branch.is_none() && run.result.undecided.is_empty();
    if result.is_ok() && is_committed && !options.dry_run {
        run.note_unshared_files();
    }
    if !options.dry_run {
        run.finish_scopes();
    }
    match result {
        Ok(()) => {
            let SyncResult { committed, merged, pushed, .. } = &run.result;
            run.result.changed |= !committed.is_empty() || merged.is_some() || *pushed > 0;
            Ok(run.result)
        }
        Err(error) => Err(run.with_context(error)),
    }
}

/// How to go on after a step.
#[derive(Clone, Copy, PartialEq, Eq)]
enum SyncStep {
    /// Continue with the next step.
    Continue,
    /// Something changed in the meantime: start over.
    Restart,
    /// The user must decide something first.
    NeedsUser,
}

/// A sync in progress.
struct SyncRun<'a> {
    session: &'a Session,
    git: Git,
    options: &'a SyncOptions<'a>,
    result: SyncResult,
    /// Whether the merge driver was checked already.
    driver_checked: bool,
    /// Whether a merge was given up because of its conflicts.
    conflicts_with_remote: bool,
    /// Notes added so far, to add each only once.
    noted: Vec<String>,
    /// How often git did not start a merge.
    refused_merges: u32,
    /// What the last search for secrets compared: the commit to push, and the remote's.
    searched: Option<(String, Option<String>)>,
    /// The places of secrets that were reported.
    reported: HashSet<String>,
}

impl SyncRun<'_> {
    fn run(&mut self) -> Result<(), Rejection> {
        self.check_reason()?;
        self.check_known_unpushed()?;
        if self.options.dry_run {
            return self.dry_run();
        }
        let state = match self.with_lock(|run, locked| run.prepare(locked))? {
            (SyncStep::NeedsUser, _) => return Ok(()),
            (_, state) => state,
        };
        let branch = self.result.branch.clone();
        let Some(remote) = self.remote_branch(&branch)? else {
            self.note(
                "no remote is configured; pending changes are committed locally (add one with `git remote add origin URL`)",
            );
            return Ok(());
        };
        self.result.remote = Some(remote.display_name());
        if self.options.direction == SyncDirection::Push
            && let Ok(head) = self.git.resolve_commit("HEAD")
            && self.git.is_known_there(&remote, &head)?
        {
            return Ok(());
        }
        self.exchange(&remote, !state.has_upstream)?;
        if self.conflicts_with_remote {
            return self.push_aside(&remote);
        }
        self.note_conflict_branches();
        Ok(())
    }

    /// Runs `work` under the lock, so that no other memdir process writes.
    fn with_lock<T>(
        &mut self,
        work: impl FnOnce(&mut Self, &LockedStore<'_>) -> Result<T, Rejection>,
    ) -> Result<T, Rejection> {
        let session = self.session;
        let (locked, warnings) = session.store.lock()?;
        self.result.warnings.extend(warnings.iter().map(WarningRow::from));
        work(self, &locked)
    }

    /// Checks that the repository can be synced, and returns its state and the merge in progress.
    fn check_state(&mut self) -> Result<(RepositoryState, Option<OngoingOperation>), Rejection> {
        let ongoing = self.git.ongoing_operation()?;
        let unfinished_error = |reason: String| Rejection::new(Code::Unfinished, reason);
        if let Some(OngoingOperation::Other(operation)) = ongoing {
            return Err(unfinished_error(format!("a {operation} is in progress"))
                .hint("finish or abort it with git first (see `git status`), then sync again"));
        }
        let state = self.git.repository_state()?;
        let Some(branch) = &state.branch else {
            return Err(unfinished_error("no branch is checked out (a detached HEAD)".to_owned())
                .hint("check one out with `git switch BRANCH`, or create one with `git switch -c NAME`"));
        };
        self.result.branch = branch.clone();
        Ok((state, ongoing))
    }

    /// Concludes a merge in progress and commits pending changes.
    fn prepare(&mut self, locked: &LockedStore<'_>) -> Result<(SyncStep, RepositoryState), Rejection> {
        let (mut state, ongoing) = self.check_state()?;
        let entries = self.session.store.journal()?;
        let in_progress = !state.conflicted.is_empty() || ongoing.is_some();
        if in_progress && self.conclude_merge(locked, &state, &entries, ongoing.is_some())? == SyncStep::NeedsUser {
            return Ok((SyncStep::NeedsUser, state));
        }
        self.record_end_of_merge(locked)?;
        if state.head.is_none() && state.pending.is_empty() {
            // Do not commit before the first merge: our commit would have no ancestor in common with the remote's.
            return Ok((SyncStep::Continue, state));
        }
        if self.ensure_driver()? || in_progress {
            (state, _) = self.check_state()?;
        }
        let step = self.commit_pending(locked, &state, &entries, None)?;
        if !state.pending.is_empty() {
            state.head = self.git.resolve_commit("HEAD").ok();
        }
        Ok((step, state))
    }

    /// Concludes a merge that had conflicts, if all of them are decided.
    fn conclude_merge(
        &mut self,
        locked: &LockedStore<'_>,
        state: &RepositoryState,
        entries: &[JournalEntry],
        is_merge: bool,
    ) -> Result<SyncStep, Rejection> {
        let unmerged_files = unmerged::sort_unmerged(self.session, &self.git, &state.conflicted, entries)?;
        if unmerged_files.needs_user() {
            (self.result.conflicts, self.result.undecided) = (unmerged_files.conflicts, unmerged_files.undecided);
            return Ok(SyncStep::NeedsUser);
        }
        if let (true, Some(head), false) = (is_merge, &state.head, self.options.force) {
            let theirs = self.git.resolve_commit("MERGE_HEAD")?;
            if let Some(base) = self.git.merge_base(head, &theirs)? {
                guard::check_incoming(&self.git, &base, head, &theirs)?;
            }
        }
        self.git.stage_resolved(&unmerged_files.decided)?;
        if is_merge {
            let subject = self.git.pending_merge_message()?.unwrap_or_else(|| "memory: merged".to_owned());
            let (state, _) = self.check_state()?;
            return self.commit_pending(locked, &state, entries, Some(&subject));
        }
        Ok(SyncStep::Continue)
    }

    /// Commits pending changes; with `merge`, as the merge commit with this subject.
    fn commit_pending(
        &mut self,
        locked: &LockedStore<'_>,
        state: &RepositoryState,
        entries: &[JournalEntry],
        merge_subject: Option<&str>,
    ) -> Result<SyncStep, Rejection> {
        self.note_shared_inbox()?;
        let mut sync_state = SyncState::load(&self.session.store);
        let purged = purged_scopes(self.session);
        if !state.pending.is_empty() || merge_subject.is_some() {
            let Some(message) = self.commit_message(state, entries, &sync_state, merge_subject)? else {
                return Ok(SyncStep::NeedsUser);
            };
            self.git.stage_pending(&state.pending, state.head.is_some())?;
            if merge_subject.is_some() || self.git.has_staged_changes(state.head.is_some())? {
                self.git.commit_index(&message)?;
                self.record_commit(message, state)?;
            }
        }
        let last = entries.last().map(|e| e.rev);
        if sync_state.rev != last && last.is_some() {
            sync_state.rev = last;
            sync_state.save(locked);
        }
        // They are committed: what vanishes from now on is another scope of that name.
        forget_purged(self.session, &purged);
        Ok(SyncStep::Continue)
    }

    /// The commit message for the pending changes, after checking that they may be committed. `None` if the user must
    /// decide something first.
    fn commit_message(
        &mut self,
        state: &RepositoryState,
        entries: &[JournalEntry],
        sync_state: &SyncState,
        merge_subject: Option<&str>,
    ) -> Result<Option<String>, Rejection> {
        let changes = pending::pending_changes(self.session, &self.git, &state.pending, entries)?;
        if let (Some(head), false, None) = (&state.head, self.options.force, merge_subject) {
            guard::check_outgoing(self.session, &self.git, head, &state.pending, &changes, entries)?;
        }
        let reason = |change: &pending::PendingChange| match (change.has_markers, change.has_leftover_marker) {
            (true, _) if outgoing::is_policy(&change.path) => Some(UndecidedReason::OddName),
            (true, _) => Some(UndecidedReason::Markers),
            (false, true) => Some(UndecidedReason::LeftoverMarker),
            (false, false) => None,
        };
        let undecided = |change: &pending::PendingChange| Some(UndecidedFile::new(&change.path, reason(change)?));
        self.result.undecided = changes.iter().filter_map(undecided).collect();
        if !self.result.undecided.is_empty() {
            return Ok(None);
        }
        if !self.options.force {
            self.check_sparse_checkout(&state.pending, &changes)?;
        }
        let policy = self.current_policy()?;
        self.check_pending_secrets(&policy, &state.pending)?;
        let since = match (&state.head, sync_state.rev) {
            (Some(head), None) => Some(self.git.commit_time(head)?),
            _ => None,
        };
        let undescribed = commit_message::undescribed_entries(entries, sync_state, since, &changes);
        let reason = self.options.reason.as_deref();
        let lost = changes.iter().filter(|change| change.gone || change.emptied);
        let removed =
            guard::removed_by_memdir(self.session, entries, &lost.map(|change| change.path.clone()).collect());
        Ok(Some(commit_message::format_message(&CommitDetails {
            changes: &changes,
            entries: undescribed,
            removed,
            reason,
            subject: merge_subject,
            redacts_secrets: policy.secrets == SecretRule::Refuse,
        })))
    }

    fn record_commit(&mut self, message: String, state: &RepositoryState) -> Result<(), Rejection> {
        let head = self.git.resolve_commit("HEAD")?;
        let files = state.pending.iter().map(|p| p.path.clone()).collect();
        self.result.committed.push(CommitRow { commit: Some(head.chars().take(10).collect()), message, files });
        Ok(())
    }

    /// Configures the merge driver in this clone, if it is not configured; returns whether anything was done.
    fn ensure_driver(&mut self) -> Result<bool, Rejection> {
        if std::mem::replace(&mut self.driver_checked, true) || setup::findings(&self.git)?.is_empty() {
            return Ok(false);
        }
        let findings = match setup::setup_git(self.session, SetupMode::Install, false) {
            Ok(set) => set.findings,
            Err(error) => vec![error.rejections.first().map(|r| r.message.clone()).unwrap_or_default()],
        };
        match &findings[..] {
            [] => self.note("this clone merges by bullet from now on (.gitattributes, .gitignore, git config)"),
            [first, ..] => self.note(&format!("git merges line by line here: {first}")),
        }
        Ok(true)
    }

    fn note_shared_inbox(&mut self) -> Result<(), Rejection> {
        let shared_inbox_files = self.git.tracked_inbox_files()?;
        if let Some(first) = shared_inbox_files.first() {
            self.note(&format!(
                "{} of inbox/ ({first} …) in git, although proposals are not shared; not changed \
                 (remove them with `git rm --cached`)",
                if shared_inbox_files.len() == 1 {
                    "1 file".to_owned()
                } else {
                    format!("{} files", shared_inbox_files.len())
                },
            ));
        }
        Ok(())
    }

    /// A dry run: what would be committed.
    fn dry_run(&mut self) -> Result<(), Rejection> {
        self.result.dry_run = true;
        let (state, ongoing) = self.check_state()?;
        let entries = self.session.store.journal()?;
        let unmerged_files = unmerged::sort_unmerged(self.session, &self.git, &state.conflicted, &entries)?;
        if unmerged_files.needs_user() {
            (self.result.conflicts, self.result.undecided) = (unmerged_files.conflicts, unmerged_files.undecided);
            return Ok(());
        }
        self.note_shared_inbox()?;
        self.result.remote = self.remote_branch(&self.result.branch)?.map(|remote| remote.display_name());
        let subject = if ongoing.is_some() { self.git.pending_merge_message()? } else { None };
        if state.pending.is_empty() && subject.is_none() {
            return Ok(());
        }
        let sync_state = SyncState::load(&self.session.store);
        if let Some(message) = self.commit_message(&state, &entries, &sync_state, subject.as_deref())? {
            let files = state.pending.iter().map(|p| p.path.clone()).collect();
            self.result.committed.push(CommitRow { commit: None, message, files });
        }
        Ok(())
    }

    fn progress(&self, message: &str) {
        (self.options.progress)(message);
    }

    /// Adds a note to the result, unless it has it already.
    fn note(&mut self, message: &str) {
        if !self.noted.iter().any(|noted| noted == message) {
            self.noted.push(message.to_owned());
            self.result.warnings.push(WarningRow::from(&Warning::new(Code::Note, message)));
        }
    }
}
