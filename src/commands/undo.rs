//! `undo` and `redo`: commit the inverse of a revision, or the revision again.
//!
//! A file that has not changed since is restored byte for byte; a file that has changed is merged. Never resolves a
//! conflict of such a merge: then the command is refused. Never plans operations, so no checks apply.

mod changed_again;
mod changeset;
mod dropped_text;
mod gone_file;
mod outside_edits;
mod sources;

use sources::InversionSources;

use super::change::commit_loop;
use super::consent::{ApprovalGate, CommitMode};
use super::fetch::last_summary;
use super::inbox::require_own_proposals;
use super::layer_names::{error_in_layer, name_layer};
use super::layers::other_half_note;
use super::point_in_time::find_revision;
use super::restricted_change::{redact_warnings, require_fully_visible};
use super::results::{ChangeResult, WarningRow};
use super::{ChangeOptions, CommandResult, Error, Session, UndoOptions};
use crate::change::{
    Changeset, EntryFile, EntryOutcome, FileChange, FileVersion, InverseKind, JournalEdit, JournalEntry,
};
use crate::code::{Code, Rejection, SuggestedCommand, Warning};
use crate::document::summary::{SummaryUpdate, update_summary};
use crate::document::{Document, DocumentEdit, apply_edits};
use crate::operation::file_change::{file_kind, minimal_splice};
use crate::operation::{Batch, Snapshot, merge, rejections};
use crate::path::MemoryPath;
use crate::store::{RevisionSide, Store};
use crate::text::splice;
use crate::view::journal;

/// Undoes a revision; merges files that were changed since.
///
/// # Errors
/// `revision_not_found`, `history_gone`, `conflict` if the same lines were changed since; `category_not_allowed` if the
/// caller may not see every file of the revision whole; `consent` for an agent, if it would withdraw the proposal of
/// another.
pub fn undo(session: &Session, undo_options: &UndoOptions, options: &ChangeOptions) -> CommandResult<ChangeResult> {
    if let Some((layer, revision, inner)) = session.layer_of_revision(undo_options.revision.as_deref())? {
        let revision = Some(revision.to_owned()).filter(|revision| !revision.is_empty());
        let undone = undo(&inner, &UndoOptions { revision, ..undo_options.clone() }, options);
        let mut result = undone.map_err(|error| error_in_layer(error, layer))?;
        name_layer(&mut result, layer);
        return Ok(result);
    }
    let search = if undo_options.by.is_some() { SearchExtent::Recent } else { SearchExtent::Whole };
    let mut undone = invert_revision(session, options, undo_options.revision.as_deref(), search, |entries| {
        let entry = match &undo_options.revision {
            Some(rev) => Some(find_revision(rev, entries)?),
            None => journal::revision_to_undo(entries, undo_options.by.as_deref(), &session.actor),
        };
        let Some(entry) = entry else { return Ok(None) };
        if undo_options.revision.is_none() {
            refuse_older_than_forgotten(entries, entry, undo_options.by.as_deref())?;
        }
        let states = journal::revision_states(entries);
        match states.get(&entry.rev) {
            Some(journal::RevisionState::Done) => {}
            Some(journal::RevisionState::Undone { by }) => {
                return Err(Rejection::new(Code::Exists, format!("r{} is already undone, by r{by}", entry.rev))
                    .try_command(SuggestedCommand::new("redo", format!("r{}", entry.rev))));
            }
            _ => return Err(Rejection::new(Code::RevisionNotFound, format!("r{} was never applied", entry.rev))),
        }
        let keep_edited = undo_options.keep_edited;
        let inverts = InverseKind::Undo(entry.rev);
        Ok(Some(RevisionInversion { entry: entry.clone(), inverts, is_undo: true, is_in_effect: true, keep_edited }))
    })?;
    // The revision is undone, whatever can be said of the other layer.
    let note = undone.undone.as_deref().and_then(|rev| other_half_note(session, rev).ok().flatten());
    undone.warnings.extend(note.as_ref().map(WarningRow::from));
    Ok(undone)
}

