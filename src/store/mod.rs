//! The only room that touches the data dir: root, lock, commit, journal, undo, recovery (DESIGN 7).
//!
//! Knows no markdown: texts are bytes, operations are opaque JSON.
//!
//! To read it: `root` (the sandbox) and `walk`; `protocol` (what a commit does, pure) and `explore` (its proof by
//! exhaustion); `line`, `journal` and `slot` (what is kept); `run`, `commit`, `recover` (the protocol carried out);
//! `lock`; `queue` (work that waits); `history` (earlier texts); `view` (consistent reading); `veil` (what a reader is
//! not shown); `reap` (forgetting); `platform` (system calls).

mod commit;
#[cfg(test)]
mod explore;
mod history;
mod journal;
mod line;
mod lock;
pub mod make;
mod mark;
mod platform;
mod protocol;
mod queue;
mod reap;
mod recover;
mod root;
mod run;
mod slot;
mod veil;
mod view;
mod walk;

use std::cell::{Cell, RefCell};
use std::os::fd::{AsFd, OwnedFd};
use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use serde_json::Value;

use crate::change::{Changeset, Entry, Etag, Header, Version};
use crate::code::{Code, Rejection, Warning};
use crate::path::MemoryPath;
pub use queue::Claim;

pub use history::Past;
use journal::{Journal, Tail};
use protocol::Ending;
use root::Root;

pub use veil::Veil;

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
pub struct Store {
    options: Options,
    root: Mutex<Arc<Root>>,
    overlay: view::Overlay,
    worn: Option<veil::Worn>,
}

/// A file that a walk found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Found {
    /// Its path below the data dir, as it is on disk (may lie outside the path grammar).
    pub path: MemoryPath,
    /// Bytes; 0 until [`Store::each`] has opened it (its function is given the size).
    pub size: u64,
    /// Why it must not be opened (symlink, hard link, FIFO, another mount …), where that is so.
    pub refused: Option<&'static str>,
}

/// What a commit answers.
#[derive(Clone, Debug, PartialEq)]
pub struct Committed {
    /// The etags of the changeset's files as they are now, in its order; `None` for one that is gone.
    pub etags: Vec<Option<Etag>>,
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

/// What [`Store::each`] calls: with the file and its size, and its bytes with whether they are all of it.
pub type Reader<'a, T> = &'a (dyn Fn(&Found, Result<(&[u8], bool), Rejection>) -> T + Sync);

/// The right to write, held until dropped.
pub struct Locked<'a> {
    /// The store it belongs to.
    pub store: &'a Store,
    root: Arc<Root>,
    journal: RefCell<Option<Journal>>,
    /// The next revision.
    next: Cell<u64>,
    /// Whether an outcome is unknown: then only a new lock, which recovers, may write again.
    spent: Cell<bool>,
    _guard: OwnedFd,
}

impl Store {
    /// Opens a data dir. Creates nothing.
    ///
    /// # Errors
    /// `no_data_dir` when it is no directory, `io` when it cannot be opened.
    pub fn open(dir: &Path, options: Options) -> Result<Store, Rejection> {
        let root = Mutex::new(Arc::new(Root::open(dir)?));
        Ok(Store { options, root, overlay: view::Overlay::default(), worn: None })
    }

    /// Opens the scope of that name, a data dir below `scopes/`; `None` when there is none. Creates nothing.
    ///
    /// # Errors
    /// `unsafe_file` when it is a link, `io`.
    pub fn scope(&self, name: &str) -> Result<Option<Store>, Rejection> {
        if MemoryPath::new(&format!("{name}/x.md")).is_err() || name.contains('/') {
            return Ok(None);
        }
        let root = |root| Mutex::new(Arc::new(root));
        let store = |below| {
            let store = Store { root: root(below), ..self.bare() };
            self.veil().map(|veil| store.veiled(veil.again())).unwrap_or(store)
        };
        Ok(self.root().below(&format!("scopes/{name}"))?.map(store))
    }

