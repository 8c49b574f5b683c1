//! What a conversation looks like on disk, whichever program wrote it: turns with number, role, time and text.
//!
//! Pure: bytes in, turns out. Never decides what is worth keeping.
//!
//! Zero configuration: the kind is told from the content. Records that are broken are counted, not fatal; fields of an
//! unexpected type are fields that are not there. What a host put into the conversation is kept apart from what people
//! and models said, as turns of its own with [`Turn::injected`] set.

mod chatgpt;
mod claude;
mod codex;
mod frame;
mod gemini;
mod lines;
mod loose;
mod openai;
mod parts;
mod recognise;
mod speakers;
mod turns;

use std::borrow::Cow;
use std::fmt;

use recognise::Form;

/// Who spoke.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Role {
    /// The person.
    User,
    /// The model.
    Assistant,
    /// A tool's output.
    Tool,
    /// Instructions of the host.
    System,
}

impl Role {
    /// As it is printed: `user`, `assistant`, `tool`, `system`.
    pub fn name(self) -> &'static str {
        match self {
            Role::User => "user",
            Role::Assistant => "assistant",
            Role::Tool => "tool",
            Role::System => "system",
        }
    }
}

/// One turn of a conversation.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Turn {
    /// From 1, in the order of the conversation; turns that are left out of a model's prompt keep their numbers.
    pub number: usize,
    /// Who.
    pub role: Role,
    /// When, RFC 3339, if the file says it.
    pub at: Option<String>,
    /// What was said, without the host's own framing.
    pub text: String,
    /// The host put it there (context files, recalled memory, reminders, hook output): no evidence of anything.
    pub injected: bool,
}

/// Which program's format a conversation is in.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Kind {
    /// Claude Code's JSON Lines, of a session or of `--output-format stream-json`.
    ClaudeCode,
    /// Codex rollouts: enveloped records, the bare ones of before, one JSON document, or `exec --json`.
    Codex,
    /// Gemini CLI's one JSON document: a session, a checkpoint, or its log of prompts.
    GeminiJson,
    /// Gemini CLI's JSON Lines with `$set` and `$rewindTo`.
    GeminiLines,
    /// `messages` as OpenAI has them, in an object, as a bare array, or one a line.
    OpenAi,
    /// ChatGPT's export: trees of messages.
    ChatGpt,
    /// Text in which speakers are named.
    Markdown,
    /// Any other text: one turn of the user.
    Plain,
}

impl Kind {
    /// As it is printed and stored: `claude-code`, `codex`, `gemini-json`, `gemini-lines`, `openai`, `chatgpt`,
    /// `markdown`, `plain`.
    pub fn name(self) -> &'static str {
        match self {
            Kind::ClaudeCode => "claude-code",
            Kind::Codex => "codex",
            Kind::GeminiJson => "gemini-json",
            Kind::GeminiLines => "gemini-lines",
            Kind::OpenAi => "openai",
            Kind::ChatGpt => "chatgpt",
            Kind::Markdown => "markdown",
            Kind::Plain => "plain",
        }
    }
}

/// One conversation.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Conversation {
    /// The format it was in.
    pub kind: Kind,
    /// The program's own name of it, if it has one.
    pub id: Option<String>,
    /// Its title, if it has one.
    pub title: Option<String>,
    /// What was said, at least one turn.
    pub turns: Vec<Turn>,
    /// Broken lines or records that were left out.
    pub skipped: usize,
}

/// Why bytes are no conversation.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Unreadable {
    /// Nothing but white space.
    Empty,
    /// No text: it holds bytes that no text does.
    Binary,
    /// It is JSON, but of no known kind.
    Unknown,
    /// It begins as JSON and is none, or is nested too deep: where it breaks, from 1.
    Broken {
        /// Of the text.
        line: usize,
        /// Of that line, in bytes.
        column: usize,
    },
    /// It is of a known kind and nobody says anything in it.
    Silent {
        /// The format.
        kind: Kind,
        /// Broken lines or records.
        skipped: usize,
    },
}

