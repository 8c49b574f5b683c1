//! Finds the markdown files of a data dir, and reads many of them quickly.
//!
//! Never opens what is not a plain file, and never follows a link into or out of a folder.

use std::os::fd::{AsFd, OwnedFd};
use std::sync::atomic::{AtomicUsize, Ordering};

use rustix::fs::FileType;
use rustix::io::Errno;

use super::root::{Root, kind_name, last, refusal};
use super::{Found, Reader, platform};
use crate::code::Rejection;
use crate::path::MemoryPath;

/// The deepest folder that is looked into: each level holds a descriptor.
const DEEPEST: usize = 32;
/// From this many files on, two threads read.
const MANY: usize = 256;
/// How many files a thread takes at a time.
const CHUNK: usize = 32;

/// All `*.md` names below a folder (`""` is the data dir), sorted.
pub fn walk(root: &Root, under: &str) -> Result<Vec<Found>, Rejection> {
    let mut found = Vec::new();
    let Some(dir) = root.folder(under)? else { return Ok(found) };
    let mut buffer = Vec::with_capacity(32 << 10);
    folder(&dir, under, 0, &mut buffer, &mut found)?;
    found.sort_unstable_by(|a, b| a.path.cmp(&b.path));
    Ok(found)
}

fn folder(
    dir: &OwnedFd,
    at: &str,
    depth: usize,
    buffer: &mut Vec<u8>,
    found: &mut Vec<Found>,
) -> Result<(), Rejection> {
    let mut below = Vec::new();
    entries(dir, buffer, &mut |name, kind| {
        if name.starts_with(b".") {
            return;
        }
        let kind = match kind {
            FileType::Unknown => kind_of(dir, name),
            kind => kind,
        };
        if kind == FileType::Directory {
            if let Ok(name) = std::str::from_utf8(name)
                && (!at.is_empty() || name != "scopes")
            {
                below.push(join(at, name));
            }
        } else if name.ends_with(b".md") {
            found.extend(named(at, name, kind));
        }
    })
    .map_err(|e| refusal(e, &format!("'{at}/'")))?;
    for path in below.iter().filter(|_| depth < DEEPEST) {
        let name = path.rsplit_once('/').map_or(&**path, |(_, name)| name);
        match platform::open_dir(dir.as_fd(), name) {
            Ok(dir) => folder(&dir, path, depth + 1, buffer, found)?,
            // Swapped or removed meanwhile, or another mount: nothing of ours is below it.
            Err(Errno::NOENT | Errno::NOTDIR | Errno::LOOP | Errno::XDEV) => {}
            Err(e) => return Err(refusal(e, &format!("'{path}/'"))),
        }
    }
    Ok(())
}

fn join(at: &str, name: &str) -> String {
    if at.is_empty() { name.to_owned() } else { [at, "/", name].concat() }
}

fn named(at: &str, name: &[u8], kind: FileType) -> Option<Found> {
    let refused = match (std::str::from_utf8(name), kind) {
        (Err(_), _) => Some("has a name that is not UTF-8"),
        (_, FileType::RegularFile) => None,
        (_, kind) => Some(kind_name(kind)),
    };
    let path = MemoryPath::found(&join(at, &String::from_utf8_lossy(name))).ok()?;
    Some(Found { path, size: 0, refused })
}

fn kind_of(dir: &OwnedFd, name: &[u8]) -> FileType {
    match rustix::fs::statat(dir, name, rustix::fs::AtFlags::SYMLINK_NOFOLLOW) {
        Ok(stat) => FileType::from_raw_mode(stat.st_mode),
        Err(_) => FileType::Unknown,
    }
}

#[cfg(target_os = "linux")]
pub fn entries(dir: &OwnedFd, buffer: &mut Vec<u8>, each: &mut dyn FnMut(&[u8], FileType)) -> rustix::io::Result<()> {
    let mut list = rustix::fs::RawDir::new(dir, buffer.spare_capacity_mut());
    while let Some(entry) = list.next() {
        let entry = entry?;
        each(entry.file_name().to_bytes(), entry.file_type());
    }
    Ok(())
}

