//! The journal's file: lines are appended, and its end tells where the data dir stands.
//!
//! Never changes a line that is there.

use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};

use super::line::{END, Intent, Line, lines, parse, records};
use super::platform;
use super::protocol::Ending;
use super::root::{refusal, refusal_to_write, write_all};
use crate::code::{Code, Rejection};
use rustix::io::Errno;

/// Its name below `.memdir/`.
pub const NAME: &str = "journal";
/// How much of its end is read to find the last entries, in bytes.
pub const TAIL: usize = 64 << 10;

/// An open journal.
pub struct Journal {
    fd: OwnedFd,
    /// Whether it is known to end with a whole line.
    whole: AtomicBool,
    /// Its size when it was last looked at, in bytes.
    pub size: u64,
    /// Its inode: another one is another journal.
    pub inode: u64,
}

/// Where the journal stands.
pub enum Tail {
    /// The last line is this end.
    Ended(u64, Ending),
    /// The highest known revision, and the intent without an end, if there is one.
    Open(u64, Option<Box<Intent>>),
}

impl Tail {
    /// The highest known revision; 0 before the first.
    pub fn rev(&self) -> u64 {
        match self {
            Tail::Ended(rev, _) | Tail::Open(rev, _) => *rev,
        }
    }
}

impl Journal {
    /// Opens it; `None` when there is none. For writing only where the directory allows it.
    pub fn open(machine: BorrowedFd<'_>, write: bool) -> Result<Option<Journal>, Rejection> {
        let opened = match write {
            true => platform::open_append(machine, NAME),
            false => platform::open_file(machine, NAME),
        };
        let fd = match opened {
            Ok(fd) => fd,
            Err(Errno::NOENT) => return Ok(None),
            Err(e) if write => return Err(refusal_to_write(e, "the journal")),
            Err(e) => return Err(refusal(e, "the journal")),
        };
        Journal::held(fd).map(Some)
    }

    /// Makes it, or opens it when it is there. Does not wait for its name to be on the disk.
    pub fn create(machine: BorrowedFd<'_>) -> Result<Journal, Rejection> {
        match platform::create(machine, NAME) {
            Ok(_) | Err(Errno::EXIST) => {}
            Err(e) => return Err(refusal_to_write(e, "the journal")),
        }
        match Journal::open(machine, true)? {
            Some(journal) => Ok(journal),
            None => Err(refusal_to_write(Errno::NOENT, "the journal")),
        }
    }

    fn held(fd: OwnedFd) -> Result<Journal, Rejection> {
        let stat = rustix::fs::fstat(&fd).map_err(|e| refusal(e, "the journal"))?;
        if let Some(why) = super::root::unsafe_kind(&stat) {
            return Err(Rejection::new(Code::UnsafeFile, format!("the journal {why}")));
        }
        Ok(Journal { fd, whole: false.into(), size: stat.st_size as u64, inode: stat.st_ino })
    }

    /// Its last bytes, at most `most`; how many come before them.
    pub fn last(&self, most: usize) -> Result<(Vec<u8>, u64), Rejection> {
        let from = self.size.saturating_sub(most as u64);
        self.part(from, self.size).map(|bytes| (bytes, from))
    }

    /// How large it is by now, in bytes.
    pub fn grown(&self) -> Result<u64, Rejection> {
        rustix::fs::fstat(&self.fd).map(|stat| stat.st_size as u64).map_err(|e| refusal(e, "the journal"))
    }

    /// What was appended behind that many bytes.
    pub fn since(&self, from: u64) -> Result<Vec<u8>, Rejection> {
        self.part(from, self.grown()?)
    }

    /// How many of its bytes are whole lines.
    pub fn whole_until(&self) -> Result<u64, Rejection> {
        let (bytes, from) = self.last(TAIL)?;
        Ok(memchr::memrchr(b'\n', &bytes).map_or(from, |i| from + i as u64 + 1))
    }

    fn part(&self, from: u64, until: u64) -> Result<Vec<u8>, Rejection> {
        let mut bytes = Vec::with_capacity(until.saturating_sub(from) as usize);
        while (bytes.len() as u64) < until.saturating_sub(from) {
            let at = from + bytes.len() as u64;
            match rustix::io::pread(&self.fd, rustix::buffer::spare_capacity(&mut bytes), at) {
                Ok(0) => break,
                Ok(_) | Err(Errno::INTR) => {}
                Err(e) => return Err(refusal(e, "the journal")),
            }
        }
        Ok(bytes)
    }

