//! The result of testing the configured model.
//!
//! Never contains an API key, only its source.

use schemars::JsonSchema;
use serde::Serialize;

use super::WarningRow;

/// The result of testing the configured model.
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[non_exhaustive]
pub struct ModelCheck {
    /// The provider: `openai`, `anthropic`, `ollama`, `exec`, ….
    pub provider: String,
    /// The name of the model.
    pub model: String,
    /// The URL of the host, or the program for `exec`.
    pub endpoint: String,
    /// The source of the API key: a variable, a file or a command.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub key: Option<String>,
    /// The response time in milliseconds.
    pub milliseconds: u64,
    /// Tokens of the request, as counted by the provider; 0 if it does not report them.
    pub input_tokens: u64,
    /// Tokens of the reply, as counted by the provider; 0 if it does not report them.
    pub output_tokens: u64,
    /// Warnings about the test.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub warnings: Vec<WarningRow>,
}
