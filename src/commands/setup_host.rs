//! `setup HOST`: writes the entries of memdir into the config files of an agent host, checks them, or takes them out.
//!
//! Changes only its own entries, by value, and refuses a file that the host itself could not read. What a user has
//! changed in an entry stays.

use std::path::{Path, PathBuf};

use super::results::{EffectSign, SetupFile, SetupLine, SetupResult};
use super::setup::SetupMode;
use super::{CommandResult, Session, agent_index};
use crate::code::{Code, Rejection};
use crate::document::{Document, literal_blocks};
use crate::host::agent_hosts::config_paths::{self, ConfigOwner};
use crate::host::agent_hosts::{AgentHost, ConfigFile, PROJECT_MCP, UserServer};
use crate::host::find::{self, DirectoryQuery, FoundBy};
use crate::host::home_remote::home_remote;
use crate::host::{EnvLookup, trusted, user};
use crate::text::json_edit::JsonProblem;
use crate::text::managed_block::{self, BlockMarkers};
use crate::text::shell_quote::shell_quote;
use crate::view::context::agent_guide::{AGENT_GUIDE, command_note};

mod entries;
mod own_command;

use entries::HostEntries;

/// The name of the MCP server.
const SERVER: &str = "memdir";
/// The file that hosts without hooks or MCP read: <https://agents.md>.
const AGENTS_FILE: &str = "AGENTS.md";
/// The instructions in it. Markers in its code blocks are examples.
const AGENTS_BLOCK: BlockMarkers = managed_block::markdown(literal_blocks);

/// The finding where an agent sets up a memory that no person has trusted.
const NEEDS_PERSON: &str = "hooks show nothing yet: `trusted:` in the user config does not list this memory, and only a \
                            person adds it";

/// What is set up.
#[derive(Clone, Copy, Debug)]
pub enum HostTarget {
    /// Hooks and the MCP server of a host.
    Host(&'static AgentHost),
    /// Instructions in a project's AGENTS.md.
    AgentsMd,
    /// The MCP server in a project's `.mcp.json`.
    Mcp,
}

impl HostTarget {
    fn name(self) -> &'static str {
        match self {
            HostTarget::Host(host) => host.name,
            HostTarget::AgentsMd => "agents-md",
            HostTarget::Mcp => "mcp",
        }
    }

    /// The host that commands of this target's entries name as their caller: `.mcp.json` alone may be read by several.
    fn caller(self) -> Option<&'static str> {
        match self {
            HostTarget::Host(host) => Some(host.name),
            HostTarget::AgentsMd | HostTarget::Mcp => None,
        }
    }

    /// The file that names the folder of the host's own memory.
    fn auto_memory_file(self) -> Option<&'static ConfigFile> {
        match self {
            HostTarget::Host(host) => host.auto_memory.as_ref(),
            HostTarget::AgentsMd | HostTarget::Mcp => None,
        }
    }

    fn server_root(self) -> Option<&'static str> {
        match self {
            HostTarget::Host(host) => host.server_root,
            HostTarget::AgentsMd | HostTarget::Mcp => None,
        }
    }

    fn user_server(self) -> Option<&'static UserServer> {
        match self {
            HostTarget::Host(host) => host.user_server.as_ref(),
            HostTarget::AgentsMd | HostTarget::Mcp => None,
        }
    }

    fn files(self) -> &'static [ConfigFile] {
        match self {
            HostTarget::Host(host) => host.files,
            HostTarget::AgentsMd => &[],
            HostTarget::Mcp => &[PROJECT_MCP],
        }
    }
}

/// Options of `setup HOST`.
#[derive(Clone, Copy, Debug)]
pub struct HostSetupOptions {
    pub target: HostTarget,
    /// `None`: the user's own files for their own memory, else the project's.
    pub owner: Option<ConfigOwner>,
    pub mode: SetupMode,
    /// Show the changes, write nothing.
    pub dry_run: bool,
    /// The memory also becomes the folder of the host's own memory.
    pub auto_memory: bool,
}

/// A file before and after; `None` where it does not exist.
struct ConfigEdit {
    path: PathBuf,
    before: Option<String>,
    after: Option<String>,
    /// What was missing before; of a removal, which entries stay.
    findings: Vec<String>,
}

