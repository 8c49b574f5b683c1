//! Reads the memories of other programs, as files and bullets of a memory.
//!
//! One file for each kind, one arm each in [`ImportKind::read`]. Never reads the disk, and never drops anything
//! silently: what has no place in a memory, or is kept in another form, is an [`ImportRemark`].

use std::collections::HashMap;

use serde_json::{Map, Value};

use crate::code::{Code, Rejection};
use crate::document::MetaKey;
use crate::path::MemoryPath;
use crate::text::surrogates::mend_surrogates;

mod chatgpt;
pub mod compose;
mod json_memory;
mod letta;
mod mem0;
mod memdir_json;
mod memdir_records;
mod notes;
mod server_memory;
pub mod target_path;

/// The extensions of files that hold JSON.
const JSON_EXTENSIONS: [&str; 4] = ["json", "jsonl", "ndjson", "af"];

/// Why nothing is read from a file.
const EMPTY_FILE: &str = "the file is empty";

/// A file of what is imported.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SourceFile {
    /// Its path below the folder or archive, or its file name.
    pub name: String,
    pub bytes: Vec<u8>,
}

impl SourceFile {
    fn has_extension(&self, extensions: &[&str]) -> bool {
        self.name.rsplit_once('.').is_some_and(|(_, e)| extensions.iter().any(|wanted| e.eq_ignore_ascii_case(wanted)))
    }

    /// The path without its extension.
    fn stem(&self) -> &str {
        let start = self.name.rfind('/').map_or(0, |slash| slash + 1);
        match self.name[start..].rfind('.') {
            Some(dot) if dot > 0 => &self.name[..start + dot],
            _ => &self.name,
        }
    }

    /// The text, without a byte order mark.
    fn text(&self) -> Option<&str> {
        let text = std::str::from_utf8(&self.bytes).ok()?;
        Some(text.strip_prefix('\u{feff}').unwrap_or(text))
    }

    /// Whether it has nothing but white space.
    fn is_blank(&self) -> bool {
        self.text().is_some_and(|text| text.trim().is_empty())
    }

    pub fn json(&self) -> Option<Value> {
        serde_json::from_str(self.text()?).ok()
    }

    /// Why a file cannot be read: it is empty or, with line and column, no JSON although it should be; `None` for sound
    /// JSON, objects line by line, and other texts.
    pub fn problem(&self) -> Option<String> {
        if self.is_blank() {
            return Some(EMPTY_FILE.to_owned());
        }
        if !self.has_extension(&JSON_EXTENSIONS) || self.json_lines().next().is_some_and(|(_, first)| first.is_some()) {
            return None;
        }
        let Some(text) = self.text() else { return Some("it is not UTF-8 text".to_owned()) };
        serde_json::from_str::<Value>(text).err().map(|error| format!("it cannot be read as JSON: {error}"))
    }

    /// Replaces halves of characters, as JavaScript leaves them where it cuts an emoji in two, by U+FFFD. Returns their
    /// number.
    pub fn mend_surrogates(&mut self) -> usize {
        if !self.has_extension(&JSON_EXTENSIONS) {
            return 0;
        }
        mend_surrogates(&mut self.bytes)
    }

    /// The objects of its lines that are not blank, with the number of the line; `None` for a line that is no object.
    fn json_lines(&self) -> impl Iterator<Item = (usize, Option<Map<String, Value>>)> {
        let lines = self.text().unwrap_or_default().lines().enumerate().filter(|(_, line)| !line.trim().is_empty());
        lines.map(|(at, line)| (at + 1, serde_json::from_str(line).ok()))
    }
}

/// Whose memories are imported.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ImportKind {
    /// Claude Code's folder of memories.
    Claude,
    /// A project of basic-memory.
    BasicMemory,
    /// Any folder of markdown.
    Markdown,
    /// The file of the MCP server for knowledge graphs.
    ServerMemory,
    /// Resources with `_metadata` and lists of items.
    JsonMemory,
    /// ChatGPT's export, or a list of its memories.
    ChatGpt,
    Mem0,
    /// Letta's memory blocks or agent file.
    Letta,
    /// What `memdir export --to json`, `jsonl` or `records` wrote.
    Memdir,
}

impl ImportKind {
    /// In the order in which they are tried: a kind that accepts nearly anything is the last.
    pub const ALL: [ImportKind; 9] = [
        ImportKind::Memdir,
        ImportKind::ServerMemory,
        ImportKind::JsonMemory,
        ImportKind::Letta,
        ImportKind::Mem0,
        ImportKind::ChatGpt,
        ImportKind::BasicMemory,
        ImportKind::Claude,
        ImportKind::Markdown,
    ];

