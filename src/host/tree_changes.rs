//! The files that differ between commits.
//!
//! Only reads, with two processes for any number of commits.

use super::git::Git;
use crate::code::Rejection;

/// A regular file that differs between two commits.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TreeChange {
    /// Path relative to the directory.
    pub path: String,
    /// The object's name in the first commit; `None` if there is no regular file.
    pub before: Option<String>,
    /// The object's name in the second commit.
    pub after: Option<String>,
}

impl Git {
    /// Lists, for each pair of commit names, the files below the directory that differ; none if git does not have both
    /// commits.
    ///
    /// # Errors
    /// `git`.
    pub fn tree_changes(&self, pairs: &[(&str, &str)]) -> Result<Vec<Vec<TreeChange>>, Rejection> {
        let mut changes = vec![Vec::new(); pairs.len()];
        if pairs.is_empty() {
            return Ok(changes);
        }
        let names: String = pairs.iter().map(|(a, b)| format!("{a}^{{tree}}\n{b}^{{tree}}\n")).collect();
        let output = self.invoke(&["cat-file", "--batch-check=%(objectname)"], names.as_bytes())?;
        let found = String::from_utf8_lossy(&output.stdout).into_owned();
        let trees: Vec<&str> = found.lines().collect();
        let known = |side: &&[&str]| side.len() == 2 && side.iter().all(|name| is_object_name(name));
        let pairs: Vec<(usize, String)> =
            trees.chunks(2).enumerate().filter(|(_, side)| known(side)).map(|(n, side)| (n, side.join(" "))).collect();
        let wanted: String = pairs.iter().map(|(_, trees)| format!("{trees}\n")).collect();
        let args =
            ["diff-tree", "--stdin", "-r", "--raw", "-z", "--no-abbrev", "--no-renames", "--no-ext-diff", "--relative"];
        let output = self.invoke(&args, wanted.as_bytes())?;
        let mut pairs = pairs.iter();
        let mut current = None;
        let mut fields = output.stdout.split(|byte| *byte == 0);
        while let (Some(head), Some(path)) = (fields.next(), fields.next()) {
            // The heads of pairs stand before the first file.
            for line in String::from_utf8_lossy(head).lines() {
                match line.strip_prefix(':') {
                    None => current = pairs.find(|(_, trees)| trees == line).map(|(number, _)| *number),
                    Some(modes) => {
                        let change = parse_change(modes, path);
                        current.into_iter().zip(change).for_each(|(number, change)| changes[number].push(change));
                    }
                }
            }
        }
        Ok(changes)
    }
}

/// Whether a text is the full name of a git object.
pub fn is_object_name(text: &str) -> bool {
    matches!(text.len(), 40 | 64) && text.bytes().all(|byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f'))
}

/// Parses `OLD_MODE NEW_MODE OLD_OBJECT NEW_OBJECT STATUS`.
fn parse_change(modes: &str, path: &[u8]) -> Option<TreeChange> {
    let mut words = modes.split(' ');
    let (old_mode, new_mode, old, new) = (words.next()?, words.next()?, words.next()?, words.next()?);
    let object = |mode: &str, name: &str| mode.starts_with("100").then(|| name.to_owned());
    let path = std::str::from_utf8(path).ok()?.to_owned();
    Some(TreeChange { path, before: object(old_mode, old), after: object(new_mode, new) })
}
