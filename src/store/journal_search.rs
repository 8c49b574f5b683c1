//! Finds one revision in a journal of any length: a binary search by offset, because revisions only grow.
//!
//! Never decides that a revision does not exist: in a journal that was tampered with it may be missed, so a caller who
//! needs it then reads the whole journal.

use memchr::memmem;

use super::journal::Journal;
use super::record::{JournalRecord, add_record, pair_with_endings, parse_record, to_entries};
use super::{BatchEnding, JournalHistory, RecordWithEnd, Store, open_journal_for_reading};
use crate::change::JournalEntry;
use crate::code::Rejection;

/// How much is read at once to find the start of a line, in bytes.
const PROBE_BYTES: u64 = 4 << 10;
/// The size of the range that is read line by line, in bytes.
const LINEAR_BYTES: u64 = 32 << 10;
/// How much of a journal is read at once to look at all its lines, in bytes.
const CHUNK_BYTES: u64 = 1 << 20;

impl Journal {
    /// Returns the offset of the intent of a revision, or of the next one that the journal has; `None` if there is none
    /// or it was not found.
    ///
    /// # Errors
    /// `io`.
    pub fn find_revision(&self, rev: u64) -> Result<Option<u64>, Rejection> {
        // The wanted line starts at `low` or later; the first line after `high` is not before it.
        let (mut low, mut high) = (0, self.size);
        // Most wanted revisions are recent: the range is first searched for from the end, each time twice as far back.
        let mut back = LINEAR_BYTES;
        while back < self.size {
            match self.first_line_between(self.size - back, high)? {
                Some((start, found)) if found < rev => {
                    low = start;
                    break;
                }
                _ => high = self.size - back,
            }
            back *= 2;
        }
        while high - low > LINEAR_BYTES {
            let middle = low + (high - low) / 2;
            match self.first_line_between(middle, high)? {
                Some((start, found)) if found < rev => low = start,
                _ => high = middle,
            }
        }
        let mut found = None;
        self.lines_from(low, &mut |start, line| {
            if let Some((at, false)) = revision_of(line)
                && at >= rev
            {
                found = Some((start, matches!(parse_record(line), Some(JournalRecord::Intent(_)))));
            }
            found.is_none()
        })?;
        Ok(found.and_then(|(start, is_valid)| is_valid.then_some(start)))
    }

    /// The first line that starts in a range and names its revision: its offset and the revision.
    fn first_line_between(&self, from: u64, until: u64) -> Result<Option<(u64, u64)>, Rejection> {
        let (mut at, mut found) = (from, None);
        // The rest of the line in which the range starts.
        while at < until && found.is_none() {
            let part = self.read_range(at, until.min(at + PROBE_BYTES))?;
            match memchr::memchr(b'\n', &part) {
                Some(end) => found = Some(at + end as u64 + 1),
                None if part.is_empty() => return Ok(None),
                None => at += part.len() as u64,
            }
        }
        let Some(start) = found else { return Ok(None) };
        let (mut named, mut next) = (None, start);
        while next < until && named.is_none() {
            let head = self.read_range(next, (next + PROBE_BYTES).min(self.size))?;
            named = revision_of(&head).map(|(rev, _)| (next, rev));
            if named.is_none() {
                // A line that was torn, or is not ours.
                match memchr::memchr(b'\n', &head) {
                    Some(end) => next += end as u64 + 1,
                    None => return Ok(None),
                }
            }
        }
        Ok(named)
    }

    /// Calls `each` with the offset and the text of each complete line from an offset on, until it returns false.
    pub(super) fn lines_from(&self, from: u64, each: &mut dyn FnMut(u64, &[u8]) -> bool) -> Result<(), Rejection> {
        let (mut at, mut rest) = (from, Vec::new());
        loop {
            let read_until = at + rest.len() as u64;
            // The first part is small: a caller who knows the place wants one line.
            let size = if read_until == from { 2 * LINEAR_BYTES } else { CHUNK_BYTES };
            let part = self.read_range(read_until, self.size.min(read_until + size))?;
            if part.is_empty() {
                return Ok(());
            }
            rest.extend(part);
            let mut start = 0;
            while let Some(length) = memchr::memchr(b'\n', &rest[start..]) {
                if !each(at + start as u64, &rest[start..start + length]) {
                    return Ok(());
                }
                start += length + 1;
            }
            at += start as u64;
            rest.drain(..start);
        }
    }
}