    fn root(&self) -> Arc<Root> {
        self.root.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Reads one file through the sandbox; `Ok(None)` when it does not exist.
    ///
    /// # Errors
    /// `unsafe_file`, `too_large` (over 64 MiB), `io`.
    pub fn read(&self, path: &MemoryPath) -> Result<Option<Version>, Rejection> {
        let root = self.root();
        self.seen(path, if self.overlay.is_empty() { root.read(path) } else { self.overlay.read(&root, path) }?)
    }

    /// Opens one file through the sandbox, for a reader that passes its bytes on as they are; `Ok(None)` when it does
    /// not exist, and under a veil.
    ///
    /// # Errors
    /// `unsafe_file`, `too_large`, `io`.
    pub fn open_file(&self, path: &MemoryPath) -> Result<Option<std::fs::File>, Rejection> {
        if self.veil().is_some() {
            return Ok(None);
        }
        self.root().open_file(path)
    }

    /// All `*.md` files (also names outside the grammar) below the data dir except `.memdir/`, hidden names and
    /// `scopes/`, sorted by path. With `under`, only below that folder.
    ///
    /// Opens no file: `size` is 0, and a hard link is found only when the file is read.
    ///
    /// # Errors
    /// `unsafe_file` or `io` when a folder cannot be read.
    pub fn walk(&self, under: Option<&str>) -> Result<Vec<Found>, Rejection> {
        let root = self.root();
        let under = under.unwrap_or("").trim_end_matches('/');
        if !under.is_empty() {
            // A folder's name is held to the same rules as a file's.
            MemoryPath::found(&format!("{under}/x.md"))
                .map_err(|why| Rejection::new(Code::InvalidPath, format!("that is no folder: {why}")))?;
        }
        let mut found = walk::walk(&root, under)?;
        self.overlay.amend(&root, under, &mut found);
        Ok(self.visible(found))
    }

    /// Reads up to `limit` bytes of each file and maps them, in the order given; on two threads above 256 files.
    /// `f` gets the file with its size, the bytes, and whether they are the whole file.
    pub fn each<T: Send>(&self, files: &[Found], limit: usize, f: Reader<'_, T>) -> Vec<T> {
        match self.veil() {
            Some(veil) => self.each_seen(veil, files, limit, f),
            None => self.pass_on(files, limit, f),
        }
    }

    fn pass_on<T: Send>(&self, files: &[Found], limit: usize, f: Reader<'_, T>) -> Vec<T> {
        let root = self.root();
        if self.overlay.is_empty() {
            return walk::each(&root, files, limit, f);
        }
        walk::each(&root, files, limit, &|found, read| match self.overlay.touched(&found.path) {
            false => f(found, read),
            true => self.overlay.pass(&root, found, limit, f),
        })
    }

    /// Runs a reading function so that it sees one consistent state (DESIGN 7, readers): at most twice, unless the
    /// journal itself is replaced. While it runs, [`Store::read`], [`Store::walk`] and [`Store::each`] show a batch that
    /// is only half written as not written, and the second time also every batch that begins meanwhile.
    ///
    /// # Errors
    /// `io` when the journal cannot be read.
    pub fn consistent<T>(&self, f: impl FnMut() -> T) -> Result<T, Rejection> {
        view::consistent(self, f)
    }

    /// All entries, oldest first. Reads without a lock; a torn last line is left out.
    ///
    /// # Errors
    /// `io`.
    pub fn journal(&self) -> Result<Vec<Entry>, Rejection> {
        Ok(self.told(self.entries(Journal::all)?))
    }

    /// The entries in the journal's last 64 KiB, oldest first.
    ///
    /// # Errors
    /// `io`.
    pub fn recent(&self) -> Result<Vec<Entry>, Rejection> {
        Ok(self.told(self.entries(Journal::recent)?))
    }

    fn entries(&self, read: fn(&Journal) -> Result<Vec<u8>, Rejection>) -> Result<Vec<Entry>, Rejection> {
        let root = self.root();
        let Some(journal) = open_journal(&root)? else { return Ok(Vec::new()) };
        Ok(line::entries(line::records(&read(&journal)?)))
    }

    /// The journal, read once for entries and texts: all of it, or (for what happened lately) its last 64 KiB.
    ///
    /// # Errors
    /// `io`.
    pub fn past(&self, all: bool) -> Result<Past, Rejection> {
        let root = self.root();
        let records = match open_journal(&root)? {
            Some(journal) => line::records(&if all { journal.all()? } else { journal.recent()? }),
            None => Vec::new(),
        };
        Ok(Past::new(root, records, self.once_more()))
    }

    /// The text of a file on one side of a revision: `Ok(None)` when it did not exist there;
    /// `history_gone` when neither slot nor edits hold it any more. For a file that the revision did not touch, the
    /// text as it stood then, where the journal knows.
    ///
    /// # Errors
    /// `revision_not_found`, `history_gone`, `io`.
    pub fn text(&self, rev: u64, path: &MemoryPath, side: Side) -> Result<Option<Version>, Rejection> {
        let then = self.text_then(rev, path, side)?;
        Ok(if self.veil().is_some() { self.remembered(path, then) } else { then })
    }

    fn text_then(&self, rev: u64, path: &MemoryPath, side: Side) -> Result<Option<Version>, Rejection> {
        let root = self.root();
        let Some(journal) = open_journal(&root)? else { return history::text(&root, &[], rev, path, side) };
        // What is asked for is nearly always new, and its text in a slot: then a long journal need not be read.
        let recent = line::records(&journal.recent()?);
        if history::names(&recent, rev, path)
            && let Ok(text) = history::text(&root, &recent, rev, path, side)
        {
            return Ok(text);
        }
        history::text(&root, &line::records(&journal.all()?), rev, path, side)
    }

    /// Takes the lock (DESIGN 7), then recovers an interrupted command; its warnings come with the lock.
    ///
    /// # Errors
    /// `busy` after the timeout, `no_data_dir` when the directory is gone, `read_only`, `io`; under a veil its refusal.
    pub fn lock(&self) -> Result<(Locked<'_>, Vec<Warning>), Rejection> {
        self.lock_watched(&mut |_| true).map(|(locked, warnings, _)| (locked, warnings))
    }

    /// Locks as [`Store::lock`] does, asking before each step of a recovery; for tests. The last value says whether
    /// the recovery, if any, came to its end.
    #[doc(hidden)]
    pub fn lock_watched(
        &self,
        watch: &mut dyn FnMut(usize) -> bool,
    ) -> Result<(Locked<'_>, Vec<Warning>, bool), Rejection> {
        self.unveiled()?;
        let (root, guard) = self.lock_root()?;
        let mut journal = match root.machine()? {
            Some(machine) => Journal::open(machine, true)?,
            None => None,
        };
        let tail = journal.as_ref().map_or(Ok(Tail::Open(0, None)), Journal::tail)?;
        let (rev, mut warnings, mut finished) = (tail.rev(), Vec::new(), true);
        match tail {
            Tail::Ended(rev, Ending::Rescued) => warnings = recover::rescued_before(&root, rev, RESCUES),
            Tail::Open(_, Some(intent)) => {
                let recovered = recover::recover(&root, &self.options, &mut journal, *intent, watch)?;
                (warnings, finished) = (recovered.warnings, recovered.finished);
            }
            _ => {}
        }
        let locked = Locked {
            store: self,
            root,
            journal: RefCell::new(journal),
            next: Cell::new(rev + 1),
            spent: Cell::new(!finished),
            _guard: guard,
        };
        Ok((locked, warnings, finished))
    }

    /// Locks the directory that the path leads to now.
    fn lock_root(&self) -> Result<(Arc<Root>, OwnedFd), Rejection> {
        for _ in 0..64 {
            let root = self.root();
            let guard = lock::acquire(root.dir.as_fd(), self.options.lock_timeout)?;
            if root.is_current() {
                return Ok((root, guard));
            }
            let again = Arc::new(Root::open(&root.path)?);
            *self.root.lock().unwrap_or_else(PoisonError::into_inner) = again;
        }
        Err(Rejection::new(Code::Busy, "the data dir is being replaced over and over"))
    }
}

/// How many files of an earlier batch are looked for in `inbox/`.
const RESCUES: usize = 64;

/// The entries that a journal's bytes hold; for tests of the reader.
#[doc(hidden)]
pub fn read_journal(bytes: &[u8]) -> Vec<Entry> {
    line::entries(line::records(bytes))
}

fn open_journal(root: &Root) -> Result<Option<Journal>, Rejection> {
    match root.machine()? {
        Some(machine) => Journal::open(machine, false),
        None => Ok(None),
    }
}

impl Locked<'_> {
    /// Commits a changeset: all of it or nothing.
    ///
    /// # Errors
    /// [`Stopped::Moved`] when a file is not what the plan was made on; [`Stopped::Rejected`] with `busy`, `read_only`,
    /// `io`, `invalid_path`, `too_large`, or `outcome_unknown` (then `changed` is `None`, and only a new lock may write).
    pub fn commit(&self, changeset: &Changeset, header: &Header, answer: Option<Value>) -> Result<Committed, Stopped> {
        let committed = self.commit_watched(changeset, header, answer, &mut |_| true);
        committed.unwrap_or_else(|| Err(Stopped::Rejected(Rejection::new(Code::Internal, "a commit did not end"))))
    }

    /// The revision that the next commit gets.
    pub fn next_rev(&self) -> u64 {
        self.next.get()
    }
}
