//! Gemini CLI: `docs/hooks/reference.md` of <https://github.com/google-gemini/gemini-cli>. Its stdout must be JSON only,
//! and timeouts are in milliseconds.
//!
//! Data only.

use super::{AgentHost, ContextEnvelope, HookEvent};

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
    envelope: ContextEnvelope::HookSpecificOutput,
    session_fields: &["session_id"],
    directory_fields: &["cwd"],
    transcript_endings: &[".json", ".jsonl"],
};
