//! Handles a git repository that holds a memory: pending files, operations in progress, commits, merges.
//!
//! Never commits what stays on this machine (`inbox/`, `.memdir/`), never forces anything, and never uses the network.

use std::collections::HashSet;
use std::time::Duration;

use super::git::{Git, GitInvocation, GitOutput, git_error};
use crate::code::{Code, Rejection};
use crate::text::without_credentials;

/// Pathspecs of what is committed: everything except proposals and machine state, also in scopes, and except what a
/// killed merge leaves: git's `.merge_file_*` and the temporary files of memdir (`.NAME.PID-N.tmp`).
const SHARED_PATHSPECS: [&str; 8] = [
    ".",
    ":(exclude,top,glob)inbox/**",
    ":(exclude,top,glob)scopes/*/inbox/**",
    ":(exclude,top,glob)scopes/.archived/*/inbox/**",
    ":(exclude,top,glob)scopes/.archived/.purged-*/**",
    ":(exclude,top,glob)**/.memdir/**",
    ":(exclude,top,glob)**/.merge_file_*",
    ":(exclude,top,glob)**/.*.[0-9]*-[0-9]*.tmp",
];
/// Pathspecs of what stays on this machine.
const LOCAL_PATHSPECS: [&str; 3] =
    [":(top,glob)inbox/**", ":(top,glob)scopes/*/inbox/**", ":(top,glob)scopes/.archived/*/inbox/**"];
/// Timeout of a commit or a merge; it includes hooks and signing.
const COMMIT_TIMEOUT: Duration = Duration::from_secs(600);
/// Updates the index from a list of paths. `--remove` deletes the entries of missing files, also of those that were
/// never in the index.
const UPDATE_INDEX_ARGS: [&str; 6] = ["update-index", "--add", "--remove", "--replace", "-z", "--stdin"];
/// Disables git's automatic maintenance: writers would wait for it, and a fetch starts it anyway.
const NO_MAINTENANCE_ARGS: [&str; 4] = ["-c", "maintenance.auto=false", "-c", "gc.auto=0"];

/// A git operation that is in progress.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OngoingOperation {
    Merge,
    /// Any other, by its name.
    Other(&'static str),
}

/// The file or directory in `.git` that marks each operation.
const OPERATION_MARKERS: [(&str, OngoingOperation); 7] = [
    ("rebase-merge", OngoingOperation::Other("rebase")),
    ("rebase-apply", OngoingOperation::Other("rebase")),
    ("CHERRY_PICK_HEAD", OngoingOperation::Other("cherry-pick")),
    ("REVERT_HEAD", OngoingOperation::Other("revert")),
    ("sequencer", OngoingOperation::Other("cherry-pick or revert")),
    ("BISECT_LOG", OngoingOperation::Other("bisect")),
    ("MERGE_HEAD", OngoingOperation::Merge),
];

/// The state of a repository.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct RepositoryState {
    /// The commit that is checked out; `None` before the first commit.
    pub head: Option<String>,
    /// The branch; `None` if HEAD is detached.
    pub branch: Option<String>,
    /// Whether the branch has an upstream.
    pub has_upstream: bool,
    /// Shared files that differ from the commit, staged or not; conflicts are in `unmerged`.
    pub pending: Vec<PendingFile>,
    /// Files with merge conflicts.
    pub conflicted: Vec<ConflictedPath>,
}

/// A file that differs from the commit.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PendingFile {
    pub path: String,
    /// Its object in the commit; `None` for a new file.
    pub committed_object: Option<String>,
    /// Whether it is deleted.
    pub is_deleted: bool,
}

/// A file with merge conflicts.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ConflictedPath {
    pub path: String,
    /// Whether our side has the file.
    pub ours: bool,
    /// Whether their side has the file.
    pub theirs: bool,
}

/// The result of a merge.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum GitMergeResult {
    /// The merge is committed.
    Committed,
    /// Conflicts remain; the merge is in progress.
    Conflicted,
    /// git did not start the merge: its message.
    Refused(String),
}

