//! Calls language models: one request, one reply, whichever provider it is. The only module that uses the network.
//!
//! Knows nothing about memories: requests and replies are text, tools and JSON. Never retries past the deadline, never
//! logs a key, and builds no HTTP client before the first request.

use std::time::{Duration, Instant};

use serde_json::Value;

mod anthropic;
pub mod capabilities;
pub mod config;
pub mod embeddings;
pub mod exec;
pub mod host_fault;
pub mod host_url;
pub mod hosted;
#[cfg(feature = "network")]
pub mod http;
pub mod jitter;
pub mod key;
mod openai;
mod prompt;
#[cfg(feature = "internals")]
pub mod replay;
pub mod retry;
mod wire;

pub use config::{ModelConfig, Protocol};
pub use host_url::{is_loopback, redacted_url};
pub use key::ApiKey;

/// Whether this build can reach hosts over HTTP. If not, only programs can be used.
pub const HAS_NETWORK: bool = cfg!(feature = "network");

/// A model by its provider and its name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ModelId {
    /// The provider: `openai`, `anthropic`, `ollama`, `exec`, …
    pub provider: String,
    /// Name of the model, as the provider knows it.
    pub model: String,
}

/// One request to a model, with the conversation so far.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ModelRequest {
    /// The system prompt: instructions that hold for the whole conversation.
    pub system: String,
    /// The conversation so far, oldest first; the last message is from us.
    pub messages: Vec<ChatMessage>,
    /// Tools that the model may call; may be empty.
    pub tools: Vec<ToolDefinition>,
    /// The JSON object requested instead of tools or prose.
    pub answer: Option<AnswerSchema>,
    /// Upper bound of the reply, in tokens; 0: no limit of the request's own.
    pub max_tokens: u32,
    /// The sampling temperature; `None`: as configured.
    pub temperature: Option<f64>,
}

/// One message of the conversation.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum ChatMessage {
    /// A question or correction of memdir.
    User(String),
    /// A reply of the model: text, tool calls, or both.
    Assistant { text: String, calls: Vec<ToolCall> },
    /// Results of the model's tool calls, one for each call, in the same order.
    ToolResults(Vec<ToolOutcome>),
}

/// A tool that the model may call.
#[derive(Clone, Debug, PartialEq)]
pub struct ToolDefinition {
    /// Letters, digits and `_`.
    pub name: String,
    /// What the tool does, for the model.
    pub description: String,
    /// JSON Schema of the arguments. Flat, every key required, nullable where optional, no `oneOf`: the subset that
    /// every host accepts.
    pub parameters: Value,
}

/// A JSON Schema with a name.
#[derive(Clone, Debug, PartialEq)]
pub struct AnswerSchema {
    /// Letters, digits and `_`.
    pub name: String,
    /// The schema; flat, like a tool's.
    pub schema: Value,
    /// The same with bounds on counts and lengths, for servers on this machine, which turn it into a grammar: a small
    /// model would write without end. Others reject some of the bounds.
    pub bounded: Value,
}

impl AnswerSchema {
    /// A schema without bounds of its own.
    pub fn new(name: &str, schema: Value) -> AnswerSchema {
        AnswerSchema { name: name.into(), bounded: schema.clone(), schema }
    }
}

/// A tool call in a reply.
#[derive(Clone, Debug, PartialEq)]
pub struct ToolCall {
    /// The provider's id of the call.
    pub id: String,
    /// Name of the tool.
    pub name: String,
    /// The arguments; a JSON string if they could not be parsed.
    pub arguments: Value,
}

/// The result of a tool call.
#[derive(Clone, Debug, PartialEq)]
pub struct ToolOutcome {
    /// Id of the call.
    pub id: String,
    /// Name of the tool.
    pub name: String,
    /// The result, for the model.
    pub text: String,
    /// Whether the call failed or was refused.
    pub failed: bool,
}

/// Why a reply ended.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum StopReason {
    /// The reply is complete.
    End,
    /// The model waits for tool results.
    ToolCalls,
    /// The reply was cut off; its tool calls were dropped.
    Truncated,
    /// The model or its host refused to answer; its tool calls were dropped.
    Refused,
    /// Another reason, by the provider's name for it; treated as complete.
    Other(String),
}

/// Token counts as the provider reports them; 0 where it reports none.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct TokenUsage {
    /// Tokens of the request.
    pub input: u64,
    /// Tokens of the reply.
    pub output: u64,
}

impl std::ops::AddAssign for TokenUsage {
    fn add_assign(&mut self, other: TokenUsage) {
        // A host may report any number.
        self.input = self.input.saturating_add(other.input);
        self.output = self.output.saturating_add(other.output);
    }
}

impl TokenUsage {
    /// Request and reply tokens together.
    pub fn sum(self) -> u64 {
        self.input.saturating_add(self.output)
    }
}

