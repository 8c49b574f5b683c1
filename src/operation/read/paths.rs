//! The dialect of seeds/json-memory.md: `operation`, a dotted `path` with an index from 0, `new_value`.
//!
//! Without `file` the path's first step is the file: `food.likes[2]` is the third bullet of `food#likes`.

use serde_json::Value;

use super::super::{Action, Target};
use super::texts::{BULLET, COMMON, FILLED, Got, LINE, TEXT, VALUE, scalar, split};
use crate::shape::{Field, Form, Group, Pattern, Shape, may, need};

/// Every operation's form.
pub const FORMS: &[&Form] = &[&INSERT, &UPDATE, &DELETE, &NO_CHANGE];

const ALL: &[&str] = &["path", "file", "new_value", "current_value", "relevance"];

const fn form(name: &'static str, about: &'static str, fields: &'static [&'static [Field]]) -> Form {
    Form { name, about, fields, groups: &[], foreign: ALL, open: false, rule: None }
}

/// Steps hold nothing that an address would read as its own; nine digits keep an index in bounds.
const STEPS: Shape = Shape::Like(&Pattern {
    fits: |s| steps(s).is_some_and(|(_, index)| index.is_none()),
    regex: r"^[^.\[\]#@/\\\r\n]+(?:\.[^.\[\]#@/\\\r\n]+)*$",
    what: "a dotted path without an index, like food.likes",
    lines: false,
});
const PATH: Shape = Shape::Like(&Pattern {
    fits: |s| steps(s).is_some(),
    regex: r"^[^.\[\]#@/\\\r\n]+(?:\.[^.\[\]#@/\\\r\n]+)*(?:\[[0-9]{1,9}\])?$",
    what: "a dotted path, perhaps with an index at its end, like food.likes[2]",
    lines: false,
});
const FILE: Shape = Shape::Like(&Pattern {
    fits: |s| !s.is_empty() && !s.contains(['#', '@', '\r', '\n']),
    regex: r"^[^#@\r\n]+$",
    what: "a file's name",
    lines: false,
});

const WHERE: &[Field] =
    &[may("file", &FILE, "the file; without it the path's first step"), may("relevance", &TEXT, "passed over")];

/// An item with its metadata.
const ITEM: Form = item(&[&[
    may("display", &BULLET, "the text"),
    may("item", &BULLET, "the text, where there is no display"),
    may("added", &VALUE, "kept as added"),
    may("expiry", &VALUE, "kept as exp"),
    may("confidence", &SCALAR_OF_ITEM, "kept as conf"),
    may("importance", &SCALAR_OF_ITEM, "kept as imp"),
    may("durability", &VALUE, "kept as dur"),
]]);
/// An item's new text. An update changes no metadata, so none that could be lost may be given.
const TEXT_ITEM: Form = item(&[&[
    may("display", &LINE, "the text"),
    may("item", &LINE, "the text, where there is no display"),
    may("added", &VALUE, "passed over: it stays"),
]]);
/// What was seen: only its text proves anything.
const SEEN_ITEM: Form = Form {
    open: true,
    ..item(&[&[may("display", &FILLED, "the text"), may("item", &FILLED, "the text, where there is no display")]])
};
const SCALAR_OF_ITEM: Shape = Shape::Either(&[VALUE, Shape::Number]);

const fn item(fields: &'static [&'static [Field]]) -> Form {
    const NAMES: &[&str] = &["expiry", "confidence", "importance", "durability"];
    const GROUPS: &[Group] = &[Group::Some(&["display", "item"])];
    Form { name: "item", about: "", fields, groups: GROUPS, foreign: NAMES, open: false, rule: None }
}

const CURRENT: &[Field] =
    &[may("current_value", &Shape::Either(&[FILLED, Shape::Object(&SEEN_ITEM)]), "what stands there: the proof")];

