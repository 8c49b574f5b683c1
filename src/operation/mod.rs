//! What is wanted: one `Operation`, whoever says it and in whatever dialect; and how it becomes a changeset.
//!
//! Pure: `now`, `policy`, `snapshot` and `actor` are arguments. Never touches a disk.

pub mod bullets;
pub mod choose;
pub mod desk;
pub mod draft;
pub mod effects;
pub mod evict;
pub mod finish;
pub mod gates;
pub mod inert;
pub mod joined;
pub mod keys;
pub mod limits;
pub mod locate;
pub mod merge;
pub mod plan;
pub mod read;
pub mod refuse;
pub mod regions;
pub mod relocate;
pub mod sequence;
pub mod sheet;
pub mod snapshot;
pub mod stamps;
pub mod values;
pub mod whole;
pub mod written;

pub use desk::Context;
pub use plan::{Planned, plan};
pub use snapshot::{History, Past, Snapshot, Stop, Want};

/// One thing to be done, with what its caller saw and says about it.
#[derive(Clone, Debug, PartialEq)]
pub struct Operation {
    /// What.
    pub action: Action,
    /// At least 8 hex digits of the sha256 of the file or section the caller read (advisory).
    pub seen: Option<String>,
    /// The same of the whole file, checked before all else.
    pub if_match: Option<String>,
    /// Why, for the journal.
    pub reason: Option<String>,
    /// From where, for the journal.
    pub source: Option<String>,
}

/// What an operation works on, as its caller wrote it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Target {
    /// An address (DESIGN 3): `user#work`, `user@acvh`, `@mem123`.
    Address(String),
    /// A category without a block: that section of the policy's default file, made when missing (seeds/bullet-crud.md 3).
    Category(String),
}

/// What an operation does.
#[derive(Clone, Debug, PartialEq)]
pub enum Action {
    /// Adds one bullet to a file or section, at its end.
    Add {
        /// The file or section.
        at: Target,
        /// One line, as people mean it.
        text: String,
        /// Markdown below it, each line indented from 0.
        children: Vec<String>,
        /// Metadata, in order.
        meta: Vec<(String, String)>,
        /// Make the file although its name is close to another's.
        create: bool,
    },
    /// Gives a bullet a new text.
    Update {
        /// The bullet, or the file or section in which `index` and `old` select.
        at: Target,
        /// From 1, as counted in that file or section.
        index: Option<i64>,
        /// The text it has.
        old: Option<String>,
        /// The text it gets: one line.
        text: String,
    },
    /// Removes a bullet, or (without selector) a section or file.
    Remove {
        /// The bullet, or the file or section.
        at: Target,
        /// From 1.
        index: Option<i64>,
        /// The text it has.
        text: Option<String>,
        /// Keep it below `archive/`.
        archive: bool,
        /// Keep it nowhere.
        forget: bool,
    },
    /// Moves a bullet, section or file.
    Move {
        /// What.
        at: Target,
        /// Where: a file or section for a bullet or section, a file for a file.
        to: String,
        /// Make the file although its name is close to another's.
        create: bool,
    },
    /// Sets values: a bullet's metadata, a section's title or id, a file's `summary`, `title` or front matter.
    Set {
        /// What.
        at: Target,
        /// Keys and values in order; an empty value removes the key.
        pairs: Vec<(String, String)>,
    },
    /// Makes or replaces a whole file.
    Write {
        /// The file.
        at: Target,
        /// Its text.
        text: String,
        /// Make the file although its name is close to another's.
        create: bool,
    },
    /// Replaces exact texts that must stand exactly once each.
    Patch {
        /// The file.
        at: Target,
        /// Old and new, in order; none may be empty on the left.
        pairs: Vec<(String, String)>,
    },
    /// Appends an episode entry (in `episodes/`) or a block of markdown.
    Append {
        /// The file; without one, the current episode file.
        at: Option<Target>,
        /// Markdown below the entry's title (or the whole entry, title included, when no title is given).
        text: String,
        /// The entry's title.
        title: Option<String>,
        /// `YYYY-MM-DD`; today without one.
        date: Option<String>,
        /// The entry's own one-line summary.
        summary: Option<String>,
        /// The file's summary line, as the caller wants it.
        file_summary: Option<String>,
        /// Make the file although its name is close to another's.
        create: bool,
    },
    /// Does nothing, and says so (`no_change` of seeds/json-memory.md).
    Nothing {
        /// What was looked at.
        at: Option<Target>,
    },
}

/// A batch as it was handed in.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Batch {
    /// In order.
    pub operations: Vec<Operation>,
    /// The caller's id for it: the same id again returns the first answer.
    pub request: Option<String>,
    /// Why, for operations that do not say.
    pub reason: Option<String>,
    /// From where, for operations that do not say.
    pub source: Option<String>,
}
