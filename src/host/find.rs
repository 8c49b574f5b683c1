//! Finds the data directory, and lists the forms in which its paths may be written.
//!
//! Uses file names only: never opens a memory file, and never searches downwards.

use std::path::{Path, PathBuf};

use crate::code::{Code, Hint, Rejection};
use crate::path::PathPrefixes;

/// How the caller named the data directory.
#[derive(Clone, Debug, Default)]
pub struct DirectoryQuery {
    /// `--dir DIR`: the data directory itself.
    pub dir: Option<PathBuf>,
    /// `-g`.
    pub global: bool,
    /// `MEMDIR`: the data directory itself.
    pub env: Option<PathBuf>,
}

/// A data directory, and how it was found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FoundDirectory {
    /// Absolute; symbolic links in it are kept as the caller wrote them.
    pub dir: PathBuf,
    /// `flag`, `environment`, `ancestor` or `user`.
    pub found_by: &'static str,
}

/// Finds the data directory: `--dir`, else `MEMDIR`, else the nearest ancestor that is or contains one, else the
/// user's own.
///
/// `work_dir` is where the search starts: the working directory, unless `-C` names another. `user` returns the place
/// of the user's own memory and is called only if needed.
///
/// # Errors
/// `no_data_dir`.
pub fn find_data_dir(
    query: &DirectoryQuery,
    work_dir: &Path,
    user: &dyn Fn() -> Option<PathBuf>,
) -> Result<FoundDirectory, Rejection> {
    if let Some(dir) = &query.dir {
        return named_dir(work_dir.join(dir), "flag")
            .or_else(|error| find_scope(query, dir, work_dir, user).ok_or(error));
    }
    if query.global {
        return named_dir(user().ok_or_else(no_own_memory_error)?, "user");
    }
    if let Some(dir) = query.env.as_ref().filter(|d| !d.as_os_str().is_empty()) {
        return named_dir(work_dir.join(dir), "environment");
    }
    if let Some(dir) = work_dir.ancestors().take_while(|dir| !holds_scopes(dir)).find_map(data_dir_in) {
        refuse_link(&dir, work_dir)?;
        return Ok(FoundDirectory { dir, found_by: "ancestor" });
    }
    match user().filter(|dir| is_data_dir(dir)) {
        Some(dir) => Ok(FoundDirectory { dir: normalize(&dir), found_by: "user" }),
        None => Err(no_data_dir_error("no data directory found here or in a parent directory")
            .hint("create one with `memdir init`, or your own with `memdir -g init`, or name one with --dir DIR or MEMDIR")
            .try_command(Hint { verb: vec!["init"], operands: Vec::new() })),
    }
}

/// `--dir scopes/NAME` and `--dir NAME` name a scope of the data directory that would be found without `--dir`. A
/// symbolic link is never a scope.
fn find_scope(
    query: &DirectoryQuery,
    dir: &Path,
    work_dir: &Path,
    user: &dyn Fn() -> Option<PathBuf>,
) -> Option<FoundDirectory> {
    use std::path::Component;
    if !dir.components().all(|c| matches!(c, Component::Normal(_))) {
        return None;
    }
    let data_dir = find_data_dir(&DirectoryQuery { dir: None, ..query.clone() }, work_dir, user).ok()?.dir;
    let inside = if dir.starts_with("scopes") { data_dir.join(dir) } else { data_dir.join("scopes").join(dir) };
    let is_real_dir = |path: &Path| path.symlink_metadata().is_ok_and(|m| m.is_dir());
    (is_real_dir(&data_dir.join("scopes")) && is_real_dir(&inside) && is_data_dir(&inside))
        .then_some(FoundDirectory { dir: inside, found_by: "flag" })
}

fn no_data_dir_error(message: &str) -> Rejection {
    Rejection::new(Code::NoDataDir, message)
}

/// The error of `-g` where no place for the user's own memory is known.
pub fn no_own_memory_error() -> Rejection {
    no_data_dir_error("neither memory.dataDir of the user config nor HOME names your own memory")
}

