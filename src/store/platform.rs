//! The store's system calls that differ between systems, each named by its purpose.
//!
//! Never decides what to open, swap or sync: the callers do. Linux is the main target; other systems get fallbacks.

use std::os::fd::{AsFd, BorrowedFd, OwnedFd};

use rustix::fs::{AtFlags, Mode, OFlags, Stat};
use rustix::io::{Errno, Result};
use rustix::process::{Resource, Rlimit};

/// Flags of every descriptor for reading.
const READ_FLAGS: OFlags = OFlags::RDONLY.union(OFlags::CLOEXEC).union(OFlags::NOFOLLOW);

/// Opens a directory below another (`""` is that directory itself), without following symbolic links or crossing
/// mounts.
pub fn open_dir(at: BorrowedFd<'_>, path: &str) -> Result<OwnedFd> {
    let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::CLOEXEC;
    if path.is_empty() {
        return rustix::fs::openat(at, ".", flags, Mode::empty());
    }
    #[cfg(target_os = "linux")]
    {
        use rustix::fs::ResolveFlags;
        let resolve =
            ResolveFlags::BENEATH | ResolveFlags::NO_SYMLINKS | ResolveFlags::NO_MAGICLINKS | ResolveFlags::NO_XDEV;
        for _ in 0..64 {
            match rustix::fs::openat2(at, path, flags, Mode::empty(), resolve) {
                // Something was renamed meanwhile, so the kernel could not prove that the path stays below.
                Err(Errno::AGAIN) => continue,
                Err(Errno::NOSYS | Errno::PERM) => break,
                result => return result,
            }
        }
    }
    open_dir_stepwise(at, path)
}

/// The same for kernels without `openat2`, one component at a time.
fn open_dir_stepwise(at: BorrowedFd<'_>, path: &str) -> Result<OwnedFd> {
    let device = rustix::fs::fstat(at)?.st_dev;
    let mut dir = rustix::fs::openat(at, ".", READ_FLAGS | OFlags::DIRECTORY, Mode::empty())?;
    for part in path.split('/') {
        if matches!(part, "" | "." | "..") {
            return Err(Errno::XDEV);
        }
        dir = rustix::fs::openat(&dir, part, READ_FLAGS | OFlags::DIRECTORY, Mode::empty())?;
        if rustix::fs::fstat(&dir)?.st_dev != device {
            return Err(Errno::XDEV);
        }
    }
    Ok(dir)
}

/// Opens a directory in another by its name, which need not be UTF-8, without following a symbolic link or crossing a
/// mount.
pub fn open_subdir(at: BorrowedFd<'_>, name: &[u8]) -> Result<OwnedFd> {
    let dir = rustix::fs::openat(at, name, READ_FLAGS | OFlags::DIRECTORY, Mode::empty())?;
    if rustix::fs::fstat(&dir)?.st_dev == rustix::fs::fstat(at)?.st_dev { Ok(dir) } else { Err(Errno::XDEV) }
}

/// Opens the last component for reading, whatever it is. A FIFO does not block, a symbolic link is not followed.
pub fn open_file(dir: impl AsFd, name: &str) -> Result<OwnedFd> {
    let flags = READ_FLAGS | OFlags::NONBLOCK | OFlags::NOCTTY;
    rustix::fs::openat(dir, name, flags, Mode::empty())
}

/// Opens a machine-state file for appending and reading, without creating it.
pub fn open_append(dir: impl AsFd, name: &str) -> Result<OwnedFd> {
    let flags = OFlags::RDWR | OFlags::APPEND | OFlags::CLOEXEC | OFlags::NOFOLLOW | OFlags::NONBLOCK;
    rustix::fs::openat(dir, name, flags, Mode::empty())
}

/// Creates a machine-state file with mode 0600.
pub fn create_new(dir: impl AsFd, name: &str) -> Result<OwnedFd> {
    let flags = OFlags::WRONLY | OFlags::CREATE | OFlags::EXCL | OFlags::CLOEXEC | OFlags::NOFOLLOW;
    rustix::fs::openat(dir, name, flags, Mode::from_raw_mode(0o600))
}

