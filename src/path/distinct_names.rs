//! Names for files, of which no two are equal.
//!
//! Never depends on the order of the files.

use std::collections::HashSet;

use super::MemoryPath;

/// A name for each file, in their order: its title; of several files with one title the first by path has the title
/// alone, and the others have the path with it: `User (facts/user.md)`.
pub fn distinct_names(files: &[(&str, &MemoryPath)]) -> Vec<String> {
    let mut names = vec![String::new(); files.len()];
    let mut by_path: Vec<usize> = (0..files.len()).collect();
    by_path.sort_by_key(|at| files[*at].1);
    let mut taken: HashSet<String> = files.iter().map(|(title, _)| (*title).to_owned()).collect();
    let mut titles = HashSet::new();
    for at in by_path {
        let (title, path) = files[at];
        let mut name = title.to_owned();
        if !titles.insert(title) {
            while !taken.insert(name.clone()) {
                name = name_with_path(&name, path);
            }
        }
        names[at] = name;
    }
    names
}

/// A title with the path of its file, which is a name of the file even where no other has its title.
pub fn name_with_path(title: &str, path: &MemoryPath) -> String {
    format!("{title} ({path})")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_of_one_title_are_told_apart_by_their_paths() {
        let check = |files: &[(&str, &str)], expected: &[&str]| {
            let paths: Vec<MemoryPath> = files.iter().map(|(_, path)| MemoryPath::new(path).unwrap()).collect();
            let titled: Vec<(&str, &MemoryPath)> = files.iter().map(|(title, _)| *title).zip(&paths).collect();
            assert_eq!(distinct_names(&titled), expected);
        };
        check(&[("A", "facts/a.md"), ("B", "facts/b.md")], &["A", "B"]);
        check(&[("A", "facts/x.md"), ("A", "facts/b.md")], &["A (facts/x.md)", "A"]);
        check(
            &[("A", "facts/a.md"), ("A", "facts/b.md"), ("A (facts/b.md)", "facts/c.md")],
            &["A", "A (facts/b.md) (facts/b.md)", "A (facts/b.md)"],
        );
    }
}
