//! The boundary types between planning and the disk: `Changeset` (what is about to be written) and `JournalEntry`
//! (what was written).
//!
//! Pure values. Never knows markdown and never touches the disk.

use std::fmt;
use std::sync::Arc;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use sha2::{Digest, Sha256};

use crate::code::Warning;
use crate::path::MemoryPath;
use crate::text::hex;

/// The SHA-256 of a file's exact bytes. Printed as 64 hex digits; any prefix of at least 8 is accepted.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Etag(pub [u8; 32]);

impl Etag {
    pub fn of(bytes: &[u8]) -> Etag {
        Etag(Sha256::digest(bytes).into())
    }

    /// All 64 hex digits, lower case.
    pub fn hex(&self) -> String {
        hex(&self.0)
    }

    /// The first 16 hex digits, as printed in answers.
    pub fn short(&self) -> String {
        hex(&self.0[..8])
    }

    /// Whether a text can be the start of an etag: 8 to 64 hex digits.
    pub fn is_prefix(text: &str) -> bool {
        (8..=64).contains(&text.len()) && text.bytes().all(|byte| byte.is_ascii_hexdigit())
    }

    /// Whether `proof` is a prefix of this etag: 8 to 64 hex digits, upper or lower case.
    pub fn matches_prefix(&self, proof: &str) -> bool {
        Etag::is_prefix(proof) && self.hex().starts_with(&proof.to_ascii_lowercase())
    }

    /// Parses exactly 64 hex digits.
    pub fn from_hex(hex: &str) -> Option<Etag> {
        let mut out = [0; 32];
        if hex.len() != 64 || !hex.is_ascii() {
            return None;
        }
        for (i, byte) in out.iter_mut().enumerate() {
            *byte = u8::from_str_radix(&hex[2 * i..2 * i + 2], 16).ok()?;
        }
        Some(Etag(out))
    }
}

impl fmt::Debug for Etag {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.short())
    }
}

/// A file as it was read: its bytes, and what is needed to detect that it changed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FileVersion {
    /// The exact bytes; empty where only the etag is needed.
    pub bytes: Arc<Vec<u8>>,
    pub etag: Etag,
    /// Permission bits (`0o7777`).
    pub mode: u32,
    /// The inode it was read from; 0 for a text that is not on disk.
    pub inode: u64,
}

impl FileVersion {
    /// A version that is not on disk (inode 0).
    pub fn new(bytes: Vec<u8>, mode: u32) -> FileVersion {
        FileVersion { etag: Etag::of(&bytes), bytes: Arc::new(bytes), mode, inode: 0 }
    }
}

/// What happens to one file. A moved file is a `Remove` and a `Create` that name each other.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FileChange {
    pub path: MemoryPath,
    /// The version that was planned on; `None` if the file must not exist.
    pub before: Option<FileVersion>,
    /// The new bytes; `None` removes the file.
    pub after: Option<Arc<Vec<u8>>>,
    /// Permission bits of the new file; `None` keeps the old ones (0o600 for a new file).
    pub mode: Option<u32>,
    /// The replacements that turn `before` into `after`, where both exist and the change is small.
    pub edits: Option<Vec<JournalEdit>>,
    /// The other path of a move.
    pub moved: Option<MemoryPath>,
    /// The derived summary line in `after`, where the plan wrote one.
    pub summary: Option<String>,
}

/// What an effect did, shown as one character at the start of its line.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, JsonSchema)]
#[non_exhaustive]
pub enum EffectSign {
    /// `+` added.
    #[serde(rename = "+")]
    Added,
    /// `-` removed.
    #[serde(rename = "-")]
    Removed,
    /// `=` was there already; nothing was done.
    #[default]
    #[serde(rename = "=")]
    Unchanged,
    /// `>` moved; `text` and `handle` are unchanged, `to` is the destination.
    #[serde(rename = ">")]
    Moved,
    /// `~` metadata, a heading or a value changed.
    #[serde(rename = "~")]
    Set,
}

