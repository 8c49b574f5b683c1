//! The words that shell completion offers besides addresses: scopes, tags, and who made changes.
//!
//! Never changes anything, and never offers what the caller may not see.

use std::collections::BTreeSet;

use super::{LogOptions, Session, log, query};
use crate::store::scopes::ScopeState;
use crate::view::query::filter::QueryOptions;
use crate::view::query::item_facts::hashtags;

/// How many revisions, the newest, are searched for names.
const MAX_REVISIONS: usize = 1000;
/// What stands for the actor of an edit that memdir did not make.
const OUTSIDE: &str = "outside";

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

/// The `#tags` in the texts of all items, sorted; not those of front matter.
pub fn tags(session: &Session) -> Vec<String> {
    let options = QueryOptions { within: vec!["**".to_owned()], ..QueryOptions::default() };
    let mut tags = Vec::new();
    for row in query(session, &options).map(|result| result.items).unwrap_or_default() {
        hashtags(&row.text, &mut tags);
    }
    tags.into_iter().collect::<BTreeSet<String>>().into_iter().collect()
}

/// The names of those who made the newest changes, sorted.
pub fn actors(session: &Session) -> Vec<String> {
    let options = LogOptions { limit: Some(MAX_REVISIONS), ..LogOptions::default() };
    let entries = log(session, &options).map(|log| log.entries).unwrap_or_default();
    let names: BTreeSet<String> = entries.into_iter().map(|entry| entry.actor).collect();
    names.into_iter().filter(|name| name != OUTSIDE).collect()
}
