//! Finds the change of a batch by the batch's id, however long the journal is: ids of its beginning are in a note.
//!
//! Never trusts the note: it only names revisions, whose records are read.

use std::fmt::Write;

use memchr::memmem;
use sha2::{Digest, Sha256};

use super::Store;
use super::journal_note::{NOTE_NAMES, NotedJournal};
use super::record::to_entries;
use crate::change::{EntryOutcome, JournalEntry};
use crate::code::Rejection;
use crate::text::hex;

/// A line for each id: its hash, and the revision of its batch. The journal bounds their number.
const REQUESTS_NOTE: &str = NOTE_NAMES[2];

impl Store {
    /// The newest change that took effect of a batch with this id; `None` if the journal has none.
    ///
    /// # Errors
    /// `io`, `too_large`.
    pub fn find_request(&self, request: &str) -> Result<Option<JournalEntry>, Rejection> {
        let Some(noted) = self.read_journal_note(REQUESTS_NOTE)? else { return Ok(None) };
        if noted.is_overdue() {
            self.extend_requests_note(&noted);
        }
        let hash = hash(request);
        let lines = noted.note.iter().flat_map(|note| note.lines()).filter_map(|line| line.split_once(' '));
        let mut found = lines.filter(|(id, _)| *id == hash).filter_map(|(_, rev)| rev.parse::<u64>().ok()).next_back();
        let quoted = format!("\"request\":{}", serde_json::to_string(request).unwrap_or_default());
        if memmem::find(noted.since(), quoted.as_bytes()).is_some() {
            let ordered = noted.outlines(&mut |outline| {
                if outline.request.as_deref() == Some(request) {
                    found = Some(outline.rev());
                }
            });
            if ordered.is_none() {
                return Ok(self.journal()?.into_iter().rev().find(|entry| is_of(entry, request)));
            }
        }
        let Some(rev) = found else { return Ok(None) };
        let entries = match self.revision_records(rev, false)? {
            Some(records) => self.filter_journal_entries(to_entries(records)),
            None => self.journal()?,
        };
        Ok(entries.into_iter().rev().find(|entry| is_of(entry, request)))
    }

    /// Extends the note of the ids up to the newest revisions; for writers, after the answer.
    pub fn note_requests(&self) {
        if let Ok(Some(noted)) = self.read_journal_note(REQUESTS_NOTE)
            && noted.is_due()
        {
            self.extend_requests_note(&noted);
        }
    }

    fn extend_requests_note(&self, noted: &NotedJournal) {
        let mut contents = noted.note.clone().unwrap_or_default();
        let extended = noted.outlines_to_note(&mut |outline| {
            if let Some(request) = &outline.request {
                _ = writeln!(contents, "{} {}", hash(request), outline.rev());
            }
        });
        if extended.is_some() {
            self.write_journal_note(REQUESTS_NOTE, noted, &contents);
        }
    }
}

fn is_of(entry: &JournalEntry, request: &str) -> bool {
    entry.header.request.as_deref() == Some(request) && entry.outcome == EntryOutcome::Done
}

fn hash(request: &str) -> String {
    hex(&Sha256::digest(request.as_bytes())[..12])
}
