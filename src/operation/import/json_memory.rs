//! Resources in JSON: `_metadata`, then names that lead to lists of items with `item`, `display`, `added` and `expiry`.
//!
//! The first name is a file, the others are sections, as the paths of the edit operations address them
//! (`food.likes[2]` is `food#likes@3`).

use serde_json::{Map, Value};

use super::{ImportedBullet, ImportedMemories, SourceFile, push_id, push_key, push_other, scalar};
use crate::document::{
    MetaKey, OWN_ITEMS, derived_item_name, field_value_as_json, metadata_value_as_json, resource_field, slug,
};

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
    let metadata = resource.get(METADATA).and_then(Value::as_object);
    let front = metadata.map(|metadata| front_matter(metadata, read)).unwrap_or_default();
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

fn front_matter(metadata: &Map<String, Value>, read: &mut ImportedMemories) -> Vec<(String, String)> {
    let mut pairs = Vec::new();
    for (key, value) in metadata {
        match value {
            Value::Array(list) if list.iter().all(|v| v.as_str().is_some_and(is_plain_word)) => {
                let words: Vec<&str> = list.iter().filter_map(Value::as_str).collect();
                pairs.push((key.clone(), format!("[{}]", words.join(", "))));
            }
            _ => push_checked(&mut pairs, (METADATA, key), value, read),
        }
    }
    pairs
}

/// Adds a value under its own name, and reports what an export will write otherwise.
fn push_checked(
    pairs: &mut Vec<(String, String)>,
    (item, key): (&str, &str),
    value: &Value,
    read: &mut ImportedMemories,
) {
    let before = pairs.len();
    push_other(pairs, key, value);
    let Some((name, text)) = pairs.get(before) else { return };
    if name != key {
        read.change(item, format!("its {key} is kept as {name}"));
    }
    report_other_type(item, key, value, &metadata_value_as_json(name, text), read);
}

/// Reports a value that an export will write as one of another type.
fn report_other_type(item: &str, key: &str, value: &Value, exported: &Value, read: &mut ImportedMemories) {
    let kind = |value: &Value| match value {
        Value::Null => "null",
        Value::Bool(_) => "a boolean",
        Value::Number(_) => "a number",
        Value::String(_) => "a text",
        Value::Array(_) => "a list",
        Value::Object(_) => "an object",
    };
    if kind(value) != kind(exported) {
        read.change(item, format!("its {key}, {}, is exported as {}", kind(value), kind(exported)));
    }
}

fn is_plain_word(text: &str) -> bool {
    !text.is_empty() && text.chars().all(|c| c.is_alphanumeric() || matches!(c, '_' | '-' | '/'))
}

fn object(path: &str, inner: &Map<String, Value>, note: &str, section: &mut Vec<String>, read: &mut ImportedMemories) {
    let mut sections: Vec<String> = Vec::new();
    for (key, value) in inner {
        let path = format!("{path}.{key}");
        let makes_section = value.is_array() && key != OWN_ITEMS || value.is_object();
        if makes_section && key.trim().is_empty() {
            read.change(&path, "its name is empty, so its items are kept one level above");
        } else if makes_section && sections.contains(&slug(key)) {
            read.change(&path, "its items are kept in the section of a name that differs only in case or punctuation");
        } else if makes_section {
            sections.push(slug(key));
        }
        match value {
            Value::Object(inner) if !is_item(inner) => {
                section.push(key.clone());
                object(&path, inner, note, section, read);
                section.pop();
            }
            // The bullets of this level itself.
            Value::Array(_) if key == OWN_ITEMS => values(&path, value, note, section, read),
            Value::Object(_) | Value::Array(_) => {
                section.push(key.clone());
                values(&path, value, note, section, read);
                section.pop();
            }
            _ => match scalar(value) {
                Some(value_text) => {
                    let text = format!("{key}: {value_text}");
                    if resource_field(&text) == Some((key, &value_text)) {
                        report_other_type(&path, key, value, &field_value_as_json(&value_text), read)
                    } else {
                        read.change(&path, "its name and value are kept as the text of an item")
                    }
                    let bullet = ImportedBullet { item: path, section: section.clone(), text, meta: Vec::new() };
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
        match bullet(&item, value, section, read) {
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

fn bullet(item: &str, value: &Value, section: &[String], read: &mut ImportedMemories) -> Option<ImportedBullet> {
    let of = |text, meta| ImportedBullet { item: item.to_owned(), section: section.to_vec(), text, meta };
    let Value::Object(object) = value else {
        let text = scalar(value)?;
        report_other_type(item, "value", value, &Value::from(""), read);
        return Some(of(text, Vec::new()));
    };
    let name = if object.get("display").and_then(scalar).is_some() { "display" } else { "item" };
    let text = object.get(name).and_then(scalar)?;
    for key in ["display", "item"] {
        if let Some(value) = object.get(key).filter(|value| !value.is_null()) {
            report_other_type(item, key, value, &Value::from(""), read);
        }
    }
    let mut meta = Vec::new();
    // A name that an export derives from the text is no id.
    let is_derived = object.get("item").and_then(Value::as_str) == Some(&derived_item_name(&text));
    if name == "display" && !is_derived {
        push_id(&mut meta, object.get("item"));
    }
    for (key, value) in object.iter().filter(|(key, _)| !["display", "item"].contains(&key.as_str())) {
        match MetaKey::from_path_field(key).filter(|own| is_first_name(*own, key, object)) {
            Some(own) if scalar(value).is_some() => {
                push_key(&mut meta, own, Some(value));
                let text = scalar(value).unwrap_or_default();
                report_other_type(item, key, value, &metadata_value_as_json(own.name(), &text), read);
                if let Some(name) = own.spec().path_field.filter(|name| name != key) {
                    read.change(item, format!("its {key} is kept as {name}"));
                }
            }
            _ => push_checked(&mut meta, (item, key), value, read),
        }
    }
    Some(of(text, meta))
}

/// Whether no other name of the same field has a value before this one.
fn is_first_name(own: MetaKey, name: &str, object: &Map<String, Value>) -> bool {
    own.spec().path_field == Some(name) || own.spec().path_field.and_then(|field| scalar(object.get(field)?)).is_none()
}
