//! The result of `compact`: the change, and for each limited file or section what was decided by the model or by age.
//!
//! Never contains colours, column layout or shell quoting.

use schemars::JsonSchema;
use serde::Serialize;

use super::ChangeResult;

/// Files and sections that were reduced to their limits.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct CompactReport {
    /// The change.
    #[serde(flatten)]
    pub change: ChangeResult,
    /// The files and sections over their limit, one by one.
    pub places: Vec<CompactedScope>,
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
pub struct TokenCounts {
    /// Tokens of the requests.
    pub input: u64,
    /// Tokens of the replies.
    pub output: u64,
}

/// One file or section over its limit.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct CompactedScope {
    /// The address of the file or section.
    pub address: String,
    /// The unit of its limit: `bullets`, `entries` or `chars`.
    pub measure: &'static str,
    /// The size before.
    pub was: usize,
    /// The size now.
    pub now: usize,
    /// The limit.
    pub most: usize,
    /// The number of model decisions that were applied here.
    pub decided: usize,
    /// The number of items that were archived by age, oldest first.
    pub by_age: usize,
    /// Why items were archived by age instead of by a model decision.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub why: Option<String>,
    /// The decisions, one for each item.
    pub decisions: Vec<CompactDecisionRow>,
    /// The same as one sentence.
    #[serde(skip)]
    pub sentence: String,
}

/// The decision about one item.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct CompactDecisionRow {
    /// `model` or `age`.
    pub by: &'static str,
    /// `delete`, `merge`, `edit`, or `archive` for an item that was archived by age.
    pub action: &'static str,
    /// The address of the item before the change.
    pub target: String,
    /// The items that were merged into it.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub absorbs: Vec<String>,
    /// The reason given by the model.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
}
