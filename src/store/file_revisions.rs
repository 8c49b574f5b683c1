//! Finds the newest revisions of one file: the journal is read from its end, and only lines that name the file are
//! parsed.
//!
//! Never decides what an older revision did: the result says from which revision on the journal was searched.

use memchr::memmem;

use super::journal::Journal;
use super::journal_search::revision_of;
use super::record::pair_with_endings;
use super::{BatchEnding, JournalHistory, RecordWithEnd, Store, open_journal_for_reading};
use crate::code::Rejection;
use crate::path::MemoryPath;

/// How much of the journal is read at once, in bytes.
const CHUNK_BYTES: u64 = 256 << 10;

/// How far back a file's revisions are searched for. At least one is found, if there is one.
#[derive(Clone, Copy, Debug)]
pub struct FileSearchLimit {
    /// The most revisions of the file.
    pub revisions: usize,
    /// The most bytes of the journal, in whole chunks.
    pub bytes: u64,
}

/// The newest revisions of a file.
pub struct FileRevisions {
    /// A history with these revisions only.
    pub history: JournalHistory,
    /// The oldest revision of the part that was searched; `None` if that was the whole journal.
    pub searched_from: Option<u64>,
}

impl Store {
    /// Finds the newest revisions of a file. `None` in a filtered store, whose filter needs the other entries: then
    /// read the whole journal.
    ///
    /// # Errors
    /// `io`.
    pub fn newest_revisions_of(
        &self,
        path: &MemoryPath,
        limit: FileSearchLimit,
    ) -> Result<Option<FileRevisions>, Rejection> {
        if self.read_filter().is_some() {
            return Ok(None);
        }
        let root = self.root();
        let Some(journal) = open_journal_for_reading(&root)? else {
            return Ok(Some(FileRevisions {
                history: JournalHistory::new(root, Vec::new(), None),
                searched_from: None,
            }));
        };
        let quoted = serde_json::to_string(path.as_str()).unwrap_or_default();
        let mut search = BackwardSearch::new(quoted.as_bytes());
        let mut at = journal.size;
        while at > 0 && search.found.len() < limit.revisions {
            if journal.size - at >= limit.bytes && !search.found.is_empty() {
                break;
            }
            let from = at.saturating_sub(CHUNK_BYTES);
            search.add_chunk(journal.read_range(from, at)?, from == 0);
            at = from;
        }
        let records = self.records_found(&journal, &search, path)?;
        let searched_from = search.oldest.filter(|_| at > 0);
        Ok(Some(FileRevisions { history: JournalHistory::new(root, records, None), searched_from }))
    }

    fn records_found(
        &self,
        journal: &Journal,
        search: &BackwardSearch<'_>,
        path: &MemoryPath,
    ) -> Result<Vec<RecordWithEnd>, Rejection> {
        let lines: Vec<u8> = search.found.iter().rev().flatten().copied().collect();
        let mut records = pair_with_endings(&lines);
        records.retain(|(intent, _)| intent.files.iter().any(|file| file.path == path.as_str()));
        for (intent, ending) in records.iter_mut().filter(|(_, ending)| ending.is_none()) {
            *ending = match Some(intent.rev) == search.newest {
                true if intent.is_recoverable() => self.ending_of_last(journal, intent)?,
                true => None,
                // Its end is unreadable, and the writer of the next intent had recovered it.
                false => Some(BatchEnding::Done),
            };
        }
        Ok(records)
    }
}

/// The lines of a journal that contain a text, each with the end record behind it, newest first.
struct BackwardSearch<'n> {
    finder: memmem::Finder<'n>,
    found: Vec<Vec<u8>>,
    /// The beginning of the lines that were added last: the end of a line that starts before them.
    rest: Vec<u8>,
    /// The oldest complete line, which may be the end record of the one before it.
    first_line: Vec<u8>,
    /// The revision of the last complete line of the journal.
    newest: Option<u64>,
    /// The revision of the oldest complete line.
    oldest: Option<u64>,
    has_begun: bool,
}

impl<'n> BackwardSearch<'n> {
    fn new(needle: &'n [u8]) -> BackwardSearch<'n> {
        let finder = memmem::Finder::new(needle);
        let (found, rest, first_line) = Default::default();
        BackwardSearch { finder, found, rest, first_line, newest: None, oldest: None, has_begun: false }
    }

    /// Adds the part of the journal before those that were added; `is_first` if it is its beginning.
    fn add_chunk(&mut self, mut part: Vec<u8>, is_first: bool) {
        part.append(&mut self.rest);
        if !std::mem::replace(&mut self.has_begun, true) {
            // What follows the last line break is torn.
            part.truncate(memchr::memrchr(b'\n', &part).map_or(0, |end| end + 1));
            let last_line = part.strip_suffix(b"\n").map(|lines| &lines[line_start(lines, lines.len())..]);
            self.newest = last_line.and_then(revision_of).map(|(rev, _)| rev);
        }
        let start = if is_first { 0 } else { memchr::memchr(b'\n', &part).map_or(part.len(), |end| end + 1) };
        let lines = &part[start..];
        let mut found: Vec<Vec<u8>> = Vec::new();
        let mut until = 0;
        for hit in self.finder.find_iter(lines) {
            if hit < until {
                continue;
            }
            let from = line_start(lines, hit);
            until = memchr::memchr(b'\n', &lines[hit..]).map_or(lines.len(), |end| hit + end + 1);
            let Some((rev, false)) = revision_of(&lines[from..until]) else { continue };
            let mut record = lines[from..until].to_vec();
            let next = if until < lines.len() {
                &lines[until..memchr::memchr(b'\n', &lines[until..]).map_or(lines.len(), |end| until + end + 1)]
            } else {
                &self.first_line
            };
            if revision_of(next) == Some((rev, true)) {
                record.extend_from_slice(next);
            }
            found.push(record);
        }
        self.found.extend(found.into_iter().rev());
        if let Some(end) = memchr::memchr(b'\n', lines) {
            self.first_line = lines[..=end].to_vec();
            self.oldest = revision_of(lines).map(|(rev, _)| rev).or(self.oldest);
        }
        part.truncate(start);
        self.rest = part;
    }
}

/// The start of the line that contains an offset, or ends at it.
fn line_start(lines: &[u8], at: usize) -> usize {
    memchr::memrchr(b'\n', &lines[..at]).map_or(0, |end| end + 1)
}
