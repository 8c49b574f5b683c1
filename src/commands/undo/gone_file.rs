//! What a later revision did to a file that a revision to undo or redo wrote and that is no longer there. A file that was
//! made at the path of one that was moved is another one.
//!
//! Never follows the file to its new place: undoing the move first is one command, and shows what happens. What git
//! renamed is named.

use super::sources::InversionSources;
use super::{EntryOutcome, RevisionInversion};
use crate::change::{EntryFile, FileVersion, InverseKind, JournalEntry};
use crate::code::{Code, Rejection, SuggestedCommand};
use crate::document::Document;
use crate::path::MemoryPath;
use crate::store::RevisionSide;

/// Why a file cannot be changed by an inversion that is gone (nothing stands at its path), or was moved; `None` if it was
/// not moved, or need not be there: it was removed, as the undone revision is to be.
pub(super) fn refusal(
    sources: &InversionSources<'_>,
    inversion: &RevisionInversion,
    file: &EntryFile,
    is_gone: bool,
) -> Result<Option<Rejection>, Rejection> {
    let rev = inversion.entry.rev;
    let later = sources.entries()?.iter().filter(|entry| entry.rev > rev && entry.outcome == EntryOutcome::Done);
    let path = &file.path;
    let moved = last_move(later.clone(), path);
    if !is_gone && moved.is_none() {
        return Ok(None);
    }
    let mut touching = later.rev().filter_map(|entry| Some((entry, entry.files.iter().find(|one| one.path == *path)?)));
    let last = moved.or_else(|| touching.next().filter(|(_, touched)| touched.after.is_none()));
    if last.is_none()
        && let Some(error) = rename_refusal(sources, inversion, path)
    {
        return Ok(Some(error));
    }
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
            let (verb, named) = inversion.named();
            error
                .hint(format!("undo r{} first, then {verb} r{named}", by.rev))
                .try_command(SuggestedCommand::new("undo", format!("r{}", by.rev)))
        }
        None if inversion.is_undo && inversion.entry.inverts.is_none() => error
            .hint("skip such files with --keep-edited, or bring the file back first")
            .try_command(SuggestedCommand::new("redo", format!("r{rev}"))),
        _ if matches!(inversion.inverts, InverseKind::Undo(_)) => error.hint("skip such files with --keep-edited"),
        _ => error,
    }))
}

/// The error for a file that a commit or a merge of git renamed: bringing back the old name would double what it says.
/// `None` for other files.
pub(super) fn rename_refusal(
    sources: &InversionSources<'_>,
    inversion: &RevisionInversion,
    path: &MemoryPath,
) -> Option<Rejection> {
    let to = &sources.renamed_in_git(path)?;
    let (verb, rev) = inversion.named();
    let removal = if inversion.is_undo { removal_of_added(sources, path, to) } else { None };
    let error = Rejection::new(Code::Conflict, format!("{path} was renamed to {to} in git since r{rev}"))
        .hint(format!("{verb} does not follow it; change {to} instead"))
        .detail("path", path.as_str())
        .try_command(removal.unwrap_or_else(|| SuggestedCommand::new("list", to.as_str())));
    Some(error)
}

/// The command that removes from a file the bullets that the revision added to it under its old name; `None` if it did
/// anything else there, or one of them is gone.
fn removal_of_added(sources: &InversionSources<'_>, path: &MemoryPath, to: &MemoryPath) -> Option<SuggestedCommand> {
    let document = |version: Option<FileVersion>| {
        version.map_or(Some(Document::parse("")), |version| Document::from_bytes(version.bytes.to_vec()).ok())
    };
    let before = document(sources.text(path, RevisionSide::Before).ok()?)?;
    let after = document(sources.text(path, RevisionSide::After).ok()?)?;
    let now = document(sources.store.read(to).ok()?)?;
    let mut added = after.handles().to_vec();
    for handle in before.handles() {
        added.swap_remove(added.iter().position(|one| one == handle)?);
    }
    let address = |handle| {
        let bullet = now.handles().iter().position(|one| one == handle)?;
        Some(format!("{to}{}", now.bullet_reference(bullet)))
    };
    let operands: Vec<String> = added.iter().map(address).collect::<Option<_>>()?;
    (!operands.is_empty()).then(|| SuggestedCommand { subcommand: vec!["rm"], operands })
}

/// The revision that moved a file away from a path and left it elsewhere, with the file there; `None` if it was not moved,
/// came back, or was removed where it had been moved to.
fn last_move<'a>(
    later: impl Iterator<Item = &'a JournalEntry>,
    path: &'a MemoryPath,
) -> Option<(&'a JournalEntry, &'a EntryFile)> {
    let mut place = path;
    let mut left = None;
    for entry in later {
        let Some(file) = entry.files.iter().find(|file| file.path == *place && file.after.is_none()) else { continue };
        let to = file.moved.as_ref()?;
        if place == path {
            left = Some((entry, file));
        }
        place = to;
    }
    left.filter(|_| place != path)
}