/// Sets up a host for the memory of a session, from a working directory.
///
/// # Errors
/// `invalid_config` for a file that the host could not read; `unsafe_file` for a link; `usage` for a target without
/// files of the user, or a remote that is neither a URL nor an absolute path; `invalid_policy`, `busy`, `io`.
/// Nothing is changed unless [`Rejection::changed`] says so.
pub fn setup_host(
    session: &Session,
    work_dir: &Path,
    options: &HostSetupOptions,
    env: EnvLookup<'_>,
) -> CommandResult<SetupResult> {
    let HostSetupOptions { target, mode, dry_run, .. } = *options;
    let default_owner = match (target, &session.found_by) {
        (HostTarget::Host(_), FoundBy::User) => ConfigOwner::User,
        _ => ConfigOwner::Project,
    };
    let owner = options.owner.unwrap_or(default_owner);
    let beside = (session.found_by == FoundBy::Ancestor).then_some(&*session.dir);
    let root = config_paths::project_root(work_dir, beside, user::home(env).as_deref());
    let project = Some(&*root).filter(|_| owner == ConfigOwner::Project);
    if options.auto_memory && target.auto_memory_file().is_none() {
        return Err(Rejection::new(Code::Usage, format!("{} has no memory folder of its own", target.name())).into());
    }
    let auto_memory = session.dir.to_str().map(str::to_owned);
    let at_stop = mode != SetupMode::Remove && home_remote(&user::load_config(env).0, env)?.is_some();
    let dir = needed_dir(session, project.unwrap_or(Path::new("/")), env)?;
    let (dir, server_dir) = entry_dirs(dir, project, target);
    let is_user_memory = is_user_memory(session, env);
    let entries = HostEntries { target, dir, server_dir, is_user_memory, auto_memory, at_stop };
    let mut edits = config_edits(&entries, options, owner, &root, env)?;
    let commands = match target.user_server().filter(|_| owner == ConfigOwner::User) {
        Some(server) => entries.server_command(server, mode, env)?,
        None => None,
    };
    if edits.is_empty() {
        return Err(Rejection::new(Code::Usage, format!("{} has no file of the user's own", target.name()))
            .hint("omit --user to change the files of this project")
            .into());
    }
    // Only hooks ask whether a memory is trusted.
    let needs_trust = matches!(target, HostTarget::Host(_)) && mode != SetupMode::Remove;
    let is_trusted = !needs_trust || trusted::is_trusted(&user::load_config(env).0, &session.dir, env);
    // Whether hooks may show the texts of a memory to agents is a person's decision.
    let adds_trust = !is_trusted && mode == SetupMode::Install && !session.is_agent;
    if mode == SetupMode::Check {
        return Ok(check_result(target, edits, commands, is_trusted));
    }
    let mut findings = match mode {
        SetupMode::Install => left_findings(&entries, owner, &root, &edits, env)?,
        SetupMode::Check | SetupMode::Remove => Vec::new(),
    };
    let kept = edits.iter_mut().flat_map(|edit| std::mem::take(&mut edit.findings));
    let kept: Vec<String> = kept.filter(|_| mode == SetupMode::Remove).collect();
    edits.retain(|edit| edit.before != edit.after);
    let mut files: Vec<SetupFile> = edits.iter().map(ConfigEdit::to_row).collect();
    if adds_trust {
        let line = SetupLine { sign: EffectSign::Added, text: session.dir.display().to_string() };
        files.push(SetupFile { path: "trusted: in the user config".to_owned(), lines: vec![line] });
    }
    if !dry_run {
        let is_changed = adds_trust && trusted::add(&session.dir, env)?;
        write_edits(&edits, is_changed)?;
        if owner == ConfigOwner::Project {
            let removed = edits.iter().filter(|edit| edit.after.is_none());
            removed.for_each(|edit| config_paths::remove_empty_folder(&edit.path, &root));
        }
        if options.auto_memory && mode == SetupMode::Install {
            agent_index::create(session)?;
        }
    }
    findings.extend((!is_trusted && !adds_trust).then(|| NEEDS_PERSON.to_owned()));
    Ok(SetupResult {
        wired: mode == SetupMode::Install && findings.is_empty(),
        host: Some(target.name()),
        changed: !files.is_empty(),
        dry_run,
        files,
        findings,
        kept,
        commands: commands.into_iter().collect(),
    })
}

