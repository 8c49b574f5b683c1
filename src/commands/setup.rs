//! `setup git`: git merges a memory by bullet, in this clone.
//!
//! Never touches a line that is not its own, and never commits: what stands in `.gitattributes` is for a person to commit.

use super::answer::{Answer, Setup, SetupFile, SetupLine};
use super::{Session, Verdict};
use crate::code::Rejection;
use crate::host::git::Git;
use crate::host::{program, texts};
use crate::store::make::IGNORE;
use crate::text::managed;

/// git's file of attributes.
const ATTRIBUTES: &str = ".gitattributes";
/// Its line: the driver for every markdown file of the memory, and git's own hunk headers for markdown.
const RULE: &str = "*.md merge=memdir diff=markdown";
/// What git leaves out: proposals are not consented to.
const IGNORED: &str = "/inbox/";
/// The largest file of git's that is read, in bytes.
const MOST: u64 = 1 << 20;
/// A path that every memory can have, to ask git about.
const PROBE: &str = "facts/user.md";

const NAME: &str = "merge.memdir.name";
pub(super) const DRIVER: &str = "merge.memdir.driver";
/// Would make git merge ancestors of a criss-cross merge by another driver.
const RECURSIVE: &str = "merge.memdir.recursive";
const TITLE: &str = "memdir: bullet by bullet";

/// What `setup` is asked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mode {
    /// Set up what is missing.
    Make,
    /// Look only.
    Check,
    /// Take out what was set up.
    Remove,
}

/// A file as it is and as it shall be; `None` where there is none.
struct Rewrite {
    name: &'static str,
    was: Option<String>,
    will: Option<String>,
}

/// A setting of this clone as it is and as it shall be.
struct Setting {
    key: &'static str,
    was: Option<String>,
    will: Option<String>,
}

/// Joins a memory's clone to git, looks whether it is joined, or parts them.
///
/// # Errors
/// `no_repository`, `no_git`, `git`, `io`.
pub fn git(session: &Session, mode: Mode, dry_run: bool) -> Verdict {
    let git = Git::at(&session.dir);
    git.place()?;
    if mode == Mode::Check {
        let findings = findings(&git)?;
        return Ok(Answer::Setup(Setup { wired: findings.is_empty(), findings, ..Setup::default() }));
    }
    let (files, settings) = match mode {
        Mode::Remove => (removed_lines(session)?, removed_settings(&git)?),
        _ => (lines(session, &git)?, settings(&git)?),
    };
    let shown: Vec<SetupFile> = files
        .iter()
        .map(|file| shown_file(session, file))
        .chain([shown_settings(&settings)])
        .filter(|file| !file.lines.is_empty())
        .collect();
    if !dry_run {
        for file in files.iter().filter(|file| file.was != file.will) {
            rewrite(session, file)?;
        }
        for setting in settings.iter().filter(|setting| setting.was != setting.will) {
            git.set(setting.key, setting.will.as_deref())
                .map_err(|why| Rejection { changed: Some(!shown.is_empty()), ..why })?;
        }
    }
    let findings = if mode == Mode::Make && !dry_run { findings(&git)? } else { Vec::new() };
    let wired = mode == Mode::Make && findings.is_empty();
    Ok(Answer::Setup(Setup { wired, changed: !shown.is_empty(), dry_run, files: shown, findings }))
}

/// Whether git merges this memory by bullet here; `None` outside a work tree, or where git cannot tell or leaves the
/// memory out.
pub fn wired(session: &Session) -> Option<bool> {
    let git = Git::around(&session.dir)?;
    let attribute = git.attribute("merge", PROBE).ok()?;
    let wired = attribute == "memdir" && git.setting(DRIVER).ok()?.is_some();
    (wired || !git.ignores(PROBE).ok()?).then_some(wired)
}

/// What a person would write down by hand.
///
/// # Errors
/// `io` when the program does not know its own path.
pub fn print() -> Result<String, Rejection> {
    let quoted = |text: &str| format!("'{}'", text.replace('\'', "'\\''"));
    Ok(format!(
        "# {ATTRIBUTES} in the data dir\n{RULE}\n\n# {IGNORE} in the data dir\n{IGNORED}\n\n# once in each clone\n\
         git config {NAME} {}\ngit config {DRIVER} {}\n",
        quoted(TITLE),
        quoted(&driver()?)
    ))
}

