//! Reads the markdown files of a folder that is no memory: a vault of notes, the memory of another program, or `/`.
//!
//! Never writes, never follows a symbolic link, never leaves the file system, and never enters hidden folders or those
//! of other people's files. Stops at a limit, which bounds time and memory whatever the folder holds.

use std::collections::VecDeque;
use std::fs::{self, DirEntry};
use std::os::unix::fs::MetadataExt;
use std::path::{MAIN_SEPARATOR, Path, PathBuf};

use super::outside_files;
use crate::code::{Code, Rejection};
use crate::text::word_list::{WordList, word_list};

/// How many folders below the folder itself are entered one in another; a deeper one is counted as unreadable.
const MAX_DEPTH: usize = 16;
/// The largest file that is read, in bytes; larger ones are no notes.
const MAX_NOTE_BYTES: u64 = 4 << 20;
/// How many of the files and folders that cannot be read are named.
const MAX_UNREADABLE_EXAMPLES: usize = 3;
/// Folders of other people's files, and of what programs make.
const NOT_ENTERED: WordList = word_list!("notes/not_entered.txt");

/// How much of a folder is read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FolderLimits {
    /// The most names of files and folders that are looked at.
    pub entries: usize,
    /// The most markdown files that are read.
    pub files: usize,
    /// The most bytes of them.
    pub bytes: u64,
}

impl Default for FolderLimits {
    fn default() -> FolderLimits {
        FolderLimits { entries: 500_000, files: 20_000, bytes: 64 << 20 }
    }
}

/// The limit at which reading stopped.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FolderLimit {
    Entries,
    Files,
    Bytes,
}

/// A markdown file of a folder.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NoteFile {
    /// The path below the folder, with `/`.
    pub path: String,
    pub bytes: Vec<u8>,
}

/// What was read of a folder.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct NotesFolder {
    /// The markdown files, sorted by path.
    pub files: Vec<NoteFile>,
    /// How many files and folders were not read: without access, no text, too large or too deep.
    pub unreadable: usize,
    /// The first few of them: the path below the folder, and why.
    pub unreadable_examples: Vec<String>,
    /// How many folders the caller left out.
    pub left_out: usize,
    /// How many names of files and folders were looked at.
    pub entries: usize,
    /// The limit that was reached; the rest was not looked at.
    pub stopped: Option<FolderLimit>,
}

/// Reads the markdown files of a folder and its subfolders, in the order of their names, until a limit is reached. Of
/// those below, what `is_left_out` names is not entered.
///
/// # Errors
/// `file_not_found` if the folder does not exist, `usage` if it is not a folder, `io`.
pub fn read_folder(
    dir: &Path,
    limits: FolderLimits,
    is_left_out: &dyn Fn(&Path) -> bool,
) -> Result<NotesFolder, Rejection> {
    let meta = fs::metadata(dir)
        .map_err(|_| Rejection::new(Code::FileNotFound, format!("there is no folder '{}'", dir.display())))?;
    if !meta.is_dir() {
        return Err(Rejection::new(Code::Usage, format!("'{}' is not a folder", dir.display())));
    }
    fs::read_dir(dir).map_err(|e| Rejection::new(Code::Io, format!("cannot read '{}': {e}", dir.display())))?;
    let mut walk = FolderWalk { dir, device: meta.dev(), limits, is_left_out, bytes: 0, found: NotesFolder::default() };
    walk.read_all();
    walk.found.files.sort_by(|a, b| a.path.cmp(&b.path));
    Ok(walk.found)
}

struct FolderWalk<'a> {
    dir: &'a Path,
    device: u64,
    limits: FolderLimits,
    is_left_out: &'a dyn Fn(&Path) -> bool,
    bytes: u64,
    found: NotesFolder,
}

impl NotesFolder {
    /// Counts a file or folder that cannot be read, by its path below the folder.
    pub fn add_unreadable(&mut self, path: &str, reason: &str) {
        self.unreadable += 1;
        if self.unreadable_examples.len() < MAX_UNREADABLE_EXAMPLES {
            self.unreadable_examples.push(format!("{path}: {reason}"));
        }
    }
}

