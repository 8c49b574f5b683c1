//! Which program wrote this, told from the content alone.
//!
//! A document is told by its keys, lines by the first one that tells; half of the lines must be JSON, so that a note
//! with a record in it stays a note.

use super::lines::lines;
use super::loose::Glance;
use super::{Kind, Unreadable, speakers, text};

/// A format, and in which form.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Form {
    /// One JSON value.
    Document(Kind),
    /// JSON Lines.
    Lines(Kind),
    /// No JSON.
    Text(Kind),
}

impl Form {
    pub fn kind(&self) -> Kind {
        match self {
            Form::Document(kind) | Form::Lines(kind) | Form::Text(kind) => *kind,
        }
    }
}

/// Tells the format of bytes that are not blank.
pub(super) fn recognise(bytes: &[u8]) -> Result<Form, Unreadable> {
    let whole = text(bytes);
    let mut broken = None;
    if whole.trim_start().starts_with(['{', '[']) {
        match Glance::at(&whole) {
            Ok(glance) => return document(&glance).ok_or(Unreadable::Unknown),
            Err(error) => broken = Some(Unreadable::from(error)),
        }
    }
    if mostly_json(bytes) {
        let told = lines(bytes).filter_map(|line| Glance::at(&text(line)).ok()).find_map(|glance| line(&glance));
        if let Some(kind) = told {
            return Ok(Form::Lines(kind));
        }
    }
    match broken {
        Some(broken) if begins_as_json(&whole) => {
            // Lines of JSON that nobody knows break a document in its second line; that says nothing to anybody.
            let known = lines(bytes).next().is_some_and(|line| Glance::at(&text(line)).is_ok());
            Err(if known { Unreadable::Unknown } else { broken })
        }
        _ if memchr::memchr(0, bytes).is_some() => Err(Unreadable::Binary),
        _ if speakers::named(&whole) => Ok(Form::Text(Kind::Markdown)),
        _ => Ok(Form::Text(Kind::Plain)),
    }
}

/// Whether at least half of the lines begin as records do.
fn mostly_json(bytes: &[u8]) -> bool {
    let (mut records, mut all) = (0, 0);
    for line in lines(bytes) {
        all += 1;
        records += usize::from(line.starts_with(b"{") || line.starts_with(b"["));
    }
    records * 2 >= all
}

/// Whether a text that begins with a bracket is meant as JSON: `[1] a footnote` and `[[a link]]` are not.
fn begins_as_json(text: &str) -> bool {
    let mut rest = text.trim_start();
    while let Some(inner) = rest.strip_prefix('[') {
        rest = inner.trim_start();
    }
    match rest.strip_prefix('{') {
        Some(inner) => inner.trim_start().is_empty() || inner.trim_start().starts_with(['"', '}']),
        None => rest.is_empty() || rest.starts_with('"'),
    }
}

/// The format of one whole JSON value.
fn document(value: &Glance) -> Option<Form> {
    let document = |kind| Some(Form::Document(kind));
    if let Some(first) = value.first() {
        return match first {
            _ if first.has("mapping") => document(Kind::ChatGpt),
            _ if first.all(&["role", "parts"]) => document(Kind::GeminiJson),
            _ if first.all(&["type", "message", "messageId"]) => document(Kind::GeminiJson),
            _ if message(first) || first.get("messages").and_then(Glance::first).is_some_and(message) => {
                document(Kind::OpenAi)
            }
            _ => None,
        };
    }
    let first = |key: &str| value.get(key).and_then(Glance::first);
    match value {
        _ if value.has("mapping") => document(Kind::ChatGpt),
        _ if first("messages").is_some_and(message) => document(Kind::OpenAi),
        _ if first("messages").is_some_and(gemini) => document(Kind::GeminiJson),
        _ if first("history").or(first("contents")).is_some_and(|c| c.all(&["role", "parts"])) => {
            document(Kind::GeminiJson)
        }
        _ if value.all(&["session", "items"]) => document(Kind::Codex),
        _ if value.all(&["sessionId", "projectHash", "messages"]) => document(Kind::GeminiJson),
        _ => line(value).map(Form::Lines),
    }
}

/// The format of one line.
fn line(value: &Glance) -> Option<Kind> {
    if let Some(first) = value.first() {
        return message(first).then_some(Kind::OpenAi);
    }
    let kind = value.word("type");
    Some(match value {
        _ if !value.object => return None,
        _ if value.has("payload") && !kind.is_empty() || value.has("record_type") => Kind::Codex,
        _ if kind.is_empty() && value.all(&["id", "timestamp", "instructions"]) => Kind::Codex,
        _ if kind == "message" && value.all(&["role", "content"]) => Kind::Codex,
        _ if kind.starts_with("thread.") || kind.starts_with("turn.") || kind.starts_with("item.") => Kind::Codex,
        _ if value.has("$set") || value.has("$rewindTo") || value.has("projectHash") => Kind::GeminiLines,
        _ if value.all(&["sessionId", "startTime"]) => Kind::GeminiLines,
        _ if value.has("mapping") => Kind::ChatGpt,
        _ if claude(value) => Kind::ClaudeCode,
        _ if gemini(value) && value.has("id") => Kind::GeminiLines,
        _ if message(value) || value.get("messages").and_then(Glance::first).is_some_and(message) => Kind::OpenAi,
        _ => return None,
    })
}

/// Whether an object is a record of Claude Code.
fn claude(value: &Glance) -> bool {
    let kind = value.word("type");
    let speaks = || matches!(kind, "user" | "assistant" | "human") && value.get("message").is_some_and(|m| m.object);
    let keeps = || ["uuid", "leafUuid", "parentUuid", "sessionId", "session_id"].iter().any(|key| value.has(key));
    let notes =
        || matches!(kind, "summary" | "file-history-snapshot" | "queue-operation" | "ai-title" | "custom-title");
    !kind.is_empty() && (speaks() || keeps() || notes())
}

/// Whether an object is a message of Gemini CLI.
fn gemini(value: &Glance) -> bool {
    let kind = value.word("type");
    matches!(kind, "user" | "gemini" | "info" | "error" | "warning")
        && !value.has("role")
        && (value.has("content") || value.has("toolCalls"))
}

/// Whether an object is a message as OpenAI has them.
fn message(value: &Glance) -> bool {
    let role = value.word("role");
    !role.is_empty() && (value.has("content") || value.has("tool_calls"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn brackets_alone_make_no_json() {
        for text in ["[link](a.md) to it", "[[wiki]] page", "[1] a footnote", "{curly} words", "[x] done", "[ ] open"] {
            assert_eq!(recognise(text.as_bytes()), Ok(Form::Text(Kind::Plain)), "{text}");
        }
    }

    #[test]
    fn json_of_no_kind_is_refused_and_half_a_document_says_where_it_breaks() {
        for text in ["{}", "[]", "{\"a\":1}", "{\"a\":1}\n{\"b\":2}", "[1,2]", "{\"messages\":\"none\"}"] {
            assert_eq!(recognise(text.as_bytes()), Err(Unreadable::Unknown), "{text}");
        }
        let half = "{\n  \"sessionId\": \"a\",\n  \"mess";
        assert_eq!(recognise(half.as_bytes()), Err(Unreadable::Broken { line: 3, column: 7 }));
    }

    #[test]
    fn a_note_with_a_record_in_it_stays_a_note() {
        let note = "How the API is called:\n\n```\n{\"role\":\"user\",\"content\":\"hi\"}\n```\n\nThat is all.\n";
        assert_eq!(recognise(note.as_bytes()), Ok(Form::Text(Kind::Plain)));
    }
}
