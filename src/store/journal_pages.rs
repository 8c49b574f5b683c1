//! The journal in pages of revisions: read once from the start in outline, then page by page from the end.
//!
//! Never has more than one page in memory, and never judges a journal in which records and ends are out of order: then
//! read it whole.

use std::borrow::Cow;

use serde::Deserialize;

use super::journal::Journal;
use super::protocol::BatchEnding;
use super::record::{self, JournalRecord, entry_outcome, hex, pair_with_endings, to_entries};
use super::{Store, open_journal_for_reading};
use crate::change::{EntryFile, EntryHeader, Etag, InverseKind, JournalEntry};
use crate::code::Rejection;
use crate::path::MemoryPath;

/// Revisions in a page.
const PAGE_REVISIONS: usize = 256;

/// The pages of a journal that were not read yet.
pub struct JournalPages {
    journal: Journal,
    /// The offset of the first record of each page.
    starts: Vec<u64>,
    /// Where the last page ends.
    end: u64,
    /// The ending of the newest record, if it has no end record; `None` once it was read.
    last_ending: Option<Option<BatchEnding>>,
}

/// What the outline of a journal needs to know of an intent.
#[derive(Deserialize)]
struct OutlinedIntent<'a> {
    rev: u64,
    #[serde(borrow)]
    at: Cow<'a, str>,
    #[serde(default)]
    undo: Option<u64>,
    #[serde(default)]
    redo: Option<u64>,
    #[serde(borrow)]
    files: Vec<OutlinedFile<'a>>,
}

#[derive(Deserialize)]
struct OutlinedFile<'a> {
    #[serde(borrow)]
    path: Cow<'a, str>,
    #[serde(default, with = "hex")]
    before: Option<Etag>,
    #[serde(default, with = "hex")]
    after: Option<Etag>,
}

impl OutlinedIntent<'_> {
    /// An entry with revision, time, inversion and the etags of its files, and nothing else: its ending is not known yet.
    fn to_entry(&self) -> JournalEntry {
        let file = |file: &OutlinedFile<'_>| {
            let path = MemoryPath::from_disk_name(&file.path).ok()?;
            let (before, after) = (file.before, file.after);
            Some(EntryFile { path, before, after, mode: 0, edits: None, moved: None, summary: None })
        };
        JournalEntry {
            rev: self.rev,
            header: EntryHeader { at: self.at.clone().into_owned(), ..EntryHeader::default() },
            answer: None,
            operations: Vec::new(),
            inverts: self.undo.map(InverseKind::Undo).or(self.redo.map(InverseKind::Redo)),
            outcome: entry_outcome(None),
            files: self.files.iter().filter_map(file).collect(),
            forgotten: false,
        }
    }
}

/// The record whose end may still come.
struct OpenRecord {
    entry: JournalEntry,
    start: u64,
    ending: Option<BatchEnding>,
}

impl OpenRecord {
    /// The entry, with this ending if it has no end record.
    fn end(mut self, default: Option<BatchEnding>) -> JournalEntry {
        self.entry.outcome = entry_outcome(self.ending.or(default));
        self.entry
    }
}

impl Store {
    /// Calls `each` with an outline of all entries, oldest first: revision, time, outcome, inversion and the etags of
    /// files. `None` in a filtered store, whose filter needs whole entries, and for a journal that is out of order;
    /// then what `each` was called with counts for nothing.
    ///
    /// # Errors
    /// `io`.
    pub fn journal_pages(&self, each: &mut dyn FnMut(&JournalEntry)) -> Result<Option<JournalPages>, Rejection> {
        if self.read_filter().is_some() {
            return Ok(None);
        }
        let Some(journal) = open_journal_for_reading(&self.root())? else { return Ok(None) };
        let (mut open, mut starts, mut count, mut is_in_order) = (None::<OpenRecord>, Vec::new(), 0, true);
        journal.lines_from(0, &mut |start, line| {
            if line.starts_with(b"{\"v\":1,\"end\":") {
                match (record::parse_record(line), &mut open) {
                    (Some(JournalRecord::End(rev, ending)), Some(open)) if open.entry.rev == rev => {
                        open.ending = Some(ending);
                    }
                    (None, _) => {}
                    (Some(_), _) => is_in_order = false,
                }
            } else if record::verify_checksum(line).is_some()
                && let Ok(intent) = serde_json::from_slice::<OutlinedIntent<'_>>(line)
            {
                if count % PAGE_REVISIONS == 0 {
                    starts.push(start);
                }
                count += 1;
                let next = OpenRecord { entry: intent.to_entry(), start, ending: None };
                // The writer of this record had recovered one without a readable end.
                if let Some(before) = open.replace(next) {
                    each(&before.end(Some(BatchEnding::Done)));
                }
            }
            is_in_order
        })?;
        if !is_in_order {
            return Ok(None);
        }
        let mut last_ending = None;
        if let Some(open) = open {
            if open.ending.is_none() {
                let records = pair_with_endings(&journal.read_range(open.start, journal.size)?);
                if let Some((intent, None)) = records.first().filter(|(intent, _)| intent.is_recoverable()) {
                    last_ending = self.ending_of_last(&journal, intent)?;
                }
            }
            each(&open.end(last_ending));
        }
        Ok(Some(JournalPages { end: journal.size, journal, starts, last_ending: Some(last_ending) }))
    }
}

