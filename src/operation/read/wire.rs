//! Our own dialect: one flat object per operation, `{"op":"add","at":"user","text":"…"}`, and its inverse.
//!
//! Knows no seed's words.

use serde_json::{Map, Value, json};

use super::super::{Action, Operation, Target};
use super::texts::{BULLET, COMMON, DATE, FILLED, Got, INDEX, KEY, LINE, SCALAR, TEXT, VALUE, join, split};
use crate::shape::{Field, Form, Group, Shape, may, need};

/// Every operation's form, in the order of the manual.
pub const FORMS: &[&Form] = &[&ADD, &UPDATE, &RM, &MV, &SET, &WRITE, &PATCH, &APPEND, &NOTHING];

/// Every field of the dialect.
const ALL: &[&str] = &[
    "at",
    "category",
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
    "forget",
];

const fn op(
    name: &'static str,
    about: &'static str,
    fields: &'static [&'static [Field]],
    groups: &'static [Group],
) -> Form {
    Form { name, about, fields, groups, foreign: ALL, open: false, rule: None }
}

/// A file or section may be named by its address or by a category.
const PLACE: &[Field] = &[
    may("at", &FILLED, "the address: user, user#work, user@acvh, @mem123"),
    may("category", &LINE, "instead of at: that section of the policy's default file"),
];
const ONE_PLACE: &[Group] = &[Group::One(&["at", "category"])];
const FILE: &[Field] = &[need("at", &FILLED, "the file's address")];
const CREATE: &[Field] = &[may("create", &Shape::Flag, "make the file although its name is close to another's")];
const INDEXED: &[Field] = &[may("index", &INDEX, "the bullet's place in that file or section, from 1")];

const ADD: Form = op(
    "add",
    "Adds one bullet at the end of a file or section; one that is missing is made.",
    &[
        &[need("op", &Shape::Choice(&["add"]), "")],
        PLACE,
        &[
            need("text", &BULLET, "the bullet: one line; indented lines below it become its children"),
            may("meta", &Shape::Map(&KEY, &SCALAR, 0), "metadata: exp, imp, conf, pin, src …"),
        ],
        CREATE,
        COMMON,
    ],
    ONE_PLACE,
);
const UPDATE: Form = op(
    "update",
    "Gives a bullet a new text.",
    &[
        &[need("op", &Shape::Choice(&["update"]), "")],
        PLACE,
        &[need("text", &LINE, "the new text, one line"), may("old", &FILLED, "the text it has now")],
        INDEXED,
        COMMON,
    ],
    ONE_PLACE,
);
const RM: Form = op(
    "rm",
    "Removes a bullet, or without selector a section or file.",
    &[
        &[need("op", &Shape::Choice(&["rm"]), "")],
        PLACE,
        &[may("text", &FILLED, "the text the bullet has now")],
        INDEXED,
        &[
            may("archive", &Shape::Flag, "keep it below archive/"),
            may("forget", &Shape::Flag, "keep it nowhere, history included"),
        ],
        COMMON,
    ],
    ONE_PLACE,
);
const MV: Form = op(
    "mv",
    "Moves a bullet, section or file.",
    &[
        &[need("op", &Shape::Choice(&["mv"]), "")],
        PLACE,
        &[need("to", &FILLED, "the address it moves to")],
        CREATE,
        COMMON,
    ],
    ONE_PLACE,
);
const SET: Form = op(
    "set",
    "Sets a bullet's metadata, a section's title or id, a file's summary, title or front matter.",
    &[
        &[need("op", &Shape::Choice(&["set"]), "")],
        PLACE,
        &[need("meta", &Shape::Map(&KEY, &SCALAR, 1), "keys and values; an empty value removes the key")],
        COMMON,
    ],
    ONE_PLACE,
);
const WRITE: Form = op(
    "write",
    "Makes or replaces a whole file.",
    &[&[need("op", &Shape::Choice(&["write"]), "")], FILE, &[need("text", &TEXT, "the whole text")], CREATE, COMMON],
    &[],
);
const PAIR: Form = Form {
    name: "pair",
    about: "",
    fields: &[&[
        need("old", &FILLED, "a text that stands exactly once in the file"),
        need("new", &TEXT, "what it becomes"),
    ]],
    groups: &[],
    foreign: &[],
    open: false,
    rule: None,
};
const PATCH: Form = op(
    "patch",
    "Replaces exact texts, all or none.",
    &[
        &[need("op", &Shape::Choice(&["patch"]), "")],
        FILE,
        &[need("pairs", &Shape::List(&Shape::Object(&PAIR), 1), "old and new texts, in order")],
        COMMON,
    ],
    &[],
);
const APPEND: Form = op(
    "append",
    "Appends an episode entry, or a block of markdown to another file.",
    &[
        &[
            need("op", &Shape::Choice(&["append"]), ""),
            may("at", &FILLED, "the file's address; without it, the current episode file"),
            need("text", &TEXT, "markdown below the title (or the whole entry, without title)"),
            may("title", &LINE, "the entry's title"),
            may("date", &DATE, "the entry's date; today without it"),
            may("summary", &LINE, "the entry's own summary, one line"),
            may("file_summary", &VALUE, "the file's summary line, as you want it"),
        ],
        CREATE,
        COMMON,
    ],
    &[],
);
const NOTHING: Form = op(
    "nothing",
    "Does nothing, and says so.",
    &[
        &[need("op", &Shape::Choice(&["nothing"]), ""), may("at", &FILLED, "what was looked at")],
        PLACE_CATEGORY,
        COMMON,
    ],
    &[],
);
const PLACE_CATEGORY: &[Field] = &[may("category", &LINE, "what was looked at, by category")];

