//! The system calls of the store that differ between systems, each under the name of what it is for.
//!
//! Never decides anything: what to open, swap or sync is the callers' business. Linux first; elsewhere the fall-backs.

use std::os::fd::{AsFd, BorrowedFd, OwnedFd};

use rustix::fs::{AtFlags, Mode, OFlags, Stat};
use rustix::io::{Errno, Result};

/// Flags of every descriptor that reads.
const READ: OFlags = OFlags::RDONLY.union(OFlags::CLOEXEC).union(OFlags::NOFOLLOW);

/// Opens a directory below another (`""` is that one itself), following no link and leaving no mount.
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
                // Something was renamed meanwhile: the kernel could not prove that the path stays below.
                Err(Errno::AGAIN) => continue,
                Err(Errno::NOSYS | Errno::PERM) => break,
                answer => return answer,
            }
        }
    }
    open_dir_stepwise(at, path)
}

/// The same, one component at a time, where the kernel has no `openat2`.
fn open_dir_stepwise(at: BorrowedFd<'_>, path: &str) -> Result<OwnedFd> {
    let device = rustix::fs::fstat(at)?.st_dev;
    let mut dir = rustix::fs::openat(at, ".", READ | OFlags::DIRECTORY, Mode::empty())?;
    for part in path.split('/') {
        if matches!(part, "" | "." | "..") {
            return Err(Errno::XDEV);
        }
        dir = rustix::fs::openat(&dir, part, READ | OFlags::DIRECTORY, Mode::empty())?;
        if rustix::fs::fstat(&dir)?.st_dev != device {
            return Err(Errno::XDEV);
        }
    }
    Ok(dir)
}

/// Opens the last component for reading, whatever it is; a FIFO does not block, a link is not followed.
pub fn open_file(dir: impl AsFd, name: &str) -> Result<OwnedFd> {
    let flags = READ | OFlags::NONBLOCK | OFlags::NOCTTY;
    rustix::fs::openat(dir, name, flags, Mode::empty())
}

/// Opens a file of our own for appending and reading, without making it.
pub fn open_append(dir: impl AsFd, name: &str) -> Result<OwnedFd> {
    let flags = OFlags::RDWR | OFlags::APPEND | OFlags::CLOEXEC | OFlags::NOFOLLOW | OFlags::NONBLOCK;
    rustix::fs::openat(dir, name, flags, Mode::empty())
}

/// Makes a new file of our own, 0600.
pub fn create(dir: impl AsFd, name: &str) -> Result<OwnedFd> {
    let flags = OFlags::WRONLY | OFlags::CREATE | OFlags::EXCL | OFlags::CLOEXEC | OFlags::NOFOLLOW;
    rustix::fs::openat(dir, name, flags, Mode::from_raw_mode(0o600))
}

/// Makes a new file of our own, 0600, that has all its bytes when its name appears (`Errno::EXIST` when it is taken).
/// Where files without a name are not to be had, the name comes first, and goes again when the bytes are refused.
pub fn create_whole(dir: BorrowedFd<'_>, name: &str, bytes: &[u8]) -> Result<()> {
    #[cfg(target_os = "linux")]
    {
        use std::os::fd::AsRawFd;
        let flags = OFlags::WRONLY | OFlags::TMPFILE | OFlags::CLOEXEC;
        if let Ok(file) = rustix::fs::openat(dir, ".", flags, Mode::from_raw_mode(0o600)) {
            fill(&file, bytes)?;
            let unnamed = format!("/proc/self/fd/{}", file.as_raw_fd());
            match rustix::fs::linkat(rustix::fs::CWD, unnamed, dir, name, AtFlags::SYMLINK_FOLLOW) {
                // No /proc here.
                Err(Errno::NOENT) => {}
                answer => return answer,
            }
        }
    }
    let file = create(dir, name)?;
    fill(&file, bytes).inspect_err(|_| {
        let _ = rustix::fs::unlinkat(dir, name, AtFlags::empty());
    })
}

fn fill(file: &OwnedFd, bytes: &[u8]) -> Result<()> {
    super::root::write_all(file, bytes)?;
    sync(file)
}

/// Opens a file of our own for locks on its bytes: below a directory, following no link and leaving no mount.
#[cfg(target_os = "linux")]
pub fn open_line(at: BorrowedFd<'_>, path: &str) -> Result<OwnedFd> {
    use rustix::fs::ResolveFlags;
    let flags = OFlags::RDWR | OFlags::CLOEXEC | OFlags::NOFOLLOW | OFlags::NONBLOCK | OFlags::NOCTTY;
    let resolve =
        ResolveFlags::BENEATH | ResolveFlags::NO_SYMLINKS | ResolveFlags::NO_MAGICLINKS | ResolveFlags::NO_XDEV;
    rustix::fs::openat2(at, path, flags, Mode::empty(), resolve)
}