/// Refuses to undo a revision that was not named if a newer one, which cannot be undone, was meant: its texts were
/// erased.
fn refuse_older_than_forgotten(
    entries: &[JournalEntry],
    chosen: &JournalEntry,
    by: Option<&str>,
) -> Result<(), Rejection> {
    let states = journal::revision_states(entries);
    let newer = entries.iter().rev().take_while(|e| e.rev > chosen.rev).find(|e| {
        let is_done = states.get(&e.rev) == Some(&journal::RevisionState::Done);
        e.forgotten && is_done && !e.files.is_empty() && by.is_none_or(|name| e.is_by(name))
    });
    match newer {
        None => Ok(()),
        // What the older revision changed has nothing to do with what was forgotten.
        Some(newer) => Err(erased_error(newer)
            .hint("`memdir log` lists older revisions, each of which `memdir undo rN` takes back")
            .try_command(SuggestedCommand { subcommand: vec!["log"], operands: Vec::new() })),
    }
}

/// The error of undoing a revision whose texts `rm --forget` erased.
fn erased_error(entry: &JournalEntry) -> Rejection {
    let reason =
        if entry.operations.is_empty() { "was made with --forget: its" } else { "lost its texts to --forget:" };
    let what = if entry.operations.is_empty() { "texts were erased" } else { "they were erased" };
    Rejection::new(Code::HistoryGone, format!("r{} {reason} {what}", entry.rev))
}

/// Applies a revision again that was undone, or whose changes an editor overwrote.
///
/// # Errors
/// As [`undo`]; `exists` for a revision that is in effect, and whose changes no editor overwrote.
pub fn redo(session: &Session, rev: Option<&str>, options: &ChangeOptions) -> CommandResult<ChangeResult> {
    if let Some((layer, revision, inner)) = session.layer_of_revision(rev)? {
        let redone = redo(&inner, Some(revision).filter(|revision| !revision.is_empty()), options);
        let mut result = redone.map_err(|error| error_in_layer(error, layer))?;
        name_layer(&mut result, layer);
        return Ok(result);
    }
    invert_revision(session, options, rev, SearchExtent::Recent, |entries| {
        let entry = match rev {
            Some(rev) => Some(find_revision(rev, entries)?),
            None => journal::revision_to_redo(entries),
        };
        let Some(entry) = entry else { return Ok(None) };
        let inverts = InverseKind::Redo(entry.rev);
        let is_in_effect = match journal::revision_states(entries).get(&entry.rev) {
            Some(journal::RevisionState::Done) => true,
            // What the undo did is taken back, so that what a revision in between removed stays removed.
            Some(journal::RevisionState::Undone { by }) => match entries.iter().find(|undo| undo.rev == *by) {
                Some(undo) => {
                    let undo = undo.clone();
                    let inversion = RevisionInversion {
                        entry: undo,
                        inverts,
                        is_undo: true,
                        is_in_effect: true,
                        keep_edited: false,
                    };
                    return Ok(Some(inversion));
                }
                None => false,
            },
            _ => return Err(Rejection::new(Code::RevisionNotFound, format!("r{} was never applied", entry.rev))),
        };
        let entry = entry.clone();
        Ok(Some(RevisionInversion { entry, inverts, is_undo: false, is_in_effect, keep_edited: false }))
    })
}

/// A revision to take back (`is_undo`) or to apply again.
struct RevisionInversion {
    entry: JournalEntry,
    /// What this is to the journal: the redo of a revision takes its undo back.
    inverts: InverseKind,
    is_undo: bool,
    /// Whether no later revision undid it.
    is_in_effect: bool,
    keep_edited: bool,
}

impl RevisionInversion {
    /// What the caller does to which revision, for messages.
    fn named(&self) -> (&'static str, u64) {
        match self.inverts {
            InverseKind::Undo(rev) => ("undo", rev),
            InverseKind::Redo(rev) => ("redo", rev),
        }
    }
}

