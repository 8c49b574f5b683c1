//! The journal file: appends records, and reads the last state from its end.
//!
//! Never changes a record that was written.

use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};

use super::platform;
use super::protocol::BatchEnding;
use super::record::{END_RECORD_BYTES, IntentRecord, JournalRecord, pair_with_endings, parse_record, parse_records};
use super::root::{read_error, write_all, write_error};
use crate::code::{Code, Rejection};
use rustix::io::Errno;

/// File name below `.memdir/`.
pub const JOURNAL_NAME: &str = "journal";
/// How much of the journal's end is read to find the last entries, in bytes. More is read only if this part contains no
/// intent.
pub const TAIL_BYTES: usize = 64 << 10;

/// Maximum size of a journal that is read whole, in bytes. `gc` keeps ours far below.
const MAX_JOURNAL_BYTES: u64 = 1 << 30;

pub struct Journal {
    fd: OwnedFd,
    /// Whether it is known to end with a newline.
    ends_with_newline: AtomicBool,
    /// Size when it was last read, in bytes.
    pub size: u64,
    /// The inode: a different one means that the journal was replaced.
    pub inode: u64,
}

/// The last state that the journal records.
pub enum JournalTail {
    /// The last record is an end record.
    Ended(u64, BatchEnding),
    /// The highest known revision, and the intent without an end record, if there is one.
    Open(u64, Option<Box<IntentRecord>>),
}

impl JournalTail {
    /// Returns the highest known revision; 0 before the first.
    pub fn rev(&self) -> u64 {
        match self {
            JournalTail::Ended(rev, _) | JournalTail::Open(rev, _) => *rev,
        }
    }
}

impl Journal {
    /// Opens the journal; `None` if there is none. With `write`, fails if it cannot be written.
    pub fn open(machine: BorrowedFd<'_>, write: bool) -> Result<Option<Journal>, Rejection> {
        let opened = if write {
            platform::open_append(machine, JOURNAL_NAME)
        } else {
            platform::open_file(machine, JOURNAL_NAME)
        };
        let fd = match opened {
            Ok(fd) => fd,
            Err(Errno::NOENT) => return Ok(None),
            Err(e) if write => return Err(write_error(e, "the journal")),
            Err(e) => return Err(read_error(e, "the journal")),
        };
        Journal::from_fd(fd).map(Some)
    }

    /// Creates the journal, or opens an existing one. Does not sync the directory.
    pub fn create(machine: BorrowedFd<'_>) -> Result<Journal, Rejection> {
        match platform::create_new(machine, JOURNAL_NAME) {
            Ok(_) | Err(Errno::EXIST) => {}
            Err(e) => return Err(write_error(e, "the journal")),
        }
        match Journal::open(machine, true)? {
            Some(journal) => Ok(journal),
            None => Err(write_error(Errno::NOENT, "the journal")),
        }
    }

    fn from_fd(fd: OwnedFd) -> Result<Journal, Rejection> {
        let stat = rustix::fs::fstat(&fd).map_err(|e| read_error(e, "the journal"))?;
        if let Some(reason) = super::root::unsafe_reason(&stat) {
            return Err(Rejection::new(Code::UnsafeFile, format!("the journal {reason}")));
        }
        Ok(Journal { fd, ends_with_newline: false.into(), size: stat.st_size as u64, inode: stat.st_ino })
    }

    /// Returns the last bytes, at most `limit`, and their offset.
    pub fn last_bytes(&self, limit: usize) -> Result<(Vec<u8>, u64), Rejection> {
        let from = self.size.saturating_sub(limit as u64);
        self.read_range(from, self.size).map(|bytes| (bytes, from))
    }

    /// Returns the current size, in bytes.
    pub fn current_size(&self) -> Result<u64, Rejection> {
        rustix::fs::fstat(&self.fd).map(|stat| stat.st_size as u64).map_err(|e| read_error(e, "the journal"))
    }