    pub fn name(self) -> &'static str {
        match self {
            ImportKind::Claude => "claude",
            ImportKind::BasicMemory => "basic-memory",
            ImportKind::Markdown => "markdown",
            ImportKind::ServerMemory => "server-memory",
            ImportKind::JsonMemory => "json-memory",
            ImportKind::ChatGpt => "chatgpt",
            ImportKind::Mem0 => "mem0",
            ImportKind::Letta => "letta",
            ImportKind::Memdir => "memdir",
        }
    }

    /// Whether the content is plainly of this kind.
    fn recognises(self, files: &[SourceFile]) -> bool {
        match self {
            ImportKind::Claude => notes::is_claude(files),
            ImportKind::BasicMemory => notes::is_basic_memory(files),
            ImportKind::Markdown => notes::is_markdown(files),
            ImportKind::ServerMemory => files.iter().any(server_memory::recognises),
            ImportKind::JsonMemory => files.iter().any(json_memory::recognises),
            ImportKind::ChatGpt => chatgpt::recognises(files),
            ImportKind::Mem0 => files.iter().any(mem0::recognises),
            ImportKind::Letta => files.iter().any(letta::recognises),
            ImportKind::Memdir => files.iter().any(memdir_json::recognises),
        }
    }

    /// The kind of what is imported. Markdown of a known origin is of that kind alone.
    ///
    /// # Errors
    /// `usage` if no kind or more than one fits; the hint names those to choose from.
    pub fn detect(files: &[SourceFile]) -> Result<ImportKind, Rejection> {
        let mut fitting: Vec<ImportKind> = ImportKind::ALL.into_iter().filter(|kind| kind.recognises(files)).collect();
        if fitting.iter().any(|kind| matches!(kind, ImportKind::Claude | ImportKind::BasicMemory)) {
            fitting.retain(|kind| *kind != ImportKind::Markdown);
        }
        match fitting.as_slice() {
            [kind] => return Ok(*kind),
            [] => fitting = ImportKind::ALL.to_vec(),
            _ => {}
        }
        let names: Vec<&str> = fitting.iter().map(|kind| kind.name()).collect();
        let message = if names.len() == ImportKind::ALL.len() {
            "the content is of no kind that can be recognised"
        } else {
            "the content is of more than one kind"
        };
        Err(Rejection::new(Code::Usage, message).hint(format!("name one with --from: {}", names.join(", "))))
    }

    /// Reads the memories of this kind.
    pub fn read(self, files: &[SourceFile]) -> ImportedMemories {
        let mut read = ImportedMemories::default();
        match self {
            ImportKind::Claude | ImportKind::BasicMemory | ImportKind::Markdown => {
                notes::read(files, self == ImportKind::Claude, &mut read);
            }
            ImportKind::ServerMemory => each_file(files, &mut read, server_memory::read),
            ImportKind::JsonMemory => each_file(files, &mut read, json_memory::read),
            ImportKind::ChatGpt => each_file(files, &mut read, chatgpt::read),
            ImportKind::Mem0 => each_file(files, &mut read, mem0::read),
            ImportKind::Letta => each_file(files, &mut read, letta::read),
            ImportKind::Memdir => each_file(files, &mut read, memdir_json::read),
        }
        read
    }
}

/// Reads each file; one that the reader does not know is reported.
fn each_file(
    files: &[SourceFile],
    read: &mut ImportedMemories,
    reader: fn(&SourceFile, &mut ImportedMemories) -> Result<(), &'static str>,
) {
    for file in files {
        if let Err(reason) = reader(file, read) {
            read.skip(&file.name, file.problem().unwrap_or_else(|| reason.to_owned()));
        }
    }
}

/// What was read, in the order of the source.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ImportedMemories {
    pub notes: Vec<ImportedNote>,
    pub remarks: Vec<ImportRemark>,
    /// The notes with bullets, by name.
    by_name: HashMap<String, usize>,
    /// The bullets of a source whose lists repeat themselves, by text.
    by_text: HashMap<String, usize>,
}

/// Something that is not kept, or not kept as it was.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ImportRemark {
    /// Its position in the source.
    pub item: String,
    pub reason: String,
    /// Whether the item is not imported at all; else it is kept in another form.
    pub is_skipped: bool,
}

/// A future file of the memory.
#[derive(Clone, Debug, PartialEq)]
pub struct ImportedNote {
    /// Its name in the source, perhaps with folders, without extension. May contain anything.
    pub name: String,
    /// The name is a path from the data directory, as memdir wrote it.
    pub is_own_path: bool,
    pub content: NoteContent,
}

impl ImportedNote {
    /// Moves a note with a path of its own below a folder that the caller named, which takes the place of `facts`. Not
    /// what is set aside, which is not imported.
    pub fn move_below(&mut self, folder: &str) {
        let path = MemoryPath::from_disk_name(&format!("{}.md", self.name));
        let is_set_aside = path.is_ok_and(|path| path.is_set_aside());
        if self.is_own_path && !is_set_aside && !self.name.starts_with(&format!("{folder}/")) {
            self.name = format!("{folder}/{}", self.name.strip_prefix("facts/").unwrap_or(&self.name));
        }
    }
}

