//! `.memdir/cache/vectors`: the vectors of items, as one block of bytes that the caller makes and checks.
//!
//! Never authoritative and never synced: it may be missing or outdated at any time. One process at a time makes
//! vectors; what it made is written under the store's lock, and only if nothing was forgotten since it began to read
//! texts.

use std::os::fd::{AsFd, BorrowedFd, OwnedFd};

use rustix::fs::{AtFlags, FlockOperation, Mode, OFlags, flock};
use rustix::io::Errno;

use super::root::{self, DataRoot, PlainFile, read_error, write_error};
use super::{LockedStore, Store, platform, slot};
use crate::code::Rejection;

/// The folder, from the data directory.
const CACHE_DIR: &str = ".memdir/cache";
const VECTORS_NAME: &str = "vectors";
/// The file whose lock is held by the process that makes vectors. Forgetting removes it.
const TURN_NAME: &str = "vectors.lock";
const NEW_NAME: &str = "vectors.new";
/// What messages call the file.
const SHOWN: &str = "'.memdir/cache/vectors'";
/// The largest file that is read, in bytes: a little more than the largest table.
const MAX_FILE_BYTES: u64 = 65 << 20;

/// The turn of one process to make vectors. It ends when this is dropped or the process ends.
pub struct VectorTurn {
    folder: OwnedFd,
    lock: PlainFile,
}

impl Store {
    /// The bytes of the file; `None` if it is missing or cannot be read.
    pub fn read_vectors(&self) -> Option<Vec<u8>> {
        let folder = open_cache(&self.root()).ok()??;
        let plain = root::open_plain(&folder, VECTORS_NAME, SHOWN).ok()??;
        (plain.stat.st_size as u64 <= MAX_FILE_BYTES).then(|| root::read_contents(&plain, SHOWN).ok())?
    }

    /// Whether some process makes vectors now.
    pub fn makes_vectors(&self) -> bool {
        let Ok(Some(folder)) = open_cache(&self.root()) else { return false };
        let Ok(Some(plain)) = root::open_plain(&folder, TURN_NAME, SHOWN) else { return false };
        flock(&plain.fd, FlockOperation::NonBlockingLockShared).is_err()
    }

    /// Takes the turn to make vectors; `None` if another process has it.
    ///
    /// # Errors
    /// `read_only`, `unsafe_file`, `io`.
    pub fn begin_vectors(&self) -> Result<Option<VectorTurn>, Rejection> {
        let to_error = |e| write_error(e, SHOWN);
        let root = self.root();
        root.create_machine_dir(false)?;
        let Some(machine) = root.machine_dir()? else { return Err(to_error(Errno::NOENT)) };
        root::create_dir(machine, "cache")?;
        let folder = open_cache(&root)?.ok_or_else(|| to_error(Errno::NOENT))?;
        let flags = OFlags::RDWR | OFlags::CREATE | OFlags::CLOEXEC | OFlags::NOFOLLOW | OFlags::NONBLOCK;
        drop(rustix::fs::openat(&folder, TURN_NAME, flags, Mode::from_raw_mode(0o600)).map_err(to_error)?);
        let Some(lock) = root::open_plain(&folder, TURN_NAME, SHOWN)? else { return Ok(None) };
        match flock(&lock.fd, FlockOperation::NonBlockingLockExclusive) {
            Ok(()) => Ok(Some(VectorTurn { folder, lock })),
            Err(Errno::WOULDBLOCK | Errno::INTR) => Ok(None),
            Err(e) => Err(read_error(e, SHOWN)),
        }
    }
}

impl VectorTurn {
    /// Whether nothing was forgotten since the turn began. The open file keeps its number from being used again.
    fn is_current(&self) -> bool {
        platform::stat_name(&self.folder, TURN_NAME)
            .is_ok_and(|now| now.st_ino == self.lock.stat.st_ino && now.st_dev == self.lock.stat.st_dev)
    }
}

