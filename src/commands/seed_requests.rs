//! The requests of the documents that memdir grew from, with replies in their words: tools for whole files, decisions
//! about bullets and paths, the search for locations, and `memory.query`.
//!
//! Never asks for proof where those memories ask for none: a file is overwritten, and an index alone counts. `undo`
//! takes every change back.

use schemars::JsonSchema;
use serde::Serialize;
use serde_json::{Map, Value, json};

use super::answer::{BulletRow, ChangeOutcome, ListResult};
use super::error_json::error_fields;
use super::hints::to_command;
use super::{ChangeOptions, CommandResult, Error, ListOptions, Session, change, list, list_bullets, query, read};
use crate::code::{Code, Rejection};
use crate::json_shape::{JsonShape, ShapeForm, ShapeProblem, optional, required};
use crate::operation::dialects::{self, ReadCall};
use crate::path::MemoryPath;
use crate::view::query::filter::QueryOptions;
use crate::view::query::query_json::{self, QueryItem};

/// The reply to a change.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct SeedChange {
    pub success: bool,
    /// For a patch: the number of replacements.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub applied_count: Option<usize>,
    /// What was done in another way than requested, such as an index that disagreed with its text.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub warnings: Vec<String>,
}

/// A file of the memory.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct SeedFile {
    pub path: String,
    pub summary: String,
    /// The size in bytes.
    pub size: u64,
}

/// What a search for locations found.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct FoundLocations {
    pub locations: Vec<FoundLocation>,
    /// The list of the best one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub suggested_insert_path: Option<String>,
    pub reasoning: String,
}

/// An item, as an edit names it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct FoundLocation {
    /// `food.likes[2]`; the index counts from 0.
    pub path: String,
    /// The file, unless the path begins with it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub file: Option<String>,
    /// Its text, which proves to an edit that this item is meant.
    pub current_value: String,
    pub relevance: String,
}

/// The fields of a search for locations.
const FINDER: ShapeForm = ShapeForm::new(
    "finder",
    &[&[
        required("query", &JsonShape::Text(1), "the words to look for"),
        optional(
            "json_content",
            &JsonShape::AnyOf(&[JsonShape::Text(0), JsonShape::Object(&RESOURCE)]),
            "the file to search, by name or as its resource; else all files",
        ),
    ]],
);
const RESOURCE: ShapeForm = ShapeForm { ignores_unknown: true, ..ShapeForm::new("resource", &[]) };

/// Answers one request, JSON.
///
/// # Errors
/// `invalid_operation`, `invalid_query`, `usage`; as the command that answers it.
pub fn seed_request(session: &Session, request: &str) -> CommandResult<Value> {
    let Ok(Value::Object(fields)) = serde_json::from_str(request) else { return seed_change(session, request) };
    let has = |name: &str| fields.contains_key(name);
    match dialects::parse_read_call(&fields).transpose()? {
        Some(ReadCall::Read(path)) => return Ok(read(session, &path)?.text.into()),
        Some(ReadCall::List) => return Ok(json!(seed_files(session)?)),
        None => {}
    }
    match () {
        () if has("json_content") => Ok(json!(find_locations(session, &fields)?)),
        () if has("query") || has("filters") => {
            let found = query(session, &query_json::parse(request)?.with_default_limit())?;
            Ok(found.items.into_iter().map(|row| json!(QueryItem::from(row))).collect())
        }
        () if has("userMessages") || has("assistantMessages") => {
            let message = "a conversation is no change: a model proposes what to keep of it";
            Err(Rejection::new(Code::Usage, message).hint("pass it to memdir reflect").into())
        }
        () => seed_change(session, request),
    }
}

fn seed_change(session: &Session, request: &str) -> CommandResult<Value> {
    let options = ChangeOptions { force: true, ..ChangeOptions::default() };
    let reply = match change(session, dialects::parse_batch(request)?, &options)? {
        ChangeOutcome::Changed(change) => SeedChange {
            success: true,
            applied_count: change.applied_count,
            warnings: change.warnings.into_iter().map(|warning| warning.message).collect(),
        },
        ChangeOutcome::Repeated(_) => SeedChange { success: true, applied_count: None, warnings: Vec::new() },
    };
    Ok(json!(reply))
}

fn seed_files(session: &Session) -> CommandResult<Vec<SeedFile>> {
    let files = match list(session, None)? {
        ListResult::Files(list) => list.files,
        ListResult::Outline(_) => Vec::new(),
    };
    let readable = files.into_iter().filter(|file| file.refused.is_none());
    Ok(readable.map(|file| SeedFile { path: file.path, summary: file.summary, size: file.size }).collect())
}

/// Finds bullets, with the paths that edits name them by.
fn find_locations(session: &Session, fields: &Map<String, Value>) -> CommandResult<FoundLocations> {
    FINDER.check(fields).map_err(|ShapeProblem { message, .. }| Rejection::new(Code::InvalidQuery, message))?;
    let options = QueryOptions {
        query: fields["query"].as_str().unwrap_or_default().to_owned(),
        within: file_to_search(&fields["json_content"]).into_iter().collect(),
        explain: true,
        ..QueryOptions::default()
    };
    let result = query(session, &options.with_default_limit())?;
    let mut answer = FoundLocations { locations: Vec::new(), suggested_insert_path: None, reasoning: String::new() };
    for row in result.items.iter().filter(|row| row.handle.is_some()) {
        let place = match &row.section {
            Some(section) => format!("{}#{section}", row.path),
            None => row.path.clone(),
        };
        // A nested bullet has no index; one that another writer changed meanwhile is not in the list.
        let listed = list_bullets(session, &place, ListOptions::default())?
            .bullets
            .into_iter()
            .find(|bullet| bullet.address == row.address);
        let (Some(BulletRow { index: Some(index), text, .. }), Ok(path)) =
            (listed, MemoryPath::from_disk_name(&row.path))
        else {
            continue;
        };
        let print = |index| dialects::print_path(&path, row.section.as_deref(), index);
        let Some((file, path)) = print(Some(index)) else { continue };
        if answer.suggested_insert_path.is_none() && file.is_none() {
            answer.suggested_insert_path = print(None).map(|(_, list)| list);
        }
        let parts = row.parts.iter().flatten().filter(|part| part.score > 0.0 && !part.term.starts_with('('));
        let words = parts.map(|part| part.term.as_str());
        let relevance = format!("Contains {}", words.collect::<Vec<_>>().join(", "));
        answer.locations.push(FoundLocation { path, file, current_value: text, relevance });
    }
    answer.reasoning = match (answer.locations.len(), result.found) {
        (_, 0) => "Found nothing with these words".to_owned(),
        (named, found) => format!("Found {found}, of which {named} are named here"),
    };
    Ok(answer)
}

/// The file that a resource is, by the name in its metadata.
fn file_to_search(content: &Value) -> Option<String> {
    let name_in = |resource: &Value| resource["_metadata"]["resource_id"].as_str().map(str::to_owned);
    match content.as_str() {
        Some(text) => match serde_json::from_str::<Value>(text) {
            Ok(resource) if resource.is_object() => name_in(&resource),
            _ => Some(text.strip_suffix(".json").unwrap_or(text).to_owned()).filter(|name| !name.trim().is_empty()),
        },
        None => name_in(content),
    }
}

/// The reply to a request that failed.
pub fn seed_refusal(error: &Error) -> Value {
    let mut fields = error_fields(error, &|hint| to_command(hint, ""));
    fields.insert("success".into(), false.into());
    fields.into()
}
