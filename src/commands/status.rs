//! `status`: the current state of a memory, with everything that needs attention.
//!
//! Never reads every file: only those that the journal or the policy gives a reason for.

use super::answer::{DroppedBullet, ModelUsage, StatusReport};
use super::budget::TokenLedger;
use super::change::warning_row;
use super::fetch::text_at;
use super::{CommandResult, Session};
use crate::change::{EntryOutcome, JournalEntry};
use crate::document::{Document, summary};
use crate::operation::file_change::file_kind;
use crate::path::MemoryPath;
use crate::reflect::inbox_item;
use crate::store::{RevisionSide, Store};
use crate::view::journal::{self, RevisionState};

/// The number of newest revisions that are searched: of a file, for bullets that an editor removed; of the journal, for
/// files with a full summary line.
const RECENT_REVISIONS: usize = 50;

/// The current state of the memory.
///
/// # Errors
/// Any error of reading the directory.
pub fn status(session: &Session) -> CommandResult<StatusReport> {
    let entries = session.store.journal()?;
    let files = session.store.walk(None)?;
    let outside = super::history::unrecorded_files(&session.store, &entries, None)?;
    let sizes = session.store.map_files(&files, 1, &|file, _| file.size);
    let rescued = files.iter().filter(|f| f.path.as_str().starts_with("inbox/rescued-")).map(|f| f.path.to_string());
    let mut warnings: Vec<_> = session.policy.warnings.iter().map(warning_row).collect();
    if let Some(why) = &session.policy.refuses_writes {
        warnings
            .push(warning_row(&crate::code::Warning::new(why.code, format!("writes are disabled: {}", why.message))));
    }
    Ok(StatusReport {
        dir: session.dir.display().to_string(),
        actor: session.actor.clone(),
        rev: entries.iter().rev().find(|e| e.outcome == EntryOutcome::Done).map(|e| format!("r{}", e.rev)),
        since: entries.first().map(|e| e.at.clone()),
        files: files.len(),
        bytes: sizes.iter().sum(),
        dropped: outside.iter().flat_map(|(path, _)| dropped_bullets(&session.store, &entries, path)).collect(),
        conflicts: outside
            .iter()
            .map(|(path, _)| path)
            .filter(|path| has_conflict_markers(&session.store, path))
            .map(|p| p.to_string())
            .collect(),
        outside: outside.iter().map(|(path, _)| path.to_string()).collect(),
        rescued: rescued.collect(),
        summaries: full_summaries(&session.store, &entries),
        proposals: files.iter().filter(|f| inbox_item::id_of(&f.path).is_some()).count(),
        queued: session.store.queued_names()?.len(),
        models: model_usage(session),
        wired: super::setup::is_configured(session),
        warnings,
    })
}

/// The model usage of today; `None` before the first model call.
fn model_usage(session: &Session) -> Option<ModelUsage> {
    let (spent, day) = (TokenLedger::load(&session.store), session.now.date().to_string());
    let (total, passed) = spent.first;
    (!spent.day.is_empty()).then(|| ModelUsage {
        tokens: spent.used_on(&day),
        asked: if spent.day == day { spent.asked } else { 0 },
        first_pass: (total > 0).then(|| passed as f64 / total as f64),
        day,
    })
}

/// Whether a file contains conflict markers.
fn has_conflict_markers(store: &Store, path: &MemoryPath) -> bool {
    let read = store.read(path).ok().flatten().and_then(|v| Document::from_bytes(v.bytes.to_vec()).ok());
    read.is_some_and(|document| document.conflict_marker_line().is_some())
}

/// Bullets that a revision added and that are missing although no later revision removed them: an editor that had
/// loaded an older text saved it.
fn dropped_bullets(store: &Store, entries: &[JournalEntry], path: &MemoryPath) -> Vec<DroppedBullet> {
    let Some(now) = store.read(path).ok().flatten().and_then(|v| Document::from_bytes(v.bytes.to_vec()).ok()) else {
        return Vec::new();
    };
    // During a merge the file contains both sides, and what is missing is still to be decided.
    if now.conflict_marker_line().is_some() {
        return Vec::new();
    }
    let states = journal::revision_states(entries);
    let touching: Vec<&JournalEntry> =
        entries.iter().filter(|e| e.outcome == EntryOutcome::Done && e.files.iter().any(|f| f.path == *path)).collect();
    let Some(newest) = touching.last().and_then(|e| text_at(store, e.rev, path, RevisionSide::After)) else {
        return Vec::new();
    };
    let missing: Vec<usize> =
        (0..newest.bullets().len()).filter(|&i| !now.handles().contains(&newest.handles()[i])).collect();
    let mut out = Vec::new();
    for entry in touching.iter().rev().take(RECENT_REVISIONS) {
        if states.get(&entry.rev) != Some(&RevisionState::Done) {
            continue;
        }
        let Some(after) = text_at(store, entry.rev, path, RevisionSide::After) else { continue };
        let before = text_at(store, entry.rev, path, RevisionSide::Before);
        let added = |handle| {
            after.handles().contains(&handle) && !before.as_ref().is_some_and(|b| b.handles().contains(&handle))
        };
        for &i in missing.iter().filter(|&&i| added(newest.handles()[i])) {
            out.push(DroppedBullet {
                rev: format!("r{}", entry.rev),
                actor: entry.actor.clone(),
                path: path.to_string(),
                text: newest.bullet_text(i).into_owned(),
            });
        }
    }
    out
}

/// The summary lines of recently written files that are too full for some of their terms, with those terms.
fn full_summaries(store: &Store, entries: &[JournalEntry]) -> Vec<String> {
    let mut paths: Vec<&MemoryPath> = entries
        .iter()
        .rev()
        .take(RECENT_REVISIONS)
        .filter(|e| e.outcome == EntryOutcome::Done)
        .flat_map(|e| e.files.iter().map(|f| &f.path))
        .collect();
    paths.sort();
    paths.dedup();
    paths.into_iter().filter_map(|path| full_summary(store, path)).collect()
}

fn full_summary(store: &Store, path: &MemoryPath) -> Option<String> {
    let document = store.read(path).ok()?.and_then(|v| Document::from_bytes(v.bytes.to_vec()).ok())?;
    let terms = summary::pending_terms(&document, file_kind(path));
    let more = if terms.len() > 3 { format!(" and {} more", terms.len() - 3) } else { String::new() };
    let shown = terms.iter().take(3).cloned().collect::<Vec<_>>().join(", ");
    (!terms.is_empty()).then(|| format!("{path}: {shown}{more} do not fit in its summary line"))
}