#[cfg(not(target_os = "linux"))]
pub fn entries(dir: &OwnedFd, _: &mut Vec<u8>, each: &mut dyn FnMut(&[u8], FileType)) -> rustix::io::Result<()> {
    for entry in rustix::fs::Dir::read_from(dir)? {
        let entry = entry?;
        each(entry.file_name().to_bytes(), entry.file_type());
    }
    Ok(())
}

/// Reads the first bytes of many files, in order.
pub fn each<T: Send>(root: &Root, files: &[Found], limit: usize, f: Reader<'_, T>) -> Vec<T> {
    let next = AtomicUsize::new(0);
    if files.len() < MANY {
        return take(root, files, limit, f, &next).into_iter().flat_map(|(_, part)| part).collect();
    }
    let mut parts = std::thread::scope(|scope| {
        let other = scope.spawn(|| take(root, files, limit, f, &next));
        let mut mine = take(root, files, limit, f, &next);
        match other.join() {
            Ok(part) => mine.extend(part),
            Err(panic) => std::panic::resume_unwind(panic),
        }
        mine
    });
    parts.sort_unstable_by_key(|(start, _)| *start);
    parts.into_iter().flat_map(|(_, part)| part).collect()
}

fn take<T>(root: &Root, files: &[Found], limit: usize, f: Reader<'_, T>, next: &AtomicUsize) -> Vec<(usize, Vec<T>)> {
    let mut parts = Vec::new();
    let mut buffer = Vec::new();
    let mut folder: Option<(String, OwnedFd)> = None;
    loop {
        let start = next.fetch_add(CHUNK, Ordering::Relaxed);
        let Some(chunk) = files.get(start..files.len().min(start + CHUNK)).filter(|c| !c.is_empty()) else {
            return parts;
        };
        let one = |file: &Found| {
            let mut found = file.clone();
            let read = read_one(root, &mut found, limit, &mut folder, &mut buffer);
            f(&found, read.map(|whole| (&buffer[..], whole)))
        };
        parts.push((start, chunk.iter().map(one).collect()));
    }
}

/// Fills the buffer with the start of one file; says whether that is all of it.
fn read_one(
    root: &Root,
    file: &mut Found,
    limit: usize,
    folder: &mut Option<(String, OwnedFd)>,
    buffer: &mut Vec<u8>,
) -> Result<bool, Rejection> {
    let refused = |code, why: &str| Rejection::new(code, format!("'{}' {why}", file.path));
    if let Some(why) = file.refused {
        return Err(refused(crate::code::Code::UnsafeFile, why));
    }
    let gone = || refused(crate::code::Code::FileNotFound, "does not exist any more");
    let parent = file.path.parent();
    if folder.as_ref().is_none_or(|(at, _)| at != parent) {
        *folder = root.folder(parent)?.map(|dir| (parent.to_owned(), dir));
    }
    let Some((_, dir)) = folder else { return Err(gone()) };
    let plain = match root.open_read(&*dir, last(&file.path), "the file") {
        Ok(plain) => plain.ok_or_else(gone)?,
        // The name is written only where somebody will read it: most files are well.
        Err(mut rejection) => {
            rejection.message = rejection.message.replacen("the file", &format!("'{}'", file.path), 1);
            return Err(rejection);
        }
    };
    let size = plain.stat.st_size as u64;
    let whole = read_start(&plain.fd, size, limit, buffer).map_err(|e| refusal(e, &format!("'{}'", file.path)))?;
    file.size = size;
    Ok(whole)
}

fn read_start(file: &OwnedFd, size: u64, limit: usize, buffer: &mut Vec<u8>) -> rustix::io::Result<bool> {
    buffer.clear();
    // One byte more than is wanted tells whether there is more.
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
    let whole = buffer.len() <= limit;
    buffer.truncate(limit);
    Ok(whole)
}
