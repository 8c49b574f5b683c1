//! Exchanges commits with a git remote: chooses remote and branch, fetches, pushes.
//!
//! Never forces a push, never waits forever, and prompts only at a terminal.

use std::io::IsTerminal;
use std::path::Path;
use std::time::Duration;

use sha2::{Digest, Sha256};

use super::conflict_refs::CONFLICT_REFSPEC;
use super::git::{Git, GitInvocation, GitOutput};
use super::lock_files::{NamedLock, named_lock};
use super::repository::{first_message_line, split_nul};
use crate::code::{Code, Rejection, quote_short};
use crate::text::{hex, without_credentials};

/// A branch of a remote repository.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RemoteBranch {
    /// The remote's name or URL.
    pub name: String,
    pub branch: String,
}

impl RemoteBranch {
    /// Formats it as people write it: `origin/main`.
    pub fn display_name(&self) -> String {
        format!("{}/{}", self.display_remote(), self.branch)
    }

    /// The remote's name or URL for a message: what a URL has of passwords and tokens is left out, because messages of
    /// hooks go to models.
    pub fn display_remote(&self) -> String {
        without_credentials(&self.name)
    }

    /// The ref under which this clone keeps the fetched commit: a name of our own, so that no other fetch overwrites it
    /// meanwhile.
    pub(super) fn tracking_ref(&self) -> String {
        let digest = Sha256::digest(format!("{}\0{}", self.name, self.branch));
        format!("refs/memdir/fetched/{}", hex(&digest[..8]))
    }
}

/// The result of a fetch.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum FetchResult {
    /// The hash of the last commit of the branch.
    Tip(String),
    /// The remote has no such branch.
    NoSuchBranch,
    /// Another process fetched at the same time; try again.
    Raced,
    /// A lock file is in the way.
    Locked(NamedLock),
}

/// The result of a push.
#[derive(Clone, Debug, PartialEq)]
pub enum PushResult {
    /// The remote accepted the branch.
    Done,
    /// The remote has commits that are missing here.
    Behind,
    /// A lock file is in the way.
    Locked(NamedLock),
    /// The remote could not store the objects. Its housekeeping may have removed a directory at that moment.
    NotStored(Rejection),
}

impl Git {
    /// Returns the remote branch that a local branch is synced with: of the given remote, else of the branch's
    /// upstream, else of `origin`, else of the only remote; `None` without a remote.
    ///
    /// # Errors
    /// `no_remote` for a name that git does not know, `usage` if there are several candidates; `git`.
    pub fn find_remote(&self, requested: Option<&str>, branch: &str) -> Result<Option<RemoteBranch>, Rejection> {
        let names: Vec<String> = self.stdout_line(&["remote"])?.lines().map(str::to_owned).collect();
        let configured = self.config_value(&format!("branch.{branch}.remote"))?.filter(|name| name != ".");
        let name = match requested {
            Some(name) => resolve_remote(name, &names)?,
            None => match configured.clone().or_else(|| names.iter().find(|name| *name == "origin").cloned()) {
                Some(name) => name,
                None => match &names[..] {
                    [] => return Ok(None),
                    [only] => only.clone(),
                    _ => return Err(several_remotes_error(&names)),
                },
            },
        };
        let is_upstream = configured.as_deref() == Some(&name);
        let merge = if is_upstream { self.config_value(&format!("branch.{branch}.merge"))? } else { None };
        let remote_branch = merge.as_deref().and_then(|m| m.strip_prefix("refs/heads/")).unwrap_or(branch);
        Ok(Some(RemoteBranch { branch: remote_branch.to_owned(), name }))
    }

