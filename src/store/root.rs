//! The sandbox: the data dir opened once, and plain files read through handles below it.
//!
//! Never follows a link, never leaves the mount, never waits for a FIFO, never opens what has a second name.

use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::path::{Path, PathBuf};
use std::sync::{Arc, OnceLock};

use rustix::fs::{FileType, Mode, OFlags, Stat};
use rustix::io::Errno;

use super::platform;
use crate::change::{Etag, Version};
use crate::code::{Code, Rejection};
use crate::path::MemoryPath;

/// The largest file that is read, in bytes.
pub const LARGEST: u64 = 64 << 20;

/// An open data dir.
pub struct Root {
    /// Its handle.
    pub dir: OwnedFd,
    /// Where it was found.
    pub path: PathBuf,
    stat: Stat,
    machine: OnceLock<OwnedFd>,
    undo: OnceLock<OwnedFd>,
}

/// A plain file that is open, and what it is.
pub struct Plain {
    /// Its handle, for reading.
    pub fd: OwnedFd,
    /// What the handle says of it.
    pub stat: Stat,
}

impl Root {
    /// Opens a directory.
    pub fn open(path: &Path) -> Result<Root, Rejection> {
        let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::CLOEXEC;
        let shown = path.display();
        let dir = rustix::fs::open(path, flags, Mode::empty()).map_err(|e| match e {
            Errno::NOENT | Errno::NOTDIR => Rejection::new(Code::NoDataDir, format!("'{shown}' is not a directory")),
            e => Rejection::new(Code::Io, format!("the data dir '{shown}' cannot be opened: {}", reason(e))),
        })?;
        let stat = rustix::fs::fstat(&dir).map_err(|e| refusal(e, "the data dir"))?;
        Ok(Root { dir, path: path.to_owned(), stat, machine: OnceLock::new(), undo: OnceLock::new() })
    }

    /// Opens a data dir inside this one (`scopes/NAME`), through the same sandbox; `None` when there is none.
    pub fn below(&self, folder: &str) -> Result<Option<Root>, Rejection> {
        let Some(dir) = self.folder(folder)? else { return Ok(None) };
        let stat = rustix::fs::fstat(&dir).map_err(|e| refusal(e, &format!("'{folder}/'")))?;
        let path = self.path.join(folder);
        Ok(Some(Root { dir, path, stat, machine: OnceLock::new(), undo: OnceLock::new() }))
    }

    /// Whether the path it was opened by still leads to it, and `.memdir/`, once opened, was not taken away.
    pub fn is_current(&self) -> bool {
        let same = |s: Stat| s.st_dev == self.stat.st_dev && s.st_ino == self.stat.st_ino;
        let there = |dir: &OwnedFd| rustix::fs::fstat(dir).is_ok_and(|stat| stat.st_nlink > 0);
        let machine_is_there = [&self.machine, &self.undo].into_iter().filter_map(OnceLock::get).all(there);
        machine_is_there && rustix::fs::stat(&self.path).is_ok_and(same)
    }

