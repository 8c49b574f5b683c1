//! The programs that run agents (hosts) as data: what their hooks send and expect. One file for each host.
//!
//! Never runs a host and never reads its files: `commands/hook.rs` uses these tables.

mod claude;
mod codex;
pub mod config_paths;
mod cursor;
pub mod cut_json;
mod gemini;

use std::borrow::Cow;
use std::collections::HashSet;

use serde_json::{Value, json};

use crate::document::links::percent_decode;
use crate::text::json_edit::JsonDialect;
use crate::text::shell_quote::shell_quote;
use crate::text::surrogates::parse_lossy;

/// The hosts that memdir knows.
pub const ALL: [&AgentHost; 4] = [&claude::HOST, &codex::HOST, &gemini::HOST, &cursor::HOST];

/// A moment in a session at which a host runs a hook.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum HookEvent {
    SessionStart,
    UserPrompt,
    PreTool,
    PreCompact,
    Stop,
    SessionEnd,
}

impl HookEvent {
    /// All events, in the order of a session.
    pub const ALL: [HookEvent; 6] = [
        HookEvent::SessionStart,
        HookEvent::UserPrompt,
        HookEvent::PreTool,
        HookEvent::PreCompact,
        HookEvent::Stop,
        HookEvent::SessionEnd,
    ];

    /// The name on the command line.
    pub fn name(self) -> &'static str {
        match self {
            HookEvent::SessionStart => "session-start",
            HookEvent::UserPrompt => "user-prompt",
            HookEvent::PreTool => "pre-tool",
            HookEvent::PreCompact => "pre-compact",
            HookEvent::Stop => "stop",
            HookEvent::SessionEnd => "session-end",
        }
    }
}

/// The JSON in which a host takes a text for its model.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ContextEnvelope {
    /// `{"hookSpecificOutput":{"hookEventName":EVENT,"additionalContext":TEXT}}`.
    HookSpecificOutput,
    /// `{"additional_context":TEXT}`; with a prompt, `"continue":true` besides, because that answer decides about it.
    AdditionalContext,
}

/// A host of agents: its events, the fields of its input, how it takes a text, and its config files.
#[derive(Debug)]
pub struct AgentHost {
    /// The name on the command line; also the caller's name, unless another is given.
    pub name: &'static str,
    /// The host's own name of each event that it has.
    pub events: &'static [(HookEvent, &'static str)],
    /// The events at which a text reaches the model.
    pub text_events: &'static [HookEvent],
    /// How such a text is passed on.
    pub envelope: ContextEnvelope,
    /// Whether `systemMessage` of an answer is shown to the user, at every event.
    pub shows_messages: bool,
    /// Fields of the input that name the session; the first that is set counts.
    pub session_fields: &'static [&'static str],
    /// Fields of the input that name the working directory, as a path or a list of paths.
    pub directory_fields: &'static [&'static str],
    /// Endings of the names of the host's transcripts. No other file that an input names is read.
    pub transcript_endings: &'static [&'static str],
    /// The config files that `setup` changes.
    pub files: &'static [ConfigFile],
    /// The events for which `setup` writes a hook: those that begin a session or end it, once each, and those in
    /// between at which a text reaches the model. With a remote of the user, the end of a turn besides, where the host
    /// has it.
    pub setup_events: &'static [HookEvent],
    /// The file with the setting that names the folder of the host's own memory, if it has one.
    pub auto_memory: Option<ConfigFile>,
    /// What the user has to know, or to do, before the hooks run.
    pub setup_note: &'static str,
    /// The user's own MCP servers, where only the host itself can write them.
    pub user_server: Option<UserServer>,
}

/// The note for a host that has none of its own.
pub const SETUP_NOTE: &str = "the host reads these files when a session starts; `--remove` takes the entries out again";

/// A list of MCP servers that `setup` reads and only a command of the host writes.
#[derive(Debug)]
pub struct UserServer {
    pub file: UserFile,
    /// The key of the servers.
    pub key: &'static str,
    /// The command that adds the server; the arguments of memdir follow.
    pub add: &'static str,
    /// The command that removes it.
    pub remove: &'static str,
}

