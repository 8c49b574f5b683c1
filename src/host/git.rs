//! git, asked as a program: every invocation of it stands here.
//!
//! Never goes through a shell, never waits for ever or for a person, and never lets the repository of a surrounding
//! hook leak in: which repository is meant is said by a directory alone.

use std::ffi::OsStr;
use std::io::{ErrorKind, Read, Write};
use std::os::fd::AsFd;
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use rustix::event::{PollFd, PollFlags, Timespec, poll};

use crate::code::{Code, Rejection};

/// The most that git may answer, in bytes.
const MOST: usize = 512 << 20;
/// How long git may take for one answer. Nothing asked here reaches a network.
const WAIT: Duration = Duration::from_secs(60);
/// How long a git that was asked to end may take to do so.
const GRACE: Duration = Duration::from_secs(2);

/// What ties git to a repository (`git rev-parse --local-env-vars`), and what makes it talk or wait.
const LOCAL: [&str; 18] = [
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

/// git, seen from one directory.
#[derive(Clone, Debug)]
pub struct Git {
    pub(super) dir: PathBuf,
}

/// What git came to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Ended {
    /// Its exit status; 128 and the signal's number where a signal ended it.
    pub status: i32,
    /// What it answered.
    pub out: Vec<u8>,
    /// What it said, its first line.
    pub said: String,
    /// All that it said.
    pub talk: String,
}

/// How git is asked, where it is not the usual way.
#[derive(Clone, Copy, Debug)]
pub(super) struct Ask<'a> {
    /// What it finds on stdin.
    pub stdin: &'a [u8],
    /// How long it may take.
    pub wait: Duration,
    /// Variables of its environment.
    pub env: &'a [(&'a str, &'a str)],
    /// A key that interrupts memdir does not reach it: what it has begun, it ends.
    pub alone: bool,
}

impl Default for Ask<'_> {
    fn default() -> Self {
        Ask { stdin: b"", wait: WAIT, env: &[], alone: false }
    }
}

/// A file as a revision has it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Blob {
    /// Its path below the directory that was asked for.
    pub path: String,
    /// Its object's name.
    pub object: String,
}

/// A path that git has not merged, with the object of each side; `None` where that side has no such file.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Unmerged {
    /// Its path below the directory that was asked for.
    pub path: String,
    /// The common ancestor's.
    pub base: Option<String>,
    /// Ours.
    pub ours: Option<String>,
    /// Theirs.
    pub theirs: Option<String>,
}

impl Git {
    /// git in the work tree around a directory; `None` where no `.git` stands in it or above. Starts nothing.
    pub fn around(dir: &Path) -> Option<Git> {
        dir.ancestors().any(|above| above.join(".git").exists()).then(|| Git::at(dir))
    }

    /// git in a directory, whether or not a repository is around it.
    pub fn at(dir: &Path) -> Git {
        Git { dir: dir.to_owned() }
    }

    /// Runs git with these arguments.
    ///
    /// # Errors
    /// `no_git` when it cannot be started, `git` when it answers too much or takes too long.
    pub fn ask<S: AsRef<OsStr>>(&self, args: &[S], stdin: &[u8]) -> Result<Ended, Rejection> {
        self.run(args, &Ask { stdin, ..Ask::default() })
    }

    /// The same, asked in an unusual way. That it took too long is told by a detail, `timeout`.
    pub(super) fn run<S: AsRef<OsStr>>(&self, args: &[S], ask: &Ask<'_>) -> Result<Ended, Rejection> {
        let mut command = Command::new("git");
        for name in LOCAL {
            command.env_remove(name);
        }
        command.env("LC_ALL", "C").env("GIT_TERMINAL_PROMPT", "0").env("GIT_OPTIONAL_LOCKS", "0");
        // Nothing asked here is worth a network or a command that a repository's own config names.
        command.env("GIT_NO_LAZY_FETCH", "1").envs(ask.env.iter().copied());
        command.arg("-C").arg(&self.dir).args(["--no-pager", "-c", "core.fsmonitor=false"]).args(args);
        if ask.alone {
            command.process_group(0);
        }
        let stdin = if ask.stdin.is_empty() { Stdio::null() } else { Stdio::piped() };
        command.stdin(stdin).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = command.spawn().map_err(|e| missing(&e))?;
        let listened = listen(&mut child, ask.stdin, ask.wait);
        let ended = child.wait().map_err(|e| failed(&format!("it cannot be waited for: {e}")))?;
        let (out, said) = listened?;
        let signal = std::os::unix::process::ExitStatusExt::signal(&ended);
        let talk = String::from_utf8_lossy(&said).into_owned();
        let said = talk.lines().next().unwrap_or_default().to_owned();
        Ok(Ended { status: ended.code().unwrap_or_else(|| 128 + signal.unwrap_or_default()), out, said, talk })
    }