/// Creates a machine-state file with mode 0600 that has all its bytes when its name appears (`Errno::EXIST` if the name
/// exists). Without `O_TMPFILE` the name appears first, and is removed if the bytes cannot be written.
pub fn create_atomically(dir: BorrowedFd<'_>, name: &str, bytes: &[u8]) -> Result<()> {
    #[cfg(target_os = "linux")]
    {
        use std::os::fd::AsRawFd;
        let flags = OFlags::WRONLY | OFlags::TMPFILE | OFlags::CLOEXEC;
        if let Ok(file) = rustix::fs::openat(dir, ".", flags, Mode::from_raw_mode(0o600)) {
            write_and_sync(&file, bytes)?;
            let unnamed = format!("/proc/self/fd/{}", file.as_raw_fd());
            match rustix::fs::linkat(rustix::fs::CWD, unnamed, dir, name, AtFlags::SYMLINK_FOLLOW) {
                // `/proc` is not mounted.
                Err(Errno::NOENT) => {}
                result => return result,
            }
        }
    }
    create_then_write(dir, name, bytes)
}

/// [`create_atomically`] for systems without `O_TMPFILE`.
fn create_then_write(dir: BorrowedFd<'_>, name: &str, bytes: &[u8]) -> Result<()> {
    let file = create_new(dir, name)?;
    write_and_sync(&file, bytes).inspect_err(|_| {
        let _ = rustix::fs::unlinkat(dir, name, AtFlags::empty());
    })
}

fn write_and_sync(file: &OwnedFd, bytes: &[u8]) -> Result<()> {
    super::root::write_all(file, bytes)?;
    sync(file)
}

/// Opens a file for byte-range locks: below a directory, without following symbolic links or crossing mounts.
#[cfg(target_os = "linux")]
pub fn open_for_locking(at: BorrowedFd<'_>, path: &str) -> Result<OwnedFd> {
    use rustix::fs::ResolveFlags;
    let flags = OFlags::RDWR | OFlags::CLOEXEC | OFlags::NOFOLLOW | OFlags::NONBLOCK | OFlags::NOCTTY;
    let resolve =
        ResolveFlags::BENEATH | ResolveFlags::NO_SYMLINKS | ResolveFlags::NO_MAGICLINKS | ResolveFlags::NO_XDEV;
    rustix::fs::openat2(at, path, flags, Mode::empty(), resolve)
}

/// Byte-range locks belong to processes here, not to descriptors: there is no queue.
#[cfg(not(target_os = "linux"))]
pub fn open_for_locking(_: BorrowedFd<'_>, _: &str) -> Result<OwnedFd> {
    Err(Errno::NOSYS)
}

/// Returns the end of the first row of bytes, from `from` on, that another descriptor has locked; `None` if there is
/// none.
#[cfg(target_os = "linux")]
pub fn locked_until(file: impl AsFd, from: i64) -> Result<Option<i64>> {
    let mut request = byte_range(from, 0);
    fcntl_lock(file.as_fd(), libc::F_OFD_GETLK, &mut request)?;
    match (request.l_type as libc::c_int, request.l_len) {
        (libc::F_UNLCK, _) => Ok(None),
        // A lock to the end of the file is not one of ours.
        (_, 0) => Err(Errno::INVAL),
        (_, len) => Ok(Some(request.l_start + len)),
    }
}

/// Locks the bytes from `from` up to `until` (exclusive) for this descriptor: at once (else `Errno::AGAIN`), or
/// waiting.
#[cfg(target_os = "linux")]
pub fn lock_bytes(file: impl AsFd, from: i64, until: i64, wait: bool) -> Result<()> {
    let command = if wait { libc::F_OFD_SETLKW } else { libc::F_OFD_SETLK };
    fcntl_lock(file.as_fd(), command, &mut byte_range(from, until - from))
}

/// Not supported on this system.
#[cfg(not(target_os = "linux"))]
pub fn locked_until(_: impl AsFd, _: i64) -> Result<Option<i64>> {
    Err(Errno::NOSYS)
}

