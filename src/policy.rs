//! What the data dir allows: `memdir.yaml`, read and checked.
//!
//! Never names a command, an endpoint, a key, a model or a path outside: a policy may arrive by `git clone`.

use crate::code::{Rejection, Warning};

/// Episodes by month (`2026-02.md`) or by week (`2026-W07.md`).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Period {
    /// `YYYY-MM.md`
    #[default]
    Month,
    /// `YYYY-Www.md`
    Week,
}

/// What happens when a limit is reached.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum OnLimit {
    /// The operation is refused.
    #[default]
    Refuse,
    /// The least valuable items make room.
    Compact,
}

/// A limit on a block or file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Limit {
    /// A glob over paths (`facts/*.md`, `**`), perhaps with `#slug` for one section of it.
    pub at: String,
    /// Most bullets.
    pub bullets: Option<usize>,
    /// Most `##` entries.
    pub entries: Option<usize>,
    /// Most characters (Unicode scalar values) of bullet text.
    pub chars: Option<usize>,
    /// What then.
    pub on_limit: OnLimit,
}

/// Stamps that memdir writes on items.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stamp {
    /// `added=DATE` on new bullets.
    Added,
    /// `by=NAME` on new and changed bullets.
    By,
    /// `upd=DATE` on changed bullets.
    Upd,
    /// `src=ID` where the caller gives a source.
    Src,
    /// Keeps an existing `- Updated:` bullet or front matter `updated`/`last_updated` current.
    Updated,
}

/// The policy of a data dir.
#[derive(Clone, Debug, PartialEq)]
pub struct Policy {
    /// The format's version; 1 without a file.
    pub version: u64,
    /// Where a category without a block goes.
    pub default_file: String,
    /// How episode files are named.
    pub episodes: Period,
    /// Limits, in file order; the first that fits a place counts for each measure.
    pub limits: Vec<Limit>,
    /// Stamps to write.
    pub stamps: Vec<Stamp>,
}

impl Default for Policy {
    fn default() -> Self {
        Policy {
            version: 1,
            default_file: "facts/user.md".into(),
            episodes: Period::Month,
            limits: Vec::new(),
            stamps: Vec::new(),
        }
    }
}

/// What came of reading a policy.
#[derive(Clone, Debug, PartialEq)]
pub struct Loaded {
    /// What is known of it; defaults for the rest.
    pub policy: Policy,
    /// Why nothing may be written under it, if so (an unknown key of a known version, with its line).
    pub refuses_writes: Option<Rejection>,
    /// What readers should be told.
    pub warnings: Vec<Warning>,
}

/// Reads a policy's text. Never fails: a broken policy refuses writes and lets reads go on.
pub fn load(yaml: &str) -> Loaded {
    let _ = yaml;
    todo!()
}
