//! `compact episodes --by-week`: splits months into weeks, as one revision for each month.
//!
//! Calls no model.

use std::collections::BTreeMap;

use super::digests::wanted_paths;
use crate::change::Etag;
use crate::code::{Code, Rejection, Warning};
use crate::commands::change::{change, no_operations_warning};
use crate::commands::results::{ChangeOutcome, ChangeResult, WarningRow};
use crate::commands::{ChangeOptions, CommandResult, Error, Session};
use crate::document::{Document, Visibility};
use crate::operation::split_weeks::{SplitMonth, is_month, split_month};
use crate::operation::{Action, Batch, Operation, Target};
use crate::path::MemoryPath;

/// Splits each month that the address names.
///
/// # Errors
/// `category_not_allowed` for a caller that does not see everything; `usage` for an address outside `episodes/`;
/// `would_break_structure` for a week that cannot take an entry; errors of reading and committing.
pub fn split_into_weeks(session: &Session, address: &str, options: &ChangeOptions) -> CommandResult<ChangeResult> {
    // A split moves what it reads, so a caller with an allowlist must not do it.
    session.store.require_unfiltered()?;
    let is_wanted = wanted_paths(address)?;
    let mut months: Vec<MemoryPath> = session.store.walk(None)?.into_iter().map(|file| file.path).collect();
    months.retain(|path| is_month(path) && is_wanted(path));
    months.sort();
    let mut result = ChangeResult { dry_run: options.dry_run, ..ChangeResult::default() };
    if months.is_empty() {
        return Ok(result);
    }
    let mut texts = read_all(session)?;
    let mut revs: Vec<String> = Vec::new();
    for month in months {
        let Some(mut done) = split_one(session, &month, &texts, options)? else { continue };
        // With `-n` nothing was written: each month is split as if the others were not.
        for file in done.files.iter().filter(|_| !options.dry_run) {
            if let Ok(path) = MemoryPath::new(&file.path) {
                read_again(session, path, &mut texts)?;
            }
        }
        result.changed |= done.changed;
        done.files.iter_mut().for_each(|file| file.rev.clone_from(&done.rev));
        revs.extend(done.rev);
        result.files.extend(done.files);
        result.warnings.extend(done.warnings);
    }
    // One revision is that of the whole answer.
    if let [_] = revs[..] {
        result.rev = revs.pop();
        result.files.iter_mut().for_each(|file| file.rev = None);
    }
    result.warnings.extend(no_operations_warning(options.dry_run && result.changed));
    Ok(result)
}

/// The files of a memory, with the versions that were read.
type ReadVersions = BTreeMap<MemoryPath, (Etag, Document)>;

/// Reads all files that may link to a month.
fn read_all(session: &Session) -> Result<ReadVersions, Error> {
    let mut texts = ReadVersions::new();
    for file in session.store.walk(None)? {
        if !file.path.is_set_aside() {
            read_again(session, file.path, &mut texts)?;
        }
    }
    Ok(texts)
}

/// Reads one file, which may be gone; one that is not UTF-8 is left out.
fn read_again(session: &Session, path: MemoryPath, texts: &mut ReadVersions) -> Result<(), Error> {
    texts.remove(&path);
    if let Some(version) = session.store.read(&path)?
        && let Ok(document) = Document::from_bytes(version.bytes.to_vec())
    {
        texts.insert(path, (version.etag, document));
    }
    Ok(())
}

/// Splits one month; `None` if it has no entry to move.
fn split_one(
    session: &Session,
    month: &MemoryPath,
    texts: &ReadVersions,
    options: &ChangeOptions,
) -> Result<Option<ChangeResult>, Error> {
    let Some((_, document)) = texts.get(month) else { return Ok(None) };
    if document.conflict_marker_line().is_some() {
        let message = format!("{month} has conflict markers");
        return Err(Rejection::new(Code::ConflictMarkers, message).hint("use memdir resolve").into());
    }
    let others =
        texts.iter().filter(|(path, _)| *path != month).map(|(path, (_, document))| (path, document)).collect();
    let SplitMonth { files, moved, undated } =
        split_month(month, document, &others, &Visibility::of_agents(&session.policy.policy))
            .map_err(|error| Rejection::new(Code::WouldBreakStructure, format!("{month} cannot be split: {error}")))?;
    if moved == 0 {
        return Ok(None);
    }
    let operations = files.into_iter().map(|(path, text)| {
        let at = Target::Address(path.to_string());
        let action = match text {
            Some(text) => Action::Write { at, text, create: true },
            None => Action::remove(at),
        };
        let if_match = texts.get(&path).map(|(etag, _)| etag.hex());
        Operation { if_match, source: options.source.clone(), ..action.into() }
    });
    let batch = Batch {
        operations: operations.collect(),
        reason: options.reason.clone().or_else(|| Some(format!("weeks of {month}"))),
        ..Batch::default()
    };
    let ChangeOutcome::Changed(mut done) = change(session, batch, options)? else { return Ok(None) };
    if undated > 0 {
        let message = match undated {
            1 => format!("1 entry without a day stays in {month}"),
            n => format!("{n} entries without a day stay in {month}"),
        };
        done.warnings.push(WarningRow::from(&Warning::new(Code::Note, message)));
    }
    Ok(Some(done))
}
