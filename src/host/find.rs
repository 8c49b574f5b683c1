//! Where the data dir is (DESIGN 1), and how its paths may be written.
//!
//! Looks at names only and never opens a file of a memory. Never searches downwards.

use std::path::{Path, PathBuf};

use crate::code::{Code, Hint, Rejection};
use crate::path::Prefixes;

/// What the caller said about where.
#[derive(Clone, Debug, Default)]
pub struct Asked {
    /// `-C DIR`.
    pub dir: Option<PathBuf>,
    /// `-g`.
    pub global: bool,
    /// `MEMDIR`.
    pub env: Option<PathBuf>,
}

/// A data dir, and how it was found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Place {
    /// Absolute, links in it kept as the caller wrote them.
    pub dir: PathBuf,
    /// `flag`, `environment`, `ancestor` or `user`.
    pub found_by: &'static str,
}

/// Finds the data dir: `-C` > `MEMDIR` > the nearest ancestor that is or holds one > the user's own.
///
/// `work` is the working directory; `user` gives the user config's `memory.dataDir`, asked for only when needed.
///
/// # Errors
/// `no_data_dir`.
pub fn find(asked: &Asked, work: &Path, user: &dyn Fn() -> Option<PathBuf>) -> Result<Place, Rejection> {
    if let Some(dir) = &asked.dir {
        return named(work.join(dir), "flag").or_else(|refused| scope(asked, dir, work, user).ok_or(refused));
    }
    if asked.global {
        let none = || missing("the user config names no memory.dataDir");
        return named(user().ok_or_else(none)?, "user");
    }
    if let Some(dir) = asked.env.as_ref().filter(|d| !d.as_os_str().is_empty()) {
        return named(work.join(dir), "environment");
    }
    if let Some(dir) = work.ancestors().find_map(holds) {
        return Ok(Place { dir, found_by: "ancestor" });
    }
    match user() {
        Some(dir) => named(dir, "user"),
        None => Err(missing("no memory is here or above")
            .hint("make one with `memdir init`, or name one with -C DIR or MEMDIR")
            .try_(Hint { verb: vec!["init"], address: Vec::new() })),
    }
}

/// `-C scopes/NAME` and `-C NAME` mean a scope of the data dir that would be found without `-C`. No link is one.
fn scope(asked: &Asked, dir: &Path, work: &Path, user: &dyn Fn() -> Option<PathBuf>) -> Option<Place> {
    use std::path::Component;
    if !dir.components().all(|c| matches!(c, Component::Normal(_))) {
        return None;
    }
    let around = find(&Asked { dir: None, ..asked.clone() }, work, user).ok()?.dir;
    let inside = if dir.starts_with("scopes") { around.join(dir) } else { around.join("scopes").join(dir) };
    let real = |path: &Path| path.symlink_metadata().is_ok_and(|m| m.is_dir());
    (real(&around.join("scopes")) && real(&inside)).then_some(Place { dir: inside, found_by: "flag" })
}

fn missing(message: &str) -> Rejection {
    Rejection::new(Code::NoDataDir, message)
}

/// A directory that somebody named: it must exist, and is taken as it is.
fn named(dir: PathBuf, found_by: &'static str) -> Result<Place, Rejection> {
    match dir.is_dir() {
        true => Ok(Place { dir: tidy(&dir), found_by }),
        false => Err(missing(&format!("'{}' is no directory", dir.display())).detail("found_by", found_by)),
    }
}

/// The data dir that a directory is or holds.
fn holds(dir: &Path) -> Option<PathBuf> {
    [dir.to_owned(), dir.join("memory"), dir.join("data/memory")].into_iter().find(|dir| is_data_dir(dir))
}

/// Whether a directory has the marker, or the folders of a memory.
pub fn is_data_dir(dir: &Path) -> bool {
    dir.join("memdir.yaml").is_file() || dir.join("facts").is_dir() || dir.join("episodes").is_dir()
}