    /// What git answers to these arguments.
    ///
    /// # Errors
    /// As [`Git::ask`], and `git` when it ends with a failure.
    pub fn answer<S: AsRef<OsStr>>(&self, args: &[S]) -> Result<Vec<u8>, Rejection> {
        let ended = self.ask(args, b"")?;
        match ended.status {
            0 => Ok(ended.out),
            _ => Err(failed(ended.said.trim_start_matches("fatal: ").trim_start_matches("error: "))),
        }
    }

    /// The same as one line of text.
    pub(super) fn line(&self, args: &[&str]) -> Result<String, Rejection> {
        Ok(String::from_utf8_lossy(&self.answer(args)?).trim_end_matches(['\n', '\r']).to_owned())
    }

    /// The root of the work tree, and the directory as seen from it (`memory/`; empty for the root itself).
    ///
    /// # Errors
    /// `no_repository` outside a work tree; as [`Git::ask`].
    pub fn place(&self) -> Result<(PathBuf, String), Rejection> {
        let none = || Rejection::new(Code::NoRepository, format!("'{}' is in no git work tree", self.dir.display()));
        let ended = self.ask(&["rev-parse", "--show-toplevel"], b"")?;
        if ended.status != 0 {
            return Err(match ended.said.contains("dubious ownership") {
                true => none().hint("git does not trust this repository: it belongs to another user"),
                false => none(),
            });
        }
        let top = String::from_utf8_lossy(&ended.out).trim_end_matches('\n').to_owned();
        if top.is_empty() {
            return Err(none());
        }
        Ok((top.into(), self.line(&["rev-parse", "--show-prefix"])?))
    }

    /// The value of a setting, wherever it is set.
    ///
    /// # Errors
    /// As [`Git::ask`].
    pub fn setting(&self, key: &str) -> Result<Option<String>, Rejection> {
        self.get(&["config", "--null", "--get", key])
    }

    /// The value of a setting in this clone's own config.
    ///
    /// # Errors
    /// As [`Git::ask`].
    pub fn own_setting(&self, key: &str) -> Result<Option<String>, Rejection> {
        self.get(&["config", "--local", "--null", "--get", key])
    }

    fn get(&self, args: &[&str]) -> Result<Option<String>, Rejection> {
        let ended = self.ask(args, b"")?;
        let value = || String::from_utf8_lossy(&ended.out).trim_end_matches('\0').to_owned();
        Ok((ended.status == 0).then(value))
    }

    /// Sets a setting in this clone's config, or takes it out.
    ///
    /// # Errors
    /// `git`.
    pub fn set(&self, key: &str, value: Option<&str>) -> Result<(), Rejection> {
        match value {
            Some(value) => self.answer(&["config", "--local", "--replace-all", key, value]).map(drop),
            None => self.answer(&["config", "--local", "--unset-all", key]).map(drop),
        }
    }

    /// The value of an attribute of a path below the directory: `set`, `unset`, `unspecified` or a word.
    ///
    /// # Errors
    /// `git`.
    pub fn attribute(&self, name: &str, path: &str) -> Result<String, Rejection> {
        let out = self.answer(&["check-attr", "-z", name, "--", path])?;
        let value = out.split(|b| *b == 0).nth(2).unwrap_or_default();
        Ok(String::from_utf8_lossy(value).into_owned())
    }

    /// Whether git leaves a path below the directory out.
    ///
    /// # Errors
    /// As [`Git::ask`].
    pub fn ignores(&self, path: &str) -> Result<bool, Rejection> {
        Ok(self.ask(&["check-ignore", "--quiet", "--", path], b"")?.status == 0)
    }

    /// The commit that a revision names, as an object's name.
    ///
    /// # Errors
    /// `revision_not_found`.
    pub fn commit(&self, revision: &str) -> Result<String, Rejection> {
        let shown: String = revision.chars().take(60).flat_map(char::escape_debug).collect();
        let unknown = || Rejection::new(Code::RevisionNotFound, format!("git knows no revision '{shown}' here"));
        if revision.is_empty() || revision.starts_with('-') || revision.contains(['\n', '\0']) {
            return Err(unknown());
        }
        let ended = self.ask(&["rev-parse", "--verify", "--quiet", &format!("{revision}^{{commit}}")], b"")?;
        match ended.status {
            0 => Ok(String::from_utf8_lossy(&ended.out).trim().to_owned()),
            _ => Err(unknown().hint("a shallow clone knows only its newest commits")),
        }
    }

