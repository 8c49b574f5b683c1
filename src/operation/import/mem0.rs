//! Memories of mem0, as `get_all` and its export return them
//! (<https://docs.mem0.ai/api-reference/memory/get-memories>): `{"results": [...]}`, or the list alone.
//!
//! A file holds the memories of one user, agent or app; the first category is a section.

use serde_json::{Map, Value};

use super::{ImportedBullet, ImportedMemories, SourceFile, push_id, push_key, push_other, scalar};
use crate::document::MetaKey;

/// The file of memories without an owner.
const UNOWNED: &str = "mem0";
/// Who a memory is about: the first that is given names the file.
const OWNERS: [&str; 3] = ["user_id", "agent_id", "app_id"];
/// Fields that do not describe the memory itself.
const INTERNAL: [&str; 6] = ["hash", "score", "input", "owner", "organization", "structured_attributes"];

pub fn recognises(file: &SourceFile) -> bool {
    file.json().is_some_and(|json| {
        rows(&json).is_some_and(|rows| rows.first().is_some_and(|row| row.get("memory").is_some_and(Value::is_string)))
    })
}

fn rows(json: &Value) -> Option<&Vec<Value>> {
    json.as_array().or_else(|| ["results", "memories"].iter().find_map(|name| json.get(*name)?.as_array()))
}

pub fn read(file: &SourceFile, read: &mut ImportedMemories) -> Result<(), &'static str> {
    let Some(json) = file.json() else { return Err("it is not JSON") };
    let Some(rows) = rows(&json) else { return Err("it has no list of memories") };
    for (at, row) in rows.iter().enumerate() {
        let id = row.get("id").and_then(scalar);
        let item = id.map_or_else(|| format!("{} memory {}", file.name, at + 1), |id| format!("memory {id}"));
        match (row.as_object(), row.get("memory").and_then(scalar)) {
            (Some(row), Some(text)) => memory(item, row, text, read),
            _ => read.skip(item, "it has no text in 'memory'"),
        }
    }
    if let Some(relations) = json.get("relations").and_then(Value::as_array) {
        for (at, _) in relations.iter().enumerate() {
            read.skip(format!("{} relation {}", file.name, at + 1), "relations of mem0's graph are not read");
        }
    }
    Ok(())
}

fn memory(item: String, row: &Map<String, Value>, text: String, read: &mut ImportedMemories) {
    let owner = OWNERS.iter().find_map(|name| Some((*name, row.get(*name).and_then(scalar)?)));
    let mut meta = Vec::new();
    push_id(&mut meta, row.get("id"));
    push_key(&mut meta, MetaKey::Exp, row.get("expiration_date"));
    push_key(&mut meta, MetaKey::Added, row.get("created_at"));
    push_key(&mut meta, MetaKey::Upd, row.get("updated_at"));
    push_key(&mut meta, MetaKey::Run, row.get("run_id"));
    push_key(&mut meta, MetaKey::Role, row.get("role"));
    let categories: Vec<String> =
        row.get("categories").and_then(Value::as_array).into_iter().flatten().filter_map(scalar).collect();
    if categories.len() > 1 {
        meta.push(("categories".to_owned(), categories.join(",")));
    }
    const READ: [&str; 10] = [
        "id",
        "memory",
        "expiration_date",
        "created_at",
        "updated_at",
        "run_id",
        "role",
        "categories",
        "metadata",
        "immutable",
    ];
    for (key, value) in row.get("metadata").and_then(Value::as_object).into_iter().flatten() {
        push_other(&mut meta, key, value);
    }
    for (key, value) in row {
        let is_owner = owner.as_ref().is_some_and(|(name, _)| name == key);
        if INTERNAL.contains(&key.as_str()) {
            if scalar(value).is_some() || value.as_array().is_some_and(|list| !list.is_empty()) {
                read.change(&item, format!("its '{key}' is not kept"));
            }
        } else if !READ.contains(&key.as_str()) && !is_owner || (key == "immutable" && *value == Value::Bool(true)) {
            push_other(&mut meta, key, value);
        }
    }
    let name = owner.map_or_else(|| UNOWNED.to_owned(), |(_, name)| name);
    let section = categories.into_iter().take(1).collect();
    read.add_bullet(&name, ImportedBullet { item, section, text, meta });
}
