//! A repository that is a memory: what is pending in it, what git is in the middle of, commits and merges.
//!
//! Never adds what stays at home (`inbox/`, `.memdir/`), never forces anything, and never reaches a network.

use std::time::Duration;

use super::git::{Ask, Ended, Git, failed};
use crate::code::{Code, Rejection};

/// What is shared: everything but proposals and machine state, also those of scopes.
const SHARED: [&str; 4] =
    [".", ":(exclude,top,glob)inbox/**", ":(exclude,top,glob)scopes/*/inbox/**", ":(exclude,top,glob)**/.memdir/**"];
/// What stays at home.
const HOME: [&str; 2] = [":(top,glob)inbox/**", ":(top,glob)scopes/*/inbox/**"];
/// How long a commit or a merge may take: hooks and signatures are part of it.
const WAIT: Duration = Duration::from_secs(600);
/// Takes files into the index by their names alone: what is gone goes, also where it was never known.
const TAKE: [&str; 6] = ["update-index", "--add", "--remove", "--replace", "-z", "--stdin"];
/// Housekeeping would be done while writers wait; a fetch does it, too.
const BRISK: [&str; 4] = ["-c", "maintenance.auto=false", "-c", "gc.auto=0"];

/// What git is in the middle of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum UnderWay {
    /// A merge.
    Merge,
    /// Anything else, by its name.
    Other(&'static str),
}

/// The signs of what git is in the middle of.
const SIGNS: [(&str, UnderWay); 7] = [
    ("rebase-merge", UnderWay::Other("rebase")),
    ("rebase-apply", UnderWay::Other("rebase")),
    ("CHERRY_PICK_HEAD", UnderWay::Other("cherry-pick")),
    ("REVERT_HEAD", UnderWay::Other("revert")),
    ("sequencer", UnderWay::Other("cherry-pick or revert")),
    ("BISECT_LOG", UnderWay::Other("bisect")),
    ("MERGE_HEAD", UnderWay::Merge),
];

/// A repository as it stands.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct State {
    /// The commit that is checked out; none before the first one.
    pub head: Option<String>,
    /// The branch; none where a commit is looked at by itself.
    pub branch: Option<String>,
    /// Whether the branch follows one of a remote's.
    pub follows: bool,
    /// Shared files that are not as the commit has them, merged or not yet in it.
    pub pending: Vec<Pending>,
    /// Files that a merge left for a person.
    pub unmerged: Vec<Unmerged>,
}

/// A file that is not as the commit has it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Pending {
    /// Its path.
    pub path: String,
    /// Its object in the commit; none for a new one.
    pub was: Option<String>,
    /// Whether it stands no longer.
    pub gone: bool,
}

/// A file that a merge left for a person.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Unmerged {
    /// Its path.
    pub path: String,
    /// Whether our side has it.
    pub ours: bool,
    /// Whether their side has it.
    pub theirs: bool,
}

/// What a merge came to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Merging {
    /// It is done and committed.
    Done,
    /// Something is left for a person; git waits.
    Left,
    /// git did not begin: what it said.
    Refused(String),
}

impl Git {
    /// What git is in the middle of here.
    ///
    /// # Errors
    /// As [`Git::ask`].
    pub fn under_way(&self) -> Result<Option<UnderWay>, Rejection> {
        let mut args = vec!["rev-parse"];
        args.extend(SIGNS.iter().flat_map(|(name, _)| ["--git-path", name]));
        let out = self.answer(&args)?;
        let paths = String::from_utf8_lossy(&out).into_owned();
        let stands = |path: &str| self.dir.join(path).symlink_metadata().is_ok();
        Ok(paths.lines().zip(SIGNS).find(|(path, _)| stands(path)).map(|(_, (_, what))| what))
    }

    /// The repository as it stands.
    ///
    /// # Errors
    /// `git`.
    pub fn state(&self) -> Result<State, Rejection> {
        let mut args =
            vec!["status", "--porcelain=v2", "--branch", "-z", "--untracked-files=all", "--no-renames", "--"];
        args.extend(SHARED);
        Ok(state(&self.answer(&args)?))
    }

    /// Tracked files of `inbox/`.
    ///
    /// # Errors
    /// `git`.
    pub fn home(&self) -> Result<Vec<String>, Rejection> {
        let mut args = vec!["ls-files", "-z", "--"];
        args.extend(HOME);
        Ok(names(&self.answer(&args)?))
    }

