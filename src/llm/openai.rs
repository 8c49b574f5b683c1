//! OpenAI's chat completions: builds a request body and parses a reply body.
//!
//! Pure: it does no I/O. Sends only what is necessary and parses leniently, because most hosts implement a dialect of
//! this protocol.

use serde_json::{Map, Value, json};

use super::capabilities::{AnswerFormat, HostCapabilities, LIMIT_NAMES};
use super::wire::{self, RequestSettings};
use super::{
    AnswerSchema, ChatMessage, ErrorKind, LlmError, ModelReply, ModelRequest, StopReason, TokenUsage, ToolCall, prompt,
};

/// Path of the endpoint, relative to the base URL.
pub const PATH: &str = "/chat/completions";

/// Builds the request body.
pub fn request_body(
    request: &ModelRequest,
    settings: &RequestSettings,
    capabilities: &HostCapabilities,
) -> Map<String, Value> {
    let mut body = Map::new();
    body.insert("model".into(), settings.model.clone().into());
    body.insert(
        "messages".into(),
        messages_json(request, capabilities.answer_format > AnswerFormat::ObjectWithSchema).into(),
    );
    if !request.tools.is_empty() {
        let tool = |t: &super::ToolDefinition| {
            let function = json!({"name": t.name, "description": t.description, "parameters": t.parameters});
            json!({"type": "function", "function": function})
        };
        body.insert("tools".into(), request.tools.iter().map(tool).collect());
    }
    let format =
        request.answer.as_ref().and_then(|answer| response_format(answer, settings, capabilities.answer_format));
    if let Some(format) = format {
        body.insert("response_format".into(), format);
    }
    let limit_name = LIMIT_NAMES[usize::from(settings.is_openai != capabilities.uses_other_limit_name)];
    let limit = settings.max_reply_tokens(request.max_tokens);
    capabilities.set_parameter(&mut body, limit_name, (limit > 0).then(|| limit.into()));
    capabilities.set_parameter(&mut body, "temperature", request.temperature.or(settings.temperature).map(Value::from));
    capabilities.set_parameter(&mut body, "top_p", settings.top_p.map(Value::from));
    body
}

fn response_format(answer: &AnswerSchema, settings: &RequestSettings, form: AnswerFormat) -> Option<Value> {
    match form {
        AnswerFormat::Schema => {
            let schema = if settings.is_local { &answer.bounded } else { &answer.schema };
            let strict = is_strict_schema(schema);
            let named = json!({"name": answer.name, "schema": schema, "strict": strict});
            Some(json!({"type": "json_schema", "json_schema": named}))
        }
        AnswerFormat::ObjectWithSchema => Some(json!({"type": "json_object", "schema": answer.bounded})),
        AnswerFormat::JsonObject => Some(json!({"type": "json_object"})),
        AnswerFormat::Instructions => None,
    }
}

/// Whether every object in a schema requires all its properties and allows no others, as `strict` needs.
fn is_strict_schema(schema: &Value) -> bool {
    match schema {
        Value::Object(map) => {
            let is_object_closed = match map.get("properties").and_then(Value::as_object) {
                Some(fields) => {
                    let required = map.get("required").and_then(Value::as_array);
                    let is_required = |name: &String| required.is_some_and(|all| all.iter().any(|r| r == name));
                    map.get("additionalProperties") == Some(&Value::Bool(false)) && fields.keys().all(is_required)
                }
                None => true,
            };
            is_object_closed && map.values().all(is_strict_schema)
        }
        Value::Array(all) => all.iter().all(is_strict_schema),
        _ => true,
    }
}

fn messages_json(request: &ModelRequest, with_schema: bool) -> Vec<Value> {
    let mut messages = Vec::with_capacity(request.messages.len() + 1);
    let system = prompt::system_prompt(request, with_schema);
    if !system.is_empty() {
        messages.push(json!({"role": "system", "content": system}));
    }
    for message in &request.messages {
        match message {
            ChatMessage::User(text) => messages.push(json!({"role": "user", "content": text})),
            ChatMessage::Assistant { text, calls } => {
                let mut message_json = json!({"role": "assistant", "content": text});
                if !calls.is_empty() {
                    message_json["tool_calls"] = calls.iter().map(call_json).collect();
                }
                messages.push(message_json);
            }
            ChatMessage::ToolResults(outcomes) => messages
                .extend(outcomes.iter().map(|o| json!({"role": "tool", "tool_call_id": o.id, "content": o.text}))),
        }
    }
    messages
}

