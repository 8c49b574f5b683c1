//! Values near a shape, for tests that ask two judges about them: ours and a JSON Schema validator.
//!
//! Made from a tape of choices, so that a test framework can shrink them.

use serde_json::{Map, Value, json};

use super::{Form, Pattern, Shape};

/// Choices; when they run out, every choice is the first.
pub struct Tape<'a> {
    choices: std::slice::Iter<'a, u16>,
    texts: &'static [&'static str],
}

/// Texts on both sides of most rules.
const TEXTS: &[&str] = &[
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
/// What random texts are made of.
const LETTERS: &[char] = &[' ', '\t', '\n', '\r', 'a', '.', '[', ']', '1', '#', '-', 'é', '/', '@', '\u{1}'];

impl<'a> Tape<'a> {
    /// A tape, and more texts to choose from.
    pub fn new(choices: &'a [u16], texts: &'static [&'static str]) -> Tape<'a> {
        Tape { choices: choices.iter(), texts }
    }

    /// A number below `n`.
    pub fn below(&mut self, n: usize) -> usize {
        self.choices.next().map_or(0, |c| *c as usize % n)
    }

    /// True once in `n` times, and not when the tape has run out.
    pub fn once_in(&mut self, n: usize) -> bool {
        self.below(n) == n - 1
    }

    /// One of some things.
    pub fn pick<'b, T>(&mut self, all: &'b [T]) -> &'b T {
        &all[self.below(all.len())]
    }

    /// A text.
    pub fn text(&mut self) -> String {
        match self.below(4) {
            0 if !self.texts.is_empty() => self.pick(self.texts).to_string(),
            3 => (0..self.below(9)).map(|_| *self.pick(LETTERS)).collect(),
            _ => self.pick(TEXTS).to_string(),
        }
    }

    /// A value that mostly fits a shape; `deep` makes what is defined elsewhere.
    pub fn value(&mut self, shape: &Shape, deep: &mut dyn FnMut(&mut Self) -> Value) -> Value {
        if self.once_in(24) {
            return self.anything();
        }
        match shape {
            Shape::Text(_) => self.text().into(),
            Shape::Like(pattern) => {
                let tries: Vec<String> = (0..8).map(|_| self.text()).collect();
                tries.iter().find(|t| (pattern.fits)(t)).unwrap_or(&tries[0]).as_str().into()
            }
            Shape::Choice(words) => (*self.pick(words)).into(),
            Shape::Integer(..) => self.pick(&[json!(1), json!(3.0), json!(2147483647i64), json!(7), json!(2)]).clone(),
            Shape::Number => self.pick(&[json!(0.5), json!(3), json!(-1e300)]).clone(),
            Shape::Flag => (self.below(2) == 1).into(),
            Shape::List(of, min) => {
                let count = min + self.below(3);
                (0..count).map(|_| self.value(of, deep)).collect()
            }
            Shape::Map(_, of, min) => {
                let count = min + self.below(3);
                let one = |_| {
                    let key = if self.once_in(4) {
                        self.text()
                    } else {
                        (*self.pick(&["imp", "exp", "x_y", "added"])).into()
                    };
                    (key, self.value(of, deep))
                };
                Value::Object((0..count).map(one).collect())
            }
            Shape::Object(form) | Shape::Named(form) => self.form(form, deep),
            Shape::Either(shapes) => {
                let shape = self.pick(shapes);
                self.value(shape, deep)
            }
            Shape::Defined(_) => deep(self),
        }
    }

    /// An object that mostly fits a form.
    pub fn form(&mut self, form: &Form, deep: &mut dyn FnMut(&mut Self) -> Value) -> Value {
        let mut object = Map::new();
        for field in form.fields() {
            if field.needed || self.below(3) == 1 {
                object.insert(field.name.into(), self.value(field.shape, deep));
            }
        }
        for group in form.groups {
            let (super::Group::One(names) | super::Group::Some(names)) = group;
            let there = names.iter().filter(|n| object.contains_key(**n)).count();
            if there == 0 || there > 1 && self.below(8) > 0 {
                names.iter().for_each(|n| _ = object.remove(*n));
                let name = *self.pick(names);
                if let Some(field) = form.fields().find(|f| f.name == name) {
                    object.insert(name.into(), self.value(field.shape, deep));
                }
            }
        }
        if self.once_in(6) {
            self.spoil(&mut object, form);
        }
        Value::Object(object)
    }

    /// Drops, renames, adds or empties a field.
    fn spoil(&mut self, object: &mut Map<String, Value>, form: &Form) {
        let keys: Vec<String> = object.keys().cloned().collect();
        let named = form.fields().map(|f| f.name);
        let known: Vec<&str> = form.foreign.iter().copied().chain(named).chain(["odd"]).collect();
        match (self.below(5), keys.is_empty()) {
            (0, false) => _ = object.remove(self.pick(&keys)),
            (1, false) => _ = object.insert(self.pick(&keys).clone(), Value::Null),
            (2, false) => _ = object.insert(self.pick(&keys).clone() + "x", 1.into()),
            (3, _) => _ = object.insert((*self.pick(&known)).into(), Value::Null),
            _ => {
                let value = self.anything();
                object.insert((*self.pick(&known)).into(), value);
            }
        }
    }

    /// Any small value.
    pub fn anything(&mut self) -> Value {
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

/// Asks a JSON Schema validator.
pub fn judge(schema: Value) -> impl Fn(&Value) -> bool {
    let (mut schemas, mut compiler) = (boon::Schemas::new(), boon::Compiler::new());
    compiler.add_resource("memory.json", schema).unwrap();
    let index = compiler.compile("memory.json", &mut schemas).unwrap();
    move |value| schemas.validate(value, index).is_ok()
}

/// Every rule for texts that some forms hold, once.
pub fn patterns<'a>(forms: impl IntoIterator<Item = &'a Form>) -> Vec<&'static Pattern> {
    let mut found: Vec<&'static Pattern> = Vec::new();
    for form in forms {
        form.fields().for_each(|f| collect(f.shape, &mut found));
    }
    found
}

fn collect(shape: &'static Shape, found: &mut Vec<&'static Pattern>) {
    let mut add = |pattern: &'static Pattern| {
        if found.iter().all(|p| p.regex != pattern.regex) {
            found.push(pattern);
        }
    };
    match shape {
        Shape::Like(pattern) => add(pattern),
        Shape::Map(key, of, _) => {
            add(key);
            collect(of, found);
        }
        Shape::List(of, _) => collect(of, found),
        Shape::Object(form) | Shape::Named(form) => form.fields().for_each(|f| collect(f.shape, found)),
        Shape::Either(shapes) => shapes.iter().for_each(|s| collect(s, found)),
        _ => {}
    }
}

