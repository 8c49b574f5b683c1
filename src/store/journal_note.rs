//! Notes about the beginning of the journal, so that a command reads only its end however long the journal is.
//!
//! Never trusted: a note belongs to one journal file and to the bytes before one offset. Any doubt, and the journal is
//! read whole.

use std::collections::HashMap;

use serde::{Deserialize, Serialize};

use super::journal::{Journal, JournalTail};
use super::protocol::BatchEnding;
use super::record::{self, encode_end, encode_intent, pair_with_endings};
use super::record_outline::{RecordOutline, outline_records};
use super::{RecordWithEnd, Store, open_journal_for_reading};
use crate::change::{Etag, JournalEntry};
use crate::code::Rejection;

/// Names of the notes, below `.memdir/`. They are removed whenever the journal is rewritten.
pub const NOTE_NAMES: [&str; 3] = ["cache-files", "cache-bullets", "cache-requests"];
const FILES_NOTE: &str = NOTE_NAMES[0];
/// The note of what the journal knows of bullets: its contents are the caller's.
pub const BULLETS_NOTE: &str = NOTE_NAMES[1];

/// Size of the part after a note, in bytes, from which a reader extends the note.
const MAX_UNNOTED_BYTES: u64 = 1 << 20;
/// The size from which a writer extends it, after a collection.
const DUE_UNNOTED_BYTES: u64 = MAX_UNNOTED_BYTES / 4;
/// How many of the newest revisions are always after a note: commands need the details of that many.
const UNNOTED_REVISIONS: usize = 128;
/// How many bytes before a note's end identify the journal.
const IDENTIFYING_BYTES: u64 = 256;

/// The first line of a note: the journal and the offset up to which it summarises it.
#[derive(Debug, Serialize, Deserialize)]
struct NoteHeader {
    v: u32,
    inode: u64,
    until: u64,
    /// Checksum of the last bytes before `until`.
    journal_crc: u32,
    /// Checksum of the rest of the note.
    crc: u32,
}

/// A note about the journal's beginning, and the records since.
pub struct NotedJournal {
    /// The note's contents; `None` if there is none, and `since` is the whole journal.
    pub note: Option<String>,
    since: Vec<u8>,
    from: u64,
    journal: Journal,
    /// How the last batch is judged if it has no end record.
    last_ending: Option<BatchEnding>,
}

impl NotedJournal {
    /// Whether so much of the journal is in no note that a reader should extend it.
    pub fn is_overdue(&self) -> bool {
        self.since.len() as u64 > MAX_UNNOTED_BYTES
    }

    /// Whether a writer should extend the note now.
    pub fn is_due(&self) -> bool {
        self.since.len() as u64 > DUE_UNNOTED_BYTES
    }

    /// The journal's lines that the note does not summarise.
    pub(super) fn since(&self) -> &[u8] {
        &self.since
    }

