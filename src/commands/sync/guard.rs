//! Checks that a commit or merge does not empty the memory: a vanished directory must not be shared as a deletion.
//!
//! Never counts files that memdir itself removed, nor renamed files.

use std::collections::{BTreeSet, HashSet};

use serde_json::Value;

use super::commit_message::{OPERATION_TRAILER, REMOVED_TRAILER};
use super::pending::PendingChange;
use super::synced_scopes::ScopePath;
use crate::change::{Etag, JournalEntry};
use crate::code::{Code, Rejection};
use crate::commands::Session;
use crate::commands::scope::purged_scopes;
use crate::host::commit_losses::EMPTY_OBJECTS;
use crate::host::git::Git;
use crate::host::repository::PendingFile;
use crate::store::scopes::ScopeState;
use crate::view::journal;

/// From this number of files on, losing more than half is refused.
const MIN_FILES: usize = 4;
/// How many files an error lists.
const MAX_LISTED_FILES: usize = 20;

/// Whether a path of the repository is a shared file of the memory or of one of its scopes.
pub fn is_shared_memory_file(path: &str) -> bool {
    let is_inbox = |rest: &str| rest.starts_with("inbox/");
    let is_scope_inbox = ScopePath::parse(path).is_some_and(|path| is_inbox(path.inner));
    path.ends_with(".md") && !path.split('/').any(|part| part.starts_with('.')) && !is_inbox(path) && !is_scope_inbox
}

/// Checks the pending changes: files of the last commit that are gone or empty now although memdir did not remove them.
///
/// # Errors
/// `emptied`.
pub fn check_outgoing(
    session: &Session,
    git: &Git,
    head: &str,
    pending: &[PendingFile],
    changes: &[PendingChange],
    entries: &[JournalEntry],
) -> Result<(), Rejection> {
    let gone: HashSet<String> = changes.iter().filter(|p| p.gone || p.emptied).map(|p| p.path.clone()).collect();
    let gone: HashSet<String> = gone.into_iter().filter(|path| is_shared_memory_file(path)).collect();
    if gone.is_empty() {
        return Ok(());
    }
    let committed: BTreeSet<String> =
        git.files_at(head)?.into_iter().map(|b| b.path).filter(|p| is_shared_memory_file(p)).collect();
    let explained = removed_by_memdir(session, entries, &gone);
    if find_loss(&committed, &gone, &explained).is_none() {
        return Ok(());
    }
    // Renamed files are not gone. Rename detection is slow, so it runs only when the first check fails.
    let renamed: HashSet<String> = git.deleted_files(pending)?.into_iter().collect();
    let is_emptied = |path: &String| changes.iter().any(|p| p.emptied && p.path == *path);
    let gone: HashSet<String> = gone.into_iter().filter(|path| renamed.contains(path) || is_emptied(path)).collect();
    match find_loss(&committed, &gone, &explained) {
        None => Ok(()),
        Some(loss) => Err(loss.into_rejection("are gone or empty here, and memdir did not remove them", "committed").hint(
            "restore them with `git restore -- PATH` (`git restore .` for all), or use --force if they were removed on purpose",
        )),
    }
}

/// Checks a fetched commit: files that we still have and that the other side removed or emptied since the common
/// ancestor.
///
/// # Errors
/// `emptied`.
pub fn check_incoming(git: &Git, base: &str, head: &str, theirs: &str) -> Result<(), Rejection> {
    let mut gone: HashSet<String> =
        git.changed_paths(base, theirs, true)?.into_iter().filter(|p| is_shared_memory_file(p)).collect();
    let empty_files = |objects: &[crate::host::git::GitBlob]| -> HashSet<String> {
        objects.iter().filter(|b| EMPTY_OBJECTS.contains(&b.object.as_str())).map(|b| b.path.clone()).collect()
    };
    let (before, after) = (git.files_at(base)?, git.files_at(theirs)?);
    let empty_before = empty_files(&before);
    gone.extend(
        empty_files(&after).into_iter().filter(|path| is_shared_memory_file(path) && !empty_before.contains(path)),
    );
    let ours: HashSet<String> = git.files_at(head)?.into_iter().map(|b| b.path).collect();
    let common: BTreeSet<String> =
        before.into_iter().map(|b| b.path).filter(|path| is_shared_memory_file(path) && ours.contains(path)).collect();
    gone.retain(|path| common.contains(path));
    if gone.is_empty() {
        return Ok(());
    }
    if find_loss(&common, &gone, &HashSet::new()).is_none() {
        return Ok(());
    }
    let explained = removed_by_others(git, base, theirs, &gone)?;
    match find_loss(&common, &gone, &explained) {
        None => Ok(()),
        Some(loss) => Err(loss.into_rejection("were removed or emptied on the other side without memdir", "merged").hint(
            "see `git log --stat`; use --force if they were removed on purpose, else restore them on the other side",
        )),
    }
}

