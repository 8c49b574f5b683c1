//! Checkpoints below `.memdir/checkpoints/`: states of agents, each under a key, replaced in one step.
//!
//! Never interprets a state, never takes the write lock, and never touches the journal: a lock of their own is enough.
//!
//! A file holds one line of JSON, the header, and then the state's bytes as they were given. Its name is the SHA-256 of
//! the key: so a key may be any text, and two keys are two files on every file system.

use std::os::fd::{AsFd, OwnedFd};

use rustix::fs::AtFlags;
use rustix::io::Errno;
use serde::{Deserialize, Serialize};

use super::root::{self, PlainFile, read_error, write_error};
use super::{Durability, Store, lock, platform, slot, walk};
use crate::change::Etag;
use crate::code::{Code, Rejection};

/// Path of the folder.
const CHECKPOINT_DIR: &str = ".memdir/checkpoints";
/// Its name below `.memdir/`.
const FOLDER_NAME: &str = "checkpoints";
/// What messages call it.
const SHOWN: &str = "a checkpoint";
/// Suffix of a file while it is written or erased.
const UNFINISHED_SUFFIX: &str = ".new";
/// Longer than any header: a key of 200 bytes, escaped, and the rest.
const MAX_HEADER_BYTES: usize = 4096;

/// What is known of a checkpoint without its state.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct CheckpointHeader {
    pub key: String,
    /// When it was first saved, RFC 3339.
    pub created: String,
    /// When it was last saved, RFC 3339.
    pub updated: String,
    /// The etag of the state, all 64 hex digits.
    pub etag: String,
    /// The size of the state, in bytes.
    pub bytes: u64,
}

/// The checkpoints of a folder.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct FoundCheckpoints {
    /// Those that can be loaded, sorted by key.
    pub headers: Vec<CheckpointHeader>,
    /// The paths, below the data directory, of files that another program damaged, sorted.
    pub damaged: Vec<String>,
}

/// The checkpoints, locked: until it is dropped, no other process saves or removes one.
pub struct LockedCheckpoints {
    folder: OwnedFd,
    durability: Durability,
    _lock: OwnedFd,
}

impl Store {
    /// Returns the headers of all checkpoints, and which files are damaged.
    ///
    /// # Errors
    /// `io`, `unsafe_file`.
    pub fn checkpoints(&self) -> Result<FoundCheckpoints, Rejection> {
        self.open_checkpoints()?.map_or(Ok(FoundCheckpoints::default()), |folder| list_checkpoints(&folder))
    }

    /// Returns a checkpoint with its state; `None` if there is none.
    ///
    /// # Errors
    /// `io`, `unsafe_file`, and `invalid_checkpoint` if another program damaged it.
    pub fn read_checkpoint(&self, key: &str) -> Result<Option<(CheckpointHeader, String)>, Rejection> {
        let Some(folder) = self.open_checkpoints()? else { return Ok(None) };
        let Some(plain) = root::open_plain(&folder, &file_name(key), SHOWN)? else { return Ok(None) };
        let mut bytes = root::read_contents(&plain, SHOWN)?;
        let damaged = || {
            Rejection::new(Code::InvalidCheckpoint, "the file of the checkpoint was damaged by another program")
                .hint("save it again, or remove it with `memdir checkpoint rm`")
        };
        let (header, length) = parse_header(&bytes).ok_or_else(damaged)?;
        bytes.drain(..length);
        let text = String::from_utf8(bytes).ok().filter(|text| text.len() as u64 == header.bytes);
        text.map(|text| Some((header, text))).ok_or_else(damaged)
    }

    /// Locks the checkpoints for writing. What a killed process left unfinished is removed. Without `create`, `None` if
    /// there is no folder.
    ///
    /// # Errors
    /// `busy`, `read_only`, `io`.
    pub fn lock_checkpoints(&self, create: bool) -> Result<Option<LockedCheckpoints>, Rejection> {
        let durability = self.options.durability;
        if create {
            let root = self.root();
            root.create_machine_dir(durability == Durability::Full)?;
            let Some(machine) = root.machine_dir()? else { return Err(write_error(Errno::NOENT, SHOWN)) };
            root::create_dir(machine, FOLDER_NAME)?;
            if durability == Durability::Full {
                root.sync_machine_dir()?;
            }
        }
        let Some(folder) = self.open_checkpoints()? else { return Ok(None) };
        let lock = lock::acquire(folder.as_fd(), self.options.lock_timeout)?;
        for name in file_names(&folder)?.iter().filter(|name| name.ends_with(UNFINISHED_SUFFIX)) {
            slot::erase(folder.as_fd(), name)?;
        }
        Ok(Some(LockedCheckpoints { folder, durability, _lock: lock }))
    }

    fn open_checkpoints(&self) -> Result<Option<OwnedFd>, Rejection> {
        self.root().open_folder(CHECKPOINT_DIR)
    }
}

impl LockedCheckpoints {
    /// Returns the headers of all checkpoints, and which files are damaged.
    ///
    /// # Errors
    /// `io`, `unsafe_file`.
    pub fn checkpoints(&self) -> Result<FoundCheckpoints, Rejection> {
        list_checkpoints(&self.folder)
    }

