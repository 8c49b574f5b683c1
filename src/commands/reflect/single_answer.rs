//! One question to a model whose answer is one JSON object, and its corrections.

use anyhow::anyhow;

use super::ReflectOptions;
use crate::code::{Code, Rejection};
use crate::commands::Error;
use crate::commands::cost_estimate::usage_or_estimate;
use crate::commands::model::{OpenModel, model_rejection, unusable_answer};
use crate::commands::results::{ModelCallCosts, ReflectReport, WarningRow};
use crate::llm::{ChatMessage, Deadline, ModelReply, ModelRequest, StopReason, TokenUsage};

/// Calls the model, and once more if `read` cannot use its reply. Returns the tokens for the budget: estimated where
/// the host reports none.
///
/// # Errors
/// `model`, `model_refused` and the like; `model` also for a second reply that cannot be used.
pub fn ask<T>(
    options: &ReflectOptions<'_>,
    opened: &OpenModel,
    deadline: Deadline,
    request: ModelRequest,
    report: &mut ReflectReport,
    read: ReplyReader<'_, T>,
) -> (TokenUsage, Result<T, Error>) {
    ask_repeatedly(options, opened, deadline, request, report, 2, read)
}

/// Reads a reply, or says in words for the model why it cannot be used.
pub type ReplyReader<'r, T> = &'r mut dyn FnMut(&ModelReply) -> anyhow::Result<T>;

/// As [`ask`], with that many calls at most.
///
/// # Errors
/// As [`ask`].
pub fn ask_repeatedly<T>(
    options: &ReflectOptions<'_>,
    opened: &OpenModel,
    deadline: Deadline,
    request: ModelRequest,
    report: &mut ReflectReport,
    max_calls: usize,
    read: ReplyReader<'_, T>,
) -> (TokenUsage, Result<T, Error>) {
    report.warnings.extend(opened.warnings.iter().map(WarningRow::from));
    let id = opened.model.id();
    let (mut request, mut turns) = (request, 0);
    let (mut usage, mut estimated) = (TokenUsage::default(), TokenUsage::default());
    let result = loop {
        turns += 1;
        (options.progress)(&format!("calling {} {}", id.provider, id.model));
        let reply = match opened.model.complete(&request, deadline) {
            Ok(reply) => reply,
            Err(error) => {
                usage += error.usage;
                estimated += error.usage;
                break Err(model_rejection(error).into());
            }
        };
        usage += reply.usage;
        estimated += usage_or_estimate(&request, &reply);
        let answer = match reply.stop {
            StopReason::Truncated => Err(anyhow!("the answer was cut off; write less")),
            StopReason::Refused => Err(anyhow!("the model refused to answer")),
            StopReason::End | StopReason::ToolCalls | StopReason::Other(_) => read(&reply),
        };
        match answer {
            Ok(value) => break Ok(value),
            Err(rejection) if turns >= max_calls => {
                let message = unusable_answer("the model's answer could not be used", &rejection.to_string());
                break Err(Rejection::new(Code::Model, message).into());
            }
            Err(rejection) => {
                let said = if reply.text.trim().is_empty() { "(nothing)".to_owned() } else { reply.text };
                request.messages.push(ChatMessage::Assistant { text: said, calls: Vec::new() });
                let correction = format!("{rejection}. Answer again, with the JSON object only.");
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
    (estimated, result)
}
