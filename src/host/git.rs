//! Runs git as a program; every git invocation starts in this module.
//!
//! Never uses a shell, never waits forever or for a person, and never uses the repository of a surrounding hook: the
//! directory alone decides which repository is used.

use std::ffi::OsStr;
use std::io::ErrorKind;
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Duration;

use child_streams::communicate;

use crate::code::{Code, Rejection, escape, quote_short};
use crate::text::without_credentials;

mod child_streams;

/// The length, in characters, to which a reason of git is cut.
const MAX_REASON_CHARS: usize = 200;
/// Default timeout of one invocation, for commands that need no network.
const DEFAULT_TIMEOUT: Duration = Duration::from_secs(60);

/// Environment variables that bind git to a repository (`git rev-parse --local-env-vars`), and those that change its
/// output or make it wait.
const REPOSITORY_VARIABLES: [&str; 18] = [
    "GIT_ALTERNATE_OBJECT_DIRECTORIES",
    "GIT_COMMON_DIR",
    "GIT_CONFIG",
    "GIT_CONFIG_COUNT",
    "GIT_CONFIG_PARAMETERS",
    "GIT_DIR",
    "GIT_EXTERNAL_DIFF",
    "GIT_GRAFT_FILE",
    "GIT_IMPLICIT_WORK_TREE",
    "GIT_INDEX_FILE",
    "GIT_INTERNAL_SUPER_PREFIX",
    "GIT_LITERAL_PATHSPECS",
    "GIT_NAMESPACE",
    "GIT_OBJECT_DIRECTORY",
    "GIT_PREFIX",
    "GIT_REPLACE_REF_BASE",
    "GIT_SHALLOW_FILE",
    "GIT_WORK_TREE",
];

/// Settings of every invocation. A repository of others may contain a directory that git would take for a bare
/// repository, with a config that names programs; and a URL may name a program. The others are for what is parsed: no
/// colours, patterns as they are meant, and the first commit with its files.
const FIXED_SETTINGS: [&str; 8] = [
    "core.fsmonitor=false",
    "safe.bareRepository=explicit",
    "protocol.ext.allow=never",
    "color.ui=false",
    "color.diff=false",
    "color.grep=false",
    "grep.patternType=basic",
    "log.showRoot=true",
];

/// git, run in one directory.
#[derive(Clone, Debug)]
pub struct Git {
    pub(super) dir: PathBuf,
}

/// The result of one git invocation.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GitOutput {
    /// The exit status; 128 plus the signal's number if a signal ended it.
    pub status: i32,
    pub stdout: Vec<u8>,
    /// The first line of stderr.
    pub first_stderr_line: String,
    /// All of stderr; what is not UTF-8 is replaced.
    pub stderr: String,
}

/// The name of an index that does not exist, which git reads as an empty one.
const NO_INDEX_FILE: &str = "memdir-no-index";

/// Options of an invocation that differ from the defaults.
#[derive(Clone, Copy, Debug)]
pub(super) struct GitInvocation<'a> {
    pub stdin: &'a [u8],
    pub timeout: Duration,
    /// Environment variables that are set besides those of the process: names and values.
    pub env: &'a [(&'a str, &'a str)],
    /// Whether git runs in its own process group, so that Ctrl-C does not interrupt it.
    pub own_process_group: bool,
}

impl GitOutput {
    /// # Errors
    /// `git` if it exited with a failure.
    fn stdout_if_ok(self) -> Result<Vec<u8>, Rejection> {
        match self.status {
            0 => Ok(self.stdout),
            _ => Err(git_error(self.first_stderr_line.trim_start_matches("fatal: ").trim_start_matches("error: "))),
        }
    }
}

impl Default for GitInvocation<'_> {
    fn default() -> Self {
        GitInvocation { stdin: b"", timeout: DEFAULT_TIMEOUT, env: &[], own_process_group: false }
    }
}

/// A file of a commit.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GitBlob {
    /// Path relative to the directory that was listed.
    pub path: String,
    /// The object's name (hash).
    pub object: String,
}

/// A path with unmerged index entries, and the object of each side; `None` if that side has no such file.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct UnmergedIndexEntry {
    /// Path relative to the directory that was listed.
    pub path: String,
    pub base: Option<String>,
    pub ours: Option<String>,
    pub theirs: Option<String>,
}

impl Git {
    /// git in the work tree that contains a directory; `None` if neither it nor a parent contains `.git`. Starts no
    /// process.
    pub fn discover(dir: &Path) -> Option<Git> {
        dir.ancestors().any(|above| above.join(".git").exists()).then(|| Git::in_dir(dir))
    }

