//! The only room that touches the data dir: root, lock, commit, journal, undo, recovery (DESIGN 7).
//!
//! Knows no markdown: texts are bytes, operations are opaque JSON.

use std::path::Path;
use std::time::Duration;

use serde_json::Value;

use crate::change::{Changeset, Entry, Header, Version};
use crate::code::{Rejection, Warning};
use crate::path::MemoryPath;

/// How much is synced before a command answers.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Durability {
    /// Slots, journal and directories are synced: an answered change survives a power cut.
    #[default]
    Full,
    /// Slots and the journal's intent are synced, directories are not: never torn, may be lost.
    Atomic,
    /// Nothing is synced: safe against kills, not against power cuts.
    Fast,
}

/// How to open a store.
#[derive(Clone, Debug)]
pub struct Options {
    /// How much is synced.
    pub durability: Durability,
    /// How long to wait for the lock.
    pub lock_timeout: Duration,
    /// Whether `RENAME_EXCHANGE` may be used (a switch for file systems that lack it).
    pub exchange: bool,
    /// The umask-free mode of new files.
    pub new_mode: u32,
}

impl Default for Options {
    fn default() -> Self {
        Options { durability: Durability::Full, lock_timeout: Duration::from_secs(10), exchange: true, new_mode: 0o600 }
    }
}

/// A data dir, opened once.
pub struct Store;

/// A file that a walk found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Found {
    /// Its path below the data dir, as it is on disk (may lie outside the path grammar).
    pub path: MemoryPath,
    /// Bytes.
    pub size: u64,
    /// Why it must not be opened (symlink, hard link, FIFO, another mount …), where that is so.
    pub refused: Option<&'static str>,
}

/// What a commit answers.
#[derive(Clone, Debug, PartialEq)]
pub struct Committed {
    /// The new revision.
    pub rev: u64,
    /// What the reader should know (`not_durable`, `rescued`, …).
    pub warnings: Vec<Warning>,
}

/// Why a commit did not happen.
#[derive(Clone, Debug, PartialEq)]
pub enum Stopped {
    /// A file is no longer what the plan was made on: plan again.
    Moved(Vec<Warning>),
    /// It was refused for good.
    Rejected(Rejection),
}

/// Which text of a revision.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Side {
    /// As it was before that revision.
    Before,
    /// As that revision left it.
    After,
}

/// The right to write, held until dropped.
pub struct Locked<'a> {
    /// The store it belongs to.
    pub store: &'a Store,
}

impl Store {
    /// Opens a data dir. Creates nothing.
    pub fn open(dir: &Path, options: Options) -> Result<Store, Rejection> {
        let _ = (dir, options);
        todo!()
    }

    /// Reads one file through the sandbox; `Ok(None)` when it does not exist.
    pub fn read(&self, path: &MemoryPath) -> Result<Option<Version>, Rejection> {
        let _ = path;
        todo!()
    }

    /// All `*.md` files (also names outside the grammar) below the data dir except `.memdir/`, hidden names and
    /// `scopes/`, sorted by path. With `under`, only below that folder.
    pub fn walk(&self, under: Option<&str>) -> Result<Vec<Found>, Rejection> {
        let _ = under;
        todo!()
    }

    /// Reads up to `limit` bytes of each file and maps them, in the order given; on two threads above 256 files.
    /// `f` gets the bytes, and whether they are the whole file.
    pub fn each<T: Send>(
        &self,
        files: &[Found],
        limit: usize,
        f: &(dyn Fn(&Found, Result<(&[u8], bool), Rejection>) -> T + Sync),
    ) -> Vec<T> {
        let _ = (files, limit, f);
        todo!()
    }

    /// Runs a reading function until it has seen one consistent state (DESIGN 7, readers).
    pub fn consistent<T>(&self, f: impl FnMut() -> T) -> Result<T, Rejection> {
        let _ = f;
        todo!()
    }

    /// All entries, oldest first. Reads without a lock; a torn last line is left out.
    pub fn journal(&self) -> Result<Vec<Entry>, Rejection> {
        todo!()
    }

    /// The entries in the journal's last 64 KiB, oldest first.
    pub fn recent(&self) -> Result<Vec<Entry>, Rejection> {
        todo!()
    }

    /// The text of a file on one side of a revision: `Ok(None)` when it did not exist there;
    /// `history_gone` when neither slot nor edits hold it any more.
    pub fn text(&self, rev: u64, path: &MemoryPath, side: Side) -> Result<Option<Version>, Rejection> {
        let _ = (rev, path, side);
        todo!()
    }

    /// Takes the lock (DESIGN 7), then recovers an interrupted command; its warnings come with the lock.
    pub fn lock(&self) -> Result<(Locked<'_>, Vec<Warning>), Rejection> {
        todo!()
    }
}

impl Locked<'_> {
    /// Commits a changeset: all of it or nothing.
    pub fn commit(&self, changeset: &Changeset, header: &Header, answer: Option<Value>) -> Result<Committed, Stopped> {
        let _ = (changeset, header, answer);
        todo!()
    }

    /// Scrubs every slot and journal text of these paths (and whole entries that hold them), after a `--forget`.
    pub fn forget(&self, paths: &[MemoryPath]) -> Result<(), Rejection> {
        let _ = paths;
        todo!()
    }

    /// Removes slots and journal entries past the given bounds; meant for after an answer, off the hot path.
    pub fn reap(&self) -> Result<usize, Rejection> {
        todo!()
    }
}
