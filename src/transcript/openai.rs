//! Parses `messages` as in the APIs of OpenAI and Anthropic: in an object, as an array, or as JSON Lines of objects,
//! arrays or single messages.
//!
//! Lines with a single message together form one conversation; a line with a list of messages is a conversation of its
//! own. Never drops a conversation because one of its messages is broken.

use std::collections::HashSet;

use serde::Deserialize;

use super::host_framing::is_memdir_call;
use super::json_lines::non_blank_lines;
use super::lenient_json::{LenientList, LenientObject, LenientText};
use super::message_content::MessageContent;
use super::turn_builder::{TurnBuilder, parse_role, parse_time};
use super::{Conversation, Role, TranscriptError, TranscriptFormat};

/// A conversation or a message.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct OpenAiRecord {
    id: LenientText,
    title: LenientText,
    /// The system prompt in Anthropic's API.
    system: MessageContent,
    messages: Option<LenientList<OpenAiRecord>>,
    role: LenientText,
    content: MessageContent,
    timestamp: LenientText,
    created_at: LenientText,
    create_time: LenientText,
    tool_calls: LenientList<OpenAiCall>,
    tool_call_id: LenientText,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct OpenAiCall {
    id: LenientText,
    function: LenientObject<OpenAiFunction>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct OpenAiFunction {
    name: LenientText,
    arguments: LenientText,
}

/// The conversations of a file of JSON Lines; a line that cannot be read is counted as skipped.
pub(super) fn parse_lines(bytes: &[u8]) -> Vec<Conversation> {
    let mut all = Vec::new();
    let mut messages = LenientList::default();
    for line in non_blank_lines(bytes) {
        match simdutf8::basic::from_utf8(line).ok().and_then(parse_line) {
            Some(OpenAiLine::Record(record)) if record.messages.is_none() => messages.items.push(*record),
            Some(OpenAiLine::Record(record)) => all.push(to_conversation(*record)),
            Some(OpenAiLine::Messages(messages)) => all.push(messages_to_conversation(messages)),
            None => messages.skipped += 1,
        }
    }
    all.push(messages_to_conversation(messages));
    all
}

/// Parses one JSON value.
pub(super) fn parse_document(text: &str) -> Result<Vec<Conversation>, TranscriptError> {
    if text.trim_start().starts_with('{') {
        return Ok(vec![to_conversation(serde_json::from_str(text)?)]);
    }
    let mut list: LenientList<OpenAiRecord> = serde_json::from_str(text)?;
    let chats = list.items.iter().position(|record| record.messages.is_some());
    if chats.is_none() {
        return Ok(vec![messages_to_conversation(list)]);
    }
    let mut all: Vec<Conversation> = std::mem::take(&mut list.items).into_iter().map(to_conversation).collect();
    all.push(messages_to_conversation(list));
    Ok(all)
}

enum OpenAiLine {
    Record(Box<OpenAiRecord>),
    Messages(LenientList<OpenAiRecord>),
}

fn parse_line(line: &str) -> Option<OpenAiLine> {
    match line.as_bytes().first()? {
        b'{' => serde_json::from_str(line).ok().map(OpenAiLine::Record),
        b'[' => serde_json::from_str(line).ok().map(OpenAiLine::Messages),
        _ => None,
    }
}

fn messages_to_conversation(messages: LenientList<OpenAiRecord>) -> Conversation {
    to_conversation(OpenAiRecord { messages: Some(messages), ..OpenAiRecord::default() })
}

fn to_conversation(record: OpenAiRecord) -> Conversation {
    let messages = record.messages.unwrap_or_default();
    let mut turns = TurnBuilder::default();
    let mut skipped = messages.skipped;
    let mut own = HashSet::new();
    turns.add_message(Role::System, &None, record.system.texts());
    for message in &messages.items {
        match parse_role(message.role.as_str()) {
            Some(role) => add_message(role, message, &mut turns, &mut own),
            None => skipped += 1,
        }
    }
    let (id, title) = (record.id.0, record.title.0);
    Conversation { kind: TranscriptFormat::OpenAi, id, title, summary: None, turns: turns.into_turns(), skipped }
}

/// Adds the turns of a message. `own` has the ids of tool calls that ran memdir.
fn add_message(role: Role, message: &OpenAiRecord, turns: &mut TurnBuilder, own: &mut HashSet<String>) {
    let times = [&message.timestamp, &message.created_at, &message.create_time];
    let at = times.into_iter().find_map(parse_time);
    for call in &message.tool_calls.items {
        let runs_memdir = |f: &OpenAiFunction| is_memdir_call(f.name.as_str(), f.arguments.as_str());
        own.extend(call.id.0.clone().filter(|_| call.function.0.as_ref().is_some_and(runs_memdir)));
    }
    let blocks = message.content.tool_calls().filter(|(_, name, command)| is_memdir_call(name, command));
    own.extend(blocks.map(|(id, ..)| id.to_owned()));
    for answer in message.content.tool_results() {
        turns.add_tool_result(&at, &answer.text, answer.call_id.is_some_and(|call| own.contains(&call)));
    }
    if role == Role::Tool {
        turns.add_tool_result(&at, &message.content.tool_output(), own.contains(message.tool_call_id.as_str()));
    } else {
        turns.add_message(role, &at, message.content.texts());
    }
}
