//! The dialect for dotted paths: `operation`, `path` with an index from 0, `new_value`.
//!
//! Without `file` the first step of the path is the file: `food.likes[2]` is the third bullet of `food#likes`.

use serde_json::Value;

use super::super::{Action, Target};
use super::text_shapes::{
    ANY_TEXT, BULLET, COMMON_FIELDS, CheckedFields, LINE_OR_EMPTY, NON_EMPTY_TEXT, scalar_text, split_bullet_text,
};
use crate::document::{MetaKey, OWN_ITEMS, slug};
use crate::json_shape::{FieldGroup, JsonShape, ShapeField, ShapeForm, TextPattern, optional, required};
use crate::path::MemoryPath;

pub const FORMS: &[&ShapeForm] = &[&INSERT, &UPDATE, &DELETE, &NO_CHANGE];

const ALL_FIELDS: &[&str] = &["path", "file", "new_value", "current_value", "relevance"];

/// An operation, with the fields that all have: `operation` and [`COMMON_FIELDS`].
macro_rules! path_form {
    ($name:literal, $about:literal, $choices:expr, [$($fields:expr),* $(,)?] $(,)?) => {
        ShapeForm {
            description: $about,
            null_only: ALL_FIELDS,
            ..ShapeForm::new(
                $name,
                &[&[required("operation", &JsonShape::Choice(&$choices), "")], $($fields,)* COMMON_FIELDS],
            )
        }
    };
}

/// Steps contain no character with a meaning in addresses; an index has at most nine digits, to prevent overflow.
const LIST_PATH: JsonShape = JsonShape::Matching(&TextPattern {
    matches: |s| parse_path(s).is_some_and(|(_, index)| index.is_none()),
    regex: r"^[^.\[\]#@/\\\r\n]+(?:\.[^.\[\]#@/\\\r\n]+)*$",
    expected: "a dotted path without an index, like food.likes",
    reports_multiline: false,
});
const ITEM_PATH: JsonShape = JsonShape::Matching(&TextPattern {
    matches: |s| parse_path(s).is_some(),
    regex: r"^[^.\[\]#@/\\\r\n]+(?:\.[^.\[\]#@/\\\r\n]+)*(?:\[[0-9]{1,9}\])?$",
    expected: "a dotted path with an optional index at its end, like food.likes[2]",
    reports_multiline: false,
});
/// An item, or a field of its metadata.
const ITEM_OR_FIELD_PATH: JsonShape = JsonShape::Matching(&TextPattern {
    matches: |s| parse_path(split_field(s).0).is_some(),
    regex: r"^[^.\[\]#@/\\\r\n]+(?:\.[^.\[\]#@/\\\r\n]+)*(?:\[[0-9]{1,9}\](?:\.(?:expiry|expiry_date|confidence|importance|durability))?)?$",
    expected: "a dotted path with an optional index and field at its end, like food.likes[2] or food.likes[2].expiry",
    reports_multiline: false,
});
const FILE_NAME: JsonShape = JsonShape::Matching(&TextPattern {
    matches: |s| !s.is_empty() && !s.contains(['#', '@', '\r', '\n']),
    regex: r"^[^#@\r\n]+$",
    expected: "a file's name",
    reports_multiline: false,
});

const FILE_FIELDS: &[ShapeField] = &[
    optional(
        "file",
        &FILE_NAME,
        "the file, or with .json the resource_id in its front matter; without it, the first step of the path",
    ),
    optional("relevance", &ANY_TEXT, "ignored"),
];

