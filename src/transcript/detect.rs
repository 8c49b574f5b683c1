//! Detects the format of a conversation file.
//!
//! Never uses the file name. A JSON document is recognised by its keys, JSON Lines by the first line of a known format;
//! at least half of the lines must start like JSON, so that a note with a JSON example stays a note.

use super::fences::lines_with_fences;
use super::json_lines::non_blank_lines;
use super::lenient_json::JsonSketch;
use super::lookalikes::{describe_bytes, describe_json, is_end_of_json};
use super::{TranscriptError, TranscriptFormat, aider, cursor, lossy_text, speakers};

/// A detected format, by how it has to be parsed.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum DetectedFormat {
    /// One JSON value.
    Document(TranscriptFormat),
    /// JSON Lines.
    Lines(TranscriptFormat),
    /// Not JSON.
    Text(TranscriptFormat),
}

impl DetectedFormat {
    pub fn kind(&self) -> TranscriptFormat {
        match self {
            DetectedFormat::Document(kind) | DetectedFormat::Lines(kind) | DetectedFormat::Text(kind) => *kind,
        }
    }
}

/// Detects the format of a file that is not blank.
///
/// # Errors
/// [`TranscriptError`] for binary data, JSON in an unknown format, and text that starts like JSON but does not parse.
pub(super) fn detect_format(bytes: &[u8]) -> Result<DetectedFormat, TranscriptError> {
    if let Some(file) = describe_bytes(bytes) {
        return Err(TranscriptError::UnknownFormat { looks_like: file.to_owned() });
    }
    let content = lossy_text(bytes);
    let mut broken = None;
    if content.trim_start().starts_with(['{', '[']) {
        match JsonSketch::parse(&content) {
            Ok(sketch) => return detect_document(&sketch).ok_or_else(|| unknown_format(&sketch)),
            Err(error) => broken = Some(TranscriptError::from(error)),
        }
    }
    if mostly_json(bytes) {
        let line_format = non_blank_lines(bytes)
            .filter_map(|line| JsonSketch::parse(&lossy_text(line)).ok())
            .find_map(|sketch| detect_line(&sketch));
        if let Some(kind) = line_format {
            return Ok(DetectedFormat::Lines(kind));
        }
    }
    match broken {
        Some(broken) if looks_like_json(&content) => {
            // JSON Lines of an unknown format fail to parse as a document in line 2; that position would not help the
            // user, so report the unknown format.
            let first_line = non_blank_lines(bytes).next();
            let sketch = first_line.and_then(|line| JsonSketch::parse(&lossy_text(line)).ok());
            Err(sketch.map_or(broken, |sketch| unknown_format(&sketch)))
        }
        _ if memchr::memchr(0, bytes).is_some() => Err(TranscriptError::Binary),
        _ => detect_text(&content).map(DetectedFormat::Text),
    }
}

/// The format of a text that is not JSON. A history of Aider within other turns belongs to its turn.
fn detect_text(text: &str) -> Result<TranscriptFormat, TranscriptError> {
    let looks_like = |file: &str| Err(TranscriptError::UnknownFormat { looks_like: file.to_owned() });
    match () {
        () if ends_in_json(text) => {
            looks_like("a text and the JSON of a conversation in one file; read them one by one")
        }
        () if aider::starts_history(text) => Ok(TranscriptFormat::Aider),
        () if cursor::has_export(text) => Ok(TranscriptFormat::Cursor),
        () if is_end_of_json(text.as_bytes()) => looks_like("the end of a JSON file; read the whole file"),
        () if speakers::has_speakers(text) => Ok(TranscriptFormat::Markdown),
        () if aider::has_history(text) => Ok(TranscriptFormat::Aider),
        () => Ok(TranscriptFormat::Plain),
    }
}

/// How many lines are tried as the start of JSON that reaches to the end of a text: each costs a pass over the rest.
const MAX_JSON_STARTS: usize = 8;

/// Whether a text ends in the JSON of a conversation, as two files in one do. JSON in a code fence is an example.
fn ends_in_json(text: &str) -> bool {
    let starts = lines_with_fences(text).filter(|(_, line, fenced)| !fenced && line.starts_with(['{', '[']));
    starts.take(MAX_JSON_STARTS).any(|(start, ..)| {
        let rest = &text[start..];
        let document = || JsonSketch::parse(rest).ok().and_then(|sketch| detect_document(&sketch));
        let first_line = || JsonSketch::parse(rest.lines().next()?).ok().and_then(|sketch| detect_line(&sketch));
        document().is_some() || mostly_json(rest.as_bytes()) && first_line().is_some()
    })
}

fn unknown_format(sketch: &JsonSketch) -> TranscriptError {
    TranscriptError::UnknownFormat { looks_like: describe_json(sketch) }
}

/// Whether at least half of the lines start like a JSON object or array.
fn mostly_json(bytes: &[u8]) -> bool {
    let (mut records, mut all) = (0, 0);
    for line in non_blank_lines(bytes) {
        all += 1;
        records += usize::from(line.starts_with(b"{") || line.starts_with(b"["));
    }
    records * 2 >= all
}

