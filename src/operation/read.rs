//! Reads operations in every dialect of the seeds, prints them in our own, and describes both as JSON Schema.
//!
//! Never looks at a memory: what only the memory can tell is the planner's.

use serde_json::Value;

use super::{Batch, Operation};
use crate::code::Rejection;

/// Reads a batch: one operation, an array, JSON Lines, or an envelope.
///
/// # Errors
/// One rejection per operation that is not well formed, each with its number.
pub fn batch(json: &str) -> Result<Batch, Vec<Rejection>> {
    let _ = json;
    todo!()
}

/// One operation in our own dialect: what the journal keeps and `-n --json` prints.
pub fn print(operation: &Operation) -> Value {
    let _ = operation;
    todo!()
}

/// The JSON Schema of everything `batch` accepts.
pub fn schema() -> Value {
    todo!()
}
