//! Vectors of texts from an OpenAI-compatible host: one request, one vector for each text
//! (<https://platform.openai.com/docs/api-reference/embeddings/create>).
//!
//! Never sends a text twice because of its content, and never returns a part of an answer.

use serde_json::{Map, Value, json};

#[cfg(not(feature = "network"))]
use super::ErrorKind;
use super::hosted::{HostedModel, HttpOutcome, Transport};
use super::{Deadline, LlmError, ModelConfig};

/// The path of the endpoint, below the base URL.
const PATH: &str = "/embeddings";
/// The most dimensions of a vector.
pub const MAX_DIMENSIONS: usize = 8192;

/// Fetches the vectors of texts, in their order; all have the same number of dimensions.
///
/// # Errors
/// Every `ErrorKind` of a host; `Malformed` if a vector is missing, empty, or not of numbers; `Unreachable` in a build
/// without network.
pub fn embed(config: &ModelConfig, texts: &[String], deadline: Deadline) -> Result<Vec<Vec<f32>>, LlmError> {
    #[cfg(feature = "network")]
    return HostedModel::new(super::http::HttpTransport, config)?.embed(texts, deadline);
    #[cfg(not(feature = "network"))]
    {
        let _ = (config, texts, deadline);
        Err(LlmError::new(ErrorKind::Unreachable, "this build has no network support"))
    }
}

impl<L: Transport> HostedModel<L> {
    /// The vectors of the texts, in their order, as [`embed`] returns them.
    fn embed(&self, texts: &[String], deadline: Deadline) -> Result<Vec<Vec<f32>>, LlmError> {
        let body = json!({"model": self.model_name(), "input": texts, "encoding_format": "float"});
        let body: Map<String, Value> = body.as_object().cloned().unwrap_or_default();
        match self.send_with_retries(PATH, Some(&body), deadline)? {
            HttpOutcome::Success(answer) => {
                parse_vectors(&answer, texts.len()).map_err(|error| self.malformed_error(error))
            }
            HttpOutcome::Failure(fault, status) => Err(self.host_error(&fault, status, false)),
        }
    }
}

/// The vectors of an answer, by their `index`, as hosts may send them in any order.
fn parse_vectors(answer: &Value, count: usize) -> Result<Vec<Vec<f32>>, &'static str> {
    let rows = answer.get("data").and_then(Value::as_array).ok_or("its answer has no vectors")?;
    let mut vectors: Vec<Vec<f32>> = vec![Vec::new(); count];
    for (place, row) in rows.iter().enumerate() {
        let index = match row.get("index").filter(|index| !index.is_null()) {
            None => place,
            Some(index) => index.as_u64().ok_or("an index of its answer is no number from 0")? as usize,
        };
        let numbers = row.get("embedding").and_then(Value::as_array).ok_or("a vector of its answer is no list")?;
        let vector: Option<Vec<f32>> = numbers.iter().map(|n| n.as_f64().map(|n| n as f32)).collect();
        let vector =
            vector.filter(|v| v.iter().all(|n| n.is_finite())).ok_or("a vector of its answer has no numbers")?;
        let slot = vectors.get_mut(index).filter(|slot| slot.is_empty()).ok_or("its answer has other vectors")?;
        *slot = vector;
    }
    let dimensions = vectors.first().map_or(0, Vec::len);
    if dimensions > 0 && dimensions <= MAX_DIMENSIONS && vectors.iter().all(|v| v.len() == dimensions) {
        Ok(vectors)
    } else {
        Err("its answer lacks vectors, or they have different lengths")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn vectors_come_in_any_order_and_complete_or_not_at_all() {
        let row = |index: u64, numbers: Value| json!({"object": "embedding", "index": index, "embedding": numbers});
        let parse = |rows: Vec<Value>, count| parse_vectors(&json!({"object": "list", "data": rows}), count);
        let both = vec![row(1, json!([0.5, 1])), row(0, json!([1, -2.5]))];
        assert_eq!(parse(both, 2).unwrap(), [[1.0, -2.5], [0.5, 1.0]]);
        // Some hosts give no index.
        assert_eq!(parse(vec![json!({"embedding": [3]})], 1).unwrap(), [[3.0]]);
        for (rows, count) in [
            (vec![row(0, json!([1]))], 2),
            (vec![row(0, json!([1])), row(0, json!([1]))], 2),
            (vec![row(0, json!([1])), row(1, json!([1, 2]))], 2),
            (vec![row(7, json!([1]))], 1),
            (vec![json!({"index": -1, "embedding": [1]})], 1),
            (vec![json!({"index": "0", "embedding": [1]})], 1),
            (vec![row(0, json!([]))], 1),
            (vec![row(0, json!("AAAA"))], 1),
            (vec![row(0, json!([1, "x"]))], 1),
            (vec![row(0, json!([1e300]))], 1),
            (vec![], 1),
        ] {
            assert!(parse(rows.clone(), count).is_err(), "{rows:?}");
        }
        assert!(parse_vectors(&json!({"data": 3}), 1).is_err() && parse_vectors(&json!({}), 1).is_err());
    }
}
