//! The scopes of a memory: data directories below `scopes/`, each with its own files, history and lock.
//!
//! Never follows a link: every directory is opened below the data directory's handle. Never deletes a scope in place:
//! it is renamed first, so that a killed purge leaves either the whole scope or leftovers that the next one deletes.

use std::os::fd::{AsFd, OwnedFd};
use std::sync::{Arc, Mutex};

use rustix::fs::{AtFlags, FileType};
use rustix::io::Errno;

use super::journal::JOURNAL_NAME;
use super::root::{DataRoot, create_dir, read_error, write_error};
use super::{Store, init, platform, walk};
use crate::code::{Code, Rejection, quote};
use crate::path::{ARCHIVED_SCOPES, FOLDERS, MemoryPath, SCOPES_FOLDER, ScopeName};

/// The history of a scope, which is in no commit.
pub(super) const HISTORY_FOLDER: &str = ".memdir";
/// The prefix of a scope that is being deleted, in that folder.
const PURGED_PREFIX: &str = ".purged-";
/// Maximum depth of folders in a purged scope: each level holds a descriptor.
const MAX_DEPTH: usize = 128;

/// Where a scope is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ScopeState {
    Live,
    /// Removed, and kept where no query reads.
    Archived,
}

impl ScopeState {
    /// The folder of scopes in this state, below the data directory.
    pub(super) fn folder(self) -> String {
        match self {
            ScopeState::Live => SCOPES_FOLDER.to_owned(),
            ScopeState::Archived => format!("{SCOPES_FOLDER}/{ARCHIVED_SCOPES}"),
        }
    }
}

impl Store {
    /// Opens a scope; `None` if it does not exist, or is no data directory. The store has no filter.
    ///
    /// # Errors
    /// `unsafe_file` if it is a symbolic link, `io`.
    pub fn open_scope(&self, state: ScopeState, name: &str) -> Result<Option<Store>, Rejection> {
        // A scope that a person made may have a name that `ScopeName` refuses.
        if name.contains('/') || MemoryPath::from_disk_name(&format!("{name}/x.md")).is_err() {
            return Ok(None);
        }
        // Where the file system takes two spellings for one name, limits and rules for the scope know one of them.
        if ScopeName::new(name).is_err() && !directory_names(&self.root(), &state.folder())?.iter().any(|n| n == name) {
            return Ok(None);
        }
        let Some(root) = self.root().open_below(&format!("{}/{name}", state.folder()))? else { return Ok(None) };
        let store = Store { root: Mutex::new(Arc::new(root)), ..self.unfiltered() };
        Ok(store.is_data_dir()?.then_some(store))
    }

