//! Operations, and how a batch of them is planned into a changeset.
//!
//! Pure: `now`, `policy`, `snapshot` and `actor` are arguments. Never reads or writes a file.

mod action;
mod adopted;
pub mod apply_to_file;
pub mod archive;
mod bullet_links;
pub mod bullets;
pub mod choose_bullet;
pub mod conflict_regions;
pub mod dialects;
pub mod effects;
pub mod entry_text;
pub mod evict;
pub mod field_checks;
pub mod file_change;
pub mod file_edits;
pub mod graph;
pub mod graph_files;
mod hidden_items;
pub mod import;
pub mod inert_metadata;
mod known_bullet;
pub mod limits;
pub mod locate;
pub mod memory_index;
pub mod memory_tool;
pub mod merge;
pub mod moved_files;
pub mod overlay;
mod past_changes;
pub mod pending_edit;
pub mod plan;
pub mod planner;
pub mod reference_links;
pub mod rejections;
pub mod related_bullets;
pub mod relations;
pub mod relative_links;
pub mod relocate;
mod renamed_links;
pub mod resource_targets;
pub mod restore;
mod restore_place;
pub mod section_links;
pub mod set_values;
pub mod snapshot;
pub mod split_weeks;
pub mod squash;
pub mod unique_ids;
pub mod updated_dates;
pub mod validation;
pub mod whole_file;

use sha2::{Digest, Sha256};

pub use plan::{PlanOutcome, plan};
pub use planner::PlanContext;
pub use snapshot::{FileHistory, MissingInput, PastText, PlanStop, Snapshot};

use crate::text::hex;

/// One requested change, with the caller's preconditions and provenance.
#[derive(Clone, Debug, PartialEq)]
pub struct Operation {
    pub action: Action,
    /// At least 8 hex digits of the SHA-256 of the file or section that the caller read. Advisory: a stale value is
    /// no error by itself, it only proves less.
    pub seen: Option<String>,
    /// At least 8 hex digits of the SHA-256 of the whole file or, for an address with a section, of that section as it
    /// was read. Checked before everything else; `conflict` if it differs.
    pub if_match: Option<String>,
    /// The reason for the change, written to the journal.
    pub reason: Option<String>,
    /// The source of the change (a conversation, a document), written to the journal.
    pub source: Option<String>,
}

/// What an operation works on, as the caller wrote it; not resolved yet.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Target {
    /// An address, such as `user#work`, `user@acvh`, `@mem123`. See ARCHITECTURE.md, "Addresses". A file `NAME.json` is
    /// the file of that name; if there is none, the one whose front matter has it as `resource_id`.
    Address(String),
    /// The file at exactly this path (`Daily/note.md`), which need not exist. A name is never completed or looked for
    /// elsewhere.
    File(String),
    /// A category without a block: the section of that name in the policy's default file, created when missing.
    /// See ARCHITECTURE.md, "Operations".
    Category(String),
    /// The address of a section of a resource, `routine#timing_rules/quiet`; where there is none, the bullet that is the
    /// field of that name, `- quiet: true` in `routine#timing_rules`.
    SectionOrField(String),
    /// The block or bullet with this id; if no file has it, the category.
    IdOrCategory { id: String, category: String },
}

impl Operation {
    /// Whether it erases a text for good.
    pub fn is_forget(&self) -> bool {
        matches!(self.action, Action::Remove { forget: true, .. })
    }
}

impl Batch {
    /// Whether one of its operations erases a text for good.
    pub fn forgets(&self) -> bool {
        self.operations.iter().any(Operation::is_forget)
    }
}

impl From<Action> for Operation {
    fn from(action: Action) -> Operation {
        Operation { action, seen: None, if_match: None, reason: None, source: None }
    }
}

impl Batch {
    /// A digest of what the operations do, in hexadecimal: equal for equal actions in the same order, whatever their
    /// reasons and proofs.
    pub fn digest(&self) -> String {
        if let Some(digest) = &self.requested_digest {
            return digest.clone();
        }
        let mut hasher = Sha256::new();
        for operation in &self.operations {
            let action_only = Operation::from(operation.action.clone());
            hasher.update(dialects::to_json(&action_only).to_string());
            hasher.update("\n");
        }
        hex(&hasher.finalize()[..12])
    }
}

impl FromIterator<Action> for Batch {
    fn from_iter<T: IntoIterator<Item = Action>>(actions: T) -> Batch {
        Batch { operations: actions.into_iter().map(Operation::from).collect(), ..Batch::default() }
    }
}

impl Operation {
    /// What the operation works on; `None` where the planner chooses.
    pub fn target_mut(&mut self) -> Option<&mut Target> {
        match &mut self.action {
            Action::Add { at, .. }
            | Action::Update { at, .. }
            | Action::Remove { at, .. }
            | Action::Restore { at }
            | Action::Move { at, .. }
            | Action::Set { at, .. }
            | Action::Write { at, .. }
            | Action::Patch { at, .. } => Some(at),
            Action::Append { at, .. } | Action::Nothing { at } => at.as_mut(),
        }
    }

