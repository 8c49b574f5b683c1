//! The text of an entry that `append` adds: its own summary and fields, its headings, and blocks that
//! nothing closes.
//!
//! Never changes the words of the text.

use std::borrow::Cow;

use crate::code::{Code, Rejection};
use crate::document::{Document, Section};
use crate::text::{Splice, splice};

use super::whole_file::append_splice;

/// Whether a section of a text itself has a bullet `- LABEL: …`, not below another bullet; section 0 is what is above
/// all headings.
pub fn has_field(text: &str, section: usize, label: &str) -> bool {
    let (document, field) = (Document::parse(text), format!("{label}:"));
    let mut bullets = document.bullets().iter().enumerate();
    bullets.any(|(i, b)| b.depth == 0 && b.section as usize == section && document.bullet_raw(i).starts_with(&field))
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

/// The highest level of a heading in an entry, whose own heading has level 2.
const TOP_LEVEL_IN_ENTRY: u8 = 3;

/// Puts the headings in the text of an entry below the heading of the entry, so that it stays one section: they keep
/// their order of levels, up to level 6. Headings that are underlined get marks of `#` instead. `block` starts with the
/// heading of the entry; if it `has_entries`, each `##` in it starts another one.
///
/// # Errors
/// `would_break_structure` for a heading that cannot be put below.
pub fn lower_headings(block: &str, has_entries: bool) -> Result<String, Rejection> {
    let document = Document::parse(block);
    let too_high = |document: &Document, section: &Section| {
        let is_entry = has_entries && section.level == 2 && is_atx(document, section);
        section.level < TOP_LEVEL_IN_ENTRY && !is_entry
    };
    let in_text = || document.sections().iter().skip(2);
    let Some(top) = in_text().filter(|s| too_high(&document, s)).map(|s| s.level).min() else {
        return Ok(block.to_owned());
    };
    let is_lowered =
        |section: &&Section| if has_entries { too_high(&document, section) } else { section.level <= MAX_LEVEL };
    let lowered: Vec<Splice> = in_text()
        .filter(is_lowered)
        .map(|section| {
            let level = if has_entries {
                TOP_LEVEL_IN_ENTRY
            } else {
                (section.level + TOP_LEVEL_IN_ENTRY - top).min(MAX_LEVEL)
            };
            lowered_heading(&document, section, level)
        })
        .collect();
    let after = splice(block, &lowered).map_err(|_| Rejection::new(Code::Internal, "two headings overlap"))?;
    let after = Document::parse(after);
    match after.sections().iter().skip(2).find(|s| too_high(&after, s)) {
        None => Ok(after.text().to_owned()),
        Some(section) => {
            let title = after.text()[section.title.range()].to_owned();
            Err(Rejection::new(
                Code::WouldBreakStructure,
                format!("in the text: the heading '{title}' starts another entry"),
            )
            .hint("write it as '### TITLE'"))
        }
    }
}

/// The deepest level of a heading (CommonMark 4.2).
const MAX_LEVEL: u8 = 6;

/// Whether a heading is marked by `#`; others are underlined.
fn is_atx(document: &Document, section: &Section) -> bool {
    document.text()[section.heading.range()].trim_start().starts_with('#')
}

/// The replacement that gives a heading another level. An underlined heading of several lines becomes a paragraph above a
/// line or a text.
fn lowered_heading(document: &Document, section: &Section, level: u8) -> Splice {
    let (range, marks) = (section.heading.range(), "#".repeat(level.into()));
    let heading = &document.text()[range.clone()];
    if is_atx(document, section) {
        let start = range.start + (heading.len() - heading.trim_start().len());
        let old = heading.trim_start().len() - heading.trim_start().trim_start_matches('#').len();
        return Splice { start, end: start + old, new: marks };
    }
    let content = heading.trim_end();
    let underline = content.rfind('\n').map_or(0, |at| at + 1);
    let title = content[..underline].trim();
    let new = format!("{marks} {title}");
    let read = Document::parse(new.as_str());
    let plain_title = document.text()[section.title.range()].to_owned();
    match read.sections() {
        [_, one] if !title.contains('\n') && read.text()[one.title.range()] == plain_title => {
            Splice { start: range.start, end: range.start + content.len(), new }
        }
        _ => Splice { start: range.start + underline, end: range.start + underline, new: "\n".to_owned() },
    }
}

/// The text of an entry, with a blank line above the fence that would close a front matter at its start: elsewhere than
/// at the start of a file, the fence makes a heading of the line above it.
pub fn separate_front_matter(body: &str) -> Cow<'_, str> {
    let document = Document::parse(body);
    let Some(front) = document.front_matter() else { return body.into() };
    let lines = body[front.range()].trim_end();
    let fence = lines.rfind('\n').map_or(0, |at| at + 1);
    format!("{}\n{}", &body[..fence], &body[fence..]).into()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(body: &str, expected: &str) {
        let text = |body: &str| format!("## T\n- Date: 2026-02-24\n\n{body}");
        assert_eq!(lower_headings(&text(body), false).unwrap(), text(expected), "{body:?}");
    }

    #[test]
    fn a_field_is_a_bullet_of_the_entry_itself() {
        let has = |text: &str| has_field(text, 0, "Date");
        assert!(has("- a\n* Date: 2026-02-24\n") && has("- Date: x\n\n## T\n- a\n"));
        for text in ["- a\n  - Date: x\n", "```\n- Date: x\n```\n", "a\n- DATE: x\n", "# T\n\n- Date: x\n"] {
            assert!(!has(text), "{text}");
        }
        assert!(has_field("## T\n- Date: x\n", 1, "Date"));
    }

    #[test]
    fn headings_in_an_entry_are_below_it() {
        check("# A\n\n## B\n\n###### C\n", "### A\n\n#### B\n\n###### C\n");
        check("## A #\n\ntext\n", "### A #\n\ntext\n");
        check("### A\n\n#### B\n", "### A\n\n#### B\n");
        check("A\n====\n\nB\n---\ntext\n", "### A\n\n#### B\ntext\n");
        check("text\n\n  # A {#a}\n", "text\n\n  ### A {#a}\n");
        check("A #\n---\n", "A #\n\n---\n");
        check("a\nb\n---\n", "a\nb\n\n---\n");
        check("a\nb\n===\n", "a\nb\n\n===\n");
        check("> # A\n\n- # B\n\n```\n# C\n```\n", "> # A\n\n- # B\n\n```\n# C\n```\n");
    }

    #[test]
    fn a_text_of_several_entries_keeps_them() {
        let lowered = lower_headings("## A\n\n# B\n\nC\n---\n\n## D\n\n### E\n", true).unwrap();
        assert_eq!(lowered, "## A\n\n### B\n\n### C\n\n## D\n\n### E\n");
    }

    #[test]
    fn a_front_matter_in_a_text_makes_no_heading() {
        assert_eq!(separate_front_matter("---\na: b\n---\nc"), "---\na: b\n\n---\nc");
        assert_eq!(separate_front_matter("a\n---\nb"), "a\n---\nb");
    }
}
