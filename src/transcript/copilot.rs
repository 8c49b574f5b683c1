//! Parses GitHub Copilot's chats: the export of VS Code ("Chat: Export Chat…") and its session files, which have the
//! same `requests`; the log of changes that newer versions keep of a session; and the events of Copilot's agent.
//!
//! Never takes a request that VS Code or an agent sent by itself for one of the user's. Shapes: `chatModel.ts`
//! (`IExportableChatData`) and `objectMutationLog.ts` in VS Code's `src/vs/workbench/contrib/chat/common/model`, and
//! the events of Copilot CLI.

use std::collections::{HashMap, HashSet};

use serde_json::Value;

use super::exports::{ExportTurns, time_of, to_conversation, tool_texts};
use super::json_lines::non_blank_lines;
use super::{Conversation, Role, TranscriptFormat, lossy_text};

/// Adds the requests of an export or a session.
pub(super) fn add_session(turns: &mut ExportTurns, session: &Value) {
    turns.add_all(session["requests"].as_array().into_iter().flatten(), add_request);
}

/// Parses JSON Lines: a log of changes, events, or one session per line.
pub(super) fn parse_lines(bytes: &[u8]) -> Vec<Conversation> {
    let mut all = Vec::new();
    let mut session: Option<Value> = None;
    let (mut events, mut skipped) = (Vec::new(), 0);
    let convert = |session: &Value| to_conversation(session, TranscriptFormat::Copilot, add_session);
    for line in non_blank_lines(bytes) {
        match serde_json::from_str::<Value>(&lossy_text(line)) {
            Ok(mut entry) if entry["kind"] == 0 && entry["v"].is_object() => {
                all.extend(session.replace(entry["v"].take()).as_ref().map(convert));
            }
            Ok(entry) if entry["kind"].is_u64() => {
                skipped += usize::from(session.as_mut().and_then(|session| apply_change(session, entry)).is_none());
            }
            Ok(event) if event["type"].is_string() => events.push(event),
            Ok(session) if session["requests"].is_array() => all.push(convert(&session)),
            Ok(_) | Err(_) => skipped += 1,
        }
    }
    all.extend(session.as_ref().map(convert));
    let events = Value::Array(events);
    let from_events = to_conversation(&events, TranscriptFormat::Copilot, add_events);
    all.push(Conversation { id: session_id(&events), ..from_events });
    if let Some(first) = all.first_mut() {
        first.skipped += skipped;
    }
    all
}

/// Applies an entry of the log to the session: 1 sets the value at a path, 2 cuts an array there and appends to it, 3
/// deletes. `None` if the path does not exist.
fn apply_change(session: &mut Value, mut entry: Value) -> Option<()> {
    let path = entry["k"].take();
    let (last, parents) = path.as_array()?.split_last()?;
    let mut node = session;
    for key in parents {
        node = match key {
            Value::String(name) => node.get_mut(name)?,
            key => node.get_mut(usize::try_from(key.as_u64()?).ok()?)?,
        };
    }
    let value = entry["v"].take();
    if entry["kind"] == 2 {
        let list = match last {
            Value::String(name) => node.as_object_mut()?.entry(name).or_insert(Value::Array(Vec::new())),
            key => node.get_mut(usize::try_from(key.as_u64()?).ok()?)?,
        };
        let list = list.as_array_mut()?;
        if let Some(length) = entry["i"].as_u64() {
            list.truncate(usize::try_from(length).ok()?);
        }
        list.extend(value.as_array().into_iter().flatten().cloned());
        return Some(());
    }
    match (node, last) {
        (Value::Object(fields), Value::String(name)) if entry["kind"] == 3 => drop(fields.remove(name)),
        (Value::Object(fields), Value::String(name)) => drop(fields.insert(name.clone(), value)),
        (Value::Array(items), index) => {
            let index = usize::try_from(index.as_u64()?).ok()?;
            // Never grows a list by more than what the log contains.
            if index == items.len() {
                items.push(Value::Null);
            }
            *items.get_mut(index)? = value;
        }
        _ => return None,
    }
    Some(())
}

/// `{"message": {"text": …}, "response": [{"value": …}], "timestamp": …}`
fn add_request(turns: &mut ExportTurns, request: &Value) -> Option<()> {
    let undone = &request["shouldBeRemovedOnSend"];
    if undone.is_object() && undone["afterUndoStop"].is_null() {
        return Some(());
    }
    let at = time_of(&request["timestamp"]);
    for attached in request["variableData"]["variables"].as_array().into_iter().flatten() {
        let texts = [&attached["code"], &attached["value"], &attached["values"][0]["value"]];
        let text = texts.into_iter().find_map(Value::as_str);
        turns.builder.add_injected(Role::User, &at, text.unwrap_or_default());
    }
    let typed = typed_text(&request["message"])?;
    if request["isSystemInitiated"] == true || request["confirmation"].is_string() {
        turns.builder.add_injected(Role::User, &at, &typed);
    } else {
        turns.add_message(Role::User, &at, &[typed]);
    }
    add_answer(turns, request, &at);
    Some(())
}

/// The text of a request: a string, `text`, or its `parts`.
fn typed_text(message: &Value) -> Option<String> {
    let whole = message.as_str().or(message["text"].as_str()).map(str::to_owned);
    let parts =
        || message["parts"].as_array().map(|parts| parts.iter().filter_map(|part| part["text"].as_str()).collect());
    whole.or_else(parts)
}

