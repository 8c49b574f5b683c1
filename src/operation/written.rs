//! What is to be written to one file: its bytes, and how to get from the old ones to the new ones and back.
//!
//! Never looks at operations.

use crate::change::{FileChange, JournalEdit};
use crate::document::{Document, summary};
use crate::path::MemoryPath;
use crate::text::Splice;

use super::snapshot::Loaded;

/// One file of a changeset.
pub fn change(
    path: &MemoryPath,
    present: Option<&Loaded>,
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
            .map(|(edits, file)| edits.into_iter().map(|s| both_ways(file.document.text(), s)).collect()),
        moved: None,
        summary: line,
    }
}

/// A replacement with what it replaces, so that it works in both directions.
fn both_ways(text: &str, s: Splice) -> JournalEdit {
    JournalEdit { start: s.start, old: text[s.start..s.end].to_owned(), new: s.new }
}

/// Whose rules a file's summary follows.
pub fn genre(path: &MemoryPath) -> summary::Genre {
    match path.folder() {
        Some("episodes") => summary::Genre::Episodes,
        Some("procedures" | "inbox" | "archive") => summary::Genre::Other,
        _ if path.as_str().starts_with("facts/") => summary::Genre::Facts,
        _ => summary::Genre::Other,
    }
}

/// The one replacement between two texts: what is left between their common start and end.
pub fn narrow(before: &str, after: &str) -> Splice {
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
