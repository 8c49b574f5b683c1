//! Resolves the names in links to files: one rule for what reads links and for what rewrites them.
//!
//! Never reads a file: the names of all files are given.

use std::collections::HashMap;

use super::links::resolve_relative;
use crate::path::MemoryPath;

/// Resolves link targets to files.
pub struct LinkNames<'p> {
    files: Vec<&'p MemoryPath>,
    /// By lower-case name: its rank (0 is best) and the index of the file.
    by_name: HashMap<String, (u8, usize)>,
    /// By path, as Markdown links name files.
    by_path: HashMap<&'p str, usize>,
}

impl<'p> LinkNames<'p> {
    /// Indexes the names of files. If two files share a name, the order is: full path, path below `facts/`, file name
    /// alone, archived or proposed files; then the first path.
    pub fn new(files: impl IntoIterator<Item = &'p MemoryPath>) -> LinkNames<'p> {
        let mut names = LinkNames { files: Vec::new(), by_name: HashMap::new(), by_path: HashMap::new() };
        for path in files {
            let file = names.files.len();
            names.files.push(path);
            names.by_path.insert(path.as_str(), file);
            let whole = without_extension(path.as_str());
            let archived_rank = if path.is_set_aside() { 4 } else { 0 };
            names.insert(whole, 0, file);
            if let Some(below) = whole.strip_prefix("facts/") {
                names.insert(below, 1, file);
            }
            names.insert(path.stem(), 2 + archived_rank, file);
        }
        names
    }

    fn insert(&mut self, name: &str, rank: u8, file: usize) {
        let held = self.by_name.entry(name.to_lowercase()).or_insert((rank, file));
        if (rank, self.files[file]) < (held.0, self.files[held.1]) {
            *held = (rank, file);
        }
    }

    pub fn path(&self, file: usize) -> &'p MemoryPath {
        self.files[file]
    }

    /// The index of the file that a link in the file `holder` points to; `holder` itself for a link with a fragment
    /// only.
    pub fn resolve(&self, target: &str, wiki: bool, holder: &MemoryPath) -> Option<usize> {
        let target = target.trim();
        let found = |name: &str| self.by_name.get(&name.to_lowercase()).copied();
        if wiki {
            let name = if target.is_empty() { holder.as_str() } else { target };
            return found(without_extension(name)).map(|(_, file)| file);
        }
        self.by_path.get(&*resolve_relative(holder, target)?).copied()
    }

    /// Whether a link in the file `holder` names `file` and leads there; a link with a fragment only names none.
    pub fn leads_to(&self, target: &str, wiki: bool, holder: &MemoryPath, file: &MemoryPath) -> bool {
        !target.trim().is_empty() && self.resolve(target, wiki, holder).is_some_and(|at| self.files[at] == file)
    }
}

/// A path or name as links may write it, without `.md`.
pub fn without_extension(path: &str) -> &str {
    path.strip_suffix(".md").unwrap_or(path)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn path(text: &str) -> MemoryPath {
        MemoryPath::new(text).unwrap()
    }

    #[test]
    fn of_two_files_with_one_name_the_better_rank_is_linked() {
        let files = [path("archive/facts/user.md"), path("facts/user.md"), path("notes/user.md"), path("plan.md")];
        let names = LinkNames::new(&files);
        let holder = path("facts/plan.md");
        for (target, wiki, expected) in [
            ("user", true, Some(1)),
            ("notes/User", true, Some(2)),
            ("archive/facts/user", true, Some(0)),
            ("plan", true, Some(3)),
            ("nobody", true, None),
            ("user.md", false, Some(1)),
            ("../plan.md", false, Some(3)),
            ("User.md", false, None),
        ] {
            assert_eq!(names.resolve(target, wiki, &holder), expected, "{target}");
        }
    }

    #[test]
    fn the_order_of_the_names_does_not_matter() {
        let (first, last) = (path("notes/user.md"), path("procedures/user.md"));
        for files in [[&first, &last], [&last, &first]] {
            let names = LinkNames::new(files);
            assert!(names.leads_to("user", true, &last, &first) && !names.leads_to("user", true, &first, &last));
            assert!(names.leads_to("user.md", false, &last, &last) && !names.leads_to("", true, &first, &first));
        }
    }
}
