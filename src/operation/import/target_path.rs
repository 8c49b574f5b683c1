//! The paths of imported files: safe whatever the names of the source are, and the same when it is imported again.
//!
//! Never a path outside the folder, and never one that two names share.

use std::collections::HashSet;

use super::{ImportedNote, NoteContent};
use crate::operation::graph_files::{new_path, new_path_in};
use crate::path::MemoryPath;

/// How deep the folders of a source are kept; deeper ones are joined.
const MAX_FOLDERS: usize = 4;

/// The path for a note below `folder`, and whether its name had to be changed. `taken` are the case-folded paths of the
/// notes before it.
pub fn target_path(note: &ImportedNote, folder: &str, taken: &HashSet<String>) -> (MemoryPath, bool) {
    if note.is_own_path
        && let Ok(path) = MemoryPath::new(&format!("{}.md", note.name))
        && path.new_name_problem().is_none()
        && !taken.contains(&path.case_folded())
    {
        return (path, false);
    }
    // An own path that cannot be made starts with its folder already.
    let own = note.name.strip_prefix(folder).and_then(|rest| rest.strip_prefix('/')).filter(|_| note.is_own_path);
    let name = own.unwrap_or(&note.name);
    let wanted = format!("{folder}/{name}.md");
    let (folders, name) = name.rsplit_once('/').unwrap_or(("", name));
    let mut below = folder.to_owned();
    let parts: Vec<&str> = folders.split(['/', '\\']).filter(|part| !part.is_empty()).collect();
    let max_folders = MAX_FOLDERS.saturating_sub(folder.matches('/').count());
    // Links lead to a file by its name. The names of other sources are no names of files.
    if matches!(note.content, NoteContent::Text(_))
        && parts.len() <= max_folders
        && let Some(path) = new_path(&wanted).filter(|path| !taken.contains(&path.case_folded()))
    {
        return (path, false);
    }
    for part in parts.iter().take(max_folders) {
        // The name of a folder is made as that of a file; its extension falls away.
        let made = new_path_in(&below, part, &HashSet::new());
        below = made.as_str().trim_end_matches(".md").to_owned();
    }
    let path = new_path_in(&below, name, taken);
    let is_changed = path.as_str() != wanted;
    (path, is_changed)
}
