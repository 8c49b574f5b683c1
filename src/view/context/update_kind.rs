//! The kinds of memory updates, with their names in JSON and in text.

use schemars::JsonSchema;
use serde::Serialize;

/// What happened to an item or file.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum UpdateKind {
    #[default]
    Created,
    /// Text, metadata or position changed.
    Updated,
    /// Other bullets were merged into it.
    Merged,
    Deleted,
    /// Moved to the archive.
    SoftDeleted,
    /// Back from the archive, or brought back by undo or redo.
    Restored,
}

impl UpdateKind {
    /// Whether the item is there after it.
    pub(super) fn is_there(self) -> bool {
        !matches!(self, UpdateKind::Deleted | UpdateKind::SoftDeleted)
    }

    /// Its symbol and name in a line of text.
    pub(super) fn label(self) -> &'static str {
        match self {
            UpdateKind::Created => "+created",
            UpdateKind::Updated => "↑updated",
            UpdateKind::Merged => "↔merged",
            UpdateKind::Deleted => "-deleted",
            UpdateKind::SoftDeleted => "↓soft-deleted",
            UpdateKind::Restored => "↺restored",
        }
    }
}
