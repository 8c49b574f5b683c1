//! The result of `check --rot`: numbers with examples.

use schemars::JsonSchema;
use serde::Serialize;

/// What is wrong with a folder of notes.
#[derive(Clone, Debug, Default, Serialize, JsonSchema)]
pub struct RotReport {
    /// The folder.
    pub dir: String,
    /// The number of markdown files.
    pub files: usize,
    /// Their size in bytes.
    pub bytes: usize,
    /// The number of their bullets.
    pub bullets: usize,
    /// How many files could not be read: no text, too large, or without access.
    pub unreadable: usize,
    /// What was looked for, always all of it.
    pub counts: Vec<RotCount>,
}

/// How often one thing is wrong.
#[derive(Clone, Debug, Default, Serialize, JsonSchema)]
pub struct RotCount {
    /// `repeated`, `contradictions`, `dangling_links`, `index_overflow`, `not_in_index`, `stale_anchors` or `secrets`.
    pub kind: &'static str,
    /// The same in words.
    pub what: &'static str,
    /// How many there are.
    pub count: usize,
    /// The first of them, at most three.
    pub examples: Vec<String>,
}

impl RotReport {
    /// Whether anything was found.
    pub fn has_findings(&self) -> bool {
        self.counts.iter().any(|count| count.count > 0)
    }
}
