//! The only room that touches the network: one question to a model, one reply, whoever the provider is.
//!
//! Knows no memory words: requests and replies are texts, tools and JSON. Never retries for longer than the deadline,
//! never logs a key, and builds no client before it is asked.

use std::time::{Duration, Instant};

use serde_json::Value;

mod anthropic;
pub mod choice;
pub mod exec;
pub mod fallback;
pub mod fault;
pub mod hosted;
#[cfg(feature = "network")]
pub mod http;
pub mod key;
mod openai;
pub mod place;
mod prompt;
pub mod replay;
pub mod retry;
mod wire;

pub use choice::{Choice, Wire};
pub use key::Key;
pub use place::{is_loopback, shown};

/// Whether this build can reach a host at all; without, only programs answer.
pub const NETWORK: bool = cfg!(feature = "network");

/// Who answers.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Who {
    /// The provider: `openai`, `anthropic`, `ollama`, `exec`, …
    pub provider: String,
    /// The model's name, as the provider knows it.
    pub model: String,
}

/// One question, with everything said before.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Request {
    /// Instructions.
    pub system: String,
    /// What was said so far; the last is ours.
    pub messages: Vec<Message>,
    /// Tools that may be called; none: none.
    pub tools: Vec<Tool>,
    /// The one JSON object that is wanted instead of tools or prose.
    pub answer: Option<Schema>,
    /// The longest reply, in tokens.
    pub most_tokens: u32,
}

/// What was said.
#[derive(Clone, Debug, PartialEq)]
pub enum Message {
    /// By us.
    User(String),
    /// By the model.
    Assistant {
        /// Its words.
        text: String,
        /// The tools it called.
        calls: Vec<Call>,
    },
    /// What its calls came to, one for each, in order.
    Results(Vec<Outcome>),
}

/// A tool that may be called.
#[derive(Clone, Debug, PartialEq)]
pub struct Tool {
    /// Its name: letters, digits, `_`.
    pub name: String,
    /// What it is for.
    pub about: String,
    /// JSON Schema of its arguments: flat, every key required, nullable where it may be left out, no `oneOf`.
    pub parameters: Value,
}

/// A JSON Schema with a name.
#[derive(Clone, Debug, PartialEq)]
pub struct Schema {
    /// Letters, digits, `_`.
    pub name: String,
    /// The schema, as flat as a tool's.
    pub schema: Value,
}

/// A tool call of the model's.
#[derive(Clone, Debug, PartialEq)]
pub struct Call {
    /// The provider's id for it.
    pub id: String,
    /// The tool.
    pub name: String,
    /// Its arguments; a string where they were no JSON.
    pub arguments: Value,
}

/// What a call came to.
#[derive(Clone, Debug, PartialEq)]
pub struct Outcome {
    /// The call's id.
    pub id: String,
    /// The tool.
    pub name: String,
    /// For the model to read.
    pub text: String,
    /// Whether it was refused.
    pub failed: bool,
}

/// Why a reply ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Stop {
    /// It was complete.
    End,
    /// It waits for tools.
    Calls,
    /// It was cut off: its calls were thrown away.
    Truncated,
    /// The model or its host would not answer: its calls were thrown away.
    Refused,
    /// Something else, by the provider's name; treated as complete.
    Other(String),
}

/// Tokens, as the provider counts them; 0 where it does not say.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Usage {
    /// Of the request.
    pub input: u64,
    /// Of the reply.
    pub output: u64,
}

impl std::ops::AddAssign for Usage {
    fn add_assign(&mut self, more: Usage) {
        // A host may claim any number.
        self.input = self.input.saturating_add(more.input);
        self.output = self.output.saturating_add(more.output);
    }
}

impl Usage {
    /// Questions and replies.
    pub fn sum(self) -> u64 {
        self.input.saturating_add(self.output)
    }
}

/// What the model said.
#[derive(Clone, Debug, PartialEq)]
pub struct Reply {
    /// Its words.
    pub text: String,
    /// The tools it calls; empty where the reply was cut off.
    pub calls: Vec<Call>,
    /// Why it ended.
    pub stop: Stop,
    /// What it cost.
    pub usage: Usage,
}

/// Why there is no reply.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum What {
    /// No connection, or it broke.
    Unreachable,
    /// The deadline passed.
    Timeout,
    /// The key is missing or wrong (401, 403).
    Denied,
    /// The account has no quota or money left: retrying cannot help.
    Quota,
    /// The host is overloaded or limits the rate (408, 409, 429, 5xx), after all retries.
    Busy,
    /// The host refuses the request (other 4xx).
    Rejected,
    /// The host or model cannot use tools, or its own parser broke on them: ask for one JSON object instead.
    NoTools,
    /// The reply is over the cap.
    TooLarge,
    /// The reply makes no sense.
    Malformed,
    /// The program of `exec` could not be run or failed.
    Program,
    /// The person stopped it.
    Interrupted,
}

/// A failed question.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Trouble {
    /// What kind.
    pub what: What,
    /// One sentence, lower case, without key and without control characters.
    pub message: String,
    /// The HTTP status, if there was one.
    pub status: Option<u16>,
    /// What was spent all the same.
    pub usage: Usage,
}

impl Trouble {
    /// A trouble that cost nothing.
    pub fn new(what: What, message: impl Into<String>) -> Trouble {
        Trouble { what, message: message.into(), status: None, usage: Usage::default() }
    }
}

/// The moment at which nobody waits any longer.
#[derive(Clone, Copy, Debug)]
pub struct Deadline(Instant);

impl Deadline {
    /// So long from now.
    pub fn within(time: Duration) -> Deadline {
        let now = Instant::now();
        Deadline(now.checked_add(time).unwrap_or(now))
    }

    /// The one of two that comes first.
    pub fn sooner(self, other: Deadline) -> Deadline {
        Deadline(self.0.min(other.0))
    }

    /// The time that is left; `None` when it is over.
    pub fn left(&self) -> Option<Duration> {
        Some(self.0.saturating_duration_since(Instant::now())).filter(|left| !left.is_zero())
    }
}

/// The model of a choice. Asks nobody, unless the choice names no model: then the host for its list.
///
/// # Errors
/// What came instead of the list; `Rejected` where it has none or several; `Unreachable` in a build without network.
pub fn open(choice: &Choice) -> Result<Box<dyn Model>, Trouble> {
    match choice.wire {
        Wire::Program => Ok(Box::new(exec::Program::new(choice))),
        #[cfg(feature = "network")]
        Wire::Chat | Wire::Messages => Ok(Box::new(hosted::Hosted::new(http::Http, choice)?)),
        #[cfg(not(feature = "network"))]
        Wire::Chat | Wire::Messages => Err(Trouble::new(What::Unreachable, "this build has no network")),
    }
}

/// Whatever answers questions.
pub trait Model {
    /// Who it is.
    fn who(&self) -> &Who;

    /// Asks once. Retries are the provider's own business, and end with the deadline.
    ///
    /// # Errors
    /// What came instead of a reply.
    fn ask(&self, request: &Request, deadline: Deadline) -> Result<Reply, Trouble>;
}
