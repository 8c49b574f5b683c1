//! The dialects of tool calls: `memory_write`, `memory_patch`, `memory_append` of seeds/m2-markdown-memory.md 6,
//! and the `str_replace` of text editors.
//!
//! Reading tools are no operations.

use serde_json::{Map, Value};

use super::super::{Action, Target};
use super::json;
use super::texts::{COMMON, FILLED, Got, TEXT, VALUE};
use crate::shape::{Field, Form, Group, Shape, may, need};

/// Every operation's form, without its wrapping.
pub const FORMS: &[&Form] = &[&WRITE, &PATCH, &APPEND, &REPLACE];
/// A call by a tool's name, one form a tool.
pub const CALLS: &[&Form] = &[&CALL_WRITE, &CALL_PATCH, &CALL_APPEND];

const fn form(name: &'static str, about: &'static str, fields: &'static [&'static [Field]]) -> Form {
    Form { name, about, fields, groups: &[], foreign: &[], open: false, rule: None }
}

const PATH: &[Field] = &[need("path", &FILLED, "the file, like facts/user.md")];

const WRITE: Form = form(
    "memory_write",
    "Makes or replaces a whole file.",
    &[PATH, &[need("content", &TEXT, "the whole text")], COMMON],
);
const PAIR: Form = form(
    "patch",
    "",
    &[&[need("oldText", &FILLED, "a text that stands exactly once"), need("newText", &TEXT, "what it becomes")]],
);
const PATCH: Form = form(
    "memory_patch",
    "Replaces exact texts, all or none.",
    &[PATH, &[need("patches", &Shape::List(&Shape::Object(&PAIR), 1), "old and new texts, in order")], COMMON],
);
const APPEND: Form = form(
    "memory_append",
    "Appends an episode entry.",
    &[PATH, &[need("entry", &FILLED, "markdown"), may("summary", &VALUE, "the file's summary line")], COMMON],
);
const REPLACE: Form = form(
    "str_replace",
    "Replaces one exact text.",
    &[
        &[may("command", &Shape::Choice(&["str_replace"]), "")],
        PATH,
        &[need("old_str", &FILLED, "a text that stands exactly once"), need("new_str", &TEXT, "what it becomes")],
        COMMON,
    ],
);

const WRAPPED: &[Group] = &[Group::One(&["tool", "name"]), Group::One(ARGUMENTS)];
/// The names under which hosts hand over a tool's arguments.
const ARGUMENTS: &[&str] = &["arguments", "params", "input"];
const CALL_WRITE: Form = call(
    "call_memory_write",
    &[&[
        may("tool", &Shape::Choice(&["memory_write"]), ""),
        may("name", &Shape::Choice(&["memory_write"]), ""),
        may("arguments", &Shape::Named(&WRITE), "as an object, or as its JSON in a string"),
        may("params", &Shape::Named(&WRITE), "the same"),
        may("input", &Shape::Named(&WRITE), "the same"),
    ]],
);
const CALL_PATCH: Form = call(
    "call_memory_patch",
    &[&[
        may("tool", &Shape::Choice(&["memory_patch"]), ""),
        may("name", &Shape::Choice(&["memory_patch"]), ""),
        may("arguments", &Shape::Named(&PATCH), "as an object, or as its JSON in a string"),
        may("params", &Shape::Named(&PATCH), "the same"),
        may("input", &Shape::Named(&PATCH), "the same"),
    ]],
);
const CALL_APPEND: Form = call(
    "call_memory_append",
    &[&[
        may("tool", &Shape::Choice(&["memory_append"]), ""),
        may("name", &Shape::Choice(&["memory_append"]), ""),
        may("arguments", &Shape::Named(&APPEND), "as an object, or as its JSON in a string"),
        may("params", &Shape::Named(&APPEND), "the same"),
        may("input", &Shape::Named(&APPEND), "the same"),
    ]],
);

const fn call(name: &'static str, fields: &'static [&'static [Field]]) -> Form {
    Form { name, about: "", fields, groups: WRAPPED, foreign: &[], open: false, rule: None }
}

/// The tool's own form when an object has one of its fields.
pub fn form_of(object: &Map<String, Value>) -> Option<&'static Form> {
    let has = |name| object.contains_key(name);
    match () {
        () if has("command") || has("old_str") || has("new_str") => Some(&REPLACE),
        () if has("patches") => Some(&PATCH),
        () if has("content") => Some(&WRITE),
        () if has("entry") => Some(&APPEND),
        () => None,
    }
}

/// The form of a call, by the tool that an object names; `Err` with that name where it is none of ours.
pub fn call_of(object: &Map<String, Value>) -> Option<Result<&'static Form, String>> {
    let name = ["tool", "name"].into_iter().find_map(|n| object.get(n)?.as_str())?;
    let of = |form: &&&Form| form.name.strip_prefix("call_") == Some(name);
    Some(CALLS.iter().find(of).copied().ok_or_else(|| name.to_owned()))
}

/// A call whose arguments came as JSON in a string, with the object in the string's place.
pub fn unwrapped(object: &Map<String, Value>) -> Map<String, Value> {
    let mut object = object.clone();
    for name in ARGUMENTS {
        if let Some(value) = object.get_mut(*name)
            && let Some(inner) = value.as_str().and_then(|text| json::parse(text).ok())
        {
            *value = inner;
        }
    }
    object
}

/// The arguments of a checked call.
pub fn arguments(object: &Map<String, Value>) -> Option<&Map<String, Value>> {
    ARGUMENTS.iter().find_map(|n| object.get(*n)?.as_object())
}

/// The operation that a checked object of one of [`FORMS`] names.
pub fn action(form: &Form, got: Got) -> Action {
    let at = Target::Address(got.needed("path"));
    match form.name {
        "memory_write" => Action::Write { at, text: got.needed("content"), create: false },
        "memory_patch" => Action::Patch { at, pairs: got.pairs("patches", "oldText", "newText") },
        "str_replace" => Action::Patch { at, pairs: vec![(got.needed("old_str"), got.needed("new_str"))] },
        _ => Action::Append {
            at: Some(at),
            text: got.needed("entry"),
            title: None,
            date: None,
            summary: None,
            file_summary: got.text("summary"),
            create: false,
        },
    }
}