    /// `.memdir/`, `None` when there is none yet.
    pub fn machine(&self) -> Result<Option<BorrowedFd<'_>>, Rejection> {
        held(&self.machine, || platform::open_dir(self.dir.as_fd(), ".memdir"), ".memdir")
    }

    /// `.memdir/undo/`, `None` when there is none yet.
    pub fn undo(&self) -> Result<Option<BorrowedFd<'_>>, Rejection> {
        held(&self.undo, || platform::open_dir(self.dir.as_fd(), ".memdir/undo"), ".memdir/undo")
    }

    /// Makes `.memdir/` with what belongs in it, where it is missing. With `sync`, a new `undo/` is waited for; for
    /// `.memdir/` itself there is [`Root::sync_machine`].
    pub fn make_machine(&self, sync: bool) -> Result<(), Rejection> {
        if self.undo()?.is_some() {
            return Ok(());
        }
        make_dir(&self.dir, ".memdir")?;
        let Some(machine) = self.machine()? else { return Err(refusal_to_write(Errno::NOENT, "'.memdir'")) };
        match platform::create_whole(machine, ".gitignore", b"*\n") {
            Ok(()) | Err(Errno::EXIST) => {}
            Err(e) => return Err(refusal_to_write(e, "'.memdir/.gitignore'")),
        }
        make_dir(machine, "undo")?;
        if sync {
            platform::sync(machine).map_err(|e| refusal_to_write(e, "'.memdir/'"))?;
        }
        Ok(())
    }

    /// Waits until `.memdir/` and the names in it are on the disk. Asked before the first line of a journal, whoever
    /// made the folder: that command may have been killed before it could wait itself.
    pub fn sync_machine(&self) -> Result<(), Rejection> {
        let refused = |e| refusal_to_write(e, "'.memdir/'");
        if let Some(machine) = self.machine()? {
            platform::sync(machine).map_err(refused)?;
        }
        platform::sync(&self.dir).map_err(refused)
    }

    /// Opens the folder that a path lies in; `None` when it does not exist.
    pub fn parent(&self, path: &MemoryPath) -> Result<Option<OwnedFd>, Rejection> {
        self.folder(path.parent())
    }

    /// Opens a folder (`""` is the data dir); `None` when it does not exist.
    pub fn folder(&self, folder: &str) -> Result<Option<OwnedFd>, Rejection> {
        match platform::open_dir(self.dir.as_fd(), folder) {
            Ok(dir) => Ok(Some(dir)),
            Err(Errno::NOENT | Errno::NOTDIR) => Ok(None),
            Err(e) => Err(refusal(e, &format!("'{folder}/'"))),
        }
    }

    /// Makes the missing folders above a path, 0700; answers those it made, outermost first.
    pub fn make_parents(&self, path: &MemoryPath, sync: bool) -> Result<Vec<String>, Rejection> {
        let (mut made, mut at) = (Vec::new(), String::new());
        let mut dir = platform::open_dir(self.dir.as_fd(), "").map_err(|e| refusal(e, "the data dir"))?;
        for part in path.parent().split('/').filter(|p| !p.is_empty()) {
            at = if at.is_empty() { part.to_owned() } else { format!("{at}/{part}") };
            match rustix::fs::mkdirat(&dir, part, Mode::from_raw_mode(0o700)) {
                Ok(()) => {
                    made.push(at.clone());
                    if sync {
                        let _ = platform::sync(&dir);
                    }
                }
                Err(Errno::EXIST) => {}
                Err(e) => return Err(refusal_to_write(e, &format!("'{at}/'"))),
            }
            dir = platform::open_dir(dir.as_fd(), part).map_err(|e| refusal(e, &format!("'{at}/'")))?;
        }
        Ok(made)
    }

    /// Reads a file whole; `None` when it does not exist.
    pub fn read(&self, path: &MemoryPath) -> Result<Option<Version>, Rejection> {
        let Some(dir) = self.parent(path)? else { return Ok(None) };
        let shown = format!("'{path}'");
        let Some(plain) = self.open_read(&dir, last(path), &shown)? else { return Ok(None) };
        version(&plain, &shown).map(Some)
    }

    /// Opens a plain file for reading. One whose second name is a spare of our own is plain too: where files cannot be
    /// swapped in one step, it has that name for a moment, or until the next writer when the swap was interrupted.
    pub fn open_read(&self, dir: impl AsFd + Copy, name: &str, shown: &str) -> Result<Option<Plain>, Rejection> {
        for _ in 0..4 {
            match open_plain(dir, name, shown) {
                Err(why) if why.code == Code::UnsafeFile => {
                    let Ok(fd) = platform::open_file(dir, name) else { return Err(why) };
                    let stat = rustix::fs::fstat(&fd).map_err(|e| refusal(e, shown))?;
                    if FileType::from_raw_mode(stat.st_mode) != FileType::RegularFile {
                        return Err(why);
                    }
                    if unsafe_kind(&stat).is_none() || stat.st_nlink == 2 && self.has_spare(&stat) {
                        return Ok(Some(Plain { fd, stat }));
                    }
                }
                answer => return answer,
            }
        }
        open_plain(dir, name, shown)
    }

    fn has_spare(&self, of: &Stat) -> bool {
        let Ok(Some(undo)) = self.undo() else { return false };
        let Ok(dir) = platform::open_dir(undo, "") else { return false };
        let mut found = false;
        let mut look = |name: &[u8], _: FileType| {
            let spare = std::str::from_utf8(name).ok().filter(|n| n.ends_with(".old"));
            let stat = spare.and_then(|n| platform::look(undo, n).ok());
            found |= stat.is_some_and(|s| (s.st_dev, s.st_ino) == (of.st_dev, of.st_ino));
        };
        let listed = super::walk::entries(&dir, &mut Vec::with_capacity(32 << 10), &mut look);
        listed.is_ok() && found
    }
}