impl EffectSign {
    /// The character shown: `+`, `-`, `=`, `>` or `~`.
    pub fn symbol(self) -> &'static str {
        match self {
            EffectSign::Added => "+",
            EffectSign::Removed => "-",
            EffectSign::Unchanged => "=",
            EffectSign::Moved => ">",
            EffectSign::Set => "~",
        }
    }
}

/// What a change did to one bullet, entry or value: one line of the answer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Effect {
    pub path: MemoryPath,
    pub sign: EffectSign,
    /// The bullet's handle as printed in the version of the file that contains it, if it is a bullet.
    pub handle: Option<String>,
    /// The explicit id without `^`, e.g. `mem123`; `None` without one.
    pub id: Option<String>,
    /// The bullet's text, the entry's title, or `key=value`.
    pub text: String,
    /// The section's slug; `None` above the first heading.
    pub section: Option<String>,
    /// The operation of the batch that caused it (0-based).
    pub operation: usize,
    /// The destination of a move.
    pub to: Option<String>,
}

/// Everything that one command is about to write.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Changeset {
    /// Files in the order in which they are written, each path once. Empty: nothing to do.
    pub files: Vec<FileChange>,
    pub effects: Vec<Effect>,
    pub warnings: Vec<Warning>,
    /// The operations as the journal records them (opaque to the store).
    pub operations: Vec<Value>,
    /// The revision that an `undo` or `redo` inverts.
    pub inverts: Option<InverseKind>,
    /// How many replacements the `patch` operations make.
    pub applied: usize,
    /// Keeps no text of this change in the history (`rm --forget`).
    pub forget: bool,
}

/// Which revision a changeset undoes or redoes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum InverseKind {
    Undo(u64),
    /// Applies that revision again, after it was undone or overwritten by an outside edit.
    Redo(u64),
}

/// Who changed what when and why: what a journal entry records beside the files. Its fields are part of the record's
/// JSON object.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct EntryHeader {
    /// RFC 3339 in UTC, to the second.
    pub at: String,
    pub actor: String,
    /// The value of `--reason`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
    /// The value of `--source`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub source: Option<String>,
    /// The user's words of consent (`--consent`).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub consent: Option<String>,
    /// The batch's `request` id.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub request: Option<String>,
    /// The digest of the operations of the batch with that id.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub request_digest: Option<String>,
}

/// Whether a journal entry took effect.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum EntryOutcome {
    /// The change took effect.
    Done,
    /// Rolled back (another program saved first, or the disk failed); it counts as never made.
    Undone,
    /// The writer stopped before the end record; the next writer completes it or rolls it back.
    Pending,
}

/// One file of a journal entry.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EntryFile {
    pub path: MemoryPath,
    /// The etag before; `None` if the file did not exist.
    pub before: Option<Etag>,
    /// The etag after; `None` if the file was removed.
    pub after: Option<Etag>,
    /// Permission bits (`0o7777`) of the old file, or of the new one for a created file.
    pub mode: u32,
    /// The replacements, where the change was small.
    pub edits: Option<Vec<JournalEdit>>,
    /// The other path of a move.
    pub moved: Option<MemoryPath>,
    /// The derived summary line, where this change wrote one.
    pub summary: Option<String>,
}

impl EntryFile {
    /// The replacements; none where they were not recorded.
    pub fn recorded_edits(&self) -> &[JournalEdit] {
        self.edits.as_deref().unwrap_or_default()
    }
}

