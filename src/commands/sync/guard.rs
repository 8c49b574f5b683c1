//! Whether a commit or a merge would empty the memory: a vanished directory is never read as "delete everything".
//!
//! Never refuses what memdir itself removed, nor a file that only has another name.

use std::collections::{BTreeSet, HashSet};

use serde_json::Value;

use super::pending::Piece;
use crate::change::{Entry, Etag};
use crate::code::{Code, Rejection};
use crate::commands::Session;
use crate::host::git::Git;
use crate::host::repository::Pending;
use crate::store::{Options, Store};
use crate::view::journal;

/// An empty file's object, in both of git's formats.
const EMPTY: [&str; 2] =
    ["e69de29bb2d1d6434b8b29ae775ad8c2e48c5391", "473a0f4c3be8a93681a267e3b1e9a7dcda1185436fe141f7749120a303721813"];
/// From so many files on, more than half is too many.
const SEVERAL: usize = 4;
/// How many files are named.
const NAMED: usize = 20;

/// Whether a path of the repository is a file of the memory (or of a scope) that is shared.
pub fn is_memory(path: &str) -> bool {
    let home = |rest: &str| rest.starts_with("inbox/");
    let scoped = path.strip_prefix("scopes/").and_then(|rest| rest.split_once('/')).is_some_and(|(_, rest)| home(rest));
    path.ends_with(".md") && !path.split('/').any(|part| part.starts_with('.')) && !home(path) && !scoped
}

/// What would go out: files of the commit that nobody removed through memdir and that stand no more, or are empty now.
///
/// # Errors
/// `emptied`.
pub fn outgoing(
    session: &Session,
    git: &Git,
    (head, pending): (&str, &[Pending]),
    pieces: &[Piece],
    entries: &[Entry],
) -> Result<(), Rejection> {
    let gone: HashSet<String> = pieces.iter().filter(|p| p.gone || p.blank).map(|p| p.path.clone()).collect();
    let gone: HashSet<String> = gone.into_iter().filter(|path| is_memory(path)).collect();
    if gone.is_empty() {
        return Ok(());
    }
    let all: BTreeSet<String> = git.files(head)?.into_iter().map(|b| b.path).filter(|p| is_memory(p)).collect();
    let explained = removed(session, entries, &gone);
    if loss(&all, &gone, &explained).is_none() {
        return Ok(());
    }
    // A file that a person gave another name is not gone; git looks for that only now, because it costs more.
    let renamed: HashSet<String> = git.vanished(pending)?.into_iter().collect();
    let blank = |path: &String| pieces.iter().any(|p| p.blank && p.path == *path);
    let gone: HashSet<String> = gone.into_iter().filter(|path| renamed.contains(path) || blank(path)).collect();
    match loss(&all, &gone, &explained) {
        None => Ok(()),
        Some(loss) => Err(loss.refusal("are gone or empty here, and memdir did not remove them", "committed").hint(
            "bring them back with `git restore -- PATH` (`git restore .` for all), or say --force if they are meant to go",
        )),
    }
}

/// What would come in: files that we have and that the other side, since we parted, has lost.
///
/// # Errors
/// `emptied`.
pub fn incoming(git: &Git, base: &str, head: &str, theirs: &str) -> Result<(), Rejection> {
    let mut gone: HashSet<String> = git.changed(base, theirs, true)?.into_iter().filter(|p| is_memory(p)).collect();
    let blanks = |objects: &[crate::host::git::Blob]| -> HashSet<String> {
        objects.iter().filter(|b| EMPTY.contains(&b.object.as_str())).map(|b| b.path.clone()).collect()
    };
    let (before, after) = (git.files(base)?, git.files(theirs)?);
    let were = blanks(&before);
    gone.extend(blanks(&after).into_iter().filter(|path| is_memory(path) && !were.contains(path)));
    let ours: HashSet<String> = git.files(head)?.into_iter().map(|b| b.path).collect();
    let all: BTreeSet<String> =
        before.into_iter().map(|b| b.path).filter(|path| is_memory(path) && ours.contains(path)).collect();
    gone.retain(|path| all.contains(path));
    if gone.is_empty() {
        return Ok(());
    }
    let told = git.trailers(super::message::OPERATION, base, theirs)?;
    let explained = gone.iter().filter(|path| told.iter().any(|line| removes(line, path))).cloned().collect();
    match loss(&all, &gone, &explained) {
        None => Ok(()),
        Some(loss) => Err(loss.refusal("were removed or emptied on the other side without memdir", "merged").hint(
            "look with `git log --stat`; if they are meant to go, say --force; else bring them back on the other side",
        )),
    }
}

/// Whether a commit's trailer says that memdir removed or moved a file: `r12 rm facts/user.md`.
fn removes(line: &str, path: &str) -> bool {
    let mut words = line.splitn(3, ' ');
    let (Some(_), Some(verb), Some(file)) = (words.next(), words.next(), words.next()) else { return false };
    file == path && matches!(verb, "rm" | "mv" | "undo" | "redo" | "apply")
}

