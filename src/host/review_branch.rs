//! Commits files on a new git branch without a work tree: for the review of proposals.
//!
//! Never touches the index, the files or the branch that is checked out, runs no commit hook and no filter, never moves
//! an existing branch, and never uses the network.

use std::path::PathBuf;

use super::git::{Git, GitInvocation, GitOutput, git_error};
use super::repository::first_message_line;
use crate::code::{Code, Rejection, quote_short};

/// A file of a commit that is made.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BranchFile {
    /// Path relative to the directory in which git runs.
    pub path: String,
    /// Its new bytes; `None` removes it.
    pub bytes: Option<Vec<u8>>,
}

impl Git {
    /// The name of the branch that is checked out; `None` for a detached HEAD.
    ///
    /// # Errors
    /// As [`Git::invoke`].
    pub fn current_branch(&self) -> Result<Option<String>, Rejection> {
        let output = self.invoke(&["symbolic-ref", "--quiet", "--short", "HEAD"], b"")?;
        Ok((output.status == 0).then(|| String::from_utf8_lossy(&output.stdout).trim_end().to_owned()))
    }

    /// Whether a local branch exists.
    ///
    /// # Errors
    /// As [`Git::invoke`].
    pub fn has_branch(&self, name: &str) -> Result<bool, Rejection> {
        let full_name = format!("refs/heads/{name}");
        Ok(self.invoke(&["rev-parse", "--verify", "--quiet", &full_name], b"")?.status == 0)
    }

    /// Whether a file is not in the commit that is checked out, and was in an earlier one: its removal is committed.
    pub fn has_committed_removal(&self, path: &str) -> bool {
        let is_there =
            self.invoke(&["cat-file", "-e", &format!("HEAD:./{path}")], b"").is_ok_and(|out| out.status == 0);
        let log = ["log", "-1", "--format=%H", "HEAD", "--", path];
        !is_there && self.stdout_of(&log).is_ok_and(|commit| !commit.is_empty())
    }

    /// Checks the name of a branch that is to be created.
    ///
    /// # Errors
    /// `usage` if git does not allow the name, `exists` if there is such a branch.
    pub fn check_new_branch(&self, name: &str) -> Result<(), Rejection> {
        let full_name = format!("refs/heads/{name}");
        let is_plain = !name.starts_with('-') && !name.contains([' ', '\n', '\0']);
        // With `--branch` git refuses names like HEAD as well, which would be ambiguous ever after.
        let is_valid = |args: &[&str]| self.invoke(args, b"").map(|output| output.status == 0);
        if !is_plain
            || !is_valid(&["check-ref-format", &full_name])?
            || !is_valid(&["check-ref-format", "--branch", name])?
        {
            let shown = quote_short(name);
            return Err(Rejection::new(Code::Usage, format!("{shown} is not a name for a branch"))
                .hint("a name like memory/team"));
        }
        if self.has_branch(name)? {
            Err(Rejection::new(Code::Exists, format!("a branch named '{name}' already exists"))
                .hint("choose another name, or delete the branch if it is merged"))
        } else {
            Ok(())
        }
    }

    /// Makes a commit with these files changed, on top of `parent`, and returns its name. No branch refers to it yet.
    /// It is not signed, whatever `commit.gpgsign` says, which `git commit-tree` ignores: an agent wrote the text, and
    /// the key is that of a person, whom signing would ask for a passphrase.
    ///
    /// # Errors
    /// `git`, with git's first message.
    pub fn commit_files(&self, parent: &str, files: &[BranchFile], message: &str) -> Result<String, Rejection> {
        let (_, prefix) = self.work_tree()?;
        let mut entries: Vec<u8> = Vec::new();
        for file in files {
            let (mode, object) = match &file.bytes {
                Some(bytes) => ("100644", self.write_object(bytes)?),
                None => ("0", "0".repeat(parent.len())),
            };
            entries.extend(format!("{mode} {object}\t{prefix}{}\0", file.path).into_bytes());
        }
        let index =
            TemporaryIndex(self.dir.join(self.stdout_line(&["rev-parse", "--git-path", &temporary_index_name()])?));
        let index_path = index.0.to_string_lossy().into_owned();
        let env = [("GIT_INDEX_FILE", index_path.as_str())];
        let run = |args: &[&str], stdin: &[u8]| {
            line_of(self.invoke_with(args, &GitInvocation { stdin, env: &env, ..GitInvocation::default() })?)
        };
        run(&["read-tree", parent], b"")?;
        run(&["update-index", "-z", "--index-info"], &entries)?;
        let tree = run(&["write-tree"], b"")?;
        run(&["commit-tree", &tree, "-p", parent, "-F", "-"], message.as_bytes())
    }