/// Which of these files commits removed or emptied that say so: a commit explains only what it does itself.
fn removed_by_others(
    git: &Git,
    base: &str,
    theirs: &str,
    gone: &HashSet<String>,
) -> Result<HashSet<String>, Rejection> {
    let mut explained = HashSet::new();
    for (commit, trailers) in git.commit_trailers(base, theirs)? {
        let named: Vec<&String> = gone.iter().filter(|path| is_removal_recorded(&trailers, path)).collect();
        if !named.is_empty() {
            let lost = git.files_lost_in(&commit)?;
            explained.extend(named.into_iter().filter(|path| lost.contains(*path)).cloned());
        }
    }
    Ok(explained)
}

/// Whether the trailers of a commit record that memdir removed or moved this file. Older versions of memdir wrote no
/// trailer for that: then an operation on the file counts, such as `Memdir-Op: r12 rm facts/user.md`, or that only the
/// first operations are listed.
fn is_removal_recorded(trailers: &[String], path: &str) -> bool {
    let values = |key: &'static str| {
        trailers.iter().filter_map(move |line| line.strip_prefix(key)?.strip_prefix(": ").map(str::trim))
    };
    if values(REMOVED_TRAILER).next().is_some() {
        return values(REMOVED_TRAILER).any(|removed| removed == path);
    }
    values(OPERATION_TRAILER).any(|line| {
        let mut words = line.splitn(3, ' ');
        let (first, verb, file) = (words.next(), words.next(), words.next());
        let is_on_file = file == Some(path) && matches!(verb, Some("rm" | "mv" | "undo" | "redo" | "apply"));
        is_on_file || (first, file) == (Some("and"), Some("more"))
    })
}

/// Which of these files memdir removed, moved or emptied, according to the journal; files of a scope are in the scope's
/// own journal.
pub fn removed_by_memdir(session: &Session, entries: &[JournalEntry], gone: &HashSet<String>) -> HashSet<String> {
    let mut removed: HashSet<String> = removed_in_journal(entries, "", gone).into_iter().collect();
    removed.extend(removed_in_scopes(session, gone));
    removed
}

/// Which of these files were removed according to the journal of their scope.
fn removed_in_scopes(session: &Session, gone: &HashSet<String>) -> Vec<String> {
    let scope = |path: &'_ String| Some(ScopePath::parse(path)?.name.to_owned());
    let scopes: BTreeSet<String> = gone.iter().filter_map(scope).collect();
    let (store, purged) = (session.store.unfiltered(), purged_scopes(session));
    let removed_in_scope = |name: String| {
        let prefix = format!("scopes/{name}/");
        match store.open_scope(ScopeState::Live, &name) {
            Ok(Some(scope)) => removed_in_journal(&scope.journal().unwrap_or_default(), &prefix, gone),
            // Its journal is gone with it.
            Ok(None) if purged.contains(&name) => {
                gone.iter().filter(|path| path.starts_with(&prefix)).cloned().collect()
            }
            Ok(None) | Err(_) => Vec::new(),
        }
    };
    scopes.into_iter().flat_map(removed_in_scope).collect()
}

fn removed_in_journal(entries: &[JournalEntry], path_prefix: &str, gone: &HashSet<String>) -> Vec<String> {
    let empty_etag = Etag::of(b"");
    let last_writes = journal::last_etags(entries).into_iter();
    let removed = last_writes.filter(|(_, (etag, _))| etag.is_none_or(|etag| etag == empty_etag));
    removed.map(|(path, _)| format!("{path_prefix}{path}")).filter(|path| gone.contains(path)).collect()
}

/// A loss of files that is refused.
#[derive(Debug, PartialEq, Eq)]
struct FileLoss {
    /// The files that are gone.
    gone: Vec<String>,
    /// Number of files in the folder.
    total: usize,
    /// The folder; empty for the whole memory.
    folder: String,
}

impl FileLoss {
    fn into_rejection(self, verb: &str, action: &str) -> Rejection {
        let (n, of) = (self.gone.len(), self.total);
        let folder = if self.folder.is_empty() { "the memory".to_owned() } else { format!("{}/", self.folder) };
        let files: Vec<Value> = self.gone.into_iter().take(MAX_LISTED_FILES).map(Value::String).collect();
        Rejection::new(Code::Emptied, format!("{n} of {of} files of {folder} {verb}; they were not {action}"))
            .detail("gone", n)
            .detail("of", of)
            .detail("files", files)
    }
}

