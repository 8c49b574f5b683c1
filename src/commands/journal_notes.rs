//! Notes about the journal's beginning, so that commands cost the same however long it is.
//!
//! Never needed: without a note the whole journal is read.

use jiff::tz::TimeZone;

use crate::code::Rejection;
use crate::path::MemoryPath;
use crate::store::{BULLETS_NOTE, NotedJournal, RecordOutline, Store};
use crate::view::query::bullet_origins::{BulletOrigins, new_texts};
use crate::view::stale_anchors::{STALE_ANCHORS_NOTE, StaleAnchors};

/// The anchors that the last check on this machine found stale.
pub fn stale_anchors(store: &Store) -> StaleAnchors {
    store.read_note(STALE_ANCHORS_NOTE).as_deref().map(StaleAnchors::from_note).unwrap_or_default()
}

/// Adds what the last check of anchors found. Costs one system call where there was none.
pub fn with_stale_anchors(store: &Store, mut origins: BulletOrigins) -> BulletOrigins {
    origins.stale_anchors = stale_anchors(store);
    origins
}

/// What the journal knows of bullets, with days in a time zone.
///
/// # Errors
/// `io`, `too_large`.
pub fn bullet_origins(store: &Store, zone: &TimeZone) -> Result<BulletOrigins, Rejection> {
    let mut origins = read_origins(store)?;
    origins.zone = Some(zone.clone());
    Ok(origins)
}

fn read_origins(store: &Store) -> Result<BulletOrigins, Rejection> {
    // Unfiltered, because only the actor, time and source of items that the caller sees are taken from it.
    let store = store.unfiltered();
    let Some(mut noted) = store.read_journal_note(BULLETS_NOTE)? else { return Ok(BulletOrigins::default()) };
    if noted.is_overdue() {
        extend_bullets_note(&store, &mut noted);
    }
    let Some(mut origins) = noted_origins(&mut noted) else {
        return Ok(BulletOrigins::from_journal(&store.journal()?));
    };
    let added = noted.outlines(&mut |outline| add_outline(&mut origins, outline));
    match added {
        Some(()) => Ok(origins),
        None => Ok(BulletOrigins::from_journal(&store.journal()?)),
    }
}

/// What the note says; `None` if it cannot be read.
fn noted_origins(noted: &mut NotedJournal) -> Option<BulletOrigins> {
    match noted.note.take() {
        None => Some(BulletOrigins::default()),
        Some(note) => BulletOrigins::from_note(note),
    }
}

fn add_outline(origins: &mut BulletOrigins, outline: &RecordOutline<'_>) {
    if outline.is_inversion() {
        return;
    }
    let texts = outline.operations.iter().flat_map(new_texts);
    let files = outline.files.iter().filter_map(|file| MemoryPath::from_disk_name(&file.path).ok()).collect();
    origins.add(&outline.at, &outline.actor, outline.source.as_deref(), texts, files);
}

/// Extends the notes up to the newest revisions if that is worth it, on a best-effort basis: call it in bulk, not at
/// every change.
pub fn extend_notes(store: &Store) {
    store.note_files();
    store.note_requests();
    if let Ok(Some(mut noted)) = store.read_journal_note(BULLETS_NOTE)
        && noted.is_due()
    {
        extend_bullets_note(store, &mut noted);
    }
}

fn extend_bullets_note(store: &Store, noted: &mut NotedJournal) {
    let note = noted.note.clone();
    if let Some(mut origins) = noted_origins(noted)
        && let Some(()) = noted.outlines_to_note(&mut |outline| add_outline(&mut origins, outline))
    {
        store.write_journal_note(BULLETS_NOTE, noted, &origins.to_note());
    }
    noted.note = note;
}