impl JournalPages {
    /// The entries of the newest page that was not read yet, oldest first, without the texts of files and the answers;
    /// none after the oldest page.
    ///
    /// # Errors
    /// `io`.
    pub fn read_newest(&mut self) -> Result<Vec<JournalEntry>, Rejection> {
        let Some(start) = self.starts.pop() else { return Ok(Vec::new()) };
        let mut records = pair_with_endings(&self.journal.read_range(start, self.end)?);
        self.end = start;
        records.iter_mut().for_each(|(intent, _)| intent.drop_file_texts());
        // Of all pages but the newest, the last record is followed by another.
        let default = self.last_ending.take().unwrap_or(Some(BatchEnding::Done));
        if let Some((_, ending)) = records.last_mut() {
            *ending = ending.or(default);
        }
        Ok(to_entries(records))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::store::record::tests::sample_intent;
    use crate::store::record::{encode_end, encode_intent};

    /// What the pages say, and what the whole journal says: revision and outcome, newest first.
    fn compare(journal: &[u8]) -> Option<usize> {
        let dir = tempfile::tempdir().unwrap();
        fs_err::create_dir(dir.path().join(".memdir")).unwrap();
        fs_err::write(dir.path().join(".memdir/journal"), journal).unwrap();
        let store = Store::open(dir.path(), Default::default()).unwrap();
        let mut outlined = Vec::new();
        let whole = store.journal_without_texts().unwrap();
        let mut pages = store.journal_pages(&mut |entry| outlined.push(entry.clone())).unwrap()?;
        let mut read = Vec::new();
        let mut count = 0;
        loop {
            let page = pages.read_newest().unwrap();
            if page.is_empty() {
                break;
            }
            assert!(page.len() <= PAGE_REVISIONS);
            read.splice(0..0, page);
            count += 1;
        }
        assert_eq!(read, whole);
        let outline = |entry: &JournalEntry| {
            let files: Vec<_> = entry.files.iter().map(|f| (f.path.clone(), f.before, f.after)).collect();
            (entry.rev, entry.header.at.clone(), entry.outcome, entry.inverts, files)
        };
        assert_eq!(outlined.iter().map(outline).collect::<Vec<_>>(), whole.iter().map(outline).collect::<Vec<_>>());
        Some(count)
    }

    fn records(revisions: u64) -> Vec<u8> {
        let mut bytes = Vec::new();
        for rev in 1..=revisions {
            bytes.extend(encode_intent(&sample_intent(rev, (rev % 7) as usize)).unwrap());
            match rev % 11 {
                // Ends that were lost, torn and of batches that were put back.
                3 => {}
                5 => bytes.extend(b"{\"v\":1,\"end\":5,\n"),
                7 => bytes.extend(encode_end(rev, BatchEnding::Undone)),
                8 => bytes.extend(encode_end(rev, BatchEnding::Rescued)),
                _ => bytes.extend(encode_end(rev, BatchEnding::Done)),
            }
        }
        bytes
    }

    #[test]
    fn pages_are_the_whole_journal() {
        for revisions in [0, 1, 2, 3, 255, 256, 257, 258, 259, 260, 512, 600] {
            let journal = records(revisions);
            let pages = (revisions as usize).div_ceil(PAGE_REVISIONS);
            assert_eq!(compare(&journal), Some(pages), "{revisions}");
            // The newest record is torn, or is not at its end yet.
            let torn = journal.len() - journal.len().min(10);
            assert!(compare(&journal[..torn]).is_some());
            let open = [journal, encode_intent(&sample_intent(revisions + 1, 3)).unwrap()].concat();
            assert!(compare(&open).is_some());
        }
    }

    #[test]
    fn a_journal_that_is_out_of_order_has_no_pages() {
        let journal = [records(300), encode_end(7, BatchEnding::Done)].concat();
        assert_eq!(compare(&journal), None);
    }
}
