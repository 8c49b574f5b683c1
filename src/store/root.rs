//! The sandbox: the data directory is opened once, and regular files are read through handles below it.
//!
//! Never follows a symbolic link, leaves the mount, blocks on a FIFO, or opens a file with a second hard link.

use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::path::{Path, PathBuf};
use std::sync::{Arc, OnceLock};

use rustix::fs::{FileType, Mode, OFlags, Stat};
use rustix::io::Errno;

use super::platform;
use crate::change::{Etag, FileVersion};
use crate::code::{Code, Rejection};
use crate::document::{MAX_FILE_BYTES, MAX_FILE_SIZE};
use crate::path::MemoryPath;

pub struct DataRoot {
    pub dir: OwnedFd,
    /// The path it was opened by.
    pub path: PathBuf,
    /// Of a scope: its parent memory, and the scope's folder there.
    above: Option<(Arc<DataRoot>, String)>,
    stat: Stat,
    machine_dir: OnceLock<OwnedFd>,
    undo_dir: OnceLock<OwnedFd>,
}

/// An open regular file with one link, and its metadata.
pub struct PlainFile {
    /// The handle, for reading.
    pub fd: OwnedFd,
    pub stat: Stat,
}

impl DataRoot {
    /// Opens a data directory. Links in its path are followed, those below it never are.
    ///
    /// # Errors
    /// `no_data_dir` if it is not a directory, `io` if it cannot be opened.
    pub fn open(path: &Path) -> Result<DataRoot, Rejection> {
        let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::CLOEXEC;
        let shown = path.display();
        let dir = rustix::fs::open(path, flags, Mode::empty()).map_err(|e| match e {
            Errno::NOENT | Errno::NOTDIR => Rejection::new(Code::NoDataDir, format!("'{shown}' is not a directory")),
            e => {
                Rejection::new(Code::Io, format!("the data directory '{shown}' cannot be opened: {}", error_reason(e)))
            }
        })?;
        let stat = rustix::fs::fstat(&dir).map_err(|e| read_error(e, "the data directory"))?;
        let (machine_dir, undo_dir) = (OnceLock::new(), OnceLock::new());
        Ok(DataRoot { dir, path: path.to_owned(), above: None, stat, machine_dir, undo_dir })
    }

    /// Opens a data directory inside this one (`scopes/NAME`) through the same sandbox; `None` if it does not exist.
    pub fn open_below(self: &Arc<DataRoot>, folder: &str) -> Result<Option<DataRoot>, Rejection> {
        let Some(dir) = self.open_folder(folder)? else { return Ok(None) };
        let stat = rustix::fs::fstat(&dir).map_err(|e| read_error(e, &format!("'{folder}/'")))?;
        let (machine_dir, undo_dir) = (OnceLock::new(), OnceLock::new());
        let above = Some((Arc::clone(self), folder.to_owned()));
        Ok(Some(DataRoot { dir, path: self.path.join(folder), above, stat, machine_dir, undo_dir }))
    }

    /// Opens the directory to which the path leads now. A scope is opened below its memory again, so that no link that
    /// took its place is followed.
    ///
    /// # Errors
    /// `no_data_dir` if it is gone; `unsafe_file` for a link; `io`.
    pub fn reopen(&self) -> Result<DataRoot, Rejection> {
        let Some((above, folder)) = &self.above else { return DataRoot::open(&self.path) };
        Arc::new(above.reopen()?).open_below(folder)?.ok_or_else(|| {
            Rejection::new(Code::NoDataDir, format!("the scope '{}' was removed meanwhile", self.path.display()))
        })
    }