    /// All of it.
    pub fn all(&self) -> Result<Vec<u8>, Rejection> {
        self.last(usize::MAX).map(|(bytes, _)| bytes)
    }

    /// The whole lines among its last 64 KiB.
    pub fn recent(&self) -> Result<Vec<u8>, Rejection> {
        let (bytes, from) = self.last(TAIL)?;
        let start = match from {
            0 => 0,
            _ => memchr::memchr(b'\n', &bytes).map_or(bytes.len(), |i| i + 1),
        };
        Ok(bytes[start..].to_vec())
    }

    /// The bytes by which readers see whether anything happened.
    pub fn mark(&self) -> Result<Vec<u8>, Rejection> {
        self.last(END).map(|(bytes, _)| bytes)
    }

    /// Where it stands.
    pub fn tail(&self) -> Result<Tail, Rejection> {
        let (mark, _) = self.last(END)?;
        self.whole.store(mark.ends_with(b"\n"), Relaxed);
        if let Some(Line::End(rev, how)) = mark.strip_suffix(b"\n").and_then(parse) {
            return Ok(Tail::Ended(rev, how));
        }
        let recent = match self.recent()? {
            lines if self.size as usize <= TAIL || lines_hold_an_intent(&lines) => lines,
            _ => self.all()?,
        };
        let mut records = records(&recent);
        let known = lines(&recent).map(|line| line.rev()).max().unwrap_or(0);
        let last = records.pop().filter(|(intent, end)| end.is_none() && intent.rev == known);
        Ok(Tail::Open(known, last.map(|(intent, _)| Box::new(intent))))
    }

    /// Appends a line, first closing one that was torn.
    ///
    /// # Errors
    /// The system's; then nothing of the line is left, as far as the system still obeys.
    pub fn append(&mut self, line: &[u8]) -> Result<(), Errno> {
        let torn =
            self.size > 0 && !self.whole.load(Relaxed) && self.mark().map_err(|_| Errno::IO)?.last() != Some(&b'\n');
        let whole = if torn { [b"\n", line].concat() } else { Vec::new() };
        let bytes = if torn { &whole[..] } else { line };
        match write_all(&self.fd, bytes) {
            Ok(()) => {
                self.size += bytes.len() as u64;
                self.whole.store(bytes.ends_with(b"\n"), Relaxed);
                Ok(())
            }
            Err(e) => {
                self.whole.store(false, Relaxed);
                let _ = rustix::fs::ftruncate(&self.fd, self.size);
                Err(e)
            }
        }
    }

    /// Waits until it is on the disk.
    pub fn sync(&self) -> Result<(), Errno> {
        platform::sync_data(self.fd.as_fd())
    }
}

fn lines_hold_an_intent(bytes: &[u8]) -> bool {
    lines(bytes).any(|line| matches!(line, Line::Intent(_)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::store::line::tests::intent;
    use crate::store::line::{end_line, intent_line};

    fn journal(dir: &tempfile::TempDir) -> Journal {
        let dir = rustix::fs::open(dir.path(), rustix::fs::OFlags::DIRECTORY, rustix::fs::Mode::empty()).unwrap();
        Journal::create(dir.as_fd()).unwrap()
    }

    #[test]
    fn its_tail_tells_where_it_stands_however_long_lines_are() {
        let dir = tempfile::tempdir().unwrap();
        let mut journal = journal(&dir);
        assert_eq!(journal.tail().unwrap().rev(), 0);
        for (rev, grown) in [(1, 10), (2, 2 * TAIL), (3, 10)] {
            journal.append(&intent_line(&intent(rev, grown)).unwrap()).unwrap();
            let Tail::Open(known, Some(open)) = journal.tail().unwrap() else { panic!("r{rev}") };
            assert_eq!((known, open.rev), (rev, rev));
            journal.append(b"{\"torn\":").unwrap();
            assert!(matches!(journal.tail().unwrap(), Tail::Open(r, Some(_)) if r == rev));
            journal.append(&end_line(rev, Ending::Done)).unwrap();
            assert!(matches!(journal.tail().unwrap(), Tail::Ended(r, Ending::Done) if r == rev));
            journal.append(b"torn").unwrap();
            assert!(matches!(journal.tail().unwrap(), Tail::Open(r, None) if r == rev));
        }
        assert_eq!(records(&journal.all().unwrap()).len(), 3);
        assert_eq!(records(&journal.recent().unwrap()).len(), 1);
    }
}
