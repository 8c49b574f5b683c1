//! memdir's own dialect: one flat object per operation, `{"op":"add","at":"user","text":"…"}`; parses and prints it.
//!
//! Never accepts a field of another dialect.

use serde_json::{Map, Value, json};

use super::super::{Action, Operation, Target};
use super::text_shapes::{
    ANY_TEXT, BULLET, COMMON_FIELDS, CheckedFields, DATE, INDEX, LINE, LINE_OR_EMPTY, META_KEY, META_VALUE,
    NON_EMPTY_TEXT, join_bullet_text, split_bullet_text,
};
use crate::json_shape::{FieldGroup, JsonShape, ShapeField, ShapeForm, ShapeRule, optional, required};
use crate::path::is_id;

/// The operations, in the order of the manual.
pub const FORMS: &[&ShapeForm] = &[&ADD, &UPDATE, &RM, &RESTORE, &MV, &SET, &WRITE, &PATCH, &APPEND, &NOTHING];

/// All fields of the dialect.
const ALL_FIELDS: &[&str] = &[
    "at",
    "category",
    "fallback",
    "text",
    "old",
    "index",
    "to",
    "meta",
    "pairs",
    "title",
    "date",
    "summary",
    "file_summary",
    "create",
    "archive",
    "purge",
    "forget",
    "if_exists",
];

/// An operation, with the fields that all have: `op` and [`COMMON_FIELDS`].
macro_rules! operation_form {
    ($name:literal, $about:literal, [$($fields:expr),* $(,)?], $groups:expr $(,)?) => {
        ShapeForm {
            description: $about,
            groups: $groups,
            null_only: ALL_FIELDS,
            ..ShapeForm::new(
                $name,
                &[&[required("op", &JsonShape::Choice(&[$name]), "")], $($fields,)* COMMON_FIELDS],
            )
        }
    };
}

/// The `fallback` of a section that may be a field of a resource.
const FIELD: &str = "field";

/// The fields that name a file, section or bullet: an address or a category.
const TARGET_FIELDS: &[ShapeField] = &[
    optional("at", &NON_EMPTY_TEXT, "the address: user, user#work, user@acvh, @mem123"),
    optional("category", &LINE, "instead of at: the section of that name in the policy's default file"),
    optional(
        "fallback",
        &LINE,
        "if no file has the id of at, @ID: the category to use; field: if at names no section, the bullet NAME: VALUE",
    ),
];
const ONE_TARGET: &[FieldGroup] = &[FieldGroup::ExactlyOne(&["at", "category"])];
const FILE_FIELD: &[ShapeField] = &[required("at", &NON_EMPTY_TEXT, "the file's address")];
const CREATE_FIELD: &[ShapeField] =
    &[optional("create", &JsonShape::Boolean, "create the file even if its name is similar to an existing one")];
const INDEX_FIELD: &[ShapeField] = &[optional("index", &INDEX, "the bullet's index in that file or section, from 1")];

const ADD: ShapeForm = operation_form!(
    "add",
    "Adds one bullet at the end of a file or section, which is created if missing.",
    [
        TARGET_FIELDS,
        &[
            required("text", &BULLET, "the bullet: one line; indented lines below it belong to it"),
            optional("meta", &JsonShape::Map(&META_KEY, &META_VALUE, 0), "metadata: exp, imp, conf, pin, src …"),
        ],
        CREATE_FIELD,
    ],
    ONE_TARGET,
);
const UPDATE: ShapeForm = operation_form!(
    "update",
    "Replaces the text of a bullet.",
    [
        TARGET_FIELDS,
        &[
            required(
                "text",
                &BULLET,
                "the new text, one line; indented lines below it continue it, or replace what is below the bullet",
            ),
            optional("old", &NON_EMPTY_TEXT, "its present text"),
            optional(
                "meta",
                &JsonShape::Map(&META_KEY, &META_VALUE, 0),
                "metadata to set; an empty value removes a key"
            ),
        ],
        INDEX_FIELD,
        &[optional("archive", &JsonShape::Boolean, "keep a copy of the old bullet below archive/")],
    ],
    ONE_TARGET,
);
const RM: ShapeForm = ShapeForm { rule: Some(&ShapeRule { violation: rm_violation, schema: rm_schema }), ..REMOVE };
const REMOVE: ShapeForm = operation_form!(
    "rm",
    "Removes a bullet, or without a selector a section or file.",
    [
        TARGET_FIELDS,
        &[
            optional("text", &NON_EMPTY_TEXT, "the bullet's present text"),
            optional("old", &NON_EMPTY_TEXT, "the same as text, as an update calls it"),
        ],
        INDEX_FIELD,
        &[
            optional("archive", &JsonShape::Boolean, "keep a copy below archive/"),
            optional("purge", &DATE, "with archive: the first day on which prune removes the copy for good"),
            optional("forget", &JsonShape::Boolean, "keep no copy anywhere, history included"),
            optional("if_exists", &JsonShape::Boolean, "change nothing if the bullet of that text was removed before"),
        ],
    ],
    ONE_TARGET,
);