    /// git in a directory, whether or not it is in a repository.
    pub fn in_dir(dir: &Path) -> Git {
        Git { dir: dir.to_owned() }
    }

    /// Runs git with these arguments.
    ///
    /// # Errors
    /// `no_git` if it cannot be started, `git` if its output is too large or it times out.
    pub fn invoke<S: AsRef<OsStr>>(&self, args: &[S], stdin: &[u8]) -> Result<GitOutput, Rejection> {
        self.invoke_with(args, &GitInvocation { stdin, ..GitInvocation::default() })
    }

    /// Runs git with these options. A timeout is reported by the error's detail `timeout`.
    pub(super) fn invoke_with<S: AsRef<OsStr>>(
        &self,
        args: &[S],
        invocation: &GitInvocation<'_>,
    ) -> Result<GitOutput, Rejection> {
        super::embedded_repository::refuse(&self.dir)?;
        let mut command = Command::new("git");
        for name in REPOSITORY_VARIABLES {
            command.env_remove(name);
        }
        command.env("LC_ALL", "C").env("GIT_TERMINAL_PROMPT", "0").env("GIT_OPTIONAL_LOCKS", "0");
        // None of these commands should fetch objects or run a program that a repository's own config names.
        command.env("GIT_NO_LAZY_FETCH", "1").envs(invocation.env.iter().copied());
        command.arg("-C").arg(&self.dir).arg("--no-pager");
        command.args(FIXED_SETTINGS.iter().flat_map(|setting| ["-c", setting])).args(args);
        if invocation.own_process_group {
            command.process_group(0);
        }
        let stdin = if invocation.stdin.is_empty() { Stdio::null() } else { Stdio::piped() };
        command.stdin(stdin).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = command.spawn().map_err(|e| start_error(&e))?;
        let streams = communicate(&mut child, invocation.stdin, invocation.timeout);
        let exit_status = child.wait().map_err(|e| git_error(&format!("its exit status is unknown: {e}")))?;
        let (out, stderr) = streams?;
        let signal = std::os::unix::process::ExitStatusExt::signal(&exit_status);
        let stderr_text = String::from_utf8_lossy(&stderr).into_owned();
        let stderr = stderr_text.lines().next().unwrap_or_default().to_owned();
        Ok(GitOutput {
            status: exit_status.code().unwrap_or_else(|| 128 + signal.unwrap_or_default()),
            stdout: out,
            first_stderr_line: stderr,
            stderr: stderr_text,
        })
    }

    /// Returns the stdout of git with these arguments.
    ///
    /// # Errors
    /// As [`Git::invoke`], and `git` if it exits with a failure.
    pub fn stdout_of<S: AsRef<OsStr>>(&self, args: &[S]) -> Result<Vec<u8>, Rejection> {
        self.invoke(args, b"")?.stdout_if_ok()
    }

    /// Returns stdout as one line of text.
    pub(super) fn stdout_line(&self, args: &[&str]) -> Result<String, Rejection> {
        Ok(String::from_utf8_lossy(&self.stdout_of(args)?).trim_end_matches(['\n', '\r']).to_owned())
    }

    /// Returns the root of the work tree, and the directory relative to it (`memory/`; empty for the root itself).
    ///
    /// # Errors
    /// `no_repository` outside a work tree; as [`Git::invoke`].
    pub fn work_tree(&self) -> Result<(PathBuf, String), Rejection> {
        let no_repository =
            || Rejection::new(Code::NoRepository, format!("'{}' is not in a git work tree", self.dir.display()));
        let output = self.invoke(&["rev-parse", "--show-toplevel"], b"")?;
        if output.status != 0 {
            return Err(if output.first_stderr_line.contains("dubious ownership") {
                no_repository().hint("git does not trust this repository: it belongs to another user")
            } else {
                no_repository()
            });
        }
        let top = String::from_utf8_lossy(&output.stdout).trim_end_matches('\n').to_owned();
        if top.is_empty() {
            return Err(no_repository());
        }
        Ok((top.into(), self.stdout_line(&["rev-parse", "--show-prefix"])?))
    }

    /// Returns the value of a config key, from any of git's config files.
    ///
    /// # Errors
    /// As [`Git::invoke`].
    pub fn config_value(&self, key: &str) -> Result<Option<String>, Rejection> {
        self.read_config(&["config", "--null", "--get", key])
    }

    /// Returns the value of a config key in this clone's own config.
    ///
    /// # Errors
    /// As [`Git::invoke`].
    pub fn local_config_value(&self, key: &str) -> Result<Option<String>, Rejection> {
        self.read_config(&["config", "--local", "--null", "--get", key])
    }