    /// Whether the path still leads to this directory, and `.memdir/`, if it was opened, still exists.
    pub fn is_current(&self) -> bool {
        let same = |s: Stat| s.st_dev == self.stat.st_dev && s.st_ino == self.stat.st_ino;
        let still_linked = |dir: &OwnedFd| rustix::fs::fstat(dir).is_ok_and(|stat| stat.st_nlink > 0);
        let machine_dir_exists =
            [&self.machine_dir, &self.undo_dir].into_iter().filter_map(OnceLock::get).all(still_linked);
        machine_dir_exists && rustix::fs::stat(&self.path).is_ok_and(same)
    }

    /// `.memdir/`, `None` if it does not exist yet.
    pub fn machine_dir(&self) -> Result<Option<BorrowedFd<'_>>, Rejection> {
        open_once(&self.machine_dir, || platform::open_dir(self.dir.as_fd(), ".memdir"), ".memdir")
    }

    /// `.memdir/undo/`, `None` if it does not exist yet.
    pub fn undo_dir(&self) -> Result<Option<BorrowedFd<'_>>, Rejection> {
        open_once(&self.undo_dir, || platform::open_dir(self.dir.as_fd(), ".memdir/undo"), ".memdir/undo")
    }

    /// Creates `.memdir/` with its contents if it is missing. With `sync`, waits until a new `undo/` is on disk; for
    /// `.memdir/` itself see [`DataRoot::sync_machine_dir`].
    pub fn create_machine_dir(&self, sync: bool) -> Result<(), Rejection> {
        if self.undo_dir()?.is_some() {
            return Ok(());
        }
        create_dir(&self.dir, ".memdir")?;
        let Some(machine) = self.machine_dir()? else { return Err(write_error(Errno::NOENT, "'.memdir'")) };
        match platform::create_atomically(machine, ".gitignore", b"*\n") {
            Ok(()) | Err(Errno::EXIST) => {}
            Err(e) => return Err(write_error(e, "'.memdir/.gitignore'")),
        }
        create_dir(machine, "undo")?;
        if sync {
            platform::sync(machine).map_err(|e| write_error(e, "'.memdir/'"))?;
        }
        Ok(())
    }

    /// Waits until `.memdir/` and the names in it are on disk. Called before the first record of a journal even if
    /// another command created the folder: it may have been killed before it synced.
    pub fn sync_machine_dir(&self) -> Result<(), Rejection> {
        let to_error = |e| write_error(e, "'.memdir/'");
        if let Some(machine) = self.machine_dir()? {
            platform::sync(machine).map_err(to_error)?;
        }
        platform::sync(&self.dir).map_err(to_error)
    }

    /// Opens the folder of a path; `None` if it does not exist.
    pub fn open_parent(&self, path: &MemoryPath) -> Result<Option<OwnedFd>, Rejection> {
        self.open_folder(path.parent())
    }

    /// Opens a folder (`""` is the data directory); `None` if it does not exist.
    pub fn open_folder(&self, folder: &str) -> Result<Option<OwnedFd>, Rejection> {
        match platform::open_dir(self.dir.as_fd(), folder) {
            Ok(dir) => Ok(Some(dir)),
            Err(Errno::NOENT | Errno::NOTDIR) => Ok(None),
            Err(e) => Err(read_error(e, &format!("'{folder}/'"))),
        }
    }

    /// Creates the missing folders above a path with mode 0700; returns those it created, outermost first. On an error
    /// none is left. With `sync`, a new folder counts as created once its name is on disk.
    pub fn create_parents(&self, path: &MemoryPath, sync: bool) -> Result<Vec<String>, Rejection> {
        let mut created = Vec::new();
        match self.create_folders(path.parent(), sync, &mut created) {
            Ok(()) => Ok(created),
            Err(error) => {
                self.remove_folders(&created);
                Err(error)
            }
        }
    }

    fn create_folders(&self, folder: &str, sync: bool, created: &mut Vec<String>) -> Result<(), Rejection> {
        let mut current = String::new();
        let mut dir = platform::open_dir(self.dir.as_fd(), "").map_err(|e| read_error(e, "the data directory"))?;
        for part in folder.split('/').filter(|p| !p.is_empty()) {
            current = if current.is_empty() { part.to_owned() } else { format!("{current}/{part}") };
            match rustix::fs::mkdirat(&dir, part, Mode::from_raw_mode(0o700)) {
                Ok(()) => {
                    created.push(current.clone());
                    if sync {
                        platform::sync(&dir).map_err(|e| write_error(e, &format!("'{current}/'")))?;
                    }
                }
                Err(Errno::EXIST) => {}
                Err(e) => return Err(write_error(e, &format!("'{current}/'"))),
            }
            dir = platform::open_dir(dir.as_fd(), part).map_err(|e| read_error(e, &format!("'{current}/'")))?;
        }
        Ok(())
    }

    /// Removes folders, given outermost first, as far as they are empty.
    pub fn remove_folders(&self, folders: &[String]) {
        for folder in folders.iter().rev() {
            let (above, name) = folder.rsplit_once('/').unwrap_or(("", folder));
            if let Ok(Some(above)) = self.open_folder(above) {
                let _ = rustix::fs::unlinkat(&above, name, rustix::fs::AtFlags::REMOVEDIR);
            }
        }
    }

    /// Reads a whole file; `None` if it does not exist.
    pub fn read(&self, path: &MemoryPath) -> Result<Option<FileVersion>, Rejection> {
        let Some(dir) = self.open_parent(path)? else { return Ok(None) };
        let shown = format!("'{path}'");
        let Some(plain) = self.open_for_reading(&dir, file_name(path), &shown)? else { return Ok(None) };
        read_version(&plain, &shown).map(Some)
    }

    /// Opens a regular file for reading. A file whose second link is a slot of our own is accepted too: where the file
    /// system cannot rename to a name that must not exist, it has that link for a moment, or, if the move was
    /// interrupted, until the next writer.
    pub fn open_for_reading(
        &self,
        dir: impl AsFd + Copy,
        name: &str,
        shown: &str,
    ) -> Result<Option<PlainFile>, Rejection> {
        for _ in 0..4 {
            match open_plain(dir, name, shown) {
                Err(error) if error.code == Code::UnsafeFile => {
                    let Ok(fd) = platform::open_file(dir, name) else { return Err(error) };
                    let stat = rustix::fs::fstat(&fd).map_err(|e| read_error(e, shown))?;
                    if FileType::from_raw_mode(stat.st_mode) != FileType::RegularFile {
                        return Err(error);
                    }
                    if unsafe_reason(&stat).is_none() || stat.st_nlink == 2 && self.has_slot_link(&stat) {
                        return Ok(Some(PlainFile { fd, stat }));
                    }
                }
                answer => return answer,
            }
        }
        open_plain(dir, name, shown)
    }

    fn has_slot_link(&self, file: &Stat) -> bool {
        let Ok(Some(undo)) = self.undo_dir() else { return false };
        let Ok(dir) = platform::open_dir(undo, "") else { return false };
        let mut found = false;
        let mut check_name = |name: &[u8], _: FileType| {
            let is_slot = |name: &&str| super::slot::parse_name(name.strip_suffix(".old").unwrap_or(name)).is_some();
            let slot = std::str::from_utf8(name).ok().filter(is_slot);
            let stat = slot.and_then(|name| platform::stat_name(undo, name).ok());
            found |= stat.is_some_and(|s| (s.st_dev, s.st_ino) == (file.st_dev, file.st_ino));
        };
        let listed = super::walk::list_names(&dir, &mut Vec::with_capacity(32 << 10), &mut check_name);
        listed.is_ok() && found
    }
}