/// Whether a text with an opening bracket at the start is intended as JSON: `[1] a footnote` and `[[a link]]` are not.
fn looks_like_json(text: &str) -> bool {
    let mut rest = text.trim_start();
    while let Some(inner) = rest.strip_prefix('[') {
        rest = inner.trim_start();
    }
    match rest.strip_prefix('{') {
        Some(inner) => inner.trim_start().is_empty() || inner.trim_start().starts_with(['"', '}']),
        None => rest.is_empty() || rest.starts_with('"'),
    }
}

/// The format of a JSON document.
fn detect_document(value: &JsonSketch) -> Option<DetectedFormat> {
    let document = |kind| Some(DetectedFormat::Document(kind));
    if let Some(first) = value.first_element() {
        return match first {
            _ if detect_export(first).is_some() => detect_export(first).map(DetectedFormat::Document),
            _ if is_response_item(first) => document(TranscriptFormat::OpenAiResponses),
            _ if is_studio_chunk(first) => document(TranscriptFormat::AiStudio),
            _ if first.has("mapping") => document(TranscriptFormat::ChatGpt),
            _ if first.has_all(&["role", "parts"]) => document(TranscriptFormat::GeminiJson),
            _ if first.has_all(&["type", "message", "messageId"]) => document(TranscriptFormat::GeminiJson),
            _ if is_openai_message(first)
                || first.get("messages").and_then(JsonSketch::first_element).is_some_and(is_openai_message) =>
            {
                document(TranscriptFormat::OpenAi)
            }
            _ => None,
        };
    }
    let first = |key: &str| value.get(key).and_then(JsonSketch::first_element);
    match value {
        _ if detect_export(value).is_some() => detect_export(value).map(DetectedFormat::Document),
        _ if value.has("mapping") => document(TranscriptFormat::ChatGpt),
        _ if first("messages").is_some_and(is_openai_message) => document(TranscriptFormat::OpenAi),
        _ if first("messages").is_some_and(is_gemini_message) => document(TranscriptFormat::GeminiJson),
        _ if first("history").or(first("contents")).is_some_and(|c| c.has_all(&["role", "parts"])) => {
            document(TranscriptFormat::GeminiJson)
        }
        _ if value.has_all(&["session", "items"]) => document(TranscriptFormat::Codex),
        _ if value.has_all(&["sessionId", "projectHash", "messages"]) => document(TranscriptFormat::GeminiJson),
        _ => detect_line(value).map(DetectedFormat::Lines),
    }
}

/// The format of one line of JSON Lines.
fn detect_line(value: &JsonSketch) -> Option<TranscriptFormat> {
    if let Some(first) = value.first_element() {
        return is_openai_message(first).then_some(TranscriptFormat::OpenAi);
    }
    let kind = value.text_at("type");
    Some(match value {
        _ if !value.object => return None,
        _ if detect_export(value).is_some() => return detect_export(value),
        _ if is_copilot_line(value) => TranscriptFormat::Copilot,
        _ if value.has("payload") && !kind.is_empty() || value.has("record_type") => TranscriptFormat::Codex,
        _ if kind.is_empty() && value.has_all(&["id", "timestamp", "instructions"]) => TranscriptFormat::Codex,
        _ if kind == "message" && value.has_all(&["role", "content"]) => TranscriptFormat::Codex,
        _ if kind.starts_with("thread.") || kind.starts_with("turn.") || kind.starts_with("item.") => {
            TranscriptFormat::Codex
        }
        _ if value.has("$set") || value.has("$rewindTo") || value.has("projectHash") => TranscriptFormat::GeminiLines,
        _ if value.has_all(&["sessionId", "startTime"]) => TranscriptFormat::GeminiLines,
        _ if value.has("mapping") => TranscriptFormat::ChatGpt,
        _ if is_claude_record(value) => TranscriptFormat::ClaudeCode,
        _ if is_gemini_message(value) && value.has("id") => TranscriptFormat::GeminiLines,
        _ if is_openai_message(value)
            || value.get("messages").and_then(JsonSketch::first_element).is_some_and(is_openai_message) =>
        {
            TranscriptFormat::OpenAi
        }
        _ => return None,
    })
}

/// The format of a conversation of an export whose messages are one list.
fn detect_export(value: &JsonSketch) -> Option<TranscriptFormat> {
    let first = |key: &str| value.get(key).and_then(JsonSketch::first_element);
    let is_response = || value.text_at("object") == "response" || value.has_all(&["model", "input"]);
    let is_turn = |turn: &JsonSketch| turn.has_all(&["from", "value"]);
    let is_chat = |turn: &JsonSketch| is_turn(turn) || is_openai_message(turn);
    match value {
        _ if value.get("chat_messages").is_some_and(|messages| messages.list) => Some(TranscriptFormat::ClaudeAi),
        _ if first("conversations").is_some_and(|chat| chat.has("chat_messages")) => Some(TranscriptFormat::ClaudeAi),
        _ if first("conversations").is_some_and(is_chat) || first("items").is_some_and(is_turn) => {
            Some(TranscriptFormat::ShareGpt)
        }
        _ if value.get("requests").is_some_and(|requests| requests.list) && is_copilot_session(value) => {
            Some(TranscriptFormat::Copilot)
        }
        _ if ["userMessages", "assistantMessages"].iter().all(|key| value.get(key).is_some_and(|list| list.list)) => {
            Some(TranscriptFormat::MemoryRequest)
        }
        _ if value.get("chunkedPrompt").is_some_and(|prompt| prompt.has("chunks")) => Some(TranscriptFormat::AiStudio),
        _ if is_response() && (first("output").is_some_and(is_response_item) || value.has("input")) => {
            Some(TranscriptFormat::OpenAiResponses)
        }
        // A page of the items of a response or a conversation.
        _ if value.text_at("object") == "list" && first("data").is_some_and(is_response_item) => {
            Some(TranscriptFormat::OpenAiResponses)
        }
        _ => None,
    }
}

