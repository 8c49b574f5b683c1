//! Finds the lock files that a killed git leaves in a repository, and removes those of a killed process of ours.
//!
//! Never removes a lock that a running git may hold, and never guesses: without the record of a killed process, or
//! where running processes cannot be listed, a lock is only named.

use std::fs;
use std::path::{Path, PathBuf};
use std::time::{Duration, UNIX_EPOCH};

use serde::{Deserialize, Serialize};

use super::git::{Git, GitOutput};
use crate::code::{Code, Rejection};

/// File systems may round the time of a file down to two seconds.
const TIME_GRANULARITY: Duration = Duration::from_secs(2);
/// How deep the folders of branch names below `refs/` may be.
const MAX_REF_DEPTH: usize = 16;

/// A process that runs git: enough to find out later whether it still runs.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct GitUser {
    pid: u32,
    /// When the process started, in clock ticks since boot: process ids are used again.
    start: u64,
    /// The boot and the process namespace in which its id is valid.
    machine: String,
    /// When it began to run git, in seconds since 1970.
    since: u64,
}

impl GitUser {
    /// This process; `None` where the system does not report it.
    pub fn current() -> Option<GitUser> {
        let since = std::time::SystemTime::now().duration_since(UNIX_EPOCH).ok()?.as_secs();
        let pid = std::process::id();
        Some(GitUser { pid, start: start_time(pid)?, machine: machine_name()?, since })
    }

    /// Whether the process was killed: it is not running on the machine where it ran.
    fn was_killed(&self) -> bool {
        machine_name().is_some_and(|machine| machine == self.machine) && start_time(self.pid) != Some(self.start)
    }
}

/// The boot of this machine and the namespace of its process ids.
fn machine_name() -> Option<String> {
    let boot = fs::read_to_string("/proc/sys/kernel/random/boot_id").ok()?;
    let namespace = fs::read_link("/proc/self/ns/pid").ok()?;
    Some(format!("{} {}", boot.trim(), namespace.display()))
}

/// When a process started, in clock ticks since boot (proc(5), field 22 of `stat`).
fn start_time(pid: u32) -> Option<u64> {
    let stat = fs::read_to_string(format!("/proc/{pid}/stat")).ok()?;
    // The program's name, in parentheses, may contain anything.
    stat.rsplit_once(')')?.1.split_whitespace().nth(19)?.parse().ok()
}

impl Git {
    /// Removes the locks that a killed process of ours left, and returns their paths relative to the work tree; `None`
    /// if another git may hold them.
    ///
    /// # Errors
    /// As [`Git::invoke`]; a lock that cannot be removed stays.
    pub fn remove_stale_locks(&self, killed: &GitUser) -> Result<Option<Vec<String>>, Rejection> {
        if !killed.was_killed() {
            return Ok(Some(Vec::new()));
        }
        let since = UNIX_EPOCH + Duration::from_secs(killed.since);
        let dirs = self.git_dirs()?;
        let mut locks: Vec<PathBuf> = dirs.iter().flat_map(|dir| lock_files(dir)).collect();
        locks.retain(|lock| {
            let stat = lock.symlink_metadata().ok().filter(fs::Metadata::is_file);
            stat.and_then(|stat| stat.modified().ok()).is_some_and(|time| time + TIME_GRANULARITY >= since)
        });
        locks.sort();
        locks.dedup();
        if !locks.is_empty() && self.running_git(&dirs)? != RunningGit::None {
            return Ok(None);
        }
        locks.retain(|lock| fs::remove_file(lock).is_ok());
        Ok(Some(locks.iter().map(|lock| self.display_path(lock)).collect()))
    }

    /// The directories that hold the index, the refs and the config: of the clone, and of its main work tree.
    fn git_dirs(&self) -> Result<Vec<PathBuf>, Rejection> {
        let out = self.stdout_of(&["rev-parse", "--git-dir", "--git-common-dir"])?;
        let dirs = String::from_utf8_lossy(&out).into_owned();
        let mut dirs: Vec<PathBuf> = dirs.lines().filter_map(|dir| self.dir.join(dir).canonicalize().ok()).collect();
        dirs.dedup();
        Ok(dirs)
    }

    fn display_path(&self, path: &Path) -> String {
        let dir = self.dir.canonicalize().unwrap_or_else(|_| self.dir.clone());
        path.strip_prefix(dir).unwrap_or(path).display().to_string()
    }

    /// Looks for a git process that runs in this repository.
    fn running_git(&self, git_dirs: &[PathBuf]) -> Result<RunningGit, Rejection> {
        let (top, _) = self.work_tree()?;
        let top = top.canonicalize().unwrap_or(top);
        let Ok(processes) = fs::read_dir("/proc") else { return Ok(RunningGit::Unknown) };
        let mut seen_own = false;
        for pid in processes.flatten().filter_map(|entry| entry.file_name().to_str()?.parse::<u32>().ok()) {
            seen_own |= pid == std::process::id();
            let name = fs::read_to_string(format!("/proc/{pid}/comm")).unwrap_or_default();
            if !name.starts_with("git") {
                continue;
            }
            let command_line = fs::read(format!("/proc/{pid}/cmdline")).unwrap_or_default();
            // A process that ended meanwhile, or is ended and not yet waited for, has no command line.
            if command_line.is_empty() {
                continue;
            }
            let Ok(dir) = fs::read_link(format!("/proc/{pid}/cwd")) else { return Ok(RunningGit::Unknown) };
            let command_line = String::from_utf8_lossy(&command_line);
            let is_here = |path: &PathBuf| dir.starts_with(path) || command_line.contains(&*path.to_string_lossy());
            if git_dirs.iter().chain([&top]).any(is_here) {
                return Ok(RunningGit::Process(pid));
            }
        }
        Ok(if seen_own { RunningGit::None } else { RunningGit::Unknown })
    }

