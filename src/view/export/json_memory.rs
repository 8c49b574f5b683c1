//! A resource of json-memory: a file is the first name of its paths, sections are the others.
//!
//! Never leaves a bullet out without a line that counts it.

use std::collections::HashMap;

use serde_json::{Map, Value};

use super::left_out::{
    self, report_empty_sections, report_front_matter, report_heading_count, report_prose, report_summary,
};
use super::{ExportFile, ExportedText, NO_BULLETS, top_bullets};
use crate::document::{
    Document, MetaKey, OWN_ITEMS, bullet_to_text, derived_item_name, field_value_as_json, metadata_value_as_json,
    resource_field, section_titles,
};
use crate::path::MemoryPath;
use crate::path::distinct_names::distinct_names;
use crate::text::counted_noun::counted_noun;

const METADATA: &str = "_metadata";

pub fn json_memory(files: &[ExportFile]) -> ExportedText {
    let mut exported = ExportedText::default();
    let (mut metadata, mut names) = (Map::new(), Map::new());
    let has_items = |file: &&ExportFile| top_bullets(&file.document).next().is_some();
    let titles: Vec<String> = files.iter().map(file_title).collect();
    let with_items = files.iter().zip(&titles).filter(|(file, _)| has_items(file));
    let titled: Vec<_> = with_items.map(|(file, title)| (&**title, &file.path)).collect();
    let distinct: HashMap<&MemoryPath, String> =
        titled.iter().map(|(_, path)| *path).zip(distinct_names(&titled)).collect();
    for (file, title) in files.iter().zip(&titles) {
        report_prose(file, &mut exported);
        report_summary(file, &mut exported);
        report_empty_sections(file, &mut exported);
        let further_titles = file.document.sections().iter().filter(|section| section.level == 1).skip(1).count();
        report_heading_count(&file.path, further_titles, &mut exported);
        let own = resource_metadata(&file.document);
        let kept: Vec<&str> = own.keys().map(String::as_str).collect();
        report_front_matter(file, &kept, &mut exported);
        if metadata.is_empty() {
            metadata = own;
        } else if !own.is_empty() && metadata != own {
            exported.leave_out(&file.path, "its front matter: a resource has one '_metadata'");
        }
        let Some(name) = distinct.get(&file.path) else {
            exported.leave_out(&file.path, NO_BULLETS);
            continue;
        };
        let count = top_bullets(&file.document).count();
        if name == METADATA {
            let reason = format!("{}, because its title is a name of the resource itself", counted_noun(count, "item"));
            exported.leave_out(&file.path, &reason);
            continue;
        }
        if name != title {
            exported.leave_out(&file.path, &left_out::shared_title(name));
        }
        let (content, lost) = content_of(&file.document);
        if lost > 0 {
            let reason = format!("{} beside a section '{OWN_ITEMS}'", counted_noun(lost, "item"));
            exported.leave_out(&file.path, &reason);
        }
        names.insert(name.clone(), content);
        exported.items += count - lost;
    }
    // The metadata first, as others write it.
    let mut resource = Map::new();
    if !metadata.is_empty() {
        resource.insert(METADATA.to_owned(), metadata.into());
    }
    resource.extend(names);
    exported.text = serde_json::to_string_pretty(&Value::Object(resource)).unwrap_or_default() + "\n";
    exported
}

/// The name of a file in a resource, as long as no other file has it.
fn file_title(file: &ExportFile) -> String {
    let heading = Some(file.document.section_title(0).into_owned()).filter(|title| !title.is_empty());
    heading.unwrap_or_else(|| file.path.stem().to_owned())
}

/// What a file or section holds: its own bullets, and its sections by their titles, in file order.
#[derive(Default)]
struct Level {
    bullets: Vec<usize>,
    sections: Vec<(String, Level)>,
}

impl Level {
    fn section(&mut self, title: String) -> &mut Level {
        let at = self.sections.iter().position(|(known, _)| *known == title).unwrap_or_else(|| {
            self.sections.push((title, Level::default()));
            self.sections.len() - 1
        });
        &mut self.sections[at].1
    }
}

/// A file's bullets, and the number of those that have no place.
fn content_of(document: &Document) -> (Value, usize) {
    let mut root = Level::default();
    for bullet in top_bullets(document) {
        let titles = section_titles(document, document.bullets()[bullet].section as usize);
        titles.into_iter().fold(&mut root, Level::section).bullets.push(bullet);
    }
    let mut lost = 0;
    (level_content(&root, document, &mut lost), lost)
}

/// A list, if there is nothing but items; else an object of fields, sections and, under [`OWN_ITEMS`], the items.
fn level_content(level: &Level, document: &Document, lost: &mut usize) -> Value {
    let (mut object, mut items) = (Map::new(), Vec::new());
    let has_section = |name: &str| level.sections.iter().any(|(title, _)| title == name);
    for &bullet in &level.bullets {
        let text = bullet_to_text(document, bullet);
        let field = resource_field(&text).filter(|_| document.bullet_meta(bullet).is_none());
        match field.filter(|(name, _)| !object.contains_key(*name) && !has_section(name)) {
            Some((name, value)) => drop(object.insert(name.to_owned(), field_value_as_json(value))),
            None => items.push(item(document, bullet, text)),
        }
    }
    if object.is_empty() && level.sections.is_empty() {
        return items.into();
    }
    if has_section(OWN_ITEMS) {
        *lost += items.len();
    } else if !items.is_empty() {
        object.insert(OWN_ITEMS.to_owned(), items.into());
    }
    for (title, section) in &level.sections {
        object.insert(title.clone(), level_content(section, document, lost));
    }
    object.into()
}

fn item(document: &Document, bullet: usize, text: String) -> Value {
    let meta = document.bullet_meta(bullet).unwrap_or_default();
    // Prefers `oid`, the id that it has in the other program.
    let id = meta.raw(MetaKey::Oid.name()).map(str::to_owned);
    let id = id.or_else(|| document.bullet_id(bullet).map(|id| id.into_owned()));
    let mut item = Map::new();
    item.insert("item".to_owned(), id.unwrap_or_else(|| derived_item_name(&text)).into());
    item.insert("display".to_owned(), text.into());
    for (key, value) in &meta.0 {
        let name = match MetaKey::from_name(key) {
            Some(MetaKey::Id | MetaKey::Oid) => continue,
            Some(own) => own.spec().path_field.unwrap_or(own.name()),
            None => key,
        };
        item.insert(name.to_owned(), metadata_value_as_json(key, value));
    }
    for field in ["added", "expiry"] {
        item.entry(field).or_insert(Value::Null);
    }
    Value::Object(item)
}

/// The front matter of a file that was a resource.
fn resource_metadata(document: &Document) -> Map<String, Value> {
    let mut metadata = Map::new();
    if document.front_text("resource_id").is_none() {
        return metadata;
    }
    let head = document.front_matter().map_or("", |span| &document.text()[span.range()]);
    for line in head.lines() {
        let Some((key, raw)) = line.split_once(": ") else { continue };
        let Some(text) = document.front_text(key) else { continue };
        let words = raw.trim().strip_prefix('[').and_then(|inner| inner.strip_suffix(']'));
        let value = match (metadata_value_as_json(key, &text), words) {
            (Value::String(_), Some(words)) => Value::from_iter(words.split(", ").filter(|word| !word.is_empty())),
            (value, _) => value,
        };
        metadata.insert(key.to_owned(), value);
    }
    metadata
}
