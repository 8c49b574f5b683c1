//! Reads and changes the files of a data directory: sandbox, lock, commit, journal, undo, recovery (ARCHITECTURE.md,
//! "The store"). All access to the data directory goes through this module.
//!
//! Never parses markdown: texts are bytes, operations are opaque JSON.
//!
//! In reading order:
//! * `root` (the sandbox), `walk`
//! * `protocol` (the steps of a commit, pure), `explore` (its model checker)
//! * `record` (a journal line), `record_outline` (a part of one), `journal`, `slot` (what is stored)
//! * `executor`, `commit`, `recover` (carrying out the protocol), `expected_text`, `rescue` (a displaced text is kept in the inbox)
//! * `lock`, `queue` (pending work), `consistent_read`, `read_filter` (what a restricted reader sees)
//! * `history` (earlier texts), `file_revisions` (of one file), `journal_note`, `journal_pages`, `journal_search`,
//!   `request_search` (reading only a part of a long journal), `gc` (trimming it)
//! * `init` (new data directories), `scopes` (data directories in a data directory), `machine_notes`, `usage`,
//!   `vector_file`, `checkpoints`, `code_files` (what anchors name), `platform` (system calls)

pub mod checkpoints;
pub mod code_files;
mod commit;
mod consistent_read;
mod executor;
mod expected_text;
#[cfg(test)]
mod explore;
pub mod file_revisions;
mod gc;
mod history;
pub mod init;
mod journal;
mod journal_note;
mod journal_pages;
mod journal_search;
mod lock;
mod machine_notes;
mod platform;
mod protocol;
pub mod queue;
mod read_filter;
mod record;
mod record_outline;
mod recover;
mod request_search;
mod rescue;
mod root;
pub mod scope_leftovers;
pub mod scopes;
mod slot;
pub mod usage;
pub mod vector_file;
mod walk;

use std::cell::{Cell, RefCell};
use std::os::fd::{AsFd, OwnedFd};
use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use serde_json::Value;

use crate::change::{Changeset, EntryHeader, Etag, FileVersion, JournalEntry};
use crate::code::{Code, Rejection, Warning};
use crate::path::MemoryPath;

use consistent_read::BatchState;
pub use history::{FileTexts, JournalHistory, TextsAtRevision, text_before};
use journal::{Journal, JournalTail};
pub use journal_note::{BULLETS_NOTE, NotedJournal};
pub use journal_pages::JournalPages;
use protocol::BatchEnding;
pub use record_outline::RecordOutline;
pub use rescue::is_rescue_path;
use root::DataRoot;

pub use read_filter::ReadFilter;

/// How much is synced before a command returns.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum Durability {
    /// Slots, journal and directories are synced: an acknowledged change survives a power cut.
    #[default]
    Full,
    /// Slots and the journal's intent are synced, directories are not: a power cut never leaves half a change, but may
    /// lose it.
    Atomic,
    /// Nothing is synced: safe against kills, not against power cuts.
    Fast,
}

#[derive(Clone, Debug)]
pub struct StoreOptions {
    pub durability: Durability,
    /// How long to wait for the lock.
    pub lock_timeout: Duration,
    /// Whether `RENAME_EXCHANGE` may be used (tests set it to false, for file systems without it).
    pub allow_exchange: bool,
    /// Permission bits of new files; the umask does not apply.
    pub new_file_mode: u32,
}

impl Default for StoreOptions {
    fn default() -> Self {
        StoreOptions {
            durability: Durability::Full,
            lock_timeout: Duration::from_secs(10),
            allow_exchange: true,
            new_file_mode: 0o600,
        }
    }
}

/// An open data directory.
pub struct Store {
    options: StoreOptions,
    root: Mutex<Arc<DataRoot>>,
    overlay: consistent_read::PendingOverlay,
    filter: Option<read_filter::InstalledFilter>,
    /// What the last walk left out.
    linked_folders: Mutex<Vec<String>>,
}