impl DataRoot {
    /// Opens a file for reading only; `None` if it does not exist.
    pub fn open_file(&self, path: &MemoryPath) -> Result<Option<std::fs::File>, Rejection> {
        let Some(dir) = self.open_parent(path)? else { return Ok(None) };
        match open_plain(&dir, file_name(path), &format!("'{path}'"))? {
            Some(plain) if plain.stat.st_size as u64 > MAX_FILE_BYTES as u64 => {
                Err(too_large_error(&format!("'{path}'")))
            }
            plain => Ok(plain.map(|p| p.fd.into())),
        }
    }
}

/// Returns the last component of a path.
pub fn file_name(path: &MemoryPath) -> &str {
    memchr::memrchr(b'/', path.as_str().as_bytes()).map_or(path.as_str(), |at| &path.as_str()[at + 1..])
}

fn open_once<'a>(
    cell: &'a OnceLock<OwnedFd>,
    open: impl FnOnce() -> rustix::io::Result<OwnedFd>,
    name: &str,
) -> Result<Option<BorrowedFd<'a>>, Rejection> {
    if cell.get().is_none() {
        match open() {
            Ok(dir) => drop(cell.set(dir)),
            Err(Errno::NOENT) => return Ok(None),
            Err(e) => return Err(read_error(e, &format!("'{name}/'"))),
        }
    }
    Ok(cell.get().map(|dir| dir.as_fd()))
}