/// The edits of the target's files, also of those that stay as they are.
fn config_edits(
    entries: &HostEntries,
    options: &HostSetupOptions,
    owner: ConfigOwner,
    root: &Path,
    env: EnvLookup<'_>,
) -> Result<Vec<ConfigEdit>, Rejection> {
    let HostSetupOptions { target, mode, .. } = *options;
    let mut edits: Vec<ConfigEdit> = Vec::new();
    // What an earlier call may have written is removed without the option, too.
    let auto_memory_file = target.auto_memory_file().filter(|_| options.auto_memory || mode == SetupMode::Remove);
    for file in target.files().iter().chain(auto_memory_file) {
        let Some(path) = config_paths::config_path(file, owner, root, env)? else { continue };
        match edits.iter_mut().find(|edit| edit.path == path) {
            Some(edit) => entries.edit_further(file, edit, mode)?,
            None => edits.push(entries.edit_config(file, path, mode)?),
        }
    }
    if let (HostTarget::AgentsMd, ConfigOwner::Project) = (target, owner) {
        let guide = agent_guide(entries.dir.as_deref());
        edits.push(edit_agents_file(config_paths::project_path(root, AGENTS_FILE)?, &guide, mode)?);
    }
    Ok(edits)
}

/// What a check finds in the files after an installation: another program's entry stands where ours would.
fn left_findings(
    entries: &HostEntries,
    owner: ConfigOwner,
    root: &Path,
    edits: &[ConfigEdit],
    env: EnvLookup<'_>,
) -> Result<Vec<String>, Rejection> {
    let mut all = Vec::new();
    for file in entries.target.files() {
        let Some(path) = config_paths::config_path(file, owner, root, env)? else { continue };
        let Some(edit) = edits.iter().find(|edit| edit.path == path) else { continue };
        let shown = path.display().to_string();
        let checked = entries.edit_text(file, edit.after.as_deref(), SetupMode::Check);
        let (_, missing) = checked.map_err(|error| invalid(&shown, &error))?;
        all.extend(missing.into_iter().map(|what| format!("{shown}: {what}")));
    }
    Ok(all)
}

/// What is missing: in the config files, in the user config, and among the servers that only the host can add.
fn check_result(
    target: HostTarget,
    edits: Vec<ConfigEdit>,
    server_command: Option<String>,
    is_trusted: bool,
) -> SetupResult {
    let missing_trust = (!is_trusted).then(|| "trusted: in the user config does not list this memory".to_owned());
    let missing_server = server_command.map(|command| format!("the host has no server memdir: {command}"));
    let findings = edits.into_iter().flat_map(|edit| edit.findings).chain(missing_trust).chain(missing_server);
    let findings: Vec<String> = findings.collect();
    SetupResult { wired: findings.is_empty(), host: Some(target.name()), findings, ..SetupResult::default() }
}

/// Writes the files. An error says whether anything was changed before, which `is_changed` tells of what is not a file.
fn write_edits(edits: &[ConfigEdit], mut is_changed: bool) -> Result<(), Rejection> {
    for edit in edits {
        config_paths::write_config(&edit.path, edit.before.as_deref(), edit.after.as_deref())
            .map_err(|error| Rejection { changed: Some(is_changed), ..error })?;
        is_changed = true;
    }
    Ok(())
}

/// The entries to copy, for a host that is set up manually: each file of a project, as it would be created.
///
/// # Errors
/// None that depend on the machine.
pub fn manual_entries(target: HostTarget) -> Result<String, Rejection> {
    let entries =
        HostEntries { target, dir: None, server_dir: None, is_user_memory: false, auto_memory: None, at_stop: false };
    let mut out = String::new();
    for file in target.files() {
        let edit = entries.edit_text(file, None, SetupMode::Install).map_err(|error| invalid(file.project, &error))?;
        out += &format!("# {}\n{}\n", file.project, edit.0.unwrap_or_default());
    }
    if let HostTarget::AgentsMd = target {
        out += &format!("# {AGENTS_FILE}\n{AGENT_GUIDE}");
    }
    Ok(out)
}

/// The data directory, if commands that start in a directory would not find it by themselves.
fn needed_dir(session: &Session, start: &Path, env: EnvLookup<'_>) -> Result<Option<String>, Rejection> {
    let config = user::load_config(env).0;
    let found = find::find_data_dir(&DirectoryQuery::default(), start, &|| user::data_dir(&config, env));
    let same = found.is_ok_and(|found| found.dir().canonicalize().ok() == session.dir.canonicalize().ok());
    let dir = session.dir.to_str().map(str::to_owned);
    let dir = dir.ok_or_else(|| Rejection::new(Code::Usage, "the path of the memory is not UTF-8"))?;
    Ok(Some(dir).filter(|_| !same))
}

