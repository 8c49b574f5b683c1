//! Finds the markdown files of a data directory, and reads many of them quickly.
//!
//! Never opens anything but a regular file, and never follows a symbolic link.

use std::os::fd::{AsFd, OwnedFd};

use rustix::fs::FileType;
use rustix::io::Errno;

use super::root::{DataRoot, describe_file_type, file_name, read_error, too_large_error};
use super::{BufferCallback, FoundFile, platform};
use crate::code::Rejection;
use crate::document::MAX_FILE_BYTES;
use crate::path::MemoryPath;
use crate::threads;

mod other_files;

/// Maximum depth of folders: each level holds a descriptor.
const MAX_DEPTH: usize = 32;
/// From this number of files on, two threads read.
const PARALLEL_FROM_FILES: usize = 256;
/// How many files a thread takes at a time.
const FILES_PER_CHUNK: usize = 32;

/// What a walk found.
#[derive(Default)]
pub struct WalkedFolder {
    /// All `*.md` names, sorted.
    pub files: Vec<FoundFile>,
    /// The paths of links that have the name of a folder: no dot in it. Whether one leads to a folder is not asked,
    /// because no link is followed.
    pub linked_folders: Vec<String>,
}

/// Returns all `*.md` names below a folder (`""` is the data directory).
pub fn walk(root: &DataRoot, under: &str) -> Result<WalkedFolder, Rejection> {
    let mut found = WalkedFolder::default();
    let Some(dir) = root.open_folder(under)? else { return Ok(found) };
    let mut buffer = Vec::with_capacity(32 << 10);
    walk_folder(&dir, under, 0, &mut buffer, &mut found)?;
    found.files.sort_unstable_by(|a, b| a.path.cmp(&b.path));
    found.linked_folders.sort_unstable();
    Ok(found)
}

fn walk_folder(
    dir: &OwnedFd,
    at: &str,
    depth: usize,
    buffer: &mut Vec<u8>,
    found: &mut WalkedFolder,
) -> Result<(), Rejection> {
    let mut below = Vec::new();
    list_names(dir, buffer, &mut |name, kind| {
        if name.starts_with(b".") {
            return;
        }
        let kind = match kind {
            FileType::Unknown => stat_file_type(dir, name),
            kind => kind,
        };
        if kind == FileType::Directory {
            if let Ok(name) = std::str::from_utf8(name)
                && (!at.is_empty() || name != "scopes")
            {
                below.push(join_path(at, name));
            }
        } else if name.ends_with(b".md") {
            found.files.extend(found_file(at, name, kind));
        } else if kind == FileType::Symlink && leads_to_folder(dir, name) {
            found.linked_folders.push(join_path(at, &String::from_utf8_lossy(name)));
        }
    })
    .map_err(|e| read_error(e, &format!("'{at}/'")))?;
    for path in below.iter().filter(|_| depth < MAX_DEPTH) {
        let name = path.rsplit_once('/').map_or(&**path, |(_, name)| name);
        match platform::open_dir(dir.as_fd(), name) {
            Ok(dir) => walk_folder(&dir, path, depth + 1, buffer, found)?,
            // Replaced or removed meanwhile, or another mount: it contains no memory files.
            Err(Errno::NOENT | Errno::NOTDIR | Errno::LOOP | Errno::XDEV) => {}
            Err(e) => return Err(read_error(e, &format!("'{path}/'"))),
        }
    }
    Ok(())
}

fn join_path(at: &str, name: &str) -> String {
    if at.is_empty() { name.to_owned() } else { [at, "/", name].concat() }
}

fn found_file(at: &str, name: &[u8], kind: FileType) -> Option<FoundFile> {
    let refused = match (std::str::from_utf8(name), kind) {
        (Err(_), _) => Some("has a name that is not UTF-8"),
        (_, FileType::RegularFile) => None,
        (_, kind) => Some(describe_file_type(kind)),
    };
    let path = MemoryPath::from_disk_name(&join_path(at, &String::from_utf8_lossy(name))).ok()?;
    Some(FoundFile { path, size: 0, unsafe_reason: refused })
}

fn stat_file_type(dir: &OwnedFd, name: &[u8]) -> FileType {
    match rustix::fs::statat(dir, name, rustix::fs::AtFlags::SYMLINK_NOFOLLOW) {
        Ok(stat) => FileType::from_raw_mode(stat.st_mode),
        Err(_) => FileType::Unknown,
    }
}

/// Whether a link leads to a folder, which is not opened.
fn leads_to_folder(dir: &OwnedFd, name: &[u8]) -> bool {
    let target = rustix::fs::statat(dir, name, rustix::fs::AtFlags::empty());
    target.is_ok_and(|stat| FileType::from_raw_mode(stat.st_mode) == FileType::Directory)
}

#[cfg(target_os = "linux")]
pub fn list_names(
    dir: &OwnedFd,
    buffer: &mut Vec<u8>,
    each: &mut dyn FnMut(&[u8], FileType),
) -> rustix::io::Result<()> {
    let mut list = rustix::fs::RawDir::new(dir, buffer.spare_capacity_mut());
    while let Some(entry) = list.next() {
        let entry = entry?;
        each(entry.file_name().to_bytes(), entry.file_type());
    }
    Ok(())
}

#[cfg(not(target_os = "linux"))]
pub fn list_names(dir: &OwnedFd, _: &mut Vec<u8>, each: &mut dyn FnMut(&[u8], FileType)) -> rustix::io::Result<()> {
    list_names_by_readdir(dir, each)
}