impl Git {
    /// Returns the git operation that is in progress here.
    ///
    /// # Errors
    /// As [`Git::invoke`].
    pub fn ongoing_operation(&self) -> Result<Option<OngoingOperation>, Rejection> {
        let mut args = vec!["rev-parse"];
        args.extend(OPERATION_MARKERS.iter().flat_map(|(name, _)| ["--git-path", name]));
        let out = self.stdout_of(&args)?;
        let paths = String::from_utf8_lossy(&out).into_owned();
        let exists = |path: &str| self.dir.join(path).symlink_metadata().is_ok();
        Ok(paths.lines().zip(OPERATION_MARKERS).find(|(path, _)| exists(path)).map(|(_, (_, operation))| operation))
    }

    /// Returns the state of the repository.
    ///
    /// # Errors
    /// `git`.
    pub fn repository_state(&self) -> Result<RepositoryState, Rejection> {
        let mut args =
            vec!["status", "--porcelain=v2", "--branch", "-z", "--untracked-files=all", "--no-renames", "--"];
        args.extend(SHARED_PATHSPECS);
        Ok(parse_status(&self.stdout_of(&args)?))
    }

    /// Lists tracked files of `inbox/`.
    ///
    /// # Errors
    /// `git`.
    pub fn tracked_inbox_files(&self) -> Result<Vec<String>, Rejection> {
        let mut args = vec!["ls-files", "-z", "--"];
        args.extend(LOCAL_PATHSPECS);
        Ok(split_nul(&self.stdout_of(&args)?))
    }

    /// Adds pending files to the index, and removes from it what stays on this machine.
    ///
    /// # Errors
    /// `git`.
    pub fn stage_pending(&self, pending: &[PendingFile], has_head: bool) -> Result<(), Rejection> {
        self.check_index_update(&self.invoke_with(
            &UPDATE_INDEX_ARGS,
            &GitInvocation { stdin: &nul_terminated(pending), ..GitInvocation::default() },
        )?)?;
        let mut args = if has_head {
            vec!["diff", "--cached", "--name-only", "-z", "HEAD", "--"]
        } else {
            vec!["ls-files", "-z", "--"]
        };
        args.extend(LOCAL_PATHSPECS);
        let staged = split_nul(&self.stdout_of(&args)?);
        if staged.is_empty() {
            return Ok(());
        }
        let mut args =
            if has_head { vec!["reset", "--quiet", "HEAD", "--"] } else { vec!["rm", "--cached", "--quiet", "--"] };
        args.extend(LOCAL_PATHSPECS);
        self.stdout_of(&args).map(drop)
    }

    /// Adds files to the index, which marks their conflicts as resolved.
    ///
    /// # Errors
    /// `git`.
    pub fn stage_resolved(&self, paths: &[String]) -> Result<(), Rejection> {
        if paths.is_empty() {
            return Ok(());
        }
        let paths: String = paths.iter().map(|path| format!("{path}\0")).collect();
        let invocation = GitInvocation { stdin: paths.as_bytes(), ..GitInvocation::default() };
        self.check_index_update(&self.invoke_with(&UPDATE_INDEX_ARGS, &invocation)?)
    }

    /// Whether the index differs from the commit.
    ///
    /// # Errors
    /// `git`.
    pub fn has_staged_changes(&self, has_head: bool) -> Result<bool, Rejection> {
        if has_head {
            Ok(self.invoke(&["diff", "--cached", "--quiet", "HEAD"], b"")?.status != 0)
        } else {
            Ok(!self.stdout_of(&["ls-files", "-z"])?.is_empty())
        }
    }

    /// Commits the index with this message; hooks, signing and identity are the user's.
    ///
    /// # Errors
    /// `git`, with git's first message and a way to fix it.
    pub fn commit_index(&self, message: &str) -> Result<(), Rejection> {
        let mut args: Vec<&str> = NO_MAINTENANCE_ARGS.into();
        args.extend(["commit", "--quiet", "--cleanup=whitespace", "-F", "-"]);
        let output = self.invoke_with(
            &args,
            &GitInvocation { stdin: message.as_bytes(), timeout: COMMIT_TIMEOUT, ..GitInvocation::default() },
        )?;
        match output.status {
            0 => Ok(()),
            _ => Err(self.lock_error(&output).unwrap_or_else(|| commit_error(&output))),
        }
    }

