//! Memories of ChatGPT. Its export (`conversations.json`) has no list of them: they are what the assistant sent to the
//! tool `bio`, and the list that the tool puts before a conversation (`model_set_context`).
//!
//! Also reads a list of memories as text, one a line, as a person copies it from the settings, and JSON rows with
//! `content`, as browser extensions save it. Conversations are for `reflect`.

use std::sync::LazyLock;

use jiff::Timestamp;
use serde_json::{Map, Value};

use super::memdir_records::exported_records;
use super::{EMPTY_FILE, ImportedBullet, ImportedMemories, SourceFile, push_id, push_key, scalar};
use crate::document::{MetaKey, parse_date};

/// The fields of a row that become a bullet and its metadata.
const KEPT_FIELDS: [&str; 8] =
    ["id", "content", "created_at", "createdAt", "created_timestamp", "updated_at", "updatedAt", "last_updated"];

/// A conversation that is no object.
static NOTHING: LazyLock<Map<String, Value>> = LazyLock::new(Map::new);

/// The file of all memories.
const NOTE: &str = "chatgpt";

/// Whether one of the files is ChatGPT's. Any text could be a list of memories, so beside markdown only JSON counts.
pub fn recognises(files: &[SourceFile]) -> bool {
    let is_text_alone = !files.iter().any(|file| file.has_extension(&["md"]));
    files.iter().any(|file| match file.json() {
        Some(json) => {
            let is_own = json.as_object().is_some_and(|object| exported_records(object).is_some());
            !is_own && (conversations(&json).is_some() || rows(&json).is_some_and(|rows| !rows.is_empty()))
        }
        None => is_text_alone && file.has_extension(&["txt"]) && !file.is_blank() && file.text().is_some(),
    })
}

fn conversations(json: &Value) -> Option<Vec<&Map<String, Value>>> {
    let list: Vec<_> =
        json.as_array()?.iter().map(|conversation| conversation.as_object().unwrap_or(&NOTHING)).collect();
    list.iter().any(|conversation| conversation.get("mapping").is_some_and(Value::is_object)).then_some(list)
}

/// Memories as objects with a text.
fn rows(json: &Value) -> Option<Vec<&Map<String, Value>>> {
    let list = json.as_array().or_else(|| json.get("memories")?.as_array())?;
    let rows: Option<Vec<_>> = list.iter().map(Value::as_object).collect();
    rows.filter(|rows| rows.iter().all(|row| row.get("content").is_some_and(Value::is_string)))
}

pub fn read(file: &SourceFile, read: &mut ImportedMemories) -> Result<(), &'static str> {
    match file.json() {
        Some(json) => match (conversations(&json), rows(&json)) {
            (Some(conversations), _) => {
                conversations.iter().for_each(|conversation| read_conversation(conversation, read))
            }
            (None, Some(rows)) => rows.iter().enumerate().for_each(|(at, row)| memory_row(file, at, row, read)),
            (None, None) => return Err("it has no conversations and no memories"),
        },
        None if file.has_extension(&["txt", "md"]) => {
            let text = file.text().ok_or("it is not UTF-8 text")?;
            if file.is_blank() {
                return Err(EMPTY_FILE);
            }
            for (at, line) in text.lines().enumerate().filter(|(_, line)| !line.trim().is_empty()) {
                let item = format!("{} line {}", file.name, at + 1);
                if memory_line(item.clone(), line, read) {
                    read.skip(item, "another memory has the same text");
                }
            }
        }
        None => return Err("it has no conversations and no memories"),
    }
    Ok(())
}

/// Adds a memory. Returns true if one with this text exists already, which then gets the dates that it lacks.
fn push(item: String, text: String, meta: Vec<(String, String)>, read: &mut ImportedMemories) -> bool {
    let known = read.by_text.get(&text).copied();
    let bullets = read.note_of(NOTE, "ChatGPT").bullets;
    match known {
        Some(at) => {
            let is_date = |key: &str| [MetaKey::Added.name(), MetaKey::Upd.name()].contains(&key);
            for (key, value) in meta.into_iter().filter(|(key, _)| is_date(key)) {
                if !bullets[at].meta.iter().any(|(known, _)| *known == key) {
                    bullets[at].meta.push((key, value));
                }
            }
        }
        None => {
            let at = bullets.len();
            bullets.push(ImportedBullet { item, section: Vec::new(), text: text.clone(), meta });
            read.by_text.insert(text, at);
        }
    }
    known.is_some()
}

/// A time in seconds since 1970 as text; other values stay as they are.
fn readable_time(time: &Value) -> Value {
    let seconds = time.as_f64().filter(|seconds| *seconds > 0.0);
    let at = seconds.and_then(|seconds| Timestamp::from_second(seconds.floor() as i64).ok());
    at.map_or_else(|| time.clone(), |at| Value::from(at.to_string()))
}