    /// The address, as written, of the file that the operation creates if it does not exist.
    pub fn created_name(&self) -> Option<&str> {
        let target = match &self.action {
            Action::Move { to, .. } => return Some(to),
            Action::Add { at, .. } | Action::Write { at, .. } => at,
            Action::Append { at, .. } => at.as_ref()?,
            Action::Update { .. }
            | Action::Remove { .. }
            | Action::Restore { .. }
            | Action::Set { .. }
            | Action::Patch { .. }
            | Action::Nothing { .. } => return None,
        };
        match target {
            Target::Address(written) | Target::SectionOrField(written) | Target::File(written) => Some(written),
            Target::Category(_) | Target::IdOrCategory { .. } => None,
        }
    }
}

/// The kind of an operation, with its arguments.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum Action {
    /// Adds one bullet at the end of a file or section.
    Add {
        at: Target,
        /// One line of plain text, not escaped.
        text: String,
        /// Markdown lines below the bullet, without the indent they share.
        children: Vec<String>,
        /// Metadata keys and values, in order.
        meta: Vec<(String, String)>,
        /// Create the file even if its name is similar to an existing one.
        create: bool,
    },
    /// Replaces the text of a bullet.
    Update {
        /// The bullet, or the file or section in which `index` and `old` select one.
        at: Target,
        /// The bullet's index in that file or section, from 1.
        index: Option<i64>,
        /// The bullet's present text.
        old: Option<String>,
        /// The bullet's new text: one line of plain text, not escaped.
        text: String,
        /// Markdown lines below the text, without the indent they share. If they only continue its paragraph, what is
        /// below the bullet's text stays; else they replace it.
        children: Vec<String>,
        /// Metadata keys and values to set, in order; an empty value removes the key.
        meta: Vec<(String, String)>,
        /// Keep a copy of the old bullet below `archive/`.
        archive: bool,
    },
    /// Removes a bullet, or (without a selector) a section or file.
    Remove {
        at: Target,
        /// The bullet's index in that file or section, from 1.
        index: Option<i64>,
        /// The bullet's present text.
        text: Option<String>,
        /// Keep a copy below `archive/`.
        archive: bool,
        /// With `archive`: the first day on which `prune` removes the copy for good, `YYYY-MM-DD`.
        purge: Option<String>,
        /// Keep no copy anywhere, history included.
        forget: bool,
        /// Change nothing if the bullet of that text was removed before.
        if_exists: bool,
    },
    /// Takes a bullet, section or file back from `archive/`.
    Restore {
        /// Its address in `archive/`, or the one that it had before.
        at: Target,
    },
    /// Moves a bullet, section or file.
    Move {
        at: Target,
        /// The destination address: a file or section for a bullet or section, a file for a file.
        to: String,
        /// Create the file even if its name is similar to an existing one.
        create: bool,
    },
    /// Sets values: a bullet's metadata, a section's title or id, a file's `summary`, `title` or front matter.
    Set {
        at: Target,
        /// Keys and values, in order; an empty value removes the key.
        pairs: Vec<(String, String)>,
    },
    /// Creates or replaces a whole file.
    Write {
        at: Target,
        /// The whole new text.
        text: String,
        /// Create the file even if its name is similar to an existing one.
        create: bool,
    },
    /// Replaces exact texts, each of which must occur exactly once in the file.
    Patch {
        at: Target,
        /// Old and new texts, in order; no old text may be empty.
        pairs: Vec<(String, String)>,
        /// Keep a copy of the old texts below `archive/`.
        archive: bool,
    },
    /// Appends an episode entry (in `episodes/`) or a block of markdown.
    Append {
        /// The file; `None` is the current episode file.
        at: Option<Target>,
        /// Markdown below the entry's title, or the whole entry with its title when `title` is `None`.
        text: String,
        title: Option<String>,
        /// The entry's date, `YYYY-MM-DD`; `None` is today.
        date: Option<String>,
        /// The entry's own summary, one line.
        summary: Option<String>,
        /// A replacement for the file's summary line.
        file_summary: Option<String>,
        /// Create the file even if its name is similar to an existing one.
        create: bool,
    },
    /// Makes no change. Lets a model answer explicitly that nothing is to be changed.
    Nothing {
        /// What the caller considered.
        at: Option<Target>,
    },
}

/// A batch of operations as the caller sent it.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Batch {
    pub operations: Vec<Operation>,
    /// The caller's id for the batch: a repeated id returns the first result (idempotency key).
    pub request: Option<String>,
    /// The digest that counts for the id, if it is not that of these operations: of the batch from which some were left
    /// out.
    pub requested_digest: Option<String>,
    /// The reason for operations that have none of their own.
    pub reason: Option<String>,
    /// The source of operations that have none of their own.
    pub source: Option<String>,
    /// The user's words of consent to the batch, verbatim: one or several quotes, each of which must agree.
    pub consent: Vec<String>,
}
