//! The results of `reflect` and `inbox`.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::Serialize;

use super::decision_list::DecisionList;
use super::{ChangeResult, ChangedFile, WarningRow};

/// The result of reflecting on conversations.
#[derive(Clone, Debug, Default, Serialize, JsonSchema)]
#[non_exhaustive]
pub struct ReflectReport {
    /// Whether any byte of the memory changed (with `dry_run`: would change).
    pub changed: bool,
    /// The change was only planned; nothing was written.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub dry_run: bool,
    /// The conversations, in the order they were read.
    pub conversations: Vec<ConversationRow>,
    /// The new revisions, e.g. `r41`.
    pub revs: Vec<String>,
    /// The changed files, in the order of the revisions.
    pub files: Vec<ChangedFile>,
    /// With `dry_run`: the operations that would be applied, in the form that `apply` accepts.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub operations: Option<Vec<serde_json::Value>>,
    /// The operations that the model proposed, and what was decided about each.
    #[schemars(with = "Vec<ReflectDecision>")]
    pub decisions: DecisionList,
    /// The number of decisions of each kind.
    pub counts: DecisionCounts,
    /// The share of proposed operations that passed every guard at the first attempt, 0 to 1.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub first_pass: Option<f64>,
    /// The share of proposed operations that the conversation supports, 0 to 1.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub grounded: Option<f64>,
    /// The number of refused operations, by the name of the guard or error code.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub refused_by: BTreeMap<String, u64>,
    /// The model that was called.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub model: Option<ModelCallCosts>,
    /// With `--request`: the model that was called to find the items.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub finder: Option<ModelCallCosts>,
    /// With `--request`: what the model decided about the request.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub request: Option<RequestDecision>,
    /// Why the rest of the conversations was not read; absent if all were.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub partial: Option<String>,
    /// Why the conversations were queued instead; absent if they were not.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub deferred: Option<String>,
    /// Warnings about the run.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub warnings: Vec<WarningRow>,
}

impl ReflectReport {
    /// Adds what a change did.
    pub fn add_change(&mut self, change: ChangeResult) {
        self.changed |= change.changed;
        self.revs.extend(change.rev);
        self.files.extend(change.files);
        if let Some(operations) = change.operations {
            self.operations.get_or_insert_default().extend(operations);
        }
        self.warnings.extend(change.warnings);
    }
}

/// What was decided about a request.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum RequestVerdict {
    /// The model makes edits.
    Proceed,
    /// The model has nothing to change, or the memory has it already.
    NoChange,
    /// The model rejects the request.
    Reject,
    /// The edits of the model do not pass the checks.
    #[default]
    Refused,
}

/// What a model decided about a request.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, JsonSchema)]
#[non_exhaustive]
pub struct RequestDecision {
    /// What became of the request.
    pub decision: RequestVerdict,
    /// Why: in the model's words, unless it is `refused`.
    pub reasoning: String,
    /// How many items a search by a model found; absent if all items were shown to the one that decides.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub found: Option<usize>,
}

/// One conversation that was read.
#[derive(Clone, Debug, Default, Serialize, JsonSchema)]
#[non_exhaustive]
pub struct ConversationRow {
    /// The id of the conversation; derived from its first turns if it has none of its own.
    pub id: String,
    /// The transcript format: `claude-code`, `codex`, …
    pub kind: &'static str,
    /// The number of turns.
    pub turns: usize,
    /// The number of turns that an earlier run read.
    pub seen: usize,
    /// The number of lines or records that could not be parsed.
    pub skipped: usize,
    /// The number of chunks that this run read.
    pub chunks: usize,
    /// The number of chunks that were to be read.
    pub of: usize,
}

/// What became of an operation that the model proposed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum DecisionVerdict {
    /// The operation is applied.
    Kept,
    /// The memory has it already.
    Known,
    /// It waits in the inbox for a person.
    Proposed,
    /// A check does not let it pass, or it cannot be read.
    #[default]
    Refused,
}

/// The decision about one operation that the model proposed.
#[derive(Clone, Debug, Default, Serialize, JsonSchema)]
#[non_exhaustive]
pub struct ReflectDecision {
    /// What became of it.
    pub verdict: DecisionVerdict,
    /// The name of the operation; empty if it could not be parsed.
    pub op: String,
    /// The address that the operation names.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub at: Option<String>,
    /// The text of the operation, an entry's title, or the start of the JSON of an operation that could not be parsed.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub text: String,
    /// Why the operation was not applied.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub reasons: Vec<RefusalReason>,
    /// The quote from the conversation that supports it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub quote: Option<String>,
    /// The number of the turn that contains the quote.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub turn: Option<usize>,
    /// The id of the inbox proposal that was created from it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub proposal: Option<String>,
}

/// Why an operation was not applied.
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[non_exhaustive]
pub struct RefusalReason {
    /// The name of a guard (`relative_date`), or an error code (`bullet_not_found`).
    pub name: String,
    /// The offending words, or a message.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub what: String,
}

