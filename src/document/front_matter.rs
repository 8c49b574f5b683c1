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

/// Whether a text starts like a front matter, with a key below the first fence, and has no closing one.
pub fn is_unclosed(text: &str) -> bool {
    let start = text.trim_start_matches('\u{feff}');
    let (mut lines, (front, _)) = (start.lines(), split(text));
    let is_fence = lines.next().is_some_and(|line| line.trim_end() == "---");
    let is_key = |line: &str| {
        let key = line.split_once(':').filter(|(_, value)| value.is_empty() || value.starts_with([' ', '\t']));
        key.is_some_and(|(key, _)| !key.is_empty() && key.chars().all(|c| c.is_alphanumeric() || "_-".contains(c)))
    };
    front.is_none() && is_fence && lines.next().is_some_and(is_key)
}

fn trimmed_line(text: &str, start: usize, end: usize) -> &str {
    text[start..end].trim_end_matches([' ', '\t', '\r', '\n'])
}

/// A top-level key: its line, and where the lines of its value end. Both include the line ending.
struct KeyEntry {
    line: Span,
    end: usize,
}

/// The entry of a top-level key, plain or in quotes. Blank lines and comments below the last line of the value do not
/// belong to it.
fn key_entry(document: &Document, key: &str) -> Option<KeyEntry> {
    let lines = lines_between_fences(document)?;
    let text = |line: &Span| &document.text()[line.range()];
    let at = lines.iter().position(|line| is_key(text(line), key))?;
    let mut end = lines[at].end as usize;
    for line in &lines[at + 1..] {
        if continues_value(text(line)) {
            end = line.end as usize;
        } else if !text(line).trim().is_empty() && !text(line).starts_with('#') {
            break;
        }
    }
    Some(KeyEntry { line: lines[at], end })
}

/// Whether a line below a top-level key belongs to its value: it is indented, an item of a list, or closes a bracket.
fn continues_value(line: &str) -> bool {
    let is_item = |rest: &str| rest.trim_end().is_empty() || rest.starts_with([' ', '\t']);
    !line.trim().is_empty() && line.starts_with([' ', '\t', ']', '}']) || line.strip_prefix('-').is_some_and(is_item)
}

/// The line of a top-level key including its line ending, if its value is on that line only.
pub(super) fn key_line(document: &Document, key: &str) -> Option<Span> {
    key_entry(document, key).filter(|entry| entry.end == entry.line.end as usize).map(|entry| entry.line)
}

/// The block of a front matter with tags.
pub fn tags_block(tags: &[String], eol: &str) -> String {
    format!("---{eol}tags: [{}]{eol}---{eol}", tag_list(tags))
}

fn tag_list(tags: &[String]) -> String {
    let quoted: Vec<String> = tags.iter().map(|tag| serde_json::Value::from(tag.as_str()).to_string()).collect();
    quoted.join(", ")
}

/// The splice that gives a file more tags: into its list of them if that is on one line, else in a key of their own.
pub fn add_tags(document: &Document, tags: &[String]) -> Splice {
    let eol = document.eol().as_str();
    let insertion = |at: usize, new: String| Splice { start: at, end: at, new };
    let Some(front) = document.front_matter() else {
        return insertion(document.body_start(), tags_block(tags, eol));
    };
    let list = key_line(document, "tags").and_then(|line| value_span(document, line)).filter(|list| {
        let text = &document.text()[list.range()];
        text.starts_with('[') && text.ends_with(']') && !text[1..].contains(['[', '#'])
    });
    if let Some(list) = list {
        let inside = document.text()[list.range()].trim_matches(['[', ']', ' ']);
        let comma = if inside.is_empty() || inside.ends_with(',') { "" } else { ", " };
        return insertion(list.end as usize - 1, format!("{comma}{}", tag_list(tags)));
    }
    // All of these are read as tags, and none may stand there twice.
    let key = ["tags", "tag", "Tags", "Tag", "TAGS", "TAG"].into_iter().find(|key| !has_key(document, key));
    let at = lines_between_fences(document).and_then(|lines| lines.last().map(|line| line.end as usize));
    let at = at.unwrap_or_else(|| lines::end(document.text().as_bytes(), front.start as usize));
    insertion(at, format!("{}: [{}]{eol}", key.unwrap_or("tags"), tag_list(tags)))
}