/// Asks both judges about one rule: fixed texts, days around the edges of the calendar, and texts one letter away.
pub fn told_twice_alike(pattern: &Pattern, more: &[&str]) {
    let valid = judge(json!({"pattern": pattern.regex}));
    let days = [0, 4, 1899, 1900, 1996, 2000, 2023, 2024, 2100, 9999].into_iter().flat_map(|y| {
        (0..=13).flat_map(move |m| [0, 1, 9, 10, 28, 29, 30, 31, 32].map(|d| format!("{y:04}-{m:02}-{d:02}")))
    });
    let fixed: Vec<String> = TEXTS.iter().chain(more).map(|t| t.to_string()).chain(days).collect();
    let mut near = Vec::new();
    for text in fixed.iter().take(TEXTS.len() + more.len()) {
        let letters: Vec<char> = text.chars().collect();
        for at in 0..=letters.len() {
            for letter in LETTERS {
                let (head, tail) = letters.split_at(at);
                near.push(head.iter().chain([letter]).chain(tail).collect::<String>());
                near.push(head.iter().chain([letter]).chain(tail.iter().skip(1)).collect());
            }
        }
    }
    for text in fixed.iter().chain(&near) {
        assert_eq!((pattern.fits)(text), valid(&json!(text)), "{text:?} by {}", pattern.regex);
    }
}
