//! Reads one table of a TOML text, to decide whether the text may be edited and what it sets.
//!
//! Never changes a text: a table is added as a block at its end (`managed_block`), which is valid TOML wherever it is.

use std::ops::Range;

use toml_edit::{Document, Item, Table, TomlError, Value};

/// The texts of a table: its `command` and its `args`.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct CommandTable {
    pub command: Option<String>,
    pub args: Vec<String>,
}

/// Reads the table at a path; `None` if there is none.
///
/// # Errors
/// A syntax error, with its line.
pub fn command_table(text: &str, path: &[&str]) -> Result<Option<CommandTable>, String> {
    let document = Document::parse(without_mark(text)).map_err(|error| error_with_line(text, &error))?;
    let mut item: &Item = document.as_item();
    for key in path {
        let Some(next) = item.get(key) else { return Ok(None) };
        item = next;
    }
    Ok(Some(to_command_table(item)))
}

/// The table at a path, if a text has it and nothing else, not even a comment, and it has no other keys than `command`
/// and `args`.
pub fn lone_command_table(text: &str, path: &[&str]) -> Option<CommandTable> {
    let document = Document::parse(text).ok()?;
    if has_comment(text, &document) {
        return None;
    }
    let mut table: &Table = document.as_table();
    for key in path {
        table = table.get(key).filter(|_| table.len() == 1)?.as_table()?;
    }
    let is_other = |(key, _): (&str, &Item)| !["command", "args"].contains(&key);
    (!table.iter().any(is_other)).then(|| to_command_table(&Item::Table(table.clone())))
}

/// The byte range of the list `args` of the table at a path. `None` if there is none, or if it has a comment, which
/// another list would not keep.
pub fn plain_args_range(text: &str, path: &[&str]) -> Option<Range<usize>> {
    let rest = without_mark(text);
    let document = Document::parse(rest).ok()?;
    let mut item: &Item = document.as_item();
    for key in path.iter().chain(&["args"]) {
        item = item.get(key)?;
    }
    let span = item.as_array()?.span()?;
    let list = Document::parse(format!("a = {}", &rest[span.clone()])).ok()?;
    let mark = text.len() - rest.len();
    (!has_comment(list.raw(), &list)).then_some(span.start + mark..span.end + mark)
}

/// Whether a text has a `#` outside its string values.
fn has_comment<S: AsRef<str>>(text: &str, document: &Document<S>) -> bool {
    let mut strings = Vec::new();
    add_string_spans(document.as_item(), &mut strings);
    text.match_indices('#').any(|(at, _)| !strings.iter().any(|span| span.contains(&at)))
}

/// The line, 1-based, on which a key of the top level has an inline table or another value to which no table can be
/// added.
pub fn closed_value_line(text: &str, key: &str) -> Option<usize> {
    let document = Document::parse(without_mark(text)).ok()?;
    let value = document.as_table().get(key)?.as_value()?;
    value.span().map(|span| line_of(text, span.start))
}

/// The byte ranges of strings of several lines; none in a text that is no TOML.
pub fn multiline_strings(text: &str) -> Vec<Range<usize>> {
    let rest = without_mark(text);
    let mark = text.len() - rest.len();
    let mut spans = Vec::new();
    if let Ok(document) = Document::parse(rest) {
        add_string_spans(document.as_item(), &mut spans);
    }
    spans.retain(|span| rest[span.clone()].contains('\n'));
    spans.into_iter().map(|span| span.start + mark..span.end + mark).collect()
}

fn add_string_spans(item: &Item, spans: &mut Vec<Range<usize>>) {
    match item {
        Item::None => {}
        Item::Value(value) => add_value_spans(value, spans),
        Item::Table(table) => table.iter().for_each(|(_, item)| add_string_spans(item, spans)),
        Item::ArrayOfTables(tables) => {
            tables.iter().flat_map(Table::iter).for_each(|(_, item)| add_string_spans(item, spans));
        }
    }
}

fn add_value_spans(value: &Value, spans: &mut Vec<Range<usize>>) {
    match value {
        Value::String(string) => spans.extend(string.span()),
        Value::Array(array) => array.iter().for_each(|value| add_value_spans(value, spans)),
        Value::InlineTable(table) => table.iter().for_each(|(_, value)| add_value_spans(value, spans)),
        Value::Integer(_) | Value::Float(_) | Value::Boolean(_) | Value::Datetime(_) => {}
    }
}

fn to_command_table(item: &Item) -> CommandTable {
    let args = item.get("args").and_then(Item::as_array).into_iter().flatten();
    CommandTable {
        command: item.get("command").and_then(Item::as_str).map(str::to_owned),
        args: args.filter_map(|arg| arg.as_str()).map(str::to_owned).collect(),
    }
}