    /// Whether the directory has the marks of a memory.
    fn is_data_dir(&self) -> Result<bool, Rejection> {
        for name in [init::POLICY_FILE, FOLDERS[0], FOLDERS[1]] {
            if self.has_top_name(name)? {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// The names of the scopes in a state, sorted.
    ///
    /// # Errors
    /// `unsafe_file` if `scopes/` is a symbolic link; `io`.
    pub fn scope_names(&self, state: ScopeState) -> Result<Vec<String>, Rejection> {
        let mut names = Vec::new();
        for name in directory_names(&self.root(), &state.folder())?.into_iter().filter(|name| !name.starts_with('.')) {
            match self.open_scope(state, &name) {
                Ok(Some(_)) => names.push(name),
                // Removed meanwhile, or no memory; what cannot be opened is no scope of ours.
                Ok(None) => {}
                Err(error) if error.code == Code::UnsafeFile => {}
                Err(error) => return Err(error),
            }
        }
        names.sort();
        Ok(names)
    }

    /// Creates the folder of a scope; nothing if it exists.
    ///
    /// # Errors
    /// `unsafe_file` for a link in its place, `read_only`, `io`.
    pub fn create_scope_folder(&self, name: &ScopeName) -> Result<Store, Rejection> {
        let root = self.root();
        create_dir(&root.dir, SCOPES_FOLDER)?;
        let scopes = open_existing(&root, SCOPES_FOLDER)?;
        create_dir(&scopes, name.as_str())?;
        platform::sync(&scopes).map_err(|e| write_error(e, "'scopes/'"))?;
        platform::sync(&root.dir).map_err(|e| write_error(e, "the data directory"))?;
        let gone = || Rejection::new(Code::Io, format!("the scope '{name}' was removed meanwhile"));
        let inner = root.open_below(&name.folder())?.ok_or_else(gone)?;
        Ok(Store { root: Mutex::new(Arc::new(inner)), ..self.unfiltered() })
    }

    /// Moves a scope to the archive, or takes it back from there, in one step. Waits for a writer in the scope; the
    /// next one finds it gone.
    ///
    /// # Errors
    /// `scope_not_found`; `exists` if there is one of that name; `busy`, `read_only`, `io`.
    pub fn move_scope(&self, name: &ScopeName, from: ScopeState, to: ScopeState) -> Result<(), Rejection> {
        let scope = self.open_scope(from, name.as_str())?.ok_or_else(|| scope_not_found(name.as_str()))?;
        let (_locked, _) = scope.lock()?;
        let root = self.root();
        create_dir(open_existing(&root, SCOPES_FOLDER)?, ARCHIVED_SCOPES)?;
        if self.open_scope(to, name.as_str())?.is_none() {
            adopt_leftover(&open_existing(&root, &to.folder())?, name.as_str(), &scope.root().dir)?;
        }
        self.rename_scope((&from.folder(), name.as_str()), (&to.folder(), name.as_str()))
    }

    /// Deletes a scope in a state for good, with its history.
    ///
    /// # Errors
    /// `scope_not_found`, `busy`, `read_only`, `io`; `unsafe_file` for a mount in it.
    pub fn purge_scope(&self, name: &ScopeName, state: ScopeState) -> Result<(), Rejection> {
        let scope = self.open_scope(state, name.as_str())?.ok_or_else(|| scope_not_found(name.as_str()))?;
        let purged = format!("{PURGED_PREFIX}{name}");
        {
            let (_locked, _) = scope.lock()?;
            let root = self.root();
            create_dir(open_existing(&root, SCOPES_FOLDER)?, ARCHIVED_SCOPES)?;
            let archive = ScopeState::Archived.folder();
            remove_tree(&open_existing(&root, &archive)?, &purged, 0)?;
            self.rename_scope((&state.folder(), name.as_str()), (&archive, &purged))?;
        }
        self.finish_purges().map_err(|error| Rejection { changed: Some(true), ..error })
    }

    /// Deletes what interrupted purges left.
    ///
    /// # Errors
    /// `read_only`, `io`, `unsafe_file`.
    pub fn finish_purges(&self) -> Result<(), Rejection> {
        let (root, archive) = (self.root(), ScopeState::Archived.folder());
        for name in directory_names(&root, &archive)?.iter().filter(|name| name.starts_with(PURGED_PREFIX)) {
            remove_tree(&open_existing(&root, &archive)?, name, 0)?;
        }
        Ok(())
    }

    /// Where git took the files of a scope from one place to the other, takes along what it does not know: history and
    /// proposals of this machine.
    ///
    /// # Errors
    /// As [`Store::move_scope`].
    pub fn adopt_leftovers(&self) -> Result<(), Rejection> {
        let root = self.root();
        for (to, from) in [(ScopeState::Live, ScopeState::Archived), (ScopeState::Archived, ScopeState::Live)] {
            for name in directory_names(&root, &from.folder())?.into_iter().filter(|name| !name.starts_with('.')) {
                if let (None, Some(scope)) = (self.open_scope(from, &name)?, self.open_scope(to, &name)?) {
                    adopt_leftover(&open_existing(&root, &from.folder())?, &name, &scope.root().dir)?;
                }
            }
        }
        Ok(())
    }

    /// Renames a directory that is known to be there. A name that is taken stays: `rename` replaces no directory with
    /// anything in it.
    fn rename_scope(&self, from: (&str, &str), to: (&str, &str)) -> Result<(), Rejection> {
        let root = self.root();
        let (source, target) = (open_existing(&root, from.0)?, open_existing(&root, to.0)?);
        rustix::fs::renameat(&source, from.1, &target, to.1).map_err(|e| match e {
            Errno::EXIST | Errno::NOTEMPTY | Errno::NOTDIR => {
                Rejection::new(Code::Exists, format!("'{}/{}' exists already", to.0, to.1))
            }
            e => write_error(e, &format!("'{}/{}'", from.0, from.1)),
        })?;
        for dir in [&target, &source] {
            platform::sync(dir).map_err(|e| Rejection { changed: Some(true), ..write_error(e, "'scopes/'") })?;
        }
        Ok(())
    }
}

/// The error for a scope that does not exist.
pub fn scope_not_found(name: &str) -> Rejection {
    let escaped = quote(name, 80);
    Rejection::new(Code::ScopeNotFound, format!("this memory has no scope {escaped}"))
}

pub(super) fn open_existing(root: &DataRoot, folder: &str) -> Result<OwnedFd, Rejection> {
    root.open_folder(folder)?.ok_or_else(|| super::executor::removed_meanwhile_error(&format!("'{folder}/'")))
}

/// The names of the directories in a folder; none if it does not exist.
pub(super) fn directory_names(root: &DataRoot, folder: &str) -> Result<Vec<String>, Rejection> {
    let Some(dir) = root.open_folder(folder)? else { return Ok(Vec::new()) };
    let (mut names, mut buffer) = (Vec::new(), Vec::with_capacity(32 << 10));
    walk::list_names(&dir, &mut buffer, &mut |name, kind| {
        if matches!(kind, FileType::Directory | FileType::Unknown)
            && !matches!(name, b"." | b"..")
            && let Ok(name) = std::str::from_utf8(name)
        {
            names.push(name.to_owned());
        }
    })
    .map_err(|e| read_error(e, &format!("'{folder}/'")))?;
    Ok(names)
}

/// Empties what is left of a directory after git took its files: what stayed on this machine (`.memdir/`, `inbox/`)
/// goes to the scope that will have its name. Of two `.memdir/` the scope keeps its own, unless only the other one has a
/// journal.
///
/// # Errors
/// `exists` if both have anything else; `read_only`, `io`.
fn adopt_leftover(above: &OwnedFd, name: &str, scope: &OwnedFd) -> Result<(), Rejection> {
    let rest = match platform::open_dir(above.as_fd(), name) {
        Ok(rest) => rest,
        Err(Errno::NOENT) => return Ok(()),
        Err(e) => return Err(read_error(e, &format!("'{name}'"))),
    };
    for entry in entry_names(&rest, name)? {
        let Ok(entry) = std::str::from_utf8(&entry) else { continue };
        match platform::stat_name(scope, entry) {
            Err(Errno::NOENT) => {
                rustix::fs::renameat(&rest, entry, scope, entry).map_err(|e| write_error(e, &format!("'{entry}'")))?;
            }
            Ok(_) if entry == HISTORY_FOLDER => {
                if has_journal(&rest)? && !has_journal(scope)? {
                    move_into(&rest, scope, entry, 0)?;
                }
                remove_tree(&rest, entry, 0)?;
            }
            Ok(_) if entry == init::GITIGNORE_FILE => {
                rustix::fs::unlinkat(&rest, entry, AtFlags::empty())
                    .map_err(|e| write_error(e, &format!("'{entry}'")))?;
            }
            Ok(_) => return Err(Rejection::new(Code::Exists, format!("both directories '{name}' have '{entry}'"))),
            Err(e) => return Err(read_error(e, &format!("'{entry}'"))),
        }
    }
    rustix::fs::unlinkat(above, name, AtFlags::REMOVEDIR).map_err(|e| write_error(e, &format!("'{name}'")))
}

/// Whether there is a history in the `.memdir/` of a directory.
fn has_journal(dir: &OwnedFd) -> Result<bool, Rejection> {
    match platform::stat_name(dir, &format!("{HISTORY_FOLDER}/{JOURNAL_NAME}")) {
        Ok(stat) => Ok(stat.st_size > 0),
        Err(Errno::NOENT | Errno::NOTDIR) => Ok(false),
        Err(e) => Err(read_error(e, "the journal")),
    }
}

/// Moves what a directory has and the one of the same name elsewhere lacks. What both have stays in both; an empty
/// journal counts as none.
///
/// # Errors
/// `too_large` for folders that are too deep; `read_only`, `io`.
fn move_into(from: &OwnedFd, to: &OwnedFd, name: &str, depth: usize) -> Result<(), Rejection> {
    let open = |above: &OwnedFd| platform::open_subdir(above.as_fd(), name.as_bytes());
    let (from, to) = match (open(from), open(to)) {
        (Ok(from), Ok(to)) => (from, to),
        // A file.
        (Err(Errno::NOTDIR | Errno::LOOP), _) | (_, Err(Errno::NOTDIR | Errno::LOOP)) => return Ok(()),
        (Err(e), _) | (_, Err(e)) => return Err(read_error(e, &format!("'{name}'"))),
    };
    if depth == MAX_DEPTH {
        return Err(Rejection::new(Code::TooLarge, format!("'{name}' is too deep to be moved")));
    }
    for entry in entry_names(&from, name)? {
        let Ok(entry) = std::str::from_utf8(&entry) else { continue };
        match platform::stat_name(&to, entry) {
            Ok(stat) if entry != JOURNAL_NAME || stat.st_size > 0 => move_into(&from, &to, entry, depth + 1)?,
            Ok(_) | Err(Errno::NOENT) => {
                rustix::fs::renameat(&from, entry, &to, entry).map_err(|e| write_error(e, &format!("'{entry}'")))?;
            }
            Err(e) => return Err(read_error(e, &format!("'{entry}'"))),
        }
    }
    Ok(())
}

/// The names in a directory.
pub(super) fn entry_names(dir: &OwnedFd, shown: &str) -> Result<Vec<Vec<u8>>, Rejection> {
    let (mut entries, mut buffer) = (Vec::new(), Vec::with_capacity(32 << 10));
    walk::list_names(dir, &mut buffer, &mut |name, _| {
        if !matches!(name, b"." | b"..") {
            entries.push(name.to_vec());
        }
    })
    .map_err(|e| read_error(e, shown))?;
    Ok(entries)
}

/// Deletes a directory with everything in it; links are deleted, not followed. Nothing if there is none.
pub(super) fn remove_tree(above: &OwnedFd, name: impl AsRef<[u8]>, depth: usize) -> Result<(), Rejection> {
    let name = name.as_ref();
    let shown = format!("'{}'", String::from_utf8_lossy(name));
    let dir = match platform::open_subdir(above.as_fd(), name) {
        Ok(dir) if depth < MAX_DEPTH => dir,
        Ok(_) => return Err(Rejection::new(Code::TooLarge, format!("{shown} is too deep to be deleted"))),
        Err(Errno::NOENT) => return Ok(()),
        Err(e) => return Err(read_error(e, &shown)),
    };
    for entry in entry_names(&dir, &shown)? {
        match rustix::fs::unlinkat(&dir, &*entry, AtFlags::empty()) {
            Ok(()) | Err(Errno::NOENT) => {}
            // Linux says EISDIR, POSIX EPERM.
            Err(Errno::ISDIR | Errno::PERM) => remove_tree(&dir, &entry, depth + 1)?,
            Err(e) => return Err(write_error(e, &shown)),
        }
    }
    match rustix::fs::unlinkat(above, name, AtFlags::REMOVEDIR) {
        Ok(()) | Err(Errno::NOENT) => Ok(()),
        Err(e) => Err(write_error(e, &shown)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::store::StoreOptions;

    fn memory() -> (tempfile::TempDir, Store) {
        let dir = tempfile::tempdir().unwrap();
        let store = Store::open(dir.path(), StoreOptions::default()).unwrap();
        (dir, store)
    }

    fn scope(store: &Store, name: &str) -> ScopeName {
        let name = ScopeName::new(name).unwrap();
        let scope = store.create_scope_folder(&name).unwrap();
        scope.create_file(init::POLICY_FILE, b"version: 1\n").unwrap();
        name
    }

    #[test]
    fn a_scope_is_archived_restored_and_purged() {
        let (dir, store) = memory();
        let web = scope(&store, "web");
        scope(&store, "app");
        fs_err::create_dir_all(dir.path().join("scopes/no-memory/x")).unwrap();
        assert_eq!(store.scope_names(ScopeState::Live).unwrap(), ["app", "web"]);
        store.move_scope(&web, ScopeState::Live, ScopeState::Archived).unwrap();
        assert_eq!(store.scope_names(ScopeState::Live).unwrap(), ["app"]);
        assert_eq!(store.scope_names(ScopeState::Archived).unwrap(), ["web"]);
        assert!(store.open_scope(ScopeState::Live, "web").unwrap().is_none());
        store.move_scope(&web, ScopeState::Archived, ScopeState::Live).unwrap();
        assert_eq!(store.scope_names(ScopeState::Live).unwrap(), ["app", "web"]);
        std::os::unix::fs::symlink(dir.path(), dir.path().join("scopes/web/link")).unwrap();
        store.purge_scope(&web, ScopeState::Live).unwrap();
        assert!(!dir.path().join("scopes/web").exists() && dir.path().join("scopes/app/memdir.yaml").exists());
        assert_eq!(fs_err::read_dir(dir.path().join("scopes/.archived")).unwrap().count(), 0);
    }

    #[test]
    fn a_name_that_is_taken_stays() {
        let (_dir, store) = memory();
        let web = scope(&store, "web");
        store.move_scope(&web, ScopeState::Live, ScopeState::Archived).unwrap();
        scope(&store, "web");
        let refused = store.move_scope(&web, ScopeState::Live, ScopeState::Archived).unwrap_err();
        assert_eq!(refused.code, Code::Exists);
        assert_eq!(store.scope_names(ScopeState::Live).unwrap(), ["web"]);
    }

    #[test]
    fn what_a_killed_purge_left_is_deleted_by_the_next() {
        let (dir, store) = memory();
        scope(&store, "app");
        let rest = dir.path().join("scopes/.archived/.purged-web/facts/deep");
        fs_err::create_dir_all(&rest).unwrap();
        fs_err::write(rest.join("x.md"), "- x\n").unwrap();
        assert_eq!(store.scope_names(ScopeState::Archived).unwrap(), [""; 0]);
        store.finish_purges().unwrap();
        assert!(!dir.path().join("scopes/.archived/.purged-web").exists());
    }

    #[test]
    fn of_two_histories_the_one_with_a_journal_stays() {
        for (kept, expected) in [("", "old"), ("new", "new")] {
            let (dir, store) = memory();
            scope(&store, "web");
            let [live, left] = ["scopes/web", "scopes/.archived/web"].map(|at| dir.path().join(at).join(".memdir"));
            for (at, journal) in [(&live, kept), (&left, "old")] {
                fs_err::create_dir_all(at.join("undo")).unwrap();
                fs_err::write(at.join("sync"), journal).unwrap();
                fs_err::write(at.join("journal"), journal).unwrap();
                fs_err::write(at.join("undo").join(format!("{journal}-0")), "text").unwrap();
            }
            if kept.is_empty() {
                fs_err::remove_file(live.join("journal")).unwrap();
            }
            store.adopt_leftovers().unwrap();
            let read = |name: &str| fs_err::read_to_string(live.join(name)).unwrap();
            assert_eq!((read("journal").as_str(), read("sync").as_str()), (expected, kept));
            assert_eq!(read(&format!("undo/{expected}-0")), "text");
            assert!(!dir.path().join("scopes/.archived/web").exists());
        }
    }

    #[test]
    fn a_link_is_no_scope() {
        let (dir, store) = memory();
        let other = tempfile::tempdir().unwrap();
        fs_err::create_dir(other.path().join("facts")).unwrap();
        scope(&store, "app");
        std::os::unix::fs::symlink(other.path(), dir.path().join("scopes/web")).unwrap();
        assert_eq!(store.open_scope(ScopeState::Live, "web").map(drop).unwrap_err().code, Code::UnsafeFile);
        assert_eq!(store.scope_names(ScopeState::Live).unwrap(), ["app"]);
        let web = ScopeName::new("web").unwrap();
        assert!(store.create_scope_folder(&web).is_err() && store.purge_scope(&web, ScopeState::Live).is_err());
        assert!(other.path().join("facts").exists());
    }

    #[test]
    fn a_writer_does_not_follow_a_link_that_took_the_place_of_its_scope() {
        let (dir, store) = memory();
        let other = tempfile::tempdir().unwrap();
        fs_err::create_dir(other.path().join("facts")).unwrap();
        scope(&store, "web");
        let open = store.open_scope(ScopeState::Live, "web").unwrap().unwrap();
        fs_err::rename(dir.path().join("scopes/web"), dir.path().join("scopes/moved")).unwrap();
        assert_eq!(open.lock().map(drop).unwrap_err().code, Code::NoDataDir);
        std::os::unix::fs::symlink(other.path(), dir.path().join("scopes/web")).unwrap();
        assert_eq!(open.lock().map(drop).unwrap_err().code, Code::UnsafeFile);
    }
}
