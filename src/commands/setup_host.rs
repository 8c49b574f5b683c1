//! `setup HOST`: writes the entries of memdir into the config files of an agent host, checks them, or takes them out.
//!
//! Changes only its own entries, by value, and refuses a file that the host itself could not read. What a user has
//! changed in an entry stays.

use std::path::{Path, PathBuf};

use serde_json::{Value, json};

use super::answer::{SetupFile, SetupLine, SetupResult};
use super::setup::SetupMode;
use super::{CommandResult, Session};
use crate::code::{Code, Rejection};
use crate::host::agent_hosts::places::{self, EnvLookup, SetupScope};
use crate::host::agent_hosts::{AgentHost, ConfigFile, ConfigFormat, HookEvent, HookLayout, PROJECT_MCP};
use crate::host::find::{self, DirectoryQuery};
use crate::host::{trusted, user};
use crate::text::json_edit::{self, JsonDialect, JsonProblem, JsonStep};
use crate::text::{managed_block, toml_table};
use crate::view::context::agent_guide::AGENT_GUIDE;

/// The name of the MCP server.
const SERVER: &str = "memdir";
/// The file that hosts without hooks or MCP read: <https://agents.md>.
const AGENTS_FILE: &str = "AGENTS.md";

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
    pub scope: Option<SetupScope>,
    pub mode: SetupMode,
    /// Show the changes, write nothing.
    pub dry_run: bool,
}

/// A file before and after; `None` where it does not exist.
struct ConfigEdit {
    path: PathBuf,
    before: Option<String>,
    after: Option<String>,
    /// What was missing before.
    findings: Vec<String>,
}

/// Sets up a host for the memory of a session, from a working directory.
///
/// # Errors
/// `invalid_config` for a file that the host could not read; `unsafe_file` for a link; `usage` for a target without
/// files of the user; `invalid_policy`, `busy`, `io`. Nothing is changed unless [`Rejection::changed`] says so.
pub fn setup_host(
    session: &Session,
    work_dir: &Path,
    options: &HostSetupOptions,
    env: EnvLookup<'_>,
) -> CommandResult<SetupResult> {
    let HostSetupOptions { target, mode, dry_run, .. } = *options;
    let default_scope = if session.found_by == "user" { SetupScope::User } else { SetupScope::Project };
    let scope = match target {
        HostTarget::Host(_) => options.scope.unwrap_or(default_scope),
        HostTarget::AgentsMd | HostTarget::Mcp => options.scope.unwrap_or(SetupScope::Project),
    };
    let beside = (session.found_by == "ancestor").then_some(&*session.dir);
    let root = places::project_root(work_dir, beside, user::home(env).as_deref());
    let start = if scope == SetupScope::Project { &*root } else { Path::new("/") };
    let entries = HostEntries { target, dir: needed_dir(session, start, env)? };
    let mut edits = Vec::new();
    for file in target.files() {
        if let Some(path) = places::config_path(file, scope, &root, env)? {
            edits.push(entries.edit_config(file, path, mode)?);
        }
    }
    if let (HostTarget::AgentsMd, SetupScope::Project) = (target, scope) {
        edits.push(edit_agents_file(places::project_path(&root, AGENTS_FILE)?, mode)?);
    }
    if edits.is_empty() {
        return Err(Rejection::new(Code::Usage, format!("{} has no file of the user's own", target.name()))
            .hint("omit --user to change the files of this project")
            .into());
    }
    let needs_trust = !matches!(target, HostTarget::AgentsMd) && mode != SetupMode::Remove;
    let is_trusted = !needs_trust || trusted::is_trusted(&user::load_config(env).0, &session.dir, env);
    if mode == SetupMode::Check {
        let missing_trust = (!is_trusted).then(|| "trusted: in the user config does not list this memory".to_owned());
        let findings: Vec<String> = edits.into_iter().flat_map(|edit| edit.findings).chain(missing_trust).collect();
        return Ok(SetupResult {
            wired: findings.is_empty(),
            host: Some(target.name()),
            findings,
            ..SetupResult::default()
        });
    }
    edits.retain(|edit| edit.before != edit.after);
    let mut files: Vec<SetupFile> = edits.iter().map(ConfigEdit::to_row).collect();
    if !is_trusted {
        let line = SetupLine { sign: "+", text: session.dir.display().to_string() };
        files.push(SetupFile { path: "trusted: in the user config".to_owned(), lines: vec![line] });
    }
    if !dry_run {
        let mut changed = false;
        if !is_trusted {
            changed = trusted::add(&session.dir, env)?;
        }
        for edit in &edits {
            places::write_config(&edit.path, edit.before.as_deref(), edit.after.as_deref())
                .map_err(|why| Rejection { changed: Some(changed), ..why })?;
            changed = true;
        }
    }
    Ok(SetupResult {
        wired: mode == SetupMode::Install,
        host: Some(target.name()),
        changed: !files.is_empty(),
        dry_run,
        files,
        findings: Vec::new(),
    })
}

