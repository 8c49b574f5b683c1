//! The arguments of the tools that take no JSON of the library's own, and the input schemas.
//!
//! Never guesses: an unknown argument is an error with the known ones as a hint. The schemas are kept terse, because every
//! session pays for them.

use serde_json::{Map, Value, json};

use crate::code::{Code, Rejection};
use crate::json_shape::{JsonShape, ShapeError, ShapeForm, as_integer, optional, required};

const ADDRESS: JsonShape = JsonShape::Text(1);
/// What `memory_read` reads.
const READ_ADDRESS: &str = "FILE, FILE#SECTION or FILE@HANDLE";
const COUNT: JsonShape = JsonShape::Integer(1, 1_000_000);

/// The arguments of `memory_context`.
pub const CONTEXT: ShapeForm = ShapeForm::new("arguments", &[&[optional("budget_tokens", &COUNT, "")]]);
/// The arguments of `memory_list`.
pub const LIST: ShapeForm =
    ShapeForm::new("arguments", &[&[optional("address", &ADDRESS, ""), optional("limit", &COUNT, "")]]);
/// The arguments of `memory_read`.
pub const READ: ShapeForm = ShapeForm::new("arguments", &[&[required("address", &ADDRESS, READ_ADDRESS)]]);

/// Checks arguments against their table.
///
/// # Errors
/// `usage`; `multiline` for a line break in a one-line text.
pub fn check(form: &ShapeForm, arguments: &Map<String, Value>) -> Result<(), Rejection> {
    form.check(arguments).map_err(|problem| {
        let code = if problem.error == ShapeError::Multiline { Code::Multiline } else { Code::Usage };
        Rejection { hint: problem.hint(), ..Rejection::new(code, problem.message) }
    })
}

/// A text among checked arguments.
pub fn text<'a>(arguments: &'a Map<String, Value>, name: &str) -> Option<&'a str> {
    arguments.get(name).and_then(Value::as_str)
}

/// A count among checked arguments.
pub fn count(arguments: &Map<String, Value>, name: &str) -> Option<usize> {
    arguments.get(name).and_then(as_integer).and_then(|n| usize::try_from(n).ok())
}

/// The input schema of `memory_context`.
pub fn context_schema() -> Value {
    json!({"type": "object", "properties": {"budget_tokens": {"type": "integer"}}})
}

/// The input schema of `memory_list`.
pub fn list_schema() -> Value {
    json!({"type": "object", "properties": {
        "address": {"type": "string", "description": "FILE, FILE#SECTION or FOLDER; default: all files"},
        "limit": {"type": "integer"},
    }})
}

/// The input schema of `memory_read`.
pub fn read_schema() -> Value {
    json!({"type": "object", "properties": {
        "address": {"type": "string", "description": READ_ADDRESS},
    }, "required": ["address"]})
}

/// The input schema of `memory_query`: that of the library without what only repeats a name.
pub fn query_schema() -> Value {
    let text = json!({"type": "string"});
    let number = json!({"type": "number"});
    let integer = json!({"type": "integer"});
    json!({"type": "object", "properties": {
        "query": {"type": "string", "description": "any words, names or dates"},
        "agent": text,
        "categories": {"type": "array", "items": text},
        "filters": {"type": "object", "properties": {
            "user_id": text, "agent_id": text, "actor_id": text, "run_id": text, "role": text, "category": text,
            "pinned": {"type": "boolean"}, "importance_min": integer, "importance_max": integer,
            "updated_after": text, "updated_before": text,
        }},
        "top_k": integer,
        "return": {"enum": ["bullets", "full"]},
        "budget_tokens": integer,
        "threshold": number,
    }})
}

/// The input schema of `memory_change`: the fields that an agent needs; the others are accepted, too.
pub fn change_schema() -> Value {
    let text = json!({"type": "string"});
    json!({"type": "object", "properties": {
        "operations": {"type": "array", "items": {"type": "object", "properties": {
            "op": {"enum": ["add", "update", "rm", "mv", "set", "write", "patch", "append"]},
            "at": {"type": "string", "description": "address; update and rm of a bullet: FILE@HANDLE, or FILE with old"},
            "text": text,
            "old": {"type": "string", "description": "the bullet's present text"},
            "to": {"type": "string", "description": "mv: destination"},
            "meta": {"type": "object", "description": "add, set: imp 0-10, exp date, pin, keywords…"},
            "pairs": {"type": "array", "items": {"type": "object", "properties": {"old": text, "new": text}}, "description": "patch"},
            "title": text,
            "if_match": {"type": "string", "description": "etag; write over a file needs it"},
        }, "required": ["op", "at"]}},
        "reason": text,
        "consent": {"type": "string", "description": "the user's own words agreeing to store personal data"},
        "request": {"type": "string", "description": "your id, to retry safely"},
        "dry_run": {"type": "boolean"},
    }, "required": ["operations"]})
}

/// The input schema of `memory_append`.
pub fn append_schema() -> Value {
    let text = json!({"type": "string"});
    json!({"type": "object", "properties": {
        "title": text,
        "text": {"type": "string", "description": "markdown"},
        "at": {"type": "string", "description": "file; default: this month's"},
        "date": text,
        "summary": text,
    }, "required": ["title", "text"]})
}
