//! The file of the MCP server `memory`: one entity or relation a line
//! (<https://www.npmjs.com/package/@modelcontextprotocol/server-memory>, 2026.8.31), or the graph as its tools print
//! it.
//!
//! Files and bullets are those of `memdir mcp --tools graph`.

use serde_json::{Map, Value};

use super::{ImportedBullet, ImportedMemories, SourceFile, push_other, scalar, text};
use crate::document::relation::{RelationText, escape_relation};

/// The file of relations whose first entity is not there.
const RELATIONS: &str = "facts/relations";

pub fn recognises(file: &SourceFile) -> bool {
    match file.json() {
        Some(Value::Object(object)) => row_kind(&object).is_some() || graph_rows(&object).is_some(),
        Some(_) => false,
        None => file.json_lines().next().is_some_and(|(_, first)| first.is_some_and(|row| row_kind(&row).is_some())),
    }
}

/// `entity` or `relation`, for an object that has the fields of one.
fn row_kind(row: &Map<String, Value>) -> Option<&str> {
    let has = |names: &[&str]| names.iter().all(|name| row.get(*name).is_some_and(Value::is_string));
    match row.get("type")?.as_str()? {
        "entity" => has(&["name", "entityType"]).then_some("entity"),
        "relation" => has(&["from", "to", "relationType"]).then_some("relation"),
        _ => None,
    }
}

/// The rows of a graph in one object.
fn graph_rows(graph: &Map<String, Value>) -> Option<Vec<(String, Map<String, Value>)>> {
    let (entities, relations) = (graph.get("entities")?.as_array()?, graph.get("relations")?.as_array()?);
    let mut rows = Vec::new();
    for (kind, list) in [("entity", entities), ("relation", relations)] {
        for (at, row) in list.iter().enumerate() {
            let mut row = row.as_object()?.clone();
            row.insert("type".to_owned(), kind.into());
            row_kind(&row)?;
            rows.push((format!("{kind} {}", at + 1), row));
        }
    }
    Some(rows)
}

pub fn read(file: &SourceFile, read: &mut ImportedMemories) -> Result<(), &'static str> {
    if file.text().is_none() {
        return Err("it is not UTF-8 text");
    }
    let whole = file.json().and_then(|json| graph_rows(json.as_object()?));
    let rows: Vec<(String, Option<Map<String, Value>>)> = match whole {
        Some(rows) => rows.into_iter().map(|(item, row)| (item, Some(row))).collect(),
        None => file.json_lines().map(|(line, row)| (format!("{} line {line}", file.name), row)).collect(),
    };
    if !rows.iter().any(|(_, row)| row.as_ref().is_some_and(|row| row_kind(row).is_some())) {
        return Err("it has no entity and no relation");
    }
    let mut relations = Vec::new();
    for (item, row) in rows {
        match row.as_ref().map(|row| (row, row_kind(row))) {
            Some((row, Some("entity"))) => entity(&item, row, read),
            Some((row, Some(_))) => relations.push((item, row.clone())),
            Some((_, None)) => read.skip(item, "it is no entity and no relation"),
            None => read.skip(item, "it is not a JSON object"),
        }
    }
    // After all entities: a relation belongs to the file of its first one, wherever its line is.
    relations.iter().for_each(|(item, row)| relation(item, row, read));
    Ok(())
}

fn entity(item: &str, row: &Map<String, Value>, read: &mut ImportedMemories) {
    let name = text(row, "name");
    let mut bullets = Vec::new();
    for (at, observation) in row.get("observations").and_then(Value::as_array).into_iter().flatten().enumerate() {
        let item = format!("{item}, observation {}", at + 1);
        match (observation.as_str(), scalar(observation)) {
            (Some(text), _) => bullets.push(bullet(item, escape_relation(text), Vec::new())),
            (None, Some(text)) => {
                read.change(&item, "a value that is not text is kept as text");
                bullets.push(bullet(item, text, Vec::new()));
            }
            (None, None) => read.skip(item, "it is not text"),
        }
    }
    let note = read.note_of(&name, &name);
    note.bullets.extend(bullets);
    let mut pairs = vec![("type".to_owned(), text(row, "entityType"))];
    for (key, value) in row.iter().filter(|(key, _)| !["type", "name", "entityType", "observations"].contains(&&***key))
    {
        push_other(&mut pairs, key, value);
    }
    let mut renamed = Vec::new();
    for (key, value) in pairs {
        let kept_as = add_distinct(note.front_matter, &key, value);
        renamed.extend(kept_as.map(|other| (key, other)));
    }
    for (key, other) in renamed {
        let field = if key == "type" { "entityType" } else { &key };
        read.change(item, format!("an entity of this name has another {field}; it is kept as {other}"));
    }
}

/// Adds a value of the front matter, unless it is there. One that is there with another value stays, and the new one
/// gets a number: returns its key then.
fn add_distinct(front_matter: &mut Vec<(String, String)>, key: &str, value: String) -> Option<String> {
    let number_of = |name: &str| match name.strip_prefix(key)? {
        "" => Some(1),
        rest => rest.strip_prefix('-')?.parse::<usize>().ok(),
    };
    let mut last = 0;
    for (name, known) in front_matter.iter() {
        let Some(number) = number_of(name) else { continue };
        if *known == value {
            return None;
        }
        last = last.max(number);
    }
    let name = if last == 0 { key.to_owned() } else { format!("{key}-{}", last + 1) };
    front_matter.push((name.clone(), value));
    (last > 0).then_some(name)
}

fn relation(item: &str, row: &Map<String, Value>, read: &mut ImportedMemories) {
    let (from, to, relation_type) = (text(row, "from"), text(row, "to"), text(row, "relationType"));
    let has_file = read.has_note(&from);
    let written = RelationText { from: (!has_file).then(|| from.clone()), relation_type, to }.to_text();
    let mut meta = Vec::new();
    for (key, value) in row.iter().filter(|(key, _)| !["type", "from", "to", "relationType"].contains(&&***key)) {
        push_other(&mut meta, key, value);
    }
    let note = read.note_of(if has_file { &from } else { RELATIONS }, "Relations");
    *note.is_own_path |= !has_file;
    note.bullets.push(bullet(item.to_owned(), written, meta));
}

fn bullet(item: String, text: String, meta: Vec<(String, String)>) -> ImportedBullet {
    ImportedBullet { item, section: Vec::new(), text, meta }
}
