//! Parses operations from JSON in several dialects, prints them in memdir's own, and describes all as JSON Schema.
//!
//! Never reads a memory: checks that depend on its content are the planner's.

mod bullet_dialect;
mod envelope;
mod own_dialect;
mod path_dialect;
mod strict_json;
mod text_shapes;
mod tool_dialect;

use serde_json::{Map, Value, json};

use super::{Action, Batch, Operation};
use crate::code::{Code, Rejection, quote_short};
use crate::document::MetaKey;
use crate::json_shape::{ShapeError, ShapeForm, ShapeProblem, nearest_name, quote_list};
pub use own_dialect::{APPEND_ARGUMENTS, add_if_match, is_patch};
pub use path_dialect::print_path;
use text_shapes::CheckedFields;
pub use tool_dialect::ReadCall;

/// Parses a batch: one operation, an array, JSON Lines, or an object with a list of operations.
///
/// # Errors
/// One rejection per malformed operation, each with its index in the batch.
pub fn parse_batch(json: &str) -> Result<Batch, Vec<Rejection>> {
    let envelope = envelope::parse_envelope(json).map_err(|r| vec![r])?;
    let (mut operations, mut refused) = (Vec::new(), Vec::new());
    let mut quotes: Vec<String> = envelope.consent.into_iter().collect();
    for (number, value) in envelope.values.into_iter().enumerate() {
        match value.and_then(|v| Ok((parse_operation(&v)?, v))) {
            Ok((operation, value)) => {
                operations.push(operation);
                quotes.extend(consent_of(&value).filter(|quote| !quotes.contains(quote)));
            }
            Err(rejection) => refused.push(rejection.at_operation(number)),
        }
    }
    let (request, reason, source) = (envelope.request, envelope.reason, envelope.source);
    if refused.is_empty() {
        Ok(Batch { operations, request, reason, source, consent: quotes, ..Batch::default() })
    } else {
        Err(refused)
    }
}

/// The words of consent that an operation carries: a field of it or, for the call of a tool, of its arguments.
fn consent_of(operation: &Value) -> Option<String> {
    let object = operation.as_object()?;
    let text = |fields: &Map<String, Value>| fields.get("consent").and_then(Value::as_str).map(str::to_owned);
    let in_arguments = || text(tool_dialect::call_arguments(&tool_dialect::parse_string_arguments(object))?);
    text(object).or_else(in_arguments)
}

/// Parses one operation, in any dialect, from a JSON value.
///
/// # Errors
/// `invalid_operation`, or `multiline` for a line break in a one-line text.
pub fn parse_operation(value: &Value) -> Result<Operation, Rejection> {
    let Value::Object(object) = value else {
        return Err(Rejection::new(Code::InvalidOperation, "an operation must be a JSON object"));
    };
    let has = |name| object.contains_key(name);
    if has("op") {
        return parse_tagged("op", object, own_dialect::FORMS, own_dialect::action);
    }
    if has("intent") {
        return parse_tagged("intent", object, bullet_dialect::FORMS, bullet_dialect::action);
    }
    if has("operation") {
        return parse_tagged("operation", object, path_dialect::FORMS, path_dialect::action);
    }
    if has("operations") || has("edits") {
        return Err(Rejection::new(Code::InvalidOperation, "a batch cannot contain another batch"));
    }
    match tool_dialect::call_form_by_name(object) {
        Some(Ok(form)) => {
            let object = tool_dialect::parse_string_arguments(object);
            let name = form.name.trim_start_matches("call_");
            check_form(form, &object)?;
            let inner = tool_dialect::FORMS.iter().find(|f| f.name == name).zip(tool_dialect::call_arguments(&object));
            let (form, inner) = inner.ok_or_else(not_an_operation)?;
            Ok(operation_with_common_fields(tool_dialect::action(form, CheckedFields(inner)), CheckedFields(inner)))
        }
        Some(Err(name)) => {
            let message = format!("the tool {} is not a write operation", quote_short(&name));
            Err(Rejection::new(Code::InvalidOperation, message).hint("use memory_write, memory_patch or memory_append"))
        }
        None => {
            let form = tool_dialect::form_by_fields(object).ok_or_else(|| unknown_dialect(object))?;
            check_form(form, object)?;
            Ok(operation_with_common_fields(tool_dialect::action(form, CheckedFields(object)), CheckedFields(object)))
        }
    }
}

/// Parses the call of a tool that only reads; `None` for any other object.
///
/// # Errors
/// `invalid_operation`.
pub fn parse_read_call(object: &Map<String, Value>) -> Option<Result<ReadCall, Rejection>> {
    tool_dialect::read_call(object).map(|call| call.map_err(shape_rejection))
}

