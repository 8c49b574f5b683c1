//! The result of `sync`.
//!
//! Never contains colours, column layout or shell quoting.

use schemars::JsonSchema;
use serde::Serialize;

use super::{ConflictedFile, WarningRow};

/// The result of syncing with another repository: commits, merges and pushes, or the conflicts that remain.
#[derive(Clone, Debug, Default, Serialize, JsonSchema)]
#[non_exhaustive]
pub struct SyncResult {
    /// Whether anything was committed, merged or pushed (with `dry_run`: would be committed).
    pub changed: bool,
    /// The sync was only planned; nothing was done.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub dry_run: bool,
    /// The data directory relative to the working directory; empty if they are the same.
    pub dir: String,
    /// The branch that is checked out.
    pub branch: String,
    /// The upstream branch (`origin/main`); absent without a remote.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub remote: Option<String>,
    /// The new commits, oldest first (with `dry_run`: those that would be made).
    pub committed: Vec<CommitRow>,
    /// What was merged from upstream.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub merged: Option<MergedCommits>,
    /// The number of commits that were pushed.
    pub pushed: usize,
    /// How often a push came too late, because another clone had pushed since the fetch; absent if 0.
    #[serde(skip_serializing_if = "is_zero")]
    pub lost_races: usize,
    /// The conflicts to resolve, by file; the git merge stays open until then.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub conflicts: Vec<ConflictedFile>,
    /// Files that must be decided about as a whole.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub undecided: Vec<UndecidedFile>,
    /// The branch of the remote to which this branch was pushed, because the two conflict.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub conflict_branch: Option<String>,
    /// The remote's name or URL as the caller gave it; `None` if it may hold a password.
    #[serde(skip)]
    pub requested: Option<String>,
    /// Warnings about the sync.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub warnings: Vec<WarningRow>,
}

fn is_zero(n: &usize) -> bool {
    *n == 0
}

impl SyncResult {
    /// Whether conflicts or undecided files remain.
    pub fn needs_decision(&self) -> bool {
        !self.conflicts.is_empty() || !self.undecided.is_empty() || self.conflict_branch.is_some()
    }
}

/// One commit that `sync` made.
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[non_exhaustive]
pub struct CommitRow {
    /// The abbreviated commit hash; absent with `dry_run`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub commit: Option<String>,
    /// The whole commit message: the subject, and below it what changed.
    pub message: String,
    /// The paths of the committed files.
    pub files: Vec<String>,
}

/// What a merge brought in.
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[non_exhaustive]
pub struct MergedCommits {
    /// The number of commits.
    pub commits: usize,
    /// The paths of the files whose text changed.
    pub files: Vec<String>,
}

/// Why a file is not decided.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum UndecidedReason {
    /// Removed here and changed there.
    RemovedHere,
    /// Changed here and removed there.
    RemovedThere,
    /// Moved or removed on both sides.
    BothMoved,
    /// Renamed on both sides, each to another name.
    BothRenamed,
    /// It is deleted here, although both sides have it.
    Deleted,
    /// It is not text.
    NoText,
    /// It is not a file of the memory.
    NoMemory,
    /// It has no conflict markers, but git does not know that it is resolved: run `git add` on it.
    Decided,
    /// It has conflict markers.
    Markers,
    /// It has a conflict marker that was left over.
    LeftoverMarker,
    /// memdir does not write a file of this name.
    OddName,
    /// It could not be searched for conflict markers.
    Unreadable,
}

/// A file that the merge could not decide about as a whole.
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[non_exhaustive]
pub struct UndecidedFile {
    /// The path of the file.
    pub path: String,
    /// Why it is not decided.
    pub reason: UndecidedReason,
    /// The line of the first conflict marker, 1-based; absent where it is not known.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub line: Option<usize>,
    /// Its new names, if both sides renamed it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub renamed: Option<RenamedFile>,
}

impl UndecidedFile {
    pub(crate) fn new(path: &str, reason: UndecidedReason) -> UndecidedFile {
        UndecidedFile { path: path.to_owned(), reason, line: None, renamed: None }
    }
}

/// The two new names of a file.
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[non_exhaustive]
pub struct RenamedFile {
    /// The path here.
    pub ours: String,
    /// The path there.
    pub theirs: String,
}