    /// Fetches a branch of a remote, with the queue of the clones that wait to push to it, and returns its commit.
    ///
    /// # Errors
    /// `remote` if it cannot be reached, `no_git`.
    pub fn fetch(&self, remote: &RemoteBranch, wait: Duration) -> Result<FetchResult, Rejection> {
        let tracking_ref = remote.tracking_ref();
        let spec = format!("+refs/heads/{}:{tracking_ref}", remote.branch);
        // The queue and the branches of conflicts come along, so that a sync without others needs no second connection.
        // Only their refs are pruned.
        let queue = remote.queue_refspec();
        let options = ["fetch", "--quiet", "--no-tags", "--prune", "--no-prune-tags", "--no-recurse-submodules", "--"];
        let args = [&options[..], &[&remote.name, &spec, &queue, CONFLICT_REFSPEC]].concat();
        let mut output = self.invoke_over_network(&args, remote, wait)?;
        // What keeps those refs from being written is no reason not to sync.
        if output.status != 0 && output.stderr.contains("refs/memdir/conflict") {
            output = self.invoke_over_network(&args[..args.len() - 1], remote, wait)?;
        }
        if output.status == 0 {
            return self.resolve_commit(&tracking_ref).map(FetchResult::Tip);
        }
        match named_lock(&output.stderr) {
            _ if output.stderr.contains("couldn't find remote ref") => Ok(FetchResult::NoSuchBranch),
            Some(lock) => Ok(FetchResult::Locked(lock)),
            None if is_race(&output.stderr) => Ok(FetchResult::Raced),
            None => Err(transfer_error(remote, &output)),
        }
    }

    /// Pushes a commit to a remote branch: the one that was checked, whatever the branch has by now. With `upstream_of`,
    /// the remote branch becomes the upstream of that local branch. Removes this clone's queue entry in the same push,
    /// whether or not the branch is accepted.
    ///
    /// # Errors
    /// `remote` if it cannot be reached, `remote_refused` if it rejects the push.
    pub fn push(
        &self,
        commit: &str,
        remote: &RemoteBranch,
        upstream_of: Option<&str>,
        entry: Option<&str>,
        wait: Duration,
    ) -> Result<PushResult, Rejection> {
        let spec = format!("{commit}:refs/heads/{}", remote.branch);
        let removal = entry.map(|entry| remote.entry_removal(entry));
        // The messages of tags are not searched for secrets.
        let mut args = vec!["push", "--porcelain", "--no-force", "--no-follow-tags", "--recurse-submodules=no"];
        args.extend(["--", &remote.name, &spec]);
        args.extend(removal.as_deref());
        let output = self.invoke_over_network(&args, remote, wait)?;
        let out = String::from_utf8_lossy(&output.stdout);
        let of_branch = out.lines().find(|line| line.split('\t').nth(1) == Some(&spec));
        let is_only_entry_refused = of_branch.is_some_and(|line| !line.starts_with('!')) && removal.is_some();
        if output.status == 0 || is_only_entry_refused {
            // The next push need not ask. If this fails, it does.
            self.record_tip(remote, commit);
            if let Some(branch) = upstream_of {
                let merge = format!("refs/heads/{}", remote.branch);
                drop(self.set_local_config(&format!("branch.{branch}.remote"), Some(&remote.name)));
                drop(self.set_local_config(&format!("branch.{branch}.merge"), Some(&merge)));
            }
            return Ok(PushResult::Done);
        }
        if let Some(lock) = named_lock(&output.stderr) {
            return Ok(PushResult::Locked(lock));
        }
        let Some(refused) = of_branch.filter(|line| line.starts_with('!')) else {
            return Err(transfer_error(remote, &output));
        };
        let reason = refused.rsplit('\t').next().unwrap_or_default();
        if reason.starts_with("[rejected]") || is_race(reason) || is_race(&output.stderr) {
            return Ok(PushResult::Behind);
        }
        let remote_message =
            output.stderr.lines().find_map(|line| line.strip_prefix("remote: ")).unwrap_or_default().trim_end();
        let message = first_message_line(&GitOutput { stderr: format!("{reason} {remote_message}"), ..output.clone() });
        let error =
            Rejection::new(Code::RemoteRefused, format!("{} rejected the branch: {message}", remote.display_remote()));
        if STORING_FAILED.iter().any(|sign| reason.contains(sign)) {
            Ok(PushResult::NotStored(error))
        } else {
            Err(error)
        }
    }

    /// Records which commit the remote's branch has. Without it, the next sync asks the remote.
    pub fn record_tip(&self, remote: &RemoteBranch, commit: &str) {
        drop(self.invoke(&["update-ref", &remote.tracking_ref(), commit], b""));
    }

