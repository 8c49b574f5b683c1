//! What a sync remembers for the next one on this machine: up to which revision the journal is told in commits, and
//! which files git's merges have replaced.
//!
//! Never the truth: without it, commit messages are vaguer and merged files count as edited outside memdir.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::change::{Entry, Etag};
use crate::path::MemoryPath;
use crate::store::{Locked, Store};
use crate::view::journal;

/// Its name below `.memdir/`.
const NAME: &str = "sync";

/// What is remembered.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Memo {
    /// The last revision that a commit of ours tells of; none before the first.
    #[serde(default)]
    pub rev: Option<u64>,
    /// Files that a merge replaced: the revision that had left them, and the etag that the merge gave them (none: it
    /// removed them).
    #[serde(default)]
    merged: BTreeMap<String, (u64, Option<String>)>,
}

impl Memo {
    /// What a data dir remembers.
    pub fn of(store: &Store) -> Memo {
        store.note(NAME).and_then(|text| serde_json::from_str(&text).ok()).unwrap_or_default()
    }

    /// Whether a merge gave a file these bytes after that revision left it.
    pub fn merged_in(&self, path: &MemoryPath, rev: u64, now: Option<Etag>) -> bool {
        let hex = now.map(|etag| etag.hex());
        self.merged.get(path.as_str()).is_some_and(|(left, etag)| *left == rev && *etag == hex)
    }

    /// Learns that a merge replaced these files; what memdir has written since is forgotten.
    pub fn learn(&mut self, store: &Store, entries: &[Entry], replaced: &[String]) {
        let left = journal::left(entries);
        let stands =
            |path: &str, rev: u64| left.iter().any(|(known, (_, last))| known.as_str() == path && *last == rev);
        self.merged.retain(|path, (rev, _)| stands(path, *rev));
        let named: std::collections::HashSet<&str> = replaced.iter().map(String::as_str).collect();
        for (path, (etag, rev)) in left.iter().filter(|(path, _)| named.contains(path.as_str())) {
            let Ok(now) = store.read(path) else { continue };
            let now = now.map(|version| version.etag);
            if now != *etag {
                self.merged.insert(path.to_string(), (*rev, now.map(|etag| etag.hex())));
            }
        }
    }

    /// Writes it down, as well as it can be.
    pub fn keep(&self, locked: &Locked<'_>) {
        if let Ok(text) = serde_json::to_string(self) {
            // Whoever misses it does well without it.
            drop(locked.keep_note(NAME, &text));
        }
    }
}
