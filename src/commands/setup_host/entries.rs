//! The entries of memdir in the config files of a host: finds them, adds them and takes them out of a text.
//!
//! Never writes a file.

use std::path::PathBuf;

use serde_json::{Value, json};

use super::super::hook::START_BUDGET;
use super::super::setup::SetupMode;
use super::own_command::CommandMemory;
use super::{ConfigEdit, HostTarget, SERVER, invalid, own_command};
use crate::code::Rejection;
use crate::host::agent_hosts::{AgentHost, ConfigFile, ConfigFormat, HookEvent, HookLayout, UserServer, config_paths};
use crate::host::{EnvLookup, outside_files};
use crate::text::json_edit::{self, JsonDialect, JsonProblem, JsonStep};
use crate::text::managed_block;
use crate::text::shell_quote::shell_quote;
use crate::text::toml_table::{self, CommandTable};

/// The entries of memdir for one target.
pub(super) struct HostEntries {
    pub(super) target: HostTarget,
    /// The data directory, if it must be named, in the commands of hooks.
    pub(super) dir: Option<String>,
    /// The same in the arguments of the server.
    pub(super) server_dir: Option<String>,
    /// Whether it is the user's own memory.
    pub(super) is_user_memory: bool,
    /// The data directory as the folder of the host's own memory.
    pub(super) auto_memory: Option<String>,
    /// The end of each turn is a hook, too: it pushes to the user's remote, before the machine may be gone.
    pub(super) at_stop: bool,
}

/// What an entry of a JSON file is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum EntryKind {
    /// An element of the list of hooks of an event.
    Hook(HookEvent),
    Server,
    /// The folder of the host's own memory.
    AutoMemory,
}

/// An entry of a JSON file.
struct JsonEntry {
    /// The keys down to the member, or to the list of elements.
    path: Vec<&'static str>,
    kind: EntryKind,
    value: Value,
}

impl HostEntries {
    pub(super) fn edit_config(
        &self,
        file: &ConfigFile,
        path: PathBuf,
        mode: SetupMode,
    ) -> Result<ConfigEdit, Rejection> {
        let before = config_paths::read_config(&path)?;
        let shown = path.display().to_string();
        let (after, missing) =
            self.edit_text(file, before.as_deref(), mode).map_err(|error| invalid(&shown, &error))?;
        let findings = missing.into_iter().map(|what| format!("{shown}: {what}")).collect();
        Ok(ConfigEdit { path, before, after, findings })
    }

    /// Adds the entries of a second table to an edit of the same file.
    pub(super) fn edit_further(
        &self,
        file: &ConfigFile,
        edit: &mut ConfigEdit,
        mode: SetupMode,
    ) -> Result<(), Rejection> {
        let shown = edit.path.display().to_string();
        let (after, missing) =
            self.edit_text(file, edit.after.as_deref(), mode).map_err(|error| invalid(&shown, &error))?;
        edit.after = after;
        edit.findings.extend(missing.into_iter().map(|what| format!("{shown}: {what}")));
        Ok(())
    }

    /// The command that only the host itself can carry out, if its list of servers is not as the mode wants it.
    pub(super) fn server_command(
        &self,
        server: &UserServer,
        mode: SetupMode,
        env: EnvLookup<'_>,
    ) -> Result<Option<String>, Rejection> {
        let dialect = JsonDialect { comments: false, trailing_commas: false };
        // The host's own state, which may be large. It is only looked at: what cannot be read has no server.
        let path = config_paths::user_path(&server.file, env)?;
        let text = outside_files::read(&path).ok().and_then(|bytes| String::from_utf8(bytes).ok()).unwrap_or_default();
        let root = json_edit::parse(&text, dialect).unwrap_or(Value::Null);
        let is_there = at_path(&root, &[server.key, SERVER]).is_some();
        let add = || {
            let args: Vec<String> = self.server_args(&["mcp"]).iter().map(|arg| shell_quote(arg)).collect();
            format!("{} {}", server.add, args.join(" "))
        };
        Ok(match mode {
            SetupMode::Install | SetupMode::Check => (!is_there).then(add),
            SetupMode::Remove => is_there.then(|| server.remove.to_owned()),
        })
    }

