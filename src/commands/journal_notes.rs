//! Notes about the journal's beginning, so that commands cost the same however long it is.
//!
//! Never needed: without a note the whole journal is read.

use crate::code::Rejection;
use crate::store::{BULLETS_NOTE, NotedJournal, Store};
use crate::view::query::bullet_origins::BulletOrigins;
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

/// What the journal knows of bullets.
///
/// # Errors
/// `io`, `too_large`.
pub fn bullet_origins(store: &Store) -> Result<BulletOrigins, Rejection> {
    // Unfiltered, because only the actor, time and source of items that the caller sees are taken from it.
    let store = store.unfiltered();
    let Some(noted) = store.read_journal_note(BULLETS_NOTE)? else { return Ok(BulletOrigins::default()) };
    if noted.is_overdue() {
        extend_bullets_note(&store, &noted);
    }
    let entries = noted.entries();
    let known = match &noted.note {
        None => Some(BulletOrigins::from_journal(&entries)),
        Some(note) => BulletOrigins::from_note(note, &entries),
    };
    match known {
        Some(known) => Ok(known),
        None => Ok(BulletOrigins::from_journal(&store.journal()?)),
    }
}

/// Extends the notes up to the newest revisions if that is worth it, on a best-effort basis: call it in bulk, not at
/// every change.
pub fn extend_notes(store: &Store) {
    store.note_files();
    if let Ok(Some(noted)) = store.read_journal_note(BULLETS_NOTE)
        && noted.is_due()
    {
        extend_bullets_note(store, &noted);
    }
}

fn extend_bullets_note(store: &Store, noted: &NotedJournal) {
    let Some(entries) = noted.entries_to_note() else { return };
    let known = match &noted.note {
        None => Some(BulletOrigins::from_journal(&entries)),
        Some(note) => BulletOrigins::from_note(note, &entries),
    };
    if let Some(known) = known {
        store.write_journal_note(BULLETS_NOTE, noted, &known.to_note());
    }
}
