//! The text of an entry that `append` adds: its own summary and fields, and blocks that nothing closes.
//!
//! Never changes the words of the text.

use crate::code::{Code, Rejection};
use crate::document::Document;

use super::whole_file::append_splice;

/// Whether an entry's text has a bullet `- LABEL: …` of its own.
pub fn has_field(text: &str, label: &str) -> bool {
    let field = format!("- {label}:");
    text.lines().any(|line| line.trim_start().starts_with(&field))
}

/// The only `- Summary:` bullet of an entry's text, with its metadata and line breaks, and the text without it. A
/// bullet with more than its line and metadata stays where it is.
pub fn split_summary(body: &str) -> (String, String) {
    let lines: Vec<&str> = body.split_inclusive('\n').collect();
    let mut found = (0..lines.len()).filter(|i| lines[*i].starts_with("- Summary:"));
    let count_own_lines = |i: usize| {
        let document = Document::parse(body);
        let start: usize = lines[..i].iter().map(|line| line.len()).sum();
        let bullet = document.bullets().iter().find(|b| b.depth == 0 && b.line_start as usize == start)?;
        let (below, end) = (start + lines[i].len(), bullet.end as usize);
        let meta = bullet.meta.map(|meta| document.meta_lines()[meta as usize].line.range());
        match meta.filter(|meta| meta.start == below) {
            Some(meta) => body[meta.end.min(end)..end].trim().is_empty().then_some(2),
            None => body[below.min(end)..end].trim().is_empty().then_some(1),
        }
    };
    let only = found.next().filter(|_| found.next().is_none());
    match only.and_then(|i| Some((i, count_own_lines(i)?))) {
        Some((i, count)) => {
            let own: Vec<&str> = lines[i..i + count].iter().map(|line| line.trim_end()).collect();
            let rest: String = lines[..i].iter().chain(&lines[i + count..]).copied().collect();
            (format!("{}\n", own.join("\n")), rest.trim_matches(['\n', '\r']).trim_end().to_owned())
        }
        None => (String::new(), body.to_owned()),
    }
}

/// Checks that what is appended to a file next does not become part of the last block of this entry. `text` is the text
/// as the caller gave it, `block` the entry made of it.
///
/// # Errors
/// `would_break_structure` for a code block, comment or HTML block that is not closed.
pub fn require_closed_blocks(text: &str, block: &str) -> Result<(), Rejection> {
    let next_entry = "## Next\n\n- text\n";
    let open = match Document::parse(text).open_block() {
        Some(open) => open.to_string(),
        None => match append_splice(&Document::parse(block), next_entry) {
            Ok(_) => return Ok(()),
            Err(message) => message,
        },
    };
    Err(Rejection::new(Code::WouldBreakStructure, format!("in the text: {open}"))
        .hint("what is appended next would become part of it"))
}
