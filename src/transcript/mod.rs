//! Parses the conversation files of several programs into turns with number, role, time and text.
//!
//! Pure: bytes in, turns out. Never decides what is worth keeping.
//!
//! The format is detected from the content, without configuration. Broken records are counted and skipped; a field of
//! an unexpected type counts as missing. Text that a host inserted becomes separate turns with [`Turn::injected`] set,
//! apart from the messages of the user and the model.

mod aider;
mod chatgpt;
mod claude;
mod codex;
mod copilot;
mod cursor;
mod detect;
mod disguised_letters;
mod exports;
mod fences;
mod gemini;
mod host_framing;
mod inline_texts;
mod json_lines;
mod lenient_json;
mod lookalikes;
mod machine_lines;
mod memdir_output;
mod message_content;
mod openai;
mod own_statements;
mod pasted;
mod pasted_blocks;
mod pasted_documents;
mod pasted_leads;
mod pasted_paragraphs;
mod pasted_quotations;
mod pasted_requests;
mod pasted_tools;
mod speakers;
mod text_requests;
mod turn_builder;

use std::borrow::Cow;
use std::fmt;

use detect::DetectedFormat;

use crate::text::surrogates;
pub use pasted::MessageParts;

/// The author of a turn.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Role {
    User,
    Assistant,
    /// The output of a tool call.
    Tool,
    /// Instructions from the host program.
    System,
}

impl Role {
    /// The printed name: `user`, `assistant`, `tool`, `system`.
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
    /// 1-based, in the order of the conversation; a turn omitted from a model's prompt still counts.
    pub number: usize,
    pub role: Role,
    /// RFC 3339, if the file has a time for this turn; without an offset if it is a local time of the machine that wrote
    /// it.
    pub at: Option<String>,
    /// The message text, without the host's framing.
    pub text: String,
    /// Inserted by the host (context files, recalled memory, reminders, hook output); never counts as evidence.
    pub injected: bool,
}

/// The file format of a conversation.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum TranscriptFormat {
    /// Claude Code's JSON Lines: a session file, or the output of `--output-format stream-json`.
    ClaudeCode,
    /// Codex rollouts: records in envelopes, the older records without, one JSON document, or `exec --json` output.
    Codex,
    /// A JSON document of Gemini CLI: a session, a checkpoint, or the prompt log.
    GeminiJson,
    /// Gemini CLI's JSON Lines with `$set` and `$rewindTo`.
    GeminiLines,
    /// OpenAI's `messages`: in an object, as an array, or as JSON Lines.
    OpenAi,
    /// ChatGPT's data export: trees of messages.
    ChatGpt,
    /// Claude.ai's data export.
    ClaudeAi,
    /// ShareGPT: `conversations` of `from` and `value`.
    ShareGpt,
    /// GitHub Copilot's chats in VS Code: exports, session files and their logs; and the events of its agent.
    Copilot,
    /// OpenAI's Responses API: `input` and `output` items.
    OpenAiResponses,
    /// A prompt file of Google AI Studio.
    AiStudio,
    /// A `MemoryCreationRequest`: the messages of each side in a list of their own.
    MemoryRequest,
    /// Aider's chat history.
    Aider,
    /// Cursor's export of a chat as markdown.
    Cursor,
    /// Markdown or plain text with speaker names.
    Markdown,
    /// Any other text, read as one user turn.
    Plain,
}

impl TranscriptFormat {
    /// The printed and stored name: `claude-code`, `codex`, `gemini-json`, `gemini-lines`, `openai`, `chatgpt`,
    /// `claude-ai`, `sharegpt`, `copilot`, `openai-responses`, `ai-studio`, `memory-request`, `aider`, `cursor`,
    /// `markdown`, `plain`.
    pub fn name(self) -> &'static str {
        match self {
            TranscriptFormat::ClaudeCode => "claude-code",
            TranscriptFormat::Codex => "codex",
            TranscriptFormat::GeminiJson => "gemini-json",
            TranscriptFormat::GeminiLines => "gemini-lines",
            TranscriptFormat::OpenAi => "openai",
            TranscriptFormat::ChatGpt => "chatgpt",
            TranscriptFormat::ClaudeAi => "claude-ai",
            TranscriptFormat::ShareGpt => "sharegpt",
            TranscriptFormat::Copilot => "copilot",
            TranscriptFormat::OpenAiResponses => "openai-responses",
            TranscriptFormat::AiStudio => "ai-studio",
            TranscriptFormat::MemoryRequest => "memory-request",
            TranscriptFormat::Aider => "aider",
            TranscriptFormat::Cursor => "cursor",
            TranscriptFormat::Markdown => "markdown",
            TranscriptFormat::Plain => "plain",
        }
    }
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Conversation {
    pub kind: TranscriptFormat,
    /// The id that the program gave it.
    pub id: Option<String>,
    pub title: Option<String>,
    /// What the program says the conversation is about: neither a turn nor evidence.
    pub summary: Option<String>,
    /// At least one turn.
    pub turns: Vec<Turn>,
    /// How many broken lines or records were skipped.
    pub skipped: usize,
}

/// Why a file could not be read as a conversation.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum TranscriptError {
    /// Only white space.
    Empty,
    /// Contains NUL bytes, so it is not text.
    Binary,
    /// A file of another kind, or JSON in no known format.
    UnknownFormat {
        /// What it is, and where known what to read instead: `a ZIP archive; unpack it`.
        looks_like: String,
    },
    /// Starts like JSON but does not parse, or is nested too deep. Gives the position of the parse error.
    InvalidJson {
        /// 1-based.
        line: usize,
        /// 1-based, in bytes.
        column: usize,
    },
    /// A known format, but without a single turn.
    NoTurns {
        kind: TranscriptFormat,
        /// How many broken lines or records were skipped.
        skipped: usize,
    },
}

