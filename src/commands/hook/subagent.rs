//! The text for a sub-agent that starts: that of a session's start without the news, and what its task is about.
//!
//! Never counts news as read: they are for the agent that the user talks to.

use std::path::PathBuf;

use super::recall::shown::ShownItems;
use super::recall::task_lines;
use super::{HookAnswer, HookOptions, ResultUse, shown_bullets, start_budget};
use crate::commands::Session;
use crate::commands::context::{ContextRequest, context};
use crate::host::agent_hosts::{AgentHost, HookEvent, HookInput};
use crate::text::llm_tokens::estimate_llm_tokens;
use crate::view::context::sanitize::NOTES_NOTICE;

/// What stands above the lines about the task.
const TASK_HEAD: &str = "About the task:";

/// The answer to the start of a sub-agent; `None` if the host takes no text then or names no sub-agent, or if there is
/// nothing to show. One that goes on has its first text already.
pub fn start(session: &Session, host: &AgentHost, input: &HookInput, options: &HookOptions) -> Option<HookAnswer> {
    if input.agent.is_empty() || !host.takes_text(HookEvent::SubagentStart) {
        return None;
    }
    let mut shown = ShownItems::load(session, input);
    let mut text = String::new();
    let mut bullets = Vec::new();
    if shown.is_empty() {
        let directory = input.directory.as_ref().map(PathBuf::from);
        let request = ContextRequest {
            budget: Some(start_budget(options)),
            command_prefix: options.command_prefix.clone(),
            stable: true,
            path_rules_follow: host.takes_text(HookEvent::PreTool),
            directory,
            ..ContextRequest::default()
        };
        let (result, _) = context(session, &request).ok()?;
        bullets = shown_bullets(&result);
        text = result.text;
    }
    let lines = task_lines(session, input, &shown, &bullets);
    if !lines.is_empty() {
        let head = if text.is_empty() { NOTES_NOTICE.to_owned() } else { format!("\n{TASK_HEAD}") };
        text += &format!("{head}\n");
        lines.iter().for_each(|(_, line)| text += line);
        bullets.extend(lines.into_iter().map(|(bullet, _)| bullet));
    }
    if text.is_empty() {
        return None;
    }
    shown.add(bullets);
    let envelope = host.context_envelope(HookEvent::SubagentStart, &text);
    let used = Some(ResultUse::of_injection(estimate_llm_tokens(&text)));
    Some(HookAnswer { envelope, used, shown: Some(shown), ..HookAnswer::default() })
}
