//! The remote of a home that vanishes, in hooks: a session's start brings the memory up to date, its end pushes it.
//!
//! Never waits longer than the config allows, and never acts on a memory that does not follow the user's remote.

use std::ffi::OsString;
use std::path::Path;
use std::time::Duration;

use crate::code::Code;
use crate::commands::Session;
use crate::commands::sync::home::ON_CONFLICT_BRANCH;
use crate::host::background;
use crate::host::find::FoundBy;
use crate::host::git::Git;
use crate::host::home_remote::{HomeRemote, home_remote};
use crate::host::{EnvLookup, user};

/// How many files that are not pushed are named.
const MAX_NAMED_FILES: usize = 3;

/// Which way the memory goes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum HomeSync {
    /// From the remote, when a session starts.
    Fetch,
    /// To the remote, when it ends.
    Push,
}

/// Brings the memory and its remote together. Returns what a person should know: `None` if all is well, or there is no
/// such remote. After [`HomeSync::Push`], `None` means that the remote has everything that was here when this began: of
/// files that no commit has, such as ignored ones and proposals, the notice says so.
pub fn sync_home(session: &Session, way: HomeSync, env: EnvLookup<'_>) -> Option<String> {
    let remote = match home_remote(&user::load_config(env).0, env) {
        Ok(remote) => remote?,
        Err(error) => return Some(notice(way, &error.message)),
    };
    // All of a memory is one repository, its scopes, too.
    let dir = session.memory_dir();
    if !follows(dir, &remote) {
        // The user's own memory is meant; any other has a remote of its own, or none.
        let is_meant = session.found_by == FoundBy::User
            || user::data_dir(&user::load_config(env).0, env).is_some_and(|own| own == *dir);
        let reason = "it does not follow your remote yet: run `memdir sync --setup` in it";
        return is_meant.then(|| notice(way, reason));
    }
    let words = |way: &str| ["sync", "--home", "--only", way].map(OsString::from);
    let command = match way {
        HomeSync::Fetch => words("fetch"),
        HomeSync::Push => words("push"),
    };
    let mut args = vec![OsString::from("--dir"), dir.into()];
    args.extend([OsString::from("--as"), session.actor.clone().into()]);
    args.extend(command);
    let seconds = format!("{}", remote.wait.as_secs_f64());
    args.extend(["--timeout", &seconds, "--lock-timeout", &seconds].map(OsString::from));
    match background::run_within(args, remote.wait) {
        Ok(Some((0, _))) if way == HomeSync::Push => only_here(session, dir),
        Ok(Some((0, _))) => None,
        Ok(Some((_, messages))) => Some(notice(way, first_message(&messages))),
        Ok(None) => {
            Some(notice(way, &format!("it did not answer within {}; it goes on in the background", shown(remote.wait))))
        }
        Err(error) => Some(notice(way, &format!("memdir cannot be started: {error}"))),
    }
}

/// What a person should know at the end of a session that may not push: `None` if the remote has everything as far as
/// this machine knows, or there is no such remote. Asks no remote.
pub fn unpushed_notice(session: &Session, env: EnvLookup<'_>) -> Option<String> {
    let remote = home_remote(&user::load_config(env).0, env).ok()??;
    let dir = session.memory_dir();
    if !follows(dir, &remote) {
        return None;
    }
    match Git::in_dir(dir).has_unpushed_changes(&remote.url) {
        Ok(false) => only_here(session, dir),
        Ok(true) => Some(notice(HomeSync::Push, "MEMDIR_MODE=read writes nothing")),
        Err(error) => Some(notice(HomeSync::Push, &error.message)),
    }
}

/// The notice about files that no commit has; `None` without any.
fn only_here(session: &Session, dir: &Path) -> Option<String> {
    let unshared = match Git::in_dir(dir).unshared_files() {
        Ok(unshared) => unshared,
        Err(error) => return Some(notice(HomeSync::Push, &error.message)),
    };
    let names = unshared.left_out.iter().take(MAX_NAMED_FILES).map(String::as_str).collect::<Vec<_>>().join(", ");
    let more = unshared.left_out.len().saturating_sub(MAX_NAMED_FILES);
    let files = match (unshared.left_out.len(), session.visibility().is_some()) {
        (0, _) => None,
        (count, true) => Some(format!("{count} files, which git ignores or which are in another repository")),
        (..=MAX_NAMED_FILES, false) => Some(format!("{names}, which git ignores or which are in another repository")),
        (_, false) => Some(format!("{names} and {more} more, which git ignores or which are in another repository")),
    };
    let proposals = match unshared.proposals {
        0 => None,
        1 => Some("1 proposal in inbox/".to_owned()),
        count => Some(format!("{count} proposals in inbox/")),
    };
    let parts: Vec<String> = files.into_iter().chain(proposals).collect();
    (!parts.is_empty())
        .then(|| format!("memdir: the memory is pushed, but only this machine has {}", parts.join("; and ")))
}

/// Whether the memory follows this remote. Reads git's config only in a repository of the memory's own.
fn follows(dir: &Path, remote: &HomeRemote) -> bool {
    dir.join(".git").symlink_metadata().is_ok()
        && Git::in_dir(dir).followed_remote().is_ok_and(|followed| followed.as_deref() == Some(&remote.url))
}

fn notice(way: HomeSync, reason: &str) -> String {
    match way {
        HomeSync::Push if reason.contains(ON_CONFLICT_BRANCH) => {
            format!("memdir: the memory is pushed, but not merged: {reason}")
        }
        HomeSync::Fetch => format!("memdir: the memory is as this machine has it, not as its remote: {reason}"),
        HomeSync::Push => format!("memdir: the memory is not pushed, and only this machine has its changes: {reason}"),
    }
}

fn shown(wait: Duration) -> String {
    format!("{} s", wait.as_secs_f64())
}

/// The message of the first error, without its code.
fn first_message(messages: &str) -> &str {
    let error = |line: &'_ str| -> Option<usize> {
        let (code, _) = line.strip_prefix("memdir: ")?.split_once(": ")?;
        Code::ALL.iter().any(|known| known.name() == code).then_some("memdir: : ".len() + code.len())
    };
    let message = messages.lines().find_map(|line| Some(&line[error(line)?..])).unwrap_or("no reason given");
    message.trim_end_matches("; nothing was changed")
}
