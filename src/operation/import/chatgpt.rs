//! Memories of ChatGPT. Its export (`conversations.json`) has no list of them: they are what the assistant sent to the
//! tool `bio`, and the list that the tool puts before a conversation (`model_set_context`).
//!
//! Also reads a list of memories as text, one a line, as a person copies it from the settings, and JSON rows with
//! `content`, as browser extensions save it. Conversations are for `reflect`.

use jiff::Timestamp;
use serde_json::{Map, Value};

use super::{ImportedBullet, ImportedMemories, SourceFile, push_id, push_key, scalar};
use crate::document::{MetaKey, parse_date};

/// The fields of a row that become a bullet and its metadata.
const KEPT_FIELDS: [&str; 6] = ["id", "content", "created_at", "updated_at", "createdAt", "updatedAt"];

/// The file of all memories.
const NOTE: &str = "chatgpt";

pub fn recognises(file: &SourceFile) -> bool {
    match file.json() {
        Some(json) => conversations(&json).is_some() || rows(&json).is_some_and(|rows| !rows.is_empty()),
        None => file.has_extension(&["txt"]) && file.text().is_some(),
    }
}

fn conversations(json: &Value) -> Option<Vec<&Map<String, Value>>> {
    let list: Option<Vec<_>> = json.as_array()?.iter().map(Value::as_object).collect();
    list.filter(|list| !list.is_empty() && list.iter().all(|talk| talk.get("mapping").is_some_and(Value::is_object)))
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
            (Some(talks), _) => talks.iter().for_each(|talk| conversation(talk, read)),
            (None, Some(rows)) => rows.iter().enumerate().for_each(|(at, row)| memory_row(file, at, row, read)),
            (None, None) => return Err("it has no conversations and no memories"),
        },
        None if file.has_extension(&["txt", "md"]) => {
            let text = file.text().ok_or("it is not UTF-8 text")?;
            for (at, line) in text.lines().enumerate().filter(|(_, line)| !line.trim().is_empty()) {
                memory_line(format!("{} line {}", file.name, at + 1), line, read);
            }
        }
        None => return Err("it has no conversations and no memories"),
    }
    Ok(())
}

fn push(item: String, text: String, meta: Vec<(String, String)>, read: &mut ImportedMemories) {
    let bullets = read.note_of(NOTE, "ChatGPT").bullets;
    // The list before each conversation repeats what earlier ones added.
    if !bullets.iter().any(|bullet| bullet.text == text) {
        bullets.push(ImportedBullet { item, section: Vec::new(), text, meta });
    }
}

fn memory_row(file: &SourceFile, at: usize, row: &Map<String, Value>, read: &mut ImportedMemories) {
    let item = format!("{} memory {}", file.name, at + 1);
    let mut meta = Vec::new();
    push_id(&mut meta, row.get("id"));
    // `createdAt` is how `export --to records` and the app that it is for write it.
    push_key(&mut meta, MetaKey::Added, row.get("created_at").or_else(|| row.get("createdAt")));
    push_key(&mut meta, MetaKey::Upd, row.get("updated_at").or_else(|| row.get("updatedAt")));
    for (key, _) in row.iter().filter(|(key, value)| !KEPT_FIELDS.contains(&key.as_str()) && !value.is_null()) {
        read.change(&item, format!("its '{key}' is not kept"));
    }
    match row.get("content").and_then(scalar) {
        Some(text) => push(item, text, meta, read),
        None => read.skip(item, "it has no text"),
    }
}

/// A line such as `1. [2024-05-01]. User likes tea`: number and date are no part of the text.
fn memory_line(item: String, line: &str, read: &mut ImportedMemories) {
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
    match kept.is_empty() {
        true => read.skip(item, "it has no text"),
        false => push(item, kept.to_owned(), meta, read),
    }
}

fn conversation(talk: &Map<String, Value>, read: &mut ImportedMemories) {
    let title = talk.get("title").and_then(scalar).unwrap_or_else(|| "untitled".to_owned());
    let item = format!("conversation '{title}'");
    let messages = talk.get("mapping").and_then(Value::as_object).into_iter().flatten();
    let mut messages: Vec<&Value> = messages.filter_map(|(_, node)| node.get("message")).collect();
    messages.retain(|message| message.is_object());
    let time = |message: &Value| message.get("create_time").and_then(Value::as_f64).unwrap_or(0.0);
    messages.sort_by(|a, b| time(a).total_cmp(&time(b)));
    let mut others = 0;
    for message in messages {
        let content = message.get("content").unwrap_or(&Value::Null);
        let is_to_bio = message.get("recipient").and_then(Value::as_str) == Some("bio");
        if is_to_bio {
            let added = Timestamp::from_second(time(message) as i64).ok().filter(|_| time(message) > 0.0);
            let meta = added.map(|at| (MetaKey::Added.name().to_owned(), at.to_string()));
            for part in content.get("parts").and_then(Value::as_array).into_iter().flatten().filter_map(scalar) {
                for line in part.lines().filter(|line| !line.trim().is_empty()) {
                    push(item.clone(), line.trim().to_owned(), meta.clone().into_iter().collect(), read);
                }
            }
        } else if let Some(list) = content.get("model_set_context").and_then(scalar) {
            list.lines().filter(|line| !line.trim().is_empty()).for_each(|line| memory_line(item.clone(), line, read));
        } else {
            others += 1;
        }
    }
    if others > 0 {
        read.skip(item, format!("{others} messages that are no memories; `memdir reflect` reads conversations"));
    }
}