fn rm_violation(object: &Map<String, Value>) -> Option<&'static str> {
    let is_present = |name: &str| object.get(name).is_some_and(|v| !v.is_null());
    let archives = object.get("archive").and_then(Value::as_bool) == Some(true);
    match (is_present("text") && is_present("old"), is_present("purge") && !archives) {
        (true, _) => Some("only one of 'text' and 'old' may be given"),
        (_, true) => Some("'purge' needs 'archive'"),
        _ => None,
    }
}

fn rm_schema() -> Value {
    let is_absent = |name: &str| json!({"properties": {name: {"type": "null"}}});
    let archives = json!({"required": ["archive"], "properties": {"archive": {"const": true}}});
    json!({"allOf": [
        {"anyOf": [is_absent("text"), is_absent("old")]},
        {"anyOf": [is_absent("purge"), archives]},
    ]})
}

const RESTORE: ShapeForm = operation_form!(
    "restore",
    "Takes a bullet, section or file back from archive/.",
    [&[required("at", &NON_EMPTY_TEXT, "its address in archive/, or the one that it had before")]],
    &[],
);
const MV: ShapeForm = operation_form!(
    "mv",
    "Moves a bullet, section or file.",
    [TARGET_FIELDS, &[required("to", &NON_EMPTY_TEXT, "the address it moves to")], CREATE_FIELD],
    ONE_TARGET,
);
const SET: ShapeForm = operation_form!(
    "set",
    "Sets a bullet's metadata, a section's title or id, a file's summary, title or front matter.",
    [
        TARGET_FIELDS,
        &[required(
            "meta",
            &JsonShape::Map(&META_KEY, &META_VALUE, 1),
            "keys and values; an empty value removes the key",
        )],
    ],
    ONE_TARGET,
);
const WRITE: ShapeForm = operation_form!(
    "write",
    "Creates or replaces a whole file.",
    [FILE_FIELD, &[required("text", &ANY_TEXT, "the whole text")], CREATE_FIELD],
    &[],
);
const PAIR: ShapeForm = ShapeForm::new(
    "pair",
    &[&[
        required("old", &NON_EMPTY_TEXT, "a text that occurs exactly once in the file"),
        required("new", &ANY_TEXT, "its replacement"),
    ]],
);
const PATCH: ShapeForm = operation_form!(
    "patch",
    "Replaces exact texts, all or none of them.",
    [
        FILE_FIELD,
        &[
            required("pairs", &JsonShape::List(&JsonShape::Object(&PAIR), 1), "old and new texts, in order"),
            optional("archive", &JsonShape::Boolean, "keep a copy of the old texts below archive/"),
        ],
    ],
    &[],
);
const APPEND: ShapeForm = operation_form!(
    "append",
    "Appends an episode entry, or a block of markdown to another file.",
    [APPEND_FIELDS, CREATE_FIELD],
    &[],
);
const APPEND_FIELDS: &[ShapeField] = &[
    optional("at", &NON_EMPTY_TEXT, "the file's address; without it, the current episode file"),
    required("text", &ANY_TEXT, "markdown below the title, or without title the whole entry"),
    optional("title", &LINE, "the entry's title"),
    optional("date", &DATE, "the entry's date; today without it"),
    optional("summary", &LINE, "the entry's own summary, one line"),
    optional("file_summary", &LINE_OR_EMPTY, "a replacement for the file's summary line"),
];
/// An `append` whose `op` the name of a tool says.
pub const APPEND_ARGUMENTS: ShapeForm = ShapeForm::new("arguments", &[APPEND_FIELDS, CREATE_FIELD, COMMON_FIELDS]);
const NOTHING: ShapeForm = operation_form!(
    "nothing",
    "Makes no change.",
    [&[optional("at", &NON_EMPTY_TEXT, "what was considered")], CATEGORY_FIELD],
    &[],
);
const CATEGORY_FIELD: &[ShapeField] = &[optional("category", &LINE, "what was considered, as a category")];

