//! `status`: the current state of a memory, with everything that needs attention.
//!
//! Reads every file once, and parses only those that the journal, the policy or their bytes give a reason for.

mod attention;

use std::collections::{HashMap, HashSet};

use attention::AttentionScan;

use super::answer::{DroppedBullet, ModelUsage, StatusReport, WarningRow};
use super::budget::TokenLedger;
use super::sync::SyncState;
use super::{CommandResult, Session};
use crate::change::{EntryOutcome, JournalEntry};
use crate::code::{Code, Warning};
use crate::document::{Document, Handle, MAX_FILE_BYTES, summary};
use crate::operation::file_change::file_kind;
use crate::path::MemoryPath;
use crate::reflect::inbox_item;
use crate::store::{JournalHistory, RevisionSide, Store};
use crate::view::journal::{self, RevisionState};

/// The number of newest revisions that are searched: of a file, for bullets that an editor removed; of the journal, for
/// files with a full summary line.
const RECENT_REVISIONS: usize = 50;

/// The current state of the memory.
///
/// # Errors
/// Any error of reading the directory.
pub fn status(session: &Session) -> CommandResult<StatusReport> {
    // Only the newest revisions are searched for texts.
    let history = session.store.read_history_since(u64::MAX)?;
    let entries = history.entries();
    let files = session.store.walk(None)?;
    let outside = super::history::unrecorded_files(&session.store, &entries, None)?;
    let scan = AttentionScan::new(session);
    let counts = session.store.map_files(&files, MAX_FILE_BYTES, &|file, read| scan.examine(file, read));
    let rescued = files.iter().filter(|f| f.path.as_str().starts_with("inbox/rescued-")).map(|f| f.path.to_string());
    let mut warnings: Vec<_> = session.policy.warnings.iter().map(WarningRow::from).collect();
    if let Some(why) = &session.policy.refuses_writes {
        warnings.push(WarningRow::from(&Warning::new(why.code, format!("writes are disabled: {}", why.message))));
    }
    let (layer_rows, left_out) = attention::layer_rows(session);
    warnings.extend(left_out.into_iter().map(|why| WarningRow::from(&Warning::new(Code::Note, why))));
    warnings.extend(super::hook::no_model_notice(session).as_ref().map(WarningRow::from));
    Ok(StatusReport {
        dir: session.dir.display().to_string(),
        actor: session.actor.clone(),
        rev: entries.iter().rev().find(|e| e.outcome == EntryOutcome::Done).map(|e| format!("r{}", e.rev)),
        since: entries.first().map(|e| e.at.clone()),
        files: files.len(),
        bytes: counts.iter().map(|count| count.bytes).sum(),
        dropped: edited_paths(&outside, &entries)
            .into_iter()
            .flat_map(|path| dropped_bullets(&session.store, &history, &entries, path))
            .collect(),
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
        attention: [scan.rows(&counts), super::prune::attention_rows(session)?, layer_rows].concat(),
        queued: session.store.queued_names()?.len(),
        models: model_usage(session),
        wired: super::setup::is_configured(session),
        warnings,
    })
}

