//! What git knows of the code files of a repository: its root, renames, what changed, what is ignored.
//!
//! Never writes, and never reads a file itself. No call names a program that a repository could bring along.

use std::collections::{HashMap, HashSet};
use std::path::{Path, PathBuf};

use super::git::Git;
use super::repository::split_nul;
use crate::code::Rejection;

/// How often a file may have been renamed since an anchor was set.
const MAX_RENAMES: usize = 8;
/// The newest commits that deleted one of the files; in older ones no rename is searched.
const MAX_COMMITS: usize = 200;
/// The maximum length of the paths of one command line, in bytes.
const MAX_ARGUMENT_BYTES: usize = 1 << 20;
/// Options of each comparison: whole paths, and no program of a config or of attributes.
const DIFF_ARGS: [&str; 5] = ["--no-ext-diff", "--no-textconv", "--no-relative", "--ignore-submodules=all", "-z"];

/// The root of the work tree that contains a directory; `None` if there is none. Starts no process.
pub fn repository_root(dir: &Path) -> Option<PathBuf> {
    let is_repository = |git: PathBuf| git.is_file() || git.join("HEAD").symlink_metadata().is_ok();
    dir.canonicalize().ok()?.ancestors().find(|above| is_repository(above.join(".git"))).map(Path::to_owned)
}

impl Git {
    /// Lists the tracked files that differ between a commit and the work tree, relative to the root.
    ///
    /// # Errors
    /// `git`.
    pub fn files_changed_since(&self, commit: &str) -> Result<HashSet<String>, Rejection> {
        let mut args = vec!["diff", "--no-renames", "--name-only"];
        args.extend(DIFF_ARGS);
        args.extend([commit, "--"]);
        Ok(split_nul(&self.stdout_of(&args)?).into_iter().collect())
    }

    /// The earlier names of the tracked files below the directory that were renamed since a commit, by their present ones.
    ///
    /// # Errors
    /// `git`.
    pub fn renames_since(&self, commit: &str) -> Result<HashMap<String, String>, Rejection> {
        let mut args = vec!["diff", "--find-renames", "--diff-filter=R", "--name-status"];
        args.extend(DIFF_ARGS);
        args.extend(["--relative", commit, "--"]);
        let records = split_nul(&self.stdout_of(&args)?);
        Ok(records.chunks_exact(3).map(|record| (record[2].clone(), record[1].clone())).collect())
    }

    /// Finds the present names of files that are gone; call it at the root. One call of git for renames in the index
    /// and two for each rename that a file has had, but never more than 17, however many files there are.
    ///
    /// # Errors
    /// `git`.
    pub fn renamed_files(&self, gone: &[&str]) -> Result<HashMap<String, String>, Rejection> {
        let exists = |path: &str| self.dir.join(path).symlink_metadata().is_ok();
        let mut names: HashMap<String, String> = gone.iter().map(|path| ((*path).into(), (*path).into())).collect();
        let staged = self.renames_in_index()?;
        self.apply_renames(&mut names, &staged);
        for _ in 0..MAX_RENAMES {
            let missing: Vec<&str> = names.values().map(String::as_str).filter(|name| !exists(name)).collect();
            let renames = if missing.is_empty() { HashMap::new() } else { self.renames_in_commits(&missing)? };
            if !self.apply_renames(&mut names, &renames) {
                break;
            }
            self.apply_renames(&mut names, &staged);
        }
        names.retain(|old, new| old != new && exists(new));
        Ok(names)
    }

    /// Replaces names of files that do not exist; whether there was one.
    fn apply_renames(&self, names: &mut HashMap<String, String>, renames: &HashMap<String, String>) -> bool {
        let mut found = false;
        for name in names.values_mut() {
            if let Some(new) = renames.get(name).filter(|_| self.dir.join(&*name).symlink_metadata().is_err()) {
                new.clone_into(name);
                found = true;
            }
        }
        found
    }

    /// Renames that are not committed yet.
    fn renames_in_index(&self) -> Result<HashMap<String, String>, Rejection> {
        let mut args = vec!["diff", "--cached", "-M", "--diff-filter=R", "--name-status"];
        args.extend(DIFF_ARGS);
        args.extend(["HEAD", "--"]);
        let output = self.invoke(&args, b"")?;
        // Before the first commit there is no HEAD.
        let renames = if output.status == 0 { split_nul(&output.stdout) } else { Vec::new() };
        Ok(renames.chunks_exact(3).map(|row| (row[1].clone(), row[2].clone())).collect())
    }

