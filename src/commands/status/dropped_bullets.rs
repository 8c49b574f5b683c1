//! Bullets that a revision added and that are missing although no later revision removed them: an editor that had
//! loaded an older text saved it, or the file was deleted. A bullet that an editor rephrased, or moved to another file,
//! is not missing.
//!
//! Never reads more than the newest revisions of a file, and each of their texts at most once for the bullets that are
//! missing: an editor may have dropped thousands.

use std::collections::{HashMap, HashSet};

use super::RECENT_REVISIONS;
use crate::change::{EntryOutcome, Etag, JournalEntry};
use crate::commands::Session;
use crate::commands::results::DroppedBullet;
use crate::commands::sync::SyncState;
use crate::document::{Document, Handle, MAX_FILE_BYTES};
use crate::host::git::Git;
use crate::path::MemoryPath;
use crate::store::{FileTexts, FoundFile, JournalHistory, RevisionSide, Store};
use crate::view::diff_bullets::{BulletChange, bullet_changes};
use crate::view::journal::{self, RevisionState};

/// The bullets of a file that editors dropped.
pub fn dropped_bullets(
    store: &Store,
    history: &JournalHistory,
    entries: &[JournalEntry],
    path: &MemoryPath,
) -> Vec<DroppedBullet> {
    let Ok(now) = store.read(path) else { return Vec::new() };
    let Some(now) = now else { return bullets_of_deleted_file(store, history, entries, path) };
    let Ok(now) = Document::from_bytes(now.bytes.to_vec()) else { return Vec::new() };
    // During a merge the file contains both sides, and what is missing is still to be decided.
    if now.conflict_marker_line().is_some() {
        return Vec::new();
    }
    let mut revisions = RecentRevisions::of(store, history, entries, path);
    let mut out: Vec<DroppedBullet> = Vec::new();
    let mut listed: HashSet<String> = HashSet::new();
    // From the newest edit outside memdir to the oldest.
    for edit in (0..revisions.entries.len()).rev() {
        if revisions.is_followed_by_known_text(edit) {
            continue;
        }
        let Some((old, missing)) = revisions.missing_since(edit, &now) else { continue };
        for MissingBullet { bullet, rephrased_as } in missing {
            let Some(entry) = revisions.addition_of(old.handles()[bullet], edit) else { continue };
            // A text that the bullet had before that revision was brought back by an older version of the file.
            if rephrased_as.is_some_and(|handle| !revisions.sides[&entry.rev].0.contains(&handle)) {
                continue;
            }
            let text = old.bullet_text(bullet);
            if !listed.insert(text.to_string()) {
                continue;
            }
            out.push(DroppedBullet {
                rev: format!("r{}", entry.rev),
                actor: entry.header.actor.clone(),
                path: path.to_string(),
                text: text.into_owned(),
            });
        }
    }
    out
}

/// The bullets of a file that was deleted outside memdir: `redo` of its last revision brings it back.
fn bullets_of_deleted_file(
    store: &Store,
    history: &JournalHistory,
    entries: &[JournalEntry],
    path: &MemoryPath,
) -> Vec<DroppedBullet> {
    let revisions = RecentRevisions::of(store, history, entries, path);
    let is_in_effect =
        |e: &&&JournalEntry| e.inverts.is_none() && revisions.states.get(&e.rev) == Some(&RevisionState::Done);
    let (Some(last), Some(named)) = (revisions.entries.last(), revisions.entries.iter().rfind(is_in_effect)) else {
        return Vec::new();
    };
    if revisions.sync_state.was_merged(path, last.rev, None) {
        return Vec::new();
    }
    let Some(document) = revisions.text(last, RevisionSide::After) else { return Vec::new() };
    let dropped = |bullet: usize| DroppedBullet {
        rev: format!("r{}", named.rev),
        actor: named.header.actor.clone(),
        path: path.to_string(),
        text: document.bullet_text(bullet).into_owned(),
    };
    (0..document.bullets().len()).map(dropped).collect()
}

/// The dropped bullets of all files without those whose text stands elsewhere in the memory: they were moved. Of a
/// file that is gone, one row names the first and how many there are.
pub fn all_dropped_bullets(
    session: &Session,
    files: &[FoundFile],
    mut dropped: Vec<DroppedBullet>,
) -> Vec<DroppedBullet> {
    if dropped.is_empty() {
        return dropped;
    }
    let is_gone = |path: &str| files.iter().all(|file| file.path.as_str() != path);
    let gone: HashSet<String> =
        dropped.iter().filter(|bullet| is_gone(&bullet.path)).map(|bullet| bullet.path.clone()).collect();
    let git = Git::discover(&session.dir).filter(|_| !gone.is_empty());
    // What git removed was decided there.
    let removed: HashSet<&String> =
        gone.iter().filter(|path| git.as_ref().is_some_and(|git| git.has_committed_removal(path))).collect();
    dropped.retain(|bullet| !removed.contains(&bullet.path));
    let texts: HashSet<&str> = dropped.iter().map(|bullet| bullet.text.as_str()).collect();
    let live: Vec<FoundFile> = files.iter().filter(|file| !file.path.is_set_aside()).cloned().collect();
    let found = session.store.map_files(&live, MAX_FILE_BYTES, &|_, read| {
        let document = read.ok().and_then(|(bytes, _)| Document::from_bytes(bytes.to_vec()).ok());
        let document = document.unwrap_or_else(|| Document::parse(String::new()));
        let moved = (0..document.bullets().len()).map(|bullet| document.bullet_text(bullet));
        moved.filter(|text| texts.contains(&**text)).map(std::borrow::Cow::into_owned).collect::<Vec<String>>()
    });
    let moved: HashSet<String> = found.into_iter().flatten().collect();
    dropped.retain(|bullet| !moved.contains(&bullet.text));
    let mut rows: Vec<(DroppedBullet, usize)> = Vec::new();
    for bullet in dropped {
        match rows.last_mut() {
            Some((first, more)) if first.path == bullet.path && is_gone(&bullet.path) => *more += 1,
            _ => rows.push((bullet, 0)),
        }
    }
    let named = |(first, more): (DroppedBullet, usize)| match more {
        0 => first,
        more => DroppedBullet { text: format!("{} (and {more} more; the file is gone)", first.text), ..first },
    };
    rows.into_iter().map(named).collect()
}

