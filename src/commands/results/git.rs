//! The results of the commands that connect a memory to git: merge, resolve and setup.
//!
//! Never contains colours, column layout or shell quoting.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::Serialize;

use super::{ChangeResult, UndecidedFile};
use crate::change::EffectSign;

/// The result of a three-way merge.
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[non_exhaustive]
pub struct MergeResult {
    /// Whether the merge has no conflicts.
    pub clean: bool,
    /// The merged text, with diff3 conflict markers around each conflict.
    pub text: String,
    /// The conflicts, in file order.
    pub clashes: Vec<ConflictRow>,
    /// The path that the text was written to, if any.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub out: Option<String>,
}

/// A conflict in a file: both sides changed the same lines differently.
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[non_exhaustive]
pub struct ConflictRow {
    /// The line of its first marker, 1-based.
    pub line: usize,
    /// The text of the common ancestor; absent if unknown.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub base: Option<String>,
    /// Our side's text; empty if our side removed it.
    pub ours: String,
    /// Their side's text; empty if their side removed it.
    pub theirs: String,
    /// The bullets of all sides of the conflict.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub bullets: Vec<SideBullet>,
}

/// A side of a conflict.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum ConflictSide {
    /// The common ancestor of both sides.
    Base,
    Ours,
    Theirs,
}

impl ConflictSide {
    /// Its name in text.
    pub fn name(self) -> &'static str {
        match self {
            ConflictSide::Base => "base",
            ConflictSide::Ours => "ours",
            ConflictSide::Theirs => "theirs",
        }
    }
}

/// A bullet of one side of a conflict.
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[non_exhaustive]
pub struct SideBullet {
    /// The side that has it.
    pub side: ConflictSide,
    /// The handle of the bullet, without `@`.
    pub handle: String,
    /// The text of the bullet.
    pub text: String,
    /// The metadata by which it differs from a bullet with the same text on another side.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub metadata: BTreeMap<String, String>,
}

/// Files whose conflict markers were resolved.
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[non_exhaustive]
pub struct ResolveResult {
    /// The fields of a change (`changed`, `rev`, `files`, …), beside the others of this object.
    #[serde(flatten)]
    pub change: ChangeResult,
    /// The remaining conflicts, by file.
    pub left: Vec<ConflictedFile>,
    /// Files without markers that git still lists as unmerged (`git add` marks them as merged), relative to the working
    /// directory.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub add: Vec<String>,
    /// Files that must be decided about as a whole, or that could not be searched or written.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub undecided: Vec<UndecidedFile>,
    /// The data directory relative to the working directory; empty if they are the same.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub dir: String,
}

impl ResolveResult {
    /// Whether conflicts or undecided files remain.
    pub fn needs_decision(&self) -> bool {
        !self.left.is_empty() || !self.undecided.is_empty()
    }
}

/// The remaining conflicts of one file.
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[non_exhaustive]
pub struct ConflictedFile {
    /// The path of the file.
    pub path: String,
    /// The conflicts, in file order.
    pub conflicts: Vec<ConflictRow>,
}

/// What `setup` configured, in git or in the files of an agent host.
#[derive(Clone, Debug, Default, Serialize, JsonSchema)]
#[non_exhaustive]
pub struct SetupResult {
    /// Whether everything is set up now: git uses the merge driver of memdir for this memory, or the host's files have
    /// the entries of memdir (with `dry_run`: would be).
    pub wired: bool,
    /// The host, e.g. `claude`; absent for git.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub host: Option<&'static str>,
    /// Whether anything was changed (with `dry_run`: would be changed).
    pub changed: bool,
    /// The change was only planned; nothing was written.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub dry_run: bool,
    /// The changed lines, by file.
    pub files: Vec<SetupFile>,
    /// With `--check`: what is missing or prevents the setup.
    pub findings: Vec<String>,
    /// With `--remove`: the entries for memdir that stay, because they are not as `setup` writes them.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub kept: Vec<String>,
    /// Commands of the host that complete the setup, or undo it: they write a file that only the host may write.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub commands: Vec<String>,
}

/// One file that `setup` changes.
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[non_exhaustive]
pub struct SetupFile {
    /// The absolute path; `git config` for the settings of this clone.
    pub path: String,
    /// The added (`+`) and removed (`-`) lines.
    pub lines: Vec<SetupLine>,
}

/// One line that `setup` adds or removes.
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[non_exhaustive]
pub struct SetupLine {
    /// Whether it is added or removed.
    pub sign: EffectSign,
    /// The text of the line.
    pub text: String,
}
