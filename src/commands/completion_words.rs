//! The words that shell completion offers besides addresses: scopes, tags, who made changes, and who may call.
//!
//! Never changes anything, and never offers what the caller may not see.

use std::collections::BTreeSet;

use super::{LogOptions, Session, log};
use crate::document::{Document, MAX_FILE_BYTES};
use crate::store::Store;
use crate::store::scopes::ScopeState;
use crate::view::journal::OUTSIDE;
use crate::view::query::bullet_origins::BulletOrigins;
use crate::view::query::count::ItemizedFile;
use crate::view::query::item_facts::ItemFacts;

/// How many revisions, the newest, are searched for names.
const MAX_REVISIONS: usize = 1000;

/// The names of the scopes in use; none in a scope, and none for a caller that does not see the whole memory.
pub fn scopes(session: &Session) -> Vec<String> {
    scopes_in(session, ScopeState::Live)
}

/// The names of the scopes that can be taken back, as [`scopes`].
pub fn archived_scopes(session: &Session) -> Vec<String> {
    scopes_in(session, ScopeState::Archived)
}

fn scopes_in(session: &Session, state: ScopeState) -> Vec<String> {
    if session.scope.is_some() || session.store.require_unfiltered().is_err() {
        return Vec::new();
    }
    session.store.scope_names(state).unwrap_or_default()
}

/// The sessions of the caller in all scopes in use; none in a scope.
pub fn sessions_in_scopes(session: &Session) -> Vec<Session> {
    if session.scope.is_some() {
        return Vec::new();
    }
    let names = session.store.scope_names(ScopeState::Live).unwrap_or_default();
    names.iter().filter_map(|name| session.session_in_scope(name).ok()).collect()
}

/// The tags by which `query` finds the items of the memory and of those that are read with it, sorted: `#tags` in their
/// texts, and those of front matter.
pub fn tags(session: &Session) -> Vec<String> {
    let others = session.sources().map(|sources| sources.sessions).unwrap_or_default();
    let stores = std::iter::once(&session.store).chain(others.iter().map(|(_, other)| &other.store));
    stores.flat_map(tags_in).collect::<BTreeSet<String>>().into_iter().collect()
}

fn tags_in(store: &Store) -> BTreeSet<String> {
    let mut files = store.walk(None).unwrap_or_default();
    files.retain(|file| !file.path.is_set_aside());
    let of_files = store.map_files(&files, MAX_FILE_BYTES, &|file, read| {
        let text = read.ok().and_then(|(bytes, _)| std::str::from_utf8(bytes).ok()).unwrap_or_default();
        let file = ItemizedFile::without_counts(file.path.clone(), Document::parse(text));
        let (origins, mut tags) = (BulletOrigins::default(), BTreeSet::new());
        let facts = ItemFacts::new(&file, &origins);
        (0..file.items.len()).for_each(|item| tags.extend(facts.tags(item)));
        tags
    });
    of_files.into_iter().flatten().collect()
}

/// The names of those who made the newest changes, sorted.
pub fn actors(session: &Session) -> Vec<String> {
    let options = LogOptions { limit: Some(MAX_REVISIONS), ..LogOptions::default() };
    let entries = log(session, &options).map(|log| log.entries).unwrap_or_default();
    let names: BTreeSet<String> = entries.into_iter().map(|entry| entry.actor).collect();
    names.into_iter().filter(|name| name != OUTSIDE).collect()
}

/// The names under which a caller may act, sorted: those who made the newest changes, and the agents of the policy,
/// unless the caller does not see the whole memory.
pub fn callers(session: &Session) -> Vec<String> {
    let mut names: BTreeSet<String> = actors(session).into_iter().collect();
    if session.store.require_unfiltered().is_ok() {
        names.extend(session.policy.policy.allowlists.iter().map(|(agent, _)| agent.clone()));
    }
    names.into_iter().collect()
}
