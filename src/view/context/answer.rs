//! What a context is, as an answer.
//!
//! Never decides what is in it.

use serde::Serialize;

/// What a session should see first.
#[derive(Clone, Debug, Default, Serialize, schemars::JsonSchema)]
pub struct Context {
    /// `default`, `index` or `records`.
    pub style: &'static str,
    /// At most so many tokens.
    pub budget: usize,
    /// About how many tokens the text takes.
    pub tokens: usize,
    /// The revision since which the updates are told.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub since: Option<String>,
    /// What has changed since this reader looked last: at most three.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub updates: Vec<Update>,
    /// How many more updates there are.
    #[serde(skip_serializing_if = "crate::view::outline::none_left_out")]
    pub more_updates: usize,
    /// Pinned and important items and those of categories that are always there, most valuable first; with `records`
    /// all items, newest first.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub items: Vec<ContextItem>,
    /// The index.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub files: Vec<ContextFile>,
    /// The newest entries.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub entries: Vec<ContextEntry>,
    /// What was left out, line by line, with the command to see it.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub left_out: Vec<String>,
    /// All of it as text, within the budget.
    pub text: String,
}

/// One change that a reader has not seen.
#[derive(Clone, Debug, PartialEq, Serialize, schemars::JsonSchema)]
pub struct Update {
    /// `created`, `updated`, `merged`, `deleted`, `soft_deleted` or `restored`.
    pub event: &'static str,
    /// The file.
    pub path: String,
    /// Its line.
    pub text: String,
}

/// One item.
#[derive(Clone, Debug, PartialEq, Serialize, schemars::JsonSchema)]
pub struct ContextItem {
    /// Its address.
    pub address: String,
    /// `pinned`, `all` (its category is always there), `important`, `noted` (a lower importance) or `record`.
    pub why: &'static str,
    /// When it is from, `YYYY-MM-DD`; none where that is unknown.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub date: Option<String>,
    /// Its line.
    pub text: String,
}

/// One file of the index.
#[derive(Clone, Debug, PartialEq, Serialize, schemars::JsonSchema)]
pub struct ContextFile {
    /// Its path.
    pub path: String,
    /// Bytes.
    pub size: u64,
    /// Its line.
    pub text: String,
}

/// One episode entry.
#[derive(Clone, Debug, PartialEq, Serialize, schemars::JsonSchema)]
pub struct ContextEntry {
    /// Its address.
    pub address: String,
    /// When it is from.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub date: Option<String>,
    /// Its line.
    pub text: String,
}
