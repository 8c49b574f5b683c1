//! The pending changes: which files will be committed, and how their bullets changed.
//!
//! Only reads: old texts from git's objects, new ones from the data directory.

use std::collections::HashMap;

use super::outgoing::is_policy;
use super::synced_scopes::{ScopePath, SyncedScopes};
use crate::change::{Etag, FileVersion, JournalEntry};
use crate::code::Rejection;
use crate::commands::Session;
use crate::document::{Document, Handle};
use crate::host::git::Git;
use crate::host::repository::PendingFile;
use crate::operation::conflict_regions;
use crate::path::MemoryPath;
use crate::view::diff_bullets::{BulletChange, bullet_changes};
use crate::view::journal;

/// How many files have their bullets counted.
const MAX_COMPARED_FILES: usize = 500;

/// Number of bullets by kind of change.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct BulletCounts {
    pub added: usize,
    /// Bullets with another text.
    pub updated: usize,
    /// Bullets in another place.
    pub moved: usize,
    /// Bullets with other metadata.
    pub set: usize,
    pub removed: usize,
}

/// A file that will be committed.
#[derive(Clone, Debug, Default)]
pub struct PendingChange {
    pub path: String,
    /// Whether the last commit lacks it.
    pub new: bool,
    /// Whether it no longer exists.
    pub gone: bool,
    /// Whether it had text before and is empty now.
    pub emptied: bool,
    /// Whether it has conflict markers that the committed text does not have.
    pub has_markers: bool,
    /// Whether it has a single conflict marker that the committed text does not have.
    pub has_leftover_marker: bool,
    /// Whether its text is not the one that memdir wrote last.
    pub edited_outside: bool,
    pub counts: BulletCounts,
}

/// Compares the pending files with the last commit.
///
/// # Errors
/// `git`.
pub fn pending_changes(
    session: &Session,
    git: &Git,
    pending: &[PendingFile],
    entries: &[JournalEntry],
) -> Result<Vec<PendingChange>, Rejection> {
    let compared: Vec<&PendingFile> =
        pending.iter().filter(|p| p.path.ends_with(".md")).take(MAX_COMPARED_FILES).collect();
    let objects: Vec<&str> = compared.iter().filter_map(|p| p.committed_object.as_deref()).collect();
    let mut contents = git.read_objects(&objects)?.into_iter();
    let last_writes = journal::last_etags(entries);
    let scopes = SyncedScopes::of(&session.store.unfiltered(), compared.iter().map(|p| p.path.as_str()));
    let (mut added, mut removed) = (HashMap::<Handle, Vec<usize>>::new(), Vec::new());
    let mut changes = Vec::with_capacity(pending.len());
    for file in pending {
        let mut change = PendingChange {
            path: file.path.clone(),
            new: file.committed_object.is_none(),
            gone: file.is_deleted,
            ..PendingChange::default()
        };
        if compared.iter().any(|p| std::ptr::eq(*p, file)) {
            let before = file.committed_object.as_ref().and_then(|_| contents.next()).unwrap_or_default();
            let own = MemoryPath::from_disk_name(&file.path).ok().filter(|_| ScopePath::parse(&file.path).is_none());
            let (current, edited_outside) = match (scopes.read(&file.path), own) {
                (Some(in_scope), _) => (in_scope.version, in_scope.edited_outside),
                (None, Some(path)) => {
                    let current = session.store.read(&path).ok().flatten();
                    let edited_outside = is_outside_edit(&last_writes, &path, &current);
                    (current, edited_outside)
                }
                // A file of a scope that was archived or purged, or no file of the memory.
                (None, None) => (None, false),
            };
            change.edited_outside = edited_outside;
            let after = current.map(|v| v.bytes.to_vec()).unwrap_or_default();
            change.emptied = !file.is_deleted && after.is_empty() && !before.is_empty();
            let text = |bytes: Vec<u8>| String::from_utf8_lossy(&bytes).into_owned();
            let (before, after) = (text(before), text(after));
            change.has_markers =
                conflict_regions::marker_length(&after).is_some() && conflict_regions::marker_length(&before).is_none();
            let (before, after) = (Document::parse(before), Document::parse(after));
            change.has_leftover_marker =
                after.leftover_marker_line().is_some() && before.leftover_marker_line().is_none();
            for bullet_change in bullet_changes(&before, &after) {
                match bullet_change {
                    BulletChange::Added(new) => added.entry(after.handles()[new]).or_default().push(changes.len()),
                    BulletChange::Removed(old) => removed.push((before.handles()[old], changes.len())),
                    BulletChange::Updated(..) => change.counts.updated += 1,
                    BulletChange::Moved(..) => change.counts.moved += 1,
                    BulletChange::Set(..) => change.counts.set += 1,
                }
            }
        }
        if is_policy(&file.path) && !file.is_deleted {
            let text = git.read_work_file(&file.path).unwrap_or_default();
            let signs: [&[u8]; 3] = [b"<<<<<<<", b"|||||||", b">>>>>>>"];
            change.has_markers =
                text.split(|b| *b == b'\n').any(|line| signs.iter().any(|sign| line.starts_with(sign)));
        }
        changes.push(change);
    }
    count_moves(&mut changes, added, removed);
    Ok(changes)
}

/// Counts a bullet that is gone from one file and new in another as moved.
fn count_moves(changes: &mut [PendingChange], mut added: HashMap<Handle, Vec<usize>>, removed: Vec<(Handle, usize)>) {
    for (handle, from) in removed {
        match added.get_mut(&handle).and_then(Vec::pop) {
            Some(to) => changes[to].counts.moved += 1,
            None => changes[from].counts.removed += 1,
        }
    }
    added.into_values().flatten().for_each(|at| changes[at].counts.added += 1);
}

fn is_outside_edit(
    last_writes: &HashMap<&MemoryPath, (Option<Etag>, u64)>,
    path: &MemoryPath,
    current: &Option<FileVersion>,
) -> bool {
    let current = current.as_ref().map(|version| version.etag);
    last_writes.get(path).is_none_or(|(etag, _)| *etag != current)
}
