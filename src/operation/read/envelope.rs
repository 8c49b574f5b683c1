//! What stands around operations: fences, arrays, JSON Lines, and the two envelopes.
//!
//! Guesses nothing: prose around the JSON is refused.

use serde_json::{Map, Value};

use super::json;
use super::texts::{Got, TEXT, VALUE};
use crate::code::{Code, Rejection};
use crate::shape::{Form, Rule, Shape, may, need};

/// Most operations in one batch.
pub const MOST: usize = 1000;
/// Both envelopes.
pub const FORMS: &[&Form] = &[&OPERATIONS, &EDITS];

const EACH: Shape = Shape::List(&Shape::Defined("operation"), 0);

const OPERATIONS: Form = Form {
    name: "batch",
    about: "Operations that are done together or not at all.",
    fields: &[&[
        need("operations", &EACH, "the operations, in order; positions and handles mean the state before the batch"),
        may("request", &VALUE, "an id of yours: the same one again returns the first answer"),
        may("reason", &TEXT, "why, for operations that do not say"),
        may("source", &TEXT, "from where, for operations that do not say"),
    ]],
    groups: &[],
    foreign: &[],
    open: false,
    rule: None,
};
const EDITS: Form = Form {
    name: "edits",
    about: "The answer of an editor (seeds/json-memory.md).",
    fields: &[&[
        need("edits", &EACH, "the operations, in order"),
        may("decision", &TEXT, "'proceed'; any other with an empty list does nothing"),
        may("reasoning", &TEXT, "why, for operations that do not say"),
    ]],
    groups: &[],
    foreign: &[],
    open: false,
    rule: Some(&Rule { breaks: contradicts, schema: no_contradiction }),
};

fn contradicts(object: &Map<String, Value>) -> Option<&'static str> {
    let stops = object.get("decision").and_then(Value::as_str).is_some_and(|d| d != "proceed");
    let edits = object.get("edits").and_then(Value::as_array).is_some_and(|e| !e.is_empty());
    (stops && edits).then_some("the decision is not 'proceed', and yet there are edits")
}

fn no_contradiction() -> Value {
    serde_json::json!({"anyOf": [{"properties": {"decision": {"enum": ["proceed", null]}}}, {"properties": {"edits": {"maxItems": 0}}}]})
}

/// What a text hands in: values that should be operations, each parsed or not, and what was said of all.
#[derive(Debug, Default)]
pub struct Handed {
    /// In order.
    pub values: Vec<Result<Value, Rejection>>,
    /// The caller's id.
    pub request: Option<String>,
    /// Why.
    pub reason: Option<String>,
    /// From where.
    pub source: Option<String>,
}

/// Takes a text apart.
///
/// # Errors
/// `empty_input`, `invalid_operation` where it is no JSON, `too_large` over 1,000 operations.
pub fn open(text: &str) -> Result<Handed, Rejection> {
    let text = unfenced(text.strip_prefix('\u{feff}').unwrap_or(text).trim_matches(BLANKS));
    if text.is_empty() {
        return Err(Rejection::new(Code::EmptyInput, "no operation was given"));
    }
    let handed = match json::parse(text) {
        Ok(value) => whole(value)?,
        Err(error) => lines(text).ok_or_else(|| no_json(&error, 0))?,
    };
    match handed.values.len() > MOST {
        true => Err(Rejection::new(Code::TooLarge, format!("a batch holds at most {MOST} operations"))
            .detail("operations", handed.values.len())),
        false => Ok(handed),
    }
}

/// JSON's own white space.
const BLANKS: [char; 4] = [' ', '\t', '\r', '\n'];

fn whole(value: Value) -> Result<Handed, Rejection> {
    match value {
        Value::Array(values) => Ok(Handed { values: values.into_iter().map(Ok).collect(), ..Handed::default() }),
        Value::Object(object) if object.contains_key("operations") => {
            let got = checked(&OPERATIONS, &object)?;
            let (request, reason, source) = (got.text("request"), got.text("reason"), got.text("source"));
            Ok(Handed { values: within(object, "operations"), request, reason, source })
        }
        Value::Object(object) if object.contains_key("edits") => {
            let reason = checked(&EDITS, &object)?.text("reasoning");
            Ok(Handed { values: within(object, "edits"), reason, ..Handed::default() })
        }
        value => Ok(Handed { values: vec![Ok(value)], ..Handed::default() }),
    }
}

fn checked<'a>(form: &Form, object: &'a Map<String, Value>) -> Result<Got<'a>, Rejection> {
    form.check(object).map_err(|p| Rejection::new(Code::InvalidOperation, p.message))?;
    Ok(Got(object))
}

fn within(mut object: Map<String, Value>, name: &str) -> Vec<Result<Value, Rejection>> {
    match object.remove(name) {
        Some(Value::Array(values)) => values.into_iter().map(Ok).collect(),
        _ => Vec::new(),
    }
}

/// JSON Lines: one value a line, blank lines passed over; only when the first line is a value by itself.
fn lines(text: &str) -> Option<Handed> {
    let mut values = Vec::new();
    for (number, line) in text.lines().enumerate().filter(|(_, l)| !l.trim_matches(BLANKS).is_empty()) {
        let value = json::parse(line).map_err(|e| no_json(&e, number));
        if values.is_empty() && value.is_err() {
            return None;
        }
        values.push(value);
    }
    (values.len() > 1).then(|| Handed { values, ..Handed::default() })
}

/// serde_json's sentences name places, never texts.
fn no_json(error: &serde_json::Error, lines_before: usize) -> Rejection {
    let whole = error.to_string();
    let what = whole.rsplit_once(" at line ").map_or(whole.as_str(), |(what, _)| what);
    let (line, column) = (error.line() + lines_before, error.column());
    Rejection::new(Code::InvalidOperation, format!("no JSON: {what} at line {line} column {column}"))
        .detail("line", line)
        .detail("column", column)
}

/// Takes one code fence off that stands around the whole text.
fn unfenced(text: &str) -> &str {
    let inner = || {
        let (first, rest) = text.strip_prefix("```")?.split_once('\n')?;
        let language = first.trim().to_ascii_lowercase();
        let body = rest.strip_suffix("```")?;
        let closed = body.is_empty() || body.trim_end_matches([' ', '\t']).ends_with('\n');
        (matches!(language.as_str(), "" | "json" | "jsonl" | "ndjson") && closed).then(|| body.trim_matches(BLANKS))
    };
    inner().unwrap_or(text)
}
