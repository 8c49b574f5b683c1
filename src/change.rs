//! What is about to happen (`Changeset`), and what did (`Entry`): the narrow waist between planning and the disk.
//!
//! Pure values. Knows no markdown and does nothing itself.

use std::fmt;
use std::sync::Arc;

use serde_json::Value;
use sha2::{Digest, Sha256};

use crate::code::Warning;
use crate::path::MemoryPath;

/// The sha256 of a file's exact bytes. Printed as 64 hex digits; any prefix of at least 8 is accepted.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Etag(pub [u8; 32]);

impl Etag {
    /// The etag of some bytes.
    pub fn of(bytes: &[u8]) -> Etag {
        Etag(Sha256::digest(bytes).into())
    }

    /// Its 64 hex digits.
    pub fn hex(&self) -> String {
        self.0.iter().map(|b| format!("{b:02x}")).collect()
    }

    /// The first 16 hex digits: what answers show.
    pub fn short(&self) -> String {
        self.0[..8].iter().map(|b| format!("{b:02x}")).collect()
    }

    /// Whether a proof of at least 8 hex digits (upper or lower case) is a prefix of this etag.
    pub fn proven_by(&self, proof: &str) -> bool {
        (8..=64).contains(&proof.len()) && proof.is_ascii() && self.hex().starts_with(&proof.to_ascii_lowercase())
    }

    /// Reads 64 hex digits.
    pub fn parse(hex: &str) -> Option<Etag> {
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

/// A file as it was read: its bytes and what is needed to notice that it changed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Version {
    /// The exact bytes; left empty where only the proof is needed.
    pub bytes: Arc<Vec<u8>>,
    /// Their etag.
    pub etag: Etag,
    /// Permission bits (`0o7777`).
    pub mode: u32,
    /// The inode it was read from; 0 where there is none (a text that is not on disk).
    pub inode: u64,
}

impl Version {
    /// A version that was never on a disk.
    pub fn new(bytes: Vec<u8>, mode: u32) -> Version {
        Version { etag: Etag::of(&bytes), bytes: Arc::new(bytes), mode, inode: 0 }
    }
}

/// What happens to one file. A moved file is a `Remove` and a `Create` that name each other.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FileChange {
    /// Which file.
    pub path: MemoryPath,
    /// The bytes the plan was made on; `None` when the file must not exist.
    pub before: Option<Version>,
    /// The new bytes; `None` removes the file.
    pub after: Option<Arc<Vec<u8>>>,
    /// Permission bits of the new file; `None` keeps the old ones (0o600 for a new file).
    pub mode: Option<u32>,
    /// The replacements that lead from `before` to `after`, where both exist and the change is small.
    pub edits: Option<Vec<JournalEdit>>,
    /// The other half of a move.
    pub moved: Option<MemoryPath>,
    /// memdir's own summary line in `after`, where the plan wrote one.
    pub summary: Option<String>,
}

/// What a change means to its reader, one line of the answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Sign {
    /// `+` stands there now.
    Added,
    /// `-` stood there.
    Removed,
    /// `=` stands there already; nothing was done.
    Same,
    /// `>` moved; `text` and `handle` are as before, `to` says where.
    Moved,
    /// `~` metadata, a heading or a value changed.
    Set,
}

impl Sign {
    /// As it is shown: `+`, `-`, `=`, `>`, `~`.
    pub fn mark(self) -> &'static str {
        match self {
            Sign::Added => "+",
            Sign::Removed => "-",
            Sign::Same => "=",
            Sign::Moved => ">",
            Sign::Set => "~",
        }
    }
}

/// One line of a change's answer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Effect {
    /// In which file.
    pub path: MemoryPath,
    /// What happened.
    pub sign: Sign,
    /// The bullet's handle as printed (in the text where it stands), if it is a bullet.
    pub handle: Option<String>,
    /// Its explicit id.
    pub id: Option<String>,
    /// The bullet's text, the entry's title, or `key=value`.
    pub text: String,
    /// The section's slug, if it is in one.
    pub section: Option<String>,
    /// The operation (from 0) that did it.
    pub operation: usize,
    /// Where it moved.
    pub to: Option<String>,
}

