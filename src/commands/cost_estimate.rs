//! Estimates the cost of a request if the host does not report it.
//!
//! Only an estimate; without it, caps and the daily budget would have no effect on such hosts.

use crate::llm::{ChatMessage, ModelReply, ModelRequest, TokenUsage, ToolCall};
use crate::text::llm_tokens::estimate_llm_tokens;

/// The reported token counts, or an estimate from the texts.
pub fn usage_or_estimate(request: &ModelRequest, reply: &ModelReply) -> TokenUsage {
    if reply.usage.input > 0 || reply.usage.output > 0 {
        return reply.usage;
    }
    let input_tokens =
        request.messages.iter().map(message_tokens).sum::<usize>() + estimate_llm_tokens(&request.system);
    TokenUsage {
        input: input_tokens as u64,
        output: (estimate_llm_tokens(&reply.text) + call_tokens(&reply.calls)) as u64,
    }
}

fn message_tokens(message: &ChatMessage) -> usize {
    match message {
        ChatMessage::User(text) => estimate_llm_tokens(text),
        ChatMessage::Assistant { text, calls } => estimate_llm_tokens(text) + call_tokens(calls),
        ChatMessage::ToolResults(outcomes) => outcomes.iter().map(|o| estimate_llm_tokens(&o.text)).sum(),
    }
}

fn call_tokens(calls: &[ToolCall]) -> usize {
    calls.iter().map(|call| estimate_llm_tokens(&call.name) + estimate_llm_tokens(&call.arguments.to_string())).sum()
}
