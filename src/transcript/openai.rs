//! `messages` as OpenAI's API has them, and Anthropic's: an object, a bare array, either of them or a message a line.
//!
//! Lines that are messages make one conversation; lines that hold conversations make one each.

use std::collections::HashSet;

use serde::Deserialize;

use super::frame::asks_memory;
use super::lines::lines as split;
use super::loose::{Loose, Many, Word};
use super::parts::Parts;
use super::turns::{Turns, role, time};
use super::{Conversation, Kind, Role, Unreadable};

/// A conversation or a message.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct Record {
    id: Word,
    title: Word,
    /// Anthropic's place for instructions.
    system: Parts,
    messages: Option<Many<Record>>,
    role: Word,
    content: Parts,
    timestamp: Word,
    created_at: Word,
    create_time: Word,
    tool_calls: Many<Call>,
    tool_call_id: Word,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct Call {
    id: Word,
    function: Loose<Function>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct Function {
    name: Word,
    arguments: Word,
}

/// Reads lines.
pub(super) fn lines(bytes: &[u8]) -> Vec<Conversation> {
    let mut all = Vec::new();
    let mut messages = Many::default();
    for line in split(bytes) {
        match simdutf8::basic::from_utf8(line).ok().and_then(value) {
            Some(Value::One(record)) if record.messages.is_none() => messages.items.push(*record),
            Some(Value::One(record)) => all.push(conversation(*record)),
            Some(Value::List(messages)) => all.push(chat(messages)),
            None => messages.other += 1,
        }
    }
    all.push(chat(messages));
    all
}

/// Reads one JSON value.
pub(super) fn document(text: &str) -> Result<Vec<Conversation>, Unreadable> {
    if text.trim_start().starts_with('{') {
        return Ok(vec![conversation(serde_json::from_str(text)?)]);
    }
    let mut list: Many<Record> = serde_json::from_str(text)?;
    let chats = list.items.iter().position(|record| record.messages.is_some());
    if chats.is_none() {
        return Ok(vec![chat(list)]);
    }
    let mut all: Vec<Conversation> = std::mem::take(&mut list.items).into_iter().map(conversation).collect();
    all.push(chat(list));
    Ok(all)
}

enum Value {
    One(Box<Record>),
    List(Many<Record>),
}

fn value(line: &str) -> Option<Value> {
    match line.as_bytes().first()? {
        b'{' => serde_json::from_str(line).ok().map(Value::One),
        b'[' => serde_json::from_str(line).ok().map(Value::List),
        _ => None,
    }
}

fn chat(messages: Many<Record>) -> Conversation {
    conversation(Record { messages: Some(messages), ..Record::default() })
}

fn conversation(record: Record) -> Conversation {
    let messages = record.messages.unwrap_or_default();
    let mut turns = Turns::default();
    let mut skipped = messages.other;
    let mut own = HashSet::new();
    turns.said(Role::System, &None, record.system.texts());
    for message in &messages.items {
        match role(message.role.as_str()) {
            Some(role) => speak(role, message, &mut turns, &mut own),
            None => skipped += 1,
        }
    }
    let (id, title) = (record.id.0, record.title.0);
    Conversation { kind: Kind::OpenAi, id, title, turns: turns.done(), skipped }
}

/// A message's turns. `own` are calls of memdir.
fn speak(role: Role, message: &Record, turns: &mut Turns, own: &mut HashSet<String>) {
    let times = [&message.timestamp, &message.created_at, &message.create_time];
    let at = times.into_iter().find_map(time);
    for call in &message.tool_calls.items {
        let asks = |f: &Function| asks_memory(f.name.as_str(), f.arguments.as_str());
        own.extend(call.id.0.clone().filter(|_| call.function.0.as_ref().is_some_and(asks)));
    }
    let blocks = message.content.calls().filter(|(_, name, command)| asks_memory(name, command));
    own.extend(blocks.map(|(id, ..)| id.to_owned()));
    for answer in message.content.answers() {
        turns.answered(&at, &answer.text, answer.call.is_some_and(|call| own.contains(&call)));
    }
    if role == Role::Tool {
        turns.answered(&at, &message.content.output(), own.contains(message.tool_call_id.as_str()));
    } else {
        turns.said(role, &at, message.content.texts());
    }
}
