//! Describes what a JSON value must look like: one table that checks values, explains errors, and prints as JSON
//! Schema.
//!
//! Pure. Contains no format of its own, never changes a value, and never repeats more than 60 characters of it.

use crate::code::quote_short;
use serde_json::{Map, Value, json};

mod quoting;

pub use quoting::{nearest_name, quote_list};

/// A rule for strings, given twice: as a function and as a regular expression for the JSON Schema. Both must accept the
/// same strings.
pub struct TextPattern {
    pub matches: fn(&str) -> bool,
    /// The same rule as an ECMA 262 regular expression, anchored; no look-around, no character classes except `[…]`.
    pub regex: &'static str,
    /// What is expected, to follow "must be".
    pub expected: &'static str,
    /// Whether a line break in a text that does not match is reported as [`ShapeError::Multiline`].
    pub reports_multiline: bool,
}

/// What one value must look like.
pub enum JsonShape {
    /// A string of at least this many characters.
    Text(usize),
    /// A string that matches a pattern.
    Matching(&'static TextPattern),
    /// One of these words.
    Choice(&'static [&'static str]),
    /// A whole number from the first bound to the second (`3.0` is one).
    Integer(i64, i64),
    Number,
    /// A number from 0 to 1.
    Share,
    Boolean,
    /// A list of at least this many values of one shape.
    List(&'static JsonShape, usize),
    /// An object whose keys match a pattern and whose values have one shape, with at least this many entries.
    Map(&'static TextPattern, &'static JsonShape, usize),
    Object(&'static ShapeForm),
    /// The same, printed as a reference to the form's name in the schema's `$defs`.
    FormRef(&'static ShapeForm),
    /// One of several shapes of different JSON types.
    AnyOf(&'static [JsonShape]),
    /// Printed as a reference to a definition of this name; not checked here, but by the code that reads the value.
    DefinitionRef(&'static str),
}

/// A field of an object.
pub struct ShapeField {
    pub name: &'static str,
    /// `null` counts as absent.
    pub shape: &'static JsonShape,
    pub required: bool,
    /// Description for the manual and the schema.
    pub description: &'static str,
}

/// A field that must be present; `about` describes it in the manual and the schema.
pub const fn required(name: &'static str, shape: &'static JsonShape, about: &'static str) -> ShapeField {
    ShapeField { name, shape, required: true, description: about }
}

/// A field that may be absent or null; `about` describes it in the manual and the schema.
pub const fn optional(name: &'static str, shape: &'static JsonShape, about: &'static str) -> ShapeField {
    ShapeField { name, shape, required: false, description: about }
}

/// Fields of which some are required.
pub enum FieldGroup {
    ExactlyOne(&'static [&'static str]),
    AtLeastOne(&'static [&'static str]),
}

/// A rule about several fields.
pub struct ShapeRule {
    /// Returns the error message if an object violates the rule.
    pub violation: fn(&Map<String, Value>) -> Option<&'static str>,
    /// The same rule as a JSON Schema.
    pub schema: fn() -> Value,
}

/// An object with known fields.
pub struct ShapeForm {
    /// Its name in messages and in a schema's `$defs`.
    pub name: &'static str,
    /// Description for the schema.
    pub description: &'static str,
    /// The fields, in one or several tables.
    pub fields: &'static [&'static [ShapeField]],
    pub groups: &'static [FieldGroup],
    /// Fields of related forms, allowed here only as `null`, because flat tool calls contain them.
    pub null_only: &'static [&'static str],
    /// Whether unknown fields are ignored.
    pub ignores_unknown: bool,
    pub rule: Option<&'static ShapeRule>,
}

/// The kind of an error.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ShapeError {
    /// A field that the form does not have.
    Unknown,
    /// A required field is missing.
    Missing,
    /// A value of the wrong type or out of bounds.
    Value,
    /// A line break in a value that must be one line.
    Multiline,
}

/// An error in a value, and where.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ShapeProblem {
    /// The keys (and 0-based indexes) that lead to the value: `limits`, `1`, `bulets`.
    pub path: Vec<String>,
    pub error: ShapeError,
    /// The error message, including the path.
    pub message: String,
    /// The fields that an object may have, if it has an unknown one that is like none of them.
    pub known_fields: Vec<&'static str>,
    /// What a missing field must be: `expected: the file's address`.
    pub expected: Option<String>,
}

impl ShapeProblem {
    /// What a caller can do about it, if the message does not say it.
    pub fn hint(&self) -> Option<String> {
        let known_fields = || format!("known fields: {}", quote_list(&self.known_fields, "and"));
        self.expected.clone().or_else(|| (!self.known_fields.is_empty()).then(known_fields))
    }
}

