//! Locates the front matter, and reads or replaces single scalars in it.
//!
//! Never parses or writes the YAML as a whole: all other bytes stay unchanged.

use super::parse::span;
use super::{Document, Span, lines};
use crate::text::Splice;

/// Returns the front matter including its fences, and the offset of the body: after the front matter, or after the byte
/// order mark.
pub(super) fn split(text: &str) -> (Option<Span>, usize) {
    let bytes = text.as_bytes();
    let start = if text.starts_with('\u{feff}') { 3 } else { 0 };
    let mut line = lines::end(bytes, start);
    if trimmed_line(text, start, line) != "---" {
        return (None, start);
    }
    while line < bytes.len() {
        let end = lines::end(bytes, line);
        if matches!(trimmed_line(text, line, end), "---" | "...") {
            return (Some(span(start, end)), end);
        }
        line = end;
    }
    (None, start)
}

fn trimmed_line(text: &str, start: usize, end: usize) -> &str {
    text[start..end].trim_end_matches([' ', '\t', '\r', '\n'])
}

/// The line of a top-level key including its line ending, if its value is on that line only.
pub(super) fn key_line(document: &Document, key: &str) -> Option<Span> {
    let lines = lines_between_fences(document)?;
    let at = lines.iter().position(|l| is_key(&document.text()[l.range()], key))?;
    let continues = document.text()[lines[at].end as usize..].starts_with([' ', '\t', '-', '\n', '\r']);
    let next = lines.get(at + 1).map_or("", |l| &document.text()[l.range()]);
    let below = next.trim_start_matches(['\n', '\r']);
    (!continues || below.is_empty() || !below.starts_with([' ', '\t', '-'])).then_some(lines[at])
}

fn lines_between_fences(document: &Document) -> Option<Vec<Span>> {
    let front = document.front_matter()?.range();
    let bytes = document.text().as_bytes();
    let mut out = Vec::new();
    let mut at = lines::end(bytes, front.start);
    while at < front.end {
        let end = lines::end(bytes, at);
        out.push(span(at, end));
        at = end;
    }
    out.pop();
    Some(out)
}

fn is_key(line: &str, key: &str) -> bool {
    let rest = line.strip_prefix(key).and_then(|r| r.trim_start_matches([' ', '\t']).strip_prefix(':'));
    rest.is_some_and(|r| r.is_empty() || r.starts_with([' ', '\t', '\r', '\n']))
}

/// Span of the value on a key's line, including quotes and without a comment. `None` for values that need a YAML
/// parser: block scalars, anchors, tags.
pub(super) fn value_span(document: &Document, line: Span) -> Option<Span> {
    let bytes = document.text().as_bytes();
    let range = line.range();
    let colon = range.start + bytes[range.clone()].iter().position(|b| *b == b':')?;
    let end = lines::trim_end(bytes, colon + 1, range.end);
    let start = lines::skip_blanks(bytes, colon + 1).min(end);
    let text = &document.text()[start..end];
    if text.starts_with(['|', '&', '!']) || text.starts_with('>') {
        return None;
    }
    Some(span(start, start + scalar_length(text)?))
}

/// Length in bytes of the scalar at the start of a line's rest. `None` if a quote is not closed on the line, or if
/// other text follows it.
fn scalar_length(text: &str) -> Option<usize> {
    let quote = text.chars().next().filter(|c| matches!(c, '"' | '\''));
    let Some(quote) = quote else {
        if text.starts_with('#') {
            return Some(0);
        }
        let comment = text.find(" #").or_else(|| text.find("\t#")).unwrap_or(text.len());
        return Some(text[..comment].trim_end().len());
    };
    let mut escaped = false;
    let mut chars = text.char_indices().skip(1).peekable();
    while let Some((i, c)) = chars.next() {
        match c {
            _ if escaped => escaped = false,
            '\\' if quote == '"' => escaped = true,
            '\'' if quote == '\'' && chars.peek().is_some_and(|(_, n)| *n == '\'') => drop(chars.next()),
            _ if c == quote => {
                // Text after the closing quote, other than a comment, is not valid YAML.
                let rest = &text[i + 1..];
                let comment = rest.starts_with([' ', '\t']) && rest.trim_start().starts_with('#');
                return (rest.is_empty() || comment).then_some(i + 1);
            }
            _ => {}
        }
    }
    None
}

/// The replacement that sets a key; an empty value removes its line.
pub(super) fn set_value(document: &Document, key: &str, value: &str) -> Option<Splice> {
    let front = document.front_matter()?;
    let text = document.text();
    let Some(line) = key_line(document, key) else {
        let exists = lines_between_fences(document)?.iter().any(|l| is_key(&text[l.range()], key));
        if exists || value.is_empty() || !is_plain_key(key) {
            return None;
        }
        let fence = lines::start(text.as_bytes(), lines::end_without_eol(text.as_bytes(), front.end as usize));
        let new = format!("{key}: {}{}", quote_scalar(value), document.eol().as_str());
        return Some(Splice { start: fence, end: fence, new });
    };
    if value.is_empty() {
        return Some(Splice { start: line.start as usize, end: line.end as usize, new: String::new() });
    }
    let old = self::value_span(document, line)?.range();
    let gap = if text[..old.start].ends_with(':') { " " } else { "" };
    let tail = if text[old.end..].starts_with('#') { " " } else { "" };
    Some(Splice { start: old.start, end: old.end, new: format!("{gap}{}{tail}", quote_scalar(value)) })
}

fn is_plain_key(key: &str) -> bool {
    let plain = |c: char| c.is_alphanumeric() || matches!(c, '_' | '-' | '.');
    key.starts_with(|c: char| c.is_alphabetic() || c == '_') && key.chars().all(plain)
}

