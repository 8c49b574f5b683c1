//! Generates values close to a shape, for tests that compare our check with a JSON Schema validator.
//!
//! Driven by a tape of choices, so that a test framework can shrink them.

use serde_json::{Map, Value, json};

use super::{JsonShape, ShapeForm, TextPattern};

/// A sequence of choices; at its end every further choice is 0.
pub struct ChoiceTape<'a> {
    choices: std::slice::Iter<'a, u16>,
    texts: &'static [&'static str],
}

/// Texts on both sides of most rules.
const SAMPLE_TEXTS: &[&str] = &[
    "Prefers tabs",
    "",
    " ",
    "\t",
    "a\nb",
    "a\n  b",
    "a\r\n\tb\r\n",
    "a\n \n  b\n",
    "a\n \tb",
    "a\n b",
    "x\ry",
    "a\r",
    "a\n",
    "\n  a",
    "\u{a0}",
    "\u{feff}a",
    "\u{2028}",
    "é\u{301}",
    "2026-02-24",
    "2026-02-29",
    "2024-02-29",
    "1900-02-29",
    "2000-02-29",
    "2026-13-01",
    "2026-04-31",
    "26-1-1",
    "deadbeef",
    "DEADBEEF0",
    "deadbee",
    "xeadbeef",
    "food.likes[2]",
    "food.likes",
    "a..b",
    "food[0]",
    "[1]",
    "a[1].b",
    "a[]",
    "a[1234567890]",
    "a[123456789]",
    "a.b.c[007]",
    "a b.c",
    "a/b",
    "mem123",
    "user@acvh",
    "user#work",
    "@mem123",
    "facts/user.md",
    "resource_user_food_prefs.json",
    "proceed",
    "reject",
    "7",
];
/// The characters of random texts.
const SAMPLE_CHARS: &[char] = &[' ', '\t', '\n', '\r', 'a', '.', '[', ']', '1', '#', '-', 'é', '/', '@', '\u{1}'];

impl<'a> ChoiceTape<'a> {
    /// Creates a tape; `texts` are additional texts to choose from.
    pub fn new(choices: &'a [u16], texts: &'static [&'static str]) -> ChoiceTape<'a> {
        ChoiceTape { choices: choices.iter(), texts }
    }

    /// Returns a number below `n`.
    pub fn number_below(&mut self, n: usize) -> usize {
        self.choices.next().map_or(0, |c| *c as usize % n)
    }

    /// Returns true once in `n` times, and never at the end of the tape.
    pub fn once_in(&mut self, n: usize) -> bool {
        self.number_below(n) == n - 1
    }

    pub fn pick<'b, T>(&mut self, all: &'b [T]) -> &'b T {
        &all[self.number_below(all.len())]
    }

    pub fn text(&mut self) -> String {
        match self.number_below(4) {
            0 if !self.texts.is_empty() => self.pick(self.texts).to_string(),
            3 => (0..self.number_below(9)).map(|_| *self.pick(SAMPLE_CHARS)).collect(),
            _ => self.pick(SAMPLE_TEXTS).to_string(),
        }
    }

    /// Generates a value that mostly fits a shape; `defined` generates what is defined elsewhere.
    pub fn value(&mut self, shape: &JsonShape, defined: &mut dyn FnMut(&mut Self) -> Value) -> Value {
        if self.once_in(24) {
            return self.any_value();
        }
        match shape {
            JsonShape::Text(_) => self.text().into(),
            JsonShape::Matching(pattern) => {
                let tries: Vec<String> = (0..8).map(|_| self.text()).collect();
                tries.iter().find(|t| (pattern.matches)(t)).unwrap_or(&tries[0]).as_str().into()
            }
            JsonShape::Choice(words) => (*self.pick(words)).into(),
            JsonShape::Integer(..) => {
                self.pick(&[json!(1), json!(3.0), json!(2147483647i64), json!(7), json!(2)]).clone()
            }
            JsonShape::Share => self.pick(&[json!(0), json!(0.3), json!(1.0)]).clone(),
            JsonShape::Number => self.pick(&[json!(0.5), json!(3), json!(-1e300)]).clone(),
            JsonShape::Boolean => (self.number_below(2) == 1).into(),
            JsonShape::List(of, min) => {
                let count = min + self.number_below(3);
                (0..count).map(|_| self.value(of, defined)).collect()
            }
            JsonShape::Map(_, of, min) => {
                let count = min + self.number_below(3);
                let entry = |_| {
                    let key = if self.once_in(4) {
                        self.text()
                    } else {
                        (*self.pick(&["imp", "exp", "x_y", "added"])).into()
                    };
                    (key, self.value(of, defined))
                };
                Value::Object((0..count).map(entry).collect())
            }
            JsonShape::Object(form) | JsonShape::FormRef(form) => self.object(form, defined),
            JsonShape::AnyOf(shapes) => {
                let shape = self.pick(shapes);
                self.value(shape, defined)
            }
            JsonShape::DefinitionRef(_) => defined(self),
        }
    }

