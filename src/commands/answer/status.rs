//! What `status` answers.

use schemars::JsonSchema;
use serde::Serialize;

use super::{Told, none_left_out};

/// The state of a memory.
#[derive(Clone, Debug, Default, Serialize, JsonSchema)]
pub struct Status {
    /// The data dir.
    pub dir: String,
    /// Who is asking.
    pub actor: String,
    /// The last revision.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub rev: Option<String>,
    /// Since when this machine has a history.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub since: Option<String>,
    /// Files, bullets are not counted (that would read everything).
    pub files: usize,
    /// Bytes.
    pub bytes: u64,
    /// Changes made outside memdir that no revision has seen yet.
    pub outside: Vec<String>,
    /// Those of them that hold merge conflict markers.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub conflicts: Vec<String>,
    /// Acknowledged changes that somebody's editor dropped: `redo` brings them back.
    pub dropped: Vec<Dropped>,
    /// Texts kept in `inbox/` after a collision.
    pub rescued: Vec<String>,
    /// Summary lines that wait for room or a person.
    pub summaries: Vec<String>,
    /// How many proposals wait for a person in `inbox/`.
    #[serde(skip_serializing_if = "none_left_out")]
    pub proposals: usize,
    /// How many conversations wait for budget.
    #[serde(skip_serializing_if = "none_left_out")]
    pub queued: usize,
    /// What models cost here; none before one was asked.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub models: Option<Models>,
    /// Whether git merges this memory by bullet in this clone; none outside a git work tree.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub wired: Option<bool>,
    /// What is wrong with the policy.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub warnings: Vec<Told>,
}

/// What models cost on this machine, for this memory.
#[derive(Clone, Debug, Default, Serialize, JsonSchema)]
pub struct Models {
    /// The day that is counted, `YYYY-MM-DD`.
    pub day: String,
    /// Tokens of that day, questions and replies, and what is held for questions on their way.
    pub tokens: u64,
    /// How often a model was asked on that day.
    pub asked: u64,
    /// Of all operations that models asked for, the share that passed every guard at once, 0 to 1.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub first_pass: Option<f64>,
}

/// An acknowledged change that is gone.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct Dropped {
    /// Which.
    pub rev: String,
    /// Who made it.
    pub actor: String,
    /// In which file.
    pub path: String,
    /// The bullet that is gone.
    pub text: String,
}