pub fn create_dir(at: impl AsFd, name: &str) -> Result<(), Rejection> {
    match rustix::fs::mkdirat(at, name, Mode::from_raw_mode(0o700)) {
        Ok(()) | Err(Errno::EXIST) => Ok(()),
        Err(e) => Err(write_error(e, &format!("'{name}/'"))),
    }
}

/// Opens a regular file with one link; `None` if it does not exist. `shown` is its name in error messages.
pub fn open_plain(dir: impl AsFd, name: &str, shown: &str) -> Result<Option<PlainFile>, Rejection> {
    let fd = match platform::open_file(dir, name) {
        Ok(fd) => fd,
        Err(Errno::NOENT | Errno::NOTDIR) => return Ok(None),
        Err(e) => return Err(read_error(e, shown)),
    };
    let stat = rustix::fs::fstat(&fd).map_err(|e| read_error(e, shown))?;
    match unsafe_reason(&stat) {
        None => Ok(Some(PlainFile { fd, stat })),
        Some(reason) => Err(Rejection::new(Code::UnsafeFile, format!("{shown} {reason}"))),
    }
}

/// Returns why a file must not be used, if so: "is a …".
pub fn unsafe_reason(stat: &Stat) -> Option<&'static str> {
    match FileType::from_raw_mode(stat.st_mode) {
        FileType::RegularFile if stat.st_nlink == 1 => None,
        // A file that was removed after it was opened still holds the text that was there.
        FileType::RegularFile if stat.st_nlink == 0 => None,
        FileType::RegularFile => Some("has a second hard link"),
        other => Some(describe_file_type(other)),
    }
}

/// Describes a name that is not a regular file: "is a …".
pub fn describe_file_type(kind: FileType) -> &'static str {
    match kind {
        FileType::Directory => "is a directory",
        FileType::Symlink => "is a symbolic link",
        FileType::Fifo => "is a FIFO",
        FileType::Socket => "is a socket",
        _ => "is a device",
    }
}

/// Reads an open file with its etag, mode and inode.
pub fn read_version(plain: &PlainFile, shown: &str) -> Result<FileVersion, Rejection> {
    let bytes = read_contents(plain, shown)?;
    Ok(FileVersion {
        etag: Etag::of(&bytes),
        bytes: Arc::new(bytes),
        mode: platform::mode(&plain.stat),
        inode: plain.stat.st_ino,
    })
}

/// The error of a file over 64 MiB.
pub fn too_large_error(shown: &str) -> Rejection {
    Rejection::new(Code::TooLarge, format!("{shown} is larger than {MAX_FILE_SIZE}"))
}

