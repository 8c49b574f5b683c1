//! Finds the data directory, and lists the forms in which its paths may be written.
//!
//! Uses file names only: never opens a memory file, and never searches downwards.

use std::path::{Path, PathBuf};

use crate::code::{Code, Rejection, SuggestedCommand};
use crate::path::{ARCHIVED_SCOPES, PathPrefixes, SCOPES_FOLDER, ScopeName};
use schemars::JsonSchema;
use serde::Serialize;

/// How the caller named the data directory.
#[derive(Clone, Debug, Default)]
pub struct DirectoryQuery {
    /// `--dir DIR`: the data directory itself.
    pub dir: Option<PathBuf>,
    /// `-g`: the user's own memory, wherever the search starts.
    pub global: bool,
    /// `MEMDIR`: the data directory itself.
    pub env: Option<PathBuf>,
    /// `-S NAME`, or `MEMDIR_SCOPE`: a scope of that memory.
    pub scope: Option<ScopeName>,
}

/// How a data directory was found.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum FoundBy {
    /// Named by an option.
    Flag,
    /// The variable `MEMDIR` names it.
    Environment,
    /// In the working directory or one above it.
    Ancestor,
    /// The user's own memory.
    User,
    /// Another layer of the user config.
    Layer,
}

impl FoundBy {
    /// Its name in text.
    pub fn name(self) -> &'static str {
        match self {
            FoundBy::Flag => "flag",
            FoundBy::Environment => "environment",
            FoundBy::Ancestor => "ancestor",
            FoundBy::User => "user",
            FoundBy::Layer => "layer",
        }
    }
}

/// A data directory, and how it was found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FoundDirectory {
    /// The memory, also where the session is in a scope of it. Absolute; symbolic links in it are kept as the caller
    /// wrote them.
    pub memory: PathBuf,
    /// The memory with links resolved; as it is if that fails.
    pub real_memory: PathBuf,
    /// The name of the scope, a directory in `scopes/` of that memory.
    pub scope: Option<String>,
    pub found_by: FoundBy,
}

impl FoundDirectory {
    /// A directory, with its scope if it is one by its location: the policy above it holds however it was named.
    ///
    /// # Errors
    /// `no_data_dir` for a directory below `scopes/` that is no scope: a removed one, or one deeper in a scope. No
    /// policy would govern it.
    pub fn new(dir: PathBuf, found_by: FoundBy) -> Result<FoundDirectory, Rejection> {
        // With links resolved, so that no other name of a scope is a way around the policy above it.
        let resolved = |dir: &Path| dir.canonicalize().unwrap_or_else(|_| dir.to_owned());
        let real = resolved(&dir);
        for dir in [&dir, &real] {
            if let Some(scopes) = scopes_folder_around(dir) {
                return Err(no_scope_error(dir, scopes));
            }
        }
        Ok(match memory_above(&dir).or_else(|| memory_above(&real)) {
            Some((memory, scope)) => {
                FoundDirectory { real_memory: resolved(&memory), memory, scope: Some(scope), found_by }
            }
            None => FoundDirectory { memory: dir, real_memory: real, scope: None, found_by },
        })
    }

    /// The directory to open.
    pub fn dir(&self) -> PathBuf {
        self.in_scope(&self.memory)
    }

    fn in_scope(&self, memory: &Path) -> PathBuf {
        match &self.scope {
            Some(name) => memory.join(SCOPES_FOLDER).join(name),
            None => memory.to_owned(),
        }
    }

    /// Lists the prefixes by which a path may name the directory: absolute, relative to the working directory, and with
    /// links resolved.
    pub fn prefixes(&self, work_dir: &Path) -> PathPrefixes {
        prefixes(&self.dir(), &self.in_scope(&self.real_memory), work_dir)
    }
}

/// The memory of which a directory is a scope, and the scope's name.
fn memory_above(dir: &Path) -> Option<(PathBuf, String)> {
    let memory = dir.parent().filter(|scopes| is_scopes_folder(scopes))?.parent()?;
    Some((memory.to_owned(), dir.file_name()?.to_str()?.to_owned()))
}

