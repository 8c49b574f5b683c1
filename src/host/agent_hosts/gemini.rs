//! Gemini CLI: `docs/hooks/reference.md` of <https://github.com/google-gemini/gemini-cli>. Its stdout must be JSON
//! only, and timeouts are in milliseconds. Its settings may contain comments, but no trailing commas
//! (`packages/cli/src/config/settings.ts`).
//!
//! A text for the model is possible before the agent answers a prompt, and not before a tool runs ("BeforeTool").
//!
//! Data only.

use super::{AgentHost, ConfigFile, ConfigFormat, ContextEnvelope, HookEvent, HookLayout, SETUP_NOTE, UserFile};
use crate::text::json_edit::JsonDialect;

pub const HOST: AgentHost = AgentHost {
    name: "gemini",
    events: &[
        (HookEvent::SessionStart, "SessionStart"),
        (HookEvent::UserPrompt, "BeforeAgent"),
        (HookEvent::PreTool, "BeforeTool"),
        (HookEvent::PreCompact, "PreCompress"),
        (HookEvent::Stop, "AfterAgent"),
        (HookEvent::SessionEnd, "SessionEnd"),
    ],
    text_events: &[HookEvent::SessionStart, HookEvent::UserPrompt],
    envelope: ContextEnvelope::HookSpecificOutput,
    shows_messages: true,
    session_fields: &["session_id"],
    directory_fields: &["cwd"],
    transcript_endings: &[".json", ".jsonl"],
    files: &[ConfigFile {
        project: ".gemini/settings.json",
        user: Some(UserFile { variable: None, folder: ".gemini", name: "settings.json" }),
        format: ConfigFormat::Json(JsonDialect { comments: true, trailing_commas: false }),
        hooks: Some(HookLayout::Grouped),
        mcp_key: Some("mcpServers"),
        auto_memory_key: None,
        required_members: &[],
    }],
    setup_events: &[HookEvent::SessionStart, HookEvent::UserPrompt, HookEvent::PreCompact, HookEvent::SessionEnd],
    auto_memory: None,
    setup_note: SETUP_NOTE,
    user_server: None,
    server_root: None,
};
