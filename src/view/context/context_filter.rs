//! Decides which items and files may enter a context.
//!
//! Never checks an allowlist: the store's read filter has already removed what this reader may not see.

use jiff::civil::Date;

use crate::path::MemoryPath;
use crate::view::query::item_facts::ItemFacts;

/// What may enter a context.
#[derive(Clone, Copy, Debug)]
pub struct ContextFilter {
    /// The current date where the caller is: expired items are left out.
    pub today: Date,
}

impl ContextFilter {
    /// Whether a file's folder may enter: archived, proposed and procedural memory may not.
    pub fn allows_folder(&self, path: &MemoryPath) -> bool {
        !matches!(path.folder(), Some("archive" | "inbox" | "procedures"))
    }

    /// Whether an item of such a file may enter: it has not expired.
    pub fn allows_item(&self, facts: &ItemFacts<'_>, item: usize) -> bool {
        facts.expires(item).is_none_or(|day| day >= self.today)
    }
}