/// Removes quotes and their escapes from a scalar.
pub(super) fn unquote_scalar(scalar: &str) -> String {
    if let Some(inner) = scalar.strip_prefix('\'').and_then(|s| s.strip_suffix('\'')) {
        return inner.replace("''", "'");
    }
    let Some(inner) = scalar.strip_prefix('"').and_then(|s| s.strip_suffix('"')) else { return scalar.to_owned() };
    let mut out = String::with_capacity(inner.len());
    let mut chars = inner.chars();
    while let Some(c) = chars.next() {
        match (c, if c == '\\' { chars.next() } else { None }) {
            ('\\', Some('n')) => out.push('\n'),
            ('\\', Some('t')) => out.push('\t'),
            ('\\', Some('x')) => out.extend(parse_code_point(&mut chars, 2)),
            ('\\', Some('u')) => out.extend(parse_code_point(&mut chars, 4)),
            ('\\', Some(next)) => out.push(next),
            _ => out.push(c),
        }
    }
    out
}

fn parse_code_point(chars: &mut std::str::Chars<'_>, digits: usize) -> Option<char> {
    let hex: String = chars.by_ref().take(digits).collect();
    u32::from_str_radix(&hex, 16).ok().and_then(char::from_u32)
}

/// Writes a string as a YAML scalar: plain where YAML reads it back as the same string, else in double quotes.
pub(super) fn quote_scalar(value: &str) -> String {
    if is_plain_scalar(value) {
        return value.to_owned();
    }
    let mut out = String::from("\"");
    for c in value.chars() {
        match c {
            '"' | '\\' => out.extend(['\\', c]),
            '\n' => out.push_str("\\n"),
            '\t' => out.push_str("\\t"),
            _ if c.is_control() || matches!(c, '\u{2028}' | '\u{2029}' | '\u{feff}') => {
                out.push_str(&format!("\\u{:04x}", c as u32));
            }
            _ => out.push(c),
        }
    }
    out.push('"');
    out
}

fn is_plain_scalar(value: &str) -> bool {
    let words = ["", "~", "null", "true", "false", "yes", "no", "on", "off", "y", "n"];
    let first = value.chars().next().unwrap_or(' ');
    let number = value.parse::<f64>().is_ok() || first.is_ascii_digit() && value.contains([':', '_', 'x', 'o']);
    let dated = first.is_ascii_digit() && value.chars().all(|c| c.is_ascii_digit() || c == '-');
    let safe = first.is_alphabetic() || first == '_' || first.is_ascii_digit();
    safe && (!number || dated && value.contains('-'))
        && !words.contains(&value.to_ascii_lowercase().as_str())
        && value.trim() == value
        && !value.ends_with(':')
        && !value.contains(": ")
        && !value.contains(" #")
        && !value.contains(|c: char| c.is_control() || matches!(c, '\u{2028}' | '\u{2029}' | '\u{feff}'))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(text: &str, key: &str, value: &str, expected: Option<&str>) {
        let document = Document::parse(text);
        let after = set_value(&document, key, value).map(|s| crate::text::splice(text, &[s]).unwrap());
        assert_eq!(after.as_deref(), expected, "{text:?}");
        if let Some(after) = after.filter(|_| !value.is_empty()) {
            let read = Document::parse(after.clone());
            assert_eq!(read.front_text(key).as_deref(), Some(value), "{after:?}");
            let yaml: String = after.split("---").nth(1).unwrap().replace('\r', "");
            let map: std::collections::BTreeMap<String, serde_yaml::Value> = serde_yaml::from_str(&yaml).unwrap();
            assert_eq!(map[key].as_str(), Some(value), "{after:?}");
        }
    }

    #[test]
    fn front_matter_is_recognised_only_at_the_start() {
        let of = |text: &str| Document::parse(text).front_matter().map(|s| text[s.range()].to_owned());
        assert_eq!(of("---\na: b\n---\n- x\n").as_deref(), Some("---\na: b\n---\n"));
        assert_eq!(of("\u{feff}---\r\na: b\r\n...\r\nx").as_deref(), Some("---\r\na: b\r\n...\r\n"));
        assert_eq!(of("# A\n\n---\n- a\n---\n"), None);
        assert_eq!(of("---\nopen\n"), None);
        assert_eq!(Document::parse("---\na: b\n---\n- x\n").bullets().len(), 1);
    }

    #[test]
    fn one_scalar_is_replaced_and_nothing_else() {
        check("---\na: b # c\nd: e\n---\n", "a", "no", Some("---\na: \"no\" # c\nd: e\n---\n"));
        check("---\r\na: 'it''s'\r\n---\r\n", "a", "x: y", Some("---\r\na: \"x: y\"\r\n---\r\n"));
        check("---\na:\n---\n", "a", "b", Some("---\na: b\n---\n"));
        check("---\na: b\n---\n", "n", "12", Some("---\na: b\nn: \"12\"\n---\n"));
        check("---\na: b\nc: d\n---\n", "a", "", Some("---\nc: d\n---\n"));
        check("---\na: |\n  long\n---\n", "a", "b", None);
        check("---\na:\n  - x\n---\n", "a", "b", None);
        check("---\na:\n- x\n---\n", "a", "b", None);
        check("- a\n", "a", "b", None);
        for odd in [
            "yes",
            "~",
            "1e3",
            "0x1f",
            "- a",
            "[x]",
            "{a",
            "*a",
            "a #b",
            "a:",
            "\"q\"",
            "tab\there",
            "a\\b",
            "é",
            "项目",
            "12:30:00",
            "@at",
            "%p",
        ] {
            check("---\na: b\n---\n", "a", odd, Some(&format!("---\na: {}\n---\n", quote_scalar(odd))));
        }
    }
}
