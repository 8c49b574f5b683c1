//! Reads back what `log --all -p --json` printed: every revision again, with its time, its actor and its texts.
//!
//! Never adds to a memory that has other content, and writes nothing before all texts fit.

use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;

use serde_json::Value;

use super::history_export::{ExportedHistory, ExportedRevision, HISTORY_VERSION};
use super::import::{ImportResult, ImportRow};
use super::results::WarningRow;
use super::secrets_check::each_text;
use super::{ChangeOptions, CommandResult, Error, Session};
use crate::change::{Changeset, EntryHeader, EntryOutcome, Etag, FileChange, FileVersion, InverseKind, JournalEdit};
use crate::code::{Code, Rejection};
use crate::document::MAX_FILE_BYTES;
use crate::operation::import::SourceFile;
use crate::path::MemoryPath;
use crate::policy::SecretRule;
use crate::store::{CommitStopped, LockedStore};
use crate::text::secrets::{blank_pins, find_secrets};

/// What `import` answers for the kind of such a source.
pub const HISTORY_KIND: &str = "history";

/// A revision to be made again.
struct ReplayedRevision<'a> {
    exported: &'a ExportedRevision,
    files: Vec<ReplayedFile>,
}

/// One file after a revision.
struct ReplayedFile {
    path: MemoryPath,
    moved: Option<MemoryPath>,
    text: Option<Arc<Vec<u8>>>,
    edits: Option<Vec<JournalEdit>>,
}

/// The history in the source, if it is one: alone, or in the answer of `log --json`.
///
/// # Errors
/// `usage` for a history that cannot be read.
pub fn find_history(files: &[SourceFile]) -> Result<Option<ExportedHistory>, Rejection> {
    let [file] = files else { return Ok(None) };
    let Some(Value::Object(mut object)) = file.json() else { return Ok(None) };
    let history = match object.remove("history") {
        Some(history) => history,
        None if object.contains_key("memdir_history") => Value::Object(object),
        None => return Ok(None),
    };
    let invalid =
        |reason: String| Rejection::new(Code::Usage, format!("{}: its history cannot be read: {reason}", file.name));
    let history: ExportedHistory = serde_json::from_value(history).map_err(|e| invalid(e.to_string()))?;
    match history.memdir_history {
        HISTORY_VERSION => Ok(Some(history)),
        other => Err(invalid(format!("it has version {other}, and this program knows {HISTORY_VERSION}"))),
    }
}

/// Makes every revision of a history again, in a memory that has none. One that was interrupted goes on where it ended.
///
/// # Errors
/// `consent` for an agent; `exists` for a memory with other content; `usage` for a history whose texts do not fit;
/// `secret`, and those of the store.
pub fn import_history(
    session: &Session,
    history: &ExportedHistory,
    options: &ChangeOptions,
) -> CommandResult<ImportResult> {
    if session.is_agent {
        let message = format!("{} is an agent, and only a person can import a history", session.actor);
        return Err(Rejection::new(Code::Consent, message)
            .hint("a person runs this command without --as and MEMDIR_AS")
            .into());
    }
    session.store.require_unfiltered()?;
    let (revisions, dropped) = replay(history)?;
    if session.policy.policy.secrets == SecretRule::Refuse {
        refuse_secrets(&revisions)?;
    }
    let (locked, warnings) = session.store.lock()?;
    let done = made_revisions(session, &revisions)?;
    let (present, added) = (done.len(), revisions.len() - done.len());
    let mut result = ImportResult { from: HISTORY_KIND, present, added, ..ImportResult::default() };
    result.skipped = dropped;
    result.change.dry_run = options.dry_run;
    result.change.warnings = warnings.iter().map(WarningRow::from).collect();
    if options.dry_run || added == 0 {
        return Ok(result);
    }
    // An undo names the revision that it inverts by its new number.
    let old_numbers = revisions.iter().map(|revision| revision.exported.rev);
    let mut numbers: HashMap<u64, u64> = old_numbers.zip(done).filter_map(|(old, new)| Some((old?, new))).collect();
    for revision in &revisions[present..] {
        let rev = commit(session, &locked, revision, &numbers)?;
        numbers.extend(revision.exported.rev.map(|old| (old, rev)));
        result.change.rev = Some(format!("r{rev}"));
        result.change.changed = true;
    }
    Ok(result)
}

