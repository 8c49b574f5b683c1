//! Codex: the JSON Schemas in `codex-rs/hooks/schema/generated/` of <https://github.com/openai/codex>. Its outputs allow
//! no other fields, `transcript_path` may be null, and there is no event for the end of a session.
//!
//! Data only.

use super::{AgentHost, ConfigFile, ConfigFormat, ContextEnvelope, HookEvent, HookLayout, STRICT_JSON, UserFile};

pub const HOST: AgentHost = AgentHost {
    name: "codex",
    events: &[
        (HookEvent::SessionStart, "SessionStart"),
        (HookEvent::UserPrompt, "UserPromptSubmit"),
        (HookEvent::PreTool, "PreToolUse"),
        (HookEvent::PreCompact, "PreCompact"),
        (HookEvent::Stop, "Stop"),
    ],
    envelope: ContextEnvelope::HookSpecificOutput,
    session_fields: &["session_id"],
    directory_fields: &["cwd"],
    transcript_endings: &[".jsonl"],
    files: &[
        ConfigFile {
            project: ".codex/hooks.json",
            user: Some(UserFile { variable: Some("CODEX_HOME"), folder: ".codex", name: "hooks.json" }),
            format: ConfigFormat::Json(STRICT_JSON),
            hooks: Some(HookLayout::Grouped),
            mcp_key: None,
            new_file_members: &[],
        },
        ConfigFile {
            project: ".codex/config.toml",
            user: Some(UserFile { variable: Some("CODEX_HOME"), folder: ".codex", name: "config.toml" }),
            format: ConfigFormat::Toml,
            hooks: None,
            mcp_key: Some("mcp_servers"),
            new_file_members: &[],
        },
    ],
    setup_events: &[HookEvent::SessionStart, HookEvent::PreCompact, HookEvent::Stop],
};
