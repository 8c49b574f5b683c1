//! Parses a model's reply: one decision or several, under any of the usual key names, with or without prose around.
//!
//! Checks the form only and is lenient about it: models deviate from schemas, so neither an unknown field nor an
//! unknown action is an error here. Never validates a decision.

use anyhow::anyhow;
use serde_json::{Map, Value};

use crate::reflect::reply_json::values_in;

/// A model's reference to an item.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ItemName {
    /// The number in the prompt, 1-based.
    Number(i64),
    /// A handle, id or address.
    Text(String),
}

/// A decision as the model wrote it, not yet validated.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct RawDecision {
    /// Lower case: `delete`, `merge`, …
    pub action: String,
    /// The item it applies to.
    pub target: Option<ItemName>,
    /// The items removed with it.
    pub absorbs: Vec<ItemName>,
    /// The new text; empty if there is none.
    pub text: String,
    pub reason: String,
}

/// Parses a reply: the arguments of its tool calls or, without a decision there, its text.
///
/// # Errors
/// A sentence for the model if there is no decision.
pub fn parse_reply(text: &str, calls: &[Value]) -> anyhow::Result<Vec<RawDecision>> {
    let mut out = Vec::new();
    for call in calls {
        match call {
            Value::String(inner) => collect_from_text(inner, &mut out),
            value => collect_decisions(value, &mut out),
        }
    }
    if out.is_empty() {
        collect_from_text(text, &mut out);
    }
    if out.is_empty() {
        Err(anyhow!("the reply contains no JSON object with \"action\" and \"target\""))
    } else {
        Ok(out)
    }
}

/// Collects the decisions of the first JSON value in a text that has any.
fn collect_from_text(text: &str, out: &mut Vec<RawDecision>) {
    for value in values_in(text) {
        collect_decisions(&value, out);
        if !out.is_empty() {
            return;
        }
    }
}

fn collect_decisions(value: &Value, out: &mut Vec<RawDecision>) {
    match value {
        Value::Array(all) => all.iter().for_each(|one| {
            if let Value::Object(object) = one
                && let Some(decision) = parse_decision(object)
            {
                out.push(decision);
            }
        }),
        Value::Object(object) => match parse_decision(object) {
            Some(decision) => out.push(decision),
            None => {
                let inner = ["decision", "decisions", "operations", "arguments", "answer", "result"];
                if let Some(value) = inner.iter().find_map(|key| object.get(*key)) {
                    collect_decisions(value, out);
                }
            }
        },
        _ => {}
    }
}

fn parse_decision(object: &Map<String, Value>) -> Option<RawDecision> {
    let get = |names: &[&str]| names.iter().find_map(|name| object.get(*name).filter(|v| !v.is_null()));
    let text = |names: &[&str]| get(names).and_then(Value::as_str).unwrap_or_default().to_owned();
    let action = text(&["action", "op", "decision", "operation", "intent"]).trim().to_lowercase();
    let target = ["target", "targetMemoryId", "target_memory_id", "target_id", "targetId", "memory_id", "id", "handle"];
    let absorbs = ["absorbs", "absorb", "absorbed", "merges", "merge_with", "mergeWith", "absorbedIds"];
    let text_keys = ["new_content", "newContent", "new_text", "newText", "content", "text"];
    let decision = RawDecision {
        action,
        target: get(&target).and_then(|v| parse_names(v).into_iter().next()),
        absorbs: get(&absorbs).map(parse_names).unwrap_or_default(),
        text: text(&text_keys),
        reason: text(&["reason", "reasoning", "rationale", "explanation", "why"]),
    };
    (!decision.action.is_empty()).then_some(decision)
}

/// A number without a fraction, which some models write as `1.0`.
fn whole_number(n: &serde_json::Number) -> Option<i64> {
    let float = || n.as_f64().filter(|f| f.fract() == 0.0 && f.abs() < 1e9);
    n.as_i64().or_else(|| float().map(|f| f as i64))
}

/// One name or a list of names. A value that cannot be a name (1.5, an object) becomes one that matches no item.
fn parse_names(value: &Value) -> Vec<ItemName> {
    match value {
        Value::Array(all) => all.iter().flat_map(parse_names).collect(),
        Value::Number(n) => vec![whole_number(n).map_or_else(|| ItemName::Text(n.to_string()), ItemName::Number)],
        Value::String(text) => {
            let text = text.trim();
            match text.trim_start_matches('#').parse() {
                _ if text.is_empty() => Vec::new(),
                Ok(n) => vec![ItemName::Number(n)],
                Err(_) => vec![ItemName::Text(text.to_owned())],
            }
        }
        Value::Null => Vec::new(),
        Value::Object(object) => {
            let inner = ["n", "number", "target", "handle", "id"].iter().find_map(|key| object.get(*key));
            inner.filter(|v| !v.is_object()).map_or_else(|| vec![ItemName::Text("an object".into())], parse_names)
        }
        Value::Bool(b) => vec![ItemName::Text(b.to_string())],
    }
}
