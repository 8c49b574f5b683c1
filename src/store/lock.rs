//! The lock: `flock` on the data dir's own descriptor.
//!
//! Never leaves anything behind: the kernel frees it when its holder ends, however that happens.

use std::os::fd::OwnedFd;
use std::sync::mpsc::sync_channel;
use std::time::Duration;

use rustix::fs::{FlockOperation, flock};
use rustix::io::Errno;

use super::root::refusal;
use crate::code::{Code, Rejection};

/// Locks a descriptor of a data dir; the lock is held until it is dropped.
///
/// # Errors
/// `busy` when somebody else holds it for longer than `patience`.
pub fn acquire(dir: OwnedFd, patience: Duration) -> Result<OwnedFd, Rejection> {
    match flock(&dir, FlockOperation::NonBlockingLockExclusive) {
        Ok(()) => return Ok(dir),
        Err(Errno::WOULDBLOCK | Errno::INTR) => {}
        Err(e) => return Err(refusal(e, "the data dir's lock")),
    }
    if patience.is_zero() {
        return Err(busy());
    }
    // The kernel wakes a blocked waiter at once, which no polling does. The waiter is a thread that can be left
    // behind: nobody takes the descriptor of one that wins too late, so it is closed, and that unlocks.
    let (won, wait) = sync_channel(0);
    let waiter = move || {
        let answer = loop {
            match flock(&dir, FlockOperation::LockExclusive) {
                Ok(()) => break Ok(dir),
                Err(Errno::INTR) => {}
                Err(e) => break Err(e),
            }
        };
        let _ = won.send(answer);
    };
    std::thread::Builder::new()
        .stack_size(64 << 10)
        .spawn(waiter)
        .map_err(|e| Rejection::new(Code::Io, format!("no thread to wait for the lock: {e}")))?;
    match wait.recv_timeout(patience) {
        Ok(Ok(dir)) => Ok(dir),
        Ok(Err(e)) => Err(refusal(e, "the data dir's lock")),
        Err(_) => Err(busy()),
    }
}

fn busy() -> Rejection {
    Rejection::new(Code::Busy, "another command is changing this data dir").hint("try again, or wait longer")
}

#[cfg(test)]
mod tests {
    use super::*;
    use rustix::fs::{Mode, OFlags};

    fn open(dir: &std::path::Path) -> OwnedFd {
        rustix::fs::open(dir, OFlags::RDONLY | OFlags::DIRECTORY, Mode::empty()).unwrap()
    }

    #[test]
    fn one_holds_it_and_others_wait_or_are_told() {
        let dir = tempfile::tempdir().unwrap();
        let held = acquire(open(dir.path()), Duration::ZERO).unwrap();
        assert_eq!(acquire(open(dir.path()), Duration::ZERO).unwrap_err().code, Code::Busy);
        assert_eq!(acquire(open(dir.path()), Duration::from_millis(1)).unwrap_err().code, Code::Busy);
        let next = open(dir.path());
        std::thread::scope(|scope| {
            let waiting = scope.spawn(|| acquire(next, Duration::from_secs(60)));
            drop(held);
            assert!(waiting.join().unwrap().is_ok());
        });
    }
}
