//! `status`: the current state of a memory, with everything that needs attention.
//!
//! Reads every file once, and parses only those that the journal, the policy or their bytes give a reason for.

mod attention;
mod dropped_bullets;

use std::collections::HashMap;

use attention::AttentionScan;
use dropped_bullets::{all_dropped_bullets, dropped_bullets};

use super::budget::TokenLedger;
use super::results::{AttentionKind, ModelUsage, StatusReport, WarningRow};
use super::sync::conflict_branches::conflict_branch_notes;
use super::{CommandResult, Session};
use crate::change::{EntryOutcome, JournalEntry};
use crate::code::{Code, Warning};
use crate::document::{Document, MAX_FILE_BYTES, summary};
use crate::host::agent_hosts::{self, AgentHost, config_paths};
use crate::host::find::FoundBy;
use crate::host::git::Git;
use crate::host::git_dir::GitDirectory;
use crate::host::{trusted, user};
use crate::operation::file_change::file_kind;
use crate::path::MemoryPath;
use crate::reflect::inbox_item;
use crate::store::Store;
use crate::text::shell_quote::shell_quote;

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
    let outside = super::history::unrecorded_files(&session.store, &entries);
    let scan = AttentionScan::new(session);
    let counts = session.store.map_files(&files, MAX_FILE_BYTES, &|file, read| scan.examine(file, read));
    let rescued = files.iter().filter(|f| f.path.as_str().starts_with("inbox/rescued-")).map(|f| f.path.to_string());
    let mut warnings: Vec<_> = session.policy.warnings.iter().map(WarningRow::from).collect();
    if let Some(error) = &session.policy.refuses_writes {
        let is_listed = warnings.iter().any(|warning| warning.message == error.message);
        let reason = if is_listed { "see the warning before" } else { &error.message };
        warnings.push(WarningRow::from(&Warning::new(error.code, format!("writes are disabled: {reason}"))));
    }
    let rows = scan.rows(&counts);
    let merged: usize = rows.iter().filter(|row| row.what == AttentionKind::Merged).map(|row| row.count).sum();
    let proposals = files.iter().filter(|f| inbox_item::id_of(&f.path).is_some()).count();
    let (layer_rows, left_out) = attention::layer_rows(session);
    warnings.extend(left_out.into_iter().map(|reason| WarningRow::from(&Warning::new(Code::Note, reason))));
    warnings.extend(super::hook::no_model_notice(session).as_ref().map(WarningRow::from));
    let leftovers = super::scope::leftover_notes(session).into_iter();
    warnings.extend(leftovers.map(|note| WarningRow::from(&Warning::new(Code::Note, note))));
    warnings.extend(
        unmerged_conflict_branches(session).into_iter().map(|note| WarningRow::from(&Warning::new(Code::Note, note))),
    );
    warnings.extend(trust_notice(session).as_ref().map(WarningRow::from));
    warnings.extend(super::inbox::waiting_in_other_work_trees(session).iter().map(WarningRow::from));
    let items = super::reflect::queued_items(session)?;
    warnings.extend(super::reflect::foreign_items_warning(&items).as_ref().map(WarningRow::from));
    let queued = items.own.len();
    warnings.extend(super::reflect::lost_transcripts_warning(session).as_ref().map(WarningRow::from));
    if queued > 0 {
        warnings.extend(super::reflect::queue_error_warning(session).as_ref().map(WarningRow::from));
        warnings.extend(super::budget::shortfall_warning(session).as_ref().map(WarningRow::from));
    }
    let conflicted = files.iter().zip(&counts).filter(|(_, count)| count.is_conflicted);
    let conflicts: Vec<String> = conflicted.map(|(file, _)| file.path.to_string()).collect();
    Ok(StatusReport {
        dir: session.dir.display().to_string(),
        actor: session.actor.clone(),
        rev: entries.iter().rev().find(|e| e.outcome == EntryOutcome::Done).map(|e| format!("r{}", e.rev)),
        since: entries.first().map(|e| e.header.at.clone()),
        files: files.len(),
        bytes: counts.iter().map(|count| count.bytes).sum(),
        dropped: all_dropped_bullets(
            session,
            &files,
            edited_paths(&outside, &entries)
                .into_iter()
                .flat_map(|path| dropped_bullets(&session.store, &history, &entries, path))
                .collect(),
        ),
        unmerged: unmerged_files(session, &conflicts),
        conflicts,
        outside: outside.iter().map(|(path, _)| path.to_string()).collect(),
        rescued: rescued.collect(),
        summaries: full_summaries(&session.store, &entries),
        proposals: proposals.saturating_sub(merged),
        attention: [rows, super::prune::attention_rows(session)?, layer_rows].concat(),
        queued,
        models: model_usage(session),
        wired: super::setup::is_configured(session),
        warnings,
    })
}