pub(super) fn findings(git: &Git) -> Result<Vec<String>, Rejection> {
    let mut findings = Vec::new();
    match git.attribute("merge", PROBE)?.as_str() {
        "memdir" => {}
        "unspecified" => findings.push(format!("no {ATTRIBUTES} says merge=memdir for the files of this memory")),
        other => findings.push(format!("git's attributes say merge={other} for the files of this memory")),
    }
    match git.setting(DRIVER)? {
        None => findings.push(format!("this clone's config has no {DRIVER}")),
        Some(driver) if !driver.contains("merge-driver") => {
            findings.push(format!("{DRIVER} names something that is not memdir's"));
        }
        Some(_) => {}
    }
    if git.setting(RECURSIVE)?.is_some() {
        findings.push(format!("{RECURSIVE} is set: criss-cross merges would not go by bullet"));
    }
    if git.ignores(PROBE)? {
        findings.push("git leaves this memory out".to_owned());
    } else if !git.ignores("inbox/x.md")? {
        findings.push("git does not leave inbox/ out: proposals nobody accepted would be shared".to_owned());
    }
    Ok(findings)
}

fn lines(session: &Session, git: &Git) -> Result<Vec<Rewrite>, Rejection> {
    let keep = |name: &'static str, line: &str, done: bool| -> Result<Rewrite, Rejection> {
        let was = session.store.top_file(name, MOST)?;
        let text = was.as_deref().unwrap_or_default();
        let will = match done && managed::without(text).is_none() {
            true => was.clone(),
            false => Some(managed::put(text, &[line])),
        };
        Ok(Rewrite { name, was, will })
    };
    Ok(vec![
        keep(ATTRIBUTES, RULE, git.attribute("merge", PROBE)? == "memdir")?,
        keep(IGNORE, IGNORED, git.ignores("inbox/x.md")?)?,
    ])
}

fn removed_lines(session: &Session) -> Result<Vec<Rewrite>, Rejection> {
    let one = |name: &'static str| -> Result<Rewrite, Rejection> {
        let was = session.store.top_file(name, MOST)?;
        let rest = was.as_deref().and_then(managed::without);
        let will = match rest {
            Some(rest) => Some(rest).filter(|rest| !rest.is_empty()),
            None => was.clone(),
        };
        Ok(Rewrite { name, was, will })
    };
    Ok(vec![one(ATTRIBUTES)?, one(IGNORE)?])
}

fn settings(git: &Git) -> Result<Vec<Setting>, Rejection> {
    let one = |key: &'static str, value: Option<String>| -> Result<Setting, Rejection> {
        let was = git.own_setting(key)?;
        // What the user's own config says for all clones need not be said again.
        let everywhere = value.is_some() && was.is_none() && git.setting(key)? == value;
        Ok(Setting { key, will: if everywhere { None } else { value }, was })
    };
    Ok(vec![one(NAME, Some(TITLE.to_owned()))?, one(DRIVER, Some(driver()?))?, one(RECURSIVE, None)?])
}

fn removed_settings(git: &Git) -> Result<Vec<Setting>, Rejection> {
    [NAME, DRIVER].into_iter().map(|key| Ok(Setting { key, was: git.own_setting(key)?, will: None })).collect()
}

/// The command that git runs for each file: this program where it stands now, else the `memdir` on PATH, else git's
/// own line merge: a clone whose memdir went away must not merge worse than one that never had it.
pub(super) fn driver() -> Result<String, Rejection> {
    let program = program::path()?.replace('\'', "'\\''").replace('%', "%%");
    Ok(format!(
        "m='{program}'; command -v \"$m\" >/dev/null || m=memdir; command -v \"$m\" >/dev/null || \
         exec git merge-file --marker-size=%L %A %O %B; exec \"$m\" merge-driver -- %O %A %B %L %P %S %X %Y"
    ))
}

fn rewrite(session: &Session, file: &Rewrite) -> Result<(), Rejection> {
    match (&file.was, &file.will) {
        (None, Some(text)) => session.store.make_file(file.name, text.as_bytes()).map(drop),
        (_, Some(text)) => texts::replace(&session.dir.join(file.name), text.as_bytes()),
        (_, None) => texts::remove(&session.dir.join(file.name)),
    }
}

fn shown_file(session: &Session, file: &Rewrite) -> SetupFile {
    let (was, will) = (file.was.as_deref().unwrap_or_default(), file.will.as_deref().unwrap_or_default());
    let lines = crate::view::diff::lines(was, will);
    SetupFile {
        path: session.dir.join(file.name).display().to_string(),
        lines: lines.into_iter().map(|(sign, text)| SetupLine { sign, text }).collect(),
    }
}

fn shown_settings(settings: &[Setting]) -> SetupFile {
    let line = |sign, key: &str, value: &Option<String>| {
        value.as_ref().map(|value| SetupLine { sign, text: format!("{key}={value}") })
    };
    let changed = settings.iter().filter(|setting| setting.was != setting.will);
    let lines = changed.flat_map(|s| [line("-", s.key, &s.was), line("+", s.key, &s.will)]).flatten().collect();
    SetupFile { path: "git config".to_owned(), lines }
}
