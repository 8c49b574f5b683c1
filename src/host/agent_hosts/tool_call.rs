//! The input of a host's tool as far as hooks read it: paths, command and task.
//!
//! Never runs a command and never reads the disk.

use std::borrow::Cow;
use std::collections::HashSet;

use serde_json::Value;

use crate::document::links::percent_decode;
use crate::text::shell_quote::shell_quote;

/// What is known of a tool call: the paths that it names and the command that it runs.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct HostToolCall {
    pub paths: Vec<String>,
    pub command: String,
    /// The directory in which the command runs, from the working directory; empty if the call names none.
    pub directory: String,
    /// The task that it gives to a sub-agent.
    pub task: String,
    /// The type of the sub-agent that the call starts, empty if it names none; `None` if it starts none.
    pub starts_agent: Option<String>,
}

/// Fields of tool inputs that name a file: `file_path` and `notebook_path` of Claude Code, `path` and `absolute_path`
/// and `dir_path` of Gemini CLI, `filePath` of VS Code, `target_file` of Cursor, `AbsolutePath` and `TargetFile` of
/// Windsurf, the others of MCP servers.
const PATH_FIELDS: [&str; 24] = [
    "file_path",
    "filePath",
    "notebook_path",
    "path",
    "absolute_path",
    "dir_path",
    "target_file",
    "relative_path",
    "files",
    "paths",
    "file_paths",
    "source",
    "destination",
    "file",
    "filename",
    "AbsolutePath",
    "TargetFile",
    "source_path",
    "destination_path",
    "old_path",
    "new_path",
    "oldPath",
    "newPath",
    "uri",
];
/// Fields with the directory in which a command runs: `working_directory` of Cursor
/// (<https://cursor.com/docs/agent/hooks>), `dir_path` of Gemini CLI, `workdir` of Codex.
const DIRECTORY_FIELDS: [&str; 3] = ["working_directory", "dir_path", "workdir"];
/// Fields with a list of edits, each of which names its file: `replacements` of VS Code's `multi_replace_string_in_file`
/// (`src/extension/tools/node/multiReplaceStringTool.tsx` in <https://github.com/microsoft/vscode-copilot-chat>).
const EDIT_LIST_FIELDS: [&str; 2] = ["replacements", "edits"];
/// Fields with a patch: `command` of Codex, `input` of VS Code's `apply_patch` (`applyPatchTool.tsx` there).
const PATCH_FIELDS: [&str; 2] = ["command", "input"];
/// Tools of which `pattern` is a glob of paths; that of other search tools is a regular expression.
const GLOB_TOOLS: [&str; 5] = ["Glob", "glob", "find_files", "file_search", "search_files"];
/// Tools that start a sub-agent: those of Claude Code (`Task` before version 2.1.63) and Cursor, of Codex
/// (<https://github.com/openai/codex/pull/23540>), of VS Code, and others.
const AGENT_TOOLS: [&str; 5] = ["Agent", "Task", "spawn_agent", "runSubagent", "subagent"];
/// Fields of their inputs with the task; `items` of Codex is a list of texts.
const TASK_FIELDS: [&str; 3] = ["prompt", "message", "task"];
const TASK_ITEMS_FIELD: &str = "items";
/// Fields of their inputs with the type of the sub-agent.
const AGENT_TYPE_FIELDS: [&str; 4] = ["subagent_type", "agent_type", "agentName", "agent"];
/// The shells of which a list of words may hold a script.
const SHELLS: [&str; 5] = ["bash", "sh", "zsh", "dash", "ksh"];
/// The most paths of a tool call that are looked at.
const MAX_PATHS: usize = 50;
/// What precedes a path in the patches of Codex (<https://github.com/openai/codex>, `apply_patch`) and VS Code.
const PATCH_HEADS: [&str; 4] = ["*** Update File: ", "*** Add File: ", "*** Delete File: ", "*** Move to: "];
/// The longest command or task that is read, in characters.
const MAX_TOOL_TEXT: usize = 4096;

