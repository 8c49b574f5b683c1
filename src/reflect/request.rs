//! Requests: changes that a person asks for in words. What the models see, and how their answers are read.
//!
//! One model finds items, another (or the same) decides on edits; an edit names an item by its path and its text. Never
//! applies an edit.

use std::fmt::Write;

use anyhow::{Context as _, anyhow, bail};
use serde_json::{Map, Value, json};

use crate::path::MemoryPath;
use crate::text::llm_tokens::estimate_llm_tokens;
use crate::text::one_line::collapse_whitespace;
use crate::text::secrets::redact;

/// The longest request, in characters.
pub const MAX_REQUEST_CHARS: usize = 2000;
/// The longest reply, in tokens.
pub const MAX_REPLY_TOKENS: u32 = 2000;
/// The most edits of one answer.
pub const MAX_EDITS: usize = 50;
/// How much of the items a model sees, in estimated tokens.
pub const MAX_ITEM_TOKENS: usize = 6000;
/// How much of the list of files a model sees, in estimated tokens.
const MAX_INDEX_TOKENS: usize = 2000;

const FINDER_PROMPT: &str = include_str!("prompts/finder.md");
const EDITOR_PROMPT: &str = include_str!("prompts/editor.md");

/// A file that a request may change.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RequestFile {
    pub path: MemoryPath,
    pub summary: String,
    /// `tags:` of its front matter.
    pub tags: Vec<String>,
}

/// A bullet, as an edit names it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RequestItem {
    /// The file's place in the list of files.
    pub file: usize,
    /// The name of the file in an edit, unless `path` begins with it.
    pub file_name: Option<String>,
    /// `food.likes[2]`; the index counts from 0.
    pub path: String,
    /// Its address with handle.
    pub address: String,
    pub text: String,
}

impl RequestItem {
    /// The path of its list: `food.likes`.
    pub fn list(&self) -> &str {
        self.path.split('[').next().unwrap_or(&self.path)
    }

    fn as_json(&self) -> Value {
        let mut row = json!({"path": self.path, "current_value": redact(&self.text).0});
        if let Some(name) = &self.file_name {
            row["file"] = name.clone().into();
        }
        row
    }
}

/// An item that a model names.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct NamedItem {
    pub path: String,
    pub file: Option<String>,
    /// Its text; empty if the model gave none.
    pub value: String,
}

impl NamedItem {
    /// The item that an edit or a location names.
    pub fn of(value: &Value) -> NamedItem {
        let text = |key: &str| value[key].as_str().map(str::trim).filter(|text| !text.is_empty()).map(str::to_owned);
        let current = match &value["current_value"] {
            Value::Object(item) => {
                ["display", "item"].iter().find_map(|key| item.get(*key)?.as_str()).map(str::to_owned)
            }
            _ => text("current_value"),
        };
        NamedItem { path: text("path").unwrap_or_default(), file: text("file"), value: current.unwrap_or_default() }
    }

    fn has_index(&self) -> bool {
        self.path.ends_with(']')
    }

    /// Whether this names an item of that place, whatever its text.
    fn is_at(&self, item: &RequestItem) -> bool {
        let stem = |name: &str| name.strip_suffix(".json").or(name.strip_suffix(".md")).unwrap_or(name).to_owned();
        let path = if self.has_index() { item.path.as_str() } else { item.list() };
        let same_file = match (&self.file, &item.file_name) {
            (None, None) => true,
            (Some(own), Some(other)) => stem(own) == stem(other),
            // The file of a path that begins with it may be named, too.
            (Some(own), None) => {
                let first = item.path.split(['.', '[']).next().unwrap_or_default();
                let own = stem(own);
                own == first || own.strip_prefix("facts/") == Some(first)
            }
            (None, Some(_)) => false,
        };
        same_file && self.path == path
    }
}

/// Why a model names an item that is not there.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NamedProblem {
    NotFound,
    NoValue,
    /// Another text is there; its place in the list of items, if one is meant.
    OtherValue(Option<usize>),
}

/// The item that a model names: by its path and its text, which must agree. `found` are the items that a search named;
/// their texts count for an edit without a text.
///
/// # Errors
/// What is wrong.
pub fn resolve_item(named: &NamedItem, items: &[RequestItem], found: &[usize]) -> Result<usize, NamedProblem> {
    let at: Vec<usize> = (0..items.len()).filter(|n| named.is_at(&items[*n])).collect();
    match &at[..] {
        [] => Err(NamedProblem::NotFound),
        [one] if named.value.is_empty() && named.has_index() && found.contains(one) => Ok(*one),
        _ if named.value.is_empty() => Err(NamedProblem::NoValue),
        several => {
            let mut matching = several.iter().filter(|n| is_value(&named.value, &items[**n].text));
            match (matching.next(), matching.next(), several) {
                (Some(one), None, _) => Ok(*one),
                (None, _, [one]) => Err(NamedProblem::OtherValue(Some(*one))),
                _ => Err(NamedProblem::OtherValue(None)),
            }
        }
    }
}