    /// Generates an object that mostly fits a form.
    pub fn object(&mut self, form: &ShapeForm, deep: &mut dyn FnMut(&mut Self) -> Value) -> Value {
        let mut object = Map::new();
        for field in form.all_fields() {
            if field.required || self.number_below(3) == 1 {
                object.insert(field.name.into(), self.value(field.shape, deep));
            }
        }
        for group in form.groups {
            let (super::FieldGroup::ExactlyOne(names) | super::FieldGroup::AtLeastOne(names)) = group;
            let present = names.iter().filter(|n| object.contains_key(**n)).count();
            if present == 0 || present > 1 && self.number_below(8) > 0 {
                names.iter().for_each(|n| _ = object.remove(*n));
                let name = *self.pick(names);
                if let Some(field) = form.all_fields().find(|f| f.name == name) {
                    object.insert(name.into(), self.value(field.shape, deep));
                }
            }
        }
        if self.once_in(6) {
            self.corrupt(&mut object, form);
        }
        Value::Object(object)
    }

    /// Removes, renames, adds or empties a field.
    fn corrupt(&mut self, object: &mut Map<String, Value>, form: &ShapeForm) {
        let keys: Vec<String> = object.keys().cloned().collect();
        let named = form.all_fields().map(|f| f.name);
        let known: Vec<&str> = form.null_only.iter().copied().chain(named).chain(["odd"]).collect();
        match (self.number_below(5), keys.is_empty()) {
            (0, false) => _ = object.remove(self.pick(&keys)),
            (1, false) => _ = object.insert(self.pick(&keys).clone(), Value::Null),
            (2, false) => _ = object.insert(self.pick(&keys).clone() + "x", 1.into()),
            (3, _) => _ = object.insert((*self.pick(&known)).into(), Value::Null),
            _ => {
                let value = self.any_value();
                object.insert((*self.pick(&known)).into(), value);
            }
        }
    }

    /// Generates any small value.
    pub fn any_value(&mut self) -> Value {
        let all = [
            json!(null),
            json!(true),
            json!(0),
            json!(-1),
            json!(1.5),
            json!(2147483648i64),
            json!(1e300),
            json!([]),
            json!({}),
            json!([1]),
            json!({"a": 1}),
            json!(""),
            json!([[]]),
            json!({"item": "x"}),
            json!(u64::MAX),
            json!(-0.0),
        ];
        if self.once_in(4) { self.text().into() } else { self.pick(&all).clone() }
    }
}

/// Returns a check by a JSON Schema validator.
pub fn schema_validator(schema: Value) -> impl Fn(&Value) -> bool {
    let (mut schemas, mut compiler) = (boon::Schemas::new(), boon::Compiler::new());
    compiler.add_resource("memory.json", schema).unwrap();
    let index = compiler.compile("memory.json", &mut schemas).unwrap();
    move |value| schemas.validate(value, index).is_ok()
}

/// Returns each text pattern of some forms once.
pub fn all_patterns<'a>(forms: impl IntoIterator<Item = &'a ShapeForm>) -> Vec<&'static TextPattern> {
    let mut found: Vec<&'static TextPattern> = Vec::new();
    for form in forms {
        form.all_fields().for_each(|f| collect_patterns(f.shape, &mut found));
    }
    found
}

fn collect_patterns(shape: &'static JsonShape, found: &mut Vec<&'static TextPattern>) {
    let mut add = |pattern: &'static TextPattern| {
        if found.iter().all(|p| p.regex != pattern.regex) {
            found.push(pattern);
        }
    };
    match shape {
        JsonShape::Matching(pattern) => add(pattern),
        JsonShape::Map(key, of, _) => {
            add(key);
            collect_patterns(of, found);
        }
        JsonShape::List(of, _) => collect_patterns(of, found),
        JsonShape::Object(form) | JsonShape::FormRef(form) => {
            form.all_fields().for_each(|f| collect_patterns(f.shape, found))
        }
        JsonShape::AnyOf(shapes) => shapes.iter().for_each(|s| collect_patterns(s, found)),
        _ => {}
    }
}

/// Checks that both checks agree on one pattern: fixed texts, dates around the edges of the calendar, and texts one
/// character away.
pub fn check_pattern_agreement(pattern: &TextPattern, more: &[&str]) {
    let valid = schema_validator(json!({"pattern": pattern.regex}));
    let days = [0, 4, 1899, 1900, 1996, 2000, 2023, 2024, 2100, 9999].into_iter().flat_map(|y| {
        (0..=13).flat_map(move |m| [0, 1, 9, 10, 28, 29, 30, 31, 32].map(|d| format!("{y:04}-{m:02}-{d:02}")))
    });
    let fixed: Vec<String> = SAMPLE_TEXTS.iter().chain(more).map(|t| t.to_string()).chain(days).collect();
    let mut similar = Vec::new();
    for text in fixed.iter().take(SAMPLE_TEXTS.len() + more.len()) {
        let letters: Vec<char> = text.chars().collect();
        for at in 0..=letters.len() {
            for letter in SAMPLE_CHARS {
                let (head, tail) = letters.split_at(at);
                similar.push(head.iter().chain([letter]).chain(tail).collect::<String>());
                similar.push(head.iter().chain([letter]).chain(tail.iter().skip(1)).collect());
            }
        }
    }
    for text in fixed.iter().chain(&similar) {
        assert_eq!((pattern.matches)(text), valid(&json!(text)), "{text:?} by {}", pattern.regex);
    }
}