    /// Merges a commit into the branch, with these settings (`key=value`); `unrelated` allows one without a common
    /// ancestor. Ctrl-C does not interrupt it.
    ///
    /// # Errors
    /// As [`Git::invoke`].
    pub fn merge_commit(
        &self,
        commit: &str,
        message: &str,
        settings: &[String],
        unrelated: bool,
    ) -> Result<GitMergeResult, Rejection> {
        let mut args: Vec<&str> = NO_MAINTENANCE_ARGS.into();
        // Else git calls a file that is new in a folder which the other side renamed a conflict.
        args.extend(["-c", "merge.directoryRenames=false"]);
        args.extend(settings.iter().flat_map(|setting| ["-c", setting]));
        args.extend([
            "merge",
            "--ff",
            "--commit",
            "--no-squash",
            "--no-edit",
            "--no-autostash",
            "--no-stat",
            "--quiet",
        ]);
        args.extend(unrelated.then_some("--allow-unrelated-histories"));
        args.extend(["-m", message, commit]);
        let output = self.invoke_with(
            &args,
            &GitInvocation { timeout: COMMIT_TIMEOUT, own_process_group: true, ..GitInvocation::default() },
        )?;
        if output.status == 0 {
            return Ok(GitMergeResult::Committed);
        }
        Ok(match self.ongoing_operation()? {
            Some(OngoingOperation::Merge) => GitMergeResult::Conflicted,
            _ => match self.lock_error(&output) {
                Some(busy) => return Err(busy),
                None => GitMergeResult::Refused(first_message_line(&output)),
            },
        })
    }

    /// Counts the commits that only one side has: ours, theirs.
    ///
    /// # Errors
    /// `git`.
    pub fn ahead_behind(&self, ours: &str, theirs: &str) -> Result<(usize, usize), Rejection> {
        let line = self.stdout_line(&["rev-list", "--left-right", "--count", &format!("{ours}...{theirs}")])?;
        let mut numbers = line.split_whitespace().map(|n| n.parse().unwrap_or(0));
        Ok((numbers.next().unwrap_or(0), numbers.next().unwrap_or(0)))
    }

    /// Counts the commits that lead to this one, including itself.
    ///
    /// # Errors
    /// `git`.
    pub fn commit_count(&self, commit: &str) -> Result<usize, Rejection> {
        Ok(self.stdout_line(&["rev-list", "--count", commit, "--"])?.trim().parse().unwrap_or(0))
    }

    /// Returns the first merge after a commit in the history of the branch.
    ///
    /// # Errors
    /// `git`.
    pub fn first_merge_after(&self, commit: &str) -> Result<Option<String>, Rejection> {
        let range = format!("{commit}..HEAD");
        let out = self.stdout_of(&["rev-list", "--first-parent", "--merges", &range, "--"])?;
        Ok(String::from_utf8_lossy(&out).lines().last().map(str::to_owned))
    }

    /// Lists paths below the directory that differ between two commits; with `only_gone`, those that only the first has,
    /// without renamed files.
    ///
    /// # Errors
    /// `git`.
    pub fn changed_paths(&self, from: &str, to: &str, only_gone: bool) -> Result<Vec<String>, Rejection> {
        let mut args = vec!["diff", "--no-ext-diff", "--name-only", "--relative", "-z"];
        args.extend(if only_gone { ["-M", "--diff-filter=D"] } else { ["--no-renames", "--ignore-submodules"] });
        args.extend([from, to, "--"]);
        Ok(split_nul(&self.stdout_of(&args)?))
    }

    /// Lists files of the commit that a commit made now would no longer contain, under their name or (renamed) another.
    /// Works on a copy of the index.
    ///
    /// # Errors
    /// `git`, `io`.
    pub fn deleted_files(&self, pending: &[PendingFile]) -> Result<Vec<String>, Rejection> {
        let index = self.dir.join(self.stdout_line(&["rev-parse", "--git-path", "index"])?);
        let copy_path = index.with_file_name(format!("memdir-index-{}", std::process::id()));
        let copy_result = std::fs::copy(&index, &copy_path);
        copy_result.map_err(|e| Rejection::new(Code::Io, format!("cannot copy git's index: {e}")))?;
        let deleted = self.deleted_files_by_index(&copy_path.to_string_lossy(), &nul_terminated(pending));
        drop(std::fs::remove_file(&copy_path));
        deleted
    }

    fn deleted_files_by_index(&self, index: &str, pending: &[u8]) -> Result<Vec<String>, Rejection> {
        let env = [("GIT_INDEX_FILE", index)];
        let invocation = GitInvocation { env: &env, ..GitInvocation::default() };
        self.check_index_update(
            &self.invoke_with(&UPDATE_INDEX_ARGS, &GitInvocation { stdin: pending, ..invocation })?,
        )?;
        let output =
            self.invoke_with(&["diff", "--cached", "--name-only", "-z", "-M", "--diff-filter=D", "HEAD"], &invocation)?;
        self.check_index_update(&output).map(|()| split_nul(&output.stdout))
    }

