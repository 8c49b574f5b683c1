//! Checks a fetched commit before it is merged, also one that has no commit in common with this clone.
//!
//! Never joins a memory with a repository of something else.

use super::{SyncRun, guard};
use crate::code::{Code, Rejection};
use crate::host::git::GitBlob;
use crate::host::remote::RemoteBranch;
use crate::store::init::POLICY_FILE;
use crate::text::counted_noun::counted_noun;

/// What a host puts into a new repository, besides hidden files.
const STARTER_FILES: [&str; 3] = ["readme", "license", "copying"];

impl SyncRun<'_> {
    /// Refuses a fetched commit that must not be merged. Returns whether it has no commit in common with ours, and may
    /// be merged nevertheless.
    pub(super) fn check_incoming(
        &mut self,
        head: Option<&str>,
        remote: &RemoteBranch,
        tip: &str,
    ) -> Result<bool, Rejection> {
        let (added, unrelated) = match head {
            None => (self.git.files_at(tip)?.into_iter().map(|b| b.path).collect(), false),
            Some(head) => {
                let base = self.git.merge_base(head, tip)?;
                match &base {
                    Some(base) if !self.options.force => guard::check_incoming(&self.git, base, head, tip)?,
                    Some(_) => {}
                    None => self.check_unrelated(head, remote, tip)?,
                }
                (self.git.changed_paths(head, tip, false)?, base.is_none())
            }
        };
        match self.git.untracked_collisions(&added)?.first() {
            None => Ok(unrelated),
            Some(first) => Err(Rejection::new(
                Code::Exists,
                format!("'{first}' is part of {}, but exists here as a file that git ignores", remote.display_name()),
            )
            .hint("move it away, or remove it from git on the other side")),
        }
    }

    /// Allows two histories without a common commit only where joining them is what the user wants: the remote was
    /// created with a README, or both are memories (a second machine ran `init`). Merging from an empty base keeps
    /// every bullet of both.
    fn check_unrelated(&mut self, head: &str, remote: &RemoteBranch, tip: &str) -> Result<(), Rejection> {
        let (ours, theirs) = (self.git.files_at(head)?, self.git.files_at(tip)?);
        if self.git.is_shallow()? {
            return Err(unrelated_error(remote));
        }
        let note = match () {
            () if theirs.iter().all(is_starter_file) => {
                let names = theirs.iter().map(|file| file.path.as_str()).collect::<Vec<_>>().join(", ");
                format!("{} has no memory yet, only {names}: joined with it", remote.display_name())
            }
            () if is_memory(&ours) && is_memory(&theirs) => format!(
                "this memory and {} began separately: joined, with all bullets of both ({} here, {} there)",
                remote.display_name(),
                file_count(&ours),
                file_count(&theirs)
            ),
            () => return Err(unrelated_error(remote)),
        };
        self.note(&note);
        Ok(())
    }
}

fn is_memory(files: &[GitBlob]) -> bool {
    files.iter().any(|file| file.path == POLICY_FILE)
}

fn file_count(files: &[GitBlob]) -> String {
    counted_noun(files.iter().filter(|file| file.path.ends_with(".md")).count(), "file")
}

/// Whether a file is one that a host puts into a new repository.
fn is_starter_file(file: &GitBlob) -> bool {
    let name = file.path.to_lowercase();
    let stem = name.split('.').next().unwrap_or_default();
    !name.contains('/') && (name.starts_with('.') || STARTER_FILES.contains(&stem))
}

fn unrelated_error(remote: &RemoteBranch) -> Rejection {
    let reason = format!("this memory and {} have no commit in common", remote.display_name());
    Rejection::new(Code::UnrelatedHistories, reason).hint(format!(
        "to join them, run `git pull --no-rebase --allow-unrelated-histories {} {}` once (it merges by bullet); \
         in a shallow clone, run `git fetch --unshallow` first",
        remote.display_remote(),
        remote.branch
    ))
}
