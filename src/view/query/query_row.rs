//! One item of a result: its address, its text, its score, and what it costs as text.
//!
//! Never decides which items are shown.

use serde::Serialize;
use serde_json::{Map, Value};

use crate::document::Handle;
use crate::policy::EffectiveConfidence;
use crate::text::llm_tokens::estimate_llm_tokens;
use crate::view::stale_anchors::{StaleAnchor, anchor_mark};

/// An item of the result.
#[derive(Clone, Debug, Default, Serialize, schemars::JsonSchema)]
#[non_exhaustive]
pub struct QueryRow {
    /// How close its vector is to that of the question, from -1 to 1; `None` without vectors. For hooks.
    #[serde(skip)]
    pub(crate) similarity: Option<f64>,
    /// Identity of a bullet's text: equal for bullets that say the same (`items::identity`). For hooks.
    #[serde(skip)]
    pub(crate) identity: Option<Handle>,
    /// Its address: `facts/user.md@acvh`, or the section for an item that is not a bullet.
    pub address: String,
    /// The path of the file.
    pub path: String,
    /// The slug of its section; absent above the first heading.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub section: Option<String>,
    /// The title of the entry or section, else of the file.
    pub title: String,
    /// The item's date, `YYYY-MM-DD`; absent if unknown.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub date: Option<String>,
    /// `bullet`, `entry`, `heading`, `paragraph`, `row` or `code`.
    pub kind: &'static str,
    /// The handle of a bullet, without `@`; absent for another item.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub handle: Option<String>,
    /// The explicit id of a bullet, without `^`; absent without one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub id: Option<String>,
    /// Its own `[category]`, else the `metadata.type` of its file, else its file's name.
    pub category: String,
    /// Its text on one line.
    pub text: String,
    /// With `full`: the item's source text, with its children.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub full: Option<String>,
    /// With `full`: the source text of the episode entry it belongs to.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub entry: Option<String>,
    /// The values of its metadata, by key: `{"imp": "7"}`.
    #[serde(skip_serializing_if = "Map::is_empty")]
    pub meta: Map<String, Value>,
    /// The git branch that it is for; absent if it is for all.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub branch: Option<String>,
    /// The last day on which it was valid, `YYYY-MM-DD`; absent if it still is. Only with `all`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub expired: Option<String>,
    /// What the last `check --anchors` found wrong with its anchor.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub stale_anchor: Option<StaleAnchor>,
    /// The address of the item of a nearer layer that says otherwise, and which counts.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub overruled_by: Option<String>,
    /// Its score; comparable within one result only.
    pub score: f64,
    /// Relevance from 0 to 1; 1 if it contains every term of the query. `threshold` is compared with it.
    pub relevance: f64,
    /// With `explain`: what each part contributed to the score.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub parts: Option<Vec<ScorePart>>,
    /// With `explain`: the confidence that it states, and what is left of it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub confidence: Option<ConfidenceNote>,
    /// For an item shown because it is linked to a matching one: that link.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub linked: Option<LinkReason>,
}

/// The direction of a link between a matching item and one that is shown because of it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, schemars::JsonSchema)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum LinkDirection {
    /// This item contains the link.
    To,
    /// The matching item contains it.
    From,
}

/// The link between a matching item and one that is shown because of it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, schemars::JsonSchema)]
#[non_exhaustive]
pub struct LinkReason {
    /// The matching item's address.
    pub with: String,
    /// Which of the two contains the link.
    pub direction: LinkDirection,
    /// The relation that the linking item names: `depends_on`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub relation: Option<String>,
}

impl LinkReason {
    /// The link on one line: `← facts/user.md@acvh depends_on`.
    pub fn line(&self) -> String {
        let arrow = if self.direction == LinkDirection::To { '→' } else { '←' };
        match &self.relation {
            Some(relation) => format!("{arrow} {} {relation}", self.with),
            None => format!("{arrow} {}", self.with),
        }
    }
}

/// A part of a score.
#[derive(Clone, Debug, PartialEq, Serialize, schemars::JsonSchema)]
#[non_exhaustive]
pub struct ScorePart {
    /// The term as the search compares it, with the word for which it stands in (`kayak for kyaak`); or `(file)`,
    /// `(time)`, `(latest)`, `(question)`, `(speaker)`, `(insight)`, `(name)`, `(vector)`, `(link)`.
    pub term: String,
    /// What it added to the score.
    pub score: f64,
    /// Whether the term stands in the item itself, and not only beside it.
    #[serde(skip)]
    pub is_own: bool,
}

