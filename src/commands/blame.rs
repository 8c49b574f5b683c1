//! `list --blame`: who last changed each bullet, when, and from what.
//!
//! Never guesses: a bullet that no revision explains is `unknown`.

use super::Session;
use super::bullet_life::{BulletHistory, LifeCause, LifeEvent, LifeExtent};
use super::list_and_read::{ResolvedAddress, resolve_address, shared_address};
use crate::code::Rejection;
use crate::host::line_history::GitCommit;
use crate::store::Store;
use crate::view::outline::{BulletBlame, CommitOrigin, LifeChange, Outline};

/// Adds its last change to each bullet of an outline, from the history of the layer that the address names, else from
/// the session's own.
///
/// # Errors
/// `io`, `too_large`, `scope_not_allowed`.
pub(super) fn add_blame(
    session: &Session,
    address: &str,
    named: &ResolvedAddress,
    outline: &mut Outline,
) -> Result<(), Rejection> {
    session.require_own_scope(address)?;
    match shared_address(session, address)? {
        Some((_, layer, inner)) => add_last_changes(&layer, &resolve_address(&layer, inner)?, outline),
        None => add_last_changes(session, named, outline),
    }
}

/// Reads the journal once.
fn add_last_changes(session: &Session, named: &ResolvedAddress, outline: &mut Outline) -> Result<(), Rejection> {
    if outline.bullets.is_empty() {
        return Ok(());
    }
    let history = BulletHistory::open(session, Store::read_whole_history)?;
    let numbers: Vec<usize> = outline.bullets.iter().map(|bullet| bullet.number).collect();
    let lives = history.lives(named, &numbers, LifeExtent::LastChange)?;
    for (bullet, life) in outline.bullets.iter_mut().zip(lives) {
        bullet.blame = Some(blame_of(session, &history, life.first()));
    }
    Ok(())
}

pub(super) fn commit_origin(commit: &GitCommit) -> CommitOrigin {
    CommitOrigin { id: commit.id.clone(), author: commit.author.clone(), at: commit.at.clone() }
}

fn blame_of(session: &Session, history: &BulletHistory<'_>, event: Option<&LifeEvent>) -> BulletBlame {
    let Some(event) = event else { return BulletBlame::default() };
    let entry = match event.cause {
        LifeCause::Entry(index) => Some(&history.entries[index]),
        LifeCause::Outside(_) | LifeCause::Merged(_) | LifeCause::Committed => None,
    };
    // Reason and source may mention anything, so a restricted reader does not get them.
    let described = entry.filter(|_| session.store.require_unfiltered().is_ok());
    BulletBlame {
        change: event.change,
        rev: entry.map(|entry| format!("r{}", entry.rev)),
        at: entry.map(|entry| entry.header.at.clone()),
        actor: Some(match event.cause {
            LifeCause::Entry(index) => history.entries[index].header.actor.clone(),
            LifeCause::Outside(_) => "outside".into(),
            LifeCause::Merged(_) => "merged".into(),
            LifeCause::Committed => "committed".into(),
        }),
        proposed_by: entry.map(|entry| entry.proposers().join(", ")).filter(|names| !names.is_empty()),
        from: event.earlier.as_ref().filter(|_| event.change == LifeChange::Updated).map(|e| e.text.clone()),
        moved_from: event.earlier.as_ref().filter(|_| event.change == LifeChange::Moved).map(|e| e.address()),
        reason: described.and_then(|entry| entry.header.reason.clone()),
        source: described.and_then(|entry| entry.header.source.clone()),
        commit: event.commit.as_ref().map(commit_origin),
    }
}
