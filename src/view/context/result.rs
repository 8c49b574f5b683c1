//! The result of `context`, as JSON and text.
//!
//! Never decides what a context contains.

use serde::Serialize;

use super::update_kind::UpdateKind;
use crate::document::Handle;
use crate::view::stale_anchors::StaleAnchor;

/// The layout of a context.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, schemars::JsonSchema)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum ContextStyle {
    /// Updates, pinned and important items, other facts, the index of what is left, the newest entries, and how to use
    /// memdir.
    #[default]
    Default,
    /// Only the index of files (ARCHITECTURE.md, "Ranking").
    Index,
    /// All items by date (ARCHITECTURE.md, "Ranking").
    Records,
}

/// What an agent should see at the start of a session.
#[derive(Clone, Debug, Default, Serialize, schemars::JsonSchema)]
#[non_exhaustive]
pub struct ContextResult {
    /// The layout of the text.
    pub style: ContextStyle,
    /// The budget in tokens.
    pub budget: usize,
    /// Estimated size of `text` in tokens.
    pub tokens: usize,
    /// The revision since which `updates` are reported.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub since: Option<String>,
    /// What has changed since this reader's last context: at most three events.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub updates: Vec<ContextUpdate>,
    /// How many more updates there are.
    #[serde(skip_serializing_if = "crate::view::outline::none_left_out")]
    pub more_updates: usize,
    /// Pinned and important items, and items of categories with `context: all`, most valuable first, then other facts
    /// in the order of their files; with `records` all items, newest first.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub items: Vec<ContextItem>,
    /// The index of files; without those of which everything is shown.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub files: Vec<ContextFile>,
    /// The newest episode entries.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub entries: Vec<ContextEntry>,
    /// What was left out, one line each, with the command that shows it.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub left_out: Vec<String>,
    /// The whole context as text, within the budget.
    pub text: String,
}

/// A change that the reader has not seen yet.
#[derive(Clone, Debug, PartialEq, Serialize, schemars::JsonSchema)]
#[non_exhaustive]
pub struct ContextUpdate {
    /// What happened to the item since the reader's last look.
    pub event: UpdateKind,
    /// The path of the file.
    pub path: String,
    /// The bullet's address, if the line has its whole text: `items` does not repeat it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub address: Option<String>,
    /// The line shown for it.
    pub text: String,
    /// The identity of the bullet whose whole text the line has. For hooks.
    #[serde(skip)]
    pub(crate) identity: Option<Handle>,
}

/// Why an item is shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, schemars::JsonSchema)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum ContextReason {
    Pinned,
    /// Its category has `context: all`.
    All,
    Important,
    /// Its importance is 5 or 6.
    Noted,
    Fact,
    Record,
}

/// An item of the context.
#[derive(Clone, Debug, PartialEq, Serialize, schemars::JsonSchema)]
#[non_exhaustive]
pub struct ContextItem {
    /// Its address: `facts/user.md@acvh`.
    pub address: String,
    /// Why it is shown.
    pub reason: ContextReason,
    /// The item's date, `YYYY-MM-DD`; absent if unknown.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub date: Option<String>,
    /// What is left of the confidence that it states, 0 to 1; below 0.5 it is marked and shown last.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub confidence: Option<f64>,
    /// The line shown for it, without its address.
    pub text: String,
    /// What the last `check --anchors` found wrong with its anchor.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub stale_anchor: Option<StaleAnchor>,
    /// Identity of a bullet's text: equal for bullets that say the same. For hooks.
    #[serde(skip)]
    pub(crate) identity: Option<Handle>,
}

/// A file of the index.
#[derive(Clone, Debug, PartialEq, Serialize, schemars::JsonSchema)]
#[non_exhaustive]
pub struct ContextFile {
    /// The path of the file.
    pub path: String,
    /// Its size in bytes.
    pub size: u64,
    /// The line shown for it.
    pub text: String,
}

/// A recent entry of an episode file.
#[derive(Clone, Debug, PartialEq, Serialize, schemars::JsonSchema)]
#[non_exhaustive]
pub struct ContextEntry {
    /// The address of the entry.
    pub address: String,
    /// The entry's date, `YYYY-MM-DD`; absent if unknown.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub date: Option<String>,
    /// The line shown for it.
    pub text: String,
}