/// The operation that a checked object of one of [`FORMS`] names.
pub fn action(op: &str, got: Got) -> Action {
    let at = || place(got).unwrap_or_else(|| Target::Address(String::new()));
    let create = got.flag("create");
    match op {
        "add" => {
            let (text, children) = split(&got.needed("text"));
            Action::Add { at: at(), text, children, meta: got.meta("meta"), create }
        }
        "update" => {
            Action::Update { at: at(), index: got.index("index"), old: got.text("old"), text: got.needed("text") }
        }
        "rm" => Action::Remove {
            at: at(),
            index: got.index("index"),
            text: got.text("text"),
            archive: got.flag("archive"),
            forget: got.flag("forget"),
        },
        "mv" => Action::Move { at: at(), to: got.needed("to"), create },
        "set" => Action::Set { at: at(), pairs: got.meta("meta") },
        "write" => Action::Write { at: at(), text: got.needed("text"), create },
        "patch" => Action::Patch { at: at(), pairs: got.pairs("pairs", "old", "new") },
        "append" => Action::Append {
            at: place(got),
            text: got.needed("text"),
            title: got.text("title"),
            date: got.text("date"),
            summary: got.text("summary"),
            file_summary: got.text("file_summary"),
            create,
        },
        _ => Action::Nothing { at: place(got) },
    }
}

fn place(got: Got) -> Option<Target> {
    got.text("at").map(Target::Address).or_else(|| got.text("category").map(Target::Category))
}

/// An operation as this dialect writes it; what is absent or false is left out.
pub fn print(operation: &Operation) -> Value {
    let mut out = Out(Map::new());
    out.action(&operation.action);
    out.may("seen", &operation.seen);
    out.may("if_match", &operation.if_match);
    out.may("reason", &operation.reason);
    out.may("source", &operation.source);
    Value::Object(out.0)
}

struct Out(Map<String, Value>);

impl Out {
    fn action(&mut self, action: &Action) {
        match action {
            Action::Add { at, text, children, meta, create } => {
                self.op("add", Some(at)).put("text", join(text, children)).meta(meta).flag("create", *create)
            }
            Action::Update { at, index, old, text } => {
                self.op("update", Some(at)).may("index", index).may("old", old).put("text", text.as_str())
            }
            Action::Remove { at, index, text, archive, forget } => {
                self.op("rm", Some(at)).may("index", index).may("text", text);
                self.flag("archive", *archive).flag("forget", *forget)
            }
            Action::Move { at, to, create } => self.op("mv", Some(at)).put("to", to.as_str()).flag("create", *create),
            Action::Set { at, pairs } => self.op("set", Some(at)).meta(pairs),
            Action::Write { at, text, create } => {
                self.op("write", Some(at)).put("text", text.as_str()).flag("create", *create)
            }
            Action::Patch { at, pairs } => {
                let pairs: Vec<Value> = pairs.iter().map(|(old, new)| json!({"old": old, "new": new})).collect();
                self.op("patch", Some(at)).put("pairs", pairs)
            }
            Action::Append { at, text, title, date, summary, file_summary, create } => {
                self.op("append", at.as_ref()).may("title", title).may("date", date).may("summary", summary);
                self.put("text", text.as_str()).may("file_summary", file_summary).flag("create", *create)
            }
            Action::Nothing { at } => self.op("nothing", at.as_ref()),
        };
    }

    fn op(&mut self, op: &str, at: Option<&Target>) -> &mut Out {
        self.put("op", op);
        match at {
            Some(Target::Address(at)) => self.put("at", at.as_str()),
            Some(Target::Category(name)) => self.put("category", name.as_str()),
            None => self,
        }
    }

    fn put(&mut self, name: &str, value: impl Into<Value>) -> &mut Out {
        self.0.insert(name.into(), value.into());
        self
    }

    fn may<T: Clone + Into<Value>>(&mut self, name: &str, value: &Option<T>) -> &mut Out {
        match value {
            Some(value) => self.put(name, value.clone()),
            None => self,
        }
    }

    fn flag(&mut self, name: &str, value: bool) -> &mut Out {
        if value { self.put(name, true) } else { self }
    }

    fn meta(&mut self, meta: &[(String, String)]) -> &mut Out {
        let all: Map<String, Value> = meta.iter().map(|(k, v)| (k.clone(), v.as_str().into())).collect();
        if all.is_empty() { self } else { self.put("meta", all) }
    }
}
