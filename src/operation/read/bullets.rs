//! The dialect of seeds/bullet-crud.md: `intent`, `memory_id`, `sub_memory`, an index from 1.
//!
//! Changes bullets only: nothing said here removes a whole block.

use serde_json::{Map, Value, json};

use super::super::{Action, Target};
use super::texts::{BULLET, COMMON, FILLED, Got, INDEX, LINE, split};
use crate::path::is_id;
use crate::shape::{Field, Form, Group, Rule, Shape, may, need};

/// Every operation's form.
pub const FORMS: &[&Form] = &[&ADD, &DELETE, &UPDATE];

const ALL: &[&str] = &["memory_id", "category", "sub_memory", "old_sub_memory", "new_sub_memory", "index"];

const fn form(
    name: &'static str,
    about: &'static str,
    fields: &'static [&'static [Field]],
    groups: &'static [Group],
) -> Form {
    Form { name, about, fields, groups, foreign: ALL, open: false, rule: None }
}

const BLOCK: &[Field] = &[
    may("memory_id", &FILLED, "the block's or the bullet's id, or an address"),
    may("category", &LINE, "without memory_id: that section of the policy's default file"),
];
const NAMED: Group = Group::Some(&["memory_id", "category"]);

const ADD: Form = form(
    "bullet_add",
    "Adds a bullet to a block.",
    &[
        &[need("intent", &Shape::Choice(&["add"]), "")],
        BLOCK,
        &[
            need("sub_memory", &BULLET, "the bullet's text"),
            may("index", &INDEX, "passed over: bullets are added at the end"),
        ],
        COMMON,
    ],
    &[NAMED],
);
const DELETE: Form = Form { rule: Some(&Rule { breaks: names_no_bullet, schema: names_a_bullet }), ..REMOVE };
const REMOVE: Form = form(
    "bullet_delete",
    "Removes a bullet from a block.",
    &[
        &[need("intent", &Shape::Choice(&["delete", "remove"]), "")],
        BLOCK,
        &[may("sub_memory", &FILLED, "the text it has"), may("index", &INDEX, "its place in the block, from 1")],
        COMMON,
    ],
    &[NAMED],
);
const UPDATE: Form = form(
    "bullet_update",
    "Gives a bullet of a block a new text.",
    &[
        &[need("intent", &Shape::Choice(&["update"]), "")],
        BLOCK,
        &[
            may("old_sub_memory", &FILLED, "the text it has"),
            need("new_sub_memory", &LINE, "the text it gets"),
            may("index", &INDEX, "its place in the block, from 1"),
        ],
        COMMON,
    ],
    &[NAMED],
);

/// A block's id alone would name the whole block.
fn names_no_bullet(object: &Map<String, Value>) -> Option<&'static str> {
    let there = |name: &str| object.get(name).is_some_and(|v| !v.is_null());
    let in_a_file = object.get("memory_id").and_then(Value::as_str).and_then(|id| id.find('@')).is_some_and(|i| i > 0);
    let bullet = in_a_file || there("sub_memory") || there("index");
    (!bullet).then_some("'sub_memory' or 'index' is missing")
}

fn names_a_bullet() -> Value {
    json!({"anyOf": [
        {"required": ["sub_memory"], "properties": {"sub_memory": {"not": {"type": "null"}}}},
        {"required": ["index"], "properties": {"index": {"not": {"type": "null"}}}},
        {"required": ["memory_id"], "properties": {"memory_id": {"type": "string", "pattern": "^[^@]+@"}}},
    ]})
}

/// The operation that a checked object of one of [`FORMS`] names.
pub fn action(intent: &str, got: Got) -> Action {
    let at = block(got);
    match intent {
        "add" => {
            let (text, children) = split(&got.needed("sub_memory"));
            Action::Add { at, text, children, meta: Vec::new(), create: false }
        }
        "update" => Action::Update {
            at,
            index: got.index("index"),
            old: got.text("old_sub_memory"),
            text: got.needed("new_sub_memory"),
        },
        _ => Action::Remove {
            at,
            index: got.index("index"),
            text: got.text("sub_memory"),
            archive: false,
            forget: false,
        },
    }
}

/// A bare id is looked up in every file; whatever cannot be one is an address already.
fn block(got: Got) -> Target {
    match got.text("memory_id") {
        Some(id) if is_id(&id) => Target::Address(format!("@{id}")),
        Some(address) => Target::Address(address),
        None => Target::Category(got.needed("category")),
    }
}
