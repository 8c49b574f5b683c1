//! The programs that run agents (hosts) as data: what their hooks send and expect. One file for each host.
//!
//! Never runs a host and never reads its files: `commands/hook.rs` uses these tables.

mod claude;
mod codex;
pub mod config_paths;
mod cursor;
pub mod cut_json;
mod gemini;
mod tool_call;

use serde_json::{Value, json};

use crate::text::json_edit::JsonDialect;
use crate::text::surrogates::parse_lossy;
pub use tool_call::HostToolCall;

/// The hosts that memdir knows.
pub const ALL: [&AgentHost; 4] = [&claude::HOST, &codex::HOST, &gemini::HOST, &cursor::HOST];

/// A moment in a session at which a host runs a hook.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum HookEvent {
    SessionStart,
    SubagentStart,
    UserPrompt,
    PreTool,
    /// After a tool has run: for hosts that pass no text on before.
    PostTool,
    PreCompact,
    Stop,
    SessionEnd,
}

impl HookEvent {
    /// All events, in the order of a session.
    pub const ALL: [HookEvent; 8] = [
        HookEvent::SessionStart,
        HookEvent::SubagentStart,
        HookEvent::UserPrompt,
        HookEvent::PreTool,
        HookEvent::PostTool,
        HookEvent::PreCompact,
        HookEvent::Stop,
        HookEvent::SessionEnd,
    ];

    /// The name on the command line.
    pub fn name(self) -> &'static str {
        match self {
            HookEvent::SessionStart => "session-start",
            HookEvent::SubagentStart => "subagent-start",
            HookEvent::UserPrompt => "user-prompt",
            HookEvent::PreTool => "pre-tool",
            HookEvent::PostTool => "post-tool",
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
    /// The host's variable for the root of the project in the arguments of a server, where it is not documented that
    /// servers start in the project. `None`: they start in the directory of the session, as hooks do.
    pub server_root: Option<&'static str>,
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
            agent_type: text(&"agent_type").unwrap_or_default(),
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
    /// The type of the sub-agent; empty for the main one.
    pub agent_type: String,
    /// Whether a session that starts is an earlier one, whose text its model still has. Claude Code, Codex and Gemini
    /// CLI say so in `source`.
    pub is_resumed: bool,
    /// What the user asks; empty if the event has no prompt.
    pub prompt: String,
    /// What a tool is about to do, or has done.
    pub tool: HostToolCall,
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
        assert_eq!(cursor.context_envelope(HookEvent::PostTool, "a"), "{\"additional_context\":\"a\"}\n");
        assert_eq!(cursor.context_envelope(HookEvent::PreTool, "a"), EMPTY_ENVELOPE);
        let prompt = cursor.context_envelope(HookEvent::UserPrompt, "a");
        assert_eq!(prompt, "{\"continue\":true,\"additional_context\":\"a\"}\n");
    }
}