/// An item with its metadata.
const ITEM: ShapeForm = item_form(&[&[
    optional("display", &BULLET, "the text"),
    optional("item", &BULLET, "stored as oid; the text, if there is no display"),
    optional("added", &LINE_OR_EMPTY, "stored as added"),
    optional("expiry", &LINE_OR_EMPTY, "stored as exp"),
    optional("expiry_date", &LINE_OR_EMPTY, "the same, if there is no expiry"),
    optional("confidence", &SCALAR_OF_ITEM, "stored as conf"),
    optional("importance", &SCALAR_OF_ITEM, "stored as imp"),
    optional("durability", &LINE_OR_EMPTY, "stored as dur"),
]]);
/// An item's new text, and the metadata that it sets; other metadata stays.
const TEXT_ITEM: ShapeForm = item_form(&[&[
    optional("display", &BULLET, "the text"),
    optional("item", &BULLET, "stored as oid; the text, if there is no display"),
    optional("added", &LINE_OR_EMPTY, "ignored: it is not changed"),
    optional("expiry", &LINE_OR_EMPTY, "stored as exp"),
    optional("expiry_date", &LINE_OR_EMPTY, "the same, if there is no expiry"),
    optional("confidence", &SCALAR_OF_ITEM, "stored as conf"),
    optional("importance", &SCALAR_OF_ITEM, "stored as imp"),
    optional("durability", &LINE_OR_EMPTY, "stored as dur"),
]]);
/// The present item as the caller read it. Only its text is compared; other fields are ignored.
const SEEN_ITEM: ShapeForm = ShapeForm {
    ignores_unknown: true,
    ..item_form(&[&[
        optional("display", &NON_EMPTY_TEXT, "the text"),
        optional("item", &NON_EMPTY_TEXT, "the text, if there is no display"),
    ]])
};
/// The value of a field need not be a text.
const NUMBER: JsonShape = JsonShape::Number;
const BOOLEAN: JsonShape = JsonShape::Boolean;
const SCALAR_OF_ITEM: JsonShape = JsonShape::AnyOf(&[LINE_OR_EMPTY, JsonShape::Number]);

const fn item_form(fields: &'static [&'static [ShapeField]]) -> ShapeForm {
    const NAMES: &[&str] = &["expiry", "expiry_date", "confidence", "importance", "durability"];
    const GROUPS: &[FieldGroup] = &[FieldGroup::AtLeastOne(&["display", "item"])];
    ShapeForm { groups: GROUPS, null_only: NAMES, ..ShapeForm::new("item", fields) }
}

const CURRENT_VALUE_FIELD: &[ShapeField] = &[optional(
    "current_value",
    &JsonShape::AnyOf(&[NON_EMPTY_TEXT, NUMBER, BOOLEAN, JsonShape::Object(&SEEN_ITEM)]),
    "the present item, or with a path to a field its value; must match",
)];

/// A location that a search found.
pub const LOCATION: ShapeForm = ShapeForm {
    ignores_unknown: true,
    ..ShapeForm::new(
        "location",
        &[
            &[
                required("path", &NON_EMPTY_TEXT, "the item"),
                optional("file", &FILE_NAME, "as in the edit of the item"),
            ],
            CURRENT_VALUE_FIELD,
        ],
    )
};

const INSERT: ShapeForm = path_form!(
    "path_insert",
    "Adds an item to a list.",
    ["insert"],
    [
        &[required("path", &LIST_PATH, "the list")],
        FILE_FIELDS,
        &[required("new_value", &JsonShape::AnyOf(&[BULLET, NUMBER, BOOLEAN, JsonShape::Object(&ITEM)]), "the item")],
    ],
);
const UPDATE: ShapeForm = path_form!(
    "path_update",
    "Replaces the text of an item.",
    ["update"],
    [
        &[required("path", &ITEM_PATH, "the item")],
        FILE_FIELDS,
        &[required(
            "new_value",
            &JsonShape::AnyOf(&[BULLET, NUMBER, BOOLEAN, JsonShape::Object(&TEXT_ITEM)]),
            "its new text"
        )],
        CURRENT_VALUE_FIELD,
    ],
);
const DELETE: ShapeForm = path_form!(
    "path_delete",
    "Removes an item, or a field of its metadata.",
    ["delete"],
    [&[required("path", &ITEM_OR_FIELD_PATH, "the item or field")], FILE_FIELDS, CURRENT_VALUE_FIELD],
);
const NO_CHANGE: ShapeForm = path_form!(
    "path_no_change",
    "Makes no change.",
    ["no_change"],
    [
        &[optional("path", &ITEM_PATH, "what was considered")],
        FILE_FIELDS,
        &[optional(
            "new_value",
            &JsonShape::AnyOf(&[ANY_TEXT, NUMBER, BOOLEAN, JsonShape::Object(&ANYTHING)]),
            "ignored"
        )],
        CURRENT_VALUE_FIELD,
    ],
);
const ANYTHING: ShapeForm = ShapeForm { ignores_unknown: true, ..ShapeForm::new("item", &[]) };

