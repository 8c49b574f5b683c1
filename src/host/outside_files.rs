//! Reads and replaces files outside the data directory, for merges that git or a script requests.
//!
//! Never writes through a symbolic link, and never leaves a partly written file: the new file replaces the old one by a
//! rename.

use std::fs::{File, OpenOptions};
use std::io::{ErrorKind, Read, Write};
use std::os::unix::fs::{MetadataExt, OpenOptionsExt, PermissionsExt};
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use rustix::fs::OFlags;

use crate::code::{Code, Rejection};
use crate::document::{MAX_FILE_BYTES, MAX_FILE_SIZE};

/// The mode of a file that only its owner can read.
const PRIVATE_MODE: u32 = 0o600;
/// The mode of a new file, from which the umask is taken off.
const NEW_FILE_MODE: u32 = 0o666;

/// Reads the bytes of a file.
///
/// # Errors
/// `file_not_found`, `too_large` (over 64 MiB), `io`.
pub fn read(path: &Path) -> Result<Vec<u8>, Rejection> {
    read_up_to(path, MAX_FILE_BYTES as u64, MAX_FILE_SIZE)
}

/// Reads the bytes of a file that has at most `limit` bytes, which messages print as `size`.
///
/// # Errors
/// As [`read`].
pub fn read_up_to(path: &Path, limit: u64, size: &str) -> Result<Vec<u8>, Rejection> {
    let file = open_regular(path)?;
    let mut bytes = Vec::new();
    file.take(limit + 1).read_to_end(&mut bytes).map_err(|e| read_error(path, &e))?;
    if bytes.len() as u64 > limit {
        Err(Rejection::new(Code::TooLarge, format!("'{}' is larger than {size}", path.display())))
    } else {
        Ok(bytes)
    }
}

/// Reads the first bytes of a regular file.
///
/// # Errors
/// As [`read`].
pub fn read_head(path: &Path, limit: usize) -> Result<Vec<u8>, Rejection> {
    let mut bytes = Vec::new();
    open_regular(path)?.take(limit as u64).read_to_end(&mut bytes).map_err(|e| read_error(path, &e))?;
    Ok(bytes)
}

fn open_regular(path: &Path) -> Result<File, Rejection> {
    // Without `O_NONBLOCK`, opening a FIFO that has no writer would block forever.
    let flags = OFlags::NONBLOCK.bits() as i32;
    let file = File::options().read(true).custom_flags(flags).open(path).map_err(|e| read_error(path, &e))?;
    if file.metadata().map_err(|e| read_error(path, &e))?.is_file() {
        Ok(file)
    } else {
        Err(Rejection::new(Code::UnsafeFile, format!("'{}' is not a regular file", path.display())))
    }
}

/// When a file was last changed, where the system knows it.
pub fn modified(path: &Path) -> Option<SystemTime> {
    path.metadata().ok()?.modified().ok()
}

fn read_error(path: &Path, error: &std::io::Error) -> Rejection {
    match error.kind() {
        ErrorKind::NotFound => Rejection::new(Code::FileNotFound, format!("'{}' does not exist", path.display())),
        _ => Rejection::new(Code::Io, format!("'{}' cannot be read: {error}", path.display())),
    }
}

/// The length of a regular file in bytes; `None` if it is not one.
pub fn regular_file_length(path: &Path) -> Option<u64> {
    path.metadata().ok().filter(|meta| meta.is_file()).map(|meta| meta.len())
}

