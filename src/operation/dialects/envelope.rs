//! Unpacks a text into operations: code fences, arrays, JSON Lines, and the objects that contain a list.
//!
//! Never guesses: words around the JSON are accepted only if it stands in a code fence of its own, the only one.

use serde_json::{Map, Value};

use super::text_shapes::{ANY_TEXT, CheckedFields, LINE_OR_EMPTY};
use super::{path_dialect, strict_json};
use crate::code::{Code, Rejection};
use crate::json_shape::{JsonShape, ShapeForm, ShapeRule, optional, required};

/// The maximum number of operations in a batch.
pub const MAX_OPERATIONS: usize = 1000;
/// The kinds of objects that contain a list of operations.
pub const FORMS: &[&ShapeForm] = &[&OPERATIONS, &EDITS, &ANSWER];

const OPERATION_LIST: JsonShape = JsonShape::List(&JsonShape::DefinitionRef("operation"), 0);

const LOCATIONS: JsonShape = JsonShape::List(&JsonShape::Object(&path_dialect::LOCATION), 0);

const OPERATIONS: ShapeForm = ShapeForm {
    description: "Operations that are applied together or not at all.",
    ..ShapeForm::new(
        "batch",
        &[&[
            required(
                "operations",
                &OPERATION_LIST,
                "the operations, in order; indexes and handles refer to the state before the batch",
            ),
            optional("request", &LINE_OR_EMPTY, "your id for the batch; a repeated id returns the first result"),
            optional("reason", &ANY_TEXT, "the reason for operations that have none"),
            optional("source", &ANY_TEXT, "the source of operations that have none"),
            optional("consent", &ANY_TEXT, "the user's words of consent to a change of sensitive fields, verbatim"),
        ]],
    )
};
const EDITS: ShapeForm = ShapeForm {
    description: "The edits that a model decided on.",
    rule: Some(&ShapeRule { violation: edits_without_proceed, schema: no_edits_without_proceed_schema }),
    ..ShapeForm::new(
        "edits",
        &[&[
            required("edits", &OPERATION_LIST, "the operations, in order"),
            optional(
                "decision",
                &ANY_TEXT,
                "'proceed', or another value, with an empty list or 'no_change' alone, for no change",
            ),
            optional("reasoning", &ANY_TEXT, "the reason for operations that have none"),
            optional("consent", &ANY_TEXT, "the user's words of consent to a change of sensitive fields, verbatim"),
            optional("found_locations", &LOCATIONS, "what a search found; its values prove which items are meant"),
            optional("suggested_insert_path", &ANY_TEXT, "ignored"),
        ]],
    )
};

/// What a command with `-n --json` prints. Only `operations` is read, so that one command's plan can be another's
/// input.
const ANSWER: ShapeForm = ShapeForm {
    description: "The answer of a command with -n --json: its operations are applied, all else is ignored.",
    ignores_unknown: true,
    ..ShapeForm::new(
        "answer",
        &[&[
            required("v", &JsonShape::Integer(1, 1), "the version of the answer"),
            required("operations", &OPERATION_LIST, "the operations, in order"),
        ]],
    )
};

fn edits_without_proceed(object: &Map<String, Value>) -> Option<&'static str> {
    let stops = object.get("decision").and_then(Value::as_str).is_some_and(|d| d != "proceed");
    let changes = |edit: &Value| edit["operation"].as_str() != Some("no_change");
    let edits = object.get("edits").and_then(Value::as_array).is_some_and(|all| all.iter().any(changes));
    (stops && edits).then_some("the decision is not 'proceed', but there are edits")
}

fn no_edits_without_proceed_schema() -> Value {
    let no_change = serde_json::json!({"type": "object", "required": ["operation"], "properties": {"operation": {"const": "no_change"}}});
    serde_json::json!({"anyOf": [{"properties": {"decision": {"enum": ["proceed", null]}}}, {"properties": {"edits": {"items": no_change}}}]})
}

/// The content of a text: values that should be operations, and the fields that apply to all of them.
#[derive(Debug, Default)]
pub struct ParsedEnvelope {
    /// The values in order; an error for a line that is not JSON.
    pub values: Vec<Result<Value, Rejection>>,
    /// The caller's id for the batch.
    pub request: Option<String>,
    /// The reason for operations that have none.
    pub reason: Option<String>,
    /// The source of operations that have none.
    pub source: Option<String>,
    /// The user's words of consent to the batch.
    pub consent: Option<String>,
}

