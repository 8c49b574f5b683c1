//! `setup git`: configures a clone so that git merges the memory bullet by bullet.
//!
//! Changes only its own lines, and never commits: `.gitattributes` is for the user to commit.

use super::results::{EffectSign, SetupFile, SetupLine, SetupResult};
use super::{CommandResult, Session};
use crate::code::Rejection;
use crate::host::git::Git;
use crate::host::{outside_files, program};
use crate::store::init::GITIGNORE_FILE;
use crate::text::managed_block;

/// The file at the top of the memory from which git reads the attributes of its files.
const ATTRIBUTES_FILE: &str = ".gitattributes";
/// The attributes line: the merge driver for all markdown files of the memory, and git's built-in hunk headers for
/// markdown.
const ATTRIBUTES_LINE: &str = "*.md merge=memdir diff=markdown";
/// The ignore line: proposals are not accepted yet, so they are not shared.
const IGNORE_LINE: &str = "/inbox/";
/// Largest attributes or ignore file that is read, in bytes.
const MAX_FILE_BYTES: u64 = 1 << 20;
/// A path that exists in every memory, for querying git's attributes and ignore rules.
const PROBE_PATH: &str = "facts/user.md";

const NAME_KEY: &str = "merge.memdir.name";
pub(super) const DRIVER_KEY: &str = "merge.memdir.driver";
/// Set, it would make git merge the common ancestors of a criss-cross merge with another driver.
const RECURSIVE_KEY: &str = "merge.memdir.recursive";
const DRIVER_TITLE: &str = "memdir: bullet by bullet";

/// Whether `setup` configures, reports or removes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum SetupMode {
    /// Configure what is missing.
    Install,
    /// Only report what is missing.
    Check,
    /// Remove what `Install` has configured.
    Remove,
}

/// A file before and after; `None` where it does not exist.
struct FileRewrite {
    name: &'static str,
    before: Option<String>,
    after: Option<String>,
}

/// A setting of this clone before and after; `None` where it is not set.
struct SettingChange {
    key: &'static str,
    before: Option<String>,
    after: Option<String>,
}

/// Configures, checks or removes the merge driver of a memory.
///
/// # Errors
/// `no_repository`, `no_git`, `git`, `io`.
pub fn setup_git(session: &Session, mode: SetupMode, dry_run: bool) -> CommandResult<SetupResult> {
    let git = Git::in_dir(&session.dir);
    git.work_tree()?;
    if mode == SetupMode::Check {
        let findings = findings(&git)?;
        return Ok(SetupResult { wired: findings.is_empty(), findings, ..SetupResult::default() });
    }
    let (files, settings) = match mode {
        SetupMode::Remove => (files_without_lines(session)?, removed_settings(&git)?),
        SetupMode::Install | SetupMode::Check => (planned_files(session, &git)?, planned_settings(&git)?),
    };
    let rows: Vec<SetupFile> = files
        .iter()
        .map(|file| file_row(session, file))
        .chain([settings_row(&settings)])
        .filter(|file| !file.lines.is_empty())
        .collect();
    if !dry_run {
        for file in files.iter().filter(|file| file.before != file.after) {
            write_file(session, file)?;
        }
        for setting in settings.iter().filter(|setting| setting.before != setting.after) {
            git.set_local_config(setting.key, setting.after.as_deref())
                .map_err(|error| Rejection { changed: Some(!rows.is_empty()), ..error })?;
        }
    }
    let findings = if mode == SetupMode::Install && !dry_run { findings(&git)? } else { Vec::new() };
    let is_configured = mode == SetupMode::Install && findings.is_empty();
    let changed = !rows.is_empty();
    Ok(SetupResult { wired: is_configured, changed, dry_run, files: rows, findings, ..SetupResult::default() })
}

/// Whether git merges this memory bullet by bullet here; `None` outside a work tree, or if git ignores the memory or
/// fails.
pub fn is_configured(session: &Session) -> Option<bool> {
    let git = Git::discover(&session.dir)?;
    let attribute = git.attribute_value("merge", PROBE_PATH).ok()?;
    let is_configured = attribute == "memdir" && git.config_value(DRIVER_KEY).ok()?.is_some();
    (is_configured || !git.is_ignored(PROBE_PATH).ok()?).then_some(is_configured)
}

/// The lines and commands to configure git manually.
///
/// # Errors
/// `io` if the path of the program is unknown.
pub fn manual_instructions() -> Result<String, Rejection> {
    let quoted = |text: &str| format!("'{}'", text.replace('\'', "'\\''"));
    Ok(format!(
        "# {ATTRIBUTES_FILE} in the data directory\n{ATTRIBUTES_LINE}\n\n# {GITIGNORE_FILE} in the data directory\n{IGNORE_LINE}\n\n# once in each clone\n\
         git config {NAME_KEY} {}\ngit config {DRIVER_KEY} {}\n",
        quoted(DRIVER_TITLE),
        quoted(&driver_command()?)
    ))
}