fn invert_revision(
    session: &Session,
    options: &ChangeOptions,
    rev: Option<&str>,
    search: SearchExtent,
    choose_revision: impl Fn(&[JournalEntry]) -> Result<Option<RevisionInversion>, Rejection>,
) -> CommandResult<ChangeResult> {
    session.may_write()?;
    let (caller, unfiltered) = (session, session.visibility().map(|_| session.unfiltered()));
    let session = unfiltered.as_ref().unwrap_or(session);
    let plan_inverse = || -> Result<(Changeset, Snapshot), Error> {
        let recent = match rev {
            None => recent_inversion(&session.store, search, &choose_revision)?,
            Some(_) => RecentInversion::Unknown,
        };
        let chosen = match recent {
            RecentInversion::Found(inversion) => Some(*inversion),
            RecentInversion::NoneSince(first) => return Ok((no_change(Some(first)), Snapshot::new())),
            RecentInversion::Unknown => choose_revision(&entries_to_search(&session.store, rev)?)?,
        };
        let Some(inversion) = chosen else { return Ok((no_change(None), Snapshot::new())) };
        if unfiltered.is_some() {
            require_fully_visible(caller, session, &inversion.entry)?;
        }
        // A restricted caller may not know the name that git gave to a file.
        let repository = unfiltered.is_none().then_some(session.dir.as_path());
        let changeset = changeset::inverse_changeset(&session.store, repository, &inversion)?;
        require_own_proposals(session, &changeset.files)?;
        if !inversion.is_undo && inversion.is_in_effect {
            require_dropped_parts(&session.store, &inversion.entry, &changeset)?;
        }
        Ok((changeset, Snapshot::new()))
    };
    let batch = Batch {
        reason: options.reason.clone(),
        source: options.source.clone(),
        consent: options.consent.iter().cloned().collect(),
        ..Batch::default()
    };
    if options.dry_run {
        let (changeset, snapshot) = plan_inverse()?;
        ApprovalGate { session, batch: &batch, mode: CommitMode::DryRun }.require_consent(&changeset, &snapshot)?;
        let mut changed = super::change::dry_run_result(&changeset, &snapshot);
        changed.diff = Some(unified_diff(session, &changeset));
        super::change::note_no_operations(&mut changed);
        return Ok(with_inverted_revision(changed, changeset.inverts));
    }
    let (locked, warnings) = session.store.lock()?;
    let warnings = if unfiltered.is_some() { redact_warnings(&warnings) } else { warnings };
    let gate = ApprovalGate { session, batch: &batch, mode: CommitMode::Commit(&locked) };
    let mut inverts = None;
    let changed = commit_loop(session, &locked, &batch, warnings, || {
        let made = plan_inverse()?;
        inverts = made.0.inverts;
        gate.require_consent(&made.0, &made.1)?;
        Ok(made)
    })?;
    Ok(with_inverted_revision(changed, inverts))
}

/// How many of the newest revisions are searched for the one to undo or redo, before the whole journal is.
const SEARCHED_REVISIONS: [u64; 3] = [128, 1_024, 8_192];

/// Number of revisions, none of which undid or repeated another, after which [`SearchExtent::Recent`] ends.
const ENOUGH_REVISIONS: u64 = 1_024;

/// How far back the revision to undo or redo is searched for.
#[derive(Clone, Copy, PartialEq, Eq)]
enum SearchExtent {
    /// As far as the journal goes, if need be.
    Whole,
    /// Among the newest revisions, if nothing suggests that it is older: often there is none, and the whole journal
    /// would be read to say so.
    Recent,
}

/// What a search among the newest revisions found.
enum RecentInversion {
    Found(Box<RevisionInversion>),
    /// Nothing, from this revision on.
    NoneSince(u64),
    /// It may be an older one.
    Unknown,
}