/// Not supported on this system.
#[cfg(not(target_os = "linux"))]
pub fn lock_bytes(_: impl AsFd, _: i64, _: i64, _: bool) -> Result<()> {
    Err(Errno::NOSYS)
}

/// Describes a write lock on bytes; `len` 0 means to the end of the file.
#[cfg(target_os = "linux")]
#[allow(clippy::unnecessary_cast)] // 32 bits on some systems
fn byte_range(start: i64, len: i64) -> libc::flock {
    let (l_start, l_len) = (start as libc::off_t, len as libc::off_t);
    libc::flock { l_type: libc::F_WRLCK as _, l_whence: libc::SEEK_SET as _, l_start, l_len, l_pid: 0 }
}

#[cfg(target_os = "linux")]
#[allow(unsafe_code)]
fn fcntl_lock(file: BorrowedFd<'_>, command: libc::c_int, lock: &mut libc::flock) -> Result<()> {
    use std::os::fd::AsRawFd;
    // SAFETY: `file` is open for as long as it is borrowed, and `lock` is a valid `flock` of ours, read and written
    // only during the call.
    match unsafe { libc::fcntl(file.as_raw_fd(), command, std::ptr::from_mut(lock)) } {
        -1 => Err(Errno::from_io_error(&std::io::Error::last_os_error()).unwrap_or(Errno::IO)),
        _ => Ok(()),
    }
}

/// Returns the metadata of a name, without following a symbolic link.
pub fn stat_name(dir: impl AsFd, name: &str) -> Result<Stat> {
    rustix::fs::statat(dir, name, AtFlags::SYMLINK_NOFOLLOW)
}

/// The permission bits of a file (`0o7777`).
#[allow(clippy::unnecessary_cast)] // 16 bits on some systems
pub fn mode(stat: &Stat) -> u32 {
    stat.st_mode as u32 & 0o7777
}

/// Sets the permission bits of an open file.
#[allow(clippy::unnecessary_cast)]
pub fn set_mode(file: impl AsFd, mode: u32) -> Result<()> {
    rustix::fs::fchmod(file, Mode::from_raw_mode(mode as rustix::fs::RawMode))
}

/// A file name in an open directory.
#[derive(Clone, Copy)]
pub struct NameInDir<'a> {
    pub dir: BorrowedFd<'a>,
    /// One component of a path: a name without `/`.
    pub name: &'a str,
}

/// Whether two names are hard links of one file.
pub fn is_same_file(a: NameInDir<'_>, b: NameInDir<'_>) -> bool {
    let [a, b] = [a, b].map(|name| stat_name(name.dir, name.name));
    // Some file systems give several files one inode number.
    matches!((a, b), (Ok(a), Ok(b)) if (a.st_dev, a.st_ino) == (b.st_dev, b.st_ino) && a.st_nlink > 1 && b.st_nlink > 1)
}

/// Swaps two files in one step. `Errno::INVAL`, `NOSYS`, `OPNOTSUPP`: not supported by this file system.
#[cfg(target_os = "linux")]
pub fn exchange(a: NameInDir<'_>, b: NameInDir<'_>) -> Result<()> {
    rustix::fs::renameat_with(a.dir, a.name, b.dir, b.name, rustix::fs::RenameFlags::EXCHANGE)
}

/// Swaps two files in one step (`renamex_np` with `RENAME_SWAP`).
#[cfg(target_vendor = "apple")]
pub fn exchange(a: NameInDir<'_>, b: NameInDir<'_>) -> Result<()> {
    rustix::fs::renameat_with(a.dir, a.name, b.dir, b.name, rustix::fs::RenameFlags::EXCHANGE)
}

/// Not supported on this system.
#[cfg(not(any(target_os = "linux", target_vendor = "apple")))]
pub fn exchange(_: NameInDir<'_>, _: NameInDir<'_>) -> Result<()> {
    Err(Errno::NOSYS)
}

/// Whether an error of [`exchange`] or [`rename_new`] means that the file system does not support it.
pub fn is_unsupported(error: Errno) -> bool {
    matches!(error, Errno::INVAL | Errno::NOSYS | Errno::OPNOTSUPP)
}

