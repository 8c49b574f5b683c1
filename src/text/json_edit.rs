//! Inserts one member or element into a JSON text, replaces it, and removes it again, keeping every other byte:
//! comments, order, unknown keys, line endings.
//!
//! Never repairs a text that its reader would reject.
//!
//! Removal is the exact inverse of insertion. So that it needs no record, the layout tells which containers were
//! created with the item: in those, white space follows the opening bracket; into an empty container that was there
//! before, the item is put without any.

use jsonc_parser::ast::{ObjectPropName, Value as Node};
use jsonc_parser::{CollectOptions, ParseOptions, parse_to_ast};
use serde_json::{Map, Value};

use super::json_characters;

/// What a program accepts beyond JSON.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct JsonDialect {
    pub comments: bool,
    pub trailing_commas: bool,
}

/// One step into a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum JsonStep<'a> {
    Key(&'a str),
    Index(usize),
}

/// Why a text is not edited.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct JsonProblem {
    pub message: String,
}

/// Parses a text.
///
/// # Errors
/// A syntax error, with its line; two members of one name.
pub fn parse(text: &str, dialect: JsonDialect) -> Result<Value, JsonProblem> {
    with_tree(text, dialect, |root| to_value(root.node))
}

/// Inserts a value below a path of keys: as the member of the last key, or with `append` as the last element of its
/// array. Missing containers are created. An empty text becomes a whole file.
///
/// # Errors
/// As [`parse`]; a member on the way that is not a container; an existing member.
pub fn insert(
    text: &str,
    dialect: JsonDialect,
    path: &[&str],
    append: bool,
    value: &Value,
) -> Result<String, JsonProblem> {
    let eol = if text.contains("\r\n") { "\r\n" } else { "\n" };
    let nested = |keys: &[&str]| {
        let leaf = if append { Value::Array(vec![value.clone()]) } else { value.clone() };
        keys.iter().rev().fold(leaf, |inner, key| Value::Object(Map::from_iter([((*key).to_owned(), inner)])))
    };
    if text.is_empty() {
        return Ok(render(&nested(path), "", "  ", eol) + eol);
    }
    with_tree(text, dialect, |root| {
        let mut container = root;
        for (depth, key) in path.iter().enumerate() {
            let Node::Object(_) = container.node else { return Err(not_a_container(&path[..depth], "an object")) };
            match container.child(JsonStep::Key(key)) {
                Some(child) if append || depth + 1 < path.len() => container = child,
                Some(_) => return Err(JsonProblem { message: format!("'{}' exists already", path.join(".")) }),
                None => return Ok(container.with_item(Some(key), &nested(&path[depth + 1..]), eol)),
            }
        }
        let Node::Array(_) = container.node else { return Err(not_a_container(path, "a list")) };
        Ok(container.with_item(None, value, eol))
    })?
}