    /// Whether there is a checkpoint under a key, damaged or not.
    ///
    /// # Errors
    /// `io`, `unsafe_file`.
    pub fn has_file(&self, key: &str) -> Result<bool, Rejection> {
        Ok(root::open_plain(&self.folder, &file_name(key), SHOWN)?.is_some())
    }

    /// Returns the header of a checkpoint; `None` if there is none, or it is damaged.
    ///
    /// # Errors
    /// `io`, `unsafe_file`.
    pub fn header(&self, key: &str) -> Result<Option<CheckpointHeader>, Rejection> {
        Ok(match read_header(&self.folder, &file_name(key))? {
            ReadHeader::Whole(header) => Some(header),
            ReadHeader::Damaged | ReadHeader::Missing => None,
        })
    }

    /// Saves a state in place of the one before, and waits until it is on disk.
    ///
    /// # Errors
    /// `read_only`, `io`; `outcome_unknown` if it was saved and the disk then failed.
    pub fn save(&self, header: &CheckpointHeader, state: &[u8]) -> Result<(), Rejection> {
        let to_error = |e| write_error(e, SHOWN);
        let (name, folder) = (file_name(&header.key), self.folder.as_fd());
        let unfinished = format!("{name}{UNFINISHED_SUFFIX}");
        let mut bytes = serde_json::to_vec(header).map_err(|_| to_error(Errno::INVAL))?;
        bytes.reserve_exact(state.len() + 1);
        bytes.push(b'\n');
        bytes.extend_from_slice(state);
        platform::create_atomically(folder, &unfinished, &bytes).map_err(to_error)?;
        rustix::fs::renameat(folder, &*unfinished, folder, &*name).map_err(|e| {
            let _ = rustix::fs::unlinkat(folder, &*unfinished, AtFlags::empty());
            to_error(e)
        })?;
        self.sync_names()
    }

    /// Erases a checkpoint: its bytes, then its name. Does nothing if there is none.
    ///
    /// # Errors
    /// `read_only`, `io`; `outcome_unknown` if it was removed and the disk then failed.
    pub fn remove(&self, key: &str) -> Result<(), Rejection> {
        let (name, folder) = (file_name(key), self.folder.as_fd());
        // Renamed first, so that no reader finds a half-erased one.
        let unfinished = format!("{name}{UNFINISHED_SUFFIX}");
        match rustix::fs::renameat(folder, &*name, folder, &*unfinished) {
            // It is no checkpoint any more, although its bytes are still on the disk until the next save.
            Ok(()) => slot::erase(folder, &unfinished).map_err(|error| unknown(&error.message))?,
            Err(Errno::NOENT) => return Ok(()),
            Err(e) => return Err(write_error(e, SHOWN)),
        }
        self.sync_names()
    }

    fn sync_names(&self) -> Result<(), Rejection> {
        match self.durability {
            Durability::Full => platform::sync(&self.folder)
                .map_err(|e| unknown(&format!("the checkpoints cannot be synced: {}", root::error_reason(e)))),
            Durability::Atomic | Durability::Fast => Ok(()),
        }
    }
}

/// An error of the disk behind the step that decides.
fn unknown(message: &str) -> Rejection {
    Rejection { changed: None, ..Rejection::new(Code::OutcomeUnknown, message) }
}

/// The file name of a key: 64 hex digits, the same on file systems that ignore case.
fn file_name(key: &str) -> String {
    Etag::of(key.as_bytes()).hex()
}

fn file_names(folder: &OwnedFd) -> Result<Vec<String>, Rejection> {
    // Another handle: the position of this one belongs to all who list.
    let listed = platform::open_dir(folder.as_fd(), "").map_err(|e| read_error(e, SHOWN))?;
    let mut names = Vec::new();
    walk::list_names(&listed, &mut Vec::with_capacity(32 << 10), &mut |name, _| {
        names.extend(String::from_utf8(name.to_vec()));
    })
    .map_err(|e| read_error(e, SHOWN))?;
    names.retain(|name| !name.starts_with('.'));
    Ok(names)
}

fn list_checkpoints(folder: &OwnedFd) -> Result<FoundCheckpoints, Rejection> {
    let mut found = FoundCheckpoints::default();
    for name in file_names(folder)?.into_iter().filter(|name| !name.ends_with(UNFINISHED_SUFFIX)) {
        match read_header(folder, &name)? {
            ReadHeader::Whole(header) => found.headers.push(header),
            ReadHeader::Damaged => found.damaged.push(format!("{CHECKPOINT_DIR}/{name}")),
            // Removed meanwhile.
            ReadHeader::Missing => {}
        }
    }
    found.headers.sort_by(|a, b| a.key.cmp(&b.key));
    found.damaged.sort();
    Ok(found)
}

/// What a file says of its checkpoint.
enum ReadHeader {
    Whole(CheckpointHeader),
    /// Its header cannot be read or is of another key, or the file is shorter or longer than the header says.
    Damaged,
    Missing,
}