const INSERT: Form = form(
    "path_insert",
    "Adds an item to a list.",
    &[
        &[need("operation", &Shape::Choice(&["insert"]), ""), need("path", &STEPS, "the list")],
        WHERE,
        &[need("new_value", &Shape::Either(&[BULLET, Shape::Object(&ITEM)]), "the item")],
        COMMON,
    ],
);
const UPDATE: Form = form(
    "path_update",
    "Gives an item a new text.",
    &[
        &[need("operation", &Shape::Choice(&["update"]), ""), need("path", &PATH, "the item")],
        WHERE,
        &[need("new_value", &Shape::Either(&[LINE, Shape::Object(&TEXT_ITEM)]), "its new text")],
        CURRENT,
        COMMON,
    ],
);
const DELETE: Form = form(
    "path_delete",
    "Removes an item.",
    &[&[need("operation", &Shape::Choice(&["delete"]), ""), need("path", &PATH, "the item")], WHERE, CURRENT, COMMON],
);
const NO_CHANGE: Form = form(
    "path_no_change",
    "Does nothing, and says so.",
    &[
        &[need("operation", &Shape::Choice(&["no_change"]), ""), may("path", &PATH, "what was looked at")],
        WHERE,
        &[may("new_value", &Shape::Either(&[TEXT, Shape::Object(&ANYTHING)]), "passed over")],
        CURRENT,
        COMMON,
    ],
);
const ANYTHING: Form = Form { name: "item", about: "", fields: &[], groups: &[], foreign: &[], open: true, rule: None };

/// The operation that a checked object of one of [`FORMS`] names.
pub fn action(operation: &str, got: Got) -> Action {
    let (at, index) = match place(got) {
        Some(place) if operation != "no_change" => place,
        looked => return Action::Nothing { at: looked.map(bullet) },
    };
    let at = Target::Address(at);
    let current = got.0.get("current_value").and_then(item_text);
    let new = got.0.get("new_value");
    let text = new.and_then(item_text).unwrap_or_default();
    match operation {
        "insert" => {
            let (text, children) = split(&text);
            Action::Add { at, text, children, meta: new.map(item_meta).unwrap_or_default(), create: false }
        }
        "update" => Action::Update { at, index, old: current, text },
        _ => Action::Remove { at, index, text: current, archive: false, forget: false },
    }
}

/// What a `no_change` looked at, as one address.
fn bullet((at, index): (String, Option<i64>)) -> Target {
    Target::Address(match index {
        Some(n) => format!("{at}@{n}"),
        None => at,
    })
}

/// The address that file and path name, and the index from 1.
fn place(got: Got) -> Option<(String, Option<i64>)> {
    let path = got.text("path")?;
    let (steps, index) = steps(&path)?;
    let (file, section) = match got.text("file") {
        Some(file) => {
            let stem = file.strip_suffix(".json").or_else(|| file.strip_suffix(".md")).unwrap_or(&file).to_owned();
            (stem, &steps[..])
        }
        None => (steps[0].to_owned(), &steps[1..]),
    };
    let at = if section.is_empty() { file } else { format!("{file}#{}", section.join("/")) };
    Some((at, index))
}

/// A path's steps, and the index at its end counted from 1.
fn steps(path: &str) -> Option<(Vec<&str>, Option<i64>)> {
    let (names, index) = match path.strip_suffix(']') {
        Some(rest) => {
            let (names, digits) = rest.rsplit_once('[')?;
            let good = (1..=9).contains(&digits.len()) && digits.bytes().all(|b| b.is_ascii_digit());
            (names, Some(good.then(|| digits.parse::<i64>().ok())?? + 1))
        }
        None => (path, None),
    };
    let steps: Vec<&str> = names.split('.').collect();
    let plain = |s: &&str| !s.is_empty() && !s.contains(['[', ']', '#', '@', '/', '\\', '\r', '\n']);
    steps.iter().all(plain).then_some((steps, index))
}

/// A value's text: itself, or what an item displays.
fn item_text(value: &Value) -> Option<String> {
    let text = |v: &Value| v.as_str().map(str::to_owned);
    text(value).or_else(|| value.get("display").and_then(text)).or_else(|| value.get("item").and_then(text))
}

/// An item's metadata under our names.
fn item_meta(value: &Value) -> Vec<(String, String)> {
    const NAMES: [(&str, &str); 5] =
        [("added", "added"), ("expiry", "exp"), ("confidence", "conf"), ("importance", "imp"), ("durability", "dur")];
    let one = |(seed, ours): (&str, &str)| Some((ours.to_owned(), value.get(seed).and_then(scalar)?));
    NAMES.into_iter().filter_map(one).filter(|(_, v)| !v.is_empty()).collect()
}
