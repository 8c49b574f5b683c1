//! Small notes of machine state under `.memdir/`: what a command wants to remember for its next run on this machine.
//!
//! Never the truth about anything: a note may be missing, old or another journal's, and whoever reads one must do well
//! without it.

use rustix::fs::AtFlags;
use rustix::io::Errno;

use super::root::{self, refusal_to_write};
use super::{Locked, Store, platform};
use crate::code::Rejection;

/// The largest note, in bytes.
const MOST: u64 = 4 << 20;

impl Store {
    /// A note; `None` where there is none, or where it cannot be read.
    pub fn note(&self, name: &str) -> Option<String> {
        let root = self.root();
        let plain = root::open_plain(root.machine().ok()??, name, name).ok()??;
        let bytes = (plain.stat.st_size as u64 <= MOST).then(|| root::contents(&plain, name).ok())??;
        String::from_utf8(bytes).ok()
    }
}

impl Store {
    /// Writes a note in the place of the one before it, without the lock: of two writers, one wins. It is not waited
    /// for: a power cut may lose it.
    ///
    /// # Errors
    /// `read_only`, `io`.
    pub fn leave_note(&self, name: &str, text: &str) -> Result<(), Rejection> {
        let (root, wrong) = (self.root(), |e| refusal_to_write(e, name));
        root.make_machine(false)?;
        let Some(machine) = root.machine()? else { return Err(wrong(Errno::NOENT)) };
        let new = format!("{name}.{}.new", std::process::id());
        match rustix::fs::unlinkat(machine, &*new, AtFlags::empty()) {
            Ok(()) | Err(Errno::NOENT) => {}
            Err(e) => return Err(wrong(e)),
        }
        let file = platform::create(machine, &new).map_err(wrong)?;
        let written = root::write_all(&file, text.as_bytes());
        let named = written.and_then(|()| rustix::fs::renameat(machine, &*new, machine, name));
        named.map_err(|e| {
            let _ = rustix::fs::unlinkat(machine, &*new, AtFlags::empty());
            wrong(e)
        })
    }
}

impl Locked<'_> {
    /// Writes a note in the place of the one before it. It is not waited for: a power cut may lose it.
    ///
    /// # Errors
    /// `read_only`, `io`.
    pub fn keep_note(&self, name: &str, text: &str) -> Result<(), Rejection> {
        let wrong = |e| refusal_to_write(e, name);
        self.root.make_machine(false)?;
        let Some(machine) = self.root.machine()? else { return Err(wrong(Errno::NOENT)) };
        let new = format!("{name}.new");
        match rustix::fs::unlinkat(machine, &*new, AtFlags::empty()) {
            Ok(()) | Err(Errno::NOENT) => {}
            Err(e) => return Err(wrong(e)),
        }
        platform::create_whole(machine, &new, text.as_bytes()).map_err(wrong)?;
        rustix::fs::renameat(machine, &*new, machine, name).map_err(wrong)
    }
}
