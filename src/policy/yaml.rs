//! Reads a small YAML file as plain values, and finds the line of a key.
//!
//! Never hands the parser what would make it slow, and never shows more than a little of what it read.

use serde_json::{Map, Number, Value};

use crate::shape::shown;

/// The largest file, in bytes.
const MOST: usize = 64 * 1024;
/// The deepest nesting in one line or one bracketed value. The parser is quadratic in open brackets.
const DEEPEST: usize = 16;

/// Why a text is not read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Flaw {
    /// The line (from 1), where one is to blame.
    pub line: Option<usize>,
    /// A sentence.
    pub message: String,
}

/// Reads one document. A text that says nothing is `null`, and does not reach the parser.
///
/// # Errors
/// Where it is too large, too deep, no YAML, or holds what JSON has not (tags, keys that are no text, infinities).
pub fn read(text: &str) -> Result<Value, Flaw> {
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    if text.lines().all(|l| matches!(l.trim_start_matches([' ', '\t']).as_bytes().first(), None | Some(b'#'))) {
        return Ok(Value::Null);
    }
    if text.len() > MOST {
        return Err(Flaw { line: None, message: "the file is larger than 64 KiB".into() });
    }
    if let Some(line) = too_deep(text) {
        return Err(Flaw { line: Some(line), message: "values are nested too deep".into() });
    }
    let value: serde_yaml::Value = serde_yaml::from_str(text).map_err(|e| flaw(text, &e))?;
    plain(value).map_err(|message| Flaw { line: None, message })
}

fn flaw(text: &str, error: &serde_yaml::Error) -> Flaw {
    if let Some((first, again, key)) = twice(text) {
        let message = format!("the key {} stands twice, in lines {first} and {again}", shown(key));
        return Flaw { line: Some(again), message };
    }
    let whole = error.to_string();
    let what = whole.split(" at line ").next().unwrap_or(&whole);
    Flaw { line: error.location().map(|l| l.line()), message: format!("no YAML: {}", shown(what)) }
}

/// The first line whose nesting is too deep for us. Counts brackets in quotes and comments too: nobody needs 16.
fn too_deep(text: &str) -> Option<usize> {
    let mut open = 0usize;
    for (number, line) in text.lines().enumerate() {
        let line = line.trim_start();
        if line.starts_with('#') {
            continue;
        }
        let markers = line.split(' ').take_while(|w| matches!(*w, "-" | "?" | ":" | "")).count();
        for byte in line.bytes() {
            match byte {
                b'[' | b'{' => open += 1,
                b']' | b'}' => open = open.saturating_sub(1),
                _ => {}
            }
            if open > DEEPEST {
                return Some(number + 1);
            }
        }
        if markers > DEEPEST {
            return Some(number + 1);
        }
    }
    None
}

/// A key that stands twice at the top: both lines.
fn twice(text: &str) -> Option<(usize, usize, &str)> {
    let mut seen: Vec<(&str, usize)> = Vec::new();
    for (number, line) in text.lines().enumerate() {
        let Some((key, _)) = line.split_once(':') else { continue };
        let key = key.trim_end().trim_matches(['"', '\'']);
        if line.starts_with([' ', '\t', '#', '-']) || key.is_empty() {
            continue;
        }
        if let Some((_, first)) = seen.iter().find(|(k, _)| *k == key) {
            return Some((*first, number + 1, key));
        }
        seen.push((key, number + 1));
    }
    None
}

fn plain(value: serde_yaml::Value) -> Result<Value, String> {
    use serde_yaml::Value as Yaml;
    Ok(match value {
        Yaml::Null => Value::Null,
        Yaml::Bool(b) => b.into(),
        Yaml::String(s) => s.into(),
        Yaml::Number(n) => match (n.as_i64(), n.as_u64(), n.as_f64()) {
            (Some(n), _, _) => n.into(),
            (_, Some(n), _) => n.into(),
            (_, _, f) => f.and_then(Number::from_f64).map(Value::Number).ok_or("a number is not finite")?,
        },
        Yaml::Sequence(all) => Value::Array(all.into_iter().map(plain).collect::<Result<_, _>>()?),
        Yaml::Mapping(all) => {
            let mut map = Map::new();
            for (key, value) in all {
                let Yaml::String(key) = key else { return Err("a key is not a text".into()) };
                map.insert(key, plain(value)?);
            }
            Value::Object(map)
        }
        Yaml::Tagged(tagged) => return Err(format!("the tag {} is unknown", shown(&tagged.tag.to_string()))),
    })
}

