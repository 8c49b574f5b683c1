//! The files that an answer had to leave out because they could not be read, one sentence for each.
//!
//! Never names a file to a caller with an allowlist: what a file that cannot be read would hide is unknown.

use super::Session;
use crate::code::{Code, Rejection};
use crate::path::MemoryPath;
use crate::text::counted_noun::counted_noun;

/// How many files are named.
const NAMED_FILES: usize = 3;

/// Why a folder was not read.
pub(super) const LINKED_FOLDER: &str = "is a symbolic link";

/// Why a file was not read, for a person; `None` where it was removed meanwhile.
pub(super) fn why_unread(path: &MemoryPath, error: &Rejection) -> Option<String> {
    let is_named = error.message.contains(path.as_str());
    let reason = if is_named { error.message.clone() } else { format!("{path}: {}", error.message) };
    (error.code != Code::FileNotFound).then_some(reason)
}

/// Why a file that is not text was not read.
pub(super) fn not_text(path: &MemoryPath) -> String {
    format!("'{path}' is not UTF-8 text")
}

/// The sentences for the files that were not read, and the linked folders that the walk before left out.
pub(super) fn unread_sentences(session: &Session, reasons: impl Iterator<Item = String>) -> Vec<String> {
    if session.visibility().is_some() {
        return Vec::new();
    }
    let linked = session.store.linked_folders().into_iter().map(|path| format!("'{path}' {LINKED_FOLDER}"));
    let mut reasons: Vec<String> = reasons.chain(linked).collect();
    let more = reasons.len().saturating_sub(NAMED_FILES);
    reasons.truncate(NAMED_FILES);
    let mut sentences: Vec<String> = reasons.into_iter().map(|reason| format!("left out: {reason}")).collect();
    if more > 0 {
        let files = counted_noun(more, "more file");
        sentences.push(format!("left out: {files} that cannot be read; `memdir check` lists them"));
    }
    sentences
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_reason_names_its_file_once() {
        let path = MemoryPath::from_disk_name("facts/a.md").unwrap();
        let error = |code, message: &str| why_unread(&path, &Rejection::new(code, message));
        assert_eq!(error(Code::Io, "'facts/a.md' cannot be read").as_deref(), Some("'facts/a.md' cannot be read"));
        assert_eq!(error(Code::Io, "it is a link").as_deref(), Some("facts/a.md: it is a link"));
        assert_eq!(error(Code::FileNotFound, "gone"), None);
    }
}
