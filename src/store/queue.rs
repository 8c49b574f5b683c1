//! Work queued under `.memdir/queue/`: one file per item, claimed by one process at a time.
//!
//! Never interprets the work, and never hands out an item that another machine wrote, which git may bring: each carries a
//! signature. A claim is a lock on the file, which the kernel frees when its holder ends: no item is lost or claimed
//! forever.

use std::os::fd::{AsFd, BorrowedFd, OwnedFd};

use rustix::fs::{AtFlags, Dir, FlockOperation, flock};
use rustix::io::Errno;
use serde_json::Value;

use super::record::any_string;
use super::root::{self, DataRoot, read_error, write_error};
use super::{LockedStore, Store, platform, slot};
use crate::code::{Code, Rejection};
use crate::document::{MAX_FILE_BYTES, MAX_FILE_SIZE};
use crate::text::signature::SigningKey;
use crate::text::text_search::TextSearch;

/// Path of the queue's folder.
const QUEUE_DIR: &str = ".memdir/queue";
/// Suffix of an item that names a file outside the data directory instead of containing it.
const REFERENCE_SUFFIX: &str = ".ref";
/// Maximum size of an item, in bytes: a conversation may be as large as a memory file.
const MAX_ITEM_BYTES: u64 = MAX_FILE_BYTES as u64;

/// The names of items, sorted.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct QueuedItems {
    /// Those with the signature of this machine.
    pub own: Vec<String>,
    /// All others; they are never read.
    pub foreign: Vec<String>,
}

/// An item that this process has claimed, until it is dropped.
pub struct QueueClaim {
    pub name: String,
    pub bytes: Vec<u8>,
    folder: OwnedFd,
    _lock: OwnedFd,
}

impl LockedStore<'_> {
    /// Adds an item and waits until it is on disk. Returns `false` if an item of that name exists.
    ///
    /// # Errors
    /// `read_only`, `io`, `too_large`.
    pub fn enqueue(&self, key: &SigningKey, name: &str, bytes: &[u8]) -> Result<bool, Rejection> {
        add_item(&self.root, key, name, bytes)
    }

    /// Erases these items.
    ///
    /// # Errors
    /// `read_only`, `io`.
    pub fn forget_queued(&self, names: &[String]) -> Result<(), Rejection> {
        let Some(folder) = self.store.open_queue()?.filter(|_| !names.is_empty()) else { return Ok(()) };
        names.iter().try_for_each(|name| slot::erase(folder.as_fd(), name))?;
        platform::sync(&folder).map_err(|e| write_error(e, "the queue"))
    }
}

impl Store {
    /// Adds an item that names a file outside the data directory, and waits until it is on disk. Returns `false` if an
    /// item of that name exists. Takes no lock: the item holds no memory text itself, and a hook may not wait for a
    /// writer.
    ///
    /// # Errors
    /// `read_only`, `io`, `too_large`.
    pub fn enqueue_reference(&self, key: &SigningKey, name: &str, bytes: &[u8]) -> Result<bool, Rejection> {
        self.require_unfiltered()?;
        add_item(&self.root(), key, &format!("{name}{REFERENCE_SUFFIX}"), bytes)
    }

    /// Returns the items of this machine, whose key is `key`, and all others.
    ///
    /// # Errors
    /// `io`.
    pub fn queued_items(&self, key: Option<&SigningKey>) -> Result<QueuedItems, Rejection> {
        let mut items = QueuedItems::default();
        let Some(folder) = self.open_queue()? else { return Ok(items) };
        for name in self.queued_names()? {
            let is_own = key.is_some_and(|key| has_signature(&folder, key, &name));
            if is_own { items.own.push(name) } else { items.foreign.push(name) }
        }
        Ok(items)
    }

    /// Returns the names of all items, sorted, also of those that another machine wrote.
    ///
    /// # Errors
    /// `io`.
    pub fn queued_names(&self) -> Result<Vec<String>, Rejection> {
        let Some(folder) = self.open_queue()? else { return Ok(Vec::new()) };
        let read = Dir::read_from(&folder).map_err(|e| read_error(e, "the queue"))?;
        let names = read.filter_map(Result::ok).filter_map(|entry| entry.file_name().to_str().ok().map(str::to_owned));
        let mut names: Vec<String> = names.filter(|name| !name.starts_with('.')).collect();
        names.sort();
        Ok(names)
    }

    /// Returns the names of the items that contain one of these texts, or cannot be searched. `read_reference` reads the
    /// file that an item names, given the item; `None` if it cannot be read. What an item of another machine names is not
    /// read.
    ///
    /// # Errors
    /// `io`.
    pub fn queued_with_texts(
        &self,
        key: Option<&SigningKey>,
        texts: &TextSearch,
        read_reference: &dyn Fn(&[u8]) -> Option<Vec<u8>>,
    ) -> Result<Vec<String>, Rejection> {
        let Some(folder) = self.open_queue()? else { return Ok(Vec::new()) };
        let mut holders = Vec::new();
        for name in self.queued_names()? {
            let signed = match root::open_plain(&folder, &name, "a queue item") {
                Ok(Some(plain)) => root::read_contents(&plain, "a queue item").ok(),
                Ok(None) => continue,
                Err(_) => None,
            };
            let own = signed.as_deref().zip(key).and_then(|(signed, key)| key.open(&name, signed));
            let searched = match own {
                Some(item) if name.ends_with(REFERENCE_SUFFIX) => read_reference(item),
                Some(item) => Some(item.to_vec()),
                None => signed,
            };
            if searched.is_none_or(|bytes| is_in_json(texts, &String::from_utf8_lossy(&bytes))) {
                holders.push(name);
            }
        }
        Ok(holders)
    }

