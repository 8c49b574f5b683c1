//! What a sync records on this machine: the last revision described in a commit, the merges, and the files that they
//! have replaced.
//!
//! Only a hint: without it, commit messages are less specific, merged files count as edited outside memdir, and `diff`
//! does not know what was merged after a revision.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::change::{Etag, JournalEntry};
use crate::commands::Session;
use crate::commands::point_in_time::utc_string;
use crate::host::tree_changes::is_object_name;
use crate::path::MemoryPath;
use crate::store::{LockedStore, Store};
use crate::view::journal;

/// File name under `.memdir/`.
const FILE_NAME: &str = "sync";
/// How many merges are remembered, the newest ones.
const MAX_MERGES: usize = 500;

/// A merge that a sync made.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct SyncMerge {
    /// The newest revision when it began; 0 before the first.
    pub rev: u64,
    /// When it began, in UTC.
    pub at: String,
    /// The commit before it.
    pub from: String,
    /// The commit that it made; `None` as long as it has conflicts.
    pub to: Option<String>,
}

impl SyncMerge {
    /// A merge that begins now.
    pub fn new(session: &Session, entries: &[JournalEntry], from: &str) -> SyncMerge {
        let rev = entries.last().map_or(0, |entry| entry.rev);
        SyncMerge { rev, at: utc_string(&session.now), from: from.to_owned(), to: None }
    }
}

/// What a data directory remembers of its syncs.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct SyncState {
    /// The last revision that a commit of this machine describes; `None` before the first.
    #[serde(default)]
    pub rev: Option<u64>,
    /// Files that a merge replaced: the last revision that wrote them before, and their etag after the merge (`None`:
    /// removed).
    #[serde(default)]
    merged: BTreeMap<String, (u64, Option<String>)>,
    /// The newest merges, oldest first.
    #[serde(default)]
    pub merges: Vec<SyncMerge>,
}

impl SyncState {
    /// Reads the state of a data directory; an unreadable one counts as empty. It may have come with a clone, so of its
    /// commits only full object names are used.
    pub fn load(store: &Store) -> SyncState {
        let mut state: SyncState = store.read_json_note(FILE_NAME).unwrap_or_default();
        state.merges.retain(|merge| {
            [Some(&merge.from), merge.to.as_ref()].into_iter().flatten().all(|name| is_object_name(name))
        });
        state
    }

    /// Whether a merge left the file as it is now, after revision `rev` had written it.
    pub fn was_merged(&self, path: &MemoryPath, rev: u64, current: Option<Etag>) -> bool {
        let hex = current.map(|etag| etag.hex());
        self.merged.get(path.as_str()).is_some_and(|(written_rev, etag)| *written_rev == rev && *etag == hex)
    }

    /// Records a merge. One before it that did not end was given up.
    pub fn add_merge(&mut self, merge: SyncMerge) {
        self.merges.retain(|merge| merge.to.is_some());
        self.merges.push(merge);
        self.merges.drain(..self.merges.len().saturating_sub(MAX_MERGES));
    }

    /// Records that a merge replaced these files, and drops records of files that memdir has written since.
    pub fn record_merge(&mut self, store: &Store, entries: &[JournalEntry], replaced: &[String]) {
        let last_writes = journal::last_etags(entries);
        let is_last_write = |path: &str, rev: u64| {
            last_writes.iter().any(|(known_path, (_, last))| known_path.as_str() == path && *last == rev)
        };
        self.merged.retain(|path, (rev, _)| is_last_write(path, *rev));
        let replaced_paths: std::collections::HashSet<&str> = replaced.iter().map(String::as_str).collect();
        for (path, (etag, rev)) in last_writes.iter().filter(|(path, _)| replaced_paths.contains(path.as_str())) {
            let Ok(now) = store.read(path) else { continue };
            let current = now.map(|version| version.etag);
            if current != *etag {
                self.merged.insert(path.to_string(), (*rev, current.map(|etag| etag.hex())));
            }
        }
    }

    /// Writes the state; errors are ignored.
    pub fn save(&self, locked: &LockedStore<'_>) {
        if let Ok(text) = serde_json::to_string(self) {
            // It is only a hint, so the sync does not fail because of it.
            drop(locked.write_note(FILE_NAME, &text));
        }
    }
}
