//! The result of `status`.

use std::borrow::Cow;
use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::Serialize;

use super::{WarningRow, none_left_out};

/// The state of a memory.
#[derive(Clone, Debug, Default, Serialize, JsonSchema)]
#[non_exhaustive]
pub struct StatusReport {
    /// The absolute path of the data directory.
    pub dir: String,
    /// The name of the caller.
    pub actor: String,
    /// The newest revision, e.g. `r41`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub rev: Option<String>,
    /// When this machine's history starts (RFC 3339).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub since: Option<String>,
    /// The number of files. Bullets are not counted, because that would read every file.
    pub files: usize,
    /// The total size of the files in bytes.
    pub bytes: u64,
    /// Files with changes made outside memdir that no revision has recorded yet.
    pub outside: Vec<String>,
    /// Those of `outside` that contain merge conflict markers.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub conflicts: Vec<String>,
    /// Other files that an unfinished merge of git left unmerged: `resolve` tells what to decide.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub unmerged: Vec<String>,
    /// Bullets that memdir added and an editor removed by saving an older text: `redo` restores them.
    pub dropped: Vec<DroppedBullet>,
    /// Files in `inbox/` with texts that were rescued from a concurrent edit.
    pub rescued: Vec<String>,
    /// Summary lines that lack terms because they are full.
    pub summaries: Vec<String>,
    /// The number of proposals in `inbox/` that wait for a decision, without those whose branch was merged.
    #[serde(skip_serializing_if = "none_left_out")]
    pub proposals: usize,
    /// What needs attention in the memory; kinds with a count of 0 are left out.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub attention: Vec<AttentionRow>,
    /// The number of conversations in the queue: left by hooks, or waiting for model budget.
    #[serde(skip_serializing_if = "none_left_out")]
    pub queued: usize,
    /// Model usage of this memory; absent before the first model call.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub models: Option<ModelUsage>,
    /// Whether git uses the merge driver of memdir in this clone; absent outside a git work tree.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub wired: Option<bool>,
    /// Warnings about the policy.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub warnings: Vec<WarningRow>,
}

/// A kind of thing that needs attention.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum AttentionKind {
    /// Bullets whose date has passed.
    Expired,
    /// Bullets that have lost their confidence with age.
    Stale,
    /// Bullets whose anchor was stale at the last check.
    StaleAnchors,
    /// Pairs of bullets; not counted in a memory with more than 64 KiB of facts.
    Contradicted,
    /// Proposals that wait longer than the policy allows.
    Overdue,
    /// Proposals whose branch was merged, which accepts them; `prune` removes their files.
    Merged,
    /// Proposals that wait for a person.
    Waiting,
    /// Items that the policy's `lifetimes` archive.
    Unused,
    /// Archived items that the policy's `lifetimes` remove.
    ToPurge,
}

/// One kind of thing that needs attention, with its count.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[non_exhaustive]
pub struct AttentionRow {
    /// The kind of item that is counted.
    pub what: AttentionKind,
    /// How many there are.
    pub count: usize,
    /// The layer whose proposals they are; absent for the memory of the report.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub layer: Option<String>,
    /// The command that lists them and says what to do about each.
    pub command: Cow<'static, str>,
}

/// Model usage on this machine, for this memory.
#[derive(Clone, Debug, Default, Serialize, JsonSchema)]
#[non_exhaustive]
pub struct ModelUsage {
    /// The day of the counts, `YYYY-MM-DD`.
    pub day: String,
    /// Tokens used on that day by requests and replies, plus those reserved for running requests.
    pub tokens: u64,
    /// The number of model calls on that day.
    pub asked: u64,
    /// The share of proposed operations that passed every guard at the first attempt, 0 to 1.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub first_pass: Option<f64>,
    /// The share of proposed operations that the conversations support, 0 to 1.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub grounded: Option<f64>,
    /// The number of refused operations, by the name of the guard or error code.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub refused_by: BTreeMap<String, u64>,
}

/// A bullet that memdir added and an editor removed by saving an older text.
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[non_exhaustive]
pub struct DroppedBullet {
    /// The revision that added it, e.g. `r41`; the last one of a file that was deleted.
    pub rev: String,
    /// The actor of that revision.
    pub actor: String,
    /// The path of the file.
    pub path: String,
    /// The text of the bullet; of a file that was deleted, of its first, and how many more there were.
    pub text: String,
}