/// The revision that a line names, and whether the line is an end record, judged by its first bytes.
pub(super) fn revision_of(line: &[u8]) -> Option<(u64, bool)> {
    let rest = line.strip_prefix(b"{\"v\":1,\"")?;
    let (digits, is_end) = match rest.strip_prefix(b"rev\":") {
        Some(digits) => (digits, false),
        None => (rest.strip_prefix(b"end\":")?, true),
    };
    let length = digits.iter().take_while(|b| b.is_ascii_digit()).count();
    if digits.get(length) != Some(&b',') {
        return None;
    }
    std::str::from_utf8(&digits[..length]).ok()?.parse().ok().map(|rev| (rev, is_end))
}

impl Store {
    /// Reads one revision, and those later ones that undid or repeated another: enough to know whether it is in effect.
    /// `None` if it was not found that way, and in a filtered store, whose filter needs the other entries: then read
    /// the whole journal.
    ///
    /// # Errors
    /// `io`.
    pub fn read_revision(&self, rev: u64) -> Result<Option<JournalHistory>, Rejection> {
        if self.read_filter().is_some() {
            return Ok(None);
        }
        let records = self.revision_records(rev, true)?;
        Ok(records.map(|records| JournalHistory::new(self.root(), records, None)))
    }

    /// The record of a revision, with those of later revisions that undid or repeated another if they are wanted.
    pub(super) fn revision_records(
        &self,
        rev: u64,
        with_inversions: bool,
    ) -> Result<Option<Vec<RecordWithEnd>>, Rejection> {
        let Some(journal) = open_journal_for_reading(&self.root())? else { return Ok(None) };
        let Some(from) = journal.find_revision(rev)? else { return Ok(None) };
        let inversions = [",\"undo\":", ",\"redo\":"].map(memmem::Finder::new);
        // The lines of the wanted revisions. The end of a revision follows its intent.
        let (mut lines, mut is_wanted, mut newest) = (Vec::new(), true, rev);
        journal.lines_from(from, &mut |start, line| {
            if let Some((named, false)) = revision_of(line) {
                newest = named;
                is_wanted = start == from || with_inversions && inversions.iter().any(|f| f.find(line).is_some());
            }
            if is_wanted {
                lines.extend_from_slice(line);
                lines.push(b'\n');
            }
            is_wanted || with_inversions
        })?;
        let mut records = pair_with_endings(&lines);
        if records.first().is_none_or(|(intent, _)| intent.rev != rev) {
            return Ok(None);
        }
        for (intent, ending) in records.iter_mut().filter(|(_, ending)| ending.is_none()) {
            *ending = match intent.rev == newest {
                true if intent.is_recoverable() => self.ending_of_last(&journal, intent)?,
                true => None,
                // Its end is unreadable, and the writer of the next intent had recovered it.
                false => Some(BatchEnding::Done),
            };
        }
        Ok(Some(records))
    }

    /// Returns all entries, oldest first, without the texts of files and the answers: for a long journal they take most
    /// of the memory. A filtered store, whose filter needs them, returns whole entries.
    ///
    /// # Errors
    /// `io`, `too_large`.
    pub fn journal_without_texts(&self) -> Result<Vec<JournalEntry>, Rejection> {
        if self.read_filter().is_some() {
            return self.journal();
        }
        let Some(journal) = open_journal_for_reading(&self.root())? else { return Ok(Vec::new()) };
        let mut records = Vec::new();
        journal.lines_from(0, &mut |_, line| {
            if let Some(record) = parse_record(line) {
                add_record(&mut records, record);
                if let Some((intent, None)) = records.last_mut() {
                    intent.drop_file_texts();
                }
            }
            true
        })?;
        if let Some((intent, ending @ None)) = records.last_mut().filter(|(intent, _)| intent.is_recoverable()) {
            *ending = self.ending_of_last(&journal, intent)?;
        }
        Ok(to_entries(records))
    }

    /// Returns the entries from a revision on, oldest first; `None` if its place was not found, and in a filtered
    /// store, whose filter needs the other entries: then read the whole journal.
    ///
    /// # Errors
    /// `io`, `too_large`.
    pub fn entries_from(&self, rev: u64) -> Result<Option<Vec<JournalEntry>>, Rejection> {
        if self.read_filter().is_some() {
            return Ok(None);
        }
        Ok(self.records_from(rev)?.map(to_entries))
    }

    /// The records from a revision on; `None` if its place was not found.
    pub(super) fn records_from(&self, rev: u64) -> Result<Option<Vec<RecordWithEnd>>, Rejection> {
        let root = self.root();
        let Some(journal) = open_journal_for_reading(&root)? else { return Ok(None) };
        let Some(from) = journal.find_revision(rev)? else { return Ok(None) };
        self.read_records(&root, &|journal| journal.read_range(from, journal.size)).map(Some)
    }
}
