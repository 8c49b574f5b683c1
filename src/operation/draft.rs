//! What one operation wants of one file, before anybody looks at the others.
//!
//! Types only.

use crate::change::Effect;
use crate::document::Edit;
use crate::path::MemoryPath;

/// What one operation wants of one file.
#[derive(Debug)]
pub enum Draft {
    /// An edit of the present text (or of a new file's skeleton), and how to tell it.
    Edit(MemoryPath, Edit, Echo),
    /// The whole text; `touches` says that the caller wrote it and knows what it replaces.
    Whole(MemoryPath, String),
    /// The file goes.
    Gone(MemoryPath),
    /// The file gets another name; its text may change with it.
    Moved(MemoryPath, MemoryPath),
    /// The file's links were rewritten: derived values stay.
    Links(MemoryPath, Vec<Edit>),
    /// The caller wrote the file's summary line.
    Line(MemoryPath, String),
    /// Nothing to do, and this is told.
    Same(Effect),
}

/// How an edit is told once its handles are known.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Echo {
    /// The old bullet, then the new one.
    Updated(usize),
    /// The bullets that it wrote, under a new heading or an old one.
    Added,
    /// A bullet that goes.
    Removed(usize),
    /// `key=value` of a bullet.
    Values(usize, String),
    /// Already told in words.
    Told(Vec<Effect>),
    /// A bullet that moves; where.
    MovedAway(usize, String),
    /// Not told: the other half tells.
    Silent,
}
