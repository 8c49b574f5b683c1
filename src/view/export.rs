//! The files of a memory in the formats of other programs.
//!
//! Never writes, and reports everything for which a format has no place.

use std::cmp::Reverse;

use serde_json::{Map, Value, json};

mod json_memory;
pub mod left_out;

pub use json_memory::json_memory;

use crate::document::{Document, MetaKey, bullet_to_text, section_range, section_titles};
use crate::path::MemoryPath;
use crate::text::counted_noun::counted_noun;
use crate::view::context::records::{
    FindFirstWritten, RecordPosition, creation_date, is_record, record_date, repeats_title,
};
use crate::view::context::{item_address, item_text};
use crate::view::outline::field_value;
use crate::view::query::bullet_origins::BulletOrigins;
use crate::view::query::count::ItemizedFile;
use crate::view::query::item_facts::{FirstWritten, ItemDate, ItemFacts};
use crate::view::query::items::ItemKind;
use left_out::{
    report_comments, report_empty_sections, report_front_matter, report_heading_count, report_metadata, report_prose,
    report_summary,
};

/// A file to export.
pub struct ExportFile {
    pub path: MemoryPath,
    pub document: Document,
}

/// Why a file without bullets is left out.
const NO_BULLETS: &str = "it has no bullets";

/// Files in the format of another program, and what that has no place for.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ExportedText {
    pub text: String,
    pub items: usize,
    /// What is not in the text: a path, perhaps with what it is about, and the reason.
    pub left_out: Vec<(String, String)>,
}

impl ExportedText {
    pub fn leave_out(&mut self, path: &MemoryPath, reason: &str) {
        self.left_out.push((path.to_string(), reason.to_owned()));
    }
}

/// Whole files with their bullets. `import` reads the texts back byte for byte.
pub fn json(files: &[ExportFile]) -> ExportedText {
    let rows: Vec<Value> = files
        .iter()
        .map(|file| {
            let bullets: Vec<Value> = top_bullets(&file.document).map(|at| bullet_row(&file.document, at)).collect();
            json!({"path": file.path.as_str(), "text": file.document.text(), "bullets": bullets})
        })
        .collect();
    let text = serde_json::to_string_pretty(&json!({"memdir": 1, "files": rows})).unwrap_or_default() + "\n";
    ExportedText { text, items: files.len(), left_out: Vec::new() }
}

/// One bullet a line.
pub fn jsonl(files: &[ExportFile]) -> ExportedText {
    let mut exported = ExportedText::default();
    for file in files {
        report_prose(file, &mut exported);
        report_summary(file, &mut exported);
        report_front_matter(file, &[], &mut exported);
        report_empty_sections(file, &mut exported);
        if top_bullets(&file.document).next().is_none() {
            exported.leave_out(&file.path, NO_BULLETS);
        }
        for bullet in top_bullets(&file.document) {
            let mut row = Map::from_iter([("path".to_owned(), Value::from(file.path.as_str()))]);
            let title = file.document.section_title(0);
            if !title.is_empty() {
                row.insert("title".to_owned(), Value::from(title.into_owned()));
            }
            row.extend(bullet_row(&file.document, bullet).as_object().cloned().unwrap_or_default());
            exported.text.push_str(&Value::Object(row).to_string());
            exported.text.push('\n');
            exported.items += 1;
        }
    }
    exported
}

fn top_bullets(document: &Document) -> impl Iterator<Item = usize> {
    (0..document.bullets().len()).filter(|at| document.bullets()[*at].depth == 0)
}

fn bullet_row(document: &Document, bullet: usize) -> Value {
    let mut row = Map::new();
    let section = section_titles(document, document.bullets()[bullet].section as usize);
    if !section.is_empty() {
        row.insert("section".to_owned(), section.into());
    }
    row.insert("handle".to_owned(), document.handle_name(bullet).into());
    if let Some(id) = document.bullet_id(bullet) {
        row.insert("id".to_owned(), id.into_owned().into());
    }
    row.insert("text".to_owned(), bullet_to_text(document, bullet).into());
    if let Some(meta) = document.bullet_meta(bullet) {
        let pairs = meta.0.into_iter().map(|(key, value)| (key, Value::from(value)));
        row.insert("meta".to_owned(), Value::Object(pairs.collect()));
    }
    Value::Object(row)
}