/// The loss that is refused, if any: apart from the explained files, all files are gone, all of a folder with at least
/// two, or more than half of at least `MIN_FILES` files.
fn find_loss(all: &BTreeSet<String>, gone: &HashSet<String>, explained: &HashSet<String>) -> Option<FileLoss> {
    let remaining: Vec<&String> = all.iter().filter(|path| !explained.contains(*path)).collect();
    let loss_in = |files: &[&String], folder: &str| {
        let gone: Vec<String> = files.iter().filter(|path| gone.contains(**path)).map(|path| (*path).clone()).collect();
        FileLoss { gone, total: files.len(), folder: folder.to_owned() }
    };
    let total_loss = loss_in(&remaining, "");
    if !remaining.is_empty() && total_loss.gone.len() == total_loss.total
        || total_loss.total >= MIN_FILES && total_loss.gone.len() * 2 > total_loss.total
    {
        return Some(total_loss);
    }
    let folders: BTreeSet<&str> =
        remaining.iter().filter_map(|path| path.split_once('/').map(|(folder, _)| folder)).collect();
    folders.into_iter().find_map(|folder| {
        let files: Vec<&String> =
            remaining.iter().filter(|path| path.split_once('/').is_some_and(|(f, _)| f == folder)).copied().collect();
        Some(loss_in(&files, folder)).filter(|loss| loss.total >= 2 && loss.gone.len() == loss.total)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(all: &[&str], gone: &[&str], explained: &[&str], refused: Option<(usize, usize, &str)>) {
        let set = |names: &[&str]| names.iter().map(|n| (*n).to_owned()).collect::<HashSet<String>>();
        let all = all.iter().map(|n| (*n).to_owned()).collect();
        let found = find_loss(&all, &set(gone), &set(explained)).map(|l| (l.gone.len(), l.total, l.folder));
        assert_eq!(found, refused.map(|(n, of, folder)| (n, of, folder.to_owned())), "{gone:?} {explained:?}");
    }

    #[test]
    fn a_loss_is_all_files_or_a_folder_or_more_than_half() {
        check(&["facts/a.md"], &["facts/a.md"], &[], Some((1, 1, "")));
        check(&["facts/a.md"], &["facts/a.md"], &["facts/a.md"], None);
        check(&["facts/a.md", "n.md"], &["facts/a.md"], &[], None);
        check(&["facts/a.md", "facts/b.md", "n.md"], &["facts/a.md", "facts/b.md"], &[], Some((2, 2, "facts")));
        check(&["facts/a.md", "facts/b.md", "n.md"], &["facts/a.md", "facts/b.md"], &["facts/a.md"], None);
        let four = ["a.md", "b.md", "c.md", "d.md"];
        check(&four, &["a.md", "b.md"], &[], None);
        check(&four, &["a.md", "b.md", "c.md"], &[], Some((3, 4, "")));
    }

    #[test]
    fn proposals_and_hidden_files_do_not_count() {
        assert!(
            is_shared_memory_file("facts/a.md")
                && is_shared_memory_file("scopes/x/facts/a.md")
                && is_shared_memory_file("facts/inbox/a.md")
        );
        assert!(
            !is_shared_memory_file("inbox/a.md")
                && !is_shared_memory_file("scopes/x/inbox/a.md")
                && !is_shared_memory_file(".obsidian/a.md")
        );
        assert!(!is_shared_memory_file("memdir.yaml"));
    }

    #[test]
    fn a_trailer_explains_its_own_file_alone() {
        let is_recorded = |trailers: &[&str], path: &str| {
            is_removal_recorded(&trailers.iter().map(|line| (*line).to_owned()).collect::<Vec<_>>(), path)
        };
        assert!(is_recorded(&["Memdir-By: me", "Memdir-Removed: facts/a b.md"], "facts/a b.md"));
        assert!(!is_recorded(&["Memdir-Removed: facts/a.md"], "facts/b.md"));
        // Without the trailer for removals, as older versions wrote commits.
        assert!(is_recorded(&["Memdir-Op: r12 rm facts/user.md"], "facts/user.md"));
        assert!(is_recorded(&["Memdir-Op: r1 mv a b.md"], "a b.md"));
        assert!(is_recorded(&["Memdir-Op: r1 add facts/a.md", "Memdir-Op: and 3 more"], "facts/user.md"));
        assert!(!is_recorded(&["Memdir-Op: r12 add facts/user.md"], "facts/user.md"));
        assert!(!is_recorded(&["Memdir-Op: r12 rm facts/user.md"], "facts/use.md"));
        // With it, an operation on the file is one on a bullet.
        let both = ["Memdir-Op: r1 rm facts/a.md", "Memdir-Op: and 3 more", "Memdir-Removed: facts/b.md"];
        assert!(!is_recorded(&both, "facts/a.md"));
    }
}