impl LockedStore<'_> {
    /// Replaces the file in one step; `false` if something was forgotten since the turn began, and nothing is written.
    ///
    /// # Errors
    /// `read_only`, `io`.
    pub fn write_vectors(&self, turn: &VectorTurn, bytes: &[u8]) -> Result<bool, Rejection> {
        if !turn.is_current() {
            return Ok(false);
        }
        let to_error = |e| write_error(e, SHOWN);
        slot::free(&turn.folder, NEW_NAME)?;
        let file = platform::create_new(&turn.folder, NEW_NAME).map_err(to_error)?;
        let written = root::write_all(&file, bytes);
        let renamed = written.and_then(|()| rustix::fs::renameat(&turn.folder, NEW_NAME, &turn.folder, VECTORS_NAME));
        renamed.map_err(|e| {
            let _ = rustix::fs::unlinkat(&turn.folder, NEW_NAME, AtFlags::empty());
            to_error(e)
        })?;
        Ok(true)
    }

    /// Removes all vectors, and ends the turn of a process that makes new ones: they may be of a text that is
    /// forgotten.
    ///
    /// # Errors
    /// `read_only`, `io`.
    pub fn forget_vectors(&self) -> Result<(), Rejection> {
        let Some(folder) = open_cache(&self.root)? else { return Ok(()) };
        [TURN_NAME, NEW_NAME, VECTORS_NAME].iter().try_for_each(|name| slot::free(&folder, name))
    }
}

fn open_cache(root: &DataRoot) -> Result<Option<OwnedFd>, Rejection> {
    let dir: BorrowedFd<'_> = root.dir.as_fd();
    match platform::open_dir(dir, CACHE_DIR) {
        Ok(folder) => Ok(Some(folder)),
        Err(Errno::NOENT | Errno::NOTDIR) => Ok(None),
        Err(e) => Err(read_error(e, SHOWN)),
    }
}

#[cfg(test)]
mod tests {
    use super::super::StoreOptions;
    use super::*;

    #[test]
    fn vectors_are_made_by_one_process_and_written_unless_something_was_forgotten() {
        let dir = tempfile::tempdir().unwrap();
        let open = || Store::open(dir.path(), StoreOptions::default()).unwrap();
        let (store, other) = (open(), open());
        assert_eq!((store.read_vectors(), store.makes_vectors()), (None, false));
        let turn = store.begin_vectors().unwrap().unwrap();
        assert!(other.begin_vectors().unwrap().is_none() && other.makes_vectors());
        let (locked, _) = store.lock().unwrap();
        assert!(locked.write_vectors(&turn, b"one").unwrap());
        assert_eq!(other.read_vectors().as_deref(), Some(&b"one"[..]));
        locked.forget(&[], &[]).unwrap();
        assert_eq!(other.read_vectors(), None);
        // A turn that began before does not bring it back; the next one starts anew.
        assert!(!locked.write_vectors(&turn, b"one").unwrap());
        let next = other.begin_vectors().unwrap().unwrap();
        assert!(!locked.write_vectors(&turn, b"one").unwrap());
        assert!(locked.write_vectors(&next, b"two").unwrap());
        assert_eq!(store.read_vectors().as_deref(), Some(&b"two"[..]));
        drop(next);
        assert!(!store.makes_vectors());
    }

    #[test]
    fn vectors_are_for_their_owner_only() {
        use std::os::unix::fs::PermissionsExt;
        let dir = tempfile::tempdir().unwrap();
        let store = Store::open(dir.path(), StoreOptions::default()).unwrap();
        let turn = store.begin_vectors().unwrap().unwrap();
        store.lock().unwrap().0.write_vectors(&turn, b"one").unwrap();
        for name in ["vectors", "vectors.lock"] {
            let mode = fs_err::metadata(dir.path().join(CACHE_DIR).join(name)).unwrap().permissions().mode();
            assert_eq!(mode & 0o777, 0o600, "{name}");
        }
    }
}
