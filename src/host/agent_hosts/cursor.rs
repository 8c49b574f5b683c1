//! Cursor: <https://cursor.com/docs/agent/hooks>. Names are in camel case, and `transcript_path` is often missing.
//!
//! Data only.

use super::{AgentHost, ContextEnvelope, HookEvent};

pub const HOST: AgentHost = AgentHost {
    name: "cursor",
    events: &[
        (HookEvent::SessionStart, "sessionStart"),
        (HookEvent::UserPrompt, "beforeSubmitPrompt"),
        (HookEvent::PreTool, "preToolUse"),
        (HookEvent::PreCompact, "preCompact"),
        (HookEvent::Stop, "stop"),
        (HookEvent::SessionEnd, "sessionEnd"),
    ],
    envelope: ContextEnvelope::AdditionalContext,
    session_fields: &["conversation_id", "session_id"],
    directory_fields: &["workspace_roots", "cwd"],
    transcript_endings: &[".jsonl", ".json"],
};
