//! `sync --home`: the remote of the user config, for homes that vanish. A conflict does not stop: what is here goes to
//! a branch of its own on the remote.
//!
//! Never takes the remote from the memory, and never leaves conflict markers in it.

use super::own_repository::own_repository;
use super::{SyncDirection, SyncOptions, SyncRun, sync};
use crate::code::{Code, Rejection, SuggestedCommand, Warning};
use crate::commands::results::{SyncResult, WarningRow};
use crate::commands::{CommandResult, Error, Session};
use crate::host::git::Git;
use crate::host::home_remote::{HomeRemote, home_remote, host_name};
use crate::host::remote::{FetchResult, PushResult, RemoteBranch};
use crate::host::{EnvLookup, user};
use crate::policy::TEMPLATE;
use crate::store::init::{GITIGNORE_FILE, GITIGNORE_TEXT, POLICY_FILE};

/// How many names are tried for the branch of a conflict.
const MAX_BRANCH_NAMES: usize = 9;

/// What `sync` says of a conflict whose changes the remote has on a branch of their own; the name of the branch follows.
pub const ON_CONFLICT_BRANCH: &str = "all of this one is on its branch ";

/// Synchronizes a memory with the remote of the user; with `setup`, the memory follows it from now on.
///
/// # Errors
/// `no_remote` if none is configured, or this memory does not follow it; `usage` for an unsound one; those of [`sync`].
pub fn sync_home(
    session: &Session,
    env: EnvLookup<'_>,
    setup: bool,
    options: SyncOptions<'_>,
) -> CommandResult<SyncResult> {
    session.store.require_unfiltered()?;
    let (remote, notes) = if setup {
        set_up(session, env, options.network_timeout)?
    } else {
        (followed_remote(session, env)?, Vec::new())
    };
    let conflict_branch = Some(format!("conflict/{}-{}", host_name(), session.now.date()));
    let mut result = sync(session, &SyncOptions { remote: Some(remote.url), conflict_branch, ..options })?;
    let notes = notes.into_iter().map(|note| WarningRow::from(&Warning::new(Code::Note, note)));
    result.warnings.splice(0..0, notes);
    Ok(result)
}

/// The remote of the user that this memory follows.
///
/// # Errors
/// `usage` for an unsound one; `no_remote` if none is configured, or this memory does not follow it; those of
/// `own_repository`.
fn followed_remote(session: &Session, env: EnvLookup<'_>) -> Result<HomeRemote, Rejection> {
    let remote = configured_remote(env)?;
    if own_repository(session)?.followed_remote()?.as_deref() != Some(&remote.url) {
        return Err(Rejection::new(Code::NoRemote, "this memory does not follow the remote of the user config yet")
            .try_command(SuggestedCommand { subcommand: vec!["sync", "--setup"], operands: Vec::new() }));
    }
    Ok(remote)
}

/// The remote of the user.
fn configured_remote(env: EnvLookup<'_>) -> Result<HomeRemote, Rejection> {
    home_remote(&user::load_config(env).0, env)?.ok_or_else(|| {
        Rejection::new(Code::NoRemote, "no remote is configured")
            .hint("set sync.remote in the user config, or MEMDIR_REMOTE")
    })
}

