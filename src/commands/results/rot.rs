//! The result of `check --rot`: numbers with examples.

use schemars::JsonSchema;
use serde::Serialize;

/// What is wrong with a folder of notes.
#[derive(Clone, Debug, Default, Serialize, JsonSchema)]
#[non_exhaustive]
pub struct RotReport {
    /// The path of the folder that was checked.
    pub dir: String,
    /// The number of markdown files.
    pub files: usize,
    /// Their size in bytes.
    pub bytes: usize,
    /// The number of their bullets.
    pub bullets: usize,
    /// How many files and folders were not read: without access, no text, larger than 4 MiB, or more than 16 folders
    /// deep.
    pub unreadable: usize,
    /// The first few of them: the path below the folder, and why.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub unreadable_examples: Vec<String>,
    /// How many folders below it were left out: those of scopes, and memories whose policy restricts the caller or
    /// cannot be read.
    #[serde(skip_serializing_if = "is_zero")]
    pub left_out: usize,
    /// Why not everything was looked at; absent if everything was.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub stopped: Option<RotStop>,
    /// The number of words that were not compared for contradictions, because more than 40 bullets of a section have
    /// them.
    #[serde(skip_serializing_if = "is_zero")]
    pub frequent_words: usize,
    /// A count for each kind, also where it is 0.
    pub counts: Vec<RotCount>,
}

/// A limit at which the check stopped.
#[derive(Clone, Debug, Default, Serialize, JsonSchema)]
#[non_exhaustive]
pub struct RotStop {
    /// What is limited: `names of files and folders`, `markdown files`, `bytes of markdown files` or
    /// `pairs of bullets`.
    pub what: &'static str,
    /// The limit, in the unit that `what` names.
    pub limit: usize,
    /// How many names of files and folders were looked at.
    pub entries: usize,
}

/// What may be wrong with notes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum RotKind {
    Repeated,
    Contradictions,
    DanglingLinks,
    /// Lines behind those of an index that Claude Code loads.
    IndexOverflow,
    NotInIndex,
    StaleAnchors,
    Secrets,
}

impl RotKind {
    /// What is counted, in words.
    pub fn words(self) -> &'static str {
        match self {
            RotKind::Repeated => "repeated bullets",
            RotKind::Contradictions => "contradicting pairs of bullets",
            RotKind::DanglingLinks => "dangling links",
            RotKind::IndexOverflow => "lines of the index that Claude Code does not load",
            RotKind::NotInIndex => "files missing from the index",
            RotKind::StaleAnchors => "stale anchors to code",
            RotKind::Secrets => "keys and passwords in plain text",
        }
    }
}

/// How often one thing is wrong.
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[non_exhaustive]
pub struct RotCount {
    /// The kind of finding that is counted.
    pub kind: RotKind,
    /// The same in words.
    pub what: &'static str,
    /// How many there are.
    pub count: usize,
    /// The first of them, at most three.
    pub examples: Vec<String>,
}

fn is_zero(count: &usize) -> bool {
    *count == 0
}

impl RotReport {
    /// Whether anything was found.
    pub fn has_findings(&self) -> bool {
        self.counts.iter().any(|count| count.count > 0)
    }
}
