//! The dialects of tool calls: `memory_write`, `memory_patch`, `memory_append`, and the `str_replace` of text editors.
//!
//! Never takes a tool that only reads for an operation: [`read_call`] knows those.

use serde_json::{Map, Value};

use super::super::{Action, Target};
use super::strict_json;
use super::text_shapes::{ANY_TEXT, COMMON_FIELDS, CheckedFields, LINE_OR_EMPTY, NON_EMPTY_TEXT};
use crate::json_shape::{FieldGroup, JsonShape, ShapeField, ShapeForm, ShapeProblem, optional, required};

/// The arguments of each tool.
pub const FORMS: &[&ShapeForm] = &[&WRITE, &PATCH, &APPEND, &REPLACE];
/// A tool call with the tool's name and its arguments, one form per tool.
pub const CALL_FORMS: &[&ShapeForm] = &[&CALL_WRITE, &CALL_PATCH, &CALL_APPEND];

const fn tool_form(name: &'static str, about: &'static str, fields: &'static [&'static [ShapeField]]) -> ShapeForm {
    ShapeForm { description: about, ..ShapeForm::new(name, fields) }
}

const PATH: &[ShapeField] = &[required("path", &NON_EMPTY_TEXT, "the file, like facts/user.md")];

const WRITE: ShapeForm = tool_form(
    "memory_write",
    "Creates or replaces a whole file.",
    &[PATH, &[required("content", &ANY_TEXT, "the whole text")], COMMON_FIELDS],
);
const PAIR: ShapeForm = ShapeForm::new(
    "patch",
    &[&[
        required("oldText", &NON_EMPTY_TEXT, "a text that occurs exactly once"),
        required("newText", &ANY_TEXT, "its replacement"),
    ]],
);
const PATCH: ShapeForm = tool_form(
    "memory_patch",
    "Replaces exact texts, all or none of them.",
    &[
        PATH,
        &[required("patches", &JsonShape::List(&JsonShape::Object(&PAIR), 1), "old and new texts, in order")],
        COMMON_FIELDS,
    ],
);
const APPEND: ShapeForm = tool_form(
    "memory_append",
    "Appends an episode entry.",
    &[
        PATH,
        &[
            required("entry", &NON_EMPTY_TEXT, "markdown"),
            optional("summary", &LINE_OR_EMPTY, "the file's summary line"),
        ],
        COMMON_FIELDS,
    ],
);
const REPLACE: ShapeForm = tool_form(
    "str_replace",
    "Replaces one exact text.",
    &[
        &[optional("command", &JsonShape::Choice(&["str_replace"]), "")],
        PATH,
        &[
            required("old_str", &NON_EMPTY_TEXT, "a text that occurs exactly once"),
            required("new_str", &ANY_TEXT, "its replacement"),
        ],
        COMMON_FIELDS,
    ],
);

/// The arguments of the tools that only read.
const READ: ShapeForm = tool_form("memory_read", "Reads a file.", &[PATH]);
const LIST: ShapeForm = tool_form("memory_list", "Lists the files.", &[]);
/// The search reads its arguments itself.
const QUERY: ShapeForm = ShapeForm { ignores_unknown: true, ..tool_form("memory.query", "Searches.", &[]) };

const CALL_GROUPS: &[FieldGroup] =
    &[FieldGroup::ExactlyOne(&["tool", "name"]), FieldGroup::ExactlyOne(ARGUMENT_FIELDS)];
/// The field names that model hosts use for a tool's arguments.
const ARGUMENT_FIELDS: &[&str] = &["arguments", "params", "input"];

/// The call of a tool, whose arguments are an object of the given form.
macro_rules! call_form {
    ($name:literal, $tool:literal, $arguments:ident) => {
        ShapeForm {
            groups: CALL_GROUPS,
            ..ShapeForm::new(
                $name,
                &[&[
                    optional("tool", &JsonShape::Choice(&[$tool]), ""),
                    optional("name", &JsonShape::Choice(&[$tool]), ""),
                    optional(
                        "arguments",
                        &JsonShape::FormRef(&$arguments),
                        "an object, or an object as JSON in a string",
                    ),
                    optional("params", &JsonShape::FormRef(&$arguments), "same as arguments"),
                    optional("input", &JsonShape::FormRef(&$arguments), "same as arguments"),
                    optional("consent", &ANY_TEXT, "the user's words of consent, verbatim; same as in the arguments"),
                ]],
            )
        }
    };
}

