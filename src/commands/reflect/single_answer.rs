//! One question to a model whose answer is one JSON object, and one correction.

use super::ReflectOptions;
use crate::code::{Code, Rejection};
use crate::commands::Error;
use crate::commands::answer::{ModelCallCosts, ReflectReport};
use crate::commands::change::warning_row;
use crate::commands::model::{OpenModel, model_rejection};
use crate::llm::{ChatMessage, Deadline, ModelReply, ModelRequest, StopReason, TokenUsage};

/// Calls the model, and once more if `read` cannot use its reply.
///
/// # Errors
/// `model`, `model_refused` and the like; `model` also for a second reply that cannot be used.
pub fn ask<T>(
    options: &ReflectOptions<'_>,
    opened: &OpenModel,
    deadline: Deadline,
    request: ModelRequest,
    report: &mut ReflectReport,
    read: &mut dyn FnMut(&ModelReply) -> Result<T, String>,
) -> (TokenUsage, Result<T, Error>) {
    report.warnings.extend(opened.warnings.iter().map(warning_row));
    let id = opened.model.id();
    let (mut request, mut turns, mut usage) = (request, 0, TokenUsage::default());
    let result = loop {
        turns += 1;
        (options.progress)(&format!("calling {} {}", id.provider, id.model));
        let reply = match opened.model.complete(&request, deadline) {
            Ok(reply) => reply,
            Err(error) => {
                usage += error.usage;
                break Err(model_rejection(error).into());
            }
        };
        usage += reply.usage;
        let answer = match reply.stop {
            StopReason::Truncated => Err("the answer was cut off; write less".to_owned()),
            StopReason::Refused => Err("the model refused to answer".to_owned()),
            StopReason::End | StopReason::ToolCalls | StopReason::Other(_) => read(&reply),
        };
        match answer {
            Ok(value) => break Ok(value),
            Err(why) if turns > 1 => {
                let message = format!("the model's answer could not be used: {why}");
                break Err(Rejection::new(Code::Model, message).into());
            }
            Err(why) => {
                let said = if reply.text.trim().is_empty() { "(nothing)".to_owned() } else { reply.text };
                request.messages.push(ChatMessage::Assistant { text: said, calls: Vec::new() });
                let correction = format!("{why}. Answer again, with the JSON object only.");
                request.messages.push(ChatMessage::User(correction));
            }
        }
    };
    report.model = Some(ModelCallCosts {
        provider: id.provider.clone(),
        model: id.model.clone(),
        turns,
        input_tokens: usage.input,
        output_tokens: usage.output,
    });
    (usage, result)
}