/// A config file of a host.
#[derive(Debug)]
pub struct ConfigFile {
    /// Path from the root of a project.
    pub project: &'static str,
    /// The user's own file, where the host has one that people edit.
    pub user: Option<UserFile>,
    pub format: ConfigFormat,
    /// The layout of the host's hooks, if this file holds them.
    pub hooks: Option<HookLayout>,
    /// The key of the MCP servers, if this file holds them.
    pub mcp_key: Option<&'static str>,
    /// The key of the folder of the host's own memory, if this file holds it.
    pub auto_memory_key: Option<&'static str>,
    /// Members that the file needs besides.
    pub required_members: &'static [(&'static str, u64)],
}

/// A file in the user's home directory.
#[derive(Debug)]
pub struct UserFile {
    /// A variable that names the host's folder instead of the one in the home directory.
    pub variable: Option<&'static str>,
    /// The host's folder in the home directory.
    pub folder: &'static str,
    pub name: &'static str,
}

/// The syntax of a config file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ConfigFormat {
    Json(JsonDialect),
    Toml,
}

/// How a host lists its hooks below `hooks` and the event's name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum HookLayout {
    /// `{"hooks": [{"type": "command", "command": COMMAND}]}`; without a matcher, it runs for every kind of the event.
    Grouped,
    /// `{"command": COMMAND}`.
    Flat,
}

/// JSON without comments and trailing commas.
const STRICT_JSON: JsonDialect = JsonDialect { comments: false, trailing_commas: false };

/// The servers of a project, in a file that several hosts read: <https://code.claude.com/docs/en/mcp>.
pub const PROJECT_MCP: ConfigFile = ConfigFile {
    project: ".mcp.json",
    user: None,
    format: ConfigFormat::Json(STRICT_JSON),
    hooks: None,
    mcp_key: Some("mcpServers"),
    auto_memory_key: None,
    required_members: &[],
};

/// The answer of a hook without a text for the model: an object without fields is valid for every host and event.
pub const EMPTY_ENVELOPE: &str = "{}\n";

impl AgentHost {
    /// The host of a name.
    pub fn by_name(name: &str) -> Option<&'static AgentHost> {
        ALL.into_iter().find(|host| host.name == name)
    }

    /// Whether a text reaches the model at this event.
    pub fn takes_text(&self, event: HookEvent) -> bool {
        self.text_events.contains(&event)
    }

    /// The envelope with a text for the model; empty if none reaches it at this event.
    pub fn context_envelope(&self, event: HookEvent, text: &str) -> String {
        let named = self.events.iter().find(|(known, _)| *known == event && self.takes_text(event));
        let Some((_, event_name)) = named else {
            return EMPTY_ENVELOPE.to_owned();
        };
        let envelope = match self.envelope {
            ContextEnvelope::HookSpecificOutput => {
                json!({"hookSpecificOutput": {"hookEventName": event_name, "additionalContext": text}})
            }
            ContextEnvelope::AdditionalContext if event == HookEvent::UserPrompt => {
                json!({"continue": true, "additional_context": text})
            }
            ContextEnvelope::AdditionalContext => json!({"additional_context": text}),
        };
        format!("{envelope}\n")
    }

    /// The envelope with a message for the user; `None` if the host shows none.
    pub fn message_envelope(&self, message: &str) -> Option<String> {
        self.shows_messages.then(|| format!("{}\n", json!({"systemMessage": message})))
    }

    /// Reads what the host sent, lossily; `None` if it is not a JSON object.
    pub fn parse_input(&self, bytes: &[u8]) -> Option<HookInput> {
        let Some(Value::Object(fields)) = parse_lossy(bytes) else { return None };
        let text = |name: &&str| fields.get(*name).and_then(first_text).filter(|text| !text.is_empty());
        let transcript = text(&"transcript_path").filter(|path| {
            path.starts_with('/') && self.transcript_endings.iter().any(|ending| path.ends_with(ending))
        });
        Some(HookInput {
            session: self.session_fields.iter().find_map(text).unwrap_or_default(),
            directory: self.directory_fields.iter().find_map(text).filter(|path| path.starts_with('/')),
            transcript,
            agent: text(&"agent_id").unwrap_or_default(),
            is_resumed: text(&"source").is_some_and(|source| source == "resume"),
            prompt: text(&"prompt").unwrap_or_default(),
            tool: fields
                .get("tool_input")
                .map(|input| HostToolCall::of(&text(&"tool_name").unwrap_or_default(), input))
                .unwrap_or_default(),
        })
    }
}

