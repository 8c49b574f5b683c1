//! Parses a small YAML file into JSON values, and finds the line of a key.
//!
//! Never passes text to the parser that would make it slow, and never repeats more than a short piece of the text.

use crate::code::quote_short;
use std::borrow::Cow;

use serde_json::{Map, Number, Value};

/// Maximum size of a file, in bytes.
const MAX_YAML_BYTES: usize = 64 * 1024;
/// Maximum nesting in one line or one bracketed value: the parser's time is quadratic in the number of open brackets.
const MAX_NESTING: usize = 16;

/// Why a text could not be parsed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct YamlProblem {
    /// The line (1-based), if one is known.
    pub line: Option<usize>,
    pub message: String,
}

/// Parses one document. A text without content is `null`, and is not passed to the parser.
///
/// # Errors
/// If the text is too large, nested too deep, not YAML, or contains what JSON cannot express (tags, keys that are not
/// strings, infinities).
pub fn parse(text: &str) -> Result<Value, YamlProblem> {
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    if text.lines().all(|l| matches!(l.trim_start_matches([' ', '\t']).as_bytes().first(), None | Some(b'#'))) {
        return Ok(Value::Null);
    }
    if text.len() > MAX_YAML_BYTES {
        return Err(YamlProblem { line: None, message: "the file is larger than 64 KiB".into() });
    }
    if let Some(line) = first_too_deep_line(text) {
        return Err(YamlProblem { line: Some(line), message: "values are nested too deeply".into() });
    }
    let read = without_comment_lines(text);
    let value: serde_yaml::Value = serde_yaml::from_str(&read).map_err(|e| syntax_problem(text, &e))?;
    to_json(value).map_err(|message| YamlProblem { line: None, message })
}

/// The text with its lines of comments empty, so that lines keep their numbers. Nine tenths of a policy as `init` writes
/// it are comments, which every command would parse. Unchanged if a text may begin at a `|`, `>` or quote and go on in
/// the next line, where `#` is a character.
fn without_comment_lines(text: &str) -> Cow<'_, str> {
    let is_comment = |line: &str| line.trim_start_matches([' ', '\t']).starts_with('#');
    let goes_on = |line: &str| !is_comment(line) && line.contains(['|', '>', '"', '\'']);
    if text.lines().any(goes_on) {
        return text.into();
    }
    text.split_inclusive('\n').map(|line| if is_comment(line) { "\n" } else { line }).collect()
}

fn syntax_problem(text: &str, error: &serde_yaml::Error) -> YamlProblem {
    if let Some((first, second, key)) = duplicate_key(text) {
        let message = format!("the key {} occurs twice, in lines {first} and {second}", quote_short(key));
        return YamlProblem { line: Some(second), message };
    }
    let full_message = error.to_string();
    let message_start = full_message.split(" at line ").next().unwrap_or(&full_message);
    YamlProblem {
        line: error.location().map(|l| l.line()),
        message: format!("invalid YAML: {}", quote_short(message_start)),
    }
}

/// Returns the first line (1-based) that is nested too deep. Brackets in quotes and comments count too: no real policy
/// has more than 16.
fn first_too_deep_line(text: &str) -> Option<usize> {
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
            if open > MAX_NESTING {
                return Some(number + 1);
            }
        }
        if markers > MAX_NESTING {
            return Some(number + 1);
        }
    }
    None
}

/// Finds a key that occurs twice at the top level: both lines (1-based) and the key.
fn duplicate_key(text: &str) -> Option<(usize, usize, &str)> {
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

fn to_json(value: serde_yaml::Value) -> Result<Value, String> {
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
        Yaml::Sequence(all) => Value::Array(all.into_iter().map(to_json).collect::<Result<_, _>>()?),
        Yaml::Mapping(all) => {
            let mut map = Map::new();
            for (key, value) in all {
                let Yaml::String(key) = key else { return Err("a key is not a string".into()) };
                map.insert(key, to_json(value)?);
            }
            Value::Object(map)
        }
        Yaml::Tagged(tagged) => return Err(format!("unknown tag {}", quote_short(&tagged.tag.to_string()))),
    })
}

