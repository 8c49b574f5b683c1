//! Slots: files that hold the texts that a batch is about to write, and afterwards those that it replaced. Also applies
//! the journal's edits to texts.
//!
//! Never overwrites a memory file: slots are below `.memdir/undo/` only.

use std::os::fd::{AsFd, BorrowedFd, OwnedFd};

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
    /// The slot, which is not synced yet.
    pub file: OwnedFd,
    /// Whether an earlier batch had left a slot of this name.
    pub replaced_orphan: bool,
    /// Which metadata of the old file could not be copied, if any.
    pub warning: Option<Warning>,
}

/// Removes a slot. A directory of that name was not made by memdir: it is renamed, so that it blocks no change.
pub fn free(undo: impl AsFd, name: &str) -> Result<(), Rejection> {
    match rustix::fs::unlinkat(&undo, name, AtFlags::empty()) {
        Ok(()) | Err(Errno::NOENT) => Ok(()),
        // EPERM on systems other than Linux.
        Err(e @ (Errno::ISDIR | Errno::PERM)) => {
            let undo = undo.as_fd();
            let rename_to = |n: usize| {
                let aside = format!("{name}.foreign-{n}");
                let from = platform::NameInDir { dir: undo, name };
                platform::rename_new(from, platform::NameInDir { dir: undo, name: &aside })
            };
            let exists = |result: &Result<(), platform::RenameError>| result.is_err_and(|e| e.errno == Errno::EXIST);
            match (0..100).map(rename_to).find(|result| !exists(result)) {
                Some(Ok(())) => Ok(()),
                _ => Err(write_error(e, &format!("'.memdir/undo/{name}'")).hint("remove it: memdir did not create it")),
            }
        }
        Err(e) => Err(write_error(e, "an undo slot")),
    }
}

/// Empties a slot but keeps its name, which recovery reads as a sign that the file was applied.
pub fn truncate(undo: BorrowedFd<'_>, name: &str) -> Result<(), Rejection> {
    let to_error = |e: Errno| write_error(e, "an undo slot");
    let file = match platform::open_append(undo, name) {
        Ok(file) => file,
        Err(Errno::NOENT) => return Ok(()),
        Err(e) => return Err(to_error(e)),
    };
    if is_ours_alone(&file) {
        return rustix::fs::ftruncate(&file, 0).and_then(|()| platform::sync(&file)).map_err(to_error);
    }
    // Its other name is not ours: only this name is given to an empty file.
    let empty = format!("{name}.empty");
    free(undo, &empty)?;
    let made = platform::create_new(undo, &empty).and_then(|file| platform::sync(&file));
    made.and_then(|()| rustix::fs::renameat(undo, &empty, undo, name)).map_err(to_error)
}

/// Empties a slot, unless it has a second name, and removes its name: an open handle does not keep the text.
pub fn erase(undo: BorrowedFd<'_>, name: &str) -> Result<(), Rejection> {
    if let Ok(file) = platform::open_append(undo, name)
        && is_ours_alone(&file)
    {
        let _ = rustix::fs::ftruncate(&file, 0);
        let _ = platform::sync(&file);
    }
    free(undo, name)
}

