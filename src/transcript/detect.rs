//! Detects the format of a conversation file.
//!
//! Never uses the file name. A JSON document is recognised by its keys, JSON Lines by the first line of a known format;
//! at least half of the lines must start like JSON, so that a note with a JSON example stays a note.

use super::json_lines::non_blank_lines;
use super::lenient_json::JsonSketch;
use super::{TranscriptError, TranscriptFormat, lossy_text, speakers};

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
    let content = lossy_text(bytes);
    let mut broken = None;
    if content.trim_start().starts_with(['{', '[']) {
        match JsonSketch::parse(&content) {
            Ok(sketch) => return detect_document(&sketch).ok_or(TranscriptError::UnknownFormat),
            Err(error) => broken = Some(TranscriptError::from(error)),
        }
    }
    if mostly_json(bytes) {
        let line_format = non_blank_lines(bytes)
            .filter_map(|line| JsonSketch::parse(&lossy_text(line)).ok())
            .find_map(|glance| detect_line(&glance));
        if let Some(kind) = line_format {
            return Ok(DetectedFormat::Lines(kind));
        }
    }
    match broken {
        Some(broken) if looks_like_json(&content) => {
            // JSON Lines of an unknown format fail to parse as a document in line 2; that position would not help the
            // user, so report the unknown format.
            let is_json_line =
                non_blank_lines(bytes).next().is_some_and(|line| JsonSketch::parse(&lossy_text(line)).is_ok());
            Err(if is_json_line { TranscriptError::UnknownFormat } else { broken })
        }
        _ if memchr::memchr(0, bytes).is_some() => Err(TranscriptError::Binary),
        _ if speakers::has_speakers(&content) => Ok(DetectedFormat::Text(TranscriptFormat::Markdown)),
        _ => Ok(DetectedFormat::Text(TranscriptFormat::Plain)),
    }
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
            assert_eq!(detect_format(text.as_bytes()), Err(TranscriptError::UnknownFormat), "{text}");
        }
        let half = "{\n  \"sessionId\": \"a\",\n  \"mess";
        assert_eq!(detect_format(half.as_bytes()), Err(TranscriptError::InvalidJson { line: 3, column: 7 }));
    }

    #[test]
    fn a_note_with_a_record_in_it_stays_a_note() {
        let note = "How the API is called:\n\n```\n{\"role\":\"user\",\"content\":\"hi\"}\n```\n\nThat is all.\n";
        assert_eq!(detect_format(note.as_bytes()), Ok(DetectedFormat::Text(TranscriptFormat::Plain)));
    }
}