    /// The renames in the newest commits that deleted these files.
    fn renames_in_commits(&self, missing: &[&str]) -> Result<HashMap<String, String>, Rejection> {
        let mut args = vec!["-c", "log.follow=false", "-c", "log.showRoot=false", "--literal-pathspecs", "log"];
        args.extend(["--no-show-signature", "--format=tformat:%x01%H", "--no-renames", "--diff-filter=D"]);
        args.push("--name-only");
        args.extend(DIFF_ARGS);
        args.push("--");
        let mut length = 0;
        args.extend(missing.iter().take_while(|path| {
            length += path.len() + 1;
            length < MAX_ARGUMENT_BYTES
        }));
        let deletions = newest_deletions(&split_nul(&self.stdout_of(&args)?));
        let mut commits: Vec<&str> = Vec::new();
        for (_, commit) in &deletions {
            if !commits.contains(&commit.as_str()) && commits.len() < MAX_COMMITS {
                commits.push(commit);
            }
        }
        if commits.is_empty() {
            return Ok(HashMap::new());
        }
        let mut args = vec!["diff-tree", "--stdin", "-r", "-M", "--diff-filter=R", "--name-status"];
        args.extend(DIFF_ARGS);
        let output = self.invoke(&args, (commits.join("\n") + "\n").as_bytes())?;
        let renames = renames_by_commit(&split_nul(&output.stdout));
        let new_name = |(path, commit): (String, String)| {
            let new = renames.get(&(commit, path.clone()))?.clone();
            Some((path, new))
        };
        Ok(deletions.into_iter().filter_map(new_name).collect())
    }

    /// Which of these files git ignores; call it at the root.
    ///
    /// # Errors
    /// `git`.
    pub fn ignored_files(&self, paths: &[&str]) -> Result<HashSet<String>, Rejection> {
        let output = self.invoke(&["check-ignore", "-z", "--stdin"], (paths.join("\0") + "\0").as_bytes())?;
        Ok(split_nul(&output.stdout).into_iter().collect())
    }
}

/// The newest commit that deleted each file, from the records of `git log --name-only -z`: `\x01COMMIT`, then the
/// paths, the first of them behind a line break.
fn newest_deletions(records: &[String]) -> Vec<(String, String)> {
    let (mut seen, mut deletions, mut commit) = (HashSet::new(), Vec::new(), "");
    for record in records {
        match record.trim_start_matches('\n').strip_prefix('\u{1}') {
            Some(name) => commit = name,
            None => {
                let path = record.strip_prefix('\n').unwrap_or(record);
                if seen.insert(path) {
                    deletions.push((path.to_owned(), commit.to_owned()));
                }
            }
        }
    }
    deletions
}

/// The new name by commit and old name, from the records of `git diff-tree --stdin --name-status -z`: `COMMIT`, then
/// `R100`, the old and the new name for each rename.
fn renames_by_commit(records: &[String]) -> HashMap<(String, String), String> {
    let (mut renames, mut commit, mut rest) = (HashMap::new(), "", records);
    while let [first, after @ ..] = rest {
        rest = match after {
            [old, new, after @ ..] if is_rename_status(first) => {
                renames.insert((commit.to_owned(), old.clone()), new.clone());
                after
            }
            _ => {
                commit = first;
                after
            }
        };
    }
    renames
}

/// Whether a record is `R` with a similarity: no commit has so short a name.
fn is_rename_status(record: &str) -> bool {
    record.len() <= 4 && record.strip_prefix('R').is_some_and(|n| n.bytes().all(|b| b.is_ascii_digit()))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn records(text: &str) -> Vec<String> {
        split_nul(text.as_bytes())
    }

    #[test]
    fn deletions_and_renames_are_read() {
        let log = records("\u{1}cc2\0\na.rs\0b c.rs\0\u{1}cc1\0\na.rs\0");
        let expected = [("a.rs", "cc2"), ("b c.rs", "cc2")].map(|(path, commit)| (path.to_owned(), commit.to_owned()));
        assert_eq!(newest_deletions(&log), expected);
        let tree = records("cc2\0R100\0a.rs\0d.rs\0R097\0b c.rs\0R100\0cc1\0R050\0a.rs\0x.rs\0");
        let renames = renames_by_commit(&tree);
        let new = |commit: &str, old: &str| renames.get(&(commit.to_owned(), old.to_owned())).map(String::as_str);
        assert_eq!(
            (new("cc2", "a.rs"), new("cc2", "b c.rs"), new("cc1", "a.rs")),
            (Some("d.rs"), Some("R100"), Some("x.rs"))
        );
        assert_eq!((new("cc1", "b c.rs"), renames.len()), (None, 3));
    }
}
