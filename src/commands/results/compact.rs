//! The result of `compact`: the change, and for each limited file or section what was decided by the model or by age.
//!
//! Never contains colours, column layout or shell quoting.

use schemars::JsonSchema;
use serde::Serialize;

use super::{ChangeResult, ChangedFile, WarningRow};
use crate::policy::LimitMeasure;

/// Files and sections that were reduced to their limits.
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[non_exhaustive]
pub struct CompactReport {
    /// The fields of a change (`changed`, `rev`, `files`, …), beside the others of this object.
    #[serde(flatten)]
    pub change: ChangeResult,
    /// The files and sections over their limit, one by one.
    pub places: Vec<CompactedSection>,
    /// The number of model decisions that were applied.
    pub decided: usize,
    /// The number of items that were archived by age, oldest first.
    pub by_age: usize,
    /// The model that was called, as `provider/model`; absent if none is configured.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub model: Option<String>,
    /// The tokens used by the model calls.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tokens: Option<TokenCounts>,
}

/// Token counts as reported by the provider.
#[derive(Clone, Copy, Debug, Default, Serialize, JsonSchema)]
#[non_exhaustive]
pub struct TokenCounts {
    /// Tokens of the requests.
    pub input: u64,
    /// Tokens of the replies.
    pub output: u64,
}

/// One file or section over its limit.
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[non_exhaustive]
pub struct CompactedSection {
    /// The address of the file or section.
    pub address: String,
    /// The unit of its limit.
    pub measure: LimitMeasure,
    /// The size before, in the unit of `measure`.
    pub was: usize,
    /// The size after the change, in the same unit.
    pub now: usize,
    /// The limit, in the same unit.
    pub most: usize,
    /// The number of model decisions that were applied here.
    pub decided: usize,
    /// The number of items that were archived by age, oldest first.
    pub by_age: usize,
    /// Why items were archived by age instead of by a model decision.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
    /// The decisions, one for each item.
    pub decisions: Vec<CompactDecisionRow>,
    /// The same as one sentence.
    #[serde(skip)]
    pub sentence: String,
}

/// Who decides about an item.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum CompactDecider {
    Model,
    /// The oldest items leave first.
    Age,
}

/// What is done with an item.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum CompactAction {
    Delete,
    /// Others are merged into it.
    Merge,
    Edit,
    /// Archived by age.
    Archive,
}

/// The decision about one item.
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[non_exhaustive]
pub struct CompactDecisionRow {
    /// By whom it was decided: the model, or a rule.
    pub by: CompactDecider,
    /// What was done with it.
    pub action: CompactAction,
    /// The address of the item before the change.
    pub target: String,
    /// The items that were merged into it.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub absorbs: Vec<String>,
    /// The reason given by the model.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
}

/// Old months and weeks that `compact --older` replaced by an entry each.
#[derive(Clone, Debug, Default, Serialize, JsonSchema)]
#[non_exhaustive]
pub struct DigestReport {
    /// Whether any byte of the memory changed (with `dry_run`: would change).
    pub changed: bool,
    /// The changes were only planned; nothing was written.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub dry_run: bool,
    /// The new revisions, one for each file, e.g. `r41`.
    pub revs: Vec<String>,
    /// The changed files, in the order of the revisions.
    pub files: Vec<ChangedFile>,
    /// The old files, oldest first.
    pub digests: Vec<DigestRow>,
    /// Why some files were not digested; absent if all were.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub stopped: Option<String>,
    /// The error that ended the run after the first files were replaced, if so.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub partial: Option<String>,
    /// The model that was called, as `provider/model`; absent if none is configured.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub model: Option<String>,
    /// The tokens used by the model calls.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tokens: Option<TokenCounts>,
    /// Warnings about the run.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub warnings: Vec<WarningRow>,
}

/// An old file of episodes.
#[derive(Clone, Debug, Default, Serialize, JsonSchema)]
#[non_exhaustive]
pub struct DigestRow {
    /// The path of the file, e.g. `episodes/2025-11.md`.
    pub file: String,
    /// The number of its entries.
    pub entries: usize,
    /// The file with its digest; absent if the old file stays.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub digest: Option<String>,
    /// The points of the digest.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub points: Vec<String>,
    /// Why the file stays; absent if it was replaced.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
}

/// Duplicates that `compact --duplicates` removed, and pairs that wait.
#[derive(Clone, Debug, Default, Serialize, JsonSchema)]
#[non_exhaustive]
pub struct DuplicatesReport {
    /// The fields of a change (`changed`, `rev`, `files`, …), beside the others of this object.
    #[serde(flatten)]
    pub change: ChangeResult,
    /// The number of bullets that were compared.
    pub bullets: usize,
    /// The number of pairs of similar bullets that were found.
    pub pairs: usize,
    /// How many of them differ in a name, a number, a date or a negation.
    pub contradicting: usize,
    /// How many of them a model called different in the last 14 days.
    pub known: usize,
    /// The number of pairs that the model was asked about now.
    pub asked: usize,
    /// How many of them it called different.
    pub different: usize,
    /// The bullets that were moved to `archive/`.
    pub removed: Vec<RemovedDuplicate>,
    /// The pairs that wait for a person or another day, the first 50.
    pub waiting: Vec<PossibleDuplicate>,
    /// The number of all pairs that wait.
    pub waiting_count: usize,
    /// How many bullets seemed to repeat another one before the run.
    pub repeated_before: usize,
    /// How many still do.
    pub repeated_after: usize,
    /// Why the model was not asked about all pairs.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub stopped: Option<String>,
    /// The model that was called, as `provider/model`; absent if none is configured.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub model: Option<String>,
    /// The tokens used by the model calls.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tokens: Option<TokenCounts>,
}

/// Who decides that two bullets say the same.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum DuplicateDecider {
    /// Their texts are equal.
    Rule,
    Model,
}

/// A bullet that was removed because another one says the same.
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[non_exhaustive]
pub struct RemovedDuplicate {
    /// The address that it had.
    pub address: String,
    /// The text that it had.
    pub text: String,
    /// The address of the bullet that stays, before the change.
    pub kept: String,
    /// The text of that bullet before the change.
    pub kept_text: String,
    /// The new text of that bullet, if the two were merged.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub new_text: Option<String>,
    /// By whom it was decided: the model, or a rule.
    pub by: DuplicateDecider,
    /// The rule, as in the journal.
    pub reason: String,
}

/// Two bullets that may say the same.
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[non_exhaustive]
pub struct PossibleDuplicate {
    /// The address of the first.
    pub a: String,
    /// The text of the first.
    pub a_text: String,
    /// The address of the second.
    pub b: String,
    /// The text of the second.
    pub b_text: String,
    /// How similar the texts are, 0 to 1.
    pub similarity: f64,
    /// Why they wait, one sentence: `neither may go: pinned, with an id, or more important`.
    pub reason: String,
    /// The command that removes one of them.
    pub command: String,
}
