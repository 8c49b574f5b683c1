//! The remote that keeps the memory of a home that vanishes: `MEMDIR_REMOTE`, else `sync.remote` of the user config.
//!
//! Never takes a remote from the memory or its clone: git's config only says that a memory follows the one of the user.

use std::path::Path;
use std::time::Duration;

use super::config::UserConfig;
use super::git::{Git, GitInvocation};
use super::remote::RemoteBranch;
use super::{EnvLookup, user};
use crate::code::{Code, Rejection};

/// The key of git's config that names the remote which this memory follows. It is written by `sync --setup` only.
const FOLLOWED_KEY: &str = "memdir.remote";
/// How long a hook waits for the remote where the config does not say.
const DEFAULT_WAIT: Duration = Duration::from_secs(5);
/// The branch of a new repository whose remote has none.
const FIRST_BRANCH: &str = "main";

/// A remote of the user's.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HomeRemote {
    /// A URL, or an absolute path.
    pub url: String,
    /// How long a hook waits for it.
    pub wait: Duration,
}

/// Returns the user's remote, if one is configured. An empty `MEMDIR_REMOTE` configures no remote.
///
/// # Errors
/// `usage` for anything but a URL or an absolute path: another name would be looked up in the clone's own config.
pub fn home_remote(config: &UserConfig, env: EnvLookup<'_>) -> Result<Option<HomeRemote>, Rejection> {
    let from_env = env("MEMDIR_REMOTE");
    let name = if from_env.is_some() { "MEMDIR_REMOTE" } else { "sync.remote" };
    let Some(written) = from_env.or_else(|| config.sync_remote.clone()) else { return Ok(None) };
    let written = written.trim();
    if written.is_empty() {
        return Ok(None);
    }
    let below_home = |rest: &str| user::home(env).map(|home| home.join(rest).to_string_lossy().into_owned());
    let url = written.strip_prefix("~/").and_then(below_home).unwrap_or_else(|| written.to_owned());
    let is_sound = Path::new(&url).is_absolute() || url.contains(':');
    if !is_sound || url.starts_with('-') || url.contains(|c: char| c.is_control()) {
        return Err(Rejection::new(Code::Usage, format!("{name} must be a URL or an absolute path")));
    }
    let wait = config.sync_timeout_s.and_then(|s| Duration::try_from_secs_f64(s).ok()).unwrap_or(DEFAULT_WAIT);
    Ok(Some(HomeRemote { url, wait }))
}

/// The name of this machine, as a part of a branch's name.
pub fn host_name() -> String {
    let name = rustix::system::uname().nodename().to_string_lossy().into_owned();
    let is_plain = |c: char| c.is_ascii_alphanumeric() || c == '-';
    let plain: String = name.chars().map(|c| if is_plain(c) { c } else { '-' }).take(40).collect();
    match plain.trim_matches('-') {
        "" => "home".to_owned(),
        plain => plain.to_owned(),
    }
}

impl Git {
    /// The remote that this memory follows.
    ///
    /// # Errors
    /// As [`Git::invoke`].
    pub fn followed_remote(&self) -> Result<Option<String>, Rejection> {
        self.local_config_value(FOLLOWED_KEY)
    }

    /// Makes the directory a repository on this branch.
    ///
    /// # Errors
    /// `git`.
    pub fn init_repository(&self, branch: &str) -> Result<(), Rejection> {
        self.stdout_of(&["init", "--quiet", "."])?;
        self.stdout_of(&["symbolic-ref", "HEAD", &format!("refs/heads/{branch}")]).map(drop)
    }

    /// The branch that a remote's HEAD names, `main` where it has none.
    ///
    /// # Errors
    /// `remote` if it cannot be reached, `no_git`.
    pub fn default_branch_of(&self, url: &str, wait: Duration) -> Result<String, Rejection> {
        let remote = RemoteBranch { name: url.to_owned(), branch: FIRST_BRANCH.to_owned() };
        let answer = self.query_remote(&["ls-remote", "--symref", "--", url, "HEAD"], &remote, wait)?;
        let named = answer.lines().find_map(|line| line.strip_prefix("ref: refs/heads/")?.split('\t').next());
        Ok(named.unwrap_or(FIRST_BRANCH).to_owned())
    }

    /// Records that this memory follows a remote; `origin` is it, too, if the clone has no remote yet. Where git knows
    /// no identity, as in a new container, commits get one of memdir's. Returns whether they do.
    ///
    /// # Errors
    /// `git`.
    pub fn follow_remote(&self, url: &str) -> Result<bool, Rejection> {
        if self.stdout_line(&["remote"])?.is_empty() {
            self.stdout_of(&["remote", "add", "origin", url])?;
        }
        let has_identity = self.invoke(&["var", "GIT_COMMITTER_IDENT"], b"")?.status == 0;
        if !has_identity {
            self.set_local_config("user.name", Some("memdir"))?;
            self.set_local_config("user.email", Some(&format!("memdir@{}", host_name())))?;
        }
        // Last: what is not set up whole is followed by no hook.
        self.set_local_config(FOLLOWED_KEY, Some(url))?;
        Ok(!has_identity)
    }

    /// Lists all files of the work tree but those of memdir's own folders, ignored ones too; a nested repository ends in
    /// `/`.
    ///
    /// # Errors
    /// `git`.
    pub fn all_files(&self) -> Result<Vec<String>, Rejection> {
        let args = ["ls-files", "-z", "--cached", "--others", "--", ".", ":(exclude,top,glob)**/.memdir/**"];
        Ok(super::repository::split_nul(&self.stdout_of(&args)?))
    }

    /// Makes a commit the first of a branch that has none, with its files: what is there under their names is replaced.
    ///
    /// # Errors
    /// `git`.
    pub fn take_commit(&self, commit: &str) -> Result<(), Rejection> {
        self.stdout_of(&["reset", "--quiet", "--hard", commit]).map(drop)
    }

    /// Gives up a merge with conflicts; the files are those of the branch again.
    ///
    /// # Errors
    /// `git`.
    pub fn abort_merge(&self) -> Result<(), Rejection> {
        let invocation = GitInvocation { own_process_group: true, ..GitInvocation::default() };
        let output = self.invoke_with(&["merge", "--abort"], &invocation)?;
        match output.status {
            0 => Ok(()),
            _ => Err(super::git::git_error(&output.first_stderr_line)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_urls_and_absolute_paths_are_remotes_of_the_user() {
        let remote = |from_env: Option<&str>, config: Option<&str>| {
            let config = UserConfig { sync_remote: config.map(str::to_owned), ..UserConfig::default() };
            let env = |name: &str| match name {
                "HOME" => Some("/home/ann".to_owned()),
                "MEMDIR_REMOTE" => from_env.map(str::to_owned),
                _ => None,
            };
            home_remote(&config, &env).map(|remote| remote.map(|remote| remote.url))
        };
        let some = |url: &str| Ok(Some(url.to_owned()));
        assert_eq!(remote(None, None), Ok(None));
        assert_eq!(remote(None, Some("git@host:me/notes.git")), some("git@host:me/notes.git"));
        assert_eq!(remote(Some("https://host/notes"), Some("/x")), some("https://host/notes"));
        assert_eq!(remote(Some(""), Some("/x")), Ok(None));
        assert_eq!(remote(None, Some("~/notes.git")), some("/home/ann/notes.git"));
        for unsound in ["origin", "../notes.git", "-u:x", "a:b\nc"] {
            assert_eq!(remote(Some(unsound), None).unwrap_err().code, Code::Usage, "{unsound}");
        }
    }
}