    /// Claims an item of this machine; `None` if another process has claimed it, or it is completed.
    ///
    /// # Errors
    /// `unsafe_file`, `io`.
    pub fn claim_queued(&self, key: &SigningKey, name: &str) -> Result<Option<QueueClaim>, Rejection> {
        let Some(folder) = self.open_queue()? else { return Ok(None) };
        let Some(plain) = root::open_plain(&folder, name, "a queue item")? else { return Ok(None) };
        match flock(&plain.fd, FlockOperation::NonBlockingLockExclusive) {
            Ok(()) => {}
            Err(Errno::WOULDBLOCK | Errno::INTR) => return Ok(None),
            Err(e) => return Err(read_error(e, "a queue item")),
        }
        // Another process may have completed the item between our opening and our locking it.
        if !still_there(folder.as_fd(), name, &plain) {
            return Ok(None);
        }
        if plain.stat.st_size as u64 > MAX_ITEM_BYTES {
            return Err(Rejection::new(Code::TooLarge, format!("a queue item is larger than {MAX_FILE_SIZE}")));
        }
        let signed = root::read_contents(&plain, "a queue item")?;
        let Some(bytes) = key.open(name, &signed).map(<[u8]>::to_vec) else { return Ok(None) };
        Ok(Some(QueueClaim { name: name.to_owned(), bytes, folder, _lock: plain.fd }))
    }

    fn open_queue(&self) -> Result<Option<OwnedFd>, Rejection> {
        match platform::open_dir(self.root().dir.as_fd(), QUEUE_DIR) {
            Ok(folder) => Ok(Some(folder)),
            Err(Errno::NOENT | Errno::NOTDIR) => Ok(None),
            Err(e) => Err(read_error(e, "the queue")),
        }
    }
}

/// Whether one of the texts stands in another, as it is or as a string of JSON, which may escape it: the other text may be
/// JSON as a whole or in each of its lines, and its strings may be such texts, as a transcript in an item is.
fn is_in_json(texts: &TextSearch, text: &str) -> bool {
    let in_value = |text: &str| {
        let is_value = text.trim_start().starts_with(['{', '[', '"']);
        let value = is_value.then(|| serde_json::from_str::<Value>(text).ok()).flatten()?;
        Some(any_string(&value, &|text: &String| is_in_json(texts, text)))
    };
    match in_value(text) {
        Some(found) => found,
        None => texts.is_in(text) || text.contains('\n') && text.lines().any(|line| in_value(line) == Some(true)),
    }
}

/// Whether there is an item of this machine with this name.
fn has_signature(folder: &OwnedFd, key: &SigningKey, name: &str) -> bool {
    let plain = root::open_plain(folder, name, "a queue item").ok().flatten();
    let bytes = plain.and_then(|plain| root::read_contents(&plain, "a queue item").ok());
    bytes.is_some_and(|bytes| key.open(name, &bytes).is_some())
}

fn add_item(root: &DataRoot, key: &SigningKey, name: &str, bytes: &[u8]) -> Result<bool, Rejection> {
    let bytes = &key.sign(name, bytes)[..];
    if bytes.len() as u64 > MAX_ITEM_BYTES {
        return Err(Rejection::new(Code::TooLarge, format!("a queue item is larger than {MAX_FILE_SIZE}")));
    }
    let to_error = |e| write_error(e, "the queue");
    root.create_machine_dir(true)?;
    let Some(machine) = root.machine_dir()? else { return Err(to_error(Errno::NOENT)) };
    root::create_dir(machine, "queue")?;
    let folder = platform::open_dir(root.dir.as_fd(), QUEUE_DIR).map_err(to_error)?;
    match platform::create_atomically(folder.as_fd(), name, bytes) {
        Ok(()) => {}
        Err(Errno::EXIST) if has_signature(&folder, key, name) => return Ok(false),
        // An item of an earlier version, or of git, which is never read, must not stand in the way.
        Err(Errno::EXIST) => platform::create_atomically(folder.as_fd(), &format!(".{name}"), bytes)
            .and_then(|()| rustix::fs::renameat(&folder, format!(".{name}"), &folder, name))
            .map_err(to_error)?,
        Err(e) => return Err(to_error(e)),
    }
    platform::sync(&folder).and_then(|()| platform::sync(machine)).map_err(to_error)?;
    Ok(true)
}