/// [`list_names`] for systems other than Linux.
#[cfg(any(not(target_os = "linux"), test))]
fn list_names_by_readdir(dir: &OwnedFd, each: &mut dyn FnMut(&[u8], FileType)) -> rustix::io::Result<()> {
    for entry in rustix::fs::Dir::read_from(dir)? {
        let entry = entry?;
        each(entry.file_name().to_bytes(), entry.file_type());
    }
    Ok(())
}

/// Reads the first bytes of many files, in order.
pub fn map_files<T: Send>(root: &DataRoot, files: &[FoundFile], limit: usize, f: BufferCallback<'_, T>) -> Vec<T> {
    let new_state = || (Vec::new(), None);
    threads::map_chunks(files.len(), FILES_PER_CHUNK, files.len() >= PARALLEL_FROM_FILES, new_state, |state, chunk| {
        let (buffer, folder) = state;
        let map_one = |file: &FoundFile| {
            let mut found = file.clone();
            let read = read_file_start(root, &mut found, limit, folder, buffer);
            f(&found, read.map(|whole| (&mut *buffer, whole)))
        };
        files[chunk].iter().map(map_one).collect()
    })
}

/// Fills the buffer with the start of one file; returns whether that is the whole file.
fn read_file_start(
    root: &DataRoot,
    file: &mut FoundFile,
    limit: usize,
    folder: &mut Option<(String, OwnedFd)>,
    buffer: &mut Vec<u8>,
) -> Result<bool, Rejection> {
    let reject = |code, reason: &str| Rejection::new(code, format!("'{}' {reason}", file.path));
    if let Some(reason) = file.unsafe_reason {
        return Err(reject(crate::code::Code::UnsafeFile, reason));
    }
    let not_found = || reject(crate::code::Code::FileNotFound, "no longer exists");
    let parent = file.path.parent();
    if folder.as_ref().is_none_or(|(at, _)| at != parent) {
        *folder = root.open_folder(parent)?.map(|dir| (parent.to_owned(), dir));
    }
    let Some((_, dir)) = folder else { return Err(not_found()) };
    let plain = match root.open_for_reading(&*dir, file_name(&file.path), "the file") {
        Ok(plain) => plain.ok_or_else(not_found)?,
        // The name is formatted only for an error, because most files can be read.
        Err(mut rejection) => {
            rejection.message = rejection.message.replacen("the file", &format!("'{}'", file.path), 1);
            return Err(rejection);
        }
    };
    let size = plain.stat.st_size as u64;
    file.size = size;
    let too_large = || too_large_error(&format!("'{}'", file.path));
    // Its start alone would pass for all of it, and no command can change it.
    if size > MAX_FILE_BYTES as u64 {
        return Err(too_large());
    }
    let is_complete =
        read_start(&plain.fd, size, limit, buffer).map_err(|e| read_error(e, &format!("'{}'", file.path)))?;
    // It grew since its size was read.
    if is_complete || limit < MAX_FILE_BYTES { Ok(is_complete) } else { Err(too_large()) }
}

fn read_start(file: &OwnedFd, size: u64, limit: usize, buffer: &mut Vec<u8>) -> rustix::io::Result<bool> {
    buffer.clear();
    // One extra byte shows whether there is more.
    let wanted = limit.saturating_add(1).min(size as usize + 1);
    buffer.reserve_exact(wanted.max(buffer.capacity()));
    loop {
        match rustix::io::read(file, rustix::buffer::spare_capacity(buffer)) {
            Ok(0) => break,
            Ok(_) if buffer.len() as u64 == size || buffer.len() > limit => break,
            Ok(_) if buffer.len() == buffer.capacity() => buffer.reserve(64 << 10),
            Ok(_) | Err(Errno::INTR) => {}
            Err(e) => return Err(e),
        }
    }
    let is_complete = buffer.len() <= limit;
    buffer.truncate(limit);
    Ok(is_complete)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The names of a directory, sorted: both ways of reading it must find the same.
    #[test]
    fn other_systems_list_the_same_names() {
        let folder = tempfile::tempdir().unwrap();
        fs_err::create_dir(folder.path().join("below")).unwrap();
        std::os::unix::fs::symlink("a.md", folder.path().join("link.md")).unwrap();
        (0..300).for_each(|i| fs_err::write(folder.path().join(format!("{i}-a-rather-long-name.md")), "x").unwrap());
        let open =
            || rustix::fs::open(folder.path(), rustix::fs::OFlags::DIRECTORY, rustix::fs::Mode::empty()).unwrap();
        let (mut here, mut there) = (Vec::new(), Vec::new());
        list_names(&open(), &mut Vec::with_capacity(4096), &mut |name, kind| here.push((name.to_vec(), kind))).unwrap();
        list_names_by_readdir(&open(), &mut |name, kind| there.push((name.to_vec(), kind))).unwrap();
        let order = |list: &mut Vec<(Vec<u8>, FileType)>| list.sort_by(|a, b| a.0.cmp(&b.0));
        order(&mut here);
        order(&mut there);
        assert_eq!((here.len(), here == there), (304, true), "with `.` and `..`");
        // File systems that do not tell the type of an entry: it is read from the file itself.
        for (name, kind) in &here {
            assert_eq!(stat_file_type(&open(), name), *kind, "{}", String::from_utf8_lossy(name));
        }
        assert_eq!(stat_file_type(&open(), b"none"), FileType::Unknown);
    }
}
