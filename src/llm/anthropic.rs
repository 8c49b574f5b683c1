//! Anthropic's Messages API: builds a request body and parses a reply body.
//!
//! Pure: it does no I/O. A requested JSON object is sent as one tool with a forced `tool_choice`, because every host of
//! this protocol supports that; few support a response format.

use serde_json::{Map, Value, json};

use super::capabilities::{AnswerFormat, HostCapabilities};
use super::wire::{self, RequestSettings};
use super::{ChatMessage, ErrorKind, LlmError, ModelReply, ModelRequest, TokenUsage, ToolCall, ToolDefinition, prompt};

/// Path of the endpoint, relative to the base URL.
pub const PATH: &str = "/messages";
/// Protocol version, for the `anthropic-version` header.
pub const VERSION: &str = "2023-06-01";
/// Reply limit in tokens when neither the request nor the configuration sets one: the protocol requires a value.
const DEFAULT_MAX_TOKENS: u32 = 4096;

/// Builds the request body.
pub fn request_body(
    request: &ModelRequest,
    settings: &RequestSettings,
    capabilities: &HostCapabilities,
) -> Map<String, Value> {
    let mut body = Map::new();
    body.insert("model".into(), settings.model.clone().into());
    let limit = match settings.max_reply_tokens(request.max_tokens) {
        0 => DEFAULT_MAX_TOKENS,
        limit => limit,
    };
    body.insert("max_tokens".into(), limit.into());
    let schema = request
        .answer
        .as_ref()
        .filter(|_| capabilities.answer_format == AnswerFormat::Schema && request.tools.is_empty());
    let system = prompt::system_prompt(request, schema.is_none());
    if !system.is_empty() {
        body.insert("system".into(), system.into());
    }
    body.insert("messages".into(), request.messages.iter().filter_map(message_json).collect());
    if !request.tools.is_empty() {
        body.insert("tools".into(), request.tools.iter().map(tool_json).collect());
    }
    if let Some(schema) = schema {
        let answer = ToolDefinition {
            name: schema.name.clone(),
            description: "The answer".into(),
            parameters: schema.schema.clone(),
        };
        body.insert("tools".into(), json!([tool_json(&answer)]));
        body.insert("tool_choice".into(), json!({"type": "tool", "name": schema.name}));
    }
    capabilities.set_parameter(&mut body, "temperature", request.temperature.or(settings.temperature).map(Value::from));
    capabilities.set_parameter(&mut body, "top_p", settings.top_p.map(Value::from));
    body
}

fn tool_json(tool: &ToolDefinition) -> Value {
    json!({"name": tool.name, "description": tool.description, "input_schema": tool.parameters})
}

/// A message as JSON; `None` for an empty one, which the protocol rejects.
fn message_json(message: &ChatMessage) -> Option<Value> {
    let (role, content) = match message {
        ChatMessage::User(text) => return (!text.is_empty()).then(|| json!({"role": "user", "content": text})),
        ChatMessage::Assistant { text, calls } => {
            let text_block =
                Some(text).filter(|text| !text.trim().is_empty()).map(|text| json!({"type": "text", "text": text}));
            ("assistant", text_block.into_iter().chain(calls.iter().map(call_json)).collect::<Vec<Value>>())
        }
        ChatMessage::ToolResults(outcomes) => ("user", outcomes.iter().map(result_json).collect()),
    };
    (!content.is_empty()).then(|| json!({"role": role, "content": content}))
}

fn call_json(call: &ToolCall) -> Value {
    let name = if call.name.is_empty() { "unknown" } else { &call.name };
    json!({"type": "tool_use", "id": call.id, "name": name, "input": wire::as_object(&call.arguments)})
}

fn result_json(outcome: &super::ToolOutcome) -> Value {
    let mut result = json!({"type": "tool_result", "tool_use_id": outcome.id, "content": outcome.text});
    if outcome.failed {
        result["is_error"] = true.into();
    }
    result
}

/// Parses a reply body. Where a JSON object was requested, the arguments of the forced tool call become the reply's
/// text.
///
/// # Errors
/// `Malformed` when the body has no `content`, or a part of it is no block: taken for an empty answer, the conversation
/// would count as read.
pub fn parse_reply(body: &Value, request: &ModelRequest) -> Result<ModelReply, LlmError> {
    let usage = body.get("usage");
    let input = ["input_tokens", "cache_creation_input_tokens", "cache_read_input_tokens"];
    let usage =
        TokenUsage { input: wire::token_count(usage, &input), output: wire::token_count(usage, &["output_tokens"]) };
    let content = body.get("content").filter(|c| c.is_array() || c.is_string());
    let malformed = |reason: &str| LlmError { usage, ..LlmError::new(ErrorKind::Malformed, reason) };
    let content = content.ok_or_else(|| malformed("the answer has no content"))?;
    let blocks = content.as_array().map(Vec::as_slice).unwrap_or_default();
    if !blocks.iter().all(is_block) {
        return Err(malformed("a part of the answer cannot be read"));
    }
    let calls: Vec<ToolCall> = blocks.iter().filter_map(parse_call).collect();
    let stop_reason = body.get("stop_reason").and_then(Value::as_str);
    let mut reply =
        wire::build_reply(wire::content_text(Some(content)), calls, stop_reason, usage, request.messages.len());
    if let Some(schema) = request.answer.as_ref().filter(|_| request.tools.is_empty()) {
        let answer = reply.calls.iter().find(|call| call.name == schema.name);
        if let Some(call) = answer {
            reply.text = match &call.arguments {
                Value::String(text) => text.clone(),
                value => value.to_string(),
            };
            reply.stop = super::StopReason::End;
        }
        reply.calls.clear();
    }
    Ok(reply)
}

/// Whether a block has a type and, for the types that are read, its content.
fn is_block(block: &Value) -> bool {
    match block.get("type").and_then(Value::as_str) {
        Some("text") => block.get("text").is_some_and(Value::is_string),
        Some("tool_use") => parse_call(block).is_some(),
        Some(_) => true,
        None => false,
    }
}

fn parse_call(block: &Value) -> Option<ToolCall> {
    if block.get("type").and_then(Value::as_str) != Some("tool_use") {
        return None;
    }
    let string_field = |key: &str| block.get(key).and_then(Value::as_str).map(str::to_owned);
    Some(ToolCall {
        id: string_field("id").unwrap_or_default(),
        name: string_field("name")?,
        arguments: wire::parse_arguments(block.get("input")),
    })
}

#[cfg(test)]
mod tests;