/// The revision that is chosen among the newest ones. Whether a revision is in effect depends on later ones only.
fn recent_inversion(
    store: &Store,
    search: SearchExtent,
    choose_revision: impl Fn(&[JournalEntry]) -> Result<Option<RevisionInversion>, Rejection>,
) -> Result<RecentInversion, Rejection> {
    let unknown = RecentInversion::Unknown;
    let Some(newest) = store.recent_entries()?.last().map(|entry| entry.rev) else { return Ok(unknown) };
    for count in SEARCHED_REVISIONS {
        let start = newest.saturating_sub(count);
        let Some(entries) = store.entries_from(start)? else { return Ok(unknown) };
        let first = entries.first().map_or(0, |entry| entry.rev);
        let Some(chosen) = choose_revision(&entries)? else {
            let is_enough = search == SearchExtent::Recent && count >= ENOUGH_REVISIONS;
            // A journal that begins later than the search has no older revision that could be named.
            if is_enough && start > 1 && first <= start && entries.iter().all(|entry| entry.inverts.is_none()) {
                return Ok(RecentInversion::NoneSince(first));
            }
            continue;
        };
        // The one that was undone last may be older than all of these.
        let concerns_older = |entry: &JournalEntry| match entry.inverts {
            Some(InverseKind::Undo(rev) | InverseKind::Redo(rev)) => rev < first,
            None => false,
        };
        if matches!(chosen.inverts, InverseKind::Undo(_)) || !entries.iter().any(concerns_older) {
            return Ok(RecentInversion::Found(Box::new(chosen)));
        }
    }
    Ok(unknown)
}

/// The journal entries to search for the revision: itself and what later undid or repeated another, if it was found
/// that way. Only later entries can have undone it. That keeps the lock short.
fn entries_to_search(store: &Store, rev: Option<&str>) -> Result<Vec<JournalEntry>, Rejection> {
    if let Some(rev) = rev.and_then(|rev| rev.strip_prefix('r')?.parse::<u64>().ok()) {
        let recent = store.recent_entries()?;
        if recent.iter().any(|entry| entry.rev == rev) {
            return Ok(recent);
        }
        if let Some(history) = store.read_revision(rev)? {
            return Ok(history.entries());
        }
    }
    store.journal()
}

fn unified_diff(session: &Session, changeset: &Changeset) -> String {
    let text = |b: &[u8]| String::from_utf8_lossy(b).into_owned();
    let one = |f: &FileChange| {
        let now = session.store.read(&f.path).ok().flatten();
        let after = f.after.as_ref().map(|b| text(b));
        crate::view::diff::unified_diff(f.path.as_str(), now.map(|v| text(&v.bytes)).as_deref(), after.as_deref())
    };
    changeset.files.iter().map(one).collect()
}

/// The result with the revision that it undid or repeated, unless there was nothing to do.
fn with_inverted_revision(mut changed: ChangeResult, inverts: Option<InverseKind>) -> ChangeResult {
    match inverts.filter(|_| changed.changed) {
        Some(InverseKind::Undo(rev)) => changed.undone = Some(format!("r{rev}")),
        Some(InverseKind::Redo(rev)) => changed.redone = Some(format!("r{rev}")),
        None => {}
    }
    changed
}

/// Nothing to do, as far as the journal was searched: from a revision on, or all of it.
fn no_change(searched_from: Option<u64>) -> Changeset {
    let message = match searched_from {
        None => "there is nothing to undo or redo".to_owned(),
        Some(rev) => {
            format!("there is nothing to undo or redo since r{rev}; name an older revision, which `log` lists")
        }
    };
    let warning = Warning::new(Code::Note, message);
    Changeset { warnings: vec![warning], ..Changeset::default() }
}