/// Locks on bytes belong to processes here, not to descriptors: there is no line.
#[cfg(not(target_os = "linux"))]
pub fn open_line(_: BorrowedFd<'_>, _: &str) -> Result<OwnedFd> {
    Err(Errno::NOSYS)
}

/// Whether another descriptor has locked bytes from `from` on, and where such a row of bytes ends.
#[cfg(target_os = "linux")]
pub fn taken_from(file: impl AsFd, from: i64) -> Result<Option<i64>> {
    let mut asked = bytes(from, 0);
    byte_lock(file.as_fd(), libc::F_OFD_GETLK, &mut asked)?;
    match (asked.l_type as libc::c_int, asked.l_len) {
        (libc::F_UNLCK, _) => Ok(None),
        // To the end of all bytes: nobody of ours does that.
        (_, 0) => Err(Errno::INVAL),
        (_, len) => Ok(Some(asked.l_start + len)),
    }
}

/// Locks the bytes from `from` to before `until` for this descriptor: at once (else `Errno::AGAIN`), or waiting.
#[cfg(target_os = "linux")]
pub fn take_bytes(file: impl AsFd, from: i64, until: i64, wait: bool) -> Result<()> {
    let how = if wait { libc::F_OFD_SETLKW } else { libc::F_OFD_SETLK };
    byte_lock(file.as_fd(), how, &mut bytes(from, until - from))
}

/// No such locks here.
#[cfg(not(target_os = "linux"))]
pub fn taken_from(_: impl AsFd, _: i64) -> Result<Option<i64>> {
    Err(Errno::NOSYS)
}

/// No such locks here.
#[cfg(not(target_os = "linux"))]
pub fn take_bytes(_: impl AsFd, _: i64, _: i64, _: bool) -> Result<()> {
    Err(Errno::NOSYS)
}

/// A write lock on bytes; `len` 0 is all that follow.
#[cfg(target_os = "linux")]
#[allow(clippy::unnecessary_cast)] // 32 bits on some systems
fn bytes(start: i64, len: i64) -> libc::flock {
    let (l_start, l_len) = (start as libc::off_t, len as libc::off_t);
    libc::flock { l_type: libc::F_WRLCK as _, l_whence: libc::SEEK_SET as _, l_start, l_len, l_pid: 0 }
}

#[cfg(target_os = "linux")]
#[allow(unsafe_code)]
fn byte_lock(file: BorrowedFd<'_>, how: libc::c_int, lock: &mut libc::flock) -> Result<()> {
    use std::os::fd::AsRawFd;
    // SAFETY: `file` is open for as long as it is borrowed, and `lock` is a whole `flock` of ours, read and written
    // during the call only.
    match unsafe { libc::fcntl(file.as_raw_fd(), how, std::ptr::from_mut(lock)) } {
        -1 => Err(Errno::from_io_error(&std::io::Error::last_os_error()).unwrap_or(Errno::IO)),
        _ => Ok(()),
    }
}

/// What a name is, without following it.
pub fn look(dir: impl AsFd, name: &str) -> Result<Stat> {
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

/// A file's name in a directory that is held open.
#[derive(Clone, Copy)]
pub struct Name<'a> {
    /// The directory.
    pub dir: BorrowedFd<'a>,
    /// One component.
    pub name: &'a str,
}

/// Swaps two files in one step. `Errno::INVAL`, `NOSYS`, `OPNOTSUPP`: this file system cannot.
#[cfg(target_os = "linux")]
pub fn exchange(a: Name<'_>, b: Name<'_>) -> Result<()> {
    rustix::fs::renameat_with(a.dir, a.name, b.dir, b.name, rustix::fs::RenameFlags::EXCHANGE)
}

/// Swaps two files in one step (`renamex_np` with `RENAME_SWAP`).
#[cfg(target_vendor = "apple")]
pub fn exchange(a: Name<'_>, b: Name<'_>) -> Result<()> {
    rustix::fs::renameat_with(a.dir, a.name, b.dir, b.name, rustix::fs::RenameFlags::EXCHANGE)
}

