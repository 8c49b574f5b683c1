//! A query and its items as JSON (`memory.query`).
//!
//! Never guesses: an unknown field and a value out of range are errors.

use schemars::JsonSchema;
use serde::Serialize;
use serde_json::{Map, Value};

use super::filter::QueryOptions;
use super::query_row::QueryRow;
use crate::code::{Code, Rejection};
use crate::json_shape::{JsonShape, ShapeForm, as_integer, optional};

/// A positive number, at most a million.
const COUNT: JsonShape = JsonShape::Integer(1, 1_000_000);
/// Importance on the scale of the JSON format.
const IMPORTANCE: JsonShape = JsonShape::Integer(0, 5);
const NAMES: JsonShape = JsonShape::List(&JsonShape::Text(1), 0);
const NAME: JsonShape = JsonShape::Text(1);

/// The fields of `filters`.
const FILTERS: ShapeForm = ShapeForm::new(
    "filters",
    &[&[
        optional("user_id", &NAME, "the scope to search"),
        optional("agent_id", &NAME, "the actor who wrote it (by)"),
        optional("actor_id", &NAME, "the actor who wrote it (by)"),
        optional("run_id", &NAME, "the run it is from (run)"),
        optional("role", &NAME, "the role of the message it is from (role)"),
        optional("category", &NAME, "one category"),
        optional("pinned", &JsonShape::Boolean, "only pinned items, or only others"),
        optional("importance_min", &IMPORTANCE, "1 to 5; doubled on memdir's scale"),
        optional("importance_max", &IMPORTANCE, "1 to 5; doubled on memdir's scale"),
        optional("updated_after", &NAME, "not before this day"),
        optional("updated_before", &NAME, "not after this day"),
    ]],
);

/// The fields of a query.
const QUERY: ShapeForm = ShapeForm::new(
    "query",
    &[&[
        optional("agent", &NAME, "the agent that runs the query"),
        optional("query", &JsonShape::Text(0), "the search words"),
        optional("categories", &NAMES, "any of these categories"),
        optional("filters", &JsonShape::Object(&FILTERS), "filters that every item must pass"),
        optional("top_k", &COUNT, "maximum number of items"),
        optional("return", &JsonShape::Choice(&["bullets", "full"]), "texts on one line, or whole texts"),
        optional("budget_tokens", &COUNT, "maximum number of tokens"),
        optional("threshold", &JsonShape::Number, "minimum relevance, 0 to 1"),
    ]],
);

/// Reads a query from JSON text.
///
/// # Errors
/// `invalid_query`.
pub fn parse(text: &str) -> Result<QueryOptions, Rejection> {
    let value: Value =
        serde_json::from_str(text).map_err(|e| invalid_query(format!("the query is not valid JSON: {e}")))?;
    let Value::Object(object) = value else { return Err(invalid_query("the query is not a JSON object".into())) };
    QUERY.check(&object).map_err(|problem| Rejection { hint: problem.hint(), ..invalid_query(problem.message) })?;
    let none = Map::new();
    let filters = object.get("filters").and_then(Value::as_object).unwrap_or(&none);
    let text = |of: &Map<String, Value>, name: &str| of.get(name).and_then(Value::as_str).map(str::to_owned);
    let count = |name: &str| object.get(name).and_then(as_integer).map(|n| n as usize);
    let mut categories: Vec<String> = object
        .get("categories")
        .and_then(Value::as_array)
        .into_iter()
        .flatten()
        .filter_map(Value::as_str)
        .map(str::to_owned)
        .collect();
    categories.extend(text(filters, "category"));
    let by = [text(filters, "agent_id"), text(filters, "actor_id")];
    if let [Some(a), Some(b)] = &by
        && a != b
    {
        return Err(invalid_query("'filters.agent_id' and 'filters.actor_id' name different writers".into()));
    }
    let threshold = object.get("threshold").and_then(Value::as_f64);
    if threshold.is_some_and(|t| !(0.0..=1.0).contains(&t)) {
        return Err(invalid_query("'threshold' must be a number from 0 to 1".into()));
    }
    let [agent_id, actor_id] = by;
    Ok(QueryOptions {
        query: text(&object, "query").unwrap_or_default(),
        agent: text(&object, "agent"),
        categories,
        imp: importance_range(filters),
        since: text(filters, "updated_after"),
        until: text(filters, "updated_before"),
        pinned: filters.get("pinned").and_then(Value::as_bool),
        by: agent_id.or(actor_id),
        run: text(filters, "run_id"),
        role: text(filters, "role"),
        scope: text(filters, "user_id"),
        threshold,
        limit: count("top_k"),
        budget: count("budget_tokens"),
        full: text(&object, "return").as_deref() == Some("full"),
        ..QueryOptions::default()
    })
}

