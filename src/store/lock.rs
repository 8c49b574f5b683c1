//! The write lock: `flock` on the data directory's own descriptor, and a queue of waiting writers.
//!
//! Never leaves anything behind: the kernel frees lock and queue positions when a process ends, however it ends.
//!
//! The queue exists because a freed lock goes to the first process that requests it, and on a busy machine that is
//! rarely the one that was woken: with 32 writers, one waited 40 seconds although each held the lock for milliseconds.
//! So a writer that cannot lock at once joins the queue, and one that finds a queue joins its end. The queue is a row
//! of byte-range locks on a file below `.memdir/`: each waiter locks one byte, the first one behind all others, and is
//! first when it gets all the bytes before its own. The queue only orders: without it, or if its file is replaced, the
//! lock is as safe as before, and waiting is unfair again.

use std::os::fd::{BorrowedFd, OwnedFd};
use std::sync::mpsc::{RecvTimeoutError, sync_channel};
use std::time::{Duration, Instant};

use rustix::fs::{FlockOperation, flock};
use rustix::io::Errno;

use super::platform;
use super::root::read_error;
use crate::code::{Code, Rejection};

/// If the head of the queue has not changed for this long, a waiter tries the lock anyway: the first waiter may be
/// stopped (Ctrl-Z). Much longer than a commit takes, so that a queue that moves stays in order.
const STUCK_AFTER: Duration = Duration::from_millis(250);

/// Locks a data directory. The lock is held until the returned descriptor is dropped.
///
/// # Errors
/// `busy` if the lock is not free within `timeout`.
pub fn acquire(root: BorrowedFd<'_>, timeout: Duration) -> Result<OwnedFd, Rejection> {
    let lock = DirectoryLock::open(root)?;
    let queue = WaitQueue::open_queue(root);
    let may_try = queue.as_ref().is_none_or(WaitQueue::is_empty) || timeout.is_zero();
    if may_try && lock.try_lock().map_err(lock_error)? {
        return Ok(lock.0);
    }
    if timeout.is_zero() {
        return Err(busy_error());
    }
    let position = queue.and_then(WaitQueue::join);
    wait_in_queue(
        QueueMonitor { lock: DirectoryLock::open(root)?, queue: WaitQueue::open_queue(root), first: None },
        lock,
        position,
        timeout,
    )
}

/// Calls `read` while no process holds the lock, and keeps writers out only that long. `None` if a process holds it, or
/// if that cannot be found out.
pub fn while_unlocked<T>(root: BorrowedFd<'_>, read: impl FnOnce() -> T) -> Option<T> {
    let lock = DirectoryLock::open(root).ok()?;
    flock(&lock.0, FlockOperation::NonBlockingLockShared).ok()?;
    Some(read())
}

/// Waits for this process's turn and for the lock. A thread blocks on both, because the kernel wakes a blocked waiter
/// at once, which polling does not. After a timeout the thread is left behind: a lock that it gets later has no
/// receiver, so its descriptor is closed, which unlocks.
fn wait_in_queue(
    mut monitor: QueueMonitor,
    lock: DirectoryLock,
    position: Option<QueuePosition>,
    timeout: Duration,
) -> Result<OwnedFd, Rejection> {
    let since = Instant::now();
    monitor.head_changed();
    let (sender, receiver) = sync_channel(0);
    let waiter = move || {
        if let Some(place) = &position {
            place.wait_until_first();
        }
        let result = lock.lock();
        drop(position);
        let _ = sender.send(result.map(|()| lock));
    };
    std::thread::Builder::new()
        .stack_size(64 << 10)
        .spawn(waiter)
        .map_err(|e| Rejection::new(Code::Io, format!("cannot start a thread to wait for the lock: {e}")))?;
    loop {
        let remaining = timeout.saturating_sub(since.elapsed());
        match receiver.recv_timeout(remaining.min(STUCK_AFTER)) {
            Ok(lock) => return lock.map(|lock| lock.0).map_err(lock_error),
            Err(RecvTimeoutError::Timeout) if !remaining.is_zero() => {
                if !monitor.head_changed() && monitor.lock.try_lock().map_err(lock_error)? {
                    return Ok(monitor.lock.0);
                }
            }
            Err(_) => return Err(busy_error()),
        }
    }
}