impl Root {
    /// Opens a file for reading only; `None` when it does not exist.
    pub fn open_file(&self, path: &MemoryPath) -> Result<Option<std::fs::File>, Rejection> {
        let Some(dir) = self.parent(path)? else { return Ok(None) };
        match open_plain(&dir, last(path), &format!("'{path}'"))? {
            Some(plain) if plain.stat.st_size as u64 > LARGEST => Err(too_large(&format!("'{path}'"))),
            plain => Ok(plain.map(|p| p.fd.into())),
        }
    }
}

/// The name of a file in its folder.
pub fn last(path: &MemoryPath) -> &str {
    memchr::memrchr(b'/', path.as_str().as_bytes()).map_or(path.as_str(), |at| &path.as_str()[at + 1..])
}

fn held<'a>(
    cell: &'a OnceLock<OwnedFd>,
    open: impl FnOnce() -> rustix::io::Result<OwnedFd>,
    name: &str,
) -> Result<Option<BorrowedFd<'a>>, Rejection> {
    if cell.get().is_none() {
        match open() {
            Ok(dir) => drop(cell.set(dir)),
            Err(Errno::NOENT) => return Ok(None),
            Err(e) => return Err(refusal(e, &format!("'{name}/'"))),
        }
    }
    Ok(cell.get().map(|dir| dir.as_fd()))
}

pub fn make_dir(at: impl AsFd, name: &str) -> Result<(), Rejection> {
    match rustix::fs::mkdirat(at, name, Mode::from_raw_mode(0o700)) {
        Ok(()) | Err(Errno::EXIST) => Ok(()),
        Err(e) => Err(refusal_to_write(e, &format!("'{name}/'"))),
    }
}

/// Opens a file that must be plain; `None` when it does not exist. `shown` is its name in a refusal.
pub fn open_plain(dir: impl AsFd, name: &str, shown: &str) -> Result<Option<Plain>, Rejection> {
    let fd = match platform::open_file(dir, name) {
        Ok(fd) => fd,
        Err(Errno::NOENT | Errno::NOTDIR) => return Ok(None),
        Err(e) => return Err(refusal(e, shown)),
    };
    let stat = rustix::fs::fstat(&fd).map_err(|e| refusal(e, shown))?;
    match unsafe_kind(&stat) {
        None => Ok(Some(Plain { fd, stat })),
        Some(why) => Err(Rejection::new(Code::UnsafeFile, format!("{shown} {why}"))),
    }
}

/// Why a file must not be used, if so: "is a …".
pub fn unsafe_kind(stat: &Stat) -> Option<&'static str> {
    match FileType::from_raw_mode(stat.st_mode) {
        FileType::RegularFile if stat.st_nlink == 1 => None,
        // A file that was removed after it was opened is still the text that stood there.
        FileType::RegularFile if stat.st_nlink == 0 => None,
        FileType::RegularFile => Some("has a second name (a hard link)"),
        other => Some(kind_name(other)),
    }
}