/// The model usage of today; `None` before the first model call.
fn model_usage(session: &Session) -> Option<ModelUsage> {
    let (spent, day) = (TokenLedger::load(&session.store), session.now.date().to_string());
    (!spent.day.is_empty()).then(|| ModelUsage {
        tokens: spent.used_on(&day),
        asked: if spent.day == day { spent.asked } else { 0 },
        first_pass: spent.proposals.first_pass(),
        grounded: spent.proposals.grounded_share(),
        refused_by: spent.proposals.refused.clone(),
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
fn dropped_bullets(
    store: &Store,
    history: &JournalHistory,
    entries: &[JournalEntry],
    path: &MemoryPath,
) -> Vec<DroppedBullet> {
    let Some(now) = store.read(path).ok().flatten().and_then(|v| Document::from_bytes(v.bytes.to_vec()).ok()) else {
        return Vec::new();
    };
    // During a merge the file contains both sides, and what is missing is still to be decided.
    if now.conflict_marker_line().is_some() {
        return Vec::new();
    }
    let (states, sync_state) = (journal::revision_states(entries), SyncState::load(store));
    let touching: Vec<&JournalEntry> =
        entries.iter().filter(|e| e.outcome == EntryOutcome::Done && e.files.iter().any(|f| f.path == *path)).collect();
    let recent = &touching[touching.len().saturating_sub(RECENT_REVISIONS)..];
    let texts = history.texts_of(path);
    let text = |entry: &JournalEntry, side| {
        let version = texts.text(entry.rev, side).ok().flatten()?;
        Document::from_bytes(version.bytes.to_vec()).ok()
    };
    let mut sides: HashMap<u64, (HashSet<Handle>, HashSet<Handle>)> = HashMap::new();
    let mut out: Vec<DroppedBullet> = Vec::new();
    let mut listed: HashSet<String> = HashSet::new();
    let still_there = handles_of(Some(&now));
    // From the newest edit outside memdir to the oldest; `later` are the revisions since.
    for (n, entry) in recent.iter().enumerate().rev() {
        let later = &recent[n + 1..];
        let etag = |e: &JournalEntry, after: bool| {
            e.files.iter().find(|f| f.path == *path).and_then(|f| if after { f.after } else { f.before })
        };
        // What a sync merged in is part of git's history. Of files written since, only the last sync is known.
        let is_known = |next: &&JournalEntry| {
            let before = etag(next, false);
            before == etag(entry, true)
                || sync_state.rev.is_some_and(|synced| next.rev <= synced)
                || sync_state.was_merged(path, entry.rev, before)
        };
        if later.first().is_some_and(is_known) {
            continue;
        }
        let Some(old) = text(entry, RevisionSide::After) else { continue };
        let edited = match later.first() {
            Some(next) => text(next, RevisionSide::Before),
            None => Some(now.clone()),
        };
        let Some(edited) = edited else { continue };
        let kept = handles_of(Some(&edited));
        let is_missing = |handle: &Handle| !kept.contains(handle) && !still_there.contains(handle);
        let mut missing: Vec<usize> = (0..old.bullets().len()).filter(|&i| is_missing(&old.handles()[i])).collect();
        // What came back later, and is missing now, was removed by a command or an edit since.
        for next in later {
            let Some(_) = missing.first() else { break };
            let after = handles_of(text(next, RevisionSide::After).as_ref());
            missing.retain(|&i| !after.contains(&old.handles()[i]));
        }
        for i in missing {
            let handle = old.handles()[i];
            let added_by = recent[..=n].iter().rev().find(|e| {
                // Once for each revision: an editor may have dropped thousands of bullets.
                let (before, after) = sides.entry(e.rev).or_insert_with(|| {
                    let side = |side| handles_of(text(e, side).as_ref());
                    (side(RevisionSide::Before), side(RevisionSide::After))
                });
                let is_done = states.get(&e.rev) == Some(&RevisionState::Done);
                is_done && after.contains(&handle) && !before.contains(&handle)
            });
            let Some(entry) = added_by.filter(|_| listed.insert(old.bullet_text(i).into_owned())) else { continue };
            out.push(DroppedBullet {
                rev: format!("r{}", entry.rev),
                actor: entry.actor.clone(),
                path: path.to_string(),
                text: old.bullet_text(i).into_owned(),
            });
        }
    }
    out
}

/// The handles of the bullets of a text; none without one.
fn handles_of(document: Option<&Document>) -> HashSet<Handle> {
    document.map_or_else(HashSet::new, |document| document.handles().iter().copied().collect())
}

/// The files that were edited outside memdir: since their last revision, or between two recent ones.
fn edited_paths<'a>(outside: &'a [(MemoryPath, u64)], entries: &'a [JournalEntry]) -> Vec<&'a MemoryPath> {
    let recent = &entries[entries.len().saturating_sub(RECENT_REVISIONS)..];
    let recent_paths: Vec<&MemoryPath> = recent.iter().flat_map(|e| e.files.iter().map(|f| &f.path)).collect();
    let mut last = HashMap::new();
    let mut paths: Vec<&MemoryPath> = outside.iter().map(|(path, _)| path).collect();
    for entry in entries.iter().filter(|e| e.outcome == EntryOutcome::Done) {
        for file in entry.files.iter().filter(|f| recent_paths.contains(&&f.path)) {
            if last.insert(&file.path, file.after).is_some_and(|etag| etag != file.before) {
                paths.push(&file.path);
            }
        }
    }
    paths.sort();
    paths.dedup();
    paths
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
