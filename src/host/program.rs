//! Returns the path of this program, for files that name it.
//!
//! Never starts a process.

use std::path::{Path, PathBuf};

use crate::code::{Code, Rejection};

/// Returns this program's absolute path: the one on PATH if it is the same program (an upgrade keeps that name), else
/// the path it was started from.
///
/// # Errors
/// `io` if the system does not report the path, or it is not UTF-8.
pub fn path() -> Result<String, Rejection> {
    let error = |reason: String| Rejection::new(Code::Io, format!("memdir's own path is unknown: {reason}"));
    let current_exe = std::env::current_exe().map_err(|e| error(e.to_string()))?;
    let dirs = std::env::var_os("PATH").unwrap_or_default();
    let found = find_on_path(&current_exe, std::env::split_paths(&dirs)).unwrap_or(current_exe);
    found.into_os_string().into_string().map_err(|_| error("it is not UTF-8".to_owned()))
}

fn find_on_path(current_exe: &Path, dirs: impl Iterator<Item = PathBuf>) -> Option<PathBuf> {
    let resolved = current_exe.canonicalize().ok()?;
    let mut candidates = dirs.filter(|dir| dir.is_absolute()).map(|dir| dir.join("memdir"));
    candidates.find(|file| file.canonicalize().is_ok_and(|file| file == resolved))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_name_on_path_wins_over_its_link_target() {
        let dir = tempfile::tempdir().unwrap();
        let (bin, cellar) = (dir.path().join("bin"), dir.path().join("cellar"));
        fs_err::create_dir_all(&bin).unwrap();
        fs_err::create_dir_all(&cellar).unwrap();
        fs_err::write(cellar.join("memdir-0.1"), "").unwrap();
        std::os::unix::fs::symlink(cellar.join("memdir-0.1"), bin.join("memdir")).unwrap();
        let own = cellar.join("memdir-0.1");
        assert_eq!(find_on_path(&own, [cellar.clone(), bin.clone()].into_iter()), Some(bin.join("memdir")));
        assert_eq!(find_on_path(&own, [cellar].into_iter()), None);
    }
}
