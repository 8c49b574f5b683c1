//! Claude Code: <https://code.claude.com/docs/en/hooks>, "Hook input" and "SessionStart decision control".
//! Its settings are JSON without comments or trailing commas: a file with either is ignored as a whole
//! (<https://github.com/anthropics/claude-code/issues/83190>).
//!
//! Data only.

use super::{
    AgentHost, ConfigFile, ConfigFormat, ContextEnvelope, HookEvent, HookLayout, PROJECT_MCP, STRICT_JSON, UserFile,
};

pub const HOST: AgentHost = AgentHost {
    name: "claude",
    events: &[
        (HookEvent::SessionStart, "SessionStart"),
        (HookEvent::UserPrompt, "UserPromptSubmit"),
        (HookEvent::PreTool, "PreToolUse"),
        (HookEvent::PreCompact, "PreCompact"),
        (HookEvent::Stop, "Stop"),
        (HookEvent::SessionEnd, "SessionEnd"),
    ],
    envelope: ContextEnvelope::HookSpecificOutput,
    session_fields: &["session_id"],
    directory_fields: &["cwd"],
    transcript_endings: &[".jsonl"],
    files: &[
        ConfigFile {
            project: ".claude/settings.json",
            user: Some(UserFile { variable: Some("CLAUDE_CONFIG_DIR"), folder: ".claude", name: "settings.json" }),
            format: ConfigFormat::Json(STRICT_JSON),
            hooks: Some(HookLayout::Grouped),
            mcp_key: None,
            new_file_members: &[],
        },
        // The user's own servers stand in `~/.claude.json`, which Claude Code itself rewrites all the time.
        PROJECT_MCP,
    ],
    setup_events: &[HookEvent::SessionStart, HookEvent::PreCompact, HookEvent::SessionEnd],
};
