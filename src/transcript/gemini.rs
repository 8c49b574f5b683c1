//! Parses Gemini CLI's files: sessions as one JSON document or as an event log, checkpoints, and the prompt log.
//!
//! In the event log, a message is written again each time it grows; `$rewindTo` removes a message and all after it;
//! `$set.messages` replaces the model's context. That context is not the conversation: messages missing from it (after
//! a compression, for example) stay, and messages already read are never added twice.

use std::collections::{HashMap, HashSet, VecDeque};

use serde::Deserialize;

use super::host_framing::is_memdir_call;
use super::json_lines::for_each_record;
use super::lenient_json::{LenientList, LenientObject, LenientText};
use super::message_content::{MessageContent, ToolCallInput};
use super::turn_builder::{TurnBuilder, parse_role, parse_time};
use super::{Conversation, Role, TranscriptError, TranscriptFormat};

/// A session's record: its own fields, a message, or an event.
#[derive(Debug, Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
struct GeminiRecord {
    session_id: LenientText,
    summary: LenientText,
    messages: LenientList<GeminiRecord>,
    /// The turns, in a checkpoint file.
    history: LenientList<GeminiRecord>,
    contents: LenientList<GeminiRecord>,
    #[serde(rename = "$set")]
    set: LenientObject<Box<GeminiRecord>>,
    #[serde(rename = "$rewindTo")]
    rewind: LenientText,
    id: LenientText,
    r#type: LenientText,
    timestamp: LenientText,
    content: MessageContent,
    /// The text as typed, if `content` is the expanded text sent to the model.
    display_content: MessageContent,
    tool_calls: LenientList<GeminiCall>,
    /// The turns, in a checkpoint file.
    role: LenientText,
    parts: MessageContent,
    /// In the prompt log.
    message: MessageContent,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct GeminiCall {
    id: LenientText,
    name: LenientText,
    args: LenientObject<ToolCallInput>,
    result: MessageContent,
}

#[derive(Default)]
struct GeminiReader {
    id: Option<String>,
    summary: Option<String>,
    messages: Vec<GeminiRecord>,
    indices: HashMap<String, usize>,
}

/// Parses an event log (JSON Lines).
pub(super) fn parse_lines(bytes: &[u8]) -> Conversation {
    let mut reader = GeminiReader::default();
    let skipped = for_each_record(bytes, |record| reader.add_record(record));
    reader.into_conversation(TranscriptFormat::GeminiLines, skipped)
}

/// Parses a JSON document: a session, a checkpoint, or an array of messages.
pub(super) fn parse_document(text: &str) -> Result<Conversation, TranscriptError> {
    let record = if text.trim_start().starts_with('[') {
        GeminiRecord { messages: serde_json::from_str(text)?, ..GeminiRecord::default() }
    } else {
        serde_json::from_str::<GeminiRecord>(text)?
    };
    let lists = [record.messages, record.history, record.contents];
    let skipped = lists.iter().map(|list| list.skipped).sum();
    let messages: Vec<GeminiRecord> = lists.into_iter().flat_map(|list| list.items).collect();
    let first = |list: &[GeminiRecord]| list.first().and_then(|message: &GeminiRecord| message.session_id.0.clone());
    let id = record.session_id.0.or_else(|| first(&messages));
    let reader = GeminiReader { id, summary: record.summary.0, messages, ..GeminiReader::default() };
    Ok(reader.into_conversation(TranscriptFormat::GeminiJson, skipped))
}

impl GeminiReader {
    fn add_record(&mut self, record: GeminiRecord) {
        if let Some(target) = &record.rewind.0 {
            return self.rewind(target);
        }
        if record.id.0.is_some() {
            return self.upsert(record);
        }
        let fields = match record.set.0 {
            Some(set) => *set,
            None => record,
        };
        self.id = fields.session_id.0.or(self.id.take());
        self.summary = fields.summary.0.or(self.summary.take());
        self.add_missing(fields.messages.items);
    }

