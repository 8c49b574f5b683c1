//! What is left on this machine of a scope whose files git removed: its history, and proposals.
//!
//! Never deletes a file of a memory: where there is one, the scope only lacks its `memdir.yaml`.

use std::os::fd::{AsFd, OwnedFd};

use rustix::fs::{AtFlags, FileType};
use rustix::io::Errno;

use super::scopes::{
    HISTORY_FOLDER, ScopeState, directory_names, entry_names, open_existing, remove_tree, scope_not_found,
};
use super::{Store, init, platform, walk};
use crate::code::{Code, Rejection};
use crate::path::{FOLDERS, ScopeName};

/// The folder of proposals, which git ignores.
const INBOX_FOLDER: &str = "inbox";
/// Maximum depth of folders that are searched for files.
const MAX_DEPTH: usize = 128;

/// What is left of a scope that is no memory any more, and has a history.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ScopeLeftovers {
    pub name: ScopeName,
    /// The number of files in `inbox/`, which git ignores, too.
    pub in_inbox: usize,
    /// Whether there are files of a memory elsewhere: not yet committed, or without `memdir.yaml` by mistake.
    pub has_files: bool,
}

impl Store {
    /// What is left of a scope in the states in which it is no memory; `None` where no history is left.
    ///
    /// # Errors
    /// `unsafe_file`, `io`.
    pub fn leftovers_of(&self, name: &ScopeName) -> Result<Option<ScopeLeftovers>, Rejection> {
        let mut found = None;
        for state in [ScopeState::Live, ScopeState::Archived] {
            let folder = format!("{}/{name}", state.folder());
            let root = self.root();
            if self.open_scope(state, name.as_str())?.is_some()
                || root.open_folder(&format!("{folder}/{HISTORY_FOLDER}"))?.is_none()
            {
                continue;
            }
            let Some(dir) = root.open_folder(&folder)? else { continue };
            let leftovers = found.get_or_insert(ScopeLeftovers { name: name.clone(), in_inbox: 0, has_files: false });
            for (entry, kind) in entries(&dir)?.into_iter().filter(|(entry, _)| !entry.starts_with(b".")) {
                let is_folder = FOLDERS.iter().any(|folder| folder.as_bytes() == entry);
                let counts = |file: &[u8]| is_folder || file.ends_with(b".md");
                let count = count_files(&dir, &entry, kind, &counts, 0)?;
                if entry == INBOX_FOLDER.as_bytes() {
                    leftovers.in_inbox += count
                } else {
                    leftovers.has_files |= count > 0
                }
            }
        }
        Ok(found)
    }

    /// [`Store::leftovers_of`] each name for which there are any, sorted by name.
    ///
    /// # Errors
    /// `unsafe_file`, `io`.
    pub fn scope_leftovers(&self) -> Result<Vec<ScopeLeftovers>, Rejection> {
        let mut names = Vec::new();
        for state in [ScopeState::Live, ScopeState::Archived] {
            names.extend(directory_names(&self.root(), &state.folder())?);
        }
        names.sort();
        names.dedup();
        let mut found = Vec::new();
        for name in names.iter().filter_map(|name| ScopeName::existing(name).ok()) {
            found.extend(self.leftovers_of(&name)?);
        }
        Ok(found)
    }

    /// Deletes the history that is left of a scope, with its `inbox/`; returns what that was. Other files stay.
    ///
    /// # Errors
    /// `scope_not_found` if nothing is left, or files of a memory are there; `busy`, `read_only`, `io`, `unsafe_file`.
    pub fn purge_scope_leftovers(&self, name: &ScopeName) -> Result<ScopeLeftovers, Rejection> {
        // No sync brings the scope's files back meanwhile.
        let (_locked, _) = self.lock()?;
        let root = self.root();
        let leftovers = self.leftovers_of(name)?.ok_or_else(|| scope_not_found(name.as_str()))?;
        if leftovers.has_files {
            return Err(scope_without_policy(name));
        }
        for state in [ScopeState::Live, ScopeState::Archived] {
            if self.open_scope(state, name.as_str())?.is_some() {
                continue;
            }
            let Some(dir) = root.open_folder(&format!("{}/{name}", state.folder()))? else { continue };
            remove_tree(&dir, INBOX_FOLDER, 0)?;
            FOLDERS.iter().for_each(|folder| remove_empty_folders(&dir, folder, 0));
            _ = rustix::fs::unlinkat(&dir, init::GITIGNORE_FILE, AtFlags::empty());
            // Last: a purge that is killed before is found again.
            remove_tree(&dir, HISTORY_FOLDER, 0)?;
            _ = rustix::fs::unlinkat(&open_existing(&root, &state.folder())?, name.as_str(), AtFlags::REMOVEDIR);
        }
        Ok(leftovers)
    }
}

/// The error for a directory with files and the history of a scope, which nothing marks as a memory.
pub fn scope_without_policy(name: &ScopeName) -> Rejection {
    Rejection::new(Code::ScopeNotFound, format!("the scope '{name}' has files, but no memdir.yaml that makes it one"))
        .hint("bring its memdir.yaml back with git, or make an empty one beside the files")
        .detail("scope", name.as_str())
}

/// The names in a directory, each with what it is.
fn entries(dir: &OwnedFd) -> Result<Vec<(Vec<u8>, FileType)>, Rejection> {
    let (mut entries, mut buffer) = (Vec::new(), Vec::with_capacity(32 << 10));
    let mut add = |name: &[u8], kind| entries.extend((!matches!(name, b"." | b"..")).then(|| (name.to_vec(), kind)));
    walk::list_names(dir, &mut buffer, &mut add).map_err(|e| super::root::read_error(e, "'scopes/'"))?;
    Ok(entries)
}

/// The number of files that count, by their names, at and below a name. What cannot be opened as a folder is a file.
///
/// # Errors
/// `too_large` for folders that are too deep; `io`.
fn count_files(
    above: &OwnedFd,
    name: &[u8],
    kind: FileType,
    counts: &dyn Fn(&[u8]) -> bool,
    depth: usize,
) -> Result<usize, Rejection> {
    if !matches!(kind, FileType::Directory | FileType::Unknown) {
        return Ok(usize::from(counts(name)));
    }
    let shown = String::from_utf8_lossy(name);
    let dir =
        match std::str::from_utf8(name).map_err(|_| Errno::ILSEQ).and_then(|n| platform::open_dir(above.as_fd(), n)) {
            Ok(dir) if depth < MAX_DEPTH => dir,
            Ok(_) => return Err(Rejection::new(Code::TooLarge, format!("'{shown}' is too deep to be searched"))),
            Err(Errno::NOENT) => return Ok(0),
            Err(Errno::NOTDIR | Errno::LOOP) => return Ok(usize::from(counts(name))),
            Err(e) => return Err(super::root::read_error(e, &format!("'{shown}'"))),
        };
    let mut count = 0;
    for (entry, kind) in entries(&dir)? {
        count += count_files(&dir, &entry, kind, counts, depth + 1)?;
    }
    Ok(count)
}

/// Removes a folder if it has nothing but such folders in it; else what is in it stays.
fn remove_empty_folders(above: &OwnedFd, name: &str, depth: usize) {
    let Ok(dir) = platform::open_dir(above.as_fd(), name) else { return };
    if depth < MAX_DEPTH {
        let inner = entry_names(&dir, name).unwrap_or_default();
        inner.iter().filter_map(|n| std::str::from_utf8(n).ok()).for_each(|n| remove_empty_folders(&dir, n, depth + 1));
    }
    _ = rustix::fs::unlinkat(above, name, AtFlags::REMOVEDIR);
}
