//! Where forgotten bullets were before, and what is kept of the past of the others, whose history is erased with them.

use std::collections::BTreeSet;

use super::search_string;
use crate::change::{BulletTrail, Changeset, EffectSign, EntryOutcome, TrailStart};
use crate::code::Rejection;
use crate::commands::bullet_life::{BulletHistory, BulletLife, LifeCause, LifeExtent};
use crate::commands::list_and_read::ResolvedAddress;
use crate::document::{Document, Handle};
use crate::operation::Snapshot;
use crate::path::MemoryPath;

/// Where the removed bullets were before, and their earlier wordings.
#[derive(Default)]
pub(super) struct EarlierBullets {
    /// Other files, the farthest back first.
    pub(super) paths: Vec<MemoryPath>,
    pub(super) texts: Vec<String>,
    /// The numbers of all their handles.
    pub(super) handles: Vec<u64>,
    /// Whether the history does not have all of it.
    pub(super) is_incomplete: bool,
}

/// Follows the bullets that a changeset removes back through the history. `texts` are what it removes.
///
/// # Errors
/// `io`.
pub(super) fn earlier_bullets(
    history: &BulletHistory<'_>,
    changeset: &Changeset,
    snapshot: &Snapshot,
    texts: &[String],
) -> Result<EarlierBullets, Rejection> {
    let mut earlier = EarlierBullets::default();
    for file in &changeset.files {
        let Ok(Some(before)) = snapshot.file(&file.path) else { continue };
        let document = &before.document;
        let bullets: Vec<usize> = (0..document.bullets().len()).filter(|i| is_forgotten(document, *i, texts)).collect();
        earlier.handles.extend(bullets.iter().map(|bullet| document.handles()[*bullet].0));
        let named = ResolvedAddress::of_file(&file.path, document);
        for life in history.lives_and_gaps(&named, &bullets, LifeExtent::Whole)? {
            earlier.is_incomplete |= life.is_incomplete;
            for past in life.events.into_iter().filter_map(|event| event.earlier) {
                earlier.texts.extend(search_string(&format!("- {}", past.text)));
                earlier.handles.push(past.handle.0);
                earlier.paths.push(past.path);
            }
        }
    }
    // A bullet that is in the history only.
    let removed = changeset.effects.iter().filter(|effect| effect.sign == EffectSign::Removed);
    earlier.paths.extend(removed.map(|effect| effect.path.clone()));
    let mut seen: BTreeSet<MemoryPath> = changeset.files.iter().map(|file| file.path.clone()).collect();
    earlier.paths.retain(|path| seen.insert(path.clone()));
    earlier.paths.reverse();
    earlier.texts.sort();
    earlier.texts.dedup();
    Ok(earlier)
}

fn is_forgotten(document: &Document, bullet: usize, texts: &[String]) -> bool {
    search_string(&format!("- {}", document.bullet_text(bullet))).is_some_and(|text| texts.contains(&text))
}

/// The trails of all bullets that stay and have a part of their past in one of the files whose history is erased.
///
/// # Errors
/// `io`.
pub(super) fn trails_to_keep(
    history: &BulletHistory<'_>,
    changeset: &Changeset,
    erased: &[MemoryPath],
    texts: &[String],
    forgotten: &[u64],
) -> Result<Vec<BulletTrail>, Rejection> {
    let erased: BTreeSet<&MemoryPath> = erased.iter().collect();
    let mut trails = Vec::new();
    for path in connected_files(history, &erased) {
        let is_removed = changeset.files.iter().any(|file| file.path == path && file.after.is_none());
        let Some(document) = history.current(&path)?.filter(|_| !is_removed && !path.is_in_inbox()) else { continue };
        let bullets: Vec<usize> =
            (0..document.bullets().len()).filter(|i| !is_forgotten(&document, *i, texts)).collect();
        let named = ResolvedAddress::of_file(&path, &document);
        let lives = history.lives_and_gaps(&named, &bullets, LifeExtent::Whole)?;
        for (bullet, life) in bullets.into_iter().zip(lives) {
            trails.extend(trail_of(history, &path, document.handles()[bullet], &life, &erased));
        }
    }
    trails.retain(|trail| !forgotten.contains(&trail.bullet));
    Ok(trails)
}

/// The files that revisions changed together with one of these files, directly or through others.
fn connected_files(history: &BulletHistory<'_>, erased: &BTreeSet<&MemoryPath>) -> Vec<MemoryPath> {
    let mut connected: BTreeSet<MemoryPath> = erased.iter().map(|path| (*path).clone()).collect();
    loop {
        let count = connected.len();
        for entry in history.entries.iter().filter(|entry| entry.outcome == EntryOutcome::Done) {
            if entry.files.iter().any(|file| connected.contains(&file.path)) {
                connected.extend(entry.files.iter().map(|file| file.path.clone()));
            }
        }
        if connected.len() == count {
            return connected.into_iter().collect();
        }
    }
}

/// The trail of a bullet across the files whose history is erased; `None` if it was in none of them.
fn trail_of(
    history: &BulletHistory<'_>,
    path: &MemoryPath,
    handle: Handle,
    life: &BulletLife,
    erased: &BTreeSet<&MemoryPath>,
) -> Option<BulletTrail> {
    let (mut at, mut bullet) = (path, handle);
    let mut events = life.events.iter();
    let mut crossed = None;
    while !erased.contains(at) {
        let event = events.next()?;
        let Some(earlier) = &event.earlier else { continue };
        if erased.contains(&earlier.path) {
            crossed = Some(event);
            break;
        }
        (at, bullet) = (&earlier.path, earlier.handle);
    }
    let mut trail = BulletTrail { path: at.to_string(), bullet: bullet.0, from: None, incomplete: false };
    // The wordings that only the erased part has.
    let mut wordings = Vec::new();
    for event in crossed.into_iter().chain(events) {
        let Some(earlier) = &event.earlier else { continue };
        if let LifeCause::Entry(index) = event.cause
            && !erased.contains(&earlier.path)
        {
            let rev = history.entries[index].rev;
            trail.from = Some(TrailStart { rev, path: earlier.path.to_string(), bullet: earlier.handle.0 });
            trail.incomplete = wordings.iter().any(|handle| ![bullet, earlier.handle].contains(handle));
            return Some(trail);
        }
        wordings.push(earlier.handle);
    }
    trail.incomplete = life.is_incomplete || wordings.iter().any(|handle| *handle != bullet);
    Some(trail)
}