/// The text of one file; several with a comment that names each.
pub fn markdown(files: &[ExportFile]) -> ExportedText {
    let mut text = String::new();
    for file in files {
        if files.len() > 1 {
            let gap = if text.is_empty() { "" } else { "\n" };
            text.push_str(&format!("{gap}<!-- {} -->\n\n", file.path));
        }
        text.push_str(file.document.text());
        if files.len() > 1 && !text.ends_with('\n') {
            text.push('\n');
        }
    }
    ExportedText { text, items: files.len(), left_out: Vec::new() }
}

/// Finds when the last text of a bullet of a file was written, by its index; `None` if it is unknown.
pub type FindLastWritten<'a> = &'a dyn Fn(&ItemizedFile, usize) -> Option<ItemDate>;

/// The records of an app: episode entries with their texts, and the bullets, paragraphs and rows of fact files, the
/// newest first. An `id` is an explicit id or else the address. `createdAt` is null where it is unknown.
pub fn records(
    files: Vec<ExportFile>,
    origins: &BulletOrigins,
    first_written: FindFirstWritten<'_>,
    last_written: FindLastWritten<'_>,
) -> ExportedText {
    let mut exported = ExportedText::default();
    let mut rows = Vec::new();
    for (f, file) in files.into_iter().enumerate() {
        let before = rows.len();
        report_metadata(&file, &[MetaKey::Id, MetaKey::Added, MetaKey::Upd], &mut exported);
        report_front_matter(&file, &["title"], &mut exported);
        report_summary(&file, &mut exported);
        report_comments(&file, &mut exported);
        let is_context = !(file.path.is_set_aside() || file.path.is_procedure());
        let file = ItemizedFile::without_counts(file.path, file.document);
        let facts = ItemFacts::new(&file, origins);
        let items = (0..file.items.len()).filter(|item| is_context && is_record(&file, *item));
        rows.extend(items.map(|item| {
            let date = record_date(&facts, item, first_written);
            let row = record_row(&facts, item, first_written, last_written);
            ((date, RecordPosition::new(f, item, date.is_some())), row)
        }));
        if rows.len() == before {
            exported.leave_out(&file.path, "it holds no records");
        } else {
            report_no_records(&file, &mut exported);
        }
    }
    rows.sort_by_key(|(rank, _)| Reverse(*rank));
    let rows: Vec<Value> = rows.into_iter().map(|(_, row)| row).collect();
    exported.items = rows.len();
    exported.text = serde_json::to_string_pretty(&json!({"memories": rows})).unwrap_or_default() + "\n";
    exported
}

/// Reports headings and texts of a file with records that are in none of them.
fn report_no_records(file: &ItemizedFile, exported: &mut ExportedText) {
    let (mut headings, mut texts, mut end_of_entry) = (0, 0, 0);
    for (at, item) in file.items.iter().enumerate() {
        if item.kind == ItemKind::Entry {
            end_of_entry = section_range(&file.document, item.section as usize).end;
        }
        if is_record(file, at) || (item.start as usize) < end_of_entry {
            continue;
        }
        match item.kind {
            ItemKind::Heading => headings += 1,
            ItemKind::Code | ItemKind::Paragraph | ItemKind::Row => texts += 1,
            // Its day is that of a record.
            ItemKind::Entry | ItemKind::Bullet(_) => {}
        }
    }
    report_heading_count(&file.path, headings, exported);
    if texts > 0 {
        exported.leave_out(&file.path, &format!("{} of text that are no records", counted_noun(texts, "block")));
    }
}

fn record_row(
    facts: &ItemFacts<'_>,
    item: usize,
    first_written: FindFirstWritten<'_>,
    last_written: FindLastWritten<'_>,
) -> Value {
    let (file, document) = (facts.file, &facts.file.document);
    let at = file.items[item].section as usize;
    let time = |date: Option<ItemDate>| {
        date.map(|date| format!("{}Z", date.at.unwrap_or(date.day.into()).strftime("%Y-%m-%dT%H:%M:%S")))
    };
    let (dates, id) = match file.items[item].kind {
        ItemKind::Entry => {
            let updated = entry_date(document, at, "Updated");
            let updated = updated.or_else(|| time(entry_changed(file, item, first_written, last_written)));
            let created = entry_date(document, at, "Date").or_else(|| time(facts.created(item)));
            ((created.clone(), updated.or(created)), document.sections()[at].id.clone())
        }
        ItemKind::Bullet(b) => {
            let id = document.bullet_meta(b as usize).and_then(|meta| meta.valid(MetaKey::Id).map(str::to_owned));
            ((time(creation_date(facts, item, first_written)), time(facts.date(item))), id)
        }
        _ => ((time(facts.created(item)), time(facts.date(item))), None),
    };
    let id = id.unwrap_or_else(|| item_address(file, item));
    json!({"id": id, "content": record_content(file, item), "createdAt": dates.0, "updatedAt": dates.1})
}