/// What a name that is no regular file is: "is a …".
pub fn kind_name(kind: FileType) -> &'static str {
    match kind {
        FileType::Directory => "is a directory",
        FileType::Symlink => "is a symbolic link",
        FileType::Fifo => "is a FIFO",
        FileType::Socket => "is a socket",
        _ => "is a device",
    }
}

/// Reads an open file whole.
pub fn version(plain: &Plain, shown: &str) -> Result<Version, Rejection> {
    let bytes = contents(plain, shown)?;
    Ok(Version {
        etag: Etag::of(&bytes),
        bytes: Arc::new(bytes),
        mode: platform::mode(&plain.stat),
        inode: plain.stat.st_ino,
    })
}

fn too_large(shown: &str) -> Rejection {
    Rejection::new(Code::TooLarge, format!("{shown} is larger than 64 MiB"))
}

/// The bytes of an open file.
pub fn contents(plain: &Plain, shown: &str) -> Result<Vec<u8>, Rejection> {
    let size = plain.stat.st_size as u64;
    if size > LARGEST {
        return Err(too_large(shown));
    }
    // One byte more, so that the read that fills it also finds the end.
    let mut bytes = Vec::with_capacity(size as usize + 1);
    loop {
        match rustix::io::read(&plain.fd, rustix::buffer::spare_capacity(&mut bytes)) {
            Ok(0) => return Ok(bytes),
            Ok(_) if bytes.len() as u64 > LARGEST => return Err(too_large(shown)),
            Ok(_) if bytes.len() == bytes.capacity() => bytes.reserve(64 << 10),
            // A short read of a regular file is its end, unless it grew since: the size tells.
            Ok(_) if bytes.len() as u64 == size => return Ok(bytes),
            Ok(_) | Err(Errno::INTR) => {}
            Err(e) => return Err(refusal(e, shown)),
        }
    }
}

/// Writes everything.
pub fn write_all(file: impl AsFd, mut bytes: &[u8]) -> rustix::io::Result<()> {
    while !bytes.is_empty() {
        match rustix::io::write(&file, bytes) {
            Ok(0) => return Err(Errno::IO),
            Ok(n) => bytes = &bytes[n..],
            Err(Errno::INTR) => {}
            Err(e) => return Err(e),
        }
    }
    Ok(())
}

/// Why the system refused, in its own words.
pub fn reason(error: Errno) -> String {
    let text = std::io::Error::from(error).to_string();
    text.split(" (os error").next().unwrap_or(&text).to_lowercase()
}

/// A refusal to read.
pub fn refusal(error: Errno, what: &str) -> Rejection {
    match error {
        Errno::LOOP | Errno::MLINK => Rejection::new(Code::UnsafeFile, format!("{what} is a symbolic link")),
        Errno::XDEV => Rejection::new(Code::UnsafeFile, format!("{what} is on another mount")),
        Errno::NXIO => Rejection::new(Code::UnsafeFile, format!("{what} is a socket or a device")),
        Errno::NOTDIR => Rejection::new(Code::UnsafeFile, format!("{what} is not a directory")),
        e => Rejection::new(Code::Io, format!("{what} cannot be read: {}", reason(e))),
    }
}

/// A refusal to write.
pub fn refusal_to_write(error: Errno, what: &str) -> Rejection {
    match error {
        Errno::ROFS | Errno::ACCESS | Errno::PERM => {
            Rejection::new(Code::ReadOnly, format!("{what} cannot be written: {}", reason(error)))
        }
        Errno::LOOP | Errno::XDEV | Errno::NXIO => refusal(error, what),
        // Below a handle that is held: the folder was removed under it.
        Errno::NOENT => super::run::taken_away(what),
        Errno::NOTDIR => Rejection::new(Code::UnsafeFile, format!("{what} is not a directory")),
        e => Rejection::new(Code::Io, format!("{what} cannot be written: {}", reason(e))),
    }
}
