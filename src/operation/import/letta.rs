//! Memory blocks of Letta: `label`, `description`, `value`, `limit`, as its API returns them or as an agent file has
//! them (<https://docs.letta.com/guides/agents/agent-file>): `blocks`, in older files `core_memory`.
//!
//! A block is one text, so it becomes one file with front matter, as Letta itself writes blocks to files.

use serde_json::{Map, Value};

use super::{ImportedMemories, ImportedNote, NoteContent, SourceFile, scalar};
use crate::document::front_matter_line;

pub fn recognises(file: &SourceFile) -> bool {
    file.json().is_some_and(|json| {
        blocks(&json).is_some_and(|blocks| !blocks.is_empty() && blocks.iter().all(|block| as_block(block).is_some()))
    })
}

fn blocks(json: &Value) -> Option<Vec<&Value>> {
    if let Some(list) =
        json.as_array().or_else(|| ["blocks", "core_memory"].iter().find_map(|n| json.get(*n)?.as_array()))
    {
        return Some(list.iter().collect());
    }
    as_block(json).map(|_| vec![json])
}

fn as_block(value: &Value) -> Option<&Map<String, Value>> {
    let block = value.as_object()?;
    ["label", "value"].iter().all(|name| block.get(*name).is_some_and(Value::is_string)).then_some(block)
}

pub fn read(file: &SourceFile, read: &mut ImportedMemories) -> Result<(), &'static str> {
    let Some(json) = file.json() else { return Err("it is not JSON") };
    let Some(blocks) = blocks(&json) else { return Err("it has no memory blocks") };
    for (at, block) in blocks.into_iter().enumerate() {
        match as_block(block) {
            Some(block) => read.notes.push(note(block)),
            None => read.skip(format!("{} block {}", file.name, at + 1), "it has no label and no value"),
        }
    }
    for (key, value) in json.as_object().into_iter().flatten() {
        let count = value.as_array().map_or(0, Vec::len);
        if !["blocks", "core_memory"].contains(&key.as_str()) && count > 0 {
            read.skip(format!("{} {key}", file.name), format!("{count} that are no memory blocks"));
        }
    }
    Ok(())
}

fn note(block: &Map<String, Value>) -> ImportedNote {
    let label = block.get("label").and_then(Value::as_str).unwrap_or_default();
    let mut text = format!("---\n{}", front_matter_line("label", label));
    for (key, value) in block.iter().filter(|(key, _)| !["label", "value"].contains(&key.as_str())) {
        let is_name = !key.is_empty() && key.chars().all(|c| c.is_ascii_alphanumeric() || c == '_');
        let is_default = matches!(value, Value::Null | Value::Bool(false));
        let is_empty = value.as_object().is_some_and(Map::is_empty) || value.as_array().is_some_and(Vec::is_empty);
        if is_name && !is_default && !is_empty {
            let written = scalar(value).unwrap_or_else(|| value.to_string());
            text.push_str(&front_matter_line(key, &written));
        }
    }
    text.push_str("---\n");
    text.push_str(block.get("value").and_then(Value::as_str).unwrap_or_default());
    if !text.ends_with('\n') {
        text.push('\n');
    }
    ImportedNote { name: label.to_owned(), is_own_path: false, content: NoteContent::Text(text) }
}