    fn write_object(&self, bytes: &[u8]) -> Result<String, Rejection> {
        line_of(self.invoke(&["hash-object", "-w", "--no-filters", "--stdin"], bytes)?)
    }

    /// Takes the lock with which a branch is created, and releases it.
    ///
    /// # Errors
    /// `git` if another process holds it, or the branch cannot be written.
    pub fn check_branch_lock(&self, name: &str, commit: &str) -> Result<(), Rejection> {
        let transaction = format!("start\ncreate refs/heads/{name} {commit}\nprepare\nabort\n");
        let output = self.invoke(&["update-ref", "--stdin"], transaction.as_bytes())?;
        // Before 2.27, git knows no transactions.
        if output.stderr.contains("unknown command: start") { Ok(()) } else { line_of(output).map(drop) }
    }

    /// Creates a branch at a commit.
    ///
    /// # Errors
    /// `exists` if another process created it meanwhile; `git`.
    pub fn create_branch(&self, name: &str, commit: &str) -> Result<(), Rejection> {
        let full_name = format!("refs/heads/{name}");
        // An old value of zeros: the branch must not exist.
        let none = "0".repeat(commit.len());
        let args = ["update-ref", "-m", "memdir: proposals for review", &full_name, commit, &none];
        let output = self.invoke(&args, b"")?;
        match output.status {
            0 => Ok(()),
            _ if self.has_branch(name)? => {
                Err(Rejection::new(Code::Exists, format!("a branch named '{name}' already exists")))
            }
            _ => line_of(output).map(drop),
        }
    }

    /// What the files below the directory differ by between a commit and a branch, here and as the remotes were last
    /// seen to have it: a unified diff for each that is known.
    ///
    /// # Errors
    /// `git`, also if `base` is gone.
    pub fn branch_diffs(&self, base: &str, name: &str) -> Result<Vec<String>, Rejection> {
        let patterns = [format!("refs/heads/{name}"), format!("refs/remotes/*/{name}")];
        let tips = self.stdout_of(&["for-each-ref", "--format=%(objectname)", &patterns[0], &patterns[1]])?;
        let mut tips: Vec<&str> = str::from_utf8(&tips).unwrap_or_default().lines().collect();
        tips.dedup();
        let diff_of = |tip: &str| -> Result<String, Rejection> {
            let options = ["--no-ext-diff", "--no-textconv", "--no-renames", "--src-prefix=a/", "--dst-prefix=b/"];
            let args =
                [&["-c", "core.quotePath=false", "diff", "--relative"], &options[..], &[base, tip, "--", "*.md"]];
            Ok(String::from_utf8_lossy(&self.stdout_of(&args.concat())?).into_owned())
        };
        tips.into_iter().map(diff_of).collect()
    }

    /// The messages of the commits that HEAD has and `base` lacks, of those with a line that starts with `prefix`.
    ///
    /// # Errors
    /// `git`, also if `base` is gone.
    pub fn messages_with(&self, prefix: &str, base: &str) -> Result<String, Rejection> {
        let grep = format!("--grep=^{prefix}");
        let range = format!("{base}..HEAD");
        let out = self.stdout_of(&["log", "--no-show-signature", &grep, "--format=%B", &range, "--"])?;
        Ok(String::from_utf8_lossy(&out).into_owned())
    }
}

/// An index beside the user's own, removed in the end.
struct TemporaryIndex(PathBuf);

impl Drop for TemporaryIndex {
    fn drop(&mut self) {
        for name in [self.0.clone(), self.0.with_extension("lock")] {
            // It is only left behind.
            drop(std::fs::remove_file(name));
        }
    }
}

fn temporary_index_name() -> String {
    format!("memdir-review-{}", std::process::id())
}

/// The stdout of a git that must succeed, as one line.
fn line_of(output: GitOutput) -> Result<String, Rejection> {
    if output.status == 0 {
        return Ok(String::from_utf8_lossy(&output.stdout).trim_end().to_owned());
    }
    let error = git_error(&first_message_line(&output));
    Err(if output.stderr.contains("Please tell me who you are") || output.stderr.contains("empty ident") {
        error.hint("set your git identity: `git config user.name NAME` and `git config user.email ADDRESS`")
    } else {
        error
    })
}
