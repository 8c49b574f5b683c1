//! A new data dir: its directory, its marker, its first files.
//!
//! Never replaces anything: what stands, stays.

use std::os::fd::AsFd;
use std::path::Path;

use rustix::io::Errno;

use super::{Store, platform, root};
use crate::code::{Code, Rejection};
use crate::path::MemoryPath;

/// The file that marks a data dir and holds its policy.
pub const MARKER: &str = "memdir.yaml";
/// What git leaves out of a data dir.
pub const IGNORE: &str = ".gitignore";
/// The lines of that file: proposals are not consented to, so they stay at home.
pub const IGNORED: &str = "/inbox/\n/.memdir/\n";

/// Makes a directory with its parents, if it is not there, and waits until their names are on the disk.
///
/// # Errors
/// `io`, `read_only`, `exists` when something else stands there.
pub fn directory(dir: &Path) -> Result<(), Rejection> {
    let made: Vec<&Path> = dir.ancestors().take_while(|d| !d.as_os_str().is_empty() && !d.exists()).collect();
    match std::fs::create_dir_all(dir) {
        Ok(()) => {}
        Err(e) if e.kind() == std::io::ErrorKind::AlreadyExists || e.kind() == std::io::ErrorKind::NotADirectory => {
            return Err(Rejection::new(Code::Exists, "something that is no directory stands there"));
        }
        Err(e) if e.kind() == std::io::ErrorKind::PermissionDenied => {
            return Err(Rejection::new(Code::ReadOnly, format!("the directory cannot be made: {e}")));
        }
        Err(e) => return Err(Rejection::new(Code::Io, format!("the directory cannot be made: {e}"))),
    }
    for parent in made.iter().filter_map(|d| d.parent()) {
        let parent = if parent.as_os_str().is_empty() { Path::new(".") } else { parent };
        // A directory may be open to new names and closed to readers; then nobody can wait for it.
        let Ok(parent) = std::fs::File::open(parent) else { continue };
        platform::sync(&parent).map_err(|e| root::refusal_to_write(e, "the directory's parent"))?;
    }
    Ok(())
}

impl Store {
    /// Whether a name stands at the top of the data dir.
    ///
    /// # Errors
    /// `io`.
    pub fn has(&self, name: &str) -> Result<bool, Rejection> {
        match platform::look(&self.root().dir, name) {
            Ok(_) => Ok(true),
            Err(Errno::NOENT) => Ok(false),
            Err(e) => Err(root::refusal(e, name)),
        }
    }

    /// The text of a file at the top of the data dir that is no memory (the policy), of at most `most` bytes; `None`
    /// without one.
    ///
    /// # Errors
    /// `unsafe_file`, `too_large`, `not_text`, `io`.
    pub fn top_file(&self, name: &str, most: u64) -> Result<Option<String>, Rejection> {
        let Some(plain) = root::open_plain(&self.root().dir, name, name)? else { return Ok(None) };
        if plain.stat.st_size as u64 > most {
            return Err(Rejection::new(Code::TooLarge, format!("{name} is larger than {most} bytes")));
        }
        let bytes = root::contents(&plain, name)?;
        String::from_utf8(bytes).map(Some).map_err(|_| Rejection::new(Code::NotText, format!("{name} is not UTF-8")))
    }

    /// Makes a file that does not stand yet, whole or not at all, and waits until it is on the disk; `false` when it
    /// stands.
    ///
    /// # Errors
    /// `io`, `read_only`, `invalid_path`.
    pub fn make_file(&self, name: &str, bytes: &[u8]) -> Result<bool, Rejection> {
        let top = self.root();
        let wrong = |e| root::refusal_to_write(e, name);
        let path = name.contains('/').then(|| MemoryPath::new(name)).transpose()?;
        let folder = match &path {
            None => top.folder("")?,
            Some(path) => {
                top.make_parents(path, true)?;
                top.parent(path)?
            }
        };
        let Some(folder) = folder else {
            return Err(Rejection::new(Code::Io, format!("the folder of {name} vanished")));
        };
        match platform::create_whole(folder.as_fd(), name.rsplit('/').next().unwrap_or(name), bytes) {
            Ok(()) => {}
            Err(Errno::EXIST) => return Ok(false),
            Err(e) => return Err(wrong(e)),
        }
        platform::sync(&folder).map_err(|e| Rejection { changed: Some(true), ..wrong(e) })?;
        Ok(true)
    }

    /// Makes a folder at the top, if it is not there.
    ///
    /// # Errors
    /// `io`, `read_only`.
    pub fn make_folder(&self, name: &str) -> Result<(), Rejection> {
        let path = MemoryPath::new(&format!("{name}/x.md"))?;
        self.root().make_parents(&path, true).map(drop)
    }
}
