//! Reads single files of git's work tree, and what a sparse checkout leaves out of it.
//!
//! Never follows a link, and never changes anything.

use fs_err as fs;

use super::git::Git;
use super::repository::split_nul;
use crate::code::Rejection;

/// A larger file is not read, in bytes.
const MAX_READ_BYTES: u64 = 8 << 20;

impl Git {
    /// The text of a file at a path from git's directory; `None` if it is no regular file below it, is too large or no
    /// text.
    pub fn read_work_file(&self, path: &str) -> Option<String> {
        let file = self.dir.join(path);
        let meta = fs::symlink_metadata(&file).ok().filter(|meta| meta.is_file() && meta.len() <= MAX_READ_BYTES)?;
        let is_below = file.parent()?.canonicalize().ok()?.starts_with(self.dir.canonicalize().ok()?);
        let bytes = fs::read(&file).ok().filter(|bytes| is_below && bytes.len() as u64 <= meta.len().max(1))?;
        String::from_utf8(bytes).ok()
    }

    /// Which of these paths a sparse checkout leaves out of the work tree; none without one, or if git is too old to
    /// tell (before 2.41).
    ///
    /// # Errors
    /// `no_git`, `git`.
    pub fn outside_sparse_checkout(&self, paths: &[&str]) -> Result<Vec<String>, Rejection> {
        if self.config_value("core.sparseCheckout")?.is_none_or(|value| value != "true") {
            return Ok(Vec::new());
        }
        let input = paths.iter().map(|path| format!("{path}\0")).collect::<String>();
        let output = self.invoke(&["sparse-checkout", "check-rules", "-z"], input.as_bytes())?;
        if output.status != 0 {
            return Ok(Vec::new());
        }
        let inside = split_nul(&output.stdout);
        Ok(paths
            .iter()
            .filter(|path| !inside.iter().any(|known| known == *path))
            .map(|path| path.to_string())
            .collect())
    }
}