/// The action of a checked object of one of [`FORMS`].
pub fn action(operation: &str, fields: CheckedFields) -> Action {
    let place = match address_and_index(fields) {
        Some(place) if operation != "no_change" => place,
        other => return Action::Nothing { at: other.map(target_with_index) },
    };
    let field = fields.text("path").and_then(|path| split_field(&path).1);
    let new = fields.0.get("new_value");
    let (at, index) = (item_target(&place, operation, new), place.1);
    let current = fields.0.get("current_value").and_then(item_text);
    let text = new.and_then(item_text).unwrap_or_default();
    match operation {
        "insert" => {
            let (text, children) = split_bullet_text(&text);
            let mut meta = new.map(item_meta).unwrap_or_default();
            // The key that an export derives from the text need not be kept.
            meta.extend(new.and_then(own_item_key).filter(|(_, key)| *key != slug(&text).replace('-', "_")));
            Action::Add { at, text, children, meta, create: false }
        }
        "update" => {
            let (text, children) = split_bullet_text(&text);
            let mut meta = new.map(item_meta).unwrap_or_default();
            meta.retain(|(key, _)| key != MetaKey::Added.name());
            meta.extend(new.and_then(own_item_key));
            Action::Update { at, index, old: current, text, children, meta, archive: false }
        }
        _ if field.is_some() => {
            let meta = field.map(|key| (key.name().to_owned(), String::new())).into_iter().collect();
            match current {
                // With the text of the item as proof.
                Some(text) => {
                    let old = Some(text.clone());
                    Action::Update { at, index, old, text, children: Vec::new(), meta, archive: false }
                }
                None => Action::Set { at: target_with_index(place), pairs: meta },
            }
        }
        _ => Action::Remove { at, index, text: current, archive: false, purge: None, forget: false, if_exists: true },
    }
}

/// Gives edits without `current_value` the value that the search found at their path: it proves which item is meant. A
/// value that is printed source of another language, as in `{'item': …}`, proves nothing.
pub fn prove_with_locations(edits: &mut [Value], locations: &[Value]) {
    let key = |value: &Value| [&value["path"], &value["file"]].map(|part| part.as_str().map(str::to_owned));
    let is_value = |location: &&Value| !location["current_value"].as_str().is_some_and(|text| text.starts_with('{'));
    for edit in edits {
        let takes_value = matches!(edit["operation"].as_str(), Some("update" | "delete"));
        if !takes_value || edit.get("current_value").is_some_and(|value| !value.is_null()) {
            continue;
        }
        let found = locations.iter().filter(is_value).find(|location| key(location) == key(edit));
        if let Some(value) = found.and_then(|location| location.get("current_value")) {
            edit["current_value"] = value.clone();
        }
    }
}

/// The path of a bullet, and its file unless the path begins with it; the index counts from 1. `None` if no path can
/// name it.
pub fn print_path(file: &MemoryPath, section: Option<&str>, index: Option<usize>) -> Option<(Option<String>, String)> {
    let fact = file.as_str().strip_prefix("facts/").and_then(|name| name.strip_suffix(".md"));
    let (named, first) = match fact.filter(|name| parse_path(name).is_some_and(|(steps, _)| steps.len() == 1)) {
        Some(name) => (None, Some(name)),
        None => (Some(file.to_string()), None),
    };
    let steps: Vec<&str> = first.into_iter().chain(section).collect();
    let index = index.map(|n| format!("[{}]", n.saturating_sub(1))).unwrap_or_default();
    let path = format!("{}{index}", steps.join("."));
    let (read, _) = parse_path(&path)?;
    (read == steps).then_some((named, path))
}