    /// Adds a message, or replaces the one with the same id.
    fn upsert(&mut self, message: GeminiRecord) {
        let id = message.id.as_str().to_owned();
        match self.indices.get(&id) {
            Some(&index) => self.messages[index] = message,
            None => {
                self.indices.insert(id, self.messages.len());
                self.messages.push(message);
            }
        }
    }

    /// Removes a message and all after it; all messages if the id is unknown, as Gemini CLI does.
    fn rewind(&mut self, target: &str) {
        let index = self.indices.get(target).copied().unwrap_or(0);
        self.messages.truncate(index);
        self.indices.retain(|_, at| *at < index);
    }

    /// Adds those messages of a new model context that were not read before.
    fn add_missing(&mut self, messages: Vec<GeminiRecord>) {
        if messages.is_empty() {
            return;
        }
        let mut unmatched: HashMap<(String, String), VecDeque<usize>> = HashMap::new();
        for (index, message) in self.messages.iter().enumerate() {
            unmatched.entry(content_key(message)).or_default().push_back(index);
        }
        for message in messages {
            let known = self.indices.contains_key(message.id.as_str());
            let duplicate = unmatched.get_mut(&content_key(&message)).and_then(VecDeque::pop_front);
            if !known && duplicate.is_none() {
                self.upsert(message);
            }
        }
    }

    fn into_conversation(self, kind: TranscriptFormat, skipped: usize) -> Conversation {
        let mut turns = TurnBuilder::default();
        let mut answered = HashSet::new();
        let mut own = HashSet::new();
        for message in &self.messages {
            add_message(message, &mut turns, &mut answered, &mut own);
        }
        Conversation { kind, id: self.id, title: self.summary, summary: None, turns: turns.into_turns(), skipped }
    }
}

/// The type and text of a message; two messages with the same key are the same, even under different ids.
fn content_key(message: &GeminiRecord) -> (String, String) {
    let text = if message.content.is_empty() { message.parts.joined_text() } else { message.content.joined_text() };
    (message.r#type.as_str().to_owned(), text)
}

/// Adds the turns of a message. `answered` has the ids of calls whose result was added already: a result occurs both
/// with its call and in the next message to the model. `own` has the ids of calls that ran memdir.
fn add_message(
    message: &GeminiRecord,
    turns: &mut TurnBuilder,
    answered: &mut HashSet<String>,
    own: &mut HashSet<String>,
) {
    let at = parse_time(&message.timestamp);
    let name = if message.r#type.0.is_some() { &message.r#type } else { &message.role };
    // Program notices (`info`, `warning`, `error`) have no role and are skipped.
    let Some(role) = parse_role(name.as_str()) else { return };
    let contents = [&message.content, &message.parts, &message.message];
    for answer in contents.iter().flat_map(|parts| parts.tool_results()) {
        let call = answer.call_id.unwrap_or_default();
        if call.is_empty() || answered.insert(call.clone()) {
            turns.add_tool_result(&at, &answer.text, own.contains(&call));
        }
    }
    let typed = role == Role::User && !message.display_content.is_empty();
    let spoken = if typed { [&message.display_content].to_vec() } else { contents.to_vec() };
    turns.add_message(role, &at, spoken.into_iter().flat_map(|parts| parts.texts()));
    for call in &message.tool_calls.items {
        let command = call.args.0.as_ref().map_or("", |args: &ToolCallInput| args.command.as_str());
        let is_memdir = is_memdir_call(call.name.as_str(), command);
        own.extend(call.id.0.clone().filter(|_| is_memdir));
        let results: Vec<String> = call.result.tool_results().map(|answer| answer.text).collect();
        let text = if results.is_empty() { call.result.joined_text() } else { results.join("\n") };
        let ids: Vec<String> = call
            .id
            .0
            .clone()
            .into_iter()
            .chain(call.result.tool_results().filter_map(|answer| answer.call_id))
            .collect();
        if !ids.iter().any(|id| answered.contains(id)) {
            turns.add_tool_result(&at, &text, is_memdir);
        }
        answered.extend(ids);
    }
}