#[derive(Clone, Debug, PartialEq)]
pub enum NoteContent {
    /// A whole markdown text, kept as it is.
    Text(String),
    /// A title, front matter and bullets.
    Bullets { title: String, front_matter: Vec<(String, String)>, bullets: Vec<ImportedBullet> },
}

/// A bullet to be written, as it is in the source.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ImportedBullet {
    /// Its position in the source.
    pub item: String,
    /// The titles of its section and those around it, outermost first.
    pub section: Vec<String>,
    /// Plain text, perhaps of several lines.
    pub text: String,
    /// Metadata in any order; values need not be valid.
    pub meta: Vec<(String, String)>,
}

impl ImportedMemories {
    fn skip(&mut self, item: impl Into<String>, reason: impl Into<String>) {
        self.remarks.push(ImportRemark { item: item.into(), reason: reason.into(), is_skipped: true });
    }

    fn change(&mut self, item: impl Into<String>, reason: impl Into<String>) {
        self.remarks.push(ImportRemark { item: item.into(), reason: reason.into(), is_skipped: false });
    }

    /// Whether there is a note with bullets of this name.
    fn has_note(&self, name: &str) -> bool {
        self.by_name.contains_key(name)
    }

    /// The note with bullets of this name, which is made if there is none yet.
    fn note_of(&mut self, name: &str, title: &str) -> BulletNote<'_> {
        let at = *self.by_name.entry(name.to_owned()).or_insert_with(|| {
            let content =
                NoteContent::Bullets { title: title.to_owned(), front_matter: Vec::new(), bullets: Vec::new() };
            self.notes.push(ImportedNote { name: name.to_owned(), is_own_path: false, content });
            self.notes.len() - 1
        });
        let note = &mut self.notes[at];
        match &mut note.content {
            NoteContent::Bullets { front_matter, bullets, .. } => {
                BulletNote { front_matter, bullets, is_own_path: &mut note.is_own_path }
            }
            NoteContent::Text(_) => unreachable!("only notes with bullets have an entry"),
        }
    }

    fn add_bullet(&mut self, note: &str, bullet: ImportedBullet) {
        self.note_of(note, note).bullets.push(bullet);
    }
}

/// A note that is being read.
struct BulletNote<'a> {
    front_matter: &'a mut Vec<(String, String)>,
    bullets: &'a mut Vec<ImportedBullet>,
    is_own_path: &'a mut bool,
}

/// Adds a foreign id: as the bullet's own where it can be one, else as `oid`.
fn push_id(meta: &mut Vec<(String, String)>, id: Option<&Value>) {
    if let Some(id) = id.and_then(scalar) {
        let key = if MetaKey::Id.accepts(&id) { MetaKey::Id } else { MetaKey::Oid };
        meta.push((key.name().to_owned(), id));
    }
}

/// Adds a value under one of memdir's own keys.
fn push_key(meta: &mut Vec<(String, String)>, key: MetaKey, value: Option<&Value>) {
    if let Some(value) = value.and_then(scalar) {
        meta.push((key.name().to_owned(), value));
    }
}

/// The text of a field; empty if it is absent or no text.
fn text(row: &Map<String, Value>, name: &str) -> String {
    row.get(name).and_then(Value::as_str).unwrap_or_default().to_owned()
}

/// A string, number or boolean as text; `None` for what is empty, absent or has parts.
fn scalar(value: &Value) -> Option<String> {
    match value {
        Value::String(text) => Some(text.clone()).filter(|text| !text.trim().is_empty()),
        Value::Number(_) | Value::Bool(_) => Some(value.to_string()),
        Value::Null | Value::Array(_) | Value::Object(_) => None,
    }
}

/// A value that stays in the metadata under its own name: as text or, if it has parts, as JSON.
fn push_other(meta: &mut Vec<(String, String)>, key: &str, value: &Value) {
    let text = match value {
        Value::Null => return,
        Value::Array(_) | Value::Object(_) => value.to_string(),
        Value::String(_) | Value::Number(_) | Value::Bool(_) => scalar(value).unwrap_or_default(),
    };
    let key: String = key.chars().map(|c| if c.is_ascii_alphanumeric() || c == '_' { c } else { '-' }).collect();
    // The keys with a meaning here mean something else there.
    let prefix = if MetaKey::from_name(&key).is_some() || key.is_empty() { "x-" } else { "" };
    if !text.is_empty() {
        meta.push((format!("{prefix}{key}"), text));
    }
}

#[cfg(test)]
mod tests;
