//! Parses the JSON of chat programs whose messages are one list: Claude.ai's export, ShareGPT, OpenAI's Responses API,
//! Google
//! AI Studio, and requests for a memory.
//!
//! Never includes thinking, and never drops a conversation because one of its messages has another shape. The sources
//! of each shape are in `fixtures/transcripts/README.md`.

use std::collections::{HashMap, HashSet};

use serde_json::Value;

use super::host_framing::is_memdir_call;
use super::json_lines::non_blank_lines;
use super::lenient_json::LenientText;
use super::turn_builder::{TurnBuilder, parse_role, parse_time};
use super::{Conversation, Role, TranscriptError, TranscriptFormat, lossy_text};

/// The parent of the first messages in Claude.ai's trees.
const CLAUDE_ROOT: &str = "00000000-0000-4000-8000-000000000000";

/// Parses a document: one conversation, or an array of conversations.
pub(super) fn parse_document(
    bytes: &[u8],
    kind: TranscriptFormat,
    add: fn(&mut ExportTurns, &Value),
) -> Result<Vec<Conversation>, TranscriptError> {
    let value: Value = serde_json::from_str(&lossy_text(bytes))?;
    let chats =
        value["conversations"].as_array().filter(|chats| chats.iter().any(|chat| chat.get("chat_messages").is_some()));
    Ok(match chats.or(value.as_array()).filter(|chats| chats.iter().any(is_conversation)) {
        Some(chats) => chats.iter().map(|chat| to_conversation(chat, kind, add)).collect(),
        None => vec![to_conversation(&value, kind, add)],
    })
}

/// Parses JSON Lines with one conversation per line.
pub(super) fn parse_lines(
    bytes: &[u8],
    kind: TranscriptFormat,
    add: fn(&mut ExportTurns, &Value),
) -> Vec<Conversation> {
    let (mut all, mut skipped) = (Vec::new(), 0);
    for line in non_blank_lines(bytes) {
        match serde_json::from_str::<Value>(&lossy_text(line)) {
            Ok(chat) => all.push(to_conversation(&chat, kind, add)),
            Err(_) => skipped += 1,
        }
    }
    if let Some(first) = all.first_mut() {
        first.skipped += skipped;
    }
    all
}

/// Whether an element of an array is a conversation, and not a message.
fn is_conversation(value: &Value) -> bool {
    let keys = ["chat_messages", "conversations", "items", "requests", "chunkedPrompt", "userMessages"];
    // The call of a tool has an `input`, too, and a type.
    let is_request = value.get("input").is_some() && value.get("type").is_none();
    keys.iter().any(|key| value.get(key).is_some()) || value["object"] == "response" || is_request
}

pub(super) fn to_conversation(chat: &Value, kind: TranscriptFormat, add: fn(&mut ExportTurns, &Value)) -> Conversation {
    let mut turns = ExportTurns::default();
    add(&mut turns, chat);
    let text_at = |keys: &[&str]| keys.iter().find_map(|key| chat[*key].as_str()).map(str::to_owned);
    Conversation {
        kind,
        id: text_at(&["uuid", "id", "sessionId", "conversation_id", "conversationId"]),
        title: text_at(&["name", "title", "customTitle", "displayName"]).filter(|title| !title.is_empty()),
        summary: text_at(&["conversationSummary"]).filter(|text| !text.trim().is_empty()),
        turns: turns.builder.into_turns(),
        skipped: turns.skipped,
    }
}

/// The turns of one conversation.
#[derive(Default)]
pub(super) struct ExportTurns {
    pub builder: TurnBuilder,
    pub skipped: usize,
    /// Ids of tool calls that ran memdir.
    own_calls: HashSet<String>,
}

impl ExportTurns {
    /// Adds each message of a list; `None` counts as skipped.
    pub fn add_all<'a>(
        &mut self,
        messages: impl IntoIterator<Item = &'a Value>,
        add: fn(&mut ExportTurns, &Value) -> Option<()>,
    ) {
        for message in messages {
            self.skipped += usize::from(add(self, message).is_none());
        }
    }

    pub fn add_message(&mut self, role: Role, at: &Option<String>, texts: &[String]) {
        self.builder.add_message(role, at, texts.iter().map(String::as_str));
    }

    /// Adds a message without its texts that were collected; leaves none.
    pub fn flush(&mut self, role: Role, at: &Option<String>, texts: &mut Vec<String>) {
        self.add_message(role, at, &std::mem::take(texts));
    }

    /// Remembers a tool call if it runs memdir.
    pub fn note_call(&mut self, id: &Value, name: &str, arguments: &Value) {
        if is_memdir_call(name, &tool_texts(arguments).join(" ")) || is_memdir_call(name, &arguments.to_string()) {
            self.own_calls.extend(id.as_str().map(str::to_owned));
        }
    }

    /// Adds the result of the tool call with this id.
    pub fn add_tool_result(&mut self, id: &Value, at: &Option<String>, result: &Value) {
        let own = id.as_str().is_some_and(|id| self.own_calls.contains(id));
        self.builder.add_tool_result(at, &tool_texts(result).join("\n"), own);
    }
}