impl fmt::Display for Unreadable {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        match self {
            Unreadable::Empty => f.write_str("the conversation is empty"),
            Unreadable::Binary => f.write_str("this is no text"),
            Unreadable::Unknown => f.write_str("this is JSON, but no conversation in a known format"),
            Unreadable::Broken { line, column } => write!(f, "the JSON breaks off in line {line}, column {column}"),
            Unreadable::Silent { kind, skipped: 0 } => write!(f, "nobody says anything in this {} file", kind.name()),
            Unreadable::Silent { kind, skipped } => {
                write!(f, "nobody says anything in this {} file; broken records: {skipped}", kind.name())
            }
        }
    }
}

impl std::error::Error for Unreadable {}

impl From<serde_json::Error> for Unreadable {
    fn from(error: serde_json::Error) -> Self {
        Unreadable::Broken { line: error.line().max(1), column: error.column().max(1) }
    }
}

/// Reads the conversations in a file: one, or as many as an export holds. Each has at least one turn.
pub fn read(bytes: &[u8]) -> Result<Vec<Conversation>, Unreadable> {
    let bytes = &*decoded(bytes);
    if bytes.trim_ascii().is_empty() {
        return Err(Unreadable::Empty);
    }
    let form = recognise::recognise(bytes)?;
    let kind = form.kind();
    let mut conversations = match form {
        Form::Lines(Kind::ClaudeCode) => vec![claude::lines(bytes)],
        Form::Lines(Kind::Codex) => vec![codex::lines(bytes)],
        Form::Lines(Kind::GeminiLines) => vec![gemini::lines(bytes)],
        Form::Lines(Kind::ChatGpt) => chatgpt::lines(bytes),
        Form::Lines(_) => openai::lines(bytes),
        Form::Document(Kind::Codex) => vec![codex::document(&text(bytes))?],
        Form::Document(Kind::ChatGpt) => chatgpt::document(&text(bytes))?,
        Form::Document(Kind::OpenAi) => openai::document(&text(bytes))?,
        Form::Document(_) => vec![gemini::document(&text(bytes))?],
        Form::Text(Kind::Markdown) => vec![speakers::read(&text(bytes))],
        Form::Text(_) => vec![speakers::plain(&text(bytes))],
    };
    let all = |conversations: &[Conversation]| conversations.iter().map(|c| c.skipped).sum();
    let skipped: usize = all(&conversations);
    conversations.retain(|c| !c.turns.is_empty());
    let kept: usize = all(&conversations);
    let first = conversations.first_mut().ok_or(Unreadable::Silent { kind, skipped })?;
    // What is broken in conversations that are left out is still told.
    first.skipped += skipped - kept;
    Ok(conversations)
}

/// The bytes as UTF-8, without a byte order mark: shells of Windows redirect as UTF-16.
fn decoded(bytes: &[u8]) -> Cow<'_, [u8]> {
    let utf16 = |unit: fn([u8; 2]) -> u16| {
        let units = bytes[2..].chunks_exact(2).map(|pair| unit([pair[0], pair[1]]));
        let text: String = char::decode_utf16(units).map(|c| c.unwrap_or(char::REPLACEMENT_CHARACTER)).collect();
        Cow::Owned(text.into_bytes())
    };
    match bytes {
        [0xEF, 0xBB, 0xBF, rest @ ..] => Cow::Borrowed(rest),
        [0xFF, 0xFE, ..] => utf16(u16::from_le_bytes),
        [0xFE, 0xFF, ..] => utf16(u16::from_be_bytes),
        _ => Cow::Borrowed(bytes),
    }
}

/// The bytes as text; those that are none are replaced.
fn text(bytes: &[u8]) -> Cow<'_, str> {
    match simdutf8::basic::from_utf8(bytes) {
        Ok(text) => Cow::Borrowed(text),
        Err(_) => String::from_utf8_lossy(bytes),
    }
}