/// Adds a memory of a list in which each one stands once.
fn push_once(item: String, text: String, meta: Vec<(String, String)>, read: &mut ImportedMemories) {
    if push(item.clone(), text, meta, read) {
        read.skip(item, "another memory has the same text");
    }
}

fn memory_row(file: &SourceFile, at: usize, row: &Map<String, Value>, read: &mut ImportedMemories) {
    let item = format!("{} memory {}", file.name, at + 1);
    let mut meta = Vec::new();
    push_id(&mut meta, row.get("id"));
    // The list that the settings page loads has `created_timestamp` in seconds; the others are those of extensions.
    for (key, names) in [(MetaKey::Added, &KEPT_FIELDS[2..5]), (MetaKey::Upd, &KEPT_FIELDS[5..])] {
        if let Some(time) = names.iter().filter_map(|name| row.get(*name)).find(|time| !time.is_null()) {
            push_key(&mut meta, key, Some(&readable_time(time)));
        }
    }
    for (key, _) in row.iter().filter(|(key, value)| !KEPT_FIELDS.contains(&key.as_str()) && !value.is_null()) {
        read.change(&item, format!("its '{key}' is not kept"));
    }
    match row.get("content").and_then(scalar) {
        Some(text) => push_once(item, text, meta, read),
        None => read.skip(item, "it has no text"),
    }
}

/// A line such as `1. [2024-05-01]. User likes tea`: number and date are no part of the text. Returns whether another
/// memory has its text.
fn memory_line(item: String, line: &str, read: &mut ImportedMemories) -> bool {
    let line = line.trim();
    let digits = line.trim_start_matches(|c: char| c.is_ascii_digit());
    let numbered = (digits.len() < line.len()).then(|| digits.strip_prefix(['.', ')'])).flatten();
    let marked = ["- ", "* ", "• "].iter().find_map(|marker| line.strip_prefix(marker));
    let text = numbered.filter(|rest| rest.starts_with(' ')).or(marked).unwrap_or(line).trim();
    let (mut meta, mut kept) = (Vec::new(), text);
    if let Some((day, rest)) = text.strip_prefix('[').and_then(|inner| inner.split_once(']'))
        && parse_date(day).is_some()
    {
        meta.push((MetaKey::Added.name().to_owned(), day.to_owned()));
        kept = rest.strip_prefix('.').unwrap_or(rest).trim();
    }
    if kept.is_empty() {
        read.skip(item, "it has no text");
        return false;
    }
    push(item, kept.to_owned(), meta, read)
}

fn read_conversation(conversation: &Map<String, Value>, read: &mut ImportedMemories) {
    let title = conversation.get("title").and_then(scalar).unwrap_or_else(|| "untitled".to_owned());
    let item = format!("conversation '{title}'");
    let Some(mapping) = conversation.get("mapping").and_then(Value::as_object) else {
        return read.skip(item, "it has no messages");
    };
    let mut messages: Vec<&Value> = mapping.iter().filter_map(|(_, node)| node.get("message")).collect();
    messages.retain(|message| message.is_object());
    let time = |message: &Value| message.get("create_time").and_then(Value::as_f64).unwrap_or(0.0);
    messages.sort_by(|a, b| time(a).total_cmp(&time(b)));
    let mut others = 0;
    for message in messages {
        let content = message.get("content").unwrap_or(&Value::Null);
        let is_to_bio = message.get("recipient").and_then(Value::as_str) == Some("bio");
        if is_to_bio {
            added_memories(&item, content, time(message), read);
        } else if let Some(list) = content.get("model_set_context").and_then(scalar) {
            // The list before each conversation repeats what earlier ones added.
            for line in list.lines().filter(|line| !line.trim().is_empty()) {
                memory_line(item.clone(), line, read);
            }
        } else {
            others += 1;
        }
    }
    if others > 0 {
        read.skip(item, format!("{others} messages that are no memories; `memdir reflect` reads conversations"));
    }
}

/// The memories in a message to the tool `bio`: `parts`, or the `text` of code. `time` is in seconds; 0 if unknown.
fn added_memories(item: &str, content: &Value, time: f64, read: &mut ImportedMemories) {
    let added = Timestamp::from_second(time.floor() as i64).ok();
    if added.is_none() {
        read.change(item, format!("the date of a memory, {time}, is not kept"));
    }
    let added = added.filter(|_| time != 0.0);
    let meta: Vec<_> = added.map(|at| (MetaKey::Added.name().to_owned(), at.to_string())).into_iter().collect();
    let parts = content.get("parts").and_then(Value::as_array).into_iter().flatten();
    let parts: Vec<String> = parts.chain(content.get("text")).filter_map(scalar).collect();
    if parts.is_empty() {
        read.skip(item, "a message to the tool bio has no text");
    }
    for line in parts.iter().flat_map(|part| part.lines()).filter(|line| !line.trim().is_empty()) {
        push_once(item.to_owned(), line.trim().to_owned(), meta.clone(), read);
    }
}
