//! Reads the markdown files of a folder that is no memory: a vault of notes, or the memory of another program.
//!
//! Never writes, never follows a symbolic link, and never enters hidden folders.

use std::fs;
use std::path::Path;

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
    enter(dir, "", 0, &mut files, &mut unreadable)
        .map_err(|e| Rejection::new(Code::Io, format!("cannot read '{}': {e}", dir.display())))?;
    files.sort_by(|a, b| a.path.cmp(&b.path));
    Ok((files, unreadable))
}

fn enter(
    dir: &Path,
    below: &str,
    depth: usize,
    files: &mut Vec<NoteFile>,
    unreadable: &mut usize,
) -> std::io::Result<()> {
    for entry in fs::read_dir(dir)? {
        let entry = entry?;
        let Ok(name) = entry.file_name().into_string() else {
            *unreadable += 1;
            continue;
        };
        let path = if below.is_empty() { name.clone() } else { format!("{below}/{name}") };
        // Of the entry itself: a link is neither.
        let kind = entry.file_type()?;
        if kind.is_dir() && !name.starts_with('.') && !NOT_ENTERED.contains(&name.as_str()) && depth < MAX_DEPTH {
            if enter(&entry.path(), &path, depth + 1, files, unreadable).is_err() {
                *unreadable += 1;
            }
        } else if kind.is_file() && Path::new(&name).extension().is_some_and(|ending| ending.eq_ignore_ascii_case("md"))
        {
            match outside_files::read_up_to(&entry.path(), MAX_NOTE_BYTES, "4 MiB") {
                Ok(bytes) if files.len() < MAX_FILES => files.push(NoteFile { path, bytes }),
                Ok(_) | Err(_) => *unreadable += 1,
            }
        }
    }
    Ok(())
}