impl fmt::Display for TranscriptError {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        match self {
            TranscriptError::Empty => f.write_str("the conversation is empty"),
            TranscriptError::Binary => f.write_str("not a text file"),
            TranscriptError::UnknownFormat { looks_like } => write!(f, "this looks like {looks_like}"),
            TranscriptError::InvalidJson { line, column } => write!(f, "invalid JSON at line {line}, column {column}"),
            TranscriptError::NoTurns { kind, skipped: 0 } => write!(f, "no messages in this {} file", kind.name()),
            TranscriptError::NoTurns { kind, skipped } => {
                write!(f, "no messages in this {} file; broken records: {skipped}", kind.name())
            }
        }
    }
}

impl std::error::Error for TranscriptError {}

impl From<serde_json::Error> for TranscriptError {
    fn from(error: serde_json::Error) -> Self {
        TranscriptError::InvalidJson { line: error.line().max(1), column: error.column().max(1) }
    }
}

/// Parses the conversations of a file; an export may contain many. Each has at least one turn.
///
/// # Errors
/// A [`TranscriptError`] if the file is empty, binary, in an unknown format, or without a single turn.
pub fn read(bytes: &[u8]) -> Result<Vec<Conversation>, TranscriptError> {
    let text = to_utf8(bytes);
    let is_json = text.trim_ascii_start().starts_with(b"{") || text.trim_ascii_start().starts_with(b"[");
    // Some old programs end lines with CR alone.
    let has_cr_alone = || memchr::memchr(b'\n', &text).is_none() && memchr::memchr(b'\r', &text).is_some();
    let text = if is_json {
        surrogates::mended(&text)
    } else if has_cr_alone() {
        Cow::Owned(text.iter().map(|b| if *b == b'\r' { b'\n' } else { *b }).collect())
    } else {
        Cow::Borrowed(&*text)
    };
    let bytes = &*text;
    if bytes.trim_ascii().is_empty() {
        return Err(TranscriptError::Empty);
    }
    let detected = detect::detect_format(bytes)?;
    let kind = detected.kind();
    let is_document = matches!(detected, DetectedFormat::Document(_));
    let parse_export = |add| {
        if is_document { exports::parse_document(bytes, kind, add) } else { Ok(exports::parse_lines(bytes, kind, add)) }
    };
    let mut conversations = match kind {
        TranscriptFormat::ClaudeCode => vec![claude::parse_lines(bytes)],
        TranscriptFormat::Codex if is_document => vec![codex::parse_document(&lossy_text(bytes))?],
        TranscriptFormat::Codex => vec![codex::parse_lines(bytes)],
        TranscriptFormat::GeminiJson => vec![gemini::parse_document(&lossy_text(bytes))?],
        TranscriptFormat::GeminiLines => vec![gemini::parse_lines(bytes)],
        TranscriptFormat::OpenAi if is_document => openai::parse_document(&lossy_text(bytes))?,
        TranscriptFormat::OpenAi => openai::parse_lines(bytes),
        TranscriptFormat::ChatGpt if is_document => chatgpt::parse_document(&lossy_text(bytes))?,
        TranscriptFormat::ChatGpt => chatgpt::parse_lines(bytes),
        TranscriptFormat::ClaudeAi => parse_export(exports::add_claude_chat)?,
        TranscriptFormat::ShareGpt => parse_export(exports::add_sharegpt_chat)?,
        TranscriptFormat::OpenAiResponses => parse_export(exports::add_response)?,
        TranscriptFormat::AiStudio => parse_export(exports::add_studio_prompt)?,
        TranscriptFormat::MemoryRequest => parse_export(exports::add_memory_request)?,
        TranscriptFormat::Copilot if is_document => parse_export(copilot::add_session)?,
        TranscriptFormat::Copilot => copilot::parse_lines(bytes),
        TranscriptFormat::Aider => vec![aider::parse_history(&lossy_text(bytes))],
        TranscriptFormat::Cursor => cursor::parse_exports(&lossy_text(bytes)),
        TranscriptFormat::Markdown => vec![speakers::parse_speakers(&lossy_text(bytes))],
        TranscriptFormat::Plain => vec![speakers::parse_plain(&lossy_text(bytes))],
    };
    let total_skipped = |conversations: &[Conversation]| conversations.iter().map(|c| c.skipped).sum();
    let skipped: usize = total_skipped(&conversations);
    conversations.retain(|c| !c.turns.is_empty());
    let kept: usize = total_skipped(&conversations);
    let first = conversations.first_mut().ok_or(TranscriptError::NoTurns { kind, skipped })?;
    // Conversations without turns were dropped; their skipped records still count.
    first.skipped += skipped - kept;
    Ok(conversations)
}

/// The text of a conversation file, of UTF-8 or UTF-16; what is neither becomes U+FFFD.
pub fn decode_text(bytes: &[u8]) -> Cow<'_, str> {
    match to_utf8(bytes) {
        Cow::Borrowed(bytes) => lossy_text(bytes),
        Cow::Owned(bytes) => Cow::Owned(lossy_text(&bytes).into_owned()),
    }
}

/// The bytes as UTF-8 without a byte order mark. UTF-16 is accepted because PowerShell redirects output that way.
fn to_utf8(bytes: &[u8]) -> Cow<'_, [u8]> {
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

/// The bytes as text; invalid UTF-8 becomes U+FFFD.
fn lossy_text(bytes: &[u8]) -> Cow<'_, str> {
    match simdutf8::basic::from_utf8(bytes) {
        Ok(text) => Cow::Borrowed(text),
        Err(_) => String::from_utf8_lossy(bytes),
    }
}