impl ShapeField {
    /// What its value must be, for a hint.
    fn expected(&self) -> String {
        match self.description {
            "" => format!("expected: {}", self.shape.expected()),
            description => format!("expected: {description}"),
        }
    }
}

impl ShapeForm {
    /// A form without description whose fields have no rules in common. Unknown fields are errors.
    pub const fn new(name: &'static str, fields: &'static [&'static [ShapeField]]) -> ShapeForm {
        ShapeForm { name, description: "", fields, groups: &[], null_only: &[], ignores_unknown: false, rule: None }
    }

    /// All fields, in the order of the manual.
    pub fn all_fields(&self) -> impl Iterator<Item = &'static ShapeField> + use<> {
        self.fields.iter().copied().flatten()
    }

    /// Checks an object.
    ///
    /// # Errors
    /// The first error: unknown fields first, then values, then what is missing.
    pub fn check(&self, object: &Map<String, Value>) -> Result<(), ShapeProblem> {
        self.check_at(object, &mut Vec::new())
    }

    fn check_at(&self, object: &Map<String, Value>, path: &mut Vec<String>) -> Result<(), ShapeProblem> {
        for (name, value) in object {
            match self.all_fields().find(|f| f.name == name) {
                Some(_) if value.is_null() => {}
                Some(field) => check_nested(path, name, |path| field.shape.check_at(value, path))?,
                None if self.ignores_unknown || value.is_null() && self.null_only.contains(&name.as_str()) => {}
                None => return check_nested(path, name, |path| Err(self.unknown_field(name, path))),
            }
        }
        let is_present = |name: &str| object.get(name).is_some_and(|v| !v.is_null());
        if let Some(field) = self.all_fields().find(|f| f.required && !is_present(f.name)) {
            let problem = shape_problem(path, ShapeError::Missing, &format!("'{}' is missing", field.name), self.name);
            return Err(ShapeProblem { expected: Some(field.expected()), ..problem });
        }
        for group in self.groups {
            let (FieldGroup::ExactlyOne(names) | FieldGroup::AtLeastOne(names)) = group;
            let count = names.iter().filter(|n| is_present(n)).count();
            if count == 0 {
                let message = format!("{} is missing", quote_list(names, "or"));
                return Err(shape_problem(path, ShapeError::Missing, &message, self.name));
            }
            if count > 1 && matches!(group, FieldGroup::ExactlyOne(_)) {
                let what = format!("only one of {} may be given", quote_list(names, "and"));
                return Err(shape_problem(path, ShapeError::Value, &what, self.name));
            }
        }
        match self.rule.and_then(|r| (r.violation)(object)) {
            Some(what) => Err(shape_problem(path, ShapeError::Value, what, self.name)),
            None => Ok(()),
        }
    }

    fn unknown_field(&self, name: &str, path: &[String]) -> ShapeProblem {
        let mut known_fields = Vec::new();
        let message = if self.null_only.contains(&name) {
            format!("'{name}' does not belong to {}", self.name)
        } else {
            match nearest_name(name, self.all_fields().map(|f| f.name)) {
                Some(near) => format!("{} is unknown; did you mean '{near}'?", quote_short(name)),
                None => {
                    known_fields.extend(self.all_fields().map(|f| f.name));
                    format!("{} is unknown", quote_short(name))
                }
            }
        };
        let parent_path = &path[..path.len().saturating_sub(1)];
        let problem = shape_problem(parent_path, ShapeError::Unknown, &message, self.name);
        ShapeProblem { path: path.to_vec(), known_fields, ..problem }
    }

    /// Returns the JSON Schema of the object.
    pub fn schema(&self) -> Value {
        let mut properties = Map::new();
        for field in self.all_fields() {
            let mut schema = field.shape.schema();
            if !field.required {
                make_nullable(&mut schema);
            }
            if let Some(schema) = schema.as_object_mut().filter(|_| !field.description.is_empty()) {
                schema.insert("description".into(), field.description.into());
            }
            properties.insert(field.name.into(), schema);
        }
        let required_names: Vec<_> = self.all_fields().filter(|f| f.required).map(|f| f.name).collect();
        let mut schema = json!({"type": "object", "properties": properties});
        if !self.description.is_empty() {
            schema["description"] = self.description.into();
        }
        if !required_names.is_empty() {
            schema["required"] = json!(required_names);
        }
        let foreign: Vec<_> =
            self.null_only.iter().filter(|n| !self.all_fields().any(|f| f.name == **n)).copied().collect();
        if !foreign.is_empty() && !self.ignores_unknown {
            schema["patternProperties"] = json!({format!("^(?:{})$", foreign.join("|")): {"type": "null"}});
        }
        if !self.ignores_unknown {
            schema["additionalProperties"] = false.into();
        }
        let all: Vec<_> = self.groups.iter().map(FieldGroup::schema).chain(self.rule.map(|r| (r.schema)())).collect();
        if !all.is_empty() {
            schema["allOf"] = json!(all);
        }
        schema
    }
}

