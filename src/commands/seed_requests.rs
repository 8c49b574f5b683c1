//! The requests of the earlier memory designs (docs/internals/requirements.md), with replies in their words: tools for
//! whole files, decisions about bullets and paths, the search for locations, and `memory.query`.
//!
//! Never asks for proof where those memories ask for none: a file is overwritten, and an index alone counts. `undo`
//! takes every change back.

use schemars::JsonSchema;
use serde::Serialize;
use serde_json::{Map, Value, json};

use super::error_json::error_fields;
use super::fetch::with_fetches;
use super::forget::require_kept_history;
use super::results::{BulletRow, ChangeOutcome, ListResult};
use super::{ChangeOptions, CommandResult, Error, ListOptions, Session, change, list, list_bullets, query, read};
use crate::code::{Code, Rejection, quote_short};
use crate::json_shape::{JsonShape, ShapeForm, ShapeProblem, optional, required};
use crate::operation::dialects::{self, ReadCall};
use crate::operation::resource_targets::resource_files;
use crate::operation::{Action, Batch, PlanStop, Snapshot, Target, locate};
use crate::path::MemoryPath;
use crate::view::query::filter::QueryOptions;
use crate::view::query::query_json::{self, QueryItem};
use crate::view::query::query_row::QueryRow;

/// The reply to a change.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
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
#[non_exhaustive]
pub struct SeedFile {
    pub path: String,
    pub summary: String,
    /// The size in bytes.
    pub size: u64,
}

/// What a search for locations found.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[non_exhaustive]
pub struct FoundLocations {
    pub locations: Vec<FoundLocation>,
    /// The list of the best one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub suggested_insert_path: Option<String>,
    pub reasoning: String,
}

/// An item, as an edit names it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[non_exhaustive]
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
        Some(ReadCall::Query(query)) => return seed_query(session, &Value::Object(query).to_string()),
        None => {}
    }
    match () {
        () if has("json_content") => Ok(json!(find_locations(session, &fields)?)),
        () if has("query") || has("filters") => seed_query(session, request),
        () if has("userMessages") || has("assistantMessages") => {
            let message = "a conversation is no change: a model proposes what to keep of it";
            Err(Rejection::new(Code::Usage, message).hint("pass it to memdir reflect").into())
        }
        () => seed_change(session, request),
    }
}

/// The items that match. An empty list means that nothing does, so a scope that does not exist and a budget in which no
/// item fits are errors.
fn seed_query(session: &Session, request: &str) -> CommandResult<Value> {
    let options = query_json::parse(request)?.with_default_limit();
    // The reply, a list, has no place for a note.
    if let Some(scope) = &options.scope
        && let Err(error) = session.session_in_scope(scope)
    {
        return Err(error.into());
    }
    let result = query(session, &options)?;
    match result.nothing_fits() {
        Some(reason) => Err(Rejection::new(Code::Usage, reason).hint("use a larger budget_tokens").into()),
        None => {
            let scope = result.scope.as_deref();
            Ok(result.items.into_iter().map(|row| json!(QueryItem::new(row, scope))).collect())
        }
    }
}

fn seed_change(session: &Session, request: &str) -> CommandResult<Value> {
    let options = ChangeOptions { force: true, ..ChangeOptions::default() };
    let mut batch = dialects::parse_batch(request)?;
    require_kept_history(&batch)?;
    // Without a delete that finds nothing it is still the batch of its id.
    batch.requested_digest = Some(batch.digest());
    let mut reply = SeedChange { success: true, applied_count: None, warnings: Vec::new() };
    loop {
        match change(session, batch.clone(), &options) {
            Ok(ChangeOutcome::Changed(change)) => {
                reply.applied_count = change.applied_count;
                reply.warnings.extend(change.warnings.into_iter().map(|warning| warning.message));
            }
            Ok(ChangeOutcome::Repeated(_)) => {}
            Err(error) => {
                // Those designs ask for no proof that an item is there: what is gone already is deleted.
                let Some((at, reason)) = vain_delete(&batch, &error) else { return Err(error) };
                reply.warnings.push(format!("nothing to delete: {reason}"));
                batch.operations.remove(at);
                if !batch.operations.is_empty() {
                    continue;
                }
            }
        }
        return Ok(json!(reply));
    }
}

