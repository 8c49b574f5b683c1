//! Codex: the JSON Schemas in `codex-rs/hooks/schema/generated/` of <https://github.com/openai/codex>. Its outputs
//! allow no other fields (`additionalContext` is one before a tool, too), and `transcript_path` may be null. An event for
//! the end of a session is new (<https://developers.openai.com/codex/hooks>); the end of a turn serves all versions.
//! Hooks of a sub-agent name the session of its parent (<https://github.com/openai/codex/pull/22268>), and its start runs
//! `SubagentStart` in the place of `SessionStart` (<https://github.com/openai/codex/pull/22782>).
//!
//! Data only.

use super::{AgentHost, ConfigFile, ConfigFormat, HookEvent, HookLayout, STRICT_JSON, UserFile, claude};

pub const HOST: AgentHost = AgentHost {
    name: "codex",
    // Names, fields and envelopes are those of Claude Code, without the end of a session.
    events: claude::EVENTS.split_at(6).0,
    files: &[
        ConfigFile {
            project: ".codex/hooks.json",
            user: Some(UserFile { variable: Some("CODEX_HOME"), folder: ".codex", name: "hooks.json" }),
            format: ConfigFormat::Json(STRICT_JSON),
            hooks: Some(HookLayout::Grouped),
            mcp_key: None,
            auto_memory_key: None,
            required_members: &[],
        },
        ConfigFile {
            project: ".codex/config.toml",
            user: Some(UserFile { variable: Some("CODEX_HOME"), folder: ".codex", name: "config.toml" }),
            format: ConfigFormat::Toml,
            hooks: None,
            mcp_key: Some("mcp_servers"),
            auto_memory_key: None,
            required_members: &[],
        },
    ],
    setup_events: &[
        HookEvent::SessionStart,
        HookEvent::SubagentStart,
        HookEvent::UserPrompt,
        HookEvent::PreTool,
        HookEvent::PreCompact,
        HookEvent::Stop,
    ],
    auto_memory: None,
    // "Review and trust hooks" on that page: a hook runs once the user trusts its present definition.
    setup_note: "Codex asks you to trust new and changed hooks, with `/hooks`, before it runs them; `--remove` takes the \
                 entries out again",
    user_server: None,
    ..claude::HOST
};
