//! What a try of the model answers.
//!
//! Never holds a key, only where it came from.

use schemars::JsonSchema;
use serde::Serialize;

use super::Told;

/// A model that was tried.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct ModelCheck {
    /// The provider: `openai`, `anthropic`, `ollama`, `exec`, ….
    pub provider: String,
    /// The model's name.
    pub model: String,
    /// Where it listens, or the program.
    pub endpoint: String,
    /// Where the key came from: a variable, a file, a command.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub key: Option<String>,
    /// How long the answer took, in milliseconds.
    pub milliseconds: u64,
    /// Tokens that were sent, as the provider counts them; 0 where it does not say.
    pub input_tokens: u64,
    /// Tokens that came back.
    pub output_tokens: u64,
    /// What the reader should know.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub warnings: Vec<Told>,
}
