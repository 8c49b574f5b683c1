//! The lock: `flock` on the data dir's own descriptor, and the line in which writers wait for it.
//!
//! Never leaves anything behind: the kernel frees lock and places when their holder ends, however that happens.
//!
//! A freed lock goes to whoever asks first, and on a busy machine that is hardly ever who was woken for it: without a
//! line a writer in a crowd of 32 waits for forty seconds, although each holds the lock for milliseconds. So whoever
//! cannot have the lock at once stands in line, and who finds a line goes to its end. The line is a row of byte locks on
//! a file below `.memdir/`: a place is one byte, the last place is the first free byte behind all others, and whoever
//! gets all the bytes before their own is first. It gives order, nothing else: where it is missing, taken away or
//! replaced, the lock is as safe as before, and waiting is unfair again.

use std::os::fd::{BorrowedFd, OwnedFd};
use std::sync::mpsc::{RecvTimeoutError, sync_channel};
use std::time::{Duration, Instant};

use rustix::fs::{FlockOperation, flock};
use rustix::io::Errno;

use super::platform;
use super::root::refusal;
use crate::code::{Code, Rejection};

/// When nobody in the line has moved for so long, who waits looks whether the lock is free all the same: who is first
/// may be stopped (Ctrl-Z). Much longer than a commit takes, so that a line that moves stays a line.
const STUCK: Duration = Duration::from_millis(250);

/// Locks a data dir; the lock is held until the answer is dropped.
///
/// # Errors
/// `busy` when it is not to be had within `patience`.
pub fn acquire(root: BorrowedFd<'_>, patience: Duration) -> Result<OwnedFd, Rejection> {
    let lock = Lock::open(root)?;
    let line = Line::open(root);
    let in_order = line.as_ref().is_none_or(Line::is_empty) || patience.is_zero();
    if in_order && lock.try_take().map_err(refused)? {
        return Ok(lock.0);
    }
    if patience.is_zero() {
        return Err(busy());
    }
    let place = line.and_then(Line::join);
    wait(Glance { lock: Lock::open(root)?, line: Line::open(root), first: None }, lock, place, patience)
}

/// Waits for one's turn and the lock. The kernel wakes a blocked waiter at once, which no polling does: that is a
/// thread that can be left behind, for nobody takes the lock of one that wins too late, so it is closed, and that
/// unlocks.
fn wait(mut glance: Glance, lock: Lock, place: Option<Place>, patience: Duration) -> Result<OwnedFd, Rejection> {
    let since = Instant::now();
    glance.moved();
    let (won, answer) = sync_channel(0);
    let waiter = move || {
        if let Some(place) = &place {
            place.come_first();
        }
        let taken = lock.take();
        drop(place);
        let _ = won.send(taken.map(|()| lock));
    };
    std::thread::Builder::new()
        .stack_size(64 << 10)
        .spawn(waiter)
        .map_err(|e| Rejection::new(Code::Io, format!("no thread to wait for the lock: {e}")))?;
    loop {
        let left = patience.saturating_sub(since.elapsed());
        match answer.recv_timeout(left.min(STUCK)) {
            Ok(lock) => return lock.map(|lock| lock.0).map_err(refused),
            Err(RecvTimeoutError::Timeout) if !left.is_zero() => {
                if !glance.moved() && glance.lock.try_take().map_err(refused)? {
                    return Ok(glance.lock.0);
                }
            }
            Err(_) => return Err(busy()),
        }
    }
}

/// A look past the line.
struct Glance {
    lock: Lock,
    line: Option<Line>,
    first: Option<i64>,
}

impl Glance {
    /// Whether another one is first in line than at the last look.
    fn moved(&mut self) -> bool {
        let first = self.line.as_ref().and_then(|line| platform::taken_from(&line.0, 0).ok()?);
        std::mem::replace(&mut self.first, first) != first
    }
}

/// A descriptor of its own of the data dir, locked or not.
struct Lock(OwnedFd);

impl Lock {
    fn open(root: BorrowedFd<'_>) -> Result<Lock, Rejection> {
        platform::open_dir(root, "").map(Lock).map_err(|e| refusal(e, "the data dir"))
    }

    fn try_take(&self) -> Result<bool, Errno> {
        match flock(&self.0, FlockOperation::NonBlockingLockExclusive) {
            Ok(()) => Ok(true),
            Err(Errno::WOULDBLOCK | Errno::INTR) => Ok(false),
            Err(e) => Err(e),
        }
    }

    fn take(&self) -> Result<(), Errno> {
        loop {
            match flock(&self.0, FlockOperation::LockExclusive) {
                Err(Errno::INTR) => {}
                answer => return answer,
            }
        }
    }
}

