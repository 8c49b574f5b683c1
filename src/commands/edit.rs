//! `edit`: opens a copy of a file in the caller's editor, without holding the lock, and writes it back as a `write`
//! operation.
//!
//! Never loses the edited text: on any error a copy in which something was written is kept, and the error names its
//! path.

use std::path::Path;

use super::allowlist_filter::allowlist_rejection;
use super::{ChangeOptions, CommandResult, Error, Session, change, moved_file, read};
use crate::change::Etag;
use crate::code::{Code, Rejection, SuggestedCommand};
use crate::commands::results::{ChangeOutcome, ChangeResult, WarningRow};
use crate::document::Document;
use crate::host::editor::EditorCopy;
use crate::operation::whole_file::{marked_copy, merge_edited_copy};
use crate::operation::{Action, Batch, Operation, Target};
use crate::path::MemoryPath;

/// Edits a file. `resume` continues with a copy that an earlier error kept.
///
/// # Errors
/// Any error of `read` and `change`; a copy in which something was written is kept.
pub fn edit(
    session: &Session,
    file: &str,
    resume: Option<&Path>,
    options: &ChangeOptions,
) -> CommandResult<ChangeOutcome> {
    session.require_own_scope(file)?;
    let (path, text, exists) = current_text(session, file)?;
    if session.store.has_redacted() {
        // Writing the file back would delete the parts that the allowlist hides.
        return Err(allowlist_rejection().into());
    }
    let name = path.rsplit('/').next().unwrap_or("memory.md");
    let copy = match resume {
        Some(kept) => mark_conflict(EditorCopy::reopen(kept)?, &text, exists)?,
        None => EditorCopy::create(name, &text)?,
    };
    let after = match copy.edit() {
        Ok(after) => after,
        Err(rejection) if copy.is_unchanged() => {
            copy.remove();
            return Err(rejection.into());
        }
        Err(rejection) => return Err(with_kept_copy(session, rejection.into(), file, copy.path())),
    };
    let base = copy.original_text().map(str::to_owned);
    if after == text || base.as_ref() == Some(&after) {
        copy.remove();
        return Ok(ChangeOutcome::Changed(ChangeResult::default()));
    }
    let opened = base.unwrap_or(text);
    // A file that is gone and was not moved is made again: the error that kept the copy said that it is gone.
    let is_made_again = resume.is_some() && !exists && new_path(session, file).is_none();
    let if_match = (exists || !opened.is_empty() && !is_made_again).then(|| Etag::of(opened.as_bytes()).hex());
    match save_or_merge(session, file, &opened, after, if_match, options) {
        Ok(outcome) => {
            if options.dry_run {
                return Ok(outcome);
            }
            copy.remove();
            Ok(outcome)
        }
        Err(error) => Err(with_kept_copy(session, error, file, copy.path())),
    }
}

/// A kept copy as it is edited on: if the file was changed in the same places since, both texts of each are in it, in
/// conflict markers, and it is a copy of the present file.
fn mark_conflict(copy: EditorCopy, now: &str, exists: bool) -> Result<EditorCopy, Rejection> {
    let opened = copy.original_text().filter(|opened| exists && *opened != now);
    let Some(opened) = opened else { return Ok(copy) };
    let edited = copy.text()?;
    let has_markers = Document::parse(edited.as_str()).conflict_marker_line().is_some();
    match marked_copy(opened, now, &edited).filter(|_| !has_markers) {
        Some(marked) => copy.rebase(&marked, now),
        None => Ok(copy),
    }
}

/// Opens the editor on a new text and makes the change that `to_batch` builds from it; without text, none.
///
/// # Errors
/// `empty_input` if nothing was written, and any error of `to_batch` and `change`; the text is then kept.
pub fn compose(
    session: &Session,
    template: &str,
    to_batch: impl FnOnce(String) -> Result<Batch, Rejection>,
    options: &ChangeOptions,
) -> CommandResult<ChangeOutcome> {
    session.may_write()?;
    let copy = EditorCopy::create("append.md", template)?;
    let text = match copy.edit() {
        Ok(text) => text,
        Err(rejection) if copy.is_unchanged() => {
            copy.remove();
            return Err(rejection.into());
        }
        Err(rejection) => return Err(keep_copy(rejection.into(), copy.path())),
    };
    if text.trim() == template.trim() {
        copy.remove();
        return Err(Rejection::new(Code::EmptyInput, "nothing was written in the editor").into());
    }
    let changed = to_batch(text).map_err(Error::from).and_then(|batch| change(session, batch, options));
    match changed {
        Ok(outcome) => {
            if !options.dry_run {
                copy.remove();
            }
            Ok(outcome)
        }
        Err(error) => Err(keep_copy(error, copy.path())),
    }
}