impl FolderWalk<'_> {
    fn add_unreadable(&mut self, path: &Path, reason: &str) {
        let below = path.strip_prefix(self.dir).unwrap_or(path).to_string_lossy().replace(MAIN_SEPARATOR, "/");
        self.found.add_unreadable(if below.is_empty() { "." } else { &below }, reason);
    }

    fn read_all(&mut self) {
        let mut waiting: VecDeque<(PathBuf, usize)> = VecDeque::from([(self.dir.to_path_buf(), 0)]);
        while let Some((folder, depth)) = waiting.pop_front() {
            let mut below = Vec::new();
            for entry in self.entries_of(&folder) {
                let kind = match entry.file_type() {
                    Ok(kind) => kind,
                    Err(error) => {
                        self.add_unreadable(&entry.path(), &error.to_string());
                        continue;
                    }
                };
                // Of the entry itself: a link is neither.
                if kind.is_dir() && self.is_entered(&entry) {
                    if (self.is_left_out)(&entry.path()) {
                        self.found.left_out += 1
                    } else if depth == MAX_DEPTH {
                        self.add_unreadable(&entry.path(), &format!("it is more than {MAX_DEPTH} folders deep"))
                    } else {
                        below.push((entry.path(), depth + 1))
                    }
                } else if kind.is_file() {
                    self.read_note(&entry.path());
                }
                if self.found.stopped.is_some_and(|limit| limit != FolderLimit::Entries) {
                    return;
                }
            }
            // Depth first, so that what waits is a path's siblings and not a whole level.
            below.into_iter().rev().for_each(|one| waiting.push_front(one));
            if self.found.stopped.is_some() {
                return;
            }
        }
    }

    /// The entries of a folder by name, as many as may still be looked at.
    fn entries_of(&mut self, folder: &Path) -> Vec<DirEntry> {
        let all = match fs::read_dir(folder) {
            Ok(all) => all,
            Err(error) => {
                self.add_unreadable(folder, &error.to_string());
                return Vec::new();
            }
        };
        let mut entries = Vec::new();
        for entry in all {
            if self.found.entries == self.limits.entries {
                self.found.stopped = Some(FolderLimit::Entries);
                break;
            }
            self.found.entries += 1;
            match entry {
                Ok(entry) => entries.push(entry),
                Err(error) => self.add_unreadable(folder, &error.to_string()),
            }
        }
        entries.sort_by_cached_key(DirEntry::file_name);
        entries
    }

    fn is_entered(&self, entry: &DirEntry) -> bool {
        let name = entry.file_name();
        let name = name.to_string_lossy();
        let is_left_out = name.starts_with('.') || NOT_ENTERED.contains(&name);
        !is_left_out && entry.metadata().is_ok_and(|meta| meta.dev() == self.device)
    }

    fn read_note(&mut self, path: &Path) {
        if !path.extension().is_some_and(|end| end.eq_ignore_ascii_case("md")) {
            return;
        }
        if self.found.files.len() == self.limits.files {
            self.found.stopped = Some(FolderLimit::Files);
            return;
        }
        let Some(below) = path.strip_prefix(self.dir).ok().and_then(Path::to_str) else {
            return self.add_unreadable(path, "its name is not UTF-8");
        };
        let bytes = match outside_files::read_up_to(path, MAX_NOTE_BYTES, "4 MiB") {
            Ok(bytes) => bytes,
            Err(error) => {
                // The message starts with the whole path.
                let reason = error.message.replace(&format!("'{}' ", path.display()), "it ");
                return self.add_unreadable(path, &reason);
            }
        };
        if self.bytes + bytes.len() as u64 > self.limits.bytes {
            self.found.stopped = Some(FolderLimit::Bytes);
            return;
        }
        self.bytes += bytes.len() as u64;
        self.found.files.push(NoteFile { path: below.replace(MAIN_SEPARATOR, "/"), bytes });
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Two folders with three notes of ten bytes each, beside files that are not notes.
    fn folder() -> tempfile::TempDir {
        let dir = tempfile::tempdir().unwrap();
        for name in ["a/1.md", "a/2.md", "b/3.md", "a/x.txt", "node_modules/4.md", ".git/5.md", "b/__pycache__/6.md"] {
            let path = dir.path().join(name);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, b"- a bullet").unwrap();
        }
        dir
    }

    #[track_caller]
    fn check(limits: FolderLimits, paths: &[&str], stopped: Option<FolderLimit>) {
        let dir = folder();
        let found = read_folder(dir.path(), limits, &|_| false).unwrap();
        let read: Vec<&str> = found.files.iter().map(|file| file.path.as_str()).collect();
        assert_eq!((&read[..], found.stopped, found.unreadable), (paths, stopped, 0), "{limits:?}");
        assert!(found.entries <= limits.entries);
    }

    #[test]
    fn a_folder_is_read_up_to_each_limit() {
        let all = FolderLimits::default();
        check(all, &["a/1.md", "a/2.md", "b/3.md"], None);
        check(FolderLimits { files: 3, ..all }, &["a/1.md", "a/2.md", "b/3.md"], None);
        check(FolderLimits { files: 2, ..all }, &["a/1.md", "a/2.md"], Some(FolderLimit::Files));
        check(FolderLimits { bytes: 29, ..all }, &["a/1.md", "a/2.md"], Some(FolderLimit::Bytes));
        check(FolderLimits { bytes: 30, ..all }, &["a/1.md", "a/2.md", "b/3.md"], None);
        // The four folders, and the three files of the first.
        check(FolderLimits { entries: 7, ..all }, &["a/1.md", "a/2.md"], Some(FolderLimit::Entries));
        check(FolderLimits { entries: 2, ..all }, &[], Some(FolderLimit::Entries));
    }
}
