//! What `memdir export --to records` writes: the records of an app, with addresses for ids.
//!
//! Never guesses the file of a record that has an id of its own: such records are in a file of their own.

use jiff::Timestamp;
use serde_json::{Map, Value};

use super::{ImportedBullet, ImportedMemories, SourceFile, push_id, push_key, text};
use crate::document::{MetaKey, slug};
use crate::path::MemoryPath;

/// The fields of a record: its id and text, and its times.
const FIELDS: [&str; 4] = ["id", "content", "createdAt", "updatedAt"];
/// The file of records that do not name theirs.
const UNNAMED: (&str, &str) = ("records", "Records");

/// The records of an export, recognised by their shape: `memories` and nothing else, each with these four fields and no
/// others, two texts and two times. ChatGPT's own list has `updated_at` and `created_timestamp` instead.
pub fn exported_records(object: &Map<String, Value>) -> Option<Vec<Map<String, Value>>> {
    let rows: Option<Vec<_>> = object.get("memories")?.as_array()?.iter().map(|row| row.as_object().cloned()).collect();
    rows.filter(|rows| object.len() == 1 && !rows.is_empty() && rows.iter().all(is_record))
}

fn is_record(row: &Map<String, Value>) -> bool {
    let is_text = |name: &str| row.get(name).is_some_and(Value::is_string);
    let is_time = |name: &str| {
        row.get(name).is_some_and(|at| at.is_null() || at.as_str().is_some_and(|at| at.parse::<Timestamp>().is_ok()))
    };
    row.len() == FIELDS.len()
        && FIELDS[..2].iter().all(|name| is_text(name))
        && FIELDS[2..].iter().all(|name| is_time(name))
}

/// The path of an address, and the section that it names; `None` for another id.
fn address(id: &str) -> Option<(MemoryPath, Option<&str>)> {
    let (path, rest) = id.find(".md").map(|at| id.split_at(at + ".md".len()))?;
    let path = MemoryPath::new(path).ok()?;
    match rest.chars().next() {
        None | Some('@') => Some((path, None)),
        Some('#') => Some((path, Some(&rest[1..]))),
        Some(_) => None,
    }
}

/// Reads records as bullets of the files that their addresses name, and as entries of episode files.
pub fn read_records(file: &SourceFile, rows: &[Map<String, Value>], read: &mut ImportedMemories) {
    for (at, row) in oldest_first(rows) {
        let item = format!("{} record {}", file.name, at + 1);
        let (id, content) = (text(row, "id"), text(row, "content"));
        if content.trim().is_empty() {
            read.skip(item, "it has no text");
            continue;
        }
        match address(&id) {
            Some((path, Some(entry))) if path.holds_episodes() => add_entry(item, row, &path, entry, read),
            Some((path, _)) => {
                add_bullet(&path, ImportedBullet { item, text: content, meta: dates(row), ..empty() }, read)
            }
            None => {
                read.change(&item, "it does not name its file");
                let mut meta = dates(row);
                push_id(&mut meta, row.get("id"));
                read.note_of(UNNAMED.0, UNNAMED.1).bullets.push(ImportedBullet {
                    item,
                    text: content,
                    meta,
                    ..empty()
                });
            }
        }
    }
}

/// Records with their positions, in the order in which they were written: exports have the newest first, and new
/// bullets go to the end of a file.
fn oldest_first(rows: &[Map<String, Value>]) -> Vec<(usize, &Map<String, Value>)> {
    let created = |row: &Map<String, Value>| row.get("createdAt")?.as_str()?.parse::<Timestamp>().ok();
    let (mut dated, mut ordered): (Vec<_>, Vec<_>) =
        rows.iter().enumerate().partition(|(_, row)| created(row).is_some());
    dated.reverse();
    dated.sort_by_key(|(_, row)| created(row));
    ordered.append(&mut dated);
    ordered
}

fn empty() -> ImportedBullet {
    ImportedBullet::default()
}

fn add_bullet(path: &MemoryPath, bullet: ImportedBullet, read: &mut ImportedMemories) {
    let name = path.as_str().strip_suffix(".md").unwrap_or(path.as_str());
    let note = read.note_of(name, path.stem());
    *note.is_own_path = true;
    note.bullets.push(bullet);
}

/// The dates of a record; that of its last change only if it differs.
fn dates(row: &Map<String, Value>) -> Vec<(String, String)> {
    let mut meta = Vec::new();
    push_key(&mut meta, MetaKey::Added, row.get("createdAt"));
    if row.get("updatedAt") != row.get("createdAt") {
        push_key(&mut meta, MetaKey::Upd, row.get("updatedAt"));
    }
    meta
}

/// Adds the bullets of an entry: its title is the first line of the content, or the words at the start of a summary
/// that is its only line.
fn add_entry(item: String, row: &Map<String, Value>, path: &MemoryPath, entry: &str, read: &mut ImportedMemories) {
    let content = text(row, "content");
    let (title, lines) = match content.split_once('\n') {
        Some((title, body)) => (title.to_owned(), entry_lines(body)),
        None if slug(&content) == entry => (content.clone(), Vec::new()),
        None => (summary_title(&content, entry), vec![format!("Summary: {content}")]),
    };
    let mut lines: Vec<String> = lines;
    let day = row.get("createdAt").and_then(Value::as_str).and_then(|at| at.get(..10));
    // The name of a daily note is the day of its entries.
    if let Some(day) = day.filter(|day| path.stem() != *day && !lines.iter().any(|line| line.starts_with("Date:"))) {
        lines.insert(0, format!("Date: {day}"));
    }
    if lines.is_empty() {
        read.skip(item, "it has a title and no text");
        return;
    }
    for text in lines {
        let section = vec![title.clone()];
        add_bullet(path, ImportedBullet { item: item.clone(), section, text, meta: Vec::new() }, read);
    }
}

/// The bullets of a body, and its paragraphs: a line that is indented belongs to the one before.
fn entry_lines(body: &str) -> Vec<String> {
    let mut lines: Vec<String> = Vec::new();
    for line in body.lines().filter(|line| !line.trim().is_empty()) {
        match lines.last_mut() {
            Some(last) if line.starts_with([' ', '\t']) => {
                last.push('\n');
                last.push_str(line.trim());
            }
            _ => lines.push(line.strip_prefix("- ").unwrap_or(line).to_owned()),
        }
    }
    lines
}

/// The shortest start of a summary with this slug; the slug itself if there is none.
fn summary_title(summary: &str, entry: &str) -> String {
    let ends = summary.char_indices().map(|(at, c)| at + c.len_utf8());
    let title = ends.map(|end| &summary[..end]).find(|start| slug(start) == entry);
    title.unwrap_or(entry).to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_address_is_told_from_another_id() {
        let check = |id: &str, expected: Option<(&str, Option<&str>)>| {
            let found = address(id);
            assert_eq!(found.as_ref().map(|(path, section)| (path.as_str(), *section)), expected, "{id}");
        };
        check("facts/user.md@acvh", Some(("facts/user.md", None)));
        check("episodes/2026-02.md#tea", Some(("episodes/2026-02.md", Some("tea"))));
        check("facts/user.md", Some(("facts/user.md", None)));
        check("m1", None);
        check("../x.md@acvh", None);
        check("notes.mdx@a", None);
    }
}
