//! Appends an entry to a top-level list of a YAML text, keeping every other byte.
//!
//! Knows only block lists and flow lists on one line; the caller parses the result and compares it with what it wanted.

/// Appends a text to the list of a top-level key; a missing key is added at the end.
pub fn append(text: &str, key: &str, value: &str) -> String {
    let eol = if text.contains("\r\n") { "\r\n" } else { "\n" };
    // A string in JSON is one in YAML.
    let quoted = serde_json::Value::from(value).to_string();
    let Some((at, line)) = key_line(text, key) else {
        let gap = if text.is_empty() || text.ends_with('\n') { "" } else { eol };
        return format!("{text}{gap}{key}:{eol}  - {quoted}{eol}");
    };
    let (before, after) = text.split_at(at + line.len());
    let rest = line[key.len() + 1..].trim();
    if let Some(inside) = rest.strip_prefix('[') {
        let Some(end) = line.rfind(']') else { return text.to_owned() };
        let is_empty = inside[..inside.rfind(']').unwrap_or(0)].trim().is_empty();
        let comma = if is_empty { "" } else { ", " };
        return format!("{}{comma}{quoted}{}{after}", &before[..at + end], &line[end..]);
    }
    let items: Vec<&str> = after.split_inclusive('\n').take_while(|line| is_inside(line)).collect();
    let last = items.iter().rposition(|line| line.trim_start().starts_with("- "));
    let indent = last.map_or("  ", |n| &items[n][..items[n].len() - items[n].trim_start().len()]);
    let length: usize = last.map_or(0, |n| items[..=n].iter().map(|line| line.len()).sum());
    let (kept, rest) = after.split_at(length);
    let gap = if before.len() + length == 0 || kept.ends_with('\n') || kept.is_empty() && before.ends_with('\n') {
        ""
    } else {
        eol
    };
    format!("{before}{kept}{gap}{indent}- {quoted}{eol}{rest}")
}

/// The line of a top-level key: its byte offset and its text, with the line end.
fn key_line<'t>(text: &'t str, key: &str) -> Option<(usize, &'t str)> {
    let mut at = 0;
    for line in text.split_inclusive('\n') {
        if line.strip_prefix(key).is_some_and(|rest| rest.starts_with(':')) {
            return Some((at, line));
        }
        at += line.len();
    }
    None
}

/// Whether a line belongs to the value of the key above it: an item, a blank line or a comment.
fn is_inside(line: &str) -> bool {
    let plain = line.trim();
    plain.is_empty() || plain.starts_with('#') || plain.starts_with("- ") || line.starts_with(' ')
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(before: &str, after: &str) {
        assert_eq!(append(before, "trusted", "/a"), after);
    }

    #[test]
    fn a_missing_key_is_added_at_the_end() {
        check("", "trusted:\n  - \"/a\"\n");
        check("people: [ana]", "people: [ana]\ntrusted:\n  - \"/a\"\n");
        check("# mine\r\npeople: [ana]\r\n", "# mine\r\npeople: [ana]\r\ntrusted:\r\n  - \"/a\"\r\n");
    }

    #[test]
    fn an_item_is_added_behind_the_last_one() {
        check("trusted:\n- /b # x\nother: 1\n", "trusted:\n- /b # x\n- \"/a\"\nother: 1\n");
        check("trusted:\n    - /b\n\n# next\nother: 1\n", "trusted:\n    - /b\n    - \"/a\"\n\n# next\nother: 1\n");
        check("trusted:\n  - /b", "trusted:\n  - /b\n  - \"/a\"\n");
        check("trusted:\nother: 1\n", "trusted:\n  - \"/a\"\nother: 1\n");
    }

    #[test]
    fn a_list_on_one_line_stays_on_one_line() {
        check("trusted: [/b] # x\n", "trusted: [/b, \"/a\"] # x\n");
        check("trusted: []\nother: 1\n", "trusted: [\"/a\"]\nother: 1\n");
    }
}
