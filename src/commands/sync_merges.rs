//! What the syncs of this machine merged between two revisions.
//!
//! Only reads. What a merge changed whose commits git no longer has counts as an outside edit.

use std::cell::OnceCell;
use std::collections::{HashMap, HashSet};

use super::Session;
use super::commit_files::is_shared_file;
use super::sync::{SyncMerge, SyncState};
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
    /// What they changed, read when it is first needed.
    changes: OnceCell<HashMap<MemoryPath, Vec<MergeChange>>>,
}

/// What a merge made of a file.
#[derive(Clone, Debug)]
pub struct MergeChange {
    /// The index of the merge.
    merge: usize,
    /// The git object before and after it; `None`: there was no file.
    pub before: Option<String>,
    pub after: Option<String>,
}

/// A point in this machine's history: right after a revision and a merge.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct HistoryPoint {
    /// The last revision before it; 0 before the first.
    pub rev: u64,
    /// The number of merges before it.
    merges: usize,
}

impl SyncMerges {
    pub fn of(session: &Session) -> SyncMerges {
        SyncMerges {
            merges: SyncState::load(&session.store).merges,
            git: Git::in_dir(&session.dir),
            changes: OnceCell::new(),
        }
    }

    /// The point right after a revision.
    pub fn after_revision(&self, rev: u64) -> HistoryPoint {
        // A merge after revision 3 and before revision 4 has the number 3.
        HistoryPoint { rev, merges: self.merges.iter().take_while(|merge| merge.rev < rev).count() }
    }

    /// The point right before a time, of which the last revision is known.
    pub fn before_time(&self, at: &str, rev: u64) -> HistoryPoint {
        let is_before = |merge: &&SyncMerge| merge.rev < rev || *merge.at < *at;
        HistoryPoint { rev, merges: self.merges.iter().take_while(is_before).count() }
    }

    /// The point after the newest revision and the newest merge.
    pub fn newest_point(&self, rev: u64) -> HistoryPoint {
        HistoryPoint { rev, merges: self.merges.len() }
    }

    /// The files that merges after a point changed.
    pub fn changed_since(&self, point: HistoryPoint) -> impl Iterator<Item = &MemoryPath> {
        let is_later = move |change: &MergeChange| change.merge >= point.merges;
        self.changes().iter().filter(move |(_, changes)| changes.iter().any(is_later)).map(|(path, _)| path)
    }

    /// What the last merge before a point, and after a revision, made of a file.
    pub fn last_change(&self, path: &MemoryPath, after_rev: u64, point: HistoryPoint) -> Option<&MergeChange> {
        let last = self.changes().get(path)?.iter().rev().find(|change| change.merge < point.merges)?;
        (self.merges[last.merge].rev >= after_rev).then_some(last)
    }

    /// What the first merge after a point, and before a revision, made of a file.
    pub fn next_change(&self, path: &MemoryPath, point: HistoryPoint, before_rev: Option<u64>) -> Option<&MergeChange> {
        let next = self.changes().get(path)?.iter().find(|change| change.merge >= point.merges)?;
        before_rev.is_none_or(|rev| self.merges[next.merge].rev < rev).then_some(next)
    }

    /// The files of those of some outside edits that are the result of a merge.
    pub fn merged_files(&self, edits: &[OutsideEdit]) -> HashSet<MemoryPath> {
        let change = |edit: &OutsideEdit| {
            let change = self.last_change(&edit.path, edit.after_rev, self.after_revision(edit.before_rev))?;
            Some(change.after.clone())
        };
        let merged: Vec<(&OutsideEdit, Option<String>)> =
            edits.iter().filter_map(|edit| Some((edit, change(edit)?))).collect();
        let objects: Vec<&str> = merged.iter().filter_map(|(_, object)| object.as_deref()).collect();
        let Ok(texts) = self.read(&objects) else { return HashSet::new() };
        let mut etags = texts.iter().map(|bytes| Etag::of(bytes));
        let is_same =
            |(edit, object): &(&OutsideEdit, Option<String>)| edit.etag == object.as_ref().and_then(|_| etags.next());
        merged.into_iter().filter(is_same).map(|(edit, _)| edit.path.clone()).collect()
    }

    /// The contents of git objects.
    ///
    /// # Errors
    /// `git`.
    pub fn read(&self, objects: &[&str]) -> Result<Vec<Vec<u8>>, Rejection> {
        self.git.read_objects(objects)
    }

    fn changes(&self) -> &HashMap<MemoryPath, Vec<MergeChange>> {
        self.changes.get_or_init(|| {
            let ended = |merge: &'_ SyncMerge| Some((merge.from.clone(), merge.to.clone()?));
            let commits: Vec<(usize, (String, String))> =
                self.merges.iter().enumerate().filter_map(|(n, merge)| Some((n, ended(merge)?))).collect();
            let pairs: Vec<(&str, &str)> = commits.iter().map(|(_, (from, to))| (from.as_str(), to.as_str())).collect();
            let changed = self.git.tree_changes(&pairs).unwrap_or_default();
            let mut changes: HashMap<MemoryPath, Vec<MergeChange>> = HashMap::new();
            for ((merge, _), files) in commits.into_iter().zip(changed) {
                for file in files {
                    let Ok(path) = MemoryPath::from_disk_name(&file.path) else { continue };
                    if is_shared_file(&path) {
                        let change = MergeChange { merge, before: file.before, after: file.after };
                        changes.entry(path).or_default().push(change);
                    }
                }
            }
            changes
        })
    }
}