/// Removes the item at a path, and the containers that [`insert`] created for it; `None` if nothing is left of the
/// file. The text is returned as it is if there is no such item.
///
/// # Errors
/// As [`parse`].
pub fn remove(text: &str, dialect: JsonDialect, path: &[JsonStep<'_>]) -> Result<Option<String>, JsonProblem> {
    with_tree(text, dialect, |root| {
        let mut containers = vec![root];
        for step in path {
            let Some(child) = containers[containers.len() - 1].child(*step) else { return Some(text.to_owned()) };
            containers.push(child);
        }
        for (depth, step) in path.iter().enumerate().rev() {
            let container = &containers[depth];
            if !container.was_created_for_one_item() {
                return Some(container.without_item(*step));
            }
        }
        None
    })
}

/// Replaces the value at a path by another, on one line. The text is returned as it is if there is no such value.
///
/// # Errors
/// As [`parse`].
pub fn replace(text: &str, dialect: JsonDialect, path: &[JsonStep<'_>], value: &Value) -> Result<String, JsonProblem> {
    with_tree(text, dialect, |root| {
        let Some(old) = path.iter().try_fold(root, |at, step| at.child(*step)) else { return text.to_owned() };
        splice_all(text, [(old.range(), render(value, "", "", ""))])
    })
}

fn not_a_container(path: &[&str], kind: &str) -> JsonProblem {
    let name = if path.is_empty() { "the file".to_owned() } else { format!("'{}'", path.join(".")) };
    JsonProblem { message: format!("{name} is not {kind}") }
}

/// Calls a function with the root of the syntax tree.
fn with_tree<T>(text: &str, dialect: JsonDialect, f: impl FnOnce(JsonCursor<'_>) -> T) -> Result<T, JsonProblem> {
    // A byte order mark is no part of JSON, but editors of one system write it, and hosts skip it.
    let mark = text.len() - text.trim_start_matches('\u{feff}').len();
    let options = ParseOptions {
        allow_comments: dialect.comments,
        allow_trailing_commas: dialect.trailing_commas,
        allow_loose_object_property_names: false,
        allow_missing_commas: false,
        allow_single_quoted_strings: false,
        allow_hexadecimal_numbers: false,
        allow_unary_plus_numbers: false,
        allow_bare_decimal_point_numbers: false,
        allow_non_finite_numbers: false,
        allow_extended_string_escapes: false,
    };
    let parsed = parse_to_ast(&text[mark..], &CollectOptions::default(), &options)
        .map_err(|error| JsonProblem { message: error.to_string() })?;
    if let Some(at) = json_characters::first_forbidden(&text[mark..]) {
        let line = text[..mark + at].matches('\n').count() + 1;
        return Err(JsonProblem {
            message: format!(
                "Control characters must be escaped, and only blanks may stand between values on line {line}"
            ),
        });
    }
    let Some(node) = &parsed.value else { return Err(JsonProblem { message: "the file has no value".to_owned() }) };
    if let Some(name) = repeated_key(node) {
        return Err(JsonProblem { message: format!("the key '{name}' occurs twice in one object") });
    }
    Ok(f(JsonCursor { node, text, mark }))
}

fn repeated_key(node: &Node<'_>) -> Option<String> {
    match node {
        Node::Object(object) => {
            let mut names: Vec<&str> = object.properties.iter().map(|property| name_text(&property.name)).collect();
            names.sort_unstable();
            let repeated = names.windows(2).find(|pair| pair[0] == pair[1]).map(|pair| pair[0].to_owned());
            repeated.or_else(|| object.properties.iter().find_map(|property| repeated_key(&property.value)))
        }
        Node::Array(array) => array.elements.iter().find_map(repeated_key),
        _ => None,
    }
}

fn name_text<'a>(name: &'a ObjectPropName<'_>) -> &'a str {
    match name {
        ObjectPropName::String(text) => &text.value,
        ObjectPropName::Word(word) => word.value,
    }
}

fn to_value(node: &Node<'_>) -> Value {
    match node {
        Node::StringLit(string) => Value::from(&*string.value),
        Node::NumberLit(number) => serde_json::from_str(number.value).unwrap_or(Value::Null),
        Node::BooleanLit(boolean) => Value::from(boolean.value),
        Node::NullKeyword(_) => Value::Null,
        Node::Object(object) => {
            let members = object.properties.iter();
            Value::Object(members.map(|p| (name_text(&p.name).to_owned(), to_value(&p.value))).collect())
        }
        Node::Array(array) => Value::Array(array.elements.iter().map(to_value).collect()),
    }
}

/// A node of the syntax tree, with the text that its ranges refer to.
#[derive(Clone, Copy)]
struct JsonCursor<'a> {
    node: &'a Node<'a>,
    text: &'a str,
    /// Length of a byte order mark; ranges start behind it.
    mark: usize,
}

impl<'a> JsonCursor<'a> {
    fn child(&self, step: JsonStep<'_>) -> Option<JsonCursor<'a>> {
        let node = match (self.node, step) {
            (Node::Object(object), JsonStep::Key(key)) => {
                &object.properties.iter().find(|property| name_text(&property.name) == key)?.value
            }
            (Node::Array(array), JsonStep::Index(index)) => array.elements.get(index)?,
            _ => return None,
        };
        Some(JsonCursor { node, ..*self })
    }

    /// Byte ranges of the items: members with their keys, or elements.
    fn items(&self) -> Vec<(usize, usize)> {
        use jsonc_parser::common::Ranged;
        let range = |range: jsonc_parser::common::Range| (range.start + self.mark, range.end + self.mark);
        match self.node {
            Node::Object(object) => object.properties.iter().map(|property| range(property.range)).collect(),
            Node::Array(array) => array.elements.iter().map(|element| range(element.range())).collect(),
            _ => Vec::new(),
        }
    }

    fn range(&self) -> std::ops::Range<usize> {
        use jsonc_parser::common::Ranged;
        let range = self.node.range();
        range.start + self.mark..range.end + self.mark
    }

    /// The byte offsets behind the opening and before the closing bracket.
    fn inside(&self) -> (usize, usize) {
        let range = self.range();
        (range.start + 1, range.end - 1)
    }

    fn with_item(&self, key: Option<&str>, value: &Value, eol: &str) -> String {
        let (open, close) = self.inside();
        let name = key.map_or(String::new(), |key| format!("{}: ", Value::from(key)));
        let Some(&(start, end)) = self.items().last() else {
            let indent = line_indent(self.text, open);
            return splice_all(self.text, [(open..open, name + &render(value, indent, "  ", eol))]);
        };
        let line_start = self.text[..start].rfind('\n').map_or(0, |at| at + 1);
        let before = &self.text[line_start..start];
        // Comments behind the last item stay with it.
        let tail = open + self.text[open..close].trim_end().len();
        let is_in_comment = ends_in_line_comment(&self.text[end..tail]);
        let (gap, item) = match before.trim().is_empty() {
            true => {
                let unit = indent_unit(line_indent(self.text, open), before);
                (format!("{eol}{before}"), name + &render(value, before, unit, eol))
            }
            false if is_in_comment => {
                let indent = line_indent(self.text, open);
                (format!("{eol}{indent}  "), name + &render_inline(value))
            }
            false => (" ".to_owned(), name + &render_inline(value)),
        };
        match comma_after(self.text, end, close) {
            Some(_) => splice_all(self.text, [(tail..tail, format!("{gap}{item},"))]),
            None => splice_all(self.text, [(end..end, ",".to_owned()), (tail..tail, gap + &item)]),
        }
    }

    fn without_item(&self, step: JsonStep<'_>) -> String {
        let items = self.items();
        let index = match (step, self.node) {
            (JsonStep::Index(index), _) => index,
            (JsonStep::Key(key), Node::Object(object)) => {
                object.properties.iter().position(|property| name_text(&property.name) == key).unwrap_or(0)
            }
            (JsonStep::Key(_), _) => 0,
        };
        let (open, close) = self.inside();
        let (start, end) = items[index];
        let previous = if index > 0 { items[index - 1].1 } else { open };
        let before = previous + self.text[previous..start].trim_end().len();
        // What follows must not become part of a line comment.
        let gap = |rest: usize| {
            let is_in_comment = ends_in_line_comment(&self.text[previous..before]);
            let blanks: &str = self.text[before..start].trim_start_matches([' ', '\t']);
            let is_at_line_end = self.text[rest..].trim_start_matches([' ', '\t']).starts_with(['\r', '\n']);
            if is_in_comment && !is_at_line_end { blanks.to_owned() } else { String::new() }
        };
        match comma_after(self.text, end, close) {
            Some(comma) => splice_all(self.text, [(before..comma + 1, gap(comma + 1))]),
            None if index > 0 => {
                let comma = comma_after(self.text, previous, start).unwrap_or(before);
                splice_all(self.text, [(comma..(comma + 1).min(before), String::new()), (before..end, gap(end))])
            }
            None => splice_all(self.text, [(before..end, gap(end))]),
        }
    }

    /// Whether removing its only item leaves a container that was not there before [`insert`].
    fn was_created_for_one_item(&self) -> bool {
        let items = self.items();
        let [(start, end)] = items[..] else { return false };
        let (open, close) = self.inside();
        let (before, after) = (&self.text[open..start], &self.text[end..close]);
        !before.is_empty() && before.trim().is_empty() && after.trim().is_empty()
    }
}

fn splice_all<const N: usize>(text: &str, edits: [(std::ops::Range<usize>, String); N]) -> String {
    let mut out = String::with_capacity(text.len());
    let mut at = 0;
    for (range, new) in edits {
        out.push_str(&text[at..range.start]);
        out.push_str(&new);
        at = range.end;
    }
    out + &text[at..]
}

/// The offset of the comma that follows an item; comments may stand between.
fn comma_after(text: &str, from: usize, to: usize) -> Option<usize> {
    let mut at = from;
    while at < to {
        let rest = &text[at..to];
        if rest.starts_with(',') {
            return Some(at);
        }
        at += match rest.as_bytes() {
            [b'/', b'/', ..] => rest.find('\n').unwrap_or(rest.len()),
            [b'/', b'*', ..] => rest.find("*/").map_or(rest.len(), |end| end + 2),
            _ => rest.chars().next().map_or(1, char::len_utf8),
        };
    }
    None
}

/// Whether a text between two items, with nothing but commas, blanks and comments, ends in a line comment.
fn ends_in_line_comment(between: &str) -> bool {
    let mut rest = between;
    while let Some(at) = rest.find('/') {
        rest = &rest[at..];
        let end = match rest.strip_prefix("/*") {
            Some(comment) => comment.find("*/").map(|end| end + 4),
            None => rest.find('\n'),
        };
        let Some(end) = end else { return rest.starts_with("//") };
        rest = &rest[end..];
    }
    false
}

fn line_indent(text: &str, at: usize) -> &str {
    let line = &text[text[..at].rfind('\n').map_or(0, |end| end + 1)..];
    &line[..line.len() - line.trim_start_matches([' ', '\t']).len()]
}

/// The indentation of one level: by how much an item stands further in than the line on which its container opens.
fn indent_unit<'t>(container: &str, item: &'t str) -> &'t str {
    item.strip_prefix(container).filter(|unit| !unit.is_empty()).unwrap_or("  ")
}

/// Renders a value over several lines; the lines after the first start with `indent`.
fn render(value: &Value, indent: &str, unit: &str, eol: &str) -> String {
    let inner = format!("{indent}{unit}");
    let join = |open: char, items: Vec<String>, close: char| {
        let items: Vec<String> = items.into_iter().map(|item| format!("{eol}{inner}{item}")).collect();
        format!("{open}{}{eol}{indent}{close}", items.join(","))
    };
    match value {
        Value::Object(members) if !members.is_empty() => {
            let item = |(key, value): (&String, &Value)| {
                format!("{}: {}", Value::from(key.as_str()), render(value, &inner, unit, eol))
            };
            join('{', members.iter().map(item).collect(), '}')
        }
        Value::Array(elements) if elements.iter().any(|e| e.is_object() || e.is_array()) => {
            join('[', elements.iter().map(|element| render(element, &inner, unit, eol)).collect(), ']')
        }
        Value::Array(elements) => {
            format!("[{}]", elements.iter().map(Value::to_string).collect::<Vec<_>>().join(", "))
        }
        other => other.to_string(),
    }
}

/// Renders a value on one line, with white space behind opening brackets.
fn render_inline(value: &Value) -> String {
    match value {
        Value::Object(members) if !members.is_empty() => {
            let item =
                |(key, value): (&String, &Value)| format!("{}: {}", Value::from(key.as_str()), render_inline(value));
            format!("{{ {} }}", members.iter().map(item).collect::<Vec<_>>().join(", "))
        }
        Value::Array(elements) if !elements.is_empty() => {
            format!("[ {} ]", elements.iter().map(render_inline).collect::<Vec<_>>().join(", "))
        }
        other => other.to_string(),
    }
}

#[cfg(test)]
mod tests;
