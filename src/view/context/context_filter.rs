//! Decides which items and files may enter a context.
//!
//! Never checks an allowlist: the store's read filter has already removed what this reader may not see.

use jiff::civil::Date;

use crate::document::MetaKey;
use crate::path::MemoryPath;
use crate::view::query::item_facts::ItemFacts;

/// What may enter a context.
#[derive(Clone, Debug)]
pub struct ContextFilter {
    /// The current date where the caller is: expired items are left out.
    pub today: Date,
    /// The git branch that is checked out where the caller works: bullets for another one are left out. Without one
    /// nothing says that another is meant.
    pub branch: Option<String>,
}

impl ContextFilter {
    /// Whether a file's folder may enter: archived, proposed and procedural memory may not.
    pub fn allows_folder(&self, path: &MemoryPath) -> bool {
        !(path.is_set_aside() || path.is_procedure())
    }

    /// Whether an item of such a file may enter: it has not expired, and is not for another branch.
    pub fn allows_item(&self, facts: &ItemFacts<'_>, item: usize) -> bool {
        let meta = facts.meta(item);
        let is_for_another = |branch: &String| meta.valid(MetaKey::Branch).is_some_and(|name| name != branch);
        facts.expires(item).is_none_or(|day| day >= self.today) && !self.branch.as_ref().is_some_and(is_for_another)
    }
}