/// A text, or the first of a list of texts. A NUL cannot be part of a path.
fn first_text(value: &Value) -> Option<String> {
    let text = value.as_str().or_else(|| value.as_array()?.first()?.as_str())?;
    (!text.contains('\0')).then(|| text.to_owned())
}

/// What a hook needs of its input.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct HookInput {
    /// The id of the session; empty if the host gave none.
    pub session: String,
    /// The absolute path of the working directory.
    pub directory: Option<String>,
    /// The absolute path of the transcript, if the host keeps one of the right kind.
    pub transcript: Option<String>,
    /// The id of the sub-agent; empty for the main one.
    pub agent: String,
    /// Whether a session that starts is an earlier one, whose text its model still has. Claude Code, Codex and Gemini
    /// CLI say so in `source`.
    pub is_resumed: bool,
    /// What the user asks; empty if the event has no prompt.
    pub prompt: String,
    /// What a tool is about to do.
    pub tool: HostToolCall,
}

/// What is known of a tool call: the paths that it names and the command that it runs.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct HostToolCall {
    pub paths: Vec<String>,
    pub command: String,
    /// The task that it gives to a sub-agent.
    pub task: String,
}

/// Fields of tool inputs that name a file: `file_path` and `notebook_path` of Claude Code, `path` and `absolute_path`
/// and `dir_path` of Gemini CLI, `filePath` of VS Code, the others of MCP servers.
const PATH_FIELDS: [&str; 13] = [
    "file_path",
    "filePath",
    "notebook_path",
    "path",
    "absolute_path",
    "dir_path",
    "target_file",
    "relative_path",
    "files",
    "paths",
    "file_paths",
    "source",
    "destination",
];
/// Fields with a list of edits, each of which names its file: `replacements` of VS Code's `multi_replace_string_in_file`
/// (`src/extension/tools/node/multiReplaceStringTool.tsx` in <https://github.com/microsoft/vscode-copilot-chat>).
const EDIT_LIST_FIELDS: [&str; 2] = ["replacements", "edits"];
/// Fields with a patch: `command` of Codex, `input` of VS Code's `apply_patch` (`applyPatchTool.tsx` there).
const PATCH_FIELDS: [&str; 2] = ["command", "input"];
/// Tools of which `pattern` is a glob of paths; that of other search tools is a regular expression.
const GLOB_TOOLS: [&str; 5] = ["Glob", "glob", "find_files", "file_search", "search_files"];
/// The shells of which a list of words may hold a script.
const SHELLS: [&str; 5] = ["bash", "sh", "zsh", "dash", "ksh"];
/// The most paths of a tool call that are looked at.
const MAX_PATHS: usize = 50;
/// What precedes a path in the patches of Codex (<https://github.com/openai/codex>, `apply_patch`) and VS Code.
const PATCH_HEADS: [&str; 4] = ["*** Update File: ", "*** Add File: ", "*** Delete File: ", "*** Move to: "];
/// The longest command or task that is read, in characters.
const MAX_TOOL_TEXT: usize = 4096;