/// The largest number of merges when the file keeps changing while it is written back.
const MAX_MERGES: usize = 5;

/// Writes the edited text. If the file was changed since it was opened, merges both changes; on a conflict writes
/// nothing.
fn save_or_merge(
    session: &Session,
    file: &str,
    opened: &str,
    after: String,
    mut etag: Option<String>,
    options: &ChangeOptions,
) -> CommandResult<ChangeOutcome> {
    let (mut text, mut merge_warning) = (after.clone(), None);
    let mut rounds = 0;
    loop {
        let action = Action::Write { at: Target::Address(file.to_owned()), text: text.clone(), create: options.create };
        let operation = Operation { if_match: etag.clone(), ..action.into() };
        let error = match change(session, Batch { operations: vec![operation], ..Batch::default() }, options) {
            Ok(ChangeOutcome::Changed(mut changed)) => {
                changed.warnings.extend(merge_warning);
                return Ok(ChangeOutcome::Changed(changed));
            }
            Ok(outcome) => return Ok(outcome),
            Err(error) => error,
        };
        let moved_on = etag.is_some() && error.rejections.first().is_some_and(|r| r.code == Code::Conflict);
        if !moved_on || rounds == MAX_MERGES {
            return Err(error);
        }
        let Ok((path, now, true)) = current_text(session, file) else { return Err(error) };
        rounds += 1;
        let (merged_text, warning) = merge_edited_copy(&MemoryPath::new(&path)?, opened, &now, &after)?;
        (text, merge_warning) = (merged_text, warning.as_ref().map(WarningRow::from));
        etag = Some(Etag::of(now.as_bytes()).hex());
    }
}

/// The file's path and text, and whether it exists; the text of a new file is empty.
fn current_text(session: &Session, file: &str) -> Result<(String, String, bool), Error> {
    match read(session, file) {
        Ok(text) if text.section.is_none() && text.handle.is_none() => Ok((text.path, text.text, true)),
        Ok(_) => Err(Rejection::new(Code::Usage, "edit takes a file, not a section or bullet").into()),
        Err(error) if is_missing(&error) && !file.contains(['#', '@']) => {
            check_new_name(&error.rejections[0])?;
            Ok((format!("{}.md", file.trim_end_matches(".md")), String::new(), false))
        }
        Err(error) => Err(error),
    }
}

fn is_missing(error: &Error) -> bool {
    error.rejections.first().is_some_and(|rejection| rejection.code == Code::FileNotFound)
}

/// Refuses a name that is not valid for a new file, before the editor is opened.
fn check_new_name(missing: &Rejection) -> Result<(), Rejection> {
    let path = missing.details.get("path").and_then(serde_json::Value::as_str);
    match path
        .and_then(|p| MemoryPath::from_disk_name(p).ok())
        .and_then(|p| p.new_name_problem().map(|reason| (p, reason)))
    {
        Some((path, reason)) => {
            Err(Rejection::new(Code::InvalidPath, format!("{path} is not a valid name for a new file: {reason}")))
        }
        None => Ok(()),
    }
}

/// The revision that moved a file which is gone, and its new path.
fn new_path(session: &Session, file: &str) -> Option<(u64, MemoryPath)> {
    let missing = read(session, file).err()?;
    moved_file::moved_to(session, missing.rejections.first()?)
}

/// Adds to an error the path of the copy and the command to continue with it, which names the file's new path if it
/// was moved.
fn with_kept_copy(session: &Session, error: Error, file: &str, copy: &Path) -> Error {
    let mut error = error;
    let moved = new_path(session, file);
    if let (Some((rev, to)), Some(first)) = (&moved, error.rejections.first_mut()) {
        first.hint = Some(format!("r{rev} moved it to {to}"));
    } else if let Some(first) = error.rejections.first_mut().filter(|first| first.details.contains_key("clashes")) {
        first.hint = Some("`edit --resume` marks the places in it, with both texts".to_owned());
    }
    let mut error = keep_copy(error, copy);
    if let Some(first) = error.rejections.first_mut() {
        let file = moved.map_or_else(|| file.to_owned(), |(_, to)| to.to_string());
        let operands = vec![copy.to_string_lossy().into_owned(), file];
        first.suggestions.push(SuggestedCommand { subcommand: vec!["edit", "--resume"], operands });
    }
    error
}

/// Adds to an error the path of the copy.
fn keep_copy(mut error: Error, copy: &Path) -> Error {
    if let Some(first) = error.rejections.first_mut() {
        let path = copy.to_string_lossy().into_owned();
        let notice = format!("your text is kept in {path}");
        first.hint = Some(match first.hint.take() {
            Some(hint) => format!("{hint}; {notice}"),
            None => notice,
        });
        first.details.insert("kept".into(), path.into());
    }
    error
}
