//! Names files that people take for a conversation, and the file to read instead.
//!
//! Never decides whether a file can be read: it is used only when none of the formats fits.

use super::lenient_json::JsonSketch;

/// The keys of a JSON object, or of the first object of an array, and what such a file is.
const JSON_FILES: [(&[&str], &str); 20] = [
    (&["prompt_template", "docs"], "Claude.ai's projects.json; read conversations.json of the same export"),
    (&["conversations_memory"], "Claude.ai's memories.json; read conversations.json of the same export"),
    (&["full_name", "email_address"], "Claude.ai's users.json; read conversations.json of the same export"),
    (&["conversation_id", "rating"], "ChatGPT's message_feedback.json; read conversations.json of the same export"),
    (
        &["conversation_id", "is_anonymous"],
        "ChatGPT's shared_conversations.json; read conversations.json of the same export",
    ),
    (&["chatgpt_plus_user"], "ChatGPT's user.json; read conversations.json of the same export"),
    (&["exportedAt", "prompts"], "the debug log of Copilot Chat; read the file of \"Chat: Export Chat…\""),
    (&["header", "titleUrl", "products"], "Google's My Activity; export the chat from AI Studio or as markdown"),
    (&["choices", "object"], "one reply of OpenAI's API; read the messages that were sent, with the reply"),
    (&["candidates"], "one reply of Gemini's API; read the contents that were sent, with the reply"),
    (&["ts", "type", "say"], "Cline's ui_messages.json; read api_conversation_history.json beside it"),
    (&["client_msg_id", "ts"], "an export of Slack; it has no turns of an assistant"),
    (&["guild", "channel", "messages"], "an export of Discord; it has no turns of an assistant"),
    (&["nbformat", "cells"], "a Jupyter notebook; export it as markdown"),
    (&["openapi", "paths"], "an OpenAPI description"),
    (&["name", "version", "dependencies"], "a package.json"),
    (&["name", "version", "lockfileVersion"], "a package-lock.json"),
    (&["compilerOptions"], "a tsconfig.json"),
    (&["mcpServers"], "a configuration of MCP servers"),
    (&["log", "version"], "a log of a browser (HAR)"),
];

/// First bytes of files that are not text.
const SIGNATURES: [(&[u8], &str); 7] = [
    (b"PK\x03\x04", "a ZIP archive; unpack it and read the conversations in it"),
    (b"\x1f\x8b", "a gzip archive; unpack it"),
    (b"(\xb5\x2f\xfd", "a zstd archive; unpack it"),
    (b"SQLite format 3\0", "an SQLite database; export the chat as markdown or JSON from its program"),
    (b"%PDF-", "a PDF; copy its text into a file"),
    (b"\x89PNG", "a picture"),
    (b"\xff\xd8\xff", "a picture"),
];

/// What JSON in an unknown format looks like.
pub(super) fn describe_json(sketch: &JsonSketch) -> String {
    let object = sketch.first_element().unwrap_or(sketch);
    let known = JSON_FILES.iter().find(|(keys, _)| object.has_all(keys));
    known.map_or_else(|| format!("JSON of another kind: {}", sketch.outline()), |(_, file)| (*file).to_owned())
}

/// What a file that is not a text with turns looks like; `None` if it may be one.
pub(super) fn describe_bytes(bytes: &[u8]) -> Option<&'static str> {
    let signature = SIGNATURES.iter().find(|(start, _)| bytes.starts_with(start));
    let start = bytes.trim_ascii_start();
    let opens = |word: &[u8]| start.get(..word.len()).is_some_and(|start| start.eq_ignore_ascii_case(word));
    match signature {
        Some((_, file)) => Some(file),
        None if opens(b"<!doctype html") || opens(b"<html") => {
            Some("a web page; read the JSON or markdown export of the chat instead")
        }
        None if opens(b"{\\rtf") => Some("an RTF document; save it as plain text"),
        None => None,
    }
}

/// Whether a text is the rest of a JSON document whose beginning was cut off: read as plain text, the model's words in
/// it would be the user's. It closes more than it opens, and has strings or the names of fields.
pub(super) fn is_end_of_json(text: &[u8]) -> bool {
    let text = text.trim_ascii();
    let count = |brackets: [u8; 2]| memchr::memchr2_iter(brackets[0], brackets[1], text).count();
    let is_closer = |b: &u8| b"}]".contains(b);
    let inner = text.iter().rposition(|b| !is_closer(b) && !b.is_ascii_whitespace()).map_or(&[][..], |at| &text[..=at]);
    let has = |mark: &[u8]| memchr::memmem::find(text, mark).is_some();
    // What was cut off at the start may be a part of a word.
    let mut tokens = inner.split(|b| !b.is_ascii_alphanumeric()).filter(|token| !token.is_empty()).skip(1);
    let is_value =
        |token: &[u8]| token.iter().all(u8::is_ascii_digit) || [&b"null"[..], b"true", b"false"].contains(&token);
    let has_fields = tokens.all(is_value)
        || inner.is_empty()
        || inner.ends_with(b"\"")
        || has(b"\":")
        || has(b"\",")
        || has(b"\"\n");
    let is_cut = count(*b"}]") > count(*b"{[");
    text.last().is_some_and(is_closer) && has_fields && is_cut
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_of_other_kinds_are_named() {
        for (file, named) in [
            (&b"PK\x03\x04\x14\0"[..], "ZIP"),
            (b"SQLite format 3\0...", "SQLite"),
            (b"\n<!DOCTYPE HTML>\n<html>", "web page"),
            (b"{\\rtf1 hello}", "RTF"),
        ] {
            assert!(describe_bytes(file).is_some_and(|text| text.contains(named)), "{named}");
        }
        assert!(is_end_of_json(b"llo\", \"sender\": \"assistant\"}, {\"text\": \"a\"}\n]}\n"));
        for text in ["I use {{curly}}", "a: [[b]]", "f({\"a\": [1]})", "<b>hi</b>", "x = {'a': {'b': 1}}"] {
            assert_eq!(describe_bytes(text.as_bytes()), None, "{text}");
            assert!(!is_end_of_json(text.as_bytes()), "{text}");
        }
    }

    #[test]
    fn json_is_named_or_outlined() {
        let describe = |json: &str| describe_json(&JsonSketch::parse(json).unwrap());
        assert!(
            describe(r#"[{"uuid": "1", "prompt_template": "", "docs": []}]"#).starts_with("Claude.ai's projects.json")
        );
        assert_eq!(describe(r#"{"a": 1}"#), "JSON of another kind: an object with the keys a");
    }
}
