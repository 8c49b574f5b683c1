//! Which commits brought the lines of a file, as git knows it, under its earlier names, too.
//!
//! Never writes. No call names a program that a repository could bring along.

use super::git::Git;
use super::repository::split_nul;
use crate::code::Rejection;

/// The newest commits of a file that are read.
const MAX_COMMITS: &str = "1000";
/// How many names of a file are followed.
const MAX_NAMES: usize = 8;

/// A commit that added lines to a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GitCommit {
    /// The full hash in hexadecimal.
    pub id: String,
    pub author: String,
    /// When it was made (RFC 3339, UTC).
    pub at: String,
}

/// The lines that each commit of a file added, the newest commit first.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct LineHistory(Vec<(GitCommit, Vec<String>)>);

impl LineHistory {
    /// The newest commit that added this line, with any indent.
    pub fn commit_of(&self, line: &str) -> Option<&GitCommit> {
        let is_it = |added: &String| added.trim() == line.trim();
        self.0.iter().find(|(_, lines)| lines.iter().any(is_it)).map(|(commit, _)| commit)
    }
}

impl Git {
    /// Reads the newest 1,000 commits that changed a file; the path is relative to the directory of this `Git`. Where git
    /// sees a rename in the commit that created the file, those of its earlier name, too.
    ///
    /// # Errors
    /// `git`, also outside a repository and before its first commit; `no_git`.
    pub fn line_history(&self, path: &str) -> Result<LineHistory, Rejection> {
        let mut names = vec![path.to_owned()];
        loop {
            let history = self.lines_added_to(&names)?;
            let created = history.0.iter().rev().find(|(_, lines)| !lines.is_empty());
            let earlier = match (created, names.last()) {
                (Some((commit, _)), Some(name)) => self.name_before(&commit.id, name)?,
                _ => None,
            };
            match earlier.filter(|name| names.len() < MAX_NAMES && !names.contains(name)) {
                Some(earlier) => names.push(earlier),
                None => return Ok(history),
            }
        }
    }

    /// The earlier name of a file that a commit renamed.
    fn name_before(&self, commit: &str, name: &str) -> Result<Option<String>, Rejection> {
        let options = ["diff-tree", "--no-commit-id", "-r", "-M", "--diff-filter=R", "--name-status", "-z"];
        let args = [&options[..], &["--relative", "--no-ext-diff", "--no-textconv", commit, "--"]].concat();
        let records = split_nul(&self.stdout_of(&args)?);
        Ok(records.chunks_exact(3).find(|record| record[2] == name).map(|record| record[1].clone()))
    }

    fn lines_added_to(&self, names: &[String]) -> Result<LineHistory, Rejection> {
        let mut args = vec![
            "-c",
            "log.follow=false",
            "--literal-pathspecs",
            "log",
            "--no-show-signature",
            "--no-color",
            "-n",
            MAX_COMMITS,
            "--format=tformat:%x01%H%x00%ct%x00%an",
            "-p",
            "-U0",
            // Between the names, a rename adds no lines.
            "-M",
            "--no-ext-diff",
            "--no-textconv",
            "--",
        ];
        args.extend(names.iter().map(String::as_str));
        Ok(parse_log(&String::from_utf8_lossy(&self.stdout_of(&args)?)))
    }
}

fn parse_log(output: &str) -> LineHistory {
    let (mut all, mut is_in_hunk) = (Vec::<(GitCommit, Vec<String>)>::new(), false);
    for line in output.lines() {
        if let Some(header) = line.strip_prefix('\u{1}') {
            is_in_hunk = false;
            all.extend(parse_header(header).map(|commit| (commit, Vec::new())));
            continue;
        }
        match (line.strip_prefix('+'), all.last_mut()) {
            (Some(added), Some((_, lines))) if is_in_hunk => lines.push(added.to_owned()),
            // A line of the file begins with `+` or `-`, one of git's with neither.
            (None, _) if !line.starts_with(['-', '\\']) => is_in_hunk = line.starts_with("@@"),
            (Some(_) | None, _) => {}
        }
    }
    LineHistory(all)
}

fn parse_header(header: &str) -> Option<GitCommit> {
    let mut fields = header.splitn(3, '\0');
    let (id, seconds, author) = (fields.next()?, fields.next()?, fields.next()?);
    let at = jiff::Timestamp::from_second(seconds.parse().ok()?).ok()?;
    Some(GitCommit { id: id.to_owned(), author: author.to_owned(), at: at.to_string() })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_newest_commit_that_added_a_line_counts() {
        let output = "\u{1}c3\x001767225600\x00Ana\n\ndiff --git a/user.md b/user.md\n--- a/user.md\n+++ b/user.md\n\
                      @@ -3 +3,2 @@ # User\n-- Likes tea\n+  - Likes green tea\n+- Also Likes tea\n@@ -9,0 +10 @@\n+++ x\n\
                      \u{1}c2\x001767225601\x00Bob\n\ndiff --git a/user.md b/user.md\n--- /dev/null\n+++ b/user.md\n\
                      @@ -0,0 +1,3 @@\n+# User\n+\n+- Likes tea\n\\ No newline at end of file\n";
        let history = parse_log(output);
        let author = |text: &str| history.commit_of(&format!("- {text}")).map(|commit| commit.author.as_str());
        assert_eq!(author("Likes green tea"), Some("Ana"));
        assert_eq!(author("Likes tea"), Some("Bob"));
        assert_eq!(history.commit_of("++ x").map(|commit| commit.author.as_str()), Some("Ana"));
        assert_eq!(author("b/user.md"), None);
        let newest = GitCommit { id: "c3".into(), author: "Ana".into(), at: "2026-01-01T00:00:00Z".into() };
        assert_eq!(history.commit_of("- Likes green tea"), Some(&newest));
        assert_eq!(parse_log("fatal: x\n+ y\n"), LineHistory::default());
    }
}