/// A file that a walk found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FoundFile {
    /// The path below the data directory, as it is on disk (may violate the path grammar).
    pub path: MemoryPath,
    /// Size in bytes; 0 until [`Store::map_files`] has opened the file (its callback gets the size).
    pub size: u64,
    /// Why the file must not be opened (symbolic link, hard link, FIFO, another mount …), if so.
    pub unsafe_reason: Option<&'static str>,
}

/// The result of a commit.
#[derive(Clone, Debug, PartialEq)]
pub struct Committed {
    /// The new etags of the changeset's files, in its order; `None` for a removed file.
    pub etags: Vec<Option<Etag>>,
    pub rev: u64,
    /// Warnings for the caller (`not_durable`, `rescued`, …).
    pub warnings: Vec<Warning>,
}

#[derive(Clone, Debug, PartialEq)]
pub enum CommitStopped {
    /// A file differs from the text that the plan was made on: plan again.
    BaseChanged(Vec<Warning>),
    /// The commit was refused; planning again does not help.
    Rejected(Rejection),
}

/// Which side of a revision.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RevisionSide {
    Before,
    After,
}

/// The callback of [`Store::map_files`]. It gets the file with its size, and the bytes with whether they are the whole
/// file.
pub type FileCallback<'a, T> = &'a (dyn Fn(&FoundFile, Result<(&[u8], bool), Rejection>) -> T + Sync);

/// The callback of [`Store::map_file_buffers`]: like [`FileCallback`], but it may take the bytes out of the buffer.
pub type BufferCallback<'a, T> = &'a (dyn Fn(&FoundFile, Result<(&mut Vec<u8>, bool), Rejection>) -> T + Sync);

/// The right to write, held until dropped.
pub struct LockedStore<'a> {
    pub store: &'a Store,
    root: Arc<DataRoot>,
    journal: RefCell<Option<Journal>>,
    /// The number of the next revision that is committed.
    next_revision: Cell<u64>,
    /// Whether the outcome of a commit is unknown. Then only a new lock, which recovers, may write again.
    poisoned: Cell<bool>,
    _lock: OwnedFd,
}

impl Store {
    /// Opens a data directory. Creates nothing.
    ///
    /// # Errors
    /// `no_data_dir` if it is not a directory, `io` if it cannot be opened.
    pub fn open(dir: &Path, options: StoreOptions) -> Result<Store, Rejection> {
        let root = Mutex::new(Arc::new(DataRoot::open(dir)?));
        let overlay = consistent_read::PendingOverlay::default();
        Ok(Store { options, root, overlay, filter: None, linked_folders: Mutex::default() })
    }