    /// Returns the bytes from an offset on.
    pub fn bytes_since(&self, from: u64) -> Result<Vec<u8>, Rejection> {
        self.read_range(from, self.current_size()?)
    }

    /// Returns the length of the part that consists of complete lines, in bytes.
    pub fn complete_len(&self) -> Result<u64, Rejection> {
        let (bytes, from) = self.last_bytes(TAIL_BYTES)?;
        Ok(memchr::memrchr(b'\n', &bytes).map_or(from, |i| from + i as u64 + 1))
    }

    /// Returns the bytes of a range.
    pub fn read_range(&self, from: u64, until: u64) -> Result<Vec<u8>, Rejection> {
        if until.saturating_sub(from) > MAX_JOURNAL_BYTES {
            let message = format!("the journal is larger than {} MiB", MAX_JOURNAL_BYTES >> 20);
            return Err(Rejection::new(Code::TooLarge, message)
                .hint("rename `.memdir/journal`; the files stay as they are, without their history"));
        }
        let mut bytes = Vec::with_capacity(until.saturating_sub(from) as usize);
        while (bytes.len() as u64) < until.saturating_sub(from) {
            let at = from + bytes.len() as u64;
            match rustix::io::pread(&self.fd, rustix::buffer::spare_capacity(&mut bytes), at) {
                Ok(0) => break,
                Ok(_) | Err(Errno::INTR) => {}
                Err(e) => return Err(read_error(e, "the journal")),
            }
        }
        Ok(bytes)
    }

    /// Returns the whole journal.
    pub fn read_all(&self) -> Result<Vec<u8>, Rejection> {
        self.last_bytes(usize::MAX).map(|(bytes, _)| bytes)
    }

    /// Returns the complete lines among the last 64 KiB.
    pub fn recent_lines(&self) -> Result<Vec<u8>, Rejection> {
        let (bytes, from) = self.last_bytes(TAIL_BYTES)?;
        let start = match from {
            0 => 0,
            _ => memchr::memchr(b'\n', &bytes).map_or(bytes.len(), |i| i + 1),
        };
        Ok(bytes[start..].to_vec())
    }

    /// Returns the revision of the first record, if its line is not unusually long.
    pub fn first_revision(&self) -> Result<Option<u64>, Rejection> {
        let start = self.read_range(0, self.size.min(TAIL_BYTES as u64))?;
        let line = memchr::memchr(b'\n', &start).map(|end| &start[..end]);
        Ok(line.and_then(parse_record).map(|record| record.rev()))
    }

    /// Returns the last bytes, which readers compare to detect a change.
    pub fn tail_bytes(&self) -> Result<Vec<u8>, Rejection> {
        self.last_bytes(END_RECORD_BYTES).map(|(bytes, _)| bytes)
    }

    /// Reads the last state.
    pub fn read_tail(&self) -> Result<JournalTail, Rejection> {
        let (tail_bytes, _) = self.last_bytes(END_RECORD_BYTES)?;
        self.ends_with_newline.store(tail_bytes.ends_with(b"\n"), Relaxed);
        if let Some(JournalRecord::End(rev, ending)) = tail_bytes.strip_suffix(b"\n").and_then(parse_record) {
            return Ok(JournalTail::Ended(rev, ending));
        }
        let recent = match self.recent_lines()? {
            lines if self.size as usize <= TAIL_BYTES || contains_intent(&lines) => lines,
            _ => self.read_all()?,
        };
        let mut records = pair_with_endings(&recent);
        let highest_revision = parse_records(&recent).map(|line| line.rev()).max().unwrap_or(0);
        let is_open = |(intent, end): &(IntentRecord, Option<BatchEnding>)| {
            end.is_none() && intent.rev == highest_revision && intent.is_recoverable()
        };
        let open_intent = records.pop().filter(is_open);
        Ok(JournalTail::Open(highest_revision, open_intent.map(|(intent, _)| Box::new(intent))))
    }