/// The error of a swap or a move.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RenameError {
    pub errno: Errno,
    /// Whether a part of it was done and could not be taken back: recovery must look.
    pub is_partial: bool,
}

impl From<Errno> for RenameError {
    fn from(errno: Errno) -> RenameError {
        RenameError { errno, is_partial: false }
    }
}

/// Swaps `slot` and `target` without a swap system call: moves the target to `spare`, beside the slot, then the slot to
/// the target, which must not exist, and the spare to the slot. What comes out is what stood at the target, even if it
/// was saved just before; a file that is saved meanwhile is kept (`Errno::EXIST`). For a moment the target has no name.
/// A crash at any point leaves both texts. After an error that is not partial, the slot is as it was, the target too
/// unless another program saved it, and the spare is gone.
pub fn exchange_by_rename(
    slot: NameInDir<'_>,
    target: NameInDir<'_>,
    spare: &str,
) -> std::result::Result<(), RenameError> {
    let spare = NameInDir { dir: slot.dir, name: spare };
    let rename = |from: NameInDir<'_>, to: NameInDir<'_>| rustix::fs::renameat(from.dir, from.name, to.dir, to.name);
    let exists = |file: NameInDir<'_>| stat_name(file.dir, file.name).is_ok();
    let remove_spare = || match rustix::fs::unlinkat(spare.dir, spare.name, AtFlags::empty()) {
        Ok(()) | Err(Errno::NOENT) => Ok(()),
        Err(e) => Err(e),
    };
    remove_spare()?;
    stat_name(slot.dir, slot.name)?;
    // A device that fails may have done it.
    rename(target, spare).map_err(|errno| RenameError { errno, is_partial: exists(spare) })?;
    if let Err(error) = rename_new(slot, target) {
        let may_put_back = !error.is_partial && exists(slot);
        let is_undone = may_put_back
            && match rename_new(spare, target) {
                Ok(()) => true,
                // Another program saved the file in the place of the old text.
                Err(e) => e.errno == Errno::EXIST && remove_spare().is_ok(),
            };
        return Err(RenameError { errno: error.errno, is_partial: !is_undone });
    }
    rename(spare, slot).map_err(|errno| RenameError { errno, is_partial: true })
}

/// Renames to a name that must not exist (`Errno::EXIST`).
pub fn rename_new(from: NameInDir<'_>, to: NameInDir<'_>) -> std::result::Result<(), RenameError> {
    #[cfg(any(target_os = "linux", target_vendor = "apple"))]
    match rustix::fs::renameat_with(from.dir, from.name, to.dir, to.name, rustix::fs::RenameFlags::NOREPLACE) {
        Err(e) if is_unsupported(e) => {}
        result => return result.map_err(RenameError::from),
    }
    rename_new_by_link(from, to)
}

/// [`rename_new`] for systems and file systems without it.
fn rename_new_by_link(from: NameInDir<'_>, to: NameInDir<'_>) -> std::result::Result<(), RenameError> {
    rustix::fs::linkat(from.dir, from.name, to.dir, to.name, AtFlags::empty())?;
    rustix::fs::unlinkat(from.dir, from.name, AtFlags::empty()).map_err(|errno| {
        let undone = rustix::fs::unlinkat(to.dir, to.name, AtFlags::empty()).is_ok();
        RenameError { errno, is_partial: !undone }
    })
}

/// From this number of files on a batch may meet the limit of open files, which is 256 or 1,024 on most systems.
const FEW_FILES: usize = 64;
/// Open files for which a process needs some of its limit besides a batch.
const OTHER_OPEN_FILES: u64 = 128;

/// Raises this process's limit of open files, as far as the system permits, for a batch of so many files: each needs a
/// handle of its old or new text, and one of its folder. Does nothing for a batch of the usual size.
pub fn allow_open_files(files: usize) {
    let wanted = (2 * files) as u64 + OTHER_OPEN_FILES;
    if files < FEW_FILES {
        return;
    }
    let Rlimit { current, maximum } = rustix::process::getrlimit(Resource::Nofile);
    if current.is_some_and(|current| current < wanted) {
        let current = Some(maximum.map_or(wanted, |maximum| wanted.min(maximum)));
        // Else the batch is refused when the limit is met, and nothing is changed.
        let _ = rustix::process::setrlimit(Resource::Nofile, Rlimit { current, maximum });
    }
}

