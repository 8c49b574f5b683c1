//! What a text is made of: its length, its characters, and markdown that would be read as structure.
//!
//! Never looks at what the words mean.

use super::{Flaw, Found};
use crate::text::words::is_unspaced;

/// Flaws of length, characters and structure.
pub fn form(text: &str, max_chars: usize) -> Vec<Found> {
    let mut found = Vec::new();
    let count = text.chars().count();
    if count > max_chars {
        found.push(Found::new(Flaw::TooLong, &format!("{count} characters")));
    }
    if let Some(c) = hidden(text) {
        found.push(Found::new(Flaw::ControlCharacters, &format!("U+{:04X}", c as u32)));
    }
    if let Some(what) = matter(text) {
        found.push(Found::new(Flaw::FrontMatter, what));
    }
    if let Some(what) = structure(text) {
        found.push(Found::new(Flaw::Heading, what));
    }
    found
}

/// The first character that is not seen, or that moves others.
fn hidden(text: &str) -> Option<char> {
    let mut previous = None;
    let mut all = text.chars().peekable();
    while let Some(c) = all.next() {
        let next = all.peek().copied();
        if c.is_control() || is_hidden(c) || matches!(c, '\u{200c}' | '\u{200d}') && !joins(previous, next) {
            return Some(c);
        }
        previous = Some(c);
    }
    None
}

/// Invisible, bidirectional and filler characters; the joiners U+200C and U+200D depend on their neighbours.
fn is_hidden(c: char) -> bool {
    matches!(c as u32,
        0xAD | 0x34F | 0x61C | 0x115F | 0x1160 | 0x17B4 | 0x17B5 | 0x180B..=0x180F | 0x200B | 0x200E | 0x200F
        | 0x2028..=0x202E | 0x2060..=0x206F | 0x3164 | 0xFEFF | 0xFFA0 | 0xFFF9..=0xFFFB | 0x1D173..=0x1D17A
        | 0xE0000..=0xE0FFF)
}

/// Joiners belong between letters of scripts that need them, and in emoji; never beside Latin letters or Chinese.
fn joins(previous: Option<char>, next: Option<char>) -> bool {
    let needs = |c: char| !c.is_ascii() && !is_unspaced(c) && (c as u32) > 0x2AF;
    previous.is_some_and(needs) && next.is_some_and(needs)
}

/// Front matter, or an HTML comment outside code: memdir and others read their own data there.
fn matter(text: &str) -> Option<&'static str> {
    let first = text.trim_start().lines().next().unwrap_or_default().trim_end();
    if matches!(first, "---" | "+++" | ";;;") {
        return Some("front matter");
    }
    let prose = crate::text::prose::prose(text);
    ["<!--", "-->"].into_iter().find(|mark| prose.contains(mark))
}

fn structure(text: &str) -> Option<&'static str> {
    let mut lines = text.lines().map(str::trim_start);
    let first = lines.next().unwrap_or_default();
    let underlined = lines.next().is_some_and(|l| {
        let l = l.trim_end();
        l.len() > 1 && (l.bytes().all(|b| b == b'=') || l.bytes().all(|b| b == b'-'))
    });
    block(first).or(if underlined { Some("a heading") } else { None }).or_else(|| lines.find_map(block))
}

/// What a line begins, if a markdown reader would take it for structure.
fn block(line: &str) -> Option<&'static str> {
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