    /// The text after, and what was missing before.
    pub(super) fn edit_text(
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
        let entries = self.json_entries(file, mode);
        let mut missing = Vec::new();
        let mut text = before.unwrap_or_default().to_owned();
        if before.is_some() {
            json_edit::parse(&text, dialect)?;
        }
        if mode == SetupMode::Remove {
            let Some(before) = before else { return Ok((None, missing)) };
            let after = self.without_entries(file, dialect, before, &entries)?;
            let root = after.as_deref().map_or(Ok(Value::Null), |text| parse_edited(text, dialect))?;
            let servers = entries.iter().filter(|entry| entry.kind == EntryKind::Server);
            let kept = servers.filter(|entry| self.own_entry(&root, entry).is_some());
            return Ok((after, kept.map(|entry| changed_entry(&entry.path)).collect()));
        }
        for entry in &entries {
            let root = if text.is_empty() { Value::Null } else { parse_edited(&text, dialect)? };
            let found = self.find_entry(&root, entry);
            match &found {
                FoundEntry::Current => continue,
                FoundEntry::Missing | FoundEntry::Other(..) => {}
                FoundEntry::Foreign if entry.kind == EntryKind::AutoMemory => {
                    let message = format!("{} names another folder", entry.path.join("."));
                    match mode {
                        SetupMode::Install => return Err(JsonProblem { message }),
                        SetupMode::Check | SetupMode::Remove => missing.push(message),
                    }
                    continue;
                }
                FoundEntry::Foreign => {
                    missing.push(format!("{} is another program's", entry.path.join(".")));
                    continue;
                }
            }
            let is_hook = matches!(entry.kind, EntryKind::Hook(_));
            missing.push(if is_hook {
                format!("no hook for {}", entry.path[entry.path.len() - 1])
            } else {
                format!("no {}", entry.path.join("."))
            });
            text = match found {
                FoundEntry::Other(steps, value) => json_edit::replace(&text, dialect, &steps, &value)?,
                _ => json_edit::insert(&text, dialect, &entry.path, is_hook, &entry.value)?,
            };
        }
        for entry in self.obsolete_hooks(file) {
            loop {
                let root = parse_edited(&text, dialect)?;
                // A command that does something else, too, is the user's.
                let is_composite = |hooks: &Value| hooks.to_string().contains(['&', ';', '|']);
                let Some((steps, _)) = self.own_entry(&root, &entry) else { break };
                if at_path(&root, &entry.path).is_some_and(is_composite) {
                    break;
                }
                let rest = json_edit::remove(&text, dialect, &steps)?.filter(|rest| *rest != text);
                let Some(rest) = rest else { break };
                missing.push(format!("the hook for {} is no longer needed", entry.path[entry.path.len() - 1]));
                text = rest;
            }
        }
        for (key, value) in file.required_members {
            let root = if text.is_empty() { Value::Null } else { parse_edited(&text, dialect)? };
            if at_path(&root, &[key]).is_none() {
                missing.extend(before.map(|_| format!("no {key}")));
                text = json_edit::insert(&text, dialect, &[key], false, &json!(value))?;
            }
        }
        parse_edited(&text, dialect)?;
        Ok((Some(text), missing))
    }

