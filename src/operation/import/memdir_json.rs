//! What `memdir export --to json` and `--to jsonl` write: whole files, or one bullet a line. Records (`--to records`)
//! are read by `memdir_records.rs`.

use serde_json::{Map, Value};

use super::memdir_records::{exported_records, read_records};
use super::{ImportedBullet, ImportedMemories, ImportedNote, NoteContent, SourceFile, scalar, text};

pub fn recognises(file: &SourceFile) -> bool {
    match file.json() {
        Some(Value::Object(object)) => {
            exported_files(&object).is_some() || is_bullet(&object) || exported_records(&object).is_some()
        }
        Some(_) => false,
        None => file.json_lines().next().is_some_and(|(_, first)| first.is_some_and(|row| is_bullet(&row))),
    }
}

/// The files, in an export or in the answer of `memdir --json export`.
fn exported_files(object: &Map<String, Value>) -> Option<&Vec<Value>> {
    object.get("memdir")?;
    object.get("files")?.as_array()
}

fn is_bullet(row: &Map<String, Value>) -> bool {
    ["path", "text"].iter().all(|name| row.get(*name).is_some_and(Value::is_string))
}

pub fn read(file: &SourceFile, read: &mut ImportedMemories) -> Result<(), &'static str> {
    let object = match file.json() {
        Some(Value::Object(object)) => object,
        _ => Map::new(),
    };
    if let Some(records) = exported_records(&object) {
        read_records(file, &records, read);
        return Ok(());
    }
    if let Some(files) = exported_files(&object) {
        for (at, row) in files.iter().enumerate() {
            match row.as_object().filter(|row| is_bullet(row)) {
                Some(row) => {
                    let (name, text) = (text(row, "path"), text(row, "text"));
                    read.notes.push(note(name, NoteContent::Text(text)));
                }
                None => read.skip(format!("{} file {}", file.name, at + 1), "it has no path and no text"),
            }
        }
        return Ok(());
    }
    let mut found = false;
    for (line, row) in file.json_lines() {
        let item = format!("{} line {line}", file.name);
        match row.filter(is_bullet) {
            Some(row) => {
                found = true;
                bullet(item, &row, read);
            }
            None => read.skip(item, "it has no path and no text"),
        }
    }
    if found { Ok(()) } else { Err("it is no export of memdir") }
}

fn note(path: String, content: NoteContent) -> ImportedNote {
    ImportedNote { name: path.strip_suffix(".md").unwrap_or(&path).to_owned(), is_own_path: true, content }
}

fn bullet(item: String, row: &Map<String, Value>, read: &mut ImportedMemories) {
    let path = text(row, "path");
    let name = path.strip_suffix(".md").unwrap_or(&path);
    let stem = name.rsplit('/').next().unwrap_or(name);
    let title = row.get("title").and_then(scalar).unwrap_or_else(|| stem.to_owned());
    let section = row.get("section").and_then(Value::as_array).into_iter().flatten().filter_map(scalar).collect();
    let meta = row.get("meta").and_then(Value::as_object).into_iter().flatten();
    let meta = meta.filter_map(|(key, value)| Some((key.clone(), value.as_str()?.to_owned()))).collect();
    let bullet = ImportedBullet { item, section, text: text(row, "text"), meta };
    let note = read.note_of(name, &title);
    *note.is_own_path = true;
    note.bullets.push(bullet);
}
