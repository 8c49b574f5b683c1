//! Who may see what: the one place through which items and files enter a context.
//!
//! Never looks at words.

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

    /// Whether a file takes part. `text` is its bytes, of a large one at least the first.
    pub fn file(&self, path: &MemoryPath, _text: &[u8]) -> bool {
        // An allowlist's say on a whole file (its name, its tags) belongs here.
        self.folder(path)
    }

    /// Whether an item of such a file may be seen.
    pub fn item(&self, about: &About<'_>, item: usize) -> bool {
        // An allowlist's say on an item (its categories) belongs here.
        about.expires(item).is_none_or(|day| day >= self.today)
    }
}
