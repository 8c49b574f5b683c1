//! Separates a file's byte order mark, line endings and final newline from its text, so that they are merged
//! separately.
//!
//! Never reads the words of a line.

use super::hunk::MergeHunk;

/// A text with normalized line endings, and what was removed from it.
pub struct NormalizedText {
    /// The text without byte order mark, lines ending in `\n` (unchanged if any of the texts mixes line endings).
    pub text: String,
    /// Whether the file starts with a byte order mark.
    pub has_bom: bool,
    /// Whether all lines end in `\r\n`.
    pub crlf: bool,
    /// Whether the last line lacks a line ending.
    pub no_final_newline: bool,
}

/// Normalizes base, ours and theirs. If one of them mixes line endings, all three keep theirs: there is no one ending
/// to restore.
pub fn normalize(texts: [&str; 3]) -> [NormalizedText; 3] {
    let mixed = texts.iter().any(|text| text.contains('\r') && !all_crlf(text));
    texts.map(|text| NormalizedText::new(text, mixed))
}

/// Whether every line ends in `\r\n` and no `\r` occurs elsewhere.
fn all_crlf(text: &str) -> bool {
    let count = |byte: u8| memchr::memchr_iter(byte, text.as_bytes()).count();
    let wide = memchr::memmem::find_iter(text.as_bytes(), "\r\n").count();
    wide > 0 && wide == count(b'\n') && wide == count(b'\r')
}

impl NormalizedText {
    fn new(text: &str, mixed: bool) -> NormalizedText {
        let body = text.strip_prefix('\u{feff}');
        let (has_bom, body) = (body.is_some(), body.unwrap_or(text));
        let crlf = !mixed && all_crlf(body);
        let no_final_newline = !body.is_empty() && !body.ends_with('\n');
        NormalizedText {
            text: if crlf { body.replace("\r\n", "\n") } else { body.to_owned() },
            has_bom,
            crlf,
            no_final_newline,
        }
    }
}

/// Puts byte order mark, line endings and final newline back into the merged hunks.
pub fn restore(hunks: &mut Vec<MergeHunk>, mark: bool, crlf: bool, open: bool) {
    let last = hunks.iter_mut().rev().find(|p| !matches!(p, MergeHunk::Text(text) if text.is_empty()));
    if let Some(MergeHunk::Text(text)) = last.filter(|_| open)
        && text.ends_with('\n')
    {
        text.pop();
    }
    if crlf {
        let wide = |text: &mut String| *text = text.replace('\n', "\r\n");
        for hunk in hunks.iter_mut() {
            match hunk {
                MergeHunk::Text(text) => wide(text),
                MergeHunk::Conflict { base, ours, theirs } => [base, ours, theirs].into_iter().for_each(wide),
            }
        }
    }
    if mark {
        hunks.insert(0, MergeHunk::Text("\u{feff}".to_owned()));
    }
}