/// The first operation that failed because what it deletes does not exist, and the reason. Not one that names a text: that
/// the text is another is no sign that it was deleted.
fn vain_delete(batch: &Batch, error: &Error) -> Option<(usize, String)> {
    let is_missing = |code| matches!(code, Code::BulletNotFound | Code::SectionNotFound | Code::FileNotFound);
    error.rejections.iter().filter(|rejection| is_missing(rejection.code)).find_map(|rejection| {
        let at = rejection.operation.unwrap_or(0);
        let is_delete = matches!(batch.operations.get(at)?.action, Action::Remove { text: None, .. });
        is_delete.then(|| (at, rejection.message.clone()))
    })
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
    let within = match file_to_search(&fields["json_content"]) {
        Some(name) => resource_paths(session, &name)?,
        None => Vec::new(),
    };
    let options = QueryOptions {
        query: fields["query"].as_str().unwrap_or_default().to_owned(),
        within,
        explain: true,
        ..QueryOptions::default()
    };
    let result =
        query(session, &options.with_default_limit()).map_err(|error| name_resource(error, &fields["json_content"]))?;
    let mut found_locations =
        FoundLocations { locations: Vec::new(), suggested_insert_path: None, reasoning: String::new() };
    let mut found = 0;
    for row in result.items.iter().filter(|row| row.handle.is_some()) {
        // An item that scores by what stands beside it has nothing to say for itself.
        let Some(relevance) = own_relevance(row) else { continue };
        found += 1;
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
        if found_locations.suggested_insert_path.is_none() && file.is_none() {
            found_locations.suggested_insert_path = print(None).map(|(_, list)| list);
        }
        found_locations.locations.push(FoundLocation { path, file, current_value: text, relevance });
    }
    let named = found_locations.locations.len();
    let more = if result.found > result.items.len() { " among the best matches" } else { "" };
    found_locations.reasoning = match (found, found == named) {
        (0, _) => "Found nothing with these words".to_owned(),
        (_, true) => format!("Found {found}{more}"),
        (_, false) => format!("Found {found}{more}, of which {named} can be named by a path"),
    };
    Ok(found_locations)
}

/// Why an item was found: the words that stand in it, or what its vector says. `None` if nothing of it is why.
fn own_relevance(row: &QueryRow) -> Option<String> {
    let parts = || row.parts.iter().flatten().filter(|part| part.score > 0.0);
    let words: Vec<&str> = parts().filter(|part| part.is_own).map(|part| part.term.as_str()).collect();
    if !words.is_empty() {
        Some(format!("Contains {}", words.join(", ")))
    } else {
        parts().any(|part| part.term == "(vector)").then(|| "Close in meaning".to_owned())
    }
}

/// The error of a search in a resource that is no file, in the words of the request.
fn name_resource(mut error: Error, content: &Value) -> Error {
    let name = file_to_search(content);
    for rejection in error.rejections.iter_mut().filter(|rejection| rejection.code == Code::FileNotFound) {
        if let Some(name) = &name {
            rejection.message = format!("no file has the name or the resource_id {}", quote_short(name));
            rejection.hint = Some("memory_list lists the files; without json_content all are searched".to_owned());
        }
    }
    error
}

/// The files that a name, without `.json`, means: the one of that name, else those with that `resource_id`; the name
/// itself if there is none in this memory.
fn resource_paths(session: &Session, name: &str) -> CommandResult<Vec<String>> {
    let target = Target::Address(format!("{name}.json"));
    let found = with_fetches(&session.store, &mut Snapshot::new(), |snapshot| {
        match locate::resolve(&target, snapshot, &session.prefixes, &session.policy.policy) {
            Ok(resolved) => Ok(resolved.file.map(|_| resolved.path.to_string()).into_iter().collect()),
            Err(PlanStop::Rejected(error)) if error.code == Code::AmbiguousId => {
                let files = resource_files(name, snapshot)?;
                Ok(files.iter().map(ToString::to_string).collect::<Vec<String>>())
            }
            Err(stop) => Err(stop),
        }
    });
    match found {
        Ok(paths) if !paths.is_empty() => Ok(paths),
        Ok(_) => Ok(vec![name.to_owned()]),
        // A name that is no address may be a pattern.
        Err(error) if matches!(error.code, Code::InvalidPath | Code::FileNotFound) => Ok(vec![name.to_owned()]),
        Err(error) => Err(error.into()),
    }
}

/// The file that a resource is, by the name in its metadata.
fn file_to_search(content: &Value) -> Option<String> {
    let name_in = |resource: &Value| resource["_metadata"]["resource_id"].as_str().map(str::to_owned);
    let name = match content.as_str() {
        Some(text) => match serde_json::from_str::<Value>(text) {
            Ok(resource) if resource.is_object() => name_in(&resource),
            _ => Some(text.to_owned()).filter(|name| !name.trim().is_empty()),
        },
        None => name_in(content),
    };
    name.map(|name| name.strip_suffix(".json").map(str::to_owned).unwrap_or(name))
}

/// How words of consent are passed to a command, and how to this one, which has no options.
const CONSENT_OPTION: &str = "with --consent";
const CONSENT_FIELD: &str = "in the field consent of the request";

/// The reply to a request that failed.
pub fn seed_refusal(error: &Error) -> Value {
    let mut error = error.clone();
    for rejection in &mut error.rejections {
        rejection.hint = rejection.hint.as_deref().map(|hint| hint.replace(CONSENT_OPTION, CONSENT_FIELD));
    }
    let mut fields = error_fields(&error, &|command| command.to_shell(""));
    fields.insert("success".into(), false.into());
    fields.into()
}