impl HostToolCall {
    fn of(tool: &str, input: &Value) -> HostToolCall {
        let short = |name: &str| match input.get(name) {
            Some(Value::Array(words)) => command_line(&words.iter().filter_map(Value::as_str).collect::<Vec<_>>()),
            Some(value) => value.as_str().unwrap_or_default().to_owned(),
            None => String::new(),
        };
        let cut = |text: &str| text.chars().take(MAX_TOOL_TEXT).collect::<String>();
        let command = short("command");
        let patches = PATCH_FIELDS.map(&short);
        let patched = patches.iter().flat_map(|patch| patch.lines());
        let patched = patched.filter_map(|line| PATCH_HEADS.iter().find_map(|head| line.strip_prefix(head)));
        let edits = EDIT_LIST_FIELDS.iter().filter_map(|field| input.get(field)?.as_array()).flatten();
        let named = PATH_FIELDS.into_iter().filter_map(|field| input.get(field)).flat_map(|value| match value {
            // A list of paths, or of what is done with each.
            Value::Array(all) => all.iter().filter_map(|one| one.as_str().or_else(|| path_in(one))).collect(),
            value => value.as_str().into_iter().collect::<Vec<_>>(),
        });
        let globs = searched_globs(tool, input);
        let all = named.chain(edits.filter_map(path_in)).chain(patched.map(str::trim)).chain(globs.as_deref());
        let mut paths: Vec<String> = Vec::new();
        for path in all.filter(|path| path.len() < MAX_TOOL_TEXT).map(without_file_scheme) {
            if !path.is_empty() && !path.contains('\0') && !paths.iter().any(|known| *known == path) {
                paths.push(path.into_owned());
            }
            if paths.len() == MAX_PATHS {
                break;
            }
        }
        HostToolCall { paths, command: cut(&without_here_documents(&command)), task: cut(&short("prompt")) }
    }
}

/// The path that a `file://` URI names (RFC 8089); any other text is itself.
fn without_file_scheme(path: &str) -> Cow<'_, str> {
    let Some(rest) = path.strip_prefix("file://") else { return Cow::Borrowed(path) };
    let local = rest.strip_prefix("localhost").unwrap_or(rest);
    if local.starts_with('/') { percent_decode(local) } else { Cow::Borrowed(path) }
}

/// The path that an item of a list names.
fn path_in(item: &Value) -> Option<&str> {
    PATH_FIELDS.iter().find_map(|field| item.get(field)?.as_str())
}

/// The glob that a search tool is given, below the folder that it searches.
fn searched_globs(tool: &str, input: &Value) -> Option<String> {
    let text = |field: &str| input.get(field).and_then(Value::as_str);
    let glob = text("pattern").filter(|_| GLOB_TOOLS.contains(&tool)).or_else(|| text("glob"))?;
    let folder = ["path", "dir_path"].iter().find_map(|field| text(field)).filter(|_| !glob.starts_with('/'));
    Some(folder.map_or_else(|| glob.to_owned(), |folder| format!("{}/{glob}", folder.trim_end_matches('/'))))
}

/// The words of a command, which Codex gives as a list, as one line. Of `bash -lc SCRIPT`, the script.
fn command_line(words: &[&str]) -> String {
    match words {
        [shell, option, script, ..]
            if SHELLS.contains(&shell.rsplit('/').next().unwrap_or_default())
                && option.starts_with('-')
                && option.ends_with('c') =>
        {
            (*script).to_owned()
        }
        _ => words.iter().map(|word| shell_quote(word)).collect::<Vec<_>>().join(" "),
    }
}

/// A command without the lines of its here-documents, which it does not run.
fn without_here_documents(command: &str) -> String {
    // Most of what looks like a start, as `std::cout << x`, has no line that ends it.
    let lines: HashSet<&str> = command.lines().map(str::trim).collect();
    let mut kept = String::new();
    let mut rest = command;
    while !rest.is_empty() {
        let (line, below) = rest.split_at(rest.find('\n').map_or(rest.len(), |end| end + 1));
        kept.push_str(line);
        rest = below;
        for word in here_document_ends(line).filter(|word| lines.contains(word)) {
            let mut at = 0;
            let end = rest.split_inclusive('\n').find_map(|line| {
                at += line.len();
                (line.trim() == word).then_some(at)
            });
            // What looks like the start of a here-document, but has no end, is not one.
            rest = end.map_or(rest, |end| &rest[end..]);
        }
    }
    kept
}