/// Takes `.` and what `..` names out of a path, without looking at links.
fn tidy(path: &Path) -> PathBuf {
    use std::path::Component;
    if path.components().any(|c| c == Component::ParentDir) {
        return path.canonicalize().unwrap_or_else(|_| path.to_owned());
    }
    path.components().filter(|c| *c != Component::CurDir).collect()
}

/// How the data dir may be written in front of a path: absolute, from the working directory, and without links.
pub fn prefixes(dir: &Path, work: &Path) -> Prefixes {
    let mut all = vec![dir.to_string_lossy().into_owned()];
    let below = relative(dir, work);
    if !below.starts_with("..") {
        all.push(format!("./{below}"));
    }
    all.push(below);
    if let Ok(real) = dir.canonicalize()
        && real != dir
    {
        all.push(real.to_string_lossy().into_owned());
    }
    all.retain(|p| !p.is_empty());
    Prefixes(all)
}

/// A directory as seen from another; empty for itself.
fn relative(dir: &Path, from: &Path) -> String {
    let same = dir.components().zip(from.components()).take_while(|(a, b)| a == b).count();
    let up = from.components().skip(same).map(|_| "..".into());
    let down = dir.components().skip(same).map(|c| c.as_os_str().to_string_lossy());
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

    fn check(root: &Path, work: &str, asked: Asked, user: Option<&str>, found: Option<(&str, &'static str)>) {
        let own = || user.map(|u| root.join(u));
        let place = find(&asked, &root.join(work), &own).ok();
        assert_eq!(place, found.map(|(dir, found_by)| Place { dir: root.join(dir), found_by }), "{work} {asked:?}");
    }

    #[test]
    fn flag_then_environment_then_the_nearest_ancestor_then_the_users_own() {
        let root = tree(&["a/memory/facts", "a/b/c", "a/b/data/memory/episodes", "own/facts", "x"]);
        let root = root.path();
        let flag = Asked { dir: Some("../x".into()), env: Some(root.join("own")), ..Asked::default() };
        check(root, "a", flag, None, Some(("x", "flag")));
        let env = Asked { env: Some(root.join("own")), ..Asked::default() };
        check(root, "a", env, None, Some(("own", "environment")));
        check(root, "a/b/c", Asked::default(), Some("own"), Some(("a/b/data/memory", "ancestor")));
        check(root, "a", Asked::default(), None, Some(("a/memory", "ancestor")));
        check(root, "a/memory/facts", Asked::default(), None, Some(("a/memory", "ancestor")));
        check(root, "x", Asked::default(), Some("own"), Some(("own", "user")));
        check(root, "x", Asked { global: true, ..Asked::default() }, None, None);
        check(root, "a", Asked { dir: Some("nowhere".into()), ..Asked::default() }, None, None);
    }

    #[test]
    fn a_scope_is_named_from_around_its_data_dir() {
        let root = tree(&["a/memory/facts", "a/memory/scopes/web/facts", "a/web2"]);
        let named = |dir: &str| Asked { dir: Some(dir.into()), ..Asked::default() };
        let web = Some(("a/memory/scopes/web", "flag"));
        check(root.path(), "a", named("scopes/web"), None, web);
        check(root.path(), "a", named("web"), None, web);
        check(root.path(), "a/memory", named("scopes/web"), None, web);
        check(root.path(), "a", named("web2"), None, Some(("a/web2", "flag")));
        check(root.path(), "a", named("scopes/none"), None, None);
    }

    #[test]
    fn a_path_may_be_written_with_the_data_dir_in_front() {
        let root = tree(&["w/memory/facts", "w/deep"]);
        let dir = root.path().join("w/memory");
        let from = |work: &str| prefixes(&dir, &root.path().join(work)).0;
        assert!(from("w").contains(&"memory".to_owned()));
        assert!(from("w/memory/facts").contains(&"..".to_owned()));
        assert!(from("w/deep").contains(&"../memory".to_owned()));
        assert_eq!(from("w/deep")[0], dir.to_str().unwrap());
    }
}
