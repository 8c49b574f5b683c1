//! Writes the stdin of a git process and reads its output, within limits of time and size.
//!
//! Never starts a process: `git` does.

use std::io::{ErrorKind, Read, Write};
use std::os::fd::AsFd;
use std::process::Child;
use std::time::{Duration, Instant};

use rustix::event::{PollFd, PollFlags, Timespec, poll};

use super::git_error;
use crate::code::{Code, Rejection};

/// Maximum size of git's output, in bytes.
const MAX_OUTPUT_BYTES: usize = 512 << 20;
/// How long git may take to exit after SIGTERM.
const TERMINATION_GRACE: Duration = Duration::from_secs(2);

/// Writes stdin and reads both streams to their ends. Ends the process at an error.
///
/// # Errors
/// `git` if the output is too large or cannot be read, or at the timeout, with the detail `timeout`.
pub(super) fn communicate(child: &mut Child, stdin: &[u8], timeout: Duration) -> Result<(Vec<u8>, Vec<u8>), Rejection> {
    let (pipe, mut out, mut err) = (child.stdin.take(), child.stdout.take(), child.stderr.take());
    let mut output = (Vec::new(), Vec::new());
    std::thread::scope(|scope| {
        // In its own thread: git may write output before it has read all of stdin.
        if let Some(mut pipe) = pipe {
            scope.spawn(move || pipe.write_all(stdin));
        }
        let until = Instant::now() + timeout;
        let mut read_streams = || {
            while out.is_some() || err.is_some() {
                wait_readable(&out, &err, until)?;
                read_available(&mut out, &mut output.0)?;
                read_available(&mut err, &mut output.1)?;
            }
            Ok(())
        };
        // Without a reader of its output, git and the thread that writes its stdin would block forever.
        read_streams().inspect_err(|_: &Rejection| terminate(child))
    })?;
    Ok(output)
}

/// Waits until one of the open streams has something to read (its end counts).
fn wait_readable(out: &Option<impl AsFd>, err: &Option<impl AsFd>, until: Instant) -> Result<(), Rejection> {
    loop {
        let remaining = until.saturating_duration_since(Instant::now());
        if remaining.is_zero() {
            return Err(Rejection::new(Code::Git, "git timed out").detail("timeout", true));
        }
        let mut fds: Vec<PollFd<'_>> = Vec::with_capacity(2);
        fds.extend(out.iter().map(|fd| PollFd::new(fd, PollFlags::IN)));
        fds.extend(err.iter().map(|fd| PollFd::new(fd, PollFlags::IN)));
        let timeout = Timespec { tv_sec: remaining.as_secs() as i64, tv_nsec: remaining.subsec_nanos().into() };
        match poll(&mut fds, Some(&timeout)) {
            Ok(0) | Err(rustix::io::Errno::INTR) => {}
            Ok(_) => return Ok(()),
            Err(e) => return Err(git_error(&e.to_string())),
        }
    }
}

/// Reads what a stream has available, and closes it at its end.
fn read_available(stream: &mut Option<impl AsFd + Read>, buffer: &mut Vec<u8>) -> Result<(), Rejection> {
    let Some(open) = stream else { return Ok(()) };
    let now = Timespec { tv_sec: 0, tv_nsec: 0 };
    let ready = poll(&mut [PollFd::new(open, PollFlags::IN)], Some(&now)).is_ok_and(|n| n > 0);
    if !ready {
        return Ok(());
    }
    let mut block = [0; 64 << 10];
    match open.read(&mut block) {
        Ok(0) => *stream = None,
        Ok(n) if buffer.len() + n > MAX_OUTPUT_BYTES => {
            return Err(Rejection::new(Code::Git, "git's output is too large"));
        }
        Ok(n) => buffer.extend_from_slice(&block[..n]),
        Err(e) if e.kind() == ErrorKind::Interrupted => {}
        Err(e) => return Err(git_error(&e.to_string())),
    }
    Ok(())
}

/// Ends a git that timed out. SIGTERM is sent first, so that git removes its lock files.
fn terminate(child: &mut Child) {
    let pid = rustix::process::Pid::from_child(child);
    let _ = rustix::process::kill_process(pid, rustix::process::Signal::TERM);
    let until = Instant::now() + TERMINATION_GRACE;
    while Instant::now() < until {
        if child.try_wait().is_ok_and(|ended| ended.is_some()) {
            return;
        }
        std::thread::sleep(Duration::from_millis(10));
    }
    drop(child.kill());
}
