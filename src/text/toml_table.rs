//! Reads one table of a TOML text, to decide whether the text may be edited and what it sets.
//!
//! Never changes a text: a table is added as a block at its end (`managed_block`), which is valid TOML wherever it is.

use toml_edit::{Document, Item};

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
    let document = Document::parse(text.trim_start_matches('\u{feff}')).map_err(|e| e.to_string())?;
    let mut item: &Item = document.as_item();
    for key in path {
        let Some(next) = item.get(key) else { return Ok(None) };
        item = next;
    }
    let args = item.get("args").and_then(Item::as_array).into_iter().flatten();
    Ok(Some(CommandTable {
        command: item.get("command").and_then(Item::as_str).map(str::to_owned),
        args: args.filter_map(|arg| arg.as_str()).map(str::to_owned).collect(),
    }))
}

#[cfg(test)]
mod tests {
    use super::*;

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
