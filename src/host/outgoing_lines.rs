//! Reads what the commits of one branch say and add that another branch lacks.
//!
//! Never reads more history than that: its size is bounded by what a push sends.

use std::collections::HashMap;

use super::git::Git;
use super::remote::RemoteBranch;
use crate::code::Rejection;

/// Lines that follow each other in a file, as one commit adds them.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct AddedLines {
    /// The full hash of the commit, in hex.
    pub commit: String,
    /// The path from the root of the repository.
    pub path: String,
    /// The number of the first line in the commit's version of the file, 1-based.
    pub first_line: usize,
    pub text: String,
}

/// What commits add, and what each of them removes.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct OutgoingLines {
    pub added: Vec<AddedLines>,
    /// The removed lines of all files, by commit.
    pub removed: HashMap<String, String>,
    /// The messages of the commits, by their full hash.
    pub messages: Vec<(String, String)>,
}

impl Git {
    /// The lines that commits of `head` add which `base` does not contain; `None` is the whole history. Of a merge,
    /// those that no side of it has. What attributes or bytes make binary for git is text, too, without its NULs (so
    /// that UTF-16 can be searched), and what a push sends is read, not what replaces it here (`git replace`).
    ///
    /// # Errors
    /// `git`.
    pub fn outgoing_lines(&self, base: Option<&str>, head: &str) -> Result<OutgoingLines, Rejection> {
        let excluded = base.map(|base| format!("^{base}"));
        let mut args = vec!["--no-replace-objects", "-c", "core.quotePath=false", "log", "--patch", "--cc", "--text"];
        args.extend(["--unified=0", "--no-show-signature", "--encoding=UTF-8", "--no-ext-diff", "--no-textconv"]);
        args.extend(["--no-renames", "--src-prefix=a/", "--dst-prefix=b/", "--format=%x00%H%n%B%n%x00", head]);
        args.extend(excluded.as_deref());
        args.push("--");
        Ok(parse_patches(&String::from_utf8_lossy(&self.stdout_of(&args)?)))
    }

    /// The last commit of a remote's branch, as far as this clone knows. Does not use the network.
    ///
    /// # Errors
    /// `no_git`, `git`.
    pub fn known_tip(&self, remote: &RemoteBranch) -> Result<Option<String>, Rejection> {
        let of_git = format!("refs/remotes/{}/{}", remote.name, remote.branch);
        for name in [remote.tracking_ref(), of_git] {
            let output = self.invoke(&["rev-parse", "--verify", "--quiet", &format!("{name}^{{commit}}")], b"")?;
            if output.status == 0 {
                return Ok(Some(String::from_utf8_lossy(&output.stdout).trim_end().to_owned()));
            }
        }
        Ok(None)
    }
}

/// Parses `git log --patch --cc --unified=0 --format=%x00%H%n%B%n%x00`.
fn parse_patches(text: &str) -> OutgoingLines {
    let mut lines = OutgoingLines::default();
    let mut in_message = false;
    let (mut commit, mut path) = (String::new(), String::new());
    // The number of parents in a hunk, 0 above the first hunk of a file; and the next line of the new version.
    let (mut parents, mut next) = (0, 0);
    let mut is_open = false;
    for line in text.split_terminator('\n') {
        if line == "\0" {
            in_message = false;
        } else if let Some(hash) = line.strip_prefix('\0') {
            (commit, parents, is_open, in_message) = (hash.to_owned(), 0, false, true);
            lines.messages.push((commit.clone(), String::new()));
        } else if in_message {
            if let Some((_, message)) = lines.messages.last_mut() {
                message.push_str(line);
                message.push('\n');
            }
        } else if line.starts_with("diff ") {
            (path, parents, is_open) = (String::new(), 0, false);
        } else if line.starts_with("@@") {
            parents = line.bytes().take_while(|byte| *byte == b'@').count() - 1;
            (next, is_open) = (new_start(line), false);
        } else if parents == 0 {
            if let Some(name) = line.strip_prefix("+++ ") {
                path = name.trim_end_matches('\t').strip_prefix("b/").unwrap_or(name).to_owned();
            }
        } else if let Some((signs, content)) = line.split_at_checked(parents) {
            let content = &*content.replace('\0', "");
            if signs.contains('-') {
                let removed = lines.removed.entry(commit.clone()).or_default();
                removed.push_str(content);
                removed.push('\n');
            } else if signs.bytes().all(|sign| sign == b'+') {
                if !is_open {
                    let (commit, path) = (commit.clone(), path.clone());
                    lines.added.push(AddedLines { commit, path, first_line: next, text: String::new() });
                }
                if let Some(added) = lines.added.last_mut() {
                    added.text.push_str(content);
                    added.text.push('\n');
                }
                (next, is_open) = (next + 1, true);
            } else if !signs.contains('\\') {
                (next, is_open) = (next + 1, false);
            }
        }
    }
    lines
}

/// The first line of the new version in `@@ -1,2 +3,4 @@`; with more parents it has more old ranges.
fn new_start(header: &str) -> usize {
    let range = header.split(' ').find_map(|part| part.strip_prefix('+')).unwrap_or_default();
    range.split(',').next().and_then(|start| start.parse().ok()).unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn added_lines_have_their_commit_file_and_line() {
        let log = "\0aaa\nSaid\n\ndiff of it\n\n\0\n\ndiff --git a/facts/a b.md b/facts/a b.md\nindex 1..2 100644\n--- a/facts/a b.md\t\n+++ b/facts/a b.md\t\n\
                   @@ -3 +3,2 @@ # A\n-- old\n+- \0n\0ew\n+++ b/no/name\n@@ -9,0 +11 @@\n+- last\n\\ No newline at end of file\n\
                   \0bbb\n\0\n\ndiff --cc m.md\nindex 1,2..3\n--- a/m.md\n+++ b/m.md\n@@@ -1,1 -1,1 +1,3 @@@\n +theirs\n++both\n+ ours\n";
        let found = parse_patches(log);
        let rows: Vec<_> = found.added.iter().map(|a| (&*a.commit, &*a.path, a.first_line, &*a.text)).collect();
        let expected = [
            ("aaa", "facts/a b.md", 3, "- new\n++ b/no/name\n"),
            ("aaa", "facts/a b.md", 11, "- last\n"),
            ("bbb", "m.md", 2, "both\n"),
        ];
        assert_eq!(rows, expected);
        assert_eq!(found.removed["aaa"], "- old\n");
        let message = |name: &str, text: &str| (name.to_owned(), text.to_owned());
        assert_eq!(found.messages, [message("aaa", "Said\n\ndiff of it\n\n"), message("bbb", "")]);
    }
}