    fn root(&self) -> Arc<DataRoot> {
        self.root.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Reads one file through the sandbox; `Ok(None)` if it does not exist.
    ///
    /// # Errors
    /// `unsafe_file`, `too_large` (over 64 MiB), `io`.
    pub fn read(&self, path: &MemoryPath) -> Result<Option<FileVersion>, Rejection> {
        let root = self.root();
        self.filter_version(
            path,
            if self.overlay.is_empty() { root.read(path) } else { self.overlay.read(&root, path) }?,
        )
    }

    /// Opens one file through the sandbox, for callers that pass its bytes on unchanged; `Ok(None)` if it does not
    /// exist, and in a filtered store.
    ///
    /// # Errors
    /// `unsafe_file`, `too_large`, `io`.
    pub fn open_file(&self, path: &MemoryPath) -> Result<Option<std::fs::File>, Rejection> {
        if self.read_filter().is_some() {
            return Ok(None);
        }
        self.root().open_file(path)
    }

    /// Lists all `*.md` files below the data directory, sorted by path, also those whose names violate the path
    /// grammar; without `.memdir/`, hidden names and `scopes/`. With `under`, only those below that folder.
    ///
    /// Opens no file: `size` is 0, and a hard link is detected only when the file is read.
    ///
    /// # Errors
    /// `unsafe_file` or `io` if a folder cannot be read.
    pub fn walk(&self, under: Option<&str>) -> Result<Vec<FoundFile>, Rejection> {
        let root = self.root();
        let under = under.unwrap_or("").trim_end_matches('/');
        if !under.is_empty() {
            // A folder's name must follow the same rules as a file's.
            MemoryPath::from_disk_name(&format!("{under}/x.md"))
                .map_err(|error| Rejection::new(Code::InvalidPath, format!("not a folder: {error}")))?;
        }
        let mut found = walk::walk(&root, under)?;
        *self.linked_folders.lock().unwrap_or_else(PoisonError::into_inner) = found.linked_folders;
        self.overlay.restore_walk(&root, under, &mut found.files);
        Ok(self.visible_files(found.files))
    }

    /// The links in the place of folders that the last walk left out, but for those in the archive and the inbox. None in
    /// a filtered store: what they hide is unknown.
    pub fn linked_folders(&self) -> Vec<String> {
        if self.read_filter().is_some() {
            return Vec::new();
        }
        let all = self.linked_folders.lock().unwrap_or_else(PoisonError::into_inner);
        let is_set_aside = |path: &&String| ["archive/", "inbox/"].iter().any(|folder| path.starts_with(folder));
        all.iter().filter(|path| !is_set_aside(path)).cloned().collect()
    }

    /// Whether there is a folder of this name at the top. A filtered store says no: only the names of visible files may
    /// tell its caller of a folder.
    ///
    /// # Errors
    /// `io`.
    pub fn has_top_folder(&self, name: &str) -> Result<bool, Rejection> {
        Ok(self.read_filter().is_none() && self.root().open_folder(name)?.is_some())
    }

    /// Reads up to `limit` bytes of each file and maps them, in the order given; with two threads from 256 files on.
    /// `f` gets the file with its size, the bytes, and whether they are the whole file. A file over 64 MiB is `too_large`
    /// whatever the limit, as for [`Store::read`].
    pub fn map_files<T: Send>(&self, files: &[FoundFile], limit: usize, f: FileCallback<'_, T>) -> Vec<T> {
        self.map_file_buffers(files, limit, &|found, read| {
            f(found, read.map(|(bytes, is_complete)| (bytes.as_slice(), is_complete)))
        })
    }

    /// Like [`Store::map_files`], for callers that keep the bytes of large files: a copy would double the memory that
    /// such a file takes.
    pub fn map_file_buffers<T: Send>(&self, files: &[FoundFile], limit: usize, f: BufferCallback<'_, T>) -> Vec<T> {
        match self.read_filter() {
            Some(filter) => self.map_filtered(filter, files, limit, f),
            None => self.map_unfiltered(files, limit, f),
        }
    }

    fn map_unfiltered<T: Send>(&self, files: &[FoundFile], limit: usize, f: BufferCallback<'_, T>) -> Vec<T> {
        let root = self.root();
        if self.overlay.is_empty() {
            return walk::map_files(&root, files, limit, f);
        }
        walk::map_files(&root, files, limit, &|found, read| {
            if !self.overlay.was_written(&found.path) {
                f(found, read)
            } else {
                self.overlay.read_for_callback(&root, found, limit, f)
            }
        })
    }

    /// Runs a reading function that sees one consistent state (ARCHITECTURE.md, "The store"). Runs it twice at most,
    /// unless the journal itself is replaced. During the run, [`Store::read`], [`Store::walk`] and [`Store::map_files`]
    /// present a half-written batch as not written, and in the second run also every batch that begins meanwhile.
    ///
    /// # Errors
    /// `io` if the journal cannot be read.
    pub fn consistent<T>(&self, f: impl FnMut() -> T) -> Result<T, Rejection> {
        consistent_read::read_consistently(self, f)
    }

    /// Returns all entries, oldest first. Takes no lock; a torn last line is ignored.
    ///
    /// # Errors
    /// `io`.
    pub fn journal(&self) -> Result<Vec<JournalEntry>, Rejection> {
        Ok(self.filter_journal_entries(self.read_entries(&Journal::read_all)?))
    }

    /// Returns the time of the first entry; `None` in an empty journal.
    ///
    /// # Errors
    /// `io`.
    pub fn history_start(&self) -> Result<Option<String>, Rejection> {
        let mut first = None;
        if let Some(journal) = open_journal_for_reading(&self.root())? {
            journal.lines_from(0, &mut |_, line| {
                first = record::pair_with_endings(line).pop().map(|(intent, _)| intent.at().to_owned());
                first.is_none()
            })?;
        }
        Ok(first)
    }

    /// Returns the entries in the journal's last 64 KiB, oldest first.
    ///
    /// # Errors
    /// `io`.
    pub fn recent_entries(&self) -> Result<Vec<JournalEntry>, Rejection> {
        Ok(self.filter_journal_entries(self.read_entries(&Journal::recent_lines)?))
    }

    fn read_entries(&self, read: ReadJournal<'_>) -> Result<Vec<JournalEntry>, Rejection> {
        Ok(record::to_entries(self.read_records(&self.root(), read)?))
    }

    /// Reads the journal's last 64 KiB, for entries and texts.
    ///
    /// # Errors
    /// `io`.
    pub fn read_recent_history(&self) -> Result<JournalHistory, Rejection> {
        let root = self.root();
        let records = self.read_records(&root, &Journal::recent_lines)?;
        Ok(JournalHistory::new(root, records, self.clone_if_filtered()))
    }

    /// Reads the whole journal once, for entries and texts.
    ///
    /// # Errors
    /// `io`, `too_large`.
    pub fn read_whole_history(&self) -> Result<JournalHistory, Rejection> {
        let root = self.root();
        let records = self.read_records(&root, &Journal::read_all)?;
        Ok(JournalHistory::new(root, records, self.clone_if_filtered()))
    }

    /// Reads the journal once, for entries and texts: the newest revisions, and of older ones what is in effect. If
    /// `since`, the last revision that the caller knows, is older than that, the whole journal.
    ///
    /// # Errors
    /// `io`, `too_large`.
    pub fn read_history_since(&self, since: u64) -> Result<JournalHistory, Rejection> {
        let (root, window) = (self.root(), self.journal_window()?);
        let records = if since.saturating_add(1) < window.complete_from {
            self.read_records(&root, &Journal::read_all)?
        } else {
            window.into_records()
        };
        Ok(JournalHistory::new(root, records, self.clone_if_filtered()))
    }

    /// Reads the journal's records with their ends. A last batch that lost its end record, but is applied, counts as
    /// done.
    fn read_records(&self, root: &DataRoot, read: ReadJournal<'_>) -> Result<Vec<RecordWithEnd>, Rejection> {
        let mut attempts = 0;
        loop {
            let Some(journal) = open_journal_for_reading(root)? else { return Ok(Vec::new()) };
            let mut records = record::pair_with_endings(&read(&journal)?);
            attempts += 1;
            if let Some((intent, ending @ None)) = records.last_mut().filter(|(intent, _)| intent.is_recoverable()) {
                match consistent_read::interrupted_batch(self, root, &journal, intent)? {
                    BatchState::Applied => *ending = Some(BatchEnding::Done),
                    BatchState::Changing if attempts < MAX_JOURNAL_READS => continue,
                    BatchState::Changing | BatchState::Unfinished => {}
                }
            }
            return Ok(records);
        }
    }

    /// How the last batch, which has no end record, ended; `None` if it has not.
    fn ending_of_last(
        &self,
        journal: &Journal,
        intent: &record::IntentRecord,
    ) -> Result<Option<BatchEnding>, Rejection> {
        let state = consistent_read::interrupted_batch(self, &self.root(), journal, intent)?;
        Ok((state == BatchState::Applied).then_some(BatchEnding::Done))
    }

    /// Takes the lock (ARCHITECTURE.md, "The store"), then recovers an interrupted command. Returns the recovery's
    /// warnings too.
    ///
    /// # Errors
    /// `busy` after the timeout, `no_data_dir` if the directory is gone, `read_only`, `io`; in a filtered store the
    /// filter's refusal.
    pub fn lock(&self) -> Result<(LockedStore<'_>, Vec<Warning>), Rejection> {
        self.lock_watched(&mut |_| true).map(|(locked, warnings, _)| (locked, warnings))
    }

    /// Locks as [`Store::lock`] does, calling `watch` before each step of a recovery; for tests. The last value is
    /// whether the recovery, if any, was finished.
    #[doc(hidden)]
    pub fn lock_watched(
        &self,
        watch: &mut dyn FnMut(usize) -> bool,
    ) -> Result<(LockedStore<'_>, Vec<Warning>, bool), Rejection> {
        self.require_unfiltered()?;
        let (root, guard) = self.lock_root()?;
        let mut journal = match root.machine_dir()? {
            Some(machine) => Journal::open(machine, true)?,
            None => None,
        };
        let tail = journal.as_ref().map_or(Ok(JournalTail::Open(0, None)), Journal::read_tail)?;
        let (rev, mut warnings, mut finished) = (tail.rev(), Vec::new(), true);
        match tail {
            JournalTail::Ended(rev, BatchEnding::Rescued) => {
                warnings = recover::earlier_rescues(&root, rev, MAX_RESCUE_SEARCH)
            }
            JournalTail::Open(_, Some(intent)) => {
                let recovered = recover::recover_batch(&root, &self.options, &mut journal, *intent, watch)?;
                (warnings, finished) = (recovered.warnings, recovered.finished);
            }
            JournalTail::Ended(_, BatchEnding::Done | BatchEnding::Undone) | JournalTail::Open(_, None) => {}
        }
        let locked = LockedStore {
            store: self,
            root,
            journal: RefCell::new(journal),
            next_revision: Cell::new(rev + 1),
            poisoned: Cell::new(!finished),
            _lock: guard,
        };
        Ok((locked, warnings, finished))
    }

    /// Locks the directory to which the path leads now: it may have been replaced while waiting.
    fn lock_root(&self) -> Result<(Arc<DataRoot>, OwnedFd), Rejection> {
        for _ in 0..64 {
            let root = self.root();
            let guard = lock::acquire(root.dir.as_fd(), self.options.lock_timeout)?;
            if root.is_current() {
                return Ok((root, guard));
            }
            let reopened = Arc::new(root.reopen()?);
            *self.root.lock().unwrap_or_else(PoisonError::into_inner) = reopened;
        }
        Err(Rejection::new(Code::Busy, "the data directory keeps being replaced"))
    }
}

/// Reads a part of the journal.
type ReadJournal<'a> = &'a dyn Fn(&Journal) -> Result<Vec<u8>, Rejection>;
/// An intent with its end, if it has one.
type RecordWithEnd = (record::IntentRecord, Option<BatchEnding>);

/// How often the journal is read again if it changes while its last batch is judged.
const MAX_JOURNAL_READS: usize = 8;
/// How many files of an earlier batch are searched for in `inbox/`.
const MAX_RESCUE_SEARCH: usize = 64;

/// Decodes the entries of a journal's bytes; for tests of the decoder.
#[cfg(feature = "internals")]
pub fn read_journal(bytes: &[u8]) -> Vec<JournalEntry> {
    record::to_entries(record::pair_with_endings(bytes))
}

fn open_journal_for_reading(root: &DataRoot) -> Result<Option<Journal>, Rejection> {
    match root.machine_dir()? {
        Some(machine) => Journal::open(machine, false),
        None => Ok(None),
    }
}

impl LockedStore<'_> {
    /// Commits a changeset, whole or not at all.
    ///
    /// # Errors
    /// [`CommitStopped::BaseChanged`] if a file differs from the text that the plan was made on;
    /// [`CommitStopped::Rejected`] with `busy`, `read_only`, `io`, `invalid_path`, `too_large`, or `outcome_unknown`
    /// (then `changed` is `None`, and only a new lock may write).
    pub fn commit(
        &self,
        changeset: &Changeset,
        header: &EntryHeader,
        answer: Option<Value>,
    ) -> Result<Committed, CommitStopped> {
        let committed = self.commit_watched(changeset, header, answer, &mut |_| true);
        committed.unwrap_or_else(|| {
            Err(CommitStopped::Rejected(Rejection::new(Code::Internal, "the commit did not finish")))
        })
    }
}