/// `{"chat_messages": [{"uuid": …, "parent_message_uuid": …, "sender": "human", "content": […]}]}`
pub(super) fn add_claude_chat(turns: &mut ExportTurns, chat: &Value) {
    let messages = chat["chat_messages"].as_array().map_or(&[][..], Vec::as_slice);
    let branch = active_branch(chat["current_leaf_message_uuid"].as_str(), messages);
    let first_parent = branch.first().and_then(|message| message["parent_message_uuid"].as_str());
    // The messages before it are missing.
    turns.skipped += usize::from(branch.len() < messages.len() && first_parent.is_some_and(|id| id != CLAUDE_ROOT));
    turns.add_all(branch, add_claude_message);
}

/// The messages on the branch to the current message, or to the newest one: the export has those that were edited or
/// regenerated, too. All messages if not every one names its parent, as in exports before 2025.
fn active_branch<'a>(current: Option<&str>, messages: &'a [Value]) -> Vec<&'a Value> {
    let parent = |message: &'a Value| message["parent_message_uuid"].as_str();
    if messages.iter().any(|message| parent(message).is_none()) {
        return messages.iter().collect();
    }
    let by_id: HashMap<&str, &Value> = messages.iter().filter_map(|m| Some((m["uuid"].as_str()?, m))).collect();
    let parents: HashSet<&str> = messages.iter().filter_map(parent).collect();
    let leaves = messages.iter().filter(|m| m["uuid"].as_str().is_none_or(|id| !parents.contains(id)));
    let newest = || leaves.max_by_key(|m| m["created_at"].as_str().unwrap_or_default());
    let mut at = current.and_then(|id| by_id.get(id).copied()).or_else(newest);
    let mut seen = HashSet::new();
    let mut branch = Vec::new();
    while let Some(message) = at.filter(|m| seen.insert(m["uuid"].as_str())) {
        branch.push(message);
        at = parent(message).and_then(|id| by_id.get(id).copied());
    }
    branch.reverse();
    branch
}

/// `{"sender": "human", "text": …, "content": [{"type": "text", …}], "attachments": [{"extracted_content": …}]}`
fn add_claude_message(turns: &mut ExportTurns, message: &Value) -> Option<()> {
    let role = parse_role(message["sender"].as_str()?)?;
    let at = time_of(&message["created_at"]);
    for file in message["attachments"].as_array().into_iter().flatten() {
        turns.builder.add_injected(role, &at, file["extracted_content"].as_str().unwrap_or_default());
    }
    let blocks = message["content"].as_array().map_or(&[][..], Vec::as_slice);
    let mut texts = Vec::new();
    for block in blocks {
        match block["type"].as_str() {
            Some("tool_use") => {
                turns.note_call(&block["id"], block["name"].as_str().unwrap_or_default(), &block["input"])
            }
            Some("tool_result") => {
                turns.flush(role, &at, &mut texts);
                turns.add_tool_result(&block["tool_use_id"], &at, &block["content"]);
            }
            _ => texts.extend(texts_of(block)),
        }
    }
    if blocks.is_empty() {
        texts = texts_of(&message["text"]);
    }
    turns.add_message(role, &at, &texts);
    Some(())
}

/// `{"conversations": [{"from": "human", "value": …}], "system": …}`; older files have `items`.
pub(super) fn add_sharegpt_chat(turns: &mut ExportTurns, chat: &Value) {
    turns.add_message(Role::System, &None, &texts_of(&chat["system"]));
    let messages = chat["conversations"].as_array().or(chat["items"].as_array());
    turns.add_all(messages.into_iter().flatten(), add_sharegpt_message);
}

fn add_sharegpt_message(turns: &mut ExportTurns, message: &Value) -> Option<()> {
    let role = match message["from"].as_str().or(message["role"].as_str())? {
        "gpt" | "chatgpt" | "bing" | "bard" => Role::Assistant,
        // The call of a tool is not text.
        "function_call" | "tool_call" => return Some(()),
        "observation" | "function_response" | "tool_response" => Role::Tool,
        name => parse_role(name)?,
    };
    let texts = ["value", "content", "text"].into_iter().map(|key| texts_of(&message[key]));
    turns.add_message(role, &None, &texts.into_iter().find(|texts| !texts.is_empty()).unwrap_or_default());
    Some(())
}

/// `{"systemInstruction": …, "chunkedPrompt": {"chunks": […]}}`, or the array of chunks alone. A draft that was not
/// sent (`pendingInputs`) is not part of the conversation.
pub(super) fn add_studio_prompt(turns: &mut ExportTurns, prompt: &Value) {
    turns.add_message(Role::System, &None, &texts_of(&prompt["systemInstruction"]));
    let chunks = prompt.as_array().or(prompt["chunkedPrompt"]["chunks"].as_array());
    turns.add_all(chunks.into_iter().flatten(), add_studio_chunk);
}