/// Parses an operation of a dialect in which the field `tag` names the kind of operation.
fn parse_tagged(
    tag: &'static str,
    object: &Map<String, Value>,
    forms: &[&'static ShapeForm],
    action: fn(&str, CheckedFields) -> Action,
) -> Result<Operation, Rejection> {
    let verbs = |form: &ShapeForm| form.all_fields().find(|f| f.name == tag).map(|f| f.shape);
    let fits = |form: &&&'static ShapeForm| verbs(form).is_some_and(|s| s.check(&object[tag]).is_ok());
    let Some(form) = forms.iter().find(fits) else { return Err(unknown_tag_value(tag, &object[tag], forms)) };
    check_form(form, object)?;
    let fields = CheckedFields(object);
    Ok(operation_with_common_fields(action(&fields.required_text(tag), fields), fields))
}

fn operation_with_common_fields(action: Action, fields: CheckedFields) -> Operation {
    Operation {
        action,
        seen: fields.text("seen"),
        if_match: fields.text("if_match"),
        reason: fields.text("reason"),
        source: fields.text("source"),
    }
}

fn check_form(form: &ShapeForm, object: &Map<String, Value>) -> Result<(), Rejection> {
    form.check(object).map_err(|problem| {
        // `--when` of `add` is `meta.when` here.
        let key = problem.path.last().filter(|_| problem.path.len() == 1 && !problem.known_fields.is_empty());
        let is_metadata = key.is_some_and(|key| MetaKey::ALL.iter().any(|known| known.name() == key));
        let takes_metadata = form.all_fields().any(|field| field.name == "meta");
        match key.filter(|_| is_metadata && takes_metadata).cloned() {
            Some(key) => shape_rejection(problem).hint(format!("metadata is in 'meta': {{\"meta\":{{\"{key}\":…}}}}")),
            None => shape_rejection(problem),
        }
    })
}

fn shape_rejection(problem: ShapeProblem) -> Rejection {
    let code = if problem.error == ShapeError::Multiline { Code::Multiline } else { Code::InvalidOperation };
    let rejection = Rejection { hint: problem.hint(), ..Rejection::new(code, problem.message) };
    if problem.path.is_empty() {
        rejection
    } else {
        rejection.detail("field", quote_short(&problem.path.join(".")).trim_matches('\''))
    }
}

/// All values that the field `tag` can have in a dialect.
fn tag_values(tag: &str, forms: &[&ShapeForm]) -> Vec<&'static str> {
    let choices = |form: &&ShapeForm| match form.all_fields().find(|f| f.name == tag).map(|f| f.shape) {
        Some(crate::json_shape::JsonShape::Choice(words)) => words.to_vec(),
        _ => Vec::new(),
    };
    forms.iter().flat_map(choices).collect()
}

fn unknown_tag_value(tag: &str, value: &Value, forms: &[&ShapeForm]) -> Rejection {
    let known = tag_values(tag, forms);
    let what = match value {
        Value::String(verb) => match nearest_name(verb, known.iter().copied()) {
            Some(near) => format!("'{tag}' {} is unknown; did you mean '{near}'?", quote_short(verb)),
            None => format!("'{tag}' {} is unknown", quote_short(verb)),
        },
        _ => format!("'{tag}' must be a string"),
    };
    Rejection::new(Code::InvalidOperation, what)
        .hint(format!("known values: {}", quote_list(&known, "and")))
        .detail("field", tag)
}

fn not_an_operation() -> Rejection {
    Rejection::new(Code::InvalidOperation, "not an operation: it has no field 'op', 'intent' or 'operation'")
        .hint("example: {\"op\":\"add\",\"at\":\"user\",\"text\":\"Prefers tabs\"}")
}

/// The rejection of an object in no known dialect. Suggests a field name if one is misspelled.
fn unknown_dialect(object: &Map<String, Value>) -> Rejection {
    const TAGS: [&str; 3] = ["op", "intent", "operation"];
    let near = object.keys().find_map(|k| Some((k, nearest_name(k, TAGS.into_iter())?)));
    match near {
        Some((key, tag)) => {
            Rejection::new(Code::InvalidOperation, format!("{} is unknown; did you mean '{tag}'?", quote_short(key)))
                .detail("field", tag)
        }
        None => not_an_operation(),
    }
}

/// An operation as JSON in memdir's own dialect, as the journal stores it and `-n --json` prints it.
pub fn to_json(operation: &Operation) -> Value {
    own_dialect::to_json(operation)
}

/// The operations of memdir's own dialect with their fields, in the order of the manual.
pub fn own_forms() -> &'static [&'static ShapeForm] {
    own_dialect::FORMS
}

/// The operations of the other dialects: bullets, paths, tools; then tool calls with a name.
pub fn other_dialect_forms() -> impl Iterator<Item = &'static ShapeForm> {
    [bullet_dialect::FORMS, path_dialect::FORMS, tool_dialect::FORMS, tool_dialect::CALL_FORMS]
        .into_iter()
        .flatten()
        .copied()
}

/// The JSON Schema (2020-12) of the values that `parse_batch` accepts: every valid value is accepted.
///
/// The schema does not cover the text around the values: code fences, JSON Lines, tool arguments as JSON in a string.
pub fn operations_schema() -> Value {
    let forms: Vec<&ShapeForm> = own_dialect::FORMS.iter().copied().chain(other_dialect_forms()).collect();
    let reference = |form: &&ShapeForm| json!({"$ref": format!("#/$defs/{}", form.name)});
    let mut definitions = Map::new();
    definitions.insert("operation".into(), json!({"oneOf": forms.iter().map(reference).collect::<Vec<_>>()}));
    for form in forms.iter().chain(envelope::FORMS) {
        definitions.insert(form.name.into(), form.schema());
    }
    for (form, list) in [("batch", "operations"), ("edits", "edits"), ("answer", "operations")] {
        definitions[form]["properties"][list]["maxItems"] = envelope::MAX_OPERATIONS.into();
    }
    json!({
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "memdir operations",
        "oneOf": [
            {"$ref": "#/$defs/operation"},
            {"type": "array", "items": {"$ref": "#/$defs/operation"}, "maxItems": envelope::MAX_OPERATIONS},
            {"$ref": "#/$defs/batch"},
            {"$ref": "#/$defs/edits"},
            {"$ref": "#/$defs/answer"},
        ],
        "$defs": definitions,
    })
}

#[cfg(test)]
mod schema_tests;
#[cfg(test)]
mod tests;