/// The reply of a model to one request, and the tokens that it cost.
#[derive(Clone, Debug, PartialEq)]
pub struct ModelReply {
    pub text: String,
    /// Tool calls; empty when the reply was cut off or refused.
    pub calls: Vec<ToolCall>,
    pub stop: StopReason,
    pub usage: TokenUsage,
}

impl ModelReply {
    /// The arguments of the tool calls, in order.
    pub fn call_arguments(&self) -> Vec<Value> {
        self.calls.iter().map(|call| call.arguments.clone()).collect()
    }
}

/// The kind of a failure.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum ErrorKind {
    /// No connection, or the connection broke.
    Unreachable,
    /// The deadline or the time limit of one request passed.
    Timeout,
    /// The key is missing or wrong (HTTP 401, 403).
    Unauthorized,
    /// The account has no quota or credit left; retrying cannot help.
    QuotaExceeded,
    /// The host is overloaded or limits the rate (HTTP 408, 409, 425, 429, 5xx), after all retries.
    Busy,
    /// The host rejected the request (other 4xx).
    Rejected,
    /// The host or model does not support tools, or failed to parse its own tool calls. Request one JSON object
    /// instead.
    NoTools,
    /// The reply exceeds the size limit.
    TooLarge,
    /// The reply cannot be parsed.
    Malformed,
    /// The reply was received as a whole, and has no answer in it.
    Unusable,
    /// The program of `exec` could not be started, or it failed.
    ProgramFailed,
    /// The user interrupted the request.
    Interrupted,
}

impl ErrorKind {
    /// Whether the model answered, with something that cannot be used: to ask again, with the reason, may help. Otherwise
    /// there is no answer to correct.
    pub fn is_unusable_answer(self) -> bool {
        match self {
            ErrorKind::TooLarge | ErrorKind::Malformed | ErrorKind::Unusable => true,
            ErrorKind::Unreachable
            | ErrorKind::Timeout
            | ErrorKind::Unauthorized
            | ErrorKind::QuotaExceeded
            | ErrorKind::Busy
            | ErrorKind::Rejected
            | ErrorKind::NoTools
            | ErrorKind::ProgramFailed
            | ErrorKind::Interrupted => false,
        }
    }
}

/// Why a request got no usable reply, and the tokens that it cost all the same.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LlmError {
    pub kind: ErrorKind,
    /// One sentence in lower case, without the key and without control characters.
    pub message: String,
    /// HTTP status, if there was a response.
    pub status: Option<u16>,
    /// Tokens spent although the request failed.
    pub usage: TokenUsage,
}

impl LlmError {
    /// An error that cost no tokens.
    pub fn new(kind: ErrorKind, message: impl Into<String>) -> LlmError {
        LlmError { kind, message: message.into(), status: None, usage: TokenUsage::default() }
    }
}

/// The point in time after which a request is given up.
#[derive(Clone, Copy, Debug)]
pub struct Deadline(Instant);

impl Deadline {
    /// The given duration from now.
    pub fn within(time: Duration) -> Deadline {
        let now = Instant::now();
        Deadline(now.checked_add(time).unwrap_or(now))
    }

    /// The earlier of two deadlines.
    pub fn earlier(self, other: Deadline) -> Deadline {
        Deadline(self.0.min(other.0))
    }

    /// The remaining time; `None` once the deadline has passed.
    pub fn remaining(&self) -> Option<Duration> {
        Some(self.0.saturating_duration_since(Instant::now())).filter(|remaining| !remaining.is_zero())
    }
}

/// Opens a model. Sends no request, unless the configuration names no model: then it fetches the host's list of models.
///
/// # Errors
/// Failures of fetching the list; `Rejected` if the list is empty or has several models; `Unreachable` in a build
/// without network.
pub fn open(config: &ModelConfig) -> Result<Box<dyn Model>, LlmError> {
    match config.protocol {
        Protocol::Program => Ok(Box::new(exec::ExecModel::new(config))),
        #[cfg(feature = "network")]
        Protocol::ChatCompletions | Protocol::Messages => {
            Ok(Box::new(hosted::HostedModel::new(http::HttpTransport, config)?))
        }
        #[cfg(not(feature = "network"))]
        Protocol::ChatCompletions | Protocol::Messages => {
            Err(LlmError::new(ErrorKind::Unreachable, "this build has no network support"))
        }
    }
}

/// A language model that answers one request at a time.
pub trait Model {
    /// The host and the name of the model, as reports and the history name them.
    fn id(&self) -> &ModelId;

    /// Sends one request and returns the reply. Retries are up to the implementation and end with the deadline.
    ///
    /// # Errors
    /// Every `ErrorKind`.
    fn complete(&self, request: &ModelRequest, deadline: Deadline) -> Result<ModelReply, LlmError>;
}