/// The `scopes/` of a memory below which a directory is, deeper than a scope. Not any folder
/// of this name beside a `facts/`.
fn scopes_folder_around(dir: &Path) -> Option<&Path> {
    let is_memory = |dir: &Path| dir.join("memdir.yaml").is_file() || dir.join(".memdir").is_dir();
    dir.ancestors().skip(2).find(|above| is_scopes_folder(above) && above.parent().is_some_and(is_memory))
}

/// The error for a directory in `scopes/` that is no scope.
fn no_scope_error(dir: &Path, scopes: &Path) -> Rejection {
    let shown = dir.display();
    let removed = dir.parent().filter(|parent| parent.file_name().is_some_and(|name| name == ARCHIVED_SCOPES));
    match (removed, dir.file_name().and_then(|name| ScopeName::new(name.to_str()?).ok())) {
        (Some(_), Some(name)) => no_data_dir_error(&format!("'{shown}' is a removed scope, which no command opens"))
            .hint(format!("bring it back in the parent memory with `memdir scope add --restore {name}`")),
        _ => no_data_dir_error(&format!("'{shown}' is in '{}' and is not a scope", scopes.display()))
            .hint("a scope is a directory of its own in `scopes/` of a memory; move this one there, or out of it"),
    }
}

/// Finds the data directory: `--dir`, else `MEMDIR`, else the nearest ancestor that is or contains one, else the
/// user's own; then its scope, if one is named.
///
/// # Errors
/// As [`find_memory`]; `scope_not_allowed` where that is a scope itself, and another is named.
pub fn find_data_dir(
    query: &DirectoryQuery,
    work_dir: &Path,
    user: &dyn Fn() -> Option<PathBuf>,
) -> Result<FoundDirectory, Rejection> {
    let found = find_memory(query, work_dir, user)?;
    match (&query.scope, found.scope.as_deref()) {
        (None, _) => Ok(found),
        (Some(name), None) => Ok(FoundDirectory { scope: Some(name.to_string()), ..found }),
        (Some(name), Some(here)) if name.as_str() == here => Ok(found),
        (Some(_), Some(here)) => Err(scope_not_allowed(here)),
    }
}

/// The error for a session in a scope that names another one, or the parent memory.
pub fn scope_not_allowed(scope: &str) -> Rejection {
    Rejection::new(Code::ScopeNotAllowed, format!("this session is in the scope '{scope}' and can name no other"))
        .hint("omit -S here, or run the command in the parent memory, without MEMDIR_SCOPE")
}

/// Finds the data directory without regard to a named scope.
///
/// `work_dir` is where the search starts: the working directory, unless `-C` names another. `user` returns the place
/// of the user's own memory and is called only if needed.
///
/// # Errors
/// `no_data_dir`.
fn find_memory(
    query: &DirectoryQuery,
    work_dir: &Path,
    user: &dyn Fn() -> Option<PathBuf>,
) -> Result<FoundDirectory, Rejection> {
    if let Some(dir) = &query.dir {
        return named_dir(work_dir.join(dir), FoundBy::Flag).or_else(|error| {
            find_scope(query, dir, work_dir, user).or_else(|| find_above(dir, work_dir)).unwrap_or(Err(error))
        });
    }
    if query.global {
        return named_dir(user().ok_or_else(no_own_memory_error)?, FoundBy::User);
    }
    if let Some(dir) = query.env.as_ref().filter(|d| !d.as_os_str().is_empty()) {
        return named_dir(work_dir.join(dir), FoundBy::Environment);
    }
    if let Some(dir) = work_dir.ancestors().take_while(|dir| !is_scopes_folder(dir)).find_map(data_dir_in) {
        refuse_link(&dir, work_dir)?;
        return FoundDirectory::new(dir, FoundBy::Ancestor);
    }
    match user().filter(|dir| is_data_dir(dir)) {
        Some(dir) => FoundDirectory::new(normalize(&dir), FoundBy::User),
        None => Err(no_data_dir_error("no memory found here or in a parent directory")
            .hint("create one with `memdir init`, or your own with `memdir -g init`, or name one with --dir DIR or MEMDIR")
            .try_command(SuggestedCommand { subcommand: vec!["init"], operands: Vec::new() })),
    }
}