/// Returns the file to change for a path of the user's own: the path itself or, if it is or passes a symbolic link, the
/// link's target, which must be below the home directory.
///
/// # Errors
/// `unsafe_file` for a link that leads out of the home directory or nowhere; `file_not_found` if the path is in a home
/// directory that does not exist.
pub fn resolve_link_at_home(path: &Path, home: Option<&Path>) -> Result<PathBuf, Rejection> {
    if let Some(home) = home.filter(|home| path.starts_with(home) && home.symlink_metadata().is_err()) {
        return Err(Rejection::new(
            Code::FileNotFound,
            format!("the home directory '{}' does not exist", home.display()),
        ));
    }
    let existing = path.ancestors().find(|p| p.symlink_metadata().is_ok()).unwrap_or(path);
    let refused = || {
        Rejection::new(Code::UnsafeFile, format!("'{}' is a link out of your home directory", path.display()))
            .hint("change the file that it leads to yourself")
    };
    let real = existing.canonicalize().map_err(|_| refused())?;
    let real = match path.strip_prefix(existing) {
        Ok(rest) if !rest.as_os_str().is_empty() => real.join(rest),
        _ => real,
    };
    let home_dir = home.and_then(|home| home.canonicalize().ok());
    let is_at_home = home_dir.is_some_and(|home| real.starts_with(home));
    // A path outside the home directory, such as one in XDG_CONFIG_HOME, is the user's choice if it is no link.
    let is_named = home.is_none_or(|home| !path.starts_with(home)) && !path.is_symlink();
    if is_at_home || is_named { Ok(real) } else { Err(refused()) }
}

/// Replaces or creates a file. Its permissions stay; a symbolic link is replaced, not followed.
///
/// # Errors
/// `io`; then the old file is unchanged.
pub fn replace(path: &Path, bytes: &[u8]) -> Result<(), Rejection> {
    let failed = |e: std::io::Error| Rejection::new(Code::Io, format!("'{}' cannot be written: {e}", path.display()));
    let mode = path.symlink_metadata().ok().filter(|m| m.is_file()).map(|m| m.mode() & 0o7777);
    // No reader but its owner sees the text in between, which may hold keys.
    let (mut file, temporary_path) =
        create_temporary(path, mode.map_or(NEW_FILE_MODE, |_| PRIVATE_MODE)).map_err(failed)?;
    let written = file
        .write_all(bytes)
        .and_then(|()| mode.map_or(Ok(()), |mode| file.set_permissions(std::fs::Permissions::from_mode(mode))))
        .and_then(|()| std::fs::rename(&temporary_path, path));
    written.map_err(|e| {
        drop(std::fs::remove_file(&temporary_path));
        failed(e)
    })
}

/// Creates a file that only its owner can read, whole or not at all. With `replace`, one that exists is replaced; a
/// symbolic link is not followed.
///
/// # Errors
/// `exists` without `replace`; `usage` for a folder, which is never replaced; `io`.
pub fn create_private(path: &Path, bytes: &[u8], replace: bool) -> Result<(), Rejection> {
    let failed = |e: std::io::Error| Rejection::new(Code::Io, format!("'{}' cannot be written: {e}", path.display()));
    let exists = || Rejection::new(Code::Exists, format!("'{}' exists", path.display())).hint("-f replaces it");
    match path.symlink_metadata() {
        Ok(present) if present.is_dir() => {
            return Err(Rejection::new(Code::Usage, format!("'{}' is a folder", path.display()))
                .hint("name a file in it; a folder is not replaced"));
        }
        Ok(_) if !replace => return Err(exists()),
        Ok(_) | Err(_) => {}
    }
    let (mut file, temporary_path) = create_temporary(path, PRIVATE_MODE).map_err(failed)?;
    let written = file
        .set_permissions(std::fs::Permissions::from_mode(PRIVATE_MODE))
        .and_then(|()| file.write_all(bytes))
        .and_then(|()| file.sync_all())
        .and_then(|()| {
            if replace {
                std::fs::rename(&temporary_path, path)
            } else {
                // A link, because it fails where a file appeared meanwhile.
                std::fs::hard_link(&temporary_path, path)
            }
        });
    if !replace || written.is_err() {
        drop(std::fs::remove_file(&temporary_path));
    }
    written.map_err(|e| if e.kind() == ErrorKind::AlreadyExists { exists() } else { failed(e) })
}

