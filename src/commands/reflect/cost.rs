//! What a question cost, where its host does not say: reckoned from the texts that went and came.
//!
//! Never exact; without it, caps and the day's budget would hold for some hosts only.

use crate::llm::{Call, Message, Reply, Request, Usage};
use crate::view::query::answer::tokens;

/// What a reply cost, as its host says or as its texts suggest.
pub fn of(request: &Request, reply: &Reply) -> Usage {
    if reply.usage.input > 0 || reply.usage.output > 0 {
        return reply.usage;
    }
    let asked = request.messages.iter().map(message).sum::<usize>() + tokens(&request.system);
    Usage { input: asked as u64, output: (tokens(&reply.text) + calls(&reply.calls)) as u64 }
}

fn message(message: &Message) -> usize {
    match message {
        Message::User(text) => tokens(text),
        Message::Assistant { text, calls: made } => tokens(text) + calls(made),
        Message::Results(outcomes) => outcomes.iter().map(|o| tokens(&o.text)).sum(),
    }
}

fn calls(calls: &[Call]) -> usize {
    calls.iter().map(|call| tokens(&call.name) + tokens(&call.arguments.to_string())).sum()
}
