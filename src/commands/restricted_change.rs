//! Changes by a restricted agent: they are planned on what the agent sees, and refused if a file that they concern has
//! parts that it does not see (ARCHITECTURE.md, "Visibility"). What it sees of the other files is all of them, so the
//! changeset is committed like any other.
//!
//! Never reveals what is hidden: whatever is refused because of it gets the same rejection.

use super::allowlist_filter::allowlist_rejection;
use super::change::{commit_loop, dry_run_result, earlier_change, plan_batch};
use super::consent::{ApprovalGate, CommitMode};
use super::fetch::fetch;
use super::results::ChangeOutcome;
use super::{ChangeOptions, CommandResult, Error, Session};
use crate::change::{Changeset, Etag, JournalEntry};
use crate::code::{Rejection, Warning};
use crate::document::{Document, Visibility, VisibleParts, memory_index};
use crate::operation::{Batch, MissingInput, Snapshot};
use crate::path::MemoryPath;
use crate::store::{RevisionSide, TextsAtRevision};

/// Like [`super::change()`], for an agent with an allowlist.
///
/// # Errors
/// `category_not_allowed` if the change concerns anything hidden; else the errors of planning on what the agent sees.
pub(super) fn change(session: &Session, batch: &Batch, options: &ChangeOptions) -> CommandResult<ChangeOutcome> {
    // Forgetting scans every file and the whole history, which would reveal where hidden text occurs.
    if batch.forgets() {
        return Err(allowlist_rejection().into());
    }
    let plan = || -> Result<(Changeset, Snapshot), Error> {
        let mut snapshot = Snapshot::new();
        let changeset = plan_batch(session, &mut snapshot, &batch.operations, options)?;
        Ok((changeset, snapshot))
    };
    if options.dry_run {
        let (changeset, snapshot) = plan()?;
        ApprovalGate { session, batch, mode: CommitMode::DryRun }.require_consent(&changeset, &snapshot)?;
        return Ok(ChangeOutcome::Changed(dry_run_result(&changeset, &snapshot)));
    }
    let unfiltered = session.unfiltered();
    let (locked, warnings) = unfiltered.store.lock()?;
    if let Some(earlier) = earlier_change(&unfiltered, batch)? {
        return if earlier.actor == session.actor {
            Ok(ChangeOutcome::Repeated(earlier.result?))
        } else {
            Err(allowlist_rejection().into())
        };
    }
    let gate = ApprovalGate { session, batch, mode: CommitMode::Commit(&locked) };
    commit_loop(&unfiltered, &locked, batch, redact_warnings(&warnings), || {
        let (changeset, snapshot) = plan()?;
        gate.require_consent(&changeset, &snapshot)?;
        Ok((changeset, snapshot))
    })
    .map(ChangeOutcome::Changed)
}

/// Fetches one input of the planner for a restricted agent.
///
/// # Errors
/// `category_not_allowed` for a file that the agent does not see whole, and where hidden files contain the same id; else
/// the errors of reading.
pub(super) fn fetch_visible(
    session: &Session,
    visibility: &Visibility,
    input: MissingInput,
    snapshot: &mut Snapshot,
) -> Result<(), Rejection> {
    let is_visible = match &input {
        // The filter removes summary lines from the journal, but the planner must recognise the one that memdir wrote.
        // The line is only compared with the present one, never shown.
        MissingInput::LastSummary(_) => return fetch(&session.store.unfiltered(), input, snapshot),
        // Only the file that it changes is searched: it sees that one whole.
        MissingInput::RelatedFiles { text, .. } => {
            snapshot.insert_related_files(text.clone(), Vec::new());
            return Ok(());
        }
        MissingInput::FileNames | MissingInput::TopFolder(_) | MissingInput::History(_) => {
            return fetch(&session.store, input, snapshot);
        }
        MissingInput::File(path) if memory_index::is_index_path(path) => {
            fetch(&session.store, input.clone(), snapshot)?;
            if is_redacted(snapshot, path) {
                // The index repeats hidden files, so this caller's change leaves it alone; `check --fix` completes it.
                snapshot.insert_file(path.clone(), Err(allowlist_rejection()));
            }
            return Ok(());
        }
        MissingInput::File(path) => {
            // Before the file is read: an error of reading would reveal that it exists.
            if !visibility.shows_path(path) {
                return Err(allowlist_rejection());
            }
            fetch(&session.store, input.clone(), snapshot)?;
            !is_redacted(snapshot, path)
        }
        MissingInput::IdHolders(id) => {
            let all = fetch_both(session, &input, snapshot)?;
            all.id_holders(id).ok() == snapshot.id_holders(id).ok()
        }
        MissingInput::Backlinks(to) => {
            // A link in a file that it does not see whole stays as it is. A refusal would reveal that there is one;
            // `check` reports it to whom it is visible.
            fetch(&session.store, input.clone(), snapshot)?;
            let holders = snapshot.backlinks(to).unwrap_or_default().to_vec();
            let visible = seen_whole(session, holders)?;
            snapshot.insert_backlinks(to.clone(), visible);
            true
        }
    };
    if is_visible { Ok(()) } else { Err(allowlist_rejection()) }
}