/// The files that an unfinished merge of git left unmerged, without those that have conflict markers; none for a
/// restricted agent, which may not know their names.
fn unmerged_files(session: &Session, conflicts: &[String]) -> Vec<String> {
    let is_merging = GitDirectory::find(&session.dir).is_some_and(|repository| repository.is_merging());
    if !is_merging || session.store.require_unfiltered().is_err() {
        return Vec::new();
    }
    let entries = Git::discover(&session.dir).and_then(|git| git.unmerged_entries().ok()).unwrap_or_default();
    let paths = entries.into_iter().map(|entry| entry.path);
    paths.filter(|path| path.ends_with(".md") && !conflicts.contains(path)).collect()
}

/// A note for each branch of the remote that the last sync found unmerged; none for a restricted agent, who cannot merge.
fn unmerged_conflict_branches(session: &Session) -> Vec<String> {
    if GitDirectory::find(&session.dir).is_none() || session.store.require_unfiltered().is_err() {
        return Vec::new();
    }
    conflict_branch_notes(session, &Git::in_dir(&session.dir))
}

/// The notice that hooks show nothing here, because the user config does not trust the directory. Absent if nothing
/// says that the user has hooks: neither a trusted memory nor a host's file of this project.
fn trust_notice(session: &Session) -> Option<Warning> {
    let env = &|name: &str| std::env::var(name).ok();
    let (config, _) = user::load_config(env);
    // Hooks ask about the parent memory of a scope, too.
    if trusted::is_trusted(&config, session.governing_dir(), env) {
        return None;
    }
    let root = config_paths::project_root(&session.dir, Some(&session.dir), user::home(env).as_deref());
    let runs_hooks = |host: &&&AgentHost| {
        let file = host.files.iter().find(|file| file.hooks.is_some());
        let file = file.and_then(|file| config_paths::project_path(&root, file.project).ok());
        let text = file.and_then(|path| config_paths::read_config(&path).ok()?);
        text.is_some_and(|text| text.contains("memdir") && text.contains("hook "))
    };
    let host = agent_hosts::ALL.iter().find(runs_hooks).map(|host| host.name);
    if host.is_none() && config.trusted.is_empty() {
        return None;
    }
    let shown = "hooks show nothing here: this directory is not trusted, so its texts do not go to agents";
    let memdir = match session.found_by {
        FoundBy::Flag => format!("memdir --dir {}", shell_quote(&session.dir.to_string_lossy())),
        _ => "memdir".to_owned(),
    };
    // Trusting it is the user's decision.
    let way_out = match (session.is_agent, host) {
        (true, _) => String::new(),
        (false, Some(host)) => format!("; if it is yours, `{memdir} setup {host}` trusts it"),
        (false, None) => format!("; if it is yours, `{memdir} setup` with the name of a host trusts it"),
    };
    Some(Warning::new(Code::Note, format!("{shown}{way_out}")))
}

/// The model usage of today; `None` before the first model call.
fn model_usage(session: &Session) -> Option<ModelUsage> {
    let (spent, day) = (TokenLedger::load(&session.store), session.now.date().to_string());
    (!spent.day.is_empty()).then(|| ModelUsage {
        tokens: spent.used_on(&day),
        asked: if spent.day == day { spent.requests } else { 0 },
        first_pass: spent.proposals.first_pass(),
        grounded: spent.proposals.grounded_share(),
        refused_by: spent.proposals.refused.clone(),
        day,
    })
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