    /// The text without our entries; a server that is not as `setup` writes it is the user's. A file that holds nothing
    /// else is removed.
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
                loop {
                    let root = parse_edited(&text, dialect)?;
                    let Some((steps, _)) = self.own_entry(&root, entry) else { break };
                    if entry.kind == EntryKind::Server
                        && !at_path(&root, &entry.path).is_some_and(own_command::is_server_of_setup)
                    {
                        break;
                    }
                    match json_edit::remove(&text, dialect, &steps)? {
                        Some(rest) if rest != text => text = rest,
                        Some(_) => break,
                        None => return Ok(None),
                    }
                }
            }
            Ok(Some(text))
        };
        // What the file needs besides was written last; in front of our entries it is the user's.
        let mut bare = before.to_owned();
        for (key, _) in file.required_members.iter().rev() {
            let root = parse_edited(&bare, dialect)?;
            if root.as_object().and_then(|members| members.keys().next_back()).is_none_or(|last| last != key) {
                break;
            }
            bare = json_edit::remove(&bare, dialect, &[JsonStep::Key(key)])?.unwrap_or_default();
        }
        if bare != before && !bare.is_empty() {
            let Some(rest) = remove_all(bare)? else { return Ok(None) };
            // It is the user's, too, where a container of our entries was there before them.
            let root = parse_edited(&rest, dialect)?;
            if entries.iter().all(|entry| at_path(&root, &entry.path[..1]).is_none()) {
                return Ok(Some(rest));
            }
        }
        remove_all(before.to_owned())
    }

    /// The hooks of a file for some events.
    fn hook_entries(&self, file: &ConfigFile, is_wanted: &dyn Fn(&AgentHost, HookEvent) -> bool) -> Vec<JsonEntry> {
        let (Some(layout), HostTarget::Host(host)) = (file.hooks, self.target) else { return Vec::new() };
        let wanted = host.events.iter().filter(|(event, _)| is_wanted(host, *event));
        let entry = |(event, name): &(HookEvent, &'static str)| {
            let command = self.hook_command(host, *event);
            let value = match layout {
                HookLayout::Grouped => json!({"hooks": [{"type": "command", "command": command}]}),
                HookLayout::Flat => json!({"command": command}),
            };
            JsonEntry { path: vec!["hooks", name], kind: EntryKind::Hook(*event), value }
        };
        wanted.map(entry).collect()
    }

    /// The hooks that only earlier versions wrote. The one at the end of a turn is none: it may be for a remote that
    /// this environment does not name.
    fn obsolete_hooks(&self, file: &ConfigFile) -> Vec<JsonEntry> {
        self.hook_entries(file, &|host, event| !host.setup_events.contains(&event) && event != HookEvent::Stop)
    }

    /// The entries that a mode is about: a removal also about hooks that earlier versions wrote.
    fn json_entries(&self, file: &ConfigFile, mode: SetupMode) -> Vec<JsonEntry> {
        let mut entries = self.hook_entries(file, &|host, event| {
            mode == SetupMode::Remove
                || host.setup_events.contains(&event)
                || (self.at_stop && event == HookEvent::Stop)
        });
        if let Some(key) = file.mcp_key {
            let value = json!({"command": "memdir", "args": self.server_args(&["mcp"])});
            entries.push(JsonEntry { path: vec![key, SERVER], kind: EntryKind::Server, value });
        }
        if let (Some(key), Some(dir)) = (file.auto_memory_key, &self.auto_memory) {
            entries.push(JsonEntry { path: vec![key], kind: EntryKind::AutoMemory, value: json!(dir) });
        }
        entries
    }

    /// The arguments of the server, made of those that are there.
    fn server_args(&self, own: &[&str]) -> Vec<String> {
        own_command::server_args(own, self.server_memory(), self.target.caller())
    }

    fn memory(&self) -> CommandMemory<'_> {
        CommandMemory { dir: self.dir.as_deref(), is_user_memory: self.is_user_memory }
    }

    fn server_memory(&self) -> CommandMemory<'_> {
        CommandMemory { dir: self.server_dir.as_deref(), ..self.memory() }
    }

    fn hook_command(&self, host: &AgentHost, event: HookEvent) -> String {
        let dir = self.dir.as_ref().map_or(String::new(), |dir| format!(" --dir {}", shell_quote(dir)));
        let budget = match event {
            HookEvent::SessionStart | HookEvent::SubagentStart => format!(" --budget {START_BUDGET}"),
            _ => String::new(),
        };
        format!("memdir{dir} {}{budget}", hook_words(host, event))
    }

    fn find_entry<'a>(&self, root: &Value, entry: &'a JsonEntry) -> FoundEntry<'a> {
        let Some((mut steps, corrected)) = self.own_entry(root, entry) else {
            let is_foreign = !matches!(entry.kind, EntryKind::Hook(_)) && at_path(root, &entry.path).is_some();
            return if is_foreign { FoundEntry::Foreign } else { FoundEntry::Missing };
        };
        let member = match entry.kind {
            EntryKind::AutoMemory => return FoundEntry::Current,
            EntryKind::Server => "args",
            EntryKind::Hook(_) => "command",
        };
        let mut found = at_steps(root, &steps);
        if let (EntryKind::Hook(_), Some(hooks)) = (entry.kind, found.and_then(|element| element.get("hooks"))) {
            steps.extend([JsonStep::Key("hooks"), JsonStep::Index(0)]);
            found = hooks.get(0);
        }
        steps.push(JsonStep::Key(member));
        if found.is_some_and(|value| value[member] == corrected) {
            FoundEntry::Current
        } else {
            FoundEntry::Other(steps, corrected)
        }
    }

    /// Where our entry stands (the member, the element, or our hook in a group that also has others), and what its
    /// command or arguments should be.
    fn own_entry<'a>(&self, root: &Value, entry: &'a JsonEntry) -> Option<(Vec<JsonStep<'a>>, Value)> {
        let keys = entry.path.iter().map(|key| JsonStep::Key(key));
        let value = at_path(root, &entry.path)?;
        let (event, host) = match (entry.kind, self.target) {
            (EntryKind::Hook(event), HostTarget::Host(host)) => (event, host),
            (EntryKind::Hook(_), HostTarget::AgentsMd | HostTarget::Mcp) => return None,
            (EntryKind::Server, _) => {
                let args: Vec<&str> = value["args"].as_array()?.iter().filter_map(Value::as_str).collect();
                let is_ours = value["command"].as_str().is_some_and(own_command::is_memdir) && args.contains(&"mcp");
                let caller = self.target.caller().filter(|_| !own_command::is_named_by_env(value));
                let args = own_command::server_args(&args, self.server_memory(), caller);
                return is_ours.then(|| (keys.collect(), json!(args)));
            }
            (EntryKind::AutoMemory, _) => {
                return (*value == entry.value).then(|| (keys.collect(), value.clone()));
            }
        };
        let words = hook_words(host, event);
        let corrected = |hook: &Value| own_command::hook_command(hook["command"].as_str()?, self.memory(), &words);
        let mut first = None;
        for (n, element) in value.as_array()?.iter().enumerate() {
            let mut steps: Vec<JsonStep<'a>> = keys.clone().chain([JsonStep::Index(n)]).collect();
            let hooks = element["hooks"].as_array().map_or(std::slice::from_ref(element), Vec::as_slice);
            let Some((at, command)) = hooks.iter().enumerate().find_map(|(at, hook)| Some((at, corrected(hook)?)))
            else {
                continue;
            };
            if hooks.len() > 1 {
                steps.extend([JsonStep::Key("hooks"), JsonStep::Index(at)]);
            }
            // One that is right counts before one that would have to be corrected, which may be for another memory.
            if hooks[at]["command"] == command {
                return Some((steps, json!(command)));
            }
            first.get_or_insert((steps, json!(command)));
        }
        first
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
        // A block with other arguments, more keys or a comment is the user's, too.
        let is_changed = managed_block::TOML.lines_in(text).is_some_and(|block| {
            let own = toml_table::lone_command_table(&block, &[key, SERVER]);
            let is_empty = block.lines().all(|line| line.trim().is_empty());
            !is_empty && !own.is_some_and(|own| is_table_of_setup(&own))
        });
        let rest = if is_changed { before.map(str::to_owned) } else { managed_block::TOML.remove(before) };
        if mode == SetupMode::Remove {
            let kept = if is_changed { vec![changed_entry(&[key, SERVER])] } else { Vec::new() };
            return Ok((rest, kept));
        }
        // The table outside our block is the user's own.
        if let Some(own) = table(rest.as_deref().unwrap_or_default())? {
            let is_ours =
                own.command.as_deref().is_some_and(own_command::is_memdir) && own.args.iter().any(|arg| arg == "mcp");
            if !is_ours {
                return Ok((before.map(str::to_owned), vec![format!("{key}.{SERVER} is another program's")]));
            }
            return self.correct_toml_args(text, &[key, SERVER], &own, mode);
        }
        if let Some(line) = toml_table::closed_value_line(text, key) {
            let message = format!(
                "'{key}' on line {line} is no table to which [{key}.{SERVER}] can be added; write its servers as tables, \
                 [{key}.NAME]"
            );
            return Err(JsonProblem { message });
        }
        let args = self.server_args(&["mcp"]);
        let lines =
            [format!("[{key}.{SERVER}]"), "command = \"memdir\"".to_owned(), format!("args = {}", toml_list(&args))];
        let eol = if text.contains("\r\n") { "\r\n" } else { "\n" };
        let put = managed_block::TOML.put(before, &lines.each_ref().map(String::as_str), eol);
        // A table may be closed for additions in other ways.
        table(&put).map_err(|JsonProblem { message }| JsonProblem {
            message: format!("[{key}.{SERVER}] cannot be added at its end: {message}"),
        })?;
        let missing = if put == text { Vec::new() } else { vec![format!("no {key}.{SERVER}")] };
        Ok((Some(put), missing))
    }

    /// Sets the data directory among the arguments of a server that a user has changed; all else in the text stays.
    fn correct_toml_args(
        &self,
        text: &str,
        path: &[&str],
        own: &CommandTable,
        mode: SetupMode,
    ) -> Result<(Option<String>, Vec<String>), JsonProblem> {
        let args: Vec<&str> = own.args.iter().map(String::as_str).collect();
        let corrected = own_command::server_args(&args, self.server_memory(), None);
        if corrected == own.args {
            return Ok((Some(text.to_owned()), Vec::new()));
        }
        let missing = vec![format!("{} is for another data directory", path.join("."))];
        match toml_table::plain_args_range(text, path) {
            Some(range) => {
                let (above, below) = (&text[..range.start], &text[range.end..]);
                Ok((Some(format!("{above}{}{below}", toml_list(&corrected))), missing))
            }
            None if mode == SetupMode::Check => Ok((Some(text.to_owned()), missing)),
            None => Err(JsonProblem {
                message: format!("{}.args has comments; write {} there", path.join("."), toml_list(&corrected)),
            }),
        }
    }
}

