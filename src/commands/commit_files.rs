//! The memory's files at a git commit.
//!
//! Only reads git, and filters nothing: what a caller may see is decided by who shows it.

use std::collections::{BTreeMap, HashMap};

use crate::code::Rejection;
use crate::document::Document;
use crate::host::git::Git;
use crate::path::MemoryPath;

/// Whether a path in a repository is a file of this memory that git shares.
pub fn is_shared_file(path: &MemoryPath) -> bool {
    let text = path.as_str();
    text.ends_with(".md")
        && !text.split('/').any(|c| c.starts_with('.'))
        && !matches!(path.folder(), Some("inbox" | "scopes"))
}

/// The memory's files at a commit, with their git object ids.
pub fn file_objects(git: &Git, commit: &str) -> Result<BTreeMap<MemoryPath, String>, Rejection> {
    let files = git.files_at(commit)?.into_iter();
    Ok(files
        .filter_map(|blob| Some((MemoryPath::from_disk_name(&blob.path).ok()?, blob.object)))
        .filter(|(p, _)| is_shared_file(p))
        .collect())
}

/// The contents of git objects as documents; bytes that are not UTF-8 are replaced.
pub fn read_objects(
    git: &Git,
    objects: &BTreeMap<MemoryPath, String>,
) -> Result<HashMap<MemoryPath, Document>, Rejection> {
    let names: Vec<&str> = objects.values().map(String::as_str).collect();
    let contents = git.read_objects(&names)?.into_iter();
    let read = |bytes: Vec<u8>| Document::parse(String::from_utf8_lossy(&bytes).into_owned());
    Ok(objects.keys().cloned().zip(contents.map(read)).collect())
}
