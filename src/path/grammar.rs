//! The path grammar: which names must never reach the kernel, and which can be read but not written.
//!
//! Never touches the disk, and never expands percent signs or variables: it refuses them.

use unicode_normalization::char::is_combining_mark;
use unicode_normalization::is_nfc;

use super::SCOPES_FOLDER;

/// The longest component that memdir writes, in bytes.
const MAX_COMPONENT_BYTES: usize = 200;
/// The longest component that a Linux file system accepts, in bytes.
const NAME_MAX: usize = 255;
/// The longest path, in bytes.
const MAX_PATH_BYTES: usize = 1024;
/// The deepest path, in components.
const MAX_DEPTH: usize = 8;

/// Why a name must never reach the kernel, if so: it could leave the data directory or open machine state.
pub(super) fn unsafe_name_reason(text: &str) -> Option<&'static str> {
    if text.is_empty() {
        return Some("it is empty");
    }
    if text.len() > 4 * MAX_PATH_BYTES {
        return Some("it is too long");
    }
    if text.starts_with('/') {
        return Some("it is absolute and outside this data directory");
    }
    if text.contains('\0') {
        return Some("it contains a NUL byte");
    }
    for part in text.split('/') {
        match part {
            "" => return Some("a component is empty"),
            "." | ".." => return Some("'.' and '..' are not allowed"),
            _ if part.starts_with('.') => return Some("hidden names are reserved"),
            _ if part.len() > NAME_MAX => return Some("a component is longer than any file system allows"),
            _ => {}
        }
    }
    is_scope_path(text).then_some("a scope is a data directory of its own")
}

/// Whether a path leads below `scopes/`, which no command reads through a path.
pub(super) fn is_scope_path(text: &str) -> bool {
    text.split_once('/').is_some_and(|(first, _)| first.eq_ignore_ascii_case(SCOPES_FOLDER))
}

/// Why a name is outside the grammar, if it is.
pub(super) fn grammar_violation(text: &str) -> Option<&'static str> {
    if text.len() > MAX_PATH_BYTES {
        return Some("it is longer than 1,024 bytes");
    }
    if text.split('/').count() > MAX_DEPTH {
        return Some("it is deeper than 8 components");
    }
    if !text.ends_with(".md") {
        return Some("it does not end in .md");
    }
    if let Some(reason) = text.chars().find_map(char_violation) {
        return Some(reason);
    }
    if !text.is_ascii() && !is_nfc(text) {
        return Some("it is not in Unicode's normal form C");
    }
    text.split('/').find_map(component_violation)
}

/// A fast path for listings: accepts most names without the full check. The components are ASCII letters, digits, `_`
/// and `-`, five bytes or longer, because Windows device names are shorter.
pub(super) fn is_common_name(text: &str) -> bool {
    let Some(body) = text.strip_suffix(".md").filter(|b| b.len() <= MAX_COMPONENT_BYTES - 3) else { return false };
    let (mut start, mut depth) = (0, 1);
    for (i, b) in body.bytes().enumerate() {
        match b {
            b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'_' => {}
            b'-' if i > start => {}
            b'/' if i >= start + 5 => (start, depth) = (i + 1, depth + 1),
            _ => return false,
        }
    }
    let first = body.as_bytes().get(..7);
    body.len() >= start + 5 && depth <= MAX_DEPTH && !first.is_some_and(|f| f.eq_ignore_ascii_case(b"scopes/"))
}

/// Characters that shells, other systems or people would misread.
fn char_violation(c: char) -> Option<&'static str> {
    match c {
        '\\' | ':' | '<' | '>' | '"' | '|' | '?' | '*' | '%' | '$' | '`' => {
            Some("it contains one of \\ : < > \" | ? * % $ `")
        }
        '\0'..='\x1f' | '\x7f'..='\u{9f}' => Some("it contains a control character"),
        '\u{ad}'
        | '\u{34f}'
        | '\u{61c}'
        | '\u{115f}'
        | '\u{1160}'
        | '\u{17b4}'
        | '\u{17b5}'
        | '\u{180b}'..='\u{180f}'
        | '\u{200b}'..='\u{200f}'
        | '\u{2028}'..='\u{202e}'
        | '\u{2060}'..='\u{206f}'
        | '\u{2800}'
        | '\u{3164}'
        | '\u{fe00}'..='\u{fe0f}'
        | '\u{feff}'
        | '\u{ffa0}'
        | '\u{fff9}'..='\u{ffff}'
        | '\u{1bca0}'..='\u{1bca3}'
        | '\u{1d173}'..='\u{1d17a}'
        | '\u{e0000}'..='\u{e0fff}' => Some("it contains an invisible or direction-changing character"),
        '\u{a0}' | '\u{1680}' | '\u{2000}'..='\u{200a}' | '\u{202f}' | '\u{205f}' | '\u{3000}' => {
            Some("it contains a space other than the ASCII space")
        }
        '\u{2024}'..='\u{2026}'
        | '\u{2044}'
        | '\u{2215}'
        | '\u{2216}'
        | '\u{2236}'
        | '\u{2571}'
        | '\u{2572}'
        | '\u{27cb}'
        | '\u{27cd}'
        | '\u{29f5}'
        | '\u{29f8}'
        | '\u{29f9}'
        | '\u{a789}'
        | '\u{fe10}'..='\u{fe19}'
        | '\u{fe30}'
        | '\u{fe50}'..='\u{fe6b}'
        | '\u{ff01}'..='\u{ff0f}'
        | '\u{ff1a}'..='\u{ff20}'
        | '\u{ff3b}'..='\u{ff40}'
        | '\u{ff5b}'..='\u{ff65}' => Some("it contains a character that looks like path punctuation"),
        _ => None,
    }
}

fn component_violation(part: &str) -> Option<&'static str> {
    if part.len() > MAX_COMPONENT_BYTES {
        return Some("a component is longer than 200 bytes");
    }
    if part.starts_with(['-', '~', ' ']) {
        return Some("a component starts with '-', '~' or a space");
    }
    if part.starts_with(is_combining_mark) {
        return Some("a component starts with a combining mark");
    }
    let name = part.strip_suffix(".md").unwrap_or(part);
    if name.is_empty() || part.ends_with(['.', ' ']) || name.ends_with(['.', ' ']) {
        return Some("a component is empty or ends in a dot or a space");
    }
    let base = part.split('.').next().unwrap_or(part).trim_end().to_lowercase();
    if is_windows_device_name(&base) {
        return Some("a component is a device name on Windows");
    }
    is_windows_short_name(&base).then_some("a component is another name of .git or .memdir on Windows")
}

/// The 8.3 names that Windows gives the hidden folders: `GIT~1`, `MEMDIR~1`.
fn is_windows_short_name(base: &str) -> bool {
    let n = base.strip_prefix("git~").or_else(|| base.strip_prefix("memdir~"));
    n.is_some_and(|n| !n.is_empty() && n.bytes().all(|b| b.is_ascii_digit()))
}

fn is_windows_device_name(base: &str) -> bool {
    if matches!(base, "con" | "prn" | "aux" | "nul") {
        return true;
    }
    let digit = base.strip_prefix("com").or_else(|| base.strip_prefix("lpt"));
    digit.is_some_and(|d| d.chars().count() == 1 && d.chars().all(|c| matches!(c, '0'..='9' | '¹' | '²' | '³')))
}
