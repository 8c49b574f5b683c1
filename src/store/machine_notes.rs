//! Small notes of machine state below `.memdir/`: what a command stores for its next run on this machine.
//!
//! Never authoritative: a note may be missing, outdated or from another journal, and its readers must work without it.

use std::os::fd::{BorrowedFd, OwnedFd};
use std::time::{Duration, Instant};

use rustix::fs::{AtFlags, FlockOperation};
use rustix::io::Errno;
use serde::de::DeserializeOwned;

use super::root::{self, write_error};
use super::{LockedStore, Store, platform};
use crate::code::Rejection;

/// Maximum size of a note, in bytes.
const MAX_NOTE_BYTES: u64 = 16 << 20;
/// How long a waiter sleeps before it tries the lock of a note again.
const LOCK_POLL: Duration = Duration::from_micros(500);

/// The lock of a note. The kernel frees it when its holder ends.
pub struct NoteLock {
    _file: OwnedFd,
}

impl Store {
    /// Whether this machine has a history of the memory (`.memdir/`).
    pub fn has_machine_state(&self) -> bool {
        self.root().machine_dir().is_ok_and(|dir| dir.is_some())
    }

    /// Returns a note; `None` if it is missing or cannot be read.
    pub fn read_note(&self, name: &str) -> Option<String> {
        let root = self.root();
        let plain = root::open_plain(root.machine_dir().ok()??, name, name).ok()??;
        let bytes = (plain.stat.st_size as u64 <= MAX_NOTE_BYTES).then(|| root::read_contents(&plain, name).ok())??;
        String::from_utf8(bytes).ok()
    }

    /// Returns a note in JSON; `None` if it is missing, cannot be read or has another form.
    pub fn read_json_note<T: DeserializeOwned>(&self, name: &str) -> Option<T> {
        serde_json::from_str(&self.read_note(name)?).ok()
    }
}

impl Store {
    /// Replaces a note without the lock: of two concurrent writers, one wins. It is not synced: a power cut may lose
    /// it.
    ///
    /// # Errors
    /// `read_only`, `io`.
    pub fn write_note_unlocked(&self, name: &str, text: &str) -> Result<(), Rejection> {
        let (root, to_error) = (self.root(), |e| write_error(e, name));
        root.create_machine_dir(false)?;
        let Some(machine) = root.machine_dir()? else { return Err(to_error(Errno::NOENT)) };
        let temporary_name = format!("{name}.{}.new", std::process::id());
        match rustix::fs::unlinkat(machine, &*temporary_name, AtFlags::empty()) {
            Ok(()) | Err(Errno::NOENT) => {}
            Err(e) => return Err(to_error(e)),
        }
        let file = platform::create_new(machine, &temporary_name).map_err(to_error)?;
        let written = root::write_all(&file, text.as_bytes());
        let renamed = written.and_then(|()| rustix::fs::renameat(machine, &*temporary_name, machine, name));
        renamed.map_err(|e| {
            let _ = rustix::fs::unlinkat(machine, &*temporary_name, AtFlags::empty());
            to_error(e)
        })
    }
}

impl Store {
    /// Locks the file of this name below `.memdir/`, which is created, among those that lock it, too. `None` if it is
    /// not free within `wait`, or cannot be created.
    pub fn lock_note(&self, name: &str, wait: Duration) -> Option<NoteLock> {
        let root = self.root();
        root.create_machine_dir(false).ok()?;
        let file = open_or_create_note(root.machine_dir().ok()??, name).ok()?;
        let until = Instant::now() + wait;
        while rustix::fs::flock(&file, FlockOperation::NonBlockingLockExclusive).is_err() {
            if Instant::now() >= until {
                return None;
            }
            std::thread::sleep(LOCK_POLL);
        }
        Some(NoteLock { _file: file })
    }

    /// Appends a line to a note, which is created. It is not synced: a power cut may lose it.
    ///
    /// # Errors
    /// `read_only`, `io`.
    pub fn append_to_note(&self, name: &str, line: &str) -> Result<(), Rejection> {
        let (root, to_error) = (self.root(), |e| write_error(e, name));
        root.create_machine_dir(false)?;
        let Some(machine) = root.machine_dir()? else { return Err(to_error(Errno::NOENT)) };
        let file = open_or_create_note(machine, name).map_err(to_error)?;
        root::write_all(&file, line.as_bytes()).map_err(to_error)
    }
}

/// Opens a note for appending; it must be a regular file with one link.
fn open_or_create_note(machine: BorrowedFd<'_>, name: &str) -> Result<OwnedFd, Errno> {
    let file = match platform::open_append(machine, name) {
        Err(Errno::NOENT) => {
            match platform::create_new(machine, name) {
                Ok(_) | Err(Errno::EXIST) => {}
                Err(e) => return Err(e),
            }
            platform::open_append(machine, name)?
        }
        opened => opened?,
    };
    let stat = rustix::fs::fstat(&file)?;
    if root::unsafe_reason(&stat).is_some() { Err(Errno::PERM) } else { Ok(file) }
}

impl LockedStore<'_> {
    /// Replaces a note. It is not synced: a power cut may lose it.
    ///
    /// # Errors
    /// `read_only`, `io`.
    pub fn write_note(&self, name: &str, text: &str) -> Result<(), Rejection> {
        let to_error = |e| write_error(e, name);
        self.root.create_machine_dir(false)?;
        let Some(machine) = self.root.machine_dir()? else { return Err(to_error(Errno::NOENT)) };
        let temporary_name = format!("{name}.new");
        match rustix::fs::unlinkat(machine, &*temporary_name, AtFlags::empty()) {
            Ok(()) | Err(Errno::NOENT) => {}
            Err(e) => return Err(to_error(e)),
        }
        platform::create_atomically(machine, &temporary_name, text.as_bytes()).map_err(to_error)?;
        rustix::fs::renameat(machine, &*temporary_name, machine, name).map_err(to_error)
    }
}