    /// The error for a git command that failed because of a lock; names the lock, and the process that may hold it.
    pub(super) fn lock_error(&self, output: &GitOutput) -> Option<Rejection> {
        let NamedLock::Here(lock) = named_lock(&output.stderr)? else { return None };
        Some(self.held_lock_error(&lock))
    }

    /// The error for a lock that is in the way.
    pub fn held_lock_error(&self, lock: &str) -> Rejection {
        let shown = self.display_path(Path::new(lock));
        let dirs = self.git_dirs().unwrap_or_default();
        match self.running_git(&dirs).unwrap_or(RunningGit::Unknown) {
            RunningGit::Process(pid) => Rejection::new(
                Code::Busy,
                format!("another git process is running in this repository ({pid}); its lock is {shown}"),
            )
            .hint("try again when it has finished"),
            RunningGit::None => Rejection::new(
                Code::Busy,
                format!("git's lock {shown} is in the way, and no git is running in this repository"),
            )
            .hint(format!("a git that was killed left it; remove it: `rm {shown}`")),
            RunningGit::Unknown => Rejection::new(
                Code::Busy,
                format!("git's lock {shown} is in the way: another git is running, or was killed"),
            )
            .hint(format!("try again; if no other git is running, remove it: `rm {shown}`")),
        }
    }
}

/// Whether a git process runs in a repository.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum RunningGit {
    None,
    /// One runs: its process id.
    Process(u32),
    /// Processes cannot be listed here.
    Unknown,
}

/// The lock files directly in a git directory, and those of its refs.
fn lock_files(git_dir: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    collect_locks(git_dir, 0, &mut found);
    collect_locks(&git_dir.join("refs"), MAX_REF_DEPTH, &mut found);
    found
}

fn collect_locks(dir: &Path, depth: usize, found: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(dir).into_iter().flatten().flatten() {
        let (path, kind) = (entry.path(), entry.file_type());
        if depth > 0 && kind.is_ok_and(|kind| kind.is_dir()) {
            collect_locks(&path, depth - 1, found);
        } else if path.extension().is_some_and(|extension| extension == "lock") {
            found.push(path);
        }
    }
}

/// A lock that git's message names.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum NamedLock {
    /// In this repository: its path.
    Here(String),
    /// In the remote repository: its path there.
    There(String),
}

/// The lock file that made a git command fail: `Unable to create 'PATH': File exists`, or `could not lock config file
/// PATH: File exists`.
pub fn named_lock(stderr: &str) -> Option<NamedLock> {
    stderr.lines().find_map(|line| {
        let named = line.contains("File exists").then(|| {
            let created = line.split_once("Unable to create '").and_then(|(_, rest)| rest.split_once('\''));
            let config = line.split_once("could not lock config file ").and_then(|(_, rest)| rest.split_once(": "));
            created.map(|(path, _)| path.to_owned()).or(config.map(|(path, _)| format!("{path}.lock")))
        });
        let path = named.flatten().filter(|path| path.ends_with(".lock"))?;
        Some(if line.starts_with("remote: ") { NamedLock::There(path) } else { NamedLock::Here(path) })
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_lock_is_read_from_gits_message() {
        let of = |text: &str| named_lock(text);
        assert_eq!(
            of("fatal: Unable to create '/a b/.git/index.lock': File exists.\n\nAnother git process"),
            Some(NamedLock::Here("/a b/.git/index.lock".into()))
        );
        assert_eq!(
            of("error: cannot lock ref 'refs/x': Unable to create '/r/.git/refs/x.lock': File exists."),
            Some(NamedLock::Here("/r/.git/refs/x.lock".into()))
        );
        assert_eq!(
            of("remote: error: cannot lock ref 'refs/x': Unable to create '/hub/refs/x.lock': File exists.        "),
            Some(NamedLock::There("/hub/refs/x.lock".into()))
        );
        assert_eq!(
            of("error: could not lock config file .git/config: File exists"),
            Some(NamedLock::Here(".git/config.lock".into()))
        );
        assert_eq!(of("error: cannot lock ref 'refs/x': is at 1 but expected 2"), None);
        assert_eq!(of("fatal: Unable to create '/r/x.lock': Permission denied"), None);
    }

    #[test]
    fn a_process_is_killed_only_if_it_ran_here() {
        let Some(own) = GitUser::current() else { return };
        assert!(!own.was_killed());
        assert!(GitUser { start: own.start + 1, ..own.clone() }.was_killed());
        assert!(!GitUser { start: own.start + 1, machine: "another".into(), ..own }.was_killed());
    }
}