/// The line (from 1) of the value that keys and indexes lead to: the deepest one found on the way.
pub fn line_of(text: &str, path: &[String]) -> Option<usize> {
    let lines: Vec<&str> = text.lines().collect();
    let mut at: Option<usize> = None;
    for (depth, step) in path.iter().enumerate() {
        let from = at.unwrap_or(0);
        let next = match step.parse::<usize>() {
            Ok(index) if depth > 0 => nth_item(&lines, from, index),
            _ => (from..lines.len()).find(|i| names(lines[*i], step, depth == 0)),
        };
        at = next.or(at);
        if next.is_none() {
            break;
        }
    }
    at.map(|i| i + 1)
}

/// Whether a line gives a key its value.
fn names(line: &str, key: &str, top: bool) -> bool {
    if line.trim_start().starts_with('#') || top && line.starts_with([' ', '\t']) {
        return false;
    }
    line.match_indices(key).any(|(i, _)| {
        let before = line[..i].trim_end_matches(['"', '\'']);
        let after = line[i + key.len()..].trim_start_matches(['"', '\'']).trim_start();
        after.starts_with(':') && (before.is_empty() || before.ends_with([' ', '\t', '{', ',', '-']))
    })
}

/// The line of a list's item, when the list's items start lines.
fn nth_item(lines: &[&str], from: usize, index: usize) -> Option<usize> {
    let indent = |l: &str| l.len() - l.trim_start().len();
    let items = (from + 1..lines.len()).filter(|i| lines[*i].trim_start().starts_with('-'));
    let mut items = items.peekable();
    let first = indent(lines[*items.peek()?]);
    items.filter(|i| indent(lines[*i]) == first).nth(index)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_the_parser_would_choke_on_never_reaches_it() {
        for hostile in [
            "[".repeat(60_000),
            "{".repeat(60_000),
            "- ".repeat(30_000),
            "? ".repeat(30_000),
            format!("a: {}", "[{".repeat(20_000)),
            "a: 1\n".repeat(20_000),
        ] {
            let flaw = read(&hostile).unwrap_err();
            assert!(flaw.message.chars().count() < 120, "{flaw:?}");
        }
    }

    #[test]
    fn aliases_do_not_explode() {
        let mut bomb = String::from("a0: &a0 [x, x, x, x, x, x, x, x, x]\n");
        for i in 1..30 {
            let many = vec![format!("*a{}", i - 1); 9].join(", ");
            bomb += &format!("a{i}: &a{i} [{many}]\n");
        }
        assert!(read(&bomb).is_err());
    }

    #[test]
    fn what_json_has_not_is_refused() {
        for text in ["a: !x 1", "1: a", "a: .inf", "[a]: b", "a: 1\n---\nb: 2", "a: 1\na: 2", "a:\n  b: 1\n  b: 2"] {
            assert!(read(text).is_err(), "{text}");
        }
        assert_eq!(read("\u{feff}# nothing\n\n   # here\n"), Ok(Value::Null));
        let twice = read("a: 1\nb: 2\n'a': 3\n").unwrap_err();
        assert_eq!((twice.line, twice.message.as_str()), (Some(3), "the key 'a' stands twice, in lines 1 and 3"));
    }

    #[test]
    fn a_key_has_a_line() {
        let text = "version: 1\n# x: 1\nlimits:\n  - at: a\n    bullets: 1\n  - at: b\n    bulets: 2\nx: {y: {z: 1}}\n";
        let check = |path: &[&str], want| {
            assert_eq!(line_of(text, &path.iter().map(|s| s.to_string()).collect::<Vec<_>>()), want, "{path:?}");
        };
        check(&["version"], Some(1));
        check(&["x"], Some(8));
        check(&["limits", "1", "bulets"], Some(7));
        check(&["limits", "1", "at"], Some(6));
        check(&["limits", "0", "bullets"], Some(5));
        check(&["x", "y", "z"], Some(8));
        check(&["none"], None);
    }
}