/// This system cannot swap.
#[cfg(not(any(target_os = "linux", target_vendor = "apple")))]
pub fn exchange(_: Name<'_>, _: Name<'_>) -> Result<()> {
    Err(Errno::NOSYS)
}

/// Whether an answer of [`exchange`] or [`rename_new`] means that the file system lacks it.
pub fn lacking(error: Errno) -> bool {
    matches!(error, Errno::INVAL | Errno::NOSYS | Errno::OPNOTSUPP)
}

/// Swaps `slot` and `target` where nothing can do it in one step: the old file is linked as `spare` first, so that a
/// crash at any point leaves both texts. Readers may see the target with two links for that moment.
pub fn exchange_by_link(slot: Name<'_>, target: Name<'_>, spare: &str) -> Result<()> {
    match rustix::fs::unlinkat(slot.dir, spare, AtFlags::empty()) {
        Ok(()) | Err(Errno::NOENT) => {}
        Err(e) => return Err(e),
    }
    rustix::fs::linkat(target.dir, target.name, slot.dir, spare, AtFlags::empty())?;
    rustix::fs::renameat(slot.dir, slot.name, target.dir, target.name)?;
    rustix::fs::renameat(slot.dir, spare, slot.dir, slot.name)
}

/// Renames to a name that must be free (`Errno::EXIST`).
pub fn rename_new(from: Name<'_>, to: Name<'_>) -> Result<()> {
    #[cfg(any(target_os = "linux", target_vendor = "apple"))]
    match rustix::fs::renameat_with(from.dir, from.name, to.dir, to.name, rustix::fs::RenameFlags::NOREPLACE) {
        Err(e) if lacking(e) => {}
        answer => return answer,
    }
    rustix::fs::linkat(from.dir, from.name, to.dir, to.name, AtFlags::empty())?;
    rustix::fs::unlinkat(from.dir, from.name, AtFlags::empty())
}

/// Waits until a file's bytes and its name's inode are on the disk.
pub fn sync(file: impl AsFd) -> Result<()> {
    #[cfg(target_vendor = "apple")]
    return rustix::fs::fcntl_fullfsync(file);
    #[cfg(not(target_vendor = "apple"))]
    rustix::fs::fsync(file)
}

/// Waits until a file's bytes are on the disk.
pub fn sync_data(file: impl AsFd) -> Result<()> {
    #[cfg(target_vendor = "apple")]
    return rustix::fs::fcntl_fullfsync(file);
    #[cfg(not(target_vendor = "apple"))]
    rustix::fs::fdatasync(file)
}

/// Whether anybody has this file open for writing. Asked by a lease, which the kernel refuses while somebody has;
/// it is given back at once. Where leases are not to be had, the answer is no.
#[cfg(target_os = "linux")]
pub fn has_writer(file: impl AsFd) -> bool {
    lease(file.as_fd())
}

/// Whether anybody has this file open for writing: cannot be asked here.
#[cfg(not(target_os = "linux"))]
pub fn has_writer(_: impl AsFd) -> bool {
    false
}

#[cfg(target_os = "linux")]
#[allow(unsafe_code)]
fn lease(file: BorrowedFd<'_>) -> bool {
    use std::os::fd::AsRawFd;
    /// asm-generic/fcntl.h; the libc crate leaves it out.
    const F_SETSIG: libc::c_int = 10;
    let fd = file.as_raw_fd();
    // SAFETY: `fd` is open for as long as `file` borrows it; F_SETSIG and F_SETLEASE take an int and no memory.
    unsafe {
        // A lease that is broken in this moment raises a signal. The default one, SIGIO, kills; SIGURG is ignored by
        // default, and asking for it changes this descriptor alone, not the process's (and its children's) handling.
        libc::fcntl(fd, F_SETSIG, libc::SIGURG);
        if libc::fcntl(fd, libc::F_SETLEASE, libc::F_RDLCK) == 0 {
            libc::fcntl(fd, libc::F_SETLEASE, libc::F_UNLCK);
            return false;
        }
    }
    std::io::Error::last_os_error().raw_os_error() == Some(libc::EAGAIN) && !is_remote(file)
}

/// NFS and SMB refuse leases with the same answer when nobody writes.
#[cfg(target_os = "linux")]
fn is_remote(file: BorrowedFd<'_>) -> bool {
    const NFS: u32 = 0x6969;
    const CIFS: u32 = 0xff53_4d42;
    const SMB2: u32 = 0xfe53_4d42;
    rustix::fs::fstatfs(file).is_ok_and(|fs| matches!(fs.f_type as u32, NFS | CIFS | SMB2))
}
