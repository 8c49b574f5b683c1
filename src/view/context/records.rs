//! All items by date, newest first: the content of `context --records`.
//!
//! Never ranks: only the date counts; items without one are last.

use super::context_filter::ContextFilter;
use super::{entries, item_address, item_text, sanitize};
use crate::view::query::bullet_origins::BulletOrigins;
use crate::view::query::count::ItemizedFile;
use crate::view::query::item_facts::{ItemDate, ItemFacts};
use crate::view::query::items::{ItemKind, label};
use crate::view::stale_anchors::StaleAnchor;

/// A dated item.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DatedRecord {
    pub address: String,
    pub date: Option<ItemDate>,
    /// Its text as one sanitized line.
    pub text: String,
    pub stale_anchor: Option<StaleAnchor>,
}

/// The newest records of these files, at most `most`, and the number of all: bullets, paragraphs and table rows; from
/// episode files the entries with their summaries.
pub fn newest_records(
    files: &[ItemizedFile],
    origins: &BulletOrigins,
    filter: &ContextFilter,
    most: usize,
) -> (Vec<DatedRecord>, usize) {
    let mut all: Vec<(Option<ItemDate>, usize, usize)> = Vec::new();
    for (f, file) in files.iter().enumerate() {
        let facts = ItemFacts::new(file, origins);
        let counts = (0..file.items.len()).filter(|item| is_record(file, *item) && filter.allows_item(&facts, *item));
        all.extend(counts.map(|item| (facts.created(item), f, item)));
    }
    all.sort_by(|a, b| b.0.cmp(&a.0).then_with(|| (a.1, a.2).cmp(&(b.1, b.2))));
    let whole = all.len();
    all.truncate(most);
    let record = |(date, f, item): (Option<ItemDate>, usize, usize)| DatedRecord {
        address: sanitize::sanitize_line(&item_address(&files[f], item)),
        date,
        text: sanitize::sanitize_line(&match files[f].items[item].kind {
            ItemKind::Entry => entries::record_text(&files[f], item),
            _ => item_text(&files[f], item),
        }),
        stale_anchor: ItemFacts::new(&files[f], origins).stale_anchor(item),
    };
    (all.into_iter().map(record).collect(), whole)
}

fn is_record(file: &ItemizedFile, item: usize) -> bool {
    // A daily note may have no entries; then its bullets are the records.
    let has_entries = || file.path.folder() == Some("episodes") || file.items.iter().any(|i| i.kind == ItemKind::Entry);
    match file.items[item].kind {
        ItemKind::Entry => true,
        _ if file.path.holds_episodes() && has_entries() => false,
        ItemKind::Bullet(b) => !matches!(label(file.document.bullet_raw(b as usize)), "Updated" | "Date"),
        ItemKind::Paragraph | ItemKind::Row => true,
        ItemKind::Heading | ItemKind::Code => false,
    }
}
