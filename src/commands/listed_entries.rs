//! The entries of the journal that `log` lists, and what its rows need to know of all others.
//!
//! Never has a long journal in memory, unless a filter of the store needs it.

use std::collections::HashMap;

use super::{LogOptions, Session};
use crate::change::JournalEntry;
use crate::code::Rejection;
use crate::store::JournalPages;
use crate::view::journal::{OutsideEdit, OutsideEditFinder, RevisionStates};

/// The number of entries that `log` shows by default.
pub const DEFAULT_LOG_LIMIT: usize = 50;

/// What the rows need to know of all entries.
#[derive(Default)]
pub struct JournalSummary {
    /// The time of the first entry.
    pub since: Option<String>,
    pub states: RevisionStates,
    pub outside_edits: OutsideEditFinder,
    /// The changes outside memdir before a revision.
    pub gaps: HashMap<u64, Vec<OutsideEdit>>,
}

impl JournalSummary {
    /// Adds the next entry, oldest first.
    fn add(&mut self, entry: &JournalEntry) {
        self.since.get_or_insert_with(|| entry.header.at.clone());
        self.states.add(entry);
        self.outside_edits.add(entry, |edit| self.gaps.entry(edit.before_rev).or_default().push(edit));
    }
}

/// What of the journal is listed: revisions from `from` on, and how many rows older ones would make.
pub struct ListedRange {
    pub from: u64,
    pub older_rows: usize,
}

/// The entries to list: the newest, if they are enough. Which older ones a filter would let through is only known from
/// the whole journal, which is then read in pages.
pub fn entries_to_list(
    session: &Session,
    options: &LogOptions,
    summary: &mut JournalSummary,
) -> Result<(Vec<JournalEntry>, Option<JournalPages>, ListedRange), Rejection> {
    let is_filtered = options.address.is_some() || options.since.is_some() || options.by.is_some();
    let limit = options.limit.unwrap_or(DEFAULT_LOG_LIMIT);
    if !is_filtered && limit < usize::MAX && session.visibility().is_none() {
        let window = session.store.journal_window()?;
        let range =
            ListedRange { from: window.complete_from, older_rows: window.older_revisions + window.older_outside_edits };
        let entries = session.store.window_entries(window);
        let newest = entries.iter().filter(|entry| entry.rev >= range.from).count();
        if range.from == 0 || newest >= limit {
            entries.iter().for_each(|entry| summary.add(entry));
            return Ok((entries, None, range));
        }
    }
    let range = ListedRange { from: 0, older_rows: 0 };
    if let Some(pages) = session.store.journal_pages(&mut |entry| summary.add(entry))? {
        return Ok((Vec::new(), Some(pages), range));
    }
    *summary = JournalSummary::default();
    let entries = session.store.journal_without_texts()?;
    entries.iter().for_each(|entry| summary.add(entry));
    Ok((entries, None, range))
}