/// A directory that the caller named as the data directory itself. One without the marks of a memory is refused:
/// named by mistake, a project would get a second memory, which hides the first.
fn named_dir(dir: PathBuf, found_by: &'static str) -> Result<FoundDirectory, Rejection> {
    if is_data_dir(&dir) {
        return Ok(FoundDirectory { dir: normalize(&dir), found_by });
    }
    let shown = dir.display();
    let init = |verb| Hint { verb, operands: Vec::new() };
    let rejection = match (dir.is_dir(), data_dir_in(&dir)) {
        (false, _) => no_data_dir_error(&format!("'{shown}' is not a directory"))
            .hint("create a memory there, or name another directory")
            .try_command(init(vec!["init"])),
        (true, Some(inside)) => {
            no_data_dir_error(&format!("'{shown}' is not a memory, but holds one: '{}'", inside.display()))
                .hint("name that directory, or start the search with -C DIR")
        }
        (true, None) => {
            no_data_dir_error(&format!("'{shown}' is not a memory: it has no memdir.yaml, facts/ or episodes/"))
                .hint("create a memory there, with --adopt from the markdown files that it has")
                .try_command(init(vec!["init"]))
                .try_command(init(vec!["init", "--adopt"]))
        }
    };
    Err(rejection.detail("found_by", found_by))
}

/// Refuses a data directory that was found through a symbolic link below the directory that was searched: a clone may
/// bring the link along, and it may lead anywhere.
fn refuse_link(dir: &Path, work_dir: &Path) -> Result<(), Rejection> {
    let is_link = |path: &&Path| path.symlink_metadata().is_ok_and(|m| m.is_symlink());
    match dir.ancestors().take_while(|path| !work_dir.starts_with(path)).find(is_link) {
        None => Ok(()),
        Some(link) => {
            let shown = link.display();
            Err(no_data_dir_error(&format!("'{shown}' is a symbolic link, which is followed only if you name it"))
                .hint(format!("name it with `--dir '{}'` or MEMDIR", dir.display())))
        }
    }
}

/// Whether a directory is the `scopes/` of a memory. The search does not pass it: a scope that is not one yet must not
/// be taken for its parent.
fn holds_scopes(dir: &Path) -> bool {
    dir.file_name().is_some_and(|name| name == "scopes") && dir.parent().is_some_and(is_data_dir)
}

/// Returns the data directory that a directory is or contains.
fn data_dir_in(dir: &Path) -> Option<PathBuf> {
    [dir.to_owned(), dir.join("memory"), dir.join("data/memory")].into_iter().find(|dir| is_data_dir(dir))
}

/// Whether a directory contains `memdir.yaml` or the folders of a memory.
pub fn is_data_dir(dir: &Path) -> bool {
    dir.join("memdir.yaml").is_file() || dir.join("facts").is_dir() || dir.join("episodes").is_dir()
}

/// Removes `.` components from a path; a path with `..` is canonicalized, because a link may precede it.
fn normalize(path: &Path) -> PathBuf {
    use std::path::Component;
    if path.components().any(|c| c == Component::ParentDir) {
        return path.canonicalize().unwrap_or_else(|_| path.to_owned());
    }
    path.components().filter(|c| *c != Component::CurDir).collect()
}

/// Lists the prefixes by which a path may name the data directory: absolute, relative to the working directory, and
/// with links resolved.
pub fn prefixes(dir: &Path, work_dir: &Path) -> PathPrefixes {
    let mut all = vec![dir.to_string_lossy().into_owned()];
    let relative = relative_path(dir, work_dir);
    if !relative.starts_with("..") {
        all.push(format!("./{relative}"));
    }
    all.push(relative);
    if let Ok(real) = dir.canonicalize()
        && real != dir
    {
        all.push(real.to_string_lossy().into_owned());
    }
    all.retain(|p| !p.is_empty());
    PathPrefixes(all)
}