impl FieldGroup {
    fn schema(&self) -> Value {
        let is_present = |name: &&str| json!({"required": [name], "properties": {*name: {"not": {"type": "null"}}}});
        match self {
            FieldGroup::ExactlyOne(names) => json!({"oneOf": names.iter().map(is_present).collect::<Vec<_>>()}),
            FieldGroup::AtLeastOne(names) => json!({"anyOf": names.iter().map(is_present).collect::<Vec<_>>()}),
        }
    }
}

impl JsonShape {
    /// Checks a value.
    ///
    /// # Errors
    /// The first error.
    pub fn check(&self, value: &Value) -> Result<(), ShapeProblem> {
        self.check_at(value, &mut Vec::new())
    }

    fn check_at(&self, value: &Value, path: &mut Vec<String>) -> Result<(), ShapeProblem> {
        let fits = match (self, value) {
            (JsonShape::Text(min), Value::String(s)) => s.chars().take(*min).count() == *min,
            (JsonShape::Matching(pattern), Value::String(s)) => return pattern.check(s, path),
            (JsonShape::Choice(words), Value::String(s)) => words.contains(&s.as_str()),
            (JsonShape::Integer(min, max), _) => as_integer(value).is_some_and(|n| (*min..=*max).contains(&n)),
            (JsonShape::Share, Value::Number(n)) => n.as_f64().is_some_and(|x| (0.0..=1.0).contains(&x)),
            (JsonShape::Number, Value::Number(_))
            | (JsonShape::Boolean, Value::Bool(_))
            | (JsonShape::DefinitionRef(_), _) => true,
            (JsonShape::List(of, min), Value::Array(values)) => {
                for (i, value) in values.iter().enumerate() {
                    check_nested(path, &i.to_string(), |path| of.check_at(value, path))?;
                }
                values.len() >= *min
            }
            (JsonShape::Map(key, of, min), Value::Object(map)) => {
                for (name, value) in map {
                    check_nested(path, name, |path| {
                        if !(key.matches)(name) {
                            let what = format!("the key {} must be {}", quote_short(name), key.expected);
                            return Err(shape_problem(&path[..path.len() - 1], ShapeError::Unknown, &what, ""));
                        }
                        of.check_at(value, path)
                    })?;
                }
                map.len() >= *min
            }
            (JsonShape::Object(form) | JsonShape::FormRef(form), Value::Object(map)) => {
                return form.check_at(map, path);
            }
            (JsonShape::AnyOf(shapes), _) => match shapes.iter().find(|s| s.accepts_type(value)) {
                Some(shape) => return shape.check_at(value, path),
                None => false,
            },
            _ => false,
        };
        if fits {
            Ok(())
        } else {
            Err(shape_problem(path, ShapeError::Value, &format!("must be {}", self.expected()), ""))
        }
    }

    /// Whether a value has this shape's JSON type.
    fn accepts_type(&self, value: &Value) -> bool {
        match self {
            JsonShape::Text(_) | JsonShape::Matching(_) | JsonShape::Choice(_) => value.is_string(),
            JsonShape::Integer(..) | JsonShape::Number | JsonShape::Share => value.is_number(),
            JsonShape::Boolean => value.is_boolean(),
            JsonShape::List(..) => value.is_array(),
            JsonShape::Map(..) | JsonShape::Object(_) | JsonShape::FormRef(_) => value.is_object(),
            JsonShape::AnyOf(shapes) => shapes.iter().any(|s| s.accepts_type(value)),
            JsonShape::DefinitionRef(_) => true,
        }
    }

