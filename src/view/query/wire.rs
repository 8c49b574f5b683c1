//! A question as JSON: `memory.query` of seeds/memory-spec.md 6.
//!
//! Never guesses: a field that nobody knows is an error, and so is a value out of bounds.

use serde_json::{Map, Value};

use super::filter::Ask;
use crate::code::{Code, Rejection};
use crate::shape::{Field, Form, Problem, Shape, integer, may};

/// Counts up to a million.
const COUNT: Shape = Shape::Integer(1, 1_000_000);
/// Importance on the seed's scale.
const IMPORTANCE: Shape = Shape::Integer(0, 5);
const NAMES: Shape = Shape::List(&Shape::Text(1), 0);
const NAME: Shape = Shape::Text(1);

/// What stands in `filters`.
const FILTERS: Form = form(
    "filters",
    &[&[
        may("user_id", &NAME, "the scope to look in"),
        may("agent_id", &NAME, "who wrote it (by)"),
        may("actor_id", &NAME, "who wrote it (by)"),
        may("run_id", &NAME, "the run it came from (run)"),
        may("role", &NAME, "the role it was said in (role)"),
        may("category", &NAME, "one category"),
        may("pinned", &Shape::Flag, "only pinned items, or only others"),
        may("importance_min", &IMPORTANCE, "1 to 5; counts double on memdir's scale"),
        may("importance_max", &IMPORTANCE, "1 to 5; counts double on memdir's scale"),
        may("updated_after", &NAME, "not before this day"),
        may("updated_before", &NAME, "not after this day"),
    ]],
);

/// The whole question.
const QUERY: Form = form(
    "query",
    &[&[
        may("agent", &NAME, "who asks"),
        may("query", &Shape::Text(0), "the words"),
        may("categories", &NAMES, "any of these"),
        may("filters", &Shape::Object(&FILTERS), "what else must be so"),
        may("top_k", &COUNT, "at most so many items"),
        may("return", &Shape::Choice(&["bullets", "full"]), "texts on one line, or whole"),
        may("budget_tokens", &COUNT, "at most so many tokens"),
        may("threshold", &Shape::Number, "only what fits at least so well, 0 to 1"),
    ]],
);

const fn form(name: &'static str, fields: &'static [&'static [Field]]) -> Form {
    Form { name, about: "", fields, groups: &[], foreign: &[], open: false, rule: None }
}

/// Reads a question.
///
/// # Errors
/// `invalid_query`.
pub fn read(text: &str) -> Result<Ask, Rejection> {
    let value: Value =
        serde_json::from_str(text).map_err(|e| refused(format!("the question is no valid JSON: {e}")))?;
    let Value::Object(object) = value else { return Err(refused("the question is no JSON object".into())) };
    QUERY.check(&object).map_err(|Problem { message, .. }| refused(message))?;
    let none = Map::new();
    let filters = object.get("filters").and_then(Value::as_object).unwrap_or(&none);
    let text = |of: &Map<String, Value>, name: &str| of.get(name).and_then(Value::as_str).map(str::to_owned);
    let count = |name: &str| object.get(name).and_then(integer).map(|n| n as usize);
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
        return Err(refused("'filters.agent_id' and 'filters.actor_id' name two writers; nothing is by both".into()));
    }
    let threshold = object.get("threshold").and_then(Value::as_f64);
    if threshold.is_some_and(|t| !(0.0..=1.0).contains(&t)) {
        return Err(refused("'threshold' must be a number from 0 to 1".into()));
    }
    let [agent_id, actor_id] = by;
    Ok(Ask {
        question: text(&object, "query").unwrap_or_default(),
        agent: text(&object, "agent"),
        categories,
        imp: importance(filters),
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
        ..Ask::default()
    })
}

/// The seed counts from 1 to 5, memdir to 10. The whole of its scale asks for nothing.
fn importance(filters: &Map<String, Value>) -> Option<(f64, f64)> {
    let bound = |name: &str| filters.get(name).and_then(integer);
    let (low, high) = (bound("importance_min").filter(|n| *n > 1), bound("importance_max").filter(|n| *n < 5));
    if low.is_none() && high.is_none() {
        return None;
    }
    Some((low.map_or(0.0, |n| 2.0 * n as f64), high.map_or(10.0, |n| 2.0 * n as f64)))
}

fn refused(message: String) -> Rejection {
    Rejection::new(Code::InvalidQuery, message)
}

/// The JSON Schema of a question.
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
    fn the_seeds_question_is_read() {
        let ask = read(
            r#"{"agent":"planner","query":"deployment plan context","categories":["tasks","projects"],
                "filters":{"user_id":"ana","agent_id":"claude","run_id":"r-1","role":"assistant","pinned":false,
                           "importance_min":2,"importance_max":4,"updated_after":"2025-07-01","updated_before":null},
                "top_k":3,"return":"bullets","budget_tokens":512,"threshold":0.65}"#,
        )
        .unwrap();
        let wanted = Ask {
            question: "deployment plan context".into(),
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
            ..Ask::default()
        };
        assert_eq!(ask, wanted);
        assert_eq!(read(r#"{"query":"a","filters":{"importance_min":1,"importance_max":5}}"#).unwrap().imp, None);
    }

    #[test]
    fn what_nobody_knows_is_refused() {
        for (text, part) in [
            ("[]", "no JSON object"),
            ("{", "no valid JSON"),
            (r#"{"qery":"a"}"#, "did you mean 'query'"),
            (r#"{"query":"a","filters":{"who":"b"}}"#, "'who' is unknown"),
            (r#"{"query":"a","top_k":0}"#, "from 1"),
            (r#"{"query":"a","return":"all"}"#, "'bullets' or 'full'"),
            (r#"{"query":"a","threshold":2}"#, "from 0 to 1"),
            (r#"{"query":"a","filters":{"agent_id":"a","actor_id":"b"}}"#, "two writers"),
        ] {
            let refused = read(text).unwrap_err();
            assert_eq!(refused.code, Code::InvalidQuery);
            assert!(refused.message.contains(part), "{text}: {}", refused.message);
        }
    }
}
