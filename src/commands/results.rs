//! The results of commands: plain values that any front end can print.
//!
//! Never contains colours, column layout or shell quoting. Field names are the JSON contract: fields are only ever
//! added.

use schemars::JsonSchema;
use serde::Serialize;
use serde_json::Value;

use crate::code::Warning;

mod check;
mod compact;
mod decision_list;
mod git;
mod log;
mod model;
mod reflect;
mod rot;
mod status;
mod sync;

pub use check::{AnchorRow, AnchorRowState, CheckFinding, CheckReport, FindingLevel, OutsideStatement};
pub use compact::{
    CompactAction, CompactDecider, CompactDecisionRow, CompactReport, CompactedSection, DigestReport, DigestRow,
    DuplicateDecider, DuplicatesReport, PossibleDuplicate, RemovedDuplicate, TokenCounts,
};
pub use decision_list::DecisionList;
pub use git::{
    ConflictRow, ConflictSide, ConflictedFile, MergeResult, ResolveResult, SetupFile, SetupLine, SetupResult,
    SideBullet,
};
pub use log::{BulletStep, ItemReason, LogResult, LogRow, LogState, SupersededBullet};
pub use model::ModelCheck;
pub use reflect::{
    BranchCommit, ConversationRow, DecisionCounts, DecisionVerdict, InboxList, ModelCallCosts, ProposalBranch,
    ProposalRow, ReflectDecision, ReflectReport, RefusalReason, RequestDecision, RequestVerdict,
};
pub use rot::{RotCount, RotKind, RotReport, RotStop};
pub use status::{AttentionKind, AttentionRow, DroppedBullet, ModelUsage, StatusReport};
pub use sync::{CommitRow, MergedCommits, RenamedFile, SyncResult, UndecidedFile, UndecidedReason};

pub use super::checkpoint::{CheckpointChange, CheckpointList, CheckpointOutcome, CheckpointRow, CheckpointText};
pub use super::embed::EmbedResult;
pub use super::etag::EtagResult;
pub use super::export::ExportResult;
pub use super::history_export::{ExportedFile, ExportedHistory, ExportedRevision};
pub use super::import::{ImportResult, ImportRow};
pub use super::prune::{PruneResult, PrunedItem};
pub use super::scope::{ScopeAction, ScopeChange, ScopeList, ScopeRow};
pub use super::seed_requests::{FoundLocation, FoundLocations, SeedChange, SeedFile};
pub use super::stats::{DayValue, StatsFigure, StatsReport};
pub use crate::view::query::query_row::{LinkReason, ScorePart};
pub use crate::view::query::result::ScopeMatches;

pub use crate::change::EffectSign;
pub use crate::host::find::FoundBy;
pub use crate::policy::LimitMeasure;
pub use crate::view::context::result::{
    ContextEntry, ContextFile, ContextItem, ContextReason, ContextResult, ContextUpdate,
};
pub use crate::view::context::update_kind::UpdateKind;
pub use crate::view::links::Backlink;
use crate::view::outline::none_left_out;
pub use crate::view::outline::{BulletBlame, BulletRow, CommitOrigin, LifeChange, Outline, SectionRow};
pub use crate::view::query::query_row::{ConfidenceNote, LinkDirection, QueryRow};
pub use crate::view::query::result::{LargerBounds, QueryResult};
pub use crate::view::stale_anchors::StaleAnchor;

/// The outcome of a batch of operations.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub enum ChangeOutcome {
    /// The change was made or, with `dry_run`, planned.
    Changed(ChangeResult),
    /// An earlier change has the same `request`; nothing was done.
    Repeated(RepeatedChange),
}

/// The outcome of `compact`.
#[derive(Clone, Debug)]
// One value a command: boxing would save nothing and burden every caller.
#[expect(clippy::large_enum_variant)]
#[non_exhaustive]
pub enum CompactOutcome {
    /// Files and sections were reduced to their limits.
    Compacted(CompactReport),
    /// An earlier change has the same `request`; nothing was done.
    Repeated(RepeatedChange),
}