fn still_there(folder: BorrowedFd<'_>, name: &str, plain: &root::PlainFile) -> bool {
    platform::stat_name(folder, name)
        .is_ok_and(|now| now.st_ino == plain.stat.st_ino && now.st_dev == plain.stat.st_dev)
}

impl QueueClaim {
    /// Removes the completed item from the queue.
    ///
    /// # Errors
    /// `read_only`, `io`.
    pub fn complete(self) -> Result<(), Rejection> {
        match rustix::fs::unlinkat(&self.folder, &*self.name, AtFlags::empty()) {
            Ok(()) | Err(Errno::NOENT) => Ok(()),
            Err(e) => Err(write_error(e, "a queue item")),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::StoreOptions;
    use super::*;

    const KEY: SigningKey = SigningKey::new([1; 32]);

    #[test]
    fn an_item_that_git_brought_is_no_work() {
        let dir = tempfile::tempdir().unwrap();
        let store = Store::open(dir.path(), StoreOptions::default()).unwrap();
        store.enqueue_reference(&KEY, "own", b"{}").unwrap();
        let own = "own.ref".to_owned();
        let signed = std::fs::read(dir.path().join(".memdir/queue/own.ref")).unwrap();
        std::fs::write(dir.path().join(".memdir/queue/copy.ref"), signed).unwrap();
        std::fs::write(dir.path().join(".memdir/queue/plain.ref"), "{\"transcript\":\"/etc/passwd\"}").unwrap();
        let foreign = vec!["copy.ref".to_owned(), "plain.ref".to_owned()];
        let items = store.queued_items(Some(&KEY)).unwrap();
        assert_eq!(items, QueuedItems { own: vec![own.clone()], foreign: foreign.clone() });
        assert!(foreign.iter().all(|name| store.claim_queued(&KEY, name).unwrap().is_none()));
        assert!(store.queued_items(None).unwrap().own.is_empty());
        assert!(store.claim_queued(&KEY, &own).unwrap().is_some());
    }

    #[test]
    fn items_that_contain_a_forgotten_text_are_erased() {
        let dir = tempfile::tempdir().unwrap();
        let store = Store::open(dir.path(), StoreOptions::default()).unwrap();
        let (locked, _) = store.lock().unwrap();
        let quoted = |text: &str| serde_json::to_string(text).unwrap();
        let line = |text: &str| format!("{{\"type\":\"user\",\"content\":{}}}", quoted(text));
        let item = |transcript: &str| format!("{{\"conversation\":{}}}", quoted(transcript));
        for (name, text) in [
            ("a", item("say \"it\"")),
            ("b", "say \"it\" plainly".to_owned()),
            ("c", item(&format!("{}\n{}", line("something"), line("else")))),
            ("e", item(&format!("{}\n{}\n", line("first"), line("do say \"it\"")))),
            ("f", item(&line("say\n\"it\" wrapped"))),
            ("g", item(&format!("[\n{}\n]", line("say \"it\"")))),
            ("h", item(&format!("torn {{\n{}", line("say \"it\"")))),
        ] {
            locked.enqueue(&KEY, name, text.as_bytes()).unwrap();
        }
        for (name, transcript) in [("i", "gone"), ("j", "something"), ("k", "say \"it\"")] {
            store.enqueue_reference(&KEY, name, transcript.as_bytes()).unwrap();
        }
        let read_reference =
            |item: &[u8]| (item != b"gone").then(|| line(std::str::from_utf8(item).unwrap()).into_bytes());
        let texts = TextSearch::new(&["say \"it\"".to_owned()]);
        let holders = store.queued_with_texts(Some(&KEY), &texts, &read_reference).unwrap();
        locked.forget_queued(&holders).unwrap();
        assert_eq!(store.queued_names().unwrap(), ["c", "j.ref"]);
    }

    #[test]
    fn an_item_is_claimed_by_one_process_and_stays_until_completed() {
        let dir = tempfile::tempdir().unwrap();
        let store = Store::open(dir.path(), StoreOptions::default()).unwrap();
        let other = Store::open(dir.path(), StoreOptions::default()).unwrap();
        assert!(store.queued_names().unwrap().is_empty() && store.claim_queued(&KEY, "a").unwrap().is_none());
        let (locked, _) = store.lock().unwrap();
        assert!(locked.enqueue(&KEY, "b", b"two").unwrap() && locked.enqueue(&KEY, "a", b"one").unwrap());
        assert!(!locked.enqueue(&KEY, "a", b"other").unwrap());
        drop(locked);
        assert_eq!(store.queued_names().unwrap(), ["a", "b"]);
        let first = store.claim_queued(&KEY, "a").unwrap().unwrap();
        assert_eq!(first.bytes, b"one");
        assert!(other.claim_queued(&KEY, "a").unwrap().is_none());
        // A process that ends without completing an item leaves it to the next.
        drop(first);
        other.claim_queued(&KEY, "a").unwrap().unwrap().complete().unwrap();
        assert!(store.claim_queued(&KEY, "a").unwrap().is_none());
        assert_eq!(store.queued_names().unwrap(), ["b"]);
    }
}
