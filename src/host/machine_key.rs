//! The key with which this machine signs what it writes for itself: `$XDG_STATE_HOME/memdir/key`, else
//! `~/.local/state/memdir/key`. What came by `git clone` cannot have its signature.
//!
//! Never replaces a key, and never stores it in a data directory.

use std::fs::File;
use std::io::Read;
use std::path::{Path, PathBuf};

use super::{EnvLookup, outside_files, user};
use crate::code::{Code, Rejection};
use crate::text::signature::SigningKey;

/// The length of a key, in bytes.
const KEY_BYTES: usize = 32;

/// Where the key is; `None` without a home.
pub fn path(env: EnvLookup<'_>) -> Option<PathBuf> {
    let xdg = env("XDG_STATE_HOME").map(PathBuf::from).filter(|dir| dir.is_absolute());
    Some(xdg.or_else(|| Some(user::home(env)?.join(".local/state")))?.join("memdir/key"))
}

/// Reads the key; `None` if there is none yet.
///
/// # Errors
/// `io` if it cannot be read, or is no key.
pub fn load(path: &Path) -> Result<Option<SigningKey>, Rejection> {
    match outside_files::read_up_to(path, KEY_BYTES as u64, "a key") {
        Ok(bytes) => match bytes.try_into() {
            Ok(secret) => Ok(Some(SigningKey::new(secret))),
            Err(_) => Err(Rejection::new(Code::Io, format!("'{}' is no key of memdir", path.display()))),
        },
        Err(error) if error.code == Code::FileNotFound => Ok(None),
        Err(error) => Err(error),
    }
}

/// Reads the key, and makes it if there is none yet.
///
/// # Errors
/// As [`load`]; `io` if it cannot be made.
pub fn load_or_create(path: &Path) -> Result<SigningKey, Rejection> {
    if let Some(key) = load(path)? {
        return Ok(key);
    }
    let failed = |e: std::io::Error| Rejection::new(Code::Io, format!("'{}' cannot be written: {e}", path.display()));
    let mut secret = [0; KEY_BYTES];
    File::open("/dev/urandom").and_then(|mut random| random.read_exact(&mut secret)).map_err(failed)?;
    if let Some(parent) = path.parent() {
        std::fs::create_dir_all(parent).map_err(failed)?;
    }
    match outside_files::create_private(path, &secret, false) {
        Ok(()) => Ok(SigningKey::new(secret)),
        // Another process was faster.
        Err(error) if error.code == Code::Exists => load(path)?.ok_or(error),
        Err(error) => Err(error),
    }
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::PermissionsExt;

    use super::*;

    #[test]
    fn a_key_is_made_once_and_is_private() {
        let home = tempfile::tempdir().unwrap();
        let file = path(&|name| (name == "HOME").then(|| home.path().to_str().unwrap().to_owned())).unwrap();
        assert_eq!(file, home.path().join(".local/state/memdir/key"));
        assert!(load(&file).unwrap().is_none());
        let key = load_or_create(&file).unwrap();
        assert!(load_or_create(&file).unwrap() == key && load(&file).unwrap() == Some(key));
        assert_eq!(file.metadata().unwrap().permissions().mode() & 0o777, 0o600);
        fs_err::write(&file, "short").unwrap();
        assert_eq!((load(&file).err().unwrap().code, load_or_create(&file).err().unwrap().code), (Code::Io, Code::Io));
        assert_eq!(fs_err::read(&file).unwrap(), b"short");
    }
}