/// The words that end the here-documents that start in a line.
fn here_document_ends(line: &str) -> impl Iterator<Item = &str> {
    let starts = line.split("<<<").flat_map(|part| part.split("<<").skip(1));
    starts.filter_map(|rest| {
        let rest = rest.trim_start_matches(['-', ' ', '"', '\'', '\\']);
        let is_part = |c: char| c.is_alphanumeric() || "_-.!".contains(c);
        rest.split(|c| !is_part(c)).next().filter(|word| !word.is_empty())
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn input_fields_are_read_leniently() {
        let claude = AgentHost::by_name("claude").unwrap();
        let read = |text: &str| claude.parse_input(text.as_bytes());
        assert_eq!(read("{}"), Some(HookInput::default()));
        for broken in ["", "[]", "\"x\"", "{", "{}x", "\u{0}"] {
            assert_eq!(read(broken), None, "{broken}");
        }
        let input = read(r#"{"session_id":"s","cwd":"/w","transcript_path":"/t/a.jsonl","new_field":{}}"#).unwrap();
        assert_eq!((input.session.as_str(), input.directory.as_deref()), ("s", Some("/w")));
        assert_eq!(input.transcript.as_deref(), Some("/t/a.jsonl"));
        for other in ["null", "7", "\"a.jsonl\"", "\"/home/ann/.ssh/id_rsa\"", "\"/a\\u0000.jsonl\"", "[]"] {
            let input = read(&format!(r#"{{"transcript_path":{other},"cwd":"relative"}}"#)).unwrap();
            assert_eq!((input.transcript, input.directory), (None, None), "{other}");
        }
    }

    #[test]
    fn a_command_is_read_without_its_here_documents() {
        let check = |command: &str, expected: &str| assert_eq!(without_here_documents(command), expected);
        check("cat > a <<EOF\nsome text\nEOF\nvim b", "cat > a <<EOF\nvim b");
        check("cat <<-'END' | sh\n\tsome text\n\tEND\nvim b", "cat <<-'END' | sh\nvim b");
        check("echo $((1 << 2))\nvim b", "echo $((1 << 2))\nvim b");
        check("grep x <<< EOF\nvim b", "grep x <<< EOF\nvim b");
        check("cat <<A <<'B-1'\na\nA\nb\nB-1\nvim b", "cat <<A <<'B-1'\nvim b");
        check("echo '1 << b'\ncat <<EOF\na\nEOF\nvim b", "echo '1 << b'\ncat <<EOF\nvim b");
    }

    #[test]
    fn cursor_names_its_fields_otherwise() {
        let input = r#"{"conversation_id":"c","workspace_roots":["/w","/x"],"transcript_path":null}"#;
        let read = AgentHost::by_name("cursor").unwrap().parse_input(input.as_bytes()).unwrap();
        assert_eq!((read.session.as_str(), read.directory.as_deref(), read.transcript), ("c", Some("/w"), None));
    }

    #[test]
    fn an_event_that_a_host_lacks_has_the_empty_envelope() {
        let codex = AgentHost::by_name("codex").unwrap();
        assert_eq!(codex.context_envelope(HookEvent::SessionEnd, "x"), EMPTY_ENVELOPE);
        assert_eq!(
            codex.context_envelope(HookEvent::SessionStart, "a\"b"),
            "{\"hookSpecificOutput\":{\"hookEventName\":\"SessionStart\",\"additionalContext\":\"a\\\"b\"}}\n"
        );
        let cursor = AgentHost::by_name("cursor").unwrap();
        assert_eq!(cursor.context_envelope(HookEvent::SessionStart, "a"), "{\"additional_context\":\"a\"}\n");
        assert_eq!(cursor.context_envelope(HookEvent::PreTool, "a"), "{\"additional_context\":\"a\"}\n");
        let prompt = cursor.context_envelope(HookEvent::UserPrompt, "a");
        assert_eq!(prompt, "{\"continue\":true,\"additional_context\":\"a\"}\n");
    }
}
