//! Which model is asked, and how: everything that `open` needs.
//!
//! Holds values only; who chose them, and where the key came from, is not this room's business.

use std::time::Duration;

use super::key::Key;

/// How a provider is spoken to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Wire {
    /// OpenAI's chat completions.
    Chat,
    /// Anthropic's messages.
    Messages,
    /// A program: prompt on stdin, answer on stdout.
    Program,
}

/// A model to ask.
#[derive(Clone, Debug, PartialEq)]
pub struct Choice {
    /// The provider's name.
    pub provider: String,
    /// What it speaks.
    pub wire: Wire,
    /// The model's name; `None`: the host is asked for the only one it has.
    pub model: Option<String>,
    /// Where it listens: `https://host/v1`; empty for a program.
    pub base_url: String,
    /// Its key.
    pub key: Option<Key>,
    /// The program and its arguments; empty for a host.
    pub command: Vec<String>,
    /// What the program finds in its environment beside ours.
    pub variables: Vec<(String, String)>,
    /// How long one request may take.
    pub timeout: Duration,
    /// The longest reply, in tokens, whatever a request allows.
    pub most_tokens: Option<u32>,
    /// Sent only when set.
    pub temperature: Option<f64>,
    /// Sent only when set.
    pub top_p: Option<f64>,
}