    fn check_index_update(&self, output: &GitOutput) -> Result<(), Rejection> {
        match output.status {
            0 => Ok(()),
            _ => Err(self.lock_error(output).unwrap_or_else(|| git_error(&first_message_line(output)))),
        }
    }

    /// Lists paths of a commit that exist here untracked. If they are ignored, a merge would overwrite them without
    /// warning.
    ///
    /// # Errors
    /// `git`.
    pub fn untracked_collisions(&self, paths: &[String]) -> Result<Vec<String>, Rejection> {
        let exists = |path: &&String| self.dir.join(path).symlink_metadata().is_ok();
        let existing: Vec<String> = paths.iter().filter(exists).cloned().collect();
        if existing.is_empty() {
            return Ok(Vec::new());
        }
        // All of them: the paths may be more than one command line takes.
        let tracked: HashSet<String> = split_nul(&self.stdout_of(&["ls-files", "-z"])?).into_iter().collect();
        Ok(existing.into_iter().filter(|path| !tracked.contains(path)).collect())
    }

    /// Returns the time of a commit, in seconds since 1970.
    ///
    /// # Errors
    /// `git`.
    pub fn commit_time(&self, commit: &str) -> Result<i64, Rejection> {
        let line = self.stdout_line(&["log", "-1", "--no-show-signature", "--format=%ct", commit, "--"])?;
        Ok(line.trim().parse().unwrap_or(0))
    }

    /// Returns the first line of the message prepared for a merge in progress.
    ///
    /// # Errors
    /// As [`Git::invoke`].
    pub fn pending_merge_message(&self) -> Result<Option<String>, Rejection> {
        let path = self.dir.join(self.stdout_line(&["rev-parse", "--git-path", "MERGE_MSG"])?);
        let text = std::fs::read_to_string(path).unwrap_or_default();
        Ok(text.lines().next().map(str::to_owned).filter(|line| !line.trim().is_empty()))
    }
}

/// Formats paths for `git update-index`.
fn nul_terminated(pending: &[PendingFile]) -> Vec<u8> {
    pending.iter().flat_map(|file| [file.path.as_bytes(), b"\0"].concat()).collect()
}

pub(super) fn split_nul(out: &[u8]) -> Vec<String> {
    let each = out.split(|b| *b == 0).filter(|name| !name.is_empty());
    each.map(|name| String::from_utf8_lossy(name).into_owned()).collect()
}

/// Parses the output of `git status --porcelain=v2 --branch -z`.
fn parse_status(out: &[u8]) -> RepositoryState {
    let mut state = RepositoryState::default();
    for record in split_nul(out) {
        let (kind, rest) = record.split_once(' ').unwrap_or((&record, ""));
        match kind {
            "#" => parse_header(&mut state, rest),
            "1" => state.pending.extend(parse_changed(rest)),
            "u" => state.conflicted.extend(parse_conflicted(rest)),
            // A nested repository is not ours to commit.
            "?" if rest.ends_with('/') => {}
            "?" => state.pending.push(PendingFile { path: rest.to_owned(), committed_object: None, is_deleted: false }),
            _ => {}
        }
    }
    state.pending.sort_by(|a, b| a.path.cmp(&b.path));
    // A file that is deleted in the index only still exists.
    let new: Vec<String> =
        state.pending.iter().filter(|p| p.committed_object.is_none()).map(|p| p.path.clone()).collect();
    let only_unstaged: Vec<PendingFile> =
        state.pending.extract_if(.., |p| p.is_deleted && new.contains(&p.path)).collect();
    for file in only_unstaged {
        let untracked_again = state.pending.iter_mut().find(|p| p.path == file.path);
        untracked_again.into_iter().for_each(|p| p.committed_object = file.committed_object.clone());
    }
    state
}

fn parse_header(state: &mut RepositoryState, rest: &str) {
    match rest.split_once(' ') {
        Some(("branch.oid", oid)) if oid != "(initial)" => state.head = Some(oid.to_owned()),
        Some(("branch.head", name)) if name != "(detached)" => state.branch = Some(name.to_owned()),
        Some(("branch.upstream", _)) => state.has_upstream = true,
        _ => {}
    }
}

