//! What the syncs of this machine merged between two revisions.
//!
//! Only reads. What a merge changed whose commits git no longer has counts as an outside edit.

use std::collections::HashMap;

use super::Session;
use super::commit_files::is_shared_file;
use super::sync::{MergeCommits, SyncMerge, SyncState};
use crate::change::Etag;
use crate::code::Rejection;
use crate::host::git::Git;
use crate::path::MemoryPath;
use crate::view::journal::OutsideEdit;

/// The merges that syncs made, and the repository with the commits around them.
pub struct SyncMerges {
    /// Oldest first.
    merges: Vec<SyncMerge>,
    git: Git,
}

impl SyncMerges {
    pub fn of(session: &Session) -> SyncMerges {
        SyncMerges { merges: SyncState::load(&session.store).merges, git: Git::in_dir(&session.dir) }
    }

    /// The commits before the first and after the last merge between two revisions, or since one; `None` if there was
    /// no merge.
    pub fn around(&self, from: u64, to: Option<u64>) -> Option<MergeCommits> {
        // A merge after revision 3 has the number 3.
        let first = self.merges.partition_point(|merge| merge.rev < from);
        let end = to.map_or(self.merges.len(), |to| self.merges.partition_point(|merge| merge.rev < to));
        let between = self.merges.get(first..end)?;
        let (first, last) = (&between.first()?.commits, &between.last()?.commits);
        Some(MergeCommits { from: first.from.clone(), to: last.to.clone() })
    }

    /// The files that differ before the first and after the last merge since a revision.
    pub fn changed_since(&self, rev: u64) -> Vec<MemoryPath> {
        let Some(MergeCommits { from, to }) = self.around(rev, None) else { return Vec::new() };
        let changed = match from {
            Some(from) => self.git.changed_paths(&from, &to, false),
            None => self.git.files_at(&to).map(|files| files.into_iter().map(|file| file.path).collect()),
        };
        let paths = changed.unwrap_or_default().into_iter().filter_map(|path| MemoryPath::from_disk_name(&path).ok());
        paths.filter(is_shared_file).collect()
    }

    /// What merges made of files.
    ///
    /// # Errors
    /// `git`.
    pub fn changes(&self, files: &[(&MemoryPath, &MergeCommits)]) -> Result<MergedObjects, Rejection> {
        let commits = |commits: &'_ MergeCommits| commits.from.clone().into_iter().chain([commits.to.clone()]);
        let keys = files.iter().flat_map(|(path, around)| commits(around).map(|commit| (commit, path.to_string())));
        let keys: Vec<(String, String)> = keys.collect();
        let names: Vec<(&str, &str)> = keys.iter().map(|(commit, path)| (commit.as_str(), path.as_str())).collect();
        let objects = self.git.objects_at(&names)?;
        Ok(MergedObjects(keys.into_iter().zip(objects).collect()))
    }

    /// Whether a change that memdir did not write is what a sync merged in.
    pub fn made(&self, edit: &OutsideEdit) -> bool {
        let Some(commits) = self.around(edit.after_rev, Some(edit.before_rev)) else { return false };
        let Ok(objects) = self.changes(&[(&edit.path, &commits)]) else { return false };
        let after = objects.change(&edit.path, &commits).map(|(_, after)| after);
        after.is_some_and(|after| self.etag_of(after) == Ok(edit.etag))
    }

    fn etag_of(&self, object: Option<&str>) -> Result<Option<Etag>, Rejection> {
        let texts = self.read(&object.into_iter().collect::<Vec<_>>())?;
        Ok(texts.first().map(|bytes| Etag::of(bytes)))
    }

    /// The contents of git objects.
    ///
    /// # Errors
    /// `git`.
    pub fn read(&self, objects: &[&str]) -> Result<Vec<Vec<u8>>, Rejection> {
        self.git.read_objects(objects)
    }
}

/// The git objects of files at commits, by the two; `None` where a file does not exist.
pub struct MergedObjects(HashMap<(String, String), Option<String>>);

impl MergedObjects {
    /// The objects of a file before and after merges, if they changed it.
    pub fn change(&self, path: &MemoryPath, commits: &MergeCommits) -> Option<(Option<&str>, Option<&str>)> {
        let object = |commit: &String| self.0.get(&(commit.clone(), path.to_string()))?.as_deref();
        let (before, after) = (commits.from.as_ref().and_then(object), object(&commits.to));
        (before != after).then_some((before, after))
    }
}
