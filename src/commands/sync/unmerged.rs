//! What a merge left for a person: which files, which bullets in them, and which of them are decided by now.
//!
//! Never decides by itself: a file counts as decided where its text says so, or where `resolve` wrote it.

use serde_json::Value;

use crate::change::{Entry, Etag, Outcome};
use crate::code::Rejection;
use crate::commands::Session;
use crate::commands::answer::{LeftFile, Undecided};
use crate::commands::resolve::left;
use crate::host::git::Git;
use crate::host::repository::Unmerged;
use crate::operation::regions;
use crate::path::MemoryPath;

/// What is left, and what can be told to git as decided.
#[derive(Debug, Default)]
pub struct Rest {
    /// Files with conflict markers.
    pub conflicts: Vec<LeftFile>,
    /// Files that a person must decide about as a whole.
    pub undecided: Vec<Undecided>,
    /// Files that are decided.
    pub decided: Vec<String>,
}

impl Rest {
    /// Whether a person must do something.
    pub fn any(&self) -> bool {
        !self.conflicts.is_empty() || !self.undecided.is_empty()
    }
}

/// Looks at what git has not merged.
///
/// # Errors
/// `git`.
pub fn rest(session: &Session, git: &Git, unmerged: &[Unmerged], entries: &[Entry]) -> Result<Rest, Rejection> {
    let mut rest = Rest::default();
    for file in unmerged {
        let undecided = |why| Undecided { path: file.path.clone(), why };
        // What memdir may not write, `resolve` cannot decide.
        let path = MemoryPath::new(&file.path).ok();
        let now = path.as_ref().and_then(|path| session.store.read(path).ok().flatten());
        let whole = match (file.ours, file.theirs) {
            (true, true) => None,
            (true, false) => Some("removed_there"),
            (false, true) => Some("removed_here"),
            (false, false) => Some("both_moved"),
        };
        let (Some(path), Some(now), None) = (path, now, whole) else {
            rest.undecided.push(undecided(whole.unwrap_or("no_memory")));
            continue;
        };
        let text = String::from_utf8_lossy(&now.bytes);
        if let Some(size) = regions::size(&text) {
            rest.conflicts.push(left(&path, &regions::conflicts(&text, size)));
        } else if text.contains('\0') {
            rest.undecided.push(undecided("no_text"));
        } else if decided(git, &path, &now.bytes, now.etag, entries)? {
            rest.decided.push(file.path.clone());
        } else {
            rest.undecided.push(undecided("decided"));
        }
    }
    Ok(rest)
}

/// A text without markers is a decision. Where it is one side's own, it may as well be a merge that never looked at the
/// other (a driver for binary files): then only the journal can tell that somebody chose it.
fn decided(git: &Git, path: &MemoryPath, now: &[u8], etag: Etag, entries: &[Entry]) -> Result<bool, Rejection> {
    let Some(file) = git.unmerged()?.into_iter().find(|f| f.path == path.as_str()) else { return Ok(true) };
    let sides: Vec<&str> = [&file.ours, &file.theirs].into_iter().flatten().map(String::as_str).collect();
    if !git.contents(&sides)?.iter().any(|side| side == now) {
        return Ok(true);
    }
    let touching = |entry: &&Entry| entry.files.iter().any(|f| f.path == *path && f.after == Some(etag));
    let last = entries.iter().rev().filter(|e| e.outcome == Outcome::Done).find(touching);
    let resolves = |op: &Value| op.get("op").and_then(Value::as_str) == Some("resolve");
    Ok(last.is_some_and(|entry| entry.operations.iter().any(resolves)))
}