/// Whether an object with `requests` is a chat of VS Code.
fn is_copilot_session(value: &JsonSketch) -> bool {
    ["responderUsername", "requesterUsername", "initialLocation", "creationDate"].iter().any(|key| value.has(key))
}

/// Whether an object is a line of Copilot: a change of a session's log, or an event of its agent.
fn is_copilot_line(value: &JsonSketch) -> bool {
    let session = || value.has("kind") && value.get("v").is_some_and(|session| session.has("requests"));
    let is_event = |kind: &str| {
        matches!(kind, "user.message" | "assistant.message" | "system.message")
            || ["session.", "assistant.", "tool.execution_"].iter().any(|opening| kind.starts_with(opening))
    };
    session() || is_event(value.text_at("type")) && value.get("data").is_some_and(|data| data.object)
}

/// Whether an object is a chunk of an AI Studio prompt without its file.
fn is_studio_chunk(value: &JsonSketch) -> bool {
    value.has_all(&["text", "role"]) && (value.has("tokenCount") || value.has("isThought"))
}

/// Whether an object is an item of OpenAI's Responses API; Codex writes the same items with an id of the session.
fn is_response_item(value: &JsonSketch) -> bool {
    match value.text_at("type") {
        "message" => {
            let content = value.get("content").and_then(JsonSketch::first_element);
            content.is_some_and(|part| matches!(part.text_at("type"), "input_text" | "output_text"))
        }
        "function_call" | "function_call_output" => value.has("call_id"),
        "reasoning" => value.has("summary"),
        _ => false,
    }
}

/// Whether an object is a record of Claude Code.
fn is_claude_record(value: &JsonSketch) -> bool {
    let kind = value.text_at("type");
    let is_message =
        || matches!(kind, "user" | "assistant" | "human") && value.get("message").is_some_and(|m| m.object);
    let has_session_key =
        || ["uuid", "leafUuid", "parentUuid", "sessionId", "session_id"].iter().any(|key| value.has(key));
    let is_metadata =
        || matches!(kind, "summary" | "file-history-snapshot" | "queue-operation" | "ai-title" | "custom-title");
    !kind.is_empty() && (is_message() || has_session_key() || is_metadata())
}

/// Whether an object is a message of Gemini CLI.
fn is_gemini_message(value: &JsonSketch) -> bool {
    let kind = value.text_at("type");
    matches!(kind, "user" | "gemini" | "info" | "error" | "warning")
        && !value.has("role")
        && (value.has("content") || value.has("toolCalls"))
}

/// Whether an object is a message in OpenAI's format.
fn is_openai_message(value: &JsonSketch) -> bool {
    let role = value.text_at("role");
    !role.is_empty() && (value.has("content") || value.has("tool_calls"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn brackets_alone_make_no_json() {
        for text in ["[link](a.md) to it", "[[wiki]] page", "[1] a footnote", "{curly} words", "[x] done", "[ ] open"] {
            assert_eq!(detect_format(text.as_bytes()), Ok(DetectedFormat::Text(TranscriptFormat::Plain)), "{text}");
        }
    }

    #[test]
    fn json_of_unknown_format_is_refused_and_half_a_document_reports_the_position() {
        for text in ["{}", "[]", "{\"a\":1}", "{\"a\":1}\n{\"b\":2}", "[1,2]", "{\"messages\":\"none\"}"] {
            let detected = detect_format(text.as_bytes());
            assert!(matches!(detected, Err(TranscriptError::UnknownFormat { .. })), "{text} {detected:?}");
        }
        let package = detect_format(b"{\"name\": \"x\", \"version\": 1}").unwrap_err().to_string();
        assert_eq!(package, "this looks like JSON of another kind: an object with the keys name, version");
        let half = "{\n  \"sessionId\": \"a\",\n  \"mess";
        assert_eq!(detect_format(half.as_bytes()), Err(TranscriptError::InvalidJson { line: 3, column: 7 }));
    }

    #[test]
    fn a_note_with_a_record_in_it_stays_a_note() {
        let note = "How the API is called:\n\n```\n{\"role\":\"user\",\"content\":\"hi\"}\n```\n\nThat is all.\n";
        assert_eq!(detect_format(note.as_bytes()), Ok(DetectedFormat::Text(TranscriptFormat::Plain)));
    }
}