/// Waits until a file's contents and metadata are on disk.
pub fn sync(file: impl AsFd) -> Result<()> {
    #[cfg(target_vendor = "apple")]
    return rustix::fs::fcntl_fullfsync(file);
    #[cfg(not(target_vendor = "apple"))]
    rustix::fs::fsync(file)
}

/// Starts writing a file's bytes from this offset (in bytes) to disk, without waiting. Only a hint: a later [`sync`] or
/// [`sync_data`] waits for them. What is started before the first of several waits is written beside it, and ext4
/// gives the blocks of all in one transaction.
pub fn start_writing(file: impl AsFd, offset: u64) {
    #[cfg(target_os = "linux")]
    let _ = rustix::fs::fadvise(file, offset, None, rustix::fs::Advice::DontNeed);
    #[cfg(not(target_os = "linux"))]
    let _ = (file, offset);
}

/// Waits until a file's contents are on disk.
pub fn sync_data(file: impl AsFd) -> Result<()> {
    #[cfg(target_vendor = "apple")]
    return rustix::fs::fcntl_fullfsync(file);
    #[cfg(not(target_vendor = "apple"))]
    rustix::fs::fdatasync(file)
}

/// Whether any process has this file open for writing. Tested by requesting a lease, which the kernel refuses while
/// there is a writer, and which is released at once. Without lease support the answer is no.
#[cfg(target_os = "linux")]
pub fn has_writer(file: impl AsFd) -> bool {
    refuses_lease(file.as_fd())
}

/// Not supported on this system: always false.
#[cfg(not(target_os = "linux"))]
pub fn has_writer(_: impl AsFd) -> bool {
    false
}

#[cfg(target_os = "linux")]
#[allow(unsafe_code)]
fn refuses_lease(file: BorrowedFd<'_>) -> bool {
    use std::os::fd::AsRawFd;
    /// From asm-generic/fcntl.h; the libc crate lacks it.
    const F_SETSIG: libc::c_int = 10;
    let fd = file.as_raw_fd();
    // SAFETY: `fd` is open for as long as `file` borrows it; F_SETSIG and F_SETLEASE take an int and no memory.
    unsafe {
        // A lease that is broken at this moment raises a signal. The default, SIGIO, kills the process; SIGURG is
        // ignored by default, and choosing it affects only this descriptor, not the signal handling of the process or
        // its children.
        libc::fcntl(fd, F_SETSIG, libc::SIGURG);
        if libc::fcntl(fd, libc::F_SETLEASE, libc::F_RDLCK) == 0 {
            libc::fcntl(fd, libc::F_SETLEASE, libc::F_UNLCK);
            return false;
        }
    }
    std::io::Error::last_os_error().raw_os_error() == Some(libc::EAGAIN) && !is_network_file(file)
}

/// NFS and SMB refuse leases with the same error even without a writer.
#[cfg(target_os = "linux")]
fn is_network_file(file: BorrowedFd<'_>) -> bool {
    const NFS: u32 = 0x6969;
    const CIFS: u32 = 0xff53_4d42;
    const SMB2: u32 = 0xfe53_4d42;
    rustix::fs::fstatfs(file).is_ok_and(|fs| matches!(fs.f_type as u32, NFS | CIFS | SMB2))
}

/// The fallbacks for other systems, on Linux.
#[cfg(test)]
mod tests {
    use std::os::unix::fs::symlink;

    use super::*;

    fn folder() -> (tempfile::TempDir, OwnedFd) {
        let folder = tempfile::tempdir().unwrap();
        let fd = rustix::fs::open(folder.path(), READ_FLAGS | OFlags::DIRECTORY, Mode::empty()).unwrap();
        (folder, fd)
    }