/// Whether a value that a model copied is an item's text: letters and digits count. An object that it printed
/// (`{'item': 'scrambled_eggs', …}`) contains the text.
fn is_value(value: &str, text: &str) -> bool {
    let (copied, own, shown) = (letters(value), letters(text), letters(&redact(text).0));
    if own.is_empty() {
        return value.trim() == text.trim();
    }
    copied == own || copied == shown || value.starts_with('{') && format!(" {copied} ").contains(&format!(" {own} "))
}

/// Lower-case words of letters and digits, with a space between them.
fn letters(text: &str) -> String {
    let plain: String = text.to_lowercase().chars().map(|c| if c.is_alphanumeric() { c } else { ' ' }).collect();
    collapse_whitespace(&plain)
}

/// The system prompt of the model that finds items.
pub fn finder_prompt() -> String {
    FINDER_PROMPT.trim_end().to_owned()
}

/// The system prompt of the model that decides on edits, from the user's own text if there is one.
pub fn editor_prompt(own: Option<&str>, max_chars: usize) -> String {
    own.unwrap_or(EDITOR_PROMPT).trim_end().replace("{max_chars}", &max_chars.to_string())
}

/// The question: files, items and the request. Angle brackets cannot end a block.
pub fn build_question(request: &str, files: &[RequestFile], items: &[&RequestItem]) -> String {
    let mut memory = String::new();
    for (n, file) in files.iter().enumerate() {
        let tags = if file.tags.is_empty() { String::new() } else { format!(" (tags: {})", file.tags.join(", ")) };
        let line = format!("file {}{tags}: {}\n", file.path, redact(&file.summary).0);
        if estimate_llm_tokens(&memory) + estimate_llm_tokens(&line) > MAX_INDEX_TOKENS {
            _ = writeln!(memory, "… and {} more files", files.len() - n);
            break;
        }
        memory.push_str(&line);
    }
    items.iter().for_each(|item| _ = writeln!(memory, "{}", item.as_json()));
    if items.is_empty() {
        memory.push_str("no item is found\n");
    }
    let plain = |text: &str| text.replace('<', "‹");
    format!("<memory>\n{}</memory>\n\n<request>\n{}\n</request>\n", plain(&memory), plain(&redact(request.trim()).0))
}

/// How many tokens an item takes in a question, estimated.
pub fn item_tokens(item: &RequestItem) -> usize {
    estimate_llm_tokens(&item.as_json().to_string()) + 1
}

/// The schema of the finder's answer: every key required, as hosts with strict schemas need.
pub fn finder_schema() -> Value {
    let location = json!({
        "type": "object",
        "properties": {
            "path": {"type": "string"},
            "file": {"type": ["string", "null"]},
            "current_value": {"type": "string"},
            "relevance": {"type": "string"},
        },
        "required": ["path", "file", "current_value", "relevance"],
        "additionalProperties": false,
    });
    json!({
        "type": "object",
        "properties": {
            "locations": {"type": "array", "items": location},
            "suggested_insert_path": {"type": ["string", "null"]},
            "reasoning": {"type": "string"},
        },
        "required": ["locations", "suggested_insert_path", "reasoning"],
        "additionalProperties": false,
    })
}

/// The schema of the editor's answer.
pub fn editor_schema() -> Value {
    let new_value = json!({
        "type": ["object", "null"],
        "properties": {
            "display": {"type": "string"},
            "importance": {"type": ["number", "null"]},
            "confidence": {"type": ["number", "null"]},
            "expiry": {"type": ["string", "null"]},
        },
        "required": ["display", "importance", "confidence", "expiry"],
        "additionalProperties": false,
    });
    let edit = json!({
        "type": "object",
        "properties": {
            "operation": {"enum": ["insert", "update", "delete", "no_change"]},
            "path": {"type": "string"},
            "file": {"type": ["string", "null"]},
            "current_value": {"type": ["string", "null"]},
            "new_value": new_value,
            "reason": {"type": "string"},
        },
        "required": ["operation", "path", "file", "current_value", "new_value", "reason"],
        "additionalProperties": false,
    });
    json!({
        "type": "object",
        "properties": {
            "decision": {"enum": ["proceed", "no_change", "reject"]},
            "reasoning": {"type": "string"},
            "edits": {"type": "array", "items": edit},
        },
        "required": ["decision", "reasoning", "edits"],
        "additionalProperties": false,
    })
}