/// Refuses to redo a revision that is in effect, unless an edit outside memdir took back some of it.
fn require_dropped_parts(store: &Store, entry: &JournalEntry, changeset: &Changeset) -> Result<(), Rejection> {
    let restores_text = |change: &FileChange| {
        let text = |bytes: Option<&Vec<u8>>| text_without_summary(bytes.map_or(&b""[..], Vec::as_slice));
        let now = store.read(&change.path).ok().flatten();
        text(now.as_ref().map(|version| &*version.bytes)) != text(change.after.as_deref())
    };
    if changeset.files.iter().any(restores_text) {
        Ok(())
    } else {
        Err(Rejection::new(Code::Exists, format!("r{} is not undone, so there is nothing to redo", entry.rev))
            .hint("`redo` without a revision redoes the one that was undone last")
            .try_command(SuggestedCommand::new("show", format!("r{}", entry.rev))))
    }
}

/// A text without its summary line, which follows from the rest.
fn text_without_summary(bytes: &[u8]) -> String {
    let text = String::from_utf8_lossy(bytes);
    text.split_inclusive('\n').filter(|line| !line.starts_with("> Summary:")).collect()
}

/// The change of one file; `None` if it already has the wanted text.
fn invert_file(
    sources: &InversionSources<'_>,
    inversion: &RevisionInversion,
    file: &EntryFile,
) -> Result<Option<FileChange>, Rejection> {
    let (from, to) = if inversion.is_undo {
        (RevisionSide::After, RevisionSide::Before)
    } else {
        (RevisionSide::Before, RevisionSide::After)
    };
    let now = sources.store.read(&file.path)?;
    let (base_etag, wanted_etag) =
        if inversion.is_undo { (file.after, file.before) } else { (file.before, file.after) };
    let etag = now.as_ref().map(|v| v.etag);
    if !inversion.is_undo
        && inversion.is_in_effect
        && etag.is_none()
        && let Some(last) = dropped_text::text_before_deletion(sources, &file.path)?
    {
        if let Some(error) = gone_file::rename_refusal(sources, inversion, &file.path) {
            return Err(error);
        }
        return Ok(Some(replace_file(&file.path, None, Some(last))));
    }
    if base_etag.is_some()
        && etag != base_etag
        && let Some(error) = gone_file::refusal(sources, inversion, file, etag.is_none())?
    {
        return Err(error);
    }
    if etag == wanted_etag && (inversion.is_undo || etag != base_etag) {
        return Ok(None);
    }
    if !inversion.is_undo && inversion.is_in_effect && wanted_etag.is_none() {
        if !dropped_text::came_back(sources, &file.path)? {
            return Ok(None);
        }
    } else if !inversion.is_undo && inversion.is_in_effect {
        let text = dropped_text::text_with_dropped_parts(sources, &inversion.entry, file, now.as_ref())?;
        let mode = now.as_ref().map_or(file.mode, |version| version.mode);
        let wanted = text.map(|text| FileVersion::new(text.into_bytes(), mode));
        return Ok(wanted.map(|wanted| replace_file(&file.path, now, Some(wanted))));
    }
    let wanted = sources.text(&file.path, to)?;
    if etag == base_etag {
        return Ok(Some(replace_file(&file.path, now, wanted)));
    }
    let base = sources.text(&file.path, from)?;
    merge_inverse(sources, &file.path, base, now, wanted, inversion.entry.rev)
}

/// The change of one file from its current to its wanted version. A file that exists keeps its permissions: no command
/// changes those, so they are its owner's decision.
pub(super) fn replace_file(path: &MemoryPath, now: Option<FileVersion>, wanted: Option<FileVersion>) -> FileChange {
    FileChange {
        path: path.clone(),
        mode: wanted.as_ref().filter(|_| now.is_none()).map(|wanted| wanted.mode),
        edits: journal_edits(now.as_ref(), wanted.as_ref()),
        after: wanted.map(|g| g.bytes),
        before: now,
        moved: None,
        summary: None,
    }
}