/// The files after each revision that has some, all from the source alone; and the revisions that have none, because
/// their texts were forgotten.
fn replay(history: &ExportedHistory) -> Result<(Vec<ReplayedRevision<'_>>, Vec<ImportRow>), Rejection> {
    let mut texts: BTreeMap<MemoryPath, Arc<Vec<u8>>> = BTreeMap::new();
    let (mut revisions, mut dropped) = (Vec::new(), Vec::new());
    for (at, exported) in history.revisions.iter().enumerate() {
        let name = exported.rev.map_or_else(|| format!("change {}", at + 1), |rev| format!("r{rev}"));
        let invalid = |path: &str, reason: &str| {
            Rejection::new(Code::Usage, format!("the history does not fit together: {name}, '{path}': {reason}"))
                .hint("print it again: memdir log --all -p --json")
        };
        let mut files: Vec<ReplayedFile> = Vec::new();
        for file in &exported.files {
            let path = MemoryPath::new(&file.path)?;
            if let Some(reason) = path.odd() {
                return Err(invalid(&file.path, reason));
            }
            if files.iter().any(|other| other.path == path) {
                return Err(invalid(&file.path, "the revision lists the file twice"));
            }
            let before = texts.get(&path).cloned();
            let before_text = before.as_ref().and_then(|bytes| std::str::from_utf8(bytes).ok());
            let text = file.text_after(before_text).map_err(|error| invalid(&file.path, error))?;
            if text.as_ref().is_some_and(|text| text.len() > MAX_FILE_BYTES) {
                return Err(invalid(&file.path, "it is too large"));
            }
            let text = text.map(|text| Arc::new(text.into_bytes()));
            match &text {
                Some(text) => drop(texts.insert(path.clone(), text.clone())),
                None => drop(texts.remove(&path)),
            }
            if before != text {
                let edit = |(start, old, new): &(usize, String, String)| JournalEdit {
                    start: *start,
                    old: old.clone(),
                    new: new.clone(),
                };
                let edits = before.is_some() && text.is_some() && file.text.is_none();
                let edits = edits.then(|| file.edits.iter().map(edit).collect());
                let moved = file.moved.as_deref().and_then(|other| MemoryPath::new(other).ok());
                files.push(ReplayedFile { path, moved, text, edits });
            }
        }
        // The two files of a move name each other.
        let paths: Vec<(MemoryPath, Option<MemoryPath>)> =
            files.iter().map(|file| (file.path.clone(), file.moved.clone())).collect();
        for file in &mut files {
            let other = file.moved.take();
            file.moved = other.filter(|other| paths.contains(&(other.clone(), Some(file.path.clone()))));
        }
        if files.is_empty() {
            dropped.push(ImportRow { item: name, reason: "nothing is left of what it changed".to_owned() })
        } else {
            revisions.push(ReplayedRevision { exported, files })
        }
    }
    Ok((revisions, dropped))
}

fn refuse_secrets(revisions: &[ReplayedRevision<'_>]) -> Result<(), Rejection> {
    let texts = revisions.iter().flat_map(|revision| &revision.files).filter_map(|file| file.text.as_ref());
    let mut kinds: Vec<&'static str> = Vec::new();
    let mut search = |text: &str| kinds.extend(find_secrets(&blank_pins(text)).into_iter().map(|found| found.kind));
    texts.filter_map(|text| std::str::from_utf8(text).ok()).for_each(&mut search);
    for exported in revisions.iter().map(|revision| revision.exported) {
        [&exported.reason, &exported.source, &exported.consent].into_iter().flatten().for_each(|text| search(text));
        exported.operations.iter().for_each(|operation| each_text(operation, &mut search));
    }
    kinds.sort_unstable();
    kinds.dedup();
    if kinds.is_empty() {
        Ok(())
    } else {
        Err(Rejection::new(Code::Secret, format!("the history has plain text secrets: {}", kinds.join(", ")))
            .hint("rm --forget erases one from a memory and its history")
            .detail("kinds", kinds))
    }
}

/// The numbers of the revisions that the memory has already: none, or those of an import that was interrupted.
fn made_revisions(session: &Session, revisions: &[ReplayedRevision<'_>]) -> Result<Vec<u64>, Rejection> {
    let journal = session.store.journal()?;
    let done: Vec<_> = journal.iter().filter(|entry| entry.outcome == EntryOutcome::Done).collect();
    let mut texts: BTreeMap<&MemoryPath, Etag> = BTreeMap::new();
    let mut is_same = done.len() <= revisions.len();
    for (entry, revision) in done.iter().zip(revisions) {
        let exported = revision.exported;
        is_same &= entry.header.at == exported.at
            && entry.header.actor == exported.actor
            && entry.operations == exported.operations;
        for file in &revision.files {
            match &file.text {
                Some(text) => drop(texts.insert(&file.path, Etag::of(text))),
                None => drop(texts.remove(&file.path)),
            }
        }
    }
    let mut files = session.store.walk(None)?;
    is_same &= files.len() == texts.len();
    while is_same && let Some(file) = files.pop() {
        is_same = session.store.read(&file.path)?.map(|version| version.etag) == texts.get(&file.path).copied();
    }
    if is_same {
        Ok(done.iter().map(|entry| entry.rev).collect())
    } else {
        Err(Rejection::new(Code::Exists, "this memory has content that is not of this history")
            .hint("import it into an empty memory: memdir init DIR"))
    }
}

fn commit(
    session: &Session,
    locked: &LockedStore<'_>,
    revision: &ReplayedRevision<'_>,
    numbers: &HashMap<u64, u64>,
) -> Result<u64, Error> {
    let exported = revision.exported;
    let mut files = Vec::new();
    for file in &revision.files {
        let before: Option<FileVersion> = session.store.read(&file.path)?;
        let edits = file.edits.clone().filter(|_| before.is_some());
        let (path, moved) = (file.path.clone(), file.moved.clone());
        files.push(FileChange { path, before, after: file.text.clone(), mode: None, edits, moved, summary: None });
    }
    let number = |old: Option<u64>| old.and_then(|old| numbers.get(&old).copied());
    let undo = number(exported.undoes).map(InverseKind::Undo);
    let changeset = Changeset {
        files,
        operations: exported.operations.clone(),
        inverts: undo.or_else(|| number(exported.redoes).map(InverseKind::Redo)),
        ..Changeset::default()
    };
    let header = EntryHeader {
        at: exported.at.clone(),
        actor: exported.actor.clone(),
        reason: exported.reason.clone(),
        source: exported.source.clone(),
        consent: exported.consent.clone(),
        request: None,
        request_digest: None,
    };
    match locked.commit(&changeset, &header, None) {
        Ok(committed) => Ok(committed.rev),
        Err(CommitStopped::Rejected(rejection)) => Err(rejection.into()),
        Err(CommitStopped::BaseChanged(_)) => {
            let message = "another program changed the memory during the import";
            Err(Rejection::new(Code::Conflict, message).hint("import the history into an empty memory").into())
        }
    }
}