/// Which of these files the journal (a scope's own, for its files) says were removed, moved or emptied by memdir.
fn removed(session: &Session, entries: &[Entry], gone: &HashSet<String>) -> HashSet<String> {
    let mut found: HashSet<String> = by_journal(entries, "", gone).into_iter().map(|(path, _)| path).collect();
    found.extend(removed_in_scopes(session, gone.iter().map(String::as_str)).into_iter().map(|(path, _)| path));
    found
}

/// Which of these files a scope's own journal says were removed, and by which of its revisions.
pub fn removed_in_scopes<'p>(session: &Session, gone: impl Iterator<Item = &'p str>) -> Vec<(String, u64)> {
    let gone: HashSet<String> = gone.filter(|path| path.starts_with("scopes/")).map(str::to_owned).collect();
    let scope = |path: &'_ String| Some(path.strip_prefix("scopes/")?.split_once('/')?.0.to_owned());
    let scopes: BTreeSet<String> = gone.iter().filter_map(scope).collect();
    let one = |name: String| {
        let dir = session.dir.join("scopes").join(&name);
        let entries = Store::open(&dir, Options::default()).and_then(|store| store.journal()).unwrap_or_default();
        by_journal(&entries, &format!("scopes/{name}/"), &gone)
    };
    scopes.into_iter().flat_map(one).collect()
}

fn by_journal(entries: &[Entry], below: &str, gone: &HashSet<String>) -> Vec<(String, u64)> {
    let nothing = Etag::of(b"");
    let left = journal::left(entries).into_iter();
    let removed = left.filter(|(_, (etag, _))| etag.is_none_or(|etag| etag == nothing));
    removed.map(|(path, (_, rev))| (format!("{below}{path}"), rev)).filter(|(path, _)| gone.contains(path)).collect()
}

/// Too much at once.
#[derive(Debug, PartialEq, Eq)]
struct Loss {
    /// How many files are gone.
    gone: Vec<String>,
    /// Of how many.
    of: usize,
    /// The folder; empty for the whole memory.
    folder: String,
}

impl Loss {
    fn refusal(self, how: &str, done: &str) -> Rejection {
        let (n, of) = (self.gone.len(), self.of);
        let place = if self.folder.is_empty() { "the memory".to_owned() } else { format!("{}/", self.folder) };
        let named: Vec<Value> = self.gone.into_iter().take(NAMED).map(Value::String).collect();
        Rejection::new(Code::Emptied, format!("{n} of {of} files of {place} {how}; they were not {done}"))
            .detail("gone", n)
            .detail("of", of)
            .detail("files", named)
    }
}

/// Whether the files that are gone, those that are explained left out, are the whole memory, a whole folder of several
/// files, or more than half.
fn loss(all: &BTreeSet<String>, gone: &HashSet<String>, explained: &HashSet<String>) -> Option<Loss> {
    let all: Vec<&String> = all.iter().filter(|path| !explained.contains(*path)).collect();
    let lost = |files: &[&String], folder: &str| {
        let gone: Vec<String> = files.iter().filter(|path| gone.contains(**path)).map(|path| (*path).clone()).collect();
        Loss { gone, of: files.len(), folder: folder.to_owned() }
    };
    let whole = lost(&all, "");
    if !all.is_empty() && whole.gone.len() == whole.of || whole.of >= SEVERAL && whole.gone.len() * 2 > whole.of {
        return Some(whole);
    }
    let folders: BTreeSet<&str> =
        all.iter().filter_map(|path| path.split_once('/').map(|(folder, _)| folder)).collect();
    folders.into_iter().find_map(|folder| {
        let files: Vec<&String> =
            all.iter().filter(|path| path.split_once('/').is_some_and(|(f, _)| f == folder)).copied().collect();
        Some(lost(&files, folder)).filter(|loss| loss.of >= 2 && loss.gone.len() == loss.of)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(all: &[&str], gone: &[&str], explained: &[&str], refused: Option<(usize, usize, &str)>) {
        let set = |names: &[&str]| names.iter().map(|n| (*n).to_owned()).collect::<HashSet<String>>();
        let all = all.iter().map(|n| (*n).to_owned()).collect();
        let found = loss(&all, &set(gone), &set(explained)).map(|l| (l.gone.len(), l.of, l.folder));
        assert_eq!(found, refused.map(|(n, of, folder)| (n, of, folder.to_owned())), "{gone:?} {explained:?}");
    }

    #[test]
    fn too_much_is_all_or_a_folder_or_more_than_half() {
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
    fn proposals_and_hidden_files_are_no_part_of_it() {
        assert!(is_memory("facts/a.md") && is_memory("scopes/x/facts/a.md") && is_memory("facts/inbox/a.md"));
        assert!(!is_memory("inbox/a.md") && !is_memory("scopes/x/inbox/a.md") && !is_memory(".obsidian/a.md"));
        assert!(!is_memory("memdir.yaml"));
    }

    #[test]
    fn a_trailer_explains_its_own_file_alone() {
        assert!(removes("r12 rm facts/user.md", "facts/user.md") && removes("r1 mv a b.md", "a b.md"));
        assert!(!removes("r12 add facts/user.md", "facts/user.md") && !removes("r12 rm facts/user.md", "facts/use.md"));
    }
}