    /// The commits of HEAD that the remote's branch had at `known` and has no longer at `tip`, newest first: `HASH
    /// SUBJECT`. None if `tip` follows `known`.
    ///
    /// # Errors
    /// `git`.
    pub fn withdrawn_commits(&self, known: &str, tip: &str) -> Result<Vec<String>, Rejection> {
        if known == tip || self.invoke(&["merge-base", "--is-ancestor", known, tip], b"")?.status == 0 {
            return Ok(Vec::new());
        }
        let bases = self.invoke(&["merge-base", "--all", "HEAD", known], b"")?;
        let bases = String::from_utf8_lossy(&bases.stdout).into_owned();
        if bases.is_empty() {
            return Ok(Vec::new());
        }
        let excluded = format!("^{tip}");
        let mut args = vec!["log", "--no-show-signature", "--encoding=UTF-8", "--format=%h %s"];
        args.extend(bases.lines().chain([excluded.as_str(), "--"]));
        Ok(String::from_utf8_lossy(&self.stdout_of(&args)?).lines().map(str::to_owned).collect())
    }

    /// Whether the remote has a commit as far as this clone knows.
    ///
    /// # Errors
    /// As [`Git::invoke`].
    pub fn is_known_there(&self, remote: &RemoteBranch, commit: &str) -> Result<bool, Rejection> {
        let args = ["merge-base", "--is-ancestor", commit, &remote.tracking_ref()];
        Ok(self.invoke(&args, b"")?.status == 0)
    }

    /// Returns the stdout of a git that only asks a remote.
    ///
    /// # Errors
    /// `remote`, `no_git`.
    pub(super) fn query_remote(
        &self,
        args: &[&str],
        remote: &RemoteBranch,
        wait: Duration,
    ) -> Result<String, Rejection> {
        let output = self.invoke_over_network(args, remote, wait)?;
        match output.status {
            0 => Ok(String::from_utf8_lossy(&output.stdout).into_owned()),
            _ => Err(transfer_error(remote, &output)),
        }
    }

    /// Whether the clone is shallow: then the common ancestor of two commits may be missing.
    ///
    /// # Errors
    /// `git`.
    pub fn is_shallow(&self) -> Result<bool, Rejection> {
        Ok(self.stdout_line(&["rev-parse", "--is-shallow-repository"])? != "false")
    }

    /// Lists the Markdown files and policies of a commit that contain a line starting like a conflict marker; `=======`
    /// may be a heading.
    ///
    /// # Errors
    /// As [`Git::invoke`].
    pub fn files_with_markers(&self, commit: &str) -> Result<Vec<String>, Rejection> {
        let signs = ["-e", "^<<<<<<<", "-e", "^|||||||", "-e", "^>>>>>>>"];
        let options = ["--no-replace-objects", "grep", "--files-with-matches", "-z", "--text"];
        let args = [&options[..], &signs, &[commit, "--", "*.md", "*memdir.yaml"]].concat();
        let output = self.invoke(&args, b"")?;
        let prefix = format!("{commit}:");
        Ok(split_nul(&output.stdout)
            .into_iter()
            .filter_map(|name| Some(name.strip_prefix(&prefix)?.to_owned()))
            .collect())
    }

    /// Runs a git command that needs the network.
    pub(super) fn invoke_over_network(
        &self,
        args: &[&str],
        remote: &RemoteBranch,
        wait: Duration,
    ) -> Result<GitOutput, Rejection> {
        let at_terminal = std::io::stdin().is_terminal() && std::io::stdout().is_terminal();
        let has_custom_ssh = || std::env::var_os("GIT_SSH_COMMAND").is_some() || std::env::var_os("GIT_SSH").is_some();
        let mut env = Vec::new();
        if at_terminal {
            env.push(("GIT_TERMINAL_PROMPT", "1"));
        } else if !has_custom_ssh() && self.config_value("core.sshCommand")?.is_none() {
            // ssh prompts on the terminal itself, whatever its streams are; without a person at it, it would wait
            // forever.
            env.push(("GIT_SSH_COMMAND", "ssh -oBatchMode=yes"));
        }
        self.invoke_with(args, &GitInvocation { env: &env, timeout: wait, ..GitInvocation::default() }).map_err(
            |error| {
                if error.details.contains_key("timeout") {
                    let reason = format!("{} did not answer within {} s", remote.display_remote(), wait.as_secs());
                    Rejection::new(Code::Remote, reason).hint("try again, or wait longer with --timeout")
                } else {
                    error
                }
            },
        )
    }
}

