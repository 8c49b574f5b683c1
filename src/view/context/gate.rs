//! Who may see what: the one place through which items and files enter a context.
//!
//! Never looks at words. What an allowlist leaves out does not get here: the store shows it to nobody.

use jiff::civil::Date;

use crate::path::MemoryPath;
use crate::view::query::facts::About;

/// What may enter a context.
#[derive(Clone, Copy, Debug)]
pub struct Gate {
    /// The day on which it is asked: what has expired stays out.
    pub today: Date,
}

impl Gate {
    /// Whether a file may take part, by its folder: archived, proposed and procedural memory does not.
    pub fn folder(&self, path: &MemoryPath) -> bool {
        !matches!(path.folder(), Some("archive" | "inbox" | "procedures"))
    }

    /// Whether an item of such a file may be seen.
    pub fn item(&self, about: &About<'_>, item: usize) -> bool {
        about.expires(item).is_none_or(|day| day >= self.today)
    }
}
