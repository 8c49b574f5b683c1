//! Checks the form of a text: length, characters, and markdown that would be parsed as structure.
//!
//! Never considers the meaning of the words.

use super::{GuardFinding, Violation};
use crate::text::invisible_chars::{is_filler, is_invisible, is_joiner};
use crate::text::words::is_unspaced;

/// Violations of length, characters and structure. `max_chars` counts characters.
pub fn check_form(text: &str, max_chars: usize) -> Vec<GuardFinding> {
    let mut found = Vec::new();
    let count = text.chars().count();
    if count > max_chars {
        found.push(GuardFinding::new(Violation::TooLong, &format!("{count} characters")));
    }
    if let Some(c) = hidden_char(text) {
        found.push(GuardFinding::new(Violation::ControlCharacters, &format!("U+{:04X}", c as u32)));
    }
    if let Some(what) = front_matter(text) {
        found.push(GuardFinding::new(Violation::FrontMatter, what));
    }
    if let Some(what) = markdown_structure(text) {
        found.push(GuardFinding::new(Violation::Heading, what));
    }
    found
}

/// The first control, invisible or bidirectional character.
fn hidden_char(text: &str) -> Option<char> {
    let mut previous = None;
    let mut all = text.chars().peekable();
    while let Some(c) = all.next() {
        let next = all.peek().copied();
        if c.is_control() || is_invisible(c) || is_filler(c) || is_joiner(c) && !is_valid_joiner(previous, next) {
            return Some(c);
        }
        previous = Some(c);
    }
    None
}

/// Whether a joiner is valid between two characters: in scripts that need joiners and in emoji, but not next to Latin
/// or Chinese characters.
fn is_valid_joiner(previous: Option<char>, next: Option<char>) -> bool {
    let needs = |c: char| !c.is_ascii() && !is_unspaced(c) && (c as u32) > 0x2AF;
    previous.is_some_and(needs) && next.is_some_and(needs)
}

/// Front matter, or an HTML comment outside code: memdir and other programs store metadata in both. Also a tag that
/// ends the data in a prompt.
fn front_matter(text: &str) -> Option<&'static str> {
    let first = text.trim_start().lines().next().unwrap_or_default().trim_end();
    if matches!(first, "---" | "+++" | ";;;") {
        return Some("front matter");
    }
    if crate::reflect::chunks::find_frame_tag(text).is_some() {
        return Some("a tag of the prompt");
    }
    let prose = crate::text::prose_mask::mask_non_prose(text);
    ["<!--", "-->"].into_iter().find(|mark| prose.contains(mark))
}

fn markdown_structure(text: &str) -> Option<&'static str> {
    let mut lines = text.lines().map(str::trim_start);
    let first = lines.next().unwrap_or_default();
    let underlined = lines.next().is_some_and(|l| {
        let l = l.trim_end();
        l.len() > 1 && (l.bytes().all(|b| b == b'=') || l.bytes().all(|b| b == b'-'))
    });
    block_start(first).or(if underlined { Some("a heading") } else { None }).or_else(|| lines.find_map(block_start))
}

/// The markdown structure that a line starts, if any.
fn block_start(line: &str) -> Option<&'static str> {
    let marks = line.bytes().take_while(|b| *b == b'#').count();
    let rest = &line[marks..];
    if (1..=6).contains(&marks) && (rest.is_empty() || rest.starts_with([' ', '\t'])) {
        return Some("a heading");
    }
    if line.starts_with("```") || line.starts_with("~~~") {
        return Some("a code block");
    }
    if line.starts_with("> ") {
        return Some("a quote");
    }
    if line.starts_with('|') && line.trim_end().ends_with('|') && line.len() > 2 {
        return Some("a table");
    }
    let item = line.strip_prefix(['-', '*', '+']).and_then(|l| l.strip_prefix(' '));
    let digits = line.bytes().take_while(u8::is_ascii_digit).count();
    let numbered =
        (1..4).contains(&digits) && line[digits..].starts_with([')', '.']) && line[digits + 1..].starts_with(' ');
    let a_list = item.is_some_and(|l| !l.starts_with(|c: char| c.is_ascii_digit()))
        || numbered && digits < 3 && !line.contains("? ");
    a_list.then_some("a list")
}
