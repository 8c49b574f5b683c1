//! The places of clones that want to push to one branch: refs of the remote, one for each clone that waits.
//!
//! Never touches a branch or a tag, and no caller fails because a remote refuses these refs.

use std::time::Duration;

use sha2::{Digest, Sha256};

use super::git::Git;
use super::remote::RemoteBranch;
use crate::code::Rejection;
use crate::text::hex;

/// Where the refs are on the remote, and their copies here.
const PLACES: &str = "refs/memdir/waiting";

impl RemoteBranch {
    /// The refspec that copies the places of a branch.
    pub(super) fn places_refspec(&self) -> String {
        format!("+{}*:{}*", self.places_there(), self.places_here())
    }

    /// The prefix of the places on the remote. A hash, so that one branch's name is not the start of another's.
    fn places_there(&self) -> String {
        format!("{PLACES}/{}/", short_hash(&self.branch))
    }

    /// The refspec that removes a place.
    pub(super) fn place_removal(&self, place: &str) -> String {
        format!(":{}{place}", self.places_there())
    }

    fn places_here(&self) -> String {
        format!("{PLACES}/{}/", short_hash(&format!("{}\0{}", self.name, self.branch)))
    }
}

fn short_hash(text: &str) -> String {
    hex(&Sha256::digest(text)[..8])
}

impl Git {
    /// The places that the last fetch of a branch found, sorted by name.
    ///
    /// # Errors
    /// `git`.
    pub fn push_places(&self, remote: &RemoteBranch) -> Result<Vec<String>, Rejection> {
        let prefix = remote.places_here();
        let listed = self.stdout_line(&["for-each-ref", "--format=%(refname)", &prefix])?;
        Ok(listed.lines().filter_map(|name| name.strip_prefix(&prefix)).map(str::to_owned).collect())
    }

    /// The places that the remote has now, sorted by name. Fetches nothing, so that those who wait cost little.
    ///
    /// # Errors
    /// `remote` if it cannot be reached, `no_git`.
    pub fn query_push_places(&self, remote: &RemoteBranch, wait: Duration) -> Result<Vec<String>, Rejection> {
        let prefix = remote.places_there();
        let pattern = format!("{prefix}*");
        let listed =
            self.query_remote(&["ls-remote", "--quiet", "--refs", "--", &remote.name, &pattern], remote, wait)?;
        let names = listed.lines().filter_map(|line| line.split_once('\t')?.1.strip_prefix(&prefix));
        let mut places: Vec<String> = names.map(str::to_owned).collect();
        places.sort_unstable();
        Ok(places)
    }

    /// Takes a place on the remote; `commit` is one that it has. Returns whether the remote accepted it.
    ///
    /// # Errors
    /// `no_git`, `remote` if it does not answer in time.
    pub fn take_push_place(
        &self,
        remote: &RemoteBranch,
        place: &str,
        commit: &str,
        wait: Duration,
    ) -> Result<bool, Rejection> {
        self.push_place(remote, &format!("{commit}:{}{place}", remote.places_there()), wait)
    }

    /// Removes a place from the remote. Returns whether it is gone.
    ///
    /// # Errors
    /// `no_git`, `remote` if it does not answer in time.
    pub fn leave_push_place(&self, remote: &RemoteBranch, place: &str, wait: Duration) -> Result<bool, Rejection> {
        self.push_place(remote, &remote.place_removal(place), wait)
    }

    fn push_place(&self, remote: &RemoteBranch, refspec: &str, wait: Duration) -> Result<bool, Rejection> {
        let args = ["push", "--quiet", "--no-verify", "--recurse-submodules=no", "--", &remote.name, refspec];
        Ok(self.invoke_over_network(&args, remote, wait)?.status == 0)
    }
}
