//! Names the new path of a file that was not found because it was moved.
//!
//! Never reads the journal unless a file is missing, and never for a caller with an allowlist, who may not know the
//! other file.

use super::Session;
use crate::change::EntryOutcome;
use crate::code::{Code, Rejection, SuggestedCommand};
use crate::path::MemoryPath;

/// The rejection, with the file's new path if the journal has one and the file is there.
pub(super) fn with_new_path(session: &Session, error: Rejection) -> Rejection {
    match moved_to(session, &error) {
        Some((rev, to)) => {
            let command = SuggestedCommand::new("list", to.as_str());
            Rejection { suggestions: vec![command], ..error.hint(format!("r{rev} moved it to {to}")) }
        }
        None => error,
    }
}

/// The file that a missing one became by moves, and the revision of the last move; for the error of a missing file.
pub(super) fn moved_to(session: &Session, missing: &Rejection) -> Option<(u64, MemoryPath)> {
    let path = missing.details.get("path").and_then(|path| MemoryPath::from_disk_name(path.as_str()?).ok())?;
    (missing.code == Code::FileNotFound && session.visibility().is_none()).then(|| new_path(session, &path)).flatten()
}

/// Where the moves of the journal lead a file, and the revision of the last one.
fn new_path(session: &Session, path: &MemoryPath) -> Option<(u64, MemoryPath)> {
    let (mut rev, mut at) = (0, path.clone());
    for entry in session.store.journal_without_texts().ok()?.iter().filter(|e| e.outcome == EntryOutcome::Done) {
        let moved = entry.files.iter().find(|file| file.path == at && file.after.is_none());
        if let Some(to) = moved.and_then(|file| file.moved.clone()) {
            (rev, at) = (entry.rev, to);
        }
    }
    let is_there = at != *path && session.store.read(&at).is_ok_and(|file| file.is_some());
    is_there.then_some((rev, at))
}
