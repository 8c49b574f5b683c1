//! The edits that one operation requests, before they are combined with those of the other operations.
//!
//! Types only; never applies an edit.

use crate::change::Effect;
use crate::document::DocumentEdit;
use crate::path::MemoryPath;

use super::archive::ArchivedItem;

/// One change of one file, requested by one operation.
#[derive(Debug)]
pub enum PendingEdit {
    /// An edit of the present text (or of a new file's initial text), and how the result reports it.
    Edit(MemoryPath, DocumentEdit, EffectKind),
    /// Replaces the whole text.
    ReplaceText(MemoryPath, String),
    RemoveFile(MemoryPath),
    /// Renames the file. Its links to itself may change with it.
    MoveFile(MemoryPath, MemoryPath),
    /// Updates links to a moved file. Does not recompute the summary line or dates.
    UpdateLinks(MemoryPath, Vec<DocumentEdit>),
    /// Replaces the file's summary line by the caller's.
    SetSummary(MemoryPath, String),
    /// Adds a copy of an item to its archive file, once all other edits are applied.
    Archive(Box<ArchivedItem>),
    /// No change; the effect reports why.
    Unchanged(Effect),
}

/// How the result reports an edit. The effects are built after the edit, when the new handles are known.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum EffectKind {
    /// The old bullet as removed, then the new one as added.
    Updated(usize),
    /// The inserted bullets, and their heading when it is new.
    Added,
    /// The removed bullet, by its index before the edit.
    Removed(usize),
    /// A bullet whose metadata was set, and `key=value` for each key.
    MetaSet(usize, String),
    /// Effects that were built before the edit.
    Prepared(Vec<Effect>),
    /// A moved bullet, and the address of its destination.
    MovedAway(usize, String),
    /// No effects: another edit of the same operation reports the change.
    NoEffect,
}