fn read_header(folder: &OwnedFd, name: &str) -> Result<ReadHeader, Rejection> {
    let Some(plain) = root::open_plain(folder, name, SHOWN)? else { return Ok(ReadHeader::Missing) };
    let start = read_start(&plain)?;
    let is_whole = |(header, length): &(CheckpointHeader, usize)| {
        file_name(&header.key) == name && header.bytes.checked_add(*length as u64) == Some(plain.stat.st_size as u64)
    };
    let parsed = parse_header(&start).filter(is_whole);
    Ok(parsed.map_or(ReadHeader::Damaged, |(header, _)| ReadHeader::Whole(header)))
}

fn read_start(plain: &PlainFile) -> Result<Vec<u8>, Rejection> {
    let mut start = vec![0; MAX_HEADER_BYTES];
    let mut length = 0;
    while length < start.len() {
        match rustix::io::pread(&plain.fd, &mut start[length..], length as u64) {
            Ok(0) => break,
            Ok(n) => length += n,
            Err(Errno::INTR) => {}
            Err(e) => return Err(read_error(e, SHOWN)),
        }
    }
    start.truncate(length);
    Ok(start)
}

/// The header at the start of a file, and its length with the line end, in bytes.
fn parse_header(bytes: &[u8]) -> Option<(CheckpointHeader, usize)> {
    let end = memchr::memchr(b'\n', &bytes[..bytes.len().min(MAX_HEADER_BYTES)])?;
    Some((serde_json::from_slice(&bytes[..end]).ok()?, end + 1))
}

#[cfg(test)]
mod tests {
    use super::super::StoreOptions;
    use super::*;

    fn header(key: &str, state: &[u8]) -> CheckpointHeader {
        let at = "2026-02-24T10:00:00Z".to_owned();
        let (etag, bytes) = (Etag::of(state).hex(), state.len() as u64);
        CheckpointHeader { key: key.to_owned(), created: at.clone(), updated: at, etag, bytes }
    }

    #[test]
    fn keys_that_no_file_name_can_hold_are_kept_apart() {
        let dir = tempfile::tempdir().unwrap();
        let store = Store::open(dir.path(), StoreOptions::default()).unwrap();
        assert!(
            store.checkpoints().unwrap() == FoundCheckpoints::default()
                && store.lock_checkpoints(false).unwrap().is_none()
        );
        let long = "\u{1}".repeat(200);
        let keys = ["../../etc/passwd", "A", "CON", "a", "a/b", "con", "line\nbreak", &long, "é", "e\u{301}"];
        let locked = store.lock_checkpoints(true).unwrap().unwrap();
        for key in keys {
            locked.save(&header(key, key.as_bytes()), key.as_bytes()).unwrap();
        }
        drop(locked);
        let mut sorted: Vec<&str> = keys.to_vec();
        sorted.sort_unstable();
        let listed = store.checkpoints().unwrap().headers;
        assert_eq!(listed.iter().map(|header| header.key.as_str()).collect::<Vec<_>>(), sorted);
        for key in keys {
            assert_eq!(store.read_checkpoint(key).unwrap().unwrap().1, key);
        }
        let names = std::fs::read_dir(dir.path().join(CHECKPOINT_DIR)).unwrap();
        assert!(names.into_iter().all(|entry| entry.unwrap().file_name().len() == 64));
        let locked = store.lock_checkpoints(false).unwrap().unwrap();
        keys.iter().for_each(|key| locked.remove(key).unwrap());
        locked.remove("none").unwrap();
        assert_eq!(std::fs::read_dir(dir.path().join(CHECKPOINT_DIR)).unwrap().count(), 0);
    }

    #[test]
    fn what_a_killed_process_left_is_removed_and_a_damaged_file_is_reported() {
        let dir = tempfile::tempdir().unwrap();
        let store = Store::open(dir.path(), StoreOptions::default()).unwrap();
        store.lock_checkpoints(true).unwrap().unwrap().save(&header("a", b"{}"), b"{}").unwrap();
        let folder = dir.path().join(CHECKPOINT_DIR);
        std::fs::write(folder.join("0123.new"), "half").unwrap();
        std::fs::write(folder.join("0123"), "no checkpoint").unwrap();
        let found = store.checkpoints().unwrap();
        assert_eq!(
            (&found.headers[..], &found.damaged[..]),
            (&[header("a", b"{}")][..], &[format!("{CHECKPOINT_DIR}/0123")][..])
        );
        drop(store.lock_checkpoints(false).unwrap());
        assert!(!folder.join("0123.new").exists());
        let whole = std::fs::read(folder.join(file_name("a"))).unwrap();
        std::fs::write(folder.join(file_name("a")), &whole[..whole.len() - 1]).unwrap();
        assert_eq!(store.read_checkpoint("a").unwrap_err().code, Code::InvalidCheckpoint);
        assert_eq!(store.checkpoints().unwrap().damaged.len(), 2);
        let mut longest = header("a", b"{}");
        longest.bytes = u64::MAX;
        let text = format!("{}\n{{}}", serde_json::to_string(&longest).unwrap());
        std::fs::write(folder.join(file_name("a")), text).unwrap();
        assert_eq!(store.checkpoints().unwrap().damaged.len(), 2);
    }
}