/// The number of decisions of each kind.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, JsonSchema)]
#[non_exhaustive]
pub struct DecisionCounts {
    /// Operations that the model proposed.
    pub found: usize,
    /// Operations that were applied.
    pub kept: usize,
    /// Operations whose content was already in the memory.
    pub known: usize,
    /// Operations that became proposals in `inbox/`.
    pub proposed: usize,
    /// Operations that were refused.
    pub refused: usize,
}

impl std::ops::AddAssign for DecisionCounts {
    fn add_assign(&mut self, other: DecisionCounts) {
        self.found += other.found;
        self.kept += other.kept;
        self.known += other.known;
        self.proposed += other.proposed;
        self.refused += other.refused;
    }
}

/// The model that was called, and the tokens used.
#[derive(Clone, Debug, Default, Serialize, JsonSchema)]
#[non_exhaustive]
pub struct ModelCallCosts {
    /// The provider, e.g. `anthropic`.
    pub provider: String,
    /// The name of the model.
    pub model: String,
    /// The number of model calls.
    pub turns: usize,
    /// Tokens of the requests, as counted by the provider.
    pub input_tokens: u64,
    /// Tokens of the replies, as counted by the provider.
    pub output_tokens: u64,
}

impl ModelCallCosts {
    /// Adds the calls of another run with the same model.
    pub(crate) fn add(&mut self, other: &ModelCallCosts) {
        self.turns += other.turns;
        self.input_tokens = self.input_tokens.saturating_add(other.input_tokens);
        self.output_tokens = self.output_tokens.saturating_add(other.output_tokens);
    }
}

/// The proposals in the inbox, or the result of accepting or rejecting some.
#[derive(Clone, Debug, Default, Serialize, JsonSchema)]
#[non_exhaustive]
pub struct InboxList {
    /// Whether any byte of the memory changed (with `dry_run`: would change).
    pub changed: bool,
    /// The change was only planned; nothing was written.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub dry_run: bool,
    /// The proposals that wait for a decision.
    pub proposals: Vec<ProposalRow>,
    /// The ids of accepted proposals.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub accepted: Vec<String>,
    /// The ids of rejected proposals.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub rejected: Vec<String>,
    /// The ids of proposals whose branch was merged, which accepts them. A list only names them; `prune`, `sync` and a
    /// decision remove their files.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub merged: Vec<String>,
    /// The git branch on which proposals were committed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub branch: Option<ProposalBranch>,
    /// Files in `inbox/` with texts that were rescued from a concurrent edit; they must be merged manually.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub rescued: Vec<String>,
    /// The new revision, e.g. `r41`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub rev: Option<String>,
    /// The changed files with their changed bullets.
    pub files: Vec<ChangedFile>,
    /// Warnings about the run.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub warnings: Vec<WarningRow>,
}

/// A git branch with proposals, one a commit.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, JsonSchema)]
#[non_exhaustive]
pub struct ProposalBranch {
    /// The name of the branch.
    pub name: String,
    /// The commit from which it starts.
    pub base: String,
    /// Its commits, the oldest first.
    pub commits: Vec<BranchCommit>,
    /// A text for a pull request, in Markdown.
    pub body: String,
}

/// A proposal as a commit.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, JsonSchema)]
#[non_exhaustive]
pub struct BranchCommit {
    /// The name of the commit.
    pub commit: String,
    /// The id of the proposal.
    pub proposal: String,
    /// The title of the proposal.
    pub title: String,
    /// The actor that proposed it; `unknown` if its file does not say.
    pub by: String,
    /// The changed bullets: the path of each file, then one line for each bullet.
    pub diff: Vec<String>,
}

/// One proposal in the inbox.
#[derive(Clone, Debug, Default, Serialize, JsonSchema)]
#[non_exhaustive]
pub struct ProposalRow {
    /// The id of the proposal.
    pub id: String,
    /// The path of its file in `inbox/`.
    pub path: String,
    /// The title of the proposal.
    pub title: String,
    /// Whether its last day has passed: it cannot be accepted, and `prune` removes it.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub expired: bool,
    /// Where the proposal is from and why it needs a decision, one line each.
    pub said: Vec<String>,
    /// The last day on which it can be accepted, `YYYY-MM-DD`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub until: Option<String>,
    /// The change as a diff: what `--accept` would write now; if that cannot be planned, as of the time of the proposal.
    pub diff: String,
    /// What to know about the diff, one sentence each: that accepting it erases history, why the proposal cannot be
    /// accepted as it is, which other bullets it would change now than when it was proposed, or that it would change
    /// nothing.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub notes: Vec<String>,
    /// Whether accepting it also erases the text from the history (`rm --forget`), which cannot be undone.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub forgets: bool,
    /// Whether the operation in the file can be parsed.
    pub readable: bool,
    /// Why it cannot be parsed, with the file.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub problem: Option<String>,
}
