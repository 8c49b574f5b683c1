//! Slots: the texts that a batch is about to write, and afterwards the ones that it replaced; and texts rebuilt from
//! their neighbours by edits.
//!
//! Never overwrites a file that people own: slots live below `.memdir/undo/` only.

use std::os::fd::{AsFd, BorrowedFd};

use rustix::fs::{AtFlags, Stat};
use rustix::io::Errno;

use super::platform;
use super::root::{refusal_to_write, write_all};
use crate::code::{Code, Rejection, Warning};

/// The name of a slot.
pub fn name(rev: u64, file: usize) -> String {
    format!("{rev}-{file}")
}

/// The name that the old text has while a swap is made of links.
pub fn spare(slot: &str) -> String {
    format!("{slot}.old")
}

/// The revision and file of a slot's name.
pub fn parse_name(name: &str) -> Option<(u64, usize)> {
    let (rev, file) = name.split_once('-')?;
    Some((rev.parse().ok()?, file.parse().ok()?))
}

/// A slot that was written.
pub struct Written {
    /// Its inode.
    pub inode: u64,
    /// Whether an orphan lay there.
    pub orphan: bool,
    /// What of the old file could not be carried over.
    pub warning: Option<Warning>,
}

/// Frees a slot.
pub fn free(undo: impl AsFd, name: &str) -> Result<(), Rejection> {
    match rustix::fs::unlinkat(undo, name, AtFlags::empty()) {
        Ok(()) | Err(Errno::NOENT) => Ok(()),
        Err(e) => Err(refusal_to_write(e, "an undo slot")),
    }
}

/// Takes the text out of a slot and leaves its name, which still says that something came out.
pub fn empty(undo: BorrowedFd<'_>, name: &str) -> Result<(), Rejection> {
    let refused = |e: Errno| refusal_to_write(e, "an undo slot");
    match platform::open_append(undo, name) {
        Ok(file) => rustix::fs::ftruncate(&file, 0).and_then(|()| platform::sync(&file)).map_err(refused),
        Err(Errno::NOENT) => Ok(()),
        Err(e) => Err(refused(e)),
    }
}

/// How far beyond the first file that a batch does not have its orphans are looked for, once one was met.
const BEYOND: usize = 64;

/// Frees the slots that an earlier batch of this number, which never got an intent, left beyond the files of this one.
/// Where there is no sign of such a batch (`met`), that is one look.
pub fn free_orphans(undo: BorrowedFd<'_>, rev: u64, files: usize, met: bool) {
    let mut last = if met { files + BEYOND } else { files };
    let mut i = files;
    while i <= last {
        if rustix::fs::unlinkat(undo, name(rev, i), AtFlags::empty()).is_ok() {
            last = i + BEYOND;
        }
        i += 1;
    }
}

/// Writes a text to a slot, with the mode it is to have, and what else the old file carried.
pub fn write(
    undo: BorrowedFd<'_>,
    name: &str,
    bytes: &[u8],
    mode: u32,
    like: Option<&super::root::Plain>,
    sync: bool,
) -> Result<Written, Rejection> {
    let refused = |e: Errno| refusal_to_write(e, "an undo slot");
    let mut orphan = false;
    let file = match platform::create(undo, name) {
        // Its batch never got an intent.
        Err(Errno::EXIST) => {
            orphan = true;
            free(undo, name)?;
            platform::create(undo, name)
        }
        answer => answer,
    }
    .map_err(refused)?;
    write_all(&file, bytes).map_err(refused)?;
    let stat = rustix::fs::fstat(&file).map_err(refused)?;
    let warning = like.and_then(|old| carry(&old.fd, &old.stat, &file, &stat));
    if platform::mode(&stat) != mode {
        platform::set_mode(&file, mode).map_err(refused)?;
        if platform::mode(&rustix::fs::fstat(&file).map_err(refused)?) != mode {
            return Err(Rejection::new(Code::ReadOnly, format!("a new file cannot be given the mode {mode:o}")));
        }
    }
    if sync {
        platform::sync(&file).map_err(refused)?;
    }
    Ok(Written { inode: stat.st_ino, orphan, warning })
}

/// Owner, group and extended attributes, as far as the system lets us.
fn carry(from: impl AsFd, old: &Stat, to: impl AsFd, new: &Stat) -> Option<Warning> {
    let mut lost = Vec::new();
    if (old.st_uid, old.st_gid) != (new.st_uid, new.st_gid) {
        let owner = (old.st_uid != new.st_uid).then(|| rustix::fs::Uid::from_raw(old.st_uid));
        let group = rustix::fs::Gid::from_raw(old.st_gid);
        if rustix::fs::fchown(&to, owner, Some(group)).is_err() {
            let _ = rustix::fs::fchown(&to, None, Some(group));
            lost.push("owner or group");
        }
    }
    if !carry_attributes(from, to) {
        lost.push("extended attributes");
    }
    (!lost.is_empty()).then(|| Warning::new(Code::Note, format!("the file's {} could not be kept", lost.join(" and "))))
}

#[cfg(any(target_os = "linux", target_vendor = "apple"))]
fn carry_attributes(from: impl AsFd, to: impl AsFd) -> bool {
    let mut names = Vec::new();
    match rustix::fs::flistxattr(&from, &mut [0u8; 0]) {
        Ok(0) | Err(_) => return true,
        Ok(size) => names.reserve(size),
    }
    if rustix::fs::flistxattr(&from, rustix::buffer::spare_capacity(&mut names)).is_err() {
        return false;
    }
    let one = |name: &[u8]| -> rustix::io::Result<()> {
        let size = rustix::fs::fgetxattr(&from, name, &mut [0u8; 0])?;
        let mut value = Vec::with_capacity(size);
        rustix::fs::fgetxattr(&from, name, rustix::buffer::spare_capacity(&mut value))?;
        rustix::fs::fsetxattr(&to, name, &value, rustix::fs::XattrFlags::empty())
    };
    names.split(|&b| b == 0).filter(|n| !n.is_empty()).all(|n| one(n).is_ok())
}

#[cfg(not(any(target_os = "linux", target_vendor = "apple")))]
fn carry_attributes(_: impl AsFd, _: impl AsFd) -> bool {
    true
}

/// Applies a journal's edits (offset in the old text, old, new), forwards or backwards; `None` where they do not fit.
pub fn apply(text: &[u8], edits: &[(usize, String, String)], forward: bool) -> Option<Vec<u8>> {
    let mut out = Vec::with_capacity(text.len());
    let (mut read, mut shift) = (0usize, 0isize);
    for (start, old, new) in edits {
        let (gone, come) = if forward { (old, new) } else { (new, old) };
        let at = if forward { *start } else { start.checked_add_signed(shift)? };
        out.extend_from_slice(text.get(read..at)?);
        read = at.checked_add(gone.len())?;
        if text.get(at..read)? != gone.as_bytes() {
            return None;
        }
        out.extend_from_slice(come.as_bytes());
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
        assert_eq!(apply(b"abcd", &edits, true).unwrap(), b"bXYZd!");
        assert_eq!(apply(b"bXYZd!", &edits, false).unwrap(), b"abcd");
        assert_eq!(apply(b"abxd", &edits, true), None);
        assert_eq!(apply(b"ab", &edits, true), None);
        assert_eq!(apply(b"abcd", &[(9, String::new(), "x".to_owned())], true), None);
    }

    #[test]
    fn a_slot_is_named_by_revision_and_file() {
        assert_eq!(parse_name(&name(41, 2)), Some((41, 2)));
        assert_eq!(parse_name("journal"), None);
    }
}
