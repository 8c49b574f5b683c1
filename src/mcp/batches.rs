//! Batches of JSON-RPC requests, which MCP 2025-03-26 has: the answers to one batch are written as one array.
//!
//! Never changes the order in which requests are carried out, and never answers a notification.

use std::sync::{Mutex, PoisonError};

use rmcp::model::RequestId;
use serde_json::Value;

/// The batches of a session that are not answered yet.
#[derive(Default)]
pub struct OpenBatches(Mutex<Vec<OpenBatch>>);

/// A batch of which at least one request is not answered yet.
struct OpenBatch {
    waiting: Vec<RequestId>,
    answers: Vec<Value>,
}

/// What becomes of the answer to a request.
pub enum BatchAnswer {
    /// The request is in no batch: the answer is a line of its own.
    Single,
    /// Other answers of its batch are missing.
    Kept,
    /// It was the last one of its batch; the line with all answers.
    Complete(String),
}

impl OpenBatches {
    /// Adds a batch: the ids of its requests, and the errors of what is no request. Returns the line to answer it, if
    /// nothing is to be waited for.
    pub fn open(&self, waiting: Vec<RequestId>, answers: Vec<Value>) -> Option<String> {
        if !waiting.is_empty() {
            self.0.lock().unwrap_or_else(PoisonError::into_inner).push(OpenBatch { waiting, answers });
            return None;
        }
        (!answers.is_empty()).then(|| Value::Array(answers).to_string())
    }

    /// Takes the answer to a request.
    pub fn answer(&self, request: &RequestId, answer: Value) -> BatchAnswer {
        self.settle(request, Some(answer))
    }

    /// Waits no longer for the answer to a request. Returns the line of its batch, if that was the last one.
    pub fn cancel(&self, request: &RequestId) -> Option<String> {
        match self.settle(request, None) {
            BatchAnswer::Complete(line) => Some(line),
            BatchAnswer::Single | BatchAnswer::Kept => None,
        }
    }

    fn settle(&self, request: &RequestId, answer: Option<Value>) -> BatchAnswer {
        let mut batches = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let place = batches
            .iter()
            .enumerate()
            .find_map(|(batch, open)| Some((batch, open.waiting.iter().position(|waiting| waiting == request)?)));
        let Some((batch, waiting)) = place else { return BatchAnswer::Single };
        batches[batch].waiting.remove(waiting);
        batches[batch].answers.extend(answer);
        if !batches[batch].waiting.is_empty() {
            return BatchAnswer::Kept;
        }
        match batches.remove(batch).answers {
            // All requests were cancelled.
            answers if answers.is_empty() => BatchAnswer::Kept,
            answers => BatchAnswer::Complete(Value::Array(answers).to_string()),
        }
    }
}
