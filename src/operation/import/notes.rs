//! Folders of markdown: Claude Code's memories, projects of basic-memory, and any other.
//!
//! Each file stays as it is, with its front matter, because memdir reads both conventions: `name`, `description` and
//! `metadata.type` (<https://docs.claude.com/en/docs/claude-code/memory>); `title`, `permalink`, `tags` and
//! observations `- [category] text #tag (context)` (<https://docs.basicmemory.com/guides/knowledge-format/>).

use std::collections::HashSet;

use super::{ImportedMemories, ImportedNote, NoteContent, SourceFile};
use crate::document::Document;
use crate::document::memory_index::index_entries;

/// The index that Claude Code reads first. Its lines that link to the other files repeat them; the others are notes.
const INDEX: &str = "MEMORY.md";

pub fn is_markdown(files: &[SourceFile]) -> bool {
    files.iter().any(|file| file.has_extension(&["md"]))
}

pub fn is_claude(files: &[SourceFile]) -> bool {
    files.iter().any(is_index)
        || has_front_matter(files, |document| {
            document.front_text("name").is_some()
                && document.front_text("description").is_some()
                && document.front_text("permalink").is_none()
        })
}

pub fn is_basic_memory(files: &[SourceFile]) -> bool {
    has_front_matter(files, |document| document.front_text("permalink").is_some())
}

fn is_index(file: &SourceFile) -> bool {
    file.name.rsplit('/').next() == Some(INDEX)
}

fn has_front_matter(files: &[SourceFile], wanted: impl Fn(&Document) -> bool) -> bool {
    let head = |file: &SourceFile| file.text().filter(|text| text.starts_with("---")).map(Document::parse);
    files.iter().filter(|file| file.has_extension(&["md"])).filter_map(head).any(|document| wanted(&document))
}

pub fn read(files: &[SourceFile], is_claude: bool, read: &mut ImportedMemories) {
    for file in files {
        if !file.has_extension(&["md"]) {
            read.skip(&file.name, "it is not a markdown file");
        } else if let Some(text) = file.text() {
            if text.len() < file.bytes.len() {
                read.change(&file.name, "its byte order mark is left out");
            }
            let is_index = is_claude && is_index(file);
            let text = if is_index { own_notes(file, text, files, read) } else { Some(text.to_owned()) };
            if let Some(text) = text {
                let content = NoteContent::Text(text);
                read.notes.push(ImportedNote { name: file.stem().to_owned(), is_own_path: false, content });
            }
        } else {
            read.skip(&file.name, "it is not UTF-8 text");
        }
    }
}

/// The text of an index without its lines that link to the other files; `None` if only headings are left.
fn own_notes(index: &SourceFile, text: &str, files: &[SourceFile], read: &mut ImportedMemories) -> Option<String> {
    let names: HashSet<&str> = files.iter().map(|file| file.name.as_str()).collect();
    let folder = &index.name[..index.name.len() - INDEX.len()];
    let (mut own, mut copied_to, mut lines) = (String::new(), 0, 0);
    for entry in index_entries(text) {
        if names.contains(format!("{folder}{}", entry.target).as_str()) {
            own.push_str(&text[copied_to..entry.range.start]);
            copied_to = entry.range.end;
            lines += 1;
        }
    }
    own.push_str(&text[copied_to..]);
    let written_anew = "`memdir export --to claude-index` writes it anew";
    let is_note = |line: &str| !line.trim().is_empty() && !line.starts_with('#');
    if !own.lines().any(is_note) {
        read.skip(&index.name, format!("it is the index of the other files; {written_anew}"));
        return None;
    }
    if lines > 0 {
        let reason = format!("it is the index of the other files in {lines} of its lines; {written_anew}");
        read.skip(&index.name, reason);
    }
    Some(own)
}