    fn read_config(&self, args: &[&str]) -> Result<Option<String>, Rejection> {
        let output = self.invoke(args, b"")?;
        let value = || String::from_utf8_lossy(&output.stdout).trim_end_matches('\0').to_owned();
        Ok((output.status == 0).then(value))
    }

    /// Sets a key in this clone's config, or removes it (`None`).
    ///
    /// # Errors
    /// `git`.
    pub fn set_local_config(&self, key: &str, value: Option<&str>) -> Result<(), Rejection> {
        match value {
            Some(value) => self.stdout_of(&["config", "--local", "--replace-all", key, value]).map(drop),
            None => self.stdout_of(&["config", "--local", "--unset-all", key]).map(drop),
        }
    }

    /// Returns the value of a git attribute of a path below the directory: `set`, `unset`, `unspecified` or a word. An
    /// attributes file counts only if it is in the work tree: git itself falls back to the one in its index.
    ///
    /// # Errors
    /// `git`.
    pub fn attribute_value(&self, name: &str, path: &str) -> Result<String, Rejection> {
        let without_index = GitInvocation { env: &[("GIT_INDEX_FILE", NO_INDEX_FILE)], ..GitInvocation::default() };
        let output = self.invoke_with(&["check-attr", "-z", name, "--", path], &without_index)?;
        let output = output.stdout_if_ok()?;
        let value = output.split(|b| *b == 0).nth(2).unwrap_or_default();
        Ok(String::from_utf8_lossy(value).into_owned())
    }

    /// Whether git ignores a path below the directory.
    ///
    /// # Errors
    /// As [`Git::invoke`].
    pub fn is_ignored(&self, path: &str) -> Result<bool, Rejection> {
        Ok(self.invoke(&["check-ignore", "--quiet", "--", path], b"")?.status == 0)
    }

    /// Resolves a revision to the name of a commit object.
    ///
    /// # Errors
    /// `revision_not_found`.
    pub fn resolve_commit(&self, revision: &str) -> Result<String, Rejection> {
        let shown = quote_short(revision);
        let not_found = || Rejection::new(Code::RevisionNotFound, format!("unknown git revision {shown}"));
        if revision.is_empty() || revision.starts_with('-') || revision.contains(['\n', '\0']) {
            return Err(not_found());
        }
        let output = self.invoke(&["rev-parse", "--verify", "--quiet", &format!("{revision}^{{commit}}")], b"")?;
        match output.status {
            0 => Ok(String::from_utf8_lossy(&output.stdout).trim().to_owned()),
            _ => Err(not_found().hint("a shallow clone has only its newest commits")),
        }
    }

    /// Returns the merge base of two commits; `None` if they have no common ancestor.
    ///
    /// # Errors
    /// As [`Git::invoke`].
    pub fn merge_base(&self, a: &str, b: &str) -> Result<Option<String>, Rejection> {
        let output = self.invoke(&["merge-base", a, b], b"")?;
        let first = || String::from_utf8_lossy(&output.stdout).lines().next().unwrap_or_default().to_owned();
        Ok((output.status == 0).then(first).filter(|name| !name.is_empty()))
    }

    /// Lists the regular files below the directory at a commit, by path. Symbolic links and submodules are left out.
    ///
    /// # Errors
    /// `git`.
    pub fn files_at(&self, commit: &str) -> Result<Vec<GitBlob>, Rejection> {
        let out = self.stdout_of(&["ls-tree", "-r", "-z", commit])?;
        Ok(split_records(&out).filter(|(kind, _)| kind.starts_with("100")).filter_map(parse_blob).collect())
    }

    /// Lists the unmerged paths below the directory.
    ///
    /// # Errors
    /// `git`.
    pub fn unmerged_entries(&self) -> Result<Vec<UnmergedIndexEntry>, Rejection> {
        let out = self.stdout_of(&["ls-files", "--unmerged", "-z"])?;
        let mut all: Vec<UnmergedIndexEntry> = Vec::new();
        for (head, path) in split_records(&out) {
            let mut words = head.split(' ').skip(1);
            let (Some(object), Some(stage)) = (words.next(), words.next()) else { continue };
            if all.last().is_none_or(|last| last.path != path) {
                all.push(UnmergedIndexEntry { path, ..UnmergedIndexEntry::default() });
            }
            if let Some(last) = all.last_mut() {
                let object = Some(object.to_owned());
                match stage {
                    "1" => last.base = object,
                    "2" => last.ours = object,
                    _ => last.theirs = object,
                }
            }
        }
        Ok(all)
    }

