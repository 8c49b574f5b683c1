//! Builds the changeset's record of one file: old and new bytes, and the edits between them.
//!
//! Never interprets an operation.

use crate::change::{FileChange, JournalEdit};
use crate::document::{Document, summary};
use crate::path::MemoryPath;
use crate::text::Splice;

use super::snapshot::LoadedFile;

/// Builds one file of a changeset. `after` is `None` for a removed file; `line` is a summary line that memdir
/// generated.
pub fn file_change(
    path: &MemoryPath,
    present: Option<&LoadedFile>,
    after: Option<Document>,
    edits: Option<Vec<Splice>>,
    line: Option<String>,
) -> FileChange {
    FileChange {
        path: path.clone(),
        before: present.map(|f| f.version.clone()),
        after: after.map(|d| std::sync::Arc::new(d.into_text().into_bytes())),
        mode: None,
        edits: edits
            .zip(present)
            .map(|(edits, file)| edits.into_iter().map(|s| journal_edit(file.document.text(), s)).collect()),
        moved: None,
        summary: line,
    }
}

/// A splice with the text that it replaces, so that it can be reverted.
fn journal_edit(text: &str, s: Splice) -> JournalEdit {
    JournalEdit { start: s.start, old: text[s.start..s.end].to_owned(), new: s.new }
}

/// The kind of a file, which decides how its summary line is generated.
pub fn file_kind(path: &MemoryPath) -> summary::FileKind {
    match path.folder() {
        Some("episodes") => summary::FileKind::Episodes,
        Some("procedures" | "inbox" | "archive") => summary::FileKind::Other,
        _ if path.as_str().starts_with("facts/") => summary::FileKind::Facts,
        _ => summary::FileKind::Other,
    }
}

/// The smallest single splice that turns one text into the other: everything between their common prefix and suffix.
pub fn minimal_splice(before: &str, after: &str) -> Splice {
    let (b, a) = (before.as_bytes(), after.as_bytes());
    let mut start = b.iter().zip(a).take_while(|(x, y)| x == y).count();
    while !(before.is_char_boundary(start) && after.is_char_boundary(start)) {
        start -= 1;
    }
    let most = b.len().min(a.len()) - start;
    let mut end = b.iter().rev().zip(a.iter().rev()).take(most).take_while(|(x, y)| x == y).count();
    while !(before.is_char_boundary(b.len() - end) && after.is_char_boundary(a.len() - end)) {
        end -= 1;
    }
    Splice { start, end: b.len() - end, new: after[start..a.len() - end].to_owned() }
}
