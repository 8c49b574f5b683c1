//! Compacts a file or section that is over its limit: the prompt for the model, the decisions it may make, and the
//! operations that carry them out.
//!
//! Never removes an item that no operation names, and never changes a pinned item.

use crate::document::{DEFAULT_IMPORTANCE, Document, Visibility};
use crate::operation::evict::{self, EvictionCandidate, ItemAges};
use crate::operation::limits::{ContentSize, LimitedSection};
use crate::path::MemoryPath;
use crate::reflect::merge_conditions::HiddenLines;

mod binding;
mod carried;
mod conservation;
mod decide;
mod mergeable;
mod pairing;
mod prompt;
mod reply;
mod stated_fields;
mod step;
mod subjects;

pub use binding::rearranged_item;
pub use carried::{added_words, missing_content_words, missing_words};
pub use conservation::check_conservation;
pub use decide::bullet_text;
pub use decide::{CompactionAction, CompactionDecision, CompactionRules, decide};
pub use mergeable::ItemConditions;
pub use prompt::strip_invisible;
pub use prompt::{bounded_decision_schema, build_correction, build_question, decision_schema, system_prompt};
pub use reply::parse_reply;
pub use stated_fields::added_field;
pub use step::{
    CompactionEdit, CompactionStep, bullet_removal, bullet_rewrite, current_operations, is_current, plan_steps,
    removal_steps,
};

/// The maximum number of items in the prompt: the oldest that are not pinned. The others stay.
const MAX_ITEMS: usize = 100;
/// The maximum length of a bullet with its children in the prompt, in characters.
const MAX_BULLET_CHARS: usize = 600;
/// The maximum length of an entry in the prompt, in characters.
const MAX_ENTRY_CHARS: usize = 2000;

/// A file or section over its limit, with the items that a model decides about.
#[derive(Clone, Debug)]
pub struct OverLimit {
    pub path: MemoryPath,
    /// The address of the file or section.
    pub address: String,
    /// The size now, by each measure.
    pub size: ContentSize,
    /// How far it is over the limit.
    pub over: ContentSize,
    /// Whether the items are entries (sections) instead of bullets.
    pub entries: bool,
    /// The items in the prompt, in file order.
    pub items: Vec<CompactionItem>,
    /// How many items are not in the prompt.
    pub omitted: usize,
}

/// One item in the prompt.
#[derive(Clone, Debug)]
pub struct CompactionItem {
    /// The bullet or entry in the document.
    pub candidate: EvictionCandidate,
    /// The handle of a bullet, or the slug of an entry.
    pub name: String,
    /// The explicit id, if it has one.
    pub id: Option<String>,
    /// Its date; empty if unknown.
    pub date: String,
    /// From 0 to 10; of an entry, the highest that something in it states.
    pub importance: u8,
    /// Whether it, or anything in it, is pinned.
    pub pinned: bool,
    /// Whether the current change added it.
    pub new: bool,
    /// The text in the prompt: redacted, and truncated to the maximum length.
    pub text: String,
    /// Whether `text` is the full text. A truncated or redacted item cannot be rewritten: the rest would be lost.
    pub complete: bool,
    /// What must be equal of items that are merged.
    pub conditions: ItemConditions,
    /// The size that removing it frees.
    pub weight: ContentSize,
}

impl OverLimit {
    /// Collects the items of a file or section. `agents` are those with an allowlist, as in [`Visibility::of_agents`];
    /// `redact` removes secrets before a text is sent to a model.
    pub fn collect(
        document: &Document,
        path: &MemoryPath,
        limited: &LimitedSection,
        ages: &ItemAges<'_>,
        agents: &[Visibility],
        redact: &dyn Fn(&str) -> String,
    ) -> OverLimit {
        let over = limited.excess(document);
        let entries = over.entries > 0;
        let all: Vec<EvictionCandidate> = if entries {
            crate::operation::limits::entry_sections(document, limited.section)
                .into_iter()
                .map(EvictionCandidate::Entry)
                .collect()
        } else {
            document.top_level_bullets(limited.section).into_iter().map(EvictionCandidate::Bullet).collect()
        };
        let mut shown = all.clone();
        if shown.len() > MAX_ITEMS {
            shown.sort_by_cached_key(|t| {
                (evict::contains_pinned(document, *t, ages.inert), evict::candidate_date(document, *t, ages), *t)
            });
            shown.truncate(MAX_ITEMS);
            shown.sort();
        }
        let address = match limited.section {
            0 => path.to_string(),
            s => format!("{path}#{}", document.sections()[s].slug),
        };
        let hidden = HiddenLines::of(document, path, agents);
        OverLimit {
            path: path.clone(),
            address,
            size: crate::operation::limits::section_size(document, limited.section),
            over,
            entries,
            omitted: all.len() - shown.len(),
            items: shown.into_iter().map(|item| compaction_item(document, item, ages, &hidden, redact)).collect(),
        }
    }
}

fn compaction_item(
    document: &Document,
    candidate: EvictionCandidate,
    ages: &ItemAges<'_>,
    hidden: &HiddenLines<'_>,
    redact: &dyn Fn(&str) -> String,
) -> CompactionItem {
    let lines = document.text()[evict::byte_range(document, candidate)].trim_end();
    let conditions = ItemConditions::of(document, candidate, ages, hidden);
    let (name, id, text, importance, max_chars) = match candidate {
        EvictionCandidate::Bullet(i) => {
            let b = &document.bullets()[i];
            let has_children = document.bullets().get(i + 1).is_some_and(|next| next.line_start < b.end);
            let text = if has_children {
                lines.trim_start().trim_start_matches(['-', '*', '+']).trim_start().to_owned()
            } else {
                document.bullet_text(i).into_owned()
            };
            let meta = evict::effective_meta(document, i, ages.inert);
            let id = document.bullet_id(i).map(|id| id.into_owned());
            (document.handle_name(i), id, text, evict::importance(&meta), MAX_BULLET_CHARS)
        }
        EvictionCandidate::Entry(s) => {
            let section = &document.sections()[s];
            let importance = conditions.importance.unwrap_or(DEFAULT_IMPORTANCE);
            (section.slug.clone(), section.id.clone(), lines.to_owned(), importance, MAX_ENTRY_CHARS)
        }
    };
    let redacted = redact(&text);
    let truncated: String = redacted.chars().take(max_chars).collect();
    CompactionItem {
        candidate,
        name,
        id,
        date: evict::candidate_date(document, candidate, ages),
        importance,
        pinned: evict::contains_pinned(document, candidate, ages.inert),
        new: evict::is_new(document, candidate, ages),
        complete: truncated.len() == redacted.len() && redacted == text,
        text: truncated,
        conditions,
        weight: evict::candidate_size(document, candidate),
    }
}

#[cfg(test)]
mod tests;