    /// Takes files that wait into the index as they stand, and what stays at home back out of it.
    ///
    /// # Errors
    /// `git`.
    pub fn stage(&self, pending: &[Pending], head: bool) -> Result<(), Rejection> {
        taken(&self.run(&TAKE, &Ask { stdin: &listed(pending), ..Ask::default() })?)?;
        let mut args = match head {
            true => vec!["diff", "--cached", "--name-only", "-z", "HEAD", "--"],
            false => vec!["ls-files", "-z", "--"],
        };
        args.extend(HOME);
        let staged = names(&self.answer(&args)?);
        if staged.is_empty() {
            return Ok(());
        }
        let mut args = match head {
            true => vec!["reset", "--quiet", "HEAD", "--"],
            false => vec!["rm", "--cached", "--quiet", "--"],
        };
        args.extend(HOME);
        self.answer(&args).map(drop)
    }

    /// Takes files into the index as they stand: a merge is told that they are decided.
    ///
    /// # Errors
    /// `git`.
    pub fn add(&self, paths: &[String]) -> Result<(), Rejection> {
        if paths.is_empty() {
            return Ok(());
        }
        let mut args = vec!["--literal-pathspecs", "add", "--"];
        args.extend(paths.iter().map(String::as_str));
        self.answer(&args).map(drop)
    }

    /// Whether the index differs from the commit.
    ///
    /// # Errors
    /// `git`.
    pub fn staged(&self, head: bool) -> Result<bool, Rejection> {
        match head {
            true => Ok(self.ask(&["diff", "--cached", "--quiet", "HEAD"], b"")?.status != 0),
            false => Ok(!self.answer(&["ls-files", "-z"])?.is_empty()),
        }
    }

    /// Commits the index with this message; hooks, signatures and identity are the user's own.
    ///
    /// # Errors
    /// `git`, with what git said first and the mend.
    pub fn commit_index(&self, message: &str) -> Result<(), Rejection> {
        let mut args: Vec<&str> = BRISK.into();
        args.extend(["commit", "--quiet", "--cleanup=whitespace", "-F", "-"]);
        let ended = self.run(&args, &Ask { stdin: message.as_bytes(), wait: WAIT, ..Ask::default() })?;
        match ended.status {
            0 => Ok(()),
            _ => Err(occupied(&ended).unwrap_or_else(|| uncommitted(&ended))),
        }
    }

    /// Merges a commit into the branch, with these settings (`key=value`). Once begun, it is not interrupted by a key.
    ///
    /// # Errors
    /// As [`Git::ask`].
    pub fn merge(&self, commit: &str, message: &str, settings: &[String]) -> Result<Merging, Rejection> {
        let mut args: Vec<&str> = BRISK.into();
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
        args.extend(["-m", message, commit]);
        let ended = self.run(&args, &Ask { wait: WAIT, alone: true, ..Ask::default() })?;
        if ended.status == 0 {
            return Ok(Merging::Done);
        }
        Ok(match self.under_way()? {
            Some(UnderWay::Merge) => Merging::Left,
            _ => match occupied(&ended) {
                Some(busy) => return Err(busy),
                None => Merging::Refused(first_line(&ended)),
            },
        })
    }

    /// How many commits each side has that the other lacks: ours, theirs.
    ///
    /// # Errors
    /// `git`.
    pub fn apart(&self, ours: &str, theirs: &str) -> Result<(usize, usize), Rejection> {
        let line = self.line(&["rev-list", "--left-right", "--count", &format!("{ours}...{theirs}")])?;
        let mut numbers = line.split_whitespace().map(|n| n.parse().unwrap_or(0));
        Ok((numbers.next().unwrap_or(0), numbers.next().unwrap_or(0)))
    }

    /// How many commits lead to this one, itself counted.
    ///
    /// # Errors
    /// `git`.
    pub fn count(&self, commit: &str) -> Result<usize, Rejection> {
        Ok(self.line(&["rev-list", "--count", commit, "--"])?.trim().parse().unwrap_or(0))
    }

    /// Paths that differ between two commits; with `only_gone`, those that stand in the first alone, renames left out.
    ///
    /// # Errors
    /// `git`.
    pub fn changed(&self, from: &str, to: &str, only_gone: bool) -> Result<Vec<String>, Rejection> {
        let mut args = vec!["diff", "--no-ext-diff", "--name-only", "-z"];
        args.extend(if only_gone { ["-M", "--diff-filter=D"] } else { ["--no-renames", "--ignore-submodules"] });
        args.extend([from, to, "--"]);
        Ok(names(&self.answer(&args)?))
    }

    /// Files of the commit that stand nowhere any more, also under no other name, as a commit of now would have it. The
    /// index stays as it is.
    ///
    /// # Errors
    /// `git`, `io`.
    pub fn vanished(&self, pending: &[Pending]) -> Result<Vec<String>, Rejection> {
        let index = self.dir.join(self.line(&["rev-parse", "--git-path", "index"])?);
        let own = index.with_file_name(format!("memdir-index-{}", std::process::id()));
        let copied = std::fs::copy(&index, &own);
        copied.map_err(|e| Rejection::new(Code::Io, format!("git's index cannot be copied: {e}")))?;
        let found = self.vanished_by(&own.to_string_lossy(), &listed(pending));
        drop(std::fs::remove_file(&own));
        found
    }

