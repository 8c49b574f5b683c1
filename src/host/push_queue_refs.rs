//! The queue of the clones that want to push to one branch: a ref of the remote for each clone that waits.
//!
//! Never touches a branch or a tag, and no caller fails because a remote refuses these refs.

use std::time::Duration;

use sha2::{Digest, Sha256};

use super::git::Git;
use super::remote::RemoteBranch;
use crate::code::Rejection;
use crate::text::hex;

/// Where the refs are on the remote, and their copies here.
const QUEUE_REFS: &str = "refs/memdir/waiting";

impl RemoteBranch {
    /// The refspec that fetches the queue of a branch.
    pub(super) fn queue_refspec(&self) -> String {
        format!("+{}*:{}*", self.remote_queue_prefix(), self.local_queue_prefix())
    }

    /// The prefix of the entries on the remote. A hash, so that one branch's name is not the start of another's.
    fn remote_queue_prefix(&self) -> String {
        format!("{QUEUE_REFS}/{}/", short_hash(&self.branch))
    }

    /// The refspec that removes an entry.
    pub(super) fn entry_removal(&self, entry: &str) -> String {
        format!(":{}{entry}", self.remote_queue_prefix())
    }

    fn local_queue_prefix(&self) -> String {
        format!("{QUEUE_REFS}/{}/", short_hash(&format!("{}\0{}", self.name, self.branch)))
    }
}

fn short_hash(text: &str) -> String {
    hex(&Sha256::digest(text)[..8])
}

impl Git {
    /// The entries that the last fetch of a branch found, sorted by name.
    ///
    /// # Errors
    /// `git`.
    pub fn fetched_push_queue(&self, remote: &RemoteBranch) -> Result<Vec<String>, Rejection> {
        let prefix = remote.local_queue_prefix();
        let listed = self.stdout_line(&["for-each-ref", "--format=%(refname)", &prefix])?;
        Ok(listed.lines().filter_map(|name| name.strip_prefix(&prefix)).map(str::to_owned).collect())
    }

    /// The entries that the remote has now, sorted by name. Fetches nothing, so that waiting clones cost little.
    ///
    /// # Errors
    /// `remote` if it cannot be reached, `no_git`.
    pub fn query_push_queue(&self, remote: &RemoteBranch, wait: Duration) -> Result<Vec<String>, Rejection> {
        let prefix = remote.remote_queue_prefix();
        let pattern = format!("{prefix}*");
        let listed =
            self.query_remote(&["ls-remote", "--quiet", "--refs", "--", &remote.name, &pattern], remote, wait)?;
        let names = listed.lines().filter_map(|line| line.split_once('\t')?.1.strip_prefix(&prefix));
        let mut entries: Vec<String> = names.map(str::to_owned).collect();
        entries.sort_unstable();
        Ok(entries)
    }

    /// Adds an entry to the queue on the remote; `commit` is one that it has. Returns whether the remote accepted it.
    ///
    /// # Errors
    /// `no_git`, `remote` if it does not answer in time.
    pub fn join_push_queue(
        &self,
        remote: &RemoteBranch,
        entry: &str,
        commit: &str,
        wait: Duration,
    ) -> Result<bool, Rejection> {
        self.push_queue_ref(remote, &format!("{commit}:{}{entry}", remote.remote_queue_prefix()), wait)
    }

    /// Removes an entry from the remote. Returns whether it is gone.
    ///
    /// # Errors
    /// `no_git`, `remote` if it does not answer in time.
    pub fn leave_push_queue(&self, remote: &RemoteBranch, entry: &str, wait: Duration) -> Result<bool, Rejection> {
        self.push_queue_ref(remote, &remote.entry_removal(entry), wait)
    }

    fn push_queue_ref(&self, remote: &RemoteBranch, refspec: &str, wait: Duration) -> Result<bool, Rejection> {
        let args = ["push", "--quiet", "--no-verify", "--recurse-submodules=no", "--", &remote.name, refspec];
        Ok(self.invoke_over_network(&args, remote, wait)?.status == 0)
    }
}
