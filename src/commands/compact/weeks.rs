//! `compact episodes --by-week`: splits months into weeks, as one revision for each month.
//!
//! Calls no model.

use std::collections::BTreeMap;

use super::digests::wanted_paths;
use crate::change::Etag;
use crate::code::{Code, Rejection, Warning};
use crate::commands::answer::{ChangeOutcome, ChangeResult};
use crate::commands::change::{change, warning_row};
use crate::commands::fetch::is_archived_or_proposed;
use crate::commands::{ChangeOptions, CommandResult, Error, Session};
use crate::document::Document;
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
    for month in months {
        let Some(done) = split_one(session, &month, options)? else { continue };
        result.changed |= done.changed;
        result.rev = done.rev.or(result.rev);
        result.files.extend(done.files);
        result.warnings.extend(done.warnings);
    }
    Ok(result)
}

/// Splits one month on the present texts of all files; `None` if it has no entry to move.
fn split_one(session: &Session, month: &MemoryPath, options: &ChangeOptions) -> Result<Option<ChangeResult>, Error> {
    let mut etags: BTreeMap<MemoryPath, Etag> = BTreeMap::new();
    let mut documents: BTreeMap<MemoryPath, Document> = BTreeMap::new();
    for file in session.store.walk(None)? {
        if is_archived_or_proposed(&file.path) {
            continue;
        }
        if let Some(version) = session.store.read(&file.path)?
            && let Ok(document) = Document::from_bytes(version.bytes.to_vec())
        {
            etags.insert(file.path.clone(), version.etag);
            documents.insert(file.path, document);
        }
    }
    let Some(document) = documents.remove(month) else { return Ok(None) };
    if document.conflict_marker_line().is_some() {
        let message = format!("{month} has conflict markers");
        return Err(Rejection::new(Code::ConflictMarkers, message).hint("use memdir resolve").into());
    }
    let SplitMonth { files, moved, undated } = split_month(month, &document, &documents)
        .map_err(|why| Rejection::new(Code::WouldBreakStructure, format!("{month} cannot be split: {why}")))?;
    if moved == 0 {
        return Ok(None);
    }
    let operations = files.into_iter().map(|(path, text)| {
        let at = Target::Address(path.to_string());
        let action = match text {
            Some(text) => Action::Write { at, text, create: true },
            None => Action::Remove {
                at,
                index: None,
                text: None,
                archive: false,
                purge: None,
                forget: false,
                if_exists: false,
            },
        };
        let if_match = etags.get(&path).map(Etag::hex);
        Operation { action, seen: None, if_match, reason: None, source: options.source.clone() }
    });
    let batch = Batch {
        operations: operations.collect(),
        reason: options.reason.clone().or_else(|| Some(format!("weeks of {month}"))),
        ..Batch::default()
    };
    let ChangeOutcome::Changed(mut done) = change(session, batch, options)? else { return Ok(None) };
    if undated > 0 {
        let message = format!("{undated} without a day stay in {month}");
        done.warnings.push(warning_row(&Warning::new(Code::Note, message)));
    }
    Ok(Some(done))
}
