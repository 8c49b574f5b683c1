//! Claude Code: <https://code.claude.com/docs/en/hooks>, "Hook input" and "SessionStart decision control".
//!
//! Data only.

use super::{AgentHost, ContextEnvelope, HookEvent};

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
};