impl HostToolCall {
    /// Reads the input of a tool, leniently.
    pub(super) fn of(tool: &str, input: &Value) -> HostToolCall {
        let short = |name: &str| match input.get(name) {
            Some(Value::Array(words)) => command_line(&words.iter().filter_map(Value::as_str).collect::<Vec<_>>()),
            Some(value) => value.as_str().unwrap_or_default().to_owned(),
            None => String::new(),
        };
        let cut = |text: &str| text.chars().take(MAX_TOOL_TEXT).collect::<String>();
        let command = short("command");
        let directory = DIRECTORY_FIELDS.iter().find_map(|field| input.get(*field)?.as_str()).unwrap_or_default();
        let patches = PATCH_FIELDS.map(&short);
        let patched = patches.iter().flat_map(|patch| patch.lines());
        let patched = patched.filter_map(|line| PATCH_HEADS.iter().find_map(|head| line.strip_prefix(head)));
        let edits = EDIT_LIST_FIELDS.iter().filter_map(|field| input.get(field)?.as_array()).flatten();
        let named = PATH_FIELDS.into_iter().filter_map(|field| input.get(field)).flat_map(|value| match value {
            // A list of paths, or of what is done with each.
            Value::Array(all) => all.iter().filter_map(|one| one.as_str().or_else(|| path_in(one))).collect(),
            value => value.as_str().into_iter().collect::<Vec<_>>(),
        });
        let globs = searched_globs(tool, input);
        let all = named.chain(edits.filter_map(path_in)).chain(patched.map(str::trim)).chain(globs.as_deref());
        let mut paths: Vec<String> = Vec::new();
        for path in all.filter(|path| path.len() < MAX_TOOL_TEXT).map(without_file_scheme) {
            let is_path = !path.is_empty() && !path.contains('\0') && !path.contains("://");
            if is_path && !paths.iter().any(|known| *known == path) {
                paths.push(path.into_owned());
            }
            if paths.len() == MAX_PATHS {
                break;
            }
        }
        let text = |name: &&str| input.get(*name).and_then(Value::as_str).filter(|text| !text.is_empty());
        let starts_agent =
            AGENT_TOOLS.contains(&tool).then(|| AGENT_TYPE_FIELDS.iter().find_map(text).unwrap_or_default().to_owned());
        let task = match (&starts_agent, TASK_FIELDS.iter().find_map(text)) {
            (None, _) => short("prompt"),
            (Some(_), Some(task)) => task.to_owned(),
            (Some(_), None) => {
                let items = input.get(TASK_ITEMS_FIELD).and_then(Value::as_array).into_iter().flatten();
                items.filter_map(|item| item.get("text")?.as_str()).collect::<Vec<_>>().join("\n")
            }
        };
        let command = cut(&without_here_documents(&command));
        HostToolCall { paths, command, directory: cut(directory), task: cut(&task), starts_agent }
    }
}

/// The path that a `file://` URI names (RFC 8089); any other text is itself.
fn without_file_scheme(path: &str) -> Cow<'_, str> {
    let Some(rest) = path.strip_prefix("file://") else { return Cow::Borrowed(path) };
    let local = rest.strip_prefix("localhost").unwrap_or(rest);
    if local.starts_with('/') { percent_decode(local) } else { Cow::Borrowed(path) }
}

/// The path that an item of a list names.
fn path_in(item: &Value) -> Option<&str> {
    PATH_FIELDS.iter().find_map(|field| item.get(field)?.as_str())
}

/// The glob that a search tool is given, below the folder that it searches.
fn searched_globs(tool: &str, input: &Value) -> Option<String> {
    let text = |field: &str| input.get(field).and_then(Value::as_str);
    let glob = text("pattern").filter(|_| GLOB_TOOLS.contains(&tool)).or_else(|| text("glob"))?;
    let folder = ["path", "dir_path"].iter().find_map(|field| text(field)).filter(|_| !glob.starts_with('/'));
    Some(folder.map_or_else(|| glob.to_owned(), |folder| format!("{}/{glob}", folder.trim_end_matches('/'))))
}

/// The words of a command, which Codex gives as a list, as one line. Of `bash -lc SCRIPT`, the script.
fn command_line(words: &[&str]) -> String {
    match words {
        [shell, option, script, ..]
            if SHELLS.contains(&shell.rsplit('/').next().unwrap_or_default())
                && option.starts_with('-')
                && option.ends_with('c') =>
        {
            (*script).to_owned()
        }
        _ => words.iter().map(|word| shell_quote(word)).collect::<Vec<_>>().join(" "),
    }
}

/// A command without the lines of its here-documents, which it does not run.
fn without_here_documents(command: &str) -> String {
    // Most of what looks like a start, as `std::cout << x`, has no line that ends it.
    let lines: HashSet<&str> = command.lines().map(str::trim).collect();
    let mut kept = String::new();
    let mut rest = command;
    while !rest.is_empty() {
        let (line, below) = rest.split_at(rest.find('\n').map_or(rest.len(), |end| end + 1));
        kept.push_str(line);
        rest = below;
        for word in here_document_ends(line).filter(|word| lines.contains(word)) {
            let mut at = 0;
            let end = rest.split_inclusive('\n').find_map(|line| {
                at += line.len();
                (line.trim() == word).then_some(at)
            });
            // What looks like the start of a here-document, but has no end, is not one.
            rest = end.map_or(rest, |end| &rest[end..]);
        }
    }
    kept
}

/// The words that end the here-documents that start in a line.
fn here_document_ends(line: &str) -> impl Iterator<Item = &str> {
    let starts = line.split("<<<").flat_map(|part| part.split("<<").skip(1));
    starts.filter_map(|rest| {
        let rest = rest.trim_start_matches(['-', ' ', '"', '\'', '\\']);
        let is_part = |c: char| c.is_alphanumeric() || "_-.!".contains(c);
        rest.split(|c| !is_part(c)).next().filter(|word| !word.is_empty())
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_command_is_read_without_its_here_documents() {
        let check = |command: &str, expected: &str| assert_eq!(without_here_documents(command), expected);
        check("cat > a <<EOF\nsome text\nEOF\nvim b", "cat > a <<EOF\nvim b");
        check("cat <<-'END' | sh\n\tsome text\n\tEND\nvim b", "cat <<-'END' | sh\nvim b");
        check("echo $((1 << 2))\nvim b", "echo $((1 << 2))\nvim b");
        check("grep x <<< EOF\nvim b", "grep x <<< EOF\nvim b");
        check("cat <<A <<'B-1'\na\nA\nb\nB-1\nvim b", "cat <<A <<'B-1'\nvim b");
        check("echo '1 << b'\ncat <<EOF\na\nEOF\nvim b", "echo '1 << b'\ncat <<EOF\nvim b");
    }
}
