//! What a later revision did to a file that a revision to undo or redo wrote and that is no longer there.
//!
//! Never follows the file to its new place: undoing the move first is one command, and shows what happens.

use super::{EntryOutcome, RevisionInversion};
use crate::change::EntryFile;
use crate::code::{Code, Rejection, SuggestedCommand};
use crate::store::Store;

/// Why a file that is gone cannot be changed by an inversion; `None` if it need not be there: it was removed, as the
/// undone revision is to be.
pub(super) fn refusal(
    store: &Store,
    inversion: &RevisionInversion,
    file: &EntryFile,
) -> Result<Option<Rejection>, Rejection> {
    let rev = inversion.entry.rev;
    let entries = match store.entries_from(rev)? {
        Some(entries) => entries,
        None => store.journal()?,
    };
    let later = entries.iter().rev().take_while(|entry| entry.rev > rev);
    let mut touching = later.filter(|entry| entry.outcome == EntryOutcome::Done).filter_map(|entry| {
        let touched = entry.files.iter().find(|other| other.path == file.path)?;
        Some((entry, touched))
    });
    let last = touching.next().filter(|(_, touched)| touched.after.is_none());
    let path = &file.path;
    let (what, by) = match last {
        Some((by, touched)) => match &touched.moved {
            Some(to) => (format!("was moved to {to} by r{}", by.rev), Some(by)),
            None => (format!("was removed by r{}", by.rev), Some(by)),
        },
        None => (format!("was removed since r{rev}"), None),
    };
    let is_moved = last.is_some_and(|(_, touched)| touched.moved.is_some());
    let is_to_be_gone = if inversion.is_undo { file.before.is_none() } else { file.after.is_none() };
    if is_to_be_gone && !is_moved {
        return Ok(None);
    }
    let error = Rejection::new(Code::Conflict, format!("{path} {what}")).detail("path", path.as_str());
    Ok(Some(match by {
        Some(by) if by.inverts.is_none() => {
            let verb = if inversion.is_undo { "undo" } else { "redo" };
            error
                .hint(format!("undo r{} first, then {verb} r{rev}", by.rev))
                .try_command(SuggestedCommand::new("undo", format!("r{}", by.rev)))
        }
        _ if inversion.is_undo => error.hint("skip such files with --keep-edited"),
        _ => error,
    }))
}