/// Fetches an input as the agent sees it; returns a snapshot with the same input without the filter.
fn fetch_both(session: &Session, input: &MissingInput, snapshot: &mut Snapshot) -> Result<Snapshot, Rejection> {
    let mut all = Snapshot::new();
    fetch(&session.store.unfiltered(), input.clone(), &mut all)?;
    fetch(&session.store, input.clone(), snapshot)?;
    Ok(all)
}

/// The files among these that the agent sees whole.
fn seen_whole(session: &Session, files: Vec<MemoryPath>) -> Result<Vec<MemoryPath>, Rejection> {
    let mut whole = Vec::new();
    for path in files {
        let mut read = Snapshot::new();
        fetch(&session.store, MissingInput::File(path.clone()), &mut read)?;
        if !is_redacted(&read, &path) {
            whole.push(path);
        }
    }
    Ok(whole)
}

/// Whether the snapshot has only a part of a file: the read filter keeps the etag of the whole text.
pub(super) fn is_redacted(snapshot: &Snapshot, path: &MemoryPath) -> bool {
    let loaded = snapshot.file(path).ok().flatten();
    loaded.is_some_and(|file| Etag::of(file.document.text().as_bytes()) != file.version.etag)
}

/// Checks that a planned change concerns only files that the agent sees whole, before and after it.
///
/// # Errors
/// `category_not_allowed`; `io`.
pub(super) fn require_visible_files(
    session: &Session,
    visibility: &Visibility,
    changeset: &Changeset,
    snapshot: &Snapshot,
) -> Result<(), Rejection> {
    for file in &changeset.files {
        let after = file.after.as_ref().map(|bytes| Document::from_bytes(bytes.to_vec()));
        let is_visible = after.is_none_or(|document| {
            document.is_ok_and(|document| visibility.visible_parts(&document, &file.path) == VisibleParts::All)
        });
        if !is_visible || !visibility.shows_path(&file.path) || is_redacted(snapshot, &file.path) {
            return Err(allowlist_rejection());
        }
    }
    // The planner compares the name of a new file with the names that the agent sees.
    let created: Vec<&MemoryPath> =
        changeset.files.iter().filter(|file| file.before.is_none()).map(|file| &file.path).collect();
    if created.is_empty() {
        return Ok(());
    }
    let names = session.store.unfiltered().walk(None)?;
    let others = names.iter().map(|found| &found.path).filter(|path| !changeset.files.iter().any(|f| f.path == **path));
    let taken = |path: &MemoryPath| created.iter().any(|new| new.case_folded() == path.case_folded());
    if others.into_iter().any(taken) { Err(allowlist_rejection()) } else { Ok(()) }
}

/// Warnings about other commands, reduced to the meaning of their code: their messages may name hidden files.
pub(super) fn redact_warnings(warnings: &[Warning]) -> Vec<Warning> {
    warnings.iter().map(|w| Warning::new(w.code, w.code.meaning().trim_end_matches('.').to_lowercase())).collect()
}

/// Checks that an agent may undo or redo a revision: it must see every file of the revision whole, before it, after it
/// and now.
///
/// # Errors
/// `category_not_allowed`.
pub(super) fn require_fully_visible(
    session: &Session,
    unfiltered: &Session,
    entry: &JournalEntry,
) -> Result<(), Rejection> {
    let [visible_texts, all_texts] = [session, unfiltered].map(|session| session.store.texts_at(entry.rev));
    for file in &entry.files {
        // A file that cannot be read may be a hidden one: its error would name it.
        let now = |session: &Session| session.store.read(&file.path).map_err(|_| allowlist_rejection());
        let same_now = now(session)? == now(unfiltered)?;
        let same_then =
            [(RevisionSide::Before, file.before), (RevisionSide::After, file.after)].into_iter().all(|(side, etag)| {
                let text = |texts: &TextsAtRevision<'_>| texts.text(&file.path, side).ok().flatten();
                etag.is_none() || text(&visible_texts).is_some_and(|visible| Some(visible) == text(&all_texts))
            });
        if !same_now || !same_then {
            return Err(allowlist_rejection());
        }
    }
    Ok(())
}
