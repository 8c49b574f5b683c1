//! The newest episode entries, each with its summary.
//!
//! Never reads a file: documents are arguments.

use jiff::civil::Date;

use super::context_filter::ContextFilter;
use super::notes::{CategoryQuotas, ContextNote};
use super::records::{entry_body, repeats_title};
use super::sanitize;
use crate::document::category_name;
use crate::policy::Policy;
use crate::text::llm_tokens::estimate_llm_tokens;
use crate::view::outline::labelled_value;
use crate::view::query::bullet_origins::BulletOrigins;
use crate::view::query::count::ItemizedFile;
use crate::view::query::item_facts::ItemFacts;
use crate::view::query::items::{ItemKind, label};

/// The maximum length of an entry's title and summary, in tokens.
const MAX_ENTRY_TOKENS: usize = 40;

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RecentEntry {
    pub address: String,
    pub day: Option<Date>,
    /// Title and summary on one sanitized line.
    pub text: String,
    /// The address of its bullet `Summary:`, if that begins with the title, as in a record.
    pub summary: Option<String>,
}

impl RecentEntry {
    /// Whether one of these items is its summary and says what its title does.
    pub fn is_among(&self, notes: &[ContextNote]) -> bool {
        self.summary.as_ref().is_some_and(|summary| notes.iter().any(|note| note.address == *summary))
    }

    /// Whether its line contains the whole text.
    pub fn is_whole(&self) -> bool {
        estimate_llm_tokens(&self.text) <= MAX_ENTRY_TOKENS
    }

    /// Its line: `- 2026-02-24 Short ID: UUID → 16-char hex (episodes/2026-02.md#short-id)`.
    pub fn line(&self) -> String {
        let day = self.day.map_or(String::new(), |day| format!("{day} "));
        format!("- {day}{} ({})", sanitize::truncate(&self.text, MAX_ENTRY_TOKENS), self.address)
    }
}

/// The entries of episode files, newest first; on the same day the later one in its file first.
pub fn recent_entries(files: &[ItemizedFile], policy: &Policy, filter: &ContextFilter) -> Vec<RecentEntry> {
    let origins = BulletOrigins::default();
    let mut all = Vec::new();
    for file in files {
        let facts = ItemFacts::new(file, &origins);
        for item in (0..file.items.len()).rev() {
            if file.items[item].kind == ItemKind::Entry && !is_hidden(&facts, item, filter) {
                let own = if policy.categories.is_empty() { Vec::new() } else { facts.categories(item) };
                let bounded = (0..policy.categories.len())
                    .filter(|n| policy.categories[*n].rag_length.is_some())
                    .filter(|n| own.contains(&category_name(&policy.categories[*n].name)))
                    .collect::<Vec<_>>();
                all.push((recent_entry(&facts, item, filter), bounded));
            }
        }
    }
    all.sort_by_key(|(entry, _)| std::cmp::Reverse(entry.day));
    let mut lengths = CategoryQuotas::new(policy);
    all.retain(|(_, bounded)| lengths.take(bounded, false));
    all.into_iter().map(|(entry, _)| entry).collect()
}

fn recent_entry(facts: &ItemFacts<'_>, item: usize, filter: &ContextFilter) -> RecentEntry {
    let file = facts.file;
    RecentEntry {
        address: sanitize::sanitize_line(&super::item_address(file, item)),
        day: facts.date(item).map(|m| m.day),
        text: sanitize::sanitize_line(&title_with_summary(facts, item, filter)),
        summary: (item + 1..file.items.len())
            .take_while(|other| file.items[*other].section == file.items[item].section)
            .find(|other| is_entry_summary(file, *other) && says_title(file, item, *other))
            .map(|other| sanitize::sanitize_line(&super::item_address(file, other))),
    }
}

/// Whether the summary of an entry begins with the title of the entry.
fn says_title(file: &ItemizedFile, entry: usize, summary: usize) -> bool {
    let text = super::item_text(file, summary);
    repeats_title(&super::item_text(file, entry), text.trim_start_matches("Summary:").trim_start())
}

/// Whether an item is the bullet `Summary:` of an entry, which the line of the entry contains.
pub fn is_entry_summary(file: &ItemizedFile, item: usize) -> bool {
    match file.items[item].kind {
        ItemKind::Bullet(b) => file.path.holds_episodes() && label(file.document.bullet_raw(b as usize)) == "Summary",
        _ => false,
    }
}

/// An entry's title, followed by its summary.
pub fn title_with_summary(facts: &ItemFacts<'_>, entry: usize, filter: &ContextFilter) -> String {
    let title = super::item_text(facts.file, entry);
    match shown_summary(facts, entry, filter) {
        Some(summary) if !summary.is_empty() => format!("{title}: {summary}"),
        _ => title,
    }
}

/// The summary of an entry, unless it has expired or is for another branch.
pub fn shown_summary(facts: &ItemFacts<'_>, entry: usize, filter: &ContextFilter) -> Option<String> {
    summaries(facts.file, entry).find(|(item, _)| filter.allows_item(facts, *item)).map(|(_, text)| text)
}

/// Whether an entry has a summary that may not be shown, and nothing else: its title says the same.
pub fn is_hidden(facts: &ItemFacts<'_>, entry: usize, filter: &ContextFilter) -> bool {
    summaries(facts.file, entry).next().is_some()
        && shown_summary(facts, entry, filter).is_none()
        && entry_body(facts, entry, filter).is_empty()
}

/// The bullets `Summary:` of an entry, with their texts.
fn summaries(file: &ItemizedFile, entry: usize) -> impl Iterator<Item = (usize, String)> {
    let section = file.items[entry].section;
    let own = (entry + 1..file.items.len()).take_while(move |item| file.items[*item].section == section);
    own.filter_map(|item| {
        let ItemKind::Bullet(bullet) = file.items[item].kind else { return None };
        let is_top = file.document.bullets()[bullet as usize].depth == 0;
        let text = file.document.bullet_text(bullet as usize);
        let summary = labelled_value(&text, "Summary").filter(|_| is_top)?;
        Some((item, summary.to_owned()))
    })
}
