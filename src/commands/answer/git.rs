//! What commands answer that join a memory to git: merges, set-up.
//!
//! Never holds colours, columns or shell words.

use schemars::JsonSchema;
use serde::Serialize;

use super::Changed;

/// Three texts made one.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct Merged {
    /// Whether nothing is left to decide.
    pub clean: bool,
    /// The text, with conflict markers (diff3) where something is left.
    pub text: String,
    /// What a person must decide, in file order.
    pub clashes: Vec<ClashRow>,
    /// Where the text was written, if it was.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub out: Option<String>,
}

/// One thing about which both sides say something different.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct ClashRow {
    /// The line of its first marker, from 1.
    pub line: usize,
    /// What stood there before both; none where that is not known.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub base: Option<String>,
    /// Our side's text; empty where we took it out.
    pub ours: String,
    /// Their side's text.
    pub theirs: String,
    /// Its bullets on both sides.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub bullets: Vec<SideBullet>,
}

/// A bullet of one side of a conflict.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct SideBullet {
    /// `base`, `ours` or `theirs`.
    pub side: &'static str,
    /// Its handle.
    pub handle: String,
    /// Its text.
    pub text: String,
}

/// Files with conflict markers, merged again.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct Resolved {
    /// What was changed.
    #[serde(flatten)]
    pub change: Changed,
    /// What a person must decide, file by file.
    pub left: Vec<LeftFile>,
    /// Files without markers that git still holds for unmerged (`git add` tells it), from the working directory.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub add: Vec<String>,
}

/// The conflicts of one file.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct LeftFile {
    /// The file.
    pub path: String,
    /// In file order.
    pub conflicts: Vec<ClashRow>,
}

/// What joins this clone to git.
#[derive(Clone, Debug, Default, Serialize, JsonSchema)]
pub struct Setup {
    /// Whether git merges this memory by bullet now (with `dry_run`: would).
    pub wired: bool,
    /// Whether anything was changed (with `dry_run`: would be).
    pub changed: bool,
    /// Nothing was written.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub dry_run: bool,
    /// Line by line, file by file.
    pub files: Vec<SetupFile>,
    /// With `--check`: what is missing or stands in the way.
    pub findings: Vec<String>,
}

/// One file of a set-up.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct SetupFile {
    /// Its path, absolute; `git config` for this clone's settings.
    pub path: String,
    /// Lines that came (`+`) and went (`-`).
    pub lines: Vec<SetupLine>,
}

/// One line of a set-up.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct SetupLine {
    /// `+` or `-`.
    pub sign: &'static str,
    /// The line.
    pub text: String,
}
