//! What `sync` answers.
//!
//! Never holds colours, columns or shell words.

use schemars::JsonSchema;
use serde::Serialize;

use super::{LeftFile, Told};

/// A memory in step with another repository, or what keeps it from being so.
#[derive(Clone, Debug, Default, Serialize, JsonSchema)]
pub struct Sync {
    /// Whether anything was committed, merged or pushed (with `dry_run`: would be committed).
    pub changed: bool,
    /// Nothing was done.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub dry_run: bool,
    /// The data dir as seen from the working directory; empty where they are the same.
    pub dir: String,
    /// The branch that is checked out.
    pub branch: String,
    /// The branch it is synced with (`origin/main`); none without a remote.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub remote: Option<String>,
    /// What was committed, oldest first (with `dry_run`: would be).
    pub committed: Vec<Committed>,
    /// What came from there.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub merged: Option<MergedIn>,
    /// How many commits went there.
    pub pushed: usize,
    /// What a person must decide, file by file; git waits in the middle of the merge.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub conflicts: Vec<LeftFile>,
    /// Whole files that a person must decide about.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub undecided: Vec<Undecided>,
    /// What the reader should know.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub warnings: Vec<Told>,
}

impl Sync {
    /// Whether a person must decide something.
    pub fn left(&self) -> bool {
        !self.conflicts.is_empty() || !self.undecided.is_empty()
    }
}

/// A commit.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct Committed {
    /// Its name, abbreviated; none with `dry_run`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub commit: Option<String>,
    /// Its message.
    pub message: String,
    /// Its files.
    pub files: Vec<String>,
}

/// What a merge brought.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct MergedIn {
    /// How many commits.
    pub commits: usize,
    /// Files that read otherwise now.
    pub files: Vec<String>,
}

/// A file that a merge left for a person as a whole.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct Undecided {
    /// Its path.
    pub path: String,
    /// `removed_here`, `removed_there`, `both_moved`, `no_text`, `no_memory`, `decided` (tell git with `git add`) or `markers`.
    pub why: &'static str,
}
