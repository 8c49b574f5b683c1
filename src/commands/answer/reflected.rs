//! What `reflect` and `inbox` answer.

use schemars::JsonSchema;
use serde::Serialize;

use super::{ChangedFile, Told};

/// What came of reading conversations.
#[derive(Clone, Debug, Default, Serialize, JsonSchema)]
pub struct Reflected {
    /// Whether any byte of the memory changed (with `dry_run`: would change).
    pub changed: bool,
    /// Nothing was written.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub dry_run: bool,
    /// The conversations, in order.
    pub conversations: Vec<Conversation>,
    /// The revisions that were made, `r41`.
    pub revs: Vec<String>,
    /// The files that changed, in the order of the revisions.
    pub files: Vec<ChangedFile>,
    /// What the model asked for, and what became of it.
    pub decisions: Vec<Decision>,
    /// How many of each.
    pub counts: Counts,
    /// Who was asked.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub model: Option<Asked>,
    /// Why the rest was not read, if so.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub partial: Option<String>,
    /// Why the work waits in the queue, if so.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub deferred: Option<String>,
    /// What the reader should know.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub warnings: Vec<Told>,
}

/// A conversation that was read.
#[derive(Clone, Debug, Default, Serialize, JsonSchema)]
pub struct Conversation {
    /// Its id: its own, or one made from its first words.
    pub id: String,
    /// In which form it came: `claude-code`, `codex`, …
    pub kind: &'static str,
    /// How many turns it has.
    pub turns: usize,
    /// How many of them were read in an earlier run.
    pub seen: usize,
    /// Lines or records that could not be read.
    pub skipped: usize,
    /// Pieces that were read now.
    pub chunks: usize,
    /// Pieces there were to read.
    pub of: usize,
}

/// What a model asked for.
#[derive(Clone, Debug, Default, Serialize, JsonSchema)]
pub struct Decision {
    /// `kept`, `known`, `proposed` or `refused`.
    pub verdict: &'static str,
    /// The operation's verb; empty where it could not be read.
    pub op: String,
    /// Its address.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub at: Option<String>,
    /// Its text, or an entry's title.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub text: String,
    /// Why it was not kept.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub reasons: Vec<Reason>,
    /// The words that prove it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub quote: Option<String>,
    /// The turn in which they stand.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub turn: Option<usize>,
    /// The proposal it became.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub proposal: Option<String>,
}

/// Why something was not kept.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct Reason {
    /// The guard's name (`relative_date`), or an error's code (`bullet_not_found`).
    pub name: String,
    /// The offending words, or a sentence.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub what: String,
}

/// How many decisions of each kind.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Counts {
    /// What the model asked for.
    pub found: usize,
    /// What stands in the memory now.
    pub kept: usize,
    /// What it held already.
    pub known: usize,
    /// What waits in `inbox/`.
    pub proposed: usize,
    /// What was turned down.
    pub refused: usize,
}

impl std::ops::AddAssign for Counts {
    fn add_assign(&mut self, more: Counts) {
        self.found += more.found;
        self.kept += more.kept;
        self.known += more.known;
        self.proposed += more.proposed;
        self.refused += more.refused;
    }
}

/// Who was asked, and what it cost.
#[derive(Clone, Debug, Default, Serialize, JsonSchema)]
pub struct Asked {
    /// The provider.
    pub provider: String,
    /// The model.
    pub model: String,
    /// How often it was asked.
    pub turns: usize,
    /// Tokens of the questions, as the provider counts.
    pub input_tokens: u64,
    /// Tokens of the replies.
    pub output_tokens: u64,
}

/// What waits in the inbox, or what became of it.
#[derive(Clone, Debug, Default, Serialize, JsonSchema)]
pub struct Inbox {
    /// Whether any byte of the memory changed (with `dry_run`: would change).
    pub changed: bool,
    /// Nothing was written.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub dry_run: bool,
    /// What waits.
    pub proposals: Vec<Proposed>,
    /// Ids that were accepted.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub accepted: Vec<String>,
    /// Ids that were rejected.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub rejected: Vec<String>,
    /// Ids that nobody decided in time; they are gone.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub expired: Vec<String>,
    /// Texts that were kept after a collision; a person moves them.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub rescued: Vec<String>,
    /// The new revision.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub rev: Option<String>,
    /// The files that changed.
    pub files: Vec<ChangedFile>,
    /// What the reader should know.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub warnings: Vec<Told>,
}

/// One proposal.
#[derive(Clone, Debug, Default, Serialize, JsonSchema)]
pub struct Proposed {
    /// Its id.
    pub id: String,
    /// Its file.
    pub path: String,
    /// What it is about.
    pub title: String,
    /// Where it is from and why it waits, line by line.
    pub said: Vec<String>,
    /// The last day on which it can be accepted.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub until: Option<String>,
    /// The change as lines of a diff, as it was when it was proposed.
    pub diff: String,
    /// Whether the operation in it can still be read.
    pub readable: bool,
}