/// Parses `XY sub mH mI mW hH hI path`.
fn parse_changed(rest: &str) -> Option<PendingFile> {
    let fields: Vec<&str> = rest.splitn(8, ' ').collect();
    let [kind, _, _, _, _, head, _, path] = fields[..] else { return None };
    let committed_object = (!head.bytes().all(|b| b == b'0')).then(|| head.to_owned());
    let is_deleted = kind.ends_with('D') || kind == "D.";
    // Staged, then deleted before it was committed.
    let never_committed = committed_object.is_none() && is_deleted;
    (!never_committed).then(|| PendingFile { path: path.to_owned(), committed_object, is_deleted })
}

/// Parses `XY sub m1 m2 m3 mW h1 h2 h3 path`.
fn parse_conflicted(rest: &str) -> Option<ConflictedPath> {
    let fields: Vec<&str> = rest.splitn(10, ' ').collect();
    let (ours, theirs, path) = (fields.get(3)?, fields.get(4)?, fields.get(9)?);
    Some(ConflictedPath { path: (*path).to_owned(), ours: *ours != "000000", theirs: *theirs != "000000" })
}

/// Returns the first line of output of git (or a hook) that is not empty.
pub(super) fn first_message_line(output: &GitOutput) -> String {
    let lines = output.stderr.lines().chain(std::str::from_utf8(&output.stdout).unwrap_or_default().lines());
    let line = lines.map(str::trim).find(|line| !line.is_empty()).unwrap_or("no reason given");
    let plain = line.trim_start_matches("fatal: ").trim_start_matches("error: ");
    without_credentials(plain).chars().filter(|c| !c.is_control()).take(200).collect()
}

fn commit_error(output: &GitOutput) -> Rejection {
    let error = Rejection::new(Code::Git, format!("git commit failed: {}", first_message_line(output)));
    if output.stderr.contains("Please tell me who you are") || output.stderr.contains("empty ident") {
        return error.hint("set your git identity: `git config user.name NAME` and `git config user.email ADDRESS`");
    }
    if output.stderr.contains("sign the data") || output.stderr.contains("failed to write commit object") {
        return error.hint("commit.gpgsign is set: unlock the key, or sync at a terminal that can prompt for it");
    }
    error.hint("fix what git or a hook reports; pending files stay in the index, and the next sync commits them")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_status_is_read() {
        let zero = "0".repeat(40);
        let out = format!(
            "# branch.oid aa\0# branch.head main\0# branch.upstream origin/main\0\
             1 .M N... 100644 100644 100644 bb bb facts/a b.md\0\
             1 AD N... 000000 100644 000000 {zero} cc never.md\0\
             1 .D N... 100644 100644 000000 dd dd gone.md\0\
             u UD N... 100644 100644 000000 100644 ee ff {zero} facts/u.md\0? new.md\0? nested/\0"
        );
        let state = parse_status(out.as_bytes());
        assert_eq!(
            (state.head.as_deref(), state.branch.as_deref(), state.has_upstream),
            (Some("aa"), Some("main"), true)
        );
        let pending: Vec<_> =
            state.pending.iter().map(|p| (p.path.as_str(), p.committed_object.as_deref(), p.is_deleted)).collect();
        let expected = [("facts/a b.md", Some("bb"), false), ("gone.md", Some("dd"), true), ("new.md", None, false)];
        assert_eq!(pending, expected);
        assert_eq!(state.conflicted, [ConflictedPath { path: "facts/u.md".into(), ours: true, theirs: false }]);
        let empty = super::parse_status(b"# branch.oid (initial)\0# branch.head (detached)\0");
        assert_eq!(empty, RepositoryState::default());
    }

    #[test]
    fn messages_of_git_lose_control_characters_and_credentials() {
        let message = |talk: &str| {
            first_message_line(&GitOutput {
                status: 1,
                stdout: vec![],
                first_stderr_line: String::new(),
                stderr: talk.into(),
            })
        };
        assert_eq!(
            message("\nfatal: unable to access 'https://me:pw@host/x': no\n"),
            "unable to access 'https://host/x': no"
        );
        assert_eq!(message("a\u{1b}[31m b\n"), "a[31m b");
        assert_eq!(message("see ssh://git@h/a and http://h/b@c"), "see ssh://h/a and http://h/b@c");
    }
}