/// A bullet that an edit outside memdir took out.
struct MissingBullet {
    /// Its number in the text before the edit.
    bullet: usize,
    /// The bullet that the edit wrote in its place, if it resembles it.
    rephrased_as: Option<Handle>,
}

/// The newest revisions of a file, the oldest first.
struct RecentRevisions<'a> {
    path: &'a MemoryPath,
    entries: Vec<&'a JournalEntry>,
    texts: FileTexts<'a>,
    states: HashMap<u64, RevisionState>,
    sync_state: SyncState,
    /// The bullets before and after a revision, of those that were asked for.
    sides: HashMap<u64, (HashSet<Handle>, HashSet<Handle>)>,
}

impl<'a> RecentRevisions<'a> {
    fn of(
        store: &Store,
        history: &'a JournalHistory,
        entries: &'a [JournalEntry],
        path: &'a MemoryPath,
    ) -> RecentRevisions<'a> {
        let is_of_file = |e: &&JournalEntry| e.outcome == EntryOutcome::Done && e.files.iter().any(|f| f.path == *path);
        let mut newest: Vec<&JournalEntry> = entries.iter().rev().filter(is_of_file).take(RECENT_REVISIONS).collect();
        newest.reverse();
        RecentRevisions {
            path,
            entries: newest,
            texts: history.texts_of(path),
            states: journal::revision_states(entries),
            sync_state: SyncState::load(store),
            sides: HashMap::new(),
        }
    }

    fn text(&self, entry: &JournalEntry, side: RevisionSide) -> Option<Document> {
        let version = self.texts.text(entry.rev, side).ok().flatten()?;
        Document::from_bytes(version.bytes.to_vec()).ok()
    }

    fn etag(&self, entry: &JournalEntry, side: RevisionSide) -> Option<Etag> {
        let file = entry.files.iter().find(|file| file.path == *self.path)?;
        match side {
            RevisionSide::Before => file.before,
            RevisionSide::After => file.after,
        }
    }

    /// Whether the next revision began with the text of the `n`-th one, or with one that a sync merged in: that is part
    /// of git's history. Of files written since, only the last sync is known.
    fn is_followed_by_known_text(&self, n: usize) -> bool {
        let entry = self.entries[n];
        self.entries.get(n + 1).is_some_and(|next| {
            let before = self.etag(next, RevisionSide::Before);
            before == self.etag(entry, RevisionSide::After)
                || self.sync_state.rev.is_some_and(|synced| next.rev <= synced)
                || self.sync_state.was_merged(self.path, entry.rev, before)
        })
    }

    /// The text after the `n`-th revision, and its bullets that the edit after it took out and that did not come back.
    fn missing_since(&self, n: usize, now: &Document) -> Option<(Document, Vec<MissingBullet>)> {
        let later = &self.entries[n + 1..];
        let old = self.text(self.entries[n], RevisionSide::After)?;
        let next_text = match later.first() {
            Some(next) => Some(self.text(next, RevisionSide::Before)?),
            None => None,
        };
        let edited = next_text.as_ref().unwrap_or(now);
        let kept = handles_of(edited);
        let still_there = handles_of(now);
        let is_missing = |handle: &Handle| !kept.contains(handle) && !still_there.contains(handle);
        let mut missing: Vec<usize> = (0..old.bullets().len()).filter(|&i| is_missing(&old.handles()[i])).collect();
        // What came back later, and is missing now, was removed by a command or an edit since.
        for next in later {
            if missing.is_empty() {
                break;
            }
            let after = self.text(next, RevisionSide::After).as_ref().map_or_else(HashSet::new, handles_of);
            missing.retain(|&i| !after.contains(&old.handles()[i]));
        }
        let rephrased: HashMap<usize, Handle> = if missing.is_empty() {
            HashMap::new()
        } else {
            bullet_changes(&old, edited)
                .into_iter()
                .filter_map(|change| match change {
                    BulletChange::Updated(bullet, new) => Some((bullet, edited.handles()[new])),
                    _ => None,
                })
                .collect()
        };
        let describe = |bullet| MissingBullet { bullet, rephrased_as: rephrased.get(&bullet).copied() };
        let missing = missing.into_iter().map(describe).collect();
        Some((old, missing))
    }

    /// The revision in effect, not after the `n`-th, that added a bullet last.
    fn addition_of(&mut self, handle: Handle, n: usize) -> Option<&'a JournalEntry> {
        for at in (0..=n).rev() {
            let entry = self.entries[at];
            if !self.sides.contains_key(&entry.rev) {
                let side = |side| self.text(entry, side).as_ref().map_or_else(HashSet::new, handles_of);
                let sides = (side(RevisionSide::Before), side(RevisionSide::After));
                self.sides.insert(entry.rev, sides);
            }
            let (before, after) = &self.sides[&entry.rev];
            let is_done = self.states.get(&entry.rev) == Some(&RevisionState::Done);
            if is_done && after.contains(&handle) && !before.contains(&handle) {
                return Some(entry);
            }
        }
        None
    }
}

fn handles_of(document: &Document) -> HashSet<Handle> {
    document.handles().iter().copied().collect()
}
