//! The command `import`: memories of other programs, as one change of this one.
//!
//! Never writes what the planner does not allow, and never overwrites: a file that exists only gets what it lacks.

use std::path::PathBuf;

use schemars::JsonSchema;
use serde::Serialize;

use super::history_import::{find_history, import_history};
use super::memory_tool::MAX_TRIES;
use super::results::{ChangeOutcome, ChangeResult};
use super::{ChangeOptions, CommandResult, Error, Session};
use crate::code::{Code, Rejection};
use crate::document::Document;
use crate::host::import_source::read_source;
use crate::operation::import::compose::compose;
use crate::operation::import::target_path::target_paths;
use crate::operation::import::{ImportKind, ImportRemark, ImportedNote, SourceFile};
use crate::operation::{Action, Batch, Operation, Target};
use crate::path::MemoryPath;

/// The longest name of the folder for imported files, in bytes: their own names must fit below it.
const MAX_FOLDER_BYTES: usize = 200;

/// What `import` reads, and where it goes.
#[derive(Clone, Debug, Default)]
pub struct ImportOptions {
    /// A file, a folder or a zip archive.
    pub source: PathBuf,
    /// The name of the kind; with `None`, it is detected from the content.
    pub from: Option<String>,
    /// The folder for new files; with `None`, `facts`, or for an export of memdir the folder that each file had.
    pub folder: Option<String>,
}

/// The result of `import`.
#[derive(Clone, Debug, Default, Serialize, JsonSchema)]
#[non_exhaustive]
pub struct ImportResult {
    /// The fields of a change (`changed`, `rev`, `files`, …), beside the others of this object.
    #[serde(flatten)]
    pub change: ChangeResult,
    /// The kind of the source; `history` for what `log --all -p --json` printed.
    pub from: &'static str,
    /// The number of items added; of a history, revisions.
    pub added: usize,
    /// The number of items or revisions that were there already.
    pub present: usize,
    /// The items that are not imported, each with the reason.
    pub skipped: Vec<ImportRow>,
    /// The items that are imported in another form, each with what is different.
    pub altered: Vec<ImportRow>,
}

/// An item of the source.
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[non_exhaustive]
pub struct ImportRow {
    /// Its position in the source.
    pub item: String,
    /// Why it is not kept, or what is different.
    pub reason: String,
}

/// Imports a source as one revision.
///
/// # Errors
/// `file_not_found`, `io`, `too_large` and `unsafe_file` of the source; `usage` for a kind that is unknown or cannot be
/// determined, and for a source with nothing to import; those of a change.
pub fn import(session: &Session, options: &ImportOptions, change: &ChangeOptions) -> CommandResult<ImportResult> {
    let folder = check_folder(options.folder.as_deref().unwrap_or("facts"))?;
    let source = read_source(&options.source, session.governing_dir())?;
    let mut files: Vec<SourceFile> = source.files.into_iter().map(|(name, bytes)| SourceFile { name, bytes }).collect();
    let mended = mend_surrogates(&mut files);
    let named = match files.as_slice() {
        [file] if source.left_out.is_empty() && !options.source.is_dir() => Some(file.name.clone()),
        _ => None,
    };
    if options.from.as_deref().is_none_or(|from| from == ImportKind::Memdir.name())
        && let Some(history) = find_history(&files)?
    {
        return import_history(session, &history, change);
    }
    let kind = match options.from.as_deref() {
        Some(name) => named_kind(name)?,
        None => ImportKind::detect(&files).map_err(|unknown| {
            let problem = files.first().filter(|_| named.is_some()).and_then(SourceFile::problem);
            match problem {
                Some(reason) => Rejection { message: unreadable(&files[0].name, &reason).message, ..unknown },
                None => unknown,
            }
        })?,
    };
    let mut read = kind.read(&files);
    drop(files);
    if let (Some(name), [], [only]) = (&named, read.notes.as_slice(), read.remarks.as_slice())
        && only.is_skipped
        && only.item == *name
    {
        return Err(unreadable(name, &only.reason).into());
    }
    read.remarks.extend(mended);
    let left_out = source.left_out.into_iter();
    read.remarks.extend(left_out.map(|(item, reason)| ImportRemark {
        item,
        reason: reason.to_owned(),
        is_skipped: true,
    }));
    if options.folder.is_some() {
        read.notes.iter_mut().for_each(|note| note.move_below(&folder));
    }
    let (targets, remarks) = assign_paths(session, read.notes, &folder)?;
    read.remarks.extend(remarks);
    let mut tries = 1;
    loop {
        let (operations, mut result) = plan_import(session, &targets, &read.remarks)?;
        result.from = kind.name();
        if operations.is_empty() {
            result.change.dry_run = change.dry_run;
            return Ok(result);
        }
        let reason = change.reason.clone().or_else(|| Some(format!("import from {}", kind.name())));
        match super::change(session, Batch { operations, reason, ..Batch::default() }, change) {
            Ok(ChangeOutcome::Changed(change)) => return Ok(ImportResult { change, ..result }),
            // A batch without a request id repeats nothing.
            Ok(ChangeOutcome::Repeated(_)) => return Ok(result),
            // Another writer changed a file, or created the one of this name.
            Err(error) if matches!(error.code(), Code::Conflict | Code::NeedsProof) && tries < MAX_TRIES => tries += 1,
            Err(error) => return Err(without_proof_hint(error)),
        }
    }
}