/// Whether an open file is a regular file with one name, so that emptying it changes nothing outside.
fn is_ours_alone(file: impl AsFd) -> bool {
    rustix::fs::fstat(file).is_ok_and(|stat| super::root::unsafe_reason(&stat).is_none())
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

/// Writes a text to a slot with the given mode, and copies the old file's other metadata. Does not sync it.
pub fn write(
    undo: BorrowedFd<'_>,
    name: &str,
    bytes: &[u8],
    mode: u32,
    old_file: Option<&super::root::PlainFile>,
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
    // An ACL sets the permission bits, too.
    let set_so_far = if old_file.is_some() { rustix::fs::fstat(&file).map_err(to_error)? } else { stat };
    if platform::mode(&set_so_far) != mode {
        platform::set_mode(&file, mode).map_err(to_error)?;
        if platform::mode(&rustix::fs::fstat(&file).map_err(to_error)?) != mode {
            return Err(Rejection::new(Code::ReadOnly, format!("cannot set the mode of a new file to {mode:o}")));
        }
    }
    Ok(WrittenSlot { inode: stat.st_ino, file, replaced_orphan: orphan, warning })
}

/// Syncs a slot's text.
pub fn sync(file: impl AsFd) -> Result<(), Rejection> {
    platform::sync(file).map_err(|e| write_error(e, "an undo slot"))
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

/// Size that the names of a file's extended attributes, or the value of one, can have on Linux, in bytes. An empty
/// buffer does not ask for the size: rustix answers 0 for it.
#[cfg(any(target_os = "linux", target_vendor = "apple"))]
const MAX_XATTR_BYTES: usize = 64 << 10;

/// Copies all extended attributes, POSIX ACLs among them. Returns whether none was lost.
#[cfg(any(target_os = "linux", target_vendor = "apple"))]
fn copy_xattrs(from: impl AsFd, to: impl AsFd) -> bool {
    let mut names = Vec::with_capacity(MAX_XATTR_BYTES);
    match rustix::fs::flistxattr(&from, rustix::buffer::spare_capacity(&mut names)) {
        Ok(0) | Err(Errno::NOTSUP | Errno::NOSYS) => return true,
        Ok(_) => {}
        Err(_) => return false,
    }
    let mut value = Vec::with_capacity(MAX_XATTR_BYTES);
    let mut copy_one = |name: &[u8]| -> rustix::io::Result<()> {
        value.clear();
        rustix::fs::fgetxattr(&from, name, rustix::buffer::spare_capacity(&mut value))?;
        rustix::fs::fsetxattr(&to, name, &value, rustix::fs::XattrFlags::empty())
    };
    // All are tried, also after one that failed.
    names.split(|&b| b == 0).filter(|n| !n.is_empty()).filter(|name| copy_one(name).is_err()).count() == 0
}

#[cfg(not(any(target_os = "linux", target_vendor = "apple")))]
fn copy_xattrs(_: impl AsFd, _: impl AsFd) -> bool {
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

    #[cfg(target_os = "linux")]
    #[test]
    fn a_slot_takes_over_extended_attributes_and_acls() {
        let dir = tempfile::tempdir().unwrap();
        let undo = rustix::fs::open(dir.path(), rustix::fs::OFlags::DIRECTORY, rustix::fs::Mode::empty()).unwrap();
        let old = platform::create_new(&undo, "old").unwrap();
        let value = vec![7; 3000];
        let set = |name: &str, value: &[u8]| rustix::fs::fsetxattr(&old, name, value, rustix::fs::XattrFlags::empty());
        if set("user.one", &value).is_err() || set("user.two", b"").is_err() {
            return;
        }
        // Owner rw, user 1 r, group none, mask r, others none: to a group without the ACL, the mask would be its
        // rights.
        let entry =
            |tag: u16, perm: u16, id: u32| [&tag.to_le_bytes()[..], &perm.to_le_bytes(), &id.to_le_bytes()].concat();
        let none = u32::MAX;
        let entries = [entry(1, 6, none), entry(2, 4, 1), entry(4, 0, none), entry(16, 4, none), entry(32, 0, none)];
        let acl = [&2u32.to_le_bytes()[..], &entries.concat()].concat();
        let has_acl = set("system.posix_acl_access", &acl).is_ok();
        let plain = super::super::root::PlainFile { stat: rustix::fs::fstat(&old).unwrap(), fd: old };
        let mode = platform::mode(&plain.stat);
        let written = write(undo.as_fd(), "1-0", b"x", mode, Some(&plain)).unwrap();
        assert!(written.warning.is_none());
        let new = platform::open_file(&undo, "1-0").unwrap();
        let read = |name: &str| {
            let mut found = Vec::with_capacity(4096);
            rustix::fs::fgetxattr(&new, name, rustix::buffer::spare_capacity(&mut found)).map(|_| found)
        };
        assert_eq!((read("user.one"), read("user.two")), (Ok(value), Ok(Vec::new())));
        assert!(!has_acl || read("system.posix_acl_access").as_ref() == Ok(&acl));
        assert_eq!(platform::mode(&rustix::fs::fstat(&new).unwrap()), mode);
    }

    #[test]
    fn a_slot_with_a_second_name_is_not_emptied() {
        let dir = tempfile::tempdir().unwrap();
        let undo = rustix::fs::open(dir.path(), rustix::fs::OFlags::DIRECTORY, rustix::fs::Mode::empty()).unwrap();
        let text = |name: &str| fs_err::read_to_string(dir.path().join(name)).ok();
        for erase_it in [false, true] {
            fs_err::write(dir.path().join("outside"), "OUTSIDE").unwrap();
            fs_err::hard_link(dir.path().join("outside"), dir.path().join("2-0")).unwrap();
            if erase_it {
                erase(undo.as_fd(), "2-0").unwrap()
            } else {
                truncate(undo.as_fd(), "2-0").unwrap()
            }
            assert_eq!(text("outside").as_deref(), Some("OUTSIDE"));
            assert_eq!(text("2-0").as_deref(), if erase_it { None } else { Some("") });
            drop(fs_err::remove_file(dir.path().join("2-0")));
            fs_err::remove_file(dir.path().join("outside")).unwrap();
        }
    }

    #[test]
    fn a_directory_named_like_a_slot_blocks_nothing() {
        let dir = tempfile::tempdir().unwrap();
        let undo = rustix::fs::open(dir.path(), rustix::fs::OFlags::DIRECTORY, rustix::fs::Mode::empty()).unwrap();
        for _ in 0..2 {
            fs_err::create_dir_all(dir.path().join("1-0/x")).unwrap();
            write(undo.as_fd(), "1-0", b"x", 0o600, None).unwrap();
            fs_err::remove_file(dir.path().join("1-0")).unwrap();
        }
        assert!(dir.path().join("1-0.foreign-1/x").exists());
    }

    #[test]
    fn a_slot_is_named_by_revision_and_file() {
        assert_eq!(parse_name(&name(41, 2)), Some((41, 2)));
        assert_eq!(parse_name("journal"), None);
    }
}