/// The line, seen from outside.
struct Line(OwnedFd);

/// A place in it, given up when it is dropped.
struct Place {
    line: OwnedFd,
    at: i64,
}

impl Line {
    /// Any file below `.memdir/` would do; this one is there as soon as anything is, and nobody replaces it.
    fn open(root: BorrowedFd<'_>) -> Option<Line> {
        platform::open_line(root, ".memdir/.gitignore").ok().map(Line)
    }

    fn is_empty(&self) -> bool {
        !matches!(platform::taken_from(&self.0, 0), Ok(Some(_)))
    }

    /// Takes the last place; `None` where the system knows no such locks.
    fn join(self) -> Option<Place> {
        let mut at = 0;
        loop {
            match platform::taken_from(&self.0, at).ok()? {
                Some(end) => at = end,
                None => match platform::take_bytes(&self.0, at, at + 1, false) {
                    Ok(()) => return Some(Place { line: self.0, at }),
                    // Somebody else took it in this moment.
                    Err(Errno::AGAIN | Errno::ACCESS | Errno::INTR) => {}
                    Err(_) => return None,
                },
            }
        }
    }
}

impl Place {
    /// Waits until nobody is before it; where that cannot be known, nobody is.
    fn come_first(&self) {
        while self.at > 0 && platform::take_bytes(&self.line, 0, self.at, true) == Err(Errno::INTR) {}
    }
}

fn refused(error: Errno) -> Rejection {
    refusal(error, "the data dir's lock")
}

fn busy() -> Rejection {
    Rejection::new(Code::Busy, "another command is changing this data dir").hint("try again, or wait longer")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::store::root::Root;
    use std::os::fd::AsFd;

    const LONG: Duration = Duration::from_secs(60);

    /// A data dir, with a line or without one.
    fn data_dir(line: bool) -> (tempfile::TempDir, Root) {
        let dir = tempfile::tempdir().unwrap();
        if line {
            std::fs::create_dir(dir.path().join(".memdir")).unwrap();
            std::fs::write(dir.path().join(".memdir/.gitignore"), "*\n").unwrap();
        }
        let root = Root::open(dir.path()).unwrap();
        (dir, root)
    }

    #[test]
    fn one_holds_it_and_others_wait_or_are_told() {
        for line in [true, false] {
            let (_dir, root) = data_dir(line);
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
    fn places_are_behind_all_others_and_free_when_they_are_given_up() {
        let (_dir, root) = data_dir(true);
        let line = || Line::open(root.dir.as_fd()).unwrap();
        assert!(line().is_empty());
        let places: Vec<Place> = (0..40).map(|_| line().join().unwrap()).collect();
        assert_eq!(places.iter().map(|place| place.at).collect::<Vec<_>>(), (0..40).collect::<Vec<_>>());
        assert!(!line().is_empty());
        places[0].come_first();
        let mut places = places.into_iter();
        drop(places.next());
        let second = places.next().unwrap();
        second.come_first();
        // Who comes first has all the bytes before, and nobody else is let in front.
        assert_eq!(line().join().unwrap().at, 40);
        drop((second, places));
        assert!(line().is_empty());
    }

    #[test]
    fn the_lock_goes_by_the_order_of_the_line() {
        let (_dir, root) = data_dir(true);
        let held = acquire(root.dir.as_fd(), Duration::ZERO).unwrap();
        let order = std::sync::Mutex::new(Vec::new());
        let stand = |number: usize| {
            let place = Line::open(root.dir.as_fd()).unwrap().join();
            assert_eq!(place.as_ref().unwrap().at, number as i64);
            (Lock::open(root.dir.as_fd()).unwrap(), Lock::open(root.dir.as_fd()).unwrap(), place)
        };
        let waiting: Vec<_> = (0..8).map(stand).collect();
        std::thread::scope(|scope| {
            for (number, (_glance, lock, place)) in waiting.into_iter().enumerate().rev() {
                let order = &order;
                scope.spawn(move || {
                    place.as_ref().unwrap().come_first();
                    lock.take().unwrap();
                    drop(place);
                    order.lock().unwrap().push(number);
                });
            }
            drop(held);
        });
        assert_eq!(order.into_inner().unwrap(), [0, 1, 2, 3, 4, 5, 6, 7]);
    }

    #[test]
    fn a_free_lock_is_had_although_somebody_in_line_does_not_move() {
        let (_dir, root) = data_dir(true);
        let asleep = Line::open(root.dir.as_fd()).unwrap().join();
        drop(acquire(root.dir.as_fd(), Duration::ZERO).unwrap());
        drop(acquire(root.dir.as_fd(), LONG).unwrap());
        drop(asleep);
    }
}
