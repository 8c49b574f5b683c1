//! Forgetting: every text of some files goes from the journal and from the slots, before the batch that forgets ends.
//!
//! Never touches a file that people own. That something happened to the files, when and by whom, stays.

use std::os::fd::BorrowedFd;

use super::journal::Journal;
use super::line::{Intent, records};
use super::protocol::Ending;
use super::reap::rewrite;
use super::root::{Root, refusal_to_write};
use super::{platform, slot};
use crate::code::Rejection;

/// Scrubs what the open batch `rev` forgets: its files, under every name they had. The journal first, which says from
/// then on that the batch stands; so a recovery needs no slot of it, and goes on here.
///
/// # Errors
/// `io`, `read_only`. What was scrubbed until then stays scrubbed.
pub fn scrub(root: &Root, journal: &mut Option<Journal>, rev: u64) -> Result<(), Rejection> {
    let Some(open) = journal.as_ref() else { return Ok(()) };
    let mut records = records(&open.all()?);
    let names = every_name(&records, rev);
    let mut scrubbed = false;
    for (intent, _) in &mut records {
        intent.forget(&names);
        if intent.rev == rev {
            scrubbed = std::mem::replace(&mut intent.scrubbed, true);
        }
    }
    if !scrubbed {
        *journal = rewrite(root, &records)?;
    }
    let Some(undo) = root.undo()? else { return Ok(()) };
    for (intent, _) in &records {
        for (i, _) in intent.files.iter().enumerate().filter(|(_, file)| names.contains(&file.path)) {
            empty(undo, &slot::name(intent.rev, i))?;
        }
    }
    platform::sync(undo).map_err(|e| refusal_to_write(e, "'.memdir/undo/'"))
}

/// The paths of a revision's files, and every path they had before.
fn every_name(records: &[(Intent, Option<Ending>)], rev: u64) -> Vec<String> {
    let mut names = Vec::new();
    for (intent, _) in records.iter().rev() {
        for file in &intent.files {
            // A moved file's two halves name each other; going back in time, the new name comes first.
            let moved = file.moved.as_ref().filter(|_| names.contains(&file.path));
            let own = (intent.rev == rev).then_some(&file.path);
            for name in own.into_iter().chain(moved).cloned().collect::<Vec<_>>() {
                if !names.contains(&name) {
                    names.push(name);
                }
            }
        }
    }
    names
}

/// Empties a slot before its name goes, so that a handle or a snapshot of the name finds nothing.
fn empty(undo: BorrowedFd<'_>, name: &str) -> Result<(), Rejection> {
    if let Ok(file) = platform::open_append(undo, name) {
        let _ = rustix::fs::ftruncate(&file, 0);
        let _ = platform::sync(&file);
    }
    slot::free(undo, name)
}