/// The entries to copy, for a host that is set up manually: each file of a project, as it would be created.
///
/// # Errors
/// None that depend on the machine.
pub fn manual_entries(target: HostTarget) -> Result<String, Rejection> {
    let entries = HostEntries { target, dir: None };
    let mut out = String::new();
    for file in target.files() {
        let edit = entries.edit_text(file, None, SetupMode::Install).map_err(|why| invalid(file.project, &why))?;
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
    let same = found.is_ok_and(|found| found.dir.canonicalize().ok() == session.dir.canonicalize().ok());
    let dir = session.dir.to_str().map(str::to_owned);
    let dir = dir.ok_or_else(|| Rejection::new(Code::Usage, "the path of the memory is not UTF-8"))?;
    Ok(Some(dir).filter(|_| !same))
}

fn edit_agents_file(path: PathBuf, mode: SetupMode) -> Result<ConfigEdit, Rejection> {
    let before = places::read_config(&path)?;
    let text = before.as_deref().unwrap_or_default();
    let eol = if text.contains("\r\n") { "\r\n" } else { "\n" };
    let lines: Vec<&str> = AGENT_GUIDE.lines().collect();
    let put = managed_block::MARKDOWN.put(text, &lines, eol);
    let findings = match put == text {
        true => Vec::new(),
        false => vec![format!("{}: the instructions of memdir are missing or outdated", path.display())],
    };
    let after = match mode {
        SetupMode::Install | SetupMode::Check => Some(put),
        SetupMode::Remove => match managed_block::MARKDOWN.remove(text) {
            Some(rest) => Some(rest).filter(|rest| !rest.is_empty()),
            None => before.clone(),
        },
    };
    Ok(ConfigEdit { path, before, after, findings })
}

/// The entries of memdir for one target.
struct HostEntries {
    target: HostTarget,
    /// The data directory, if it must be named.
    dir: Option<String>,
}

/// An entry of a JSON file.
struct JsonEntry {
    /// The keys down to the member, or to the list of elements.
    path: Vec<&'static str>,
    /// The event, for an element of a list of hooks.
    event: Option<HookEvent>,
    value: Value,
}

impl HostEntries {
    fn edit_config(&self, file: &ConfigFile, path: PathBuf, mode: SetupMode) -> Result<ConfigEdit, Rejection> {
        let before = places::read_config(&path)?;
        let shown = path.display().to_string();
        let (after, missing) = self.edit_text(file, before.as_deref(), mode).map_err(|why| invalid(&shown, &why))?;
        let findings = missing.into_iter().map(|what| format!("{shown}: {what}")).collect();
        Ok(ConfigEdit { path, before, after, findings })
    }

    /// The text after, and what was missing before.
    fn edit_text(
        &self,
        file: &ConfigFile,
        before: Option<&str>,
        mode: SetupMode,
    ) -> Result<(Option<String>, Vec<String>), JsonProblem> {
        match file.format {
            ConfigFormat::Json(dialect) => self.edit_json(file, dialect, before, mode),
            ConfigFormat::Toml => self.edit_toml(file, before, mode),
        }
    }

    fn edit_json(
        &self,
        file: &ConfigFile,
        dialect: JsonDialect,
        before: Option<&str>,
        mode: SetupMode,
    ) -> Result<(Option<String>, Vec<String>), JsonProblem> {
        let entries = self.json_entries(file);
        let mut missing = Vec::new();
        let mut text = before.unwrap_or_default().to_owned();
        if before.is_some() {
            json_edit::parse(&text, dialect)?;
        }
        if mode == SetupMode::Remove {
            return match before {
                None => Ok((None, missing)),
                Some(before) => self.without_entries(file, dialect, before, &entries).map(|after| (after, missing)),
            };
        }
        for entry in &entries {
            let root = if text.is_empty() { Value::Null } else { json_edit::parse(&text, dialect)? };
            match self.find_entry(&root, entry) {
                FoundEntry::Current => continue,
                FoundEntry::Missing => {}
                FoundEntry::Other(steps) => {
                    text = json_edit::remove(&text, dialect, &steps)?.unwrap_or_default();
                }
                FoundEntry::Foreign => {
                    missing.push(format!("{} is another program's", entry.path.join(".")));
                    continue;
                }
            }
            missing.push(match entry.event {
                Some(_) => format!("no hook for {}", entry.path[entry.path.len() - 1]),
                None => format!("no {}", entry.path.join(".")),
            });
            text = json_edit::insert(&text, dialect, &entry.path, entry.event.is_some(), &entry.value)?;
        }
        if before.is_none() {
            for (key, value) in file.new_file_members {
                text = json_edit::insert(&text, dialect, &[key], false, &json!(value))?;
            }
        }
        Ok((Some(text), missing))
    }

    /// The text without our entries. A file that holds nothing else is removed.
    fn without_entries(
        &self,
        file: &ConfigFile,
        dialect: JsonDialect,
        before: &str,
        entries: &[JsonEntry],
    ) -> Result<Option<String>, JsonProblem> {
        let remove_all = |mut text: String| {
            // The last one first: the layout of the first tells whether its container was there before.
            for entry in entries.iter().rev() {
                while let Some(steps) = self.steps_of(&json_edit::parse(&text, dialect)?, entry) {
                    match json_edit::remove(&text, dialect, &steps)? {
                        Some(rest) if rest != text => text = rest,
                        Some(_) => break,
                        None => return Ok(None),
                    }
                }
            }
            Ok(Some(text))
        };
        // What a new file needs besides was written last; in front of our entries it is the user's.
        let mut bare = before.to_owned();
        for (key, _) in file.new_file_members.iter().rev() {
            let root = json_edit::parse(&bare, dialect)?;
            if root.as_object().and_then(|members| members.keys().next_back()).is_none_or(|last| last != key) {
                break;
            }
            bare = json_edit::remove(&bare, dialect, &[JsonStep::Key(key)])?.unwrap_or_default();
        }
        if bare != before && !bare.is_empty() && remove_all(bare)?.is_none() {
            return Ok(None);
        }
        remove_all(before.to_owned())
    }

    fn json_entries(&self, file: &ConfigFile) -> Vec<JsonEntry> {
        let mut entries = Vec::new();
        if let (Some(layout), HostTarget::Host(host)) = (file.hooks, self.target) {
            for event in host.setup_events {
                let Some((_, name)) = host.events.iter().find(|(known, _)| known == event) else { continue };
                let command = self.hook_command(host, *event);
                let value = match layout {
                    HookLayout::Grouped => json!({"hooks": [{"type": "command", "command": command}]}),
                    HookLayout::Flat => json!({"command": command}),
                };
                entries.push(JsonEntry { path: vec!["hooks", name], event: Some(*event), value });
            }
        }
        if let Some(key) = file.mcp_key {
            let value = json!({"command": "memdir", "args": self.server_args()});
            entries.push(JsonEntry { path: vec![key, SERVER], event: None, value });
        }
        entries
    }

    fn server_args(&self) -> Vec<String> {
        let dir = self.dir.iter().flat_map(|dir| ["--dir".to_owned(), dir.clone()]);
        dir.chain(["mcp".to_owned()]).collect()
    }

    fn hook_command(&self, host: &AgentHost, event: HookEvent) -> String {
        let dir = self.dir.as_ref().map_or(String::new(), |dir| format!(" --dir '{}'", dir.replace('\'', "'\\''")));
        format!("memdir{dir} {}", hook_words(host, event))
    }

    fn find_entry<'a>(&self, root: &Value, entry: &'a JsonEntry) -> FoundEntry<'a> {
        let Some(steps) = self.steps_of(root, entry) else {
            let is_foreign = entry.event.is_none() && at_path(root, &entry.path).is_some();
            return if is_foreign { FoundEntry::Foreign } else { FoundEntry::Missing };
        };
        let found = at_steps(root, &steps);
        match found.is_some_and(|value| command_of(value) == command_of(&entry.value)) {
            true => FoundEntry::Current,
            false => FoundEntry::Other(steps),
        }
    }

    /// Where our entry stands: the member, the element, or our hook in a group that also has others.
    fn steps_of<'a>(&self, root: &Value, entry: &'a JsonEntry) -> Option<Vec<JsonStep<'a>>> {
        let keys = entry.path.iter().map(|key| JsonStep::Key(key));
        let value = at_path(root, &entry.path)?;
        let (Some(event), HostTarget::Host(host)) = (entry.event, self.target) else {
            let is_ours = value["command"] == "memdir"
                && value["args"].as_array().is_some_and(|args| args.last().is_some_and(|last| last == "mcp"));
            return is_ours.then(|| keys.collect());
        };
        let words = format!(" {}", hook_words(host, event));
        let is_ours =
            |hook: &Value| hook["command"].as_str().is_some_and(|c| c.starts_with("memdir ") && c.ends_with(&words));
        for (n, element) in value.as_array()?.iter().enumerate() {
            let element_steps = keys.clone().chain([JsonStep::Index(n)]);
            match element["hooks"].as_array() {
                None if is_ours(element) => return Some(element_steps.collect()),
                None => {}
                Some(hooks) => match hooks.iter().position(is_ours) {
                    Some(_) if hooks.len() == 1 => return Some(element_steps.collect()),
                    Some(at) => {
                        return Some(element_steps.chain([JsonStep::Key("hooks"), JsonStep::Index(at)]).collect());
                    }
                    None => {}
                },
            }
        }
        None
    }

    fn edit_toml(
        &self,
        file: &ConfigFile,
        before: Option<&str>,
        mode: SetupMode,
    ) -> Result<(Option<String>, Vec<String>), JsonProblem> {
        let text = before.unwrap_or_default();
        let key = file.mcp_key.unwrap_or_default();
        let table =
            |text: &str| toml_table::command_table(text, &[key, SERVER]).map_err(|message| JsonProblem { message });
        table(text)?;
        let rest = managed_block::HASH.remove(text);
        if mode == SetupMode::Remove {
            return Ok(match rest {
                Some(rest) => (Some(rest).filter(|rest| !rest.is_empty()), Vec::new()),
                None => (before.map(str::to_owned), Vec::new()),
            });
        }
        let args: Vec<String> = self.server_args().iter().map(|arg| Value::from(arg.as_str()).to_string()).collect();
        // The table outside our block is the user's own.
        if let Some(own) = table(rest.as_deref().unwrap_or(text))? {
            let is_ours = own.command.as_deref() == Some("memdir") && own.args.ends_with("mcp");
            let missing = if is_ours { Vec::new() } else { vec![format!("{key}.{SERVER} is another program's")] };
            return Ok((before.map(str::to_owned), missing));
        }
        let lines =
            [format!("[{key}.{SERVER}]"), "command = \"memdir\"".to_owned(), format!("args = [{}]", args.join(", "))];
        let eol = if text.contains("\r\n") { "\r\n" } else { "\n" };
        let put = managed_block::HASH.put(text, &lines.each_ref().map(String::as_str), eol);
        // A table may be closed for additions, e.g. as an inline table.
        table(&put)?;
        let missing = if put == text { Vec::new() } else { vec![format!("no {key}.{SERVER}")] };
        Ok((Some(put), missing))
    }
}

/// What stands in the place of an entry.
enum FoundEntry<'a> {
    Missing,
    /// Ours, as it would be written now.
    Current,
    /// Ours, for another data directory.
    Other(Vec<JsonStep<'a>>),
    /// A server of our name that another program answers.
    Foreign,
}

/// What ends the command of a hook, whatever the data directory.
fn hook_words(host: &AgentHost, event: HookEvent) -> String {
    format!("hook {} --host {}", event.name(), host.name)
}

fn at_path<'v>(root: &'v Value, path: &[&str]) -> Option<&'v Value> {
    path.iter().try_fold(root, |value, key| value.get(key))
}

fn at_steps<'v>(root: &'v Value, steps: &[JsonStep<'_>]) -> Option<&'v Value> {
    steps.iter().try_fold(root, |value, step| match step {
        JsonStep::Key(key) => value.get(key),
        JsonStep::Index(index) => value.get(index),
    })
}

/// The part of an entry that says what runs; timeouts and the like are the user's.
fn command_of(value: &Value) -> (Value, Value) {
    let inner = value["hooks"].get(0).unwrap_or(value);
    (inner["command"].clone(), inner["args"].clone())
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
