//! What a JSON value must look like: one description that checks it, says what is wrong, and prints as JSON Schema.
//!
//! Pure. Knows no field of any format, never changes a value, and never repeats more than 60 characters of it.

use serde_json::{Map, Value, json};

mod words;

pub use words::{list, nearest, shown};

/// A rule for strings, told twice: for us and for a JSON Schema. Both must accept the same strings.
pub struct Pattern {
    /// Our rule.
    pub fits: fn(&str) -> bool,
    /// The same rule as an ECMA 262 regular expression, anchored; no look-around, no classes but `[…]`.
    pub regex: &'static str,
    /// What is wanted, after "must be".
    pub what: &'static str,
    /// Whether a text that breaks the rule and holds a line break breaks it for that reason.
    pub lines: bool,
}

/// What one value must look like.
pub enum Shape {
    /// A string of at least so many characters.
    Text(usize),
    /// A string that fits a rule.
    Like(&'static Pattern),
    /// One of these words.
    Choice(&'static [&'static str]),
    /// A whole number between two bounds (`3.0` is one).
    Integer(i64, i64),
    /// Any number.
    Number,
    /// `true` or `false`.
    Flag,
    /// A list of at least so many values of one shape.
    List(&'static Shape, usize),
    /// An object with free keys (rule) and values of one shape, at least so many.
    Map(&'static Pattern, &'static Shape, usize),
    /// An object with known fields.
    Object(&'static Form),
    /// The same, where a schema's `$defs` hold the form under its name.
    Named(&'static Form),
    /// Shapes of different JSON types.
    Either(&'static [Shape]),
    /// Described by a definition of that name; whoever reads the value checks it.
    Defined(&'static str),
}

/// A field of an object.
pub struct Field {
    /// Its name.
    pub name: &'static str,
    /// Its value; `null` counts as absent.
    pub shape: &'static Shape,
    /// Whether it must be there.
    pub needed: bool,
    /// What it is, for the manual and the schema.
    pub about: &'static str,
}

/// A field that must be there.
pub const fn need(name: &'static str, shape: &'static Shape, about: &'static str) -> Field {
    Field { name, shape, needed: true, about }
}

/// A field that may be there.
pub const fn may(name: &'static str, shape: &'static Shape, about: &'static str) -> Field {
    Field { name, shape, needed: false, about }
}

/// Fields of which some must be there.
pub enum Group {
    /// Exactly one.
    One(&'static [&'static str]),
    /// One or more.
    Some(&'static [&'static str]),
}

/// A rule between fields.
pub struct Rule {
    /// What is wrong, if anything.
    pub breaks: fn(&Map<String, Value>) -> Option<&'static str>,
    /// The same rule as a JSON Schema.
    pub schema: fn() -> Value,
}

/// An object with known fields.
pub struct Form {
    /// What it is called in messages and in a schema's `$defs`.
    pub name: &'static str,
    /// What it means.
    pub about: &'static str,
    /// Its fields, in one or several tables.
    pub fields: &'static [&'static [Field]],
    /// Which of them belong together.
    pub groups: &'static [Group],
    /// Fields of its relatives: they may stand here only as `null`, as flat tool calls write them.
    pub foreign: &'static [&'static str],
    /// Whether fields that nobody knows are passed over.
    pub open: bool,
    /// A rule between fields.
    pub rule: Option<&'static Rule>,
}

/// What kind of thing is wrong.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Wrong {
    /// A field that nobody knows.
    Unknown,
    /// A field that must be there.
    Missing,
    /// A value of the wrong type or out of bounds.
    Value,
    /// A line break where one line is meant.
    Multiline,
}

/// What is wrong with a value, and where.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Problem {
    /// The keys (and indexes from 0) that lead to the value: `limits`, `1`, `bulets`.
    pub path: Vec<String>,
    /// What kind of thing.
    pub wrong: Wrong,
    /// A sentence that names the place.
    pub message: String,
}

