//! Reads the markdown files of a folder that is no memory: a vault of notes, or the memory of another program.
//!
//! Never writes, never follows a symbolic link, and never enters hidden folders.

use std::fs;
use std::path::{MAIN_SEPARATOR, Path};

use walkdir::{DirEntry, WalkDir};

use super::outside_files;
use crate::code::{Code, Rejection};

/// The most files that are read.
const MAX_FILES: usize = 20_000;
/// The deepest folder that is entered.
const MAX_DEPTH: usize = 16;
/// The largest file that is read, in bytes; larger ones are no notes.
const MAX_NOTE_BYTES: u64 = 4 << 20;
/// Folders of other people's files.
const NOT_ENTERED: [&str; 3] = ["node_modules", "target", "vendor"];

/// A markdown file of a folder.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NoteFile {
    /// The path below the folder, with `/`.
    pub path: String,
    pub bytes: Vec<u8>,
}

/// The markdown files of a folder and its subfolders, sorted by path; and how many could not be read.
///
/// # Errors
/// `file_not_found` if the folder does not exist, `usage` if it is none, `io`.
pub fn read_folder(dir: &Path) -> Result<(Vec<NoteFile>, usize), Rejection> {
    let meta = fs::metadata(dir)
        .map_err(|_| Rejection::new(Code::FileNotFound, format!("there is no folder '{}'", dir.display())))?;
    if !meta.is_dir() {
        return Err(Rejection::new(Code::Usage, format!("'{}' is not a folder", dir.display())));
    }
    let (mut files, mut unreadable) = (Vec::new(), 0);
    let is_entered = |entry: &DirEntry| {
        let name = entry.file_name().to_string_lossy();
        let is_left_out = name.starts_with('.') || NOT_ENTERED.contains(&&*name);
        entry.depth() == 0 || !entry.file_type().is_dir() || !is_left_out
    };
    let walk = WalkDir::new(dir).max_depth(MAX_DEPTH + 1).sort_by_file_name();
    for entry in walk.into_iter().filter_entry(is_entered) {
        let entry = match entry {
            Ok(entry) => entry,
            Err(e) if e.depth() == 0 => {
                return Err(Rejection::new(Code::Io, format!("cannot read '{}': {e}", dir.display())));
            }
            Err(_) => {
                unreadable += 1;
                continue;
            }
        };
        // Of the entry itself: a link is no file.
        if !entry.file_type().is_file() || !entry.path().extension().is_some_and(|end| end.eq_ignore_ascii_case("md")) {
            continue;
        }
        let below = entry.path().strip_prefix(dir).ok().and_then(Path::to_str);
        match (below, outside_files::read_up_to(entry.path(), MAX_NOTE_BYTES, "4 MiB")) {
            (Some(path), Ok(bytes)) if files.len() < MAX_FILES => {
                files.push(NoteFile { path: path.replace(MAIN_SEPARATOR, "/"), bytes });
            }
            _ => unreadable += 1,
        }
    }
    files.sort_by(|a: &NoteFile, b| a.path.cmp(&b.path));
    Ok((files, unreadable))
}
