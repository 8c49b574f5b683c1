//! Claude Code: <https://code.claude.com/docs/en/hooks>, "Hook input", "SessionStart decision control" and
//! "SubagentStart": its text comes in front of the sub-agent's first prompt, and its input has no prompt.
//! Its settings are JSON without comments or trailing commas: a file with either is ignored as a whole
//! (<https://github.com/anthropics/claude-code/issues/83190>).
//!
//! Data only.

use super::{
    AgentHost, ConfigFile, ConfigFormat, ContextEnvelope, HookEvent, HookLayout, PROJECT_MCP, SETUP_NOTE, STRICT_JSON,
    UserFile, UserServer,
};

/// Its names of the events; the end of a session is the last.
pub const EVENTS: &[(HookEvent, &str)] = &[
    (HookEvent::SessionStart, "SessionStart"),
    (HookEvent::SubagentStart, "SubagentStart"),
    (HookEvent::UserPrompt, "UserPromptSubmit"),
    (HookEvent::PreTool, "PreToolUse"),
    (HookEvent::PreCompact, "PreCompact"),
    (HookEvent::Stop, "Stop"),
    (HookEvent::SessionEnd, "SessionEnd"),
];

pub const HOST: AgentHost = AgentHost {
    name: "claude",
    events: EVENTS,
    text_events: &[HookEvent::SessionStart, HookEvent::SubagentStart, HookEvent::UserPrompt, HookEvent::PreTool],
    envelope: ContextEnvelope::HookSpecificOutput,
    shows_messages: true,
    // VS Code runs the hooks of `.claude/settings.json`, too, and names the session otherwise
    // (<https://code.visualstudio.com/docs/agents/reference/hooks-reference>).
    session_fields: &["session_id", "sessionId"],
    directory_fields: &["cwd"],
    transcript_endings: &[".jsonl"],
    files: &[
        ConfigFile {
            project: ".claude/settings.json",
            user: Some(UserFile { variable: Some("CLAUDE_CONFIG_DIR"), folder: ".claude", name: "settings.json" }),
            format: ConfigFormat::Json(STRICT_JSON),
            hooks: Some(HookLayout::Grouped),
            mcp_key: None,
            auto_memory_key: None,
            required_members: &[],
        },
        PROJECT_MCP,
    ],
    setup_events: &[
        HookEvent::SessionStart,
        HookEvent::SubagentStart,
        HookEvent::UserPrompt,
        HookEvent::PreTool,
        HookEvent::PreCompact,
        HookEvent::SessionEnd,
    ],
    // Claude Code reads this setting from the user's settings and from a project's local ones; others may not send its
    // memories elsewhere (<https://code.claude.com/docs/en/memory>, "Storage location").
    auto_memory: Some(ConfigFile {
        project: ".claude/settings.local.json",
        user: Some(UserFile { variable: Some("CLAUDE_CONFIG_DIR"), folder: ".claude", name: "settings.json" }),
        format: ConfigFormat::Json(STRICT_JSON),
        hooks: None,
        mcp_key: None,
        auto_memory_key: Some("autoMemoryDirectory"),
        required_members: &[],
    }),
    setup_note: SETUP_NOTE,
    // The user's own servers stand in `~/.claude.json`, which Claude Code rewrites all the time with its own state
    // (<https://code.claude.com/docs/en/mcp>, "User scope"): two writers would lose what the other wrote.
    user_server: Some(UserServer {
        file: UserFile { variable: Some("CLAUDE_CONFIG_DIR"), folder: "", name: ".claude.json" },
        key: "mcpServers",
        add: "claude mcp add --scope user memdir -- memdir",
        remove: "claude mcp remove --scope user memdir",
    }),
    // A server starts in the directory in which Claude Code was started
    // (<https://github.com/anthropics/claude-code/issues/17565>).
    server_root: None,
};
