//! The configuration of one model: everything that `open` needs.
//!
//! Holds values only. Selecting a model and finding its key are in `host::models` and `host::keys`.

use std::time::Duration;

use super::key::ApiKey;

/// How to talk to a provider.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Protocol {
    /// OpenAI's chat completions.
    ChatCompletions,
    /// Anthropic's messages.
    Messages,
    /// A local program: prompt on stdin, reply on stdout.
    Program,
}

/// Configuration of one model.
#[derive(Clone, Debug)]
pub struct ModelConfig {
    /// Name of the provider, for messages and the journal.
    pub provider: String,
    pub protocol: Protocol,
    /// Name of the model. `None`: use the only model that the host lists.
    pub model: Option<String>,
    /// Base URL, such as `https://host/v1`; empty for a program.
    pub base_url: String,
    pub key: Option<ApiKey>,
    /// The program and its arguments; empty for a host.
    pub command: Vec<String>,
    /// Environment variables set for the program, in addition to the inherited ones.
    pub variables: Vec<(String, String)>,
    /// Time limit of one HTTP request or one run of the program.
    pub timeout: Duration,
    /// Upper bound of a reply, in tokens; lowers the limit of a request.
    pub max_tokens: Option<u32>,
    /// Sent only when set.
    pub temperature: Option<f64>,
    /// Sent only when set.
    pub top_p: Option<f64>,
    /// Replaces the secrets in a host's or a program's message, before it is cut to length: half a token looks like
    /// none.
    pub hide_secrets: fn(&str) -> String,
}
