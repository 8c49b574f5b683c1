//! Anthropic's messages: a question as a body, a body as a reply.
//!
//! Pure. A wanted object is asked for as the one tool that must be called: every host of this protocol knows that.

use serde_json::{Map, Value, json};

use super::fallback::{Form, Habits};
use super::wire::{self, Asks};
use super::{Call, Message, Reply, Request, Tool, Trouble, Usage, What, prompt};

/// Where questions go, below the base address.
pub const PATH: &str = "/messages";
/// The version of the protocol, for its header.
pub const VERSION: &str = "2023-06-01";
/// The longest reply where nobody says; the protocol wants a number.
const LIMIT: u32 = 4096;

/// The body of a question.
pub fn body(request: &Request, asks: &Asks, habits: &Habits) -> Map<String, Value> {
    let mut body = Map::new();
    body.insert("model".into(), asks.model.clone().into());
    let limit = match asks.limit(request.most_tokens) {
        0 => LIMIT,
        limit => limit,
    };
    body.insert("max_tokens".into(), limit.into());
    let held = request.answer.as_ref().filter(|_| habits.form == Form::Schema && request.tools.is_empty());
    let system = prompt::system(request, held.is_none());
    if !system.is_empty() {
        body.insert("system".into(), system.into());
    }
    body.insert("messages".into(), request.messages.iter().filter_map(message).collect());
    if !request.tools.is_empty() {
        body.insert("tools".into(), request.tools.iter().map(tool).collect());
    }
    if let Some(schema) = held {
        let answer = Tool { name: schema.name.clone(), about: "The answer".into(), parameters: schema.schema.clone() };
        body.insert("tools".into(), json!([tool(&answer)]));
        body.insert("tool_choice".into(), json!({"type": "tool", "name": schema.name}));
    }
    habits.set(&mut body, "temperature", asks.temperature.map(Value::from));
    habits.set(&mut body, "top_p", asks.top_p.map(Value::from));
    body
}

fn tool(tool: &Tool) -> Value {
    json!({"name": tool.name, "description": tool.about, "input_schema": tool.parameters})
}

/// A message; `None` for one that says nothing, which the protocol refuses.
fn message(message: &Message) -> Option<Value> {
    let (role, content) = match message {
        Message::User(text) => return (!text.is_empty()).then(|| json!({"role": "user", "content": text})),
        Message::Assistant { text, calls } => {
            let words =
                Some(text).filter(|text| !text.trim().is_empty()).map(|text| json!({"type": "text", "text": text}));
            ("assistant", words.into_iter().chain(calls.iter().map(call)).collect::<Vec<Value>>())
        }
        Message::Results(outcomes) => ("user", outcomes.iter().map(result).collect()),
    };
    (!content.is_empty()).then(|| json!({"role": role, "content": content}))
}

fn call(call: &Call) -> Value {
    let name = if call.name.is_empty() { "unknown" } else { &call.name };
    json!({"type": "tool_use", "id": call.id, "name": name, "input": wire::object(&call.arguments)})
}

fn result(outcome: &super::Outcome) -> Value {
    let mut result = json!({"type": "tool_result", "tool_use_id": outcome.id, "content": outcome.text});
    if outcome.failed {
        result["is_error"] = true.into();
    }
    result
}

/// The reply in a body. The call of a wanted object becomes the text that it is.
///
/// # Errors
/// `Malformed` where there is none.
pub fn reply(body: &Value, request: &Request) -> Result<Reply, Trouble> {
    let usage = body.get("usage");
    let input = ["input_tokens", "cache_creation_input_tokens", "cache_read_input_tokens"];
    let usage = Usage { input: wire::count(usage, &input), output: wire::count(usage, &["output_tokens"]) };
    let content = body.get("content").filter(|c| c.is_array() || c.is_string());
    let nothing = || Trouble { usage, ..Trouble::new(What::Malformed, "the answer holds no content") };
    let content = content.ok_or_else(nothing)?;
    let blocks = content.as_array().map(Vec::as_slice).unwrap_or_default();
    let calls: Vec<Call> = blocks.iter().filter_map(called).collect();
    let said = body.get("stop_reason").and_then(Value::as_str);
    let mut reply = wire::reply(wire::text(Some(content)), calls, said, usage, request.messages.len());
    if let Some(schema) = request.answer.as_ref().filter(|_| request.tools.is_empty()) {
        let answer = reply.calls.iter().find(|call| call.name == schema.name);
        if let Some(call) = answer {
            reply.text = match &call.arguments {
                Value::String(text) => text.clone(),
                value => value.to_string(),
            };
            reply.stop = super::Stop::End;
        }
        reply.calls.clear();
    }
    Ok(reply)
}

fn called(block: &Value) -> Option<Call> {
    if block.get("type").and_then(Value::as_str) != Some("tool_use") {
        return None;
    }
    let word = |key: &str| block.get(key).and_then(Value::as_str).map(str::to_owned);
    Some(Call {
        id: word("id").unwrap_or_default(),
        name: word("name")?,
        arguments: wire::arguments(block.get("input")),
    })
}

#[cfg(test)]
mod tests;