/// The outcome of `list`.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub enum ListResult {
    /// The files of a memory or of one of its folders.
    Files(FileList),
    /// The outline of a file or section.
    Outline(Outline),
}

impl ListResult {
    /// Leaves out all rows but the first `limit`, and counts them in `more`. A limit of 0 means no limit.
    pub fn truncated(self, limit: Option<usize>) -> ListResult {
        match self {
            ListResult::Files(mut files) => {
                let limit = limit.filter(|limit| *limit > 0).unwrap_or(usize::MAX);
                files.more = files.files.len().saturating_sub(limit);
                files.files.truncate(limit);
                ListResult::Files(files)
            }
            ListResult::Outline(outline) => ListResult::Outline(outline.truncated(limit)),
        }
    }
}

/// The stored result of an earlier change with the same `request`, as JSON with the fields of [`ChangeResult`]; what
/// was stored by another version may have fewer or more.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
#[non_exhaustive]
pub struct RepeatedChange(pub Value);

impl RepeatedChange {
    /// The revision of the earlier change, e.g. `r41`.
    pub fn rev(&self) -> Option<&str> {
        self.0.get("rev").and_then(Value::as_str)
    }
}

/// Something that the caller should know although it is not an error.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[non_exhaustive]
pub struct WarningRow {
    /// The code of the warning, e.g. `limit_reached`.
    pub code: &'static str,
    /// The warning message, one sentence.
    pub message: String,
    /// Values of the message, for programs; absent if there are none.
    #[serde(skip_serializing_if = "serde_json::Map::is_empty")]
    pub details: serde_json::Map<String, Value>,
}

impl From<&Warning> for WarningRow {
    fn from(warning: &Warning) -> WarningRow {
        WarningRow { code: warning.code.name(), message: warning.message.clone(), details: warning.details.clone() }
    }
}

/// A change that was made or, with `dry_run`, planned.
#[derive(Clone, Debug, Default, Serialize, JsonSchema)]
#[non_exhaustive]
pub struct ChangeResult {
    /// Whether any byte of the memory changed (with `dry_run`: would change).
    pub changed: bool,
    /// The change was only planned; nothing was written.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub dry_run: bool,
    /// The new revision, e.g. `r41`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub rev: Option<String>,
    /// The revision that was undone.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub undone: Option<String>,
    /// The revision that was redone.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub redone: Option<String>,
    /// The changed files, in the order of the effects.
    pub files: Vec<ChangedFile>,
    /// For a patch: the number of replacements.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub applied_count: Option<usize>,
    /// With `dry_run`: the operations in the form that `apply` accepts.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub operations: Option<Vec<Value>>,
    /// With `dry_run`: a unified diff.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub diff: Option<String>,
    /// Warnings about the change.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub warnings: Vec<WarningRow>,
}

/// What happened to a file.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum ChangedFileKind {
    Created,
    Updated,
    Removed,
    Moved,
    #[default]
    Unchanged,
}

/// One file of a change.
#[derive(Clone, Debug, Default, Serialize, JsonSchema)]
#[non_exhaustive]
pub struct ChangedFile {
    /// The path of the file.
    pub path: String,
    /// What happened to the file.
    pub kind: ChangedFileKind,
    /// The new path, if the file was moved.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub to: Option<String>,
    /// The revision that changed it, if the result is about several.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub rev: Option<String>,
    /// The new etag (16 hex digits); absent if the file was removed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub etag: Option<String>,
    /// The effects in this file.
    pub effects: Vec<EffectRow>,
}

/// One effect of a change: a bullet, heading, entry or key that was added, removed, moved or updated.
#[derive(Clone, Debug, Default, Serialize, JsonSchema)]
#[non_exhaustive]
pub struct EffectRow {
    /// What happened; `~` also for a text that was replaced.
    pub sign: EffectSign,
    /// The bullet's handle, without `@`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub handle: Option<String>,
    /// The bullet's explicit id.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub id: Option<String>,
    /// The bullet's text, an entry's title, or `key=value`.
    pub text: String,
    /// The slug of the section.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub section: Option<String>,
    /// The destination of a move.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub to: Option<String>,
    /// The 0-based number of the operation.
    pub operation: usize,
    /// In a diff: the previous bullet, if its text was changed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub was: Option<PreviousBullet>,
    /// In a diff: the new metadata, if only the metadata was changed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub set: Option<String>,
    /// In a diff: the source that this machine's journal recorded.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub source: Option<String>,
    /// In a diff: the reason that the journal recorded.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
    /// In a diff: the supporting quote that the journal recorded.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub quote: Option<String>,
}