/// The texts that a revision replaced in a file, each with the one that took its place. Those of an undo or redo are the
/// ones of the revision that it names: its own edits are cut where the two texts differ, and hold no whole ones.
pub fn replaced_texts<'e>(
    entries: &'e [JournalEntry],
    entry: &'e JournalEntry,
    path: &MemoryPath,
) -> Vec<(&'e str, &'e str)> {
    let (mut named, mut is_undone) = (entry, false);
    while let Some(InverseKind::Undo(rev) | InverseKind::Redo(rev)) = named.inverts {
        let Ok(at) = entries.binary_search_by_key(&rev, |other| other.rev) else { break };
        if rev >= named.rev {
            break;
        }
        is_undone ^= matches!(named.inverts, Some(InverseKind::Undo(_)));
        named = &entries[at];
    }
    let edits = named.files.iter().filter(|file| file.path == *path).flat_map(EntryFile::recorded_edits);
    let sides = |edit: &'e JournalEdit| if is_undone { (&*edit.new, &*edit.old) } else { (&*edit.old, &*edit.new) };
    if named.may_rephrase() {
        return edits.map(sides).collect();
    }
    // A bullet that was removed and one that was inserted side by side are one edit, and yet two bullets.
    edits.map(sides).flat_map(|(old, new)| [(old, ""), ("", new)]).collect()
}

/// A text replacement that can be applied in both directions.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct JournalEdit {
    /// Byte offset in the old text.
    pub start: usize,
    /// The text at `start` before the change.
    pub old: String,
    /// The text that replaced it.
    pub new: String,
}

/// Where a bullet was before a part of the history that `rm --forget` erased because of another bullet. It has no text,
/// and is dropped once the bullet is forgotten, too.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct BulletTrail {
    /// The file after the erased part.
    pub path: String,
    /// The bullet after the erased part: the number of its handle.
    pub bullet: u64,
    /// The nearest place before the erased part whose texts are kept; `None` if there is none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub from: Option<TrailStart>,
    /// Whether the erased part had other wordings of the bullet, or its beginning was not known.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub incomplete: bool,
}

/// A bullet in a file before a revision.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct TrailStart {
    pub rev: u64,
    pub path: String,
    /// The number of its handle.
    pub bullet: u64,
}

/// One revision of the journal.
#[derive(Clone, Debug, PartialEq)]
pub struct JournalEntry {
    /// The revision number: `r41` is 41. Grows by one with each intent record and is never reused.
    pub rev: u64,
    pub header: EntryHeader,
    /// The answer given to this request, returned again when the `request` id is repeated.
    pub answer: Option<Value>,
    /// The operations as recorded (opaque to the store).
    pub operations: Vec<Value>,
    pub inverts: Option<InverseKind>,
    pub outcome: EntryOutcome,
    pub files: Vec<EntryFile>,
    /// Its texts were erased by `rm --forget`.
    pub forgotten: bool,
}

/// The field of a recorded operation that names who proposed it, if another accepted it.
pub const PROPOSER_FIELD: &str = "by";

impl JournalEntry {
    /// Who proposed what another accepted with this entry, each once.
    pub fn proposers(&self) -> Vec<&str> {
        let mut names: Vec<&str> =
            self.operations.iter().filter_map(|operation| operation.get(PROPOSER_FIELD)?.as_str()).collect();
        names.sort_unstable();
        names.dedup();
        names
    }

    /// Whether it may give bullets other texts; operations that only add, remove and move do not.
    pub fn may_rephrase(&self) -> bool {
        let keeps = |name: &str| ["add", "rm", "mv", "set", "append"].contains(&name);
        let names = self.operations.iter().filter_map(|operation| operation.get("op")?.as_str());
        self.operations.is_empty() || !names.into_iter().all(keeps)
    }

    /// Whether this actor made or proposed the change.
    pub fn is_by(&self, name: &str) -> bool {
        self.header.actor == name || self.proposers().contains(&name)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_etag_is_proven_by_eight_or_more_of_its_digits() {
        let e = Etag::of(b"");
        assert!(e.hex().starts_with("e3b0c44298fc1c14"));
        assert_eq!(e.short(), "e3b0c44298fc1c14");
        assert!(e.matches_prefix("e3b0c442") && e.matches_prefix("E3B0C44298") && e.matches_prefix(&e.hex()));
        assert!(!e.matches_prefix("e3b0c44") && !e.matches_prefix("e3b0c443") && !e.matches_prefix(&(e.hex() + "0")));
        assert_eq!(Etag::from_hex(&e.hex()), Some(e));
        assert_eq!(Etag::from_hex("zz"), None);
    }
}