/// Whether the front matter has a top-level key.
pub(super) fn has_key(document: &Document, key: &str) -> bool {
    key_entry(document, key).is_some()
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

/// Whether a line starts with a key, plain or in quotes, and its colon.
fn is_key(line: &str, key: &str) -> bool {
    key_length(line, key).is_some()
}

/// The bytes before the colon of a key's line; `None` if it is the line of another key.
fn key_length(line: &str, key: &str) -> Option<usize> {
    let quote = line.chars().next().filter(|c| matches!(c, '"' | '\''));
    let after_key = match quote {
        Some(quote) => line[1..].strip_prefix(key)?.strip_prefix(quote)?,
        None => line.strip_prefix(key)?,
    };
    let colon = after_key.trim_start_matches([' ', '\t']);
    let rest = colon.strip_prefix(':')?;
    (rest.is_empty() || rest.starts_with([' ', '\t', '\r', '\n'])).then_some(line.len() - colon.len())
}

/// Span of the value on a key's line, including quotes and without a comment. `None` for values that need a YAML
/// parser: block scalars, anchors, tags.
pub(super) fn value_span(document: &Document, line: Span) -> Option<Span> {
    let bytes = document.text().as_bytes();
    let range = line.range();
    let line_text = &document.text()[range.clone()];
    // A key in quotes may have a colon of its own.
    let quoted = line_text.chars().next().filter(|c| matches!(c, '"' | '\''));
    let key_end = quoted.and_then(|quote| line_text[1..].find(quote)).map_or(0, |at| at + 1);
    let colon = range.start + key_end + line_text[key_end..].find(':')?;
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

/// The replacement that sets a key, or with an empty value removes it; a value of several lines is replaced as a whole.
/// `None` without front matter, if there is nothing to remove, and for a new key that would need quotes.
pub(super) fn set_value(document: &Document, key: &str, value: &str) -> Option<Splice> {
    let front = document.front_matter()?;
    let text = document.text();
    let Some(KeyEntry { line, end }) = key_entry(document, key) else {
        if value.is_empty() || !is_plain_key(key) {
            return None;
        }
        let fence = lines::start(text.as_bytes(), lines::end_without_eol(text.as_bytes(), front.end as usize));
        let new = format!("{key}: {}{}", quote_scalar(value), document.eol().as_str());
        return Some(Splice { start: fence, end: fence, new });
    };
    if value.is_empty() {
        return Some(Splice { start: line.start as usize, end, new: String::new() });
    }
    let (start, has_lines_below) = (line.start as usize, end > line.end as usize);
    let colon = start + key_length(&text[line.range()], key)?;
    let line_end = lines::trim_end(text.as_bytes(), colon + 1, line.end as usize);
    let value_start = lines::skip_blanks(text.as_bytes(), colon + 1).min(line_end);
    let old = match self::value_span(document, line) {
        Some(old) if !has_lines_below || old.start == old.end => old.range(),
        _ => value_start..line_end,
    };
    let gap = if text[..old.start].ends_with(':') { " " } else { "" };
    let tail = if text[old.end..].starts_with('#') { " " } else { "" };
    let new = format!("{gap}{}{tail}", quote_scalar(value));
    if !has_lines_below {
        return Some(Splice { start: old.start, end: old.end, new });
    }
    // A comment behind the key stays, the lines below it go with the value.
    let (comment, eol) = (&text[old.end..line_end], &text[lines::end_without_eol(text.as_bytes(), end)..end]);
    Some(Splice { start: old.start, end, new: format!("{new}{comment}{eol}") })
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
    fn a_value_of_several_lines_is_replaced_as_a_whole() {
        for value in [
            "|\n  long\n\n  text",
            "\n  - x\n  - y",
            "\n- x\n-\n  y",
            "[x,\n  y]",
            "{x: y,\n}",
            "\"x\n  y\"",
            "\n  # c\n  x: y",
        ] {
            let text = format!("---\nb: c\na: {value}\n\n# d\ne: f\n---\n");
            check(&text, "a", "z", Some("---\nb: c\na: z\n\n# d\ne: f\n---\n"));
            check(&text, "a", "", Some("---\nb: c\n\n# d\ne: f\n---\n"));
            assert_eq!(Document::parse(text).front_text("a"), None);
        }
        check("---\r\na: # c\r\n  - x\r\n---\r\n", "a", "z", Some("---\r\na: z # c\r\n---\r\n"));
        check("---\na: &x b\n---\n", "a", "z", Some("---\na: z\n---\n"));
    }

    #[test]
    fn one_scalar_is_replaced_and_nothing_else() {
        check("---\na: b # c\nd: e\n---\n", "a", "no", Some("---\na: \"no\" # c\nd: e\n---\n"));
        check("---\r\na: 'it''s'\r\n---\r\n", "a", "x: y", Some("---\r\na: \"x: y\"\r\n---\r\n"));
        check("---\na:\n---\n", "a", "b", Some("---\na: b\n---\n"));
        check("---\na: b\n---\n", "n", "12", Some("---\na: b\nn: \"12\"\n---\n"));
        check("---\na: b\nc: d\n---\n", "a", "", Some("---\nc: d\n---\n"));
        check("---\n\"a\": b\n'c' : d\n---\n", "a", "e", Some("---\n\"a\": e\n'c' : d\n---\n"));
        check("---\n\"a\": b\n'c' : d\n---\n", "c", "e", Some("---\n\"a\": b\n'c' : e\n---\n"));
        check("---\na: b\n---\n", "c", "", None);
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
