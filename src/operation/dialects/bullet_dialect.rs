//! The dialect for bullets in blocks: `intent`, `memory_id`, `sub_memory`, an index from 1.
//!
//! Never removes a whole block: only bullets.

use serde_json::{Map, Value, json};

use super::super::{Action, Target};
use super::text_shapes::{
    BULLET, COMMON_FIELDS, CheckedFields, LINE, NON_EMPTY_TEXT, PRINTED_INDEX, split_bullet_text,
};
use crate::json_shape::{FieldGroup, JsonShape, ShapeField, ShapeForm, ShapeRule, optional, required};
use crate::path::is_id;

pub const FORMS: &[&ShapeForm] = &[&ADD, &DELETE, &UPDATE];

const ALL_FIELDS: &[&str] = &["memory_id", "category", "sub_memory", "old_sub_memory", "new_sub_memory", "index"];

/// An operation, with the fields that all have: `intent` and [`COMMON_FIELDS`].
macro_rules! bullet_form {
    ($name:literal, $about:literal, $choices:expr, [$($fields:expr),* $(,)?], $groups:expr $(,)?) => {
        ShapeForm {
            description: $about,
            groups: $groups,
            null_only: ALL_FIELDS,
            ..ShapeForm::new(
                $name,
                &[&[required("intent", &JsonShape::Choice(&$choices), "")], $($fields,)* COMMON_FIELDS],
            )
        }
    };
}

const BLOCK_FIELDS: &[ShapeField] = &[
    optional("memory_id", &NON_EMPTY_TEXT, "the id of the block or bullet, or an address"),
    optional("category", &LINE, "if no file has memory_id: the section of that name in the policy's default file"),
];
const ID_OR_CATEGORY: FieldGroup = FieldGroup::AtLeastOne(&["memory_id", "category"]);

const ADD: ShapeForm = bullet_form!(
    "bullet_add",
    "Adds a bullet to a block.",
    ["add"],
    [
        BLOCK_FIELDS,
        &[
            required("sub_memory", &BULLET, "the bullet's text"),
            optional("index", &PRINTED_INDEX, "ignored: bullets are added at the end"),
        ],
    ],
    &[ID_OR_CATEGORY],
);
const DELETE: ShapeForm = ShapeForm {
    rule: Some(&ShapeRule { violation: missing_bullet_selector, schema: bullet_selector_schema }),
    ..REMOVE
};
const REMOVE: ShapeForm = bullet_form!(
    "bullet_delete",
    "Removes a bullet from a block.",
    ["delete", "remove"],
    [
        BLOCK_FIELDS,
        &[
            optional("sub_memory", &NON_EMPTY_TEXT, "its present text"),
            optional("index", &PRINTED_INDEX, "its index in the block, from 1"),
        ],
    ],
    &[ID_OR_CATEGORY],
);
const UPDATE: ShapeForm = bullet_form!(
    "bullet_update",
    "Replaces the text of a bullet in a block.",
    ["update"],
    [
        BLOCK_FIELDS,
        &[
            optional("old_sub_memory", &NON_EMPTY_TEXT, "its present text"),
            required("new_sub_memory", &BULLET, "its new text"),
            optional("index", &PRINTED_INDEX, "its index in the block, from 1"),
        ],
    ],
    &[ID_OR_CATEGORY],
);

/// Rejects a removal that selects no bullet: an id of a block alone would remove the whole block.
fn missing_bullet_selector(object: &Map<String, Value>) -> Option<&'static str> {
    let is_present = |name: &str| object.get(name).is_some_and(|v| !v.is_null());
    let in_a_file = object.get("memory_id").and_then(Value::as_str).and_then(|id| id.find('@')).is_some_and(|i| i > 0);
    let bullet = in_a_file || is_present("sub_memory") || is_present("index");
    (!bullet).then_some("'sub_memory' or 'index' is missing")
}

fn bullet_selector_schema() -> Value {
    json!({"anyOf": [
        {"required": ["sub_memory"], "properties": {"sub_memory": {"not": {"type": "null"}}}},
        {"required": ["index"], "properties": {"index": {"not": {"type": "null"}}}},
        {"required": ["memory_id"], "properties": {"memory_id": {"type": "string", "pattern": "^[^@]+@"}}},
    ]})
}

/// The action of a checked object of one of [`FORMS`].
pub fn action(intent: &str, fields: CheckedFields) -> Action {
    let at = block_target(fields);
    match intent {
        "add" => {
            let (text, children) = split_bullet_text(&fields.required_text("sub_memory"));
            Action::Add { at, text, children, meta: Vec::new(), create: false }
        }
        "update" => {
            let (text, children) = split_bullet_text(&fields.required_text("new_sub_memory"));
            let (index, old) = (fields.index("index"), fields.text("old_sub_memory"));
            Action::Update { at, index, old, text, children, meta: Vec::new(), archive: false }
        }
        _ => Action::Remove {
            at,
            index: fields.index("index"),
            text: fields.text("sub_memory"),
            archive: false,
            purge: None,
            forget: false,
            if_exists: true,
        },
    }
}

/// The target of an operation. A `memory_id` that is a valid id is searched in all files, and if none has it, the
/// category counts; any other `memory_id` is an address.
fn block_target(fields: CheckedFields) -> Target {
    match (fields.text("memory_id"), fields.text("category")) {
        (Some(id), Some(category)) if is_id(&id) => Target::IdOrCategory { id, category },
        (Some(id), None) if is_id(&id) => Target::Address(format!("@{id}")),
        (Some(address), _) => Target::Address(address),
        (None, category) => Target::Category(category.unwrap_or_default()),
    }
}
