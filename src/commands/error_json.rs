//! A failure as the fields of a JSON object, for every front end that answers in JSON.
//!
//! Never spells a command to try: each front end does that in its own syntax.

use serde_json::{Map, Value, json};

use super::Error;
use super::answer::WarningRow;
use crate::code::{Hint, Rejection, Warning};

/// Spells a command to try; `None` if it cannot be spelled safely.
pub type HintFormat<'a> = &'a dyn Fn(&Hint) -> Option<String>;

/// The fields of a failure: those of the first rejection at the top level, and all rejections of a batch in `failures`.
pub fn error_fields(failure: &Error, format_hint: HintFormat<'_>) -> Map<String, Value> {
    let mut object = Map::new();
    if let Some(first) = failure.rejections.first() {
        rejection_fields(&mut object, first, format_hint);
    }
    if failure.rejections.len() > 1 || failure.rejections.iter().any(|r| r.operation.is_some()) {
        let all = failure.rejections.iter().map(|r| {
            let mut one = Map::new();
            one.extend(r.operation.map(|n| ("operation".to_owned(), json!(n))));
            rejection_fields(&mut one, r, format_hint);
            Value::Object(one)
        });
        object.insert("failures".into(), all.collect());
    }
    if !failure.warnings.is_empty() {
        object.insert("warnings".into(), failure.warnings.iter().map(warning).collect());
    }
    object
}

fn rejection_fields(object: &mut Map<String, Value>, r: &Rejection, format_hint: HintFormat<'_>) {
    object.insert("code".into(), json!(r.code.name()));
    object.insert("message".into(), json!(r.message));
    if let Some(hint) = &r.hint {
        object.insert("hint".into(), json!(hint));
    }
    let tries: Vec<String> = r.hints.iter().filter_map(format_hint).collect();
    object.insert("try".into(), json!(tries));
    object.insert("changed".into(), json!(r.changed));
    object.insert("retryable".into(), json!(r.code.retryable()));
    object.insert("details".into(), Value::Object(r.details.clone()));
}

/// A warning as a JSON object.
pub fn warning(w: &Warning) -> Value {
    json!(WarningRow { code: w.code.name(), message: w.message.clone(), details: w.details.clone() })
}
