//! Finds the git repository of a directory and its branch from git's own files, without starting git.
//!
//! Never follows a link, nor a `.git` file to a repository that does not know the work tree: such files may come with
//! an archive, and would name a repository of the user's.

use std::io::Read;
use std::path::{Path, PathBuf};

use sha2::{Digest, Sha256};

use crate::text::hex;

/// The largest of git's files that are read, in bytes.
const MAX_FILE_BYTES: u64 = 4096;

/// What git keeps while a merge is not finished.
const UNFINISHED: [&str; 5] = ["MERGE_HEAD", "CHERRY_PICK_HEAD", "REVERT_HEAD", "rebase-merge", "rebase-apply"];

/// The directories of git for a work tree.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GitDirectory {
    /// The directory that contains `.git`. Without links.
    work_tree: PathBuf,
    /// Of this work tree: its HEAD is here.
    own: PathBuf,
    /// Of the repository: the same for all of its work trees. Without links.
    common: PathBuf,
}

impl GitDirectory {
    /// The nearest repository from a directory upwards; `None` if there is none, or the nearest one is not sound.
    pub fn find(start: &Path) -> Option<GitDirectory> {
        let start = start.canonicalize().ok()?;
        let work_tree = start.ancestors().find(|dir| dir.join(".git").symlink_metadata().is_ok())?;
        let dot_git = work_tree.join(".git");
        match dot_git.symlink_metadata().ok()?.file_type() {
            kind if kind.is_dir() => {
                let work_tree = work_tree.to_owned();
                dot_git.join("HEAD").is_file().then(|| GitDirectory {
                    work_tree,
                    own: dot_git.clone(),
                    common: dot_git,
                })
            }
            kind if kind.is_file() => linked(work_tree, &dot_git),
            _ => None,
        }
    }

    /// The branch that is checked out; `None` for a detached HEAD.
    pub fn branch(&self) -> Option<String> {
        let head = read_line(&self.own.join("HEAD"))?;
        let name = head.strip_prefix("ref: refs/heads/")?;
        // A repository with reftables keeps its HEAD elsewhere, and this name here.
        (name != ".invalid" && !name.is_empty()).then(|| name.to_owned())
    }

    /// The directory that contains `.git`, without links.
    pub fn work_tree(&self) -> &Path {
        &self.work_tree
    }

    /// The other work trees of the repository, the main one among them, sorted and without links.
    pub fn other_work_trees(&self) -> Vec<PathBuf> {
        let entries = std::fs::read_dir(self.common.join("worktrees")).into_iter().flatten().flatten();
        let linked = entries.filter_map(|entry| {
            let dot_git = entry.path().join(read_line(&entry.path().join("gitdir"))?);
            dot_git.parent().map(Path::to_owned)
        });
        let main = self.common.parent().filter(|_| self.common.ends_with(".git")).map(Path::to_owned);
        let found = linked.chain(main).filter_map(|tree| GitDirectory::find(&tree));
        let others = found.filter(|other| other.common == self.common && other.own != self.own);
        let mut trees: Vec<PathBuf> = others.map(|other| other.work_tree).collect();
        trees.sort();
        trees.dedup();
        trees
    }

    /// Whether a merge, or what merges as a rebase does, is not finished in this work tree.
    pub fn is_merging(&self) -> bool {
        UNFINISHED.iter().any(|name| self.own.join(name).symlink_metadata().is_ok())
    }

    /// A name for the repository, the same in all of its work trees: that of its directory, and a hash of its place.
    pub fn key(&self) -> String {
        let named =
            if self.common.ends_with(".git") { self.common.parent().unwrap_or(&self.common) } else { &self.common };
        let name = named.file_name().unwrap_or_default().to_string_lossy();
        let is_plain = |c: &char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_');
        let plain: String = name.trim_end_matches(".git").chars().filter(is_plain).take(40).collect();
        let digest = Sha256::digest(std::os::unix::ffi::OsStrExt::as_bytes(self.common.as_os_str()));
        format!("{plain}-{}", hex(&digest[..6])).trim_start_matches('-').to_owned()
    }
}

/// The repository that a `.git` file names: one that has this work tree, or the one around a submodule.
fn linked(work_tree: &Path, dot_git: &Path) -> Option<GitDirectory> {
    let own = work_tree.join(read_line(dot_git)?.strip_prefix("gitdir: ")?).canonicalize().ok()?;
    let Some(to_common) = read_line(&own.join("commondir")) else {
        let modules = |above: &Path| above.join(".git/modules").canonicalize().ok();
        let is_submodule = work_tree.ancestors().skip(1).filter_map(modules).any(|modules| own.starts_with(modules));
        let work_tree = work_tree.to_owned();
        return is_submodule.then(|| GitDirectory { work_tree, common: own.clone(), own });
    };
    let common = own.join(to_common).canonicalize().ok()?;
    let back = own.join(read_line(&own.join("gitdir"))?).canonicalize().ok()?;
    let is_own = own.parent() == Some(&common.join("worktrees")) && back == dot_git;
    is_own.then(|| GitDirectory { work_tree: work_tree.to_owned(), own, common })
}

/// The text of a small file without its last line break, if it is one line.
fn read_line(path: &Path) -> Option<String> {
    let mut text = String::new();
    std::fs::File::open(path).ok()?.take(MAX_FILE_BYTES).read_to_string(&mut text).ok()?;
    let line = text.trim_end_matches(['\n', '\r']);
    (!line.contains(['\n', '\0'])).then(|| line.to_owned())
}