    /// Calls `each` with the changes that the note does not summarise, oldest first. `None` if the journal is out of
    /// order.
    pub fn outlines(&self, each: &mut dyn FnMut(&RecordOutline<'_>)) -> Option<()> {
        outline_records(&self.since, self.last_ending, each)
    }

    /// Calls `each` with the changes that an extended note will summarise in addition; `None` if there are too few
    /// revisions, or the journal is out of order.
    pub fn outlines_to_note(&self, each: &mut dyn FnMut(&RecordOutline<'_>)) -> Option<()> {
        outline_records(&self.since[..self.split()?], Some(BatchEnding::Done), each)
    }

    fn records(&self) -> Vec<RecordWithEnd> {
        let mut records = pair_with_endings(&self.since);
        if let Some((_, ending)) = records.last_mut() {
            *ending = ending.or(self.last_ending);
        }
        records
    }

    /// The offset in `since` after which [`UNNOTED_REVISIONS`] end.
    fn split(&self) -> Option<usize> {
        let mut end = self.since.len();
        let mut ended = 0;
        while let Some(start) = memchr::memrchr(b'\n', &self.since[..end.saturating_sub(1)]).map(|i| i + 1) {
            if self.since[start..end].starts_with(b"{\"v\":1,\"end\":") {
                if ended == UNNOTED_REVISIONS {
                    return Some(end);
                }
                ended += 1;
            }
            end = start;
        }
        None
    }
}

/// The newest revisions, and of older ones what is in effect: of every file the last revision that wrote it.
pub struct JournalWindow {
    records: Vec<RecordWithEnd>,
    /// The first revision of which, as of all later ones, everything is known.
    pub complete_from: u64,
    /// How many revisions before `complete_from` the journal contains.
    pub older_revisions: usize,
    /// How many changes made outside memdir were found before `complete_from`.
    pub older_outside_edits: usize,
}

#[derive(Default, Serialize, Deserialize)]
struct FilesSummary {
    revisions: usize,
    outside_edits: usize,
}

impl JournalWindow {
    pub(super) fn into_records(self) -> Vec<RecordWithEnd> {
        self.records
    }

    /// The window of a whole journal.
    pub(super) fn whole(records: Vec<RecordWithEnd>) -> JournalWindow {
        JournalWindow { records, complete_from: 0, older_revisions: 0, older_outside_edits: 0 }
    }

    /// Keeps of each record the files of which it is the last to write, and no text. The first record stays for its
    /// time.
    fn summarise(mut self) -> JournalWindow {
        let mut last: HashMap<String, (usize, Option<Etag>)> = HashMap::new();
        self.records.iter_mut().for_each(|(intent, _)| intent.drop_texts());
        for (n, (intent, ending)) in self.records.iter().enumerate() {
            if matches!(ending, Some(BatchEnding::Undone | BatchEnding::Rescued)) {
                continue;
            }
            for file in intent.files.iter().filter(|file| file.path().is_some()) {
                if let Some((_, after)) = last.insert(file.path.clone(), (n, file.after()))
                    && after != file.before()
                {
                    self.older_outside_edits += 1;
                }
            }
        }
        for (n, (intent, _)) in self.records.iter_mut().enumerate() {
            // The place of a file in its record names its slot, so a file that is left out keeps its place.
            let superseded = |path: &str| last.get(path).is_none_or(|(latest, _)| *latest != n);
            intent.files.iter_mut().filter(|file| superseded(&file.path)).for_each(|file| file.path.clear());
        }
        let mut n = 0;
        self.records.retain(|(intent, _)| {
            n += 1;
            n == 1 || intent.files.iter().any(|file| !file.path.is_empty())
        });
        self
    }

    fn to_note(&self) -> Result<String, Rejection> {
        let summary = FilesSummary { revisions: self.older_revisions, outside_edits: self.older_outside_edits };
        let mut out = serde_json::to_vec(&summary).unwrap_or_default();
        out.push(b'\n');
        for (intent, ending) in &self.records {
            out.extend(encode_intent(intent)?);
            out.extend(encode_end(intent.rev, ending.unwrap_or(BatchEnding::Done)));
        }
        Ok(String::from_utf8_lossy(&out).into_owned())
    }

    fn from_note(note: &str) -> Option<JournalWindow> {
        let (summary, lines) = note.split_once('\n')?;
        let FilesSummary { revisions, outside_edits } = serde_json::from_str(summary).ok()?;
        let records = pair_with_endings(lines.as_bytes());
        Some(JournalWindow {
            records,
            complete_from: 0,
            older_revisions: revisions,
            older_outside_edits: outside_edits,
        })
    }

    /// Adds the records that follow those of the note.
    fn extend(&mut self, records: Vec<RecordWithEnd>) {
        self.complete_from = match (self.records.is_empty(), records.first()) {
            (true, _) => 0,
            (false, Some((first, _))) => first.rev,
            (false, None) => u64::MAX,
        };
        self.records.extend(records);
    }
}

impl Store {
    /// Reads a note about the journal's beginning, and the journal from there; `None` without a journal.
    ///
    /// # Errors
    /// `io`, `too_large`.
    pub fn read_journal_note(&self, name: &str) -> Result<Option<NotedJournal>, Rejection> {
        let Some(journal) = open_journal_for_reading(&self.root())? else { return Ok(None) };
        let checked = || -> Option<(String, u64)> {
            // A short journal is read as quickly as a note.
            let mut text = (journal.size > MAX_UNNOTED_BYTES / 8).then(|| self.read_note(name))??;
            let (first, rest) = text.split_once('\n')?;
            let header: NoteHeader = serde_json::from_str(first).ok()?;
            let identified =
                (header.v, header.inode, header.crc) == (1, journal.inode, crc32fast::hash(rest.as_bytes()));
            let same = identified && identifying_crc(&journal, header.until)? == header.journal_crc;
            let start = first.len() + 1;
            same.then(|| {
                text.drain(..start);
                (text, header.until)
            })
        };
        let (note, from) = checked().map_or((None, 0), |(note, until)| (Some(note), until));
        let since = journal.read_range(from, journal.size)?;
        let last_ending = match journal.read_tail()? {
            JournalTail::Open(_, Some(intent)) => self.ending_of_last(&journal, &intent)?,
            JournalTail::Open(_, None) | JournalTail::Ended(..) => None,
        };
        Ok(Some(NotedJournal { note, since, from, journal, last_ending }))
    }

    /// Replaces a note on a best-effort basis: without it, commands read more of the journal.
    pub fn write_journal_note(&self, name: &str, noted: &NotedJournal, contents: &str) {
        let Some(until) = noted.split().map(|end| noted.from + end as u64) else { return };
        let Some(journal_crc) = identifying_crc(&noted.journal, until) else { return };
        let crc = crc32fast::hash(contents.as_bytes());
        let header = NoteHeader { v: 1, inode: noted.journal.inode, until, journal_crc, crc };
        if let Ok(header) = serde_json::to_string(&header) {
            drop(self.write_note_unlocked(name, &format!("{header}\n{contents}")));
        }
    }

    /// Reads the newest revisions, and of older ones what is in effect.
    ///
    /// # Errors
    /// `io`, `too_large`.
    pub fn journal_window(&self) -> Result<JournalWindow, Rejection> {
        let Some(noted) = self.read_journal_note(FILES_NOTE)? else { return Ok(JournalWindow::whole(Vec::new())) };
        if noted.is_overdue() {
            self.extend_files_note(&noted);
        }
        match start_of(&noted) {
            Some(mut window) => {
                window.extend(noted.records());
                Ok(window)
            }
            None => self.read_records(&self.root(), &Journal::read_all).map(JournalWindow::whole),
        }
    }

    /// The entries of a window, oldest first, as far as the reader may see them.
    pub fn window_entries(&self, window: JournalWindow) -> Vec<JournalEntry> {
        self.filter_journal_entries(record::to_entries(window.records))
    }

    /// Extends the note of the files up to the newest revisions; for writers, after the answer.
    pub fn note_files(&self) {
        if let Ok(Some(noted)) = self.read_journal_note(FILES_NOTE)
            && noted.is_due()
        {
            self.extend_files_note(&noted);
        }
    }

    fn extend_files_note(&self, noted: &NotedJournal) {
        let (Some(end), Some(mut window)) = (noted.split(), start_of(noted)) else { return };
        let added = pair_with_endings(&noted.since[..end]);
        window.older_revisions += added.len();
        window.extend(added);
        if let Ok(contents) = window.summarise().to_note() {
            self.write_journal_note(FILES_NOTE, noted, &contents);
        }
    }
}

/// The window that a note starts; `None` if the note cannot be read.
fn start_of(noted: &NotedJournal) -> Option<JournalWindow> {
    match &noted.note {
        Some(note) => JournalWindow::from_note(note),
        None => Some(JournalWindow::whole(Vec::new())),
    }
}

fn identifying_crc(journal: &Journal, until: u64) -> Option<u32> {
    let from = until.checked_sub(IDENTIFYING_BYTES).filter(|_| until <= journal.size)?;
    journal.read_range(from, until).ok().map(|bytes| crc32fast::hash(&bytes))
}
