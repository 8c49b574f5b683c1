//! The results of `log` and `show`.

use schemars::JsonSchema;
use serde::Serialize;

use super::{ChangedFile, CommitOrigin};
use crate::commands::history_export::ExportedHistory;
use crate::view::outline::LifeChange;

/// The history of a memory, of a file or of a bullet.
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[non_exhaustive]
pub struct LogResult {
    /// The entries, newest first.
    pub entries: Vec<LogRow>,
    /// When this machine's history starts (RFC 3339); absent if it has none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub since: Option<String>,
    /// The number of entries left out by a limit.
    pub more: usize,
    /// Every change with its texts, oldest first, for `import`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub history: Option<ExportedHistory>,
}

/// The state of a journal entry, or where an edit that memdir did not make comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum LogState {
    /// The revision is in effect.
    Done,
    /// Undone by a later revision.
    Undone,
    /// Put back, because a file changed meanwhile.
    PutBack,
    /// Not finished: a command writes it at this moment, or was interrupted.
    Pending,
    /// An edit outside memdir, before the next revision.
    Outside,
    /// An edit outside memdir that no revision has recorded yet.
    Unrecorded,
    /// For the log of a bullet: changed by a sync.
    Merged,
    /// For the log of a bullet: older than this machine's history.
    Committed,
}

impl LogState {
    /// Its name in text.
    pub fn name(self) -> &'static str {
        match self {
            LogState::Done => "done",
            LogState::Undone => "undone",
            LogState::PutBack => "put_back",
            LogState::Pending => "pending",
            LogState::Outside => "outside",
            LogState::Unrecorded => "unrecorded",
            LogState::Merged => "merged",
            LogState::Committed => "committed",
        }
    }
}

/// One journal entry or outside edit.
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[non_exhaustive]
pub struct LogRow {
    /// The revision, e.g. `r41`; absent for an outside edit.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub rev: Option<String>,
    /// The time (RFC 3339); absent for an outside edit.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub at: Option<String>,
    /// The actor; `outside` for an edit that memdir did not make.
    pub actor: String,
    /// Whether the change is in effect, or who made it if memdir did not.
    pub state: LogState,
    /// `undo r40`, `redo r40`, or the names of the operations (`add 2, rm`).
    pub what: String,
    /// The reason recorded with the change (`--reason`).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
    /// The items that have a reason of their own, such as the rule by which `prune` archived them.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub items: Vec<ItemReason>,
    /// The source recorded with the change (`--source`), such as a conversation.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub source: Option<String>,
    /// Who proposed what the actor accepted; several names are separated by commas.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub proposed_by: Option<String>,
    /// The recorded words with which the user agreed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub consent: Option<String>,
    /// The bullets whose texts `reflect` replaced, and the turns that say so.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub superseded: Vec<SupersededBullet>,
    /// The paths of the changed files.
    pub files: Vec<String>,
    /// For the log of a bullet: what happened to it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub bullet: Option<BulletStep>,
    /// With `-p` and `show`: the changed bullets, by file.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub effects: Vec<ChangedFile>,
    /// With `show`: a unified diff, if the history still has both texts.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub diff: Option<String>,
}

/// Why one item of a change was changed.
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[non_exhaustive]
pub struct ItemReason {
    /// The address that the operation names.
    pub at: String,
    /// The text of a bullet; absent for a section or file.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub text: Option<String>,
    /// The reason recorded for this item, e.g. the rule by which `prune` archived it.
    pub reason: String,
}

/// One change in the life of a bullet.
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[non_exhaustive]
pub struct BulletStep {
    /// What happened to the bullet in this revision.
    pub change: LifeChange,
    /// The path of its file after the change.
    pub path: String,
    /// The text before, for `updated`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub from: Option<String>,
    /// The file or section before, for `moved`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub moved_from: Option<String>,
    /// For a change that memdir did not make on this machine: the commit that brought it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub commit: Option<CommitOrigin>,
}

/// A bullet whose text was replaced because of a conversation.
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[non_exhaustive]
pub struct SupersededBullet {
    /// The path of its file.
    pub path: String,
    /// Its handle before the change.
    pub handle: String,
    /// Its text before the change.
    pub text: String,
    /// The id of the conversation.
    pub conversation: String,
    /// The number of the turn with the quote.
    pub turn: u64,
}
