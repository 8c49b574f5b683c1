//! Reads single files of git's work tree, and what a sparse checkout leaves out of it.
//!
//! Never follows a link, and never changes anything.

use fs_err as fs;

use super::git::Git;
use super::repository::split_nul;
use crate::code::Rejection;

impl Git {
    /// The bytes of a file at a path from git's directory; `None` if it is no regular file below it.
    pub fn read_work_file(&self, path: &str) -> Option<Vec<u8>> {
        let file = self.dir.join(path);
        fs::symlink_metadata(&file).ok().filter(|meta| meta.is_file())?;
        let is_below = file.parent()?.canonicalize().ok()?.starts_with(self.dir.canonicalize().ok()?);
        if is_below { fs::read(&file).ok() } else { None }
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_is_read_whole_and_a_link_is_not_followed() {
        let dir = tempfile::tempdir().unwrap();
        let git = Git::in_dir(dir.path());
        let bytes = vec![0xe9; 9 << 20];
        fs::write(dir.path().join("large"), &bytes).unwrap();
        assert!(git.read_work_file("large").is_some_and(|read| read == bytes));
        std::os::unix::fs::symlink("large", dir.path().join("link")).unwrap();
        assert_eq!((git.read_work_file("link"), git.read_work_file("none")), (None, None));
    }
}
