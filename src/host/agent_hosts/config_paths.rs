//! Finds the config files of a host, reads them and replaces them.
//!
//! Never follows a link in a project, which may have come by `git clone`, and never one out of the home directory.

use std::path::{Path, PathBuf};

use super::{ConfigFile, UserFile};
use crate::code::{Code, Rejection};
use crate::host::{EnvLookup, outside_files, user};

/// Largest config file that is read, in bytes.
const MAX_CONFIG_BYTES: usize = 4 << 20;

/// Whose config files are changed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ConfigOwner {
    /// Those of the project that contains the working directory.
    Project,
    /// The user's own, which hold in all projects.
    User,
}

/// The root of the project: the nearest directory with `.git`, else the one that contains the memory, if that was found
/// from the working directory upwards, else the working directory. A home directory that is kept in git is no project.
pub fn project_root(work_dir: &Path, data_dir: Option<&Path>, home: Option<&Path>) -> PathBuf {
    let nearest = |found: &dyn Fn(&Path) -> bool| work_dir.ancestors().find(|dir| found(dir)).map(Path::to_owned);
    let contains = |dir: &Path| data_dir.is_some_and(|data_dir| data_dir != dir && data_dir.starts_with(dir));
    nearest(&|dir| Some(dir) != home && dir.join(".git").exists())
        .or_else(|| nearest(&contains))
        .unwrap_or_else(|| work_dir.to_owned())
}

/// The path of a config file; `None` if the host has none for this owner. It need not exist.
///
/// # Errors
/// `unsafe_file` for a link in a project, or for the user's own file if it leads out of the home directory.
pub fn config_path(
    file: &ConfigFile,
    owner: ConfigOwner,
    root: &Path,
    env: EnvLookup<'_>,
) -> Result<Option<PathBuf>, Rejection> {
    match (owner, &file.user) {
        (ConfigOwner::Project, _) => project_path(root, file.project).map(Some),
        (ConfigOwner::User, None) => Ok(None),
        (ConfigOwner::User, Some(own)) => user_path(own, env).map(Some),
    }
}

/// The path of a file in the user's home directory. It need not exist.
///
/// # Errors
/// `unsafe_file` for a link that leads out of the home directory; `io` without one.
pub fn user_path(own: &UserFile, env: EnvLookup<'_>) -> Result<PathBuf, Rejection> {
    let home = user::home(env);
    let named = own.variable.and_then(env).map(PathBuf::from).filter(|dir| dir.is_absolute());
    let folder = named.or_else(|| Some(home.as_ref()?.join(own.folder)));
    let folder = folder.ok_or_else(|| Rejection::new(Code::Io, "HOME is not set"))?;
    outside_files::resolve_link_at_home(&folder.join(own.name), home.as_deref())
}

/// A path below the root of a project.
///
/// # Errors
/// `unsafe_file` if a part of it below the root is a symbolic link.
pub fn project_path(root: &Path, relative: &str) -> Result<PathBuf, Rejection> {
    let mut path = root.to_owned();
    for part in relative.split('/') {
        path.push(part);
        if path.is_symlink() {
            let message = format!("'{}' is a symbolic link", path.display());
            return Err(Rejection::new(Code::UnsafeFile, message)
                .hint("links in a project are not followed; replace it by the file, or use --user"));
        }
    }
    Ok(path)
}

/// The text of a config file; `None` if it does not exist.
///
/// # Errors
/// `unsafe_file`, `too_large`, `not_text`, `io`.
pub fn read_config(path: &Path) -> Result<Option<String>, Rejection> {
    let shown = path.display();
    match outside_files::read(path) {
        Ok(bytes) if bytes.len() > MAX_CONFIG_BYTES => {
            Err(Rejection::new(Code::TooLarge, format!("'{shown}' is larger than 4 MiB")))
        }
        Ok(bytes) => String::from_utf8(bytes)
            .map(Some)
            .map_err(|_| Rejection::new(Code::NotText, format!("'{shown}' is not UTF-8"))),
        Err(error) if error.code == Code::FileNotFound => Ok(None),
        Err(error) => Err(error),
    }
}

/// Replaces, creates or removes a config file that read `before`.
///
/// # Errors
/// `busy` if it reads otherwise now; `io`.
pub fn write_config(path: &Path, before: Option<&str>, after: Option<&str>) -> Result<(), Rejection> {
    if read_config(path)?.as_deref() != before {
        return Err(Rejection::new(Code::Busy, format!("'{}' was changed by another program", path.display())));
    }
    let Some(after) = after else { return outside_files::remove(path) };
    if let Some(parent) = path.parent() {
        fs_err::create_dir_all(parent).map_err(|e| Rejection::new(Code::Io, e.to_string()))?;
    }
    outside_files::replace(path, after.as_bytes())
}

/// Removes the folder of a config file below the root of a project, if nothing is in it.
pub fn remove_empty_folder(path: &Path, root: &Path) {
    // A folder with anything in it is not removed by the system, and what cannot be removed does no harm.
    if let Some(folder) = path.parent().filter(|folder| *folder != root && folder.starts_with(root)) {
        drop(fs_err::remove_dir(folder));
    }
}