    /// Returns the bytes of objects, in the order given.
    ///
    /// # Errors
    /// `git`.
    pub fn read_objects(&self, objects: &[&str]) -> Result<Vec<Vec<u8>>, Rejection> {
        if objects.is_empty() {
            return Ok(Vec::new());
        }
        let output = self.invoke(&["cat-file", "--batch"], (objects.join("\n") + "\n").as_bytes())?;
        let mut rest = output.stdout.as_slice();
        objects.iter().map(|_| next_batched_object(&mut rest).ok_or_else(missing_object_error)).collect()
    }

    /// Merges three files line by line, as git does without a merge driver. Returns the text and whether it has
    /// conflicts; `None` for a file that git treats as binary.
    ///
    /// # Errors
    /// As [`Git::invoke`].
    pub fn merge_file(
        &self,
        [base, ours, theirs]: [&Path; 3],
        labels: [&str; 3],
        size: usize,
    ) -> Result<Option<(Vec<u8>, bool)>, Rejection> {
        let size = format!("--marker-size={size}");
        let mut args: Vec<&OsStr> = ["merge-file", "--stdout", "--quiet", &size].map(OsStr::new).into();
        for label in [labels[1], labels[0], labels[2]] {
            args.extend([OsStr::new("-L"), OsStr::new(label)]);
        }
        args.extend([OsStr::new("--"), ours.as_os_str(), base.as_os_str(), theirs.as_os_str()]);
        let output = self.invoke(&args, b"")?;
        Ok((output.status < 128).then_some((output.stdout, output.status != 0)))
    }
}

/// Splits git's `head TAB path NUL` records.
fn split_records(out: &[u8]) -> impl Iterator<Item = (String, String)> {
    out.split(|b| *b == 0).filter_map(|record| {
        let at = memchr::memchr(b'\t', record)?;
        let text = |bytes| std::str::from_utf8(bytes).ok().map(str::to_owned);
        Some((text(&record[..at])?, text(&record[at + 1..])?))
    })
}

/// Parses a record; the object's name is the third word of its head.
fn parse_blob((head, path): (String, String)) -> Option<GitBlob> {
    Some(GitBlob { path, object: head.split(' ').nth(2)?.to_owned() })
}

/// Reads one object from the output of `cat-file --batch`: `name blob SIZE`, its bytes, a line end.
fn next_batched_object(rest: &mut &[u8]) -> Option<Vec<u8>> {
    let end = memchr::memchr(b'\n', rest)?;
    let head = std::str::from_utf8(&rest[..end]).ok()?;
    let size: usize = head.split(' ').nth(2).filter(|_| head.split(' ').nth(1) == Some("blob"))?.parse().ok()?;
    let body = rest.get(end + 1..)?;
    let bytes = body.get(..size)?.to_vec();
    *rest = body.get(size + 1..)?;
    Some(bytes)
}

fn missing_object_error() -> Rejection {
    git_error("an object is missing").hint("a partial clone lacks old objects: run `git fetch --refetch`")
}

fn start_error(error: &std::io::Error) -> Rejection {
    match error.kind() {
        ErrorKind::NotFound => Rejection::new(Code::NoGit, "git is not installed, or not on PATH")
            .hint("install git, or use `memdir merge BASE OURS THEIRS`, which does not need it"),
        _ => Rejection::new(Code::Git, format!("cannot start git: {error}")),
    }
}

pub(super) fn git_error(reason: &str) -> Rejection {
    Rejection::new(Code::Git, escape(&without_credentials(reason), MAX_REASON_CHARS))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn batched_objects_are_read_in_sequence() {
        let mut rest: &[u8] = b"aa blob 3\nx\ny\nbb blob 0\n\ncc missing\n";
        assert_eq!(next_batched_object(&mut rest), Some(b"x\ny".to_vec()));
        assert_eq!(next_batched_object(&mut rest), Some(Vec::new()));
        assert_eq!(next_batched_object(&mut rest), None);
    }

    #[test]
    fn files_are_listed_with_their_objects() {
        let out = b"100644 blob aa\tfacts/a b.md\x00120000 blob bb\tlink\x00160000 commit cc\tsub\0";
        let plain = split_records(out).filter(|(kind, _)| kind.starts_with("100"));
        assert_eq!(
            plain.filter_map(parse_blob).collect::<Vec<_>>(),
            [GitBlob { path: "facts/a b.md".into(), object: "aa".into() }]
        );
    }
}