/// `--dir scopes/NAME` and `--dir NAME` name a scope of the data directory that would be found without `--dir`. A
/// symbolic link is never a scope.
fn find_scope(
    query: &DirectoryQuery,
    dir: &Path,
    work_dir: &Path,
    user: &dyn Fn() -> Option<PathBuf>,
) -> Option<Result<FoundDirectory, Rejection>> {
    use std::path::Component;
    if !dir.components().all(|c| matches!(c, Component::Normal(_))) {
        return None;
    }
    let data_dir = find_memory(&DirectoryQuery { dir: None, ..query.clone() }, work_dir, user).ok()?.dir();
    let scopes = data_dir.join(SCOPES_FOLDER);
    let inside = if dir.starts_with(SCOPES_FOLDER) { data_dir.join(dir) } else { scopes.join(dir) };
    let is_real_dir = |path: &Path| path.symlink_metadata().is_ok_and(|m| m.is_dir());
    (is_real_dir(&scopes) && is_real_dir(&inside) && is_data_dir(&inside))
        .then(|| FoundDirectory::new(inside, FoundBy::Flag))
}

/// `--dir` with the path of a memory from the root of its project, as in config files that people share, where a host
/// starts memdir below that root: the nearest directory above that has a memory at this path, up to the root of the
/// repository. Only where nothing is at the path from the working directory.
fn find_above(dir: &Path, work_dir: &Path) -> Option<Result<FoundDirectory, Rejection>> {
    use std::path::Component;
    let leads_down = dir.components().all(|c| matches!(c, Component::Normal(_) | Component::CurDir));
    if !leads_down || work_dir.join(dir).exists() {
        return None;
    }
    let repository = work_dir.ancestors().find(|above| above.join(".git").symlink_metadata().is_ok())?;
    let mut above = work_dir.ancestors().take_while(|above| above.starts_with(repository));
    let memory = above.find_map(|above| Some(above.join(dir)).filter(|dir| is_data_dir(dir)))?;
    Some(named_dir(memory, FoundBy::Flag))
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
fn named_dir(dir: PathBuf, found_by: FoundBy) -> Result<FoundDirectory, Rejection> {
    if is_data_dir(&dir) {
        return FoundDirectory::new(normalize(&dir), found_by);
    }
    let shown = dir.display();
    let init = |subcommand| SuggestedCommand { subcommand, operands: Vec::new() };
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
    Err(rejection.detail("found_by", found_by.name()))
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
fn is_scopes_folder(dir: &Path) -> bool {
    // A memory whose policy was taken away is still known by its history.
    let is_memory = |dir: &Path| is_data_dir(dir) || dir.join(".memdir").is_dir();
    dir.file_name().is_some_and(|name| name == SCOPES_FOLDER) && dir.parent().is_some_and(is_memory)
}

/// Returns the data directory that a directory is or contains.
fn data_dir_in(dir: &Path) -> Option<PathBuf> {
    [dir.to_owned(), dir.join("memory"), dir.join("data/memory")].into_iter().find(|dir| is_data_dir(dir))
}

/// Whether a directory contains `memdir.yaml` or the folders of a memory.
pub fn is_data_dir(dir: &Path) -> bool {
    dir.join("memdir.yaml").is_file() || dir.join("facts").is_dir() || dir.join("episodes").is_dir()
}

/// The memory whose files a data directory would be among: the nearest directory above with `memdir.yaml`, if the data
/// directory is not one of its scopes.
pub fn memory_around(dir: &Path) -> Option<PathBuf> {
    let dir = std::path::absolute(dir).ok()?;
    if dir.parent().is_some_and(is_scopes_folder) {
        return None;
    }
    dir.ancestors().skip(1).find(|above| above.join("memdir.yaml").is_file()).map(Path::to_owned)
}

/// Removes `.` components from a path; a path with `..` is canonicalized, because a link may precede it.
fn normalize(path: &Path) -> PathBuf {
    use std::path::Component;
    if path.components().any(|c| c == Component::ParentDir) {
        return path.canonicalize().unwrap_or_else(|_| path.to_owned());
    }
    path.components().filter(|c| *c != Component::CurDir).collect()
}

fn prefixes(dir: &Path, real: &Path, work_dir: &Path) -> PathPrefixes {
    let mut all = vec![dir.to_string_lossy().into_owned()];
    let relative = relative_path(dir, work_dir);
    if !relative.starts_with("..") {
        all.push(format!("./{relative}"));
    }
    all.push(relative);
    if real != dir {
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
        let found_dir = found_dir.map(|found| (found.dir(), found.found_by.name()));
        assert_eq!(found_dir, found.map(|(dir, found_by)| (root.join(dir), found_by)), "{work} {query:?}");
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
    fn a_path_from_the_root_of_the_repository_is_found_below_it() {
        let root = tree(&[
            "r/.git",
            "r/api/memory/facts",
            "r/api/src/deep",
            "r/web/api/plain",
            "r/tree/.git",
            "r/tree/sub",
            "api/memory/facts",
        ]);
        let named = |dir: &str| DirectoryQuery { dir: Some(dir.into()), ..DirectoryQuery::default() };
        for work in ["r", "r/api", "r/api/src/deep", "r/api/memory/facts"] {
            check(root.path(), work, named("api/memory"), None, Some(("r/api/memory", "flag")));
        }
        check(root.path(), "r/api/src", named("./api/memory"), None, Some(("r/api/memory", "flag")));
        // What is there and is no memory was named by mistake.
        check(root.path(), "r/web", named("api"), None, None);
        check(root.path(), "r/tree/sub", named("api/memory"), None, None);
        check(root.path(), "r/api/src/deep", named("../api/memory"), None, None);
        // Without a repository, no directory above is looked at.
        fs_err::remove_dir(root.path().join("r/.git")).unwrap();
        check(root.path(), "r/api/src", named("api/memory"), None, None);
    }

    #[test]
    fn a_scope_is_known_by_its_place() {
        let root =
            tree(&["a/memory/facts", "a/memory/scopes/web/facts", "a/memory/scopes/app/facts", "b/scopes/x/facts"]);
        let root = root.path();
        std::os::unix::fs::symlink(root.join("a/memory/scopes/web"), root.join("other-name")).unwrap();
        let found = |work: &str, dir: Option<&str>, scope: Option<&str>| {
            let scope = scope.map(|name| ScopeName::new(name).unwrap());
            let query = DirectoryQuery { dir: dir.map(Into::into), scope, ..DirectoryQuery::default() };
            find_data_dir(&query, &root.join(work), &|| None).map(|found| found.scope).map_err(|error| error.code)
        };
        let web = || Ok(Some("web".to_owned()));
        assert_eq!(found("a", None, Some("web")), web());
        assert_eq!(
            found("a", None, Some("new")),
            Ok(Some("new".to_owned())),
            "whether it exists is the store's to tell"
        );
        assert_eq!(found("a/memory/scopes/web", None, None), web());
        assert_eq!(found("a", Some("memory/scopes/web"), None), web());
        assert_eq!(found("a", Some("../other-name"), None), web());
        assert_eq!(found("a", Some("web"), Some("web")), web());
        assert_eq!(found("a/memory/scopes/web/facts", None, Some("app")), Err(Code::ScopeNotAllowed));
        assert_eq!(found("b", Some("scopes/x"), None), Ok(None), "no memory is above it");
    }

    #[test]
    fn a_path_may_start_with_the_data_dir() {
        let root = tree(&["w/memory/facts", "w/deep"]);
        let dir = root.path().join("w/memory");
        let from = |work: &str| prefixes(&dir, &dir, &root.path().join(work)).0;
        assert!(from("w").contains(&"memory".to_owned()));
        assert!(from("w/memory/facts").contains(&"..".to_owned()));
        assert!(from("w/deep").contains(&"../memory".to_owned()));
        assert_eq!(from("w/deep")[0], dir.to_str().unwrap());
    }
}
