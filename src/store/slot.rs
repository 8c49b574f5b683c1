//! Slots: files that hold the texts that a batch is about to write, and afterwards those that it replaced. Also applies
//! the journal's edits to texts.
//!
//! Never overwrites a memory file: slots are below `.memdir/undo/` only.

use std::os::fd::{AsFd, BorrowedFd};

use rustix::fs::{AtFlags, Stat};
use rustix::io::Errno;

use super::platform;
use super::root::{write_all, write_error};
use crate::code::{Code, Rejection, Warning};

/// Returns the name of a slot.
pub fn name(rev: u64, file: usize) -> String {
    format!("{rev}-{file}")
}

/// Returns the name of the old text while a swap is made with hard links.
pub fn spare_name(slot: &str) -> String {
    format!("{slot}.old")
}

/// Parses a slot's name into revision and file number.
pub fn parse_name(name: &str) -> Option<(u64, usize)> {
    let (rev, file) = name.split_once('-')?;
    Some((rev.parse().ok()?, file.parse().ok()?))
}

/// The result of writing a slot.
pub struct WrittenSlot {
    pub inode: u64,
    /// Whether an earlier batch had left a slot of this name.
    pub replaced_orphan: bool,
    /// Which metadata of the old file could not be copied, if any.
    pub warning: Option<Warning>,
}

/// Removes a slot.
pub fn free(undo: impl AsFd, name: &str) -> Result<(), Rejection> {
    match rustix::fs::unlinkat(undo, name, AtFlags::empty()) {
        Ok(()) | Err(Errno::NOENT) => Ok(()),
        Err(e) => Err(write_error(e, "an undo slot")),
    }
}

/// Empties a slot but keeps its name, which recovery reads as a sign that the file was applied.
pub fn truncate(undo: BorrowedFd<'_>, name: &str) -> Result<(), Rejection> {
    let to_error = |e: Errno| write_error(e, "an undo slot");
    match platform::open_append(undo, name) {
        Ok(file) => rustix::fs::ftruncate(&file, 0).and_then(|()| platform::sync(&file)).map_err(to_error),
        Err(Errno::NOENT) => Ok(()),
        Err(e) => Err(to_error(e)),
    }
}

/// How many further names are tried after each orphan that is found.
const ORPHAN_SEARCH_GAP: usize = 64;

/// Removes the orphaned slots of an earlier batch with this number (one that never got an intent) beyond the files of
/// this batch. Unless the batch met such a slot (`found_orphan`), only one name is tried.
pub fn free_orphans(undo: BorrowedFd<'_>, rev: u64, files: usize, found_orphan: bool) {
    let mut last = if found_orphan { files + ORPHAN_SEARCH_GAP } else { files };
    let mut i = files;
    while i <= last {
        if rustix::fs::unlinkat(undo, name(rev, i), AtFlags::empty()).is_ok() {
            last = i + ORPHAN_SEARCH_GAP;
        }
        i += 1;
    }
}

/// Writes a text to a slot with the given mode, and copies the old file's other metadata.
pub fn write(
    undo: BorrowedFd<'_>,
    name: &str,
    bytes: &[u8],
    mode: u32,
    old_file: Option<&super::root::PlainFile>,
    sync: bool,
) -> Result<WrittenSlot, Rejection> {
    let to_error = |e: Errno| write_error(e, "an undo slot");
    let mut orphan = false;
    let file = match platform::create_new(undo, name) {
        // An orphan: its batch never got an intent.
        Err(Errno::EXIST) => {
            orphan = true;
            free(undo, name)?;
            platform::create_new(undo, name)
        }
        result => result,
    }
    .map_err(to_error)?;
    write_all(&file, bytes).map_err(to_error)?;
    let stat = rustix::fs::fstat(&file).map_err(to_error)?;
    let warning = old_file.and_then(|old| copy_metadata(&old.fd, &old.stat, &file, &stat));
    if platform::mode(&stat) != mode {
        platform::set_mode(&file, mode).map_err(to_error)?;
        if platform::mode(&rustix::fs::fstat(&file).map_err(to_error)?) != mode {
            return Err(Rejection::new(Code::ReadOnly, format!("cannot set the mode of a new file to {mode:o}")));
        }
    }
    if sync {
        platform::sync(&file).map_err(to_error)?;
    }
    Ok(WrittenSlot { inode: stat.st_ino, replaced_orphan: orphan, warning })
}