    /// Describes what is expected, to follow "must be".
    pub fn expected(&self) -> String {
        match self {
            JsonShape::Text(0) => "a string".into(),
            JsonShape::Text(_) => "a string that is not empty".into(),
            JsonShape::Matching(pattern) => pattern.expected.into(),
            JsonShape::Choice([word]) => format!("'{word}'"),
            JsonShape::Choice(words) => quote_list(words, "or"),
            JsonShape::Integer(min, max) => format!("a whole number from {min} to {max}"),
            JsonShape::Number => "a number".into(),
            JsonShape::Share => "a number from 0 to 1".into(),
            JsonShape::Boolean => "true or false".into(),
            JsonShape::List(_, 0) => "a list".into(),
            JsonShape::List(..) => "a list that is not empty".into(),
            JsonShape::Map(_, _, 0) | JsonShape::Object(_) | JsonShape::FormRef(_) => "an object".into(),
            JsonShape::Map(..) => "an object that is not empty".into(),
            JsonShape::AnyOf(shapes) => shapes.iter().map(JsonShape::expected).collect::<Vec<_>>().join(" or "),
            JsonShape::DefinitionRef(name) => format!("one {name}"),
        }
    }

    /// Returns the JSON Schema of the value.
    pub fn schema(&self) -> Value {
        match self {
            JsonShape::Text(0) => json!({"type": "string"}),
            JsonShape::Text(min) => json!({"type": "string", "minLength": min}),
            JsonShape::Matching(pattern) => json!({"type": "string", "pattern": pattern.regex}),
            JsonShape::Choice(words) => json!({"enum": words}),
            JsonShape::Integer(min, max) => json!({"type": "integer", "minimum": min, "maximum": max}),
            JsonShape::Number => json!({"type": "number"}),
            JsonShape::Share => json!({"type": "number", "minimum": 0, "maximum": 1}),
            JsonShape::Boolean => json!({"type": "boolean"}),
            JsonShape::List(of, 0) => json!({"type": "array", "items": of.schema()}),
            JsonShape::List(of, min) => json!({"type": "array", "minItems": min, "items": of.schema()}),
            JsonShape::Map(key, of, min) => {
                let names = json!({"pattern": key.regex});
                json!({"type": "object", "minProperties": min, "propertyNames": names, "additionalProperties": of.schema()})
            }
            JsonShape::Object(form) => form.schema(),
            JsonShape::FormRef(form) => JsonShape::DefinitionRef(form.name).schema(),
            JsonShape::AnyOf(shapes) => json!({"anyOf": shapes.iter().map(JsonShape::schema).collect::<Vec<_>>()}),
            JsonShape::DefinitionRef(name) => json!({"$ref": format!("#/$defs/{name}")}),
        }
    }
}

impl TextPattern {
    fn check(&self, text: &str, path: &[String]) -> Result<(), ShapeProblem> {
        if (self.matches)(text) {
            return Ok(());
        }
        let error = if self.reports_multiline && text.contains(['\n', '\r']) {
            ShapeError::Multiline
        } else {
            ShapeError::Value
        };
        Err(shape_problem(path, error, &format!("must be {}", self.expected), ""))
    }
}

/// Returns a whole number in any JSON notation (`3`, `3.0`).
pub fn as_integer(value: &Value) -> Option<i64> {
    let whole = |f: &f64| f.fract() == 0.0 && f.abs() < 9e15;
    value.as_i64().or_else(|| value.as_f64().filter(whole).map(|f| f as i64))
}

fn check_nested(
    path: &mut Vec<String>,
    name: &str,
    check: impl FnOnce(&mut Vec<String>) -> Result<(), ShapeProblem>,
) -> Result<(), ShapeProblem> {
    path.push(name.to_owned());
    check(path)?;
    path.pop();
    Ok(())
}

/// Creates an error whose message starts with the path.
fn shape_problem(path: &[String], error: ShapeError, text: &str, form: &str) -> ShapeProblem {
    let prefix = match (path.is_empty(), form.is_empty()) {
        (false, _) => {
            quote_short(&path.join("."))
                + if error == ShapeError::Value || error == ShapeError::Multiline { " " } else { ": " }
        }
        (true, false) => format!("{form}: "),
        (true, true) => String::new(),
    };
    let message = format!("{prefix}{text}");
    ShapeProblem { path: path.to_vec(), error, message, known_fields: Vec::new(), expected: None }
}

/// Makes a schema accept `null` too.
fn make_nullable(schema: &mut Value) {
    let Some(schema) = schema.as_object_mut() else { return };
    if let Some(kind) = schema.get_mut("type") {
        *kind = json!([kind.take(), "null"]);
    } else if let Some(Value::Array(all)) = schema.get_mut("enum") {
        all.push(Value::Null);
    } else if let Some(Value::Array(all)) = schema.get_mut("anyOf") {
        all.push(json!({"type": "null"}));
    } else {
        let original = Value::Object(std::mem::take(schema));
        schema.insert("anyOf".into(), json!([original, {"type": "null"}]));
    }
}

#[cfg(test)]
pub mod sample;
