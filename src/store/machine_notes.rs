//! Small notes of machine state below `.memdir/`: what a command stores for its next run on this machine.
//!
//! Never authoritative: a note may be missing, outdated or from another journal, and its readers must work without it.

use rustix::fs::AtFlags;
use rustix::io::Errno;

use super::root::{self, write_error};
use super::{LockedStore, Store, platform};
use crate::code::Rejection;

/// Maximum size of a note, in bytes.
const MAX_NOTE_BYTES: u64 = 16 << 20;

impl Store {
    /// Whether `.memdir/` exists.
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