    #[test]
    fn opening_step_by_step_follows_no_link_and_no_mount() {
        let (folder, fd) = folder();
        fs_err::create_dir_all(folder.path().join("a/b")).unwrap();
        symlink("a", folder.path().join("link")).unwrap();
        symlink("/", folder.path().join("a/out")).unwrap();
        for (path, found) in [("a", true), ("a/b", true), ("link", false), ("link/b", false), ("a/out", false)] {
            assert_eq!(open_dir_stepwise(fd.as_fd(), path).is_ok(), found, "{path}");
            assert_eq!(open_dir(fd.as_fd(), path).is_ok(), found, "{path}");
        }
        for path in ["..", "a/..", "a/../a", ".", "a//b", "/"] {
            assert_eq!(open_dir_stepwise(fd.as_fd(), path).err(), Some(Errno::XDEV), "{path}");
        }
        assert_eq!(open_dir_stepwise(fd.as_fd(), "none").err(), Some(Errno::NOENT));
        #[cfg(target_os = "linux")] // `/proc` is a mount
        {
            let root = rustix::fs::open("/", READ_FLAGS | OFlags::DIRECTORY, Mode::empty()).unwrap();
            assert_eq!(open_dir_stepwise(root.as_fd(), "proc").err(), Some(Errno::XDEV));
        }
    }

    #[test]
    fn creating_without_a_nameless_file_is_exclusive_and_private() {
        let (folder, fd) = folder();
        create_then_write(fd.as_fd(), "new", b"text").unwrap();
        assert_eq!(create_then_write(fd.as_fd(), "new", b"other"), Err(Errno::EXIST));
        assert_eq!(fs_err::read(folder.path().join("new")).unwrap(), b"text");
        assert_eq!(mode(&stat_name(&fd, "new").unwrap()), 0o600);
        symlink("target", folder.path().join("link")).unwrap();
        assert_eq!(create_then_write(fd.as_fd(), "link", b"x"), Err(Errno::EXIST));
        assert!(!folder.path().join("target").exists());
    }

    #[test]
    fn renaming_by_link_displaces_nothing() {
        let (folder, fd) = folder();
        let name = |name| NameInDir { dir: fd.as_fd(), name };
        let text = |name: &str| fs_err::read_to_string(folder.path().join(name)).ok();
        fs_err::write(folder.path().join("a"), "A").unwrap();
        fs_err::write(folder.path().join("b"), "B").unwrap();
        let exists = RenameError { errno: Errno::EXIST, is_partial: false };
        assert_eq!(rename_new_by_link(name("a"), name("b")), Err(exists));
        assert_eq!(rename_new(name("a"), name("b")), Err(exists));
        assert_eq!((text("a"), text("b")), (Some("A".into()), Some("B".into())));
        rename_new_by_link(name("a"), name("c")).unwrap();
        assert_eq!((text("a"), text("c")), (None, Some("A".into())));
        let missing = RenameError { errno: Errno::NOENT, is_partial: false };
        assert_eq!(rename_new_by_link(name("a"), name("d")), Err(missing));
    }

    #[test]
    fn swapping_by_renames_leaves_one_name_for_each_text() {
        let (folder, fd) = folder();
        let name = |name| NameInDir { dir: fd.as_fd(), name };
        let text = |name: &str| fs_err::read_to_string(folder.path().join(name)).ok();
        fs_err::write(folder.path().join("slot"), "new").unwrap();
        fs_err::write(folder.path().join("file"), "old").unwrap();
        // What a killed process left behind.
        fs_err::write(folder.path().join("spare"), "rest").unwrap();
        exchange_by_rename(name("slot"), name("file"), "spare").unwrap();
        assert_eq!((text("slot"), text("file"), text("spare")), (Some("old".into()), Some("new".into()), None));
        let missing = RenameError { errno: Errno::NOENT, is_partial: false };
        for (slot, file) in [("slot", "none"), ("none", "file")] {
            assert_eq!(exchange_by_rename(name(slot), name(file), "spare"), Err(missing));
            assert_eq!((text("slot"), text("file"), text("spare")), (Some("old".into()), Some("new".into()), None));
        }
    }
}
