//! The scopes of a memory in a sync: their files are in the memory's repository, their journals and notes in each scope.

use std::collections::{BTreeMap, BTreeSet};

use super::sync_state::SyncState;
use crate::change::{FileVersion, JournalEntry};
use crate::path::MemoryPath;
use crate::store::Store;
use crate::store::scopes::ScopeState;

/// Divides `scopes/web/facts/user.md` into the name of the scope and the path in it; `None` for a path in no scope.
pub fn split_scope_path(path: &str) -> Option<(&str, &str)> {
    path.strip_prefix("scopes/")?.split_once('/')
}

/// A live scope, and its journal.
struct SyncedScope {
    store: Store,
    entries: Vec<JournalEntry>,
}

/// The live scopes in which some paths of a repository are.
pub struct SyncedScopes {
    scopes: BTreeMap<String, SyncedScope>,
}

impl SyncedScopes {
    /// Opens the scopes of these paths. One that cannot be opened is left out, and a journal that cannot be read counts
    /// as empty.
    pub fn of<'p>(memory: &Store, paths: impl Iterator<Item = &'p str>) -> SyncedScopes {
        let names: BTreeSet<&str> = paths.filter_map(|path| Some(split_scope_path(path)?.0)).collect();
        let open = |name: &str| {
            let store = memory.open_scope(ScopeState::Live, name).ok().flatten()?;
            let entries = store.journal().unwrap_or_default();
            Some((name.to_owned(), SyncedScope { store, entries }))
        };
        SyncedScopes { scopes: names.into_iter().filter_map(open).collect() }
    }

    /// The file of a repository's path: what it holds, and the journal and path that it has in its scope; `None` if it
    /// is in none of these scopes.
    pub fn read(&self, path: &str) -> Option<(Option<FileVersion>, &[JournalEntry], MemoryPath)> {
        let (name, inner) = split_scope_path(path)?;
        let scope = self.scopes.get(name)?;
        let inner = MemoryPath::from_disk_name(inner).ok()?;
        Some((scope.store.read(&inner).ok().flatten(), &scope.entries, inner))
    }

    /// Records in each scope which of its files a merge replaced. Best effort, as all of [`SyncState`].
    pub fn record_merge(&self, replaced: &[String]) {
        for (name, scope) in &self.scopes {
            let is_in = |path: &String| {
                split_scope_path(path).filter(|(scope, _)| scope == name).map(|(_, inner)| inner.to_owned())
            };
            let inner: Vec<String> = replaced.iter().filter_map(is_in).collect();
            let Ok((locked, _)) = scope.store.lock() else { continue };
            let mut state = SyncState::load(&scope.store);
            state.record_merge(&scope.store, &scope.entries, &inner);
            state.save(&locked);
        }
    }
}