/// What a search named.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct FinderAnswer {
    pub locations: Vec<NamedItem>,
    /// The list for a new item.
    pub insert_path: Option<String>,
}

/// Reads the finder's reply.
///
/// # Errors
/// What is missing, in words for the model.
pub fn parse_finder(text: &str, calls: &[Value]) -> anyhow::Result<FinderAnswer> {
    let answer = json_objects(text, calls).find(|object| object.contains_key("locations"));
    let answer = answer.context("the reply has no JSON object with \"locations\"")?;
    let rows = match &answer["locations"] {
        Value::Array(rows) => rows.clone(),
        Value::Null => Vec::new(),
        _ => bail!("\"locations\" is no list"),
    };
    let insert_path = answer.get("suggested_insert_path").and_then(Value::as_str);
    Ok(FinderAnswer {
        locations: rows.iter().map(NamedItem::of).collect(),
        insert_path: insert_path.map(str::trim).filter(|path| !path.is_empty()).map(str::to_owned),
    })
}

/// What the editor decided.
#[derive(Clone, Debug, PartialEq)]
pub enum EditorAnswer {
    /// Edits, as the model wrote them, and why.
    Proceed(Vec<Map<String, Value>>, String),
    /// Nothing is to be changed, and why.
    NoChange(String),
    /// The request is not met, and why.
    Rejected(String),
}

/// Reads the editor's reply.
///
/// # Errors
/// What is wrong, in words for the model.
pub fn parse_editor(text: &str, calls: &[Value]) -> anyhow::Result<EditorAnswer> {
    let is_answer =
        |object: &Map<String, Value>| ["edits", "decision", "operation"].iter().any(|k| object.contains_key(*k));
    let mut answer =
        json_objects(text, calls).find(is_answer).context("the reply has no JSON object with \"edits\"")?;
    // One edit alone, without the object around it.
    if answer.contains_key("operation") {
        answer = Map::from_iter([("edits".to_owned(), json!([answer]))]);
    }
    let string = |value: Option<&Value>| value.and_then(Value::as_str).unwrap_or_default().trim().to_owned();
    let edits: Vec<Map<String, Value>> = match answer.remove("edits") {
        Some(Value::Array(edits)) if edits.iter().all(Value::is_object) => {
            edits.into_iter().filter_map(|edit| edit.as_object().cloned()).collect()
        }
        Some(Value::Object(edit)) => vec![edit],
        None | Some(Value::Null) => Vec::new(),
        Some(_) => bail!("\"edits\" is no list of objects"),
    };
    let is_change = |edit: &Map<String, Value>| edit.get("operation").and_then(Value::as_str) != Some("no_change");
    let (changes, others): (Vec<_>, Vec<_>) = edits.into_iter().partition(is_change);
    let mut reasoning = string(answer.get("reasoning"));
    if reasoning.is_empty() || changes.is_empty() && !others.is_empty() && answer.get("decision").is_none() {
        let of_edit = others.first().map(|edit| string(edit.get("reason"))).filter(|reason| !reason.is_empty());
        reasoning = of_edit.unwrap_or(reasoning);
    }
    let decision = string(answer.get("decision")).to_lowercase().replace([' ', '-'], "_");
    match (decision.as_str(), changes.is_empty()) {
        ("" | "proceed", false) if changes.len() > MAX_EDITS => {
            Err(anyhow!("at most {MAX_EDITS} edits are made at once"))
        }
        ("" | "proceed", false) => Ok(EditorAnswer::Proceed(changes, reasoning)),
        ("" | "proceed" | "no_change", true) => Ok(EditorAnswer::NoChange(reasoning)),
        (_, true) => Ok(EditorAnswer::Rejected(reasoning)),
        (_, false) => Err(anyhow!("the decision is \"{decision}\", but there are edits")),
    }
}

/// The JSON objects of a reply, in order: arguments of calls, then those in the text.
fn json_objects<'a>(text: &'a str, calls: &'a [Value]) -> impl Iterator<Item = Map<String, Value>> + 'a {
    let text = text.rsplit("</think>").next().unwrap_or(text);
    let starts = text
        .match_indices('{')
        .take(20)
        .filter_map(|(at, _)| serde_json::Deserializer::from_str(&text[at..]).into_iter::<Value>().next()?.ok());
    calls.iter().cloned().chain(starts).filter_map(|value| match value {
        Value::Object(object) => Some(object),
        _ => None,
    })
}

#[cfg(test)]
mod tests;
