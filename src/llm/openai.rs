//! OpenAI's chat completions: a question as a body, a body as a reply.
//!
//! Pure. Sends no more than it must, and reads leniently: everybody's host speaks a dialect of this.

use serde_json::{Map, Value, json};

use super::fallback::{Form, Habits, LIMITS};
use super::wire::{self, Asks};
use super::{Call, Message, Reply, Request, Schema, Stop, Trouble, Usage, What, prompt};

/// Where questions go, below the base address.
pub const PATH: &str = "/chat/completions";

/// The body of a question.
pub fn body(request: &Request, asks: &Asks, habits: &Habits) -> Map<String, Value> {
    let mut body = Map::new();
    body.insert("model".into(), asks.model.clone().into());
    body.insert("messages".into(), messages(request, habits.form != Form::Schema).into());
    if !request.tools.is_empty() {
        let tool = |t: &super::Tool| {
            let function = json!({"name": t.name, "description": t.about, "parameters": t.parameters});
            json!({"type": "function", "function": function})
        };
        body.insert("tools".into(), request.tools.iter().map(tool).collect());
    }
    if let Some(format) = request.answer.as_ref().and_then(|schema| format(schema, habits.form)) {
        body.insert("response_format".into(), format);
    }
    let name = LIMITS[usize::from(asks.at_home != habits.renamed)];
    let limit = asks.limit(request.most_tokens);
    habits.set(&mut body, name, (limit > 0).then(|| limit.into()));
    habits.set(&mut body, "temperature", asks.temperature.map(Value::from));
    habits.set(&mut body, "top_p", asks.top_p.map(Value::from));
    body
}

fn format(schema: &Schema, form: Form) -> Option<Value> {
    match form {
        Form::Schema => {
            let strict = is_closed(&schema.schema);
            let named = json!({"name": schema.name, "schema": schema.schema, "strict": strict});
            Some(json!({"type": "json_schema", "json_schema": named}))
        }
        Form::Object => Some(json!({"type": "json_object"})),
        Form::Words => None,
    }
}

/// Whether every object in a schema requires all its fields and no others: what `strict` needs.
fn is_closed(schema: &Value) -> bool {
    match schema {
        Value::Object(map) => {
            let own = match map.get("properties").and_then(Value::as_object) {
                Some(fields) => {
                    let required = map.get("required").and_then(Value::as_array);
                    let needs = |name: &String| required.is_some_and(|all| all.iter().any(|r| r == name));
                    map.get("additionalProperties") == Some(&Value::Bool(false)) && fields.keys().all(needs)
                }
                None => true,
            };
            own && map.values().all(is_closed)
        }
        Value::Array(all) => all.iter().all(is_closed),
        _ => true,
    }
}

fn messages(request: &Request, instruct: bool) -> Vec<Value> {
    let mut all = Vec::with_capacity(request.messages.len() + 1);
    let system = prompt::system(request, instruct);
    if !system.is_empty() {
        all.push(json!({"role": "system", "content": system}));
    }
    for message in &request.messages {
        match message {
            Message::User(text) => all.push(json!({"role": "user", "content": text})),
            Message::Assistant { text, calls } => {
                let mut said = json!({"role": "assistant", "content": text});
                if !calls.is_empty() {
                    said["tool_calls"] = calls.iter().map(call).collect();
                }
                all.push(said);
            }
            Message::Results(outcomes) => {
                all.extend(outcomes.iter().map(|o| json!({"role": "tool", "tool_call_id": o.id, "content": o.text})))
            }
        }
    }
    all
}

/// A call as the model is shown it again: its arguments are a text, whatever they came as.
fn call(call: &Call) -> Value {
    let arguments = wire::object(&call.arguments).to_string();
    json!({"id": call.id, "type": "function", "function": {"name": call.name, "arguments": arguments}})
}

/// The reply in a body.
///
/// # Errors
/// `Malformed` where there is none.
pub fn reply(body: &Value, turn: usize) -> Result<Reply, Trouble> {
    let usage = body.get("usage");
    let usage =
        Usage { input: wire::count(usage, &["prompt_tokens"]), output: wire::count(usage, &["completion_tokens"]) };
    let nothing = || Trouble { usage, ..Trouble::new(What::Malformed, "the answer holds no choice") };
    let choice = body.pointer("/choices/0").ok_or_else(nothing)?;
    let message = choice.get("message").or_else(|| choice.get("delta")).unwrap_or(choice);
    let said = ["finish_reason", "stop_reason"].iter().find_map(|key| choice.get(*key)?.as_str());
    let text = wire::text(message.get("content").or_else(|| message.get("text")));
    if let Some(refusal) = message.get("refusal").and_then(Value::as_str).filter(|r| !r.is_empty()) {
        let text = if text.is_empty() { refusal.to_owned() } else { text };
        return Ok(Reply { text, calls: Vec::new(), stop: Stop::Refused, usage });
    }
    let listed = message.get("tool_calls").and_then(Value::as_array).map(Vec::as_slice).unwrap_or_default();
    let mut calls: Vec<Call> = listed.iter().filter_map(called).collect();
    if calls.is_empty() {
        // What `tool_calls` was before it could hold several.
        let old = message.get("function_call").filter(|f| f.is_object());
        calls.extend(old.and_then(|function| called(&json!({"function": function}))));
    }
    Ok(wire::reply(text, calls, said, usage, turn))
}

fn called(call: &Value) -> Option<Call> {
    let function = call.get("function").unwrap_or(call);
    let word = |value: &Value, key: &str| value.get(key).and_then(Value::as_str).map(str::to_owned);
    let arguments = wire::arguments(function.get("arguments"));
    Some(Call { id: word(call, "id").unwrap_or_default(), name: word(function, "name")?, arguments })
}

/// The models that a host lists.
pub fn models(body: &Value) -> Vec<String> {
    let listed = ["data", "models"].iter().find_map(|key| body.get(*key)?.as_array());
    let name =
        |model: &Value| ["id", "name", "model"].iter().find_map(|key| model.get(*key)?.as_str()).map(str::to_owned);
    listed.into_iter().flatten().filter_map(name).collect()
}

#[cfg(test)]
mod tests;
