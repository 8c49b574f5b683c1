//! Codex: the JSON Schemas in `codex-rs/hooks/schema/generated/` of <https://github.com/openai/codex>. Its outputs allow
//! no other fields, `transcript_path` may be null, and there is no event for the end of a session.
//!
//! Data only.

use super::{AgentHost, ContextEnvelope, HookEvent};

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
};
