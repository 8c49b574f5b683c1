//! Creates a data directory: the directory, `memdir.yaml`, the first files.
//!
//! Never replaces a file that exists.

use std::os::fd::AsFd;
use std::path::Path;

use rustix::io::Errno;

use super::{Store, platform, root};
use crate::code::{Code, Rejection};
use crate::path::MemoryPath;

/// The file that marks a data directory and holds its policy.
pub const POLICY_FILE: &str = "memdir.yaml";
pub const GITIGNORE_FILE: &str = ".gitignore";
/// The contents of that file: the proposals in `inbox/` wait for consent, so they stay on this machine.
pub const GITIGNORE_TEXT: &str = "/inbox/\n/.memdir/\n";

/// Creates a directory and its parents if they are missing, and waits until their names are on disk.
///
/// # Errors
/// `io`, `read_only`, `exists` if the path is not a directory.
pub fn create_directory(dir: &Path) -> Result<(), Rejection> {
    let created: Vec<&Path> = dir.ancestors().take_while(|d| !d.as_os_str().is_empty() && !d.exists()).collect();
    match std::fs::create_dir_all(dir) {
        Ok(()) => {}
        Err(e) if e.kind() == std::io::ErrorKind::AlreadyExists || e.kind() == std::io::ErrorKind::NotADirectory => {
            return Err(Rejection::new(Code::Exists, "the path exists and is not a directory"));
        }
        Err(e) if e.kind() == std::io::ErrorKind::PermissionDenied => {
            return Err(Rejection::new(Code::ReadOnly, format!("cannot create the directory: {e}")));
        }
        Err(e) => return Err(Rejection::new(Code::Io, format!("cannot create the directory: {e}"))),
    }
    for parent in created.iter().filter_map(|d| d.parent()) {
        let parent = if parent.as_os_str().is_empty() { Path::new(".") } else { parent };
        // A directory may allow new names and forbid reading; then it cannot be opened for a sync.
        let Ok(parent) = std::fs::File::open(parent) else { continue };
        platform::sync(&parent).map_err(|e| root::write_error(e, "the directory's parent"))?;
    }
    Ok(())
}

impl Store {
    /// Whether a name exists at the top of the data directory.
    ///
    /// # Errors
    /// `io`.
    pub fn has_top_name(&self, name: &str) -> Result<bool, Rejection> {
        match platform::stat_name(&self.root().dir, name) {
            Ok(_) => Ok(true),
            Err(Errno::NOENT) => Ok(false),
            Err(e) => Err(root::read_error(e, name)),
        }
    }

    /// Returns the text of a file at the top of the data directory that is not a memory file (the policy), of at most
    /// `max_bytes` bytes; `None` without one.
    ///
    /// # Errors
    /// `unsafe_file`, `too_large`, `not_text`, `io`.
    pub fn read_top_file(&self, name: &str, max_bytes: u64) -> Result<Option<String>, Rejection> {
        let Some(plain) = root::open_plain(&self.root().dir, name, name)? else { return Ok(None) };
        if plain.stat.st_size as u64 > max_bytes {
            return Err(Rejection::new(Code::TooLarge, format!("{name} is larger than {max_bytes} bytes")));
        }
        let bytes = root::read_contents(&plain, name)?;
        String::from_utf8(bytes).map(Some).map_err(|_| Rejection::new(Code::NotText, format!("{name} is not UTF-8")))
    }

    /// Creates a file atomically and waits until it is on disk; `false` if it exists.
    ///
    /// # Errors
    /// `io`, `read_only`, `invalid_path`.
    pub fn create_file(&self, name: &str, bytes: &[u8]) -> Result<bool, Rejection> {
        let data_root = self.root();
        let to_error = |e| root::write_error(e, name);
        let path = name.contains('/').then(|| MemoryPath::new(name)).transpose()?;
        let folder = match &path {
            None => data_root.open_folder("")?,
            Some(path) => {
                data_root.create_parents(path, true)?;
                data_root.open_parent(path)?
            }
        };
        let Some(folder) = folder else {
            return Err(Rejection::new(Code::Io, format!("the folder of {name} was removed meanwhile")));
        };
        match platform::create_atomically(folder.as_fd(), name.rsplit('/').next().unwrap_or(name), bytes) {
            Ok(()) => {}
            Err(Errno::EXIST) => return Ok(false),
            Err(e) => return Err(to_error(e)),
        }
        platform::sync(&folder).map_err(|e| Rejection { changed: Some(true), ..to_error(e) })?;
        Ok(true)
    }

    /// Creates a folder at the top if it is missing.
    ///
    /// # Errors
    /// `io`, `read_only`.
    pub fn create_folder(&self, name: &str) -> Result<(), Rejection> {
        let path = MemoryPath::new(&format!("{name}/x.md"))?;
        self.root().create_parents(&path, true).map(drop)
    }
}
