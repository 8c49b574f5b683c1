//! The scopes of a memory in a sync: their files are in the memory's repository, their journals and notes in each scope.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use super::super::scope::leftover_notes;
use super::SyncRun;
use super::sync_state::{SyncMerge, SyncState};
use crate::change::{Etag, FileVersion};
use crate::path::{ARCHIVED_SCOPES, MemoryPath, SCOPES_FOLDER};
use crate::store::Store;
use crate::store::scopes::ScopeState;
use crate::view::journal;

/// Where a path of the repository is: `scopes/web/facts/user.md` is `facts/user.md` of the scope `web`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ScopePath<'p> {
    pub state: ScopeState,
    pub name: &'p str,
    /// The path in the scope.
    pub inner: &'p str,
}

impl<'p> ScopePath<'p> {
    /// `None` for a path in no scope.
    pub fn parse(path: &'p str) -> Option<ScopePath<'p>> {
        let rest = path.strip_prefix(SCOPES_FOLDER)?.strip_prefix('/')?;
        let archived = rest.strip_prefix(ARCHIVED_SCOPES).and_then(|rest| rest.strip_prefix('/'));
        let state = if archived.is_some() { ScopeState::Archived } else { ScopeState::Live };
        let (name, inner) = archived.unwrap_or(rest).split_once('/')?;
        Some(ScopePath { state, name, inner })
    }

    /// Whether the scope is archived, and its name.
    fn key(self) -> (bool, &'p str) {
        (self.state == ScopeState::Archived, self.name)
    }
}

/// A file of a scope as it is.
pub struct SyncedFile {
    /// `None`: it does not exist.
    pub version: Option<FileVersion>,
    /// Whether its text is not the one that memdir wrote last.
    pub edited_outside: bool,
}

struct SyncedScope {
    store: Store,
    /// The last version of each file that the scope's journal knows.
    last_writes: HashMap<MemoryPath, Option<Etag>>,
}

/// The scopes in which some paths of a repository are, by state and name.
pub struct SyncedScopes {
    scopes: BTreeMap<(bool, String), SyncedScope>,
}

impl SyncedScopes {
    /// Opens the scopes of these paths. One that cannot be opened is left out, and a journal that cannot be read counts
    /// as empty.
    pub fn of<'p>(memory: &Store, paths: impl Iterator<Item = &'p str>) -> SyncedScopes {
        let places: BTreeSet<(bool, &str)> = paths.filter_map(ScopePath::parse).map(|path| path.key()).collect();
        let open = |(is_archived, name): (bool, &str)| {
            let state = if is_archived { ScopeState::Archived } else { ScopeState::Live };
            let store = memory.open_scope(state, name).ok().flatten()?;
            let entries = store.journal().unwrap_or_default();
            let last_writes = journal::last_etags(&entries);
            let last_writes = last_writes.into_iter().map(|(path, (etag, _))| (path.clone(), etag)).collect();
            Some(((is_archived, name.to_owned()), SyncedScope { store, last_writes }))
        };
        SyncedScopes { scopes: places.into_iter().filter_map(open).collect() }
    }

    /// The file of a repository's path; `None` if it is in none of these scopes.
    pub fn read(&self, path: &str) -> Option<SyncedFile> {
        let path = ScopePath::parse(path)?;
        let (is_archived, name) = path.key();
        let scope = self.scopes.get(&(is_archived, name.to_owned()))?;
        let inner = MemoryPath::from_disk_name(path.inner).ok()?;
        let version = scope.store.read(&inner).ok().flatten();
        let current = version.as_ref().map(|version| version.etag);
        let edited_outside = scope.last_writes.get(&inner).is_none_or(|etag| *etag != current);
        Some(SyncedFile { version, edited_outside })
    }

    /// Records a merge in each scope, and which of its files it replaced. Best effort, as all of [`SyncState`].
    pub fn record_merge(&self, replaced: &[String], merge: Option<&SyncMerge>) {
        for ((is_archived, name), scope) in &self.scopes {
            let in_scope = replaced.iter().filter_map(|path| ScopePath::parse(path));
            let in_scope = in_scope.filter(|path| path.key() == (*is_archived, name.as_str()));
            let inner: Vec<String> = in_scope.map(|path| path.inner.to_owned()).collect();
            let Ok((locked, _)) = scope.store.lock() else { continue };
            let Ok(entries) = scope.store.journal() else { continue };
            let mut state = SyncState::load(&scope.store);
            state.record_merge(&scope.store, &entries, &inner);
            // Of one with conflicts, only the memory keeps what it began with.
            if let Some(merge) = merge.filter(|merge| merge.to.is_some()) {
                let rev = entries.last().map_or(0, |entry| entry.rev);
                state.add_merge(SyncMerge { rev, ..merge.clone() });
            }
            state.save(&locked);
        }
    }
}

impl SyncRun<'_> {
    /// Takes along what git left of the scopes that it moved, and names those that it removed.
    pub(super) fn finish_scopes(&mut self) {
        // What cannot be moved stays for the next `scope` command.
        drop(self.session.store.adopt_leftovers());
        leftover_notes(self.session).iter().for_each(|note| self.note(note));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_path_of_the_repository_is_in_a_scope_or_in_none() {
        let parse = |path| ScopePath::parse(path).map(|path| (path.state, path.name, path.inner));
        assert_eq!(parse("scopes/web/facts/user.md"), Some((ScopeState::Live, "web", "facts/user.md")));
        assert_eq!(parse("scopes/.archived/web/facts/user.md"), Some((ScopeState::Archived, "web", "facts/user.md")));
        assert_eq!(parse("scopes/web"), None);
        assert_eq!(parse("facts/scopes/web/a.md"), None);
    }
}