/// Returns the line (1-based) of the value at a path of keys and indexes: the deepest one that could be found.
pub fn line_of(text: &str, path: &[String]) -> Option<usize> {
    let lines: Vec<&str> = text.lines().collect();
    let mut line: Option<usize> = None;
    for (depth, step) in path.iter().enumerate() {
        let from = line.unwrap_or(0);
        let next = match step.parse::<usize>() {
            Ok(index) if depth > 0 => nth_item(&lines, from, index),
            _ => (from..lines.len()).find(|i| assigns_key(lines[*i], step, depth == 0)),
        };
        line = next.or(line);
        if next.is_none() {
            break;
        }
    }
    line.map(|i| i + 1)
}

/// Whether a line assigns a value to a key.
fn assigns_key(line: &str, key: &str, top_level: bool) -> bool {
    if line.trim_start().starts_with('#') || top_level && line.starts_with([' ', '\t']) {
        return false;
    }
    line.match_indices(key).any(|(i, _)| {
        let before = line[..i].trim_end_matches(['"', '\'']);
        let after = line[i + key.len()..].trim_start_matches(['"', '\'']).trim_start();
        after.starts_with(':') && (before.is_empty() || before.ends_with([' ', '\t', '{', ',', '-']))
    })
}

/// Returns the line (0-based) of a list item, if the items start lines.
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
    fn hostile_text_never_reaches_the_parser() {
        for hostile in [
            "[".repeat(60_000),
            "{".repeat(60_000),
            "- ".repeat(30_000),
            "? ".repeat(30_000),
            format!("a: {}", "[{".repeat(20_000)),
            "a: 1\n".repeat(20_000),
        ] {
            let problem = parse(&hostile).unwrap_err();
            assert!(problem.message.chars().count() < 120, "{problem:?}");
        }
    }

    #[test]
    fn comments_are_left_out_where_they_are_comments() {
        let text = "# a policy\nversion: 2\n  # inside\nlimits:\n# between\n  - at: x # behind\n    bullets: 3\n";
        assert_eq!(without_comment_lines(text), "\nversion: 2\n\nlimits:\n\n  - at: x # behind\n    bullets: 3\n");
        assert_eq!(parse(text).unwrap()["limits"][0]["bullets"], 3);
        assert_eq!(
            parse("# one\n# two\na: [\n").unwrap_err().line,
            serde_yaml::from_str::<Value>("\n\na: [\n").err().and_then(|e| e.location()).map(|l| l.line())
        );
        for text in ["a: |\n  # text\n", "a: >\n  # text\n", "a: \"b\n  # text\"\n"] {
            assert!(parse(text).unwrap()["a"].as_str().unwrap().contains("# text"), "{text}");
        }
    }

    #[test]
    fn aliases_do_not_explode() {
        let mut bomb = String::from("a0: &a0 [x, x, x, x, x, x, x, x, x]\n");
        for i in 1..30 {
            let many = vec![format!("*a{}", i - 1); 9].join(", ");
            bomb += &format!("a{i}: &a{i} [{many}]\n");
        }
        assert!(parse(&bomb).is_err());
    }

    #[test]
    fn what_json_cannot_express_is_refused() {
        for text in ["a: !x 1", "1: a", "a: .inf", "[a]: b", "a: 1\n---\nb: 2", "a: 1\na: 2", "a:\n  b: 1\n  b: 2"] {
            assert!(parse(text).is_err(), "{text}");
        }
        assert_eq!(parse("\u{feff}# nothing\n\n   # here\n"), Ok(Value::Null));
        let duplicate = parse("a: 1\nb: 2\n'a': 3\n").unwrap_err();
        assert_eq!(
            (duplicate.line, duplicate.message.as_str()),
            (Some(3), "the key 'a' occurs twice, in lines 1 and 3")
        );
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