/// When the text of an entry was last changed after it was written; `None` if the history knows no such change.
fn entry_changed(
    file: &ItemizedFile,
    entry: usize,
    first_written: FindFirstWritten<'_>,
    last_written: FindLastWritten<'_>,
) -> Option<ItemDate> {
    let below = file.items[entry + 1..].iter().take_while(|item| item.kind != ItemKind::Entry);
    let bullets: Vec<usize> = below
        .filter_map(|item| match item.kind {
            ItemKind::Bullet(bullet) => Some(bullet as usize),
            _ => None,
        })
        .collect();
    let last = bullets.iter().filter_map(|bullet| last_written(file, *bullet)).max()?;
    let firsts = bullets.iter().map(|bullet| match first_written(file, *bullet) {
        FirstWritten::At(date) => Some(date),
        FirstWritten::Unknown | FirstWritten::Unrecorded => None,
    });
    // `None`, the least, if a part of it is from before the history.
    (firsts.min()?.is_none_or(|first| last > first)).then_some(last)
}

/// An entry's title and text, or only its summary if the title repeats how that begins.
fn record_content(file: &ItemizedFile, item: usize) -> String {
    let (document, at) = (&file.document, file.items[item].section as usize);
    if file.items[item].kind != ItemKind::Entry {
        let text = match file.items[item].kind {
            ItemKind::Bullet(bullet) => own_content(document, bullet as usize),
            _ => item_text(file, item),
        };
        return text.trim_end().to_owned();
    }
    let title = document.section_title(at);
    match field_value(document, at, "Summary") {
        Some(summary) if !summary.is_empty() && repeats_title(&title, &summary) => summary,
        _ => {
            let body = &document.text()[document.sections()[at].heading.end as usize..section_range(document, at).end];
            format!("{title}\n{}", body.trim_matches('\n').trim_end()).trim_end().to_owned()
        }
    }
}

/// A bullet's text with the paragraphs, code and quotes below it. The items nested in it are records of their own.
fn own_content(document: &Document, bullet: usize) -> String {
    let own = document.bullets()[bullet];
    let raw = document.bullet_raw(bullet);
    let is_fence = raw.starts_with("```") || raw.starts_with("~~~");
    let below = own.meta.map_or(own.text_end, |meta| document.meta_lines()[meta as usize].line.end);
    let from = if is_fence { own.text_start } else { below };
    let is_nested = |at: usize| {
        let first = document.blocks().partition_point(|block| block.span.start <= own.line_start);
        let inside = document.blocks()[first..].iter().take_while(|block| block.span.start < own.end);
        inside.into_iter().any(|block| block.span.range().contains(&at))
    };
    let (mut lines, mut at) = (Vec::new(), from as usize);
    for line in document.text()[at..own.end.max(from) as usize].split_inclusive('\n') {
        if !is_nested(at) {
            lines.push(line.trim_end());
        }
        at += line.len();
    }
    let indent = |line: &&str| line.len() - line.trim_start().len();
    let is_first = |at: usize| is_fence && at == 0;
    let indented = lines.iter().enumerate().filter(|(at, line)| !line.is_empty() && !is_first(*at));
    let shared = indented.map(|(_, line)| indent(line)).min().unwrap_or(0);
    let cut =
        |(at, line): (usize, &&str)| if is_first(at) { *line } else { line.get(shared..).unwrap_or("") }.to_owned();
    let content = lines.iter().enumerate().map(cut).collect::<Vec<String>>().join("\n");
    match (is_fence, content.trim().is_empty()) {
        (true, _) => content,
        (false, true) => document.bullet_text(bullet).into_owned(),
        (false, false) => format!("{}\n{}", document.bullet_text(bullet), content.trim_end()),
    }
}

fn entry_date(document: &Document, section: usize, label: &str) -> Option<String> {
    let bullets = top_bullets(document).filter(|at| document.bullets()[*at].section as usize == section);
    let mut texts = bullets.map(|at| document.bullet_text(at).into_owned());
    let text = texts.find_map(|text| text.strip_prefix(label)?.strip_prefix(':').map(|day| day.trim().to_owned()))?;
    Some(if text.len() == 10 { format!("{text}T00:00:00Z") } else { text })
}