    fn vanished_by(&self, index: &str, pending: &[u8]) -> Result<Vec<String>, Rejection> {
        let env = [("GIT_INDEX_FILE", index)];
        let ask = Ask { env: &env, ..Ask::default() };
        taken(&self.run(&TAKE, &Ask { stdin: pending, ..ask })?)?;
        let gone = self.run(&["diff", "--cached", "--name-only", "-z", "-M", "--diff-filter=D", "HEAD"], &ask)?;
        taken(&gone).map(|()| names(&gone.out))
    }

    /// Paths of a commit that stand here although git does not know them: a merge would write over them without asking
    /// where they are ignored.
    ///
    /// # Errors
    /// `git`.
    pub fn in_the_way(&self, paths: &[String]) -> Result<Vec<String>, Rejection> {
        let stands = |path: &&String| self.dir.join(path).symlink_metadata().is_ok();
        let standing: Vec<String> = paths.iter().filter(stands).cloned().collect();
        if standing.is_empty() {
            return Ok(Vec::new());
        }
        let mut args = vec!["--literal-pathspecs", "ls-files", "-z", "--"];
        args.extend(standing.iter().map(String::as_str));
        let known = names(&self.answer(&args)?);
        Ok(standing.into_iter().filter(|path| !known.contains(path)).collect())
    }

    /// When a commit was made, in seconds since 1970.
    ///
    /// # Errors
    /// `git`.
    pub fn made_at(&self, commit: &str) -> Result<i64, Rejection> {
        let line = self.line(&["log", "-1", "--no-show-signature", "--format=%ct", commit, "--"])?;
        Ok(line.trim().parse().unwrap_or(0))
    }

    /// The values of a trailer in the messages of commits that the first lacks and the second has.
    ///
    /// # Errors
    /// `git`.
    pub fn trailers(&self, name: &str, from: &str, to: &str) -> Result<Vec<String>, Rejection> {
        let format = format!("--format=%(trailers:key={name},valueonly,unfold)");
        let out = self.answer(&["log", "--no-show-signature", &format, &format!("{from}..{to}"), "--"])?;
        Ok(String::from_utf8_lossy(&out).lines().filter(|l| !l.is_empty()).map(str::to_owned).collect())
    }

    /// The first line of the message that waits for a merge to be concluded.
    ///
    /// # Errors
    /// As [`Git::ask`].
    pub fn waiting_message(&self) -> Result<Option<String>, Rejection> {
        let path = self.dir.join(self.line(&["rev-parse", "--git-path", "MERGE_MSG"])?);
        let text = std::fs::read_to_string(path).unwrap_or_default();
        Ok(text.lines().next().map(str::to_owned).filter(|line| !line.trim().is_empty()))
    }
}

fn taken(ended: &Ended) -> Result<(), Rejection> {
    match ended.status {
        0 => Ok(()),
        _ => Err(occupied(ended).unwrap_or_else(|| failed(&first_line(ended)))),
    }
}

/// Another git holds the index, or one that was killed has left its lock.
fn occupied(ended: &Ended) -> Option<Rejection> {
    let held = ended.talk.contains("index.lock") && ended.talk.contains("File exists");
    held.then(|| {
        Rejection::new(Code::Busy, "another git is at work in this repository")
            .hint("try again; if no other git runs, one was killed: remove .git/index.lock")
    })
}

/// Paths as `git update-index` reads them. A directory here is a repository of its own: it is none of ours.
fn listed(pending: &[Pending]) -> Vec<u8> {
    let files = pending.iter().filter(|file| !file.path.ends_with('/'));
    files.flat_map(|file| [file.path.as_bytes(), b"\0"].concat()).collect()
}

fn names(out: &[u8]) -> Vec<String> {
    let each = out.split(|b| *b == 0).filter(|name| !name.is_empty());
    each.map(|name| String::from_utf8_lossy(name).into_owned()).collect()
}

/// Reads `git status --porcelain=v2 --branch -z`.
fn state(out: &[u8]) -> State {
    let mut state = State::default();
    for record in names(out) {
        let (kind, rest) = record.split_once(' ').unwrap_or((&record, ""));
        match kind {
            "#" => header(&mut state, rest),
            "1" => state.pending.extend(changed(rest)),
            "u" => state.unmerged.extend(unmerged(rest)),
            "?" => state.pending.push(Pending { path: rest.to_owned(), was: None, gone: false }),
            _ => {}
        }
    }
    state.pending.sort_by(|a, b| a.path.cmp(&b.path));
    // What only the index lost still stands.
    let new: Vec<String> = state.pending.iter().filter(|p| p.was.is_none()).map(|p| p.path.clone()).collect();
    let kept: Vec<Pending> = state.pending.extract_if(.., |p| p.gone && new.contains(&p.path)).collect();
    for file in kept {
        let again = state.pending.iter_mut().find(|p| p.path == file.path);
        again.into_iter().for_each(|p| p.was = file.was.clone());
    }
    state
}

