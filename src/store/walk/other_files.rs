//! Searches the files of a data directory that are no memory files: copies of editors, exports, settings.
//!
//! Never follows a link, and never changes a file. What it cannot search it names.

use std::collections::VecDeque;
use std::os::fd::{AsFd, OwnedFd};

use rustix::fs::FileType;

use super::{MAX_DEPTH, join_path, list_names, stat_file_type};
use crate::code::{Code, Rejection};
use crate::path::MemoryPath;
use crate::store::root::{read_contents, read_error};
use crate::store::{Store, platform};

/// How many files are searched, and how many bytes of them.
const MAX_FILES: usize = 10_000;
const MAX_BYTES: usize = 1 << 30;

/// Folders that have rules of their own: memdir's, git's, and scopes, which are memories.
const LEFT_OUT: [&str; 2] = [".memdir", ".git"];

/// How files start whose text is compressed or encrypted, so that a search for bytes proves nothing.
const PACKED: [&[u8]; 9] = [
    b"PK\x03\x04",
    b"\x1f\x8b",
    b"BZh",
    b"\xfd7zXZ\0",
    b"7z\xbc\xaf\x27\x1c",
    b"\x28\xb5\x2f\xfd",
    b"\x04\x22\x4d\x18",
    b"%PDF",
    b"VimCrypt",
];

/// What a search of the other files found.
#[derive(Default)]
pub struct OtherFiles {
    /// The paths of the files that have what was searched.
    pub holders: Vec<String>,
    /// The paths of the files and folders that were not searched: they cannot be read, are packed, or are too many.
    pub unsearched: Vec<String>,
}

impl Store {
    /// Searches every regular file that [`Store::walk`] does not find, but for those of `.memdir/`, git and scopes.
    ///
    /// # Errors
    /// `io`, if the data directory cannot be read.
    pub fn search_other_files(&self, is_found: &dyn Fn(&[u8]) -> bool) -> Result<OtherFiles, Rejection> {
        let root = self.root();
        let mut found = OtherFiles::default();
        let mut folders: VecDeque<(String, usize)> = [(String::new(), 0)].into();
        let (mut files, mut bytes) = (0, 0);
        while let Some((at, depth)) = folders.pop_front() {
            let dir = match root.open_folder(&at) {
                Ok(Some(dir)) => dir,
                Ok(None) => continue,
                Err(error) if at.is_empty() => return Err(error),
                Err(_) => {
                    found.unsearched.push(format!("{at}/"));
                    continue;
                }
            };
            let mut names = Vec::new();
            let listed = list_names(&dir, &mut Vec::with_capacity(32 << 10), &mut |name, kind| {
                let kind = if kind == FileType::Unknown { stat_file_type(&dir, name) } else { kind };
                names.push((name.to_vec(), kind));
            });
            if let Err(error) = listed {
                let error = read_error(error, &format!("'{at}/'"));
                if at.is_empty() {
                    return Err(error);
                }
                found.unsearched.push(format!("{at}/"));
            }
            names.sort_unstable_by(|a, b| a.0.cmp(&b.0));
            for (name, kind) in names.iter().filter(|(name, _)| name != b"." && name != b"..") {
                let shown = join_path(&at, &String::from_utf8_lossy(name));
                if *kind == FileType::Directory {
                    match std::str::from_utf8(name) {
                        Ok(name) if at.is_empty() && (LEFT_OUT.contains(&name) || name == "scopes") => {}
                        // A copy of them: what is in it is compressed, or a history.
                        Ok(name) if LEFT_OUT.contains(&name) => found.unsearched.push(format!("{shown}/")),
                        Ok(_) if depth < MAX_DEPTH => folders.push_back((shown, depth + 1)),
                        _ => found.unsearched.push(format!("{shown}/")),
                    }
                } else if *kind == FileType::RegularFile && !is_memory_file(&shown, name) {
                    files += 1;
                    match search_file(&dir, name, files <= MAX_FILES && bytes < MAX_BYTES, is_found) {
                        Some((true, _)) => found.holders.push(shown),
                        Some((false, size)) => bytes += size,
                        None => found.unsearched.push(shown),
                    }
                }
            }
        }
        Ok(found)
    }
}

/// Whether [`Store::walk`] finds a file.
fn is_memory_file(path: &str, name: &[u8]) -> bool {
    name.ends_with(b".md")
        && !path.split('/').any(|component| component.starts_with('.'))
        && MemoryPath::from_disk_name(path).is_ok()
}

/// Whether a file has what is searched, and its size; `None` if that is not known.
fn search_file(
    dir: &OwnedFd,
    name: &[u8],
    is_within_limits: bool,
    is_found: &dyn Fn(&[u8]) -> bool,
) -> Option<(bool, usize)> {
    let name = std::str::from_utf8(name).ok().filter(|_| is_within_limits)?;
    let file = match platform::open_file(dir.as_fd(), name) {
        Ok(fd) => fd,
        // Removed meanwhile.
        Err(rustix::io::Errno::NOENT) => return Some((false, 0)),
        Err(_) => return None,
    };
    let stat = rustix::fs::fstat(&file).ok()?;
    let bytes = match read_contents(&crate::store::root::PlainFile { fd: file, stat }, "the file") {
        Ok(bytes) => bytes,
        Err(error) if error.code == Code::FileNotFound => return Some((false, 0)),
        Err(_) => return None,
    };
    if is_found(&bytes) {
        return Some((true, bytes.len()));
    }
    let is_packed = PACKED.iter().any(|start| bytes.starts_with(start));
    (!is_packed).then_some((false, bytes.len()))
}
