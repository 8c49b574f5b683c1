//! Results and errors of the library as the protocol returns them.
//!
//! Never drops the hint of an error: commands to try are spelled as calls of our tools where there is one.

use rmcp::model::{CallToolResult, ContentBlock};
use serde::Serialize;
use serde_json::{Value, json};

use super::ToolSet;
use crate::code::SuggestedCommand;
use crate::commands::error_json::error_fields;
use crate::commands::{Error, ReaderMark};

/// What a tool returns: text for the model, and the same as a value for programs.
pub struct ToolResult {
    pub text: String,
    /// A further text for the model, in a block of its own.
    pub note: Option<String>,
    /// `None` for a tool without an output schema.
    pub structured: Option<Value>,
    /// What its reader has seen, once the result is out.
    pub mark: Option<ReaderMark>,
}

impl ToolResult {
    /// A result whose text is its JSON.
    pub fn of(result: &impl Serialize) -> ToolResult {
        ToolResult::with_text(None, result)
    }

    /// A result that is a text alone.
    pub fn plain(text: String) -> ToolResult {
        ToolResult { text, note: None, structured: None, mark: None }
    }

    /// A result with a text of its own.
    pub fn with_text(text: Option<String>, result: &impl Serialize) -> ToolResult {
        let structured = serde_json::to_value(result).unwrap_or_default();
        let text = text.unwrap_or_else(|| structured.to_string());
        ToolResult { text, note: None, structured: Some(structured), mark: None }
    }
}

impl From<ToolResult> for CallToolResult {
    fn from(answer: ToolResult) -> CallToolResult {
        let mut result =
            CallToolResult::success(std::iter::once(answer.text).chain(answer.note).map(ContentBlock::text).collect());
        result.structured_content = answer.structured;
        result
    }
}

/// Options of the shell in messages and hints, and what a call of a tool has instead.
const TOOL_WORDS: [(&str, &str); 13] = [
    ("requires --if-match or -f", "requires its etag as if_match"),
    ("use --if-match ", "pass if_match "),
    (", or --force", ""),
    ("use rm --archive", "use rm with archive: true"),
    ("use inbox --accept or inbox --reject", "a person accepts or rejects what waits there"),
    ("use --create", "pass create: true"),
    ("-f acts on the index", "pass that text as old, or the file's etag as if_match, beside the index"),
    (
        "with -f where it ends in a number",
        "and beside one that ends in a number pass the text as old, or the file's etag as if_match",
    ),
    (
        "name the scope with -S NAME, and the path below it: memdir -S NAME read facts/user.md",
        "a scope is a memory of its own, which this server does not open: memdir -S NAME mcp serves it",
    ),
    ("their own words with --consent", "their own words as consent"),
    ("use a larger -b", "use a larger budget_tokens"),
    ("a filter such as --tag, --category or --since", "filters"),
    (TITLE_HINT, "pass title, or start the text"),
];
/// The hint for a text without a title, which the tool `memory_append` of other memories does not have.
const TITLE_HINT: &str = "use -t TITLE (in JSON, title), or start the text";

/// The error for a caller of tools: without options of the shell.
fn for_tools(tools: ToolSet, error: &Error) -> Error {
    let untitled = |text: &str| match tools {
        ToolSet::Seed => text.replace(TITLE_HINT, "start the text"),
        ToolSet::Memory | ToolSet::Graph => text.to_owned(),
    };
    let in_tool_words =
        |text: &str| TOOL_WORDS.iter().fold(untitled(text), |text, (shell, tool)| text.replace(shell, tool));
    let mut error = error.clone();
    for rejection in &mut error.rejections {
        rejection.message = in_tool_words(&rejection.message);
        rejection.hint = rejection.hint.as_deref().map(in_tool_words);
    }
    error
}

/// An error that the model can act upon, in the form that clients of these tools expect: code, message, hint and calls
/// to try, as JSON; for a graph the message and the hint as text. It has no structured content, which clients would
/// hold against the output schema.
pub fn error_result(tools: ToolSet, error: &Error) -> CallToolResult {
    let text = match tools {
        ToolSet::Memory => error_json(tools, error).to_string(),
        ToolSet::Seed => {
            let mut json = error_json(tools, error);
            json["success"] = false.into();
            json.to_string()
        }
        ToolSet::Graph => {
            let error = for_tools(tools, error);
            let messages = error.rejections.iter().map(|rejection| rejection.message.as_str());
            messages.chain(error.hint()).collect::<Vec<_>>().join("\n")
        }
    };
    CallToolResult::error(vec![ContentBlock::text(text)])
}

