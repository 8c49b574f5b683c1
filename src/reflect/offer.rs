//! The tools a model may call, and the shape of a one-shot answer: flat schemas, every key required and nullable.
//!
//! Describes only; what a call comes to is decided elsewhere.

use serde_json::{Map, Value, json};

/// A tool: name, what it is for, JSON Schema of its arguments.
pub type Tool = (&'static str, &'static str, Value);

/// A key of a flat object: name, JSON type, what it is.
type Key = (&'static str, &'static str, &'static str);

const QUOTE: [Key; 2] = [
    ("quote", "string", "words copied exactly from one turn of the user or the assistant that prove it"),
    ("turn", "integer", "the number of that turn"),
];

/// The tools that change the memory.
pub const WRITES: [&str; 4] = ["add", "update", "rm", "append"];

/// All tools.
pub fn tools() -> Vec<Tool> {
    let with = |keys: &[Key]| object(keys.iter().chain(&QUOTE));
    vec![
        (
            "add",
            "Adds one fact as a bullet to a file or section, which is made where it is missing.",
            with(&[
                ("at", "string", "facts/user.md, facts/project.md#stack"),
                ("text", "string", "the fact, one line"),
                ("importance", "integer?", "0 to 10; null for ordinary"),
            ]),
        ),
        (
            "update",
            "Gives a bullet a new text.",
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
            "Adds an episode: a task that ended, and what was learned.",
            with(&[
                ("title", "string", "a few words"),
                ("summary", "string", "under ten words"),
                ("text", "string", "bullets: - Problem: …, - Solution: …, - Lesson: …"),
                ("date", "string?", "YYYY-MM-DD; null for today"),
            ]),
        ),
        ("read", "A file, section or bullet as it stands.", object([("at", "string", "its address")].iter())),
        (
            "list",
            "The files, or a file's bullets with handles.",
            object([("at", "string?", "a file; null for all files")].iter()),
        ),
        ("query", "What of the memory fits a question.", object([("words", "string", "the question")].iter())),
    ]
}

/// The one-shot answer.
pub fn answer() -> Value {
    let keys: [Key; 11] = [
        ("op", "string", "add, update, rm or append"),
        ("at", "string?", "a file, section or bullet; null for append"),
        ("text", "string?", "the fact, the new text, or the episode's bullets; null for rm"),
        ("title", "string?", "of an episode"),
        ("summary", "string?", "of an episode"),
        ("date", "string?", "of an episode, YYYY-MM-DD"),
        ("importance", "integer?", "0 to 10"),
        ("reason", "string?", "why, in a few words"),
        QUOTE[0],
        QUOTE[1],
        ("old", "string?", "instead of a handle: the text the bullet has now"),
    ];
    let each = object(keys.iter());
    json!({
        "type": "object",
        "properties": { "operations": { "type": "array", "items": each } },
        "required": ["operations"],
        "additionalProperties": false,
    })
}

fn object<'k>(keys: impl Iterator<Item = &'k Key>) -> Value {
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
            .chain([answer()["properties"]["operations"]["items"].clone()]);
        for schema in all {
            let properties = schema["properties"].as_object().unwrap();
            assert_eq!(properties.len(), schema["required"].as_array().unwrap().len());
            assert!(properties.values().all(|p| p.get("oneOf").is_none() && p.get("properties").is_none()));
        }
        let names: Vec<&str> = tools().iter().map(|t| t.0).collect();
        assert!(WRITES.iter().all(|w| names.contains(w)));
    }
}