const CALL_WRITE: ShapeForm = call_form!("call_memory_write", "memory_write", WRITE);
const CALL_PATCH: ShapeForm = call_form!("call_memory_patch", "memory_patch", PATCH);
const CALL_APPEND: ShapeForm = call_form!("call_memory_append", "memory_append", APPEND);
const CALL_READ: ShapeForm = call_form!("call_memory_read", "memory_read", READ);
const CALL_LIST: ShapeForm = call_form!("call_memory_list", "memory_list", LIST);
const CALL_QUERY: ShapeForm = call_form!("call_memory.query", "memory.query", QUERY);
const CALL_MCP_QUERY: ShapeForm = call_form!("call_memory_query", "memory_query", QUERY);

/// The call of a tool that only reads.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ReadCall {
    /// `memory_read` of an address.
    Read(String),
    /// `memory_list`.
    List,
    /// `memory.query`, or `memory_query` as our own tool is named: its arguments, unchecked.
    Query(Map<String, Value>),
}

/// The call of a tool that only reads; `None` for any other object.
pub fn read_call(object: &Map<String, Value>) -> Option<Result<ReadCall, ShapeProblem>> {
    let name = tool_name(object)?;
    let forms = [&CALL_READ, &CALL_LIST, &CALL_QUERY, &CALL_MCP_QUERY];
    let form = forms.into_iter().find(|form| form.name.strip_prefix("call_") == Some(name))?;
    let mut object = parse_string_arguments(object);
    // Clients leave out arguments that are empty.
    if ARGUMENT_FIELDS.iter().all(|field| object.get(*field).is_none_or(Value::is_null)) {
        object.insert(ARGUMENT_FIELDS[0].to_owned(), Map::new().into());
    }
    let arguments = call_arguments(&object).cloned().unwrap_or_default();
    Some(form.check(&object).map(|()| match (name, arguments.get("path").and_then(Value::as_str)) {
        ("memory.query" | "memory_query", _) => ReadCall::Query(arguments),
        (_, Some(path)) => ReadCall::Read(path.to_owned()),
        (_, None) => ReadCall::List,
    }))
}

/// The tool whose arguments an object is, by a field that only this tool has.
pub fn form_by_fields(object: &Map<String, Value>) -> Option<&'static ShapeForm> {
    let has = |name| object.contains_key(name);
    match () {
        () if has("command") || has("old_str") || has("new_str") => Some(&REPLACE),
        () if has("patches") => Some(&PATCH),
        () if has("content") => Some(&WRITE),
        () if has("entry") => Some(&APPEND),
        () => None,
    }
}

/// The form of a call, by the name of the tool; `Err` with the name if the tool is unknown.
pub fn call_form_by_name(object: &Map<String, Value>) -> Option<Result<&'static ShapeForm, String>> {
    let name = tool_name(object)?;
    let of = |form: &&&ShapeForm| form.name.strip_prefix("call_") == Some(name);
    Some(CALL_FORMS.iter().find(of).copied().ok_or_else(|| name.to_owned()))
}

fn tool_name(object: &Map<String, Value>) -> Option<&str> {
    ["tool", "name"].into_iter().find_map(|n| object.get(n)?.as_str())
}

/// Replaces arguments that are JSON in a string by the object.
pub fn parse_string_arguments(object: &Map<String, Value>) -> Map<String, Value> {
    let mut object = object.clone();
    for name in ARGUMENT_FIELDS {
        if let Some(value) = object.get_mut(*name)
            && let Some(inner) = value.as_str().and_then(|text| strict_json::parse(text).ok())
        {
            *value = inner;
        }
    }
    object
}

/// The arguments of a checked call.
pub fn call_arguments(object: &Map<String, Value>) -> Option<&Map<String, Value>> {
    ARGUMENT_FIELDS.iter().find_map(|n| object.get(*n)?.as_object())
}

/// The action of a checked object of one of [`FORMS`].
pub fn action(form: &ShapeForm, fields: CheckedFields) -> Action {
    let at = Target::Address(fields.required_text("path"));
    match form.name {
        "memory_write" => Action::Write { at, text: fields.required_text("content"), create: false },
        "memory_patch" => {
            Action::Patch { at, pairs: fields.text_pairs("patches", "oldText", "newText"), archive: false }
        }
        "str_replace" => Action::Patch {
            at,
            pairs: vec![(fields.required_text("old_str"), fields.required_text("new_str"))],
            archive: false,
        },
        _ => Action::Append {
            at: Some(at),
            text: fields.required_text("entry"),
            title: None,
            date: None,
            summary: None,
            file_summary: fields.text("summary"),
            create: false,
        },
    }
}
