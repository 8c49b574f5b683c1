//! The JSON Schemas of the tools that a model may call and of a one-shot reply: flat, every key required, optional ones
//! nullable, as OpenAI's strict mode requires.
//!
//! Never executes a call.

use serde_json::{Map, Value, json};

/// A tool: name, description, JSON Schema of its arguments.
pub type ToolSchema = (&'static str, &'static str, Value);

/// A key of a flat object: name, JSON type (`?`: nullable), description.
type SchemaKey = (&'static str, &'static str, &'static str);

const QUOTE_KEYS: [SchemaKey; 2] = [
    ("quote", "string", "words copied exactly from one turn of the user or the assistant that prove it"),
    ("turn", "integer", "the number of that turn"),
];

/// The tools that change the memory.
pub const WRITE_TOOLS: [&str; 4] = ["add", "update", "rm", "append"];

/// All tools, including those that only read.
pub fn tools() -> Vec<ToolSchema> {
    let with = |keys: &[SchemaKey]| object_schema(keys.iter().chain(&QUOTE_KEYS));
    vec![
        (
            "add",
            "Adds one fact as a bullet to a file or section; a missing file or section is created.",
            with(&[
                ("at", "string", "facts/user.md, facts/project.md#stack"),
                ("text", "string", "the fact, one line"),
                ("importance", "integer?", "0 to 10; null for ordinary"),
            ]),
        ),
        (
            "update",
            "Replaces the text of a bullet.",
            with(&[
                ("at", "string", "the bullet's address with handle: facts/user.md@k3xq"),
                ("text", "string", "the new text, one line"),
            ]),
        ),
        (
            "rm",
            "Removes a bullet that is no longer true.",
            with(&[("at", "string", "the bullet's address with handle"), ("reason", "string", "why, in a few words")]),
        ),
        (
            "append",
            "Adds an episode: a finished task, and what was learned.",
            with(&[
                ("title", "string", "a few words"),
                ("summary", "string", "under ten words"),
                ("text", "string", "bullets: - Problem: …, - Solution: …, - Lesson: …"),
                ("date", "string?", "YYYY-MM-DD; null for today"),
            ]),
        ),
        ("read", "Reads a file, section or bullet.", object_schema([("at", "string", "its address")].iter())),
        (
            "list",
            "Lists the files, or the bullets of a file with handles.",
            object_schema([("at", "string?", "a file; null for all files")].iter()),
        ),
        (
            "query",
            "Finds the bullets that match a question.",
            object_schema([("words", "string", "the question")].iter()),
        ),
    ]
}

/// The JSON Schema of a one-shot reply.
pub fn one_shot_schema() -> Value {
    let keys: [SchemaKey; 11] = [
        ("op", "string", "add, update, rm or append"),
        ("at", "string?", "a file, section or bullet; null for append"),
        ("text", "string?", "the fact, the new text, or the episode's bullets; null for rm"),
        ("title", "string?", "of an episode"),
        ("summary", "string?", "of an episode"),
        ("date", "string?", "of an episode, YYYY-MM-DD"),
        ("importance", "integer?", "0 to 10"),
        ("reason", "string?", "why, in a few words"),
        QUOTE_KEYS[0],
        QUOTE_KEYS[1],
        ("old", "string?", "instead of a handle: the text the bullet has now"),
    ];
    let each = object_schema(keys.iter());
    json!({
        "type": "object",
        "properties": { "operations": { "type": "array", "items": each } },
        "required": ["operations"],
        "additionalProperties": false,
    })
}

/// The JSON Schema of a one-shot reply for servers that turn it into a grammar: each operation has only its own keys,
/// the evidence precedes the text that it proves, and counts and lengths have bounds, so that a small model ends.
pub fn bounded_schema(max_operations: usize, max_chars: usize) -> Value {
    let text = |max: usize| json!({ "type": "string", "maxLength": max });
    let of = |op: &str, keys: &[(&str, Value)]| {
        let evidence = [("quote", text(MAX_QUOTE_CHARS)), ("turn", json!({ "type": "integer" }))];
        let mut properties = Map::from_iter([("op".to_owned(), json!({ "type": "string", "enum": [op] }))]);
        properties.extend(evidence.iter().chain(keys).map(|(name, value)| ((*name).to_owned(), value.clone())));
        let required: Vec<&String> = properties.keys().collect();
        json!({ "type": "object", "properties": &properties, "required": required, "additionalProperties": false })
    };
    let at = || ("at", text(MAX_ADDRESS_CHARS));
    let episode = max_chars.saturating_mul(3);
    let each = [
        of("add", &[at(), ("text", text(max_chars))]),
        of("update", &[at(), ("text", text(max_chars))]),
        of("rm", &[at()]),
        of("append", &[("title", text(MAX_TITLE_CHARS)), ("summary", text(MAX_TITLE_CHARS)), ("text", text(episode))]),
    ];
    let operations = json!({ "type": "array", "maxItems": max_operations, "items": { "anyOf": each } });
    json!({
        "type": "object",
        "properties": { "operations": operations },
        "required": ["operations"],
        "additionalProperties": false,
    })
}

/// Bounds of a reply that a grammar constrains, in characters.
const MAX_QUOTE_CHARS: usize = 200;
const MAX_ADDRESS_CHARS: usize = 80;
const MAX_TITLE_CHARS: usize = 80;

fn object_schema<'k>(keys: impl Iterator<Item = &'k SchemaKey>) -> Value {
    let (mut properties, mut required) = (Map::new(), Vec::new());
    for (name, kind, about) in keys {
        let kind = match kind.strip_suffix('?') {
            Some(kind) => json!([kind, "null"]),
            None => json!(kind),
        };
        properties.insert((*name).into(), json!({ "type": kind, "description": about }));
        required.push(*name);
    }
    json!({ "type": "object", "properties": properties, "required": required, "additionalProperties": false })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn schemas_are_flat_and_every_key_is_required() {
        let all = tools()
            .into_iter()
            .map(|(_, _, schema)| schema)
            .chain([one_shot_schema()["properties"]["operations"]["items"].clone()])
            .chain(bounded_schema(3, 280)["properties"]["operations"]["items"]["anyOf"].as_array().unwrap().clone());
        for schema in all {
            let properties = schema["properties"].as_object().unwrap();
            assert_eq!(properties.len(), schema["required"].as_array().unwrap().len());
            assert!(properties.values().all(|p| p.get("oneOf").is_none() && p.get("properties").is_none()));
        }
        let names: Vec<&str> = tools().iter().map(|t| t.0).collect();
        assert!(WRITE_TOOLS.iter().all(|w| names.contains(w)));
    }
}