/// Reads the bytes of an open file.
pub fn read_contents(plain: &PlainFile, shown: &str) -> Result<Vec<u8>, Rejection> {
    let size = plain.stat.st_size as u64;
    if size > MAX_FILE_BYTES as u64 {
        return Err(too_large_error(shown));
    }
    // One extra byte, so that the read that fills the buffer also detects the end.
    let mut bytes = Vec::with_capacity(size as usize + 1);
    loop {
        match rustix::io::read(&plain.fd, rustix::buffer::spare_capacity(&mut bytes)) {
            Ok(0) => return Ok(bytes),
            Ok(_) if bytes.len() > MAX_FILE_BYTES => return Err(too_large_error(shown)),
            Ok(_) if bytes.len() == bytes.capacity() => bytes.reserve(64 << 10),
            // A short read of a regular file means its end, unless the file grew since its size was read.
            Ok(_) if bytes.len() as u64 == size => return Ok(bytes),
            Ok(_) | Err(Errno::INTR) => {}
            Err(e) => return Err(read_error(e, shown)),
        }
    }
}

/// The size of the buffer in which a file is read piece by piece, in bytes.
const PIECE_BYTES: usize = 128 << 10;

/// Passes the bytes of an open file to a function, in pieces.
pub fn read_pieces(plain: &PlainFile, shown: &str, mut each: impl FnMut(&[u8])) -> Result<(), Rejection> {
    let size = plain.stat.st_size as u64;
    if size > MAX_FILE_BYTES as u64 {
        return Err(too_large_error(shown));
    }
    // One extra byte, so that the read that fills the buffer also detects the end.
    let mut piece = Vec::with_capacity(PIECE_BYTES.min(size as usize + 1));
    let mut read = 0;
    loop {
        piece.clear();
        match rustix::io::read(&plain.fd, rustix::buffer::spare_capacity(&mut piece)) {
            Ok(0) => return Ok(()),
            Ok(length) => {
                read += length as u64;
                if read > MAX_FILE_BYTES as u64 {
                    return Err(too_large_error(shown));
                }
                each(&piece);
                // A short read of a regular file means its end, unless the file grew since its size was read.
                if length < piece.capacity() && read == size {
                    return Ok(());
                }
            }
            Err(Errno::INTR) => {}
            Err(e) => return Err(read_error(e, shown)),
        }
    }
}

/// Writes all bytes, with as many calls as the system needs; `EIO` if it takes none.
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

/// Returns the system's own words for an error.
pub fn error_reason(error: Errno) -> String {
    let text = std::io::Error::from(error).to_string();
    text.split(" (os error").next().unwrap_or(&text).to_lowercase()
}

/// Converts an error of reading.
pub fn read_error(error: Errno, what: &str) -> Rejection {
    match error {
        Errno::LOOP | Errno::MLINK => Rejection::new(Code::UnsafeFile, format!("{what} is a symbolic link")),
        Errno::XDEV => Rejection::new(Code::UnsafeFile, format!("{what} is on another mount")),
        Errno::NXIO => Rejection::new(Code::UnsafeFile, format!("{what} is a socket or a device")),
        Errno::NOTDIR => Rejection::new(Code::UnsafeFile, format!("{what} is not a directory")),
        e => Rejection::new(Code::Io, format!("{what} cannot be read: {}", error_reason(e))),
    }
}

/// Converts an error of writing.
pub fn write_error(error: Errno, what: &str) -> Rejection {
    match error {
        Errno::ROFS | Errno::ACCESS | Errno::PERM => {
            Rejection::new(Code::ReadOnly, format!("{what} cannot be written: {}", error_reason(error)))
        }
        Errno::LOOP | Errno::XDEV | Errno::NXIO => read_error(error, what),
        // The path is below an open handle, so the folder was removed after it was opened.
        Errno::NOENT => super::executor::removed_meanwhile_error(what),
        Errno::NOTDIR => Rejection::new(Code::UnsafeFile, format!("{what} is not a directory")),
        e => Rejection::new(Code::Io, format!("{what} cannot be written: {}", error_reason(e))),
    }
}