pub(super) fn findings(git: &Git) -> Result<Vec<String>, Rejection> {
    let mut findings = Vec::new();
    match git.attribute_value("merge", PROBE_PATH)?.as_str() {
        "memdir" => {}
        "unspecified" => findings.push(format!("no {ATTRIBUTES_FILE} sets merge=memdir for the files of this memory")),
        other => findings.push(format!("git's attributes set merge={other} for the files of this memory")),
    }
    match git.config_value(DRIVER_KEY)? {
        None => findings.push(format!("this clone's config has no {DRIVER_KEY}")),
        Some(driver) if !driver.contains("merge-driver") => {
            findings.push(format!("{DRIVER_KEY} is not a memdir command"));
        }
        Some(_) => {}
    }
    if git.config_value(RECURSIVE_KEY)?.is_some() {
        findings.push(format!("{RECURSIVE_KEY} is set: criss-cross merges would not be made by bullet"));
    }
    if git.is_ignored(PROBE_PATH)? {
        findings.push("git ignores this memory".to_owned());
    } else if !git.is_ignored("inbox/x.md")? {
        findings.push("git does not ignore inbox/: proposals that were not accepted would be shared".to_owned());
    }
    Ok(findings)
}

fn planned_files(session: &Session, git: &Git) -> Result<Vec<FileRewrite>, Rejection> {
    let planned_file = |name: &'static str, line: &str, is_effective: bool| -> Result<FileRewrite, Rejection> {
        let before = session.store.read_top_file(name, MAX_FILE_BYTES)?;
        let has_block = before.as_deref().is_some_and(|text| managed_block::HASH.is_in(text));
        let after = if is_effective && !has_block {
            before.clone()
        } else {
            Some(managed_block::HASH.put(before.as_deref(), &[line], "\n"))
        };
        Ok(FileRewrite { name, before, after })
    };
    Ok(vec![
        planned_file(ATTRIBUTES_FILE, ATTRIBUTES_LINE, git.attribute_value("merge", PROBE_PATH)? == "memdir")?,
        planned_file(GITIGNORE_FILE, IGNORE_LINE, git.is_ignored("inbox/x.md")?)?,
    ])
}

fn files_without_lines(session: &Session) -> Result<Vec<FileRewrite>, Rejection> {
    let without_lines = |name: &'static str| -> Result<FileRewrite, Rejection> {
        let before = session.store.read_top_file(name, MAX_FILE_BYTES)?;
        let after = managed_block::HASH.remove(before.as_deref());
        Ok(FileRewrite { name, before, after })
    };
    Ok(vec![without_lines(ATTRIBUTES_FILE)?, without_lines(GITIGNORE_FILE)?])
}

fn planned_settings(git: &Git) -> Result<Vec<SettingChange>, Rejection> {
    let planned_setting = |key: &'static str, value: Option<String>| -> Result<SettingChange, Rejection> {
        let before = git.local_config_value(key)?;
        // Do not repeat in this clone what the user's global config already sets.
        let is_global = value.is_some() && before.is_none() && git.config_value(key)? == value;
        Ok(SettingChange { key, after: if is_global { None } else { value }, before })
    };
    Ok(vec![
        planned_setting(NAME_KEY, Some(DRIVER_TITLE.to_owned()))?,
        planned_setting(DRIVER_KEY, Some(driver_command()?))?,
        planned_setting(RECURSIVE_KEY, None)?,
    ])
}

fn removed_settings(git: &Git) -> Result<Vec<SettingChange>, Rejection> {
    [NAME_KEY, DRIVER_KEY]
        .into_iter()
        .map(|key| Ok(SettingChange { key, before: git.local_config_value(key)?, after: None }))
        .collect()
}

/// The command that git runs for each file: this program at its current path, else the `memdir` on PATH, else git's own
/// line merge. The last one is for clones from which memdir was uninstalled: they must not merge worse than without a
/// driver.
pub(super) fn driver_command() -> Result<String, Rejection> {
    let program = program::path()?.replace('\'', "'\\''").replace('%', "%%");
    Ok(format!(
        "m='{program}'; command -v \"$m\" >/dev/null || m=memdir; command -v \"$m\" >/dev/null || \
         exec git merge-file --marker-size=%L %A %O %B; exec \"$m\" merge-driver -- %O %A %B %L %P %S %X %Y"
    ))
}

fn write_file(session: &Session, file: &FileRewrite) -> Result<(), Rejection> {
    match (&file.before, &file.after) {
        (None, Some(text)) => session.store.create_file(file.name, text.as_bytes()).map(drop),
        (_, Some(text)) => outside_files::replace(&session.dir.join(file.name), text.as_bytes()),
        (_, None) => outside_files::remove(&session.dir.join(file.name)),
    }
}

fn file_row(session: &Session, file: &FileRewrite) -> SetupFile {
    let (before, after) = (file.before.as_deref().unwrap_or_default(), file.after.as_deref().unwrap_or_default());
    let lines = crate::view::diff::line_changes(before, after);
    SetupFile {
        path: session.dir.join(file.name).display().to_string(),
        lines: lines.into_iter().map(|(sign, text)| SetupLine { sign, text }).collect(),
    }
}

fn settings_row(settings: &[SettingChange]) -> SetupFile {
    let line = |sign, key: &str, value: &Option<String>| {
        value.as_ref().map(|value| SetupLine { sign, text: format!("{key}={value}") })
    };
    let changed = settings.iter().filter(|setting| setting.before != setting.after);
    let lines = changed
        .flat_map(|s| [line(EffectSign::Removed, s.key, &s.before), line(EffectSign::Added, s.key, &s.after)])
        .flatten()
        .collect();
    SetupFile { path: "git config".to_owned(), lines }
}