/// `{"role": "user", "text": …}`; thinking has `isThought`, and a chunk with a result of code is one of a tool.
fn add_studio_chunk(turns: &mut ExportTurns, chunk: &Value) -> Option<()> {
    let role = parse_role(chunk["role"].as_str()?)?;
    if chunk["isThought"] == true {
        return Some(());
    }
    let at = time_of(&chunk["createTime"]);
    let parts = chunk["parts"].as_array().map_or(&[][..], Vec::as_slice);
    let answers = |part: &Value| part.get("functionResponse").is_some();
    let role = if answers(chunk) || parts.iter().any(answers) { Role::Tool } else { role };
    let mut texts = texts_of(&chunk["text"]);
    let has_text = texts.iter().any(|text| !text.trim().is_empty());
    for part in parts.iter().filter(|part| part["thought"] != true) {
        texts.extend(texts_of(part).into_iter().filter(|_| !has_text));
    }
    turns.add_message(role, &at, &texts);
    for part in std::iter::once(chunk).chain(parts) {
        for result in [&part["codeExecutionResult"], &part["functionResponse"]["response"]] {
            turns.add_tool_result(&Value::Null, &at, result);
        }
    }
    Some(())
}

/// `{"conversationId": …, "conversationSummary": …, "userMessages": ["…"], "assistantMessages": ["…"]}`. Which message
/// answers which is not said: they alternate. The summary is no message.
pub(super) fn add_memory_request(turns: &mut ExportTurns, request: &Value) {
    let [typed, answers] = ["userMessages", "assistantMessages"].map(|key| request[key].as_array());
    let [mut typed, mut answers] = [typed, answers].map(|messages| messages.into_iter().flatten().peekable());
    while typed.peek().is_some() || answers.peek().is_some() {
        for (role, message) in [(Role::User, typed.next()), (Role::Assistant, answers.next())] {
            match message {
                Some(Value::String(text)) => turns.add_message(role, &None, std::slice::from_ref(text)),
                Some(_) => turns.skipped += 1,
                None => {}
            }
        }
    }
}

/// A response with its `input`, a request, a page of items, or the array of items alone.
pub(super) fn add_response(turns: &mut ExportTurns, response: &Value) {
    turns.add_message(Role::System, &None, &texts_of(&response["instructions"]));
    if let Value::String(text) = &response["input"] {
        turns.add_message(Role::User, &None, std::slice::from_ref(text));
    }
    for items in [response, &response["data"], &response["input"], &response["output"]] {
        turns.add_all(items.as_array().into_iter().flatten(), add_response_item);
    }
}

/// `{"type": "message", "role": …, "content": …}`, or the call of a tool, or its output.
fn add_response_item(turns: &mut ExportTurns, item: &Value) -> Option<()> {
    match item["type"].as_str().unwrap_or("message") {
        "message" => turns.add_message(parse_role(item["role"].as_str()?)?, &None, &texts_of(&item["content"])),
        "reasoning" | "compaction" | "item_reference" => {}
        _ => {
            let id = if item["call_id"].is_string() { &item["call_id"] } else { &item["id"] };
            let name = item["name"].as_str().or(item["server_label"].as_str()).unwrap_or_default();
            for call in ["arguments", "input", "action"] {
                turns.note_call(id, name, &item[call]);
            }
            for result in ["output", "outputs", "results"] {
                turns.add_tool_result(id, &None, &item[result]);
            }
        }
    }
    Some(())
}

/// The texts of a message: a string, an object with `text` or `parts`, or a list of these; never of thinking.
pub(super) fn texts_of(content: &Value) -> Vec<String> {
    match content {
        Value::String(text) => vec![text.clone()],
        Value::Array(parts) => parts.iter().flat_map(texts_of).collect(),
        Value::Object(part) => {
            let is_text = |kind: &Value| matches!(kind.as_str(), Some("text" | "input_text" | "output_text"));
            let inner = part.get("text").or(part.get("parts"));
            inner.filter(|_| part.get("type").is_none_or(is_text)).map(texts_of).unwrap_or_default()
        }
        Value::Null | Value::Bool(_) | Value::Number(_) => Vec::new(),
    }
}

/// The texts of a tool's arguments or result, whatever object they are in.
pub(super) fn tool_texts(result: &Value) -> Vec<String> {
    const KEYS: [&str; 11] =
        ["text", "content", "value", "output", "logs", "stdout", "stderr", "result", "results", "command", "error"];
    match result {
        Value::String(text) => vec![text.clone()],
        Value::Array(parts) => parts.iter().flat_map(tool_texts).collect(),
        Value::Object(part) => KEYS.iter().filter_map(|key| part.get(*key)).flat_map(tool_texts).collect(),
        Value::Null | Value::Bool(_) | Value::Number(_) => Vec::new(),
    }
}

pub(super) fn time_of(value: &Value) -> Option<String> {
    let text = match value {
        Value::String(text) => text.clone(),
        Value::Number(number) => number.to_string(),
        Value::Null | Value::Bool(_) | Value::Array(_) | Value::Object(_) => return None,
    };
    parse_time(&LenientText(Some(text)))
}