/// What a waiter checks periodically: whether the queue moves, and whether the lock is free.
struct QueueMonitor {
    lock: DirectoryLock,
    queue: Option<WaitQueue>,
    first: Option<i64>,
}

impl QueueMonitor {
    /// Whether the first waiter is a different one than at the last call.
    fn head_changed(&mut self) -> bool {
        let first = self.queue.as_ref().and_then(|queue| platform::locked_until(&queue.0, 0).ok()?);
        std::mem::replace(&mut self.first, first) != first
    }
}

/// A separate descriptor of the data directory, locked or not.
struct DirectoryLock(OwnedFd);

impl DirectoryLock {
    fn open(root: BorrowedFd<'_>) -> Result<DirectoryLock, Rejection> {
        platform::open_dir(root, "").map(DirectoryLock).map_err(|e| read_error(e, "the data directory"))
    }

    fn try_lock(&self) -> Result<bool, Errno> {
        match flock(&self.0, FlockOperation::NonBlockingLockExclusive) {
            Ok(()) => Ok(true),
            Err(Errno::WOULDBLOCK | Errno::INTR) => Ok(false),
            Err(e) => Err(e),
        }
    }

    fn lock(&self) -> Result<(), Errno> {
        loop {
            match flock(&self.0, FlockOperation::LockExclusive) {
                Err(Errno::INTR) => {}
                result => return result,
            }
        }
    }
}

/// The queue, not joined.
struct WaitQueue(OwnedFd);

/// A position in the queue, freed on drop.
struct QueuePosition {
    queue: OwnedFd,
    index: i64,
}

impl WaitQueue {
    /// Any file below `.memdir/` would do; this one exists as soon as the folder does, and nothing replaces it.
    fn open_queue(root: BorrowedFd<'_>) -> Option<WaitQueue> {
        platform::open_for_locking(root, ".memdir/.gitignore").ok().map(WaitQueue)
    }

    fn is_empty(&self) -> bool {
        !matches!(platform::locked_until(&self.0, 0), Ok(Some(_)))
    }

    /// Takes the last position; `None` if the system has no such locks.
    fn join(self) -> Option<QueuePosition> {
        let mut index = 0;
        loop {
            match platform::locked_until(&self.0, index).ok()? {
                Some(end) => index = end,
                None => match platform::lock_bytes(&self.0, index, index + 1, false) {
                    Ok(()) => return Some(QueuePosition { queue: self.0, index }),
                    // Another process took this byte at the same time.
                    Err(Errno::AGAIN | Errno::ACCESS | Errno::INTR) => {}
                    Err(_) => return None,
                },
            }
        }
    }
}

impl QueuePosition {
    /// Waits until no other process is in front. If the lock call fails, the process counts as first.
    fn wait_until_first(&self) {
        while self.index > 0 && platform::lock_bytes(&self.queue, 0, self.index, true) == Err(Errno::INTR) {}
    }
}

fn lock_error(error: Errno) -> Rejection {
    read_error(error, "the data directory's lock")
}