/// Removes a file.
///
/// # Errors
/// `io`.
pub fn remove(path: &Path) -> Result<(), Rejection> {
    let failed = |e| Rejection::new(Code::Io, format!("'{}' cannot be removed: {e}", path.display()));
    std::fs::remove_file(path).map_err(failed)
}

/// Creates a temporary file of a mode beside another. Its name starts with `.`, so that one that is left behind is not
/// part of a memory.
fn create_temporary(path: &Path, mode: u32) -> std::io::Result<(File, PathBuf)> {
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    let mut n = 0;
    loop {
        let path_beside = path.with_file_name(format!(".{name}.{}-{n}.tmp", std::process::id()));
        match OpenOptions::new().write(true).create_new(true).mode(mode).open(&path_beside) {
            Err(e) if e.kind() == ErrorKind::AlreadyExists && n < 1000 => n += 1,
            opened => return opened.map(|file| (file, path_beside)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_is_replaced_whole_and_keeps_its_mode() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("a b.md");
        std::fs::write(&path, "old").unwrap();
        std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o640)).unwrap();
        replace(&path, b"new").unwrap();
        assert_eq!(read(&path).unwrap(), b"new");
        assert_eq!(path.metadata().unwrap().mode() & 0o7777, 0o640);
        assert_eq!(std::fs::read_dir(dir.path()).unwrap().count(), 1);
        assert_eq!(read(&dir.path().join("none")).unwrap_err().code, Code::FileNotFound);
        assert_eq!(read(dir.path()).unwrap_err().code, Code::UnsafeFile);
    }

    #[test]
    fn only_the_owner_reads_a_file_while_it_is_written() {
        let dir = tempfile::tempdir().unwrap();
        let (file, _) = create_temporary(&dir.path().join("settings.json"), PRIVATE_MODE).unwrap();
        assert_eq!(file.metadata().unwrap().mode() & 0o7777, 0o600);
    }

    #[test]
    fn a_missing_home_directory_is_no_link() {
        let dir = tempfile::tempdir().unwrap();
        let home = dir.path().join("home");
        let path = home.join(".config/memdir/config.yaml");
        let missing = resolve_link_at_home(&path, Some(&home)).unwrap_err();
        assert_eq!((missing.code, missing.message.ends_with("home' does not exist")), (Code::FileNotFound, true));
        std::fs::create_dir(&home).unwrap();
        assert_eq!(resolve_link_at_home(&path, Some(&home)).unwrap(), path);
    }

    #[test]
    fn a_private_file_replaces_none() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("out.json");
        create_private(&path, b"one", false).unwrap();
        assert_eq!(path.metadata().unwrap().mode() & 0o7777, 0o600);
        assert_eq!(create_private(&path, b"two", false).unwrap_err().code, Code::Exists);
        assert_eq!(read(&path).unwrap(), b"one");
        create_private(&path, b"two", true).unwrap();
        assert_eq!(read(&path).unwrap(), b"two");
        let link = dir.path().join("link");
        std::os::unix::fs::symlink(dir.path().join("missing"), &link).unwrap();
        assert_eq!(create_private(&link, b"x", false).unwrap_err().code, Code::Exists);
        assert_eq!(std::fs::read_dir(dir.path()).unwrap().count(), 2);
    }

    #[test]
    fn a_link_is_replaced_not_followed() {
        let dir = tempfile::tempdir().unwrap();
        let (other, link) = (dir.path().join("other"), dir.path().join("link"));
        std::fs::write(&other, "theirs").unwrap();
        std::os::unix::fs::symlink(&other, &link).unwrap();
        replace(&link, b"ours").unwrap();
        assert_eq!(std::fs::read(&other).unwrap(), b"theirs");
        assert_eq!(std::fs::read(&link).unwrap(), b"ours");
    }
}