/// Sets this memory up to follow the remote of the user: makes it a repository if it is not one. Returns the remote and
/// what was done besides.
///
/// # Errors
/// `usage`, `no_remote`, `not_own_repository`, `remote`, `git`.
fn set_up(
    session: &Session,
    env: EnvLookup<'_>,
    wait: std::time::Duration,
) -> Result<(HomeRemote, Vec<String>), Error> {
    let remote = configured_remote(env)?;
    let git = Git::in_dir(&session.dir);
    let mut notes = Vec::new();
    match own_repository(session) {
        Ok(_) => {}
        Err(error) if error.code == Code::NotOwnRepository && is_in_no_repository(&git) => {
            // Asked before anything is made: without an answer nothing is set up.
            let branch = git.default_branch_of(&remote.url, wait)?;
            git.init_repository(&branch)?;
            notes.push(format!("made the memory a git repository, on the branch {branch}"));
        }
        Err(error) => return Err(error.into()),
    }
    if git.resolve_commit("HEAD").is_err() && is_fresh(&git)? {
        // A new home has nothing to add, so its history starts with the remote's.
        let branch = git.current_branch()?.unwrap_or_default();
        let fetched = git.fetch(&RemoteBranch { name: remote.url.clone(), branch }, wait)?;
        let (_locked, _) = session.store.lock()?;
        // Again: an editor may have written meanwhile. What is not taken here, the sync joins.
        if let FetchResult::Tip(tip) = fetched
            && is_fresh(&git)?
        {
            git.take_commit(&tip)?;
            notes.push("took the memory from the remote".to_owned());
        }
    }
    if git.follow_remote(&remote.url)? {
        notes.push("git knows no identity here: commits are by memdir (git config user.name, user.email)".to_owned());
    }
    Ok((remote, notes))
}

/// Whether a memory has no file but those that `init` writes, and as it writes them: no commit can replace anything
/// else. Ignored files and those of scopes count, too.
fn is_fresh(git: &Git) -> Result<bool, Rejection> {
    let is_from_init = |path: &String| match path.as_str() {
        POLICY_FILE => git.read_work_file(path).is_some_and(|bytes| bytes == TEMPLATE.as_bytes()),
        GITIGNORE_FILE => git.read_work_file(path).is_some_and(|bytes| bytes == GITIGNORE_TEXT.as_bytes()),
        _ => false,
    };
    Ok(git.all_files()?.iter().all(is_from_init))
}

fn is_in_no_repository(git: &Git) -> bool {
    matches!(git.work_tree(), Err(error) if error.code == Code::NoRepository && error.hint.is_none())
}

impl SyncRun<'_> {
    /// The branch of the remote that this one is synchronized with; `None` without a remote. The user's own remote is
    /// taken as it is: it may be away.
    pub(super) fn remote_branch(&self, branch: &str) -> Result<Option<RemoteBranch>, Rejection> {
        match (&self.options.remote, self.options.conflict_branch.is_some()) {
            (Some(url), true) => Ok(Some(RemoteBranch { name: url.clone(), branch: branch.to_owned() })),
            (requested, _) => self.git.find_remote(requested.as_deref(), branch),
        }
    }

    /// Pushes the branch to one of its own on the remote, because it cannot be merged without a person.
    ///
    /// # Errors
    /// `merge_conflict` if nothing is to be pushed; as a push to the branch itself.
    pub(super) fn push_aside(&mut self, remote: &RemoteBranch) -> Result<(), Rejection> {
        let Some(name) = self.options.conflict_branch.as_deref() else { return Ok(()) };
        if self.options.direction == SyncDirection::Fetch {
            return Err(Rejection::new(Code::MergeConflict, "this memory and the remote changed the same")
                .hint("`memdir sync --home` pushes this one to a branch of its own; `memdir sync` merges by hand"));
        }
        let (head, tip) = (self.git.resolve_commit("HEAD")?, self.git.known_tip(remote)?);
        self.progress(&format!("pushing to {name}"));
        for number in 1..=MAX_BRANCH_NAMES {
            let name = if number == 1 { name.to_owned() } else { format!("{name}-{number}") };
            let aside = RemoteBranch { branch: name.clone(), ..remote.clone() };
            // A branch with other commits belongs to another conflict.
            match self.push_commit(&head, tip.as_deref(), &aside, false, None)? {
                None => return Ok(()),
                Some(PushResult::Done) => {
                    self.result.conflict_branch = Some(name);
                    return Ok(());
                }
                Some(PushResult::Behind | PushResult::Locked(_) | PushResult::NotStored(_)) => {}
            }
        }
        Err(Rejection::new(Code::Busy, format!("the remote has {MAX_BRANCH_NAMES} branches like {name} already"))
            .hint("merge and delete them"))
    }
}