/// The action of a checked object of one of [`FORMS`].
pub fn action(op: &str, fields: CheckedFields) -> Action {
    let at = || target(fields).unwrap_or_else(|| Target::Address(String::new()));
    let create = fields.flag("create");
    match op {
        "add" => {
            let (text, children) = split_bullet_text(&fields.required_text("text"));
            Action::Add { at: at(), text, children, meta: fields.key_values("meta"), create }
        }
        "update" => {
            let (text, children) = split_bullet_text(&fields.required_text("text"));
            let (index, old) = (fields.index("index"), fields.text("old"));
            let (meta, archive) = (fields.key_values("meta"), fields.flag("archive"));
            Action::Update { at: at(), index, old, text, children, meta, archive }
        }
        "rm" => Action::Remove {
            at: at(),
            index: fields.index("index"),
            text: fields.text("text").or_else(|| fields.text("old")),
            archive: fields.flag("archive"),
            purge: fields.text("purge"),
            forget: fields.flag("forget"),
            if_exists: fields.flag("if_exists"),
        },
        "restore" => Action::Restore { at: at() },
        "mv" => Action::Move { at: at(), to: fields.required_text("to"), create },
        "set" => Action::Set { at: at(), pairs: fields.key_values("meta") },
        "write" => Action::Write { at: at(), text: fields.required_text("text"), create },
        "patch" => {
            Action::Patch { at: at(), pairs: fields.text_pairs("pairs", "old", "new"), archive: fields.flag("archive") }
        }
        "append" => Action::Append {
            at: target(fields),
            text: fields.required_text("text"),
            title: fields.text("title"),
            date: fields.text("date"),
            summary: fields.text("summary"),
            file_summary: fields.text("file_summary"),
            create,
        },
        _ => Action::Nothing { at: target(fields) },
    }
}

fn target(fields: CheckedFields) -> Option<Target> {
    let at = fields.text("at").map(|at| match (at.strip_prefix('@').filter(|id| is_id(id)), fields.text("fallback")) {
        (Some(id), Some(category)) => Target::IdOrCategory { id: id.to_owned(), category },
        (None, Some(fallback)) if fallback == FIELD && at.contains('#') => Target::SectionOrField(at),
        _ => Target::Address(at),
    });
    at.or_else(|| fields.text("category").map(Target::Category))
}

/// An operation in this dialect, without fields that are absent or false.
pub fn to_json(operation: &Operation) -> Value {
    let mut out = OperationWriter(Map::new());
    out.write_action(&operation.action);
    out.put_some("seen", &operation.seen);
    out.put_some("if_match", &operation.if_match);
    out.put_some("reason", &operation.reason);
    out.put_some("source", &operation.source);
    Value::Object(out.0)
}

/// Adds the etag of the file it changes to an operation as [`to_json`] writes it, unless it has one. An operation that
/// names its bullet by index and text stays as it is: if they differ, the text decides without an etag, but the index
/// with one (ARCHITECTURE.md, "Which bullet is meant", rule 7).
pub fn add_if_match(operation: &mut Value, etag: &str) {
    if let Value::Object(fields) = operation
        && !is_named_twice(fields)
    {
        fields.entry("if_match").or_insert_with(|| etag.into());
    }
}

/// Whether the fields name a bullet by its index and by its text (`old`; `text` where it is removed).
fn is_named_twice(fields: &Map<String, Value>) -> bool {
    let is_removal = fields.get("op").is_some_and(|op| op == "rm");
    fields.contains_key("index") && (fields.contains_key("old") || is_removal && fields.contains_key("text"))
}

/// Whether an operation as [`to_json`] writes it is a `patch`.
pub fn is_patch(operation: &Value) -> bool {
    operation.get("op").is_some_and(|op| op == "patch")
}

struct OperationWriter(Map<String, Value>);

