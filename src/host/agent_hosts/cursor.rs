//! Cursor: <https://cursor.com/docs/hooks>. Names are in camel case, and `transcript_path` is often missing.
//!
//! `additional_context` is documented at the start of a session and after a tool, not before one, nor for a sub-agent.
//! With a prompt it is not documented; client 3.20.17 takes it
//! (<https://github.com/DietrichGebert/ponytail/blob/master/docs/cursor-hooks.md>, "Contract"), and one that does not
//! ignores it.
//!
//! Data only.

use super::{AgentHost, ConfigFile, ConfigFormat, ContextEnvelope, HookEvent, HookLayout, SETUP_NOTE, UserFile};
use crate::text::json_edit::JsonDialect;

/// As in the settings of VS Code, from which Cursor is derived.
const CURSOR_JSON: ConfigFormat = ConfigFormat::Json(JsonDialect { comments: true, trailing_commas: true });

pub const HOST: AgentHost = AgentHost {
    name: "cursor",
    events: &[
        (HookEvent::SessionStart, "sessionStart"),
        (HookEvent::UserPrompt, "beforeSubmitPrompt"),
        (HookEvent::PreTool, "preToolUse"),
        (HookEvent::PostTool, "postToolUse"),
        (HookEvent::PreCompact, "preCompact"),
        (HookEvent::Stop, "stop"),
        (HookEvent::SessionEnd, "sessionEnd"),
    ],
    text_events: &[HookEvent::SessionStart, HookEvent::UserPrompt, HookEvent::PostTool],
    envelope: ContextEnvelope::AdditionalContext,
    shows_messages: false,
    session_fields: &["conversation_id", "session_id"],
    directory_fields: &["workspace_roots", "cwd"],
    transcript_endings: &[".jsonl", ".json"],
    files: &[
        ConfigFile {
            project: ".cursor/hooks.json",
            user: Some(UserFile { variable: None, folder: ".cursor", name: "hooks.json" }),
            format: CURSOR_JSON,
            hooks: Some(HookLayout::Flat),
            mcp_key: None,
            auto_memory_key: None,
            required_members: &[("version", 1)],
        },
        ConfigFile {
            project: ".cursor/mcp.json",
            user: Some(UserFile { variable: None, folder: ".cursor", name: "mcp.json" }),
            format: CURSOR_JSON,
            hooks: None,
            mcp_key: Some("mcpServers"),
            auto_memory_key: None,
            required_members: &[],
        },
    ],
    setup_events: &[
        HookEvent::SessionStart,
        HookEvent::UserPrompt,
        HookEvent::PostTool,
        HookEvent::PreCompact,
        HookEvent::SessionEnd,
    ],
    auto_memory: None,
    setup_note: SETUP_NOTE,
    user_server: None,
    // Hooks of a project run in its root (<https://cursor.com/docs/hooks>); for servers, "Config interpolation" of
    // <https://cursor.com/docs/mcp> has a variable.
    server_root: Some("${workspaceFolder}"),
};