    /// Where two commits parted; `None` when they have nothing in common.
    ///
    /// # Errors
    /// As [`Git::ask`].
    pub fn fork(&self, a: &str, b: &str) -> Result<Option<String>, Rejection> {
        let ended = self.ask(&["merge-base", a, b], b"")?;
        let first = || String::from_utf8_lossy(&ended.out).lines().next().unwrap_or_default().to_owned();
        Ok((ended.status == 0).then(first).filter(|name| !name.is_empty()))
    }

    /// The plain files below the directory at a commit, by path. Links and submodules are no files.
    ///
    /// # Errors
    /// `git`.
    pub fn files(&self, commit: &str) -> Result<Vec<Blob>, Rejection> {
        let out = self.answer(&["ls-tree", "-r", "-z", commit])?;
        Ok(records(&out).filter(|(kind, _)| kind.starts_with("100")).filter_map(blob(2)).collect())
    }

    /// The paths below the directory that git has not merged.
    ///
    /// # Errors
    /// `git`.
    pub fn unmerged(&self) -> Result<Vec<Unmerged>, Rejection> {
        let out = self.answer(&["ls-files", "--unmerged", "-z"])?;
        let mut all: Vec<Unmerged> = Vec::new();
        for (head, path) in records(&out) {
            let mut words = head.split(' ').skip(1);
            let (Some(object), Some(stage)) = (words.next(), words.next()) else { continue };
            if all.last().is_none_or(|last| last.path != path) {
                all.push(Unmerged { path, ..Unmerged::default() });
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

    /// The bytes of objects, in the order given.
    ///
    /// # Errors
    /// `git`.
    pub fn contents(&self, objects: &[&str]) -> Result<Vec<Vec<u8>>, Rejection> {
        if objects.is_empty() {
            return Ok(Vec::new());
        }
        let ended = self.ask(&["cat-file", "--batch"], (objects.join("\n") + "\n").as_bytes())?;
        let mut rest = ended.out.as_slice();
        objects.iter().map(|_| batched(&mut rest).ok_or_else(gone)).collect()
    }

    /// Merges three files line by line, as git does without a driver: the text and whether it holds conflicts.
    /// `None` for what git takes for binary.
    ///
    /// # Errors
    /// As [`Git::ask`].
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
        let ended = self.ask(&args, b"")?;
        Ok((ended.status < 128).then_some((ended.out, ended.status != 0)))
    }
}

/// The `head TAB path NUL` records that git lists files in.
fn records(out: &[u8]) -> impl Iterator<Item = (String, String)> {
    out.split(|b| *b == 0).filter_map(|record| {
        let at = memchr::memchr(b'\t', record)?;
        let text = |bytes| std::str::from_utf8(bytes).ok().map(str::to_owned);
        Some((text(&record[..at])?, text(&record[at + 1..])?))
    })
}

/// Reads a record whose object stands at a place in its head.
fn blob(at: usize) -> impl Fn((String, String)) -> Option<Blob> {
    move |(head, path)| Some(Blob { path, object: head.split(' ').nth(at)?.to_owned() })
}

/// One object of `cat-file --batch`: `name blob SIZE`, its bytes, a line end.
fn batched(rest: &mut &[u8]) -> Option<Vec<u8>> {
    let end = memchr::memchr(b'\n', rest)?;
    let head = std::str::from_utf8(&rest[..end]).ok()?;
    let size: usize = head.split(' ').nth(2).filter(|_| head.split(' ').nth(1) == Some("blob"))?.parse().ok()?;
    let body = rest.get(end + 1..)?;
    let bytes = body.get(..size)?.to_vec();
    *rest = body.get(size + 1..)?;
    Some(bytes)
}

fn gone() -> Rejection {
    failed("an object is missing").hint("a partial clone holds no old texts: `git fetch --refetch` gets them")
}

fn missing(error: &std::io::Error) -> Rejection {
    match error.kind() {
        ErrorKind::NotFound => Rejection::new(Code::NoGit, "git is not installed, or not on PATH")
            .hint("install git, or use what needs none: `memdir merge BASE OURS THEIRS`"),
        _ => Rejection::new(Code::Git, format!("git cannot be started: {error}")),
    }
}

/// Ends a git that takes too long: asked first, so that it takes its lock files away.
fn stop(child: &mut Child) {
    let pid = rustix::process::Pid::from_child(child);
    let _ = rustix::process::kill_process(pid, rustix::process::Signal::TERM);
    let until = Instant::now() + GRACE;
    while Instant::now() < until {
        if child.try_wait().is_ok_and(|ended| ended.is_some()) {
            return;
        }
        std::thread::sleep(Duration::from_millis(10));
    }
    drop(child.kill());
}

pub(super) fn failed(why: &str) -> Rejection {
    let why: String = why.chars().take(200).flat_map(char::escape_debug).collect();
    Rejection::new(Code::Git, format!("git refused: {why}"))
}

/// Writes stdin and reads both streams to their ends, within bounds.
fn listen(child: &mut Child, stdin: &[u8], patience: Duration) -> Result<(Vec<u8>, Vec<u8>), Rejection> {
    let (pipe, mut out, mut err) = (child.stdin.take(), child.stdout.take(), child.stderr.take());
    let mut heard = (Vec::new(), Vec::new());
    std::thread::scope(|scope| {
        // A thread of its own: git may answer before it has read all.
        if let Some(mut pipe) = pipe {
            scope.spawn(move || pipe.write_all(stdin));
        }
        let until = Instant::now() + patience;
        let mut hear = || {
            while out.is_some() || err.is_some() {
                wait(&out, &err, until)?;
                take(&mut out, &mut heard.0)?;
                take(&mut err, &mut heard.1)?;
            }
            Ok(())
        };
        // Who still writes to a git that is not listened to any more would write for ever.
        hear().inspect_err(|_: &Rejection| stop(child))
    })?;
    Ok(heard)
}

/// Waits until one of the open streams has something to read (its end counts).
fn wait(out: &Option<impl AsFd>, err: &Option<impl AsFd>, until: Instant) -> Result<(), Rejection> {
    loop {
        let left = until.saturating_duration_since(Instant::now());
        if left.is_zero() {
            return Err(Rejection::new(Code::Git, "git takes too long").detail("timeout", true));
        }
        let mut fds: Vec<PollFd<'_>> = Vec::with_capacity(2);
        fds.extend(out.iter().map(|fd| PollFd::new(fd, PollFlags::IN)));
        fds.extend(err.iter().map(|fd| PollFd::new(fd, PollFlags::IN)));
        let timeout = Timespec { tv_sec: left.as_secs() as i64, tv_nsec: left.subsec_nanos().into() };
        match poll(&mut fds, Some(&timeout)) {
            Ok(0) | Err(rustix::io::Errno::INTR) => {}
            Ok(_) => return Ok(()),
            Err(e) => return Err(failed(&e.to_string())),
        }
    }
}

/// Reads what a stream has, and closes it at its end.
fn take(stream: &mut Option<impl AsFd + Read>, heard: &mut Vec<u8>) -> Result<(), Rejection> {
    let Some(open) = stream else { return Ok(()) };
    let now = Timespec { tv_sec: 0, tv_nsec: 0 };
    let ready = poll(&mut [PollFd::new(open, PollFlags::IN)], Some(&now)).is_ok_and(|n| n > 0);
    if !ready {
        return Ok(());
    }
    let mut block = [0; 64 << 10];
    match open.read(&mut block) {
        Ok(0) => *stream = None,
        Ok(n) if heard.len() + n > MOST => return Err(Rejection::new(Code::Git, "git answers too much")),
        Ok(n) => heard.extend_from_slice(&block[..n]),
        Err(e) if e.kind() == ErrorKind::Interrupted => {}
        Err(e) => return Err(failed(&e.to_string())),
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn objects_come_one_after_the_other() {
        let mut rest: &[u8] = b"aa blob 3\nx\ny\nbb blob 0\n\ncc missing\n";
        assert_eq!(batched(&mut rest), Some(b"x\ny".to_vec()));
        assert_eq!(batched(&mut rest), Some(Vec::new()));
        assert_eq!(batched(&mut rest), None);
    }

    #[test]
    fn files_are_listed_with_their_objects() {
        let out = b"100644 blob aa\tfacts/a b.md\x00120000 blob bb\tlink\x00160000 commit cc\tsub\0";
        let plain = records(out).filter(|(kind, _)| kind.starts_with("100"));
        assert_eq!(
            plain.filter_map(blob(2)).collect::<Vec<_>>(),
            [Blob { path: "facts/a b.md".into(), object: "aa".into() }]
        );
    }
}