/// The JSON format counts from 1 to 5, memdir to 10. A bound at the end of the scale filters nothing.
fn importance_range(filters: &Map<String, Value>) -> Option<(f64, f64)> {
    let bound = |name: &str| filters.get(name).and_then(as_integer);
    let (low, high) = (bound("importance_min").filter(|n| *n > 1), bound("importance_max").filter(|n| *n < 5));
    if low.is_none() && high.is_none() {
        return None;
    }
    Some((low.map_or(0.0, |n| 2.0 * n as f64), high.map_or(10.0, |n| 2.0 * n as f64)))
}

fn invalid_query(message: String) -> Rejection {
    Rejection::new(Code::InvalidQuery, message)
}

/// One item of the answer.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct QueryItem {
    /// Its address: `facts/user.md@acvh`; of an item of another scope the path to it, `scopes/cal/facts/user.md@acvh`,
    /// which every command refuses with the way to name it.
    pub id: String,
    pub category: String,
    /// `[category]` and its text on one line.
    pub text: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub date: Option<String>,
    /// With `return: full`: its markdown.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub full: Option<String>,
    /// With `return: full`: the markdown of the entry that it belongs to.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub entry: Option<String>,
    /// With `return: full`: its metadata.
    #[serde(skip_serializing_if = "Map::is_empty")]
    pub meta: Map<String, Value>,
}

impl QueryItem {
    /// `scope` is the one that was searched, unless it is that of the session.
    pub fn new(row: QueryRow, scope: Option<&str>) -> QueryItem {
        let id = scope.map_or_else(|| row.address.clone(), |scope| format!("scopes/{scope}/{}", row.address));
        let is_marked = row.text.starts_with(&format!("[{}]", row.category));
        let text = if is_marked { row.text } else { format!("[{}] {}", row.category, row.text) };
        let meta = if row.full.is_some() { row.meta } else { Map::new() };
        let (full, entry, date, category) = (row.full, row.entry, row.date, row.category);
        QueryItem { id, category, text, date, full, entry, meta }
    }
}

/// The JSON Schema of a query.
pub fn schema() -> Value {
    let mut schema = QUERY.schema();
    schema["$schema"] = "https://json-schema.org/draft/2020-12/schema".into();
    schema["title"] = "memdir query".into();
    schema
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_full_query_is_parsed() {
        let options = parse(
            r#"{"agent":"planner","query":"deployment plan context","categories":["tasks","projects"],
                "filters":{"user_id":"ana","agent_id":"claude","run_id":"r-1","role":"assistant","pinned":false,
                           "importance_min":2,"importance_max":4,"updated_after":"2025-07-01","updated_before":null},
                "top_k":3,"return":"bullets","budget_tokens":512,"threshold":0.65}"#,
        )
        .unwrap();
        let wanted = QueryOptions {
            query: "deployment plan context".into(),
            agent: Some("planner".into()),
            categories: vec!["tasks".into(), "projects".into()],
            imp: Some((4.0, 8.0)),
            since: Some("2025-07-01".into()),
            pinned: Some(false),
            by: Some("claude".into()),
            run: Some("r-1".into()),
            role: Some("assistant".into()),
            scope: Some("ana".into()),
            threshold: Some(0.65),
            limit: Some(3),
            budget: Some(512),
            ..QueryOptions::default()
        };
        assert_eq!(options, wanted);
        assert_eq!(parse(r#"{"query":"a","filters":{"importance_min":1,"importance_max":5}}"#).unwrap().imp, None);
    }

    #[test]
    fn unknown_fields_are_rejected() {
        for (text, part) in [
            ("[]", "not a JSON object"),
            ("{", "not valid JSON"),
            (r#"{"qery":"a"}"#, "did you mean 'query'"),
            (r#"{"query":"a","filters":{"who":"b"}}"#, "'who' is unknown"),
            (r#"{"query":"a","top_k":0}"#, "from 1"),
            (r#"{"query":"a","return":"all"}"#, "'bullets' or 'full'"),
            (r#"{"query":"a","threshold":2}"#, "from 0 to 1"),
            (r#"{"query":"a","filters":{"agent_id":"a","actor_id":"b"}}"#, "different writers"),
        ] {
            let refused = parse(text).unwrap_err();
            assert_eq!(refused.code, Code::InvalidQuery);
            assert!(refused.message.contains(part), "{text}: {}", refused.message);
        }
    }
}