fn header(state: &mut State, rest: &str) {
    match rest.split_once(' ') {
        Some(("branch.oid", oid)) if oid != "(initial)" => state.head = Some(oid.to_owned()),
        Some(("branch.head", name)) if name != "(detached)" => state.branch = Some(name.to_owned()),
        Some(("branch.upstream", _)) => state.follows = true,
        _ => {}
    }
}

/// `XY sub mH mI mW hH hI path`.
fn changed(rest: &str) -> Option<Pending> {
    let fields: Vec<&str> = rest.splitn(8, ' ').collect();
    let [kind, _, _, _, _, head, _, path] = fields[..] else { return None };
    let was = (!head.bytes().all(|b| b == b'0')).then(|| head.to_owned());
    let gone = kind.ends_with('D') || kind == "D.";
    // Staged and removed again before it was ever committed.
    let nothing = was.is_none() && gone;
    (!nothing).then(|| Pending { path: path.to_owned(), was, gone })
}

/// `XY sub m1 m2 m3 mW h1 h2 h3 path`.
fn unmerged(rest: &str) -> Option<Unmerged> {
    let fields: Vec<&str> = rest.splitn(10, ' ').collect();
    let (ours, theirs, path) = (fields.get(3)?, fields.get(4)?, fields.get(9)?);
    Some(Unmerged { path: (*path).to_owned(), ours: *ours != "000000", theirs: *theirs != "000000" })
}

/// The first line of what git (or a hook) said that says something.
pub(super) fn first_line(ended: &Ended) -> String {
    let lines = ended.talk.lines().chain(std::str::from_utf8(&ended.out).unwrap_or_default().lines());
    let line = lines.map(str::trim).find(|line| !line.is_empty()).unwrap_or("it did not say why");
    let plain = line.trim_start_matches("fatal: ").trim_start_matches("error: ");
    without_secrets(plain).chars().filter(|c| !c.is_control()).take(200).collect()
}

/// A text without what stands before the `@` of a URL.
fn without_secrets(text: &str) -> String {
    let (mut out, mut rest) = (String::new(), text);
    while let Some(at) = rest.find("://") {
        let (before, after) = rest.split_at(at + 3);
        out.push_str(before);
        let end = after.find(['/', ' ', '\'', '"']).unwrap_or(after.len());
        rest = match after[..end].rfind('@') {
            Some(at) => &after[at + 1..],
            None => after,
        };
    }
    out + rest
}

fn uncommitted(ended: &Ended) -> Rejection {
    let why = Rejection::new(Code::Git, format!("git did not commit: {}", first_line(ended)));
    if ended.talk.contains("Please tell me who you are") || ended.talk.contains("empty ident") {
        return why.hint("tell git who you are: `git config user.name NAME` and `git config user.email ADDRESS`");
    }
    if ended.talk.contains("sign the data") || ended.talk.contains("failed to write commit object") {
        return why.hint("commit.gpgsign is set: unlock the key, or sync where it can be asked for");
    }
    why.hint("mend what a hook or git complains of; what is pending stays in the index, and the next sync commits it")
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
             u UD N... 100644 100644 000000 100644 ee ff {zero} facts/u.md\0? new.md\0"
        );
        let state = state(out.as_bytes());
        assert_eq!((state.head.as_deref(), state.branch.as_deref(), state.follows), (Some("aa"), Some("main"), true));
        let pending: Vec<_> = state.pending.iter().map(|p| (p.path.as_str(), p.was.as_deref(), p.gone)).collect();
        let expected = [("facts/a b.md", Some("bb"), false), ("gone.md", Some("dd"), true), ("new.md", None, false)];
        assert_eq!(pending, expected);
        assert_eq!(state.unmerged, [Unmerged { path: "facts/u.md".into(), ours: true, theirs: false }]);
        let empty = super::state(b"# branch.oid (initial)\0# branch.head (detached)\0");
        assert_eq!(empty, State::default());
    }

    #[test]
    fn what_git_says_is_told_without_secrets() {
        let said = |talk: &str| first_line(&Ended { status: 1, out: vec![], said: String::new(), talk: talk.into() });
        assert_eq!(
            said("\nfatal: unable to access 'https://me:pw@host/x': no\n"),
            "unable to access 'https://host/x': no"
        );
        assert_eq!(said("a\u{1b}[31m b\n"), "a[31m b");
        assert_eq!(said("see ssh://git@h/a and http://h/b@c"), "see ssh://h/a and http://h/b@c");
    }
}
