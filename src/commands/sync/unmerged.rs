//! The files that a merge left unmerged: those with conflicts, those to decide as a whole, and those that are decided.
//!
//! A file counts as decided if its text is neither side's and has no conflict markers, or if `resolve` wrote it. Never
//! decides between two texts.

use serde_json::Value;

use super::{SyncRun, SyncStep};
use crate::change::{EntryOutcome, Etag, JournalEntry};
use crate::code::{Code, Rejection};
use crate::commands::Session;
use crate::commands::rename_conflicts::{paths_of, renamed_on_both_sides};
use crate::commands::resolve::conflicted_file;
use crate::commands::results::{ConflictedFile, MergedCommits, UndecidedFile, UndecidedReason};
use crate::host::git::Git;
use crate::host::repository::ConflictedPath;
use crate::operation::conflict_regions;
use crate::path::MemoryPath;
use crate::store::LockedStore;

/// The unmerged files by state.
#[derive(Debug, Default)]
pub struct UnmergedFiles {
    /// Files with conflict markers.
    pub conflicts: Vec<ConflictedFile>,
    /// Files to decide as a whole.
    pub undecided: Vec<UndecidedFile>,
    /// Decided files, which can be staged.
    pub decided: Vec<String>,
}

impl UnmergedFiles {
    /// Whether the user must decide something.
    pub fn needs_user(&self) -> bool {
        !self.conflicts.is_empty() || !self.undecided.is_empty()
    }
}

/// Sorts the unmerged files of git's index by state.
///
/// # Errors
/// `git`.
pub fn sort_unmerged(
    session: &Session,
    git: &Git,
    unmerged: &[ConflictedPath],
    entries: &[JournalEntry],
) -> Result<UnmergedFiles, Rejection> {
    let mut files = UnmergedFiles::default();
    if unmerged.iter().any(|file| !file.ours && !file.theirs) {
        files.undecided = renamed_on_both_sides(git, &git.unmerged_entries()?);
    }
    let renamed: Vec<String> = files.undecided.iter().flat_map(paths_of).map(str::to_owned).collect();
    for file in unmerged.iter().filter(|file| !renamed.contains(&file.path)) {
        let undecided = |reason| UndecidedFile::new(&file.path, reason);
        // `resolve` cannot decide a file that memdir may not write.
        let path = MemoryPath::new(&file.path).ok();
        let current = path.as_ref().and_then(|path| session.store.read(path).ok().flatten());
        let whole_file_reason = match (file.ours, file.theirs) {
            (true, true) => None,
            (true, false) => Some(UndecidedReason::RemovedThere),
            (false, true) => Some(UndecidedReason::RemovedHere),
            (false, false) => Some(UndecidedReason::BothMoved),
        };
        let text = current.as_ref().map(|now| String::from_utf8_lossy(&now.bytes)).unwrap_or_default();
        // First, also of a file that only one side has under this name: both may have renamed it.
        if let (Some(path), Some(size)) = (&path, conflict_regions::unmerged_marker_length(&text)) {
            files.conflicts.push(conflicted_file(path, &conflict_regions::parse_conflicts(&text, size)));
            continue;
        }
        let (Some(path), Some(now), None) = (path, current.as_ref(), whole_file_reason) else {
            let is_deleted = git.read_work_file(&file.path).is_none();
            let other = if is_deleted { UndecidedReason::Deleted } else { UndecidedReason::NoMemory };
            files.undecided.push(undecided(whole_file_reason.unwrap_or(other)));
            continue;
        };
        if text.contains('\0') {
            files.undecided.push(undecided(UndecidedReason::NoText));
        } else if is_decided(git, &path, &now.bytes, now.etag, entries)? {
            files.decided.push(file.path.clone());
        } else {
            files.undecided.push(undecided(UndecidedReason::Decided));
        }
    }
    Ok(files)
}

impl SyncRun<'_> {
    /// Adds commits that were merged to the result, and the files that they changed.
    pub(super) fn add_merged(&mut self, commits: usize, files: Vec<String>) {
        let before = self.result.merged.take().map_or(0, |merged| merged.commits);
        self.result.merged = Some(MergedCommits { commits: before + commits, files });
    }

    /// Ends a merge of that many commits in which git found conflicts. It goes on if the merge driver has decided them
    /// all: git calls two renames to one name a conflict, whatever the driver makes of their texts.
    ///
    /// # Errors
    /// `git` if git stopped for another reason than the files of the memory.
    pub(super) fn end_with_conflicts(
        &mut self,
        locked: &LockedStore<'_>,
        commits: usize,
    ) -> Result<SyncStep, Rejection> {
        let (state, _) = self.check_state()?;
        let merged: Vec<String> = state.pending.iter().map(|p| p.path.clone()).collect();
        self.record_merged(locked, &merged, state.head.as_deref(), None)?;
        let entries = self.session.store.journal()?;
        let unmerged_files = sort_unmerged(self.session, &self.git, &state.conflicted, &entries)?;
        if unmerged_files.needs_user() {
            (self.result.conflicts, self.result.undecided) = (unmerged_files.conflicts, unmerged_files.undecided);
            return Ok(SyncStep::NeedsUser);
        }
        let unmerged = self.git.unmerged_entries()?;
        if unmerged.is_empty() || unmerged.iter().any(|file| !unmerged_files.decided.contains(&file.path)) {
            return Err(Rejection::new(Code::Git, "git stopped the merge, and not for a file of the memory")
                .hint("`git status` says why; conclude the merge with git, or `git merge --abort`"));
        }
        self.add_merged(commits, merged);
        Ok(SyncStep::Restart)
    }
}

/// Whether a file without conflict markers is decided. If its text equals one side's, the merge may have ignored the
/// other side (as drivers for binary files do); then it counts as decided only if the journal shows that `resolve`
/// wrote it.
fn is_decided(
    git: &Git,
    path: &MemoryPath,
    current: &[u8],
    etag: Etag,
    entries: &[JournalEntry],
) -> Result<bool, Rejection> {
    let Some(file) = git.unmerged_entries()?.into_iter().find(|f| f.path == path.as_str()) else { return Ok(true) };
    let sides: Vec<&str> = [&file.ours, &file.theirs].into_iter().flatten().map(String::as_str).collect();
    if !git.read_objects(&sides)?.iter().any(|side| side == current) {
        return Ok(true);
    }
    let wrote_current = |entry: &&JournalEntry| entry.files.iter().any(|f| f.path == *path && f.after == Some(etag));
    let last_write = entries.iter().rev().filter(|e| e.outcome == EntryOutcome::Done).find(wrote_current);
    let resolves = |op: &Value| op.get("op").and_then(Value::as_str) == Some("resolve");
    Ok(last_write.is_some_and(|entry| entry.operations.iter().any(resolves)))
}
