//! Work that waits under `.memdir/queue/`: files of our own, taken by one process at a time.
//!
//! Never decides what the work is. A claim is a lock on the file, which the kernel frees when its holder dies: work is
//! neither lost nor claimed for ever.

use std::os::fd::{AsFd, BorrowedFd, OwnedFd};

use rustix::fs::{AtFlags, Dir, FlockOperation, flock};
use rustix::io::Errno;

use super::root::{self, refusal, refusal_to_write};
use super::{Locked, Store, platform};
use crate::code::{Code, Rejection};

/// Where it waits.
const QUEUE: &str = ".memdir/queue";
/// The largest piece of work, in bytes: what a conversation may have.
const MOST: u64 = 64 << 20;

/// A piece of work that is this process's until it is dropped.
pub struct Claim {
    /// Its name.
    pub name: String,
    /// What it is.
    pub bytes: Vec<u8>,
    folder: OwnedFd,
    _held: OwnedFd,
}

impl Locked<'_> {
    /// Puts work at the end of the queue and waits until it is on the disk. The same name again is the same work:
    /// `false`.
    ///
    /// # Errors
    /// `read_only`, `io`, `too_large`.
    pub fn enqueue(&self, name: &str, bytes: &[u8]) -> Result<bool, Rejection> {
        if bytes.len() as u64 > MOST {
            return Err(Rejection::new(Code::TooLarge, "the queue takes work of at most 64 MiB"));
        }
        let wrong = |e| refusal_to_write(e, "the queue");
        self.root.make_machine(true)?;
        let Some(machine) = self.root.machine()? else { return Err(wrong(Errno::NOENT)) };
        root::make_dir(machine, "queue")?;
        let folder = platform::open_dir(self.root.dir.as_fd(), QUEUE).map_err(wrong)?;
        match platform::create_whole(folder.as_fd(), name, bytes) {
            Ok(()) => {}
            Err(Errno::EXIST) => return Ok(false),
            Err(e) => return Err(wrong(e)),
        }
        platform::sync(&folder).and_then(|()| platform::sync(machine)).map_err(wrong)?;
        Ok(true)
    }
}

impl Store {
    /// The names of all work that waits, sorted.
    ///
    /// # Errors
    /// `io`.
    pub fn queued(&self) -> Result<Vec<String>, Rejection> {
        let Some(folder) = self.queue()? else { return Ok(Vec::new()) };
        let read = Dir::read_from(&folder).map_err(|e| refusal(e, "the queue"))?;
        let names = read.filter_map(Result::ok).filter_map(|entry| entry.file_name().to_str().ok().map(str::to_owned));
        let mut names: Vec<String> = names.filter(|name| !name.starts_with('.')).collect();
        names.sort();
        Ok(names)
    }

    /// Takes a piece of work; `None` when another process has it, or it is done.
    ///
    /// # Errors
    /// `unsafe_file`, `io`.
    pub fn claim(&self, name: &str) -> Result<Option<Claim>, Rejection> {
        let Some(folder) = self.queue()? else { return Ok(None) };
        let Some(plain) = root::open_plain(&folder, name, "a file of the queue")? else { return Ok(None) };
        match flock(&plain.fd, FlockOperation::NonBlockingLockExclusive) {
            Ok(()) => {}
            Err(Errno::WOULDBLOCK | Errno::INTR) => return Ok(None),
            Err(e) => return Err(refusal(e, "a file of the queue")),
        }
        // Whoever had it may have ended it between our opening and our lock.
        if !still_there(folder.as_fd(), name, &plain) {
            return Ok(None);
        }
        if plain.stat.st_size as u64 > MOST {
            return Err(Rejection::new(Code::TooLarge, "a file of the queue is larger than 64 MiB"));
        }
        let bytes = root::contents(&plain, "a file of the queue")?;
        Ok(Some(Claim { name: name.to_owned(), bytes, folder, _held: plain.fd }))
    }

    fn queue(&self) -> Result<Option<OwnedFd>, Rejection> {
        match platform::open_dir(self.root().dir.as_fd(), QUEUE) {
            Ok(folder) => Ok(Some(folder)),
            Err(Errno::NOENT | Errno::NOTDIR) => Ok(None),
            Err(e) => Err(refusal(e, "the queue")),
        }
    }
}

fn still_there(folder: BorrowedFd<'_>, name: &str, plain: &root::Plain) -> bool {
    platform::look(folder, name).is_ok_and(|now| now.st_ino == plain.stat.st_ino && now.st_dev == plain.stat.st_dev)
}

impl Claim {
    /// The work is done: it leaves the queue.
    ///
    /// # Errors
    /// `read_only`, `io`.
    pub fn done(self) -> Result<(), Rejection> {
        match rustix::fs::unlinkat(&self.folder, &*self.name, AtFlags::empty()) {
            Ok(()) | Err(Errno::NOENT) => Ok(()),
            Err(e) => Err(refusal_to_write(e, "a file of the queue")),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::Options;
    use super::*;

    #[test]
    fn work_is_taken_by_one_at_a_time_and_stays_until_it_is_done() {
        let dir = tempfile::tempdir().unwrap();
        let store = Store::open(dir.path(), Options::default()).unwrap();
        let other = Store::open(dir.path(), Options::default()).unwrap();
        assert!(store.queued().unwrap().is_empty() && store.claim("a").unwrap().is_none());
        let (locked, _) = store.lock().unwrap();
        assert!(locked.enqueue("b", b"two").unwrap() && locked.enqueue("a", b"one").unwrap());
        assert!(!locked.enqueue("a", b"other").unwrap());
        drop(locked);
        assert_eq!(store.queued().unwrap(), ["a", "b"]);
        let first = store.claim("a").unwrap().unwrap();
        assert_eq!(first.bytes, b"one");
        assert!(other.claim("a").unwrap().is_none());
        // Whoever dies with work leaves it to the next.
        drop(first);
        other.claim("a").unwrap().unwrap().done().unwrap();
        assert!(store.claim("a").unwrap().is_none());
        assert_eq!(store.queued().unwrap(), ["b"]);
    }
}