/// Everything one command is about to do.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Changeset {
    /// Files in the order in which they are written. Each path once. Empty: nothing to do.
    pub files: Vec<FileChange>,
    /// What it means.
    pub effects: Vec<Effect>,
    /// What the reader should know.
    pub warnings: Vec<Warning>,
    /// The operations, as the journal keeps them (opaque to the store).
    pub operations: Vec<Value>,
    /// The revision this undoes or redoes, if it is an `undo` or `redo`.
    pub inverts: Option<Inverts>,
    /// How many replacements of patches are made.
    pub applied: usize,
    /// Keep no text of this change in history (`rm --forget`).
    pub forget: bool,
}

/// Which revision a changeset turns back or brings back.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Inverts {
    /// This change undoes that revision.
    Undo(u64),
    /// This change does again what that revision (which was undone, or overwritten from outside) did.
    Redo(u64),
}

/// Who changes, when, and why: what the journal says of a commit beside the files.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Header {
    /// When, RFC 3339 in UTC, to the second.
    pub at: String,
    /// Who.
    pub actor: String,
    /// `--reason`.
    pub reason: Option<String>,
    /// `--source`.
    pub source: Option<String>,
    /// The batch's `request` id.
    pub request: Option<String>,
}

/// How an entry ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// It stands.
    Done,
    /// It was put back (a stranger was faster, or the disk refused); it counts as never made.
    Undone,
    /// Its writer stopped before the end line; the next writer decides.
    Pending,
}

/// What an entry says of one file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EntryFile {
    /// Which file.
    pub path: MemoryPath,
    /// Etag before; `None`: it did not exist.
    pub before: Option<Etag>,
    /// Etag after; `None`: it was removed.
    pub after: Option<Etag>,
    /// Permission bits of the text that was there before, or of the new one for a created file.
    pub mode: u32,
    /// The replacements, where the change was small.
    pub edits: Option<Vec<JournalEdit>>,
    /// The other half of a move.
    pub moved: Option<MemoryPath>,
    /// memdir's own summary line, where this change wrote one.
    pub summary: Option<String>,
}

/// A replacement that works in both directions.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct JournalEdit {
    /// Byte offset in the text before.
    pub start: usize,
    /// What stood there.
    pub old: String,
    /// What stands there now.
    pub new: String,
}

/// One revision of the journal.
#[derive(Clone, Debug, PartialEq)]
pub struct Entry {
    /// Its number: `r41` is 41. Grows by one with each intent, never reused.
    pub rev: u64,
    /// When, RFC 3339.
    pub at: String,
    /// Who.
    pub actor: String,
    /// `--reason`.
    pub reason: Option<String>,
    /// `--source`.
    pub source: Option<String>,
    /// The batch's `request` id.
    pub request: Option<String>,
    /// The answer given then (for a repeated `request`).
    pub answer: Option<Value>,
    /// The operations, opaque.
    pub operations: Vec<Value>,
    /// The revision it undoes or redoes.
    pub inverts: Option<Inverts>,
    /// How it ended.
    pub outcome: Outcome,
    /// The files.
    pub files: Vec<EntryFile>,
    /// Its texts were forgotten on purpose.
    pub forgotten: bool,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_etag_is_proven_by_eight_or_more_of_its_digits() {
        let e = Etag::of(b"");
        assert!(e.hex().starts_with("e3b0c44298fc1c14"));
        assert_eq!(e.short(), "e3b0c44298fc1c14");
        assert!(e.proven_by("e3b0c442") && e.proven_by("E3B0C44298") && e.proven_by(&e.hex()));
        assert!(!e.proven_by("e3b0c44") && !e.proven_by("e3b0c443") && !e.proven_by(&(e.hex() + "0")));
        assert_eq!(Etag::parse(&e.hex()), Some(e));
        assert_eq!(Etag::parse("zz"), None);
    }
}