/// What git's receive-pack reports when it could not store the objects (receive-pack.c, `unpack` and `update`).
const STORING_FAILED: [&str; 2] = ["unable to migrate objects to permanent storage", "unpacker error"];

/// Whether another process wrote the same ref at the same time.
fn is_race(message: &str) -> bool {
    // "not our ref": it was removed after the remote had listed it.
    let signs = [
        "cannot lock ref",
        "unable to lock",
        "failed to update ref",
        "incorrect old value",
        "fetch first",
        "not our ref",
    ];
    signs.iter().any(|sign| message.contains(sign)) || message.contains("reference already exists")
}

/// The error of a fetch or push that failed: this machine's disk, or the remote.
fn transfer_error(remote: &RemoteBranch, ended: &GitOutput) -> Rejection {
    let is_own = |line: &&str| !line.starts_with("remote: ");
    let full = ["No space left on device", "Disk quota exceeded"];
    if let Some(reason) = full.iter().find(|sign| ended.stderr.lines().filter(is_own).any(|line| line.contains(**sign)))
    {
        return Rejection::new(Code::Io, format!("git cannot write into this repository: {reason}"))
            .hint("free some space, then sync again; nothing was lost");
    }
    Rejection::new(Code::Remote, format!("cannot sync with {}: {}", remote.display_remote(), first_message_line(ended)))
}

fn several_remotes_error(names: &[String]) -> Rejection {
    Rejection::new(Code::Usage, format!("there are several remotes ({})", names.join(", ")))
        .hint("name one: `memdir sync REMOTE`")
}

/// Resolves the caller's argument to a remote's name or a URL; a path is relative to the working directory.
fn resolve_remote(requested: &str, names: &[String]) -> Result<String, Rejection> {
    if names.iter().any(|name| name == requested) {
        return Ok(requested.to_owned());
    }
    let elsewhere = requested.contains("://") || requested.contains(':');
    let path = Path::new(requested);
    match () {
        () if requested.starts_with('-') || requested.is_empty() || !requested.contains(['/', ':']) => {
            let shown = quote_short(requested);
            let known = if names.is_empty() {
                "no remote is configured".to_owned()
            } else {
                format!("configured: {}", names.join(", "))
            };
            Err(Rejection::new(Code::NoRemote, format!("unknown git remote {shown}; {known}")))
        }
        () if elsewhere => Ok(requested.to_owned()),
        () => match path.canonicalize().ok().and_then(|path| path.into_os_string().into_string().ok()) {
            Some(path) => Ok(path),
            None => Err(Rejection::new(Code::NoRemote, format!("no repository at '{}'", path.display()))),
        },
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_full_disk_is_this_machines_and_not_the_remotes() {
        let remote = RemoteBranch { name: "origin".into(), branch: "main".into() };
        let code = |stderr: &str| {
            let stderr = stderr.to_owned();
            transfer_error(
                &remote,
                &GitOutput { status: 128, stdout: vec![], first_stderr_line: String::new(), stderr },
            )
            .code
        };
        assert_eq!(
            code("fatal: write error: No space left on device\nfatal: fetch-pack: invalid index-pack output"),
            Code::Io
        );
        assert_eq!(
            code("remote: fatal: write error: No space left on device\nfatal: the remote end hung up"),
            Code::Remote
        );
    }

    #[test]
    fn a_remote_is_a_name_or_an_address() {
        let names = ["origin".to_owned()];
        assert_eq!(resolve_remote("origin", &names).unwrap(), "origin");
        assert_eq!(resolve_remote("git@host:notes.git", &names).unwrap(), "git@host:notes.git");
        for none in ["other", "--upload-pack=x", "", "./nowhere/at/all"] {
            assert_eq!(resolve_remote(none, &names).unwrap_err().code, Code::NoRemote, "{none}");
        }
    }
}
