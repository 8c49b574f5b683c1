//! Results and errors of the library as the protocol returns them.
//!
//! Never drops the hint of an error: commands to try are spelled as calls of our tools where there is one.

use rmcp::model::{CallToolResult, ContentBlock};
use serde::Serialize;
use serde_json::{Value, json};

use crate::code::Hint;
use crate::commands::error_json::error_fields;
use crate::commands::{Error, hints};

/// What a tool returns: text for the model, and the same as a value for programs.
pub struct ToolAnswer {
    pub text: String,
    /// `None` for a tool without an output schema.
    pub structured: Option<Value>,
}

impl ToolAnswer {
    /// An answer whose text is its JSON.
    pub fn of(result: &impl Serialize) -> ToolAnswer {
        ToolAnswer::with_text(None, result)
    }

    /// An answer that is a text alone.
    pub fn plain(text: String) -> ToolAnswer {
        ToolAnswer { text, structured: None }
    }

    /// An answer with a text of its own.
    pub fn with_text(text: Option<String>, result: &impl Serialize) -> ToolAnswer {
        let structured = serde_json::to_value(result).unwrap_or_default();
        ToolAnswer { text: text.unwrap_or_else(|| structured.to_string()), structured: Some(structured) }
    }
}

impl From<ToolAnswer> for CallToolResult {
    fn from(answer: ToolAnswer) -> CallToolResult {
        let mut result = CallToolResult::success(vec![ContentBlock::text(answer.text)]);
        result.structured_content = answer.structured;
        result
    }
}

/// An error that the model can act upon: code, message, hint and calls to try, as JSON. It has no structured content,
/// which clients would hold against the output schema.
pub fn error_result(error: &Error) -> CallToolResult {
    CallToolResult::error(vec![ContentBlock::text(error_json(error).to_string())])
}

/// The error as a JSON object.
pub fn error_json(error: &Error) -> Value {
    Value::Object(error_fields(error, &tool_call))
}

/// A command to try: a call of a tool if one does the same, else the shell command, which a person can run.
fn tool_call(hint: &Hint) -> Option<String> {
    // Only what can be spelled safely for a shell is suggested at all.
    let command = hints::to_command(hint, "")?;
    let address = hint.operands.first();
    Some(match (&hint.verb[..], address) {
        (["list"], None) => "memory_list {}".to_owned(),
        (["list"], Some(address)) => format!("memory_list {}", json!({"address": address})),
        (["read"], Some(address)) => format!("memory_read {}", json!({"address": address})),
        (["rm"], Some(address)) => format!("memory_change {}", json!({"operations": [{"op": "rm", "at": address}]})),
        _ => command,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::code::{Code, Rejection};

    #[test]
    fn a_command_to_try_is_a_call_of_a_tool_where_there_is_one() {
        let hint = |verb: &'static str, operand: &str| Hint { verb: vec![verb], operands: vec![operand.to_owned()] };
        for (hint, spelled) in [
            (hint("list", "user"), Some("memory_list {\"address\":\"user\"}")),
            (hint("read", "user@acvh"), Some("memory_read {\"address\":\"user@acvh\"}")),
            (hint("rm", "user@v3wd"), Some("memory_change {\"operations\":[{\"op\":\"rm\",\"at\":\"user@v3wd\"}]}")),
            (hint("resolve", "user"), Some("memdir resolve user")),
            (hint("rm", "$(id)"), None),
        ] {
            assert_eq!(tool_call(&hint).as_deref(), spelled);
        }
    }

    #[test]
    fn an_error_has_code_reason_and_mend() {
        let error = Error::from(Rejection::new(Code::Busy, "another writer").hint("try again"));
        let json = error_json(&error);
        assert_eq!(
            (&json["code"], &json["hint"], &json["retryable"]),
            (&json!("busy"), &json!("try again"), &json!(true))
        );
    }
}