/// What a path names. Without an index it may be a field: `routine.timing_rules.quiet`. An object goes to a list.
fn item_target((at, index): &(String, Option<i64>), operation: &str, new: Option<&Value>) -> Target {
    let is_item = operation == "insert" && new.is_some_and(Value::is_object);
    match index {
        None if at.contains('#') && !is_item => Target::SectionOrField(at.clone()),
        _ => Target::Address(at.clone()),
    }
}

/// The address in a `no_change`, with the index.
fn target_with_index((at, index): (String, Option<i64>)) -> Target {
    Target::Address(match index {
        Some(n) => format!("{at}@{n}"),
        None => at,
    })
}

/// The address of file and path, and the index converted to count from 1. A name that ends in `.json` keeps that: it
/// may be a `resource_id`.
fn address_and_index(fields: CheckedFields) -> Option<(String, Option<i64>)> {
    let path = fields.text("path")?;
    let (steps, index) = parse_path(split_field(&path).0)?;
    let (file, section) = match fields.text("file") {
        Some(file) => (file.strip_suffix(".md").unwrap_or(&file).to_owned(), &steps[..]),
        None => (steps[0].to_owned(), &steps[1..]),
    };
    // The items of a level itself, as an export writes them. Their indexes do not count its fields, so an item is known
    // by its text, and without one `_items` names no section.
    let own_level = section.strip_suffix(&[OWN_ITEMS]).filter(|_| {
        fields.text("operation").as_deref() == Some("insert")
            || fields.0.get("current_value").is_some_and(|v| !v.is_null())
    });
    let (section, index) = own_level.map_or((section, index), |level| (level, None));
    let at = if section.is_empty() { file } else { format!("{file}#{}", section.join("/")) };
    Some((at, index))
}

/// The path of an item, and the key of its metadata that is named after it, as in `food.likes[2].expiry`. `added` is
/// not one: memdir writes it.
fn split_field(path: &str) -> (&str, Option<MetaKey>) {
    let found = path.rsplit_once("].").and_then(|(item, name)| {
        let key = MetaKey::from_path_field(name).filter(|key| *key != MetaKey::Added)?;
        Some((&path[..=item.len()], Some(key)))
    });
    found.unwrap_or((path, None))
}

/// A path's steps, and the index at its end converted to count from 1.
fn parse_path(path: &str) -> Option<(Vec<&str>, Option<i64>)> {
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

/// A value's text: a string, number or boolean itself, or an object's `display` or `item`.
fn item_text(value: &Value) -> Option<String> {
    let text = |v: &Value| v.as_str().map(str::to_owned);
    scalar_text(value).or_else(|| value.get("display").and_then(text)).or_else(|| value.get("item").and_then(text))
}

/// The longest key of an item, in bytes.
const MAX_ITEM_KEY: usize = 200;

/// An item's key beside its text, as metadata: its id in json-memory. It is no id of memdir's, because two items of a
/// resource may have the same.
fn own_item_key(value: &Value) -> Option<(String, String)> {
    let [display, item] = ["display", "item"].map(|name| value.get(name).and_then(Value::as_str).map(str::trim));
    display.filter(|text| !text.is_empty())?;
    let key = item.filter(|key| !key.is_empty() && key.len() <= MAX_ITEM_KEY && !key.contains(char::is_control))?;
    Some((MetaKey::Oid.name().to_owned(), key.to_owned()))
}

/// An item's metadata under memdir's keys.
fn item_meta(value: &Value) -> Vec<(String, String)> {
    let text = |name: Option<&str>| value.get(name?).and_then(scalar_text);
    let pair = |key: &MetaKey| {
        let spec = key.spec();
        Some((key.name().to_owned(), text(spec.path_field).or_else(|| text(spec.path_alias))?))
    };
    MetaKey::ALL.iter().filter_map(pair).filter(|(_, v)| !v.is_empty()).collect()
}