impl Form {
    /// All fields, in the order of the manual.
    pub fn fields(&self) -> impl Iterator<Item = &'static Field> + use<> {
        self.fields.iter().copied().flatten()
    }

    /// Checks an object.
    ///
    /// # Errors
    /// The first thing that is wrong: unknown fields first, then values, then what is missing.
    pub fn check(&self, object: &Map<String, Value>) -> Result<(), Problem> {
        self.check_at(object, &mut Vec::new())
    }

    fn check_at(&self, object: &Map<String, Value>, path: &mut Vec<String>) -> Result<(), Problem> {
        for (name, value) in object {
            match self.fields().find(|f| f.name == name) {
                Some(_) if value.is_null() => {}
                Some(field) => within(path, name, |path| field.shape.check_at(value, path))?,
                None if self.open || value.is_null() && self.foreign.contains(&name.as_str()) => {}
                None => return within(path, name, |path| Err(self.unknown(name, path))),
            }
        }
        let there = |name: &str| object.get(name).is_some_and(|v| !v.is_null());
        if let Some(field) = self.fields().find(|f| f.needed && !there(f.name)) {
            return Err(problem(path, Wrong::Missing, &format!("'{}' is missing", field.name), self.name));
        }
        for group in self.groups {
            let (Group::One(names) | Group::Some(names)) = group;
            let count = names.iter().filter(|n| there(n)).count();
            if count == 0 {
                let what = format!("{} is missing", list(names, "or"));
                return Err(problem(path, Wrong::Missing, &what, self.name));
            }
            if count > 1 && matches!(group, Group::One(_)) {
                let what = format!("only one of {} may be given", list(names, "and"));
                return Err(problem(path, Wrong::Value, &what, self.name));
            }
        }
        match self.rule.and_then(|r| (r.breaks)(object)) {
            Some(what) => Err(problem(path, Wrong::Value, what, self.name)),
            None => Ok(()),
        }
    }

    fn unknown(&self, name: &str, path: &[String]) -> Problem {
        let what = if self.foreign.contains(&name) {
            format!("'{name}' does not belong to {}", self.name)
        } else {
            match nearest(name, self.fields().map(|f| f.name)) {
                Some(near) => format!("{} is unknown; did you mean '{near}'?", shown(name)),
                None => format!("{} is unknown", shown(name)),
            }
        };
        let around = &path[..path.len().saturating_sub(1)];
        Problem { path: path.to_vec(), ..problem(around, Wrong::Unknown, &what, self.name) }
    }

    /// The JSON Schema of the object.
    pub fn schema(&self) -> Value {
        let mut properties = Map::new();
        for field in self.fields() {
            let mut schema = field.shape.schema();
            if !field.needed {
                nullable(&mut schema);
            }
            if let Some(schema) = schema.as_object_mut().filter(|_| !field.about.is_empty()) {
                schema.insert("description".into(), field.about.into());
            }
            properties.insert(field.name.into(), schema);
        }
        let needed: Vec<_> = self.fields().filter(|f| f.needed).map(|f| f.name).collect();
        let mut schema = json!({"type": "object", "properties": properties});
        if !self.about.is_empty() {
            schema["description"] = self.about.into();
        }
        if !needed.is_empty() {
            schema["required"] = json!(needed);
        }
        let foreign: Vec<_> = self.foreign.iter().filter(|n| !self.fields().any(|f| f.name == **n)).copied().collect();
        if !foreign.is_empty() && !self.open {
            schema["patternProperties"] = json!({format!("^(?:{})$", foreign.join("|")): {"type": "null"}});
        }
        if !self.open {
            schema["additionalProperties"] = false.into();
        }
        let all: Vec<_> = self.groups.iter().map(Group::schema).chain(self.rule.map(|r| (r.schema)())).collect();
        if !all.is_empty() {
            schema["allOf"] = json!(all);
        }
        schema
    }
}

impl Group {
    fn schema(&self) -> Value {
        let there = |name: &&str| json!({"required": [name], "properties": {*name: {"not": {"type": "null"}}}});
        match self {
            Group::One(names) => json!({"oneOf": names.iter().map(there).collect::<Vec<_>>()}),
            Group::Some(names) => json!({"anyOf": names.iter().map(there).collect::<Vec<_>>()}),
        }
    }
}

impl Shape {
    /// Checks a value.
    ///
    /// # Errors
    /// The first thing that is wrong.
    pub fn check(&self, value: &Value) -> Result<(), Problem> {
        self.check_at(value, &mut Vec::new())
    }

    fn check_at(&self, value: &Value, path: &mut Vec<String>) -> Result<(), Problem> {
        let fits = match (self, value) {
            (Shape::Text(min), Value::String(s)) => s.chars().take(*min).count() == *min,
            (Shape::Like(pattern), Value::String(s)) => return pattern.check(s, path),
            (Shape::Choice(words), Value::String(s)) => words.contains(&s.as_str()),
            (Shape::Integer(min, max), _) => integer(value).is_some_and(|n| (*min..=*max).contains(&n)),
            (Shape::Number, Value::Number(_)) | (Shape::Flag, Value::Bool(_)) | (Shape::Defined(_), _) => true,
            (Shape::List(of, min), Value::Array(values)) => {
                for (i, value) in values.iter().enumerate() {
                    within(path, &i.to_string(), |path| of.check_at(value, path))?;
                }
                values.len() >= *min
            }
            (Shape::Map(key, of, min), Value::Object(map)) => {
                for (name, value) in map {
                    within(path, name, |path| {
                        if !(key.fits)(name) {
                            let what = format!("the key {} must be {}", shown(name), key.what);
                            return Err(problem(&path[..path.len() - 1], Wrong::Unknown, &what, ""));
                        }
                        of.check_at(value, path)
                    })?;
                }
                map.len() >= *min
            }
            (Shape::Object(form) | Shape::Named(form), Value::Object(map)) => return form.check_at(map, path),
            (Shape::Either(shapes), _) => match shapes.iter().find(|s| s.is_for(value)) {
                Some(shape) => return shape.check_at(value, path),
                None => false,
            },
            _ => false,
        };
        match fits {
            true => Ok(()),
            false => Err(problem(path, Wrong::Value, &format!("must be {}", self.what()), "")),
        }
    }