impl OperationWriter {
    fn write_action(&mut self, action: &Action) {
        match action {
            Action::Add { at, text, children, meta, create } => self
                .put_op("add", Some(at))
                .put("text", join_bullet_text(text, children))
                .put_meta(meta)
                .put_true("create", *create),
            Action::Update { at, index, old, text, children, meta, archive } => self
                .put_op("update", Some(at))
                .put_some("index", index)
                .put_some("old", old)
                .put("text", join_bullet_text(text, children))
                .put_meta(meta)
                .put_true("archive", *archive),
            Action::Remove { at, index, text, archive, purge, forget, if_exists } => {
                self.put_op("rm", Some(at)).put_some("index", index).put_some("text", text);
                self.put_true("archive", *archive)
                    .put_some("purge", purge)
                    .put_true("forget", *forget)
                    .put_true("if_exists", *if_exists)
            }
            Action::Restore { at } => self.put_op("restore", Some(at)),
            Action::Move { at, to, create } => {
                self.put_op("mv", Some(at)).put("to", to.as_str()).put_true("create", *create)
            }
            Action::Set { at, pairs } => self.put_op("set", Some(at)).put_meta(pairs),
            Action::Write { at, text, create } => {
                self.put_op("write", Some(at)).put("text", text.as_str()).put_true("create", *create)
            }
            Action::Patch { at, pairs, archive } => {
                let pairs: Vec<Value> = pairs.iter().map(|(old, new)| json!({"old": old, "new": new})).collect();
                self.put_op("patch", Some(at)).put("pairs", pairs).put_true("archive", *archive)
            }
            Action::Append { at, text, title, date, summary, file_summary, create } => {
                self.put_op("append", at.as_ref())
                    .put_some("title", title)
                    .put_some("date", date)
                    .put_some("summary", summary);
                self.put("text", text.as_str()).put_some("file_summary", file_summary).put_true("create", *create)
            }
            Action::Nothing { at } => self.put_op("nothing", at.as_ref()),
        };
    }

    fn put_op(&mut self, op: &str, at: Option<&Target>) -> &mut OperationWriter {
        self.put("op", op);
        match at {
            Some(Target::Address(at)) => self.put("at", at.as_str()),
            Some(Target::SectionOrField(at)) => self.put("at", at.as_str()).put("fallback", FIELD),
            Some(Target::File(path)) => self.put("at", path.as_str()),
            Some(Target::Category(name)) => self.put("category", name.as_str()),
            Some(Target::IdOrCategory { id, category }) => {
                self.put("at", format!("@{id}")).put("fallback", category.as_str())
            }
            None => self,
        }
    }

    fn put(&mut self, name: &str, value: impl Into<Value>) -> &mut OperationWriter {
        self.0.insert(name.into(), value.into());
        self
    }

    fn put_some<T: Clone + Into<Value>>(&mut self, name: &str, value: &Option<T>) -> &mut OperationWriter {
        match value {
            Some(value) => self.put(name, value.clone()),
            None => self,
        }
    }

    fn put_true(&mut self, name: &str, value: bool) -> &mut OperationWriter {
        if value { self.put(name, true) } else { self }
    }

    fn put_meta(&mut self, meta: &[(String, String)]) -> &mut OperationWriter {
        let all: Map<String, Value> = meta.iter().map(|(k, v)| (k.clone(), v.as_str().into())).collect();
        if all.is_empty() { self } else { self.put("meta", all) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check_if_match(mut operation: Value, expected: Option<&str>) {
        add_if_match(&mut operation, "0123456789abcdef");
        assert_eq!(operation.get("if_match").and_then(Value::as_str), expected, "{operation}");
    }

    #[test]
    fn an_etag_is_added_unless_there_is_one_or_index_and_text_name_the_bullet() {
        let added = Some("0123456789abcdef");
        check_if_match(json!({"op": "write", "at": "user", "text": "x"}), added);
        check_if_match(json!({"op": "update", "at": "user", "index": 1, "text": "new"}), added);
        check_if_match(json!({"op": "update", "at": "user", "old": "was", "text": "new"}), added);
        check_if_match(json!({"op": "rm", "at": "user", "index": 1}), added);
        check_if_match(json!({"op": "rm", "at": "user", "text": "was"}), added);
        check_if_match(json!({"op": "rm", "at": "user", "text": "was", "if_match": "89abcdef"}), Some("89abcdef"));
        check_if_match(json!({"op": "update", "at": "user", "index": 1, "old": "was", "text": "new"}), None);
        check_if_match(json!({"op": "rm", "at": "user", "index": 1, "text": "was"}), None);
    }
}