/// A stated confidence and what its age left of it.
#[derive(Clone, Debug, PartialEq, Serialize, schemars::JsonSchema)]
#[non_exhaustive]
pub struct ConfidenceNote {
    /// As the item states it, 0 to 1.
    pub stated: f64,
    /// What is left of it; `conf` is compared with it.
    pub effective: f64,
    /// The day on which it begins to decay, `YYYY-MM-DD`; absent if it does not.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub since: Option<String>,
    /// How many days ago that was.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub age_days: Option<u32>,
}

impl ConfidenceNote {
    /// On one line: `confidence 0.8, now 0.31: 247 days since 2025-06-22`.
    pub fn line(&self) -> String {
        match (&self.since, self.age_days) {
            (Some(since), Some(days)) => {
                format!("confidence {}, now {}: {days} days since {since}", self.stated, self.effective)
            }
            _ => format!("confidence {}", self.stated),
        }
    }
}

impl ConfidenceNote {
    pub(crate) fn of(confidence: EffectiveConfidence) -> ConfidenceNote {
        ConfidenceNote {
            stated: confidence.stated,
            effective: confidence.rounded(),
            since: confidence.since.map(|day| day.to_string()),
            age_days: confidence.since.map(|_| confidence.age_days),
        }
    }
}

/// The mark behind the text of an item that is for one branch: ` (branch login)`.
pub fn branch_mark(name: &str) -> String {
    format!(" (branch {name})")
}

/// The mark behind the text of an item that is no longer valid: ` (expired 2026-02-24)`.
pub fn expired_mark(last_day: &str) -> String {
    format!(" (expired {last_day})")
}

impl QueryRow {
    /// The heading of a group of items: `facts/user.md#work: Work (2026-02-24)`.
    pub fn heading(&self) -> String {
        let mut head = self.path.clone();
        if let Some(section) = &self.section {
            head.push('#');
            head.push_str(section);
        }
        if !self.title.is_empty() {
            head.push_str(": ");
            head.push_str(&self.title);
        }
        if let Some(date) = &self.date {
            head.push_str(&format!(" ({date})"));
        }
        head
    }

    /// The text below the heading: the item on one line, and the source text if it is given.
    pub fn lines(&self) -> (Option<&str>, Option<&str>) {
        let Some(full) = self.full.as_deref() else { return (Some(&self.text), None) };
        let entry = self.entry.as_deref().map(str::trim_end);
        match (&self.handle, full.split_once('\n')) {
            (Some(_), Some((_, below))) => {
                (Some(&self.text), entry.or(Some(below.trim_end()).filter(|b| !b.is_empty())))
            }
            (Some(_), None) => (Some(&self.text), entry),
            (None, _) => (None, entry.or(Some(full.trim_end()))),
        }
    }

    /// Estimated size as text, in tokens; `last` is the heading of the item before it.
    pub fn token_cost(&self, last: &str) -> usize {
        let head = self.heading();
        let name = self.handle.as_ref().map_or(0, |h| estimate_llm_tokens(h) + 1);
        let parts: usize = self.parts.iter().flatten().map(|p| estimate_llm_tokens(&p.term) + 4).sum();
        let above = if head == last { 0 } else { estimate_llm_tokens(&head) + 1 };
        let (line, more) = self.lines();
        let lines: usize = [line, more].into_iter().flatten().map(|text| estimate_llm_tokens(text) + 1).sum();
        let link = self.linked.as_ref().map_or(0, |tie| estimate_llm_tokens(&tie.line()) + 1);
        let mark = self.stale_anchor.map_or(0, |state| estimate_llm_tokens(&anchor_mark(state)));
        let branch = self.branch.as_ref().map_or(0, |name| estimate_llm_tokens(&branch_mark(name)));
        let expired = self.expired.as_ref().map_or(0, |day| estimate_llm_tokens(&expired_mark(day)));
        let confidence = self.confidence.as_ref().map_or(0, |note| estimate_llm_tokens(&note.line()) + 1);
        let overruled = self.overruled_by.as_ref().map_or(0, |by| estimate_llm_tokens(by) + 4);
        above + name + lines + parts + link + branch + expired + mark + confidence + overruled
    }
}