    /// Whether a value has this shape's JSON type.
    fn is_for(&self, value: &Value) -> bool {
        match self {
            Shape::Text(_) | Shape::Like(_) | Shape::Choice(_) => value.is_string(),
            Shape::Integer(..) | Shape::Number => value.is_number(),
            Shape::Flag => value.is_boolean(),
            Shape::List(..) => value.is_array(),
            Shape::Map(..) | Shape::Object(_) | Shape::Named(_) => value.is_object(),
            Shape::Either(shapes) => shapes.iter().any(|s| s.is_for(value)),
            Shape::Defined(_) => true,
        }
    }

    /// What is wanted, after "must be".
    pub fn what(&self) -> String {
        match self {
            Shape::Text(0) => "a string".into(),
            Shape::Text(_) => "a string that is not empty".into(),
            Shape::Like(pattern) => pattern.what.into(),
            Shape::Choice([word]) => format!("'{word}'"),
            Shape::Choice(words) => list(words, "or"),
            Shape::Integer(min, max) => format!("a whole number from {min} to {max}"),
            Shape::Number => "a number".into(),
            Shape::Flag => "true or false".into(),
            Shape::List(_, 0) => "a list".into(),
            Shape::List(..) => "a list that is not empty".into(),
            Shape::Map(_, _, 0) | Shape::Object(_) | Shape::Named(_) => "an object".into(),
            Shape::Map(..) => "an object that is not empty".into(),
            Shape::Either(shapes) => shapes.iter().map(Shape::what).collect::<Vec<_>>().join(" or "),
            Shape::Defined(name) => format!("one {name}"),
        }
    }

    /// The JSON Schema of the value.
    pub fn schema(&self) -> Value {
        match self {
            Shape::Text(0) => json!({"type": "string"}),
            Shape::Text(min) => json!({"type": "string", "minLength": min}),
            Shape::Like(pattern) => json!({"type": "string", "pattern": pattern.regex}),
            Shape::Choice(words) => json!({"enum": words}),
            Shape::Integer(min, max) => json!({"type": "integer", "minimum": min, "maximum": max}),
            Shape::Number => json!({"type": "number"}),
            Shape::Flag => json!({"type": "boolean"}),
            Shape::List(of, 0) => json!({"type": "array", "items": of.schema()}),
            Shape::List(of, min) => json!({"type": "array", "minItems": min, "items": of.schema()}),
            Shape::Map(key, of, min) => {
                let names = json!({"pattern": key.regex});
                json!({"type": "object", "minProperties": min, "propertyNames": names, "additionalProperties": of.schema()})
            }
            Shape::Object(form) => form.schema(),
            Shape::Named(form) => Shape::Defined(form.name).schema(),
            Shape::Either(shapes) => json!({"anyOf": shapes.iter().map(Shape::schema).collect::<Vec<_>>()}),
            Shape::Defined(name) => json!({"$ref": format!("#/$defs/{name}")}),
        }
    }
}

impl Pattern {
    fn check(&self, text: &str, path: &[String]) -> Result<(), Problem> {
        if (self.fits)(text) {
            return Ok(());
        }
        let wrong = if self.lines && text.contains(['\n', '\r']) { Wrong::Multiline } else { Wrong::Value };
        Err(problem(path, wrong, &format!("must be {}", self.what), ""))
    }
}

/// A whole number, however JSON writes it.
pub fn integer(value: &Value) -> Option<i64> {
    let whole = |f: &f64| f.fract() == 0.0 && f.abs() < 9e15;
    value.as_i64().or_else(|| value.as_f64().filter(whole).map(|f| f as i64))
}

fn within(
    path: &mut Vec<String>,
    name: &str,
    look: impl FnOnce(&mut Vec<String>) -> Result<(), Problem>,
) -> Result<(), Problem> {
    path.push(name.to_owned());
    look(path)?;
    path.pop();
    Ok(())
}

/// A problem whose sentence starts with the place.
fn problem(path: &[String], wrong: Wrong, what: &str, form: &str) -> Problem {
    let place = match (path.is_empty(), form.is_empty()) {
        (false, _) => {
            shown(&path.join(".")) + if wrong == Wrong::Value || wrong == Wrong::Multiline { " " } else { ": " }
        }
        (true, false) => format!("{form}: "),
        (true, true) => String::new(),
    };
    Problem { path: path.to_vec(), wrong, message: format!("{place}{what}") }
}

/// Lets a schema accept `null` too.
fn nullable(schema: &mut Value) {
    let Some(schema) = schema.as_object_mut() else { return };
    if let Some(kind) = schema.get_mut("type") {
        *kind = json!([kind.take(), "null"]);
    } else if let Some(Value::Array(all)) = schema.get_mut("enum") {
        all.push(Value::Null);
    } else if let Some(Value::Array(all)) = schema.get_mut("anyOf") {
        all.push(json!({"type": "null"}));
    } else {
        let whole = Value::Object(std::mem::take(schema));
        schema.insert("anyOf".into(), json!([whole, {"type": "null"}]));
    }
}

#[cfg(test)]
pub mod sample;