/// The error as a JSON object.
pub fn error_json(tools: ToolSet, error: &Error) -> Value {
    Value::Object(error_fields(&for_tools(tools, error), &|command| tool_call(tools, command)))
}

/// A command to try: a call of a tool if one does the same, else the shell command, which a person can run.
fn tool_call(tools: ToolSet, suggestion: &SuggestedCommand) -> Option<String> {
    // Only what can be spelled safely for a shell is suggested at all.
    let command = suggestion.to_shell("")?;
    let address = suggestion.operands.first();
    Some(match (tools, &suggestion.subcommand[..], address) {
        (ToolSet::Graph, _, _) => return None,
        (ToolSet::Memory | ToolSet::Seed, ["list"], None) => "memory_list {}".to_owned(),
        (ToolSet::Memory, ["list"], Some(address)) => format!("memory_list {}", json!({"address": address})),
        // Instead of `-f`: the etag of what was read is the proof.
        (ToolSet::Memory, ["read"] | ["rm", "-f", ..], Some(address)) => {
            format!("memory_read {}", json!({"address": address}))
        }
        (ToolSet::Memory, ["rm"], Some(address)) => {
            format!("memory_change {}", json!({"operations": [{"op": "rm", "at": address}]}))
        }
        (ToolSet::Seed, ["list" | "read"], Some(address)) => format!("memory_read {}", json!({"path": address})),
        (ToolSet::Memory | ToolSet::Seed, _, _) => command,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::code::{Code, Rejection};

    #[test]
    fn a_command_to_try_is_a_call_of_a_tool_where_there_is_one() {
        for (suggestion, spelled) in [
            (SuggestedCommand::new("list", "user"), Some("memory_list {\"address\":\"user\"}")),
            (
                SuggestedCommand { subcommand: vec!["rm", "-f"], operands: vec!["user".into()] },
                Some("memory_read {\"address\":\"user\"}"),
            ),
            (SuggestedCommand::new("read", "user@acvh"), Some("memory_read {\"address\":\"user@acvh\"}")),
            (
                SuggestedCommand::new("rm", "user@v3wd"),
                Some("memory_change {\"operations\":[{\"op\":\"rm\",\"at\":\"user@v3wd\"}]}"),
            ),
            (SuggestedCommand::new("resolve", "user"), Some("memdir resolve user")),
            (SuggestedCommand::new("rm", "$(id)"), None),
        ] {
            assert_eq!(tool_call(ToolSet::Memory, &suggestion).as_deref(), spelled);
        }
        let seeds = tool_call(ToolSet::Seed, &SuggestedCommand::new("list", "user"));
        assert_eq!(seeds.as_deref(), Some("memory_read {\"path\":\"user\"}"));
        assert_eq!(tool_call(ToolSet::Graph, &SuggestedCommand::new("list", "user")), None);
    }

    #[test]
    fn no_hint_for_tools_names_an_option_of_the_shell() {
        for hint in [
            "its text stands there more than once, so no handle names it alone; -f acts on the index",
            "they have the same text; use one of these addresses, with -f where it ends in a number",
        ] {
            let json = error_json(ToolSet::Memory, &Rejection::new(Code::NeedsProof, "no proof").hint(hint).into());
            let hint = json["hint"].as_str().unwrap();
            assert!(!hint.contains("-f") && hint.contains("as old, or the file's etag as if_match"), "{hint}");
        }
    }

    #[test]
    fn an_error_has_code_reason_and_mend() {
        let error = Error::from(Rejection::new(Code::Busy, "another writer").hint("try again"));
        let json = error_json(ToolSet::Memory, &error);
        assert_eq!(
            (&json["code"], &json["hint"], &json["retryable"]),
            (&json!("busy"), &json!("try again"), &json!(true))
        );
    }
}