fn busy_error() -> Rejection {
    Rejection::new(Code::Busy, "another command is changing this data directory")
        .hint("try again, or raise the timeout (--lock-timeout)")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::store::root::DataRoot;
    use std::os::fd::AsFd;

    const LONG: Duration = Duration::from_secs(60);

    /// A data directory, with or without a queue.
    fn data_dir(with_queue: bool) -> (tempfile::TempDir, DataRoot) {
        let dir = tempfile::tempdir().unwrap();
        if with_queue {
            std::fs::create_dir(dir.path().join(".memdir")).unwrap();
            std::fs::write(dir.path().join(".memdir/.gitignore"), "*\n").unwrap();
        }
        let root = DataRoot::open(dir.path()).unwrap();
        (dir, root)
    }

    #[test]
    fn one_process_holds_the_lock_and_others_wait_or_time_out() {
        for with_queue in [true, false] {
            let (_dir, root) = data_dir(with_queue);
            let held = acquire(root.dir.as_fd(), Duration::ZERO).unwrap();
            assert_eq!(acquire(root.dir.as_fd(), Duration::ZERO).unwrap_err().code, Code::Busy);
            assert_eq!(acquire(root.dir.as_fd(), Duration::from_millis(1)).unwrap_err().code, Code::Busy);
            std::thread::scope(|scope| {
                let waiting = scope.spawn(|| acquire(root.dir.as_fd(), LONG));
                drop(held);
                assert!(waiting.join().unwrap().is_ok());
            });
        }
    }

    #[test]
    fn readers_can_tell_whether_a_writer_is_alive() {
        let (_dir, root) = data_dir(false);
        let held = acquire(root.dir.as_fd(), Duration::ZERO).unwrap();
        assert_eq!(while_unlocked(root.dir.as_fd(), || 1), None);
        drop(held);
        assert_eq!(while_unlocked(root.dir.as_fd(), || 1), Some(1));
        // It is released at once.
        drop(acquire(root.dir.as_fd(), Duration::ZERO).unwrap());
    }

    #[test]
    fn new_positions_are_last_and_freed_on_drop() {
        let (_dir, root) = data_dir(true);
        let queue = || WaitQueue::open_queue(root.dir.as_fd()).unwrap();
        assert!(queue().is_empty());
        let positions: Vec<QueuePosition> = (0..40).map(|_| queue().join().unwrap()).collect();
        assert_eq!(positions.iter().map(|place| place.index).collect::<Vec<_>>(), (0..40).collect::<Vec<_>>());
        assert!(!queue().is_empty());
        positions[0].wait_until_first();
        let mut places = positions.into_iter();
        drop(places.next());
        let second = places.next().unwrap();
        second.wait_until_first();
        // The first in the queue has locked all bytes before its own, so others join behind it.
        assert_eq!(queue().join().unwrap().index, 40);
        drop((second, places));
        assert!(queue().is_empty());
    }

    #[test]
    fn the_lock_is_granted_in_queue_order() {
        let (_dir, root) = data_dir(true);
        let held = acquire(root.dir.as_fd(), Duration::ZERO).unwrap();
        let order = std::sync::Mutex::new(Vec::new());
        let join_queue = |number: usize| {
            let position = WaitQueue::open_queue(root.dir.as_fd()).unwrap().join();
            assert_eq!(position.as_ref().unwrap().index, number as i64);
            (DirectoryLock::open(root.dir.as_fd()).unwrap(), DirectoryLock::open(root.dir.as_fd()).unwrap(), position)
        };
        let waiting: Vec<_> = (0..8).map(join_queue).collect();
        std::thread::scope(|scope| {
            for (number, (_monitor, lock, place)) in waiting.into_iter().enumerate().rev() {
                let order = &order;
                scope.spawn(move || {
                    place.as_ref().unwrap().wait_until_first();
                    lock.lock().unwrap();
                    drop(place);
                    order.lock().unwrap().push(number);
                });
            }
            drop(held);
        });
        assert_eq!(order.into_inner().unwrap(), [0, 1, 2, 3, 4, 5, 6, 7]);
    }

    #[test]
    fn a_free_lock_is_taken_past_a_stopped_waiter() {
        let (_dir, root) = data_dir(true);
        let stopped = WaitQueue::open_queue(root.dir.as_fd()).unwrap().join();
        drop(acquire(root.dir.as_fd(), Duration::ZERO).unwrap());
        drop(acquire(root.dir.as_fd(), LONG).unwrap());
        drop(stopped);
    }
}
