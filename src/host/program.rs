//! Where this program itself stands, for files that name it.
//!
//! Never starts anything.

use std::path::{Path, PathBuf};

use crate::code::{Code, Rejection};

/// This program's absolute path: as it is found on PATH, where that is the same program (the name that an upgrade
/// keeps), else where it was started from.
///
/// # Errors
/// `io` where the system does not tell, or the path is not UTF-8.
pub fn path() -> Result<String, Rejection> {
    let unknown = |why: String| Rejection::new(Code::Io, format!("memdir's own path is not known: {why}"));
    let own = std::env::current_exe().map_err(|e| unknown(e.to_string()))?;
    let dirs = std::env::var_os("PATH").unwrap_or_default();
    let found = on_path(&own, std::env::split_paths(&dirs)).unwrap_or(own);
    found.into_os_string().into_string().map_err(|_| unknown("it is not UTF-8".to_owned()))
}

fn on_path(own: &Path, dirs: impl Iterator<Item = PathBuf>) -> Option<PathBuf> {
    let real = own.canonicalize().ok()?;
    let mut named = dirs.filter(|dir| dir.is_absolute()).map(|dir| dir.join("memdir"));
    named.find(|file| file.canonicalize().is_ok_and(|file| file == real))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_name_on_path_wins_over_the_place_it_leads_to() {
        let dir = tempfile::tempdir().unwrap();
        let (bin, cellar) = (dir.path().join("bin"), dir.path().join("cellar"));
        fs_err::create_dir_all(&bin).unwrap();
        fs_err::create_dir_all(&cellar).unwrap();
        fs_err::write(cellar.join("memdir-0.1"), "").unwrap();
        std::os::unix::fs::symlink(cellar.join("memdir-0.1"), bin.join("memdir")).unwrap();
        let own = cellar.join("memdir-0.1");
        assert_eq!(on_path(&own, [cellar.clone(), bin.clone()].into_iter()), Some(bin.join("memdir")));
        assert_eq!(on_path(&own, [cellar].into_iter()), None);
    }
}