/// The parts of an answer: text has no `kind`, or one of three; the others are progress, edits and tool calls.
fn add_answer(turns: &mut ExportTurns, request: &Value, at: &Option<String>) {
    let mut texts = vec![String::new()];
    let mut has_results = false;
    for part in request["response"].as_array().into_iter().flatten() {
        let text = match part["kind"].as_str() {
            None => part["value"].as_str().or(part.as_str()),
            Some("text") => part["text"].as_str(),
            Some("markdownContent" | "markdownVuln") => part["content"]["value"].as_str().or(part["value"].as_str()),
            Some("inlineReference") => reference_name(part),
            Some("toolInvocationSerialized") => {
                let (id, name) = (&part["toolCallId"], part["toolId"].as_str().unwrap_or_default());
                let details = &part["toolSpecificData"];
                turns.note_call(id, name, &details["commandLine"]);
                let results = [&part["resultDetails"]["output"], &details["terminalCommandOutput"]];
                for result in results.into_iter().filter(|result| !tool_texts(result).is_empty()) {
                    turns.flush(Role::Assistant, at, &mut texts);
                    texts.push(String::new());
                    turns.add_tool_result(id, at, result);
                    has_results = true;
                }
                None
            }
            Some(_) => None,
        };
        if let (Some(last), Some(text)) = (texts.last_mut(), text) {
            last.push_str(text);
        }
    }
    // The same results, under other ids.
    if !has_results {
        add_recorded_results(turns, &request["result"]["metadata"], at);
    }
    turns.add_message(Role::Assistant, at, &texts);
}

/// `{"toolCallRounds": [{"toolCalls": [{"id", "name", "arguments"}]}], "toolCallResults": {ID: {"content": […]}}}`
fn add_recorded_results(turns: &mut ExportTurns, metadata: &Value, at: &Option<String>) {
    for round in metadata["toolCallRounds"].as_array().into_iter().flatten() {
        for call in round["toolCalls"].as_array().into_iter().flatten() {
            turns.note_call(&call["id"], call["name"].as_str().unwrap_or_default(), &call["arguments"]);
            if let Some(id) = call["id"].as_str() {
                turns.add_tool_result(&call["id"], at, &metadata["toolCallResults"][id]);
            }
        }
    }
}

/// The name of a file or symbol in an answer.
fn reference_name(part: &Value) -> Option<&str> {
    let reference = &part["inlineReference"];
    let path = reference["path"].as_str().or(reference["uri"]["path"].as_str());
    part["name"].as_str().or(reference["name"].as_str()).or(path.and_then(|path| path.rsplit('/').next()))
}

/// Adds events: `{"type": "user.message", "data": {"content": …}, "id": …, "timestamp": …}`.
fn add_events(turns: &mut ExportTurns, events: &Value) {
    let events = events.as_array().map_or(&[][..], Vec::as_slice);
    turns.add_all(kept_events(events), add_event);
}

/// The events that no rewind removed. A rewind names the events, or the first of them.
fn kept_events(events: &[Value]) -> Vec<&Value> {
    let mut kept: Vec<&Value> = Vec::new();
    let mut position: HashMap<&str, usize> = HashMap::new();
    let mut removed: HashSet<&str> = HashSet::new();
    for event in events {
        let id = event["id"].as_str();
        if event["type"] == "session.snapshot_rewind" {
            let data = &event["data"];
            removed.extend(data["eventIds"].as_array().into_iter().flatten().filter_map(Value::as_str));
            let first = data["upToEventId"].as_str().and_then(|id| position.get(id).copied());
            kept.truncate(first.unwrap_or(kept.len()));
            continue;
        }
        position.extend(id.map(|id| (id, kept.len())));
        kept.push(event);
    }
    kept.retain(|event| event["id"].as_str().is_none_or(|id| !removed.contains(id)));
    kept
}

fn add_event(turns: &mut ExportTurns, event: &Value) -> Option<()> {
    let (data, at) = (&event["data"], time_of(&event["timestamp"]));
    let content = || data["content"].as_str();
    match event["type"].as_str()? {
        "user.message" => {
            // A skill, autopilot, or the agent that called this one.
            let source = data["source"].as_str().is_some_and(|source| source != "user");
            if source || data["isAutopilotContinuation"] == true || event["agentId"].is_string() {
                turns.builder.add_injected(Role::User, &at, content()?);
            } else {
                turns.add_message(Role::User, &at, &[content()?.to_owned()]);
            }
        }
        "assistant.message" => {
            turns.add_message(Role::Assistant, &at, &[content()?.to_owned()]);
            for call in data["toolRequests"].as_array().into_iter().flatten() {
                turns.note_call(&call["toolCallId"], call["name"].as_str().unwrap_or_default(), &call["arguments"]);
            }
        }
        "tool.execution_start" => {
            turns.note_call(&data["toolCallId"], data["toolName"].as_str().unwrap_or_default(), &data["arguments"]);
        }
        "tool.execution_complete" => {
            let result = if data["result"].is_null() { &data["error"]["message"] } else { &data["result"]["content"] };
            turns.add_tool_result(&data["toolCallId"], &at, result);
        }
        "system.message" => turns.add_message(Role::System, &at, &[content()?.to_owned()]),
        _ => {}
    }
    Some(())
}

fn session_id(events: &Value) -> Option<String> {
    let ids = events.as_array().into_iter().flatten().filter_map(|event| event["data"]["sessionId"].as_str());
    ids.map(str::to_owned).next()
}
