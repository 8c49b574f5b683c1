//! Resources in JSON: `_metadata`, then names that lead to lists of items with `item`, `display`, `added` and `expiry`.
//!
//! The first name is a file, the others are sections, as the paths of the edit operations address them
//! (`food.likes[2]` is `food#likes@3`).

use serde_json::{Map, Value};

use super::{ImportedBullet, ImportedMemories, SourceFile, push_id, push_key, push_other, scalar};
use crate::document::MetaKey;

const METADATA: &str = "_metadata";
/// How deep items are looked for in a resource without it.
const MAX_DEPTH: usize = 6;

pub fn recognises(file: &SourceFile) -> bool {
    let Some(json) = file.json() else { return false };
    json.get(METADATA).is_some_and(Value::is_object) || json.as_object().is_some_and(|json| holds_items(json, 0))
}

/// Whether all names lead to lists, and one of these has items with both of their fields: a resource without
/// `_metadata`.
fn holds_items(object: &Map<String, Value>, depth: usize) -> bool {
    let is_whole =
        |value: &Value| ["item", "display"].iter().all(|name| value.get(*name).is_some_and(Value::is_string));
    let is_content = |value: &Value| value.is_array() || value.is_object();
    let has_item = |value: &Value| match value {
        Value::Array(list) => list.iter().any(is_whole),
        Value::Object(inner) => depth < MAX_DEPTH && holds_items(inner, depth + 1),
        _ => false,
    };
    (depth > 0 || object.values().all(is_content)) && object.values().any(has_item)
}

pub fn read(file: &SourceFile, read: &mut ImportedMemories) -> Result<(), &'static str> {
    let Some(Value::Object(resource)) = file.json() else { return Err("it is not a JSON object") };
    let front = resource.get(METADATA).and_then(Value::as_object).map(front_matter).unwrap_or_default();
    for (name, value) in resource.iter().filter(|(name, _)| *name != METADATA) {
        let note = read.note_of(name, name);
        if note.front_matter.is_empty() {
            note.front_matter.clone_from(&front);
        }
        match value {
            Value::Object(inner) => object(name, inner, name, &mut Vec::new(), read),
            other => values(name, other, name, &[], read),
        }
    }
    Ok(())
}

fn front_matter(metadata: &Map<String, Value>) -> Vec<(String, String)> {
    let mut pairs = Vec::new();
    for (key, value) in metadata {
        match value {
            Value::Array(list) if list.iter().all(|v| v.as_str().is_some_and(is_plain_word)) => {
                let words: Vec<&str> = list.iter().filter_map(Value::as_str).collect();
                pairs.push((key.clone(), format!("[{}]", words.join(", "))));
            }
            _ => push_other(&mut pairs, key, value),
        }
    }
    pairs
}

fn is_plain_word(text: &str) -> bool {
    !text.is_empty() && text.chars().all(|c| c.is_alphanumeric() || matches!(c, '_' | '-' | '/'))
}

fn object(path: &str, inner: &Map<String, Value>, note: &str, section: &mut Vec<String>, read: &mut ImportedMemories) {
    for (key, value) in inner {
        let path = format!("{path}.{key}");
        match value {
            Value::Object(inner) if !is_item(inner) => {
                section.push(key.clone());
                object(&path, inner, note, section, read);
                section.pop();
            }
            Value::Object(_) | Value::Array(_) => {
                section.push(key.clone());
                values(&path, value, note, section, read);
                section.pop();
            }
            _ => match scalar(value) {
                Some(text) => {
                    let bullet = ImportedBullet {
                        item: path,
                        section: section.clone(),
                        text: format!("{key}: {text}"),
                        meta: Vec::new(),
                    };
                    read.add_bullet(note, bullet);
                }
                None => read.skip(path, "it has no value"),
            },
        }
    }
}

fn is_item(object: &Map<String, Value>) -> bool {
    ["item", "display"].iter().any(|name| object.get(*name).is_some_and(Value::is_string))
}

/// The items of a list, or a single one.
fn values(path: &str, value: &Value, note: &str, section: &[String], read: &mut ImportedMemories) {
    let one = std::slice::from_ref(value);
    let list = value.as_array().map_or(one, Vec::as_slice);
    if list.is_empty() {
        read.skip(path, "the list is empty");
    }
    for (at, value) in list.iter().enumerate() {
        let item = format!("{path}[{at}]");
        match bullet(&item, value, section) {
            Some(bullet) => read.add_bullet(note, bullet),
            None if value.is_null() => read.skip(item, "it has no value"),
            None => {
                read.change(&item, "it has no text; its JSON is kept");
                let text = value.to_string();
                read.add_bullet(note, ImportedBullet { item, section: section.to_vec(), text, meta: Vec::new() });
            }
        }
    }
}

fn bullet(item: &str, value: &Value, section: &[String]) -> Option<ImportedBullet> {
    let of = |text, meta| ImportedBullet { item: item.to_owned(), section: section.to_vec(), text, meta };
    let Value::Object(object) = value else { return scalar(value).map(|text| of(text, Vec::new())) };
    let name = if object.get("display").and_then(scalar).is_some() { "display" } else { "item" };
    let text = object.get(name).and_then(scalar)?;
    let mut meta = Vec::new();
    if name == "display" {
        push_id(&mut meta, object.get("item"));
    }
    for (key, value) in object.iter().filter(|(key, _)| !["display", "item"].contains(&key.as_str())) {
        match MetaKey::ALL.iter().find(|own| own.spec().path_field == Some(key)) {
            Some(own) => push_key(&mut meta, *own, Some(value)),
            None => push_other(&mut meta, key, value),
        }
    }
    Some(of(text, meta))
}
