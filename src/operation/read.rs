//! Reads operations in every dialect of the seeds, prints them in our own, and describes both as JSON Schema.
//!
//! Never looks at a memory: what only the memory can tell is the planner's.

mod bullets;
mod envelope;
mod json;
mod paths;
mod texts;
mod tools;
mod wire;

use serde_json::{Map, Value, json};

use super::{Action, Batch, Operation};
use crate::code::{Code, Rejection};
use crate::shape::{Form, Problem, Wrong, list, nearest, shown};
use texts::Got;

/// Reads a batch: one operation, an array, JSON Lines, or an envelope.
///
/// # Errors
/// One rejection per operation that is not well formed, each with its number.
pub fn batch(json: &str) -> Result<Batch, Vec<Rejection>> {
    let handed = envelope::open(json).map_err(|r| vec![r])?;
    let (mut operations, mut refused) = (Vec::new(), Vec::new());
    for (number, value) in handed.values.into_iter().enumerate() {
        match value.and_then(|v| one(&v)) {
            Ok(operation) => operations.push(operation),
            Err(rejection) => refused.push(rejection.at(number)),
        }
    }
    match refused.is_empty() {
        true => Ok(Batch { operations, request: handed.request, reason: handed.reason, source: handed.source }),
        false => Err(refused),
    }
}

/// Reads one operation that has been parsed already, in any dialect.
///
/// # Errors
/// `invalid_operation`, or `multiline` for a line break where one line is meant.
pub fn one(value: &Value) -> Result<Operation, Rejection> {
    let Value::Object(object) = value else {
        return Err(Rejection::new(Code::InvalidOperation, "an operation is a JSON object"));
    };
    let has = |name| object.contains_key(name);
    if has("op") {
        return tagged("op", object, wire::FORMS, wire::action);
    }
    if has("intent") {
        return tagged("intent", object, bullets::FORMS, bullets::action);
    }
    if has("operation") {
        return tagged("operation", object, paths::FORMS, paths::action);
    }
    if has("operations") || has("edits") {
        return Err(Rejection::new(Code::InvalidOperation, "an envelope cannot stand inside a batch"));
    }
    match tools::call_of(object) {
        Some(Ok(form)) => {
            let object = tools::unwrapped(object);
            let name = form.name.trim_start_matches("call_");
            check(form, &object)?;
            let inner = tools::FORMS.iter().find(|f| f.name == name).zip(tools::arguments(&object));
            let (form, inner) = inner.ok_or_else(unrecognised)?;
            Ok(operation(tools::action(form, Got(inner)), Got(inner)))
        }
        Some(Err(name)) => {
            let message = format!("the tool {} makes no change", shown(&name));
            Err(Rejection::new(Code::InvalidOperation, message).hint("memory_write, memory_patch and memory_append do"))
        }
        None => {
            let form = tools::form_of(object).ok_or_else(|| unknown(object))?;
            check(form, object)?;
            Ok(operation(tools::action(form, Got(object)), Got(object)))
        }
    }
}

/// An operation of a dialect whose verb stands in one field.
fn tagged(
    tag: &'static str,
    object: &Map<String, Value>,
    forms: &[&'static Form],
    action: fn(&str, Got) -> Action,
) -> Result<Operation, Rejection> {
    let verbs = |form: &Form| form.fields().find(|f| f.name == tag).map(|f| f.shape);
    let fits = |form: &&&'static Form| verbs(form).is_some_and(|s| s.check(&object[tag]).is_ok());
    let Some(form) = forms.iter().find(fits) else { return Err(no_verb(tag, &object[tag], forms)) };
    check(form, object)?;
    let got = Got(object);
    Ok(operation(action(&got.needed(tag), got), got))
}

fn operation(action: Action, got: Got) -> Operation {
    Operation {
        action,
        seen: got.text("seen"),
        if_match: got.text("if_match"),
        reason: got.text("reason"),
        source: got.text("source"),
    }
}

fn check(form: &Form, object: &Map<String, Value>) -> Result<(), Rejection> {
    form.check(object).map_err(refusal)
}

fn refusal(problem: Problem) -> Rejection {
    let code = if problem.wrong == Wrong::Multiline { Code::Multiline } else { Code::InvalidOperation };
    let rejection = Rejection::new(code, problem.message);
    match problem.path.is_empty() {
        true => rejection,
        false => rejection.detail("field", shown(&problem.path.join(".")).trim_matches('\'')),
    }
}

/// All verbs that one field of a dialect takes.
fn verbs(tag: &str, forms: &[&Form]) -> Vec<&'static str> {
    let of = |form: &&Form| match form.fields().find(|f| f.name == tag).map(|f| f.shape) {
        Some(crate::shape::Shape::Choice(words)) => words.to_vec(),
        _ => Vec::new(),
    };
    forms.iter().flat_map(of).collect()
}