/// A call sent back to the host: its arguments are always a string that holds an object.
fn call_json(call: &ToolCall) -> Value {
    let arguments = wire::as_object(&call.arguments).to_string();
    json!({"id": call.id, "type": "function", "function": {"name": call.name, "arguments": arguments}})
}

/// Parses a reply body. `turn` is the number of messages in the request.
///
/// # Errors
/// `Malformed` when the body has no `choices`, or the first of them is no answer: taken for an empty one, the
/// conversation would count as read. With the token usage, if the body has it.
pub fn parse_reply(body: &Value, turn: usize) -> Result<ModelReply, LlmError> {
    let usage = body.get("usage");
    let usage = TokenUsage {
        input: wire::token_count(usage, &["prompt_tokens"]),
        output: wire::token_count(usage, &["completion_tokens"]),
    };
    let malformed = |reason: &str| LlmError { usage, ..LlmError::new(ErrorKind::Malformed, reason) };
    let choice = body.pointer("/choices/0").ok_or_else(|| malformed("the answer has no choices"))?;
    let message = choice.get("message").or_else(|| choice.get("delta")).unwrap_or(choice);
    check_message(message).map_err(malformed)?;
    let stop_reason = ["finish_reason", "stop_reason"].iter().find_map(|key| choice.get(*key)?.as_str());
    let text = wire::content_text(message.get("content").or_else(|| message.get("text")));
    if let Some(refusal) = message.get("refusal").and_then(Value::as_str).filter(|r| !r.is_empty()) {
        let text = if text.is_empty() { refusal.to_owned() } else { text };
        return Ok(ModelReply { text, calls: Vec::new(), stop: StopReason::Refused, usage });
    }
    let listed = message.get("tool_calls").and_then(Value::as_array).map(Vec::as_slice).unwrap_or_default();
    let mut calls: Vec<ToolCall> = listed.iter().filter_map(parse_call).collect();
    if calls.is_empty() {
        // `function_call` is the older form of `tool_calls`, for a single call.
        let function_call = message.get("function_call").filter(|f| f.is_object());
        calls.extend(function_call.and_then(|function| parse_call(&json!({"function": function}))));
    }
    Ok(wire::build_reply(text, calls, stop_reason, usage, turn))
}

/// Whether a message has the fields of one, each of a type that it may have.
fn check_message(message: &Value) -> Result<(), &'static str> {
    const FIELDS: [&str; 5] = ["content", "text", "tool_calls", "function_call", "refusal"];
    let given = |key: &str| message.get(key).filter(|value| !value.is_null());
    if !FIELDS.iter().any(|key| message.get(key).is_some()) {
        return Err("the answer has no message");
    }
    let has_text = |key: &str| given(key).is_none_or(|value| value.is_string() || value.is_array());
    if !has_text("content") || !has_text("text") {
        return Err("the text of the answer is no text");
    }
    let is_call = |call: &Value| parse_call(call).is_some();
    let has_calls =
        given("tool_calls").is_none_or(|calls| calls.as_array().is_some_and(|calls| calls.iter().all(is_call)));
    if !has_calls || given("function_call").is_some_and(|function| !is_call(&json!({"function": function}))) {
        return Err("a tool call of the answer cannot be read");
    }
    Ok(())
}

fn parse_call(call: &Value) -> Option<ToolCall> {
    let function = call.get("function").unwrap_or(call);
    let string_field = |value: &Value, key: &str| value.get(key).and_then(Value::as_str).map(str::to_owned);
    let arguments = wire::parse_arguments(function.get("arguments"));
    Some(ToolCall {
        id: string_field(call, "id").unwrap_or_default(),
        name: string_field(function, "name")?,
        arguments,
    })
}

/// The names in a host's list of models.
pub fn model_names(body: &Value) -> Vec<String> {
    let listed = ["data", "models"].iter().find_map(|key| body.get(*key)?.as_array());
    let name =
        |model: &Value| ["id", "name", "model"].iter().find_map(|key| model.get(*key)?.as_str()).map(str::to_owned);
    listed.into_iter().flatten().filter_map(name).collect()
}

#[cfg(test)]
mod tests;