    /// Appends a line, after completing a torn one with a newline.
    ///
    /// # Errors
    /// The system's error; then nothing of the line is left, unless truncating fails too.
    pub fn append(&mut self, line: &[u8]) -> Result<(), Errno> {
        let torn = self.size > 0
            && !self.ends_with_newline.load(Relaxed)
            && self.tail_bytes().map_err(|_| Errno::IO)?.last() != Some(&b'\n');
        let completed = if torn { [b"\n", line].concat() } else { Vec::new() };
        let bytes = if torn { &completed[..] } else { line };
        match write_all(&self.fd, bytes) {
            Ok(()) => {
                self.size += bytes.len() as u64;
                self.ends_with_newline.store(bytes.ends_with(b"\n"), Relaxed);
                Ok(())
            }
            Err(e) => {
                self.ends_with_newline.store(false, Relaxed);
                let _ = rustix::fs::ftruncate(&self.fd, self.size);
                Err(e)
            }
        }
    }

    /// Starts writing what was appended from this offset (in bytes), as [`platform::start_writing`].
    pub fn start_writing(&self, offset: u64) {
        platform::start_writing(&self.fd, offset);
    }

    /// Waits until the contents are on disk.
    pub fn sync(&self) -> Result<(), Errno> {
        platform::sync_data(self.fd.as_fd())
    }
}

fn contains_intent(bytes: &[u8]) -> bool {
    parse_records(bytes).any(|line| matches!(line, JournalRecord::Intent(_)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::store::record::tests::sample_intent;
    use crate::store::record::{encode_end, encode_intent};

    fn journal(dir: &tempfile::TempDir) -> Journal {
        let dir = rustix::fs::open(dir.path(), rustix::fs::OFlags::DIRECTORY, rustix::fs::Mode::empty()).unwrap();
        Journal::create(dir.as_fd()).unwrap()
    }

    #[test]
    fn a_huge_journal_is_refused() {
        let dir = tempfile::tempdir().unwrap();
        drop(journal(&dir));
        fs_err::OpenOptions::new().write(true).open(dir.path().join("journal")).unwrap().set_len(20 << 30).unwrap();
        let dir = rustix::fs::open(dir.path(), rustix::fs::OFlags::DIRECTORY, rustix::fs::Mode::empty()).unwrap();
        let huge = Journal::open(dir.as_fd(), false).unwrap().unwrap();
        assert_eq!(huge.read_all().unwrap_err().code, Code::TooLarge);
        assert_eq!(huge.read_tail().err().map(|error| error.code), Some(Code::TooLarge));
    }

    #[test]
    fn the_tail_is_read_for_lines_of_any_length() {
        let dir = tempfile::tempdir().unwrap();
        let mut journal = journal(&dir);
        assert_eq!(journal.read_tail().unwrap().rev(), 0);
        for (rev, grown) in [(1, 10), (2, 2 * TAIL_BYTES), (3, 10)] {
            journal.append(&encode_intent(&sample_intent(rev, grown)).unwrap()).unwrap();
            let JournalTail::Open(known, Some(open)) = journal.read_tail().unwrap() else { panic!("r{rev}") };
            assert_eq!((known, open.rev), (rev, rev));
            journal.append(b"{\"torn\":").unwrap();
            assert!(matches!(journal.read_tail().unwrap(), JournalTail::Open(r, Some(_)) if r == rev));
            journal.append(&encode_end(rev, BatchEnding::Done)).unwrap();
            assert!(matches!(journal.read_tail().unwrap(), JournalTail::Ended(r, BatchEnding::Done) if r == rev));
            journal.append(b"torn").unwrap();
            assert!(matches!(journal.read_tail().unwrap(), JournalTail::Open(r, None) if r == rev));
        }
        assert_eq!(pair_with_endings(&journal.read_all().unwrap()).len(), 3);
        assert_eq!(pair_with_endings(&journal.recent_lines().unwrap()).len(), 1);
    }
}
