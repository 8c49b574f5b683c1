//! `status`: what a person should know about this memory now.
//!
//! Reads what the journal knows of, not every text.

use super::answer::{Answer, Dropped, Models, Status};
use super::budget::Spent;
use super::change::told;
use super::fetch::text;
use super::{Session, Verdict};
use crate::change::{Entry, Outcome};
use crate::document::{Document, summary};
use crate::operation::written::genre;
use crate::path::MemoryPath;
use crate::reflect::proposal;
use crate::store::{Side, Store};
use crate::view::journal::{self, State};

/// How many of a file's last revisions are searched for changes that an editor dropped.
const RECENT: usize = 50;

/// What a person should know about this memory now.
///
/// # Errors
/// What reading the directory refuses.
pub fn status(session: &Session) -> Verdict {
    let entries = session.store.journal()?;
    let files = session.store.walk(None)?;
    let outside = super::history::unrecorded(&session.store, &entries, None)?;
    let sizes = session.store.each(&files, 1, &|file, _| file.size);
    let rescued = files.iter().filter(|f| f.path.as_str().starts_with("inbox/rescued-")).map(|f| f.path.to_string());
    let mut warnings: Vec<_> = session.policy.warnings.iter().map(told).collect();
    if let Some(why) = &session.policy.refuses_writes {
        warnings.push(told(&crate::code::Warning::new(why.code, format!("nothing can be written: {}", why.message))));
    }
    Ok(Answer::Status(Status {
        dir: session.dir.display().to_string(),
        actor: session.actor.clone(),
        rev: entries.iter().rev().find(|e| e.outcome == Outcome::Done).map(|e| format!("r{}", e.rev)),
        since: entries.first().map(|e| e.at.clone()),
        files: files.len(),
        bytes: sizes.iter().sum(),
        dropped: outside.iter().flat_map(|(path, _)| dropped(&session.store, &entries, path)).collect(),
        conflicts: outside
            .iter()
            .map(|(path, _)| path)
            .filter(|path| marked(&session.store, path))
            .map(|p| p.to_string())
            .collect(),
        outside: outside.iter().map(|(path, _)| path.to_string()).collect(),
        rescued: rescued.collect(),
        summaries: waiting(&session.store, &entries),
        proposals: files.iter().filter(|f| proposal::id_of(&f.path).is_some()).count(),
        queued: session.store.queued()?.len(),
        models: models(session),
        wired: super::setup::wired(session),
        warnings,
    }))
}

/// What models cost today.
fn models(session: &Session) -> Option<Models> {
    let (spent, day) = (Spent::of(&session.store), session.now.date().to_string());
    let (all, passed) = spent.first;
    (!spent.day.is_empty()).then(|| Models {
        tokens: spent.taken(&day),
        asked: if spent.day == day { spent.asked } else { 0 },
        first_pass: (all > 0).then(|| passed as f64 / all as f64),
        day,
    })
}

/// Whether a file holds conflict markers.
fn marked(store: &Store, path: &MemoryPath) -> bool {
    let read = store.read(path).ok().flatten().and_then(|v| Document::read(v.bytes.to_vec()).ok());
    read.is_some_and(|document| document.conflict_marker().is_some())
}

/// Bullets that a standing revision added and that nobody took away through memdir: an editor saved an older text.
fn dropped(store: &Store, entries: &[Entry], path: &MemoryPath) -> Vec<Dropped> {
    let Some(now) = store.read(path).ok().flatten().and_then(|v| Document::read(v.bytes.to_vec()).ok()) else {
        return Vec::new();
    };
    // A file in the middle of a merge holds both sides; what is missing then is still to be decided.
    if now.conflict_marker().is_some() {
        return Vec::new();
    }
    let states = journal::states(entries);
    let touching: Vec<&Entry> =
        entries.iter().filter(|e| e.outcome == Outcome::Done && e.files.iter().any(|f| f.path == *path)).collect();
    let Some(left) = touching.last().and_then(|e| text(store, e.rev, path, Side::After)) else { return Vec::new() };
    let missing: Vec<usize> =
        (0..left.bullets().len()).filter(|&i| !now.handles().contains(&left.handles()[i])).collect();
    let mut out = Vec::new();
    for entry in touching.iter().rev().take(RECENT) {
        if states.get(&entry.rev) != Some(&State::Done) {
            continue;
        }
        let Some(after) = text(store, entry.rev, path, Side::After) else { continue };
        let before = text(store, entry.rev, path, Side::Before);
        let added = |handle| {
            after.handles().contains(&handle) && !before.as_ref().is_some_and(|b| b.handles().contains(&handle))
        };
        for &i in missing.iter().filter(|&&i| added(left.handles()[i])) {
            out.push(Dropped {
                rev: format!("r{}", entry.rev),
                actor: entry.actor.clone(),
                path: path.to_string(),
                text: left.bullet_text(i).into_owned(),
            });
        }
    }
    out
}

/// Summary lines of recently written files in which terms wait for room.
fn waiting(store: &Store, entries: &[Entry]) -> Vec<String> {
    let mut paths: Vec<&MemoryPath> = entries
        .iter()
        .rev()
        .take(RECENT)
        .filter(|e| e.outcome == Outcome::Done)
        .flat_map(|e| e.files.iter().map(|f| &f.path))
        .collect();
    paths.sort();
    paths.dedup();
    paths.into_iter().filter_map(|path| waits(store, path)).collect()
}

fn waits(store: &Store, path: &MemoryPath) -> Option<String> {
    let document = store.read(path).ok()?.and_then(|v| Document::read(v.bytes.to_vec()).ok())?;
    let terms = summary::waiting(&document, genre(path));
    let more = if terms.len() > 3 { format!(" and {} more", terms.len() - 3) } else { String::new() };
    let shown = terms.iter().take(3).cloned().collect::<Vec<_>>().join(", ");
    (!terms.is_empty()).then(|| format!("{path}: {shown}{more} wait for room in its summary line"))
}
