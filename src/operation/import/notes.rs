//! Folders of markdown: Claude Code's memories, projects of basic-memory, and any other.
//!
//! Each file stays as it is, with its front matter, because memdir reads both conventions: `name`, `description` and
//! `metadata.type` (<https://docs.claude.com/en/docs/claude-code/memory>); `title`, `permalink`, `tags` and observations
//! `- [category] text #tag (context)` (<https://docs.basicmemory.com/guides/knowledge-format/>).

use super::{ImportedMemories, ImportedNote, NoteContent, SourceFile};
use crate::document::Document;

/// The index that Claude Code reads first. It only repeats the files.
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
        } else if is_claude && is_index(file) {
            read.skip(
                &file.name,
                "it is the index of the other files; `memdir export --to claude-index` writes it anew",
            );
        } else if let Some(text) = file.text() {
            let content = NoteContent::Text(text.to_owned());
            read.notes.push(ImportedNote { name: file.stem().to_owned(), is_own_path: false, content });
        } else {
            read.skip(&file.name, "it is not UTF-8 text");
        }
    }
}