/// A text without a byte order mark, which is no part of TOML.
fn without_mark(text: &str) -> &str {
    text.trim_start_matches('\u{feff}')
}

/// The message of an error on one line, with the line on which it is.
fn error_with_line(text: &str, error: &TomlError) -> String {
    let message = error.message().trim_end().replace('\n', ", ");
    match error.span() {
        Some(span) => format!("{message} on line {}", line_of(text, span.start)),
        None => message,
    }
}

/// The 1-based line of a byte offset behind the byte order mark.
fn line_of(text: &str, at: usize) -> usize {
    let rest = without_mark(text);
    rest[..at.min(rest.len())].matches('\n').count() + 1
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_error_is_one_line_with_its_place() {
        let error = command_table("a = 1\n[b\n", &["a"]).unwrap_err();
        assert!(error.ends_with(" on line 2") && !error.contains('\n'), "{error}");
        assert_eq!(closed_value_line("a = 1\nb = { c = 1 }\n", "b"), Some(2));
        assert_eq!(closed_value_line("[b]\nc = 1\n", "b"), None);
    }

    #[test]
    fn strings_of_several_lines_are_found_wherever_they_are() {
        let text = "\u{feff}a = \"\"\"\n1\"\"\"\nb = [\"x\", '''\n2''']\n[[t]]\nc = { d = '''\n3''' }\n[u.v]\ne = \"\"\"4\"\"\"\n";
        let found: Vec<&str> = multiline_strings(text).into_iter().map(|at| &text[at]).collect();
        assert_eq!(found, ["\"\"\"\n1\"\"\"", "'''\n2'''", "'''\n3'''"]);
        assert!(multiline_strings("a = \"\"\"\n").is_empty());
    }

    #[test]
    fn a_table_with_anything_else_is_not_alone() {
        let path = ["mcp_servers", "memdir"];
        let table = "[mcp_servers.memdir]\ncommand = \"memdir\"\nargs = [\"mcp\"]\n";
        let lone = lone_command_table(table, &path).unwrap();
        assert_eq!((lone.command.as_deref(), &lone.args[..]), (Some("memdir"), &["mcp".to_owned()][..]));
        for more in ["env = {}\n", "[mcp_servers.memdir.env]\nA = \"1\"\n", "[mcp_servers.other]\n", "[x]\n"] {
            assert_eq!(lone_command_table(&format!("{table}{more}"), &path), None, "{more}");
        }
        assert!(lone_command_table("", &path).is_none());
    }

    #[test]
    fn a_comment_is_no_part_of_a_string() {
        let path = ["mcp_servers", "memdir"];
        let table = "[mcp_servers.memdir]\ncommand = \"memdir\"\nargs = [\"--dir\", \"/a#b\", \"mcp\"]";
        assert!(lone_command_table(table, &path).is_some());
        for commented in [format!("# mine\n{table}\n"), format!("{table} # mine\n"), format!("{table}\n# mine\n")] {
            assert_eq!(lone_command_table(&commented, &path), None, "{commented}");
            let range = plain_args_range(&commented, &path).unwrap();
            assert_eq!(&commented[range], "[\"--dir\", \"/a#b\", \"mcp\"]");
        }
        let inside = "\u{feff}mcp_servers.memdir.args = [ # why\n\"mcp\"]\n";
        assert_eq!(plain_args_range(inside, &path), None);
        let inside = inside.replace("# why", "");
        assert_eq!(&inside[plain_args_range(&inside, &path).unwrap()], "[ \n\"mcp\"]");
    }

    #[test]
    fn a_table_is_read_in_every_form() {
        let expected =
            CommandTable { command: Some("memdir".into()), args: ["--dir", "/m", "mcp"].map(str::to_owned).to_vec() };
        for text in [
            "[mcp_servers.memdir]\ncommand = \"memdir\"\nargs = [\"--dir\", \"/m\", \"mcp\"]\n",
            "mcp_servers = { memdir = { command = 'memdir', args = ['--dir', '/m', 'mcp'] } }\r\n",
            "mcp_servers.memdir.command = \"memdir\"\nmcp_servers.memdir.args = [\"--dir\", \"/m\", \"mcp\"]",
        ] {
            assert_eq!(command_table(text, &["mcp_servers", "memdir"]), Ok(Some(expected.clone())), "{text}");
        }
        assert_eq!(command_table("", &["mcp_servers", "memdir"]), Ok(None));
        assert!(command_table("[a\n", &["a"]).is_err() && command_table("a = 1\na = 2\n", &["a"]).is_err());
    }
}