fn no_verb(tag: &str, value: &Value, forms: &[&Form]) -> Rejection {
    let known = verbs(tag, forms);
    let what = match value {
        Value::String(verb) => match nearest(verb, known.iter().copied()) {
            Some(near) => format!("'{tag}' {} is unknown; did you mean '{near}'?", shown(verb)),
            None => format!("'{tag}' {} is unknown", shown(verb)),
        },
        _ => format!("'{tag}' must be a string"),
    };
    Rejection::new(Code::InvalidOperation, what).hint(format!("known are {}", list(&known, "and"))).detail("field", tag)
}

fn unrecognised() -> Rejection {
    Rejection::new(Code::InvalidOperation, "no operation: it says neither 'op' nor 'intent' nor 'operation'")
        .hint("like {\"op\":\"add\",\"at\":\"user\",\"text\":\"Prefers tabs\"}")
}

/// An object in no dialect at all; perhaps its verb's field is misspelt.
fn unknown(object: &Map<String, Value>) -> Rejection {
    const TAGS: [&str; 3] = ["op", "intent", "operation"];
    let near = object.keys().find_map(|k| Some((k, nearest(k, TAGS.into_iter())?)));
    match near {
        Some((key, tag)) => {
            Rejection::new(Code::InvalidOperation, format!("{} is unknown; did you mean '{tag}'?", shown(key)))
                .detail("field", tag)
        }
        None => unrecognised(),
    }
}

/// One operation in our own dialect: what the journal keeps and `-n --json` prints.
pub fn print(operation: &Operation) -> Value {
    wire::print(operation)
}

/// Our own dialect's operations with their fields, in the order of the manual.
pub fn fields() -> &'static [&'static Form] {
    wire::FORMS
}

/// The forms of the seeds' dialects: bullets, paths, tools; then tools called by name.
pub fn seeds() -> impl Iterator<Item = &'static Form> {
    [bullets::FORMS, paths::FORMS, tools::FORMS, tools::CALLS].into_iter().flatten().copied()
}

/// The JSON Schema (2020-12) of everything `batch` accepts, once it is parsed: schema-valid means accepted.
///
/// What a schema cannot see is how the JSON came: fences, JSON Lines, a tool's arguments as JSON in a string.
pub fn schema() -> Value {
    let forms: Vec<&Form> = wire::FORMS.iter().copied().chain(seeds()).collect();
    let reference = |form: &&Form| json!({"$ref": format!("#/$defs/{}", form.name)});
    let mut definitions = Map::new();
    definitions.insert("operation".into(), json!({"oneOf": forms.iter().map(reference).collect::<Vec<_>>()}));
    for form in forms.iter().chain(envelope::FORMS) {
        definitions.insert(form.name.into(), form.schema());
    }
    for (form, list) in [("batch", "operations"), ("edits", "edits")] {
        definitions[form]["properties"][list]["maxItems"] = envelope::MOST.into();
    }
    json!({
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "memdir operations",
        "oneOf": [
            {"$ref": "#/$defs/operation"},
            {"type": "array", "items": {"$ref": "#/$defs/operation"}, "maxItems": envelope::MOST},
            {"$ref": "#/$defs/batch"},
            {"$ref": "#/$defs/edits"},
        ],
        "$defs": definitions,
    })
}

#[cfg(test)]
mod tests;