fn journal_edits(now: Option<&FileVersion>, wanted: Option<&FileVersion>) -> Option<Vec<JournalEdit>> {
    let text = |v: Option<&FileVersion>| v.and_then(|v| String::from_utf8(v.bytes.to_vec()).ok());
    let (now, goal) = (text(now)?, text(wanted)?);
    let s = minimal_splice(&now, &goal);
    Some(vec![JournalEdit { start: s.start, old: now[s.start..s.end].to_owned(), new: s.new }])
}

/// What helps where a file was changed in the same lines.
const CONFLICT_HINT: &str = "edit the file manually, or skip edited files with --keep-edited";

/// The error of a file that was changed since the revision so that both cannot be merged.
fn changed_since(path: &MemoryPath, rev: u64) -> Rejection {
    Rejection::new(Code::Conflict, format!("{path} was changed since r{rev} in the same lines"))
        .hint(CONFLICT_HINT)
        .detail("path", path.as_str())
}

/// Merges the inverse with later changes of the file; `None` if nothing of it is left to do, `conflict` if they overlap.
fn merge_inverse(
    sources: &InversionSources<'_>,
    path: &MemoryPath,
    base: Option<FileVersion>,
    now: Option<FileVersion>,
    wanted: Option<FileVersion>,
    rev: u64,
) -> Result<Option<FileChange>, Rejection> {
    let conflict = || changed_since(path, rev);
    let Some(now) = now else { return Err(conflict()) };
    let text = |v: &FileVersion| String::from_utf8(v.bytes.to_vec()).map_err(|_| conflict());
    let ours = text(&now)?;
    let base_text = base.as_ref().map(text).transpose()?.unwrap_or_default();
    let wanted_text = match (&wanted, &base) {
        (Some(goal), _) => text(goal)?,
        // The revision created the file and it was changed since: remove the revision's bullets, keep the file.
        (None, Some(_)) => without_bullets(&base_text).ok_or_else(conflict)?,
        (None, None) => return Err(conflict()),
    };
    let [base_document, now_document, wanted_document] =
        [&base_text, &ours, &wanted_text].map(|text| Document::parse(text.as_str()));
    let merged = merge::merge_file(path.as_str(), &base_text, &ours, &wanted_text, &merge::ConflictLabels::default())
        .into_clean_text()
        .map_err(|clashes| {
            let mut error = rejections::merge_conflict(path, &clashes);
            error.hint = Some(CONFLICT_HINT.into());
            error
        })?;
    if outside_edits::is_taken_out_already(&base_document, &now_document, &wanted_document) {
        return Ok(None);
    }
    let merged_document = Document::parse(merged.as_str());
    let lost = outside_edits::lost_bullet(&base_document, &now_document, &wanted_document, &merged_document);
    if let Some(bullet) = lost {
        let shown = changed_again::shown_bullet(&now_document, bullet);
        let reason =
            format!("{path} was changed since r{rev}, whose inverse would remove {shown}, which is not of r{rev}");
        return Err(Rejection { message: reason, ..conflict() });
    }
    let last = last_summary(sources.recent_entries()?, path);
    let line = update_summary(&now_document, &merged_document, file_kind(path), Some(last.as_deref()));
    // A line that the inverse took out stays out.
    let (merged, own_terms) = match Some(line).filter(|_| merged_document.summary_line().is_some()) {
        Some(SummaryUpdate::Write { splice: line, own_terms }) => {
            (splice(&merged, &[line]).map_err(|_| conflict())?, Some(own_terms))
        }
        _ => (merged, None),
    };
    let merged = FileVersion::new(merged.into_bytes(), now.mode);
    Ok(Some(FileChange { summary: own_terms, ..replace_file(path, Some(now), Some(merged)) }))
}

fn without_bullets(text: &str) -> Option<String> {
    let document = Document::parse(text);
    let top = (0..document.bullets().len()).filter(|&i| document.bullets()[i].depth == 0);
    let edits: Vec<DocumentEdit> = top.map(|bullet| DocumentEdit::Remove { bullet }).collect();
    apply_edits(&document, &edits).ok().map(|e| e.document.into_text())
}