/// A list of texts in TOML.
fn toml_list(texts: &[String]) -> String {
    let texts: Vec<String> = texts.iter().map(|text| Value::from(text.as_str()).to_string()).collect();
    format!("[{}]", texts.join(", "))
}

/// Parses a text that memdir has edited. Its user's text was valid, so an error in it is not theirs to mend.
fn parse_edited(text: &str, dialect: JsonDialect) -> Result<Value, JsonProblem> {
    json_edit::parse(text, dialect).map_err(|_| JsonProblem {
        message: "memdir cannot edit it without breaking it, because of its comments or its layout".to_owned(),
    })
}

/// Whether a server of a TOML file is as `setup` writes it.
fn is_table_of_setup(server: &CommandTable) -> bool {
    let args: Vec<&str> = server.args.iter().map(String::as_str).collect();
    server.command.as_deref() == Some("memdir") && own_command::is_written_by_setup(&args)
}

/// What `--remove` says of an entry that it leaves.
fn changed_entry(path: &[&str]) -> String {
    format!("{} stays: it is not as `setup` writes it", path.join("."))
}

/// What stands in the place of an entry.
enum FoundEntry<'a> {
    Missing,
    /// Ours, as it would be written now.
    Current,
    /// Ours, for another data directory or without a caller: where its command or arguments stand, and the right ones.
    Other(Vec<JsonStep<'a>>, Value),
    /// A server of our name that another program answers.
    Foreign,
}

/// What the command of a hook says, whatever its options.
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
