//! Reads files of the repository around a data directory, for code anchors, through the sandbox of the data directory.
//!
//! Never writes, and never opens what is outside the repository, in a submodule, behind a symbolic link, on another
//! mount, or no regular file. That a path names nothing of git's own, [`CodePath`] ensures.

use std::cell::RefCell;
use std::collections::HashMap;
use std::path::Path;

use super::platform;
use super::root::{DataRoot, open_plain, read_contents};
use crate::code::{Code, Rejection};
use crate::text::code_path::CodePath;

/// The largest code file that is read, in bytes. Larger ones are generated, and hashing them takes long.
const MAX_CODE_FILE_BYTES: i64 = 8 << 20;

/// The files of a repository.
pub struct CodeFiles {
    root: DataRoot,
    /// Whether a folder is a repository of its own, by its path.
    nested: RefCell<HashMap<String, bool>>,
}

impl CodeFiles {
    /// Opens the root of a repository.
    ///
    /// # Errors
    /// `io`.
    pub fn open(root: &Path) -> Result<CodeFiles, Rejection> {
        Ok(CodeFiles { root: DataRoot::open(root)?, nested: RefCell::new(HashMap::new()) })
    }

    /// Reads a file; `None` if it does not exist.
    ///
    /// # Errors
    /// `unsafe_file` for everything but a regular file with one link in this repository itself; `too_large` (over
    /// 8 MiB); `io`.
    pub fn read(&self, path: &CodePath) -> Result<Option<Vec<u8>>, Rejection> {
        let (folder, name) = path.as_str().rsplit_once('/').unwrap_or(("", path.as_str()));
        let shown = format!("'{path}'");
        if let Some(nested) = self.nested_repository(folder)? {
            let message = format!("{shown} is in '{nested}/', a submodule or another repository");
            return Err(Rejection::new(Code::UnsafeFile, message));
        }
        let Some(dir) = self.root.open_folder(folder)? else { return Ok(None) };
        let Some(plain) = open_plain(&dir, name, &shown)? else { return Ok(None) };
        if plain.stat.st_size > MAX_CODE_FILE_BYTES {
            Err(Rejection::new(Code::TooLarge, format!("{shown} is larger than 8 MiB")))
        } else {
            read_contents(&plain, &shown).map(Some)
        }
    }

    /// The outermost folder on the way to `folder` that contains `.git`, if there is one.
    fn nested_repository<'p>(&self, folder: &'p str) -> Result<Option<&'p str>, Rejection> {
        let ends = folder.match_indices('/').map(|(at, _)| at).chain((!folder.is_empty()).then_some(folder.len()));
        for above in ends.map(|end| &folder[..end]) {
            let known = self.nested.borrow().get(above).copied();
            let is_nested = match known {
                Some(is_nested) => is_nested,
                None => {
                    let dir = self.root.open_folder(above)?;
                    let is_nested = dir.is_some_and(|dir| platform::stat_name(&dir, ".git").is_ok());
                    self.nested.borrow_mut().insert(above.to_owned(), is_nested);
                    is_nested
                }
            };
            if is_nested {
                return Ok(Some(above));
            }
        }
        Ok(None)
    }
}