/// The error without the advice to prove that the file was read: `import` has no such options, and runs again.
fn without_proof_hint(mut error: Error) -> Error {
    for rejection in error.rejections.iter_mut().filter(|rejection| rejection.code == Code::NeedsProof) {
        rejection.hint = Some("another program wrote the file meanwhile; import again".into());
        rejection.suggestions.clear();
    }
    error
}

/// Halves of characters in JSON become U+FFFD, each file with a remark.
fn mend_surrogates(files: &mut [SourceFile]) -> Vec<ImportRemark> {
    let remark = |file: &mut SourceFile| match file.mend_surrogates() {
        0 => None,
        count => Some(ImportRemark {
            item: file.name.clone(),
            reason: format!("{count} halves of characters (lone surrogates) are read as U+FFFD"),
            is_skipped: false,
        }),
    };
    files.iter_mut().filter_map(remark).collect()
}

/// The error for the only file of a source.
fn unreadable(name: &str, reason: &str) -> Rejection {
    Rejection::new(Code::Usage, format!("nothing is imported from {name}: {reason}"))
}

fn named_kind(name: &str) -> Result<ImportKind, Rejection> {
    ImportKind::ALL.into_iter().find(|kind| kind.name() == name).ok_or_else(|| {
        let names: Vec<&str> = ImportKind::ALL.iter().map(|kind| kind.name()).collect();
        Rejection::new(Code::Usage, format!("'{name}' is no kind of memory"))
            .hint(format!("one of {}", names.join(", ")))
    })
}

fn check_folder(folder: &str) -> Result<String, Rejection> {
    let folder = folder.trim_end_matches('/');
    let path = MemoryPath::new(&format!("{folder}/x.md")).map_err(|error| {
        Rejection::new(Code::InvalidPath, format!("files cannot be imported into '{folder}'"))
            .hint("--in takes the name of a folder of the memory, such as facts or notes/work")
            .detail("reason", error.message)
    })?;
    match path.new_name_problem() {
        Some(reason) => Err(Rejection::new(Code::InvalidPath, format!("files cannot be made in '{folder}': {reason}"))),
        None if folder.len() > MAX_FOLDER_BYTES || is_reserved(&path) => {
            Err(Rejection::new(Code::InvalidPath, format!("files cannot be imported into '{folder}'")))
        }
        None => Ok(folder.to_owned()),
    }
}

fn is_reserved(path: &MemoryPath) -> bool {
    path.is_set_aside()
}

/// A note with the path of its file, and remarks about the paths.
type AssignedNotes = (Vec<(MemoryPath, ImportedNote)>, Vec<ImportRemark>);

fn assign_paths(session: &Session, notes: Vec<ImportedNote>, folder: &str) -> Result<AssignedNotes, Rejection> {
    let present: Vec<MemoryPath> = session.store.walk(None)?.into_iter().map(|found| found.path).collect();
    let read = |path: &MemoryPath| {
        let version = session.store.read(path).ok().flatten()?;
        Document::from_bytes(version.bytes.to_vec()).ok()
    };
    let paths = target_paths(&notes, folder, &present, &read);
    let (mut targets, mut remarks) = (Vec::new(), Vec::new());
    for (note, (path, is_changed)) in notes.into_iter().zip(paths) {
        let remark = |reason, is_skipped| ImportRemark { item: note.name.clone(), reason, is_skipped };
        if is_reserved(&path) {
            remarks.push(remark(format!("files in {} are not imported", path.parent()), true));
            continue;
        }
        if is_changed {
            remarks.push(remark(format!("written as {path}"), false));
        }
        targets.push((path, note));
    }
    Ok((targets, remarks))
}

/// The operations that write what the memory lacks now.
fn plan_import(
    session: &Session,
    targets: &[(MemoryPath, ImportedNote)],
    remarks: &[ImportRemark],
) -> Result<(Vec<Operation>, ImportResult), Error> {
    session.progress.begin_files("importing", targets.len());
    let (mut operations, mut result, mut remarks) = (Vec::new(), ImportResult::default(), remarks.to_vec());
    for (path, note) in targets {
        session.progress.check()?;
        let version = session.store.read(path)?;
        let existing = match &version {
            Some(version) => Some(Document::from_bytes(version.bytes.to_vec()).map_err(|_| {
                Rejection::new(Code::NotText, format!("{path} is not UTF-8 text")).detail("path", path.as_str())
            })?),
            None => None,
        };
        let composed = compose(note, existing)?;
        result.added += composed.added;
        result.present += composed.present;
        remarks.extend(composed.remarks);
        if let Some(text) = composed.text {
            let action = Action::Write { at: Target::File(path.to_string()), text, create: true };
            let if_match = version.map(|version| version.etag.hex());
            operations.push(Operation { if_match, ..action.into() });
        }
        session.progress.finish_file();
    }
    session.progress.begin("writing");
    for ImportRemark { item, reason, is_skipped } in remarks {
        let list = if is_skipped { &mut result.skipped } else { &mut result.altered };
        list.push(ImportRow { item, reason });
    }
    Ok((operations, result))
}
