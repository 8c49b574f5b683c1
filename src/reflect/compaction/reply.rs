//! Reads what a model answered: one decision or several, in our words or the seed's, with or without prose around.
//!
//! Judges nothing but the form (FINDINGS 6: never closed enums, never unknown fields refused).

use serde_json::{Map, Value};

/// How many places of a text are tried for the start of a JSON value.
const TRIES: usize = 32;
/// The longest text that is searched, in bytes.
const LONGEST: usize = 1024 * 1024;

/// An item as a model names it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Named {
    /// Its number in the list, from 1.
    Number(i64),
    /// A handle, an id, an address.
    Word(String),
}

/// One decision as it was said.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Said {
    /// Lower case: `delete`, `merge`, …
    pub action: String,
    /// What it is about.
    pub target: Option<Named>,
    /// What vanishes with it.
    pub absorbs: Vec<Named>,
    /// The new text; empty where none was given.
    pub text: String,
    /// Why.
    pub reason: String,
}

/// Reads a reply: the arguments of its calls, else its words.
///
/// # Errors
/// A sentence for the model.
pub fn read(text: &str, calls: &[Value]) -> Result<Vec<Said>, String> {
    let mut out = Vec::new();
    for call in calls {
        match call {
            Value::String(inner) => found(inner, &mut out),
            value => decisions(value, &mut out),
        }
    }
    if out.is_empty() {
        found(text, &mut out);
    }
    match out.is_empty() {
        true => Err("the answer holds no JSON object with \"action\" and \"target\"".into()),
        false => Ok(out),
    }
}

/// The first JSON value in a text that holds a decision.
fn found(text: &str, out: &mut Vec<Said>) {
    let text = text.get(..LONGEST).unwrap_or(text);
    for (at, _) in text.match_indices(['{', '[']).take(TRIES) {
        let mut values = serde_json::Deserializer::from_str(&text[at..]).into_iter::<Value>();
        if let Some(Ok(value)) = values.next() {
            decisions(&value, out);
        }
        if !out.is_empty() {
            return;
        }
    }
}

fn decisions(value: &Value, out: &mut Vec<Said>) {
    match value {
        Value::Array(all) => all.iter().for_each(|one| {
            if let Value::Object(object) = one
                && let Some(said) = one_of(object)
            {
                out.push(said);
            }
        }),
        Value::Object(object) => match one_of(object) {
            Some(said) => out.push(said),
            None => {
                let inner = ["decision", "decisions", "operations", "arguments", "answer", "result"];
                if let Some(value) = inner.iter().find_map(|key| object.get(*key)) {
                    decisions(value, out);
                }
            }
        },
        _ => {}
    }
}

fn one_of(object: &Map<String, Value>) -> Option<Said> {
    let get = |names: &[&str]| names.iter().find_map(|name| object.get(*name).filter(|v| !v.is_null()));
    let text = |names: &[&str]| get(names).and_then(Value::as_str).unwrap_or_default().to_owned();
    let action = text(&["action", "op", "decision", "operation", "intent"]).trim().to_lowercase();
    let target = ["target", "targetMemoryId", "target_memory_id", "target_id", "targetId", "memory_id", "id", "handle"];
    let absorbs = ["absorbs", "absorb", "absorbed", "merges", "merge_with", "mergeWith", "absorbedIds"];
    let new = ["new_content", "newContent", "new_text", "newText", "content", "text"];
    let said = Said {
        action,
        target: get(&target).and_then(|v| named(v).into_iter().next()),
        absorbs: get(&absorbs).map(named).unwrap_or_default(),
        text: text(&new),
        reason: text(&["reason", "reasoning", "rationale", "explanation", "why"]),
    };
    (!said.action.is_empty()).then_some(said)
}

/// One name, or a list of them. What names nothing (a float, an object) is a name that nobody has.
fn named(value: &Value) -> Vec<Named> {
    match value {
        Value::Array(all) => all.iter().flat_map(named).collect(),
        Value::Number(n) => vec![n.as_i64().map_or_else(|| Named::Word(n.to_string()), Named::Number)],
        Value::String(text) => {
            let text = text.trim();
            match text.trim_start_matches('#').parse() {
                _ if text.is_empty() => Vec::new(),
                Ok(n) => vec![Named::Number(n)],
                Err(_) => vec![Named::Word(text.to_owned())],
            }
        }
        Value::Null => Vec::new(),
        Value::Object(object) => {
            let inner = ["n", "number", "target", "handle", "id"].iter().find_map(|key| object.get(*key));
            inner.filter(|v| !v.is_object()).map_or_else(|| vec![Named::Word("an object".into())], named)
        }
        Value::Bool(b) => vec![Named::Word(b.to_string())],
    }
}