/// Parses a text.
///
/// # Errors
/// `empty_input`, `invalid_operation` if it is not JSON, `too_large` over 1,000 operations.
pub fn parse_envelope(text: &str) -> Result<ParsedEnvelope, Rejection> {
    let text = text.strip_prefix('\u{feff}').unwrap_or(text).trim_matches(JSON_WHITESPACE);
    let text = only_code_block(text).unwrap_or(text);
    if text.is_empty() {
        return Err(Rejection::new(Code::EmptyInput, "no operations given"));
    }
    let envelope = match strict_json::parse(text) {
        Ok(value) => envelope_from_value(value)?,
        Err(error) => parse_json_lines(text).ok_or_else(|| invalid_json(&error, 0))?,
    };
    if envelope.values.len() > MAX_OPERATIONS {
        Err(Rejection::new(Code::TooLarge, format!("a batch can have at most {MAX_OPERATIONS} operations"))
            .detail("operations", envelope.values.len()))
    } else {
        Ok(envelope)
    }
}

/// The white space of JSON (RFC 8259).
const JSON_WHITESPACE: [char; 4] = [' ', '\t', '\r', '\n'];

fn envelope_from_value(value: Value) -> Result<ParsedEnvelope, Rejection> {
    match value {
        Value::Array(values) => {
            Ok(ParsedEnvelope { values: values.into_iter().map(Ok).collect(), ..ParsedEnvelope::default() })
        }
        Value::Object(object) if object.contains_key("operations") && object.contains_key("v") => {
            checked_fields(&ANSWER, &object)?;
            Ok(ParsedEnvelope { values: take_list(object, "operations"), ..ParsedEnvelope::default() })
        }
        Value::Object(object) if object.contains_key("operations") => {
            let fields = checked_fields(&OPERATIONS, &object)?;
            let request = fields.text("request").filter(|id| !id.is_empty());
            let (reason, source) = (fields.text("reason"), fields.text("source"));
            let consent = fields.text("consent");
            Ok(ParsedEnvelope { values: take_list(object, "operations"), request, reason, source, consent })
        }
        Value::Object(mut object) if object.contains_key("edits") => {
            let fields = checked_fields(&EDITS, &object)?;
            let (reason, consent) = (fields.text("reasoning"), fields.text("consent"));
            if let [Some(Value::Array(mut edits)), Some(Value::Array(found))] =
                ["edits", "found_locations"].map(|name| object.get(name).cloned())
            {
                path_dialect::prove_with_locations(&mut edits, &found);
                object.insert("edits".into(), edits.into());
            }
            Ok(ParsedEnvelope { values: take_list(object, "edits"), reason, consent, ..ParsedEnvelope::default() })
        }
        value => Ok(ParsedEnvelope { values: vec![Ok(value)], ..ParsedEnvelope::default() }),
    }
}

fn checked_fields<'a>(form: &ShapeForm, object: &'a Map<String, Value>) -> Result<CheckedFields<'a>, Rejection> {
    form.check(object).map_err(|p| Rejection::new(Code::InvalidOperation, p.message))?;
    Ok(CheckedFields(object))
}

fn take_list(mut object: Map<String, Value>, name: &str) -> Vec<Result<Value, Rejection>> {
    match object.remove(name) {
        Some(Value::Array(values)) => values.into_iter().map(Ok).collect(),
        _ => Vec::new(),
    }
}

/// Parses JSON Lines: one value per line, blank lines ignored. `None` if the first line alone is not a value, or if
/// there is only one line.
fn parse_json_lines(text: &str) -> Option<ParsedEnvelope> {
    let mut values = Vec::new();
    for (number, line) in text.lines().enumerate().filter(|(_, l)| !l.trim_matches(JSON_WHITESPACE).is_empty()) {
        let value = strict_json::parse(line).map_err(|e| invalid_json(&e, number));
        if values.is_empty() && value.is_err() {
            return None;
        }
        values.push(value);
    }
    (values.len() > 1).then(|| ParsedEnvelope { values, ..ParsedEnvelope::default() })
}

/// The rejection of a text that is not JSON. serde_json's messages have positions but no input, so they can be shown.
fn invalid_json(error: &serde_json::Error, lines_before: usize) -> Rejection {
    let whole = error.to_string();
    let what = whole.rsplit_once(" at line ").map_or(whole.as_str(), |(what, _)| what);
    let (line, column) = (error.line() + lines_before, error.column());
    Rejection::new(Code::InvalidOperation, format!("invalid JSON: {what} at line {line} column {column}"))
        .detail("line", line)
        .detail("column", column)
}

/// The content of the only code block of a text, with or without words around it, as models answer. `None` if there is
/// no block, if there are several, if it is not closed, or if it is in another language.
fn only_code_block(text: &str) -> Option<&str> {
    let mut fences = Vec::new();
    let mut at = 0;
    for line in text.split_inclusive('\n') {
        if line.trim_matches(JSON_WHITESPACE).starts_with("```") {
            fences.push((at, line));
        }
        at += line.len();
    }
    let [(open, first), (close, last)] = fences[..] else { return None };
    let language = first.trim().trim_start_matches('`').trim().to_ascii_lowercase();
    let is_json = matches!(language.as_str(), "" | "json" | "jsonl" | "ndjson");
    (is_json && last.trim() == "```").then(|| text[open + first.len()..close].trim_matches(JSON_WHITESPACE))
}