/// Returns a directory relative to another; empty if they are the same.
fn relative_path(dir: &Path, from: &Path) -> String {
    let common = dir.components().zip(from.components()).take_while(|(a, b)| a == b).count();
    let up = from.components().skip(common).map(|_| "..".into());
    let down = dir.components().skip(common).map(|c| c.as_os_str().to_string_lossy());
    up.chain(down).collect::<Vec<_>>().join("/")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tree(dirs: &[&str]) -> tempfile::TempDir {
        let root = tempfile::tempdir().unwrap();
        for dir in dirs {
            fs_err::create_dir_all(root.path().join(dir)).unwrap();
        }
        root
    }

    fn check(root: &Path, work: &str, query: DirectoryQuery, user: Option<&str>, found: Option<(&str, &'static str)>) {
        let own = || user.map(|u| root.join(u));
        let found_dir = find_data_dir(&query, &root.join(work), &own).ok();
        assert_eq!(
            found_dir,
            found.map(|(dir, found_by)| FoundDirectory { dir: root.join(dir), found_by }),
            "{work} {query:?}"
        );
    }

    #[test]
    fn precedence_is_flag_environment_ancestor_user_config() {
        let root = tree(&["a/memory/facts", "a/b/c", "a/b/data/memory/episodes", "own/facts", "x", "y/facts"]);
        let root = root.path();
        let flag =
            DirectoryQuery { dir: Some("../y".into()), env: Some(root.join("own")), ..DirectoryQuery::default() };
        check(root, "a", flag, None, Some(("y", "flag")));
        let env = DirectoryQuery { env: Some(root.join("own")), ..DirectoryQuery::default() };
        check(root, "a", env, None, Some(("own", "environment")));
        check(root, "a/b/c", DirectoryQuery::default(), Some("own"), Some(("a/b/data/memory", "ancestor")));
        check(root, "a", DirectoryQuery::default(), None, Some(("a/memory", "ancestor")));
        check(root, "a/memory/facts", DirectoryQuery::default(), None, Some(("a/memory", "ancestor")));
        check(root, "x", DirectoryQuery::default(), Some("own"), Some(("own", "user")));
        check(root, "x", DirectoryQuery { global: true, ..DirectoryQuery::default() }, None, None);
        check(root, "a", DirectoryQuery { dir: Some("nowhere".into()), ..DirectoryQuery::default() }, None, None);
    }

    #[test]
    fn a_link_is_followed_only_if_it_is_named() {
        let root = tree(&["private/facts", "private/memory/facts", "proj/sub", "other"]);
        let root = root.path();
        let link = |to: &str, name: &str| std::os::unix::fs::symlink(root.join(to), root.join(name)).unwrap();
        link("private", "proj/memory");
        link("private", "other/data");
        for work in ["proj", "proj/sub", "other"] {
            check(root, work, DirectoryQuery::default(), Some("private"), None);
        }
        let named = DirectoryQuery { dir: Some("memory".into()), ..DirectoryQuery::default() };
        check(root, "proj", named, None, Some(("proj/memory", "flag")));
        check(root, "proj/memory", DirectoryQuery::default(), None, Some(("proj/memory", "ancestor")));
    }

    #[test]
    fn a_scope_is_found_by_name_from_its_data_dir() {
        let root = tree(&["a/memory/facts", "a/memory/scopes/web/facts", "a/web2/facts", "a/plain"]);
        let named = |dir: &str| DirectoryQuery { dir: Some(dir.into()), ..DirectoryQuery::default() };
        let web = Some(("a/memory/scopes/web", "flag"));
        check(root.path(), "a", named("scopes/web"), None, web);
        check(root.path(), "a", named("web"), None, web);
        check(root.path(), "a/memory", named("scopes/web"), None, web);
        check(root.path(), "a", named("web2"), None, Some(("a/web2", "flag")));
        check(root.path(), "a", named("scopes/none"), None, None);
        check(root.path(), "a", named("plain"), None, None);
    }

    #[test]
    fn a_path_may_start_with_the_data_dir() {
        let root = tree(&["w/memory/facts", "w/deep"]);
        let dir = root.path().join("w/memory");
        let from = |work: &str| prefixes(&dir, &root.path().join(work)).0;
        assert!(from("w").contains(&"memory".to_owned()));
        assert!(from("w/memory/facts").contains(&"..".to_owned()));
        assert!(from("w/deep").contains(&"../memory".to_owned()));
        assert_eq!(from("w/deep")[0], dir.to_str().unwrap());
    }
}
