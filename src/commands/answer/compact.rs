//! What `compact` answers: the change, and place by place who decided what.
//!
//! Never holds colours, columns or shell words.

use schemars::JsonSchema;
use serde::Serialize;

use super::Changed;

/// Places brought back to their limits.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct Compacted {
    /// What was changed.
    #[serde(flatten)]
    pub change: Changed,
    /// Place by place.
    pub places: Vec<CompactedPlace>,
    /// Decisions of a model that were carried out.
    pub decided: usize,
    /// Items that went first in, first out.
    pub by_age: usize,
    /// Who was asked, as `provider/model`; none where no model is configured.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub model: Option<String>,
    /// What it cost.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tokens: Option<Tokens>,
}

/// Tokens, as the provider counts them.
#[derive(Clone, Copy, Debug, Default, Serialize, JsonSchema)]
pub struct Tokens {
    /// Of the questions.
    pub input: u64,
    /// Of the answers.
    pub output: u64,
}

/// One place.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct CompactedPlace {
    /// The file or section.
    pub address: String,
    /// What its limit counts: `bullets`, `entries` or `chars`.
    pub measure: &'static str,
    /// How many it held.
    pub was: usize,
    /// How many it holds.
    pub now: usize,
    /// How many it may hold.
    pub most: usize,
    /// Decisions of a model that were carried out here.
    pub decided: usize,
    /// Items that went first in, first out.
    pub by_age: usize,
    /// Why age decided.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub why: Option<String>,
    /// What became of which item.
    pub decisions: Vec<DecisionRow>,
    /// The same in a sentence.
    #[serde(skip)]
    pub told: String,
}

/// What was decided of one item.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct DecisionRow {
    /// `model` or `age`.
    pub by: &'static str,
    /// `delete`, `merge`, `edit`, or `archive` for what went for its age.
    pub action: &'static str,
    /// The item, as it was named before.
    pub target: String,
    /// The items that went with it.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub absorbs: Vec<String>,
    /// Why, in the model's words.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
}