/// Copies owner, group and extended attributes as far as the system permits.
fn copy_metadata(from: impl AsFd, old: &Stat, to: impl AsFd, new: &Stat) -> Option<Warning> {
    let mut not_copied = Vec::new();
    if (old.st_uid, old.st_gid) != (new.st_uid, new.st_gid) {
        let owner = (old.st_uid != new.st_uid).then(|| rustix::fs::Uid::from_raw(old.st_uid));
        let group = rustix::fs::Gid::from_raw(old.st_gid);
        if rustix::fs::fchown(&to, owner, Some(group)).is_err() {
            let _ = rustix::fs::fchown(&to, None, Some(group));
            not_copied.push("owner or group");
        }
    }
    if !copy_xattrs(from, to) {
        not_copied.push("extended attributes");
    }
    (!not_copied.is_empty())
        .then(|| Warning::new(Code::Note, format!("the file's {} could not be preserved", not_copied.join(" and "))))
}

#[cfg(any(target_os = "linux", target_vendor = "apple"))]
fn copy_xattrs(from: impl AsFd, to: impl AsFd) -> bool {
    let mut names = Vec::new();
    match rustix::fs::flistxattr(&from, &mut [0u8; 0]) {
        Ok(0) | Err(_) => return true,
        Ok(size) => names.reserve(size),
    }
    if rustix::fs::flistxattr(&from, rustix::buffer::spare_capacity(&mut names)).is_err() {
        return false;
    }
    let copy_one = |name: &[u8]| -> rustix::io::Result<()> {
        let size = rustix::fs::fgetxattr(&from, name, &mut [0u8; 0])?;
        let mut value = Vec::with_capacity(size);
        rustix::fs::fgetxattr(&from, name, rustix::buffer::spare_capacity(&mut value))?;
        rustix::fs::fsetxattr(&to, name, &value, rustix::fs::XattrFlags::empty())
    };
    names.split(|&b| b == 0).filter(|n| !n.is_empty()).all(|n| copy_one(n).is_ok())
}

#[cfg(not(any(target_os = "linux", target_vendor = "apple")))]
fn carry_attributes(_: impl AsFd, _: impl AsFd) -> bool {
    true
}

/// Applies a journal's edits (byte offset in the old text, old, new), forwards or backwards; `None` if they do not fit.
pub fn apply_edits(text: &[u8], edits: &[(usize, String, String)], forward: bool) -> Option<Vec<u8>> {
    let mut out = Vec::with_capacity(text.len());
    let (mut read, mut shift) = (0usize, 0isize);
    for (start, old, new) in edits {
        let (removed, inserted) = if forward { (old, new) } else { (new, old) };
        let at = if forward { *start } else { start.checked_add_signed(shift)? };
        out.extend_from_slice(text.get(read..at)?);
        read = at.checked_add(removed.len())?;
        if text.get(at..read)? != removed.as_bytes() {
            return None;
        }
        out.extend_from_slice(inserted.as_bytes());
        shift += new.len() as isize - old.len() as isize;
    }
    out.extend_from_slice(text.get(read..)?);
    Some(out)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn edits_lead_both_ways_and_refuse_another_text() {
        let edits = [
            (0, "a".to_owned(), String::new()),
            (2, "c".to_owned(), "XYZ".to_owned()),
            (4, String::new(), "!".to_owned()),
        ];
        assert_eq!(apply_edits(b"abcd", &edits, true).unwrap(), b"bXYZd!");
        assert_eq!(apply_edits(b"bXYZd!", &edits, false).unwrap(), b"abcd");
        assert_eq!(apply_edits(b"abxd", &edits, true), None);
        assert_eq!(apply_edits(b"ab", &edits, true), None);
        assert_eq!(apply_edits(b"abcd", &[(9, String::new(), "x".to_owned())], true), None);
    }

    #[test]
    fn a_slot_is_named_by_revision_and_file() {
        assert_eq!(parse_name(&name(41, 2)), Some((41, 2)));
        assert_eq!(parse_name("journal"), None);
    }
}