/// The previous version of a bullet.
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[non_exhaustive]
pub struct PreviousBullet {
    /// The handle that the bullet had, without `@`.
    pub handle: String,
    /// The text that the bullet had.
    pub text: String,
}

/// The files of a memory.
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[non_exhaustive]
pub struct FileList {
    /// The files, sorted by path.
    pub files: Vec<FileRow>,
    /// The number of files left out by a limit.
    #[serde(skip_serializing_if = "none_left_out")]
    pub more: usize,
    /// A sentence for each layer that could not be listed.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub left_out: Vec<String>,
}

/// A file in the list of all files.
#[derive(Clone, Debug, Default, Serialize, JsonSchema)]
#[non_exhaustive]
pub struct FileRow {
    /// The path of the file.
    pub path: String,
    /// The size in bytes.
    pub size: u64,
    /// The summary line; empty if there is none.
    pub summary: String,
    /// Why the file was not opened (it is a link, a device, …).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub refused: Option<String>,
}

/// The exact text of a file, section or bullet.
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[non_exhaustive]
pub struct TextResult {
    /// The path of the file.
    pub path: String,
    /// The slug of the section.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub section: Option<String>,
    /// The handle of the bullet, without `@`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub handle: Option<String>,
    /// The etag of the file or section, to pass as `seen` or `--if-match`.
    pub etag: String,
    /// The size of the file in bytes.
    pub size: u64,
    /// The text as it stands in the file, with its markup and metadata.
    pub text: String,
}

/// Differences between two points in history.
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[non_exhaustive]
pub struct DiffResult {
    /// The start (`r41`, a git revision, or `recorded`).
    pub from: String,
    /// The end (`r44`, a git revision, or `now`).
    pub to: String,
    /// The changed files with their changed bullets.
    pub files: Vec<ChangedFile>,
    /// The changes as a unified diff.
    pub diff: String,
}

/// A new data directory.
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[non_exhaustive]
pub struct InitResult {
    /// The absolute path of the data directory.
    pub dir: String,
    /// Whether anything was created.
    pub changed: bool,
    /// The created files, relative to the data directory.
    pub created: Vec<String>,
    /// The number of existing markdown files that are part of the memory now.
    pub adopted: usize,
    /// Further notes, one sentence each, e.g. that `setup git` is available.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub notes: Vec<String>,
}

/// The absolute paths of the data directory and a file.
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[non_exhaustive]
pub struct PathResult {
    /// The absolute path of the data directory.
    pub dir: String,
    /// The absolute path of the requested file.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub path: Option<String>,
    /// How the data directory was found.
    pub found_by: FoundBy,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_limit_counts_what_it_leaves_out() {
        let row = |path: &str| FileRow { path: path.into(), size: 1, summary: String::new(), refused: None };
        let files = || {
            ListResult::Files(FileList {
                files: vec![row("a.md"), row("b.md"), row("c.md")],
                more: 0,
                left_out: vec![],
            })
        };
        for (limit, rows, more) in [(Some(2), 2, 1), (None, 3, 0)] {
            let ListResult::Files(cut) = files().truncated(limit) else { panic!("another answer") };
            assert_eq!((cut.files.len(), cut.more), (rows, more));
        }
        let section = SectionRow {
            address: String::new(),
            slug: String::new(),
            id: None,
            title: String::new(),
            level: 2,
            date: None,
            summary: None,
            bullets: 0,
        };
        let cut = Outline { sections: vec![section.clone(), section], ..Outline::default() }.truncated(Some(1));
        assert_eq!((cut.bullets.len(), cut.sections.len(), cut.more), (0, 1, 1));
    }
}
