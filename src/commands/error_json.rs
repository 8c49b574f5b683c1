//! An error as the fields of a JSON object, for every front end that answers in JSON.
//!
//! Never spells a command to try: each front end does that in its own syntax.

use schemars::JsonSchema;
use serde::Serialize;
use serde_json::{Map, Value, json};

use super::Error;
use super::results::WarningRow;
use crate::code::{Rejection, SuggestedCommand, Warning};

/// Spells a command to try; `None` if it cannot be spelled safely.
pub type SuggestionFormat<'a> = &'a dyn Fn(&SuggestedCommand) -> Option<String>;

/// A rejection as JSON.
#[derive(Serialize, JsonSchema)]
struct RejectionFields {
    /// The code of the error, e.g. `bullet_changed`.
    code: String,
    /// The error message, one sentence.
    message: String,
    /// What the caller can do about it.
    #[serde(skip_serializing_if = "Option::is_none")]
    hint: Option<String>,
    /// Commands to try; they never contain memory text.
    #[serde(rename = "try")]
    tries: Vec<String>,
    /// Whether the memory was changed; null where this cannot be known.
    changed: Option<bool>,
    /// Whether the same command may succeed when run again.
    retryable: bool,
    /// Details for programs: candidates, etags, positions.
    details: Map<String, Value>,
}

/// An error as printed on stderr: the fields of the first rejection at the top level.
#[derive(Serialize, JsonSchema)]
pub struct ErrorAnswer {
    #[serde(flatten)]
    first: RejectionFields,
    /// For a batch: every rejection, each with the 0-based number of its operation.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    failures: Vec<FailedOperation>,
    /// Warnings besides the error.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    warnings: Vec<WarningRow>,
}

/// One rejected operation of a batch.
#[derive(Serialize, JsonSchema)]
struct FailedOperation {
    /// The 0-based number of the operation.
    #[serde(skip_serializing_if = "Option::is_none")]
    operation: Option<usize>,
    #[serde(flatten)]
    rejection: RejectionFields,
}

/// The fields of an error, as [`ErrorAnswer`] has them.
pub fn error_fields(error: &Error, format_suggestion: SuggestionFormat<'_>) -> Map<String, Value> {
    let all = &error.rejections;
    let fields = |rejection: &Rejection| RejectionFields {
        code: rejection.code.name().to_owned(),
        message: rejection.message.clone(),
        hint: rejection.hint.clone(),
        tries: rejection.suggestions.iter().filter_map(format_suggestion).collect(),
        changed: rejection.changed,
        retryable: rejection.code.retryable(),
        details: rejection.details.clone(),
    };
    let failed =
        |rejection: &Rejection| FailedOperation { operation: rejection.operation, rejection: fields(rejection) };
    let is_batch = all.len() > 1 || all.iter().any(|rejection| rejection.operation.is_some());
    let answer = all.first().map(|first| ErrorAnswer {
        first: fields(first),
        failures: if is_batch { all.iter().map(failed).collect() } else { Vec::new() },
        warnings: error.warnings.iter().map(WarningRow::from).collect(),
    });
    match json!(answer) {
        Value::Object(fields) => fields,
        _ => Map::new(),
    }
}

/// A warning as a JSON object.
pub fn warning(warning: &Warning) -> Value {
    json!(WarningRow::from(warning))
}