/// Whether the memory is the user's own, which `-g` names.
fn is_user_memory(session: &Session, env: EnvLookup<'_>) -> bool {
    let own = user::data_dir(&user::load_config(env).0, env).and_then(|dir| dir.canonicalize().ok());
    own.is_some() && own == session.dir.canonicalize().ok()
}

/// How hooks, and how the server, name a data directory. The files of a repository are shared, and other work trees have
/// them, too: in them it is named by its path from the root, if it is below. From a directory in between, memdir finds
/// it by that path as well, unless another repository lies between; above a folder without a repository it looks for
/// nothing.
fn entry_dirs(dir: Option<String>, project: Option<&Path>, target: HostTarget) -> (Option<String>, Option<String>) {
    // Instructions say that the path is from their own directory.
    let is_found =
        |root: &&Path| matches!(target, HostTarget::AgentsMd) || root.join(".git").symlink_metadata().is_ok();
    let repository = project.filter(is_found);
    let inside = repository.and_then(|root| path_below(Path::new(dir.as_deref()?), root));
    let Some(inside) = inside else { return (dir.clone(), dir) };
    // A name that starts with a dash would be an option.
    let named = if inside.starts_with('-') { format!("./{inside}") } else { inside.clone() };
    let of_server = target.server_root().map_or_else(|| named.clone(), |root| format!("{root}/{inside}"));
    (Some(named), Some(of_server))
}

/// The path of a directory below another, as they are written or else with links resolved.
fn path_below(dir: &Path, root: &Path) -> Option<String> {
    let below = |dir: &Path, root: &Path| dir.strip_prefix(root).ok()?.to_str().map(str::to_owned);
    below(dir, root).or_else(|| below(&dir.canonicalize().ok()?, &root.canonicalize().ok()?))
}

/// The instructions for agents; with the data directory, where commands would not find it from the root by themselves.
fn agent_guide(dir: Option<&str>) -> String {
    let note = dir.and_then(|dir| {
        let note = command_note(&format!("--dir {}", shell_quote(dir)))?;
        Some(if Path::new(dir).is_relative() { format!("{note}, from the directory of this file") } else { note })
    });
    note.map_or_else(|| AGENT_GUIDE.to_owned(), |note| format!("{AGENT_GUIDE}{note}\n"))
}

fn edit_agents_file(path: PathBuf, guide: &str, mode: SetupMode) -> Result<ConfigEdit, Rejection> {
    let before = config_paths::read_config(&path)?;
    if mode == SetupMode::Remove {
        let after = AGENTS_BLOCK.remove(before.as_deref());
        let kept = before.as_deref().is_some_and(|text| AGENTS_BLOCK.is_in_literal(text));
        let kept =
            kept.then(|| format!("{}: a block of memdir stays: it is in a code block or a comment", path.display()));
        return Ok(ConfigEdit { path, before, after, findings: kept.into_iter().collect() });
    }
    let text = before.as_deref().unwrap_or_default();
    let eol = if text.contains("\r\n") { "\r\n" } else { "\n" };
    let lines: Vec<&str> = guide.lines().collect();
    let put = AGENTS_BLOCK.put(before.as_deref(), &lines, eol);
    let open = Document::parse(text.to_owned()).open_block().filter(|_| !AGENTS_BLOCK.is_in(text));
    let open = open.map(|block| block.to_string());
    if let Some(reason) = open.or_else(|| (!AGENTS_BLOCK.is_in(&put)).then(|| "it ends in an open block".to_owned())) {
        let message = format!("{} is not changed: {reason}", path.display());
        return Err(Rejection::new(Code::InvalidConfig, message)
            .hint("below it, agents would take the instructions for an example; mend the file"));
    }
    let findings = if put == text {
        Vec::new()
    } else {
        vec![format!("{}: the instructions of memdir are missing or outdated", path.display())]
    };
    Ok(ConfigEdit { path, before, after: Some(put), findings })
}

fn invalid(path: &str, problem: &JsonProblem) -> Rejection {
    Rejection::new(Code::InvalidConfig, format!("{path} is not changed: {}", problem.message.trim_end()))
        .hint("mend the file, or add the entries of `--print` yourself")
}

impl ConfigEdit {
    fn to_row(&self) -> SetupFile {
        let (before, after) = (self.before.as_deref().unwrap_or_default(), self.after.as_deref().unwrap_or_default());
        let lines = crate::view::diff::line_changes(before, after);
        SetupFile {
            path: self.path.display().to_string(),
            lines: lines.into_iter().map(|(sign, text)| SetupLine { sign, text }).collect(),
        }
    }
}
